/* The codec encoder of a tiny checkpoint, ready to run. */
#ifndef KZT_ENCODER_H
#define KZT_ENCODER_H

#include "engine/model.h"
#include "harness/clip.h"

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

/* Codes of a clip, pushed `chunk` samples at a time (0: all at once), to be freed; *frames of
 * them. */
int32_t *kzt_encode(kzt_encoder *e, const float *samples, size_t count, size_t chunk,
                    size_t *frames);

#endif
