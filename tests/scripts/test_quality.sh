#!/bin/sh
# B069: what 8 and 4 bits cost stays known. Teacher-forced on the voice in the box: at least 97 % of
# the codes are those of f32 with q8, 90 % with q4, those of the talker and the others, the most
# likely and the drawn ones. test_quality.sh ROOT BUILD
root=$1
build=$2
if [ ! -f "$root/voice/config.json" ]; then
    echo "skipped: no voice in $root"
    exit 77
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
"$build/bench_quality" "$root/voice" "$root/voice/eval.json" 6 >"$work/out" || exit 1
awk '
    function least(name, limit) {
        for (i = 3; i <= 6; i++) {
            if ($i + 0 >= limit) continue
            printf "%s keeps %s of 100 codes, at least %d are wanted: %s\n", name, $i, limit, $0
            bad = 1
        }
        seen++
    }
    NF == 10 && $1 == "f32" { least("f32", 100) }
    NF == 10 && $1 == "q8" { least("q8", 97) }
    NF == 10 && $1 == "q4" { least("q4", 90) }
    END {
        if (seen != 3) print "rows of f32, q8 and q4 are missing"
        exit bad || seen != 3
    }' "$work/out"
