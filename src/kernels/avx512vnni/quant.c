/* Quantised panel products on AVX-512 with VNNI. */
#include "kernels/simd/q_avx512vnni.h"

#include "kernels/tmpl/quant.inc"
