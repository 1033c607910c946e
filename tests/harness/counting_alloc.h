/* An allocator that counts what is there and can fail once it has been asked often enough. Any
 * thread. */
#ifndef KZT_COUNTING_ALLOC_H
#define KZT_COUNTING_ALLOC_H

#include "kazeia.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef struct kzt_counter {
    atomic_size_t blocks, bytes, peak; /* now; most bytes at a time */
    atomic_size_t calls;
    size_t fail_from; /* calls from this number on fail, counted from 1; 0: none */
    bool fail_once;   /* ... only that one */
} kzt_counter;

/* The counter must outlive what is allocated. */
kz_allocator kzt_counting_allocator(kzt_counter *counter);

#endif
