/* Winograd transforms on AVX-512. */
#include "kernels/simd/f32_avx512.h"

#include "kernels/tmpl/winograd.inc"
