/* Quantised panel products on NEON with matrix products. */
#include "kernels/simd/q_i8mm.h"

#include "kernels/tmpl/quant.inc"
