/* Burn of the 8-bit probe on AVX-VNNI. */
#include "kernels/simd/q_avxvnni.h"

#include "kernels/tmpl/burn8.inc"
