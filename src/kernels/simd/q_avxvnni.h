/* Integer vocabulary, AVX-VNNI: as AVX-512 with VNNI (q_avx512vnni.h) in half the width. */
#ifndef KZ_KERNELS_SIMD_Q_AVXVNNI_H
#define KZ_KERNELS_SIMD_Q_AVXVNNI_H

#include "kernels/simd/q_avx2_block.h"

#if !defined(__AVXVNNI__)
#error "build this folder with -mavxvnni"
#endif

typedef i8x64 q8_sum;
typedef i8x64 q8_group;
static inline q8_sum q8_start(const int32_t *sum) {
    __m256i off = _mm256_slli_epi32(_mm256_set1_epi32(*sum), 4);
    q8_sum start = {off, off};
    return start;
}
static inline q8_group q8_load(const int8_t (*w)[16][4], size_t g) {
    __m256i sign = _mm256_set1_epi8((char)0x80);
    i8x64 codes = i8x64_load(w[g]);
    q8_group flipped = {_mm256_xor_si256(codes.a, sign), _mm256_xor_si256(codes.b, sign)};
    return flipped;
}
static inline q8_sum q8_step(q8_sum sum, q8_group w, const int8_t *x) {
    __m256i codes = splat_codes(x);
    q8_sum next = {_mm256_dpbusd_avx_epi32(sum.a, w.a, codes),
                   _mm256_dpbusd_avx_epi32(sum.b, w.b, codes)};
    return next;
}
static inline v16 q8_finish(q8_sum sum) {
    return v16_of(_mm256_cvtepi32_ps(sum.a), _mm256_cvtepi32_ps(sum.b));
}

typedef i8x64 q4_sum;
static inline q4_sum q4_start(const int32_t *sum) {
    q4_sum start = {_mm256_set1_epi32(*sum), _mm256_set1_epi32(*sum)};
    return start;
}
static inline q4_sum q4_step(q4_sum sum, q4_group w, const int8_t *x) {
    return q8_step(sum, w, x);
}
static inline v16 q4_finish(q4_sum sum) {
    return q8_finish(sum);
}

#endif
