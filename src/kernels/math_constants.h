/* Constants of exp, erf and sine; the fits come from scripts/fit_math.py. */
#ifndef KZ_KERNELS_MATH_CONSTANTS_H
#define KZ_KERNELS_MATH_CONSTANTS_H

#define KZ__INFINITY_BITS 0x7f800000u
#define KZ__ROUNDER 0x1.8p+23f /* added and taken off, it rounds to an integer */

#define KZ__LOG2E 0x1.715476p+0f
#define KZ__LN2_HIGH 0x1.62e430p-1f
#define KZ__LN2_LOW (-0x1.05c610p-29f)
#define KZ__EXP_LOWEST (-0x1.5d589ep+6f) /* -87.33654: just over the smallest normal number */
#define KZ__EXP_HIGHEST 0x1.62e42ep+6f   /* 88.72283: just under the largest */
#define KZ__EXP0 0x1.fffffcp-2f
#define KZ__EXP1 0x1.55541ep-3f
#define KZ__EXP2 0x1.555656p-5f
#define KZ__EXP3 0x1.1286f0p-7f
#define KZ__EXP4 0x1.6d4d96p-10f

#define KZ__ERF_END 4.0f
#define KZ__ERF0 0x1.20dd88p+0f
#define KZ__ERF1 0x1.45f006p-1f
#define KZ__ERF2 0x1.a59474p-4f
#define KZ__ERF3 (-0x1.4116bcp-6f)
#define KZ__ERF4 0x1.2350a8p-11f
#define KZ__ERF5 0x1.0b1da0p-10f
#define KZ__ERF6 (-0x1.3ebfc6p-12f)
#define KZ__ERF7 0x1.021078p-15f

#define KZ__INVERSE_PI 0x1.45f306p-2f
#define KZ__PI_HIGH 0x1.921fb6p+1f
#define KZ__PI_LOW (-0x1.777a5cp-24f)
#define KZ__SINE_END 1.5715f /* pi / 2 and what rounding n adds up to |x| = 1e4 */
#define KZ__SINE0 (-0x1.555548p-3f)
#define KZ__SINE1 0x1.110e58p-7f
#define KZ__SINE2 (-0x1.9f5cd4p-13f)
#define KZ__SINE3 0x1.5ccfaep-19f

#endif
