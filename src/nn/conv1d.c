/* Packing of convolution weights as panel products, and their streaming state. */
#include "nn/conv1d.h"

#include "nn/winograd.h"

static kz__dtype type_of(kz__conv_how how) {
    return how == KZ__CONV_INT8 ? KZ__Q8 : KZ__F32;
}

static void shape_plain(kz__conv *conv, const kz__tensor *weight) {
    memset(conv, 0, sizeof *conv);
    conv->out = weight->shape[0];
    conv->in = weight->shape[1];
    conv->taps = weight->shape[2];
    conv->dilation = 1;
    conv->stride = 1;
    conv->hop = 1;
}

/* Taps from the oldest, channels inside. */
static kz_status pack_plain(const kz__pack_place *place, kz__conv *conv, const kz__tensor *weight,
                            const kz__tensor *bias, kz__dtype type, kz__err *err) {
    kz__pack_source source = {0};
    source.weight = weight;
    source.bias = bias;
    source.rows = conv->out;
    source.row_step = (ptrdiff_t)(conv->in * conv->taps);
    source.in_step = (ptrdiff_t)conv->taps;
    source.tap_step = 1;
    source.panel_step = 1;
    return kz__linear_pack(place, &conv->linear, type, conv->in, conv->taps, &source, 1, err);
}

kz_status kz__conv_pack(const kz__pack_place *place, kz__conv *conv, const kz__tensor *weight,
                        const kz__tensor *bias, size_t dilation, kz__conv_how how, kz__err *err) {
    shape_plain(conv, weight);
    conv->dilation = dilation;
    if (how == KZ__CONV_WINOGRAD && conv->taps == KZ__WINOGRAD_TAPS) {
        conv->how = KZ__CONV_WINOGRAD;
        return kz__winograd_pack(place, &conv->linear, weight, bias, err);
    }
    return pack_plain(place, conv, weight, bias, type_of(how), err);
}

kz_status kz__conv_pack_strided(const kz__pack_place *place, kz__conv *conv,
                                const kz__tensor *weight, const kz__tensor *bias, size_t stride,
                                kz__err *err) {
    shape_plain(conv, weight);
    conv->hop = stride;
    return pack_plain(place, conv, weight, bias, KZ__F32, err);
}

kz_status kz__conv_pack_transposed(const kz__pack_place *place, kz__conv *conv,
                                   const kz__tensor *weight, const kz__tensor *bias,
                                   size_t stride, kz__conv_how how, kz__err *err) {
    memset(conv, 0, sizeof *conv);
    conv->in = weight->shape[0];
    conv->out = weight->shape[1];
    conv->taps = weight->shape[2] / stride;
    conv->dilation = 1;
    conv->stride = stride;
    conv->hop = 1;
    size_t panels = kz__pad16(conv->out) / 16;
    kz__pack_source *sources = kz__calloc(place->mem, stride, sizeof *sources);
    if (!sources) return kz__fail_memory(err);
    for (size_t r = 0; r < stride; r++) {
        kz__pack_source *source = &sources[r];
        source->weight = weight;
        source->bias = bias;
        source->rows = conv->out;
        /* the oldest tap is the last of the kernel */
        source->base = (ptrdiff_t)(r + stride * (conv->taps - 1));
        source->tap_step = -(ptrdiff_t)stride;
        source->row_step = (ptrdiff_t)weight->shape[2];
        source->in_step = (ptrdiff_t)(conv->out * weight->shape[2]);
        source->first_panel = r * panels;
        source->panel_step = 1;
    }
    kz_status status = kz__linear_pack(place, &conv->linear, type_of(how), conv->in, conv->taps,
                                       sources, stride, err);
    kz__free(place->mem, sources);
    return status;
}

kz_status kz__conv_pack_depthwise(kz__mem *mem, kz__conv *conv, const kz__tensor *weight,
                                  const kz__tensor *bias, kz__err *err) {
    memset(conv, 0, sizeof *conv);
    conv->in = conv->out = weight->shape[0];
    conv->taps = weight->shape[2];
    conv->dilation = 1;
    conv->stride = 1;
    conv->hop = 1;
    size_t padded = kz__pad16(conv->in);
    conv->depthwise = kz__calloc(mem, conv->taps * padded, sizeof(float));
    conv->depthwise_bias = kz__vector_load(mem, bias);
    if (!conv->depthwise || !conv->depthwise_bias) {
        kz__conv_clear(mem, conv);
        return kz__fail_memory(err);
    }
    for (size_t t = 0; t < conv->taps; t++) {
        for (size_t c = 0; c < conv->in; c++) {
            conv->depthwise[t * padded + c] = kz__tensor_at(weight, c * conv->taps + t);
        }
    }
    return KZ_OK;
}

void kz__conv_clear(kz__mem *mem, kz__conv *conv) {
    kz__linear_clear(mem, &conv->linear);
    kz__free(mem, conv->depthwise);
    kz__free(mem, conv->depthwise_bias);
    memset(conv, 0, sizeof *conv);
}

size_t kz__conv_macs(const kz__conv *conv) {
    size_t in = conv->depthwise ? 1 : conv->in;
    return in * conv->out * conv->taps * conv->stride;
}

kz_status kz__conv_state_init(kz__conv_state *state, kz__mem *mem, const kz__conv *conv,
                              size_t frame_rows, size_t max_frames, kz__err *err) {
    memset(state, 0, sizeof *state);
    state->conv = conv;
    state->ld = kz__pad16(conv->in);
    state->history = (conv->taps - 1) * conv->dilation - (conv->hop - 1);
    state->frame_rows = frame_rows;
    state->max_rows = frame_rows * max_frames;
    state->rows = kz__calloc(mem, (state->history + state->max_rows) * state->ld, sizeof(float));
    return state->rows ? KZ_OK : kz__fail_memory(err);
}

void kz__conv_state_clear(kz__conv_state *state, kz__mem *mem) {
    kz__free(mem, state->rows);
    memset(state, 0, sizeof *state);
}

void kz__conv_state_reset(kz__conv_state *state) {
    memset(state->rows, 0, kz__conv_state_floats(state) * sizeof(float));
}

size_t kz__conv_state_floats(const kz__conv_state *state) {
    return state->history * state->ld;
}

void kz__conv_state_save(const kz__conv_state *state, float *to) {
    memcpy(to, state->rows, kz__conv_state_floats(state) * sizeof *to);
}

void kz__conv_state_restore(kz__conv_state *state, const float *from) {
    memcpy(state->rows, from, kz__conv_state_floats(state) * sizeof *from);
}

size_t kz__conv_reach(const kz__conv_state *state, size_t rows) {
    const kz__conv *conv = state->conv;
    size_t tile = conv->how == KZ__CONV_WINOGRAD ? (KZ__WINOGRAD_OUTS - 1) * conv->dilation : 0;
    return (rows + conv->stride - 1) / conv->stride * conv->hop + state->history + tile;
}

float *kz__conv_input(const kz__conv_state *state) {
    return state->rows + state->history * state->ld;
}

typedef struct depthwise_job {
    const kz__run *run;
    const kz__conv_state *state;
    float *y;
    size_t ldy;
} depthwise_job;

static void depthwise_rows(void *arg, size_t begin, size_t end, int thread) {
    const depthwise_job *job = arg;
    const kz__conv *conv = job->state->conv;
    (void)thread;
    job->run->kernels->depthwise(job->y + begin * job->ldy, job->ldy,
                                 job->state->rows + begin * job->state->ld, job->state->ld,
                                 conv->depthwise, conv->depthwise_bias, end - begin,
                                 job->state->ld, conv->taps);
}

void kz__conv_run(const kz__run *run, kz__conv_state *state, float *y, size_t ldy, size_t rows,
                  const kz__after *after) {
    const kz__conv *conv = state->conv;
    if (conv->depthwise) {
        depthwise_job job = {run, state, y, ldy};
        kz__pool_for(run->pool, rows, 8, depthwise_rows, &job);
    } else if (conv->how == KZ__CONV_WINOGRAD) {
        kz__winograd_run(run, state, y, ldy, rows, after);
    } else {
        if (conv->stride > 1) ldy = conv->stride * kz__pad16(conv->out);
        kz__linear_run(run, &conv->linear, state->rows, conv->hop * state->ld,
                       conv->dilation * state->ld, y, ldy, rows / conv->hop, after);
    }
    memmove(state->rows, state->rows + rows * state->ld,
            state->history * state->ld * sizeof(float));
}
