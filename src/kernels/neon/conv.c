/* Depthwise convolution and snake on NEON. */
#include "kernels/simd/f32_neon.h"

#include "kernels/tmpl/conv.inc"
