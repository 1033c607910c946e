# The self-test knows the voice in the box by heart, and names the first stage that is bad (B218).
. "$(dirname "$0")/lib.sh"
K=$KAZEIA
small

expect 0 "" "$K" selftest
grep -q '^all equal$' "$work/out" || fail "the voice: $(cat "$work/out")"
levels=$("$K" info | sed -n 's/^kernels  *//p' | wc -w | tr -d ' ')
equal "$levels" "$(grep -c 'equal to the known hashes$' "$work/out")" "levels with known hashes"
expect 0 "" "$K" selftest "$KZT_VOICE" --cpu scalar --json
equal true "$(member all_equal "$work/out")" "all_equal"
equal true "$(member known "$work/out")" "known"
grep -q '"name":"decoder.waveform","first_frame":"[0-9a-f]\{64\}"' "$work/out" || fail "stages"

# Another run is held against the scalar level, and so is another model.
expect 0 "" "$K" selftest "$KZT_VOICE" --frames 3
grep -q 'do not apply' "$work/out" || fail "no word about the known hashes: $(cat "$work/out")"
expect 0 "" "$K" selftest "$small" --frames 2 --type f32
grep -q 'known hashes' "$work/out" && fail "known hashes of another model: $(cat "$work/out")"

# One altered weight in each part, under checksums that fit: the stage that reads it is the first
# one named.
alter() {
    "${KZT_VOICE_CHECK:?}" alter "$KZT_VOICE" "$1" "$2" "$3" "$work/voice.kz" 2>"$work/err" ||
        fail "$1: $(cat "$work/err")"
}
altered() {
    alter "$1" "$2" "$3"
    expect 1 "" "$K" selftest "$work/voice.kz" --cpu scalar
    grep -q "^model at scalar .*DIFFERS first in $4" "$work/out" || fail "$1: $(cat "$work/out")"
    grep -q '^FAILED$' "$work/out" || fail "$1: no word FAILED"
}
one=803f          # of bfloat16
nan=c07f          # bfloat16
codes=7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f # of 8 bits, behind the 64 bytes of scales
altered talker.text_projection.linear_fc2.bias 0 $one 'prompt$'
altered talker.model.layers.0.mlp.down_proj 64 $codes 'talker.layer.00$'
altered talker.model.norm.weight 0 $nan 'talker.hidden; the talker gave a value that is not'
altered talker.code_predictor.lm_head.3 64 $codes 'predictor.logits.03$'
altered decoder.pre_conv.conv.bias 0 $one 'decoder.pre_conv$'

# The same for programs. Whoever alters weights and no checksum is told at once.
alter decoder.decoder.6.conv.weight 0 $one
expect 1 "" "$K" selftest "$work/voice.kz" --cpu scalar --json
equal false "$(member all_equal "$work/out")" "all_equal of an altered voice"
equal true "$(member known "$work/out")" "known, of an altered voice"
equal decoder.waveform "$(member first_difference "$work/out")" "first_difference"
cp "$KZT_VOICE" "$work/voice.kz"
poke "$work/voice.kz" 5000 '\125\252'
expect 3 "is damaged: the checksum of .* does not fit" "$K" selftest "$work/voice.kz" --cpu scalar

# No hashes are known of another model.
expect 0 "" "$K" selftest "$small" --cpu scalar --json
equal false "$(member known "$work/out")" "known, of another model"
expect 3 "" "$K" selftest "$work/nowhere"
finish
