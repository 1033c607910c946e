/* What the 256-bit integer vocabularies share. */
#ifndef KZ_KERNELS_SIMD_Q_AVX2_BLOCK_H
#define KZ_KERNELS_SIMD_Q_AVX2_BLOCK_H

#include "kernels/simd/f32_avx2.h"
#include "kernels/simd/q_common.h"

#define KZ__QUANT_ROWS 4

static inline v16 v16_load_f16(const uint16_t *p) {
    return v16_of(_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p)),
                  _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(p + 8))));
}
static inline __m256i splat_codes(const int8_t *x) {
    return _mm256_set1_epi32(four_codes(x));
}

/* 16 outputs: 8 in each register. */
typedef struct i8x64 {
    __m256i a, b;
} i8x64;
static inline i8x64 i8x64_load(const void *p) {
    i8x64 x = {_mm256_loadu_si256((const __m256i *)p), _mm256_loadu_si256((const __m256i *)p + 1)};
    return x;
}
static inline i8x64 i8x64_low_halves(i8x64 x) {
    __m256i mask = _mm256_set1_epi8(15);
    i8x64 y = {_mm256_and_si256(x.a, mask), _mm256_and_si256(x.b, mask)};
    return y;
}
static inline i8x64 i8x64_high_halves(i8x64 x) {
    i8x64 y = {_mm256_srli_epi16(x.a, 4), _mm256_srli_epi16(x.b, 4)};
    return i8x64_low_halves(y);
}

typedef i8x64 q4_group;
static inline q4_group q4_load(const uint8_t (*w)[16][4], size_t g) {
    i8x64 both = i8x64_load(w[g % 4]);
    return g < 4 ? i8x64_low_halves(both) : i8x64_high_halves(both);
}

static inline __m256i sizes_of(__m256i bits) {
    __m256i size = _mm256_set1_epi32(0x7fffffff);
    return _mm256_and_si256(bits, size);
}

static inline void quantize_block(int8_t *codes, float *scale, int32_t *sum, const float *x,
                                  float factor) {
    __m256 value[4];
    __m256i most = _mm256_setzero_si256();
    for (int i = 0; i < 4; i++) {
        value[i] = _mm256_loadu_ps(x + 8 * i);
        most = _mm256_max_epi32(most, sizes_of(_mm256_castps_si256(value[i])));
    }
    __m128i m = _mm_max_epi32(_mm256_castsi256_si128(most), _mm256_extracti128_si256(most, 1));
    m = _mm_max_epi32(m, _mm_shuffle_epi32(m, 0x4e));
    m = _mm_max_epi32(m, _mm_shuffle_epi32(m, 0xb1));
    float inverse = 0;
    __m256i code[4];
    int some = block_scale((uint32_t)_mm_cvtsi128_si32(m), factor, scale, &inverse);
    for (int i = 0; i < 4; i++) {
        __m256 scaled = _mm256_mul_ps(value[i], _mm256_set1_ps(inverse));
        code[i] = some ? _mm256_cvtps_epi32(scaled) : _mm256_setzero_si256();
    }
    __m256i total = _mm256_add_epi32(_mm256_add_epi32(code[0], code[1]),
                                     _mm256_add_epi32(code[2], code[3]));
    __m128i t = _mm_add_epi32(_mm256_castsi256_si128(total), _mm256_extracti128_si256(total, 1));
    t = _mm_add_epi32(t, _mm_shuffle_epi32(t, 0x4e));
    t = _mm_add_epi32(t, _mm_shuffle_epi32(t, 0xb1));
    *sum = _mm_cvtsi128_si32(t);
    /* packing goes by halves of registers: fours come out as 0 2 4 6 1 3 5 7 */
    __m256i packed = _mm256_packs_epi16(_mm256_packs_epi32(code[0], code[1]),
                                        _mm256_packs_epi32(code[2], code[3]));
    packed = _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    _mm256_storeu_si256((__m256i *)codes, packed);
}

#endif
