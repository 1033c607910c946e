/* Public structs that begin with their size, so that they may grow at their end: a program passes
 * the struct of the header it was compiled with, older or newer than this library. */
#ifndef KZ_BASE_SIZED_H
#define KZ_BASE_SIZED_H

#include "base/status.h"

#include <stddef.h>

typedef struct kz__sized {
    const char *name;
    size_t full;  /* bytes that this version has */
    size_t least; /* bytes that every version has */
} kz__sized;

/* The shape of a struct whose members up to `last` no version is without. */
#define KZ__SIZED(type, last) \
    {#type, sizeof(type), \
     (offsetof(type, last) + sizeof(((type *)0)->last) + sizeof(size_t) - 1) / sizeof(size_t) * \
         sizeof(size_t)}

/* Whether the caller's struct has a size that a version of it can have. Any version's is a multiple
 * of the size's own, so no member is ever cut. */
kz_status kz__sized_check(const kz__sized *shape, const void *given, kz__err *err);

/* Options, from the caller's struct into *full, which holds the defaults of what may be missing.
 * What the caller has beyond it must be zero. */
kz_status kz__sized_take(const kz__sized *shape, const void *given, void *full, kz__err *err);

/* Defaults or results, to the caller's struct of `size` bytes: as much of *full as there is room
 * for, zeros beyond it, and the size. Nothing where the size is no size. */
void kz__sized_give(void *given, size_t size, const void *full, size_t full_size);

#endif
