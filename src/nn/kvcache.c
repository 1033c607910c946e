/* Pages of keys and values. */
#include "nn/kvcache.h"

#include <string.h>

static size_t padded(size_t n) {
    return (n + 15) / 16 * 16;
}

static size_t head_floats(const kz__kvcache *c) {
    return c->page_positions * (c->head_dim + padded(c->head_dim));
}

size_t kz__kvcache_page_bytes(const kz__kvcache *c) {
    return c->layers * c->kv_heads * head_floats(c) * sizeof(float);
}

kz_status kz__kvcache_init(kz__kvcache *c, kz__mem *mem, size_t layers, size_t kv_heads,
                           size_t head_dim, size_t window, size_t positions, size_t rows_at_once,
                           size_t page_positions, kz__err *err) {
    memset(c, 0, sizeof *c);
    c->mem = mem;
    c->layers = layers;
    c->kv_heads = kv_heads;
    c->head_dim = head_dim;
    c->window = window;
    c->page_positions = page_positions;
    size_t span = window ? window + rows_at_once + page_positions : positions;
    c->page_capacity = (span + page_positions - 1) / page_positions;
    c->pages = kz__calloc(mem, c->page_capacity, sizeof *c->pages);
    return c->pages ? KZ_OK : kz__fail_memory(err);
}

void kz__kvcache_clear(kz__kvcache *c) {
    if (!c->mem) return;
    for (size_t i = 0; i < c->page_count; i++) kz__free(c->mem, c->pages[i]);
    kz__free(c->mem, c->pages);
    memset(c, 0, sizeof *c);
}

void kz__kvcache_reset(kz__kvcache *c) {
    c->length = 0;
}

kz_status kz__kvcache_reserve(kz__kvcache *c, size_t rows, kz__err *err) {
    size_t wanted = (c->length + rows + c->page_positions - 1) / c->page_positions;
    if (c->window && wanted > c->page_capacity) wanted = c->page_capacity;
    if (wanted > c->page_capacity) {
        return kz__fail(err, KZ_ERR_INPUT, "%zu positions are needed, the model has %zu",
                        c->length + rows, c->page_capacity * c->page_positions);
    }
    bool guard = kz__mem_guard(c->mem, false); /* this is what may grow with an utterance */
    float *page = NULL;
    while (c->page_count < wanted) {
        /* zeros: positions of a panel that are not there yet must be finite */
        page = kz__calloc(c->mem, 1, kz__kvcache_page_bytes(c));
        if (!page) break;
        c->pages[c->page_count++] = page;
    }
    kz__mem_guard(c->mem, guard);
    return c->page_count < wanted ? kz__fail_memory(err) : KZ_OK;
}

static float *head_at(const kz__kvcache *c, size_t layer, size_t head, size_t position) {
    size_t page = position / c->page_positions % c->page_capacity;
    return c->pages[page] + (layer * c->kv_heads + head) * head_floats(c);
}

float *kz__kvcache_keys(const kz__kvcache *c, size_t layer, size_t head, size_t position) {
    return head_at(c, layer, head, position);
}

float *kz__kvcache_values(const kz__kvcache *c, size_t layer, size_t head, size_t position) {
    return head_at(c, layer, head, position) + c->page_positions * c->head_dim;
}

void kz__kvcache_store(kz__kvcache *c, size_t layer, size_t head, size_t position,
                       const float *key, const float *value) {
    size_t slot = position % c->page_positions;
    float *keys = kz__kvcache_keys(c, layer, head, position) + slot / 16 * c->head_dim * 16;
    float *values = kz__kvcache_values(c, layer, head, position);
    for (size_t d = 0; d < c->head_dim; d++) keys[d * 16 + slot % 16] = key[d];
    for (size_t d = 0; d < c->head_dim; d += 16) {
        size_t count = c->head_dim - d < 16 ? c->head_dim - d : 16;
        memcpy(values + (d * c->page_positions + slot * 16), value + d, count * sizeof *values);
    }
}

void kz__kvcache_load(const kz__kvcache *c, size_t layer, size_t head, size_t position, float *key,
                      float *value) {
    size_t slot = position % c->page_positions;
    const float *keys = kz__kvcache_keys(c, layer, head, position) + slot / 16 * c->head_dim * 16;
    const float *values = kz__kvcache_values(c, layer, head, position);
    for (size_t d = 0; d < c->head_dim; d++) {
        key[d] = keys[d * 16 + slot % 16];
        value[d] = values[(d / 16 * c->page_positions + slot) * 16 + d % 16];
    }
}

size_t kz__kvcache_floats(const kz__kvcache *c) {
    return c->layers * c->kv_heads * 2 * c->head_dim;
}

void kz__kvcache_save(const kz__kvcache *c, size_t first, size_t count, float *to) {
    for (size_t l = 0; l < c->layers; l++) {
        for (size_t h = 0; h < c->kv_heads; h++) {
            for (size_t i = 0; i < count; i++, to += 2 * c->head_dim) {
                kz__kvcache_load(c, l, h, first + i, to, to + c->head_dim);
            }
        }
    }
}

kz_status kz__kvcache_restore(kz__kvcache *c, size_t first, size_t count, const float *from,
                              size_t saved, kz__err *err) {
    kz__kvcache_reset(c);
    kz_status status = kz__kvcache_reserve(c, first + count, err);
    if (status) return status;
    for (size_t l = 0; l < c->layers; l++) {
        for (size_t h = 0; h < c->kv_heads; h++) {
            const float *at = from + (l * c->kv_heads + h) * saved * 2 * c->head_dim;
            for (size_t i = 0; i < count; i++, at += 2 * c->head_dim) {
                kz__kvcache_store(c, l, h, first + i, at, at + c->head_dim);
            }
        }
    }
    c->length = first + count;
    return KZ_OK;
}
