/* Vector operations, NEON on 64-bit ARM: 16 floats in four registers, 8 in two. See f32_avx512.h.
 */
#ifndef KZ_KERNELS_SIMD_F32_NEON_H
#define KZ_KERNELS_SIMD_F32_NEON_H

#if !defined(__aarch64__) || !defined(__ARM_NEON)
#error "this folder is for 64-bit ARM"
#endif

#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

typedef struct v16 {
    float32x4_t a, b, c, d;
} v16;
typedef struct v8 {
    float32x4_t a, b;
} v8;
typedef float32x4_t v_splat;

#define KZ__TILE_ROWS 6
#define KZ__TWO_WIDE 2  /* up to so many rows two panels side by side */
#define KZ__FOUR_WIDE 1 /* up to so many, four */
#define KZ__BURN_CHAINS 6

static inline v16 v16_of(float32x4_t a, float32x4_t b, float32x4_t c, float32x4_t d) {
    v16 x = {a, b, c, d};
    return x;
}
static inline v8 v8_of(float32x4_t a, float32x4_t b) {
    v8 x = {a, b};
    return x;
}
static inline v16 v16_load(const float *p) {
    return v16_of(vld1q_f32(p), vld1q_f32(p + 4), vld1q_f32(p + 8), vld1q_f32(p + 12));
}
static inline void v16_store(float *p, v16 x) {
    vst1q_f32(p, x.a);
    vst1q_f32(p + 4, x.b);
    vst1q_f32(p + 8, x.c);
    vst1q_f32(p + 12, x.d);
}
static inline v16 v16_load_bf16(const uint16_t *p) {
    uint16x8_t low = vld1q_u16(p);
    uint16x8_t high = vld1q_u16(p + 8);
    return v16_of(vreinterpretq_f32_u32(vshll_n_u16(vget_low_u16(low), 16)),
                  vreinterpretq_f32_u32(vshll_n_u16(vget_high_u16(low), 16)),
                  vreinterpretq_f32_u32(vshll_n_u16(vget_low_u16(high), 16)),
                  vreinterpretq_f32_u32(vshll_n_u16(vget_high_u16(high), 16)));
}
/* The order of lanes that v16_load_bf16 gives is that of memory. */
static inline v16 v16_from_floats(const float *p) {
    return v16_load(p);
}
static inline void v16_into_floats(float *p, v16 x) {
    v16_store(p, x);
}
static inline v16 v16_set(float x) {
    float32x4_t v = vdupq_n_f32(x);
    return v16_of(v, v, v, v);
}
static inline v16 v16_add(v16 x, v16 y) {
    return v16_of(vaddq_f32(x.a, y.a), vaddq_f32(x.b, y.b),
                  vaddq_f32(x.c, y.c), vaddq_f32(x.d, y.d));
}
static inline v16 v16_sub(v16 x, v16 y) {
    return v16_of(vsubq_f32(x.a, y.a), vsubq_f32(x.b, y.b),
                  vsubq_f32(x.c, y.c), vsubq_f32(x.d, y.d));
}
static inline v16 v16_mul(v16 x, v16 y) {
    return v16_of(vmulq_f32(x.a, y.a), vmulq_f32(x.b, y.b),
                  vmulq_f32(x.c, y.c), vmulq_f32(x.d, y.d));
}
static inline v16 v16_div(v16 x, v16 y) {
    return v16_of(vdivq_f32(x.a, y.a), vdivq_f32(x.b, y.b),
                  vdivq_f32(x.c, y.c), vdivq_f32(x.d, y.d));
}
static inline v16 v16_fma(v16 x, v16 y, v16 z) {
    return v16_of(vfmaq_f32(z.a, x.a, y.a), vfmaq_f32(z.b, x.b, y.b),
                  vfmaq_f32(z.c, x.c, y.c), vfmaq_f32(z.d, x.d, y.d));
}
static inline float32x4_t v4_and(float32x4_t x, uint32_t bits) {
    return vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(x), vdupq_n_u32(bits)));
}
static inline float32x4_t v4_or(float32x4_t x, float32x4_t y) {
    return vreinterpretq_f32_u32(vorrq_u32(vreinterpretq_u32_f32(x), vreinterpretq_u32_f32(y)));
}
static inline float32x4_t v4_add_exponent(float32x4_t x, float32x4_t y) {
    uint32x4_t shifted = vshlq_n_u32(vreinterpretq_u32_f32(y), 23);
    return vreinterpretq_f32_u32(vaddq_u32(vreinterpretq_u32_f32(x), shifted));
}
static inline v16 v16_and(v16 x, uint32_t bits) {
    return v16_of(v4_and(x.a, bits), v4_and(x.b, bits), v4_and(x.c, bits), v4_and(x.d, bits));
}
static inline v16 v16_or(v16 x, v16 y) {
    return v16_of(v4_or(x.a, y.a), v4_or(x.b, y.b), v4_or(x.c, y.c), v4_or(x.d, y.d));
}
static inline v16 v16_negate(v16 x) {
    return v16_of(vnegq_f32(x.a), vnegq_f32(x.b), vnegq_f32(x.c), vnegq_f32(x.d));
}
static inline v16 v16_add_exponent(v16 x, v16 y) {
    return v16_of(v4_add_exponent(x.a, y.a), v4_add_exponent(x.b, y.b),
                  v4_add_exponent(x.c, y.c), v4_add_exponent(x.d, y.d));
}
static inline v16 v16_if_less(v16 x, v16 y, v16 yes, v16 no) {
    return v16_of(vbslq_f32(vcltq_f32(x.a, y.a), yes.a, no.a),
                  vbslq_f32(vcltq_f32(x.b, y.b), yes.b, no.b),
                  vbslq_f32(vcltq_f32(x.c, y.c), yes.c, no.c),
                  vbslq_f32(vcltq_f32(x.d, y.d), yes.d, no.d));
}
static inline v16 v16_if_number(v16 x, v16 yes, v16 no) {
    return v16_of(vbslq_f32(vceqq_f32(x.a, x.a), yes.a, no.a),
                  vbslq_f32(vceqq_f32(x.b, x.b), yes.b, no.b),
                  vbslq_f32(vceqq_f32(x.c, x.c), yes.c, no.c),
                  vbslq_f32(vceqq_f32(x.d, x.d), yes.d, no.d));
}
static inline v8 v16_low(v16 x) {
    return v8_of(x.a, x.b);
}
static inline v8 v16_high(v16 x) {
    return v8_of(x.c, x.d);
}

static inline v_splat v_splat_load(const float *p) {
    return vld1q_dup_f32(p);
}
static inline v16 v16_fma_splat(v16 w, v_splat x, v16 acc) {
    return v16_of(vfmaq_f32(acc.a, w.a, x), vfmaq_f32(acc.b, w.b, x), vfmaq_f32(acc.c, w.c, x),
                  vfmaq_f32(acc.d, w.d, x));
}
static inline void v_prefetch(const void *p) {
    __builtin_prefetch(p);
}

static inline v8 v8_load(const float *p) {
    return v8_of(vld1q_f32(p), vld1q_f32(p + 4));
}
static inline void v8_store(float *p, v8 x) {
    vst1q_f32(p, x.a);
    vst1q_f32(p + 4, x.b);
}
static inline v8 v8_set(float x) {
    return v8_of(vdupq_n_f32(x), vdupq_n_f32(x));
}
static inline v8 v8_add(v8 x, v8 y) {
    return v8_of(vaddq_f32(x.a, y.a), vaddq_f32(x.b, y.b));
}
static inline v8 v8_sub(v8 x, v8 y) {
    return v8_of(vsubq_f32(x.a, y.a), vsubq_f32(x.b, y.b));
}
static inline v8 v8_mul(v8 x, v8 y) {
    return v8_of(vmulq_f32(x.a, y.a), vmulq_f32(x.b, y.b));
}
static inline v8 v8_fma(v8 x, v8 y, v8 z) {
    return v8_of(vfmaq_f32(z.a, x.a, y.a), vfmaq_f32(z.b, x.b, y.b));
}

#endif
