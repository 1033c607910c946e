#!/bin/sh
# Runs every program of examples/ once on the voice in the box: test_examples.sh ROOT BUILD
root=$1
bin=$2/examples
voice=$root/voice
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
bad=0

complain() {
    echo "$1"
    bad=1
}

# Whole frames of 1920 float32 samples, at least $2 of them.
frames() {
    bytes=$(wc -c <"$work/$1")
    if [ $((bytes % 7680)) -ne 0 ] || [ "$bytes" -lt $((7680 * $2)) ]; then
        complain "$1: $bytes bytes, not $2 or more whole frames"
    fi
}

"$bin/say_pull" "$voice" "Good morning." "$work/pull" >"$work/out" || complain "say_pull fails"
frames pull 5
grep -q "ended by stop" "$work/out" || complain "say_pull did not end by stop: $(cat "$work/out")"

"$bin/say_push" "$voice" "Good morning." >"$work/out" || complain "say_push fails"
grep -q "^frame 0: 1920 samples" "$work/out" || complain "say_push shows no first packet"
"$bin/say_push" "$voice" "Good morning." 0.2 >"$work/out" || complain "say_push fails to stop"
grep -q "stopped" "$work/out" || complain "say_push did not stop"

echo "Good morning." | "$bin/live_text" "$voice" >"$work/live" || complain "live_text fails"
frames live 5
if echo " " | "$bin/live_text" "$voice" >"$work/none" 2>"$work/err"; then
    complain "live_text accepts a blank text"
fi
grep -q "blank" "$work/err" || complain "live_text does not say that the text is blank"

for frame in 1 2 3 4 5 6 7 8 9 10; do
    echo "$frame 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"
done >"$work/codes"
"$bin/decode_codes" "$voice" <"$work/codes" >"$work/decoded" || complain "decode_codes fails"
frames decoded 10

for name in say_pull say_push live_text decode_codes; do
    lines=$(wc -l <"$root/examples/$name.c")
    [ "$lines" -lt 80 ] || complain "$name.c has $lines lines"
    if "$bin/$name" "$work/absent" text out </dev/null >"$work/out" 2>"$work/err" ||
        [ ! -s "$work/err" ]; then
        complain "$name does not tell that there is no model"
    fi
done
exit $bad
