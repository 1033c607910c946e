/* Threads and scratch of a session or a batch. */
#include "engine/work.h"

#include "nn/level.h"

static kz_status make_scratch(kz__work *work, kz__mem *mem, kz__err *err) {
    size_t width = kz__talker_scratch(&work->model->talker);
    size_t predictor = kz__predictor_scratch(&work->model->predictor);
    if (predictor > width) width = predictor;
    return kz__scratch_init(&work->scratch, mem, KZ__TALKER_ROWS, width, err);
}

/* Threads and kernels. */
static kz_status make_run(kz__work *work, const kz__work_options *options, kz__err *err) {
    if (options->placement < KZ_PLACEMENT_DEFAULT || options->placement > KZ_PLACEMENT_STRICT) {
        return kz__fail(err, KZ_ERR_USAGE, "placement is %d, known are free (%d) and strict (%d)",
                        (int)options->placement, KZ_PLACEMENT_FREE, KZ_PLACEMENT_STRICT);
    }
    work->kernels = work->model->kernels;
    kz_status status = KZ_OK;
    if (options->cpu) {
        status = kz__level_choose(&kz__process_levels, work->mem, options->cpu, &work->kernels,
                                  err);
    }
    if (!status) status = kz__pool_create(work->mem, work->threads, &work->pool, err);
    if (!status) kz__pool_place(work->pool, options->placement);
    return status;
}

kz_status kz__work_init(kz__work *work, kz__mem *mem, const kz_model *m,
                        const kz__work_options *options, kz__err *err) {
    memset(work, 0, sizeof *work);
    work->mem = mem;
    work->model = m;
    work->slots = options->slots;
    work->threads = options->threads == KZ_DEFAULT ? kz_default_threads() : options->threads;
    kz_status status = make_run(work, options, err);
    work->run.kernels = &work->kernels;
    work->run.pool = work->pool;
    work->run.scratch = &work->scratch;
    if (!status && m->has_talker) status = make_scratch(work, mem, err);
    if (!status && m->has_talker) {
        status = kz__talker_work_init(&work->talker, mem, &m->talker, work->threads, err);
        if (!status) {
            status = kz__predictor_work_init(&work->predictor, mem, &m->predictor, work->slots,
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
