/* Quantised panel products on AVX-VNNI. */
#include "kernels/simd/q_avxvnni.h"

#include "kernels/tmpl/quant.inc"
