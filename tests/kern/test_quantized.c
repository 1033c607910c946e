/* Quantised kernels: the reference against doubles, extreme codes against integers (B209), any
 * grouping against the whole, and the bits that every machine has (B208; test_kernels holds each
 * level of this machine against the reference, on random shapes and types). */
#include "base/fpenv.h"
#include "kernels/fma.h"
#include "kernels/kernels.h"
#include "tensor/quant.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SEED 20240731u

static uint64_t random_state = SEED;

static uint32_t draw(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 16);
}

static float uniform(void) {
    return (float)(int32_t)draw() * 0x1p-31f;
}

static void fill(float *x, size_t n) {
    for (size_t i = 0; i < n; i++) x[i] = uniform();
}

static void near(const char *what, double got, double want, double limit) {
    if (!(fabs(got - want) <= limit)) {
        fail_msg("%s: %.9g, want %.9g within %.3g", what, got, want, limit);
    }
}

/* A sum of `terms` products in float, each step off by half a unit in the last place of what has
 * come together so far, at most `magnitude`; a term here is rounded twice more (its scales). */
static double tolerance(size_t terms, double magnitude) {
    return ((double)terms + 4) * 0x1p-24 * magnitude + 0x1p-140;
}

static uint64_t add_hash(uint64_t hash, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++) hash = (hash ^ kz__bits_of(x[i])) * 0x100000001b3u;
    return hash;
}

enum { Q_ROWS = 5, Q_PANELS = 3, Q_PAIRS = 4, Q_K = Q_PAIRS * KZ__PAIR_K, Q_WIDTH = Q_PANELS * 16,
       Q_BLOCKS = Q_K / KZ__BLOCK };

/* Everything a quantised product reads, in plain numbers beside it: code k of row r of x is
 * x[r][k], and stands in its block in codes. */
typedef struct quantized {
    int q8;
    int code[Q_WIDTH][Q_K];
    float scale[Q_WIDTH][Q_K / KZ__BLOCK];
    kz__q8_pair wide[Q_PANELS * Q_PAIRS];
    kz__q4_pair narrow[Q_PANELS * Q_PAIRS];
    int8_t x[Q_ROWS][Q_K];
    int8_t codes[Q_ROWS * Q_K];
    float x_scale[Q_BLOCKS * Q_ROWS];
    int32_t x_sum[Q_BLOCKS * Q_ROWS];
    float bias[Q_WIDTH];
    kz__mmq_args args;
} quantized;

static int pattern(int kind, size_t i, int least, int most) {
    switch (kind) {
    case 1: return most;
    case 2: return least;
    case 3: return i % 2 ? most : least;
    case 4: return i % 4 < 2 ? most : least;
    default: return least + (int)(draw() % (unsigned)(most - least + 1));
    }
}

/* kind: what the weights are, x_kind: what x is (pattern). */
static void quantized_fill(quantized *q, int q8, int kind, int x_kind) {
    q->q8 = q8;
    static kz__quant_codes codes[Q_PANELS * Q_BLOCKS][KZ__BLOCK];
    static uint16_t scales[Q_PANELS * Q_BLOCKS][KZ__PANEL_ROWS];
    for (size_t row = 0; row < Q_WIDTH; row++) {
        for (size_t b = 0; b < Q_BLOCKS; b++) {
            uint16_t half = kz__f32_to_f16(uniform());
            q->scale[row][b] = kz__f16_to_f32(half);
            scales[row / 16 * Q_BLOCKS + b][row % 16] = half;
            for (size_t i = 0; i < KZ__BLOCK; i++) {
                int code = pattern(kind, i, q8 ? -127 : -8, q8 ? 127 : 7);
                q->code[row][b * KZ__BLOCK + i] = code;
                codes[row / 16 * Q_BLOCKS + b][i][row % 16] = (int8_t)code;
            }
        }
        q->bias[row] = uniform();
    }
    for (size_t i = 0; i < Q_PANELS * Q_BLOCKS; i++) {
        kz__quant_put(q8 ? KZ__Q8 : KZ__Q4, q8 ? (void *)&q->wide[i / 2] : &q->narrow[i / 2], i % 2,
                      scales[i], (const kz__quant_codes *)codes[i]);
    }
    memset(q->x_sum, 0, sizeof q->x_sum);
    for (size_t i = 0; i < Q_ROWS * Q_K; i++) {
        size_t row = i / Q_K;
        size_t b = i % Q_K / KZ__BLOCK;
        int code = pattern(x_kind, i, -127, 127);
        q->x[row][i % Q_K] = (int8_t)code;
        q->codes[(b * Q_ROWS + row) * KZ__BLOCK + i % KZ__BLOCK] = (int8_t)code;
        q->x_sum[b * Q_ROWS + row] -= 8 * code;
    }
    fill(q->x_scale, Q_BLOCKS * Q_ROWS);
    kz__mmq_args args = {.x = {q->codes, q->x_scale, q->x_sum, Q_ROWS}, .bias = q->bias,
                         .ldy = Q_WIDTH, .rows = Q_ROWS, .panels = Q_PANELS, .pairs = Q_PAIRS};
    args.w = q8 ? (void *)q->wide : q->narrow;
    q->args = args;
}

static void quantized_run(const kz__kernels *k, const quantized *q, const kz__mmq_args *args) {
    (q->q8 ? k->mm_q8 : k->mm_q4)(args);
}

static void test_reference_quantized_product(void **state) {
    (void)state;
    static quantized q;
    static float y[Q_ROWS * Q_WIDTH];
    kz__kernels k;
    kz__kernels_fill(&k, KZ__SCALAR);
    random_state = SEED;
    for (int kind = 0; kind < 10; kind++) {
        quantized_fill(&q, kind % 2, kind / 2, kind % 5);
        q.args.y = y;
        quantized_run(&k, &q, &q.args);
        for (size_t i = 0; i < Q_ROWS * Q_WIDTH; i++) {
            size_t row = i / Q_WIDTH;
            size_t out = i % Q_WIDTH;
            double want = (double)q.bias[out];
            double magnitude = fabs(want);
            for (size_t c = 0; c < Q_K; c++) {
                size_t b = c / KZ__BLOCK;
                double term = q.code[out][c] * (double)q.x[row][c] * (double)q.scale[out][b] *
                              (double)q.x_scale[b * Q_ROWS + row];
                want += term;
                magnitude += fabs(term);
            }
            near("quantised product", (double)y[i], want, tolerance(Q_K / KZ__BLOCK, magnitude));
        }
    }
}

/* B209: no sum of products saturates or wraps: all patterns of the extreme codes, one block with
 * scales of 1, against integers, on every level. */
static void test_B209_extreme_codes_are_exact(void **state) {
    (void)state;
    static quantized q;
    static float y[Q_ROWS * Q_WIDTH];
    for (int level = 0; level < KZ__LEVELS; level++) {
        if (!kz__kernels_usable((kz__level)level)) continue;
        kz__kernels k;
        kz__kernels_fill(&k, (kz__level)level);
        for (int kind = 0; kind < 50; kind++) {
            quantized_fill(&q, kind % 2, kind / 2 % 5, kind / 10);
            for (size_t i = 0; i < Q_PANELS * Q_PAIRS * 32; i++) {
                uint16_t *scales = q.q8 ? q.wide[i / 32].scale[0] : q.narrow[i / 32].scale[0];
                scales[i % 32] = kz__f32_to_f16(i / 32 % Q_PAIRS == 0 && i % 32 < 16 ? 1.0f : 0.0f);
            }
            for (size_t i = 0; i < Q_ROWS * Q_BLOCKS; i++) q.x_scale[i] = 1.0f;
            q.args.y = y;
            q.args.bias = NULL;
            quantized_run(&k, &q, &q.args);
            for (size_t i = 0; i < Q_ROWS * Q_WIDTH; i++) {
                long want = 0;
                for (size_t c = 0; c < KZ__BLOCK; c++) {
                    want += (long)q.code[i % Q_WIDTH][c] * q.x[i / Q_WIDTH][c];
                }
                if (y[i] != (float)want) {
                    fail_msg("%s, %d bits, patterns %d and %d: %a, want %ld",
                             kz__level_name((kz__level)level), q.q8 ? 8 : 4, kind / 2 % 5,
                             kind / 10, (double)y[i], want);
                }
            }
        }
    }
}

/* A row alone, any range of panels, any cut of k: the bits of the whole. */
static void test_quantized_product_does_not_depend_on_grouping(void **state) {
    (void)state;
    static quantized q;
    static float whole[Q_ROWS * Q_WIDTH];
    static float parts[Q_ROWS * Q_WIDTH];
    random_state = SEED;
    for (int level = 0; level < 2 * KZ__LEVELS; level++) {
        if (!kz__kernels_usable((kz__level)(level / 2))) continue;
        kz__kernels k;
        kz__kernels_fill(&k, (kz__level)(level / 2));
        quantized_fill(&q, level % 2, 0, 0);
        q.args.y = whole;
        quantized_run(&k, &q, &q.args);
        memset(parts, 0x55, sizeof parts);
        for (size_t i = 0; i < Q_ROWS * Q_PANELS; i++) {
            size_t row = i / Q_PANELS;
            size_t panel = i % Q_PANELS;
            /* a part of the pairs needs a matrix of its own: a panel alone is one */
            kz__mmq_args a = q.args;
            a.rows = 1;
            a.panels = 1;
            a.y = parts + row * Q_WIDTH + panel * 16;
            a.bias = q.bias + panel * 16;
            for (size_t begin = 0; begin < Q_PAIRS;) {
                a.pairs = 1 + draw() % (Q_PAIRS - begin);
                a.resume = begin > 0;
                size_t at = 2 * begin * Q_ROWS + row;
                a.x.codes = q.codes + at * KZ__BLOCK;
                a.x.scales = q.x_scale + at;
                a.x.sums = q.x_sum + at;
                a.w = level % 2 ? (void *)&q.wide[panel * Q_PAIRS + begin]
                                : &q.narrow[panel * Q_PAIRS + begin];
                quantized_run(&k, &q, &a);
                begin += a.pairs;
            }
        }
        assert_memory_equal(whole, parts, sizeof whole);
    }
}

/* Codes are the nearest integers of x * 127 / most, in double; the scale is most / 127. */
static void test_reference_quantize(void **state) {
    (void)state;
    enum { K = 100, BLOCKS = 4 };
    float x[K];
    int8_t codes[BLOCKS * KZ__BLOCK];
    float scales[BLOCKS];
    int32_t sums[BLOCKS];
    kz__kernels k;
    const kz__codes to = {codes, scales, sums, 1};
    kz__kernels_fill(&k, KZ__SCALAR);
    random_state = SEED;
    for (int round = 0; round < 2000; round++) {
        fill(x, K);
        for (size_t i = 0; i < K; i++) x[i] = ldexpf(x[i], round % 200 - 110 + 30 * (i > 40));
        k.quantize(&to, x, K, BLOCKS, 0.25f);
        for (size_t b = 0; b < BLOCKS; b++) {
            double most = 0;
            long sum = 0;
            for (size_t i = b * KZ__BLOCK; i < (b + 1) * KZ__BLOCK && i < K; i++) {
                most = fmax(most, fabs((double)x[i]));
            }
            if (most < 0x1p-100) most = 0;
            assert_true(scales[b] == (float)most / 127.0f * 0.25f);
            for (size_t i = b * KZ__BLOCK; i < (b + 1) * KZ__BLOCK; i++) {
                double want = i < K && most > 0 ? (double)x[i] * 127 / most : 0;
                near("code", codes[i], want, 0.5 + 1e-4);
                assert_true(codes[i] >= -127);
                sum += codes[i];
            }
            assert_int_equal(sums[b], -8 * sum);
        }
    }
    x[33] = NAN;
    x[3] = INFINITY;
    k.quantize(&to, x, K, BLOCKS, 0.25f);
    assert_true(scales[0] != scales[0] && scales[1] != scales[1] && scales[2] == scales[2]);
    for (size_t i = 0; i < 2 * KZ__BLOCK; i++) assert_int_equal(codes[i], 0);
}

/* The bits of quantised arithmetic, those of every machine. */
static void test_quantized_bits_are_those_of_every_machine(void **state) {
    (void)state;
    static quantized q;
    static float x[Q_ROWS * Q_K];
    static float y[Q_ROWS * Q_WIDTH];
    for (int level = 0; level < KZ__LEVELS; level++) {
        if (!kz__kernels_usable((kz__level)level)) continue;
        kz__kernels k;
        kz__kernels_fill(&k, (kz__level)level);
        uint64_t hash = 0xcbf29ce484222325u;
        random_state = SEED;
        for (int q8 = 0; q8 < 2; q8++) {
            quantized_fill(&q, q8, 0, 0);
            fill(x, Q_ROWS * Q_K);
            for (size_t r = 0; r < Q_ROWS; r++) {
                kz__codes to = {q.codes + r * KZ__BLOCK, q.x_scale + r, q.x_sum + r, Q_ROWS};
                k.quantize(&to, x + r * Q_K, Q_K - 5, Q_BLOCKS, 0.25f);
            }
            q.args.y = y;
            quantized_run(&k, &q, &q.args);
            hash = add_hash(hash, y, Q_ROWS * Q_WIDTH);
        }
        print_message("%-10s %016llx\n", kz__level_name((kz__level)level),
                      (unsigned long long)hash);
        assert_true(hash == 0x40a4868f6ea05695u);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference_quantized_product),
        cmocka_unit_test(test_B209_extreme_codes_are_exact),
        cmocka_unit_test(test_quantized_product_does_not_depend_on_grouping),
        cmocka_unit_test(test_reference_quantize),
        cmocka_unit_test(test_quantized_bits_are_those_of_every_machine),
    };
    kz__fpenv saved = kz__fpenv_set();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    kz__fpenv_restore(saved);
    return failed;
}
