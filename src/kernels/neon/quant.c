/* Quantised panel products on NEON. */
#include "kernels/simd/q_neon.h"

#include "kernels/tmpl/quant.inc"
