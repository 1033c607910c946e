/* Quantised panel products on AVX2. */
#include "kernels/simd/q_avx2.h"

#include "kernels/tmpl/quant.inc"
