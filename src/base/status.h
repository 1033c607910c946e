/* Status codes are kazeia.h's; this adds the sentence that goes with an error. */
#ifndef KZ_BASE_STATUS_H
#define KZ_BASE_STATUS_H

#include "kazeia.h"

#include <stdbool.h>

#if defined(__GNUC__)
#define KZ__PRINTF(text_at, first) __attribute__((__format__(__printf__, text_at, first)))
#else
#define KZ__PRINTF(text_at, first)
#endif

/* Where a failing call leaves its reason. Passed down; may be NULL. */
typedef struct kz__err {
    char text[512];
} kz__err;

/* Writes the sentence (cut at the end if too long) and returns code. */
kz_status kz__fail(kz__err *err, kz_status code, const char *format, ...) KZ__PRINTF(3, 4);

/* The sentence for a failed allocation. */
static inline kz_status kz__fail_memory(kz__err *err) {
    kz__fail(err, KZ_ERR_MEMORY, "out of memory");
    return KZ_ERR_MEMORY;
}

/* Copies the sentence to a caller's buffer (may be NULL or of size 0), always terminated. */
void kz__err_copy(const kz__err *err, char *buffer, size_t capacity);

#endif
