/* The codec encoder's edges: what it refuses and how it says so, memory that runs out, cancelling,
 * what a model that encodes nothing does not pay for. */
#include "harness/counting_alloc.h"
#include "harness/encoder.h"
#include "harness/json_file.h"
#include "harness/talk.h"
#include "harness/tests.h"
#include "harness/tmpdir.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static kzt_encoder shared;

static int open_shared(void **state) {
    (void)state;
    kzt_encoder_open(&shared, "base-eq", 2, kz__kernels_best());
    return 0;
}

static int close_shared(void **state) {
    (void)state;
    kzt_encoder_close(&shared);
    return 0;
}

static void expect(kz_status got, kz_status want, const kz__err *err, const char *first,
                   const char *second) {
    if (got != want || !strstr(err->text, first) || !strstr(err->text, second)) {
        fail_msg("%d '%s', want %d with '%s' and '%s'", (int)got, err->text, (int)want, first,
                 second);
    }
}

static kz_status encode(const float *x, size_t count, kz__encoder_watch *watch, void *user,
                        kz__err *err) {
    static int32_t codes[64 * 16];
    err->text[0] = 0;
    return kz__codec_encode(&shared.run, shared.state, x, count, 0, watch, user, codes, err);
}

static void test_lengths(void **state) {
    (void)state;
    const kz__encoder_config *c = shared.encoder.config;
    kz__err err = {""};
    float x[4] = {0};
    size_t most = c->max_positions * 960;
    expect(encode(x, 0, NULL, NULL, &err), KZ_ERR_INPUT, &err, "recording", "no samples");
    assert_int_equal(kz__codec_encoder_check(c, most, &err), KZ_OK);
    expect(kz__codec_encoder_check(c, most + 1, &err), KZ_ERR_INPUT, &err, "320 seconds",
           "7680001");
    /* not read, not allocated */
    size_t before = atomic_load(&shared.mem.current);
    expect(encode(x, most + 1, NULL, NULL, &err), KZ_ERR_INPUT, &err, "320 seconds", "");
    expect(encode(x, SIZE_MAX, NULL, NULL, &err), KZ_ERR_INPUT, &err, "320 seconds", "");
    assert_int_equal(atomic_load(&shared.mem.current), before);
    /* a stream that becomes too long */
    size_t frames = 0;
    int32_t codes[16];
    kz__encoder_state_reset(shared.state);
    assert_int_equal(
        kz__codec_encoder_push(&shared.run, shared.state, x, 4, codes, &frames, &err), KZ_OK);
    expect(kz__codec_encoder_push(&shared.run, shared.state, x, most - 3, codes, &frames, &err),
           KZ_ERR_INPUT, &err, "320 seconds", "");
    expect(kz__codec_encoder_push(&shared.run, shared.state, x, SIZE_MAX, codes, &frames, &err),
           KZ_ERR_INPUT, &err, "320 seconds", "");
    kz__encoder_state_reset(shared.state);
    expect(kz__codec_encoder_finish(&shared.run, shared.state, codes, &frames, &err), KZ_ERR_INPUT,
           &err, "no samples", "");
    for (size_t n = 0; n < 5; n++) {
        static const size_t counts[5][2] = {{0, 0}, {1, 1}, {1920, 1}, {1921, 2}, {SIZE_MAX, 0}};
        size_t want = n < 4 ? counts[n][1] : SIZE_MAX / 1920 + 1;
        assert_int_equal(kz__codec_encoder_frames(c, counts[n][0]), want);
    }
}

static void test_not_finite(void **state) {
    (void)state;
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    enum { COUNT = 5000 };
    kz__err err = {""};
    float *x = kzt_clip(COUNT, 3);
    for (size_t i = 0; i < 3; i++) {
        x[4321] = bad[i];
        expect(encode(x, COUNT, NULL, NULL, &err), KZ_ERR_INPUT, &err, "sample 4321", "input");
    }
    /* finite, but not for long */
    for (size_t i = 0; i < COUNT; i++) x[i] = i % 2 ? 3e38f : -3e38f;
    expect(encode(x, COUNT, NULL, NULL, &err), KZ_ERR_FAILED, &err, "stage encoder.0",
           "not finite");
    free(x);
    x = kzt_clip(COUNT, 3);
    struct {
        float *value;
        const char *stage;
    } weights[] = {
        {&shared.encoder.first.bias[1], "stage encoder.0 "},
        {&shared.encoder.stages[0].widen.linear.bias[0], "stage encoder.1 "},
        {&shared.encoder.stages[3].down.linear.bias[2], "stage encoder.12 "},
        {&shared.encoder.last.linear.bias[0], "stage encoder.14 "},
        {&shared.encoder.stack.layers[0].shift1[3], "stage encoder_transformer "},
        {(float *)shared.encoder.downsample.linear.w + 4, "stage downsample "},
        {(float *)shared.encoder.project[0].w + 2, "stage semantic "},
        {(float *)shared.encoder.project[1].w + 2, "stage acoustic "},
    };
    for (size_t i = 0; i < sizeof weights / sizeof weights[0]; i++) {
        float saved = *weights[i].value;
        *weights[i].value = NAN;
        expect(encode(x, COUNT, NULL, NULL, &err), KZ_ERR_FAILED, &err, weights[i].stage,
               "not finite");
        *weights[i].value = saved;
    }
    /* and nothing of it stays */
    assert_int_equal(encode(x, COUNT, NULL, NULL, &err), KZ_OK);
    free(x);
}

typedef struct follower {
    size_t calls, frames, of, stop_at;
} follower;

static int follow(void *user, size_t frames, size_t of) {
    follower *f = user;
    f->calls++;
    assert_true(frames > f->frames && frames <= of);
    f->frames = frames;
    f->of = of;
    return f->calls == f->stop_at;
}

static void test_progress_and_cancel(void **state) {
    (void)state;
    enum { COUNT = 50 * 1920 - 7 };
    kz__err err = {""};
    float *x = kzt_clip(COUNT, 4);
    follower f = {0};
    assert_int_equal(encode(x, COUNT, follow, &f, &err), KZ_OK);
    assert_true(f.calls >= 3 && f.frames == 50 && f.of == 50);
    memset(&f, 0, sizeof f);
    f.stop_at = 2;
    expect(encode(x, COUNT, follow, &f, &err), KZ_ERR_CANCELLED, &err, "cancelled", "");
    assert_true(f.calls == 2 && f.frames < 50);
    free(x);
}

/* Keys and values are all that grows with a clip. */
static void test_state_is_bounded(void **state) {
    (void)state;
    kzt_encoder e;
    float *x = kzt_clip(8 * 24000, 5);
    size_t frames = 0;
    kzt_encoder_open(&e, "base-eq", 1, kz__kernels_best());
    const kz__stack_config *c = &e.encoder.config->stack;
    /* heads are stored as rows of whole panels; 64 positions a page; scores of 8 rows */
    size_t position = c->layers * c->heads * (c->head_dim + kz__pad16(c->head_dim)) * sizeof(float);
    free(kzt_encode(&e, x, 24000, 0, &frames));
    size_t one = atomic_load(&e.mem.current);
    free(kzt_encode(&e, x, 8 * 24000, 0, &frames));
    size_t eight = atomic_load(&e.mem.current);
    size_t most = (7 * 25 + 64) * (position + 12 * sizeof(float)) + 8192;
    printf("  7 s more: %zu bytes more, %zu expected at most\n", eight - one, most);
    assert_true(eight - one <= most);
    free(kzt_encode(&e, x, 8 * 24000, 100, &frames));
    assert_int_equal(atomic_load(&e.mem.current), eight);
    kzt_encoder_close(&e);
    free(x);
}

/* Loading and a short clip; every allocation fails in turn. */
static kz_status use_all(kz__mem *mem, const kz_model *model, const float *x, size_t count,
                         int32_t codes[4 * 16], kz__err *err) {
    kz__codec_encoder encoder = {0};
    kz__encoder_state *s = NULL;
    kz__pool *pool = NULL;
    kz_status status = kz__model_load_encoder(model, mem, &encoder, err);
    if (!status) status = kz__pool_create(mem, 1, &pool, err);
    if (!status) status = kz__encoder_state_create(mem, &encoder, 1, &s, err);
    kz__run run = {&shared.kernels, pool, NULL};
    if (!status) status = kz__codec_encode(&run, s, x, count, 0, NULL, NULL, codes, err);
    kz__encoder_state_free(s);
    kz__codec_encoder_clear(mem, &encoder);
    kz__pool_destroy(pool);
    return status;
}

static void run_out(const kz_model *model) {
    enum { COUNT = 3000 };
    float *x = kzt_clip(COUNT, 6);
    int32_t codes[4 * 16];
    size_t calls = 0;
    for (size_t fail = 0; fail <= calls; fail++) {
        kzt_counter counter = {.fail_from = fail};
        kz_allocator allocator = kzt_counting_allocator(&counter);
        kz__err err = {""};
        kz__mem mem;
        assert_int_equal(kz__mem_init(&mem, &allocator, &err), KZ_OK);
        kz_status status = use_all(&mem, model, x, COUNT, codes, &err);
        if (fail == 0) {
            assert_int_equal(status, KZ_OK);
            calls = atomic_load(&counter.calls);
        } else {
            if (status != KZ_ERR_MEMORY) fail_msg("allocation %zu: %d", fail, (int)status);
            assert_true(err.text[0]);
        }
        assert_int_equal(atomic_load(&mem.current), 0);
        assert_int_equal(atomic_load(&counter.blocks), 0);
    }
    printf("  %zu allocations\n", calls);
    assert_true(calls > 100);
    free(x);
}

static void test_memory_runs_out(void **state) {
    (void)state;
    kzt_packed p = kzt_pack_to_disk("base-eq", KZ_TYPE_STORED);
    kz_model *packed = kzt_open(p.path, NULL);
    run_out(shared.model);
    run_out(packed);
    kz_model_free(packed);
    kzt_packed_drop(&p);
}

/* ---- models -------------------------------------------------------------------------------- */

/* What the model tells of itself is the same while somebody encodes with it. */
static void test_model_stays_as_it_is(void **state) {
    (void)state;
    kz_model_info before = {.size = sizeof before};
    kz_model_info after = {.size = sizeof after};
    kzt_encoder e;
    kz_model *model = kzt_open("base-eq", NULL);
    assert_int_equal(kz_model_get_info(model, &before), KZ_OK);
    memset(&e, 0, sizeof e);
    kz__err err = {""};
    assert_int_equal(kz__mem_init(&e.mem, NULL, &err), KZ_OK);
    assert_int_equal(kz__model_load_encoder(model, &e.mem, &e.encoder, &err), KZ_OK);
    assert_int_equal(kz_model_get_info(model, &after), KZ_OK);
    assert_int_equal(after.panel_bytes, before.panel_bytes);
    assert_int_equal(after.parameters, before.parameters);
    assert_int_equal(after.mapped_bytes, before.mapped_bytes);
    assert_true(kz__codec_encoder_macs(&e.encoder) > 0);
    kz__codec_encoder_clear(&e.mem, &e.encoder);
    assert_int_equal(atomic_load(&e.mem.current), 0);
    kz_model_free(model);
}

static void expect_no_encoder(const char *path, const kz_model_options *options, const char *first,
                              const char *second) {
    kz_model *model = kzt_open(path, options);
    kz__codec_encoder encoder;
    kz__err err = {""};
    kz_status status = kz__model_load_encoder(model, &shared.mem, &encoder, &err);
    expect(status, KZ_ERR_MODEL, &err, first, second);
    kz_model_free(model);
}

/* The file of a checkpoint with one tensor's name or one size changed in its header. */
static void write_changed(const char *folder, const char *from, const char *to) {
    size_t size = 0;
    char *codec = kzt_path(kzt_checkpoint("base-eq"), "speech_tokenizer/model.safetensors");
    char *bytes = kzt_read(codec, &size);
    char *at = NULL;
    assert_int_equal(strlen(from), strlen(to));
    for (size_t i = 8; !at && i + strlen(from) < size; i++) {
        if (memcmp(bytes + i, from, strlen(from)) == 0) at = bytes + i;
    }
    if (!at) fail_msg("no '%s' in the file", from);
    memcpy(at, to, strlen(to));
    kzt_write(folder, "speech_tokenizer/model.safetensors", bytes, size);
    free(bytes);
    free(codec);
}

static void copy_config(const char *folder, const char *without) {
    char *path = kzt_path(kzt_checkpoint("base-eq"), "speech_tokenizer/config.json");
    json_t *root = kzt_read_json(path);
    if (without) kzt_mutate(root, without, NULL);
    kzt_write_json(folder, "speech_tokenizer/config.json", root);
    json_decref(root);
    free(path);
}

/* Such a speech tokenizer speaks all the same. */
static void test_no_encoder(void **state) {
    (void)state;
    kz_model_options codec_only;
    char *folder = kzt_tmpdir_make();
    kz_model_options_init(&codec_only);
    codec_only.codec_only = 1;
    copy_config(folder, "encoder_config");
    write_changed(folder, "encoder.downsample.conv", "encoder.downsample.conv");
    expect_no_encoder(folder, &codec_only, "cannot be used", "encoder_config is missing");
    copy_config(folder, NULL);
    write_changed(folder, "encoder.downsample.conv", "encoder.downsample.conx");
    expect_no_encoder(folder, &codec_only, "encoder.downsample.conv.weight", "");
    write_changed(folder, "encoder.layers.12.conv.weight", "encoder.layers.12.conx.weight");
    expect_no_encoder(folder, &codec_only, "encoder.encoder.layers.12.conv.weight", "");
    /* a level that is not used may be missing */
    write_changed(folder, "acoustic_residual_vector_quantizer.layers.15.codebook.embed_sum",
                  "acoustic_residual_vector_quantizer.layers.15.codebook.embed_xxx");
    kz_model *model = kzt_open(folder, &codec_only);
    kz__codec_encoder encoder;
    kz__err err = {""};
    assert_int_equal(kz__model_load_encoder(model, &shared.mem, &encoder, &err), KZ_OK);
    kz__codec_encoder_clear(&shared.mem, &encoder);
    kz_model_free(model);
    write_changed(folder, "acoustic_residual_vector_quantizer.layers.14.codebook.embed_sum",
                  "acoustic_residual_vector_quantizer.layers.14.codebook.embed_xxx");
    expect_no_encoder(folder, &codec_only, "layers.14.codebook.embed_sum", "");
    kzt_tmpdir_remove(folder);
}

/* A model that is asked to clone and has no usable encoder is packed as it is, and says so. */
static void test_packed_without(void **state) {
    (void)state;
    char *folder = kzt_copy_checkpoint("base-eq");
    kzt_set_json(folder, "speech_tokenizer/config.json", "encoder_config", NULL);
    kzt_packed p = kzt_pack_to_disk(folder, KZ_TYPE_Q4);
    assert_int_equal(kzt_packed_row(&p.file, "encoder.encoder.layers.0.conv"), 0);
    expect_no_encoder(p.path, NULL, "cannot be used", "encoder_config is missing");
    kzt_packed_drop(&p);
    kzt_tmpdir_remove(folder);
    p = kzt_pack_to_disk("custom-eq", KZ_TYPE_Q4);
    expect_no_encoder(p.path, NULL, "model.kz' holds no codec encoder", "take the folder");
    kzt_packed_drop(&p);
    /* an encoder of which a part is missing is not left out: the conversion says what is wrong */
    char error[512] = "";
    kzt_file file = {0};
    folder = kzt_copy_checkpoint("base-eq");
    kzt_drop_tensors(folder, "speech_tokenizer/model.safetensors", "encoder.downsample");
    assert_int_equal(kz_convert(folder, NULL, kzt_file_take, &file, NULL, error, sizeof error),
                     KZ_ERR_MODEL);
    kzt_has(error, "tensor 'encoder.downsample.conv.weight' is missing");
    kzt_file_free(&file);
    kzt_tmpdir_remove(folder);
}

/* Of a packed model the panels stay where they are: vectors alone are private. */
static void test_packed_memory(void **state) {
    (void)state;
    kzt_packed p = kzt_pack_to_disk("base-eq", KZ_TYPE_STORED);
    size_t bytes[2];
    for (int i = 0; i < 2; i++) {
        kzt_encoder e;
        kzt_encoder_open(&e, i ? p.path : "base-eq", 1, kz__kernels_best());
        kz__encoder_state_free(e.state);
        e.state = NULL;
        bytes[i] = atomic_load(&e.mem.current);
        if (i) {
            const unsigned char *begin = e.model->packed.map.data;
            const unsigned char *w = e.encoder.books[3].w;
            assert_true(w > begin && w < begin + e.model->packed.map.size);
        }
        kzt_encoder_close(&e);
    }
    printf("  %zu bytes from a folder, %zu from a packed file\n", bytes[0], bytes[1]);
    assert_true(bytes[1] < bytes[0] / 3);
    kzt_packed_drop(&p);
}

typedef struct user {
    pthread_t thread;
    const kz_model *model;
    const float *x;
    size_t count;
    int32_t *codes;
    kz_status status;
    kz__err err;
} user;

/* Nothing of the test library here: it knows one thread. */
static void *use(void *arg) {
    user *u = arg;
    for (int round = 0; round < 8 && !u->status; round++) {
        kz__mem mem;
        u->status = kz__mem_init(&mem, NULL, &u->err);
        if (!u->status) u->status = use_all(&mem, u->model, u->x, u->count, u->codes, &u->err);
    }
    return NULL;
}

/* Any number of threads load the encoder of one model. */
static void test_packed_threads(void **state) {
    (void)state;
    enum { COUNT = 3000, USERS = 4 };
    kzt_packed p = kzt_pack_to_disk("base-eq", KZ_TYPE_STORED);
    kz_model *model = kzt_open(p.path, NULL);
    float *x = kzt_clip(COUNT, 6);
    size_t frames = 0;
    int32_t *want = kzt_encode(&shared, x, COUNT, 0, &frames);
    int32_t codes[USERS][4 * 16];
    user users[USERS];
    memset(users, 0, sizeof users);
    for (size_t i = 0; i < USERS; i++) {
        users[i] = (user){.model = model, .x = x, .count = COUNT, .codes = codes[i]};
        assert_int_equal(pthread_create(&users[i].thread, NULL, use, &users[i]), 0);
    }
    for (size_t i = 0; i < USERS; i++) {
        pthread_join(users[i].thread, NULL);
        if (users[i].status) fail_msg("%d %s", (int)users[i].status, users[i].err.text);
        assert_memory_equal(codes[i], want, frames * 16 * sizeof *want);
    }
    free(want);
    free(x);
    kz_model_free(model);
    kzt_packed_drop(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_progress_and_cancel),
        cmocka_unit_test(test_state_is_bounded),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_model_stays_as_it_is),
        cmocka_unit_test(test_no_encoder),
        cmocka_unit_test(test_packed_without),
        cmocka_unit_test(test_packed_memory),
        cmocka_unit_test(test_packed_threads),
    };
    return cmocka_run_group_tests(tests, open_shared, close_shared);
}
