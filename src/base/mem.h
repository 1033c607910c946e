/* Memory: one accounting object per model or session over the caller's allocator (or malloc).
 * Every block is aligned to 64 bytes. Sizes are checked before they are multiplied.
 */
#ifndef KZ_BASE_MEM_H
#define KZ_BASE_MEM_H

#include "base/status.h"

#include <stdatomic.h>
#include <stdbool.h>

#define KZ__ALIGN 64

typedef struct kz__mem {
    kz_allocator allocator; /* alloc NULL: the C library's */
    atomic_size_t current;  /* bytes handed out, headers included */
    atomic_size_t peak;
    atomic_bool guarded;    /* the frame loop is running: allocations are counted below. What must
                               grow with the utterance (key-value cache) lifts the guard. */
    atomic_size_t guard_hits;
} kz__mem;

/* allocator may be NULL. Returns KZ_ERR_USAGE where it is incomplete. */
kz_status kz__mem_init(kz__mem *mem, const kz_allocator *allocator, kz__err *err);

/* An account of its own over the allocator of another. */
void kz__mem_init_like(kz__mem *mem, const kz__mem *other);

/* Any thread. NULL when out of memory; bytes 0 gives a valid block. */
void *kz__alloc(kz__mem *mem, size_t bytes);
/* count * size bytes of zero; NULL also when the product overflows. */
void *kz__calloc(kz__mem *mem, size_t count, size_t size);
/* Grows or makes (ptr NULL) a block, contents kept; the old block stays valid on failure. */
void *kz__grow(kz__mem *mem, void *ptr, size_t bytes);
/* Copies length bytes and a terminating zero. */
char *kz__strndup(kz__mem *mem, const char *text, size_t length);
/* Takes NULL. */
void kz__free(kz__mem *mem, void *ptr);

/* Switches the guard, returns what it was. */
bool kz__mem_guard(kz__mem *mem, bool on);

/* a * b and a + b, false where they overflow. */
bool kz__mul(size_t a, size_t b, size_t *product);
bool kz__add(size_t a, size_t b, size_t *sum);

#endif
