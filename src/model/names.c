/* Binding of tensors by name. */
#include "model/names.h"

#include <stdarg.h>
#include <stdio.h>

#define NAME_BYTES 160

kz_status kz__bind(kz__weights *weights, kz__tensor *tensor, kz__err *err, int rank,
                   const size_t *shape, const char *format, ...) {
    char name[NAME_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    return kz__weights_need(weights, name, rank, shape, tensor, err);
}

kz_status kz__bind_rows(kz__weights *weights, kz__rows *rows, kz__err *err, size_t count,
                        size_t width, const char *format, ...) {
    char name[NAME_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    return kz__weights_rows(weights, name, count, width, rows, err);
}

kz_status kz__bind_source(kz__weights *weights, kz__tensor *tensor, kz__err *err, int rank,
                          const size_t *shape, const char *format, ...) {
    char name[NAME_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    return kz__weights_source(weights, name, rank, shape, tensor, err);
}

kz_status kz__bind_vector(kz__mem *mem, kz__weights *weights, float **vector, size_t n,
                          kz__err *err, const char *format, ...) {
    char name[NAME_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    kz__tensor tensor = {0};
    kz_status status = kz__weights_need(weights, name, 1, &n, &tensor, err);
    if (status) return status;
    *vector = kz__vector_load(mem, &tensor);
    return *vector ? KZ_OK : kz__fail_memory(err);
}

kz_status kz__bind_linear(kz__mem *mem, kz__weights *weights, kz__linear *linear, kz__dtype type,
                          size_t out, size_t in, bool has_bias, kz__err *err, const char *format,
                          ...) {
    char prefix[NAME_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(prefix, sizeof prefix, format, args);
    va_end(args);
    kz__tensor weight = {0};
    kz__tensor bias = {0};
    size_t shape[2] = {out, in};
    kz_status status = kz__bind_source(weights, &weight, err, 2, shape, "%s.weight", prefix);
    if (!status && has_bias) status = kz__bind(weights, &bias, err, 1, &out, "%s.bias", prefix);
    if (status) return status;
    const kz__pack_place place = {mem, weights, prefix, NULL};
    kz__pack_source source = kz__pack_matrix(&weight, has_bias ? &bias : NULL);
    return kz__linear_pack(&place, linear, type, in, 1, &source, 1, err);
}

typedef struct layer_job {
    kz__mem *mem;
    kz__weights *weights;
    const kz__stack_config *config;
    const kz__layer_types *types;
    kz__store *store;
    kz__err *err;
    char prefix[NAME_BYTES];
} layer_job;

static kz_status bind_matrix(const layer_job *job, kz__tensor *tensor, size_t out, size_t in,
                             const char *part) {
    size_t shape[2] = {out, in};
    return kz__bind_source(job->weights, tensor, job->err, 2, shape, "%s%s.weight", job->prefix,
                           part);
}

/* Panels of a layer's matrix, or of several as one: part is its name. */
static kz_status pack(const layer_job *job, kz__linear *linear, kz__dtype type, size_t in,
                      const kz__pack_source *sources, size_t count, const char *part) {
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "%s%s", job->prefix, part);
    const kz__pack_place place = {job->mem, job->weights, name, job->store};
    return kz__linear_pack(&place, linear, type, in, 1, sources, count, job->err);
}

/* A matrix that is packed alone. */
static kz_status bind_alone(const layer_job *job, kz__linear *linear, kz__dtype type, size_t out,
                            size_t in, const char *part) {
    kz__tensor weight = {0};
    kz_status status = bind_matrix(job, &weight, out, in, part);
    if (status) return status;
    kz__pack_source source = kz__pack_matrix(&weight, NULL);
    return pack(job, linear, type, in, &source, 1, part);
}

static kz_status bind_attention(const layer_job *job, kz__layer *layer) {
    const kz__stack_config *c = job->config;
    size_t q = c->heads * c->head_dim;
    size_t kv = c->kv_heads * c->head_dim;
    kz__tensor parts[3];
    kz_status status = bind_matrix(job, &parts[0], q, c->width, "self_attn.q_proj");
    if (!status) status = bind_matrix(job, &parts[1], kv, c->width, "self_attn.k_proj");
    if (!status) status = bind_matrix(job, &parts[2], kv, c->width, "self_attn.v_proj");
    if (status) return status;
    kz__pack_source sources[3];
    size_t panel = 0;
    for (size_t i = 0; i < 3; i++) {
        sources[i] = kz__pack_matrix(&parts[i], NULL);
        sources[i].first_panel = panel;
        panel += kz__pad16(parts[i].shape[0]) / 16;
    }
    status = pack(job, &layer->qkv, job->types->qkv, c->width, sources, 3, "self_attn.qkv_proj");
    if (status) return status;
    return bind_alone(job, &layer->o, job->types->o, c->width, q, "self_attn.o_proj");
}

static kz_status bind_plain_mlp(const layer_job *job, kz__layer *layer) {
    const kz__stack_config *c = job->config;
    kz_status status = bind_alone(job, &layer->gate_up, job->types->gate_up, c->intermediate,
                                  c->width, "mlp.fc1");
    if (status) return status;
    return bind_alone(job, &layer->down, job->types->down, c->width, c->intermediate, "mlp.fc2");
}

static kz_status bind_mlp(const layer_job *job, kz__layer *layer) {
    const kz__stack_config *c = job->config;
    kz__tensor parts[2];
    kz_status status = bind_matrix(job, &parts[0], c->intermediate, c->width, "mlp.gate_proj");
    if (!status) status = bind_matrix(job, &parts[1], c->intermediate, c->width, "mlp.up_proj");
    if (status) return status;
    kz__pack_source sources[2];
    for (size_t i = 0; i < 2; i++) {
        sources[i] = kz__pack_matrix(&parts[i], NULL);
        sources[i].first_panel = i;
        sources[i].panel_step = 2;
    }
    status = pack(job, &layer->gate_up, job->types->gate_up, c->width, sources, 2,
                  "mlp.gate_up_proj");
    if (status) return status;
    return bind_alone(job, &layer->down, job->types->down, c->width, c->intermediate,
                      "mlp.down_proj");
}

static kz_status bind_layer(const layer_job *job, kz__layer *layer) {
    const kz__stack_config *c = job->config;
    struct {
        float **vector;
        size_t n;
        const char *part;
        bool wanted;
    } vectors[] = {
        {&layer->norm1, c->width, "input_layernorm.weight", true},
        {&layer->norm2, c->width, "post_attention_layernorm.weight", true},
        {&layer->shift1, c->width, "input_layernorm.bias", c->plain},
        {&layer->shift2, c->width, "post_attention_layernorm.bias", c->plain},
        {&layer->q_norm, c->head_dim, "self_attn.q_norm.weight", c->qk_norm},
        {&layer->k_norm, c->head_dim, "self_attn.k_norm.weight", c->qk_norm},
        {&layer->scale1, c->width, "self_attn_layer_scale.scale", c->layer_scale},
        {&layer->scale2, c->width, "mlp_layer_scale.scale", c->layer_scale},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        if (!vectors[i].wanted) continue;
        kz_status status = kz__bind_vector(job->mem, job->weights, vectors[i].vector, vectors[i].n,
                                           job->err, "%s%s", job->prefix, vectors[i].part);
        if (status) return status;
    }
    kz_status status = bind_attention(job, layer);
    if (status) return status;
    return c->plain ? bind_plain_mlp(job, layer) : bind_mlp(job, layer);
}

/* The block for the quantised matrices of all layers that are made and kept. */
static kz_status make_store(kz__mem *mem, kz__stack *stack, const kz__stack_config *c,
                            const kz__layer_types *types, kz__store *store, kz__err *err) {
    size_t q = c->heads * c->head_dim;
    size_t kv = c->kv_heads * c->head_dim;
    size_t layer = kz__linear_space(types->qkv, q, c->width) +
                   2 * kz__linear_space(types->qkv, kv, c->width) +
                   kz__linear_space(types->o, c->width, q) +
                   2 * kz__linear_space(types->gate_up, c->intermediate, c->width) +
                   kz__linear_space(types->down, c->width, c->intermediate);
    if (!kz__mul(layer, c->layers, &store->left)) return kz__fail_memory(err);
    if (!store->left) return KZ_OK;
    stack->panels = kz__alloc(mem, store->left);
    store->next = stack->panels;
    return stack->panels ? KZ_OK : kz__fail_memory(err);
}

kz_status kz__bind_stack(kz__mem *mem, kz__weights *weights, kz__stack *stack,
                         const kz__stack_config *config, const kz__layer_types *types,
                         const char *prefix, kz__err *err) {
    kz__stack_shape *s = &stack->shape;
    s->width = config->width;
    s->intermediate = config->intermediate;
    s->layers = config->layers;
    s->heads = config->heads;
    s->kv_heads = config->kv_heads;
    s->head_dim = config->head_dim;
    s->eps = config->norm_eps;
    s->rope_theta = config->rope_theta;
    s->window = config->window;
    s->plain = config->plain;
    stack->layers = kz__calloc(mem, config->layers, sizeof *stack->layers);
    if (!stack->layers) return kz__fail_memory(err);
    kz__store store = {0};
    bool kept = !kz__weights_are_packed(weights) && !kz__weights_are_written(weights);
    kz_status made = kept ? make_store(mem, stack, config, types, &store, err) : KZ_OK;
    if (made) return made;
    layer_job job = {mem, weights, config, types, &store, err, ""};
    for (size_t l = 0; l < config->layers; l++) {
        snprintf(job.prefix, sizeof job.prefix, "%slayers.%zu.", prefix, l);
        kz_status status = bind_layer(&job, &stack->layers[l]);
        if (status) return status;
    }
    kz_status status = KZ_OK;
    if (!config->plain) {
        status = kz__bind_vector(mem, weights, &stack->norm, config->width, err, "%snorm.weight",
                                 prefix);
    }
    return status ? status : kz__stack_prepare(mem, stack, err);
}

size_t kz__stack_bytes(const kz__stack *stack) {
    size_t bytes = 0;
    for (size_t l = 0; l < stack->shape.layers; l++) {
        const kz__layer *layer = &stack->layers[l];
        bytes += kz__linear_bytes(&layer->qkv) + kz__linear_bytes(&layer->o) +
                 kz__linear_bytes(&layer->gate_up) + kz__linear_bytes(&layer->down);
    }
    return bytes;
}

size_t kz__stack_scratch(const kz__stack *stack) {
    size_t width = 0;
    for (size_t l = 0; l < stack->shape.layers; l++) {
        const kz__layer *layer = &stack->layers[l];
        const kz__linear *linears[] = {&layer->qkv, &layer->o, &layer->gate_up, &layer->down};
        for (size_t i = 0; i < sizeof linears / sizeof linears[0]; i++) {
            size_t needed = kz__linear_scratch(linears[i]);
            if (needed > width) width = needed;
        }
    }
    return width;
}

size_t kz__stack_macs(const kz__stack *stack) {
    const kz__stack_shape *s = &stack->shape;
    size_t attention = s->head_dim * (2 * s->heads + 2 * s->kv_heads);
    return s->layers * s->width * (attention + (s->plain ? 2 : 3) * s->intermediate);
}
