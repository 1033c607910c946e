/* What this machine can do: multiply-adds of floats and of 8-bit integers, and memory reads per
 * second, to put beside a benchmark. */
#include "base/clock.h"
#include "base/fpenv.h"
#include "base/pool.h"
#include "base/sized.h"
#include "kernels/kernels.h"

#include <string.h>

#define READ_BYTES ((size_t)256 << 20)
#define PROBE_MS 80.0

typedef double burn_fn(kz__level level, size_t rounds, float *sink);

typedef struct probe_job {
    kz__level level;
    burn_fn *burn;
    double operations[KZ__THREADS_MAX]; /* by thread */
    double until;
    const uint64_t *data;
    _Atomic uint64_t sum;
} probe_job;

static void burn(void *arg, size_t begin, size_t end, int thread) {
    probe_job *job = arg;
    float sink = 0;
    for (size_t i = begin; i < end; i++) {
        while (kz__now_ms() < job->until) {
            job->operations[thread] += job->burn(job->level, 64, &sink);
        }
    }
}

/* Operations of all threads, 10^9 a second. */
static double burn_all(kz__pool *pool, probe_job *job, burn_fn *fn) {
    double operations = 0;
    int threads = kz__pool_threads(pool);
    memset(job->operations, 0, sizeof job->operations);
    job->burn = fn;
    double start = kz__now_ms();
    job->until = start + PROBE_MS;
    kz__pool_for(pool, (size_t)threads, 1, burn, job);
    for (int t = 0; t < threads; t++) operations += job->operations[t];
    return operations / (kz__now_ms() - start) * 1e-6;
}

/* Sums a stretch: eight streams of additions, which compilers make wide enough for memory. */
static void read_all(void *arg, size_t begin, size_t end, int thread) {
    probe_job *job = arg;
    uint64_t sums[8] = {0};
    (void)thread;
    for (size_t i = begin * 512; i < end * 512; i += 8) {
        for (size_t j = 0; j < 8; j++) sums[j] += job->data[i + j];
    }
    uint64_t sum = 0;
    for (size_t j = 0; j < 8; j++) sum += sums[j];
    job->sum += sum;
}

static kz_status measure(kz__mem *mem, kz__pool *pool, kz__level level, kz_probe *probe,
                         kz__err *err) {
    probe_job *job = kz__calloc(mem, 1, sizeof *job);
    uint64_t *data = kz__alloc(mem, READ_BYTES);
    kz_status status = job && data ? KZ_OK : kz__fail_memory(err);
    if (!status) {
        memset(data, 1, READ_BYTES);
        job->level = level;
        job->data = data;
        probe->fma_gflops = burn_all(pool, job, kz__kernels_burn);
        probe->int8_gops = burn_all(pool, job, kz__kernels_burn8);
        size_t pages = READ_BYTES / 4096;
        for (int round = 0; round < 3; round++) {
            double start = kz__now_ms();
            kz__pool_for(pool, pages, 256, read_all, job);
            double rate = (double)READ_BYTES / (kz__now_ms() - start) * 1e-6;
            if (rate > probe->read_gbps) probe->read_gbps = rate;
        }
    }
    kz__free(mem, data);
    kz__free(mem, job);
    return status;
}

kz_status kz_probe_machine(int threads, const char *cpu, kz_probe *probe) {
    static const kz__sized shape = KZ__SIZED(kz_probe, fma_gflops);
    kz_probe full = {0};
    kz_status status = kz__sized_check(&shape, probe, NULL);
    if (status) return status;
    kz__level level = cpu ? kz__kernels_parse(cpu) : kz__kernels_best();
    if (level == KZ__LEVELS || !kz__kernels_usable(level)) return KZ_ERR_USAGE;
    kz__mem mem;
    kz__pool *pool = NULL;
    kz__mem_init(&mem, NULL, NULL);
    status = kz__pool_create(&mem, threads, &pool, NULL);
    if (status) return status;
    kz__fpenv saved = kz__fpenv_set();
    status = measure(&mem, pool, level, &full, NULL);
    kz__fpenv_restore(saved);
    kz__pool_destroy(pool);
    if (!status) kz__sized_give(probe, probe->size, &full, sizeof full);
    return status;
}
