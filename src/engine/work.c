/* Threads and scratch of a session or a batch. */
#include "engine/work.h"

static kz_status make_scratch(kz__work *work, kz__mem *mem, kz__err *err) {
    size_t width = kz__talker_scratch(&work->model->talker);
    size_t predictor = kz__predictor_scratch(&work->model->predictor);
    if (predictor > width) width = predictor;
    return kz__scratch_init(&work->scratch, mem, KZ__TALKER_ROWS, width, err);
}

kz_status kz__work_init(kz__work *work, kz__mem *mem, const kz_model *m, size_t slots, int threads,
                        kz__err *err) {
    memset(work, 0, sizeof *work);
    work->mem = mem;
    work->model = m;
    work->slots = slots;
    work->threads = threads == KZ_DEFAULT ? kz_default_threads() : threads;
    kz_status status = kz__pool_create(mem, work->threads, &work->pool, err);
    work->run.kernels = &m->kernels;
    work->run.pool = work->pool;
    work->run.scratch = &work->scratch;
    if (!status && m->has_talker) status = make_scratch(work, mem, err);
    if (!status && m->has_talker) {
        status = kz__talker_work_init(&work->talker, mem, &m->talker, work->threads, err);
        if (!status) {
            status = kz__predictor_work_init(&work->predictor, mem, &m->predictor, slots,
                                             work->threads, err);
        }
        size_t most = m->config.talker_vocab > m->config.predictor_vocab
                          ? m->config.talker_vocab
                          : m->config.predictor_vocab;
        work->draws = kz__calloc(mem, most, sizeof *work->draws);
        if (!status && !work->draws) status = kz__fail_memory(err);
    }
    if (status) kz__work_clear(work);
    return status;
}

void kz__work_clear(kz__work *work) {
    if (!work->mem) return;
    kz__pool_destroy(work->pool);
    kz__talker_work_clear(&work->talker);
    kz__predictor_work_clear(&work->predictor);
    kz__scratch_clear(&work->scratch);
    kz__free(work->mem, work->draws);
    memset(work, 0, sizeof *work);
}
