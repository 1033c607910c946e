/* A kernel level is held against the reference before it is used: one with a broken kernel is left
 * for the next lower, or refused where it was asked for by name. */
#include "harness/golden.h"
#include "harness/tests.h"

#include "kernels/fma.h"
#include "nn/level.h"

#include <stdio.h>
#include <string.h>

/* ---- kernels that are wrong in one place ---------------------------------------------------- */

static kz__kernels right; /* what the broken ones call */

static void one_bit(float *y) {
    *y = kz__float_of(kz__bits_of(*y) ^ 1u);
}

static void mm_q4_of_five_rows(const kz__mmq_args *a) {
    right.mm_q4(a);
    if (a->rows == 5) one_bit(a->y + 4 * a->ldy + 15);
}

static void mm_f32_last_output(const kz__mm_args *a) {
    right.mm_f32(a);
    one_bit(a->y + (a->rows - 1) * a->ldy + a->panels * 16 - 1);
}

static void quantize_last_sum(const kz__codes *to, const float *x, size_t k, size_t blocks,
                              float factor) {
    right.quantize(to, x, k, blocks, factor);
    to->sums[(blocks - 1) * to->ld]++;
}

static void softmax_first(float *s, size_t first, size_t end, float scale) {
    right.softmax(s, first, end, scale);
    if (end - first > 16) one_bit(s + first);
}

static void snake_one_channel(float *y, size_t ldy, const float *x, size_t ldx, const float *a,
                              const float *b, size_t rows, size_t c16) {
    right.snake(y, ldy, x, ldx, a, b, rows, c16);
    one_bit(y + c16 - 1);
}

static int finite_always(const float *x, size_t n) {
    (void)x;
    (void)n;
    return 1;
}

static void clamp_writes_too_early(float *y, const float *x, size_t n) {
    right.clamp(y, x, n);
    y[-1] = 0;
}

enum { NONE, MM_Q4, MM_F32, QUANTIZE, SOFTMAX, SNAKE, FINITE, CLAMP, KINDS };

static int broken;          /* which kernel */
static kz__level broken_at; /* of which level */

static void fill(kz__kernels *table, kz__level highest) {
    kz__kernels_fill(table, highest);
    if (table->level != broken_at) return;
    right = *table;
    switch (broken) {
    case MM_Q4: table->mm_q4 = mm_q4_of_five_rows; break;
    case MM_F32: table->mm_f32 = mm_f32_last_output; break;
    case QUANTIZE: table->quantize = quantize_last_sum; break;
    case SOFTMAX: table->softmax = softmax_first; break;
    case SNAKE: table->snake = snake_one_channel; break;
    case FINITE: table->finite = finite_always; break;
    case CLAMP: table->clamp = clamp_writes_too_early; break;
    default: break;
    }
}

/* ---- the log --------------------------------------------------------------------------------- */

static int notices;
static char heard[512];

static void hear(void *user, int level, const char *text) {
    (void)user;
    if (level == 0) notices++;
    snprintf(heard, sizeof heard, "%s", text);
}

static kz__mem memory;

static kz_status choose(kz__levels *levels, const char *wanted, kz__kernels *table, kz__err *err) {
    notices = 0;
    heard[0] = err->text[0] = 0;
    return kz__level_choose(levels, &memory, wanted, table, err);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_right_levels_are_used(void **state) {
    kz__levels levels = {.fill = fill};
    kz__kernels table;
    kz__err err;
    (void)state;
    broken = NONE;
    assert_int_equal(choose(&levels, NULL, &table, &err), KZ_OK);
    assert_int_equal(table.level, kz__kernels_best());
    for (size_t i = 0; kz_cpu_level(i); i++) {
        for (int again = 0; again < 2; again++) {
            assert_int_equal(choose(&levels, kz_cpu_level(i), &table, &err), KZ_OK);
            assert_string_equal(kz__level_name(table.level), kz_cpu_level(i));
            assert_int_equal(notices, 0);
        }
    }
    assert_int_equal(choose(&levels, "mmx", &table, &err), KZ_ERR_USAGE);
    assert_non_null(strstr(err.text, "scalar"));
    assert_int_equal(atomic_load(&memory.current), 0);
}

static void test_wrong_level_falls_to_the_next(void **state) {
    kz__level best = kz__kernels_best();
    kz__kernels table;
    kz__err err;
    (void)state;
    if (best == KZ__SCALAR) skip();
    broken_at = best;
    kz__kernels below;
    kz__kernels_fill(&below, (kz__level)(best - 1));
    for (broken = NONE + 1; broken < KINDS; broken++) {
        kz__levels levels = {.fill = fill};
        assert_int_equal(choose(&levels, NULL, &table, &err), KZ_OK);
        if (table.level == best) fail_msg("kernel %d is broken, and not seen", broken);
        assert_int_equal(table.level, below.level);
        assert_int_equal(notices, 1);
        assert_non_null(strstr(heard, kz__level_name(best)));
        /* the second time it is known, and told no more */
        assert_int_equal(choose(&levels, NULL, &table, &err), KZ_OK);
        assert_int_equal(table.level, below.level);
        assert_int_equal(notices, 0);
    }
}

static void test_wrong_level_by_name_is_an_error(void **state) {
    kz__level best = kz__kernels_best();
    kz__levels levels = {.fill = fill};
    kz__kernels table;
    kz__err err;
    (void)state;
    if (best == KZ__SCALAR) skip();
    broken_at = best;
    broken = MM_Q4;
    assert_int_equal(choose(&levels, kz__level_name(best), &table, &err), KZ_ERR_FAILED);
    assert_non_null(strstr(err.text, "mm_q4"));
    assert_non_null(strstr(err.text, kz__level_name(best)));
    assert_int_equal(notices, 0);
    assert_int_equal(choose(&levels, "scalar", &table, &err), KZ_OK);
    assert_int_equal(table.level, KZ__SCALAR);
}

static void *no_memory(void *user, size_t bytes, size_t alignment) {
    (void)user;
    (void)bytes;
    (void)alignment;
    return NULL;
}

static void release_nothing(void *user, void *ptr) {
    (void)user;
    (void)ptr;
}

/* A check that could not be made says nothing about the level. */
static void test_no_memory_for_the_check(void **state) {
    const kz_allocator none = {sizeof none, no_memory, release_nothing, NULL};
    kz__levels levels = {.fill = kz__kernels_fill};
    kz__kernels table;
    kz__mem empty;
    kz__err err = {""};
    (void)state;
    if (kz__kernels_best() == KZ__SCALAR) skip();
    assert_int_equal(kz__mem_init(&empty, &none, NULL), KZ_OK);
    assert_int_equal(kz__level_choose(&levels, &empty, NULL, &table, &err), KZ_ERR_MEMORY);
    assert_true(err.text[0] != 0);
    assert_int_equal(choose(&levels, NULL, &table, &err), KZ_OK);
    assert_int_equal(table.level, kz__kernels_best());
}

/* The same from outside: a model opens at the next lower level, and refuses the broken one. */
static void test_models_open_without_it(void **state) {
    kz__level best = kz__kernels_best();
    kz_model_options options;
    kz_model *model = NULL;
    char err[512] = "";
    (void)state;
    if (best == KZ__SCALAR) skip();
    broken_at = best;
    broken = SOFTMAX;
    kz__process_levels.fill = fill;
    kz_model_info info = {.size = sizeof info};
    notices = 0;
    model = kzt_open("custom-eq", NULL);
    assert_int_equal(kz_model_get_info(model, &info), KZ_OK);
    assert_string_not_equal(info.cpu, kz__level_name(best));
    assert_true(notices >= 1);
    kz_session *session = NULL;
    kz_session_options how;
    kz_session_options_init(&how);
    how.cpu = kz__level_name(best);
    assert_int_equal(kz_session_create(model, &how, &session, err, sizeof err), KZ_ERR_FAILED);
    assert_non_null(strstr(err, how.cpu));
    kz_model_free(model);
    kz_model_options_init(&options);
    options.cpu = kz__level_name(best);
    const char *voice = KZT_SOURCE_DIR "/voice/voice.kz";
    assert_int_equal(kz_model_open(voice, &options, &model, err, sizeof err), KZ_ERR_FAILED);
    assert_non_null(strstr(err, options.cpu));
}

/* The reference is what the others are held against: it is always there. */
static void test_all_wrong_but_the_reference(void **state) {
    kz__levels levels = {.fill = kz__kernels_fill};
    kz__kernels table;
    kz__err err;
    (void)state;
    for (int i = 0; i < KZ__LEVELS; i++) atomic_store(&levels.verdict[i], -1);
    assert_int_equal(choose(&levels, NULL, &table, &err), KZ_OK);
    assert_int_equal(table.level, KZ__SCALAR);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_levels_are_used),
        cmocka_unit_test(test_wrong_level_falls_to_the_next),
        cmocka_unit_test(test_wrong_level_by_name_is_an_error),
        cmocka_unit_test(test_all_wrong_but_the_reference),
        cmocka_unit_test(test_no_memory_for_the_check),
        cmocka_unit_test(test_models_open_without_it),
    };
    kz__mem_init(&memory, NULL, NULL);
    kz_set_log(hear, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
