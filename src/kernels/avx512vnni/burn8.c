/* Burn of the 8-bit probe on AVX-512 with VNNI. */
#include "kernels/simd/q_avx512vnni.h"

#include "kernels/tmpl/burn8.inc"
