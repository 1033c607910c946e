/* Burn of the 8-bit probe on AVX2. */
#include "kernels/simd/q_avx2.h"

#include "kernels/tmpl/burn8.inc"
