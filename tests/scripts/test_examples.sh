#!/bin/sh
# Runs every program of examples/ on the voice in the box, and compares its sound with what the
# program `kazeia` makes of the same text and seed: test_examples.sh ROOT FOLDER KAZEIA [WRAPPER...]
#
# FOLDER has the built programs. Before each comes the WRAPPER, such as valgrind. A wrapper makes them
# slow: texts are short then, and only the sound is looked at, not how each of them fails.
root=$1
bin=$2
kazeia=$3
shift 3
voice=$root/voice/voice.kz
if [ ! -x "$bin/say_pull" ]; then
    echo "there is no $bin/say_pull: without a C++ compiler the examples are tested as C only"
    exit 77
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
bad=0

complain() {
    echo "$1"
    bad=1
}

# run NAME ARGUMENT...: one of the examples.
wrapper=$*
run() {
    run_name=$1
    shift
    $wrapper "$bin/$run_name" "$@"
}

# say OUTPUT OPTION...: what the program makes; raw float32, or as the name says.
say() {
    say_output=$1
    shift
    "$kazeia" say -q -m "$voice" --seed 7 --split off -o "$work/$say_output" --tune off "$@" ||
        complain "kazeia say fails"
}
say_raw() {
    raw_output=$1
    shift
    say "$raw_output" --format raw --bits 32f "$@"
}

# same MADE WANTED: the bytes are equal, and there is a sound at all (five frames of 1920 samples).
same() {
    cmp "$work/$1" "$work/$2" || complain "$1 has other samples than $2"
    [ "$(wc -c <"$work/$1")" -ge $((5 * 7680 / ${3:-1})) ] || complain "$1 is hardly any sound"
}

text="Good morning."
other="The kettle is on the stove."
if [ -n "$wrapper" ]; then
    text="Hi."
    other="Yes."
fi

say wanted.wav "$text"
run say_wav "$voice" "$text" "$work/made.wav" || complain "say_wav fails"
same made.wav wanted.wav 2

say_raw wanted_pull -l english "$text"
run say_pull "$voice" "$text" "$work/pull" >"$work/out" || complain "say_pull fails"
same pull wanted_pull
grep -q "ended by stop" "$work/out" || complain "say_pull did not end by stop: $(cat "$work/out")"

say_raw wanted_push "$text"
run say_push "$voice" "$text" >"$work/push" 2>"$work/err" || complain "say_push fails"
same push wanted_push
grep -q "^frame 0: 1920 samples" "$work/err" || complain "say_push shows no first packet"

# Cancelled in the fourth frame, it ends there or behind one more, with what it made so far.
run say_push "$voice" "$text" 0.3 >"$work/cut" 2>"$work/err" || complain "say_push does not cancel"
grep -q "cancelled" "$work/err" || complain "say_push was not cancelled: $(cat "$work/err")"
frames=$(($(wc -c <"$work/cut") / 7680))
[ "$frames" -eq 4 ] || [ "$frames" -eq 5 ] || complain "cancelled in frame 4, it made $frames"
head -c "$(wc -c <"$work/cut")" "$work/push" | cmp - "$work/cut" || complain "say_push: other samples"

echo "$text" | "$kazeia" say -q -m "$voice" --seed 7 --live-text --format raw --bits 32f \
    -o "$work/wanted_live" || complain "kazeia say --live-text fails"
echo "$text" | run live_text "$voice" >"$work/live" || complain "live_text fails"
same live wanted_live

# Each of two threads makes what it makes alone.
say_raw wanted_other "$other"
run two_threads "$voice" "$text" "$work/one" "$other" "$work/two" || complain "two_threads fails"
same one wanted_push
same two wanted_other

say codes.wav --codes "$work/codes.txt" "$text"
run decode_codes "$voice" <"$work/codes.txt" >"$work/decoded" || complain "decode_codes fails"
same decoded wanted_push

# A voice made of the sound above, as the program makes it (but for the name and the note in it) and
# speaks with it; the model is a tiny one, which never ends by itself.
base=$("$(dirname "$kazeia")/tests/voice_check" checkpoint base-eq) || complain "no Base model"
run clone_voice "$base" "$work/push" "$text" "$work/a.kzv" "Hi." >"$work/cloned" 2>"$work/err" ||
    complain "clone_voice fails: $(cat "$work/err")"
"$kazeia" say -q -m "$base" -v "$work/a.kzv" --seed 7 --split off --format raw --bits 32f \
    -o "$work/wanted_clone" Hi. 2>"$work/err"
case $? in
0 | 6) same cloned wanted_clone ;;
*) complain "kazeia say -v fails: $(cat "$work/err")" ;;
esac

[ -z "$wrapper" ] || exit $bad
# ---- what cannot be done is told --------------------------------------------------------------
fails() {
    fails_part=$1
    shift
    if run "$@" >"$work/out" 2>"$work/err"; then
        complain "$1 fails silently"
    fi
    grep -q -- "$fails_part" "$work/err" || complain "$1 says '$(cat "$work/err")', not '$fails_part'"
}
for name in say_wav say_pull say_push live_text two_threads decode_codes clone_voice; do
    lines=$(wc -l <"$root/examples/$name.c")
    [ "$lines" -lt 90 ] || complain "$name.c has $lines lines"
    fails "$name MODEL" "$name"
done </dev/null
for name in "$root"/examples/*.c; do
    name=$(basename "$name" .c)
    grep -q "run $name " "$0" || complain "$name is not tested"
done
absent=$work/absent
fails "$absent" say_wav "$absent" "$text" "$work/x"
fails "$absent" say_pull "$absent" "$text" "$work/x"
fails "$absent" say_push "$absent" "$text"
fails "$absent" live_text "$absent" </dev/null
fails "$absent" two_threads "$absent" "$text" "$work/x" "$text" "$work/y"
fails "$absent" decode_codes "$absent" </dev/null
fails "$absent" clone_voice "$base" "$absent" "$text" "$work/x.kzv" "$text"
fails "Base model" clone_voice "$voice" "$work/push" "$text" "$work/x.kzv" "$text"
fails "cannot write" clone_voice "$base" "$work/push" "$text" "$absent/x.kzv" "$text"
fails "cannot be written" say_wav "$voice" "$text" "$absent/x"
fails "cannot be written" say_pull "$voice" "$text" "$absent/x"
fails "cannot be written" two_threads "$voice" "$text" "$work/x" "$text" "$absent/x"
echo " " >"$work/blank"
fails "blank" live_text "$voice" <"$work/blank"
fails "blank" two_threads "$voice" " " "$work/x" "$text" "$work/y"
echo "1 2 x" >"$work/codes"
fails "numbers" decode_codes "$voice" <"$work/codes"
if [ -e /dev/full ]; then
    fails "written" say_pull "$voice" "$text" /dev/full
    fails "written" say_wav "$voice" "$text" /dev/full
    full() {
        if run "$@" >/dev/full 2>"$work/err" || ! grep -qE "written|sink" "$work/err"; then
            complain "$1 does not tell that its output is full: $(cat "$work/err")"
        fi
    }
    full say_push "$voice" "$text"
    echo "$text" >"$work/text"
    full live_text "$voice" <"$work/text"
    full decode_codes "$voice" <"$work/codes.txt"
fi
exit $bad
