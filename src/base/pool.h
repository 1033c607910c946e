/* Compute pool: a parallel-for over output rows. The pool is an object; two can run side by side.
 *
 * Free placement: work is handed out in pieces of `grain` items from one counter, so an uneven
 * machine does not wait for its slower half; a worker that is not awake yet is not waited for.
 * Strict placement: thread t of n takes the t-th of n equal stretches, so that a core finds in its
 * cache what it read the last time; the caller takes the stretch of a worker that is not awake.
 * Only outputs are split, so neither can change a bit.
 */
#ifndef KZ_BASE_POOL_H
#define KZ_BASE_POOL_H

#include "base/mem.h"

#define KZ__THREADS_MAX 256 /* of a pool */

typedef struct kz__pool kz__pool;

/* Computes items begin..end-1. thread: 0 for the caller, else 1..threads-1. */
typedef void kz__pool_fn(void *arg, size_t begin, size_t end, int thread);

/* threads: 1..KZ__THREADS_MAX, the caller's included. */
kz_status kz__pool_create(kz__mem *mem, int threads, kz__pool **pool, kz__err *err);
/* Between two jobs; a new pool is free. */
void kz__pool_place(kz__pool *pool, kz_placement placement);
void kz__pool_destroy(kz__pool *pool);
int kz__pool_threads(const kz__pool *pool);

/* Runs fn over items 0..items-1 and returns when all are done. One caller at a time. */
void kz__pool_for(kz__pool *pool, size_t items, size_t grain, kz__pool_fn *fn, void *arg);

#endif
