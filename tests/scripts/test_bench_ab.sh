#!/bin/sh
# scripts/bench_ab with the same build on both sides: the form of what it prints, not the speed.
# test_bench_ab.sh ROOT BUILD
root=$1
program=$2/kazeia
[ -x "$program" ] || {
    echo "skipped: no program at $program"
    exit 77
}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
bad=0

complain() {
    echo "$1"
    bad=1
}

"$root/scripts/bench_ab" -n 2 -f 2 "$program" "$program" -- -t 1 >"$work/out" 2>"$work/err" ||
    complain "bench_ab fails: $(cat "$work/err")"
for stage in rtf ttfa_ms prefill_ms talker_ms code_predictor_ms sampler_ms decoder_ms \
    decoder_ms_packet_1 decoder_ms_packet_8 load_ms probe_fma probe_int8 probe_memory; do
    awk -v stage="$stage" '
        $1 == stage { found++
                      good = NF == 6 && $2 > 0 && $3 > 0 && $5 > 0 && $5 <= $4 && $4 <= $6 }
        END { exit !(found == 1 && good) }' "$work/out" || complain "no good row for $stage"
done
grep -q 'B / A *least *most' "$work/out" || complain "no head with the spread"

"$root/scripts/bench_ab" -n 1 -f 2 --csv "$program" "$program" >"$work/out" 2>"$work/err" ||
    complain "bench_ab --csv fails: $(cat "$work/err")"
grep -qE '^rtf,1,[0-9.e-]+,[0-9.e-]+$' "$work/out" || complain "no line of CSV for rtf"

# refused ERROR ARGUMENTS...
refused() {
    wanted=$1
    shift
    "$root/scripts/bench_ab" "$@" >"$work/out" 2>"$work/err"
    [ $? -eq 2 ] || complain "bench_ab $* does not end with 2"
    grep -q -e "$wanted" "$work/err" || complain "bench_ab $*: no '$wanted' in $(cat "$work/err")"
}
refused "usage" "$program"
refused "neither a program nor a revision" "$program" "$work/none"
refused "is no option" --fast "$program" "$program"
refused "is no number" -n 0 "$program" "$program"
refused "bench fails" -n 1 -m "$work/none" "$program" "$program"
"$root/scripts/bench_ab" --help | grep -q '^Examples' || complain "no examples in --help"
exit $bad
