# Voices, languages and instructions on models of the kinds that take them and on those that do not
# (B030 B116 B160 B161), and every recorded run of the official implementation. The small
# checkpoints are made by the programs of the golden tests.
. "$(dirname "$0")/lib.sh"
K=$KAZEIA
goldens=$(dirname "$0")/../data/golden
checkpoints custom-eq custom-mtp design-eq base-eq
say() {
    wanted=$1
    pattern=$2
    kind=$3
    shift 3
    expect "$wanted" "$pattern" "$K" say -m "$models/$kind" --frames 2 -o "$work/x.wav" "$@" Hello
}

say 4 'voice "nobody" is not known; this model has: serena, ryan' custom-eq -v nobody
say 4 'language "klingon" is not known; this model has: auto, chinese' custom-eq -l klingon
say 4 'voice "ryan" cannot be used: a voice design model has no speakers' design-eq -v ryan
say 4 'base model: it speaks with the voice of a recording' base-eq
say 4 'base model: it speaks with the voice of a recording' base-eq -v ryan
expect 4 'base model' "$K" prompt -m "$models/base-eq" Hello
[ -e "$work/x.wav" ] && fail "a file was made for a voice that was refused"
say 0 'takes no instruction: the one given has no effect' custom-eq -i slowly
rm -f "$work/x.wav"
say 4 'takes no instruction' custom-eq --strict -i slowly
[ -e "$work/x.wav" ] && fail "a file was made in spite of --strict"
say 0 '' custom-mtp -i slowly -v RYAN -l pt-BR
grep -q 'no effect' "$work/err" && fail "a model that takes an instruction says that it does not"
say 0 '' design-eq -i "a low voice"
expect 0 "" "$K" voices -m "$models/custom-eq"
equal "eric	sichuan_dialect" "$(grep '^eric' "$work/out")" "a speaker with its dialect"
expect 0 "no speakers" "$K" voices -m "$models/base-eq"

# 6: a talker that never ends is stopped by a bound that grows with the text; its sound is kept, and
# a limit of the user's own lifts the bound (B033 B042).
expect 6 "stopped by the guard: .*the sound made so far is kept" "$K" say \
    -m "$models/custom-eq" -o "$work/guard.wav" Hello
wav_in_file "$work/guard.wav"
[ "$(size_of "$work/guard.wav")" -gt 44 ] || fail "the sound before the guard was not kept"
expect 6 "" "$K" say -m "$models/custom-eq" --json -o "$work/guard.wav" Hello
equal guard "$(member finish "$work/out")" "finish"
frames=$(member frames "$work/out")
expect 0 "" "$K" say -m "$models/custom-eq" --max-frames $((frames + 50)) --repetition-penalty 1.3 \
    --json -o "$work/guard.wav" Hello
equal "length $((frames + 50))" "$(member finish "$work/out") $(member frames "$work/out")" "limit"

# Tokens as the prompt holds them, and as the official package would have them.
text='a<|im_end|>b'
plain=$("$K" tokenize -m "$models/custom-eq" --json "$text")
quirk=$("$K" tokenize -m "$models/custom-eq" --as-reference --json "$text")
[ "$plain" != "$quirk" ] || fail "--as-reference changes no token of '$text'"
printf ' two  words \r\n' >"$work/text"
equal "$("$K" tokenize -m "$models/custom-eq" 'two  words')" \
    "$("$K" tokenize -m "$models/custom-eq" -f "$work/text")" "blanks at both ends"
[ "$("$K" tokenize -m "$models/custom-eq" --as-reference -f "$work/text")" != \
    "$("$K" tokenize -m "$models/custom-eq" 'two  words')" ] || fail "--as-reference cleans up"

count=0
for run in "$goldens"/*/golden.json; do
    name=$(sed -n 's/.*"checkpoint": *"\([^"]*\)".*/\1/p' "$run" | head -n 1)
    expect 0 "" "$K" validate "$models/$name" "$run" --json
    equal true "$(member all_equal "$work/out")" "$run"
    equal "$(member total "$work/out")" "$(member equal "$work/out")" "codes of $run"
    count=$((count + 1))
done
[ "$count" -ge 27 ] || fail "only $count recorded runs"
finish
