/* Integer vocabulary, AVX2; see q_common.h. vpmaddubsw multiplies unsigned by signed bytes and adds
 * two products in 16 bits with saturation, which never happens here: 8-bit codes go in as |w| and x
 * with the sign of w (2 * 127 * 127 < 2^15); 4-bit codes as 0..15 (2 * 15 * 127 < 2^15). Those are
 * summed over a block in 16 bits: a lane of 16 products begins at 8 times the sum of all 32 x below
 * zero, or at 0, and ends within 16 * 8 * 127 + 16 * 8 * 127 < 2^15, or 16 * 15 * 127. */
#ifndef KZ_KERNELS_SIMD_Q_AVX2_H
#define KZ_KERNELS_SIMD_Q_AVX2_H

#include "kernels/simd/q_avx2_block.h"

typedef i8x64 q8_sum; /* 32-bit lanes */
typedef struct q8_group {
    i8x64 w, size;
} q8_group;
static inline q8_sum q8_start(const int32_t *sum) {
    (void)sum;
    q8_sum zero = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    return zero;
}
static inline q8_group q8_load(const int8_t (*w)[16][4], size_t g) {
    i8x64 codes = i8x64_load(w[g]);
    q8_group group = {codes, {_mm256_abs_epi8(codes.a), _mm256_abs_epi8(codes.b)}};
    return group;
}
static inline __m256i q8_products(__m256i w, __m256i size, __m256i x) {
    __m256i pairs = _mm256_maddubs_epi16(size, _mm256_sign_epi8(x, w));
    return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}
static inline q8_sum q8_step(q8_sum sum, q8_group w, const int8_t *x) {
    __m256i codes = splat_codes(x);
    q8_sum next = {_mm256_add_epi32(sum.a, q8_products(w.w.a, w.size.a, codes)),
                   _mm256_add_epi32(sum.b, q8_products(w.w.b, w.size.b, codes))};
    return next;
}
static inline v16 q8_finish(q8_sum sum) {
    return v16_of(_mm256_cvtepi32_ps(sum.a), _mm256_cvtepi32_ps(sum.b));
}

typedef i8x64 q4_sum; /* 16-bit lanes */
static inline q4_sum q4_start(const int32_t *sum) {
    __m256i off = _mm256_and_si256(_mm256_set1_epi32(*sum), _mm256_set1_epi32(0xffff));
    q4_sum start = {off, off};
    return start;
}
static inline q4_sum q4_step(q4_sum sum, q4_group w, const int8_t *x) {
    __m256i codes = splat_codes(x);
    q4_sum next = {_mm256_add_epi16(sum.a, _mm256_maddubs_epi16(w.a, codes)),
                   _mm256_add_epi16(sum.b, _mm256_maddubs_epi16(w.b, codes))};
    return next;
}
static inline v16 q4_finish(q4_sum sum) {
    __m256i one = _mm256_set1_epi16(1);
    return v16_of(_mm256_cvtepi32_ps(_mm256_madd_epi16(sum.a, one)),
                  _mm256_cvtepi32_ps(_mm256_madd_epi16(sum.b, one)));
}

#endif
