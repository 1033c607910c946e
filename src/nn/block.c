/* A stack of transformer layers over paged keys and values. */
#include "nn/block.h"

#include "base/dmath.h"

#include <math.h>

/* 1 / (theta^(2i/d)), each step rounded to float as the official package does. */
kz_status kz__stack_prepare(kz__mem *mem, kz__stack *stack, kz__err *err) {
    size_t half = stack->shape.head_dim / 2;
    stack->inverse_frequency = kz__calloc(mem, half, sizeof(float));
    if (!stack->inverse_frequency) return kz__fail_memory(err);
    double log_theta = kz__ln(stack->shape.rope_theta);
    for (size_t i = 0; i < half; i++) {
        float exponent = (float)(2 * i) / (float)stack->shape.head_dim;
        float power = (float)kz__exp(log_theta * (double)exponent);
        stack->inverse_frequency[i] = 1.0f / power;
    }
    return KZ_OK;
}

void kz__stack_clear(kz__mem *mem, kz__stack *stack) {
    for (size_t l = 0; stack->layers && l < stack->shape.layers; l++) {
        kz__layer *layer = &stack->layers[l];
        kz__free(mem, layer->norm1);
        kz__free(mem, layer->norm2);
        kz__free(mem, layer->q_norm);
        kz__free(mem, layer->k_norm);
        kz__free(mem, layer->scale1);
        kz__free(mem, layer->scale2);
        kz__linear_clear(mem, &layer->qkv);
        kz__linear_clear(mem, &layer->o);
        kz__linear_clear(mem, &layer->gate_up);
        kz__linear_clear(mem, &layer->down);
    }
    kz__free(mem, stack->panels);
    kz__free(mem, stack->layers);
    kz__free(mem, stack->norm);
    kz__free(mem, stack->inverse_frequency);
    memset(stack, 0, sizeof *stack);
}

typedef struct widths {
    size_t model, q, kv, qkv, inter, group, head16;
} widths;

static widths widths_of(const kz__stack_shape *s) {
    widths w = {0};
    w.model = kz__pad16(s->width);
    w.q = kz__pad16(s->heads * s->head_dim);
    w.kv = kz__pad16(s->kv_heads * s->head_dim);
    w.qkv = w.q + 2 * w.kv;
    w.inter = kz__pad16(s->intermediate);
    w.group = s->heads / s->kv_heads;
    w.head16 = kz__pad16(s->head_dim);
    return w;
}

kz_status kz__stack_state_init(kz__stack_state *state, kz__mem *mem, const kz__stack *stack,
                               size_t max_rows, size_t positions, size_t page_positions,
                               int threads, kz__err *err) {
    memset(state, 0, sizeof *state);
    state->mem = mem;
    state->stack = stack;
    state->max_rows = max_rows;
    state->threads = threads;
    const kz__stack_shape *s = &stack->shape;
    widths w = widths_of(s);
    kz_status status =
        kz__kvcache_init(&state->cache, mem, s->layers, s->kv_heads, s->head_dim, s->window,
                         positions, max_rows, page_positions, err);
    if (status) return status;
    size_t f = sizeof(float);
    state->normed = kz__calloc(mem, max_rows * w.model, f);
    state->qkv = kz__calloc(mem, max_rows * w.qkv, f);
    state->mixed = kz__calloc(mem, max_rows * w.q, f);
    state->out = kz__calloc(mem, max_rows * w.model, f);
    state->mlp = kz__calloc(mem, max_rows * 2 * w.inter, f);
    state->act = kz__calloc(mem, max_rows * w.inter, f);
    state->cosine = kz__calloc(mem, max_rows * s->head_dim, f);
    state->sine = kz__calloc(mem, max_rows * s->head_dim, f);
    if (!state->normed || !state->qkv || !state->mixed || !state->out || !state->mlp ||
        !state->act || !state->cosine || !state->sine) {
        kz__stack_state_clear(state);
        return kz__fail_memory(err);
    }
    return KZ_OK;
}

void kz__stack_state_clear(kz__stack_state *state) {
    if (!state->mem) return;
    kz__kvcache_clear(&state->cache);
    kz__free(state->mem, state->normed);
    kz__free(state->mem, state->qkv);
    kz__free(state->mem, state->mixed);
    kz__free(state->mem, state->out);
    kz__free(state->mem, state->mlp);
    kz__free(state->mem, state->act);
    kz__free(state->mem, state->cosine);
    kz__free(state->mem, state->sine);
    kz__free(state->mem, state->scores);
    memset(state, 0, sizeof *state);
}

void kz__stack_state_reset(kz__stack_state *state) {
    kz__kvcache_reset(&state->cache);
}

/* Room for the scores of one head group over all positions an attention of this call can see. */
static kz_status reserve_scores(kz__stack_state *state, size_t rows, kz__err *err) {
    const kz__stack_shape *s = &state->stack->shape;
    widths w = widths_of(s);
    size_t span = s->window ? s->window + 16 : state->cache.length + rows;
    size_t page = state->cache.page_positions;
    size_t positions = (span + page - 1) / page * page + page;
    if (state->scores && positions <= state->score_positions) return KZ_OK;
    if (state->scores) positions += positions / 2 / 16 * 16; /* grow seldom */
    kz__free(state->mem, state->scores);
    state->score_positions = positions;
    state->thread_floats = w.group * (positions + 2 * w.head16);
    state->scores = kz__calloc(state->mem, state->thread_floats * (size_t)state->threads,
                               sizeof(float));
    return state->scores ? KZ_OK : kz__fail_memory(err);
}

typedef struct attention_job {
    const kz__run *run;
    kz__stack_state *state;
    size_t layer, rows, first; /* first: position of row 0 */
} attention_job;

/* Normalises and rotates one head in place. The scratch is aligned and padded, heads are not. */
static void prepare_head(const attention_job *job, float *head, const float *norm, size_t row,
                         float *scratch) {
    const kz__stack_shape *s = &job->state->stack->shape;
    const kz__kernels *k = job->run->kernels;
    size_t half = s->head_dim / 2;
    memcpy(scratch, head, s->head_dim * sizeof(float));
    if (norm) k->rms_norm(scratch, scratch, norm, s->head_dim, s->eps);
    k->rope(scratch, job->state->cosine + row * half, job->state->sine + row * half, half);
    memcpy(head, scratch, s->head_dim * sizeof(float));
}

/* Item: row * kv_heads + kv head. Queries and keys are prepared, keys and values stored. */
static void prepare_job(void *arg, size_t begin, size_t end, int thread) {
    const attention_job *job = arg;
    kz__stack_state *state = job->state;
    const kz__stack_shape *s = &state->stack->shape;
    const kz__layer *layer = &state->stack->layers[job->layer];
    widths w = widths_of(s);
    float *scratch = state->scores + state->thread_floats * (size_t)thread;
    for (size_t item = begin; item < end; item++) {
        size_t row = item / s->kv_heads;
        size_t head = item % s->kv_heads;
        float *q = state->qkv + row * w.qkv + head * w.group * s->head_dim;
        float *key = state->qkv + row * w.qkv + w.q + head * s->head_dim;
        const float *value = state->qkv + row * w.qkv + w.q + w.kv + head * s->head_dim;
        for (size_t g = 0; g < w.group; g++) {
            prepare_head(job, q + g * s->head_dim, layer->q_norm, row, scratch);
        }
        prepare_head(job, key, layer->k_norm, row, scratch);
        kz__kvcache_store(&state->cache, job->layer, head, job->first + row, key, value);
    }
}

/* Scores of the group's queries against keys of positions base..end-1, a page at a time. */
static void score(const attention_job *job, const float *q, size_t head, size_t base, size_t end,
                  float *scores, size_t lds) {
    const kz__kvcache *cache = &job->state->cache;
    const kz__stack_shape *s = &job->state->stack->shape;
    for (size_t at = base; at < end;) {
        size_t slot = at % cache->page_positions;
        size_t count = cache->page_positions - slot;
        if (count > end - at) count = end - at;
        kz__mm_args args = {0};
        args.y = scores + (at - base);
        args.ldy = lds;
        args.x = q;
        args.ldx = s->head_dim;
        args.w = kz__kvcache_keys(cache, job->layer, head, at) + slot * s->head_dim;
        args.panel_stride = s->head_dim * 16;
        args.rows = s->heads / s->kv_heads;
        args.panels = (count + 15) / 16;
        args.k = s->head_dim;
        args.taps = 1;
        job->run->kernels->mm_f32(&args);
        at += count;
    }
}

/* out[g] = sum over positions first..end-1, in order, of scores[g][position] * value. */
static void mix(const attention_job *job, size_t head, size_t base, size_t first, size_t end,
                const float *scores, size_t lds, float *out, size_t ldo) {
    const kz__kvcache *cache = &job->state->cache;
    const kz__stack_shape *s = &job->state->stack->shape;
    for (size_t at = first; at < end;) {
        size_t slot = at % cache->page_positions;
        size_t count = cache->page_positions - slot;
        if (count > end - at) count = end - at;
        kz__mm_args args = {0};
        args.y = out;
        args.ldy = ldo;
        args.x = scores + (at - base);
        args.ldx = lds;
        args.w = kz__kvcache_values(cache, job->layer, head, at) + slot * 16;
        args.panel_stride = cache->page_positions * 16;
        args.rows = s->heads / s->kv_heads;
        args.panels = kz__pad16(s->head_dim) / 16;
        args.k = count;
        args.taps = 1;
        args.resume = at > first;
        job->run->kernels->mm_f32(&args);
        at += count;
    }
}

/* Item: row * kv_heads + kv head. */
static void attend_job(void *arg, size_t begin, size_t end, int thread) {
    const attention_job *job = arg;
    kz__stack_state *state = job->state;
    const kz__stack_shape *s = &state->stack->shape;
    widths w = widths_of(s);
    float *scores = state->scores + state->thread_floats * (size_t)thread;
    float *out = scores + w.group * state->score_positions;
    float scale = 1.0f / sqrtf((float)s->head_dim);
    for (size_t item = begin; item < end; item++) {
        size_t row = item / s->kv_heads;
        size_t head = item % s->kv_heads;
        size_t past = job->first + row + 1;
        size_t first = s->window && past > s->window ? past - s->window : 0;
        size_t base = first / 16 * 16;
        float *q = state->qkv + row * w.qkv + head * w.group * s->head_dim;
        score(job, q, head, base, past, scores, state->score_positions);
        for (size_t g = 0; g < w.group; g++) {
            job->run->kernels->softmax(scores + g * state->score_positions, first - base,
                                       past - base, scale);
        }
        mix(job, head, base, first, past, scores, state->score_positions, out, w.head16);
        for (size_t g = 0; g < w.group; g++) {
            float *to = state->mixed + row * w.q + (head * w.group + g) * s->head_dim;
            memcpy(to, out + g * w.head16, s->head_dim * sizeof(float));
        }
    }
}

typedef struct norm_job {
    const kz__kernels *kernels;
    float *y;
    const float *x, *w;
    size_t ld, n;
    float eps;
} norm_job;

static void norm_rows(void *arg, size_t begin, size_t end, int thread) {
    const norm_job *job = arg;
    (void)thread;
    for (size_t r = begin; r < end; r++) {
        job->kernels->rms_norm(job->y + r * job->ld, job->x + r * job->ld, job->w, job->n,
                               job->eps);
    }
}

static void norm(const kz__run *run, const kz__stack_shape *s, float *y, const float *x,
                 const float *w, size_t rows) {
    norm_job job = {run->kernels, y, x, w, kz__pad16(s->width), s->width, s->eps};
    kz__pool_for(run->pool, rows, 4, norm_rows, &job);
}

/* h = h + scale * (what the linear made), folded into its last step. */
static kz__after residual(float *h, size_t ldh, const float *scale) {
    kz__after after = {0};
    after.kind = scale ? KZ__SCALE_ADD : KZ__ADD;
    after.z = h;
    after.ldz = ldh;
    after.scale = scale;
    return after;
}

static void run_layer(const kz__run *run, kz__stack_state *state, size_t index, float *h,
                      size_t rows) {
    const kz__stack_shape *s = &state->stack->shape;
    const kz__layer *layer = &state->stack->layers[index];
    widths w = widths_of(s);
    attention_job job = {run, state, index, rows, state->cache.length};
    norm(run, s, state->normed, h, layer->norm1, rows);
    kz__linear_run(run, &layer->qkv, state->normed, w.model, 0, state->qkv, w.qkv, rows, NULL);
    size_t grain = rows * s->kv_heads <= 32 ? (rows * s->kv_heads + 1) / 2 : 8;
    kz__pool_for(run->pool, rows * s->kv_heads, grain, prepare_job, &job);
    grain = rows * s->kv_heads <= 32 ? (rows * s->kv_heads + 3) / 4 : 4;
    kz__pool_for(run->pool, rows * s->kv_heads, grain, attend_job, &job);
    kz__after after = residual(h, w.model, layer->scale1);
    kz__linear_run(run, &layer->o, state->mixed, w.q, 0, state->out, w.model, rows, &after);

    norm(run, s, state->normed, h, layer->norm2, rows);
    kz__after gate = {0};
    gate.kind = KZ__SILU_MUL;
    gate.z = state->act;
    gate.ldz = w.inter;
    kz__linear_run(run, &layer->gate_up, state->normed, w.model, 0, state->mlp, 2 * w.inter, rows,
                   &gate);
    after = residual(h, w.model, layer->scale2);
    kz__linear_run(run, &layer->down, state->act, w.inter, 0, state->out, w.model, rows, &after);
}

static void rotations(kz__stack_state *state, size_t rows) {
    size_t half = state->stack->shape.head_dim / 2;
    for (size_t r = 0; r < rows; r++) {
        float position = (float)(state->cache.length + r);
        for (size_t i = 0; i < half; i++) {
            double sine = 0;
            double cosine = 0;
            float angle = position * state->stack->inverse_frequency[i];
            kz__sincos((double)angle, &sine, &cosine);
            state->sine[r * half + i] = (float)sine;
            state->cosine[r * half + i] = (float)cosine;
        }
    }
}

kz_status kz__stack_run(const kz__run *run, kz__stack_state *state, float *h, size_t rows,
                        float *normed, size_t first_normed, kz__err *err) {
    const kz__stack_shape *s = &state->stack->shape;
    size_t width = kz__pad16(s->width);
    bool guard = kz__mem_guard(state->mem, false);
    kz_status status = kz__kvcache_reserve(&state->cache, rows, err);
    if (!status) status = reserve_scores(state, rows, err);
    kz__mem_guard(state->mem, guard);
    if (status) return status;
    rotations(state, rows);
    for (size_t l = 0; l < s->layers; l++) {
        run_layer(run, state, l, h, rows);
        if (state->tap) state->tap(state->tap_user, l, h, width, rows, s->width);
    }
    state->cache.length += rows;
    if (normed) {
        norm(run, s, normed, h + first_normed * width, state->stack->norm, rows - first_normed);
    }
    return KZ_OK;
}
