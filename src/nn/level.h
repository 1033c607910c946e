/* Which kernels a computation uses: the highest level that is wanted, that the machine has, and
 * that computes right on it. A level is held against the scalar reference before it is used, once
 * for each process, in a few milliseconds. One that fails is left alone: a table of wrong kernels
 * would give wrong samples without a word. */
#ifndef KZ_NN_LEVEL_H
#define KZ_NN_LEVEL_H

#include "kernels/kernels.h"
#include "nn/linear.h"

#include <stdatomic.h>

/* Where tables come from, and what is known about them. The process has one; tests make others. */
typedef struct kz__levels {
    void (*fill)(kz__kernels *table, kz__level highest); /* as kz__kernels_fill */
    atomic_int verdict[KZ__LEVELS]; /* 0: not checked, 1: right, -1: wrong */
} kz__levels;

extern kz__levels kz__process_levels;

/* Fills table. wanted is the name of a level (KZ_ERR_USAGE where it cannot be used here,
 * KZ_ERR_FAILED where it computes wrong) or NULL: the best one, or the next lower where that
 * computes wrong, which is told to the log. mem: of the allocator that the check may use. Any
 * thread. */
kz_status kz__level_choose(kz__levels *levels, const kz__mem *mem, const char *wanted,
                           kz__kernels *table, kz__err *err);

#endif
