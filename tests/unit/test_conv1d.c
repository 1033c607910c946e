/* Convolutions, each way of computing them, against sums in double; and what must not change a bit:
 * frames in a call, threads, kernel levels. */
#include "harness/tests.h"

#include "kernels/winograd_constants.h"
#include "nn/quantized.h"
#include "nn/winograd.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define FRAMES 6

typedef struct layer {
    size_t in, out, taps, dilation, stride, frame_rows;
    size_t hop;             /* of a strided one, else 1 */
    float *weight, *bias, *x; /* x: [rows][pad16(in)] */
    kz__tensor weight_tensor, bias_tensor;
} layer;

static uint32_t random_state = 5;

static float uniform(void) {
    random_state = random_state * 1664525u + 1013904223u;
    return (float)(int32_t)random_state * 0x1p-31f;
}

static float *numbers(size_t n) {
    float *x = malloc(n * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < n; i++) x[i] = uniform();
    return x;
}

static layer make(size_t in, size_t out, size_t taps, size_t dilation, size_t stride,
                  size_t frame_rows) {
    layer l = {in, out, taps, dilation, stride, frame_rows, 1, NULL, NULL, NULL, {0}, {0}};
    size_t kernel = taps * stride;
    size_t ld = kz__pad16(in);
    l.weight = numbers(in * out * kernel);
    l.bias = numbers(out);
    l.x = numbers(FRAMES * frame_rows * ld);
    for (size_t i = 0; i < FRAMES * frame_rows * ld; i++) {
        if (i % ld >= in) l.x[i] = 0;
    }
    kz__tensor weight = {.name = "w", .type = KZ__F32, .rank = 3, .data = l.weight,
                         .shape = {stride > 1 ? in : out, stride > 1 ? out : in, kernel}};
    kz__tensor bias = {.name = "b", .type = KZ__F32, .rank = 1, .shape = {out}, .data = l.bias};
    l.weight_tensor = weight;
    l.bias_tensor = bias;
    return l;
}

static void drop(layer *l) {
    free(l->weight);
    free(l->bias);
    free(l->x);
}

/* The term of output row t, channel o (and phase r of a stride) from tap s and channel c. */
static double term(const layer *l, size_t t, size_t r, size_t o, size_t s, size_t c) {
    size_t back = (l->taps - 1 - s) * l->dilation;
    t = t * l->hop + l->hop - 1; /* the last input row of an output */
    if (back > t) return 0;
    size_t at = l->stride > 1 ? (c * l->out + o) * l->taps * l->stride + r +
                                    l->stride * (l->taps - 1 - s)
                              : (o * l->in + c) * l->taps + s;
    return (double)l->weight[at] * (double)l->x[(t - back) * kz__pad16(l->in) + c];
}

static kz_status pack(const layer *l, const kz__pack_place *place, kz__conv_how how,
                      kz__conv *conv, kz__err *err) {
    if (l->stride > 1) {
        return kz__conv_pack_transposed(place, conv, &l->weight_tensor, &l->bias_tensor, l->stride,
                                        how, err);
    }
    if (l->hop > 1) {
        return kz__conv_pack_strided(place, conv, &l->weight_tensor, &l->bias_tensor, l->hop, err);
    }
    return kz__conv_pack(place, conv, &l->weight_tensor, &l->bias_tensor, l->dilation, how, err);
}

/* Runs all frames, so many in a call. y: [rows * stride / hop][pad16(out)]. */
static void run(const layer *l, kz__conv_how how, kz__level level, int threads, size_t frames,
                float *y) {
    kz__mem mem;
    kz__err err = {""};
    kz__conv conv;
    kz__conv_state state;
    kz__scratch scratch;
    kz__pool *pool = NULL;
    kz__kernels kernels;
    size_t ld = kz__pad16(l->in), ldy = kz__pad16(l->out);
    assert_int_equal(kz__mem_init(&mem, NULL, &err), KZ_OK);
    kz__kernels_fill(&kernels, level);
    const kz__pack_place place = {.mem = &mem};
    assert_int_equal(pack(l, &place, how, &conv, &err), KZ_OK);
    assert_int_equal(kz__conv_state_init(&state, &mem, &conv, l->frame_rows, frames, &err), KZ_OK);
    size_t width = kz__linear_scratch(&conv.linear);
    size_t rows = kz__linear_rows(&conv.linear, 7); /* fewer than a frame: products go in pieces */
    assert_int_equal(kz__scratch_init(&scratch, &mem, rows, width, &err), KZ_OK);
    assert_int_equal(kz__scratch_add_tiles(&scratch, &mem, (size_t)threads,
                                           kz__winograd_floats(&conv), &err), KZ_OK);
    assert_int_equal(kz__pool_create(&mem, threads, &pool, &err), KZ_OK);
    kz__run run = {&kernels, pool, &scratch};
    for (size_t f = 0; f < FRAMES; f += frames) {
        size_t now = (FRAMES - f < frames ? FRAMES - f : frames) * l->frame_rows;
        size_t first = f * l->frame_rows;
        memcpy(kz__conv_input(&state), l->x + first * ld, now * ld * sizeof(float));
        kz__conv_run(&run, &state, y + first * l->stride / l->hop * ldy, ldy, now, NULL);
    }
    kz__pool_destroy(pool);
    kz__scratch_clear(&scratch);
    kz__conv_state_clear(&state, &mem);
    kz__conv_clear(&mem, &conv);
    assert_int_equal(atomic_load(&mem.current), 0);
}

/* The largest factor by which sums of absolute values grow on their way through the transforms. */
static double winograd_growth(void) {
    double most = 0;
    for (size_t i = 0; i < KZ__WINOGRAD_OUTS; i++) {
        double sum = 0;
        for (size_t j = 0; j < KZ__WINOGRAD_POINTS; j++) {
            size_t k = (j - 1) / 2 % KZ__WINOGRAD_PAIRS;
            bool end = j == 0 || j == KZ__WINOGRAD_POINTS - 1;
            double input = 1, weight = 0;
            for (size_t c = 0; c < KZ__WINOGRAD_PAIRS; c++) {
                double p = (double)kz__winograd_points[k];
                double other = c + 1 < KZ__WINOGRAD_PAIRS ? (double)kz__winograd_others[k][c] : 1;
                input += end ? fabs((double)kz__winograd_ends[c]) : (1 + p) * fabs(other);
            }
            for (size_t s = 0; s < KZ__WINOGRAD_TAPS; s++) {
                weight = fmax(weight, fabs(kz__winograd_weights[j][s]));
            }
            sum += input * weight * (end ? 1 : (double)kz__winograd_powers[k][i]);
        }
        most = fmax(most, sum);
    }
    return most;
}

/* Float: a rounding for each step of a sum. 8 bits: half a step of both codes of each term, where a
 * step is 1/127 of the largest value of a block (1, of these numbers), and a scale that fits its
 * block may be larger by a part of it. */
static double limit(const layer *l, kz__conv_how how) {
    double count = (double)(l->taps * l->in);
    if (how == KZ__CONV_DIRECT) return (count + 2) * 0x1p-24 * count;
    if (how == KZ__CONV_WINOGRAD) return ((double)l->in + 17) * 0x1p-24 * count * winograd_growth();
    return count * 1.2 / 127;
}

static void against_doubles(const layer *l, kz__conv_how how, const float *y) {
    double worst = 0, signal = 0, noise = 0;
    for (size_t t = 0; t < FRAMES * l->frame_rows * l->stride / l->hop; t++) {
        for (size_t o = 0; o < kz__pad16(l->out); o++) {
            double want = o < l->out ? (double)l->bias[o] : 0;
            for (size_t i = 0; o < l->out && i < l->taps * l->in; i++) {
                want += term(l, t / l->stride, t % l->stride, o, i / l->in, i % l->in);
            }
            double error = fabs((double)y[t * kz__pad16(l->out) + o] - want);
            worst = fmax(worst, error);
            signal += want * want;
            noise += error * error;
        }
    }
    double snr = 10 * log10(signal / (noise + 1e-300));
    printf("how %d in %2zu out %2zu taps %zu dilation %zu stride %zu hop %zu rows %2zu: error %.2g"
           " of %.2g, %.1f dB\n", (int)how, l->in, l->out, l->taps, l->dilation, l->stride, l->hop,
           l->frame_rows, worst, limit(l, how), snr);
    assert_true(worst <= limit(l, how));
    assert_true(snr >= (how == KZ__CONV_INT8 ? 30 : 90));
}

static void check_layer(const layer *l, kz__conv_how how) {
    size_t count = FRAMES * l->frame_rows * l->stride / l->hop * kz__pad16(l->out);
    float *y = malloc(count * sizeof *y), *other = malloc(count * sizeof *other);
    assert_true(y && other);
    run(l, how, kz__kernels_best(), 1, 1, y);
    against_doubles(l, how, y);
    for (size_t frames = 1; frames <= FRAMES; frames++) {
        memset(other, 0x55, count * sizeof *other);
        run(l, how, kz__kernels_best(), (int)(1 + frames % 3), frames, other);
        assert_memory_equal(y, other, count * sizeof *y);
    }
    for (int level = 0; level < KZ__LEVELS; level++) {
        if (!kz__kernels_usable((kz__level)level)) continue;
        run(l, how, (kz__level)level, 2, 4, other);
        assert_memory_equal(y, other, count * sizeof *y);
    }
    free(y);
    free(other);
}

static void check(size_t in, size_t out, size_t taps, size_t dilation, size_t stride,
                  size_t frame_rows, kz__conv_how how) {
    layer l = make(in, out, taps, dilation, stride, frame_rows);
    check_layer(&l, how);
    drop(&l);
}

/* frame_rows: whole strides */
static void check_strided(size_t in, size_t out, size_t taps, size_t hop, size_t frame_rows) {
    layer l = make(in, out, taps, 1, 1, frame_rows);
    l.hop = hop;
    check_layer(&l, KZ__CONV_DIRECT);
    drop(&l);
}

static void test_direct(void **state) {
    (void)state;
    check(24, 40, 7, 3, 1, 5, KZ__CONV_DIRECT);
    check(16, 12, 2, 1, 3, 4, KZ__CONV_DIRECT);
}

/* As many taps as a stride, twice as many, and a number between. */
static void test_strided(void **state) {
    (void)state;
    check_strided(24, 40, 4, 2, 6);
    check_strided(16, 12, 8, 4, 4);
    check_strided(5, 33, 5, 5, 15);
    check_strided(6, 48, 7, 4, 8);
}

/* Fewer rows in a frame than the dilation, exact tiles, a row more and less; more tiles than a
 * block has. */
static void test_winograd(void **state) {
    (void)state;
    static const size_t dilations[] = {1, 3, 9};
    static const size_t rows[] = {1, 4, 5, 6, 7, 18, 32, 41};
    for (size_t d = 0; d < 3; d++) {
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            check(d == 1 ? 24 : 6, r % 2 ? 40 : 16, 7, dilations[d], 1, rows[r], KZ__CONV_WINOGRAD);
        }
    }
    check(48, 128, 7, 1, 1, 200, KZ__CONV_WINOGRAD);
}

static void test_eight_bits(void **state) {
    (void)state;
    check(48, 20, 1, 1, 1, 9, KZ__CONV_INT8);
    check(70, 20, 7, 1, 1, 4, KZ__CONV_INT8);
    check(64, 24, 2, 1, 5, 8, KZ__CONV_INT8);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_direct),
                                       cmocka_unit_test(test_strided),
                                       cmocka_unit_test(test_winograd),
                                       cmocka_unit_test(test_eight_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
