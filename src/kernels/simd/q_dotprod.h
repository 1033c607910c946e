/* Integer vocabulary, NEON with dot products; see q_common.h. Codes of 4 bits stay 0..15; 8 times
 * the sum of x is what their sums start below zero by. */
#ifndef KZ_KERNELS_SIMD_Q_DOTPROD_H
#define KZ_KERNELS_SIMD_Q_DOTPROD_H

#include "kernels/simd/q_neon_block.h"

#if !defined(__ARM_FEATURE_DOTPROD)
#error "build this folder with -march=armv8.2-a+dotprod"
#endif

typedef struct q8_sum {
    int32x4_t v[4];
} q8_sum;
typedef i8x64 q8_group;
static inline q8_sum all_lanes(int32_t value) {
    q8_sum sum;
    for (int i = 0; i < 4; i++) sum.v[i] = vdupq_n_s32(value);
    return sum;
}
static inline q8_sum q8_start(const int32_t *sum) {
    (void)sum;
    return all_lanes(0);
}
static inline q8_group q8_load(const int8_t (*w)[16][4], size_t g) {
    return i8x64_load(w[g]);
}
static inline q8_sum q8_step(q8_sum sum, q8_group w, const int8_t *x) {
    int8x16_t codes = splat_codes(x);
    for (int i = 0; i < 4; i++) sum.v[i] = vdotq_s32(sum.v[i], w.v[i], codes);
    return sum;
}
static inline v16 q8_finish(q8_sum sum) {
    return v16_from_ints(sum.v[0], sum.v[1], sum.v[2], sum.v[3]);
}

typedef q8_sum q4_sum;
static inline q4_sum q4_start(const int32_t *sum) {
    return all_lanes(*sum);
}
static inline q4_sum q4_step(q4_sum sum, q4_group w, const int8_t *x) {
    return q8_step(sum, w, x);
}
static inline v16 q4_finish(q4_sum sum) {
    return q8_finish(sum);
}

#endif
