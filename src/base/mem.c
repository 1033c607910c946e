/* Accounting allocation: a 64-byte header in front of each block holds its size. Large blocks of
 * the default allocator ask for huge pages, which saves page faults and address translations. */
#if defined(__linux__)
#define _DEFAULT_SOURCE
#include <sys/mman.h>
#endif
#include "base/mem.h"

#include "base/sized.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct header {
    size_t bytes; /* of the whole block, header included */
} header;

static void start_account(kz__mem *mem) {
    atomic_init(&mem->current, 0);
    atomic_init(&mem->peak, 0);
    atomic_init(&mem->guarded, false);
    atomic_init(&mem->guard_hits, 0);
}

kz_status kz__mem_init(kz__mem *mem, const kz_allocator *allocator, kz__err *err) {
    static const kz__sized shape = KZ__SIZED(kz_allocator, user);
    memset(&mem->allocator, 0, sizeof mem->allocator);
    if (allocator) {
        kz_status status = kz__sized_take(&shape, allocator, &mem->allocator, err);
        if (status) return status;
        if (!mem->allocator.alloc || !mem->allocator.release) {
            return kz__fail(err, KZ_ERR_USAGE,
                            "a kz_allocator needs both functions, alloc and release");
        }
    }
    start_account(mem);
    return KZ_OK;
}

void kz__mem_init_like(kz__mem *mem, const kz__mem *other) {
    mem->allocator = other->allocator;
    start_account(mem);
}

bool kz__mul(size_t a, size_t b, size_t *product) {
    if (b != 0 && a > SIZE_MAX / b) return false;
    *product = a * b;
    return true;
}

bool kz__add(size_t a, size_t b, size_t *sum) {
    if (a > SIZE_MAX - b) return false;
    *sum = a + b;
    return true;
}

bool kz__mem_guard(kz__mem *mem, bool on) {
    return atomic_exchange(&mem->guarded, on);
}

#define HUGE_PAGE ((size_t)2 << 20)

static void *default_alloc(size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (bytes >= 2 * HUGE_PAGE) {
        void *block = aligned_alloc(HUGE_PAGE, (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
        if (block) (void)madvise(block, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
        return block;
    }
#endif
    return aligned_alloc(KZ__ALIGN, bytes);
}

static void account(kz__mem *mem, size_t bytes) {
    size_t now = atomic_fetch_add(&mem->current, bytes) + bytes;
    size_t peak = atomic_load(&mem->peak);
    while (now > peak && !atomic_compare_exchange_weak(&mem->peak, &peak, now)) {
    }
    if (atomic_load(&mem->guarded)) atomic_fetch_add(&mem->guard_hits, 1);
}

void *kz__alloc(kz__mem *mem, size_t bytes) {
    size_t total = 0;
    if (!kz__add(bytes, 2 * KZ__ALIGN, &total)) return NULL;
    total -= total % KZ__ALIGN;
    unsigned char *block = NULL;
    if (mem->allocator.alloc) {
        block = mem->allocator.alloc(mem->allocator.user, total, KZ__ALIGN);
    } else {
        block = default_alloc(total);
    }
    if (!block) return NULL;
    ((header *)(void *)block)->bytes = total;
    account(mem, total);
    return block + KZ__ALIGN;
}

void *kz__calloc(kz__mem *mem, size_t count, size_t size) {
    size_t bytes = 0;
    if (!kz__mul(count, size, &bytes)) return NULL;
    void *block = kz__alloc(mem, bytes);
    if (block) memset(block, 0, bytes);
    return block;
}

static header *header_of(void *ptr) {
    return (header *)(void *)((unsigned char *)ptr - KZ__ALIGN);
}

void *kz__grow(kz__mem *mem, void *ptr, size_t bytes) {
    void *block = kz__alloc(mem, bytes);
    if (!block || !ptr) return block;
    size_t old = header_of(ptr)->bytes - KZ__ALIGN;
    memcpy(block, ptr, old < bytes ? old : bytes);
    kz__free(mem, ptr);
    return block;
}

char *kz__strndup(kz__mem *mem, const char *text, size_t length) {
    size_t bytes = 0;
    if (!kz__add(length, 1, &bytes)) return NULL;
    char *copy = kz__alloc(mem, bytes);
    if (!copy) return NULL;
    if (length) memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

void kz__free(kz__mem *mem, void *ptr) {
    if (!ptr) return;
    header *block = header_of(ptr);
    atomic_fetch_sub(&mem->current, block->bytes);
    if (mem->allocator.release) {
        mem->allocator.release(mem->allocator.user, block);
    } else {
        free(block);
    }
}
