/* Quantised panel products on NEON with dot products. */
#include "kernels/simd/q_dotprod.h"

#include "kernels/tmpl/quant.inc"
