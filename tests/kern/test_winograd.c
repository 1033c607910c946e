/* The Winograd transforms: the reference with float products against a convolution in double, and
 * the bits that every machine must have. */
#define _GNU_SOURCE
#include "base/fpenv.h"
#include "harness/tests.h"
#include "kernels/fma.h"
#include "kernels/kernels.h"
#include "kernels/winograd_constants.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    TAPS = KZ__WINOGRAD_TAPS,
    OUTS = KZ__WINOGRAD_OUTS,
    PAIRS = KZ__WINOGRAD_PAIRS,
    POINTS = KZ__WINOGRAD_POINTS,
    IN = 48,
    OUT = 32
};

static uint32_t random_state;

static float uniform(void) {
    random_state = random_state * 1664525u + 1013904223u;
    return (float)(int32_t)random_state * 0x1p-31f;
}

static void fill(float *x, size_t n) {
    for (size_t i = 0; i < n; i++) x[i] = uniform();
}

typedef struct tile {
    float x[POINTS * IN], weight[OUT * IN * TAPS], bias[OUT];
    float packed[POINTS * (OUT / 16) * IN * 16]; /* [point][panel][in][16] */
    float v[POINTS * IN], m[POINTS * OUT], y[OUTS * OUT];
} tile;

static double transformed(const tile *t, size_t point, size_t out, size_t in) {
    double sum = 0;
    for (size_t s = 0; s < TAPS; s++) {
        sum += kz__winograd_weights[point][s] * (double)t->weight[(out * IN + in) * TAPS + s];
    }
    return sum;
}

static void prepare(tile *t) {
    fill(t->x, POINTS * IN);
    fill(t->weight, OUT * IN * TAPS);
    fill(t->bias, OUT);
    for (size_t j = 0; j < POINTS; j++) {
        for (size_t o = 0; o < OUT; o++) {
            for (size_t c = 0; c < IN; c++) {
                size_t at = ((j * (OUT / 16) + o / 16) * IN + c) * 16 + o % 16;
                t->packed[at] = (float)transformed(t, j, o, c);
            }
        }
    }
}

/* count: outputs; rows of x behind those they need stay unread. */
static void run(const kz__kernels *k, tile *t, size_t count) {
    k->winograd_in(t->v, IN, t->x, IN, TAPS - 1 + count, IN);
    for (size_t j = 0; j < POINTS; j++) {
        kz__mm_args a = {.y = t->m + j * OUT, .ldy = OUT, .x = t->v + j * IN, .ldx = IN,
                         .w = t->packed + j * OUT * IN, .panel_stride = IN * 16, .rows = 1,
                         .panels = OUT / 16, .k = IN, .taps = 1};
        k->mm_f32(&a);
    }
    k->winograd_out(t->y, OUT, count, t->m, OUT, t->bias, OUT);
}

/* Sums of absolute values through the transforms: what roundings are relative to. */
static double input_size(const float *x, size_t point, size_t c) {
    double size = 0;
    size_t k = (point - 1) / 2;
    if (point == 0 || point == POINTS - 1) {
        size_t first = point ? 1 : 0;
        for (size_t i = 0; i < PAIRS; i++) {
            size += fabs((double)kz__winograd_ends[i] * (double)x[(2 * i + first) * IN + c]);
        }
        return size + fabs((double)x[(2 * PAIRS + first) * IN + c]);
    }
    for (size_t i = 0; i < PAIRS; i++) {
        double factor = i + 1 < PAIRS ? fabs((double)kz__winograd_others[k][i]) : 1;
        double p = (double)kz__winograd_points[k];
        size += factor * (p * fabs((double)x[(2 * i + 1) * IN + c]) +
                          fabs((double)x[(2 * i + 2) * IN + c]));
    }
    return size;
}

static double output_size(const tile *t, size_t i, size_t o) {
    double sum = fabs((double)t->bias[o]);
    for (size_t j = 0; j < POINTS; j++) {
        double factor = j ? (double)kz__winograd_powers[(j - 1) / 2 % PAIRS][i] : i == 0;
        if (j == POINTS - 1) factor = i == OUTS - 1;
        for (size_t c = 0; factor > 0 && c < IN; c++) {
            sum += factor * fabs(transformed(t, j, o, c)) * input_size(t->x, j, c);
        }
    }
    return sum;
}

/* A path has IN steps of a product, and at most: six of the input, one of the weight, eight of the
 * output. */
static void test_reference_is_a_convolution(void **state) {
    (void)state;
    static tile t;
    kz__kernels k;
    double worst = 0;
    kz__kernels_fill(&k, KZ__SCALAR);
    random_state = 7;
    for (size_t count = 1; count <= OUTS; count++) {
        prepare(&t);
        run(&k, &t, count);
        memset(t.x + (TAPS - 1 + count) * IN, 0, (OUTS - count) * IN * sizeof *t.x);
        for (size_t i = 0; i < count; i++) {
            for (size_t o = 0; o < OUT; o++) {
                double want = (double)t.bias[o];
                for (size_t s = 0; s < TAPS * IN; s++) {
                    want += (double)t.weight[(o * IN + s % IN) * TAPS + s / IN] *
                            (double)t.x[(i + s / IN) * IN + s % IN];
                }
                double error = fabs((double)t.y[i * OUT + o] - want);
                if (error > worst) worst = error;
                assert_true(error <= (IN + 17) * 0x1p-24 * output_size(&t, i, o));
            }
        }
    }
    print_message("largest error %.2g of values around %.2g\n", worst, sqrt(IN * TAPS) / 3);
}

static void test_bits_are_those_of_every_machine(void **state) {
    (void)state;
    static tile t;
    for (int level = 0; level < KZ__LEVELS; level++) {
        if (!kz__kernels_usable((kz__level)level)) continue;
        kz__kernels k;
        uint64_t hash = 0xcbf29ce484222325u;
        kz__kernels_fill(&k, (kz__level)level);
        random_state = 11;
        for (size_t count = 1; count <= OUTS; count++) {
            prepare(&t);
            run(&k, &t, count);
            for (size_t i = 0; i < count * OUT; i++) {
                hash = (hash ^ kz__bits_of(t.y[i])) * 0x100000001b3u;
            }
        }
        print_message("%-10s %016llx\n", kz__level_name((kz__level)level),
                      (unsigned long long)hash);
        assert_true(hash == 0xb7fea9f2ba2efa7au);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reference_is_a_convolution),
                                       cmocka_unit_test(test_bits_are_those_of_every_machine)};
    kz__fpenv saved = kz__fpenv_set();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    kz__fpenv_restore(saved);
    return failed;
}
