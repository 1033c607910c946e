/* A growable array of int32: doubling, so that n pushes cost O(n). */
#include "text/ints.h"

#define FIRST_CAPACITY 64

void kz__ints_init(kz__ints *ints, kz__mem *mem) {
    ints->mem = mem;
    ints->data = NULL;
    ints->count = 0;
    ints->capacity = 0;
}

bool kz__ints_push(kz__ints *ints, int32_t value) {
    if (ints->count == ints->capacity) {
        size_t capacity = FIRST_CAPACITY;
        size_t bytes = 0;
        if (ints->capacity && !kz__mul(ints->capacity, 2, &capacity)) return false;
        if (!kz__mul(capacity, sizeof *ints->data, &bytes)) return false;
        int32_t *data = kz__grow(ints->mem, ints->data, bytes);
        if (!data) return false;
        ints->data = data;
        ints->capacity = capacity;
    }
    ints->data[ints->count++] = value;
    return true;
}

void kz__ints_clear(kz__ints *ints) {
    kz__free(ints->mem, ints->data);
    kz__ints_init(ints, ints->mem);
}
