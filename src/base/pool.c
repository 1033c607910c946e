/* One job slot. Its state word holds a generation, an open bit and the number of workers that
 * joined: a worker joins by compare-and-swap while the job is open; the caller closes it when the
 * items are handed out and waits for those who joined. Idle workers spin for a moment, then sleep.
 */
#include "base/pool.h"

#include "base/cpu.h"
#include "base/fpenv.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>

#define OPEN_BIT ((uint64_t)1 << 15)
#define JOINED_MASK (OPEN_BIT - 1)
#define GENERATION_STEP ((uint64_t)1 << 16)

typedef struct worker {
    kz__pool *pool;
    pthread_t thread;
    int index;
} worker;

struct kz__pool {
    kz__mem *mem;
    int threads;
    int started;
    int spins;
    worker *workers;

    _Atomic uint64_t state;
    char pad0[56];
    atomic_size_t next;
    atomic_size_t finished;
    char pad1[48];
    kz__pool_fn *fn;
    void *arg;
    size_t items, grain;
    bool strict;
    struct {
        _Atomic uint64_t job; /* the last one in which it was taken */
        char pad[56];
    } *shares; /* [threads], of strict placement */

    atomic_int sleepers;
    atomic_bool stop;
    pthread_mutex_t lock;
    pthread_cond_t wake;
};

static void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void work(kz__pool *pool, int thread) {
    size_t items = pool->items;
    size_t grain = pool->grain;
    for (;;) {
        size_t begin = atomic_fetch_add_explicit(&pool->next, grain, memory_order_relaxed);
        if (begin >= items) return;
        size_t end = items - begin < grain ? items : begin + grain;
        pool->fn(pool->arg, begin, end, thread);
    }
}

/* The stretch of thread `share`, unless another has taken it in this job. */
static void work_share(kz__pool *pool, int share, uint64_t generation, int thread) {
    uint64_t taken = atomic_load_explicit(&pool->shares[share].job, memory_order_relaxed);
    if (taken == generation) return;
    if (!atomic_compare_exchange_strong(&pool->shares[share].job, &taken, generation)) return;
    size_t pieces = (pool->items - 1) / pool->grain + 1;
    size_t threads = (size_t)pool->threads;
    size_t begin = pieces * (size_t)share / threads * pool->grain;
    size_t end = pieces * ((size_t)share + 1) / threads * pool->grain;
    if (end > pool->items) end = pool->items;
    if (begin < end) pool->fn(pool->arg, begin, end, thread);
}

/* The caller takes the shares of those who are not there when it has done its own. */
static void work_strict(kz__pool *pool, uint64_t generation, int thread) {
    work_share(pool, thread, generation, thread);
    for (int share = 1; thread == 0 && share < pool->threads; share++) {
        work_share(pool, share, generation, 0);
    }
}

static bool is_new(const kz__pool *pool, uint64_t state, uint64_t seen) {
    return atomic_load(&pool->stop) || ((state & OPEN_BIT) && state / GENERATION_STEP != seen);
}

/* Waits until a job newer than `seen` is open, or the pool stops. */
static uint64_t await(kz__pool *pool, uint64_t seen) {
    for (int i = 0; i < pool->spins; i++) {
        uint64_t state = atomic_load_explicit(&pool->state, memory_order_acquire);
        if (is_new(pool, state, seen)) return state;
        relax();
    }
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->sleepers, 1);
    uint64_t state = atomic_load(&pool->state);
    while (!is_new(pool, state, seen)) {
        pthread_cond_wait(&pool->wake, &pool->lock);
        state = atomic_load(&pool->state);
    }
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->lock);
    return state;
}

static void *worker_main(void *arg) {
    worker *self = arg;
    kz__pool *pool = self->pool;
    uint64_t seen = 0;
    kz__fpenv_set();
    while (!atomic_load(&pool->stop)) {
        uint64_t state = await(pool, seen);
        if (atomic_load(&pool->stop)) break;
        uint64_t generation = state / GENERATION_STEP;
        bool joined = false;
        while ((state & OPEN_BIT) && state / GENERATION_STEP == generation && !joined) {
            joined = atomic_compare_exchange_weak(&pool->state, &state, state + 1);
        }
        seen = generation;
        if (!joined) continue;
        if (pool->strict) {
            work_strict(pool, generation, self->index);
        } else {
            work(pool, self->index);
        }
        atomic_fetch_add(&pool->finished, 1);
    }
    return NULL;
}

kz_status kz__pool_create(kz__mem *mem, int threads, kz__pool **out, kz__err *err) {
    *out = NULL;
    if (threads < 1 || threads > KZ__THREADS_MAX) {
        return kz__fail(err, KZ_ERR_USAGE, "threads is %d, allowed are 1 to %d", threads,
                        KZ__THREADS_MAX);
    }
    kz__pool *pool = kz__calloc(mem, 1, sizeof *pool);
    if (!pool) return kz__fail_memory(err);
    pool->mem = mem;
    pool->threads = threads;
    /* spinning helps only where every thread has a processor of its own */
    pool->spins = threads <= kz__cpu_count() ? 5000 : 20;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pool->workers = kz__calloc(mem, (size_t)threads, sizeof *pool->workers);
    pool->shares = kz__calloc(mem, (size_t)threads, sizeof *pool->shares);
    if (!pool->workers || !pool->shares) {
        kz__pool_destroy(pool);
        return kz__fail_memory(err);
    }
    for (int i = 1; i < threads; i++) {
        worker *w = &pool->workers[i];
        w->pool = pool;
        w->index = i;
        if (pthread_create(&w->thread, NULL, worker_main, w) != 0) {
            kz__pool_destroy(pool);
            return kz__fail(err, KZ_ERR_MEMORY, "thread %d of %d could not be started", i + 1,
                            threads);
        }
        pool->started = i;
    }
    *out = pool;
    return KZ_OK;
}

void kz__pool_destroy(kz__pool *pool) {
    if (!pool) return;
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->stop, true);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 1; i <= pool->started; i++) pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    kz__free(pool->mem, pool->shares);
    kz__free(pool->mem, pool->workers);
    kz__free(pool->mem, pool);
}

void kz__pool_place(kz__pool *pool, kz_placement placement) {
    pool->strict = placement == KZ_PLACEMENT_STRICT;
}

int kz__pool_threads(const kz__pool *pool) {
    return pool->threads;
}

static void await_finished(kz__pool *pool, size_t count) {
    for (int i = 0; atomic_load_explicit(&pool->finished, memory_order_acquire) != count; i++) {
        if (i < pool->spins) {
            relax();
        } else {
            sched_yield();
        }
    }
}

void kz__pool_for(kz__pool *pool, size_t items, size_t grain, kz__pool_fn *fn, void *arg) {
    if (items == 0) return;
    if (grain == 0) grain = 1;
    if (pool->threads == 1 || items <= grain) {
        fn(arg, 0, items, 0);
        return;
    }
    pool->fn = fn;
    pool->arg = arg;
    pool->items = items;
    pool->grain = grain;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    atomic_store_explicit(&pool->finished, 0, memory_order_relaxed);
    uint64_t state = atomic_load_explicit(&pool->state, memory_order_relaxed);
    state = (state / GENERATION_STEP + 1) * GENERATION_STEP;
    atomic_store(&pool->state, state | OPEN_BIT);
    if (atomic_load(&pool->sleepers) > 0) {
        pthread_mutex_lock(&pool->lock);
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->lock);
    }
    if (pool->strict) {
        work_strict(pool, state / GENERATION_STEP, 0);
    } else {
        work(pool, 0);
    }
    size_t joined = (size_t)(atomic_fetch_and(&pool->state, ~OPEN_BIT) & JOINED_MASK);
    await_finished(pool, joined);
}
