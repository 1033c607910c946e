#!/bin/sh
# Makes the two files that hold what the voice in the box sounds like: apps/cli/known.def, the stages
# that `kazeia selftest` knows, and tests/invariance/voice.def, the sound that every kernel level,
# thread count and packet size has to give. Tells what changed.
#
# To be run after a build, when voice/voice.kz or the number of the arithmetic has changed, and never to
# make a test pass: for one voice and one arithmetic these hashes are the same on every machine. It
# refuses to keep hashes on which the kernel levels of this machine differ. Build once more behind it.
#
# known_hashes.sh [BUILD]
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# keep FILE: what is in $work/made takes its place.
keep() {
    if cmp -s "$work/made" "$1"; then
        echo "$1: as it was"
        return
    fi
    echo "$1: changed, $(grep -c KNOWN_ "$work/made") hashes"
    diff "$1" "$work/made" 2>/dev/null | sed -n 's/^\([<>].*\)/  \1/p' || true
    cp "$work/made" "$1"
}

# Against the scalar level, whatever hashes are known now: one frame more than those have.
"$build/kazeia" selftest voice/voice.kz --frames 9 >"$work/levels" || {
    cat "$work/levels"
    echo "known_hashes: the levels of this machine do not agree: nothing is kept" >&2
    exit 1
}
"$build/kazeia" selftest voice/voice.kz --json >"$work/selftest" || true
tr '{}' '\n\n' <"$work/selftest" | tr ',' '\n' | awk -F '"' '
    $2 == "arithmetic" { number = substr($3, 2) }
    $2 == "mark" { mark = $4 }
    $2 == "name" { name = $4 }
    $2 == "first_frame" { first = substr($4, 1, 16) }
    $2 == "all_frames" {
        all = substr($4, 1, 16)
        list = list sprintf("KNOWN_STAGE(\"%s\", UINT64_C(0x%s), UINT64_C(0x%s))\n", name, first, all)
    }
    END {
        print "/* Made by scripts/known_hashes.sh; the leading 64 bits of two SHA-256 a stage. */"
        printf "KNOWN_VOICE(\"%s\")\nKNOWN_ARITHMETIC(%s)\n%s", mark, number, list
    }' >"$work/made"
grep -q 'KNOWN_VOICE("[0-9a-f]\{64\}")' "$work/made"
grep -q KNOWN_STAGE "$work/made"
keep apps/cli/known.def

# Each row of the table that the test prints ends in the hash of a run.
"$build/tests/invariance_test_matrix" test_voice >"$work/matrix" 2>&1 || true
sed -n 's/^voice\.kz .* \([0-9a-f]\{64\}\)$/\1/p' "$work/matrix" | sort | uniq -c >"$work/hashes"
awk 'NR == 1 && $1 >= 15 { hash = $2 }
    END { exit !(NR == 1 && hash)
    }' "$work/hashes" || {
    cat "$work/matrix"
    echo "known_hashes: the rows are too few, or differ: nothing is kept" >&2
    exit 1
}
awk '{
    print "/* Made by scripts/known_hashes.sh: SHA-256 of the samples of the voice in the box. */"
    printf "KNOWN_SOUND(\"%s\")\n", $2
}' "$work/hashes" >"$work/made"
keep tests/invariance/voice.def
