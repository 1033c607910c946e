/* Integer vocabulary, NEON with matrix products: dot products (q_dotprod.h) for a row alone, and
 * for two rows the instruction that multiplies 2 x 8 by 8 x 2 codes. See tmpl/quant_two.inc. */
#ifndef KZ_KERNELS_SIMD_Q_I8MM_H
#define KZ_KERNELS_SIMD_Q_I8MM_H

#include "kernels/simd/q_dotprod.h"

#if !defined(__ARM_FEATURE_MATMUL_INT8)
#error "build this folder with -march=armv8.2-a+dotprod+i8mm"
#endif

#define KZ__EVEN_TILE "kernels/tmpl/quant_two.inc"

/* Two rows of x, a and b, with 16 outputs: register i holds a and b of outputs 2 i and 2 i + 1. */
typedef struct two_sum {
    int32x4_t v[8];
} two_sum;

static inline two_sum two_start(int32_t a, int32_t b) {
    two_sum sum;
    for (int i = 0; i < 8; i++) sum.v[i] = vcombine_s32(vdup_n_s32(a), vdup_n_s32(b));
    return sum;
}
/* Eight k of 16 outputs from two groups of four: two outputs in a register. */
typedef struct i8x128 {
    int8x16_t v[8];
} i8x128;
static inline i8x128 two_groups(i8x64 first, i8x64 second) {
    i8x128 w;
    for (int i = 0; i < 4; i++) {
        int32x4_t a = vreinterpretq_s32_s8(first.v[i]);
        int32x4_t b = vreinterpretq_s32_s8(second.v[i]);
        w.v[2 * i] = vreinterpretq_s8_s32(vzip1q_s32(a, b));
        w.v[2 * i + 1] = vreinterpretq_s8_s32(vzip2q_s32(a, b));
    }
    return w;
}
static inline two_sum two_step(two_sum sum, i8x128 w, const int8_t *a, const int8_t *b) {
    int8x16_t x = vcombine_s8(vld1_s8(a), vld1_s8(b));
    for (int i = 0; i < 8; i++) sum.v[i] = vmmlaq_s32(sum.v[i], x, w.v[i]);
    return sum;
}
static inline int32x4_t lows(int32x4_t a, int32x4_t b) {
    return vcombine_s32(vget_low_s32(a), vget_low_s32(b));
}
static inline int32x4_t highs(int32x4_t a, int32x4_t b) {
    return vcombine_s32(vget_high_s32(a), vget_high_s32(b));
}
static inline v16 two_finish_a(two_sum s) {
    return v16_from_ints(lows(s.v[0], s.v[1]), lows(s.v[2], s.v[3]), lows(s.v[4], s.v[5]),
                         lows(s.v[6], s.v[7]));
}
static inline v16 two_finish_b(two_sum s) {
    return v16_from_ints(highs(s.v[0], s.v[1]), highs(s.v[2], s.v[3]), highs(s.v[4], s.v[5]),
                         highs(s.v[6], s.v[7]));
}

/* Weights of eight k at a time: step s of a block holds k = 8 s .. 8 s + 7. */
#define KZ__TWO_STEPS 4
static inline i8x128 q8_two_load(const int8_t (*w)[16][4], size_t step) {
    return two_groups(q8_load(w, 2 * step), q8_load(w, 2 * step + 1));
}
static inline i8x128 q4_two_load(const uint8_t (*w)[16][4], size_t step) {
    return two_groups(q4_load(w, 2 * step), q4_load(w, 2 * step + 1));
}
static inline int32_t q8_two_offset(int32_t x_sum) {
    (void)x_sum;
    return 0;
}
static inline int32_t q4_two_offset(int32_t x_sum) {
    return x_sum;
}

#endif
