/* Scripts, runs and changed checkpoints that tests of behaviour share. */
#include "harness/talk.h"

#include "base/clock.h"
#include "harness/ckpt.h"
#include "harness/tests.h"
#include "harness/tmpdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- scripts ------------------------------------------------------------------------------- */

static uint32_t mixed(uint32_t seed, uint32_t frame, uint32_t group) {
    uint64_t x = ((uint64_t)seed << 40) ^ ((uint64_t)frame << 8) ^ group;
    x = (x ^ (x >> 31)) * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 29)) * UINT64_C(0xBF58476D1CE4E5B9);
    return (uint32_t)(x >> 32);
}

kzt_script kzt_script_make(const kz_session *session, uint32_t seed) {
    kzt_script script = {0};
    script.seed = seed;
    script.end = script.fail = script.cancel_at = KZT_NEVER;
    script.codebook = session->model->config.codec.codebook_size;
    return script;
}

int kzt_script_run(void *user, size_t frame, int32_t *codes) {
    kzt_script *script = user;
    script->calls++;
    if (script->delay_ms) {
        struct timespec pause = {0, (long)script->delay_ms * 1000000};
        nanosleep(&pause, NULL);
    }
    if (frame == script->cancel_at) kz_session_cancel(script->cancel);
    if (frame == script->fail) return -1;
    if (frame == script->end) return 1;
    size_t source = script->cycle ? frame % script->cycle : frame;
    for (uint32_t g = 0; g < 16; g++) {
        codes[g] = (int32_t)(mixed(script->seed, (uint32_t)source, g) % script->codebook);
    }
    return 0;
}

/* ---- runs ---------------------------------------------------------------------------------- */

kz_request kzt_request(const char *text) {
    kz_request request;
    kz_request_init(&request);
    request.text = text;
    request.text_length = text ? strlen(text) : 0;
    return request;
}

kz_result kzt_result(const kz_session *session) {
    kz_result result = {.size = sizeof result};
    assert_int_equal(kz_session_get_result(session, &result), KZ_OK);
    return result;
}

kzt_run kzt_run_rest(kz_session *session) {
    kzt_run run = {0};
    run.status = kzt_drain(session, &run.samples, &run.count);
    run.result = kzt_result(session);
    const int32_t *codes = kz_session_codes(session, &run.frames);
    run.codes = calloc(run.frames * 16 + 1, sizeof *run.codes);
    assert_non_null(run.codes);
    if (run.frames) memcpy(run.codes, codes, run.frames * 16 * sizeof *codes);
    return run;
}

kzt_run kzt_run_all(kz_session *session, const kz_request *request) {
    kz_status status = kz_session_start(session, request);
    if (status) fail_msg("start: %d %s", (int)status, kz_error(session));
    return kzt_run_rest(session);
}

kzt_run kzt_decode(kz_session *session, const int32_t *codes, size_t frames, unsigned flags) {
    kz_status status = kz_session_start_codes(session, codes, frames, 8, flags);
    if (status) fail_msg("start_codes: %d %s", (int)status, kz_error(session));
    kzt_run run = kzt_run_rest(session);
    assert_int_equal(run.status, KZ_DONE);
    return run;
}

void kzt_run_free(kzt_run *run) {
    free(run->samples);
    free(run->codes);
    memset(run, 0, sizeof *run);
}

void kzt_same_samples(const float *a, size_t count_a, const float *b, size_t count_b) {
    assert_int_equal(count_a, count_b);
    for (size_t i = 0; i < count_a; i++) {
        if (memcmp(&a[i], &b[i], sizeof a[i]) != 0) {
            fail_msg("sample %zu of %zu: %.9g and %.9g", i, count_a, (double)a[i], (double)b[i]);
        }
    }
}

void kzt_same(const kzt_run *a, const kzt_run *b) {
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->frames, b->frames);
    for (size_t i = 0; i < a->frames * 16; i++) {
        if (a->codes[i] != b->codes[i]) {
            fail_msg("code %zu of frame %zu: %d and %d", i % 16, i / 16, a->codes[i], b->codes[i]);
        }
    }
    kzt_same_samples(a->samples, a->count, b->samples, b->count);
}

void kzt_has(const char *text, const char *part) {
    if (!strstr(text, part)) fail_msg("\"%s\" is not in \"%s\"", part, text);
}

void kzt_refused(kz_session *session, const kz_request *request, kz_status status,
                 const char *part) {
    kz_status got = kz_session_start(session, request);
    if (got != status) fail_msg("%d, not %d: %s", (int)got, (int)status, kz_error(session));
    kzt_has(kz_error(session), part);
    assert_int_equal(kzt_result(session).finish, KZ_FINISH_ERROR);
}

/* ---- changed checkpoints ------------------------------------------------------------------- */

char *kzt_copy_checkpoint(const char *name) {
    char err[256] = "";
    char *folder = kzt_tmpdir_make();
    char *spec = kzt_path(KZT_SOURCE_DIR "/tests/data/ckpt", name);
    if (kzt_make_checkpoint(spec, folder, err, sizeof err) != 0) fail_msg("%s", err);
    free(spec);
    return folder;
}

void kzt_set_json(const char *folder, const char *file, const char *path, json_t *value) {
    char *name = kzt_path(folder, file);
    char key[64];
    json_t *root = json_load_file(name, 0, NULL);
    json_t *at = root;
    assert_non_null(root);
    for (size_t length = strcspn(path, "."); path[length]; length = strcspn(path, ".")) {
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        at = json_object_get(at, key);
        assert_non_null(at);
        path += length + 1;
    }
    if (value) {
        json_object_set_new(at, path, value);
    } else {
        json_object_del(at, path);
    }
    assert_int_equal(json_dump_file(root, name, JSON_INDENT(1)), 0);
    json_decref(root);
    free(name);
}

/* A safetensors file in memory: 8 bytes of header length, header, data. */
typedef struct tensors {
    char *path;
    char *bytes;
    size_t size, data; /* data: where it begins */
    json_t *header;
} tensors;

static tensors tensors_load(const char *folder, const char *file) {
    tensors t = {0};
    t.path = kzt_path(folder, file);
    t.bytes = kzt_read(t.path, &t.size);
    uint64_t length = 0;
    memcpy(&length, t.bytes, sizeof length);
    t.data = 8 + (size_t)length;
    t.header = json_loadb(t.bytes + 8, (size_t)length, 0, NULL);
    assert_non_null(t.header);
    return t;
}

static void tensors_free(tensors *t) {
    json_decref(t->header);
    free(t->bytes);
    free(t->path);
}

void kzt_set_value(const char *folder, const char *file, const char *tensor, size_t index,
                   float value) {
    tensors t = tensors_load(folder, file);
    json_t *entry = json_object_get(t.header, tensor);
    if (!entry) fail_msg("no tensor %s", tensor);
    bool wide = strcmp(json_string_value(json_object_get(entry, "dtype")), "F32") == 0;
    json_t *offsets = json_object_get(entry, "data_offsets");
    size_t width = wide ? 4 : 2;
    size_t at = t.data + (size_t)json_integer_value(json_array_get(offsets, 0)) + index * width;
    assert_true(at + width <= t.size);
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    uint16_t half = (uint16_t)(bits >> 16);
    memcpy(t.bytes + at, wide ? (void *)&bits : (void *)&half, width);
    kzt_write(folder, file, t.bytes, t.size);
    tensors_free(&t);
}

void kzt_cut_at(const char *folder, const char *file, const char *tensor) {
    tensors t = tensors_load(folder, file);
    json_t *offsets = json_object_get(json_object_get(t.header, tensor), "data_offsets");
    if (!offsets) fail_msg("no tensor %s", tensor);
    size_t at = t.data + (size_t)json_integer_value(json_array_get(offsets, 0));
    assert_true(at < t.size);
    assert_int_equal(truncate(t.path, (off_t)at), 0);
    tensors_free(&t);
}

/* The bytes stay where they are as a tensor that nobody knows, so that offsets stay complete. */
void kzt_drop_tensors(const char *folder, const char *file, const char *prefix) {
    tensors t = tensors_load(folder, file);
    json_t *header = json_object();
    const char *name = NULL;
    json_t *entry = NULL;
    size_t dropped = 0;
    json_object_foreach(t.header, name, entry) {
        char other[32];
        bool drop = strncmp(name, prefix, strlen(prefix)) == 0;
        snprintf(other, sizeof other, "unknown.%zu", dropped);
        dropped += drop;
        json_object_set(header, drop ? other : name, entry);
    }
    assert_true(dropped > 0);
    char *text = json_dumps(header, JSON_COMPACT);
    uint64_t length = strlen(text);
    size_t size = 8 + (size_t)length + t.size - t.data;
    char *bytes = malloc(size);
    assert_non_null(bytes);
    memcpy(bytes, &length, 8);
    memcpy(bytes + 8, text, (size_t)length);
    memcpy(bytes + 8 + length, t.bytes + t.data, t.size - t.data);
    kzt_write(folder, file, bytes, size);
    free(bytes);
    free(text);
    json_decref(header);
    tensors_free(&t);
}

/* ---- packed files -------------------------------------------------------------------------- */

static void pack(const char *checkpoint, kz_type type, bool compact, int threads,
                 kzt_file *file) {
    char err[512] = "";
    kz_convert_options options;
    kz_convert_options_init(&options);
    options.type = type;
    options.compact = compact;
    options.threads = threads;
    const char *folder = strchr(checkpoint, '/') ? checkpoint : kzt_checkpoint(checkpoint);
    kz_status status =
        kz_convert(folder, &options, kzt_file_take, file, NULL, err, sizeof err);
    if (status) fail_msg("%s: %d %s", checkpoint, (int)status, err);
}

void kzt_pack(const char *checkpoint, kz_type type, int threads, kzt_file *file) {
    pack(checkpoint, type, false, threads, file);
}

static kzt_packed to_disk(const char *checkpoint, kz_type type, bool compact) {
    kzt_packed p = {0};
    pack(checkpoint, type, compact, 2, &p.file);
    p.folder = kzt_tmpdir_make();
    p.path = kzt_path(p.folder, "model.kz");
    kzt_write(p.folder, "model.kz", p.file.bytes, p.file.size);
    return p;
}

kzt_packed kzt_pack_to_disk(const char *checkpoint, kz_type type) {
    return to_disk(checkpoint, type, false);
}

kzt_packed kzt_pack_compact(const char *checkpoint, kz_type type) {
    return to_disk(checkpoint, type, true);
}

void kzt_packed_drop(kzt_packed *packed) {
    kzt_file_free(&packed->file);
    free(packed->path);
    kzt_tmpdir_remove(packed->folder);
}
