/* Panel products on NEON. */
#include "kernels/simd/f32_neon.h"

#include "kernels/tmpl/matmul.inc"
