/* Causal convolutions over channels-last rows, each with its left context as state.
 *
 * A state is a buffer of `history` rows followed by room for new rows: whoever produces the input
 * writes it there, the convolution reads both without copying, then the last rows become the
 * history. Initial history is zero, which equals the zero padding of the whole sequence.
 *
 *     conv:        y[t] = b + sum_k W[k] x[t - (K-1-k) * dilation]
 *     strided:     y[t] = b + sum_k W[k] x[s t - (K-s) + k]
 *     transposed:  y[s t + r] = b + W[r + s]' x[t-1] + W[r]' x[t]   (kernel 2s; kernel s: only the
 *     last term)
 *     depthwise:   the same as conv, a channel at a time
 * Source: Qwen3TTSTokenizerV2CausalConvNet, CausalTransConvNet of the official package, and
 * MimiConv1d of the library below it.
 */
#ifndef KZ_NN_CONV1D_H
#define KZ_NN_CONV1D_H

#include "nn/linear.h"

/* How a plain convolution is computed. Each has bits of its own. */
typedef enum kz__conv_how {
    KZ__CONV_DIRECT,
    KZ__CONV_WINOGRAD, /* where there are 7 taps (winograd.h), else direct */
    KZ__CONV_INT8      /* weights and rows in 8 bits (KZ__Q8); dilation 1 */
} kz__conv_how;

typedef struct kz__conv {
    kz__conv_how how;
    kz__linear linear;     /* not for depthwise */
    float *depthwise;      /* [taps][pad16(channels)] */
    float *depthwise_bias; /* [pad16(channels)] */
    size_t in, out;        /* channels */
    size_t taps, dilation;
    size_t stride;         /* outputs per input row: 1, or s of a transposed convolution */
    size_t hop;            /* input rows per output: 1, or s of a strided convolution */
} kz__conv;

/* weight [out, in, taps]; its data are not looked at where the place has the panels */
kz_status kz__conv_pack(const kz__pack_place *place, kz__conv *conv, const kz__tensor *weight,
                        const kz__tensor *bias, size_t dilation, kz__conv_how how, kz__err *err);
/* weight [in, out, kernel], kernel = stride or 2 * stride */
kz_status kz__conv_pack_transposed(const kz__pack_place *place, kz__conv *conv,
                                   const kz__tensor *weight, const kz__tensor *bias,
                                   size_t stride, kz__conv_how how, kz__err *err);
/* weight [out, in, taps], taps >= stride; bias may be NULL */
kz_status kz__conv_pack_strided(const kz__pack_place *place, kz__conv *conv,
                                const kz__tensor *weight, const kz__tensor *bias, size_t stride,
                                kz__err *err);
/* weight [channels, 1, taps] */
kz_status kz__conv_pack_depthwise(kz__mem *mem, kz__conv *conv, const kz__tensor *weight,
                                  const kz__tensor *bias, kz__err *err);
void kz__conv_clear(kz__mem *mem, kz__conv *conv);
/* Multiply-adds per input row (per output of a strided one), as the sum is written, however it is
 * computed. */
size_t kz__conv_macs(const kz__conv *conv);

typedef struct kz__conv_state {
    const kz__conv *conv;
    size_t ld;       /* floats per input row */
    size_t history;  /* rows of left context */
    size_t max_rows; /* new rows at once */
    size_t frame_rows; /* of a frame; a call takes whole frames */
    float *rows;     /* [history + max_rows][ld] */
} kz__conv_state;

kz_status kz__conv_state_init(kz__conv_state *state, kz__mem *mem, const kz__conv *conv,
                              size_t frame_rows, size_t max_frames, kz__err *err);
void kz__conv_state_clear(kz__conv_state *state, kz__mem *mem);
void kz__conv_state_reset(kz__conv_state *state);
/* The left context as a copy of so many floats, and back. */
size_t kz__conv_state_floats(const kz__conv_state *state);
void kz__conv_state_save(const kz__conv_state *state, float *to);
void kz__conv_state_restore(kz__conv_state *state, const float *from);

/* Input rows at the end that decide the last `rows` outputs to the bit, and the context behind
 * them. */
size_t kz__conv_reach(const kz__conv_state *state, size_t rows);

/* Where the next input rows go, [max_rows][ld]. */
float *kz__conv_input(const kz__conv_state *state);

/* Convolves `rows` new input rows to y: [rows][ldy], for a strided one [rows / stride][ldy] (whole
 * strides), for a transposed one [rows * stride][pad16(out)] and ldy unused. Then moves the context
 * on. */
void kz__conv_run(const kz__run *run, kz__conv_state *state, float *y, size_t ldy, size_t rows,
                  const kz__after *after);

#endif
