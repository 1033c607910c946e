/* Which names were there already: 16 bytes of SHA-256 for each, 24 to 48 bytes of memory. */
#ifndef KZ_COMMON_SEEN_H
#define KZ_COMMON_SEEN_H

#include "base/mem.h"

#define KZ__SEEN_BYTES 16

typedef struct kz__seen {
    kz__mem *mem;
    unsigned char (*table)[KZ__SEEN_BYTES]; /* all zero: free */
    size_t capacity, count;                 /* the first a power of two */
} kz__seen;

/* KZ_OK: new, and noted. KZ_ERR_INPUT: it was there. KZ_ERR_MEMORY. */
kz_status kz__seen_add(kz__seen *seen, const char *name);
void kz__seen_free(kz__seen *seen);

#endif
