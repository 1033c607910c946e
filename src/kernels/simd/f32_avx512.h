/* Vector operations, AVX-512: 16 floats in one register, 8 in half of one. The other f32_*.h
 * define the same names; tmpl/ is written over them. Comparisons are ordered (false on NaN).
 */
#ifndef KZ_KERNELS_SIMD_F32_AVX512_H
#define KZ_KERNELS_SIMD_F32_AVX512_H

#if !defined(__AVX512F__) || !defined(__AVX512VL__) || !defined(__AVX512BW__) || \
    !defined(__AVX512DQ__) || !defined(__FMA__)
#error "build this folder with -mavx512f -mavx512vl -mavx512bw -mavx512dq -mavx2 -mfma"
#endif

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

typedef __m512 v16;
typedef __m256 v8;
typedef __m512 v_splat; /* one value in every lane of a register */

/* Register tiles of the panel product: rows at most, */
#define KZ__TILE_ROWS 14
#define KZ__TWO_WIDE 14  /* up to so many rows two panels side by side */
#define KZ__FOUR_WIDE 3 /* up to so many, four */
#define KZ__BURN_CHAINS 16

static inline v16 v16_load(const float *p) {
    return _mm512_loadu_ps(p);
}
static inline void v16_store(float *p, v16 x) {
    _mm512_storeu_ps(p, x);
}
static inline v16 v16_load_bf16(const uint16_t *p) {
    __m512i wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p));
    return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
}
/* The order of lanes that v16_load_bf16 gives is that of memory. */
static inline v16 v16_from_floats(const float *p) {
    return v16_load(p);
}
static inline void v16_into_floats(float *p, v16 x) {
    v16_store(p, x);
}
static inline v16 v16_set(float x) {
    return _mm512_set1_ps(x);
}
static inline v16 v16_add(v16 a, v16 b) {
    return _mm512_add_ps(a, b);
}
static inline v16 v16_sub(v16 a, v16 b) {
    return _mm512_sub_ps(a, b);
}
static inline v16 v16_mul(v16 a, v16 b) {
    return _mm512_mul_ps(a, b);
}
static inline v16 v16_div(v16 a, v16 b) {
    return _mm512_div_ps(a, b);
}
/* a * b + c */
static inline v16 v16_fma(v16 a, v16 b, v16 c) {
    return _mm512_fmadd_ps(a, b, c);
}
static inline v16 v16_and(v16 a, uint32_t bits) {
    return _mm512_and_ps(a, _mm512_castsi512_ps(_mm512_set1_epi32((int)bits)));
}
static inline v16 v16_or(v16 a, v16 b) {
    return _mm512_or_ps(a, b);
}
static inline v16 v16_negate(v16 a) {
    return _mm512_xor_ps(a, _mm512_set1_ps(-0.0f));
}
/* a's bits plus b's bits shifted left by 23 */
static inline v16 v16_add_exponent(v16 a, v16 b) {
    __m512i shifted = _mm512_slli_epi32(_mm512_castps_si512(b), 23);
    return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(a), shifted));
}
/* a < b ? yes : no */
static inline v16 v16_if_less(v16 a, v16 b, v16 yes, v16 no) {
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), no, yes);
}
/* a == a ? yes : no */
static inline v16 v16_if_number(v16 a, v16 yes, v16 no) {
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, a, _CMP_EQ_OQ), no, yes);
}
static inline v8 v16_low(v16 a) {
    return _mm512_castps512_ps256(a);
}
static inline v8 v16_high(v16 a) {
    return _mm512_extractf32x8_ps(a, 1);
}

static inline v_splat v_splat_load(const float *p) {
    return _mm512_set1_ps(*p);
}
/* w * x + acc */
static inline v16 v16_fma_splat(v16 w, v_splat x, v16 acc) {
    return _mm512_fmadd_ps(w, x, acc);
}
static inline void v_prefetch(const void *p) {
    _mm_prefetch((const char *)p, _MM_HINT_T0);
}

static inline v8 v8_load(const float *p) {
    return _mm256_loadu_ps(p);
}
static inline void v8_store(float *p, v8 x) {
    _mm256_storeu_ps(p, x);
}
static inline v8 v8_set(float x) {
    return _mm256_set1_ps(x);
}
static inline v8 v8_add(v8 a, v8 b) {
    return _mm256_add_ps(a, b);
}
static inline v8 v8_sub(v8 a, v8 b) {
    return _mm256_sub_ps(a, b);
}
static inline v8 v8_mul(v8 a, v8 b) {
    return _mm256_mul_ps(a, b);
}
static inline v8 v8_fma(v8 a, v8 b, v8 c) {
    return _mm256_fmadd_ps(a, b, c);
}

#endif
