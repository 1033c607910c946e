/* Loading of golden runs; runs of the library that tests share. */
#include "harness/golden.h"

#include "harness/ckpt.h"
#include "harness/tests.h"

#include <dirent.h>
#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int by_name(const void *a, const void *b) {
    return strcmp(a, b);
}

size_t kzt_golden_list(char names[KZT_MAX_CASES][64]) {
    size_t count = 0;
    DIR *dir = opendir(KZT_SOURCE_DIR "/tests/data/golden");
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        char path[512];
        snprintf(path, sizeof path, KZT_SOURCE_DIR "/tests/data/golden/%s/golden.json",
                 entry->d_name);
        if (access(path, R_OK) != 0) continue;
        assert_true(count < KZT_MAX_CASES && strlen(entry->d_name) < 64);
        strcpy(names[count++], entry->d_name);
    }
    closedir(dir);
    qsort(names, count, sizeof names[0], by_name);
    assert_true(count > 0);
    return count;
}

void kzt_golden_array(const kzt_golden *g, const char *file, kzt_npy *array) {
    char path[640];
    char err[256] = "";
    snprintf(path, sizeof path, "%s/%s", g->folder, file);
    if (kzt_npy_read_as(path, 'f', 4, array, err, sizeof err) != 0) fail_msg("%s", err);
}

static void load_arrays(kzt_golden *g) {
    char path[640];
    char err[256] = "";
    const char *speaker = json_string_value(json_object_get(g->root, "speaker_vector"));
    const char *reference = json_string_value(json_object_get(g->root, "reference_codes"));
    if (speaker) {
        kzt_golden_array(g, speaker, &g->speaker);
        g->request.speaker_vector = g->speaker.data;
        g->request.speaker_vector_length = g->speaker.count;
    }
    if (reference) {
        snprintf(path, sizeof path, "%s/%s", g->folder, reference);
        if (kzt_npy_read_as(path, 'i', 4, &g->reference, err, sizeof err)) fail_msg("%s", err);
        g->request.reference_codes = g->reference.data;
        g->request.reference_frames = g->reference.count / 16;
    }
}

static void load_codes(kzt_golden *g) {
    json_t *codes = json_object_get(g->root, "codes");
    g->frames = json_array_size(codes);
    g->codes = calloc(g->frames * 16 + 1, sizeof *g->codes);
    assert_non_null(g->codes);
    for (size_t t = 0; t < g->frames; t++) {
        json_t *frame = json_array_get(codes, t);
        assert_int_equal(json_array_size(frame), 16);
        for (size_t q = 0; q < 16; q++) {
            g->codes[t * 16 + q] = (int32_t)json_integer_value(json_array_get(frame, q));
        }
    }
}

void kzt_golden_load(const char *name, kzt_golden *g) {
    memset(g, 0, sizeof *g);
    snprintf(g->name, sizeof g->name, "%s", name);
    snprintf(g->folder, sizeof g->folder, KZT_SOURCE_DIR "/tests/data/golden/%s", name);
    char path[640];
    snprintf(path, sizeof path, "%s/golden.json", g->folder);
    json_error_t error;
    g->root = json_load_file(path, 0, &error);
    if (!g->root) fail_msg("%s: %s", path, error.text);
    g->checkpoint = json_string_value(json_object_get(g->root, "checkpoint"));
    g->finish = json_string_value(json_object_get(g->root, "finish"));
    json_t *request = json_object_get(g->root, "request");
    assert_true(g->checkpoint && g->finish && request);
    kz_request *r = &g->request;
    kz_request_init(r);
    r->text = json_string_value(json_object_get(request, "text"));
    r->text_length = json_string_length(json_object_get(request, "text"));
    r->language = json_string_value(json_object_get(request, "language"));
    r->voice = json_string_value(json_object_get(request, "voice"));
    r->instruct = json_string_value(json_object_get(request, "instruct"));
    r->reference_text = json_string_value(json_object_get(request, "reference_text"));
    if (!r->voice) r->voice = "";
    r->flags = json_is_true(json_object_get(request, "live_text")) ? KZ_LIVE_TEXT : KZ_WHOLE_TEXT;
    if (json_is_true(json_object_get(request, "as_reference"))) r->flags |= KZ_AS_REFERENCE;
    r->max_frames = (int)json_integer_value(json_object_get(request, "max_frames"));
    r->talker.temperature = 0;
    r->predictor.temperature = 0;
    load_codes(g);
    load_arrays(g);
}

void kzt_golden_free(kzt_golden *g) {
    json_decref(g->root);
    free(g->codes);
    kzt_npy_free(&g->speaker);
    kzt_npy_free(&g->reference);
}

/* Written beside and renamed, since test programs run side by side. */
const char *kzt_checkpoint(const char *name) {
    static char folder[512];
    char spec[512];
    char beside[600];
    char err[256] = "";
    mkdir(KZT_BUILD_DIR "/checkpoints", 0777);
    snprintf(folder, sizeof folder, KZT_BUILD_DIR "/checkpoints/%s", name);
    if (access(folder, R_OK) == 0) return folder;
    snprintf(spec, sizeof spec, KZT_SOURCE_DIR "/tests/data/ckpt/%s", name);
    snprintf(beside, sizeof beside, "%s.%ld", folder, (long)getpid());
    if (kzt_make_checkpoint(spec, beside, err, sizeof err) != 0) fail_msg("%s", err);
    if (rename(beside, folder) != 0 && errno != ENOTEMPTY && errno != EEXIST) {
        fail_msg("%s could not be renamed", beside);
    }
    return folder;
}

kz_model *kzt_open(const char *checkpoint, const kz_model_options *options) {
    char err[512] = "";
    kz_model *model = NULL;
    const char *folder =
        strchr(checkpoint, '/') ? checkpoint : kzt_checkpoint(checkpoint);
    kz_status status = kz_model_open(folder, options, &model, err, sizeof err);
    if (status) fail_msg("%s: %d %s", checkpoint, (int)status, err);
    return model;
}

kz_session *kzt_session(const kz_model *model, int threads) {
    char err[512] = "";
    kz_session *session = NULL;
    kz_session_options options;
    kz_session_options_init(&options);
    options.threads = threads;
    kz_status status = kz_session_create(model, &options, &session, err, sizeof err);
    if (status) fail_msg("session: %d %s", (int)status, err);
    return session;
}

kz_status kzt_drain(kz_session *session, float **samples, size_t *count) {
    size_t have = 0;
    size_t capacity = 1 << 16;
    float *all = malloc(capacity * sizeof *all);
    kz_status status = KZ_OK;
    while (status == KZ_OK) {
        if (capacity - have < 16384) {
            capacity *= 2;
            all = realloc(all, capacity * sizeof *all);
        }
        assert_non_null(all);
        size_t got = 0;
        status = kz_session_read(session, all + have, capacity - have, &got, -1);
        have += got;
    }
    if (count) *count = have;
    if (samples) {
        *samples = all;
    } else {
        free(all);
    }
    return status;
}

kz_status kzt_speak(kz_session *session, const kz_request *request, float **samples,
                    size_t *count) {
    if (samples) *samples = NULL;
    if (count) *count = 0;
    kz_status status = kz_session_start(session, request);
    return status ? status : kzt_drain(session, samples, count);
}

void kzt_sha256(const void *data, size_t bytes, char hex[65]) {
    unsigned char digest[32];
    unsigned int length = 0;
    assert_int_equal(EVP_Digest(data, bytes, digest, &length, EVP_sha256(), NULL), 1);
    for (size_t i = 0; i < 32; i++) snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}
