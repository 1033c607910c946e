/* speech_tokenizer/config.json: the codec decoder's shapes, and whether codec and talker fit. */
#include "model/config_reader.h"

#include "base/path.h"
#include "weights/jsonfile.h"

#include <string.h>

#define CODEC_TYPE "qwen3_tts_tokenizer_12hz"

enum {
    MAX_CODEBOOK = 65536,
    MAX_CODEC_WIDTH = 65536,
    MAX_RATE = 256,
    MAX_FRAME = 1 << 20,
    MAX_WINDOW = 1 << 20
};

static void check_type(kz__reader *reader, const kz__section *top) {
    kz__shown shown;
    const char *type = kz__read_string(reader, top, "model_type", NULL);
    if (reader->status != KZ_OK || !strcmp(type, CODEC_TYPE)) return;
    if (!strcmp(type, "qwen3_tts")) {
        kz__reader_fail(reader,
                        "this is a talker's folder, not a speech tokenizer: give the speech "
                        "tokenizer's folder");
    } else {
        kz__reader_fail(reader, "this is a '%s', the speech tokenizer must be a " CODEC_TYPE,
                        kz__show_name(&shown, type));
    }
}

static void read_decoder(kz__reader *reader, const kz__section *part, kz__codec_config *codec) {
    codec->codebook_dim = kz__read_size(reader, part, "codebook_dim", 2, MAX_CODEC_WIDTH);
    codec->codebook_size = kz__read_size(reader, part, "codebook_size", 1, MAX_CODEBOOK);
    codec->quantizers = kz__read_size(reader, part, "num_quantizers", 2, 64);
    codec->semantic_quantizers = kz__read_size(reader, part, "num_semantic_quantizers", 1, 63);
    codec->latent_dim = kz__read_size(reader, part, "latent_dim", 1, MAX_CODEC_WIDTH);
    codec->decoder_dim = kz__read_size(reader, part, "decoder_dim", 1, MAX_CODEC_WIDTH);
    kz__read_stack(reader, part, &codec->stack);
    codec->stack.window = kz__read_size(reader, part, "sliding_window", 1, MAX_WINDOW);
    codec->stack.layer_scale = true;
    codec->upsample_rate_count = kz__read_sizes(reader, part, "upsample_rates", KZ__MAX_STAGES, 1,
                                                MAX_RATE, codec->upsample_rates);
    codec->upsampling_ratio_count = kz__read_sizes(
        reader, part, "upsampling_ratios", KZ__MAX_STAGES, 1, MAX_RATE, codec->upsampling_ratios);
}

static size_t product(size_t start, const size_t *rates, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!kz__mul(start, rates[i], &start)) return SIZE_MAX;
    }
    return start;
}

static void check_decoder(kz__reader *reader, const kz__codec_config *codec) {
    if (reader->status != KZ_OK) return;
    if (codec->codebook_dim % 2) {
        kz__reader_fail(reader, "decoder_config.codebook_dim is %zu, an even number is needed",
                        codec->codebook_dim);
    }
    if (codec->semantic_quantizers >= codec->quantizers) {
        kz__reader_fail(reader,
                        "decoder_config.num_semantic_quantizers is %zu, less than "
                        "num_quantizers %zu is needed",
                        codec->semantic_quantizers, codec->quantizers);
    }
    if (codec->decoder_dim % ((size_t)1 << codec->upsample_rate_count)) {
        kz__reader_fail(reader,
                        "decoder_config.decoder_dim is %zu, it must be divisible by %zu (2 for "
                        "each of the %zu upsample_rates)",
                        codec->decoder_dim, (size_t)1 << codec->upsample_rate_count,
                        codec->upsample_rate_count);
    }
    size_t rate = product(1, codec->upsample_rates, codec->upsample_rate_count);
    rate = product(rate, codec->upsampling_ratios, codec->upsampling_ratio_count);
    if (rate != codec->samples_per_frame) {
        kz__reader_fail(reader,
                        "decode_upsample_rate is %zu, the product of upsample_rates and "
                        "upsampling_ratios is %zu",
                        codec->samples_per_frame, rate);
    }
}

/* Every code that the talker or its predictor can draw is in the codec's tables. */
static void check_fit(kz__reader *reader, const kz__config *config) {
    const kz__codec_config *codec = &config->codec;
    if (reader->status != KZ_OK || !config->has_talker) return;
    size_t first_codes = config->talker_vocab - 1024;
    if (codec->quantizers != config->code_groups) {
        kz__reader_fail(reader,
                        "decoder_config.num_quantizers is %zu, the talker's num_code_groups is "
                        "%zu",
                        codec->quantizers, config->code_groups);
    }
    if (config->predictor_vocab > codec->codebook_size) {
        kz__reader_fail(reader,
                        "decoder_config.codebook_size is %zu, the code predictor's vocab_size %zu "
                        "does not fit",
                        codec->codebook_size, config->predictor_vocab);
    }
    if (first_codes > codec->codebook_size) {
        kz__reader_fail(reader,
                        "decoder_config.codebook_size is %zu, the talker draws codes up to %zu",
                        codec->codebook_size, first_codes - 1);
    }
}

kz_status kz__config_from_codec(const json_t *root, const char *path, kz__config *config,
                                kz__err *err) {
    kz__shown shown;
    kz__reader reader = {kz__show_path(&shown, path), err, KZ_OK};
    kz__section top = {root, ""};
    kz__codec_config *codec = &config->codec;
    memset(codec, 0, sizeof *codec);
    check_type(&reader, &top);
    codec->sample_rate = kz__read_size(&reader, &top, "output_sample_rate", 1000, 384000);
    codec->samples_per_frame = kz__read_size(&reader, &top, "decode_upsample_rate", 1, MAX_FRAME);
    kz__section part = kz__read_section(&reader, &top, "decoder_config", "decoder_config.");
    read_decoder(&reader, &part, codec);
    check_decoder(&reader, codec);
    check_fit(&reader, config);
    kz__config_read_encoder(reader.file, &top, codec);
    if (reader.status != KZ_OK) memset(codec, 0, sizeof *codec);
    return reader.status;
}

kz_status kz__config_load_codec(kz__mem *mem, const char *codec_folder, kz__config *config,
                                kz__err *err) {
    kz__shown shown;
    json_t *root = NULL;
    memset(&config->codec, 0, sizeof config->codec);
    if (kz__path_look(codec_folder) == KZ__PATH_MISSING) {
        return kz__fail(err, KZ_ERR_MODEL,
                        "there is no speech tokenizer in '%s': give the speech tokenizer's folder",
                        kz__show_path(&shown, codec_folder));
    }
    char *path = kz__path_join(mem, codec_folder, "config.json");
    if (!path) return kz__fail_memory(err);
    kz_status status = KZ_OK;
    if (kz__path_look(path) == KZ__PATH_MISSING) {
        status = kz__fail(err, KZ_ERR_MODEL, "there is no '%s': give the speech tokenizer's folder",
                          kz__show_path(&shown, path));
    }
    if (status == KZ_OK) status = kz__json_load(path, &root, err);
    if (status == KZ_OK) status = kz__config_from_codec(root, path, config, err);
    json_decref(root);
    kz__free(mem, path);
    return status;
}
