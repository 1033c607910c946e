#!/bin/sh
# Too little address space: every limit ends in speech, or in exit 7 with one sentence and no file
# left behind. B222: 1 GB is plenty for the voice in the box.
. "$(dirname "$0")/lib.sh"

limited() {
    (
        ulimit -v "$1" || exit 99
        shift
        exec "$KAZEIA" "$@"
    )
}

# Sanitizers reserve more than any limit.
run limited 1048576 --version
if [ "$code" -ne 0 ]; then
    echo "skipped: address space cannot be limited here"
    exit 77
fi

say_in() {
    limited "$1" say -m "$KZT_VOICE" --frames 2 --threads 3 -q -o "$work/$1.wav" "Hi."
}

B222_one_gigabyte() {
    expect 0 "" say_in 1048576
    wav_in_file "$work/1048576.wav"
}
B222_one_gigabyte

# The least in which the program itself starts (in kB).
least=4000
while run limited $least --version && [ "$code" -ne 0 ]; do
    least=$((least * 26 / 25))
done

refused=0
limit=$least
spoken=0
while [ $spoken -lt 3 ] && [ "$limit" -lt 1048576 ]; do
    run say_in "$limit"
    if [ "$code" -eq 0 ]; then
        spoken=$((spoken + 1))
    else
        equal 7 "$code" "exit with $limit kB"
        equal 1 "$(grep -c . "$work/err")" "lines with $limit kB"
        grep -q '^kazeia: error: ' "$work/err" || fail "$limit kB: $(cat "$work/err")"
        [ ! -e "$work/$limit.wav" ] || fail "$limit kB leaves a file"
        refused=$((refused + 1))
        spoken=0
    fi
    limit=$((limit * 26 / 25))
done
[ "$refused" -ge 5 ] || fail "only $refused limits were too small"
[ "$spoken" -eq 3 ] || fail "nothing was spoken up to $limit kB"
finish
