#!/bin/sh
# What formats and decoders cost stays known. B069: teacher-forced, at least 97 % of the codes are those
# of f32 with q8, 90 % with q4, those of the talker and the others, the most likely and the drawn
# ones, of a trained voice (KAZEIA_FULL_VOICE, the folder that `make voice` leaves); on random weights,
# which stand in for one, 95 and 70 %. And scripts/quality makes its table, without a Python that
# listens, and with one that it is told of. test_quality.sh ROOT BUILD
root=$1
build=$2
model=${KAZEIA_FULL_VOICE:-}
q8=97 q4=90
if [ -z "$model" ]; then
    model=$("$build/tests/voice_check" checkpoint small) || exit 1
    q8=95 q4=70
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
bad=0

complain() {
    echo "$1"
    bad=1
}

list=$root/train/eval/en_everyday.json
"$build/bench_quality" "$model" "$list" 6 >"$work/out" || exit 1
awk -v q8=$q8 -v q4=$q4 '
    function least(name, limit) {
        for (i = 3; i <= 7; i++) {
            if ($i + 0 >= limit) continue
            printf "%s keeps %s of 100 codes, at least %d are wanted: %s\n", name, $i, limit, $0
            bad = 1
        }
        seen++
    }
    NF == 11 && $1 == "f32" { least("f32", 100) }
    NF == 11 && $1 == "bf16" { least("bf16", 99) }
    NF == 11 && $1 == "q8" { least("q8", q8) }
    NF == 11 && $1 == "q4" { least("q4", q4) }
    END {
        if (seen != 4) print "rows of f32, bf16, q8 and q4 are missing"
        exit bad || seen != 4
    }' "$work/out" || bad=1

# The distance of a sound from itself is 0, and the coarser of two decoders lies further away.
"$build/bench_sound" "$model" "$list" 2 "" f32/direct q8/winograd q8/int8 >"$work/out" ||
    complain "bench_sound fails"
awk '{ value[$1] = $2 }
    END { exit !(value["f32/direct"] == 0 && value["q8/winograd"] < 0.01 &&
                 value["q8/int8"] > 0.02 && value["q8/int8"] < 2) }' "$work/out" ||
    complain "distances: $(cat "$work/out")"

# quality WANTED_ERROR OPTIONS...: a table of two sentences
quality() {
    wanted=$1
    shift
    KAZEIA=$build/kazeia "$root/scripts/quality" -m "$model" -o "$work/quality" -n 1 -t 1 \
        "$@" >"$work/out" 2>"$work/err" || complain "quality $*: $(cat "$work/err")"
    [ -z "$wanted" ] || grep -q -e "$wanted" "$work/err" ||
        complain "quality $*: no '$wanted' in $(cat "$work/err")"
}
PYTHON=$work/none quality "no word errors.*there is no $work/none" -r 0
awk -F '|' '
    NF == 6 && $2 ~ /f32|bf16|q8|q4/ && $4 + 0 >= 70 && $5 + 0 < 2 { rows++ }
    NF == 6 && $2 ~ /f32/ && $4 + 0 == 100 { full++ }
    END { exit !(rows == 6 && full == 1) }' "$work/out" || complain "table: $(cat "$work/out")"
grep -q '^2 sentences, spoken by [a-z]' "$work/out" || complain "no line below: $(cat "$work/out")"

# Another Python: the error rates that it prints are what the table holds.
cat >"$work/python" <<'END'
#!/bin/sh
[ "$2" = train.eval.words ] || exit 0
shift 3
for row; do
    echo "$row everyday 12.34 0.50"
    echo "$row rare 56.78 1.25"
done
END
chmod +x "$work/python"
PYTHON=$work/python quality "" -r 1 --json
[ ! -s "$work/err" ] || complain "quality with a Python says: $(cat "$work/err")"
grep -q '"weights":"q8","decoder":"int8","wer_everyday":12.34,"wer_rare":56.78,' "$work/out" ||
    complain "word errors: $(cat "$work/out")"
awk -F '|' '
    NF == 9 && $2 ~ /f32|bf16|q8|q4/ && $4 " " $5 == " 12.3 %   56.8 % " && $8 + 0 > 0 { rows++ }
    END { exit rows != 6 }' "$work/quality/quality.md" ||
    complain "table: $(cat "$work/quality/quality.md")"
grep -q '"standard_error":1.25}$' "$work/out" || complain "no standard error"
grep -q '^2 sentences, .* up to 1.2 points; .* 1 threads, .*GFLOP/s' \
    "$work/quality/quality.md" || complain "no probe"

# refused ERROR OPTIONS...
refused() {
    wanted=$1
    shift
    KAZEIA=$build/kazeia "$root/scripts/quality" "$@" >"$work/out" 2>"$work/err"
    [ $? -eq 2 ] || complain "quality $* does not end with 2"
    grep -q -e "$wanted" "$work/err" || complain "quality $*: no '$wanted' in $(cat "$work/err")"
}
refused "no model folder" -m "$work/none"
refused "is no option" --fast
refused "is no number" -n x
refused "0 to 99 rounds" -r 100
"$root/scripts/quality" --help | grep -q '^usage' || complain "no usage in --help"
exit $bad
