#!/bin/sh
# Makes apps/cli/known.def from the voice in the tree: the hashes that `kazeia selftest` knows. To be
# run when the voice or the number of the arithmetic has changed, after the goldens are equal.
# known_hashes.sh [PROGRAM]
set -eu
cd "$(dirname "$0")/.."
program=${1:-build/kazeia}
"$program" selftest voice --json >build/selftest.json || true
tr '{}' '\n\n' <build/selftest.json | tr ',' '\n' | awk -F '"' '
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
    }' >build/known.def
grep -q KNOWN_STAGE build/known.def
mv build/known.def apps/cli/known.def
