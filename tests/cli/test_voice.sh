# The voice in the box: two speakers and two languages, named or automatic, in both text layouts;
# every text ends by itself, after a time that its letters let expect.
. "$(dirname "$0")/lib.sh"
K=$KAZEIA

expect 0 "" "$K" voices
equal "ada max" "$(tr '\n' ' ' <"$work/out" | sed 's/ $//')" "speakers"
expect 0 "" "$K" voices --json
equal '"languages":["english","french"]' "$(grep -o '"languages":[^]]*]' "$work/out")" languages

# ended TEXT [OPTIONS]: by itself, at 40 to 160 ms a letter and at most 2 s beside them; of what is
# typed otherwise than it is said, the letters are those of $said.
said=
ended() {
    text=$1
    shift
    run "$K" say -q --json --seed 5 --codes "$work/codes.txt" -o "$work/s.wav" "$@" \
        -- "$text"
    equal 0 "$code" "exit code of '$text', $*"
    equal stop "$(member finish "$work/out")" "end of '$text', $*"
    seconds=$(member seconds "$work/out")
    letters=${said:-$text}
    awk -v s="$seconds" -v n=${#letters} 'BEGIN { exit !(s >= 0.04 * n && s <= 0.16 * n + 2) }' ||
        fail "'$text', $*: $seconds s"
}

# periods: of pitch in a frame, the mean over the codes of the last text (group 7 counts from 5).
periods() {
    awk '{ sum += $8 + 5 } END { printf "%.1f", sum / NR }' "$work/codes.txt"
}

for layout in --whole-text --live-text; do
    for language in english french auto; do
        text="The train leaves at half past seven, and we are late."
        [ $language = french ] && text="Le train part dans une heure, et nous sommes en retard."
        ended "$text" $layout -l $language -v ada
        ada=$(periods)
        ended "$text" $layout -l $language -v max
        max=$(periods)
        awk -v a="$ada" -v m="$max" 'BEGIN { exit !(a > m + 2) }' ||
            fail "$language $layout: ada has $ada periods of pitch in a frame, max $max"
    done
done
ended "Yes." -l english
ended "Bonjour." -l french -v max

# What is typed, and what is not said.
said="At nine thirty on May the third it costs twelve dollars and fifty cents, or twenty percent less."
ended "At 9:30 on May 3 it costs \$12.50, or 20% less." -l english
said="Il est quatorze heures trente, et le billet coûte douze euros cinquante."
ended "Il est 14 h 30, et le billet coûte 12,50 €." -l french
said=
plain=$("$K" say -q --json --hash --seed 5 -l english -o "$work/s.wav" "Good evening, all.")
emoji=$("$K" say -q --json --hash --seed 5 -l english -o "$work/s.wav" "Good evening, 😀 all.")
echo "$emoji" >"$work/out"
equal stop "$(member finish "$work/out")" "end of a text with an emoji"
[ -n "$plain" ] || fail "a plain text is not spoken"
finish
