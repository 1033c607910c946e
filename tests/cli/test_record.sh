# What a run tells at its end, for people and for programs; and what settings do that nothing else
# shows.
. "$(dirname "$0")/lib.sh"
K=$KAZEIA
cd "$work" || exit 1

# number NAME: that the last record has a number of that name.
number() {
    member "$1" out | grep -q '^[0-9][0-9.e+-]*$' || fail "--json: $1 is '$(member "$1" out)'"
}

# The format of a packed file is the only one that it has.
expect 0 "" "$K" info "$KZT_VOICE" --json
type=$(member type out)

# --json: one line with what scripts rely on, each of its type.
expect 0 "" "$K" say --frames 3 --seed 3 --json --hash -o s.wav Hello
equal 1 "$(wc -l <out | tr -d ' ')" "lines of --json"
for name in frames seconds seed rtf ttfa_ms prefill_ms talker code_predictor decoder load_ms \
    peak_bytes threads; do
    number $name
done
equal 3 "$(member frames out)" frames
equal 0.24 "$(member seconds out)" seconds
equal 3 "$(member seed out)" seed
equal length "$(member finish out)" finish
equal "$type" "$(member type out)" type
"$K" info | grep -q "^kernels.* $(member cpu out)\( .*\)\{0,1\}$" || fail "cpu is $(member cpu out)"
member hash out | grep -q '^[0-9a-f]\{64\}$' || fail "hash is $(member hash out)"
grep -q '"ms_per_frame":{"talker":[0-9.e-]*,"code_predictor":[0-9.e-]*,"decoder":[0-9.e-]*}' out ||
    fail "ms_per_frame"
expect 0 "" "$K" say --frames 3 --seed 3 --json -o s.wav -t 1 --cpu scalar --type "$type" Hello
equal "" "$(member hash out)" "hash without --hash"
equal "1 scalar $type" "$(member threads out) $(member cpu out) $(member type out)" \
    "threads, level, type"

# Threads: as many as processors are left to this process.
if command -v taskset >/dev/null && taskset -c 0 true 2>/dev/null; then
    expect 0 "" taskset -c 0 "$K" say --frames 1 -q --json -o s.wav Hello
    equal 1 "$(member threads out)" "threads on one processor"
    expect 0 "" taskset -c 0 "$K" info --json
    equal 1 "$(member threads out)" "threads that info tells"
fi
expect 0 "" "$K" info --json
left=$(nproc 2>/dev/null)
[ "$(member threads out)" -le "${left:-256}" ] || fail "more threads than nproc has processors"

# Beside sound on standard output it goes to standard error, on one line, and so does the hash.
"$K" say -q --frames 3 --seed 3 --json --hash Hello </dev/null >sound.wav 2>err
equal 1 "$(wc -l <err | tr -d ' ')" "lines on standard error beside sound"
equal '{"frames":3,' "$(head -c 12 err)" "the record beside sound"
wav_in_file sound.wav
"$K" say -q --frames 3 --seed 3 --hash -o - Hello </dev/null >sound.wav 2>err
equal 1 "$(grep -c '^sha256 [0-9a-f]\{64\} arithmetic [0-9]*$' err)" "the hash beside sound"
equal 1 "$(wc -l <err | tr -d ' ')" "lines on standard error with --hash"

# Seeds: -1 and none are drawn below 2^53, all of 64 bits are taken.
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    expect 0 "" "$K" say --frames 1 -q --seed=-1 --json -o s.wav Hello
    member seed out
done | sort -u >seeds
equal 12 "$(wc -l <seeds | tr -d ' ')" "seeds that were drawn"
awk '$1 + 0 >= 9007199254740992 { exit 1 }' seeds || fail "a drawn seed of 2^53 or more"
awk '$1 + 0 >= 70368744177664 { found = 1 } END { exit !found }' seeds || fail "only small seeds"

# --stats and --profile, on standard error.
expect 0 "" "$K" say --frames 3 --seed 9 --stats -o s.wav Hello
for line in '^frames  *3 (0.24 s), finish: length' '^seed  *9$' \
    '^rtf  *[0-9.]* (time to first audio [0-9.]* ms, load [0-9.]* ms)$' '^prefill  *[0-9.]* ms' \
    '^ms per frame  *talker [0-9.]*, code predictor [0-9.]*, decoder [0-9.]*$' \
    '^memory  *peak [0-9.]* MiB' '^run  *[0-9]* threads, [a-z0-9]*, '"$type"', decoder winograd$'; do
    grep -q "$line" err || fail "--stats has no line '$line'"
done
expect 0 "" "$K" say --frames 3 --profile -o s.wav Hello
for row in prefill talker 'code predictor' sampler decoder compute set-up copies all; do
    grep -q "^$row  *[0-9.]*  *[0-9.]*$" err || fail "--profile has no row '$row'"
done
equal 15 "$(grep -c '^  pass [0-9]*  *[0-9.]*  *[0-9.]*$' err)" "passes of the code predictor"
value() {
    sed -n "s/^$1  *\([0-9.]*\)  *[0-9.]*$/\1/p" err
}
awk -v compute="$(value compute)" -v setup="$(value set-up)" -v copies="$(value copies)" \
    -v other="$(value other)" -v all="$(value all)" 'BEGIN {
        gap = all - compute - setup - copies - other
        exit !(gap < 0.1 && gap > -0.1) }' || fail "the parts of --profile are not all: $(cat err)"
expect 0 "" "$K" say --frames 3 --profile --json -o s.wav Hello
passes=$(sed 's/.*"pass_ms":\[\([^]]*\)\].*/\1/' out | tr ',' '\n' | grep -c '^[0-9.e-]*$')
equal 15 "$passes" "passes in --json"
number setup_ms
number copy_ms

# Without a terminal: no progress and no colour, and with --quiet nothing but errors.
expect 0 "" "$K" say --frames 30 -o s.wav Hello
equal 1 "$(wc -l <err | tr -d ' ')" "lines of a run that ended at a limit"
grep -q "$(printf '[\r\033]')" err && fail "progress without a terminal"
expect 0 "" "$K" say --frames 3 -q -o s.wav Hello
equal 0 "$(size_of err)" "bytes of --quiet"
expect 2 "contradict" "$K" say -q --verbose -o s.wav Hello

# --verbose: the text as it will be tokenized, escaped, and what is in use (B230).
hindi=$(printf '\340\244\250\340\244\256\340\244\270\340\245\215\340\244\244\340\245\207')
expect 0 "" "$K" say --verbose --seed 5 --frames 2 -i "slowly" -o s.wav "$hindi	\\"
grep -qF "text          \"$hindi\\t\\\\\" (" err || fail "--verbose: $(head -n 1 err)"
for line in '^voice  *as the model has it$' '^language  *auto$' '^instruct  *"slowly"$' \
    '^seed  *5$' '^limits  *at most 2 frames, end of speech not before 2$' '^run  *[0-9]* threads'; do
    grep -q "$line" err || fail "--verbose has no line '$line'"
done

# The windows of the repetition penalty: of one frame, of more than there are, none.
hash_of() {
    "$K" say --greedy -q --json --hash --max-frames 30 -o s.wav "$@" "Yes yes yes yes yes." \
        </dev/null >out 2>err || fail "say $*: $(cat err)"
    member hash out
}
for cp in "" cp-; do
    whole=$(hash_of --${cp}repetition-penalty=3)
    equal "$whole" "$(hash_of --${cp}repetition-penalty=3 --${cp}repetition-window=0)" "window 0"
    equal "$whole" "$(hash_of --${cp}repetition-penalty=3 --${cp}repetition-window=1000)" \
        "window beyond the utterance"
    [ "$whole" != "$(hash_of --${cp}repetition-penalty=3 --${cp}repetition-window=1)" ] ||
        fail "--${cp}repetition-window has no effect"
    equal "$(hash_of --${cp}repetition-penalty=1)" \
        "$(hash_of --${cp}repetition-penalty=1 --${cp}repetition-window=1)" "a window without penalty"
done

# --codec: a checkpoint that comes without a speech tokenizer.
small
copy_small bare
mv bare/speech_tokenizer tokenizer
expect 3 "speech tokenizer" "$K" say -m bare --frames 2 -o x.wav Hello
[ -e x.wav ] && fail "a file without a codec"
expect 0 "" "$K" say -m bare --codec tokenizer --frames 4 --seed 1 -q -o with.wav Hello
expect 0 "" "$K" say -m "$small" --frames 4 --seed 1 -q -o without.wav Hello
cmp -s with.wav without.wav || fail "--codec gives other samples"

# A file is written beside and renamed; a device and a FIFO are written directly.
expect 0 "" "$K" say --frames 2 -q -o /dev/null Hello
[ -c /dev/null ] || fail "/dev/null was replaced"
finish
