/* Philox against the known answers that its authors publish (Random123, kat_vectors). */
#include "base/rng.h"
#include "harness/stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const uint32_t known[][10] = {
    {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
    {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d, 0x41c83b0e,
     0xa20bc7c6, 0x6d5451fd},
    {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09, 0x94fdcceb,
     0x5001e420, 0x24126ea1},
};

static void test_known_answers(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        uint32_t out[4] = {0};
        kz__philox(known[i], known[i] + 4, out);
        assert_memory_equal(out, known[i] + 6, sizeof out);
    }
}

static void test_output_may_be_the_counter(void **state) {
    (void)state;
    uint32_t words[4] = {known[2][0], known[2][1], known[2][2], known[2][3]};
    kz__philox(words, known[2] + 4, words);
    assert_memory_equal(words, known[2] + 6, sizeof words);
}

static void test_unit_is_inside_and_exact(void **state) {
    (void)state;
    assert_true(kz__rng_unit(0) == 0x1p-24);
    assert_true(kz__rng_unit(0xffffffff) == 1 - 0x1p-24);
    assert_true(kz__rng_unit(0x1ff) == 0x1p-24);
    assert_true(kz__rng_unit(0x80000000) == 0.5 + 0x1p-24);
    assert_true((double)(float)kz__rng_unit(0x9abcdef0) == kz__rng_unit(0x9abcdef0));
}

/* Each place of the counter counts alone, so that neither tokens nor frames line up. */
static void test_uniform_along_each_counter(void **state) {
    (void)state;
    double probability[64];
    for (size_t i = 0; i < 64; i++) {
        probability[i] = 1.0 / 64;
    }
    for (size_t place = 0; place < 4; place++) {
        size_t seen[64] = {0};
        size_t pairs[64] = {0};
        uint32_t before = 0;
        for (uint32_t n = 0; n < 50000; n++) {
            uint32_t words[4] = {7, 1, 20, 3};
            const uint32_t key[2] = {42, 0};
            words[place] = n;
            kz__philox(words, key, words);
            seen[(size_t)(kz__rng_unit(words[0]) * 64)]++;
            pairs[(before >> 29) * 8 + (words[0] >> 29)]++;
            before = words[0];
        }
        assert_true(kzt_misfit(seen, probability, 64, 50000) < 1);
        assert_true(kzt_misfit(pairs, probability, 64, 50000) < 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers),
        cmocka_unit_test(test_output_may_be_the_counter),
        cmocka_unit_test(test_unit_is_inside_and_exact),
        cmocka_unit_test(test_uniform_along_each_counter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
