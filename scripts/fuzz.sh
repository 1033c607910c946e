#!/bin/sh
# Builds and runs the fuzz targets tests/fuzz/fuzz_TARGET.c with clang's libFuzzer under the address
# and undefined-behaviour sanitizers:
#
#     scripts/fuzz.sh [SECONDS [TARGET...]]      default: 20 seconds each, all targets
#
# Starts from tests/fuzz/corpus/fuzz_TARGET and from seeds made here. Programs, what they learn
# (corpus/), logs and inputs that broke something (found-*) lie in build-fuzz/, or in $BUILD.
# Goes on to the next target after a find; the exit status is then 1.
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
build=${BUILD:-$root/build-fuzz}
seconds=${1:-20}
[ $# -gt 0 ] && shift
if [ $# -eq 0 ]; then
    for source in "$root"/tests/fuzz/fuzz_*.c; do
        name=$(basename "$source" .c)
        set -- "$@" "${name#fuzz_}"
    done
fi

mkdir -p "$build/corpus" "$build/seeds" || exit 1
if ! { CC=clang cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DKAZEIA_FUZZ=ON \
    -DKAZEIA_BENCH=OFF && cmake --build "$build" --parallel "${JOBS:-2}"; } >"$build/build.log" 2>&1
then
    tail -n 40 "$build/build.log" >&2
    echo "the build of the fuzz targets failed (see $build/build.log)" >&2
    exit 1
fi

le32() {
    printf "\\$(printf %o $(($1 & 255)))\\$(printf %o $(($1 >> 8 & 255)))"
    printf "\\$(printf %o $(($1 >> 16 & 255)))\\$(printf %o $(($1 >> 24 & 255)))"
}

# seed_tensors FILE HEADER DATA_BYTES: a whole small file
seed_tensors() {
    {
        le32 "$3"
        le32 ${#2}
        le32 0
        printf %s "$2"
    } >"$1"
}

# seed_npy FILE VERSION DICTIONARY DATA: as NumPy writes it, but for the padding
seed_npy() {
    {
        printf '\223NUMPY\%o\0' "$2"
        if [ "$2" -eq 1 ]; then le32 ${#3} | head -c 2; else le32 ${#3}; fi
        printf %s "$3"
        printf "$4"
    } >"$1"
}

le64() {
    le32 "$1"
    le32 0
}

zeros() {
    head -c "$1" /dev/zero
}

# text_field TEXT SIZE: with zeros behind it
text_field() {
    printf %s "$1"
    zeros $(($2 - ${#1}))
}

# packed_row NAME OFFSET BYTES KIND TYPE RANK SIZE SIZE SIZE: a record of a packed file's table
packed_row() {
    text_field "$1" 160
    for number in "$2" "$3" 0; do le64 "$number"; done
    for number in "$4" "$5" "$6" 0; do le32 "$number"; done
    for number in "$7" "$8" "$9" 0; do le64 "$number"; done
    zeros 24
}

# packed_head PAGES ENTRIES: a packed file up to its table; the target makes its checksums right
packed_head() {
    printf '\211KAZEIA\n'
    le32 1
    le32 0
    le64 $((4096 * ($1 + 2)))
    le64 $((4096 * ($1 + 1)))
    le64 0
    for number in "$2" 1 4 0 0 0; do le32 "$number"; done
    text_field direct 32
    zeros $((4096 * ($1 + 1) - 96))
}

# seed_wav FILE TAG BITS CHANNELS DATA_SIZE TAIL: 64 bytes of sound behind a LIST chunk of odd size;
# the first byte is the target's own
seed_wav() {
    {
        printf '\3RIFF'
        le32 126
        printf 'WAVEfmt '
        le32 16
        le32 $(($2 + 65536 * $4))
        le32 8000
        le32 $((8000 * $4 * $3 / 8))
        le32 $(($4 * $3 / 8 + 65536 * $3))
        printf 'LIST'
        le32 5
        printf 'INFOx\0data'
        le32 "$5"
        printf 'Sixty-four bytes of sound, as good as any other and quite loud.\n%s' "$6"
    } >"$1"
}

make_seeds() {
    case $1 in
    safetensors)
        seed_tensors "$2/one" '{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}' 8
        seed_tensors "$2/two" '{"__metadata__":{"format":"pt"},"a":{"dtype":"BF16","shape":[2,3],'\
'"data_offsets":[0,12]},"b":{"dtype":"I8","shape":[],"data_offsets":[12,13]}}' 13
        seed_tensors "$2/none" '{}' 0
        ;;
    index)
        printf '{"metadata":{"total_size":8},"weight_map":{%s,%s}}' \
            '"a":"model-00001-of-00002.safetensors"' \
            '"b":"model-00002-of-00002.safetensors"' >"$2/two"
        ;;
    config)
        for file in "$root"/tests/data/config/*.json; do
            case $file in
            *generation*) kind=g ;;
            *codec*) kind=c ;;
            *) kind=m ;;
            esac
            {
                printf %s $kind
                tr -d ' \n' <"$file"
            } >"$2/$(basename "$file")"
        done
        ;;
    packed)
        {
            packed_head 2 3
            packed_row m 4096 576 4 5 3 1 1 64
            packed_row m.weight 0 0 3 1 2 16 64 0
            packed_row config.json 8192 20 1 3 0 0 0 0
            zeros $((4096 - 3 * 256))
        } >"$2/blocks"
        {
            packed_head 2 2
            packed_row v 4096 12 2 0 1 3 0 0
            packed_row c 8192 384 4 0 3 1 3 2
            zeros $((4096 - 2 * 256))
        } >"$2/floats"
        ;;
    npy)
        seed_npy "$2/bytes" 1 "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2), }" \
            '\1\2\3\4'
        seed_npy "$2/big" 2 "{'descr': '>i2', 'fortran_order': False, 'shape': (2,)}" '\1\2\3\4'
        seed_npy "$2/float" 3 "{'shape':(),'descr':'<f4','fortran_order':False}" '\0\0\200\77'
        ;;
    text)
        printf '\0Hello, world! It is 3:45.' >"$2/plain"
        printf '\061Grüße\n\n\t 12  kg — «é» 中文。x' >"$2/many"
        printf '\102<|im_start|>assistant\r\n  don'\''t' >"$2/control"
        ;;
    split)
        printf '\100\200"Stop!" he said (3.5 km)… Then nothing, e.g. a pause.\n\nEnd.' >"$2/latin"
        printf '\050\036今天天气很好。「是吗？」他问……对！' >"$2/wide"
        ;;
    command_line)
        printf '\0--temperature\0001.5\0-o\0a.wav\0--top_k=50\0Hello\0\0KAZEIA_SEED=7\0KZTTS_TEMP=2' \
            >"$2/say"
        printf '\05-m\0voice\0--bits=32f\0-t2\0codes.npy\0\0KAZEIA_FORMAT=raw' >"$2/decode"
        printf '\07--batch\0001,2\0--study\0--type\0q4\0--\0-5\0\0KZTTS_CP_CACHE=0' >"$2/bench"
        ;;
    items)
        printf '{"id":"greet","text":"Hello.","seed":7,"output":"a/b.wav","pause":0.5}' >"$2/one"
        printf '{"file":"x.txt","voice":"ada","temperature":0.7,"max_frames":9,"greedy":true}' \
            >"$2/two"
        printf '\357\273\277{"id":12,"text":"h\\u00e9","cp_top_k":null,"seed":"-1"}' >"$2/three"
        ;;
    tokenizer_files)
        at=0
        for file in vocab.json merges.txt tokenizer_config.json; do
            {
                printf "\\$at"
                cat "$root/tests/data/ckpt/tokenizer/$file"
            } >"$2/$file"
            at=$((at + 1))
        done
        ;;
    audio_file)
        seed_wav "$2/pcm8" 1 8 1 64 LIST
        seed_wav "$2/pcm16" 1 16 2 0 ''
        seed_wav "$2/pcm24" 1 24 1 4294967295 ''
        seed_wav "$2/float" 3 32 2 64 ''
        seed_wav "$2/double" 3 64 1 64 ''
        seed_wav "$2/alaw" 6 8 1 128 ''
        seed_wav "$2/ima" 17 4 1 64 ''
        for file in "$root"/tests/data/audio/recording.*; do
            for at in 0 3 14; do
                {
                    printf "\\$at"
                    cat "$file"
                } >"$2/$at.$(basename "$file")"
            done
        done
        ;;
    request)
        printf '\0\0\1\132\062\310\151\132\002\001aiden\0english\0\0Hello you.' >"$2/custom"
        printf '\1\2\1\0\0\310\144\0\003\002\0german\0\0Guten Tag.' >"$2/base"
        printf '\2\1\7\132\062\310\151\132\202\001\0auto\0A low voice.\0Now, then.' >"$2/design"
        ;;
    esac
}

# Every key of the seeds is a word of the dictionary.
make_words() {
    cat "$@" | LC_ALL=C tr -c 'A-Za-z0-9_.' '\n' | sort -u |
        grep -E '^[A-Za-z0-9_.]{2,40}$' | sed 's/.*/"&"/'
}

found=0
for target in "$@"; do
    program=$build/fuzz/fuzz_$target
    corpus=$build/corpus/$target
    seeds=$build/seeds/$target
    log=$build/$target.log
    if [ ! -x "$program" ]; then
        echo "there is no fuzz target '$target'" >&2
        exit 1
    fi
    mkdir -p "$corpus" "$seeds"
    make_seeds "$target" "$seeds"
    if [ -d "$root/tests/fuzz/corpus/fuzz_$target" ]; then
        cp "$root/tests/fuzz/corpus/fuzz_$target"/* "$seeds"
    fi
    words=
    quiet=0
    asan=
    case $target in
    items) quiet=2 ;;      # its messages are the program's own
    audio_file)
        quiet=2 # libmpg123 has some
        asan=detect_leaks=0 # libsndfile leaks where Ogg is damaged; the target counts our own
        ;;
    esac
    if make_words "$seeds"/* >"$build/$target.dict" 2>/dev/null; then
        words=-dict=$build/$target.dict
    fi
    if env ${asan:+"ASAN_OPTIONS=$asan"} "$program" -max_total_time="$seconds" -max_len=20000 \
        -rss_limit_mb=4096 -timeout=10 -artifact_prefix="$build/found-$target-" \
        -print_final_stats=1 -close_fd_mask=$quiet ${words:+"$words"} \
        "$corpus" "$seeds" >"$log" 2>&1; then
        echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") runs"
    else
        grep -E 'ERROR|SUMMARY|Test unit written' "$log" || tail -n 5 "$log"
        echo "$target: found something (see $log)"
        found=1
    fi
done
exit $found
