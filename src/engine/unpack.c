/* Opening a packed file: everything is mapped. Once it is known what is in use, checksums are
 * compared and the tokenizer is read side by side, on all processors. */
#include "base/cpu.h"
#include "base/log.h"
#include "base/path.h"
#include "base/pool.h"
#include "engine/model.h"

#include <inttypes.h>

static const char *type_text(kz_type type) {
    static const char *const texts[] = {"several types", "f32", "bf16", "q8", "q4"};
    return texts[type];
}

/* What was asked for and what the file is. */
static kz_status check_asked(const kz_model *m, const char *path, const kz_model_options *options,
                             kz__err *err) {
    kz__shown file;
    kz__shown codec;
    const kz__packed_header *h = &m->packed.header;
    kz__show_path(&file, path);
    if (options->codec_path && !options->codec_only) {
        return kz__fail(err, KZ_ERR_USAGE,
                        "'%s' is a packed file with its own speech tokenizer, '%s' cannot take its "
                        "place: convert with it",
                        file.text, kz__show_path(&codec, options->codec_path));
    }
    if (options->type != KZ_TYPE_STORED && options->type != h->type && !options->codec_only) {
        return kz__fail(err, KZ_ERR_MODEL,
                        "'%s' is packed with weights of %s, not %s: convert the model again",
                        file.text, type_text(h->type), type_text(options->type));
    }
    if (options->decoder != KZ_DECODER_DEFAULT && options->decoder != m->packed.decoder) {
        return kz__fail(err, KZ_ERR_MODEL,
                        "'%s' is packed for the decoder '%s', not '%s': convert the model again",
                        file.text, h->decoder, kz__packed_decoders[options->decoder]);
    }
    if (h->arithmetic != (uint32_t)kz_arithmetic()) {
        kz__log(KZ__NOTICE,
                "'%s' was packed under arithmetic %" PRIu32 ", this build has %d: convert the "
                "model again for the samples of the unpacked one",
                file.text, h->arithmetic, kz_arithmetic());
    }
    return KZ_OK;
}

static kz_status bind(kz_model *m, const kz_model_options *options, kz__err *err) {
    kz_status status = KZ_OK;
    m->type = KZ_TYPE_F32;
    if (!options->codec_only) {
        status = kz__config_from_packed(&m->mem, &m->packed, &m->config, err);
    }
    if (!status) {
        status = kz__config_codec_from_packed(&m->mem, &m->packed, &m->config, err);
    }
    if (!status) status = kz__weights_from_packed(&m->mem, &m->packed, &m->weights, err);
    if (!status && !options->codec_only) {
        status = kz__model_bind_talker(m, m->packed.header.type, err);
    }
    return status ? status : kz__model_bind_codec(m, m->packed.decoder, err);
}

static kz_status read_tokenizer(kz_model *m, kz__err *err) {
    static const char *const names[] = {"vocab.json", "merges.txt", "tokenizer_config.json"};
    kz__text_file files[3] = {{0}};
    char *paths[3] = {NULL, NULL, NULL};
    kz_status status = KZ_OK;
    for (int i = 0; i < 3 && !status; i++) {
        status = kz__packed_file(&m->packed, names[i], false, &paths[i], &files[i].data,
                                 &files[i].size, err);
        files[i].name = paths[i];
    }
    if (!status) {
        status = kz__tokenizer_make(&m->mem, &files[0], &files[1], &files[2], &m->tokenizer, err);
    }
    for (int i = 0; i < 3; i++) kz__free(&m->mem, paths[i]);
    return status ? status : kz__model_check_tokenizer(m, err);
}

typedef struct work {
    kz_model *model;
    kz__packed_check check;
    size_t before; /* items before the checksums: the tokenizer, the longest */
    kz_status tokenizer;
    kz__err err;
} work;

static void do_items(void *arg, size_t begin, size_t end, int thread) {
    work *w = arg;
    (void)thread;
    for (size_t i = begin; i < end; i++) {
        if (i < w->before) {
            w->tokenizer = read_tokenizer(w->model, &w->err);
        } else {
            kz__packed_check_item(&w->check, i - w->before);
        }
    }
}

static kz_status check(kz_model *m, const kz_model_options *options, kz__err *err) {
    work w = {.model = m, .before = options->codec_only ? 0 : 1};
    kz__pool *pool = NULL;
    kz_status status = kz__pool_create(&m->mem, kz__cpu_count(), &pool, err);
    if (status) return status;
    status = kz__weights_check_begin(m->weights, &w.check, err);
    if (!status) {
        kz__pool_for(pool, w.before + w.check.items, 1, do_items, &w);
        status = kz__packed_check_end(&w.check, err);
    }
    kz__pool_destroy(pool);
    if (!status && w.tokenizer) {
        if (err) *err = w.err;
        status = w.tokenizer;
    }
    return status;
}

kz_status kz__model_unpack(kz_model *m, const char *path, const kz_model_options *options,
                           kz__err *err) {
    kz_status status = kz__packed_open(&m->mem, path, &m->packed, err);
    if (!status) status = check_asked(m, path, options, err);
    if (!status) status = bind(m, options, err);
    return status ? status : check(m, options, err);
}
