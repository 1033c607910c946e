/* A recording's speaker vector: the checks around the speaker encoder's run, and its threads. */
#ifndef KZ_ENGINE_SPEAKER_H
#define KZ_ENGINE_SPEAKER_H

#include "engine/model.h"

/* The vector of mono samples at `rate` Hz, model->config.speaker_encoder.dim values. Its bits are
 * the same for any threads (1 to KZ__THREADS_MAX), level of kernels, processor and weight format.
 * KZ_ERR_MODEL where the model has no speaker encoder, KZ_ERR_INPUT where the recording cannot be
 * taken. tap may be NULL. */
kz_status kz__speaker_vector(const kz_model *model, const float *samples, size_t count, size_t rate,
                             int threads, kz__speaker_tap *tap, void *user, float *vector,
                             kz__err *err);

#endif
