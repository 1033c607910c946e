/* Rotary position on AVX-512. */
#include "kernels/simd/f32_avx512.h"

#include "kernels/tmpl/rope.inc"
