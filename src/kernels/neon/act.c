/* Activations and element-wise arithmetic on NEON. */
#include "kernels/simd/f32_neon.h"

#include "kernels/tmpl/act.inc"
