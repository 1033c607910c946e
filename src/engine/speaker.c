/* The speaker vector of a recording: an account of memory and a pool of its own for the call. */
#include "engine/speaker.h"

#include "base/fpenv.h"

static kz_status check(const kz_model *m, size_t rate, kz__err *err) {
    if (!m->has_speaker_encoder) {
        return kz__fail(err, KZ_ERR_MODEL,
                        m->has_talker && m->config.kind == KZ_KIND_BASE
                            ? "the model's files have no speaker encoder, which a recording needs"
                            : "only Base models take a voice from a recording");
    }
    size_t wanted = m->config.speaker_encoder.sample_rate;
    if (rate == wanted) return KZ_OK;
    return kz__fail(err, KZ_ERR_INPUT,
                    "the recording has %zu samples a second, the model takes %zu", rate, wanted);
}

kz_status kz__speaker_vector(const kz_model *m, const float *samples, size_t count, size_t rate,
                             int threads, kz__speaker_tap *tap, void *user, float *vector,
                             kz__err *err) {
    kz__mem mem;
    kz__run run = {&m->kernels, NULL, NULL};
    kz_status status = check(m, rate, err);
    if (status) return status;
    kz__mem_init_like(&mem, &m->mem);
    status = kz__pool_create(&mem, threads, &run.pool, err);
    if (status) return status;
    kz__fpenv saved = kz__fpenv_set();
    status = kz__speaker_encoder_run(&run, &mem, &m->speaker_encoder, samples, count, tap, user,
                                     vector, err);
    kz__fpenv_restore(saved);
    kz__pool_destroy(run.pool);
    return status;
}
