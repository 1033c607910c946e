/* In integers alone, so that every machine and Python have the same samples. */
#include "harness/clip.h"

#include <stdlib.h>

/* Of 16 bits, -32768 to 32767. */
static int64_t triangle(int64_t x) {
    x &= 0xffff;
    return x < 32768 ? 2 * x - 32768 : 98303 - 2 * x;
}

/* Divided by 2^bits and rounded down. */
static int64_t shifted(int64_t x, int bits) {
    int64_t by = (int64_t)1 << bits;
    return (x - ((x % by + by) % by)) / by;
}

static int64_t noise_at(uint64_t i) {
    uint32_t z = (uint32_t)i * 0x9e3779b1u;
    z = (z ^ (z >> 15)) * 0x85ebca77u;
    z = (z ^ (z >> 13)) * 0xc2b2ae3du;
    return (int64_t)((z ^ (z >> 16)) >> 16) - 32768;
}

float *kzt_clip(size_t samples, uint64_t seed) {
    float *x = malloc((samples + 1) * sizeof *x);
    if (!x) abort();
    int64_t phase = 0;
    for (size_t i = 0; i < samples; i++) {
        int64_t n = (int64_t)i;
        int64_t loud = 32768 + triangle(n * 11 + (int64_t)seed * 9000);
        phase += 400 + 60 * (int64_t)seed + 2 * shifted(triangle(n * 5), 8);
        int64_t value = shifted(triangle(phase) * loud, 18) +
                        shifted(noise_at(i + seed * 7919) * (65535 - loud), 20);
        x[i] = (float)value / 32768.0f;
    }
    return x;
}
