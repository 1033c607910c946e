/* The checksum, 64 bytes at a time, with what comes next fetched ahead: not every machine does that
 * by itself, and then it is twice as fast. */
#include "base/checksum.h"

#include <string.h>

#define LANES 8
#define STEP (LANES * sizeof(uint64_t))
#define MULTIPLIER 0x9E3779B97F4A7C15u
#define AHEAD 1024
#define FINISHER 0xD6E8FEB86659FD93u

static void start(uint64_t h[LANES]) {
    for (uint64_t j = 0; j < LANES; j++) h[j] = (j + 1) * MULTIPLIER;
}

static void add(uint64_t h[LANES], const unsigned char *bytes) {
    uint64_t words[LANES];
    memcpy(words, bytes, STEP);
    for (size_t j = 0; j < LANES; j++) {
        uint64_t mixed = h[j] ^ words[j];
        h[j] = (mixed << 29 | mixed >> 35) * MULTIPLIER;
    }
}

static void fetch(const unsigned char *ahead) {
#if defined(__GNUC__)
    __builtin_prefetch(ahead);
#else
    (void)ahead;
#endif
}

static uint64_t finish(const uint64_t h[LANES], uint64_t length) {
    uint64_t result = length;
    for (size_t j = 0; j < LANES; j++) {
        result = (result ^ h[j]) * FINISHER;
        result ^= result >> 32;
    }
    return result;
}

uint64_t kz__checksum(const void *data, size_t bytes, size_t padded) {
    const unsigned char *from = data;
    uint64_t h[LANES];
    unsigned char last[STEP] = {0};
    size_t at = 0;
    start(h);
    for (; at + STEP <= bytes; at += STEP) {
        if (bytes - at > AHEAD) fetch(from + at + AHEAD);
        add(h, from + at);
    }
    if (at < bytes) {
        memcpy(last, from + at, bytes - at);
        add(h, last);
        memset(last, 0, sizeof last);
        at += STEP;
    }
    for (; at < padded; at += STEP) add(h, last);
    return finish(h, padded);
}

size_t kz__checksum_chunks(uint64_t padded) {
    return (size_t)((padded + KZ__CHECKSUM_CHUNK - 1) / KZ__CHECKSUM_CHUNK);
}

uint64_t kz__checksum_join(const uint64_t *sums, size_t count) {
    if (count == 1) return sums[0];
    size_t bytes = count * sizeof *sums;
    return kz__checksum(sums, bytes, (bytes + STEP - 1) / STEP * STEP);
}
