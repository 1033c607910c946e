/* The mel spectrogram against the formula in double: a plain Fourier sum, filters and mirrored ends
 * written again from the definition. */
#include "audio/mel.h"
#include "harness/failing_alloc.h"
#include "harness/tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static const kz__mel_config voice = {.rate = 24000, .fft = 1024, .window = 1024, .hop = 256,
                                     .pad = 384, .bands = 128, .low = 0, .high = 12000};
/* another of everything: a window shorter than the transform, a range that leaves bins out */
static const kz__mel_config small = {.rate = 16000, .fft = 128, .window = 100, .hop = 37, .pad = 50,
                                     .bands = 17, .low = 200, .high = 7000};

static double hz_to_mel(double hz) {
    return hz < 1000 ? hz / (200.0 / 3) : 15 + log(hz / 1000) / (log(6.4) / 27);
}

static double mel_to_hz(double mel) {
    return mel < 15 ? mel * (200.0 / 3) : 1000 * exp((mel - 15) * (log(6.4) / 27));
}

static double filter(const kz__mel_config *c, size_t band, size_t bin) {
    double h[3];
    double low = hz_to_mel(c->low);
    double high = hz_to_mel(c->high);
    for (size_t i = 0; i < 3; i++) {
        h[i] = mel_to_hz(low + (high - low) * (double)(band + i) / (double)(c->bands + 1));
    }
    double f = (double)(bin * c->rate) / (double)c->fft;
    double value = fmin((f - h[0]) / (h[1] - h[0]), (h[2] - f) / (h[2] - h[1]));
    return fmax(0, value) * 2 / (h[2] - h[0]);
}

static double padded(const kz__mel_config *c, const float *x, size_t count, size_t index) {
    long i = (long)index - (long)c->pad;
    long last = (long)count - 1;
    if (i < 0) i = -i;
    if (i > last) i = 2 * last - i;
    assert_true(i >= 0 && i <= last);
    return (double)x[i];
}

/* One frame: `bands` values. */
static void frame(const kz__mel_config *c, const float *x, size_t count, size_t t, double *out) {
    double bins[513], windowed[1024], cosine[1024], sine[1024];
    size_t before = (c->fft - c->window) / 2;
    for (size_t n = 0; n < c->window; n++) {
        double window = 0.5 - 0.5 * cos(2 * PI * (double)n / (double)c->window);
        windowed[n] = window * padded(c, x, count, t * c->hop + before + n);
    }
    for (size_t n = 0; n < c->fft; n++) {
        cosine[n] = cos(2 * PI * (double)n / (double)c->fft);
        sine[n] = sin(2 * PI * (double)n / (double)c->fft);
    }
    for (size_t k = 0; k <= c->fft / 2; k++) {
        double re = 0, im = 0;
        for (size_t n = 0; n < c->window; n++) {
            re += windowed[n] * cosine[k * (before + n) % c->fft];
            im -= windowed[n] * sine[k * (before + n) % c->fft];
        }
        bins[k] = sqrt(re * re + im * im + 1e-9);
    }
    for (size_t b = 0; b < c->bands; b++) {
        double sum = 0;
        for (size_t k = 0; k <= c->fft / 2; k++) sum += filter(c, b, k) * bins[k];
        out[b] = log(fmax(sum, 1e-5));
    }
}

static float *make_samples(size_t count, double level) {
    float *x = malloc((count + 1) * sizeof *x);
    assert_non_null(x);
    uint32_t random = 7;
    for (size_t i = 0; i < count; i++) {
        random = random * 1664525u + 1013904223u;
        double noise = (double)(random >> 8) / (1 << 23) - 1;
        x[i] = (float)(level * (0.5 * sin((double)i * 0.05) + 0.2 * sin((double)i * 1.7) +
                                0.05 * noise));
    }
    return x;
}

static float *run(const kz__mel_config *c, const float *x, size_t count, int threads, size_t ld) {
    kz__mem mem;
    kz__mel mel;
    kz__pool *pool = NULL;
    size_t frames = kz__mel_frames(c, count);
    float *rows = calloc(frames * ld, sizeof *rows);
    assert_non_null(rows);
    assert_int_equal(kz__mem_init(&mem, NULL, NULL), KZ_OK);
    assert_int_equal(kz__pool_create(&mem, threads, &pool, NULL), KZ_OK);
    assert_int_equal(kz__mel_init(&mel, &mem, c, NULL), KZ_OK);
    assert_int_equal(kz__mel_run(&mel, &mem, pool, x, count, rows, ld, NULL), KZ_OK);
    kz__mel_clear(&mel, &mem);
    kz__pool_destroy(pool);
    assert_int_equal(atomic_load(&mem.current), 0);
    return rows;
}

static void compare(const kz__mel_config *c, size_t count, double level) {
    size_t ld = c->bands + 3;
    size_t frames = kz__mel_frames(c, count);
    float *x = make_samples(count, level);
    float *rows = run(c, x, count, 2, ld);
    double *want = calloc(c->bands, sizeof *want);
    double worst = 0;
    assert_non_null(want);
    for (size_t t = 0; t < frames; t += frames > 4 && t == 1 ? frames - 4 : 1) {
        frame(c, x, count, t, want);
        for (size_t b = 0; b < c->bands; b++) {
            double difference = fabs((double)rows[t * ld + b] - want[b]);
            if (!(difference <= worst)) worst = difference;
        }
        for (size_t b = c->bands; b < ld; b++) assert_true(rows[t * ld + b] == 0);
    }
    printf("  %zu samples, %zu frames: error %.1e\n", count, frames, worst);
    assert_true(worst <= 1e-6); /* a float of this size rounds to 5e-7 */
    free(want);
    free(rows);
    free(x);
}

static void test_formula(void **state) {
    (void)state;
    compare(&voice, 385, 1);
    compare(&voice, 1280, 0.3);
    compare(&voice, 3001, 1e-4);
    compare(&voice, 1500, 0);
    compare(&voice, 1500, 1e4);
    compare(&small, 51, 1);
    compare(&small, 64, 1);
    compare(&small, 1000, 0.01);
}

static void test_frames(void **state) {
    (void)state;
    for (size_t n = 0; n <= 384; n++) assert_int_equal(kz__mel_frames(&voice, n), 0);
    for (size_t n = 385; n < 3000; n++) assert_int_equal(kz__mel_frames(&voice, n), n / 256);
    assert_int_equal(kz__mel_frames(&voice, SIZE_MAX), 0);
    const kz__mel_config bare = {.fft = 64, .hop = 10, .pad = 0};
    assert_int_equal(kz__mel_frames(&bare, 63), 0);
    assert_int_equal(kz__mel_frames(&bare, 64), 1);
    assert_int_equal(kz__mel_frames(&bare, 74), 2);
}

static void test_any_threads(void **state) {
    (void)state;
    float *x = make_samples(20000, 0.5);
    size_t bytes = kz__mel_frames(&voice, 20000) * 128 * sizeof(float);
    float *want = run(&voice, x, 20000, 1, 128);
    for (int threads = 2; threads < 8; threads += 2) {
        float *got = run(&voice, x, 20000, threads, 128);
        assert_memory_equal(got, want, bytes);
        free(got);
    }
    free(want);
    free(x);
}

static void test_memory_runs_out(void **state) {
    kz__mem mem;
    (void)state;
    assert_int_equal(kz__mem_init(&mem, kzt_failing_allocator(), NULL), KZ_OK);
    for (long n = 0;; n++) {
        kz__mel mel;
        kzt_fail_after(n);
        kz_status status = kz__mel_init(&mel, &mem, &small, NULL);
        kz__mel_clear(&mel, &mem);
        assert_int_equal(atomic_load(&mem.current), 0);
        if (status == KZ_OK) break;
        assert_int_equal(status, KZ_ERR_MEMORY);
        assert_true(n < 20);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formula),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_any_threads),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
