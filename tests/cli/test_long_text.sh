# A long text is spoken in pieces, made side by side and heard one after the other, in one output.
. "$(dirname "$0")/lib.sh"
K=$KAZEIA
spoken() {
    "$K" say --seed 3 --json --hash -q -o "$work/s.wav" "$@" >"$work/out" 2>"$work/err" ||
        fail "say $*: $(cat "$work/err")"
}
# Two of the first do not fit into one piece of any model.
first="The kettle is on the stove, and the tea is almost ready for us, so come and sit down here."
second="She went to the market and bought some bread and butter, and then she walked back home."
third="Then it rained all day."

# A text that the model takes well stays whole, whatever is in it.
spoken --split off "One. Two. $third"
want=$(member hash "$work/out")
spoken "One. Two. $third"
equal "$want" "$(member hash "$work/out")" "hash of a short text"
equal 1 "$(member pieces "$work/out")" "pieces of a short text"
spoken --pause 3,9 "One. Two. $third"
equal "$want" "$(member hash "$work/out")" "hash of a short text with pauses"

# Samples of a long one: its frames, and the pauses (the defaults: 0.2 s and 0.6 s).
long=$(printf '%s %s\n\n%s' "$first" "$second" "$third")
spoken --frames 4 --codes "$work/c.txt" "$long"
equal 3 "$(member pieces "$work/out")" "pieces"
equal 12 "$(member frames "$work/out")" "frames"
equal 12 "$(wc -l <"$work/c.txt" | tr -d ' ')" "lines of codes"
samples=$((12 * 1920 + 4800 + 14400))
equal $samples "$(member samples "$work/out")" "samples"
equal $((44 + 2 * samples)) "$(size_of "$work/s.wav")" "bytes"
wav_in_file "$work/s.wav"
equal 0.8 "$(member pause_seconds "$work/out")" "seconds of pauses"
"$K" say --seed 3 --frames 4 -q "$long" 2>"$work/err" | cat >"$work/pipe.wav"
wav_in_pipe "$work/pipe.wav"
equal "$(data_hash "$work/s.wav")" "$(data_hash "$work/pipe.wav")" "samples in a pipe"
for pause in 0:0 1:96000 0,1:24000 0.5,0:12000 .25:24000; do
    spoken --frames 4 --pause "${pause%:*}" "$long"
    equal $((12 * 1920 + ${pause#*:})) "$(member samples "$work/out")" "samples, --pause $pause"
done
spoken --frames 4 "$long"
want=$(member hash "$work/out")
spoken --frames 4 -t 1 --packet 3 --cpu scalar "$long"
equal "$want" "$(member hash "$work/out")" "hash for other threads, packets, level"
printf '%s %s\r\n\r\n%s\r\n' "$first" "$second" "$third" | spoken --frames 4
equal "$want" "$(member hash "$work/out")" "hash with CR LF (B013)"

# B056: a piece is what it is alone; the first one as an utterance by itself. Only the ramps of
# 5 ms where it is joined differ.
"$K" say --seed 3 --frames 4 -q --format raw -o "$work/long.raw" "$long" 2>"$work/err"
"$K" say --seed 3 --frames 4 -q --format raw -o "$work/first.raw" "$first" 2>"$work/err"
inner=$((2 * (4 * 1920 - 120)))
equal "$(head -c $inner "$work/first.raw" | cksum)" "$(head -c $inner "$work/long.raw" | cksum)" \
    "samples of the first piece"

# B079: no jump where sound meets silence, although four frames end in the middle of a word. The
# largest step at the joins, in 16-bit values.
jump() {
    od -An -v -td2 -w2 -j $((2 * $1 - 2)) -N 4 "$work/long.raw" |
        awk 'NR == 1 { a = $1 } NR == 2 { d = $1 - a; print d < 0 ? -d : d }'
}
piece=$((4 * 1920))
for at in $piece $((piece + 4800)) $((2 * piece + 4800)) $((2 * piece + 4800 + 14400)); do
    step=$(jump $at)
    [ "$step" -le 64 ] || fail "a jump of $step at sample $at"
done

# B081: each frame of codes reaches the decoder once, in order, also of pieces that were complete
# before they were due: decoded piece by piece they give the samples between the ramps.
"$K" say --seed 3 --frames 4 -q --parallel 3 --codes "$work/all.txt" --format raw \
    -o "$work/long.raw" "$long" 2>"$work/err"
from=0
for number in 1 2 3; do
    tail -n +$((4 * number - 3)) "$work/all.txt" | head -n 4 >"$work/part.txt"
    "$K" decode -q "$work/part.txt" -o "$work/part.raw" 2>"$work/err" || fail "decode"
    equal "$(tail -c +241 "$work/part.raw" | head -c $((2 * (piece - 240))) | cksum)" \
        "$(tail -c +$((2 * from + 241)) "$work/long.raw" | head -c $((2 * (piece - 240))) | cksum)" \
        "decoded codes of piece $number"
    from=$((from + piece + 4800))
    [ $number -eq 2 ] && from=$((from + 9600))
done

# Whole where that is asked for.
spoken --frames 4 --split off "$long"
equal 4 "$(member frames "$work/out")" "frames with --split off"
spoken --frames 4 --as-reference "$long"
equal 4 "$(member frames "$work/out")" "frames with --as-reference"
spoken --frames 4 --live-text "$long"
equal 4 "$(member frames "$work/out")" "frames with --live-text"
spoken --frames 4 --lines "$long"
equal 8 "$(member frames "$work/out")" "frames with --lines"
spoken --frames 4 --dump "$work/dump" "$long"
equal 4 "$(member frames "$work/out")" "frames with --dump"
KAZEIA_SPLIT=off spoken --frames 4 "$long"
equal 4 "$(member frames "$work/out")" "frames with KAZEIA_SPLIT=off"

# Usage.
for pause in -1 61 1,61 x 1,2,3 1, , "" 1s nan 1e1; do
    expect 2 "pause" "$K" say "--pause=$pause" -o "$work/x.wav" Hello
done
expect 2 "auto|off" "$K" say --split on -o "$work/x.wav" Hello
expect 2 "contradict" "$K" say --lines --pause 1 -o "$work/x.wav" Hello
expect 2 "contradict" "$K" say --live-text --split auto -o "$work/x.wav" Hello
expect 2 "contradict" "$K" say --live-text --parallel 2 -o "$work/x.wav" Hello

# What cannot be spoken is left out, the rest keeps its order (B018); nothing at all is refused.
dashes=$(awk 'BEGIN { for (i = 0; i < 60; i++) printf "--- "; }')
spoken --frames 2 "$(printf '%s\n\n%s\n\n\360\237\230\200 %s' "$first" "$dashes" "$second")"
equal 2 "$(member pieces "$work/out")" "pieces around a rule"
expect 4 "nothing to speak" "$K" say -o "$work/x.wav" -- "$dashes"
[ -e "$work/x.wav" ] && fail "a file was made for a text that was refused"
printf '%s %s caf\377' "$first" "$second" >"$work/invalid"
expect 4 "offset" "$K" say -o "$work/x.wav" -f "$work/invalid"

# The worst end of all pieces counts, and which one it was is told.
run "$K" say --max-frames 20 -o "$work/x.wav" "$long"
equal 0 "$code" "exit code at a limit"
grep -q "in piece [123] of 3.*length" "$work/err" || fail "no piece is named: $(cat "$work/err")"

# The whole is one record.
run "$K" say --frames 4 --stats --verbose -o "$work/x.wav" "$long"
grep -q "^pieces  *3, 0.80 s" "$work/err" || fail "--stats does not tell the pieces"
equal 3 "$(grep -c '^text ' "$work/err")" "texts that --verbose shows"

# B040: a chapter is covered whole, in no more memory than a few pieces take.
awk 'BEGIN { for (i = 0; n < 50000; i++) { s = "Sentence number " i " of a chapter that is long"
    s = s " enough for a piece of its own, or nearly so.\n"; n += length(s); printf "%s", s } }' \
    >"$work/chapter"
sentences=$(wc -l <"$work/chapter" | tr -d ' ')
spoken --frames 1 -f "$work/chapter"
equal "$sentences" "$(member pieces "$work/out")" "pieces of a chapter"
equal "$sentences" "$(member frames "$work/out")" "frames of a chapter"
session=$(member session_bytes "$work/out")
spoken --frames 1 "$long"
small=$(member session_bytes "$work/out")
[ "$session" -le $((small + 1048576)) ] || fail "session of $session bytes, of three pieces $small"

# How many pieces are made together changes nothing: samples, codes, what is told of limits, what
# comes out of a pipe.
many="$long $second $third $first"
spoken --max-frames 21 --parallel 1 --codes "$work/c1.txt" "$many"
want=$(member hash "$work/out")
equal 6 "$(member pieces "$work/out")" "pieces"
run "$K" say --seed 3 --max-frames 21 --parallel 1 -o "$work/x.wav" "$many"
grep -q "in piece [1-6] of 6.*length" "$work/err" || fail "no piece is named: $(cat "$work/err")"
cp "$work/err" "$work/err1"
for parallel in 2 5 16; do
    spoken --max-frames 21 --parallel $parallel --codes "$work/c.txt" "$many"
    equal "$want" "$(member hash "$work/out")" "hash, --parallel $parallel"
    cmp -s "$work/c1.txt" "$work/c.txt" || fail "other codes with --parallel $parallel"
    run "$K" say --seed 3 --max-frames 21 --parallel $parallel -o "$work/x.wav" "$many"
    cmp -s "$work/err1" "$work/err" || fail "other words with --parallel $parallel"
    "$K" say --seed 3 --max-frames 21 --parallel $parallel -q "$many" 2>"$work/err" |
        cat >"$work/pipe.wav"
    equal "$(data_hash "$work/s.wav")" "$(data_hash "$work/pipe.wav")" "pipe, --parallel $parallel"
done
spoken --frames 3 --parallel 4 --lines "$(printf '%s\n%s\n\n%s' "$first" "$third" "$second")"
want=$(member hash "$work/out")
spoken --frames 3 --parallel 1 --lines "$(printf '%s\n%s\n\n%s' "$first" "$third" "$second")"
equal "$want" "$(member hash "$work/out")" "hash of lines side by side"
for parallel in 0 17 -1 x; do
    expect 2 "parallel" "$K" say "--parallel=$parallel" -o "$work/x.wav" Hello
done

# A slow reader gets every sample.
"$K" say --seed 3 --frames 40 --parallel 3 -q "$many" 2>"$work/err" |
    { sleep 1; head -c 100000; sleep 1; cat; } >"$work/slow.wav"
spoken --frames 40 "$many"
equal "$(data_hash "$work/s.wav")" "$(data_hash "$work/slow.wav")" "samples for a slow reader"

# A piece that fails is named with its place; what came before it is kept, the same for any number
# of neighbours. Here a value of the model that only one word uses is no number.
small
copy_small "$work/hurt"
word=$("$K" tokenize -m "$small" z | head -n 1 | cut -f 1)
width=128 # bytes of its row
at=$(tensor_at "$work/hurt/model.safetensors" talker.model.text_embedding.weight)
poke "$work/hurt/model.safetensors" $((at + word * width)) '\300\177'
for parallel in 1 2 4; do
    expect 1 "piece 3 of 4, at byte $((${#first} + ${#second} + 2)) of the text" "$K" say \
        -m "$work/hurt" --seed 3 --frames 4 --parallel $parallel --codes "$work/hurt$parallel.txt" \
        --format raw -o "$work/hurt$parallel.raw" "$first $second The zebra of the zoo is gone, says \
everyone who was there and saw that. $second"
    grep -q "not finite" "$work/err" || fail "no reason: $(cat "$work/err")"
    equal $((2 * (2 * 4 * 1920 + 2 * 4800))) "$(size_of "$work/hurt$parallel.raw")" "kept sound"
    cmp -s "$work/hurt1.raw" "$work/hurt$parallel.raw" || fail "other sound with $parallel"
    cmp -s "$work/hurt1.txt" "$work/hurt$parallel.txt" || fail "other codes with $parallel"
done

# The first signal ends the file cleanly, with what was heard and no more.
"$K" say --frames 20000 --seed 1 --json --parallel 3 -o "$work/cut.wav" --codes "$work/cut.txt" \
    "$long" >"$work/out" 2>"$work/err" </dev/null &
pid=$!
sleep 2
kill -TERM $pid
wait $pid
equal 130 $? "exit code after SIGTERM"
wav_in_file "$work/cut.wav"
equal cancelled "$(member finish "$work/out")" "finish"
equal 1 "$(member pieces "$work/out")" "pieces that were heard"
equal "$(member frames "$work/out")" "$(wc -l <"$work/cut.txt" | tr -d ' ')" "frames of codes"
{
    "$K" say --frames 20000 --seed 1 --parallel 3 "$long" 2>"$work/err" </dev/null
    echo $? >"$work/code"
} | head -c 30000 >"$work/head.wav"
equal 0 "$(cat "$work/code")" "exit code with a closed pipe"
[ -s "$work/err" ] && fail "a closed pipe is not quiet: $(cat "$work/err")"

# Ten times the text takes no more memory.
head -n 60 "$work/chapter" >"$work/part"
for file in part chapter; do
    spoken --frames 4 --parallel 4 -f "$work/$file"
    echo "$file: $(member pieces "$work/out") pieces, peak $(member peak_bytes "$work/out") bytes"
    [ $file = part ] && few=$(member peak_bytes "$work/out")
done
if ! grep -aq -e __asan_init -e __tsan_init "$K"; then
    [ "$(member peak_bytes "$work/out")" -le $((few + 4194304)) ] || fail "memory grew with the text"
fi
finish
