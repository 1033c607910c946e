/* The codec decoder's state: what is saved is all of it, and frames that are skipped leave no trace
 * once as many as the decoder reaches back were decoded. Compared to the bit with a decoder that
 * decodes everything. */
#include "base/fpenv.h"
#include "harness/talk.h"
#include "harness/tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 90, BEHIND = 11, PER_FRAME = 1920 };

typedef struct bench {
    kz_model *model;
    kz__mem mem;
    kz__run run;
    kz__codec_state *state, *other;
    int32_t codes[(FRAMES + BEHIND) * 16];
} bench;

static void open_bench(bench *b, const char *checkpoint, kz_decoder decoder, int threads) {
    kz_model_options options;
    kz__err err = {""};
    kz_model_options_init(&options);
    options.decoder = decoder;
    memset(b, 0, sizeof *b);
    b->model = kzt_open(checkpoint, &options);
    assert_int_equal(kz__mem_init(&b->mem, NULL, &err), KZ_OK);
    assert_int_equal(kz__pool_create(&b->mem, threads, &b->run.pool, &err), KZ_OK);
    b->run.kernels = &b->model->kernels;
    kz__codec_state **states[] = {&b->state, &b->other};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(kz__codec_state_create(&b->mem, &b->model->decoder, threads, states[i],
                                                &err), KZ_OK);
    }
    uint32_t random = 7;
    for (size_t i = 0; i < sizeof b->codes / sizeof *b->codes; i++) {
        random = random * 1664525u + 1013904223u;
        b->codes[i] =
            (int32_t)((random >> 8) % (uint32_t)b->model->config.codec.codebook_size);
    }
}

static void close_bench(bench *b) {
    kz__codec_state_free(b->state);
    kz__codec_state_free(b->other);
    kz__pool_destroy(b->run.pool);
    assert_int_equal(atomic_load(&b->mem.current), 0);
    kz_model_free(b->model);
}

/* Frames first..last-1, at most `step` a call; samples NULL: skipped. */
static void go(bench *b, kz__codec_state *state, size_t first, size_t last, size_t step,
               float *samples) {
    kz__err err = {""};
    kz__fpenv saved = kz__fpenv_set();
    while (first < last) {
        size_t count = last - first < step ? last - first : step;
        const int32_t *codes = b->codes + first * 16;
        kz_status status = samples ? kz__codec_decode(&b->run, state, codes, count, samples, &err)
                                   : kz__codec_skip(&b->run, state, codes, count, &err);
        if (status) fail_msg("%s", err.text);
        if (samples) samples += count * PER_FRAME;
        first += count;
    }
    kz__fpenv_restore(saved);
}

static float *saved(const kz__codec_state *state, size_t frames) {
    float *to = calloc(kz__codec_state_floats(state, frames) + 1, sizeof *to);
    assert_non_null(to);
    kz__codec_state_save(state, to);
    return to;
}

static float *room(void) {
    float *samples = calloc((FRAMES + BEHIND) * PER_FRAME, sizeof *samples);
    assert_non_null(samples);
    return samples;
}

/* A state put into another decoder goes on like the one it is of. */
static void restored(bench *b, size_t frames, const float *state, const float *want, float *got) {
    kz__codec_state_reset(b->other);
    go(b, b->other, BEHIND, FRAMES + BEHIND, 8, got); /* it was elsewhere */
    assert_int_equal(kz__codec_state_restore(b->other, frames, state, NULL), KZ_OK);
    float *again = saved(b->other, frames);
    assert_memory_equal(state, again, kz__codec_state_floats(b->other, frames) * sizeof *again);
    free(again);
    go(b, b->other, frames, frames + BEHIND, 3, got);
    kzt_same_samples(want, BEHIND * PER_FRAME, got, BEHIND * PER_FRAME);
}

/* Skipping up to `decoded` frames before the end: whether the state is the same. */
static bool skipped(bench *b, size_t frames, size_t decoded, const float *want, float *samples) {
    kz__codec_state_reset(b->other);
    go(b, b->other, 0, frames - decoded, 5, NULL);
    go(b, b->other, frames - decoded, frames, 8, samples);
    float *got = saved(b->other, frames);
    size_t bytes = kz__codec_state_floats(b->other, frames) * sizeof *got;
    bool same = memcmp(want, got, bytes) == 0;
    free(got);
    return same;
}

static void all_lengths(const char *checkpoint, kz_decoder decoder, int threads) {
    bench b;
    open_bench(&b, checkpoint, decoder, threads);
    size_t reach = kz__codec_reach(b.state);
    size_t window = b.model->config.codec.stack.window;
    const size_t lengths[] = {1,      2,          5,      reach,      reach + 1,
                              window, window + 1, window + reach, FRAMES};
    float *want = room();
    float *got = room();
    printf("%s, decoder %d: reaches %zu frames back, window %zu\n", checkpoint, (int)decoder,
           reach, window);
    assert_in_range(reach, 4, 40);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        size_t frames = lengths[i];
        assert_true(frames <= FRAMES);
        kz__codec_state_reset(b.state);
        go(&b, b.state, 0, frames, 8, want);
        float *state = saved(b.state, frames);
        if (frames > reach) {
            assert_true(skipped(&b, frames, reach, state, got));
            assert_false(skipped(&b, frames, 0, state, got));
            assert_false(skipped(&b, frames, 1, state, got));
        }
        go(&b, b.state, frames, frames + BEHIND, 8, want);
        restored(&b, frames, state, want, got);
        free(state);
    }
    free(got);
    free(want);
    close_bench(&b);
}

static void test_every_decoder(void **state) {
    static const kz_decoder decoders[] = {KZ_DECODER_DIRECT, KZ_DECODER_WINOGRAD, KZ_DECODER_INT8};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        all_lengths("base-eq", decoders[i], 1);
        all_lengths("base-mtp", decoders[i], 2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_decoder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
