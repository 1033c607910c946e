/* A recording's codes: the checks around the codec encoder's run, its weights and threads. */
#ifndef KZ_ENGINE_ENCODE_H
#define KZ_ENGINE_ENCODE_H

#include "engine/model.h"

/* A recording on its way to codes; the encoder is loaded, nothing is computed yet. */
typedef struct kz__encoding {
    const kz_model *model;
    kz__mem mem;
    kz__codec_encoder encoder;
    const float *samples;
    size_t count;
    size_t silence; /* samples behind them */
    size_t frames;  /* that come of it */
} kz__encoding;

/* The recording's rate, and that there is anything in it. */
kz_status kz__recording_check(const kz_model *model, size_t count, int sample_rate, kz__err *err);

/* KZ_ERR_MODEL where the model has no codec encoder, KZ_ERR_INPUT where the recording cannot be
 * taken; kz__encoding_end all the same. samples must outlive the encoding. */
kz_status kz__encoding_begin(kz__encoding *encoding, const kz_model *model, const float *samples,
                             size_t count, size_t silence, kz__err *err);
/* codes: [encoding->frames][quantizers]. watch may be NULL. */
kz_status kz__encoding_run(kz__encoding *encoding, int threads, kz__encoder_watch *watch,
                           void *user, int32_t *codes, kz__err *err);
void kz__encoding_end(kz__encoding *encoding);

#endif
