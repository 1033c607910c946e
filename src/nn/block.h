/* The transformer layer that talker, code predictor and both sides of the codec share, and a stack
 * of them.
 *
 *     x = rms_norm(h);  q, k, v = Wqkv x;  q, k = rms_norm per head (optional);  q, k = rope(q, k)
 *     h = h + s_attn * Wo attention(q, k, v)
 *     h = h + s_mlp * Wdown(silu(Wgate y) * (Wup y)),  y = rms_norm(h)
 *
 * A plain stack has layer_norm with bias in place of rms_norm, and Wdown gelu(Wup y).
 *
 * Source: Qwen3TTSTalkerDecoderLayer, Qwen3TTSTalkerCodePredictor and the codec's decoder
 * transformer of the official package; MimiTransformerLayer is the plain one. One row or many
 * rows, with or without history: one code path.
 */
#ifndef KZ_NN_BLOCK_H
#define KZ_NN_BLOCK_H

#include "nn/kvcache.h"
#include "nn/linear.h"

/* The shape of a stack (config.h has the same facts; nn does not know models). */
typedef struct kz__stack_shape {
    size_t width, intermediate, layers, heads, kv_heads, head_dim;
    float eps;
    double rope_theta;
    size_t window; /* keys a query sees, itself included; 0: all */
    bool plain;    /* layer_norm and an MLP without gate */
} kz__stack_shape;

typedef struct kz__layer {
    float *norm1, *norm2;   /* [width] */
    float *shift1, *shift2; /* [width], of a plain layer's norms */
    float *q_norm, *k_norm; /* [head_dim], NULL: none */
    float *scale1, *scale2; /* [width], NULL: none */
    kz__linear qkv;         /* q, k, v, each padded to whole panels */
    kz__linear o, gate_up, down; /* gate and up panels alternate; plain: up alone */
} kz__layer;

typedef struct kz__stack {
    kz__stack_shape shape;
    kz__layer *layers;
    void *panels; /* the layers' quantised weights, in the order in which they run */
    float *norm; /* after the last layer; NULL: none */
    float *inverse_frequency; /* [head_dim / 2] of the rotation */
} kz__stack;

/* Called with each layer's output rows; NULL: not at all. */
typedef void kz__layer_tap(void *user, size_t layer, const float *h, size_t ldh, size_t rows,
                           size_t width);

/* Consecutive rows of one sequence in a run: they stand at the positions that follow those of the
 * cache, which takes them. */
typedef struct kz__span {
    kz__kvcache *cache;
    size_t rows;
} kz__span;

/* Scratch of runs over up to max_rows rows at once, whoever they belong to; no state. */
typedef struct kz__stack_work {
    kz__mem *mem;
    const kz__stack *stack;
    size_t max_rows;
    int threads;
    float *normed, *qkv, *mixed, *out, *mlp, *act; /* [max_rows][...] */
    float *cosine, *sine;                          /* [max_rows][head_dim / 2] */
    struct kz__place {
        kz__kvcache *cache;
        size_t position;
    } *places;     /* [max_rows]: of each row of the run */
    float *scores; /* a block for each thread */
    size_t score_positions, thread_floats;
    kz__layer_tap *tap;
    void *tap_user;
} kz__stack_work;

/* Frees what a partly or fully loaded stack holds. */
void kz__stack_clear(kz__mem *mem, kz__stack *stack);
/* Makes the rotation table. */
kz_status kz__stack_prepare(kz__mem *mem, kz__stack *stack, kz__err *err);

kz_status kz__stack_work_init(kz__stack_work *work, kz__mem *mem, const kz__stack *stack,
                              size_t max_rows, int threads, kz__err *err);
void kz__stack_work_clear(kz__stack_work *work);

/* A cache for one sequence of the stack: full attention grows up to `positions`, a window takes up
 * to rows_at_once rows in a run. */
kz_status kz__stack_cache_init(kz__kvcache *cache, kz__mem *mem, const kz__stack *stack,
                               size_t positions, size_t rows_at_once, size_t page_positions,
                               kz__err *err);

/* Runs the rows of all spans, in order (together <= max_rows), through all layers; h is
 * [rows][pad16(width)] and is changed in place. A row never sees another span. */
kz_status kz__stack_run(const kz__run *run, kz__stack_work *work, float *h, const kz__span *spans,
                        size_t count, kz__err *err);

/* The norm after the last layer, row by row: y[rows][pad16(width)]; y may be h. */
void kz__stack_norm(const kz__run *run, const kz__stack *stack, float *y, const float *h,
                    size_t rows);

#endif
