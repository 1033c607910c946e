#!/bin/sh
# Runs every fuzz target of a build: fuzz.sh BUILD SECONDS
# Starts from tests/fuzz/corpus/NAME where that is there; what it learns stays in BUILD/corpus, what
# broke in BUILD/crash-*. Fails with the first target that finds something.
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
build=$(cd "$1" && pwd) || exit 1
count=0
for program in "$build"/fuzz/fuzz_*; do
    [ -x "$program" ] || continue
    name=$(basename "$program")
    count=$((count + 1))
    mkdir -p "$build/corpus/$name"
    seeds=$root/tests/fuzz/corpus/$name
    [ -d "$seeds" ] || seeds=
    if ! (cd "$build" && "$program" -max_total_time="$2" -rss_limit_mb=2048 -timeout=10 \
        -print_final_stats=1 "$build/corpus/$name" $seeds) >"$build/$name.log" 2>&1; then
        tail -n 40 "$build/$name.log"
        echo "$name: broke (see $build/$name.log)"
        exit 1
    fi
    echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$name.log") inputs"
done
[ $count -gt 0 ] || { echo "no fuzz targets in $build/fuzz"; exit 1; }
