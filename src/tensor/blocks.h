/* The quantised types as they lie in memory, the same on every machine.
 *
 * A weight is code * scale * factor: an integer code, a scale (f16) for each row and each block of
 * 32 along k, a power of two for the whole matrix. A panel holds 16 output rows; along k it is a
 * sequence of pairs of blocks (64 k), whose sizes are whole cache lines: the scales of both blocks,
 * then their codes, four consecutive k of each of the 16 rows side by side, which is what the
 * integer dot products of all processors take. k is padded with zeros to whole pairs.
 */
#ifndef KZ_TENSOR_BLOCKS_H
#define KZ_TENSOR_BLOCKS_H

#include "tensor/dtype.h"

#define KZ__BLOCK 32                 /* k that share a scale */
#define KZ__PAIR_K (2 * KZ__BLOCK)   /* k of a pair */
#define KZ__PANEL_ROWS 16
#define KZ__GROUPS (KZ__BLOCK / 4)   /* of four k in a block */

/* Code of row i and k = 32 b + 4 g + c of the pair: code[b][g][i][c], -127..127. */
typedef struct kz__q8_pair {
    uint16_t scale[2][KZ__PANEL_ROWS];
    int8_t code[2][KZ__GROUPS][KZ__PANEL_ROWS][4];
} kz__q8_pair;

/* Codes are stored plus 8, as 0..15. Low half of code[b][v][i][c]: k = 32 b + 4 v + c; high half:
 * k = 32 b + 16 + 4 v + c. */
typedef struct kz__q4_pair {
    uint16_t scale[2][KZ__PANEL_ROWS];
    uint8_t code[2][KZ__GROUPS / 2][KZ__PANEL_ROWS][4];
} kz__q4_pair;

_Static_assert(sizeof(kz__q8_pair) == 17 * 64, "17 cache lines");
_Static_assert(sizeof(kz__q4_pair) == 9 * 64, "9 cache lines");

/* Pairs that hold k. */
static inline size_t kz__pairs(size_t k) {
    return (k + KZ__PAIR_K - 1) / KZ__PAIR_K;
}

static inline int kz__is_quantized(kz__dtype type) {
    return type == KZ__Q8 || type == KZ__Q4;
}

/* Bytes of a pair; 0 for types without blocks. */
static inline size_t kz__pair_bytes(kz__dtype type) {
    return type == KZ__Q8 ? sizeof(kz__q8_pair) : type == KZ__Q4 ? sizeof(kz__q4_pair) : 0;
}

#endif
