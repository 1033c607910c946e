/* Counting down to failure. */
#include "harness/failing_alloc.h"

#include <stdlib.h>

static long left;

static void *limited_alloc(void *user, size_t bytes, size_t alignment) {
    (void)user;
    return left-- > 0 ? aligned_alloc(alignment, bytes) : NULL;
}

static void limited_release(void *user, void *ptr) {
    (void)user;
    free(ptr);
}

static const kz_allocator allocator = {sizeof allocator, limited_alloc, limited_release, NULL};

const kz_allocator *kzt_failing_allocator(void) {
    return &allocator;
}

void kzt_fail_after(long count) {
    left = count;
}
