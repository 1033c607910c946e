/* The size of a block stands in the alignment's first bytes in front of it. */
#include "harness/counting_alloc.h"

#include <stdlib.h>
#include <string.h>

static void *count_alloc(void *user, size_t bytes, size_t alignment) {
    kzt_counter *counter = user;
    size_t call = atomic_fetch_add(&counter->calls, 1) + 1;
    if (counter->fail_from && call == counter->fail_from) return NULL;
    if (counter->fail_from && call > counter->fail_from && !counter->fail_once) return NULL;
    if (alignment < 64) alignment = 64;
    size_t total = (bytes + 2 * alignment - 1) / alignment * alignment;
    unsigned char *block = aligned_alloc(alignment, total);
    if (!block) return NULL;
    unsigned char *given = block + alignment;
    memset(given, 0xA5, bytes); /* nothing may count on zeros */
    const size_t words[2] = {bytes, alignment};
    memcpy(given - sizeof words, words, sizeof words);
    atomic_fetch_add(&counter->blocks, 1);
    size_t now = atomic_fetch_add(&counter->bytes, bytes) + bytes;
    size_t peak = atomic_load(&counter->peak);
    while (now > peak && !atomic_compare_exchange_weak(&counter->peak, &peak, now)) {
    }
    return given;
}

static void count_release(void *user, void *ptr) {
    kzt_counter *counter = user;
    size_t words[2];
    memcpy(words, (unsigned char *)ptr - sizeof words, sizeof words);
    atomic_fetch_sub(&counter->blocks, 1);
    atomic_fetch_sub(&counter->bytes, words[0]);
    free((unsigned char *)ptr - words[1]);
}

kz_allocator kzt_counting_allocator(kzt_counter *counter) {
    const kz_allocator allocator = {sizeof allocator, count_alloc, count_release, counter};
    return allocator;
}
