#!/bin/sh
# The data a voice is trained on: run.sh WORK [quick]
#
# Sets up what is missing in WORK (a Python environment, the two readers), then corpus, tests of it,
# and speech of every voice. Each step leaves alone what is there, so an interrupted run goes on.
# PYTHON: another Python with the packages of requirements.txt. SENTENCES, FRENCH, SOUND: how many
# sentences a speaker speaks in English and in French, and how many of each with sound.
set -e
here=$(cd "$(dirname "$0")" && pwd)
work=$1
if [ "$2" = quick ]; then
    share=0.004 sentences=${SENTENCES:-12} french=${SENTENCES:-12} sound=${SOUND:-4}
else
    share=1 sentences=${SENTENCES:-20000} french=${FRENCH:-8000} sound=${SOUND:-600}
fi
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
mkdir -p "$work/bin"
work=$(cd "$work" && pwd)

for name in flite espeak-ng hunspell; do
    if ! command -v "$name" >/dev/null; then
        echo "run.sh: $name is missing; apt-get install flite flite1-dev espeak-ng" \
            "libespeak-ng-dev hunspell hunspell-fr-classical wordnet-base stardict-xmlittre" >&2
        exit 1
    fi
done
if [ -z "$PYTHON" ]; then
    PYTHON=$work/python/bin/python
    if [ ! -e "$work/python/ready" ]; then
        echo "run.sh: Python packages into $work/python, several GB" >&2
        python3 -m venv "$work/python"
        "$PYTHON" -m pip install -q -r "$here/requirements.txt"
        touch "$work/python/ready"
    fi
fi

# The French style is in the source archive of this package alone.
[ -e "$work/cache/kokoro-0.9.4.tar.gz" ] ||
    "$PYTHON" -m pip download -q --no-deps --no-binary kokoro kokoro==0.9.4 -d "$work/cache"

flags="-O2 -std=gnu11 -Wall -Wextra"
english="-lflite_cmu_us_slt -lflite_usenglish -lflite_cmulex -lflite"
# shellcheck disable=SC2086
cc $flags "$here/teacher/flite.c" -o "$work/bin/flite" $english -lm
# shellcheck disable=SC2086
cc $flags "$here/teacher/espeak.c" -o "$work/bin/espeak" -lespeak-ng

cd "$here/.."
"$PYTHON" -m train.corpus.make "$work" $share
for name in numbers audio listen eval; do
    "$PYTHON" -m train.tests.test_$name
done
"$PYTHON" -m train.tests.test_corpus "$work"
speak() {
    "$PYTHON" -m train.teacher.speak "$work" "$1-english" "$sentences" "$sound"
    "$PYTHON" -m train.teacher.speak "$work" "$1-french" "$french" "$sound"
}
speak max >"$work/speech.log" 2>&1 &
other=$!
speak ada
wait $other || { tail -n 3 "$work/speech.log" >&2; exit 1; }
