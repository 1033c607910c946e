/* The one fused multiply-add: the instruction where the file is built for it, else an exact
 * emulation in double. Both round a * b + c once, subnormals and infinities included. Also the
 * square root instruction, which rounds correctly everywhere, without libc's errno.
 */
#ifndef KZ_KERNELS_FMA_H
#define KZ_KERNELS_FMA_H

#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

static inline float kz__float_of(uint32_t bits) {
    float value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t kz__bits_of(float value) {
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The product of two floats is exact in double. The sum is rounded to odd: where it is not exact,
 * the one of the two neighbours whose last bit is 1. With 53 bits against 24, rounding that to
 * float gives what rounding the exact sum would. A double never overflows or underflows here. Not
 * for x87. */
static inline float kz__fma_emulated(float a, float b, float c) {
    double product = (double)a * (double)b;
    double addend = (double)c;
    double sum = product + addend;
    double back = sum - product;
    /* exact; NaN where sum is not finite */
    double rest = (product - (sum - back)) + (addend - back);
    uint64_t bits = 0;
    memcpy(&bits, &sum, sizeof bits);
    if ((rest > 0 || rest < 0) && !(bits & 1)) {
        bits = (rest > 0) == (sum > 0) ? bits + 1 : bits - 1;
        memcpy(&sum, &bits, sizeof sum);
    }
    return (float)sum;
}

static inline float kz__fma(float a, float b, float c) {
#if defined(__FMA__) || defined(__aarch64__)
    return __builtin_fmaf(a, b, c);
#else
    return kz__fma_emulated(a, b, c);
#endif
}

static inline float kz__sqrt(float x) {
#if defined(__x86_64__)
    return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(x)));
#elif defined(__aarch64__)
    return vget_lane_f32(vsqrt_f32(vdup_n_f32(x)), 0);
#else
    return __builtin_sqrtf(x);
#endif
}

#endif
