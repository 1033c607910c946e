/* Every shape and token id of a model, read from its JSON files and checked once: ranges,
 * relations, and that no product overflows. No number of a model stands anywhere else.
 * Sources: config.json, generation_config.json, speech_tokenizer/config.json of the published
 * checkpoints; names as there.
 */
#ifndef KZ_MODEL_CONFIG_H
#define KZ_MODEL_CONFIG_H

#include "weights/packed.h"

/* A stack of transformer layers (talker, code predictor, codec decoder and encoder). */
typedef struct kz__stack_config {
    size_t width;        /* hidden_size */
    size_t intermediate; /* intermediate_size */
    size_t layers;
    size_t heads, kv_heads; /* kv_heads divides heads */
    size_t head_dim;        /* even; heads * head_dim need not be width */
    float norm_eps;
    double rope_theta;
    size_t window;    /* keys a query sees, itself included; 0: all */
    bool qk_norm;     /* RMS norm of each query and key head */
    bool layer_scale; /* learned factor per channel on both residual branches */
    bool plain;       /* LayerNorm with bias, GELU without a gate, no norm at the end */
} kz__stack_config;

typedef struct kz__named_id {
    char *name; /* lower case */
    int32_t id;
} kz__named_id;

typedef struct kz__speaker_config {
    char *name; /* lower case */
    int32_t id;
    long dialect; /* index into languages, -1: none */
} kz__speaker_config;

#define KZ__MAX_STAGES 8

/* encoder_config: a Mimi encoder */
typedef struct kz__encoder_config {
    size_t filters;            /* channels of the first convolution; each stage doubles them */
    size_t kernel, unit_kernel, last_kernel; /* taps: first, in the residual units, last */
    size_t compress;           /* a residual unit is so many times narrower inside */
    size_t rates[KZ__MAX_STAGES], rate_count; /* strides in the order of the data */
    kz__stack_config stack;
    size_t max_positions;      /* of the stack */
    size_t codebook_dim, codebook_size;
    size_t quantizers, semantic_quantizers; /* levels that are used; 0: no encoder can be used */
    size_t sample_rate;        /* Hz */
    size_t samples_per_frame;  /* product of the rates and KZ__ENCODER_HALVING */
    kz__err problem;           /* why it cannot be used */
} kz__encoder_config;

/* Stride of the convolution behind the encoder's transformer. */
#define KZ__ENCODER_HALVING 2

typedef struct kz__codec_config {
    size_t codebook_dim;       /* twice the width of a codebook entry */
    size_t codebook_size;
    size_t quantizers, semantic_quantizers;
    size_t latent_dim, decoder_dim;
    kz__stack_config stack;    /* pre_transformer */
    size_t upsample_rates[KZ__MAX_STAGES], upsample_rate_count;     /* convolution blocks */
    size_t upsampling_ratios[KZ__MAX_STAGES], upsampling_ratio_count; /* ConvNeXt stages */
    size_t sample_rate;        /* Hz */
    size_t samples_per_frame;  /* product of all rates */
    kz__encoder_config encoder;
} kz__codec_config;

/* Layer 0 is a convolution, the last one aggregates, those between are SE-Res2Net blocks. */
typedef struct kz__speaker_encoder_config {
    size_t dim;         /* of the vector: enc_dim, the talker's width; 0: there is no encoder */
    size_t sample_rate; /* Hz */
    size_t mel_dim;
    size_t layers;      /* at least 3 */
    size_t channels[KZ__MAX_STAGES]; /* equal up to the last, which is the sum of the blocks' */
    size_t taps[KZ__MAX_STAGES], dilations[KZ__MAX_STAGES];
    size_t scale;       /* parts of a block's channels, which it divides */
    size_t squeeze, attention;
} kz__speaker_encoder_config;

typedef struct kz__config {
    bool has_talker; /* false: only the codec was asked for */
    kz_kind kind;
    char size_name[32];       /* tts_model_size */
    bool takes_instruct;      /* not Base, and not a CustomVoice whose size is a part of "0b6" */
    bool reference_swaps_pattern; /* the package loads this folder with its second pre-tokenizer */
    /* ids of the text vocabulary */
    int32_t im_start, im_end, assistant, tts_pad, tts_bos, tts_eos;
    size_t text_vocab, text_width;
    size_t code_groups;       /* codes per frame */
    size_t talker_vocab;      /* codec vocabulary with control ids in its last 1024 */
    size_t predictor_vocab;
    kz__stack_config talker, predictor;
    size_t max_positions;
    /* ids of the codec vocabulary */
    int32_t codec_pad, codec_bos, codec_eos, think, nothink, think_bos, think_eos;
    kz__named_id *languages;
    size_t language_count;
    kz__speaker_config *speakers; /* in the file's order */
    size_t speaker_count;
    kz__speaker_encoder_config speaker_encoder;
    /* generation_config.json, with the reference's own fallbacks */
    kz_sampling sample_talker, sample_predictor; /* temperature 0 where do_sample is false */
    size_t max_new_tokens;
    kz__codec_config codec; /* quantizers 0: no codec was found */
} kz__config;

/* Reads folder/config.json and generation_config.json (which may be missing). Strings and lists are
 * allocated from mem. On failure config is cleared. */
kz_status kz__config_load(kz__mem *mem, const char *folder, kz__config *config, kz__err *err);

/* Reads codec_folder/config.json into config->codec; where config has a talker, checks that both
 * fit (code groups, codebook sizes). */
kz_status kz__config_load_codec(kz__mem *mem, const char *codec_folder, kz__config *config,
                                kz__err *err);
/* The same from the files in a packed model. */
kz_status kz__config_from_packed(kz__mem *mem, kz__packed *packed, kz__config *config,
                                 kz__err *err);
kz_status kz__config_codec_from_packed(kz__mem *mem, kz__packed *packed, kz__config *config,
                                       kz__err *err);
void kz__config_clear(kz__mem *mem, kz__config *config);

/* Names of a model's configuration files, as packed files have them. */
#define KZ__CONFIG_FILE "config.json"
#define KZ__GENERATION_FILE "generation_config.json"
#define KZ__CODEC_FILE "speech_tokenizer/config.json"

#endif
