#!/bin/sh
# Remakes everything in tests/data that comes from the official package: see README.md here.
# usage: make_all.sh TOKENIZER_DIR WORK_DIR      (PYTHON names the interpreter that has the package,
# VOICE the folder of a trained voice, build-voice/voice)
set -eu
[ $# -eq 2 ] || { echo "usage: $0 TOKENIZER_DIR WORK_DIR" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
data=$here/../../tests/data
python=${PYTHON:-python3}
export OMP_NUM_THREADS=1 HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 TOKENIZERS_PARALLELISM=false
export PYTHONDONTWRITEBYTECODE=1
mkdir -p "$2" "$data/golden"
"$python" "$here/make_sampler.py"
voice=${VOICE:-$here/../../build-voice/voice}
if [ -f "$voice/config.json" ]; then
    "$python" "$here/make_guard_codes.py" "$voice"
else
    echo "tests/data/guard is left as it is: there is no voice in $voice ('make voice' makes one)" >&2
fi
"$python" "$here/make_audio.py" --data "$data"
"$python" "$here/make_tokenizer.py" --tokenizer "$1" --data "$data" --work "$2"
"$python" "$here/make_goldens.py" --tokenizer "$1" --data "$data" --work "$2"
"$python" "$here/make_speaker.py" --data "$data" --work "$2"
"$python" "$here/make_encoder.py" --data "$data" --work "$2"
"$python" "$here/make_voices.py" --data "$data" --work "$2"
