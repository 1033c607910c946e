/* Binding of the codec decoder's weights. */
#include "base/dmath.h"
#include "model/codec_decoder.h"

#include <stdio.h>

typedef struct loader {
    kz__mem *mem;
    kz__weights *weights;
    kz__err *err;
    const kz__codec_config *config;
    /* of the convolutions over many rows: the units' and the last; of other large products */
    kz__conv_how units, others;
} loader;

static kz_status load_snake(const loader *l, kz__snake *snake, size_t channels,
                            const char *prefix) {
    kz_status status = kz__bind_vector(l->mem, l->weights, &snake->a, channels, l->err, "%s.alpha",
                                       prefix);
    if (status) return status;
    status = kz__bind_vector(l->mem, l->weights, &snake->b, channels, l->err, "%s.beta", prefix);
    if (status) return status;
    for (size_t i = 0; i < channels; i++) {
        snake->a[i] = (float)kz__exp((double)snake->a[i]);
        snake->b[i] = 1.0f / ((float)kz__exp((double)snake->b[i]) + 1e-9f);
    }
    return KZ_OK;
}

/* Which packing a convolution takes: dilation for a plain one, stride for a transposed one. */
typedef enum conv_form { CONV, TRANSPOSED, DEPTHWISE } conv_form;

static kz__dtype type_of(kz__conv_how how) {
    return how == KZ__CONV_INT8 ? KZ__Q8 : KZ__F32;
}

static kz_status load_conv(const loader *l, kz__conv *conv, conv_form form, kz__conv_how how,
                           size_t in, size_t out, size_t taps, size_t step, const char *prefix) {
    kz__tensor weight = {0};
    kz__tensor bias = {0};
    size_t shape[3] = {out, in, taps};
    if (form == TRANSPOSED) {
        shape[0] = in;
        shape[1] = out;
    } else if (form == DEPTHWISE) {
        shape[1] = 1;
    }
    kz_status status =
        form == DEPTHWISE
            ? kz__bind(l->weights, &weight, l->err, 3, shape, "%s.weight", prefix)
            : kz__bind_source(l->weights, &weight, l->err, 3, shape, "%s.weight", prefix);
    if (!status) status = kz__bind(l->weights, &bias, l->err, 1, &out, "%s.bias", prefix);
    if (status) return status;
    const kz__pack_place place = {l->mem, l->weights, prefix, NULL};
    if (form == CONV) return kz__conv_pack(&place, conv, &weight, &bias, step, how, l->err);
    if (form == DEPTHWISE) return kz__conv_pack_depthwise(l->mem, conv, &weight, &bias, l->err);
    return kz__conv_pack_transposed(&place, conv, &weight, &bias, step, how, l->err);
}

static kz_status load_quantizers(const loader *l, kz__codec_decoder *d) {
    const kz__codec_config *c = l->config;
    size_t width = c->codebook_dim / 2;
    size_t project[3] = {c->codebook_dim, width, 1};
    d->sums = kz__calloc(l->mem, c->quantizers, sizeof *d->sums);
    d->usages = kz__calloc(l->mem, c->quantizers, sizeof *d->usages);
    if (!d->sums || !d->usages) return kz__fail_memory(l->err);
    for (size_t q = 0; q < c->quantizers; q++) {
        bool first = q < c->semantic_quantizers;
        const char *part = first ? "first" : "rest";
        size_t index = first ? q : q - c->semantic_quantizers;
        const char *name = "decoder.quantizer.rvq_%s.vq.layers.%zu._codebook.%s";
        kz_status status = kz__bind_rows(l->weights, &d->sums[q], l->err, c->codebook_size, width,
                                         name, part, index, "embedding_sum");
        if (!status) {
            status = kz__bind_vector(l->mem, l->weights, &d->usages[q], c->codebook_size, l->err,
                                     name, part, index, "cluster_usage");
        }
        if (status) return status;
    }
    kz__linear *projections[2] = {&d->project_first, &d->project_rest};
    for (size_t i = 0; i < 2; i++) {
        static const char *const names[2] = {"decoder.quantizer.rvq_first.output_proj",
                                             "decoder.quantizer.rvq_rest.output_proj"};
        kz__tensor weight = {0};
        kz_status status = kz__bind_source(l->weights, &weight, l->err, 3, project, "%s.weight",
                                           names[i]);
        if (status) return status;
        const kz__pack_place place = {l->mem, l->weights, names[i], NULL};
        kz__pack_source source = kz__pack_matrix(&weight, NULL);
        status = kz__linear_pack(&place, projections[i], KZ__F32, width, 1, &source, 1, l->err);
        if (status) return status;
    }
    return KZ_OK;
}

static kz_status load_transformer(const loader *l, kz__codec_decoder *d) {
    const kz__codec_config *c = l->config;
    kz_status status = load_conv(l, &d->pre_conv, CONV, KZ__CONV_DIRECT, c->codebook_dim,
                                 c->latent_dim, 3, 1, "decoder.pre_conv.conv");
    if (status) return status;
    status = kz__bind_linear(l->mem, l->weights, &d->stack_in, KZ__F32, c->stack.width,
                             c->latent_dim, true, l->err, "decoder.pre_transformer.input_proj");
    if (status) return status;
    status = kz__bind_linear(l->mem, l->weights, &d->stack_out, KZ__F32, c->latent_dim,
                             c->stack.width, true, l->err, "decoder.pre_transformer.output_proj");
    if (status) return status;
    kz__dtype type = type_of(l->others);
    const kz__layer_types types = {type, type, type, type};
    return kz__bind_stack(l->mem, l->weights, &d->stack, &c->stack, &types,
                          "decoder.pre_transformer.", l->err);
}

static kz_status load_convnext(const loader *l, kz__convnext *stage, size_t index) {
    size_t width = l->config->latent_dim;
    size_t ratio = l->config->upsampling_ratios[index];
    kz__dtype type = type_of(l->others);
    char name[96];
    snprintf(name, sizeof name, "decoder.upsample.%zu.0.conv", index);
    kz_status status = load_conv(l, &stage->up, TRANSPOSED, KZ__CONV_DIRECT, width, width, ratio,
                                 ratio, name);
    if (status) return status;
    snprintf(name, sizeof name, "decoder.upsample.%zu.1.dwconv.conv", index);
    status = load_conv(l, &stage->depthwise, DEPTHWISE, KZ__CONV_DIRECT, width, width, 7, 1,
                       name);
    if (status) return status;
    snprintf(name, sizeof name, "decoder.upsample.%zu.1", index);
    status = kz__bind_vector(l->mem, l->weights, &stage->norm_w, width, l->err, "%s.norm.weight",
                             name);
    if (!status) {
        status = kz__bind_vector(l->mem, l->weights, &stage->norm_b, width, l->err, "%s.norm.bias",
                                 name);
    }
    if (!status) {
        status = kz__bind_vector(l->mem, l->weights, &stage->gamma, width, l->err, "%s.gamma",
                                 name);
    }
    if (!status) {
        status = kz__bind_linear(l->mem, l->weights, &stage->expand, type, 4 * width, width, true,
                                 l->err, "%s.pwconv1", name);
    }
    if (!status) {
        status = kz__bind_linear(l->mem, l->weights, &stage->contract, type, width, 4 * width,
                                 true, l->err, "%s.pwconv2", name);
    }
    return status;
}

static kz_status load_block(const loader *l, kz__decoder_block *block, size_t index) {
    static const size_t dilations[KZ__UNITS] = {1, 3, 9};
    size_t in = l->config->decoder_dim >> index;
    size_t out = in / 2;
    size_t rate = l->config->upsample_rates[index];
    char name[96];
    snprintf(name, sizeof name, "decoder.decoder.%zu.block.0", index + 1);
    kz_status status = load_snake(l, &block->snake, in, name);
    if (status) return status;
    snprintf(name, sizeof name, "decoder.decoder.%zu.block.1.conv", index + 1);
    status = load_conv(l, &block->up, TRANSPOSED, l->others, in, out, 2 * rate, rate, name);
    for (size_t u = 0; !status && u < KZ__UNITS; u++) {
        size_t part = u + 2;
        snprintf(name, sizeof name, "decoder.decoder.%zu.block.%zu.act1", index + 1, part);
        status = load_snake(l, &block->units[u].snake1, out, name);
        if (status) break;
        snprintf(name, sizeof name, "decoder.decoder.%zu.block.%zu.act2", index + 1, part);
        status = load_snake(l, &block->units[u].snake2, out, name);
        if (status) break;
        snprintf(name, sizeof name, "decoder.decoder.%zu.block.%zu.conv1.conv", index + 1, part);
        status = load_conv(l, &block->units[u].conv1, CONV, l->units, out, out, 7, dilations[u],
                           name);
        if (status) break;
        snprintf(name, sizeof name, "decoder.decoder.%zu.block.%zu.conv2.conv", index + 1, part);
        status = load_conv(l, &block->units[u].conv2, CONV, l->others, out, out, 1, 1, name);
    }
    return status;
}

static kz_status load_all(const loader *l, kz__codec_decoder *d) {
    const kz__codec_config *c = l->config;
    d->upsample = kz__calloc(l->mem, c->upsampling_ratio_count, sizeof *d->upsample);
    d->blocks = kz__calloc(l->mem, c->upsample_rate_count, sizeof *d->blocks);
    if (!d->upsample || !d->blocks) return kz__fail_memory(l->err);
    kz_status status = load_quantizers(l, d);
    if (!status) status = load_transformer(l, d);
    for (size_t i = 0; !status && i < c->upsampling_ratio_count; i++) {
        status = load_convnext(l, &d->upsample[i], i);
    }
    if (!status) {
        status = load_conv(l, &d->first, CONV, l->others, c->latent_dim, c->decoder_dim, 7, 1,
                           "decoder.decoder.0.conv");
    }
    for (size_t i = 0; !status && i < c->upsample_rate_count; i++) {
        status = load_block(l, &d->blocks[i], i);
    }
    if (status) return status;
    size_t blocks = c->upsample_rate_count;
    size_t channels = c->decoder_dim >> blocks;
    char name[96];
    snprintf(name, sizeof name, "decoder.decoder.%zu", blocks + 1);
    status = load_snake(l, &d->last_snake, channels, name);
    if (status) return status;
    snprintf(name, sizeof name, "decoder.decoder.%zu.conv", blocks + 2);
    return load_conv(l, &d->last, CONV, l->units, channels, 1, 7, 1, name);
}

kz_status kz__codec_decoder_load(kz__mem *mem, kz__weights *weights,
                                 const kz__codec_config *config, kz_decoder arithmetic,
                                 kz__codec_decoder *decoder, kz__err *err) {
    memset(decoder, 0, sizeof *decoder);
    decoder->config = config;
    decoder->arithmetic =
        arithmetic == KZ_DECODER_DEFAULT ? KZ_DECODER_WINOGRAD : arithmetic;
    bool direct = decoder->arithmetic == KZ_DECODER_DIRECT;
    bool int8 = decoder->arithmetic == KZ_DECODER_INT8;
    loader l = {mem, weights, err, config, direct ? KZ__CONV_DIRECT : KZ__CONV_WINOGRAD,
                int8 ? KZ__CONV_INT8 : KZ__CONV_DIRECT};
    kz_status status = load_all(&l, decoder);
    if (status) kz__codec_decoder_clear(mem, decoder);
    return status;
}

static void clear_snake(kz__mem *mem, kz__snake *snake) {
    kz__free(mem, snake->a);
    kz__free(mem, snake->b);
}

static void clear_convnext(kz__mem *mem, kz__convnext *stage) {
    kz__conv_clear(mem, &stage->up);
    kz__conv_clear(mem, &stage->depthwise);
    kz__free(mem, stage->norm_w);
    kz__free(mem, stage->norm_b);
    kz__free(mem, stage->gamma);
    kz__linear_clear(mem, &stage->expand);
    kz__linear_clear(mem, &stage->contract);
}

static void clear_block(kz__mem *mem, kz__decoder_block *block) {
    clear_snake(mem, &block->snake);
    kz__conv_clear(mem, &block->up);
    for (size_t u = 0; u < KZ__UNITS; u++) {
        clear_snake(mem, &block->units[u].snake1);
        clear_snake(mem, &block->units[u].snake2);
        kz__conv_clear(mem, &block->units[u].conv1);
        kz__conv_clear(mem, &block->units[u].conv2);
    }
}

void kz__codec_decoder_clear(kz__mem *mem, kz__codec_decoder *d) {
    const kz__codec_config *c = d->config;
    if (!c) return;
    kz__free(mem, d->sums);
    for (size_t q = 0; d->usages && q < c->quantizers; q++) kz__free(mem, d->usages[q]);
    kz__free(mem, d->usages);
    kz__linear_clear(mem, &d->project_first);
    kz__linear_clear(mem, &d->project_rest);
    kz__conv_clear(mem, &d->pre_conv);
    kz__linear_clear(mem, &d->stack_in);
    kz__linear_clear(mem, &d->stack_out);
    kz__stack_clear(mem, &d->stack);
    for (size_t i = 0; d->upsample && i < c->upsampling_ratio_count; i++) {
        clear_convnext(mem, &d->upsample[i]);
    }
    for (size_t i = 0; d->blocks && i < c->upsample_rate_count; i++) {
        clear_block(mem, &d->blocks[i]);
    }
    kz__free(mem, d->upsample);
    kz__free(mem, d->blocks);
    kz__conv_clear(mem, &d->first);
    clear_snake(mem, &d->last_snake);
    kz__conv_clear(mem, &d->last);
    memset(d, 0, sizeof *d);
}

size_t kz__codec_decoder_macs(const kz__codec_decoder *d) {
    const kz__codec_config *c = d->config;
    size_t macs = c->codebook_dim * c->codebook_dim + kz__conv_macs(&d->pre_conv) +
                  2 * c->latent_dim * c->stack.width + kz__stack_macs(&d->stack);
    size_t rows = 1; /* of the present rate, per frame */
    for (size_t i = 0; i < c->upsampling_ratio_count; i++) {
        const kz__convnext *s = &d->upsample[i];
        macs += rows * kz__conv_macs(&s->up);
        rows *= c->upsampling_ratios[i];
        macs += rows * (kz__conv_macs(&s->depthwise) + 8 * c->latent_dim * c->latent_dim);
    }
    macs += rows * kz__conv_macs(&d->first);
    for (size_t i = 0; i < c->upsample_rate_count; i++) {
        const kz__decoder_block *b = &d->blocks[i];
        macs += rows * kz__conv_macs(&b->up);
        rows *= c->upsample_rates[i];
        for (size_t u = 0; u < KZ__UNITS; u++) {
            macs += rows *
                    (kz__conv_macs(&b->units[u].conv1) + kz__conv_macs(&b->units[u].conv2));
        }
    }
    return macs + rows * kz__conv_macs(&d->last);
}
