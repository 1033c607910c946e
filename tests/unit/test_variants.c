/* What a study compares: which variants there are, that bits which differ are seen, and when the
 * fastest is worth keeping. */
#include "harness/tests.h"

#include "cli/bench.h"

#include <stdio.h>
#include <string.h>

static kz__variant list[KZ__VARIANTS];

static const char *best_level(void) {
    const char *best = NULL;
    for (size_t i = 0; kz_cpu_level(i); i++) best = kz_cpu_level(i);
    return best;
}

static void test_one_change_at_a_time(void **state) {
    size_t levels = 0;
    (void)state;
    while (kz_cpu_level(levels)) levels++;
    size_t count = kz__variants_list(list, 0, KZ_TYPE_Q4, best_level(), 2, false, true);
    /* the baseline, the other levels, one thread, strict, the oracle */
    assert_int_equal(count, 1 + (levels - 1) + 1 + 1 + 1);
    assert_string_equal(list[0].cpu, best_level());
    assert_int_equal(list[0].threads, 2);
    assert_false(list[0].oracle);
    assert_int_equal(list[0].placement, KZ_PLACEMENT_FREE);
    for (size_t i = 1; i < count; i++) {
        int changes = (strcmp(list[i].cpu, list[0].cpu) != 0) + (list[i].threads != 2) +
                      list[i].oracle + (list[i].placement != KZ_PLACEMENT_FREE);
        assert_int_equal(changes, 1);
    }
    /* one thread has one placement; a second format stands behind the first */
    size_t more = kz__variants_list(list, count, KZ_TYPE_Q8, best_level(), 1, false, true);
    assert_int_equal(more - count, 1 + (levels - 1) + 1);
    assert_int_equal(list[count].type, KZ_TYPE_Q8);
}

static void test_all_with_all(void **state) {
    size_t levels = 0;
    (void)state;
    while (kz_cpu_level(levels)) levels++;
    size_t count = kz__variants_list(list, 0, KZ_TYPE_BF16, best_level(), 3, true, true);
    assert_int_equal(count, levels * (1 + 2 + 2));
    for (size_t i = 0; i < count; i++) assert_false(list[i].oracle);
    size_t few = kz__variants_list(list, 0, KZ_TYPE_BF16, best_level(), 3, true, false);
    for (size_t i = 0; levels > 2 && i < few; i++) {
        assert_string_not_equal(list[i].cpu, "scalar");
        assert_string_not_equal(list[i].cpu, "fma");
    }
    /* many processors are not tried one by one */
    few = kz__variants_list(list, 0, KZ_TYPE_BF16, best_level(), 96, false, false);
    assert_true(few < 40);
    int most = 0;
    for (size_t i = 0; i < few; i++) most = list[i].threads > most ? list[i].threads : most;
    assert_int_equal(most, 96);
}

static void give(size_t i, kz_type type, double rtf, const char *codes, const char *samples) {
    memset(&list[i], 0, sizeof list[i]);
    list[i].type = type;
    list[i].rtf = rtf;
    snprintf(list[i].codes, sizeof list[i].codes, "%s", codes);
    snprintf(list[i].samples, sizeof list[i].samples, "%s", samples);
}

static void test_bits_that_differ_are_seen(void **state) {
    (void)state;
    give(0, KZ_TYPE_Q8, 0.5, "aa", "bb");
    give(1, KZ_TYPE_Q8, 0.4, "aa", "bb");
    give(2, KZ_TYPE_Q8, 0.6, "aa", "bb");
    give(3, KZ_TYPE_Q4, 0.3, "cc", "dd"); /* another format has other bits */
    give(4, KZ_TYPE_Q4, 0.9, "cc", "dd");
    assert_int_equal(kz__variants_judge(list, 5), 0);
    assert_true(list[1].best && list[3].best);
    assert_false(list[0].best || list[2].best || list[4].best);
    for (size_t i = 0; i < 5; i++) assert_true(list[i].codes_equal && list[i].samples_equal);
    give(2, KZ_TYPE_Q8, 0.6, "aa", "bc"); /* the decoder alone */
    give(4, KZ_TYPE_Q4, 0.2, "cd", "de");
    assert_int_equal(kz__variants_judge(list, 5), 2);
    assert_true(list[2].codes_equal);
    assert_false(list[2].samples_equal || list[4].codes_equal || list[4].samples_equal);
}

static void test_noise_does_not_choose(void **state) {
    (void)state;
    give(0, KZ_TYPE_Q8, 0.500, "", "");
    give(1, KZ_TYPE_Q8, 0.490, "", "");
    give(2, KZ_TYPE_Q8, 0.700, "", "");
    assert_ptr_equal(kz__variants_choose(list, 3), &list[0]);
    give(2, KZ_TYPE_Q8, 0.400, "", "");
    assert_ptr_equal(kz__variants_choose(list, 3), &list[2]);
    assert_ptr_equal(kz__variants_choose(list, 1), &list[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_change_at_a_time), cmocka_unit_test(test_all_with_all),
        cmocka_unit_test(test_bits_that_differ_are_seen),
        cmocka_unit_test(test_noise_does_not_choose)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
