/* A checksum against damage (not against intent), quick in plain C: 8 lanes of 64 bits, so that
 * the multiplications of neighbouring words overlap.
 *
 *     lanes   h[j] = (j + 1) * K                               (all modulo 2^64)
 *     word    h[j] = rotl(h[j] ^ word, 29) * K                 word i goes to lane i mod 8
 *     end     r = length in bytes;  r = (r ^ h[j]) * L;  r = r ^ r >> 32   lane by lane
 *     K = 0x9E3779B97F4A7C15, L = 0xD6E8FEB86659FD93, words are little endian
 * Every step can be undone, so a change inside one word is always seen.
 *
 * A longer stretch is cut into chunks of 1 MiB, whose sums are summed up in the same way, as words:
 * so that several threads share the work.
 */
#ifndef KZ_BASE_CHECKSUM_H
#define KZ_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#define KZ__CHECKSUM_CHUNK ((size_t)1 << 20)

/* Of `bytes` bytes, followed by zeros up to `padded`, a multiple of 64. */
uint64_t kz__checksum(const void *data, size_t bytes, size_t padded);

/* Number of chunks; the sum of chunk sums. One chunk: its sum as it is. */
size_t kz__checksum_chunks(uint64_t padded);
uint64_t kz__checksum_join(const uint64_t *sums, size_t count);

#endif
