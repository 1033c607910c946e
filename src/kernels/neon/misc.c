/* Clamp, finite, burn on NEON. */
#include "kernels/simd/f32_neon.h"

#include "kernels/tmpl/misc.inc"
