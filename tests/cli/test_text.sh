# How text comes in: arguments, files, standard input, lines, live; and what is refused.
. "$(dirname "$0")/lib.sh"
K=$KAZEIA
spoken() {
    "$K" say --greedy --max-frames 12 --json --hash -q -o "$work/s.wav" "$@" 2>"$work/err"
}
hash_of() {
    spoken "$@" </dev/null >"$work/out" || fail "say $*: $(cat "$work/err")"
    member hash "$work/out"
}

# All ways give the same sound.
want=$(hash_of Hello my friend)
equal "$want" "$(hash_of "Hello my friend")" "one argument"
printf 'Hello my friend\n' >"$work/text"
equal "$want" "$(hash_of -f "$work/text")" "a file"
spoken <"$work/text" >"$work/out"
equal "$want" "$(member hash "$work/out")" "standard input"
spoken -f - <"$work/text" >"$work/out"
equal "$want" "$(member hash "$work/out")" "-f -"
printf '\357\273\277  Hello my friend\r\n\r\n' | spoken >"$work/out"
equal "$want" "$(member hash "$work/out")" "byte-order mark, blanks, CRLF"
printf -- '-5 degrees' | spoken >"$work/minus"
equal "$(hash_of -- -5 degrees)" "$(member hash "$work/minus")" "a text that begins with '-'"

# Refused, with the offset where there is one.
expect 4 "" "$K" say -o "$work/x.wav" ""
expect 4 "" "$K" say -o "$work/x.wav" "   "
expect 4 "" "$K" say -o "$work/x.wav"
# B017: an error, and no byte of sound.
for text in "" "  "; do
    expect 4 "blank\|empty" "$K" say "$text"
    equal 0 "$(size_of "$work/out")" "bytes for the text '$text'"
done
: >"$work/empty"
expect 4 "" "$K" say -o "$work/x.wav" -f "$work/empty"
printf ' \n\t\r\n ' >"$work/blank"
expect 4 "" "$K" say -o "$work/x.wav" -f "$work/blank"
expect 4 "" "$K" say -o "$work/x.wav" --lines -f "$work/blank"
printf 'abc\377def' >"$work/invalid"
expect 4 "3" "$K" say -o "$work/x.wav" -f "$work/invalid"
expect 4 "3" "$K" tokenize -f "$work/invalid"
expect 4 "" "$K" say -o "$work/x.wav" "$(printf 'ab\300\200')"
printf 'abc\000def' >"$work/nul"
expect 4 "3" "$K" say -o "$work/x.wav" -f "$work/nul"
expect 4 "" "$K" say -o "$work/x.wav" -f "$work"
[ -e "$work/x.wav" ] && fail "a file was made for a text that was refused"

# A text that cannot fit and may not be split is refused with both numbers, or its end is told;
# never cut in silence (B040).
awk 'BEGIN { for (i = 0; i < 60000; i++) printf "word "; }' >"$work/long"
run "$K" say --split off --max-frames 50 -o "$work/x.wav" -f "$work/long"
[ "$code" -eq 4 ] || grep -q length "$work/err" || fail "a very long text was cut in silence"
[ "$code" -ne 4 ] || [ "$(grep -o '[0-9][0-9]*' "$work/err" | wc -l)" -ge 2 ] ||
    fail "the refusal does not give both numbers: $(cat "$work/err")"

# Several lines are one text; with --lines they are pieces, and their samples add up (B224).
for n in 1 2 100; do
    awk -v n=$n 'BEGIN { for (i = 1; i <= n; i++) print "Line " i; }' >"$work/lines"
    "$K" say --frames 3 --seed 1 --lines -o - <"$work/lines" 2>"$work/err" | cat >"$work/l.wav"
    wav_in_pipe "$work/l.wav"
    equal $((44 + n * 3 * 1920 * 2)) "$(size_of "$work/l.wav")" "bytes of $n lines"
done
printf 'Hello my friend\n\nand good night' >"$work/two"
spoken --lines --codes "$work/two.txt" <"$work/two" >"$work/out"
frames=$(member frames "$work/out")
equal "$frames" "$(wc -l <"$work/two.txt" | tr -d ' ')" "lines of codes"
equal $((44 + frames * 1920 * 2)) "$(size_of "$work/s.wav")" "bytes of two pieces"
printf 'Hello my\nfriend' | spoken >"$work/out"
[ "$(member frames "$work/out")" -le 12 ] || fail "two lines became two texts without --lines"

# A line is spoken while the next one is still to come.
mkfifo "$work/feed" "$work/sound"
"$K" say --frames 2 --lines -o "$work/sound" <"$work/feed" 2>"$work/err" &
speaker=$!
exec 3>"$work/feed"
exec 4<"$work/sound"
echo First >&3
first=$(head -c $((44 + 2 * 1920 * 2)) <&4 | wc -c | tr -d ' ')
equal $((44 + 2 * 1920 * 2)) "$first" "bytes after the first line"
echo Second >&3
exec 3>&-
equal $((2 * 1920 * 2)) "$(wc -c <&4 | tr -d ' ')" "bytes after the second line"
exec 4<&-
wait $speaker || fail "--lines from a FIFO: $(cat "$work/err")"

# Live text in pieces, characters cut in two, equals live text at once.
live=$(hash_of --live-text Hello my friend)
{
    printf 'Hel'
    sleep 0.2
    printf 'lo my fri'
    sleep 0.2
    printf 'end'
} | spoken --live-text >"$work/out" || fail "live text: $(cat "$work/err")"
equal "$live" "$(member hash "$work/out")" "live text in pieces"
{
    printf 'caf\303'
    sleep 0.1
    printf '\251'
} | spoken --live-text >"$work/out" || fail "a cut character: $(cat "$work/err")"
cut=$(member hash "$work/out")
equal "$(hash_of --live-text "$(printf 'caf\303\251')")" "$cut" "a cut character"
printf 'ab\377' | spoken --live-text >"$work/out"
equal 4 $? "exit code for invalid live text"

# Sound leaves while the text is still to come (B083).
mkfifo "$work/words" "$work/heard"
"$K" say --live-text --format raw --greedy -q -o "$work/heard" <"$work/words" 2>"$work/err" &
speaker=$!
exec 3>"$work/words"
exec 4<"$work/heard"
printf 'The old lighthouse keeper climbed the narrow ' >&3
early=$(head -c $((3 * 1920 * 2)) <&4 | wc -c | tr -d ' ')
equal $((3 * 1920 * 2)) "$early" "bytes of sound before the end of the text"
printf 'stairs' >&3
exec 3>&-
[ "$(wc -c <&4)" -gt 0 ] || fail "no sound after the end of the text"
exec 4<&-
wait $speaker || [ $? -eq 6 ] || fail "live text from a FIFO: $(cat "$work/err")"

# A text of 1 MiB is refused at once, with both numbers (B022 B040).
awk 'BEGIN { for (i = 0; i < 262144; i++) printf "wor " }' >"$work/words1"
awk 'BEGIN { for (i = 0; i < 16384; i++) printf "%064d", 0 }' | tr 0 a >"$work/letters1"
for name in words1 letters1; do
    equal 1048576 "$(size_of "$work/$name")" "bytes of $name"
    before=$(date +%s)
    expect 4 "the text has 1048576 bytes, at most 500000" "$K" say -o "$work/x.wav" -f "$work/$name"
    expect 4 "the text has [0-9]* tokens, at most [0-9]* frames" \
        "$K" say --split off -o "$work/x.wav" -f "$work/$name"
    expect 4 "[0-9] tokens, at most [0-9]" "$K" say --live-text -o "$work/x.wav" -f "$work/$name"
    expect 0 "" "$K" tokenize -f "$work/$name"
    took=$(($(date +%s) - before))
    [ $took -le 20 ] || fail "$name took $took s" # well below 1 s each, without sanitizers or load
done
[ -e "$work/x.wav" ] && fail "a file was made for a text that was refused"

# Verbose tells the text as it is tokenized, and what is in use (B230).
run "$K" say --verbose --seed 5 --frames 2 -v ADA -l EN -o "$work/x.wav" "$(printf 'Hello\tthere')"
for word in 'Hello' 'seed  *5' 'voice  *ADA' 'language  *EN' 'limits'; do
    grep -q "$word" "$work/err" || fail "--verbose does not tell $word"
done
finish
