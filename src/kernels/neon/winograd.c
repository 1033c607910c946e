/* Winograd transforms on NEON. */
#include "kernels/simd/f32_neon.h"

#include "kernels/tmpl/winograd.inc"
