/* Keys and values of a stack of layers, in pages that are allocated as positions come (full
 * attention) or used round and round (a window).
 *
 * A page holds, for each layer and key-value head, the keys as panels of 16 positions with head_dim
 * inside and the values as panels of 16 channels with positions inside: both are packed matrices
 * for the panel product (kernels.h), so attention needs no kernel of its own.
 */
#ifndef KZ_NN_KVCACHE_H
#define KZ_NN_KVCACHE_H

#include "base/mem.h"

typedef struct kz__kvcache {
    kz__mem *mem;
    size_t layers, kv_heads, head_dim;
    size_t page_positions; /* multiple of 16 */
    size_t window;         /* 0: pages are never used again */
    size_t length;         /* positions stored */
    size_t page_count, page_capacity;
    float **pages;
} kz__kvcache;

/* window 0: grows up to `positions`. Else: up to rows_at_once rows are stored before they are
 * attended. */
kz_status kz__kvcache_init(kz__kvcache *cache, kz__mem *mem, size_t layers, size_t kv_heads,
                           size_t head_dim, size_t window, size_t positions, size_t rows_at_once,
                           size_t page_positions, kz__err *err);
void kz__kvcache_clear(kz__kvcache *cache);

/* Makes room for rows more positions, also while the allocation guard is on. Pages stay for the
 * next utterance. */
kz_status kz__kvcache_reserve(kz__kvcache *cache, size_t rows, kz__err *err);
void kz__kvcache_reset(kz__kvcache *cache);

/* Bytes of one page. */
size_t kz__kvcache_page_bytes(const kz__kvcache *cache);

/* Keys of a head: panels [page_positions / 16][head_dim][16]. */
float *kz__kvcache_keys(const kz__kvcache *cache, size_t layer, size_t head, size_t position);
/* Values of a head: panels [pad16(head_dim) / 16][page_positions][16]. */
float *kz__kvcache_values(const kz__kvcache *cache, size_t layer, size_t head, size_t position);

/* Stores key and value ([head_dim] each) of one head at a position that was reserved. */
void kz__kvcache_store(kz__kvcache *cache, size_t layer, size_t head, size_t position,
                       const float *key, const float *value);
/* Reads them back. */
void kz__kvcache_load(const kz__kvcache *cache, size_t layer, size_t head, size_t position,
                      float *key, float *value);

/* Floats of a position: keys and values of all layers and heads. */
size_t kz__kvcache_floats(const kz__kvcache *cache);
/* Copies positions first..first+count-1 out: [layers][kv_heads][count][key, value]. */
void kz__kvcache_save(const kz__kvcache *cache, size_t first, size_t count, float *to);
/* Makes these the last positions of the cache, from a copy of `saved` (>= count) positions; what
 * stands in front of them (first > 0) is out of the window. The cache is empty where there is no
 * room. */
kz_status kz__kvcache_restore(kz__kvcache *cache, size_t first, size_t count, const float *from,
                              size_t saved, kz__err *err);

#endif
