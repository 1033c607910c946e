/* Panel products on AVX-512. */
#include "kernels/simd/f32_avx512.h"

#include "kernels/tmpl/matmul.inc"
