/* exp, erf and sine in float, scalar form; tmpl/math.inc does the same operations in the same
 * order on vectors. Polynomials by scripts/fit_math.py. Comparisons select as written, so that
 * NaN goes through.
 */
#ifndef KZ_KERNELS_REF_MATH_H
#define KZ_KERNELS_REF_MATH_H

#include "kernels/fma.h"
#include "kernels/math_constants.h"

/* exp(r) - 1 of x = n ln2 + r. *t: adding 1.5 * 2^23 rounds to n, which stands in its low bits. */
static inline float kz__exp_rest(float x, float *t) {
    *t = kz__fma(x, KZ__LOG2E, KZ__ROUNDER);
    float n = *t - KZ__ROUNDER;
    float r = kz__fma(n, -KZ__LN2_HIGH, x);
    r = kz__fma(n, -KZ__LN2_LOW, r);
    float p = kz__fma(KZ__EXP4, r, KZ__EXP3);
    p = kz__fma(p, r, KZ__EXP2);
    p = kz__fma(p, r, KZ__EXP1);
    p = kz__fma(p, r, KZ__EXP0);
    return kz__fma(p, r * r, r);
}

/* At most 2 units in the last place; 0 where the result would be subnormal, infinity on overflow.
 * n goes into the exponent. */
static inline float kz__expf(float x) {
    float t = 0;
    float p = kz__exp_rest(x, &t) + 1.0f;
    float y = kz__float_of(kz__bits_of(p) + (kz__bits_of(t) << 23));
    y = x < KZ__EXP_LOWEST ? 0.0f : y;
    y = x > KZ__EXP_HIGHEST ? kz__float_of(KZ__INFINITY_BITS) : y;
    return x == x ? y : x;
}

/* Absolute error 2e-7: 1 - exp(-a poly(a)) of a = |x|, which is 1 from 4 on. */
static inline float kz__erff(float x) {
    float a = kz__float_of(kz__bits_of(x) & 0x7fffffffu);
    a = a > KZ__ERF_END ? KZ__ERF_END : a;
    float p = kz__fma(KZ__ERF7, a, KZ__ERF6);
    p = kz__fma(p, a, KZ__ERF5);
    p = kz__fma(p, a, KZ__ERF4);
    p = kz__fma(p, a, KZ__ERF3);
    p = kz__fma(p, a, KZ__ERF2);
    p = kz__fma(p, a, KZ__ERF1);
    p = kz__fma(p, a, KZ__ERF0);
    float e = 1.0f - kz__expf(-a * p);
    return kz__float_of(kz__bits_of(e) | (kz__bits_of(x) & 0x80000000u));
}

/* Absolute error 2e-7 up to |x| = 1e4; bounded for every finite x. x = n pi + r with pi in two
 * parts (the first product and sum are exact in fma form); the sign is n's parity. Where n is too
 * large to round, r is held to a little over pi / 2. */
static inline float kz__sinf(float x) {
    float t = kz__fma(x, KZ__INVERSE_PI, KZ__ROUNDER);
    float n = t - KZ__ROUNDER;
    float r = kz__fma(n, -KZ__PI_HIGH, x);
    r = kz__fma(n, -KZ__PI_LOW, r);
    r = r < -KZ__SINE_END ? -KZ__SINE_END : r;
    r = r > KZ__SINE_END ? KZ__SINE_END : r;
    float s = r * r;
    float p = kz__fma(KZ__SINE3, s, KZ__SINE2);
    p = kz__fma(p, s, KZ__SINE1);
    p = kz__fma(p, s, KZ__SINE0);
    p = kz__fma(p * s, r, r);
    return kz__float_of(kz__bits_of(p) ^ (kz__bits_of(t) << 31));
}

static inline float kz__siluf(float x) {
    return x / (1.0f + kz__expf(-x));
}

/* Below 0, with s = 2^n: s (exp(r) - 1) + (s - 1). */
static inline float kz__eluf(float x) {
    float t = 0;
    float rest = kz__exp_rest(x, &t);
    float s = kz__float_of(kz__bits_of(1.0f) + (kz__bits_of(t) << 23));
    float y = kz__fma(rest, s, s - 1.0f);
    y = x < KZ__EXP_LOWEST ? -1.0f : y;
    y = 0.0f < x ? x : y;
    return x == x ? y : x;
}

static inline float kz__geluf(float x) {
    return (0.5f * x) * (1.0f + kz__erff(x * 0.70710678f));
}

#endif
