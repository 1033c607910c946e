/* Integer vocabulary, AVX-512 with VNNI; see q_common.h. The instruction multiplies unsigned
 * weights by signed x: 4-bit codes are stored plus 8, 8-bit ones get 128 added by their sign bit,
 * and 8 or 128 times the sum of x is what the sums start below zero by. What belongs to a row goes
 * in as an operand that is repeated from memory. */
#ifndef KZ_KERNELS_SIMD_Q_AVX512VNNI_H
#define KZ_KERNELS_SIMD_Q_AVX512VNNI_H

#include "kernels/simd/f32_avx512.h"
#include "kernels/simd/q_common.h"

#if !defined(__AVX512VNNI__)
#error "build this folder with -mavx512vnni"
#endif

#define KZ__QUANT_ROWS 12

static inline v16 v16_load_f16(const uint16_t *p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
}
static inline __m512i splat_codes(const int8_t *x) {
    return _mm512_set1_epi32(four_codes(x));
}

typedef __m512i q8_sum;
typedef __m512i q8_group;
static inline q8_sum q8_start(const int32_t *sum) {
    return _mm512_slli_epi32(_mm512_set1_epi32(*sum), 4);
}
static inline q8_group q8_load(const int8_t (*w)[16][4], size_t g) {
    return _mm512_xor_si512(_mm512_loadu_si512(w[g]), _mm512_set1_epi8((char)0x80));
}
static inline q8_sum q8_step(q8_sum sum, q8_group w, const int8_t *x) {
    return _mm512_dpbusd_epi32(sum, w, splat_codes(x));
}
static inline v16 q8_finish(q8_sum sum) {
    return _mm512_cvtepi32_ps(sum);
}

typedef __m512i q4_sum;
typedef __m512i q4_group;
static inline q4_sum q4_start(const int32_t *sum) {
    return _mm512_set1_epi32(*sum);
}
static inline q4_group q4_load(const uint8_t (*w)[16][4], size_t g) {
    __m512i both = _mm512_loadu_si512(w[g % 4]);
    return _mm512_and_si512(g < 4 ? both : _mm512_srli_epi16(both, 4), _mm512_set1_epi8(15));
}
static inline q4_sum q4_step(q4_sum sum, q4_group w, const int8_t *x) {
    return _mm512_dpbusd_epi32(sum, w, splat_codes(x));
}
static inline v16 q4_finish(q4_sum sum) {
    return _mm512_cvtepi32_ps(sum);
}

static inline void quantize_block(int8_t *codes, float *scale, int32_t *sum, const float *x,
                                  float factor) {
    __m512 a = _mm512_loadu_ps(x);
    __m512 b = _mm512_loadu_ps(x + 16);
    __m512i size = _mm512_set1_epi32(0x7fffffff);
    __m512i most = _mm512_max_epi32(_mm512_and_si512(_mm512_castps_si512(a), size),
                                    _mm512_and_si512(_mm512_castps_si512(b), size));
    float inverse = 0;
    __m512i first = _mm512_setzero_si512();
    __m512i second = first;
    if (block_scale((uint32_t)_mm512_reduce_max_epi32(most), factor, scale, &inverse)) {
        first = _mm512_cvtps_epi32(_mm512_mul_ps(a, _mm512_set1_ps(inverse)));
        second = _mm512_cvtps_epi32(_mm512_mul_ps(b, _mm512_set1_ps(inverse)));
    }
    _mm_storeu_si128((__m128i *)codes, _mm512_cvtepi32_epi8(first));
    _mm_storeu_si128((__m128i *)(codes + 16), _mm512_cvtepi32_epi8(second));
    *sum = _mm512_reduce_add_epi32(_mm512_add_epi32(first, second));
}

#endif
