/* Compares every kernel of a level with the scalar reference, bit for bit (any NaN equals any
 * other). For the self-test, the tests and machines without a libc. */
#ifndef KZ_KERNELS_CHECK_H
#define KZ_KERNELS_CHECK_H

#include "kernels/kernels.h"

#define KZ__CHECK_SLOTS 6
#define KZ__CHECK_SLOT_BYTES ((size_t)192 * 1024)

typedef void kz__check_report(void *user, const char *kernel, int equal);

typedef struct kz__check {
    kz__level level; /* a usable one */
    const kz__kernels *variant; /* what is checked; NULL: the kernels of the level */
    int quick; /* a few sizes of each kernel, in milliseconds */
    uint64_t seed;
    /* Memory of KZ__CHECK_SLOT_BYTES each, 64-byte aligned. Inputs and outputs end where their
     * slot ends, so that a page without access after it shows reads and writes past the end. */
    void *slots[KZ__CHECK_SLOTS];
    kz__check_report *report; /* called once for each kernel; may be NULL */
    void *user;
} kz__check;

/* The number of kernels that differ. */
int kz__kernels_check(const kz__check *check);

#endif
