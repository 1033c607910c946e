/* speech_tokenizer/config.json: the codec encoder's shapes (a Mimi encoder), and whether they fit
 * the decoder's. */
#include "model/config_reader.h"

#include <string.h>

enum {
    MAX_CODEBOOK = 65536,
    MAX_CODEC_WIDTH = 65536,
    MAX_TAPS = 64,
    MAX_RATE = 256,
    MAX_POSITIONS = 1 << 20
};

/* What the published encoder has and this one therefore takes for granted; keys may be absent. */
static void check_form(kz__reader *reader, const kz__section *part) {
    static const struct {
        const char *key;
        size_t wanted;
    } sizes[] = {{"audio_channels", 1}, {"num_residual_layers", 1}};
    kz__need_string(reader, part, "pad_mode", "constant");
    if (!kz__read_bool(reader, part, "use_causal_conv", true)) {
        kz__reader_fail(reader, "%suse_causal_conv is false, which is not supported", part->label);
    }
    if (kz__read_bool(reader, part, "use_conv_shortcut", false)) {
        kz__reader_fail(reader, "%suse_conv_shortcut is true, which is not supported", part->label);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (!kz__section_has(part, sizes[i].key)) continue;
        kz__read_size(reader, part, sizes[i].key, sizes[i].wanted, sizes[i].wanted);
    }
}

static void read_rates(kz__reader *reader, const kz__section *part, kz__encoder_config *e) {
    size_t ratios[KZ__MAX_STAGES] = {0};
    e->rate_count =
        kz__read_sizes(reader, part, "upsampling_ratios", KZ__MAX_STAGES, 1, MAX_RATE, ratios);
    for (size_t i = 0; i < e->rate_count; i++) e->rates[i] = ratios[e->rate_count - 1 - i];
}

static void read_encoder(kz__reader *reader, const kz__section *part, kz__encoder_config *e) {
    e->filters = kz__read_size(reader, part, "num_filters", 1, MAX_CODEC_WIDTH);
    e->compress = kz__read_size(reader, part, "compress", 1, MAX_CODEC_WIDTH);
    e->kernel = kz__read_size(reader, part, "kernel_size", 1, MAX_TAPS);
    e->unit_kernel = kz__read_size(reader, part, "residual_kernel_size", 1, MAX_TAPS);
    e->last_kernel = kz__read_size(reader, part, "last_kernel_size", 1, MAX_TAPS);
    read_rates(reader, part, e);
    e->stack.plain = true;
    e->stack.layer_scale = true;
    kz__read_stack(reader, part, &e->stack);
    e->max_positions = kz__read_size(reader, part, "max_position_embeddings", 1, MAX_POSITIONS);
    e->codebook_dim = kz__read_size(reader, part, "codebook_dim", 1, MAX_CODEC_WIDTH);
    e->codebook_size = kz__read_size(reader, part, "codebook_size", 1, MAX_CODEBOOK);
    e->semantic_quantizers = kz__read_size(reader, part, "num_semantic_quantizers", 1, 63);
    if (kz__section_has(part, "vector_quantization_hidden_dimension")) {
        kz__read_size(reader, part, "vector_quantization_hidden_dimension", e->codebook_dim,
                      e->codebook_dim);
    }
}

static void check_encoder(kz__reader *reader, const kz__section *part,
                          const kz__encoder_config *e) {
    if (reader->status != KZ_OK) return;
    size_t rate = KZ__ENCODER_HALVING;
    for (size_t i = 0; i < e->rate_count; i++) {
        if (!kz__mul(rate, e->rates[i], &rate)) rate = SIZE_MAX;
    }
    if (rate != e->samples_per_frame) {
        kz__reader_fail(reader,
                        "encode_downsample_rate is %zu, %d times the product of "
                        "%supsampling_ratios is %zu",
                        e->samples_per_frame, KZ__ENCODER_HALVING, part->label, rate);
    }
    if (e->filters > (size_t)MAX_CODEC_WIDTH >> e->rate_count) {
        kz__reader_fail(reader, "%snum_filters is %zu, at most %d is allowed with %zu "
                        "upsampling_ratios", part->label, e->filters,
                        MAX_CODEC_WIDTH >> e->rate_count, e->rate_count);
    }
    if (e->filters % e->compress) {
        kz__reader_fail(reader, "%snum_filters is %zu, no multiple of compress %zu", part->label,
                        e->filters, e->compress);
    }
    if (e->semantic_quantizers >= e->quantizers) {
        kz__reader_fail(reader, "%snum_semantic_quantizers is %zu, less than "
                        "encoder_valid_num_quantizers %zu is needed", part->label,
                        e->semantic_quantizers, e->quantizers);
    }
}

/* The codes of the encoder are codes of the decoder. */
static void check_both(kz__reader *reader, const kz__section *part,
                       const kz__codec_config *codec) {
    const kz__encoder_config *e = &codec->encoder;
    if (reader->status != KZ_OK) return;
    if (e->quantizers != codec->quantizers) {
        kz__reader_fail(reader,
                        "encoder_valid_num_quantizers is %zu, decoder_config.num_quantizers %zu",
                        e->quantizers, codec->quantizers);
    }
    if (e->codebook_size > codec->codebook_size) {
        kz__reader_fail(reader, "%scodebook_size is %zu, more than the decoder's %zu", part->label,
                        e->codebook_size, codec->codebook_size);
    }
}

void kz__config_read_encoder(const char *file, const kz__section *top, kz__codec_config *codec) {
    kz__encoder_config *e = &codec->encoder;
    kz__err problem = {""};
    kz__reader reader = {file, &problem, KZ_OK};
    kz__section part = kz__read_section(&reader, top, "encoder_config", "encoder_config.");
    e->quantizers = kz__read_size(&reader, top, "encoder_valid_num_quantizers", 2, 64);
    e->samples_per_frame = kz__read_size(&reader, top, "encode_downsample_rate", 1, 1 << 20);
    e->sample_rate = kz__read_size(&reader, top, "input_sample_rate", 1000, 384000);
    check_form(&reader, &part);
    read_encoder(&reader, &part, e);
    check_encoder(&reader, &part, e);
    check_both(&reader, &part, codec);
    if (reader.status == KZ_OK) return;
    memset(e, 0, sizeof *e);
    e->problem = problem;
}
