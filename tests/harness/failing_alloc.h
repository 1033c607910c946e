/* An allocator that fails after a number of allocations. One thread. */
#ifndef KZT_HARNESS_FAILING_ALLOC_H
#define KZT_HARNESS_FAILING_ALLOC_H

#include "kazeia.h"

const kz_allocator *kzt_failing_allocator(void);
/* The next `count` allocations succeed, all later ones fail. */
void kzt_fail_after(long count);

#endif
