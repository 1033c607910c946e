/* exp, log, sin and cos in double for tables, random draws and spectra: no libm in any path that
 * touches samples, so that they have the same bits everywhere. Plain IEEE operations, no
 * contraction. Errors are a few units in the last place of a double, far below the float they are
 * rounded to.
 */
#ifndef KZ_BASE_DMATH_H
#define KZ_BASE_DMATH_H

#if defined(__x86_64__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

double kz__exp(double x); /* 0 below -745, infinity above 709.7 */
double kz__ln(double x); /* x > 0, finite and normal */
/* |x| < 1e6 */
void kz__sincos(double x, double *sine, double *cosine);

/* The instruction, which rounds correctly everywhere. */
static inline double kz__sqrt64(double x) {
#if defined(__x86_64__)
    return _mm_cvtsd_f64(_mm_sqrt_pd(_mm_set1_pd(x)));
#elif defined(__aarch64__)
    return vget_lane_f64(vsqrt_f64(vdup_n_f64(x)), 0);
#else
    return __builtin_sqrt(x);
#endif
}

#endif
