/* Burn of the 8-bit probe on NEON with dot products. */
#include "kernels/simd/q_dotprod.h"

#include "kernels/tmpl/burn8.inc"
