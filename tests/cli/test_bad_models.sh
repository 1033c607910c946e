# Models that cannot be used, each a copy of the small checkpoint that is cut or changed: exit 3 (1 where the
# computation shows it), one sentence that names the file, at once, and no output file.
. "$(dirname "$0")/lib.sh"
K=$KAZEIA
small
V=$small
main=model.safetensors
codec=speech_tokenizer/model.safetensors

# refused CODE PATTERN MODEL
refused() {
    for verb in "say -m" "info"; do
        [ "$verb" = info ] && [ "$1" -ne 3 ] && continue
        # shellcheck disable=SC2086
        [ "$verb" = info ] && expect "$1" "$2" "$K" info "$3"
        [ "$verb" = info ] || expect "$1" "$2" "$K" say -m "$3" --frames 2 -o "$work/x.wav" Hello
        equal 1 "$(grep -c '^kazeia: error: ' "$work/err")" "sentences about $3"
        equal 1 "$(wc -l <"$work/err" | tr -d ' ')" "lines about $3"
        [ -s "$work/out" ] && fail "standard output is not empty for $3"
    done
    [ -e "$work/x.wav" ] && fail "a file was made with $3"
}
# fresh: $m is a new copy of the checkpoint.
number=0
fresh() {
    rm -rf "$work/m$number"
    number=$((number + 1))
    m=$work/m$number
    copy_small "$m"
}

# ---- what a path can be ----
refused 3 "there is no '.*/nowhere'" "$work/nowhere"
refused 3 "is a file: give the folder" "$V/config.json"
refused 3 "is a file: give the folder" "$V/$main"
mkdir "$work/empty"
refused 3 "has no config.json" "$work/empty"
mkdir "$work/llama"
echo '{"architectures": ["LlamaForCausalLM"], "model_type": "llama"}' >"$work/llama/config.json"
refused 3 "this is a llama model, Kazeia speaks qwen3_tts" "$work/llama"

# ---- files that are missing, cut, or not what they should be (B180 B184 B198) ----
for file in $main $codec vocab.json merges.txt; do
    fresh
    rm "$m/$file"
    refused 3 "${file##*/}" "$m"
done
for bytes in 0 5 1000 20000 1000000; do
    fresh
    head -c $bytes "$V/$main" >"$m/$main"
    refused 3 "$main' is " "$m"
done
fresh
head -c $(($(size_of "$V/$codec") - 1)) "$V/$codec" >"$m/$codec"
refused 3 "$codec' is truncated" "$m"
fresh
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n' >"$m/$main"
refused 3 "Git LFS pointer" "$m"
for file in config.json speech_tokenizer/config.json vocab.json; do
    fresh
    head -c $(($(size_of "$V/$file") / 2)) "$V/$file" >"$m/$file"
    refused 3 "$file" "$m"
done
fresh
rm -r "$m/speech_tokenizer"
expect 3 "no speech tokenizer: give the folder of one (--codec" "$K" say -m "$m" -o "$work/x.wav" Hi
expect 0 "" "$K" info "$m"
expect 0 "" "$K" say -m "$m" --codec "$V/speech_tokenizer" --frames 2 -q -o "$work/good.wav" Hi

# ---- absurd sizes in a configuration: refused before anything is taken ----
# absurd FILE NAME VALUE PATTERN
absurd() {
    fresh
    sed "s/\"$2\": *[0-9]*/\"$2\": $3/" "$V/$1" >"$m/$1"
    cmp -s "$m/$1" "$V/$1" && fail "no $2 in $1"
    (
        ulimit -v 1000000 2>/dev/null # kB; without this limit a test of nothing but the words
        "$K" info "$m" >"$work/out" 2>"$work/err"
        echo $? >"$work/code"
    )
    if ! grep -aq -e __asan_init -e __tsan_init "$K"; then
        equal 3 "$(cat "$work/code")" "exit code for $2 $3 with little memory"
    fi
    refused 3 "$4" "$m"
}
main_sizes="hidden_size intermediate_size num_hidden_layers num_attention_heads num_key_value_heads
    head_dim vocab_size text_vocab_size text_hidden_size"
for name in $main_sizes; do
    for value in 0 -1 4000000000 1.5 '"many"'; do
        absurd config.json "$name" "$value" "config.json': talker_config.*$name is "
    done
done
absurd config.json hidden_size 99999999999999999999 "not valid JSON"
absurd config.json hidden_size 512 "model.safetensors': tensor '.*' has shape .*, wanted"
absurd config.json max_position_embeddings 0 "max_position_embeddings is 0"
for name in codebook_size codebook_dim latent_dim hidden_size decoder_dim num_quantizers \
    sliding_window; do
    for value in 0 -1 4000000000; do
        absurd speech_tokenizer/config.json "$name" "$value" "decoder_config.$name is "
    done
done
fresh
sed 's/"upsample_rates": *\[/"upsample_rates": [1000000, /' "$V/speech_tokenizer/config.json" \
    >"$m/speech_tokenizer/config.json"
refused 3 "upsample_rates is 1000000" "$m"

# ---- weights that are not finite: an error, never silence (B205) ----
# poisoned FILE TENSOR PATTERN
poisoned() {
    fresh
    at=$(tensor_at "$m/$1" "$2")
    [ -n "$at" ] || fail "no tensor $2"
    poke "$m/$1" "${at:-0}" '\300\177'
    refused 1 "$3" "$m"
}
poisoned $main talker.model.layers.2.mlp.down_proj.weight "talker gave a value that is not finite"
poisoned $main talker.code_predictor.lm_head.3.weight "predictor gave a value that is not finite"
poisoned $codec decoder.decoder.6.conv.weight "codec decoder.*not finite at frame 0"
finish
