# kazeia bench: every mode's output has what it promises, by names that stay (B211 B214), a study
# finds equal bits, and what --auto keeps is read, cut to the processors, and ignored where it is
# damaged. Speed itself is no test.
. "$(dirname "$0")/lib.sh"
K=$KAZEIA
small
KAZEIA_MODEL=$small # of every verb here
export KAZEIA_MODEL
tune=$XDG_CACHE_HOME/kazeia/tune.json
mkdir -p "$XDG_CACHE_HOME"

# positive NAME FILE: a finite number above 0.
positive() {
    value=$(member "$1" "$2")
    awk -v x="$value" 'BEGIN { exit !(x + 0 > 0 && x + 0 < 1e15) }' ||
        fail "$1 is '$value', not a positive number"
}

# ---- the plain form ----
expect 0 "" "$K" bench "$small" --frames 5 --repeat 1 --batch 1,3 --minutes 2 -t 2 \
    --placement strict --json
for name in rtf ttfa_ms ttfa_cold_ms ttfa_warm_ms prefill_ms talker_ms code_predictor_ms \
    sampler_ms decoder_ms decoder_ms_packet_1 decoder_ms_packet_8 load_ms ready_ms frames \
    prompt_rows prefill_rows prefill_rows_per_s prefill_gops prefill_share prompt_macs_per_row \
    warm_rows_kept lm_bytes_per_frame lm_gbps lm_share decoder_macs_per_frame \
    decoder_gflops_packet_1 decoder_gflops_packet_8 decoder_share_packet_1 decoder_share_packet_8 \
    mapped_bytes panel_bytes session_bytes frame_bytes plan_bytes fma_gflops int8_gops read_gbps \
    peak_bytes resident_bytes private_bytes shared_bytes probe_moved ms_per_step minutes_ratio; do
    positive $name "$work/out"
done
equal 5 "$(member frames "$work/out")" "frames"
equal strict "$(member placement "$work/out")" "placement"
equal folder "$(member file "$work/out")" "file"
equal fma "$(member prefill_peak "$work/out")" "the peak of bf16"
equal 6 "$(tr , '\n' <"$work/out" | grep -c '"int8_gops"')" "probes of 1 and 2 threads"
grep -q '"batch":\[{"streams":1,[^]]*"streams":3,' "$work/out" || fail "no batches of 1 and 3"
grep -q '"minutes_rtf":\[[0-9.e-]*,[0-9.e-]*\]' "$work/out" || fail "no two minutes"
expect 0 "" "$K" bench "$small" --frames 3 --repeat 1 --type q8 --profile --json
equal int8 "$(member prefill_peak "$work/out")" "the peak of q8"
run "$K" bench "$small" --frames 3 --repeat 1 --alternate scalar
for line in '^model ' '^probe before .*int8' '^probe after' '^ready in .*(folder)' '^ttfa_warm_ms' \
    '^prefill .*% of the probe' '^talker and predictor .*% of the probe' 'packet of 8 .*% of' \
    '^memory .*plan' 'scalar over' '^process .*private.*shared'; do
    grep -q "$line" "$work/out" || fail "bench has no line '$line'"
done
# The voice in the box, without a model that is named.
run env -u KAZEIA_MODEL "$K" bench --frames 2 --repeat 1 --json
equal 0 "$code" "exit code of bench for the voice in the box"
equal packed "$(member file "$work/out")" "the form of the voice in the box"
positive rtf "$work/out"

text="A short one."

# ---- the study: equal bits in every variant, and the hash of the same run by itself ----
expect 0 "" "$K" bench --study "$small" --frames 3 --repeat 1 --text "$text" --json
grep -q '"equal":true' "$work/out" || fail "the study does not say that bits are equal"
for level in $("$K" info | sed -n 's/^kernels *//p'); do
    for type in bf16 q8 q4; do
        grep -q "\"type\":\"$type\",\"cpu\":\"$level\"" "$work/out" || fail "no $type at $level"
    done
done
for part in '"predictor":"oracle"' '"codes_equal":true' '"best":true' '"probe_before"'; do
    grep -q "$part" "$work/out" || fail "the study has no $part"
done
wanted=$(member hash "$work/out")
run "$K" say --seed 1 --frames 3 --split off --hash --json -o "$work/a.wav" "$text"
equal "$wanted" "$(member hash "$work/out")" "the hash of say"
[ ! -e "$tune" ] || fail "a study keeps something"
run "$K" bench --study "$small" --frames 1 --repeat 1 --text Yes. --cpu scalar
grep -q '^best q4 ' "$work/out" || fail "the table names no best"
grep -q 'equal' "$work/out" || fail "the table compares no codes"

# ---- what is kept ----
expect 0 "" "$K" bench --auto "$small" --text "$text" --frames 3 --repeat 1 --json
[ -f "$tune" ] || fail "nothing is kept"
equal "$tune" "$(member kept_in "$work/out")" "the place"
chosen=$(sed 's/.*"chosen"://' "$work/out" | tr ',{}' '\n\n\n' | sed -n 's/^"cpu"://p' | tr -d '"')
run "$K" info "$small"
grep -q "^tuned .*$chosen" "$work/out" || fail "info does not tell what is kept"
run "$K" info "$small" --json
grep -q "\"tuned\":{\"threads\":[0-9]*,\"cpu\":\"$chosen\"" "$work/out" || fail "nor does its JSON"
run "$K" info "$small" --tune off
grep -q '^tuned  *off' "$work/out" || fail "info --tune off"
run "$K" info
grep -q "^tuning .*$tune" "$work/out" || fail "info does not name the file"

# say takes it: a choice that no machine would make by itself
change() {
    sed "s/\"$1\": [^,]*/\"$1\": $2/" "$tune" >"$work/t" && mv "$work/t" "$tune"
}
change threads 1
change cpu '"scalar"'
change placement '"strict"'
spoken() {
    "$K" say --frames 3 --seed 1 --hash --json -o "$work/a.wav" "$@" Hello \
        >"$work/out" 2>"$work/err" </dev/null || fail "say $*: $(cat "$work/err")"
    echo "$(member cpu "$work/out") $(member threads "$work/out") $(member placement "$work/out")" \
        "$(member tuned "$work/out")"
}
equal "scalar 1 strict true" "$(spoken)" "say with the kept choice"
bits=$(member hash "$work/out")
free=$(spoken --tune off)
case $free in scalar*) fail "--tune off is not heard: $free" ;; esac
equal "$bits" "$(member hash "$work/out")" "the hash without it"
equal "$free" "$(KAZEIA_TUNE=off spoken)" "KAZEIA_TUNE=off"
equal "scalar 2 strict true" "$(spoken -t 2)" "--threads beats it"
equal "scalar 1 free true" "$(spoken --placement free)" "--placement beats it"
equal "fma 1 strict true" "$(spoken --cpu fma)" "--cpu beats it"
equal "scalar 1 strict true" "$(KAZEIA_PACKET=2 spoken)" "beside other variables"
spoken --verbose >/dev/null
grep -q "tuned, as bench --auto" "$work/err" || fail "--verbose does not tell"
change threads 200
cores=$("$K" info | sed -n 's/^threads *//p')
equal "scalar $cores strict true" "$(spoken)" "more threads than this process may use"
run "$K" say --frames 3 --codes "$work/c.npy" -o "$work/a.wav" Hello
run "$K" decode "$work/c.npy" --json -o "$work/b.wav"
equal "scalar" "$(member cpu "$work/out")" "decode takes it too"

# another model, program or machine: not for us
cp "$tune" "$work/kept"
for what in 'processor 7' 'processors 7777' 'program "0.0.0"' 'type "q4"' 'parameters 5'; do
    cp "$work/kept" "$tune"
    # shellcheck disable=SC2086
    change $what
    equal "$free" "$(spoken --verbose)" "a choice with another ${what%% *}"
    grep -q "has nothing for this machine" "$work/err" || fail "--verbose does not say so"
done

# damaged: ignored, told with --verbose only
for bytes in '' '{' '[]' 'null' '{"version": 2, "choices": []}' '{"version": 1, "choices": 3}'; do
    printf '%s' "$bytes" >"$tune"
    equal "$free" "$(spoken)" "a file with '$bytes'"
    ! grep -q "tune" "$work/err" || fail "it is told without --verbose"
    spoken --verbose >/dev/null
    grep -q "not tuned:" "$work/err" || fail "--verbose does not tell of '$bytes'"
done
for what in 'threads 0' 'threads "2"' 'cpu "mmx"' 'placement "loose"' 'threads 1e9' 'cpu null'; do
    cp "$work/kept" "$tune"
    # shellcheck disable=SC2086
    change $what
    equal "$free" "$(spoken --verbose)" "a choice with $what"
    grep -q "not tuned:.*damaged" "$work/err" || fail "--verbose does not tell of $what"
done
rm "$tune"
mkdir "$tune"
equal "$free" "$(spoken)" "a folder in its place"
rmdir "$tune"

# keeping again mends a damaged file; a folder that cannot be made is told
printf 'damage' >"$tune"
expect 0 "" "$K" bench --auto "$small" --text "$text" --frames 2 --repeat 1
grep -q '^kept ' "$work/out" || fail "--auto does not say what it keeps"
equal true "$(spoken | sed 's/.* //')" "kept again"
expect 0 "" "$K" bench --auto "$small" --text "$text" --frames 2 --repeat 1 --type q8
equal 2 "$(grep -c '"type"' "$tune")" "a choice for each format"
: >"$work/file"
XDG_CACHE_HOME=$work/file expect 5 "cannot make the folder" \
    "$K" bench --auto "$small" --text "$text" --frames 2 --repeat 1

# ---- usage ----
expect 2 "batch" "$K" bench "$small" --batch 0
expect 2 "1 to 16" "$K" bench "$small" --batch 1,17
expect 2 "batch" "$K" bench "$small" --batch 1,,2
expect 2 "batch" "$K" bench "$small" --batch 1,
expect 2 "minutes" "$K" bench "$small" --minutes 1
expect 2 "study" "$K" bench "$small" --study --auto
expect 2 "study" "$K" bench "$small" --study --batch 2
expect 2 "profile" "$K" bench "$small" --study --profile
expect 2 "profile" "$K" bench "$small" --auto --profile
expect 2 "placement" "$K" bench "$small" --placement loose
expect 2 "cannot be used here" "$K" bench "$small" --cpu mmx
expect 2 "from 1 to 256 is allowed" "$K" bench "$small" -t 300
expect 3 "" "$K" bench "$work/nothing" --study
run "$K" bench --help
for what in '--study' '--auto' '--batch N' '--minutes N' 'kazeia bench MODEL --study'; do
    grep -q -e "$what" "$work/out" || fail "bench --help has no $what"
done
finish
