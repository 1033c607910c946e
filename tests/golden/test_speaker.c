/* Speaker vectors against the official package: ten clips by formula, stage by stage, and the
 * recordings of the cloned runs. Equal bits for any threads and level of kernels; refusals; memory
 * that runs out; a packed file. */
#include "engine/speaker.h"
#include "harness/counting_alloc.h"
#include "harness/golden.h"
#include "harness/packed.h"
#include "harness/talk.h"
#include "harness/tests.h"
#include "harness/tmpdir.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 256, CLIPS = 10 };

/* The formula stands at the top of scripts/reference/make_speaker.py. */
typedef struct clip {
    size_t count;
    double level;
    uint32_t pitch;
    uint64_t seed;
} clip;

static double triangle(uint32_t phase) {
    return fabs((double)phase / 2147483648.0 - 1) * 2 - 1;
}

static double noise_at(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return (double)(z >> 40) / 8388608.0 - 1;
}

static float *make_clip(const clip *k) {
    float *samples = malloc(k->count * sizeof *samples);
    assert_non_null(samples);
    uint32_t phase = 0;
    double low[2] = {0}, high[2] = {0};
    for (size_t i = 0; i < k->count; i++) {
        double bend = triangle((uint32_t)(i * 7919 * 32));
        phase += k->pitch + (uint32_t)(int32_t)floor((double)k->pitch * bend / 4);
        double voice = (double)phase / 2147483648.0 - 1;
        double noise = noise_at(k->seed + (i + 1) * 0x9E3779B97F4A7C15u);
        double loud = triangle((uint32_t)((uint64_t)i * 1000003 / 4));
        if (loud < 0) loud = 0;
        double x = voice * loud + noise * ((1 - loud) / 8);
        double next = (1.93 * low[0] - 0.9409 * low[1]) + x;
        low[1] = low[0];
        low[0] = next;
        next = (1.2 * high[0] - 0.9025 * high[1]) + x;
        high[1] = high[0];
        high[0] = next;
        double y = floor((low[0] / 32 + high[0] / 8) * k->level * 32768 + 0.5);
        samples[i] = (float)(y < -32768 ? -32768 : y > 32767 ? 32767 : y) / 32768;
    }
    return samples;
}

static json_t *clips;

static clip clip_at(size_t index) {
    json_t *c = json_array_get(json_object_get(clips, "clips"), index);
    assert_int_equal(json_array_size(c), 4);
    return (clip){(size_t)json_integer_value(json_array_get(c, 0)),
                  json_number_value(json_array_get(c, 1)),
                  (uint32_t)json_integer_value(json_array_get(c, 2)),
                  (uint64_t)json_integer_value(json_array_get(c, 3))};
}

static int load_clips(void **state) {
    json_error_t error;
    (void)state;
    clips = json_load_file(KZT_SOURCE_DIR "/tests/data/speaker/clips.json", 0, &error);
    return clips && json_array_size(json_object_get(clips, "clips")) == CLIPS ? 0 : -1;
}

static int free_clips(void **state) {
    (void)state;
    json_decref(clips);
    return 0;
}

static void vector_of(const kz_model *model, const float *samples, size_t count, int threads,
                      kz__speaker_tap *tap, void *user, float *vector) {
    kz__err err = {""};
    kz_status status =
        kz__speaker_vector(model, samples, count, 24000, threads, tap, user, vector, &err);
    if (status) fail_msg("%d: %s", (int)status, err.text);
}

/* ---- against the package ------------------------------------------------------------------- */

typedef struct stage {
    const char *name;
    kzt_npy want; /* [clips][rows: the first, the middle, the last][width] */
    double worst; /* difference, relative to the clip's largest value */
    size_t seen;
} stage;

typedef struct comparison {
    stage stages[16];
    size_t count, clip;
} comparison;

static double relative(const float *got, const float *want, size_t n, double *largest) {
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        double difference = fabs((double)got[i] - (double)want[i]);
        if (!(difference <= worst)) worst = difference; /* NaN too */
        if (fabs((double)want[i]) > *largest) *largest = fabs((double)want[i]);
    }
    return worst;
}

static int compare(void *user, const char *name, const float *x, size_t ld, size_t rows,
                   size_t width) {
    comparison *all = user;
    stage *s = NULL;
    for (size_t i = 0; i < all->count; i++) {
        if (strcmp(all->stages[i].name, name) == 0) s = &all->stages[i];
    }
    if (!s) fail_msg("no stage %s", name);
    size_t kept = s->want.shape[1];
    assert_int_equal(s->want.shape[2], width);
    assert_int_equal(kept, rows == 1 ? 1 : 3);
    double worst = 0;
    double largest = 0;
    for (size_t k = 0; k < kept; k++) {
        size_t row = k == 0 ? 0 : k == 1 ? rows / 2 : rows - 1;
        const float *want = (float *)s->want.data + (all->clip * kept + k) * width;
        double difference = relative(x + row * ld, want, width, &largest);
        if (!(difference <= worst)) worst = difference;
    }
    if (!(worst <= s->worst * largest)) s->worst = worst / largest;
    s->seen++;
    return 0;
}

static void check_clips(const char *checkpoint) {
    comparison all = {.count = json_array_size(json_object_get(clips, "stages"))};
    kz_model *model = kzt_open(checkpoint, NULL);
    for (size_t i = 0; i < all.count; i++) {
        char path[512];
        char err[256] = "";
        stage *s = &all.stages[i];
        s->name = json_string_value(json_array_get(json_object_get(clips, "stages"), i));
        snprintf(path, sizeof path, KZT_SOURCE_DIR "/tests/data/speaker/%s-%s.npy", checkpoint,
                 s->name);
        if (kzt_npy_read_as(path, 'f', 4, &s->want, err, sizeof err)) fail_msg("%s", err);
        assert_int_equal(s->want.shape[0], CLIPS);
    }
    for (all.clip = 0; all.clip < CLIPS; all.clip++) {
        clip k = clip_at(all.clip);
        float vector[MOST];
        float *samples = make_clip(&k);
        vector_of(model, samples, k.count, 2, compare, &all, vector);
        free(samples);
    }
    printf("%s\n", checkpoint);
    for (size_t i = 0; i < all.count; i++) {
        stage *s = &all.stages[i];
        printf("  %-10s relative error %.1e\n", s->name, s->worst);
        assert_int_equal(s->seen, CLIPS);
        assert_true(s->worst <= (strcmp(s->name, "mel") ? 1e-5 : 2e-5));
        kzt_npy_free(&s->want);
    }
    kz_model_free(model);
}

static void test_scale_of_four(void **state) {
    (void)state;
    check_clips("base-eq");
}

static void test_scale_of_eight(void **state) {
    (void)state;
    check_clips("base-mtp");
}

/* The vectors that the cloned runs were spoken with. */
static void test_recordings(void **state) {
    static char names[KZT_MAX_CASES][64];
    size_t count = kzt_golden_list(names);
    size_t seen = 0;
    (void)state;
    for (size_t i = 0; i < count; i++) {
        kzt_golden g;
        kzt_npy recording;
        char path[640];
        char err[256] = "";
        kzt_golden_load(names[i], &g);
        const char *file = json_string_value(json_object_get(g.root, "recording"));
        if (file) {
            float vector[MOST];
            double largest = 0;
            kz_model *model = kzt_open(g.checkpoint, NULL);
            snprintf(path, sizeof path, "%s/%s", g.folder, file);
            if (kzt_npy_read_as(path, 'i', 2, &recording, err, sizeof err)) fail_msg("%s", err);
            float *samples = malloc(recording.count * sizeof *samples);
            assert_non_null(samples);
            for (size_t s = 0; s < recording.count; s++) {
                samples[s] = (float)((int16_t *)recording.data)[s] / 32768;
            }
            vector_of(model, samples, recording.count, 1, NULL, NULL, vector);
            double worst = relative(vector, g.speaker.data, g.speaker.count, &largest);
            printf("  %-22s relative error %.1e\n", g.name, worst / largest);
            assert_true(worst <= 1e-5 * largest);
            free(samples);
            kzt_npy_free(&recording);
            kz_model_free(model);
            seen++;
        }
        kzt_golden_free(&g);
    }
    assert_true(seen >= 8);
}

/* ---- equal bits ---------------------------------------------------------------------------- */

/* The vectors of some clips, one after the other. */
static void all_vectors(const kz_model *model, int threads, float vectors[CLIPS][MOST]) {
    memset(vectors, 0, CLIPS * sizeof vectors[0]);
    for (size_t i = 0; i < CLIPS; i += KZT_SLOW > 1 ? 4 : 1) {
        clip k = clip_at(i);
        float *samples = make_clip(&k);
        vector_of(model, samples, k.count, threads, NULL, NULL, vectors[i]);
        free(samples);
    }
}

static void test_any_threads_and_level(void **state) {
    static float want[CLIPS][MOST], got[CLIPS][MOST];
    static const int threads[] = {1, 2, 3, 7};
    size_t levels = 0;
    (void)state;
    for (kz__level level = KZ__SCALAR; level < KZ__LEVELS; level++) {
        if (!kz__kernels_usable(level)) continue;
        kz_model_options options;
        kz_model_options_init(&options);
        options.cpu = kz__level_name(level);
        kz_model *model = kzt_open("base-mtp", &options);
        for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
            if (level == KZ__SCALAR && i % 2) continue; /* slow, without the instruction */
            all_vectors(model, threads[i], levels || i ? got : want);
            if (levels || i) assert_memory_equal(got, want, sizeof want);
        }
        kz_model_free(model);
        levels++;
    }
    char hex[65];
    kzt_sha256(want, sizeof want, hex);
    printf("  %zu levels, %s\n", levels, hex);
    assert_true(levels >= 1);
    if (KZT_SLOW > 1) return; /* not all clips */
    /* the same on every machine: a change of this is a change of the arithmetic */
    assert_string_equal(hex, "fcf9fa75966f26e73ec50e00ff507a3d318dbc2b775aead2d62388fd622eddcb");
}

/* Weight formats leave the encoder alone, and a packed file holds it. */
static void test_any_format(void **state) {
    static float want[CLIPS][MOST], got[CLIPS][MOST];
    static const kz_type types[] = {KZ_TYPE_F32, KZ_TYPE_BF16, KZ_TYPE_Q4};
    (void)state;
    kz_model *model = kzt_open("base-eq", NULL);
    all_vectors(model, 2, want);
    kz_model_free(model);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        kz_model_options options;
        kz_model_options_init(&options);
        options.type = types[i];
        model = kzt_open("base-eq", &options);
        all_vectors(model, 2, got);
        assert_memory_equal(got, want, sizeof want);
        kz_model_free(model);
        kzt_packed packed = kzt_pack_to_disk("base-eq", types[i]);
        model = kzt_open(packed.path, NULL);
        all_vectors(model, 2, got);
        assert_memory_equal(got, want, sizeof want);
        kz_model_free(model);
        kzt_packed_drop(&packed);
    }
}

/* ---- refusals ------------------------------------------------------------------------------ */

static void refused(const kz_model *model, const float *samples, size_t count, size_t rate,
                    kz_status status, const char *first, const char *second) {
    float vector[MOST];
    kz__err err = {""};
    kz_status got =
        kz__speaker_vector(model, samples, count, rate, 2, NULL, NULL, vector, &err);
    if (got != status || !strstr(err.text, first) || !strstr(err.text, second)) {
        fail_msg("%d: %s; wanted %d: '%s', '%s'", (int)got, err.text, (int)status, first, second);
    }
}

static void test_refusals(void **state) {
    clip k = clip_at(6);
    float *samples = make_clip(&k);
    float vector[MOST];
    (void)state;
    kz_model *model = kzt_open("base-eq", NULL);
    refused(model, samples, k.count, 16000, KZ_ERR_INPUT, "16000", "24000");
    refused(model, samples, 0, 24000, KZ_ERR_INPUT, "has 0 samples", "least 1280 (0.053 s)");
    refused(model, samples, 384, 24000, KZ_ERR_INPUT, "has 384 samples (0.016 s)", "1280");
    refused(model, samples, 1279, 24000, KZ_ERR_INPUT, "has 1279 samples", "1280");
    vector_of(model, samples, 1280, 1, NULL, NULL, vector);
    samples[777] = NAN;
    refused(model, samples, k.count, 24000, KZ_ERR_INPUT, "sample 777 ", "finite");
    samples[777] = -INFINITY;
    refused(model, samples, k.count, 24000, KZ_ERR_INPUT, "sample 777 ", "finite");
    samples[777] = 3e38f; /* absurd, but a number: no error, no infinity */
    vector_of(model, samples, k.count, 1, NULL, NULL, vector);
    for (size_t i = 0; i < 72; i++) assert_true(isfinite(vector[i]));
    kz_model_free(model);
    model = kzt_open("custom-eq", NULL);
    refused(model, samples, k.count, 24000, KZ_ERR_MODEL, "only Base models", "recording");
    kz_model_free(model);
    free(samples);
}

/* Each stage's result is looked at: weights that overflow are told with the stage's name. */
static void test_stages_are_finite(void **state) {
    clip k = clip_at(6);
    float *samples = make_clip(&k);
    (void)state;
    kz_model *model = kzt_open("base-eq", NULL);
    const struct {
        kz__linear *linear;
        const char *stage;
    } parts[] = {
        {&model->speaker_encoder.first.linear, "stage blocks.0 "},
        {&model->speaker_encoder.blocks[0].in, "stage blocks.1 "},
        {&model->speaker_encoder.blocks[1].parts[2].linear, "stage blocks.2 "},
        {&model->speaker_encoder.blocks[2].excite, "stage blocks.3 "},
        {&model->speaker_encoder.aggregate.linear, "stage mfa "},
        {&model->speaker_encoder.attend_statistics, "stage attention "},
        {&model->speaker_encoder.attend_out, "stage attention "},
        {&model->speaker_encoder.last, "stage vector "},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        float *bias = &parts[i].linear->bias[1];
        float kept = *bias;
        *bias = NAN;
        refused(model, samples, k.count, 24000, KZ_ERR_FAILED, parts[i].stage, "not finite");
        *bias = kept;
    }
    kz_model_free(model);
    free(samples);
}

/* ---- loading ------------------------------------------------------------------------------- */

static void not_opened(const char *folder, const char *first, const char *second) {
    kz_model *model = NULL;
    char error[512] = "";
    assert_int_equal(kz_model_open(folder, NULL, &model, error, sizeof error), KZ_ERR_MODEL);
    if (!strstr(error, first) || !strstr(error, second)) {
        fail_msg("%s; wanted '%s', '%s'", error, first, second);
    }
}

/* Every tensor is bound by name, type and shape; none is left over. */
static void test_every_tensor(void **state) {
    static const char *const missing[] = {
        "blocks.0.conv.bias", "blocks.2.tdnn1.conv.weight",
        "blocks.3.res2net_block.blocks.2.conv.weight", "blocks.1.tdnn2.conv.bias",
        "blocks.2.se_block.conv1.weight", "blocks.3.se_block.conv2.bias", "mfa.conv.weight",
        "asp.tdnn.conv.weight", "asp.conv.bias", "fc.bias",
    };
    static const struct {
        const char *key, *value, *tensor, *shape;
    } sizes[] = {
        {"mel_dim", "64", "blocks.0.conv.weight", "[24, 64, 5]"},
        {"enc_channels", "[28, 28, 28, 28, 84]", "blocks.0.conv.weight", "[28, 128, 5]"},
        {"enc_kernel_sizes", "[5, 3, 5, 3, 1]", "2.res2net_block.blocks.0.conv.weight",
         "[6, 6, 5]"},
        {"enc_res2net_scale", "8", "1.res2net_block.blocks.0.conv.weight", "[3, 3, 3]"},
        {"enc_se_channels", "11", "blocks.1.se_block.conv1.weight", "[11, 24, 1]"},
        {"enc_attention_channels", "15", "asp.tdnn.conv.weight", "[15, 216, 1]"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
        char name[80];
        char *folder = kzt_copy_checkpoint("base-eq");
        snprintf(name, sizeof name, "speaker_encoder.%s", missing[i]);
        kzt_drop_tensors(folder, "model.safetensors", name);
        not_opened(folder, name, "is missing");
        kzt_tmpdir_remove(folder);
    }
    char *folder = kzt_copy_checkpoint("base-eq");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char path[64];
        snprintf(path, sizeof path, "speaker_encoder_config.%s", sizes[i].key);
        char *config = kzt_path(folder, "config.json");
        size_t bytes = 0;
        char *kept = kzt_read(config, &bytes);
        kzt_set_json(folder, "config.json", path,
                     json_loads(sizes[i].value, JSON_DECODE_ANY, NULL));
        not_opened(folder, sizes[i].tensor, sizes[i].shape);
        kzt_write(folder, "config.json", kept, bytes);
        free(kept);
        free(config);
    }
    kz_model *model = kzt_open(folder, NULL);
    assert_null(kz__weights_unused(model->weights, "", 0));
    kz_model_free(model);
    kzt_tmpdir_remove(folder);
}

/* ---- memory -------------------------------------------------------------------------------- */

static void test_memory_runs_out(void **state) {
    clip k = clip_at(3);
    float *samples = make_clip(&k);
    float want[MOST], vector[MOST];
    kzt_counter counter = {0};
    kz_allocator allocator = kzt_counting_allocator(&counter);
    kz_model_options options;
    (void)state;
    kz_model_options_init(&options);
    options.allocator = &allocator;
    kz_model *model = kzt_open("base-eq", &options);
    size_t blocks = atomic_load(&counter.blocks);
    size_t failed = 0;
    vector_of(model, samples, k.count, 2, NULL, NULL, want);
    for (int once = 0; once < 2; once++) {
        for (size_t n = 1;; n++) {
            kz__err err = {""};
            atomic_store(&counter.calls, 0);
            counter.fail_from = n;
            counter.fail_once = once;
            kz_status status =
                kz__speaker_vector(model, samples, k.count, 24000, 2, NULL, NULL, vector, &err);
            assert_int_equal(atomic_load(&counter.blocks), blocks);
            if (status == KZ_OK) break;
            assert_int_equal(status, KZ_ERR_MEMORY);
            assert_string_equal(err.text, "out of memory");
            failed++;
        }
    }
    counter.fail_from = 0;
    vector_of(model, samples, k.count, 2, NULL, NULL, vector);
    assert_memory_equal(vector, want, 72 * sizeof *want);
    printf("  %zu failed allocations\n", failed);
    assert_true(failed > 20);
    kz_model_free(model);
    assert_int_equal(atomic_load(&counter.blocks), 0);
    free(samples);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scale_of_four),
        cmocka_unit_test(test_scale_of_eight),
        cmocka_unit_test(test_recordings),
        cmocka_unit_test(test_any_threads_and_level),
        cmocka_unit_test(test_any_format),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_stages_are_finite),
        cmocka_unit_test(test_every_tensor),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, load_clips, free_clips);
}
