/* Converting: a model is loaded, and what is made of its weights goes into a packed file instead of
 * into memory. */
#include "base/fpenv.h"
#include "base/log.h"
#include "base/mapfile.h"
#include "base/path.h"
#include "base/pool.h"
#include "base/sized.h"
#include "engine/model.h"

#include <string.h>

#define CODEC_NAME "speech_tokenizer"

/* A file as it is; nothing where it is not there and need not be. */
static kz_status copy_file(kz_model *m, kz__packed_writer *writer, const char *folder,
                           const char *name, const char *as, bool optional, kz__err *err) {
    kz__mapfile map = {0};
    char *path = kz__path_join(&m->mem, folder, name);
    if (!path) return kz__fail_memory(err);
    kz_status status = KZ_OK;
    if (!optional || kz__path_look(path) != KZ__PATH_MISSING) {
        status = kz__mapfile_open(&map, path, err);
        if (!status) {
            kz__packed_entry entry = {.name = as, .kind = KZ__PACKED_FILE, .type = KZ__OTHER};
            entry.bytes = map.size;
            status = kz__packed_write(writer, &entry, map.data, err);
            kz__mapfile_close(&map);
        }
    }
    kz__free(&m->mem, path);
    return status;
}

static kz_status copy_files(kz_model *m, kz__packed_writer *writer, const char *folder,
                            const char *codec, kz__err *err) {
    const struct {
        const char *folder, *name, *as;
        bool optional;
    } files[] = {
        {folder, KZ__CONFIG_FILE, KZ__CONFIG_FILE, false},
        {folder, KZ__GENERATION_FILE, KZ__GENERATION_FILE, true},
        {folder, "vocab.json", "vocab.json", false},
        {folder, "merges.txt", "merges.txt", false},
        {folder, "tokenizer_config.json", "tokenizer_config.json", false},
        {codec, KZ__CONFIG_FILE, KZ__CODEC_FILE, false},
    };
    kz_status status = KZ_OK;
    for (size_t i = 0; i < sizeof files / sizeof files[0] && !status; i++) {
        status = copy_file(m, writer, files[i].folder, files[i].name, files[i].as,
                           files[i].optional, err);
    }
    return status;
}

/* The weight type that the file says it has: where all is stored in one type, that is it. */
static kz_type type_of(const kz_model *m, kz_type asked) {
    if (asked != KZ_TYPE_STORED) return asked;
    kz__dtype stored = kz__weights_type(m->weights);
    return stored == KZ__BF16 ? KZ_TYPE_BF16 : stored == KZ__F32 ? KZ_TYPE_F32 : KZ_TYPE_STORED;
}

/* Base models alone clone voices. A codec without its encoder still speaks. */
static kz_status write_encoder(kz_model *m, kz__err *err) {
    const kz__encoder_config *config = &m->config.codec.encoder;
    kz__codec_encoder encoder;
    if (m->config.kind != KZ_KIND_BASE) return KZ_OK;
    if (!config->quantizers || !kz__codec_encoder_found(m->codec_weights)) {
        kz__log(KZ__NOTICE, "the speech tokenizer has no encoder that can be used: the packed file "
                            "speaks, but turns no recording into codes");
        return KZ_OK;
    }
    kz_status status = kz__codec_encoder_load(&m->mem, m->codec_weights, config, &encoder, err);
    kz__codec_encoder_clear(&m->mem, &encoder);
    return status;
}

static kz_status write_all(kz_model *m, const char *path, const kz_convert_options *options,
                           kz__packed_writer *writer, kz_convert_result *result, kz__err *err) {
    const kz__sink sink = {writer, options->threads, options->compact};
    kz__shown shown;
    char *folder = NULL;
    char *codec = NULL;
    kz_model_options how;
    kz_model_options_init(&how);
    how.codec_path = options->codec_path;
    how.type = options->type;
    how.decoder = options->decoder;
    kz_status status = kz__locate_checkpoint(&m->mem, path, &folder, err);
    if (!status) status = kz__model_find_codec(m, folder, how.codec_path, &codec, err);
    if (!status && !codec) {
        status = kz__fail(err, KZ_ERR_MODEL,
                          "the folder '%s' has no " CODEC_NAME ", which a packed file must hold: "
                          "give one with it",
                          kz__show_path(&shown, folder));
    }
    if (!status) status = kz__model_load(m, folder, &how, &sink, err);
    if (!status) status = write_encoder(m, err);
    if (!status) kz__weights_write_to(m->codec_weights, writer, options->threads); /* compact too */
    if (!status) status = kz__weights_keep_rest(m->weights, err);
    if (!status) status = kz__weights_keep_rest(m->codec_weights, err);
    if (!status) status = copy_files(m, writer, folder, codec, err);
    if (!status) {
        kz__packed_header header = {KZ__PACKED_MAJOR, KZ__PACKED_MINOR, (uint32_t)kz_arithmetic(),
                                    type_of(m, options->type), ""};
        const char *decoder = kz__packed_decoders[m->decoder.arithmetic];
        memcpy(header.decoder, decoder, strlen(decoder));
        result->type = header.type;
        status = kz__packed_finish(writer, &header, &result->bytes, &result->entries, err);
    }
    kz__free(&m->mem, folder);
    kz__free(&m->mem, codec);
    return status;
}

static kz_status convert(const char *path, const kz_convert_options *options, kz_write_fn write,
                         void *user, kz_convert_result *result, kz__err *err) {
    kz__shown shown;
    kz__packed_writer *writer = NULL;
    kz_model m;
    memset(&m, 0, sizeof m);
    if (kz__packed_is(path)) {
        return kz__fail(err, KZ_ERR_MODEL,
                        "'%s' is a packed file already: convert takes a checkpoint folder",
                        kz__show_path(&shown, path));
    }
    kz_status status = kz__mem_init(&m.mem, options->allocator, err);
    if (status) return status;
    kz__fpenv saved = kz__fpenv_set();
    status = kz__packed_writer_create(&m.mem, write, user, &writer, err);
    if (!status) status = write_all(&m, path, options, writer, result, err);
    kz__packed_writer_free(writer);
    kz__model_clear(&m);
    kz__fpenv_restore(saved);
    return status;
}

static kz_status check(const char *path, const kz_convert_options *given, kz_write_fn write,
                       kz_convert_options *options, kz__err *err) {
    static const kz__sized shape = KZ__SIZED(kz_convert_options, codec_path);
    kz_convert_options_init(options);
    kz_status status = given ? kz__sized_take(&shape, given, options, err) : KZ_OK;
    if (status) return status;
    if (!path || !path[0] || !write || (options->threads < 1 && options->threads != KZ_DEFAULT) ||
        options->threads > KZ__THREADS_MAX) {
        return kz__fail(err, KZ_ERR_USAGE, "converting needs a path, a place to write to, and 1 to "
                        "%d threads", KZ__THREADS_MAX);
    }
    if (options->compact < 0 || options->compact > 1 || options->reserved) {
        return kz__fail(err, KZ_ERR_USAGE, "compact %d, reserved %d: allowed are 0 or 1, and 0",
                        options->compact, options->reserved);
    }
    return kz__model_check_format(options->type, options->decoder, err);
}

kz_status kz_convert(const char *path, const kz_convert_options *given, kz_write_fn write,
                     void *user, kz_convert_result *result, char *error, size_t capacity) {
    static const kz__sized shape = KZ__SIZED(kz_convert_result, bytes);
    kz__err err = {""};
    kz_convert_options options;
    kz_convert_result made = {0};
    kz_status status = check(path, given, write, &options, &err);
    if (!status && result) status = kz__sized_check(&shape, result, &err);
    if (!status) status = convert(path, &options, write, user, &made, &err);
    if (!status && result) kz__sized_give(result, result->size, &made, sizeof made);
    kz__err_copy(&err, error, capacity);
    return status;
}
