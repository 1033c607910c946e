/* Sample conversion against doubles. */
#include "audio/pcm.h"
#include "kazeia.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The documented rule in double: exact product, nearest even, clamp. */
static long rule(float x, double scale) {
    double scaled = (double)x * scale;
    if (isnan(scaled)) return 0;
    if (scaled >= scale - 1) return (long)scale - 1;
    if (scaled <= -scale) return (long)-scale;
    double floor_value = floor(scaled);
    double rest = scaled - floor_value;
    bool up = rest > 0.5 || (rest == 0.5 && fmod(floor_value, 2) != 0);
    return (long)floor_value + (up ? 1 : 0);
}

static uint32_t next(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state;
}

static float from_bits(uint32_t bits) {
    float x = 0;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void test_B130_documented_values(void **state) {
    (void)state;
    const struct {
        float x;
        int value;
    } table[] = {{-2, -32768},      {-1, -32768},     {-0.99999f, -32768}, {0, 0},
                 {0.99999f, 32767}, {1, 32767},       {2, 32767},          {INFINITY, 32767},
                 {-INFINITY, -32768}, {NAN, 0},       {-0.0f, 0},          {0.5f, 16384},
                 {1.5f / 32768, 2}, {0.5f / 32768, 0}, {2.5f / 32768, 2},  {-0.5f / 32768, 0},
                 {-1.5f / 32768, -2}, {-2.5f / 32768, -2}, {32766.5f / 32768, 32766},
                 {-32767.5f / 32768, -32768}, {1e-45f, 0}, {3e38f, 32767}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_int_equal(kz__pcm_i16(table[i].x), table[i].value);
    }
    assert_int_equal(kz__pcm_i24(1), 8388607);
    assert_int_equal(kz__pcm_i24(-1), -8388608);
    assert_int_equal(kz__pcm_i24(-3), -8388608);
    assert_int_equal(kz__pcm_i24(NAN), 0);
    assert_int_equal(kz__pcm_i24(1.0f / 8388608), 1);
}

/* A million floats: sound-like, and any bits. In range the value is the rounded one; only samples
 * outside are clamped. */
static void test_B135_random_floats_follow_the_rule(void **state) {
    (void)state;
    uint32_t seed = 20;
    for (int i = 0; i < 1000000; i++) {
        uint32_t bits = next(&seed);
        float x = i % 2 ? from_bits(bits) : (float)((double)(int32_t)bits / 2147483648.0 * 1.02);
        assert_int_equal(kz__pcm_i16(x), rule(x, 32768));
        assert_int_equal(kz__pcm_i24(x), rule(x, 8388608));
    }
}

/* What the library offers is the same rule. */
static void test_B130_the_call_of_the_library(void **state) {
    (void)state;
    enum { COUNT = 1000 };
    static float samples[COUNT];
    static int16_t out[COUNT + 1];
    uint32_t seed = 7;
    for (int i = 0; i < COUNT; i++) samples[i] = from_bits(next(&seed));
    samples[0] = 1;
    samples[1] = -1;
    samples[2] = NAN;
    out[COUNT] = 99;
    assert_int_equal(kz_int16(samples, COUNT, out), KZ_OK);
    for (int i = 0; i < COUNT; i++) assert_int_equal(out[i], rule(samples[i], 32768));
    assert_int_equal(out[0], 32767);
    assert_int_equal(out[1], -32768);
    assert_int_equal(out[2], 0);
    assert_int_equal(out[COUNT], 99);
    assert_int_equal(kz_int16(NULL, 0, NULL), KZ_OK);
    assert_int_equal(kz_int16(NULL, 1, out), KZ_ERR_USAGE);
    assert_int_equal(kz_int16(samples, 1, NULL), KZ_ERR_USAGE);
}

/* Every midpoint between two 16-bit values and its two neighbours. */
static void test_ties_go_to_even(void **state) {
    (void)state;
    for (int k = -32768; k < 32767; k++) {
        float tie = ((float)k + 0.5f) / 32768;
        assert_int_equal(kz__pcm_i16(tie), k & 1 ? k + 1 : k);
        assert_int_equal(kz__pcm_i16(nextafterf(tie, 2)), k + 1);
        assert_int_equal(kz__pcm_i16(nextafterf(tie, -2)), k);
    }
}

/* Arrays of every length around vector sizes give the bytes of single samples, and no more. */
static void test_B135_lengths_and_bytes(void **state) {
    (void)state;
    float samples[70];
    uint32_t seed = 5;
    for (size_t i = 0; i < 70; i++) {
        samples[i] = (float)((double)(int32_t)next(&seed) / 1900000000.0);
    }
    for (size_t count = 0; count <= 70; count++) {
        unsigned char b16[2 * 70 + 1], b24[3 * 70 + 1], b32[4 * 70 + 1];
        memset(b16, 0xee, sizeof b16);
        memset(b24, 0xee, sizeof b24);
        memset(b32, 0xee, sizeof b32);
        kz__pcm_write_i16(samples, count, b16);
        kz__pcm_write_i24(samples, count, b24);
        kz__pcm_write_f32(samples, count, b32);
        for (size_t i = 0; i < count; i++) {
            int v16 = (int16_t)(uint16_t)(b16[2 * i] | b16[2 * i + 1] << 8);
            uint32_t raw24 = b24[3 * i] | (uint32_t)b24[3 * i + 1] << 8 |
                             (uint32_t)b24[3 * i + 2] << 16;
            int v24 = (int)(raw24 ^ 0x800000u) - 0x800000;
            uint32_t raw32 = b32[4 * i] | (uint32_t)b32[4 * i + 1] << 8 |
                             (uint32_t)b32[4 * i + 2] << 16 | (uint32_t)b32[4 * i + 3] << 24;
            assert_int_equal(v16, rule(samples[i], 32768));
            assert_int_equal(v24, rule(samples[i], 8388608));
            assert_true(from_bits(raw32) == samples[i]);
        }
        assert_int_equal(b16[2 * count], 0xee);
        assert_int_equal(b24[3 * count], 0xee);
        assert_int_equal(b32[4 * count], 0xee);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_B130_documented_values),
        cmocka_unit_test(test_B135_random_floats_follow_the_rule),
        cmocka_unit_test(test_B130_the_call_of_the_library),
        cmocka_unit_test(test_ties_go_to_even),
        cmocka_unit_test(test_B135_lengths_and_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
