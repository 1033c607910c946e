/* Binding of the codec encoder's weights. */
#include "model/codec_encoder.h"

#include <stdio.h>

#define FIRST "encoder.encoder.layers.0.conv"

typedef struct loader {
    kz__mem *mem;
    kz__weights *weights;
    kz__err *err;
    const kz__encoder_config *config;
} loader;

static kz_status load_conv(const loader *l, kz__conv *conv, size_t in, size_t out, size_t taps,
                           size_t stride, bool has_bias, const char *prefix) {
    kz__tensor weight = {0};
    kz__tensor bias = {0};
    const size_t shape[3] = {out, in, taps};
    kz_status status =
        kz__bind_source(l->weights, &weight, l->err, 3, shape, "%s.weight", prefix);
    if (!status && has_bias) {
        status = kz__bind(l->weights, &bias, l->err, 1, &out, "%s.bias", prefix);
    }
    if (status) return status;
    const kz__pack_place place = {l->mem, l->weights, prefix, NULL};
    return kz__conv_pack_strided(&place, conv, &weight, has_bias ? &bias : NULL, stride, l->err);
}

/* One channel: an output's inputs are `kernel` samples side by side, a plain matrix. */
static kz_status load_first(const loader *l, kz__codec_encoder *e) {
    static const char prefix[] = FIRST;
    const kz__encoder_config *c = l->config;
    kz__tensor weight = {0};
    kz__tensor bias = {0};
    const size_t shape[3] = {c->filters, 1, c->kernel};
    kz_status status =
        kz__bind_source(l->weights, &weight, l->err, 3, shape, "%s.weight", prefix);
    if (!status) status = kz__bind(l->weights, &bias, l->err, 1, shape, "%s.bias", prefix);
    if (status) return status;
    const kz__pack_place place = {l->mem, l->weights, prefix, NULL};
    kz__pack_source source = kz__pack_matrix(&weight, &bias);
    source.row_step = (ptrdiff_t)c->kernel;
    return kz__linear_pack(&place, &e->first, KZ__F32, c->kernel, 1, &source, 1, l->err);
}

/* Layers 1 + 3 i (residual unit) and 3 + 3 i (stride); those between are activations. */
static kz_status load_stage(const loader *l, kz__encoder_stage *stage, size_t index) {
    const kz__encoder_config *c = l->config;
    size_t width = c->filters << index;
    size_t inside = width / c->compress;
    char name[96];
    snprintf(name, sizeof name, "encoder.encoder.layers.%zu.block.1.conv", 3 * index + 1);
    kz_status status =
        load_conv(l, &stage->narrow, width, inside, c->unit_kernel, 1, true, name);
    if (status) return status;
    snprintf(name, sizeof name, "encoder.encoder.layers.%zu.block.3.conv", 3 * index + 1);
    status = load_conv(l, &stage->widen, inside, width, 1, 1, true, name);
    if (status) return status;
    snprintf(name, sizeof name, "encoder.encoder.layers.%zu.conv", 3 * index + 3);
    return load_conv(l, &stage->down, width, 2 * width, 2 * c->rates[index], c->rates[index], true,
                     name);
}

static kz_status load_convolutions(const loader *l, kz__codec_encoder *e) {
    const kz__encoder_config *c = l->config;
    size_t width = c->stack.width;
    char name[96];
    kz_status status = load_first(l, e);
    for (size_t i = 0; !status && i < c->rate_count; i++) {
        status = load_stage(l, &e->stages[i], i);
    }
    if (status) return status;
    snprintf(name, sizeof name, "encoder.encoder.layers.%zu.conv", 3 * c->rate_count + 2);
    status = load_conv(l, &e->last, c->filters << c->rate_count, width, c->last_kernel, 1, true,
                       name);
    if (status) return status;
    return load_conv(l, &e->downsample, width, width, 2 * KZ__ENCODER_HALVING,
                     KZ__ENCODER_HALVING, false, "encoder.downsample.conv");
}

/* The entries c = embed_sum / max(cluster_usage, 1e-5), for kz__free; NULL when out of memory. */
static float *divide(const loader *l, const kz__tensor *sum, const kz__tensor *usage) {
    size_t width = l->config->codebook_dim;
    float *entries = kz__calloc(l->mem, l->config->codebook_size * width, sizeof *entries);
    for (size_t i = 0; entries && i < l->config->codebook_size; i++) {
        float by = kz__tensor_at(usage, i);
        if (!(by > 1e-5f)) by = 1e-5f;
        for (size_t k = 0; k < width; k++) {
            entries[i * width + k] = kz__tensor_at(sum, i * width + k) / by;
        }
    }
    return entries;
}

/* The biases -|c|^2 / 2, of the entries as they stand in the panels. */
static kz_status add_halves(const loader *l, kz__linear *book) {
    const float *panel = book->w;
    book->bias = kz__calloc(l->mem, book->panels * 16, sizeof *book->bias);
    if (!book->bias) return kz__fail_memory(l->err);
    for (size_t p = 0; p < book->panels; p++) {
        double squares[16] = {0};
        for (size_t k = 0; k < book->in; k++, panel += 16) {
            for (size_t i = 0; i < 16; i++) squares[i] += (double)panel[i] * (double)panel[i];
        }
        for (size_t i = 0; i < 16; i++) book->bias[p * 16 + i] = (float)(squares[i] * -0.5);
    }
    return KZ_OK;
}

/* A packed file has the entries as panels and of what they come from the shapes, or, compact, what
 * they come from. */
static kz_status load_book(const loader *l, kz__linear *book, const char *prefix) {
    const kz__encoder_config *c = l->config;
    const size_t shape[2] = {c->codebook_size, c->codebook_dim};
    kz__tensor sum = {0};
    kz__tensor usage = {0};
    kz_status status =
        kz__bind_source(l->weights, &sum, l->err, 2, shape, "%s.embed_sum", prefix);
    if (!status) {
        status = kz__bind_source(l->weights, &usage, l->err, 1, shape, "%s.cluster_usage", prefix);
    }
    if (status) return status;
    float *entries = NULL;
    if (sum.data && usage.data) {
        entries = divide(l, &sum, &usage);
        if (!entries) return kz__fail_memory(l->err);
        sum.data = entries;
        sum.type = KZ__F32;
    } else {
        sum.data = NULL;
    }
    const kz__pack_place place = {l->mem, l->weights, prefix, NULL};
    kz__pack_source source = kz__pack_matrix(&sum, NULL);
    status = kz__linear_pack(&place, book, KZ__F32, shape[1], 1, &source, 1, l->err);
    kz__free(l->mem, entries);
    if (status) return status;
    if (book->w) return add_halves(l, book);
    kz__weights_packed_into(l->weights, usage.name); /* written: the panels are gone */
    return KZ_OK;
}

static kz_status load_quantizers(const loader *l, kz__codec_encoder *e) {
    static const char *const parts[2] = {
        "encoder.quantizer.semantic_residual_vector_quantizer",
        "encoder.quantizer.acoustic_residual_vector_quantizer",
    };
    const kz__encoder_config *c = l->config;
    const size_t shape[3] = {c->codebook_dim, c->stack.width, 1};
    char name[128];
    for (size_t i = 0; i < 2; i++) {
        kz__tensor weight = {0};
        snprintf(name, sizeof name, "%s.input_proj", parts[i]);
        kz_status status =
            kz__bind_source(l->weights, &weight, l->err, 3, shape, "%s.weight", name);
        if (status) return status;
        const kz__pack_place place = {l->mem, l->weights, name, NULL};
        kz__pack_source source = kz__pack_matrix(&weight, NULL);
        status = kz__linear_pack(&place, &e->project[i], KZ__F32, shape[1], 1, &source, 1, l->err);
        if (status) return status;
    }
    for (size_t q = 0; q < c->quantizers; q++) {
        bool semantic = q < c->semantic_quantizers;
        snprintf(name, sizeof name, "%s.layers.%zu.codebook", parts[semantic ? 0 : 1],
                 semantic ? q : q - c->semantic_quantizers);
        kz_status status = load_book(l, &e->books[q], name);
        if (status) return status;
    }
    return KZ_OK;
}

static kz_status load_all(const loader *l, kz__codec_encoder *e) {
    static const kz__layer_types types = {KZ__F32, KZ__F32, KZ__F32, KZ__F32};
    const kz__encoder_config *c = l->config;
    e->stages = kz__calloc(l->mem, c->rate_count, sizeof *e->stages);
    e->books = kz__calloc(l->mem, c->quantizers, sizeof *e->books);
    if (!e->stages || !e->books) return kz__fail_memory(l->err);
    kz_status status = load_convolutions(l, e);
    if (!status) {
        status = kz__bind_stack(l->mem, l->weights, &e->stack, &c->stack, &types,
                                "encoder.encoder_transformer.", l->err);
    }
    return status ? status : load_quantizers(l, e);
}

bool kz__codec_encoder_found(const kz__weights *weights) {
    return kz__weights_has(weights, FIRST ".weight");
}

kz_status kz__codec_encoder_load(kz__mem *mem, kz__weights *weights,
                                 const kz__encoder_config *config, kz__codec_encoder *encoder,
                                 kz__err *err) {
    memset(encoder, 0, sizeof *encoder);
    encoder->config = config;
    const loader l = {mem, weights, err, config};
    kz_status status = load_all(&l, encoder);
    if (status) kz__codec_encoder_clear(mem, encoder);
    return status;
}

void kz__codec_encoder_clear(kz__mem *mem, kz__codec_encoder *e) {
    if (!e->config) return;
    kz__linear_clear(mem, &e->first);
    for (size_t i = 0; e->stages && i < e->config->rate_count; i++) {
        kz__conv_clear(mem, &e->stages[i].narrow);
        kz__conv_clear(mem, &e->stages[i].widen);
        kz__conv_clear(mem, &e->stages[i].down);
    }
    kz__free(mem, e->stages);
    kz__conv_clear(mem, &e->last);
    kz__stack_clear(mem, &e->stack);
    kz__conv_clear(mem, &e->downsample);
    for (size_t i = 0; i < 2; i++) kz__linear_clear(mem, &e->project[i]);
    for (size_t q = 0; e->books && q < e->config->quantizers; q++) {
        kz__linear_clear(mem, &e->books[q]);
    }
    kz__free(mem, e->books);
    memset(e, 0, sizeof *e);
}

size_t kz__codec_encoder_macs(const kz__codec_encoder *e) {
    const kz__encoder_config *c = e->config;
    size_t rows = c->samples_per_frame; /* of the present rate */
    size_t macs = rows * c->filters * c->kernel;
    for (size_t i = 0; i < c->rate_count; i++) {
        const kz__encoder_stage *s = &e->stages[i];
        macs += rows * (kz__conv_macs(&s->narrow) + kz__conv_macs(&s->widen));
        rows /= c->rates[i];
        macs += rows * kz__conv_macs(&s->down);
    }
    macs += rows * (kz__conv_macs(&e->last) + kz__stack_macs(&e->stack));
    macs += kz__conv_macs(&e->downsample) + 2 * c->stack.width * c->codebook_dim;
    return macs + c->quantizers * c->codebook_size * c->codebook_dim;
}
