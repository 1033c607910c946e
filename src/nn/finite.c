/* The search for values that are not finite, split over the pool. */
#include "nn/finite.h"

#include <stdatomic.h>

typedef struct job {
    const kz__run *run;
    const float *x;
    size_t ld, width;
    atomic_bool bad;
} job;

static void look(void *arg, size_t begin, size_t end, int thread) {
    job *j = arg;
    (void)thread;
    for (size_t r = begin; r < end; r++) {
        if (!j->run->kernels->finite(j->x + r * j->ld, j->width)) atomic_store(&j->bad, true);
    }
}

kz_status kz__check_finite(const kz__run *run, const char *network, const char *stage,
                           const float *x, size_t ld, size_t rows, size_t width, kz__err *err) {
    job j = {.run = run, .x = x, .ld = ld, .width = width};
    kz__pool_for(run->pool, rows, 65536 / ld + 1, look, &j);
    if (!atomic_load(&j.bad)) return KZ_OK;
    return kz__fail(err, KZ_ERR_FAILED, "the %s's stage %s gave a value that is not finite",
                    network, stage);
}
