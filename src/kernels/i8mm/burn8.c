/* Burn of the 8-bit probe on NEON with matrix products. */
#include "kernels/simd/q_i8mm.h"

#include "kernels/tmpl/burn8.inc"
