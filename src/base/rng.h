/* Philox 4x32-10 (Salmon et al. 2011): random numbers as a function of a key and a counter. There
 * is no state, so a number never depends on which others were taken, in what order or on which
 * thread.
 */
#ifndef KZ_BASE_RNG_H
#define KZ_BASE_RNG_H

#include <stdint.h>

/* out may be counter. */
void kz__philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* The upper 23 bits of word as a number inside (0, 1): (bits + 1/2) / 2^23, exact. */
static inline double kz__rng_unit(uint32_t word) {
    return ((double)(word >> 9) + 0.5) * 0x1p-23;
}

#endif
