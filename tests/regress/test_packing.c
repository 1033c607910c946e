/* Packed models as models: the samples of the folder they were made from, one set of bytes, little
 * memory of their own, the codec encoder of those that clone, damage, and tables that lie. */
#include "base/fpenv.h"
#include "harness/counting_alloc.h"
#include "harness/encoder.h"
#include "harness/talk.h"
#include "harness/tests.h"
#include "harness/tmpdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static kzt_run speak(const char *model, kz_type type, const kz_request *request) {
    kz_model_options options;
    kz_model_options_init(&options);
    options.type = type;
    kz_model *m = kzt_open(model, &options);
    kz_session *s = kzt_session(m, 2);
    kzt_run run = kzt_run_all(s, request);
    assert_int_equal(run.status, KZ_DONE);
    kz_session_free(s);
    kz_model_free(m);
    return run;
}

/* ---- the same model ------------------------------------------------------------------------ */

/* Folder, packed file, and compact one, which has the codec as stored and no panels of it. */
static void test_same_samples(void **state) {
    (void)state;
    const char *const goldens[] = {"base-eq-icl", "base-mtp-vector", "custom-eq-dialect",
                                   "custom-mtp-instruct", "design-mtp-live"};
    for (size_t g = 0; g < sizeof goldens / sizeof *goldens; g++) {
        kzt_golden golden;
        kzt_golden_load(goldens[g], &golden);
        golden.request.max_frames = KZ_DEFAULT;
        golden.request.exact_frames = 8;
        for (int type = KZ_TYPE_STORED; type <= KZ_TYPE_Q4; type++) {
            kzt_packed plain = kzt_pack_to_disk(golden.checkpoint, (kz_type)type);
            kzt_packed compact = kzt_pack_compact(golden.checkpoint, (kz_type)type);
            const char *const models[3] = {golden.checkpoint, plain.path, compact.path};
            kzt_run runs[3];
            for (size_t i = 0; i < 3; i++) {
                runs[i] = speak(models[i], i ? KZ_TYPE_STORED : (kz_type)type, &golden.request);
                kzt_same(&runs[0], &runs[i]);
            }
            assert_true(compact.file.size < plain.file.size);
            assert_true(kzt_packed_row(&plain.file, "decoder.pre_conv.conv") > 0);
            assert_int_equal(kzt_packed_row(&compact.file, "decoder.pre_conv.conv"), 0);
            for (size_t i = 0; i < 3; i++) kzt_run_free(&runs[i]);
            kzt_packed_drop(&plain);
            kzt_packed_drop(&compact);
        }
        kzt_golden_free(&golden);
    }
}

static void test_info(void **state) {
    (void)state;
    kz_model *m = kzt_open("custom-mtp", NULL);
    kz_model_info folder = {.size = sizeof folder};
    kz_model_info file = {.size = sizeof file};
    assert_int_equal(kz_model_get_info(m, &folder), KZ_OK);
    assert_int_equal(folder.packed, 0);
    kz_model_free(m);
    kzt_packed p = kzt_pack_to_disk("custom-mtp", KZ_TYPE_STORED);
    m = kzt_open(p.path, NULL);
    assert_int_equal(kz_model_get_info(m, &file), KZ_OK);
    assert_int_equal(file.packed, 1);
    assert_int_equal(file.packed_major, 2);
    assert_int_equal(file.packed_minor, 0);
    assert_int_equal(file.packed_arithmetic, kz_arithmetic());
    assert_int_equal(file.type, KZ_TYPE_BF16);
    assert_int_equal(file.decoder, folder.decoder);
    assert_int_equal(file.parameters, folder.parameters);
    assert_int_equal(file.mapped_bytes, p.file.size);
    assert_int_equal(file.lm_bytes_per_frame, folder.lm_bytes_per_frame);
    kz_model_free(m);
    kzt_packed_drop(&p);
}

/* A checkpoint of several types has none to name, but the same samples. */
static void test_mixed_types(void **state) {
    (void)state;
    static const char was[] = "\"talker.codec_head.weight\":{\"dtype\":\"BF16\"";
    static const char is[] = "\"talker.codec_head.weight\":{\"dtype\":\"F16\" ";
    char *folder = kzt_copy_checkpoint("custom-mtp");
    char *weights = kzt_path(folder, "model.safetensors");
    size_t size = 0;
    char *bytes = kzt_read(weights, &size);
    size_t at = 0;
    while (at + sizeof was < size && memcmp(bytes + at, was, sizeof was - 1)) at++;
    assert_true(at + sizeof was < size);
    memcpy(bytes + at, is, sizeof is - 1);
    kzt_write(folder, "model.safetensors", bytes, size);
    kzt_packed p = kzt_pack_to_disk(folder, KZ_TYPE_STORED);
    assert_int_equal(kzt_get(p.file.bytes, 48, 4), KZ_TYPE_STORED);
    kz_request request = kzt_request("Hi.");
    request.exact_frames = 6;
    kzt_run one = speak(folder, KZ_TYPE_STORED, &request);
    kzt_run two = speak(p.path, KZ_TYPE_STORED, &request);
    kzt_same(&one, &two);
    kz_model_options options;
    kz_model_options_init(&options);
    options.type = KZ_TYPE_F32;
    kz_model *m = NULL;
    char err[512];
    assert_int_equal(kz_model_open(p.path, &options, &m, err, sizeof err), KZ_ERR_MODEL);
    kzt_has(err, "packed with weights of several types, not f32");
    kzt_run_free(&one);
    kzt_run_free(&two);
    kzt_packed_drop(&p);
    free(bytes);
    free(weights);
    kzt_tmpdir_remove(folder);
}

static void same_bytes(const kzt_file *a, const kzt_file *b) {
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->bytes, b->bytes, b->size);
}

static void test_same_bytes(void **state) {
    (void)state;
    static const char *const checkpoints[] = {"custom-mtp", "base-eq"};
    static const int threads[] = {2, 3, 6};
    for (size_t i = 0; i < 2; i++) {
        kzt_file first = {0};
        kzt_pack(checkpoints[i], KZ_TYPE_Q4, 1, &first);
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
            kzt_file again = {0};
            kzt_pack(checkpoints[i], KZ_TYPE_Q4, threads[t], &again);
            same_bytes(&again, &first);
            kzt_file_free(&again);
        }
        kzt_file_free(&first);
    }
}

/* Weights stay where they are: what a packed model allocates is vectors and the tokenizer. */
static void test_memory(void **state) {
    (void)state;
    size_t bytes[2];
    kzt_packed p = kzt_pack_to_disk("custom-mtp", KZ_TYPE_F32);
    for (int i = 0; i < 2; i++) {
        kzt_counter counter = {0};
        kz_allocator allocator = kzt_counting_allocator(&counter);
        kz_model_options options;
        kz_model_options_init(&options);
        options.allocator = &allocator;
        if (i == 0) options.type = KZ_TYPE_F32;
        kz_model_free(kzt_open(i ? p.path : "custom-mtp", &options));
        bytes[i] = counter.peak;
        assert_int_equal(counter.blocks, 0);
    }
    assert_true(bytes[1] < bytes[0] / 3);
    kzt_packed_drop(&p);
}

/* ---- calls --------------------------------------------------------------------------------- */

static void test_calls(void **state) {
    (void)state;
    char err[512] = "";
    kzt_file file = {0};
    kz_convert_options options;
    kz_convert_result result = {.size = sizeof result};
    kz_convert_options_init(&options);
    options.type = KZ_TYPE_Q8;
    const char *folder = kzt_checkpoint("custom-mtp");
    assert_int_equal(kz_convert(folder, &options, kzt_file_take, &file, &result, err, 512), KZ_OK);
    assert_int_equal(result.bytes, file.size);
    assert_int_equal(result.type, KZ_TYPE_Q8);
    assert_true(result.entries > 100);
    kzt_file_free(&file);
    file.stop_at = 2;
    assert_int_equal(kz_convert(folder, &options, kzt_file_take, &file, NULL, err, 512),
                     KZ_ERR_OUTPUT);
    kzt_file_free(&file);
    assert_int_equal(kz_convert(NULL, &options, kzt_file_take, &file, NULL, err, 512),
                     KZ_ERR_USAGE);
    assert_int_equal(kz_convert(folder, &options, NULL, &file, NULL, err, 512), KZ_ERR_USAGE);
    options.threads = 0;
    assert_int_equal(kz_convert(folder, &options, kzt_file_take, &file, NULL, err, 512),
                     KZ_ERR_USAGE);
    options.threads = 257;
    assert_int_equal(kz_convert(folder, &options, kzt_file_take, &file, NULL, err, 512),
                     KZ_ERR_USAGE);
    options.threads = 1;
    options.type = (kz_type)9;
    assert_int_equal(kz_convert(folder, &options, kzt_file_take, &file, NULL, err, 512),
                     KZ_ERR_USAGE);
    options.type = KZ_TYPE_Q8;
    options.size = 8;
    assert_int_equal(kz_convert(folder, &options, kzt_file_take, &file, NULL, err, 512),
                     KZ_ERR_USAGE);
    kzt_file_free(&file);
}

/* Only the codec of a packed model. */
static void test_codec_alone(void **state) {
    (void)state;
    static const int32_t codes[32] = {3, 1, 4, 1, 5};
    kzt_packed p = kzt_pack_to_disk("custom-mtp", KZ_TYPE_Q4);
    kz_model_options options;
    kz_model_options_init(&options);
    options.codec_only = 1;
    kzt_run runs[2];
    for (int i = 0; i < 2; i++) {
        kz_model *m = kzt_open(i ? p.path : "custom-mtp", &options);
        kz_session *s = kzt_session(m, 1);
        runs[i] = kzt_decode(s, codes, 2, 0);
        kz_session_free(s);
        kz_model_free(m);
    }
    kzt_same_samples(runs[0].samples, runs[0].count, runs[1].samples, runs[1].count);
    kzt_run_free(&runs[0]);
    kzt_run_free(&runs[1]);
    kzt_packed_drop(&p);
}

/* ---- the codec encoder ---------------------------------------------------------------------- */

static kz_status load_encoder(const kz_model *m, char err[512]) {
    kz__mem mem;
    kz__err sentence = {""};
    kz__codec_encoder encoder;
    kz__fpenv saved = kz__fpenv_set();
    kz__mem_init(&mem, NULL, NULL);
    kz_status status = kz__model_load_encoder(m, &mem, &encoder, &sentence);
    kz__codec_encoder_clear(&mem, &encoder);
    kz__fpenv_restore(saved);
    assert_int_equal(atomic_load(&mem.current), 0);
    kz__err_copy(&sentence, err, 512);
    return status;
}

static bool is_encoders(const char *name) {
    return strncmp(name, "encoder.", 8) == 0;
}

static size_t count_encoders(const kzt_file *file) {
    size_t table = (size_t)kzt_get(file->bytes, 24, 8);
    size_t count = (size_t)kzt_get(file->bytes, 40, 4);
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        found += is_encoders((const char *)file->bytes + table + i * 256);
    }
    return found;
}

#define BOOK "encoder.quantizer.acoustic_residual_vector_quantizer.layers.14.codebook"

static size_t row_of(const kzt_file *file, const char *name) {
    size_t row = kzt_packed_row(file, name);
    if (!row) fail_msg("no entry '%s'", name);
    return row;
}

/* What a checkpoint gives without the encoder, as older versions packed all. */
static kzt_packed pack_without_encoder(const char *checkpoint) {
    char *folder = kzt_copy_checkpoint(checkpoint);
    kzt_drop_tensors(folder, "speech_tokenizer/model.safetensors", "encoder.");
    kzt_packed p = kzt_pack_to_disk(folder, KZ_TYPE_Q4);
    kzt_tmpdir_remove(folder);
    return p;
}

/* Models that clone nothing do not grow by it. */
static void test_encoder_of_base_models(void **state) {
    (void)state;
    static const char *const others[] = {"custom-eq", "custom-mtp", "design-eq", "design-mtp"};
    static const char *const bases[] = {"base-eq", "base-mtp"};
    for (size_t i = 0; i < 4; i++) {
        kzt_packed with = kzt_pack_to_disk(others[i], KZ_TYPE_Q4);
        kzt_packed without = pack_without_encoder(others[i]);
        assert_int_equal(count_encoders(&with.file), 0);
        same_bytes(&with.file, &without.file);
        kzt_packed_drop(&with);
        kzt_packed_drop(&without);
    }
    for (size_t i = 0; i < 2; i++) {
        kzt_file file = {0};
        kzt_pack(bases[i], KZ_TYPE_Q4, 2, &file);
        assert_true(count_encoders(&file) > 50);
        /* panels have what these come to */
        assert_int_equal(kzt_get(file.bytes, row_of(&file, BOOK ".embed_sum") + 168, 8), 0);
        assert_int_equal(kzt_get(file.bytes, row_of(&file, BOOK ".cluster_usage") + 168, 8), 0);
        assert_true(kzt_get(file.bytes, row_of(&file, BOOK) + 168, 8) > 0);
        kzt_file_free(&file);
    }
}

enum { RATE = 24000, CLIP = 2 * RATE + 77 };

/* A voice of a clip, with a transcript. */
static kz_status make_voice(const char *model, const float *clip, kz_voice **voice,
                            char err[512]) {
    kz_voice_options options;
    kz_voice_options_init(&options);
    options.transcript = "What was said.";
    options.threads = 2;
    kz_model *m = kzt_open(model, NULL);
    kz_status status = kz_voice_from_samples(m, clip, CLIP, RATE, &options, voice, err, 512);
    kz_model_free(m);
    return status;
}

/* A packed model makes the voices of its folder, byte for byte. */
static void test_cloning(void **state) {
    (void)state;
    static const char *const bases[] = {"base-eq", "base-mtp"};
    float *clip = kzt_clip(CLIP, 9);
    char err[512] = "";
    for (size_t i = 0; i < 2; i++) {
        kzt_packed p = kzt_pack_to_disk(bases[i], KZ_TYPE_Q4);
        kzt_packed compact = kzt_pack_compact(bases[i], KZ_TYPE_Q4);
        const char *const models[3] = {bases[i], p.path, compact.path};
        kz_voice *voices[3] = {NULL, NULL, NULL};
        const void *bytes[3];
        size_t sizes[3];
        for (size_t k = 0; k < 3; k++) {
            if (make_voice(models[k], clip, &voices[k], err)) fail_msg("%s: %s", models[k], err);
            bytes[k] = kz_voice_bytes(voices[k], &sizes[k]);
            assert_int_equal(sizes[k], sizes[0]);
            assert_memory_equal(bytes[k], bytes[0], sizes[0]);
        }
        for (size_t k = 0; k < 3; k++) kz_voice_free(voices[k]);
        kzt_packed_drop(&p);
        kzt_packed_drop(&compact);
    }
    free(clip);
}

static char noticed[512];

static void notice(void *user, int level, const char *text) {
    (void)user;
    if (level == 0) snprintf(noticed, sizeof noticed, "%s", text);
}

static void test_older_file(void **state) {
    (void)state;
    char err[512];
    kzt_golden golden;
    kzt_golden_load("base-eq-icl", &golden);
    kz_set_log(notice, NULL);
    kzt_packed p = pack_without_encoder(golden.checkpoint);
    kz_set_log(NULL, NULL);
    kzt_has(noticed, "turns no recording into codes");
    assert_int_equal(count_encoders(&p.file), 0);
    kzt_run folder = speak(golden.checkpoint, KZ_TYPE_Q4, &golden.request);
    kzt_run file = speak(p.path, KZ_TYPE_STORED, &golden.request);
    kzt_same(&folder, &file);
    kz_model *m = kzt_open(p.path, NULL);
    assert_int_equal(load_encoder(m, err), KZ_ERR_MODEL);
    kzt_has(err, "model.kz' holds no codec encoder");
    kzt_has(err, "convert that again");
    kz_model_free(m);
    float *clip = kzt_clip(CLIP, 9);
    kz_voice *voice = NULL;
    assert_int_equal(make_voice(p.path, clip, &voice, err), KZ_ERR_MODEL);
    kzt_has(err, "model.kz' holds no codec encoder");
    assert_null(voice);
    free(clip);
    kzt_run_free(&folder);
    kzt_run_free(&file);
    kzt_packed_drop(&p);
    kzt_golden_free(&golden);
}

/* A byte of a file on the disk. */
static void poke(const char *path, size_t at, unsigned char byte) {
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    assert_int_equal(fseek(f, (long)at, SEEK_SET), 0);
    assert_int_equal(fputc(byte, f), byte);
    fclose(f);
}

/* Damage in the encoder's part is not looked for when the model is opened, and found when the
 * encoder is loaded: whoever only speaks does not wait for it. */
static void test_damaged_encoder(void **state) {
    (void)state;
    char err[512];
    kzt_packed p = kzt_pack_to_disk("base-eq", KZ_TYPE_Q4);
    const unsigned char *b = p.file.bytes;
    size_t table = (size_t)kzt_get(b, 24, 8);
    size_t count = (size_t)kzt_get(b, 40, 4);
    size_t tried = 0;
    size_t begin = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        const char *name = (const char *)b + table + i * 256;
        size_t offset = (size_t)kzt_get(b, table + i * 256 + 160, 8);
        size_t bytes = (size_t)kzt_get(b, table + i * 256 + 168, 8);
        if (!is_encoders(name) || !bytes) continue;
        if (offset < begin) begin = offset;
        size_t at = offset + tried * 997 % bytes;
        poke(p.path, at, b[at] ^ 4);
        kz_model *m = kzt_open(p.path, NULL);
        assert_int_equal(load_encoder(m, err), KZ_ERR_MODEL);
        kzt_has(err, "model.kz' is damaged: the checksum of '");
        kzt_has(err, name);
        /* what is mended is whole again, and the model was never touched */
        poke(p.path, at, b[at]);
        assert_int_equal(load_encoder(m, err), KZ_OK);
        kz_model_free(m);
        tried++;
    }
    assert_true(tried > 50);
    /* a file that is cut there is refused when it is opened; one that is open, when it is loaded */
    kz_model *m = kzt_open(p.path, NULL);
    kz_model *cut = NULL;
    assert_int_equal(truncate(p.path, (off_t)begin + 100), 0);
    assert_int_equal(kz_model_open(p.path, NULL, &cut, err, 512), KZ_ERR_MODEL);
    kzt_has(err, "model.kz' is cut");
    assert_int_equal(load_encoder(m, err), KZ_ERR_MODEL);
    kzt_has(err, "model.kz' was cut while in use");
    kz_model_free(m);
    kzt_packed_drop(&p);
}

/* ---- tables that lie, under right checksums ------------------------------------------------- */

/* Opens what is on the disk and, where that works, speaks and, of a Base model, loads the codec
 * encoder; nothing may break. */
static kz_status try_it(const char *path, char err[512]) {
    kz_model *m = NULL;
    err[0] = 0;
    kz_status status = kz_model_open(path, NULL, &m, err, 512);
    if (status) return status;
    if (m->config.kind == KZ_KIND_BASE) status = load_encoder(m, err);
    kz_request request = kzt_request("Hi.");
    kz_session *s = kzt_session(m, 1);
    float samples[2000];
    size_t got = 0;
    request.exact_frames = 2;
    kz_status spoken = kz_session_start(s, &request);
    while (!spoken) spoken = kz_session_read(s, samples, 2000, &got, -1);
    kz_session_free(s);
    kz_model_free(m);
    return status;
}

/* Puts the table and the header of the file in memory over those on the disk. */
static void rewrite(const kzt_packed *p) {
    FILE *f = fopen(p->path, "r+b");
    size_t table = (size_t)kzt_get(p->file.bytes, 24, 8);
    assert_non_null(f);
    kzt_packed_seal(p->file.bytes, p->file.size);
    assert_int_equal(fwrite(p->file.bytes, 1, 4096, f), 4096);
    assert_int_equal(fseek(f, (long)table, SEEK_SET), 0);
    assert_int_equal(fwrite(p->file.bytes + table, 1, p->file.size - table, f),
                     p->file.size - table);
    fclose(f);
}

/* Every entry, or every one of the encoder's, in turn: another name, two sizes that change
 * places. */
static void lie(kzt_packed p, bool encoders) {
    unsigned char *b = p.file.bytes;
    size_t table = (size_t)kzt_get(b, 24, 8);
    size_t count = (size_t)kzt_get(b, 40, 4);
    char err[512];
    assert_int_equal(try_it(p.path, err), KZ_OK);
    for (size_t i = 0; i < count; i += KZT_SLOW) {
        unsigned char *row = b + table + i * 256;
        unsigned char saved[256];
        memcpy(saved, row, sizeof saved);
        const char *name = (const char *)saved;
        if (encoders && !is_encoders(name)) continue;
        row[strlen(name) - 1] ^= 1;
        rewrite(&p);
        kz_status status = try_it(p.path, err);
        bool needed = strcmp(name, "generation_config.json") != 0;
        if (needed && (status != KZ_ERR_MODEL || !strstr(err, "model.kz"))) {
            fail_msg("'%s' under another name: %d %s", name, (int)status, err);
        }
        memcpy(row, saved, sizeof saved);
        uint64_t rank = kzt_get(row, 192, 4);
        uint64_t first = kzt_get(row, 200, 8);
        uint64_t last = rank ? kzt_get(row, 200 + 8 * (size_t)(rank - 1), 8) : 0;
        if (rank > 1 && first != last) {
            kzt_put(row, 200, 8, last);
            kzt_put(row, 200 + 8 * (size_t)(rank - 1), 8, first);
            rewrite(&p);
            status = try_it(p.path, err);
            if (status != KZ_ERR_MODEL) fail_msg("'%s' of another shape: %d", name, (int)status);
            memcpy(row, saved, sizeof saved);
        }
    }
    kzt_packed_drop(&p);
}

static void test_entries_that_lie(void **state) {
    (void)state;
    lie(kzt_pack_to_disk("custom-mtp", KZ_TYPE_Q4), false);
    lie(kzt_pack_to_disk("base-mtp", KZ_TYPE_Q4), true);
    lie(kzt_pack_compact("custom-mtp", KZ_TYPE_Q4), false);
    lie(kzt_pack_compact("base-mtp", KZ_TYPE_Q4), true);
}

/* Bytes of header and table at random. */
static void change_tables(kzt_packed p) {
    unsigned char *b = p.file.bytes;
    size_t table = (size_t)kzt_get(b, 24, 8);
    size_t count = (size_t)kzt_get(b, 40, 4);
    unsigned char *saved = malloc(p.file.size);
    uint64_t random = 88172645463325252u;
    char err[512];
    memcpy(saved, b, p.file.size);
    for (int i = 0; i < 1500 / KZT_SLOW; i++) {
        for (int changes = 0; changes < 1 + i % 3; changes++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            size_t row = table + (size_t)(random >> 20) % count * 256;
            size_t at = (random & 7) == 0 ? 12 + (size_t)(random >> 3) % 100
                                          : row + 160 + (size_t)(random >> 3) % 72;
            b[at] = (unsigned char)((random >> 60) < 8 ? random >> 50 : b[at] ^ (1u << (i & 7)));
        }
        /* the header must still say where the table is, to be sealed */
        memcpy(b + 16, saved + 16, 16);
        rewrite(&p);
        kz_status status = try_it(p.path, err);
        if (status && (status != KZ_ERR_MODEL || !err[0])) fail_msg("%d %s", (int)status, err);
        memcpy(b, saved, 4096);
        memcpy(b + table, saved + table, p.file.size - table);
    }
    free(saved);
    kzt_packed_drop(&p);
}

static void test_random_tables(void **state) {
    (void)state;
    change_tables(kzt_pack_to_disk("base-mtp", KZ_TYPE_Q4));
    change_tables(kzt_pack_compact("base-mtp", KZ_TYPE_Q4));
}

/* What the header says of weights and decoder. */
static void test_headers_that_lie(void **state) {
    (void)state;
    kzt_packed p = kzt_pack_to_disk("custom-mtp", KZ_TYPE_Q4);
    char err[512];
    const struct {
        size_t at;
        const char *bytes;
        size_t length;
        kz_status status;
        const char *part;
    } rows[] = {
        {64, "wonograd", 9, KZ_ERR_MODEL, "packed for the decoder 'wonograd', which"},
        {64, "direct\0\0", 9, KZ_ERR_MODEL, "wanted f32, "},
        {48, "\3", 1, KZ_ERR_MODEL, "are q4, "},
        {48, "\1", 1, KZ_ERR_MODEL, "wanted f32, "},
        {44, "\77", 1, KZ_OK, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned char saved[4096];
        memcpy(saved, p.file.bytes, sizeof saved);
        memcpy(p.file.bytes + rows[i].at, rows[i].bytes, rows[i].length);
        rewrite(&p);
        kz_status status = try_it(p.path, err);
        if (status != rows[i].status || !strstr(err, rows[i].part)) {
            fail_msg("%d '%s', wanted '%s'", (int)status, err, rows[i].part);
        }
        memcpy(p.file.bytes, saved, sizeof saved);
    }
    kzt_packed_drop(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_samples),     cmocka_unit_test(test_mixed_types),
        cmocka_unit_test(test_info),
        cmocka_unit_test(test_same_bytes),       cmocka_unit_test(test_memory),
        cmocka_unit_test(test_calls),            cmocka_unit_test(test_codec_alone),
        cmocka_unit_test(test_encoder_of_base_models), cmocka_unit_test(test_cloning),
        cmocka_unit_test(test_older_file),       cmocka_unit_test(test_damaged_encoder),
        cmocka_unit_test(test_entries_that_lie), cmocka_unit_test(test_random_tables),
        cmocka_unit_test(test_headers_that_lie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
