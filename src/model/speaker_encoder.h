/* The speaker encoder of Base models: a clip's samples to the vector that is its speaker's row of
 * the prompt. The whole clip at once; C channels, T frames, d of dilation.
 *
 *     mel (audio/mel.h) -> x = relu(conv 0)
 *     block i: a = relu(W1 x); its channels in `scale` parts: o_0 = a_0, o_1 = relu(conv a_1),
 *              o_j = relu(conv(a_j + o_(j-1))); b = relu(W2 [o]);
 *              x = b * sigmoid(V2 relu(V1 mean_t(b))) + x
 *     h = relu(conv [outputs of all blocks])
 *     s = W tanh(relu(U [h; mean_t(h); deviation_t(h)])), A = softmax of s over time, per channel
 *     vector = F [sum_t A h; sqrt(sum_t A (h - sum_t A h)^2)] + bias
 * Convolutions keep the length: what they see before the start and past the end is mirrored.
 * Source: Qwen3TTSSpeakerEncoder, an ECAPA-TDNN (arXiv 2005.07143).
 */
#ifndef KZ_MODEL_SPEAKER_ENCODER_H
#define KZ_MODEL_SPEAKER_ENCODER_H

#include "audio/mel.h"
#include "model/names.h"

/* A convolution that keeps the length. */
typedef struct kz__same_conv {
    kz__linear linear;
    size_t dilation;
} kz__same_conv;

typedef struct kz__speaker_block {
    kz__linear in, out;    /* tdnn1, tdnn2 */
    kz__same_conv *parts;  /* [scale - 1] */
    kz__linear squeeze, excite;
} kz__speaker_block;

typedef struct kz__speaker_encoder {
    const kz__speaker_encoder_config *config;
    kz__mel mel;
    kz__same_conv first;
    kz__speaker_block *blocks; /* [layers - 2] */
    kz__same_conv aggregate;
    /* U's columns for h, and those for the statistics, which are the same in every frame */
    kz__linear attend_rows, attend_statistics;
    kz__linear attend_out; /* W */
    kz__linear last;       /* F */
} kz__speaker_encoder;

/* True where the weights hold one. */
bool kz__speaker_encoder_found(const kz__weights *weights);
/* Matrices stay as stored. On failure the encoder is cleared. */
kz_status kz__speaker_encoder_load(kz__mem *mem, kz__weights *weights,
                                   const kz__speaker_encoder_config *config,
                                   kz__speaker_encoder *encoder, kz__err *err);
void kz__speaker_encoder_clear(kz__mem *mem, kz__speaker_encoder *encoder);

/* Samples of the shortest clip. */
size_t kz__speaker_encoder_least(const kz__speaker_encoder *encoder);
/* Multiply-adds per frame of the mel spectrogram, as they are done. */
size_t kz__speaker_encoder_macs(const kz__speaker_encoder *encoder);

/* Stage outputs: rows [rows][ld], `width` values each. 0: go on, else the run ends with
 * KZ_ERR_CANCELLED. */
typedef int kz__speaker_tap(void *user, const char *stage, const float *x, size_t ld, size_t rows,
                            size_t width);
/* Stages of a run. */
size_t kz__speaker_encoder_stages(const kz__speaker_encoder *encoder);

/* vector [config->dim]. tap may be NULL; the work's memory (some 14 KB a frame of the spectrogram
 * in the published models) comes from mem. KZ_ERR_INPUT where the clip is too short or a sample is
 * not finite, KZ_ERR_FAILED names the stage whose result is not. */
kz_status kz__speaker_encoder_run(const kz__run *run, kz__mem *mem,
                                  const kz__speaker_encoder *encoder, const float *samples,
                                  size_t count, kz__speaker_tap *tap, void *user, float *vector,
                                  kz__err *err);

#endif
