/* Vector operations, AVX2 with FMA: 16 floats in two registers, 8 in one. See f32_avx512.h. */
#ifndef KZ_KERNELS_SIMD_F32_AVX2_H
#define KZ_KERNELS_SIMD_F32_AVX2_H

#if !defined(__AVX2__) || !defined(__FMA__)
#error "build this folder with -mavx2 -mfma"
#endif

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

typedef struct v16 {
    __m256 a, b;
} v16;
typedef __m256 v8;
typedef __m256 v_splat;

#define KZ__TILE_ROWS 6
#define KZ__TWO_WIDE 2  /* up to so many rows two panels side by side */
#define KZ__FOUR_WIDE 1 /* up to so many, four */
#define KZ__BURN_CHAINS 6

static inline v16 v16_of(__m256 a, __m256 b) {
    v16 x = {a, b};
    return x;
}
static inline v16 v16_load(const float *p) {
    return v16_of(_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8));
}
static inline void v16_store(float *p, v16 x) {
    _mm256_storeu_ps(p, x.a);
    _mm256_storeu_ps(p + 8, x.b);
}
/* A pair of values is taken apart by a shift and a mask, which is cheaper than widening in order:
 * even lanes in a, odd ones in b. The two functions after it load and store floats in that order.
 */
static inline v16 v16_load_bf16(const uint16_t *p) {
    __m256i pairs = _mm256_loadu_si256((const __m256i *)p);
    __m256i odd = _mm256_and_si256(pairs, _mm256_set1_epi32((int)0xffff0000u));
    return v16_of(_mm256_castsi256_ps(_mm256_slli_epi32(pairs, 16)), _mm256_castsi256_ps(odd));
}
static inline v16 v16_from_floats(const float *p) {
    __m256 low = _mm256_loadu_ps(p);
    __m256 high = _mm256_loadu_ps(p + 8);
    __m256d even = _mm256_castps_pd(_mm256_shuffle_ps(low, high, 0x88));
    __m256d odd = _mm256_castps_pd(_mm256_shuffle_ps(low, high, 0xdd));
    return v16_of(_mm256_castpd_ps(_mm256_permute4x64_pd(even, 0xd8)),
                  _mm256_castpd_ps(_mm256_permute4x64_pd(odd, 0xd8)));
}
static inline void v16_into_floats(float *p, v16 x) {
    __m256 low = _mm256_unpacklo_ps(x.a, x.b);
    __m256 high = _mm256_unpackhi_ps(x.a, x.b);
    _mm256_storeu_ps(p, _mm256_permute2f128_ps(low, high, 0x20));
    _mm256_storeu_ps(p + 8, _mm256_permute2f128_ps(low, high, 0x31));
}
static inline v16 v16_set(float x) {
    return v16_of(_mm256_set1_ps(x), _mm256_set1_ps(x));
}
static inline v16 v16_add(v16 x, v16 y) {
    return v16_of(_mm256_add_ps(x.a, y.a), _mm256_add_ps(x.b, y.b));
}
static inline v16 v16_sub(v16 x, v16 y) {
    return v16_of(_mm256_sub_ps(x.a, y.a), _mm256_sub_ps(x.b, y.b));
}
static inline v16 v16_mul(v16 x, v16 y) {
    return v16_of(_mm256_mul_ps(x.a, y.a), _mm256_mul_ps(x.b, y.b));
}
static inline v16 v16_div(v16 x, v16 y) {
    return v16_of(_mm256_div_ps(x.a, y.a), _mm256_div_ps(x.b, y.b));
}
static inline v16 v16_fma(v16 x, v16 y, v16 z) {
    return v16_of(_mm256_fmadd_ps(x.a, y.a, z.a), _mm256_fmadd_ps(x.b, y.b, z.b));
}
static inline v16 v16_and(v16 x, uint32_t bits) {
    __m256 mask = _mm256_castsi256_ps(_mm256_set1_epi32((int)bits));
    return v16_of(_mm256_and_ps(x.a, mask), _mm256_and_ps(x.b, mask));
}
static inline v16 v16_or(v16 x, v16 y) {
    return v16_of(_mm256_or_ps(x.a, y.a), _mm256_or_ps(x.b, y.b));
}
static inline v16 v16_negate(v16 x) {
    __m256 sign = _mm256_set1_ps(-0.0f);
    return v16_of(_mm256_xor_ps(x.a, sign), _mm256_xor_ps(x.b, sign));
}
static inline __m256 v8_add_exponent(__m256 a, __m256 b) {
    __m256i shifted = _mm256_slli_epi32(_mm256_castps_si256(b), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(a), shifted));
}
static inline v16 v16_add_exponent(v16 x, v16 y) {
    return v16_of(v8_add_exponent(x.a, y.a), v8_add_exponent(x.b, y.b));
}
static inline v16 v16_if_less(v16 x, v16 y, v16 yes, v16 no) {
    return v16_of(_mm256_blendv_ps(no.a, yes.a, _mm256_cmp_ps(x.a, y.a, _CMP_LT_OQ)),
                  _mm256_blendv_ps(no.b, yes.b, _mm256_cmp_ps(x.b, y.b, _CMP_LT_OQ)));
}
static inline v16 v16_if_number(v16 x, v16 yes, v16 no) {
    return v16_of(_mm256_blendv_ps(no.a, yes.a, _mm256_cmp_ps(x.a, x.a, _CMP_EQ_OQ)),
                  _mm256_blendv_ps(no.b, yes.b, _mm256_cmp_ps(x.b, x.b, _CMP_EQ_OQ)));
}
static inline v8 v16_low(v16 x) {
    return x.a;
}
static inline v8 v16_high(v16 x) {
    return x.b;
}

static inline v_splat v_splat_load(const float *p) {
    return _mm256_broadcast_ss(p);
}
static inline v16 v16_fma_splat(v16 w, v_splat x, v16 acc) {
    return v16_of(_mm256_fmadd_ps(w.a, x, acc.a), _mm256_fmadd_ps(w.b, x, acc.b));
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
