/* What the integer vocabularies of 64-bit ARM share. */
#ifndef KZ_KERNELS_SIMD_Q_NEON_BLOCK_H
#define KZ_KERNELS_SIMD_Q_NEON_BLOCK_H

#include "kernels/simd/f32_neon.h"
#include "kernels/simd/q_common.h"

#define KZ__QUANT_ROWS 4

static inline v16 v16_load_f16(const uint16_t *p) {
    float16x8_t low = vreinterpretq_f16_u16(vld1q_u16(p));
    float16x8_t high = vreinterpretq_f16_u16(vld1q_u16(p + 8));
    return v16_of(vcvt_f32_f16(vget_low_f16(low)), vcvt_f32_f16(vget_high_f16(low)),
                  vcvt_f32_f16(vget_low_f16(high)), vcvt_f32_f16(vget_high_f16(high)));
}
static inline int8x16_t splat_codes(const int8_t *x) {
    return vreinterpretq_s8_s32(vdupq_n_s32(four_codes(x)));
}

/* 16 outputs, four codes each: four outputs in a register. */
typedef struct i8x64 {
    int8x16_t v[4];
} i8x64;
static inline i8x64 i8x64_load(const void *p) {
    const int8_t *bytes = p;
    i8x64 x = {{vld1q_s8(bytes), vld1q_s8(bytes + 16), vld1q_s8(bytes + 32), vld1q_s8(bytes + 48)}};
    return x;
}

typedef i8x64 q4_group;
static inline q4_group q4_load(const uint8_t (*w)[16][4], size_t g) {
    const uint8_t *bytes = w[g % 4][0];
    q4_group group;
    for (int i = 0; i < 4; i++) {
        uint8x16_t both = vld1q_u8(bytes + 16 * i);
        uint8x16_t half = g < 4 ? vandq_u8(both, vdupq_n_u8(15)) : vshrq_n_u8(both, 4);
        group.v[i] = vreinterpretq_s8_u8(half);
    }
    return group;
}

static inline v16 v16_from_ints(int32x4_t a, int32x4_t b, int32x4_t c, int32x4_t d) {
    return v16_of(vcvtq_f32_s32(a), vcvtq_f32_s32(b), vcvtq_f32_s32(c), vcvtq_f32_s32(d));
}

static inline void quantize_block(int8_t *codes, float *scale, int32_t *sum, const float *x,
                                  float factor) {
    float32x4_t value[8];
    uint32x4_t most = vdupq_n_u32(0);
    for (int i = 0; i < 8; i++) {
        value[i] = vld1q_f32(x + 4 * i);
        uint32x4_t size = vandq_u32(vreinterpretq_u32_f32(value[i]), vdupq_n_u32(0x7fffffff));
        most = vmaxq_u32(most, size);
    }
    float inverse = 0;
    int some = block_scale(vmaxvq_u32(most), factor, scale, &inverse);
    int32x4_t total = vdupq_n_s32(0);
    for (int i = 0; i < 8; i += 2) {
        int32x4_t a = vcvtnq_s32_f32(vmulq_n_f32(value[i], inverse));
        int32x4_t b = vcvtnq_s32_f32(vmulq_n_f32(value[i + 1], inverse));
        a = some ? a : vdupq_n_s32(0);
        b = some ? b : vdupq_n_s32(0);
        total = vaddq_s32(total, vaddq_s32(a, b));
        vst1_s8(codes + 4 * i, vmovn_s16(vcombine_s16(vmovn_s32(a), vmovn_s32(b))));
    }
    *sum = vaddvq_s32(total);
}

#endif
