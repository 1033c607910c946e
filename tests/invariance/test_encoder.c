/* What must not change a bit of the codec encoder: threads, how the samples are cut, the kernel
 * level, a clip before this one, a packed file in place of the folder. Codes and the values that
 * they are chosen from. */
#include "harness/encoder.h"
#include "harness/talk.h"
#include "harness/tests.h"

#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES = 38400 + 57, SEED = 21 }; /* more than a batch of frames */

/* Rows of the stages behind the transformer, in the order in which they come. */
typedef struct latents {
    float *values[2]; /* downsample, acoustic */
    size_t count[2], room;
} latents;

static void collect(void *user, const char *stage, const float *x, size_t ld, size_t rows,
                    size_t width) {
    latents *l = user;
    int which = strcmp(stage, "downsample") == 0 ? 0 : strcmp(stage, "acoustic") == 0 ? 1 : -1;
    if (which < 0) return;
    for (size_t r = 0; r < rows; r++) {
        assert_true(l->count[which] + width <= l->room);
        memcpy(l->values[which] + l->count[which], x + r * ld, width * sizeof *x);
        l->count[which] += width;
    }
}

typedef struct result {
    latents latents;
    int32_t *codes;
    size_t frames;
} result;

static void encode(kzt_encoder *e, const float *x, size_t chunk, result *r) {
    memset(r, 0, sizeof *r);
    r->latents.room = 64 * 64;
    for (size_t i = 0; i < 2; i++) {
        r->latents.values[i] = calloc(r->latents.room, sizeof(float));
        assert_non_null(r->latents.values[i]);
    }
    kz__encoder_state_set_tap(e->state, collect, &r->latents);
    r->codes = kzt_encode(e, x, SAMPLES, chunk, &r->frames);
}

static void drop(result *r) {
    free(r->latents.values[0]);
    free(r->latents.values[1]);
    free(r->codes);
}

static void expect_equal(const result *got, const result *want) {
    assert_int_equal(got->frames, want->frames);
    assert_memory_equal(got->codes, want->codes, want->frames * 16 * sizeof *want->codes);
    for (size_t i = 0; i < 2; i++) {
        assert_true(want->latents.count[i] > 0);
        assert_int_equal(got->latents.count[i], want->latents.count[i]);
        assert_memory_equal(got->latents.values[i], want->latents.values[i],
                            want->latents.count[i] * sizeof(float));
    }
}

static void test_bits(void **state) {
    (void)state;
    static const char *const checkpoints[] = {"base-eq", "base-mtp"};
    static const int threads[] = {1, 2, 3, 7};
    static const size_t chunks[] = {0, 1, 333, 1920, 5000};
    float *x = kzt_clip(SAMPLES, SEED);
    for (size_t c = 0; c < 2; c++) {
        kzt_encoder e;
        result want;
        kzt_encoder_open(&e, checkpoints[c], 1, KZ__SCALAR);
        encode(&e, x, 0, &want);
        kzt_encoder_close(&e);
        for (int level = 0; level < KZ__LEVELS; level++) {
            if (!kz__kernels_usable((kz__level)level)) continue;
            for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
                kzt_encoder_open(&e, checkpoints[c], threads[t], (kz__level)level);
                for (size_t k = 0; k < sizeof chunks / sizeof chunks[0]; k++) {
                    /* plain loops are slow: each cut and each number of threads once */
                    if (level < KZ__AVX2 && t != k % 4 && k > 0) continue;
                    result got;
                    encode(&e, x, chunks[k], &got);
                    expect_equal(&got, &want);
                    drop(&got);
                }
                kzt_encoder_close(&e);
            }
            printf("  %-9s %s: equal\n", checkpoints[c], kz__level_name((kz__level)level));
        }
        result got;
        kzt_packed packed = kzt_pack_to_disk(checkpoints[c], KZ_TYPE_BF16);
        kzt_encoder_open(&e, packed.path, 2, kz__kernels_best());
        encode(&e, x, 0, &got);
        expect_equal(&got, &want);
        kzt_encoder_close(&e);
        kzt_packed_drop(&packed);
        drop(&got);
        drop(&want);
    }
    free(x);
}

/* The head of a clip does not know how the clip goes on. */
static void test_head(void **state) {
    (void)state;
    enum { HEAD = 18 };
    kzt_encoder e;
    size_t all = 0;
    size_t head = 0;
    float *x = kzt_clip(SAMPLES, SEED);
    kzt_encoder_open(&e, "base-eq", 2, kz__kernels_best());
    int32_t *long_codes = kzt_encode(&e, x, SAMPLES, 0, &all);
    int32_t *short_codes = kzt_encode(&e, x, HEAD * 1920, 0, &head);
    assert_true(head == HEAD && all > HEAD);
    assert_memory_equal(short_codes, long_codes, HEAD * 16 * sizeof *short_codes);
    free(short_codes);
    free(long_codes);
    kzt_encoder_close(&e);
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits), cmocka_unit_test(test_head)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
