/* What the integer vocabularies share: loads of four codes, and a block of a row without its sum.
 *
 * Every q_ISA.h gives the same names; tmpl/quant.inc is written over them. For both formats q:
 *     q_sum                       dot products of one row with 16 outputs over one block
 *     q_start(x's sum)            and what they start from
 *     q_load(codes, g)            the weights of a block's group of four k
 *     q_step(sum, group, x)       and their products with x[0..3]
 *     q_finish(sum)               the dot products as floats
 * x's sum is in memory (kz__codes), -8 times the sum of its codes. quantize_block is the kernel
 * `quantize` for one block, with the plain sum.
 */
#ifndef KZ_KERNELS_SIMD_Q_COMMON_H
#define KZ_KERNELS_SIMD_Q_COMMON_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define KZ__QUANT_AHEAD 4096 /* bytes between a weight that is used and one that is asked for */

static inline int32_t four_codes(const int8_t *x) {
    int32_t bits = 0;
    memcpy(&bits, x, sizeof bits);
    return bits;
}

/* From the largest absolute value (its bits): the block's scale, and what values are multiplied
 * with. False: all codes are 0. */
static inline int block_scale(uint32_t most, float factor, float *scale, float *inverse) {
    float value = 0;
    memcpy(&value, &most, sizeof value);
    if (most >= 0x7f800000u) { /* not a number */
        most = 0x7fc00000u;
        memcpy(scale, &most, sizeof *scale);
        return 0;
    }
    *scale = 0;
    if (value < 0x1p-100f) return 0;
    *scale = value / 127.0f * factor;
    *inverse = 127.0f / value;
    return 1;
}

#endif
