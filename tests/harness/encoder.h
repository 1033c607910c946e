/* The codec encoder of a tiny checkpoint, ready to run, and clips from a formula. */
#ifndef KZT_ENCODER_H
#define KZT_ENCODER_H

#include "engine/model.h"

typedef struct kzt_encoder {
    kz__mem mem;
    kz_model *model; /* NULL: only the encoder was made */
    kz__codec_encoder encoder;
    kz__encoder_state *state;
    kz__kernels kernels;
    kz__pool *pool;
    kz__run run;
} kzt_encoder;

/* level: of the kernels. Fails the running test where it cannot be. */
void kzt_encoder_open(kzt_encoder *e, const char *checkpoint, int threads, kz__level level);
void kzt_encoder_close(kzt_encoder *e); /* and nothing is left */

/* Samples by the formula of clip() in scripts/reference/make_encoder.py; to be freed. */
float *kzt_clip(size_t samples, uint64_t seed);
/* Codes of a clip, pushed `chunk` samples at a time (0: all at once), to be freed; *frames of
 * them. */
int32_t *kzt_encode(kzt_encoder *e, const float *samples, size_t count, size_t chunk,
                    size_t *frames);

#endif
