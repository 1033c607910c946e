/* Softmax on NEON. */
#include "kernels/simd/f32_neon.h"

#include "kernels/tmpl/attn.inc"
