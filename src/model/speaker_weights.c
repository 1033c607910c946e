/* Binding of the speaker encoder's weights. */
#include "model/speaker_encoder.h"

#include <stdio.h>

#define PREFIX "speaker_encoder."

typedef struct loader {
    kz__mem *mem;
    kz__weights *weights;
    const kz__speaker_encoder_config *config;
    kz__err *err;
} loader;

/* weight [out, in, taps] and bias [out] of PREFIX + name. */
static kz_status bind(const loader *l, kz__tensor *weight, kz__tensor *bias, size_t out, size_t in,
                      size_t taps, const char *name) {
    size_t shape[3] = {out, in, taps};
    kz_status status =
        kz__bind_source(l->weights, weight, l->err, 3, shape, PREFIX "%s.weight", name);
    if (status) return status;
    return kz__bind(l->weights, bias, l->err, 1, &out, PREFIX "%s.bias", name);
}

static kz_status load(const loader *l, kz__linear *linear, size_t out, size_t in, size_t taps,
                      const char *name) {
    char full[96];
    kz__tensor weight = {0};
    kz__tensor bias = {0};
    kz_status status = bind(l, &weight, &bias, out, in, taps, name);
    if (status) return status;
    snprintf(full, sizeof full, PREFIX "%s", name);
    const kz__pack_place place = {l->mem, l->weights, full, NULL};
    kz__pack_source source = kz__pack_matrix(&weight, &bias);
    source.row_step = (ptrdiff_t)(in * taps);
    source.in_step = (ptrdiff_t)taps;
    source.tap_step = 1;
    return kz__linear_pack(&place, linear, KZ__OTHER, in, taps, &source, 1, l->err);
}

static kz_status load_block(const loader *l, kz__speaker_block *block, size_t index) {
    const kz__speaker_encoder_config *c = l->config;
    size_t width = c->channels[index];
    size_t part = width / c->scale;
    char name[64];
    block->parts = kz__calloc(l->mem, c->scale - 1, sizeof *block->parts);
    if (!block->parts) return kz__fail_memory(l->err);
    snprintf(name, sizeof name, "blocks.%zu.tdnn1.conv", index);
    kz_status status = load(l, &block->in, width, width, 1, name);
    for (size_t i = 0; i + 1 < c->scale && !status; i++) {
        snprintf(name, sizeof name, "blocks.%zu.res2net_block.blocks.%zu.conv", index, i);
        block->parts[i].dilation = c->dilations[index];
        status = load(l, &block->parts[i].linear, part, part, c->taps[index], name);
    }
    if (status) return status;
    snprintf(name, sizeof name, "blocks.%zu.tdnn2.conv", index);
    status = load(l, &block->out, width, width, 1, name);
    if (status) return status;
    snprintf(name, sizeof name, "blocks.%zu.se_block.conv1", index);
    status = load(l, &block->squeeze, c->squeeze, width, 1, name);
    if (status) return status;
    snprintf(name, sizeof name, "blocks.%zu.se_block.conv2", index);
    return load(l, &block->excite, width, c->squeeze, 1, name);
}

/* U apart: the first third of its columns meets each frame, the rest what all frames share. */
static kz_status load_attention(const loader *l, kz__speaker_encoder *e) {
    const kz__speaker_encoder_config *c = l->config;
    size_t width = c->channels[c->layers - 1];
    kz__tensor weight = {0};
    kz__tensor bias = {0};
    kz_status status = bind(l, &weight, &bias, c->attention, 3 * width, 1, "asp.tdnn.conv");
    if (status) return status;
    kz__pack_place place = {l->mem, l->weights, PREFIX "asp.tdnn.conv.rows", NULL};
    kz__pack_source source = kz__pack_matrix(&weight, NULL);
    status = kz__linear_pack(&place, &e->attend_rows, KZ__OTHER, width, 1, &source, 1, l->err);
    if (status) return status;
    place.name = PREFIX "asp.tdnn.conv.statistics";
    source.bias = &bias;
    source.base = (ptrdiff_t)width;
    status = kz__linear_pack(&place, &e->attend_statistics, KZ__OTHER, 2 * width, 1, &source, 1,
                             l->err);
    return status ? status : load(l, &e->attend_out, width, c->attention, 1, "asp.conv");
}

static kz_status load_all(const loader *l, kz__speaker_encoder *e) {
    const kz__speaker_encoder_config *c = l->config;
    const kz__mel_config mel = {.rate = c->sample_rate, .fft = 1024, .window = 1024, .hop = 256,
                                .pad = 384, .bands = c->mel_dim, .low = 0, .high = 12000};
    size_t end = c->layers - 1;
    e->blocks = kz__calloc(l->mem, end - 1, sizeof *e->blocks);
    if (!e->blocks) return kz__fail_memory(l->err);
    kz_status status = kz__mel_init(&e->mel, l->mem, &mel, l->err);
    if (status) return status;
    e->first.dilation = c->dilations[0];
    e->aggregate.dilation = c->dilations[end];
    status = load(l, &e->first.linear, c->channels[0], c->mel_dim, c->taps[0], "blocks.0.conv");
    for (size_t i = 1; i < end && !status; i++) status = load_block(l, &e->blocks[i - 1], i);
    if (!status) {
        status = load(l, &e->aggregate.linear, c->channels[end], c->channels[end], c->taps[end],
                      "mfa.conv");
    }
    if (!status) status = load_attention(l, e);
    return status ? status : load(l, &e->last, c->dim, 2 * c->channels[end], 1, "fc");
}

bool kz__speaker_encoder_found(const kz__weights *weights) {
    return kz__weights_has(weights, PREFIX "fc.weight");
}

kz_status kz__speaker_encoder_load(kz__mem *mem, kz__weights *weights,
                                   const kz__speaker_encoder_config *config,
                                   kz__speaker_encoder *encoder, kz__err *err) {
    memset(encoder, 0, sizeof *encoder);
    encoder->config = config;
    const loader l = {mem, weights, config, err};
    kz_status status = load_all(&l, encoder);
    if (status) kz__speaker_encoder_clear(mem, encoder);
    return status;
}

static void clear_block(kz__mem *mem, kz__speaker_block *block, size_t parts) {
    kz__linear_clear(mem, &block->in);
    for (size_t i = 0; block->parts && i < parts; i++) {
        kz__linear_clear(mem, &block->parts[i].linear);
    }
    kz__free(mem, block->parts);
    kz__linear_clear(mem, &block->out);
    kz__linear_clear(mem, &block->squeeze);
    kz__linear_clear(mem, &block->excite);
}

void kz__speaker_encoder_clear(kz__mem *mem, kz__speaker_encoder *e) {
    const kz__speaker_encoder_config *c = e->config;
    if (!c) return;
    kz__mel_clear(&e->mel, mem);
    kz__linear_clear(mem, &e->first.linear);
    for (size_t i = 0; e->blocks && i + 2 < c->layers; i++) {
        clear_block(mem, &e->blocks[i], c->scale - 1);
    }
    kz__free(mem, e->blocks);
    kz__linear_clear(mem, &e->aggregate.linear);
    kz__linear_clear(mem, &e->attend_rows);
    kz__linear_clear(mem, &e->attend_statistics);
    kz__linear_clear(mem, &e->attend_out);
    kz__linear_clear(mem, &e->last);
    memset(e, 0, sizeof *e);
}

static size_t macs_of(const kz__linear *linear, size_t out) {
    return linear->in * linear->taps * out;
}

size_t kz__speaker_encoder_macs(const kz__speaker_encoder *e) {
    const kz__speaker_encoder_config *c = e->config;
    size_t width = c->channels[0];
    size_t end = c->layers - 1;
    size_t macs = macs_of(&e->first.linear, width);
    for (size_t i = 0; i + 1 < end; i++) {
        const kz__speaker_block *b = &e->blocks[i];
        macs += macs_of(&b->in, width) + macs_of(&b->out, width);
        for (size_t j = 0; j + 1 < c->scale; j++) {
            macs += macs_of(&b->parts[j].linear, width / c->scale);
        }
    }
    return macs + macs_of(&e->aggregate.linear, c->channels[end]) +
           macs_of(&e->attend_rows, c->attention) + macs_of(&e->attend_out, c->channels[end]);
}
