/* Fuzz target: one byte that says which file, then its JSON. The relations that the rest of the
 * program relies on hold for whatever is accepted.
 */
#include "model/config_reader.h"

#include "weights/jsonfile.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds) {
    if (!holds) abort();
}

static void check_stack(const kz__stack_config *stack) {
    need(stack->width && stack->intermediate && stack->layers && stack->heads && stack->kv_heads);
    need(stack->heads % stack->kv_heads == 0);
    need(stack->head_dim >= 2 && stack->head_dim % 2 == 0);
    need(stack->heads * stack->head_dim <= 65536);
    need(stack->norm_eps > 0 && stack->norm_eps < 1 && stack->rope_theta >= 1);
}

static void check_main(const kz__config *config) {
    check_stack(&config->talker);
    check_stack(&config->predictor);
    need(config->talker_vocab > 1024 && config->predictor_vocab && config->text_vocab);
    need((size_t)config->codec_eos < config->talker_vocab && config->codec_eos >= 0);
    need((size_t)config->im_start < config->text_vocab && config->im_start >= 0);
    for (size_t i = 0; i < config->language_count; i++) {
        need(config->languages[i].name && config->languages[i].name[0]);
        need((size_t)config->languages[i].id < config->talker_vocab);
    }
    for (size_t i = 0; i < config->speaker_count; i++) {
        need(config->speakers[i].name && config->speakers[i].name[0]);
        need((size_t)config->speakers[i].id < config->talker_vocab);
        need(config->speakers[i].dialect < (long)config->language_count);
    }
}

static void check_codec(const kz__codec_config *codec) {
    size_t product = 1;
    check_stack(&codec->stack);
    for (size_t i = 0; i < codec->upsample_rate_count; i++) product *= codec->upsample_rates[i];
    for (size_t i = 0; i < codec->upsampling_ratio_count; i++) {
        product *= codec->upsampling_ratios[i];
    }
    need(product == codec->samples_per_frame && product);
    need(codec->decoder_dim % ((size_t)1 << codec->upsample_rate_count) == 0);
    need(codec->semantic_quantizers && codec->semantic_quantizers < codec->quantizers);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    kz__mem mem;
    kz__config config;
    kz__err err;
    json_t *root = NULL;
    if (size < 1) return 0;
    kz__mem_init(&mem, NULL, NULL);
    memset(&config, 0, sizeof config);
    if (kz__json_parse(data + 1, size - 1, "fuzz.json", &root, &err) != KZ_OK) return 0;
    if (data[0] == 'g') {
        if (kz__config_from_generation(root, "g.json", &config, &err) == KZ_OK) {
            need(config.sample_talker.top_k >= 0 && config.sample_talker.temperature >= 0);
            need(config.max_new_tokens > 0);
        }
    } else if (data[0] == 'c') {
        if (kz__config_from_codec(root, "c.json", &config, &err) == KZ_OK) {
            check_codec(&config.codec);
        }
    } else if (kz__config_from_main(&mem, root, "m.json", &config, &err) == KZ_OK) {
        check_main(&config);
    }
    kz__config_clear(&mem, &config);
    json_decref(root);
    need(atomic_load(&mem.current) == 0);
    return 0;
}
