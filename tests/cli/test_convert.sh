# Packed files: a round trip gives the samples of the folder, the same bytes for any threads and
# kernels, every verb takes them; what is cut, flipped, newer or of another type is refused; a
# conversion that is stopped leaves nothing under the name.
. "$(dirname "$0")/lib.sh"
K=$KAZEIA
small
V=$small
goldens=$(dirname "$0")/../data/golden

# hash MODEL [OPTIONS]: of a short run.
hash() {
    model=$1
    shift
    "$K" say -m "$model" --frames 6 --seed 11 --greedy --hash --json -o "$work/h.wav" "$@" \
        "Hello there" >"$work/hash" 2>"$work/hash.err" || cat "$work/hash.err"
    member hash "$work/hash"
}

# nothing_beside FOLDER: no file that was being written.
nothing_beside() {
    equal 0 "$(ls -A "$1" | grep -c '^\.kazeia')" "files left beside in $1"
}

# ---- round trips ---------------------------------------------------------------------------------

for type in stored f32 bf16 q8 q4; do
    option="--type $type"
    [ $type = stored ] && option=
    expect 0 "" "$K" convert "$V" $option -o "$work/$type.kz"
    wanted=$(hash "$V" $option)
    [ ${#wanted} -ge 64 ] || fail "no hash of the folder as $type: $wanted"
    equal "$wanted" "$(hash "$work/$type.kz")" "samples of the packed file, $type"
    [ $type = stored ] || equal "$wanted" "$(hash "$work/$type.kz" $option)" "asked for $type"
    equal "$wanted" "$(hash "$work/$type.kz" --cpu scalar -t 3)" "scalar, $type"
done
for decoder in direct winograd int8; do
    expect 0 "" "$K" convert "$V" --type q4 --decoder $decoder -o "$work/$decoder.kz"
    equal "$(hash "$V" --type q4 --decoder $decoder)" "$(hash "$work/$decoder.kz")" "$decoder"
    equal "$(hash "$V" --type q4 --decoder $decoder)" \
        "$(hash "$work/$decoder.kz" --decoder $decoder)" "asked for $decoder"
done
cmp "$work/winograd.kz" "$work/q4.kz" || fail "the default decoder is not winograd"
expect 3 "packed for the decoder 'int8', not 'winograd': convert" "$K" say -m "$work/int8.kz" \
    --decoder winograd -o "$work/x.wav" Hi
cmp "$work/stored.kz" "$work/bf16.kz" || fail "what is stored as bf16 is another file than bf16"

# The speech tokenizer as stored: a smaller file, opened by the same verbs, with the same samples.
for decoder in direct winograd int8; do
    expect 0 "" "$K" convert "$V" --type q4 --decoder $decoder --compact -o "$work/compact.kz"
    equal "$(hash "$work/$decoder.kz")" "$(hash "$work/compact.kz")" "compact, $decoder"
    [ "$(size_of "$work/compact.kz")" -lt "$(size_of "$work/$decoder.kz")" ] ||
        fail "compact is not smaller, $decoder"
done
expect 0 "" "$K" info "$work/compact.kz"
expect 0 "" "$K" selftest "$work/compact.kz" --frames 1

# The same bytes for any number of threads, and whatever is there already is replaced.
echo old >"$work/again.kz"
for threads in 1 2 3; do
    expect 0 "" "$K" convert "$V" --type q4 -t $threads -o "$work/again.kz"
    cmp "$work/q4.kz" "$work/again.kz" || fail "other bytes with $threads threads"
done
expect 0 "" "$K" convert "$V" --type q4 --json -q -o "$work/again.kz"
equal "$(size_of "$work/q4.kz")" "$(member bytes "$work/out")" "bytes in the record"
equal q4 "$(member type "$work/out")" "type in the record"
equal "$work/again.kz" "$(member file "$work/out")" "file in the record"
[ -s "$work/err" ] && fail "--quiet says something"
nothing_beside "$work"

# ---- every verb ----------------------------------------------------------------------------------

P=$work/q4.kz
expect 0 "" "$K" info "$P"
grep -q "^packed  *version 2.0, arithmetic .*, $(size_of "$P") bytes" "$work/out" ||
    fail "info does not tell the packed form"
grep -q "q4 weights" "$work/out" || fail "info does not tell the type"
expect 0 "" "$K" info --json "$P"
equal 2 "$(member major "$work/out")" "major version"
expect 0 "" "$K" info --json "$V"
grep -q '"packed"' "$work/out" && fail "a folder is called packed"
expect 0 "" "$K" voices -m "$P"
equal "$("$K" voices -m "$V")" "$(cat "$work/out")" "voices"
for model in "$V" "$P"; do
    "$K" tokenize -m "$model" "Hello, you." >"$work/tokens.$(basename "$model")"
    "$K" prompt -m "$model" "Hello, you." >"$work/prompt.$(basename "$model")"
    "$K" say -q -m "$model" --type q4 --frames 3 --seed 3 --codes "$work/codes.txt" -o "$work/x.wav" Hi
    "$K" decode -m "$model" "$work/codes.txt" -o "$work/decoded.$(basename "$model")" --format wav
done
for verb in tokens prompt decoded; do
    cmp "$work/$verb.$(basename "$V")" "$work/$verb.q4.kz" || fail "$verb differs"
done
expect 0 "" "$K" bench "$P" --frames 2 --repeat 1
expect 0 "" "$K" selftest "$P" --frames 1
KAZEIA_MODEL=$P
export KAZEIA_MODEL
expect 0 "" "$K" say --frames 2 -o "$work/x.wav" Hello
unset KAZEIA_MODEL

# ---- two processes at one file -------------------------------------------------------------------

wanted=$(hash "$P" --frames 30)
for i in 1 2 3; do
    "$K" say -m "$P" --frames 30 --seed 11 --greedy --hash --json -o "$work/$i.wav" \
        "Hello there" >"$work/two.$i" 2>&1 &
done
wait
for i in 1 2 3; do equal "$wanted" "$(member hash "$work/two.$i")" "process $i"; done

# ---- what does not fit ---------------------------------------------------------------------------

expect 3 "packed with weights of q4, not q8: convert" "$K" say -m "$P" --type q8 -o "$work/x.wav" Hi
expect 2 "own speech tokenizer, '$V/speech_tokenizer'" "$K" say -m "$P" \
    --codec "$V/speech_tokenizer" -o "$work/x.wav" Hi
expect 3 "is a packed file already" "$K" convert "$P" -o "$work/x.kz"
expect 3 "there is no" "$K" convert "$work/nowhere" -o "$work/x.kz"
expect 2 "needs a file to write" "$K" convert "$V"
expect 2 "takes one model, 2 were given" "$K" convert "$V" "$V" -o "$work/x.kz"
expect 2 "takes one model, 0 were given" "$K" convert -o "$work/x.kz"
expect 2 "standard output" "$K" convert "$V" -o -
expect 2 "/dev/null" "$K" convert "$V" -o /dev/null
expect 2 "f32, bf16, q8, q4\|f32|bf16|q8|q4" "$K" convert "$V" --type q5 -o "$work/x.kz"
expect 5 "is a folder" "$K" convert "$V" -o "$work"
expect 2 "--output) is empty" "$K" convert "$V" -o ""
expect 2 "the name of the model is empty" "$K" convert "" -o "$work/x.kz"
expect 2 "--model) is empty" "$K" say -m "" -o "$work/x.wav" Hi
expect 2 "from 1 to 256 is allowed" "$K" convert "$V" -t 300 -o "$work/x.kz"
expect 5 "cannot write" "$K" convert "$V" -o "$work/no/where.kz"
# What is read is not written over, whatever way leads to it; a packed file beside it is replaced.
copy_small "$work/own"
ln -s own "$work/link"
ln -s ../own/model.safetensors "$work/own/behind"
for own in own/model.safetensors own/config.json own/../own/vocab.json link/merges.txt \
    own/speech_tokenizer/model.safetensors own/behind; do
    expect 2 "is a file of the model itself" "$K" convert "$work/own" -o "$work/$own"
done
# shellcheck disable=SC2016
expect 2 "of the model itself" sh -c 'cd "$1" && exec "$2" convert . -o model.safetensors' sh \
    "$work/own" "$K"
expect 2 "of the model itself" "$K" convert "$V" --codec "$work/own/speech_tokenizer" \
    -o "$work/own/speech_tokenizer/config.json"
for file in model.safetensors config.json vocab.json speech_tokenizer/model.safetensors; do
    cmp "$V/$file" "$work/own/$file" || fail "$file of the model was written over"
done
for i in 1 2; do expect 0 "" "$K" convert "$work/own" --type q4 -o "$work/own/model.kz"; done
cmp "$P" "$work/own/model.kz" || fail "another file in the model's own folder"
copy_small "$work/part"
mv "$work/part/speech_tokenizer" "$work/codec"
expect 3 "has no speech_tokenizer, which a packed file must hold" "$K" convert "$work/part" \
    -o "$work/x.kz"
expect 0 "" "$K" convert "$work/part" --codec "$work/codec" --type q4 -o "$work/apart.kz"
cmp "$P" "$work/apart.kz" || fail "another file with --codec"
mv "$work/codec" "$work/part/speech_tokenizer"
rm "$work/part/vocab.json"
expect 3 "vocab.json" "$K" convert "$work/part" -o "$work/x.kz"
[ -e "$work/x.kz" ] && fail "a file was made by a conversion that failed"
nothing_beside "$work"

# ---- damage --------------------------------------------------------------------------------------

damaged() {
    expect 3 "$1" "$K" say -m "$work/bad.kz" --frames 1 -o "$work/x.wav" Hi
    expect 3 "bad.kz" "$K" info "$work/bad.kz"
}
size=$(size_of "$P")
for cut in 0 1 7 8 4095 4096 100000 $((size / 2)) $((size - 4096)) $((size - 1)); do
    head -c $cut "$P" >"$work/bad.kz"
    damaged "bad.kz"
done
i=1
while [ $i -le 24 ]; do # over header, panels, vectors, tables, files and the table of contents
    cp "$P" "$work/bad.kz"
    at=$((i == 1 ? 100 : i == 24 ? size - 5 : size / 24 * i - 1234 * i))
    old=$(od -An -tu1 -j $at -N 1 "$P" | tr -d ' ')
    poke "$work/bad.kz" $at "\\$(printf %o $((old ^ 16)))"
    damaged "is damaged: the checksum of .* does not fit"
    i=$((i + 1))
done
cp "$P" "$work/bad.kz"
poke "$work/bad.kz" 8 '\003'
damaged "version 3.0 of the packed form, this Kazeia reads 2: use a newer Kazeia"
poke "$work/bad.kz" 8 '\001'
damaged "version 1.0 of the packed form, this Kazeia reads 2: convert the model again"
cp "$P" "$work/bad.kz"
echo more >>"$work/bad.kz"
damaged "something behind its end"
echo nothing >"$work/bad.kz"
damaged "not a packed model"

# ---- stopped conversions -------------------------------------------------------------------------

mkdir "$work/kill"
for delay in 0.002 0.005 0.008 0.012 0.016 0.02 0.03; do
    "$K" convert "$V" --type q4 -t 1 -o "$work/kill/k.kz" >"$work/out" 2>&1 &
    pid=$!
    sleep $delay
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    [ ! -e "$work/kill/k.kz" ] || cmp "$P" "$work/kill/k.kz" || fail "a half file after $delay s"
    rm -rf "$work/kill"
    mkdir "$work/kill"
    "$K" convert "$V" --type q4 -t 1 -o "$work/kill/k.kz" >"$work/out" 2>&1 &
    pid=$!
    sleep $delay
    kill -TERM $pid 2>/dev/null
    wait $pid
    code=$?
    nothing_beside "$work/kill"
    case $code in
    0) cmp "$P" "$work/kill/k.kz" || fail "not the whole file after $delay s" ;;
    130 | 143) [ ! -e "$work/kill/k.kz" ] || fail "a file in spite of SIGTERM after $delay s" ;;
    *) fail "exit $code after SIGTERM" ;;
    esac
    rm -f "$work/kill/k.kz"
done

# A file that may not grow: the old one stays.
echo old >"$work/kill/k.kz"
(
    trap '' XFSZ
    ulimit -f 1000
    "$K" convert "$V" --type q4 -o "$work/kill/k.kz" >"$work/out" 2>"$work/err"
)
equal 5 $? "exit code where the disk has no room"
grep -q "cannot write" "$work/err" || fail "no sentence about the full disk"
equal old "$(cat "$work/kill/k.kz")" "the old file after a full disk"
nothing_beside "$work/kill"
if [ "$(id -u)" -ne 0 ]; then
    chmod a-w "$work/kill"
    expect 5 "cannot write" "$K" convert "$V" -o "$work/kill/new.kz"
    chmod u+w "$work/kill"
fi
if unshare -rm mount -t tmpfs none "$work/part" 2>/dev/null; then
    mkdir "$work/small"
    unshare -rm sh -c "mount -t tmpfs -o size=1m none '$work/small' &&
        { '$K' convert '$V' -o '$work/small/k.kz'; echo \$? >'$work/code'; } 2>'$work/err'
        ls -A '$work/small' | grep -c . >'$work/left'"
    equal 5 "$(cat "$work/code")" "exit code on a small disk"
    grep -q "No space left" "$work/err" || fail "a small disk is not told: $(cat "$work/err")"
    equal 0 "$(cat "$work/left")" "files on the small disk"
fi

# ---- the kinds of models -------------------------------------------------------------------------

if [ -x "$(dirname "$K")/tests/golden_test_runs" ]; then
    if [ ! -f "$models/custom-stop/model.safetensors" ]; then
        "$(dirname "$K")/tests/golden_test_runs" >"$work/made" 2>&1 || fail "$(tail -5 "$work/made")"
    fi
    for golden in base-eq-icl base-mtp-vector custom-eq-dialect custom-mtp-instruct \
        custom-stop-whole design-mtp-live; do
        kind=${golden%-*}
        expect 0 "" "$K" convert "$models/$kind" -o "$work/kind.kz"
        expect 0 "" "$K" validate "$work/kind.kz" "$goldens/$golden/golden.json"
        grep -q "all equal" "$work/out" || fail "$golden through a packed file"
    done
    for type in f32 bf16 q8 q4; do
        expect 0 "" "$K" convert "$models/custom-mtp" --type $type -o "$work/kind.kz"
        equal "$(hash "$models/custom-mtp" --type $type)" "$(hash "$work/kind.kz")" "mtp, $type"
    done
fi
finish
