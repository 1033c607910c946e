# The self-test knows the voice in the box by heart, and names the first stage that is bad (B218).
. "$(dirname "$0")/lib.sh"
K=$KAZEIA
main=model.safetensors
codec=speech_tokenizer/model.safetensors

expect 0 "" "$K" selftest
grep -q '^all equal$' "$work/out" || fail "the voice: $(cat "$work/out")"
levels=$("$K" info | sed -n 's/^kernels  *//p' | wc -w | tr -d ' ')
equal "$levels" "$(grep -c 'equal to the known hashes$' "$work/out")" "levels with known hashes"
expect 0 "" "$K" selftest "$KZT_VOICE" --cpu scalar --json
equal true "$(member all_equal "$work/out")" "all_equal"
equal true "$(member known "$work/out")" "known"
grep -q '"name":"decoder.waveform","first_frame":"[0-9a-f]\{64\}"' "$work/out" || fail "stages"

# Another run is held against the scalar level.
expect 0 "" "$K" selftest "$KZT_VOICE" --frames 3
grep -q 'do not apply' "$work/out" || fail "no word about the known hashes: $(cat "$work/out")"
expect 0 "" "$K" selftest "$KZT_VOICE" --frames 2 --type f32

# One altered weight in each part: the stage that reads it is the first one named.
copy_voice "$work/voice"
expect 0 "" "$K" selftest "$work/voice" --cpu scalar
altered() {
    cp "$KZT_VOICE/$1" "$work/voice/$1"
    at=$(tensor_at "$work/voice/$1" "$2")
    if [ -z "$at" ]; then
        fail "no tensor $2"
        return
    fi
    poke "$work/voice/$1" "$((at + 2 * $5))" "$3"
    expect 1 "" "$K" selftest "$work/voice" --cpu scalar
    grep -q "^model at scalar .*DIFFERS first in $4" "$work/out" || fail "$2: $(cat "$work/out")"
    grep -q '^FAILED$' "$work/out" || fail "$2: no word FAILED"
    expect 1 "" "$K" selftest "$work/voice" --cpu scalar --json
    equal false "$(member all_equal "$work/out")" "all_equal of $2"
    cp "$KZT_VOICE/$1" "$work/voice/$1"
}
one='\200\077'
nan='\300\177'
altered $main talker.text_projection.linear_fc2.bias "$one" 'prompt$' 3
altered $main talker.model.layers.2.mlp.down_proj.weight "$one" 'talker.layer.02$' 5
altered $main talker.model.norm.weight "$nan" 'talker.hidden; the talker gave a value that is not' 0
altered $main talker.codec_head.weight "$one" 'talker.logits$' 7
altered $main talker.code_predictor.lm_head.3.weight "$one" 'predictor.logits.03$' 7
altered $codec decoder.pre_conv.conv.bias "$one" 'decoder.pre_conv$' 1
altered $codec decoder.decoder.6.conv.weight "$one" 'decoder.waveform$' 9

# Damage that only another model could have: no hashes are known of it.
sed 's/"max_position_embeddings": 32768/"max_position_embeddings": 32760/' \
    "$KZT_VOICE/config.json" >"$work/voice/config.json"
cmp -s "$KZT_VOICE/config.json" "$work/voice/config.json" && fail "the configuration is the same"
expect 0 "" "$K" selftest "$work/voice" --cpu scalar --json
equal false "$(member known "$work/out")" "known, of another model"
expect 3 "" "$K" selftest "$work/nowhere"
finish
