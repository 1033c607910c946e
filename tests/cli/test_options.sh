# Options and variables as a user meets them; the parser's own table is in unit.args.
. "$(dirname "$0")/lib.sh"
K=$KAZEIA
seed_of() {
    "$K" say --frames 3 --json --hash -o "$work/s.wav" "$@" Hello \
        </dev/null >"$work/out" 2>"$work/err" || fail "say $*: $(cat "$work/err")"
    member seed "$work/out"
}

# The seed in use is told, whoever set it (B062).
equal 7 "$(seed_of --seed 7)" "--seed"
equal 8 "$(KAZEIA_SEED=8 seed_of)" "KAZEIA_SEED"
equal 7 "$(KAZEIA_SEED=8 seed_of --seed 7)" "--seed over KAZEIA_SEED"
equal 18446744073709551615 "$(seed_of --seed 18446744073709551615)" "the largest seed"
a=$(seed_of)
b=$(seed_of --seed -1)
[ "$a" != "$b" ] || fail "two drawn seeds are equal"
for drawn in "$a" "$b"; do
    [ "${#drawn}" -le 16 ] || fail "a drawn seed is above 2^53: $drawn"
done
run "$K" say --frames 2 --stats --seed 9 -o "$work/s.wav" Hello
grep -q 'seed  *9$' "$work/err" || fail "--stats does not tell the seed"

# Seeds change the samples where they are drawn, and only there.
hash_of() {
    "$K" say --frames 12 --json --hash -o "$work/s.wav" "$@" Hello \
        </dev/null >"$work/out" 2>"$work/err" || fail "say $*: $(cat "$work/err")"
    member hash "$work/out"
}
hot="--temperature 1.5 --cp-temperature 1.5"
# shellcheck disable=SC2086
equal "$(hash_of $hot --seed 1)" "$(hash_of $hot --seed 1)" "one seed, two runs"
# shellcheck disable=SC2086
[ "$(hash_of $hot --seed 1)" != "$(hash_of $hot --seed 2)" ] || fail "two seeds, one waveform"
equal "$(hash_of --greedy --seed 1)" "$(hash_of --greedy --seed 2)" "greedy with two seeds"
equal "$(hash_of --greedy)" "$(hash_of --temperature 0 --cp-temperature 0)" "temperature 0"

# What must never change samples.
want=$(hash_of --seed 3)
for how in "-t 1" "-t 3" "--packet 1" "--packet 5" "--packet 12" "--cpu scalar" "--cp-oracle"; do
    # shellcheck disable=SC2086
    equal "$want" "$(hash_of --seed 3 $how)" "hash with $how"
done
equal "$want" "$(KZTTS_CP_CACHE=0 hash_of --seed 3)" "hash with KZTTS_CP_CACHE=0"

# Damaged variables are errors that name them; those of other verbs do not matter.
export KAZEIA_TOP_K=many
expect 2 "KAZEIA_TOP_K" "$K" say -o "$work/s.wav" Hello
expect 0 "" "$K" tokenize Hello
unset KAZEIA_TOP_K
export KAZEIA_FRAMES=5
expect 0 "" "$K" say --max-frames 2 --json -o "$work/s.wav" Hello there
equal 2 "$(member frames "$work/out")" "--max-frames over KAZEIA_FRAMES"
unset KAZEIA_FRAMES

# B226: unknown options never wait for standard input.
for line in "--unknown" "--txet Hello" "-Z" "--output" "--bits 12" "--seed x"; do
    # shellcheck disable=SC2086
    expect 2 "" "$K" say $line
done
expect 2 "min-frames" "$K" say --min-frames 9 --max-frames 3 -o "$work/s.wav" Hello
expect 2 "did you mean '--temperature'" "$K" say --temprature 1 -o "$work/s.wav" Hello
expect 2 ".npy or .txt" "$K" say --codes x.csv -o "$work/s.wav" Hello

# Names regardless of case; a region is ignored.
base=$(hash_of --greedy -v ada -l english)
equal "$base" "$(hash_of --greedy -v ADA -l English)" "case"
equal "$base" "$(hash_of --greedy --voice=Ada --language=en-GB)" "ISO code and region"

# The variables of the first engine: weaker than KAZEIA_, and each does what its option does.
equal "$(hash_of --temperature 0 --cp-temperature 0)" "$(KZTTS_TEMP=0 KZTTS_CP_TEMP=0 hash_of)" \
    "KZTTS_TEMP and KZTTS_CP_TEMP"
equal "$(hash_of --seed 4 --top-k 3 --top-p 0.5 --repetition-penalty 1.5 --cp-top-k 4 \
    --cp-top-p 0.6 --cp-repetition-penalty 1.2)" \
    "$(KZTTS_TOPK=3 KZTTS_TOPP=0.5 KZTTS_REPP=1.5 KZTTS_CP_TOPK=4 KZTTS_CP_TOPP=0.6 \
    KZTTS_CP_REPP=1.2 hash_of --seed 4)" "the other KZTTS_ variables"
equal "$(hash_of --seed 4 --temperature 1.4)" \
    "$(KZTTS_TEMP=0 KAZEIA_TEMPERATURE=1.4 hash_of --seed 4)" "KAZEIA_ over KZTTS_"
equal "$(hash_of --seed 4 --temperature 1.4)" \
    "$(KZTTS_TEMP=0 KAZEIA_TEMPERATURE=0.2 hash_of --seed 4 --temperature 1.4)" "the option over both"
export KZTTS_CP_PROFILE=1
expect 0 "pass 15 " "$K" say --frames 2 -o "$work/s.wav" Hello
export KZTTS_CP_PROFILE=0
expect 0 "" "$K" say --frames 2 -o "$work/s.wav" Hello
grep -q "pass 15" "$work/err" && fail "KZTTS_CP_PROFILE=0 shows a profile"
unset KZTTS_CP_PROFILE
export KZTTS_CP_CACHE=perhaps
expect 2 "KZTTS_CP_CACHE is 'perhaps'" "$K" say -o "$work/s.wav" Hello
unset KZTTS_CP_CACHE

# The record holds what scripts rely on, by name.
run "$K" say --frames 3 --seed 3 --json --hash -o "$work/s.wav" Hello
for name in frames seconds finish seed rtf ttfa_ms prefill_ms talker code_predictor decoder load_ms \
    peak_bytes threads cpu type hash arithmetic; do
    [ -n "$(member $name "$work/out")" ] || fail "--json has no $name"
done
grep -q '"ms_per_frame":{"talker":[0-9.e-]*,"code_predictor":[0-9.e-]*,"decoder":[0-9.e-]*}' \
    "$work/out" || fail "ms_per_frame"

# Models by variable.
equal "$want" "$(KAZEIA_MODEL=$KZT_VOICE hash_of --seed 3)" "KAZEIA_MODEL"
export KAZEIA_MODEL="$work/nowhere"
expect 3 "nowhere" "$K" say -o "$work/s.wav" Hello
expect 0 "" "$K" say --frames 2 -m "$KZT_VOICE" -o "$work/s.wav" Hello
expect 0 "" "$K" info
unset KAZEIA_MODEL

# Records of the other verbs.
expect 0 "" "$K" info --json
grep -q '"levels":\["scalar"' "$work/out" || fail "info --json lists no levels"
expect 0 "" "$K" info "$KZT_VOICE"
grep -q "^speakers  *$(speakers | paste -s -d " " -)\$" "$work/out" || fail "info does not name the speakers"
expect 0 "" "$K" info "$KZT_VOICE" --json
equal 24000 "$(member sample_rate "$work/out")" "rate"
expect 0 "" "$K" voices
equal "$(speakers)" "$(cat "$work/out")" "voices"
expect 0 "" "$K" tokenize --json Hello
grep -q '"ids":\[[0-9]' "$work/out" || fail "tokenize --json has no ids"
expect 0 "" "$K" prompt --npy "$work/rows.npy" Hello
rows=$(($(wc -l <"$work/out") - 1))
expect 0 "" "$K" prompt --json Hello
equal "$rows" "$(member count "$work/out")" "rows of the prompt"
width=$("$K" info "$KZT_VOICE" --json | tr ',' '\n' | sed -n 's/^"talker_width"://p')
equal $((192 + rows * width * 4)) "$(size_of "$work/rows.npy")" "bytes of the embedding rows"
expect 0 "" "$K" say --frames 3 --dump "$work/dump" -o "$work/s.wav" Hello
head -n 1 "$work/dump/index.csv" | grep -q '^stage,file,frame,first_row,rows$' || fail "index.csv"
[ "$(ls "$work/dump" | grep -c '\.npy$')" -ge 5 ] || fail "--dump wrote few stages"
finish
