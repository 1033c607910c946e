/* A growable array of int32, for token ids and code points. */
#ifndef KZ_TEXT_INTS_H
#define KZ_TEXT_INTS_H

#include "base/mem.h"

typedef struct kz__ints {
    kz__mem *mem;
    int32_t *data;
    size_t count;
    size_t capacity;
} kz__ints;

void kz__ints_init(kz__ints *ints, kz__mem *mem);

/* False when out of memory; the contents stay as they were. */
bool kz__ints_push(kz__ints *ints, int32_t value);

/* Frees the contents; the array is empty and can be used again. */
void kz__ints_clear(kz__ints *ints);

#endif
