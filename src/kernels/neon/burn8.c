/* Burn of the 8-bit probe on NEON. */
#include "kernels/simd/q_neon.h"

#include "kernels/tmpl/burn8.inc"
