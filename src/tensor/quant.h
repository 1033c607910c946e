/* Quantised types: what encoding and decoding of a block mean. Plain arithmetic in a fixed order,
 * no libm: the same bytes on every machine. */
#ifndef KZ_TENSOR_QUANT_H
#define KZ_TENSOR_QUANT_H

#include "tensor/blocks.h"

/* Nearest f16, ties to even; infinity where it is too large. */
uint16_t kz__f32_to_f16(float value);

/* The power of two of a matrix whose largest absolute value is `largest` (finite): with it scales
 * use the upper end of f16, and one too small for a normal f16 is 2^-28 of the largest. */
float kz__quant_factor(kz__dtype type, float largest);

/* The scale (f16 bits, never subnormal) and the 32 codes of a block of finite values. The scale is
 * the f16 nearest to the one with the least squared error for these codes. */
void kz__quant_block(kz__dtype type, float factor, const float *values, uint16_t *scale,
                     int8_t *codes);

/* A code as a float: code * (scale * factor), rounded once. */
static inline float kz__quant_value(uint16_t scale, float factor, int8_t code) {
    return (float)code * (kz__f16_to_f32(scale) * factor);
}

/* Puts a block into its place in a pair, or takes it out: block 0..1, row 0..15. */
void kz__quant_put(kz__dtype type, void *pair, size_t block, size_t row, uint16_t scale,
                   const int8_t *codes);
void kz__quant_get(kz__dtype type, const void *pair, size_t block, size_t row, uint16_t *scale,
                   int8_t *codes);

#endif
