/* Integer vocabulary, NEON without dot products; see q_common.h. Products are 16 bits wide. 8-bit
 * codes: a group's products go to 32 bits one by one. 4-bit codes, 0..15: the 8 products of a lane
 * in a block fit 16 bits (8 * 15 * 127 < 2^15) beside a quarter of what the sum of x takes off
 * (8 * 32 * 127 / 4): (8 * 15 + 8 * 8) * 127 < 2^15. */
#ifndef KZ_KERNELS_SIMD_Q_NEON_H
#define KZ_KERNELS_SIMD_Q_NEON_H

#include "kernels/simd/q_neon_block.h"

/* Two lanes for each output, two outputs in a register. */
typedef struct q8_sum {
    int32x4_t v[8];
} q8_sum;
typedef i8x64 q8_group;
static inline q8_sum q8_start(const int32_t *sum) {
    (void)sum;
    q8_sum zero;
    for (int i = 0; i < 8; i++) zero.v[i] = vdupq_n_s32(0);
    return zero;
}
static inline q8_group q8_load(const int8_t (*w)[16][4], size_t g) {
    return i8x64_load(w[g]);
}
static inline q8_sum q8_step(q8_sum sum, q8_group w, const int8_t *x) {
    int8x16_t codes = splat_codes(x);
    for (int i = 0; i < 4; i++) {
        int16x8_t low = vmull_s8(vget_low_s8(w.v[i]), vget_low_s8(codes));
        int16x8_t high = vmull_s8(vget_high_s8(w.v[i]), vget_low_s8(codes));
        sum.v[2 * i] = vpadalq_s16(sum.v[2 * i], low);
        sum.v[2 * i + 1] = vpadalq_s16(sum.v[2 * i + 1], high);
    }
    return sum;
}
static inline v16 q8_finish(q8_sum sum) {
    return v16_from_ints(vpaddq_s32(sum.v[0], sum.v[1]), vpaddq_s32(sum.v[2], sum.v[3]),
                         vpaddq_s32(sum.v[4], sum.v[5]), vpaddq_s32(sum.v[6], sum.v[7]));
}

/* Four lanes for each output, two outputs in a register. */
typedef struct q4_sum {
    int16x8_t v[8];
} q4_sum;
static inline q4_sum q4_start(const int32_t *sum) {
    q4_sum start;
    for (int i = 0; i < 8; i++) start.v[i] = vdupq_n_s16((int16_t)(*sum / 4));
    return start;
}
static inline q4_sum q4_step(q4_sum sum, q4_group w, const int8_t *x) {
    int8x8_t codes = vget_low_s8(splat_codes(x));
    for (int i = 0; i < 4; i++) {
        sum.v[2 * i] = vmlal_s8(sum.v[2 * i], vget_low_s8(w.v[i]), codes);
        sum.v[2 * i + 1] = vmlal_s8(sum.v[2 * i + 1], vget_high_s8(w.v[i]), codes);
    }
    return sum;
}
static inline int32x4_t q4_four(int16x8_t low, int16x8_t high) {
    return vpaddq_s32(vpaddlq_s16(low), vpaddlq_s16(high));
}
static inline v16 q4_finish(q4_sum sum) {
    return v16_from_ints(q4_four(sum.v[0], sum.v[1]), q4_four(sum.v[2], sum.v[3]),
                         q4_four(sum.v[4], sum.v[5]), q4_four(sum.v[6], sum.v[7]));
}

#endif
