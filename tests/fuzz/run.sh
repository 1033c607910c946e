#!/bin/sh
# Builds and runs fuzz targets with clang's libFuzzer, address and undefined-behaviour sanitizers.
#   tests/fuzz/run.sh [SECONDS [TARGET...]]      default: 30 seconds each, all targets
# Programs, corpora and findings lie in build-fuzz/ (BUILD=DIR for another folder). Exit status 1
# if a target found something.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$root/build-fuzz}
seconds=${1:-30}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- safetensors index config
mkdir -p "$build"

le32() {
    printf "\\$(printf %o $(($1 & 255)))\\$(printf %o $(($1 >> 8 & 255)))"
    printf "\\$(printf %o $(($1 >> 16 & 255)))\\$(printf %o $(($1 >> 24 & 255)))"
}

# seed FOLDER NAME HEADER DATA_BYTES: a whole small file
seed_tensors() {
    { le32 "$4"; le32 ${#3}; le32 0; printf %s "$3"; } > "$1/$2"
}

make_seeds() {
    case $1 in
    safetensors)
        seed_tensors "$2" one '{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}' 8
        seed_tensors "$2" two '{"__metadata__":{"format":"pt"},"a":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]},"b":{"dtype":"I8","shape":[],"data_offsets":[12,13]}}' 13
        seed_tensors "$2" none '{}' 0
        ;;
    index)
        printf '{"metadata":{"total_size":8},"weight_map":{"a":"model-00001-of-00002.safetensors","b":"model-00002-of-00002.safetensors"}}' > "$2/two"
        ;;
    config)
        for file in "$root"/tests/data/config/*.json; do
            case $file in
            *generation*) kind=g ;;
            *codec*) kind=c ;;
            *) kind=m ;;
            esac
            { printf %s $kind; tr -d ' \n' < "$file"; } > "$2/$(basename "$file")"
        done
        ;;
    esac
}

# Every key of the seeds is a word of the dictionary.
make_words() {
    cat "$1"/* | tr -c 'A-Za-z0-9_.' '\n' | sort -u | grep -E '^[A-Za-z0-9_.]{2,40}$' |
        sed 's/.*/"&"/' > "$2"
}

found=0
for target in "$@"; do
    corpus=$build/corpus-$target
    mkdir -p "$corpus"
    make_seeds "$target" "$corpus"
    make_words "$corpus" "$build/$target.dict"
    clang -std=c11 -D_POSIX_C_SOURCE=200809L -g -O1 -fsanitize=fuzzer,address,undefined \
        -fno-sanitize-recover=all -I"$root/include" -I"$root/src" \
        "$root/tests/fuzz/fuzz_$target.c" "$root"/src/base/*.c "$root"/src/weights/*.c \
        "$root"/src/model/config*.c $(pkg-config --cflags --libs jansson) \
        -o "$build/fuzz_$target"
    echo "== $target, $seconds s"
    "$build/fuzz_$target" -max_total_time="$seconds" -max_len=20000 -rss_limit_mb=4096 -timeout=10 \
        -dict="$build/$target.dict" -artifact_prefix="$build/found-$target-" -print_final_stats=1 \
        "$corpus" 2> "$build/$target.log" || found=1
    grep -E 'ERROR|SUMMARY|stat::number_of_executed|stat::new_units|^#.*DONE' "$build/$target.log" ||
        tail -5 "$build/$target.log"
done
exit $found
