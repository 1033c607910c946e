#!/bin/sh
# The program on processors older than this one, under QEMU's user emulation: it starts, takes the
# kernels that are there, and makes the samples that this machine makes (B199, B200, B201, B203):
#
#     test_old_cpus.sh ROOT BUILD          exit 77 without qemu-x86_64 or on another machine
#
# An instruction that the named processor lacks ends the program with a signal there.
root=$1
program=$2/kazeia
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
bad=0

if ! command -v qemu-x86_64 >/dev/null 2>&1 || [ "$(uname -m)" != x86_64 ]; then
    echo "skipped: needs qemu-x86_64 on such a machine"
    exit 77
fi

complain() {
    echo "$1"
    bad=1
}

# hash FILE COMMAND...: one frame of the voice in the box; the SHA-256 of its samples into FILE.
hash() {
    to=$1
    shift
    "$@" say -m "$root/voice/voice.kz" --frames 1 --seed 1 --threads 1 --hash -q -o "$work/x.wav" "Hi." \
        >"$to" 2>"$work/err"
}

# old CPU LEVEL: starts there and reaches that kernel level.
old() {
    qemu-x86_64 -cpu "$1" "$program" --version >"$work/out" 2>"$work/err"
    status=$?
    if [ $status -ne 0 ]; then
        complain "$1: --version ends with $status"
        cat "$work/err"
    elif ! grep -qx "cpu level in use: $2" "$work/out"; then
        complain "$1: not level $2:"
        cat "$work/out"
    fi
}

# same CPU: speaks there with the samples of this machine.
same() {
    hash "$work/there" qemu-x86_64 -cpu "$1" "$program"
    status=$?
    if [ $status -ne 0 ]; then
        complain "$1: say ends with $status"
        cat "$work/err"
    elif ! cmp -s "$work/here" "$work/there"; then
        complain "$1: $(cat "$work/there"), here $(cat "$work/here")"
    else
        echo "$1: $(cat "$work/there")"
    fi
}

hash "$work/here" "$program" || complain "say fails here: $(cat "$work/err")"
grep -q 'sha256 [0-9a-f]\{64\}' "$work/here" || complain "no hash: $(cat "$work/here")"

old qemu64 scalar
old Nehalem scalar
old SandyBridge scalar
old Opteron_G5 fma
old Haswell avx2
same qemu64
same Nehalem
same Haswell
exit $bad
