/* Opening a model: folder, config, tokenizer, weights into panels. */
#include "engine/model.h"

#include "base/fpenv.h"
#include "base/log.h"
#include "base/path.h"
#include "base/sized.h"
#include "engine/session.h"
#include "nn/level.h"

#include <stdio.h>

/* Lengths as kz_split counts them. Published models keep voice and wording for some 25 seconds
 * (400 letters); models below so many values have learnt single sentences. */
#define TEXT_LIMIT 400
#define SMALL_TEXT_LIMIT 160
#define SMALL_MODEL 100000000

/* What was stored as bf16 is told as bf16, all else computes in f32. */
static kz_type stored_type(const kz_model *m) {
    return m->talker.head.type == KZ__BF16 ? KZ_TYPE_BF16 : KZ_TYPE_F32;
}

/* Base models alone have one; they speak without it, with saved voices. */
static kz_status bind_speaker_encoder(kz_model *m, kz__err *err) {
    const kz__speaker_encoder_config *config = &m->config.speaker_encoder;
    if (m->config.kind != KZ_KIND_BASE || !config->dim) return KZ_OK;
    if (!kz__speaker_encoder_found(m->weights)) return KZ_OK;
    kz_status status =
        kz__speaker_encoder_load(&m->mem, m->weights, config, &m->speaker_encoder, err);
    m->has_speaker_encoder = !status;
    return status;
}

kz_status kz__model_bind_talker(kz_model *m, kz_type type, kz__err *err) {
    kz__policy policy = kz__policy_of(type);
    kz_status status =
        kz__talker_load(&m->mem, m->weights, &m->config, &policy, &m->talker, err);
    if (!status) {
        status = kz__predictor_load(&m->mem, m->weights, &m->config, &policy, &m->predictor, err);
    }
    if (!status) status = kz__keep_open(&m->mem, KZ__KEEP_ENTRIES, KZ__KEEP_BYTES, &m->keep, err);
    if (!status) status = bind_speaker_encoder(m, err);
    if (status) return status;
    m->has_talker = true;
    m->type = type == KZ_TYPE_STORED ? stored_type(m) : type;
    return KZ_OK;
}

kz_status kz__model_check_tokenizer(const kz_model *m, kz__err *err) {
    if (kz__tokenizer_count(m->tokenizer) <= m->config.text_vocab) return KZ_OK;
    return kz__fail(err, KZ_ERR_MODEL, "the tokenizer has %zu ids, the text embedding %zu rows",
                    kz__tokenizer_count(m->tokenizer), m->config.text_vocab);
}

kz_status kz__model_bind_codec(kz_model *m, kz_decoder decoder, kz__err *err) {
    kz__weights *weights = m->codec_weights ? m->codec_weights : m->weights;
    kz_status status =
        kz__codec_decoder_load(&m->mem, weights, &m->config.codec, decoder, &m->decoder, err);
    m->has_codec = !status;
    return status;
}

static kz_status load_talker(kz_model *m, const char *folder, kz_type type,
                             const kz__sink *sink, kz__err *err) {
    kz_status status = kz__config_load(&m->mem, folder, &m->config, err);
    if (!status) status = kz__tokenizer_open(&m->mem, folder, &m->tokenizer, err);
    if (!status) status = kz__weights_open(&m->mem, folder, &m->weights, err);
    if (!status) {
        if (sink) kz__weights_write_to(m->weights, sink->writer, sink->threads);
        status = kz__model_bind_talker(m, type, err);
    }
    return status ? status : kz__model_check_tokenizer(m, err);
}

static kz_status load_codec(kz_model *m, const char *folder, kz_decoder decoder,
                            const kz__sink *sink, kz__err *err) {
    kz_status status = kz__config_load_codec(&m->mem, folder, &m->config, err);
    if (!status) status = kz__weights_open(&m->mem, folder, &m->codec_weights, err);
    if (status) return status;
    if (sink && !sink->compact) {
        kz__weights_write_to(m->codec_weights, sink->writer, sink->threads);
    }
    return kz__model_bind_codec(m, decoder, err);
}

/* Tensors that nothing reads are told, once for the model's file. */
static void tell_unused(const kz_model *m) {
    if (!m->weights) return;
    size_t count = 0;
    const char *first = NULL;
    for (size_t i = 0;; i++) {
        const char *name = kz__weights_unused(m->weights, "", i);
        if (!name) break;
        if (!first) first = name;
        count++;
    }
    if (count) {
        kz__log(KZ__NOTICE, "%zu tensor%s of the model %s not used, the first is %.80s", count,
                count == 1 ? "" : "s", count == 1 ? "is" : "are", first);
    }
}

kz_status kz__model_find_codec(kz_model *m, const char *base, const char *codec_path,
                               char **folder, kz__err *err) {
    *folder = NULL;
    if (codec_path) {
        *folder = kz__path_join(&m->mem, codec_path, "speech_tokenizer");
        if (*folder && kz__path_look(*folder) == KZ__PATH_FOLDER) return KZ_OK;
        kz__free(&m->mem, *folder);
        *folder = kz__strndup(&m->mem, codec_path, strlen(codec_path));
        return *folder ? KZ_OK : kz__fail_memory(err);
    }
    *folder = kz__path_join(&m->mem, base, "speech_tokenizer");
    if (!*folder) return kz__fail_memory(err);
    kz__path_kind kind = kz__path_look(*folder);
    if (kind == KZ__PATH_FOLDER) return KZ_OK;
    if (kind != KZ__PATH_MISSING) return kz__path_fail_look(err, *folder);
    kz__free(&m->mem, *folder);
    *folder = NULL;
    return KZ_OK;
}

kz_status kz__model_load(kz_model *m, const char *path, const kz_model_options *options,
                         const kz__sink *sink, kz__err *err) {
    char *folder = NULL;
    char *codec = NULL;
    kz_status status = KZ_OK;
    if (options->codec_only) {
        m->type = KZ_TYPE_F32;
        status = kz__model_find_codec(m, path, path, &codec, err);
    } else {
        status = kz__locate_checkpoint(&m->mem, path, &folder, err);
        if (!status) status = load_talker(m, folder, options->type, sink, err);
        if (!status) status = kz__model_find_codec(m, folder, options->codec_path, &codec, err);
    }
    m->codec_folder = codec;
    if (!status && codec) status = load_codec(m, codec, options->decoder, sink, err);
    kz__free(&m->mem, folder);
    if (status) return status;
    tell_unused(m);
    if (m->weights) kz__weights_forget(m->weights);
    if (m->codec_weights) kz__weights_forget(m->codec_weights);
    return KZ_OK;
}

/* The weights that the encoder is among. Packed files of models that do not clone lack it, and
 * older ones. */
static kz_status open_encoder(const kz_model *m, kz__mem *mem, kz__weights **weights,
                              kz__err *err) {
    kz__shown path;
    if (m->codec_folder) return kz__weights_open(mem, m->codec_folder, weights, err);
    kz_status status = kz__weights_from_packed(mem, &m->packed, weights, err);
    if (status || kz__codec_encoder_found(*weights)) return status;
    return kz__fail(err, KZ_ERR_MODEL,
                    "'%s' holds no codec encoder, which turns a recording into codes: take the "
                    "folder that it was made from, or convert that again where it is a Base model",
                    kz__show_path(&path, m->packed.path));
}

kz_status kz__model_load_encoder(const kz_model *m, kz__mem *mem, kz__codec_encoder *encoder,
                                 kz__err *err) {
    const kz__encoder_config *config = &m->config.codec.encoder;
    memset(encoder, 0, sizeof *encoder);
    if (!m->has_codec) {
        return kz__fail(err, KZ_ERR_MODEL, "the model has no speech tokenizer, which turns a "
                                           "recording into codes");
    }
    if (!config->quantizers) {
        return kz__fail(err, KZ_ERR_MODEL,
                        "the speech tokenizer's encoder, which turns a recording into codes, "
                        "cannot be used: %s", config->problem.text);
    }
    kz__weights *weights = NULL;
    kz_status status = open_encoder(m, mem, &weights, err);
    if (!status) status = kz__codec_encoder_load(mem, weights, config, encoder, err);
    if (!status && kz__weights_are_packed(weights)) status = kz__weights_check(weights, err);
    if (status) kz__codec_encoder_clear(mem, encoder);
    kz__weights_close(weights);
    return status;
}

static kz_status load_any(kz_model *m, const char *path, const kz_model_options *options,
                          kz__err *err) {
    kz_status status =
        kz__level_choose(&kz__process_levels, &m->mem, options->cpu, &m->kernels, err);
    if (status) return status;
    if (kz__packed_is(path)) return kz__model_unpack(m, path, options, err);
    return kz__model_load(m, path, options, NULL, err);
}

kz_status kz__model_check_format(kz_type type, kz_decoder decoder, kz__err *err) {
    if (type < KZ_TYPE_STORED || type > KZ_TYPE_Q4) {
        return kz__fail(err, KZ_ERR_USAGE, "weight type %d is not one of 0 to %d", (int)type,
                        (int)KZ_TYPE_Q4);
    }
    if (decoder < KZ_DECODER_DEFAULT || decoder > KZ_DECODER_INT8) {
        return kz__fail(err, KZ_ERR_USAGE, "decoder %d is not one of 0 to %d", (int)decoder,
                        (int)KZ_DECODER_INT8);
    }
    return KZ_OK;
}

static kz_status check(const char *path, const kz_model_options *given, kz_model_options *options,
                       kz__err *err) {
    static const kz__sized shape = KZ__SIZED(kz_model_options, codec_path);
    kz_model_options_init(options);
    kz_status status = given ? kz__sized_take(&shape, given, options, err) : KZ_OK;
    if (status) return status;
    if (!path || !path[0]) return kz__fail(err, KZ_ERR_USAGE, "opening needs a path");
    return kz__model_check_format(options->type, options->decoder, err);
}

kz_status kz_model_open(const char *path, const kz_model_options *given, kz_model **model,
                        char *error, size_t capacity) {
    kz__err err = {""};
    kz_model_options options;
    if (!model) return KZ_ERR_USAGE;
    *model = NULL;
    kz__mem boot;
    kz_status status = check(path, given, &options, &err);
    if (!status) status = kz__mem_init(&boot, options.allocator, &err);
    kz_model *m = status ? NULL : kz__calloc(&boot, 1, sizeof *m);
    if (!status && !m) status = kz__fail_memory(&err);
    if (!status) {
        kz__mem_init_like(&m->mem, &boot);
        kz__fpenv saved = kz__fpenv_set(); /* weights are rounded */
        status = load_any(m, path, &options, &err);
        kz__fpenv_restore(saved);
    }
    if (status) {
        kz_model_free(m);
        kz__err_copy(&err, error, capacity);
        return status;
    }
    *model = m;
    return KZ_OK;
}

void kz__model_clear(kz_model *m) {
    kz__keep_close(m->keep);
    kz__talker_clear(&m->mem, &m->talker);
    kz__predictor_clear(&m->mem, &m->predictor);
    kz__codec_decoder_clear(&m->mem, &m->decoder);
    kz__speaker_encoder_clear(&m->mem, &m->speaker_encoder);
    kz__tokenizer_free(m->tokenizer);
    kz__weights_close(m->weights);
    kz__weights_close(m->codec_weights);
    kz__free(&m->mem, m->codec_folder);
    kz__packed_close(&m->packed);
    kz__config_clear(&m->mem, &m->config);
}

void kz_model_free(kz_model *m) {
    if (!m) return;
    kz__model_clear(m);
    kz__mem last;
    kz__mem_init_like(&last, &m->mem);
    kz__free(&last, m);
}

/* What entries of the store can take: rows for all positions, or states of the decoder. */
static uint64_t keep_bytes(const kz_model *m, const kz_session *s, uint64_t row_bytes) {
    uint64_t most = m->config.max_positions * row_bytes;
    if (s->codec && m->config.kind == KZ_KIND_BASE) {
        uint64_t state = kz__codec_state_floats(s->codec, m->config.max_positions) * sizeof(float);
        if (most < state) most = state;
    }
    most *= KZ__KEEP_ENTRIES;
    return most < KZ__KEEP_BYTES ? most : KZ__KEEP_BYTES;
}

/* A session with one thread is made and measured: the plan is what happens. */
static kz_status plan(const kz_model *m, kz_model_info *info) {
    kz_session *s = NULL;
    kz_session_options options;
    kz_session_options_init(&options);
    options.threads = 1;
    kz_status status = kz_session_create(m, &options, &s, NULL, 0);
    if (status) return status;
    info->session_bytes = atomic_load(&s->mem.current);
    if (m->has_talker) {
        const kz__kvcache *cache = &s->talker.cache;
        info->frame_bytes = kz__kvcache_page_bytes(cache) / cache->page_positions;
        info->prefix_bytes = keep_bytes(m, s, info->frame_bytes);
    }
    kz_session_free(s);
    return KZ_OK;
}

static void info_talker(const kz_model *m, kz_model_info *info) {
    const kz__config *c = &m->config;
    info->kind = c->kind;
    info->size_name = c->size_name;
    info->codes_per_frame = (int)c->code_groups;
    info->talker_layers = (int)c->talker.layers;
    info->talker_width = (int)c->talker.width;
    info->predictor_layers = (int)c->predictor.layers;
    info->predictor_width = (int)c->predictor.width;
    info->speaker_vector_length = c->kind == KZ_KIND_BASE ? (int)c->talker.width : 0;
    info->max_positions = (int)c->max_positions;
    info->takes_instruct = c->takes_instruct;
    info->default_live_text = c->kind == KZ_KIND_BASE;
    info->speaker_count = c->speaker_count;
    info->language_count = c->language_count;
    info->type = m->type;
    info->prompt_macs_per_row = kz__stack_macs(&m->talker.stack);
    info->lm_bytes_per_frame = kz__talker_bytes(&m->talker) + kz__predictor_bytes(&m->predictor);
}

static void fill_info(const kz_model *m, kz_model_info *info) {
    memset(info, 0, sizeof *info);
    info->size_name = "";
    info->cpu = kz__level_name(m->kernels.level);
    if (m->has_talker) info_talker(m, info);
    if (m->has_codec) {
        const kz__codec_config *c = &m->config.codec;
        info->sample_rate = (int)c->sample_rate;
        info->samples_per_frame = (int)c->samples_per_frame;
        info->codes_per_frame = (int)c->quantizers;
        info->codebook_size = (int)c->codebook_size;
        info->decoder = m->decoder.arithmetic;
        info->decoder_macs_per_frame = kz__codec_decoder_macs(&m->decoder);
    }
    const kz__weights *weights[2] = {m->weights, m->codec_weights};
    for (size_t i = 0; i < 2; i++) {
        info->parameters += weights[i] ? kz__weights_values(weights[i]) : 0;
        info->mapped_bytes += weights[i] ? kz__weights_mapped(weights[i]) : 0;
    }
    info->packed = m->packed.count > 0;
    info->packed_major = (int)m->packed.header.major;
    info->packed_minor = (int)m->packed.header.minor;
    info->packed_arithmetic = (int)m->packed.header.arithmetic;
    info->has_talker = m->has_talker;
    info->has_codec = m->has_codec;
    info->has_speaker_encoder = m->has_speaker_encoder;
    info->panel_bytes = atomic_load(&m->mem.current);
    if (m->has_talker) {
        info->text_limit = info->parameters < SMALL_MODEL ? SMALL_TEXT_LIMIT : TEXT_LIMIT;
    }
}

kz_status kz_model_get_info(const kz_model *m, kz_model_info *info) {
    static const kz__sized shape = KZ__SIZED(kz_model_info, kind);
    kz_model_info full;
    kz_status status = m ? kz__sized_check(&shape, info, NULL) : KZ_ERR_USAGE;
    if (status) return status;
    fill_info(m, &full);
    status = plan(m, &full);
    if (!status) kz__sized_give(info, info->size, &full, sizeof full);
    return status;
}

const char *kz_model_speaker(const kz_model *m, size_t index, const char **dialect) {
    if (dialect) *dialect = NULL;
    if (!m || index >= m->config.speaker_count) return NULL;
    const kz__speaker_config *speaker = &m->config.speakers[index];
    if (dialect && speaker->dialect >= 0) {
        *dialect = m->config.languages[speaker->dialect].name;
    }
    return speaker->name;
}

const char *kz_model_language(const kz_model *m, size_t index) {
    if (!m || index >= m->config.language_count) return NULL;
    return m->config.languages[index].name;
}
