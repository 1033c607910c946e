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

/* Blocks of the 16 rows of a panel side by side: element i of the block of row n is [i][n]. */
typedef float kz__quant_row[KZ__PANEL_ROWS];
typedef int8_t kz__quant_codes[KZ__PANEL_ROWS];

/* The scales [16] (f16 bits, never subnormal) and the codes [32] of blocks of finite values [32].
 * A scale is the f16 nearest to the one with the least squared error for its codes. */
void kz__quant_blocks(kz__dtype type, float factor, const kz__quant_row *values, uint16_t *scales,
                      kz__quant_codes *codes);

/* A code as a float: code * (scale * factor), rounded once. */
static inline float kz__quant_value(uint16_t scale, float factor, int8_t code) {
    return (float)code * (kz__f16_to_f32(scale) * factor);
}

/* Puts the blocks of all rows into their places in a pair: block 0..1. */
void kz__quant_put(kz__dtype type, void *pair, size_t block, const uint16_t *scales,
                   const kz__quant_codes *codes);
/* Takes the block of a row out, 0..15: its scale and 32 codes. */
void kz__quant_get(kz__dtype type, const void *pair, size_t block, size_t row, uint16_t *scale,
                   int8_t *codes);

#endif
