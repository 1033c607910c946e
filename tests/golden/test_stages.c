/* Stage by stage against the official package: every layer of the talker, all logits of the first
 * frames, every stage of the codec decoder. Where a run differs, this says where it begins. */
#include "harness/golden.h"
#include "harness/tests.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows of one name as the tap gave them, frame by frame. */
typedef struct track {
    char name[48];
    float *rows;
    long *frames;
    size_t count, capacity, width;
} track;

typedef struct tracks {
    track list[128];
    size_t count;
} tracks;

static track *find(tracks *t, const char *name) {
    for (size_t i = 0; i < t->count; i++) {
        if (strcmp(t->list[i].name, name) == 0) return &t->list[i];
    }
    return NULL;
}

static void collect(void *user, const char *name, long frame, const float *data,
                    const size_t *shape, int rank) {
    tracks *t = user;
    track *at = find(t, name);
    assert_int_equal(rank, 2);
    if (!at) {
        assert_true(t->count < 128);
        at = &t->list[t->count++];
        snprintf(at->name, sizeof at->name, "%s", name);
        at->width = shape[1];
    }
    assert_int_equal(shape[1], at->width);
    for (size_t r = 0; r < shape[0]; r++) {
        if (at->count == at->capacity) {
            at->capacity = at->capacity ? 2 * at->capacity : 64;
            at->rows = realloc(at->rows, at->capacity * at->width * sizeof(float));
            at->frames = realloc(at->frames, at->capacity * sizeof(long));
            assert_true(at->rows && at->frames);
        }
        memcpy(at->rows + at->count * at->width, data + r * at->width, at->width * sizeof(float));
        at->frames[at->count++] = frame;
    }
}

typedef struct error_sum {
    double worst, largest;
} error_sum;

static void compare(error_sum *e, double got, double want) {
    double difference = fabs(got - want);
    if (!(difference <= e->worst)) e->worst = difference; /* NaN too */
    if (fabs(want) > e->largest) e->largest = fabs(want);
}

static void report(const char *name, const error_sum *e, double limit) {
    printf("  %-22s error %.1e of values up to %.2g\n", name, e->worst, e->largest);
    assert_true(e->largest > 0);
    assert_true(e->worst <= limit * e->largest);
}

/* The `step`-th row of a track counted from the last row of the prompt. */
static const float *step_row(const track *t, size_t step) {
    size_t last = 0;
    for (size_t i = 0; i < t->count; i++) {
        if (t->frames[i] < 0) last = i;
    }
    assert_true(last + step < t->count);
    return t->rows + (last + step) * t->width;
}

static void check_talker(tracks *t, const kzt_golden *g) {
    kzt_npy layers, logits, predictor;
    kzt_golden_array(g, "stages/talker_layers.npy", &layers);
    kzt_golden_array(g, "stages/talker_logits.npy", &logits);
    kzt_golden_array(g, "stages/predictor_logits.npy", &predictor);
    size_t steps = layers.shape[0], parts = layers.shape[1], width = layers.shape[2];
    for (size_t p = 0; p < parts; p++) {
        char name[48];
        error_sum e = {0, 0};
        snprintf(name, sizeof name, "talker.layer.%02zu", p);
        bool norm = p + 1 == parts;
        const track *at = find(t, norm ? "talker.hidden" : name);
        assert_non_null(at);
        assert_int_equal(at->width, width);
        for (size_t s = 0; s < steps; s++) {
            const float *row = norm ? at->rows + s * width : step_row(at, s);
            const float *want = (float *)layers.data + (s * parts + p) * width;
            for (size_t i = 0; i < width; i++) compare(&e, (double)row[i], (double)want[i]);
        }
        report(at->name, &e, 1e-5);
    }
    error_sum e = {0, 0};
    const track *at = find(t, "talker.logits");
    for (size_t i = 0; i < logits.count; i++) {
        compare(&e, (double)at->rows[i], (double)((float *)logits.data)[i]);
    }
    report("talker.logits", &e, 1e-5);
    e = (error_sum){0, 0};
    for (size_t p = 0; p < predictor.shape[0]; p++) {
        char name[48];
        snprintf(name, sizeof name, "predictor.logits.%02zu", p);
        at = find(t, name);
        assert_non_null(at);
        for (size_t i = 0; i < at->width; i++) {
            const float *want = (float *)predictor.data + p * at->width;
            compare(&e, (double)at->rows[i], (double)want[i]);
        }
    }
    report("predictor.logits", &e, 1e-5);
    kzt_npy_free(&layers);
    kzt_npy_free(&logits);
    kzt_npy_free(&predictor);
}

/* Stored as [channels, time], or [2, channels, time of a frame] of the first and the last frame. */
static void check_decoder(tracks *t, const kzt_golden *g, double limit) {
    json_t *stages = json_object_get(g->root, "stages");
    for (size_t i = 0; i < json_array_size(stages); i++) {
        json_t *stage = json_array_get(stages, i);
        const char *name = json_string_value(json_object_get(stage, "name"));
        json_t *frames = json_object_get(stage, "frames");
        if (!frames || strcmp(name, "decoder.5") == 0) continue; /* Snake alone: folded away */
        char tap[48];
        snprintf(tap, sizeof tap, "%s%s", strncmp(name, "decoder.", 8) ? "decoder." : "", name);
        const track *at = find(t, strcmp(name, "decoder.6") ? tap : "decoder.waveform");
        if (!at) fail_msg("no stage %s", tap);
        kzt_npy want;
        kzt_golden_array(g, json_string_value(json_object_get(stage, "file")), &want);
        size_t first = want.dims == 3 ? 1 : 0;
        size_t channels = want.shape[first], time = want.shape[first + 1];
        assert_int_equal(at->width, channels);
        error_sum e = {0, 0};
        for (size_t j = 0; j < want.count; j++) {
            size_t piece = j / (channels * time), c = j / time % channels, r = j % time;
            if (piece) r += (size_t)json_integer_value(json_array_get(frames, piece)) * time;
            assert_true(r < at->count);
            compare(&e, (double)at->rows[r * channels + c], (double)((float *)want.data)[j]);
        }
        report(tap, &e, limit);
        kzt_npy_free(&want);
    }
}

/* limit: of the decoder's errors, in parts of a stage's largest value */
static void run_case(const char *name, kz_decoder decoder, double limit) {
    kzt_golden g;
    kz_model_options options;
    tracks *t = calloc(1, sizeof *t);
    kzt_golden_load(name, &g);
    if (!json_object_get(g.root, "stages")) fail_msg("%s has no stages", name);
    printf("%s\n", name);
    kz_model_options_init(&options);
    options.decoder = decoder;
    kz_model *model = kzt_open(g.checkpoint, &options);
    kz_session *session = kzt_session(model, 2);
    kz_session_set_tap(session, collect, t);
    assert_int_equal(kzt_speak(session, &g.request, NULL, NULL), KZ_DONE);
    check_talker(t, &g);
    check_decoder(t, &g, limit);
    kz_session_free(session);
    kz_model_free(model);
    for (size_t i = 0; i < t->count; i++) {
        free(t->list[i].rows);
        free(t->list[i].frames);
    }
    free(t);
    kzt_golden_free(&g);
}

static void test_equal_widths(void **state) {
    (void)state;
    run_case("custom-eq-plain", KZ_DECODER_DIRECT, 2e-5);
}

static void test_projection(void **state) {
    (void)state;
    run_case("custom-mtp-instruct", KZ_DECODER_DIRECT, 2e-5);
}

static void test_default_decoder(void **state) {
    (void)state;
    run_case("custom-eq-plain", KZ_DECODER_DEFAULT, 2e-5);
    run_case("custom-mtp-instruct", KZ_DECODER_DEFAULT, 2e-5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_equal_widths),
                                       cmocka_unit_test(test_projection),
                                       cmocka_unit_test(test_default_decoder)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
