/* Ten rounds: two 32x32 products, crossed over, with a key that moves by Weyl constants. */
#include "base/rng.h"

void kz__philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
    uint32_t c0 = counter[0];
    uint32_t c1 = counter[1];
    uint32_t c2 = counter[2];
    uint32_t c3 = counter[3];
    uint32_t k0 = key[0];
    uint32_t k1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint64_t even = (uint64_t)0xD2511F53u * c0;
        uint64_t odd = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(odd >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)odd;
        c2 = (uint32_t)(even >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)even;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}
