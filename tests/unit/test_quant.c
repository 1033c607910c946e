/* Quantised types: f16, the fit of scales, the places of codes in a pair, packed matrices. */
#include "harness/tests.h"

#include "nn/linear.h"
#include "tensor/quant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state_of_draws = 1;

static uint32_t draw(void) {
    state_of_draws = state_of_draws * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state_of_draws >> 32);
}

static float unit(void) {
    return (float)(int32_t)draw() * 0x1p-31f;
}

/* Roughly normal: a sum of four. */
static float bell(void) {
    return unit() + unit() + unit() + unit();
}

/* ---- f16 ----------------------------------------------------------------------------------- */

static void test_half_there_and_back(void **state) {
    (void)state;
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        float value = kz__f16_to_f32((uint16_t)bits);
        if (value != value) {
            assert_true((kz__f32_to_f16(value) & 0x7fff) > 0x7c00);
        } else {
            assert_int_equal(kz__f32_to_f16(value), bits);
        }
    }
}

/* Between neighbours the nearer one, in the middle the even one. */
static void test_half_rounds_to_nearest(void **state) {
    (void)state;
    for (uint32_t bits = 0; bits < 0x7bff; bits++) {
        double low = (double)kz__f16_to_f32((uint16_t)bits);
        double high = (double)kz__f16_to_f32((uint16_t)(bits + 1));
        float middle = (float)((low + high) / 2);
        assert_int_equal(kz__f32_to_f16(middle), bits + (bits & 1));
        assert_int_equal(kz__f32_to_f16(nextafterf(middle, 0.0f)), bits);
        assert_int_equal(kz__f32_to_f16(nextafterf(middle, 1e9f)), bits + 1);
        assert_int_equal(kz__f32_to_f16(-middle), 0x8000 | (bits + (bits & 1)));
    }
    assert_int_equal(kz__f32_to_f16(65519.0f), 0x7bff);
    assert_int_equal(kz__f32_to_f16(65520.0f), 0x7c00);
    assert_int_equal(kz__f32_to_f16(INFINITY), 0x7c00);
    assert_int_equal(kz__f32_to_f16(-3e38f), 0xfc00);
}

/* ---- blocks -------------------------------------------------------------------------------- */

static double squared_error(const float *values, double scale, const int8_t *codes) {
    double sum = 0;
    for (size_t i = 0; i < KZ__BLOCK; i++) {
        double off = (double)values[i] - scale * codes[i];
        sum += off * off;
    }
    return sum;
}

static float largest_of(const float *values, size_t n) {
    float most = 0;
    for (size_t i = 0; i < n; i++) most = fmaxf(most, fabsf(values[i]));
    return most;
}

static void fill_block(float *values, int kind) {
    float size = ldexpf(1.0f, (int)(draw() % 60) - 40);
    for (size_t i = 0; i < KZ__BLOCK; i++) {
        float value = kind % 4 == 0 ? unit() : bell();
        if (kind % 4 == 2) value = value * value * value;
        if (kind % 4 == 3) value = i == 7 ? 4.0f : 0.05f * value;
        values[i] = value * size;
    }
}

/* Encodes a block in one row of a panel, the next at each call, among others that differ. */
static void encode(kz__dtype type, float factor, const float *values, uint16_t *half,
                   int8_t *codes) {
    static size_t calls;
    kz__quant_row rows[KZ__BLOCK];
    kz__quant_codes all[KZ__BLOCK];
    uint16_t scales[KZ__PANEL_ROWS];
    size_t row = calls++ % KZ__PANEL_ROWS;
    for (size_t i = 0; i < KZ__BLOCK; i++) {
        for (size_t n = 0; n < KZ__PANEL_ROWS; n++) {
            rows[i][n] = n == row ? values[i] : values[(i * n) % KZ__BLOCK] / (float)(n + 1);
        }
    }
    kz__quant_blocks(type, factor, (const kz__quant_row *)rows, scales, all);
    for (size_t i = 0; i < KZ__BLOCK; i++) codes[i] = all[i][row];
    *half = scales[row];
}

/* No code is much further from its value than half a step (codes belong to the scale before the
 * last fit; the ends may be clipped with four bits), and the scale is the best f16 for its codes:
 * its neighbours are not better. */
static void check_fit(kz__dtype type, int kind) {
    float values[KZ__BLOCK];
    int8_t codes[KZ__BLOCK];
    uint16_t half = 0;
    fill_block(values, kind);
    float largest = largest_of(values, KZ__BLOCK);
    float factor = kz__quant_factor(type, largest);
    encode(type, factor, values, &half, codes);
    double step = (double)kz__f16_to_f32(half) * (double)factor;
    int exponent = half >> 10 & 31;
    assert_in_range(exponent, 1, 30);
    double error = squared_error(values, step, codes);
    for (int way = -1; way <= 1; way += 2) {
        double near = (double)kz__f16_to_f32((uint16_t)(half + way)) * (double)factor;
        /* sums in float: a tie may fall to either side */
        assert_true(error <= squared_error(values, near, codes) * (1 + 1e-5));
    }
    double power = squared_error(values, 0, codes);
    if (type == KZ__Q8) {
        for (size_t i = 0; i < KZ__BLOCK; i++) {
            assert_true(fabs((double)values[i] - step * codes[i]) <= 0.75 * fabs(step));
            assert_true(codes[i] >= -127);
        }
        assert_true(fabs(step) <= (double)largest / 127 * 1.01);
    } else {
        for (size_t i = 0; i < KZ__BLOCK; i++) assert_in_range(codes[i] + 8, 0, 15);
        /* amax / 7 and nearest codes: what least squares must not lose to */
        int8_t plain[KZ__BLOCK];
        for (size_t i = 0; i < KZ__BLOCK; i++) {
            plain[i] = (int8_t)lrint((double)values[i] / ((double)largest / 7));
        }
        assert_true(error <= squared_error(values, (double)largest / 7, plain) * 1.002);
        assert_true(kind % 4 > 1 || error < 0.02 * power);
    }
}

static void test_scales_are_fitted(void **state) {
    (void)state;
    state_of_draws = 2;
    for (int i = 0; i < 20000; i++) {
        check_fit(KZ__Q8, i);
        check_fit(KZ__Q4, i);
    }
}

static void test_odd_blocks(void **state) {
    (void)state;
    const kz__dtype types[] = {KZ__Q8, KZ__Q4};
    for (int t = 0; t < 2; t++) {
        float values[KZ__BLOCK] = {0};
        int8_t codes[KZ__BLOCK];
        uint16_t half = 1;
        float factor = kz__quant_factor(types[t], 1.0f);
        encode(types[t], factor, values, &half, codes);
        assert_int_equal(half, 0);
        for (size_t i = 0; i < KZ__BLOCK; i++) assert_int_equal(codes[i], 0);
        /* so small beside the largest of the matrix that its scale would be subnormal */
        values[3] = 0x1p-40f;
        encode(types[t], factor, values, &half, codes);
        assert_int_equal(half, 0);
        assert_int_equal(codes[3], 0);
        /* one value alone is kept to the rounding of its scale */
        values[3] = -0.3f;
        encode(types[t], factor, values, &half, codes);
        assert_true(fabsf(kz__quant_value(half, factor, codes[3]) + 0.3f) <= 0.3f * 0x1p-11f);
        /* the ends of the floats */
        const float sizes[] = {3e38f, 1e-38f, 0x1p-149f, 0.0f};
        for (size_t s = 0; s < 4; s++) {
            factor = kz__quant_factor(types[t], sizes[s]);
            assert_true(isfinite(factor) && factor >= 0x1p-100f);
            for (size_t i = 0; i < KZ__BLOCK; i++) values[i] = i % 2 ? sizes[s] : -sizes[s];
            encode(types[t], factor, values, &half, codes);
            float back = kz__quant_value(half, factor, codes[1]);
            if (s == 0) assert_true(fabsf(back - sizes[s]) <= sizes[s] * 0x1p-10f);
            if (s > 0) assert_true(back == 0);
        }
    }
}

/* The bytes are those of every machine. */
static void test_bytes_are_those_of_every_machine(void **state) {
    (void)state;
    uint64_t hash = 0xcbf29ce484222325u;
    state_of_draws = 3;
    for (int i = 0; i < 4000; i++) {
        kz__dtype type = i % 2 ? KZ__Q4 : KZ__Q8;
        float values[KZ__BLOCK];
        int8_t codes[KZ__BLOCK];
        uint16_t half = 0;
        fill_block(values, i / 2);
        float factor = kz__quant_factor(type, largest_of(values, KZ__BLOCK) * (i % 3 ? 1 : 100));
        encode(type, factor, values, &half, codes);
        for (size_t c = 0; c < KZ__BLOCK; c++) hash = (hash ^ (uint8_t)codes[c]) * 0x100000001b3u;
        hash = (hash ^ half) * 0x100000001b3u;
    }
    print_message("%016llx\n", (unsigned long long)hash);
    assert_true(hash == 0xfe93c3ec7bcaec70u);
}

/* ---- places -------------------------------------------------------------------------------- */

/* The layout of a packed file, byte by byte. */
static void test_places_in_a_pair(void **state) {
    (void)state;
    static kz__q8_pair wide;
    static kz__q4_pair narrow;
    for (size_t b = 0; b < 2; b++) {
        uint16_t scales[KZ__PANEL_ROWS];
        kz__quant_codes all[KZ__BLOCK];
        for (size_t row = 0; row < 16; row++) {
            scales[row] = (uint16_t)(100 + row);
            for (size_t i = 0; i < KZ__BLOCK; i++) all[i][row] = (int8_t)((int)(draw() % 16) - 8);
        }
        kz__quant_put(KZ__Q8, &wide, b, scales, (const kz__quant_codes *)all);
        kz__quant_put(KZ__Q4, &narrow, b, scales, (const kz__quant_codes *)all);
        for (size_t row = 0; row < 16; row++) {
            int8_t codes[KZ__BLOCK], back[KZ__BLOCK];
            uint16_t half = 0;
            for (size_t i = 0; i < KZ__BLOCK; i++) codes[i] = all[i][row];
            const uint8_t *w = (const uint8_t *)&wide;
            const uint8_t *n = (const uint8_t *)&narrow;
            assert_int_equal(w[b * 32 + row * 2], 100 + row);
            assert_int_equal(n[b * 32 + row * 2], 100 + row);
            for (size_t k = 0; k < KZ__BLOCK; k++) {
                assert_int_equal((int8_t)w[64 + b * 512 + k / 4 * 64 + row * 4 + k % 4], codes[k]);
                uint8_t both = n[64 + b * 256 + k % 16 / 4 * 64 + row * 4 + k % 4];
                assert_int_equal((k < 16 ? both & 15 : both >> 4) - 8, codes[k]);
            }
            kz__quant_get(KZ__Q8, &wide, b, row, &half, back);
            assert_memory_equal(codes, back, sizeof codes);
            assert_int_equal(half, 100 + row);
            kz__quant_get(KZ__Q4, &narrow, b, row, &half, back);
            assert_memory_equal(codes, back, sizeof codes);
            assert_int_equal(half, 100 + row);
        }
    }
}

/* ---- matrices ------------------------------------------------------------------------------ */

typedef struct setting {
    kz__mem mem;
    kz__kernels kernels;
    kz__scratch scratch;
    kz__run run;
} setting;

static void prepare(setting *s, int threads, size_t rows, size_t width) {
    kz__mem_init(&s->mem, NULL, NULL);
    kz__kernels_fill(&s->kernels, kz__kernels_best());
    assert_int_equal(kz__scratch_init(&s->scratch, &s->mem, rows, width, NULL), KZ_OK);
    s->run.kernels = &s->kernels;
    s->run.scratch = &s->scratch;
    assert_int_equal(kz__pool_create(&s->mem, threads, &s->run.pool, NULL), KZ_OK);
}

static void clear(setting *s) {
    kz__pool_destroy(s->run.pool);
    kz__scratch_clear(&s->scratch);
}

static kz__tensor matrix(const float *values, size_t rows, size_t in) {
    kz__tensor t = {"m", values, KZ__F32, 2, {rows, in}};
    return t;
}

enum { OUT = 37, MOST_IN = 200, ROWS = 21, WIDTH = 48 };

/* Against doubles: the product of the original weights, within what quantising can cost. */
static void product(kz__dtype type, size_t in, double limit) {
    static float weights[OUT * MOST_IN], bias[OUT], x[ROWS * MOST_IN];
    static float y[ROWS * WIDTH], again[ROWS * WIDTH];
    setting s;
    kz__linear linear;
    for (size_t i = 0; i < OUT * in; i++) weights[i] = bell();
    for (size_t i = 0; i < ROWS * in; i++) x[i] = bell();
    for (size_t i = 0; i < OUT; i++) bias[i] = unit();
    kz__tensor weight = matrix(weights, OUT, in);
    kz__tensor offset = {"b", bias, KZ__F32, 1, {OUT}};
    kz__pack_source source = kz__pack_matrix(&weight, &offset);
    prepare(&s, 2, ROWS, in);
    const kz__pack_place place = {.mem = &s.mem};
    assert_int_equal(kz__linear_pack(&place, &linear, type, in, 1, &source, 1, NULL), KZ_OK);
    assert_int_equal(kz__linear_bytes(&linear), 3 * kz__pairs(in) * kz__pair_bytes(type));
    assert_int_equal(kz__linear_scratch(&linear), in);
    kz__linear_run(&s.run, &linear, x, in, 0, y, WIDTH, ROWS, NULL);
    double error = 0;
    double power = 0;
    for (size_t r = 0; r < ROWS; r++) {
        for (size_t o = 0; o < OUT; o++) {
            double want = (double)bias[o];
            for (size_t c = 0; c < in; c++) {
                want += (double)weights[o * in + c] * (double)x[r * in + c];
            }
            double off = (double)y[r * WIDTH + o] - want;
            error += off * off;
            power += want * want;
        }
        for (size_t o = OUT; o < WIDTH; o++) assert_true(y[r * WIDTH + o] == 0);
    }
    assert_true(error < limit * limit * power);
    clear(&s);
    /* a scratch for two rows, one thread: the same bits */
    prepare(&s, 1, 2, in);
    kz__linear_run(&s.run, &linear, x, in, 0, again, WIDTH, ROWS, NULL);
    assert_memory_equal(y, again, sizeof y);
    kz__linear_clear(&s.mem, &linear);
    clear(&s);
}

static void test_products(void **state) {
    (void)state;
    state_of_draws = 4;
    const size_t sizes[] = {1, 31, 32, 33, 63, 64, 65, 96, 200};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        product(KZ__Q8, sizes[i], 0.02);
        product(KZ__Q4, sizes[i], 0.15);
    }
}

/* Gate and up alternate, residual sums go in pieces with their rows. */
static void test_sources_and_afters(void **state) {
    (void)state;
    enum { IN = 64, N = 32 };
    static float gate[N * IN], up[N * IN], x[ROWS * IN];
    static float y[ROWS * 2 * N], z[ROWS * N], alone[ROWS * N], other[ROWS * N], want[ROWS * N];
    for (size_t i = 0; i < N * IN; i++) {
        gate[i] = bell();
        up[i] = i ? bell() : largest_of(gate, N * IN); /* one factor for all */
    }
    for (size_t i = 0; i < ROWS * IN; i++) x[i] = unit();
    gate[1] = up[0];
    kz__tensor parts[2] = {matrix(gate, N, IN), matrix(up, N, IN)};
    kz__pack_source sources[2];
    kz__linear both, one, two;
    setting s;
    prepare(&s, 2, 5, IN);
    for (size_t i = 0; i < 2; i++) {
        sources[i] = kz__pack_matrix(&parts[i], NULL);
        sources[i].first_panel = i;
        sources[i].panel_step = 2;
    }
    const kz__pack_place place = {.mem = &s.mem};
    assert_int_equal(kz__linear_pack(&place, &both, KZ__Q4, IN, 1, sources, 2, NULL), KZ_OK);
    for (size_t i = 0; i < 2; i++) {
        sources[i] = kz__pack_matrix(&parts[i], NULL);
        assert_int_equal(kz__linear_pack(&place, i ? &two : &one, KZ__Q4, IN, 1, &sources[i], 1,
                                         NULL), KZ_OK);
    }
    assert_true(both.factor == one.factor && both.factor == two.factor);
    kz__after after = {KZ__SILU_MUL, z, N, NULL, NULL};
    kz__linear_run(&s.run, &both, x, IN, 0, y, 2 * N, ROWS, &after);
    kz__linear_run(&s.run, &one, x, IN, 0, alone, N, ROWS, NULL);
    kz__linear_run(&s.run, &two, x, IN, 0, other, N, ROWS, NULL);
    s.kernels.silu_mul(want, alone, other, ROWS * N);
    assert_memory_equal(z, want, sizeof want);
    kz__after add = {KZ__ADD, z, N, NULL, NULL};
    kz__linear_run(&s.run, &one, x, IN, 0, y, N, ROWS, &add);
    s.kernels.add(want, want, alone, ROWS * N);
    assert_memory_equal(z, want, sizeof want);
    kz__linear_clear(&s.mem, &both);
    kz__linear_clear(&s.mem, &one);
    kz__linear_clear(&s.mem, &two);
    clear(&s);
}

static void test_weights_that_are_not_finite(void **state) {
    (void)state;
    float weights[64] = {0};
    kz__err err = {""};
    kz__linear linear;
    kz__mem mem;
    kz__mem_init(&mem, NULL, NULL);
    kz__tensor weight = matrix(weights, 2, 32);
    weight.name = "talker.model.layers.0.mlp.down_proj.weight";
    kz__pack_source source = kz__pack_matrix(&weight, NULL);
    weights[40] = NAN;
    const kz__pack_place place = {.mem = &mem};
    assert_int_equal(kz__linear_pack(&place, &linear, KZ__Q8, 32, 1, &source, 1, &err),
                     KZ_ERR_MODEL);
    assert_non_null(strstr(err.text, weight.name));
    weights[40] = -INFINITY;
    assert_int_equal(kz__linear_pack(&place, &linear, KZ__Q4, 32, 1, &source, 1, &err),
                     KZ_ERR_MODEL);
    assert_null(linear.w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half_there_and_back),
        cmocka_unit_test(test_half_rounds_to_nearest),
        cmocka_unit_test(test_scales_are_fitted),
        cmocka_unit_test(test_odd_blocks),
        cmocka_unit_test(test_bytes_are_those_of_every_machine),
        cmocka_unit_test(test_places_in_a_pair),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_sources_and_afters),
        cmocka_unit_test(test_weights_that_are_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
