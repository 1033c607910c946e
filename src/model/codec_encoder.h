/* The codec encoder: sound to frames of 16 codes, for cloning a voice. Samples may be pushed in
 * pieces of any size: the codes, and every value on the way, are those of one piece. All of it is
 * causal, so a frame is there with its last sample; the last frame may be a part of one.
 *
 *     conv K=7 from one channel
 *     -> stages, each: x + conv1(ELU(conv K=3(ELU(x)))), half as wide inside; ELU; conv of stride
 *        r, K=2r
 *     -> ELU -> conv K=3 -> transformer (25 Hz, LayerNorm, GELU, layer scale)
 *     -> conv K=4 of stride 2 (12.5 Hz): e
 *     code 0: the entry of the semantic codebook that is nearest to P_semantic e
 *     r = P_acoustic e; code g = 1..15: the entry of codebook g that is nearest to r, which is then
 *     taken off r
 * Each convolution of stride s and K taps has K - s rows of zero before the clip and is filled up
 * with zeros to whole strides behind it, at its own input; the last one repeats the first and the
 * last row instead.
 *
 * State is bounded (left contexts, a frame of samples, a batch of frames) but for the keys and
 * values of the transformer, which looks back to the clip's begin: 2 * layers * heads * head_dim
 * floats a position, 0.8 MB a second in the published models. Work a second grows with them.
 *
 * Source: MimiEncoder, MimiTransformerModel, MimiSplitResidualVectorQuantizer of transformers, as
 * the official package calls them.
 */
#ifndef KZ_MODEL_CODEC_ENCODER_H
#define KZ_MODEL_CODEC_ENCODER_H

#include "model/names.h"
#include "nn/conv1d.h"

typedef struct kz__encoder_stage {
    kz__conv narrow, widen; /* of the residual unit */
    kz__conv down;
} kz__encoder_stage;

typedef struct kz__codec_encoder {
    const kz__encoder_config *config;
    kz__linear first;          /* a row is `kernel` samples, one sample behind the row before */
    kz__encoder_stage *stages; /* [rate_count] */
    kz__conv last;
    kz__stack stack;
    kz__conv downsample;
    kz__linear project[2]; /* semantic, acoustic */
    kz__linear *books;     /* [quantizers]: a row is an entry c, its bias -|c|^2 / 2 */
} kz__codec_encoder;

/* True where the weights hold one. */
bool kz__codec_encoder_found(const kz__weights *weights);
/* Binds the encoder's part of the speech tokenizer's weights, of its codebooks only those that are
 * used. config must outlive the encoder; weights need not, but a packed file that they come from
 * must. */
kz_status kz__codec_encoder_load(kz__mem *mem, kz__weights *weights,
                                 const kz__encoder_config *config, kz__codec_encoder *encoder,
                                 kz__err *err);
void kz__codec_encoder_clear(kz__mem *mem, kz__codec_encoder *encoder);
/* Multiply-adds per frame, attention left out. */
size_t kz__codec_encoder_macs(const kz__codec_encoder *encoder);

/* Frames that so many samples give: the last one may be begun only. */
size_t kz__codec_encoder_frames(const kz__encoder_config *config, size_t samples);
/* KZ_ERR_INPUT for no samples, and for more than the transformer has positions for. */
kz_status kz__codec_encoder_check(const kz__encoder_config *config, size_t samples,
                                  kz__err *err);

/* Stage outputs for comparison, as they are made: rows [rows][ld], `width` values each. */
typedef void kz__encoder_tap(void *user, const char *stage, const float *x, size_t ld, size_t rows,
                             size_t width);

/* Frames that go through the large weights together. */
#define KZ__ENCODER_FRAMES 16

typedef struct kz__encoder_state kz__encoder_state;

/* State of one clip; the encoder must outlive it. threads: of the pool that it will run with. */
kz_status kz__encoder_state_create(kz__mem *mem, const kz__codec_encoder *encoder, int threads,
                                   kz__encoder_state **state, kz__err *err);
void kz__encoder_state_free(kz__encoder_state *state);
/* Ready for another clip; also after a failed call, before which nothing else may be done. */
void kz__encoder_state_reset(kz__encoder_state *state);
void kz__encoder_state_set_tap(kz__encoder_state *state, kz__encoder_tap *tap, void *user);

/* Takes mono samples at the codec's rate (any number) and gives the frames that are complete with
 * them: *frames rows of codes [quantizers], at most kz__codec_encoder_frames(count). KZ_ERR_INPUT
 * where a sample is not finite or the clip becomes too long; KZ_ERR_FAILED names the stage whose
 * result is not finite. */
kz_status kz__codec_encoder_push(const kz__run *run, kz__encoder_state *state,
                                 const float *samples, size_t count, int32_t *codes,
                                 size_t *frames, kz__err *err);
/* The end of the clip: the frame that was begun, if any (*frames 0 or 1). KZ_ERR_INPUT where there
 * were no samples at all. */
kz_status kz__codec_encoder_finish(const kz__run *run, kz__encoder_state *state, int32_t *codes,
                                   size_t *frames, kz__err *err);

/* How a whole clip is followed: told after each batch of frames. 0: go on, else
 * KZ_ERR_CANCELLED. */
typedef int kz__encoder_watch(void *user, size_t frames, size_t of);

/* A whole clip with so many samples of silence behind it: codes [kz__codec_encoder_frames(count +
 * silence)][quantizers]. watch may be NULL. */
kz_status kz__codec_encode(const kz__run *run, kz__encoder_state *state, const float *samples,
                           size_t count, size_t silence, kz__encoder_watch *watch, void *user,
                           int32_t *codes, kz__err *err);

#endif
