#!/bin/sh
# Tries the packages of `make deb` on a Debian that has nothing but git and a shell:
#
#     scripts/try_deb.sh [SUITE [FOLDER [PACKAGES]]]    (root; needs debootstrap)
#
# Installs them, uses the command as a user and the libraries as a program, removes them, and looks for
# what was left. FOLDER (default build-bare/) has the base system, PACKAGES (default build-deb/) the
# packages; a tiny Base model, which clones, is written by what `make` built. Prints what was seen; all
# output is in FOLDER/SUITE.log. Exits with 0 if all was right.
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
suite=${1:-bookworm}
work=${2:-$root/build-bare}
packages=${3:-$root/build-deb}
. "$root/scripts/bare.sh"

# Files that begin with the name of a package, but those of apt's own book-keeping.
traces() {
    (cd "$tree" && find usr etc opt var lib bin -name '*kazeia*' ! -path 'var/log/*') | sort
}

base_model=$("$root/build/tests/voice_check" checkpoint base-eq) || exit 1
names='kazeia kazeia-voice libkazeia0 libkazeia-dev libkazeia-audio0 libkazeia-audio-dev'

fresh_system
chroot "$tree" useradd -m -s /bin/sh plain || exit 1
for package in $names; do
    cp "$packages/${package}_"*.deb "$tree/srv/kazeia/" || exit 1
done
cp -R "$base_model" "$tree/srv/base" || exit 1
echo "$suite: $(ls "$tree/srv/kazeia" | tr '\n' ' ')"
inside root 'apt-get update' >>"$work/$suite.log" 2>&1 || exit 1

try install root 'apt-get install -y ./*.deb' 0
try speak plain 'cd /tmp && kazeia say Hello -o x.wav' 0
sound /tmp/x.wav
try speak plain 'cd /tmp && kazeia say Hello -o x.flac && head -c 4 x.flac | grep fLaC' 0
try version plain 'kazeia --version' 0
expect '^kazeia [0-9]'
expect '^recordings: read with'
# The recordings are the command's own; a FLAC of it has the samples of the WAV.
said='The kettle is on the stove.'
for kind in wav flac; do
    try record plain "kazeia say --seed 1 '$said' -o /tmp/said.$kind" 0
    try clone plain "kazeia clone /tmp/said.$kind -m /srv/base --ref-text '$said' --name $kind" 0
    try clone plain "kazeia voices show $kind" 0
    expect "^transcript *$said"
    try clone plain "kazeia say -m /srv/base -v $kind --seed 2 --frames 9 Hello -o /tmp/by-$kind.wav" 0
    sound /tmp/by-$kind.wav
done
try clone plain 'cmp /tmp/by-wav.wav /tmp/by-flac.wav' 0
try clone plain "cd /tmp && kazeia say -m /srv/base --ref-audio said.flac --ref-text '$said' --seed 2 \
    --frames 9 Hello -o by-audio.wav && cmp by-audio.wav by-wav.wav" 0
try clone plain 'cd /tmp && kazeia encode said.wav -m /srv/base -o said.npy && test -s said.npy' 0
try bits plain 'kazeia selftest' 0
try pages root 'apt-get install -y --no-install-recommends man-db' 0
try pages plain 'man kazeia' 0
expect 'EXIT STATUS'
try pages plain "bash -c '. /usr/share/bash-completion/completions/kazeia && complete -p kazeia'" 0
try program root 'apt-get install -y --no-install-recommends gcc libc6-dev pkg-config cmake make' 0
cat >"$tree/tmp/reads.c" <<'END'
#include <kazeia-audio.h>
#include <stdio.h>

/* The samples of a recording, 16 bits each. */
int main(int argc, char **argv) {
    char error[512] = "";
    kz_audio *audio = NULL;
    size_t count = 0;
    if (argc < 2 || kz_audio_read_file(argv[1], NULL, &audio, error, sizeof error) != KZ_OK) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    const float *samples = kz_audio_samples(audio, &count);
    for (size_t i = 0; i < count; i++) {
        int value = (int)(samples[i] * 32768);
        putchar(value & 255);
        putchar(value >> 8 & 255);
    }
    kz_audio_free(audio);
    return 0;
}
END
cat >"$tree/tmp/build.sh" <<'END'
set -e
cd /tmp
cp /usr/share/doc/libkazeia-dev/examples/*.c .
for source in *_*.c; do
    cc -Wall -Werror "$source" $(pkg-config --cflags --libs kazeia) -pthread -lm -o "${source%.c}"
done
cc -Wall -Werror reads.c $(pkg-config --cflags --libs kazeia-audio) -o reads
cc -Wall -Werror say_push.c -Wl,-Bstatic $(pkg-config --cflags --libs kazeia) -Wl,-Bdynamic \
    $(pkg-config --libs-only-l --static kazeia | sed 's/-lkazeia//') -pthread -o static
cc -Wall -Werror reads.c $(pkg-config --cflags kazeia-audio) \
    $(pkg-config --variable=libdir kazeia-audio)/libkazeia-audio.a \
    $(pkg-config --libs sndfile soxr) -lm -o reads_static
ldd say_push | grep libkazeia.so.0
ldd reads | grep libkazeia-audio.so.0
if ldd static reads_static | grep libkazeia || ldd reads | grep libkazeia.so; then
    exit 1
fi
END
cat >"$tree/tmp/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.18)
project(programs C)
find_package(kazeia 0.1 REQUIRED COMPONENTS ${WANTED})
foreach(kind "" _static)
  add_executable(say_push${kind} say_push.c)
  target_link_libraries(say_push${kind} kazeia::kazeia${kind})
  if(TARGET kazeia::kazeia_audio)
    add_executable(reads${kind} reads.c)
    target_link_libraries(reads${kind} kazeia::kazeia_audio${kind})
  endif()
endforeach()
END
try program plain 'sh /tmp/build.sh' 0
try program plain '/tmp/say_push /usr/share/kazeia/voice/voice.kz Hello >/tmp/heard && test -s /tmp/heard' 0
try program plain '/tmp/static /usr/share/kazeia/voice/voice.kz Hello | cmp - /tmp/heard' 0
tail -c +45 "$tree/tmp/said.wav" >"$tree/tmp/samples"
try cmake plain 'cd /tmp && cmake -DWANTED=audio -S . -B out && cmake --build out' 0
for made in reads reads_static out/reads out/reads_static; do
    for kind in wav flac; do
        try program plain "/tmp/$made /tmp/said.$kind | cmp - /tmp/samples" 0
    done
done
# Without the second library the first is found, and what is missing is named.
try cmake root "apt-get remove -y ${names##* }" 0
try cmake plain 'cd /tmp && rm -r out && cmake -S . -B out && cmake --build out' 0
try cmake plain '/tmp/out/say_push_static /usr/share/kazeia/voice/voice.kz Hello | cmp - /tmp/heard' 0
try cmake plain 'cmake -DWANTED=audio -S /tmp -B /tmp/out2' 1
expect 'libkazeia-audio is not installed'
traces >>"$work/$suite.log"
try remove root "apt-get remove -y ${names% *}" 0
if [ -n "$(traces)" ]; then
    echo "BAD was left: $(traces | tr '\n' ' ')"
    bad=1
fi
try remove root "dpkg-query -W $names" 1

remove
exit $bad
