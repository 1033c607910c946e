/* Winograd transforms on AVX2. */
#include "kernels/simd/f32_avx2.h"

#include "kernels/tmpl/winograd.inc"
