/* The codec decoder: frames of 16 codes to sound, streaming exactly. Any split of the frames into
 * calls gives the samples of one call over all; state is bounded (attention window, convolution
 * contexts).
 *
 *     z = P_first E_0[c0] + P_rest (E_1[c1] + ... + E_15[c15])
 *     pre_conv (K=3) -> transformer with layer scale and a window -> two times (transposed conv,
 *     ConvNeXt)
 *     -> conv K=7 -> blocks (SnakeBeta, transposed conv, three residual units with dilation 1, 3,
 *     9)
 *     -> SnakeBeta -> conv K=7 to one channel -> clamp to [-1, 1]
 * Source: Qwen3TTSTokenizerV2Decoder.
 */
#ifndef KZ_MODEL_CODEC_DECODER_H
#define KZ_MODEL_CODEC_DECODER_H

#include "model/names.h"
#include "nn/conv1d.h"

#define KZ__UNITS 3 /* residual units of a block */

typedef struct kz__snake {
    float *a, *b; /* exp(alpha), 1 / (exp(beta) + 1e-9), padded */
} kz__snake;

typedef struct kz__convnext {
    kz__conv up, depthwise;
    float *norm_w, *norm_b, *gamma;
    kz__linear expand, contract;
} kz__convnext;

typedef struct kz__decoder_block {
    kz__snake snake;
    kz__conv up;
    struct {
        kz__snake snake1, snake2;
        kz__conv conv1, conv2;
    } units[KZ__UNITS];
} kz__decoder_block;

typedef struct kz__codec_decoder {
    const kz__codec_config *config;
    kz_decoder arithmetic; /* not the default's name */
    kz__rows *sums;            /* [quantizers] codebooks before they are divided */
    float **usages;            /* ... by these: [quantizers][codebook_size] */
    kz__linear project_first, project_rest;
    kz__conv pre_conv;
    kz__linear stack_in, stack_out;
    kz__stack stack;
    kz__convnext *upsample;    /* [upsampling_ratio_count] */
    kz__conv first;
    kz__decoder_block *blocks; /* [upsample_rate_count] */
    kz__snake last_snake;
    kz__conv last;
} kz__codec_decoder;

kz_status kz__codec_decoder_load(kz__mem *mem, kz__weights *weights,
                                 const kz__codec_config *config, kz_decoder arithmetic,
                                 kz__codec_decoder *decoder, kz__err *err);
void kz__codec_decoder_clear(kz__mem *mem, kz__codec_decoder *decoder);
/* Multiply-adds per frame, attention left out. */
size_t kz__codec_decoder_macs(const kz__codec_decoder *decoder);

/* Stage outputs for comparison: rows [rows][ld], `width` values each, of `frames` frames from the
 * call's frame `first` on. */
typedef void kz__decoder_tap(void *user, const char *stage, const float *x, size_t ld, size_t rows,
                             size_t width, size_t first, size_t frames);

/* Frames that a state can take in one call. */
#define KZ__DECODER_FRAMES 8

typedef struct kz__codec_state kz__codec_state;

kz_status kz__codec_state_create(kz__mem *mem, const kz__codec_decoder *decoder, int threads,
                                 kz__codec_state **state, kz__err *err);
void kz__codec_state_free(kz__codec_state *state);
void kz__codec_state_reset(kz__codec_state *state);
/* What the state is behind its first frames, a function of their codes alone, as a copy of so many
 * floats, and back. A restore that has no memory leaves a state to be reset. */
size_t kz__codec_state_floats(const kz__codec_state *state, size_t frames);
void kz__codec_state_save(const kz__codec_state *state, float *to);
kz_status kz__codec_state_restore(kz__codec_state *state, size_t frames, const float *from,
                                  kz__err *err);
void kz__codec_state_set_tap(kz__codec_state *state, kz__decoder_tap *tap, void *user);

/* Decodes frames (1..KZ__DECODER_FRAMES) of codes [frames][quantizers], values inside the
 * codebooks, to samples [frames * samples_per_frame]. KZ_ERR_FAILED names the stage whose result is
 * not finite. */
kz_status kz__codec_decode(const kz__run *run, kz__codec_state *state, const int32_t *codes,
                           size_t frames, float *samples, kz__err *err);

/* Takes frames without making their sound, in a small part of the time. Sound counts again when
 * kz__codec_reach frames behind them were decoded, and then it is the same to the bit. */
kz_status kz__codec_skip(const kz__run *run, kz__codec_state *state, const int32_t *codes,
                         size_t frames, kz__err *err);
/* How far back the convolutions look, in frames. */
size_t kz__codec_reach(const kz__codec_state *state);

#endif
