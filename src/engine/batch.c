/* A batch: admit, step together, retire. */
#include "engine/batch.h"

#include "base/clock.h"
#include "base/fpenv.h"
#include "base/sized.h"

kz_status kz__batch_join(kz_batch *batch, kz_session *session, kz__err *err) {
    if (batch->count == batch->work.slots) {
        return kz__fail(err, KZ_ERR_USAGE, "the batch has %zu slots, all are taken",
                        batch->work.slots);
    }
    batch->sessions[batch->count++] = session;
    session->batch = batch;
    return KZ_OK;
}

void kz__batch_leave(kz_batch *batch, const kz_session *session) {
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->sessions[i] != session) continue;
        batch->sessions[i] = batch->sessions[--batch->count];
        return;
    }
}

static kz_status create(kz_batch *batch, const kz_batch_options *options, kz__err *err) {
    int slots = options->slots == KZ_DEFAULT ? KZ__SLOTS : options->slots;
    if (slots < 1 || slots > KZ__SLOTS) {
        return kz__fail(err, KZ_ERR_USAGE, "a batch has 1 to %d slots, not %d", KZ__SLOTS, slots);
    }
    const kz__work_options work = {(size_t)slots, options->threads, options->placement,
                                   options->cpu};
    return kz__work_init(&batch->work, &batch->mem, batch->model, &work, err);
}

kz_status kz_batch_create(const kz_model *model, const kz_batch_options *given, kz_batch **batch,
                          char *error, size_t capacity) {
    static const kz__sized shape = KZ__SIZED(kz_batch_options, threads);
    kz_batch_options options;
    kz__err err = {""};
    kz__mem boot;
    kz_batch *b = NULL;
    if (!batch) return KZ_ERR_USAGE;
    *batch = NULL;
    kz_batch_options_init(&options);
    kz_status status = given ? kz__sized_take(&shape, given, &options, &err) : KZ_OK;
    if (!status && !model) status = kz__fail(&err, KZ_ERR_USAGE, "a batch needs a model");
    if (!status) {
        kz__mem_init_like(&boot, &model->mem);
        b = kz__calloc(&boot, 1, sizeof *b);
        if (!b) status = kz__fail_memory(&err);
    }
    if (b) {
        kz__mem_init_like(&b->mem, &model->mem);
        b->model = model;
        status = create(b, &options, &err);
    }
    if (status) {
        kz_batch_free(b);
        kz__err_copy(&err, error, capacity);
        return status;
    }
    *batch = b;
    return KZ_OK;
}

void kz_batch_free(kz_batch *batch) {
    if (!batch) return;
    kz__work_clear(&batch->work);
    kz__mem last;
    kz__mem_init_like(&last, &batch->mem);
    kz__free(&last, batch);
}

void kz_session_hold(kz_session *s, int held) {
    if (s) s->held = held != 0;
}

/* A cancelled session does nothing more; its next read tells it. */
static bool has_work(const kz_session *s) {
    bool makes = s->phase == KZ__PREFILL || s->phase == KZ__SPEAK;
    return makes && !s->held && !atomic_load(&s->cancel);
}

kz_status kz_batch_step(kz_batch *batch, size_t *advanced) {
    kz_session *those[KZ__SLOTS];
    size_t count = 0;
    size_t done = 0;
    if (advanced) *advanced = 0;
    if (!batch || !advanced) return KZ_ERR_USAGE;
    for (size_t i = 0; i < batch->count; i++) {
        if (has_work(batch->sessions[i])) those[count++] = batch->sessions[i];
    }
    if (count == 0) return KZ_DONE;
    double begun = kz__now_ms();
    bool guard = kz__mem_guard(&batch->mem, true);
    kz__fpenv saved = kz__fpenv_set();
    kz__generate_step(&batch->work, those, count);
    kz__fpenv_restore(saved);
    kz__mem_guard(&batch->mem, guard);
    double spent = (kz__now_ms() - begun) / (double)count;
    for (size_t i = 0; i < count; i++) {
        those[i]->busy += spent;
        done += those[i]->step != KZ_NEED_TEXT;
        kz__session_settle(those[i]);
    }
    *advanced = done;
    return done ? KZ_OK : KZ_DONE;
}
