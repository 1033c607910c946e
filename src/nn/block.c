/* A stack of transformer layers over paged keys and values. */
#include "nn/block.h"

#include "base/dmath.h"
#include "kernels/fma.h"

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
        kz__free(mem, layer->shift1);
        kz__free(mem, layer->shift2);
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

kz_status kz__stack_work_init(kz__stack_work *work, kz__mem *mem, const kz__stack *stack,
                              size_t max_rows, int threads, kz__err *err) {
    memset(work, 0, sizeof *work);
    work->mem = mem;
    work->stack = stack;
    work->max_rows = max_rows;
    work->threads = threads;
    widths w = widths_of(&stack->shape);
    size_t f = sizeof(float);
    work->normed = kz__calloc(mem, max_rows * w.model, f);
    work->qkv = kz__calloc(mem, max_rows * w.qkv, f);
    work->mixed = kz__calloc(mem, max_rows * w.q, f);
    work->out = kz__calloc(mem, max_rows * w.model, f);
    work->mlp = kz__calloc(mem, stack->shape.plain ? 0 : max_rows * 2 * w.inter, f);
    work->act = kz__calloc(mem, max_rows * w.inter, f);
    work->cosine = kz__calloc(mem, max_rows * stack->shape.head_dim, f);
    work->sine = kz__calloc(mem, max_rows * stack->shape.head_dim, f);
    work->places = kz__calloc(mem, max_rows, sizeof *work->places);
    if (!work->normed || !work->qkv || !work->mixed || !work->out || !work->mlp || !work->act ||
        !work->cosine || !work->sine || !work->places) {
        kz__stack_work_clear(work);
        return kz__fail_memory(err);
    }
    return KZ_OK;
}

void kz__stack_work_clear(kz__stack_work *work) {
    if (!work->mem) return;
    kz__free(work->mem, work->normed);
    kz__free(work->mem, work->qkv);
    kz__free(work->mem, work->mixed);
    kz__free(work->mem, work->out);
    kz__free(work->mem, work->mlp);
    kz__free(work->mem, work->act);
    kz__free(work->mem, work->cosine);
    kz__free(work->mem, work->sine);
    kz__free(work->mem, work->places);
    kz__free(work->mem, work->scores);
    memset(work, 0, sizeof *work);
}

kz_status kz__stack_cache_init(kz__kvcache *cache, kz__mem *mem, const kz__stack *stack,
                               size_t positions, size_t rows_at_once, size_t page_positions,
                               kz__err *err) {
    const kz__stack_shape *s = &stack->shape;
    return kz__kvcache_init(cache, mem, s->layers, s->kv_heads, s->head_dim, s->window, positions,
                            rows_at_once, page_positions, err);
}

/* Consecutive rows of a sequence that read their keys and values together. */
#define TOGETHER 8

/* Rows that are prepared by one thread: a panel of keys, so that threads seldom write side by
 * side. */
#define PREPARED 16

/* Room for the scores of one head group, of the rows that are attended together, over all positions
 * that they can see. */
static kz_status reserve_scores(kz__stack_work *work, size_t past, size_t rows, kz__err *err) {
    const kz__stack_shape *s = &work->stack->shape;
    widths w = widths_of(s);
    size_t span = s->window && s->window < past ? s->window + 16 + rows : past;
    size_t lines = w.group * (rows < TOGETHER ? rows : TOGETHER);
    work->score_positions = (span + 63) / 64 * 64 + 64;
    size_t floats = lines * (work->score_positions + 2 * w.head16);
    if (floats <= work->thread_floats) return KZ_OK;
    if (work->scores) floats += floats / 2 / 16 * 16; /* grow seldom */
    bool guard = kz__mem_guard(work->mem, false);
    kz__free(work->mem, work->scores);
    work->thread_floats = 0;
    work->scores = kz__calloc(work->mem, floats * (size_t)work->threads, sizeof(float));
    kz__mem_guard(work->mem, guard);
    if (!work->scores) return kz__fail_memory(err);
    work->thread_floats = floats;
    return KZ_OK;
}

typedef struct attention_job {
    const kz__run *run;
    kz__stack_work *work;
    const kz__span *spans;
    size_t layer, span_count, rows;
} attention_job;

/* Normalises and rotates one head in place. The scratch is aligned and padded, heads are not. */
static void prepare_head(const attention_job *job, float *head, const float *norm, size_t row,
                         float *scratch) {
    const kz__stack_shape *s = &job->work->stack->shape;
    const kz__kernels *k = job->run->kernels;
    size_t half = s->head_dim / 2;
    memcpy(scratch, head, s->head_dim * sizeof(float));
    if (norm) k->rms_norm(scratch, scratch, norm, s->head_dim, s->eps);
    k->rope(scratch, job->work->cosine + row * half, job->work->sine + row * half, half);
    memcpy(head, scratch, s->head_dim * sizeof(float));
}

/* Queries and key of a key-value head are prepared, key and value stored. */
static void prepare(const attention_job *job, size_t row, size_t head, int thread) {
    kz__stack_work *work = job->work;
    const kz__stack_shape *s = &work->stack->shape;
    const kz__layer *layer = &work->stack->layers[job->layer];
    widths w = widths_of(s);
    float *scratch = work->scores + work->thread_floats * (size_t)thread;
    float *q = work->qkv + row * w.qkv + head * w.group * s->head_dim;
    float *key = work->qkv + row * w.qkv + w.q + head * s->head_dim;
    const float *value = work->qkv + row * w.qkv + w.q + w.kv + head * s->head_dim;
    for (size_t g = 0; g < w.group; g++) {
        prepare_head(job, q + g * s->head_dim, layer->q_norm, row, scratch);
    }
    prepare_head(job, key, layer->k_norm, row, scratch);
    const struct kz__place *at = &work->places[row];
    kz__kvcache_store(at->cache, job->layer, head, at->position, key, value);
}

/* Scores of `lines` queries against keys of positions base..end-1, a page at a time. */
static void score(const attention_job *job, const kz__kvcache *cache, const float *q, size_t lines,
                  size_t head, size_t base, size_t end, float *scores) {
    const kz__stack_shape *s = &job->work->stack->shape;
    for (size_t at = base; at < end;) {
        size_t slot = at % cache->page_positions;
        size_t count = cache->page_positions - slot;
        if (count > end - at) count = end - at;
        kz__mm_args args = {0};
        args.y = scores + (at - base);
        args.ldy = job->work->score_positions;
        args.x = q;
        args.ldx = s->head_dim;
        args.w = kz__kvcache_keys(cache, job->layer, head, at) + slot * s->head_dim;
        args.panel_stride = s->head_dim * 16;
        args.rows = lines;
        args.panels = (count + 15) / 16;
        args.k = s->head_dim;
        args.taps = 1;
        job->run->kernels->mm_f32(&args);
        at += count;
    }
}

/* out[line] += sum over positions first..end-1, in order, of the score at `first`, ... * value. */
static void mix(const attention_job *job, const kz__kvcache *cache, size_t lines, size_t head,
                size_t first, size_t end, const float *scores, float *out) {
    const kz__stack_shape *s = &job->work->stack->shape;
    size_t head16 = kz__pad16(s->head_dim);
    for (size_t at = first; at < end;) {
        size_t slot = at % cache->page_positions;
        size_t count = cache->page_positions - slot;
        if (count > end - at) count = end - at;
        kz__mm_args args = {0};
        args.y = out;
        args.ldy = head16;
        args.x = scores + (at - first);
        args.ldx = job->work->score_positions;
        args.w = kz__kvcache_values(cache, job->layer, head, at) + slot * 16;
        args.panel_stride = cache->page_positions * 16;
        args.rows = lines;
        args.panels = head16 / 16;
        args.k = count;
        args.taps = 1;
        args.resume = 1;
        job->run->kernels->mm_f32(&args);
        at += count;
    }
}

/* The first position that a row at `position` sees. */
static size_t first_seen(const kz__stack_shape *s, size_t position) {
    return s->window && position + 1 > s->window ? position + 1 - s->window : 0;
}

/* Rows row..row+rows-1 of one sequence, at most TOGETHER. What all of them see is read once; what
 * only some see comes before it (of a window) or behind it, so each row walks its positions in
 * order. */
static void attend(const attention_job *job, size_t row, size_t rows, size_t head, int thread) {
    kz__stack_work *work = job->work;
    const kz__stack_shape *s = &work->stack->shape;
    widths w = widths_of(s);
    size_t lines = rows * w.group; /* row after row */
    size_t lds = work->score_positions;
    float *scores = work->scores + work->thread_floats * (size_t)thread;
    float *out = scores + lines * lds;
    float *q = out + lines * w.head16;
    float scale = 1.0f / kz__sqrt((float)s->head_dim);
    const kz__kvcache *cache = work->places[row].cache;
    size_t position = work->places[row].position;
    size_t past = position + 1;
    size_t base = first_seen(s, position) / 16 * 16;
    size_t common = first_seen(s, position + rows - 1);
    if (common > past) common = past;
    for (size_t r = 0; r < rows; r++) {
        memcpy(q + r * w.group * s->head_dim,
               work->qkv + (row + r) * w.qkv + head * w.group * s->head_dim,
               w.group * s->head_dim * sizeof *q);
    }
    memset(out, 0, lines * w.head16 * sizeof *out);
    score(job, cache, q, lines, head, base, past + rows - 1, scores);
    for (size_t r = 0; r < rows; r++) {
        size_t first = first_seen(s, position + r);
        float *own = scores + r * w.group * lds;
        for (size_t g = 0; g < w.group; g++) {
            job->run->kernels->softmax(own + g * lds, first - base, past + r - base, scale);
        }
        mix(job, cache, w.group, head, first, common, own + (first - base),
            out + r * w.group * w.head16);
    }
    mix(job, cache, lines, head, common, past, scores + (common - base), out);
    for (size_t r = 0; r < rows; r++) {
        float *own = out + r * w.group * w.head16;
        size_t from = first_seen(s, position + r);
        if (from < past) from = past;
        mix(job, cache, w.group, head, from, past + r,
            scores + r * w.group * lds + (from - base), own);
        for (size_t g = 0; g < w.group; g++) {
            float *to = work->mixed + (row + r) * w.q + (head * w.group + g) * s->head_dim;
            memcpy(to, own + g * w.head16, s->head_dim * sizeof(float));
        }
    }
}

/* Rows first..last-1, as many together as there are of one sequence. */
static void attend_each(const attention_job *job, size_t first, size_t last, size_t head,
                        int thread) {
    for (size_t row = first; row < last;) {
        size_t rows = 1;
        while (rows < TOGETHER && row + rows < last &&
               job->work->places[row + rows].cache == job->work->places[row].cache) {
            rows++;
        }
        attend(job, row, rows, head, thread);
        row += rows;
    }
}

/* Item: kv head * blocks + block of rows: a head's keys and values stay in cache meanwhile. */
static void prepare_rows(void *arg, size_t begin, size_t end, int thread) {
    const attention_job *job = arg;
    size_t blocks = (job->rows + PREPARED - 1) / PREPARED;
    for (size_t item = begin; item < end; item++) {
        size_t row = item % blocks * PREPARED;
        size_t last = row + PREPARED < job->rows ? row + PREPARED : job->rows;
        for (; row < last; row++) prepare(job, row, item / blocks, thread);
    }
}

static void attend_rows(void *arg, size_t begin, size_t end, int thread) {
    const attention_job *job = arg;
    size_t blocks = (job->rows + TOGETHER - 1) / TOGETHER;
    for (size_t item = begin; item < end; item++) {
        size_t row = item % blocks * TOGETHER;
        size_t last = row + TOGETHER < job->rows ? row + TOGETHER : job->rows;
        attend_each(job, row, last, item / blocks, thread);
    }
}

/* Item: span * kv_heads + kv head. A row attends to rows of its span and head alone, so no other
 * item is waited for. */
static void attend_spans(void *arg, size_t begin, size_t end, int thread) {
    const attention_job *job = arg;
    size_t heads = job->work->stack->shape.kv_heads;
    size_t span = 0;
    size_t first = 0;
    for (size_t item = begin; item < end; item++) {
        for (; span < item / heads; span++) first += job->spans[span].rows;
        size_t last = first + job->spans[span].rows;
        for (size_t row = first; row < last; row++) prepare(job, row, item % heads, thread);
        attend_each(job, first, last, item % heads, thread);
    }
}

/* Rows of a span up to which one job is better than two with a wait between them. */
#define FEW_ROWS 2

static void attention(attention_job *job) {
    kz__pool *pool = job->run->pool;
    size_t heads = job->work->stack->shape.kv_heads;
    size_t most = 0;
    for (size_t i = 0; i < job->span_count; i++) {
        if (job->spans[i].rows > most) most = job->spans[i].rows;
    }
    if (most <= FEW_ROWS) {
        size_t items = heads * job->span_count;
        kz__pool_for(pool, items, items <= 32 ? (items + 3) / 4 : 4, attend_spans, job);
        return;
    }
    size_t blocks = (job->rows + PREPARED - 1) / PREPARED;
    kz__pool_for(pool, heads * blocks, 1, prepare_rows, job);
    blocks = (job->rows + TOGETHER - 1) / TOGETHER;
    kz__pool_for(pool, heads * blocks, 1, attend_rows, job);
}

typedef struct norm_job {
    const kz__kernels *kernels;
    float *y;
    const float *x, *w, *b; /* b NULL: rms_norm */
    size_t ld, n;
    float eps;
} norm_job;

static void norm_rows(void *arg, size_t begin, size_t end, int thread) {
    const norm_job *job = arg;
    (void)thread;
    for (size_t r = begin; r < end; r++) {
        float *y = job->y + r * job->ld;
        const float *x = job->x + r * job->ld;
        if (job->b) {
            job->kernels->layer_norm(y, x, job->w, job->b, job->n, job->eps);
        } else {
            job->kernels->rms_norm(y, x, job->w, job->n, job->eps);
        }
    }
}

static void norm(const kz__run *run, const kz__stack_shape *s, float *y, const float *x,
                 const float *w, const float *b, size_t rows) {
    norm_job job = {run->kernels, y, x, w, b, kz__pad16(s->width), s->width, s->eps};
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

static void run_layer(const kz__run *run, kz__stack_work *work, size_t index, float *h,
                      const kz__span *spans, size_t count, size_t rows) {
    const kz__stack_shape *s = &work->stack->shape;
    const kz__layer *layer = &work->stack->layers[index];
    widths w = widths_of(s);
    attention_job job = {run, work, spans, index, count, rows};
    norm(run, s, work->normed, h, layer->norm1, layer->shift1, rows);
    kz__linear_run(run, &layer->qkv, work->normed, w.model, 0, work->qkv, w.qkv, rows, NULL);
    attention(&job);
    kz__after after = residual(h, w.model, layer->scale1);
    kz__linear_run(run, &layer->o, work->mixed, w.q, 0, work->out, w.model, rows, &after);

    norm(run, s, work->normed, h, layer->norm2, layer->shift2, rows);
    if (s->plain) {
        kz__after gelu = {.kind = KZ__GELU};
        kz__linear_run(run, &layer->gate_up, work->normed, w.model, 0, work->act, w.inter, rows,
                       &gelu);
    } else {
        kz__after gate = {.kind = KZ__SILU_MUL, .z = work->act, .ldz = w.inter};
        kz__linear_run(run, &layer->gate_up, work->normed, w.model, 0, work->mlp, 2 * w.inter,
                       rows, &gate);
    }
    after = residual(h, w.model, layer->scale2);
    kz__linear_run(run, &layer->down, work->act, w.inter, 0, work->out, w.model, rows, &after);
}

/* Places of all rows, and their rotations. Returns the most positions that a row can see. */
static size_t place_rows(kz__stack_work *work, const kz__span *spans, size_t count) {
    size_t half = work->stack->shape.head_dim / 2;
    size_t row = 0;
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t r = 0; r < spans[i].rows; r++, row++) {
            size_t at = spans[i].cache->length + r;
            work->places[row].cache = spans[i].cache;
            work->places[row].position = at;
            if (at + 1 > most) most = at + 1;
            for (size_t j = 0; j < half; j++) {
                double sine = 0;
                double cosine = 0;
                float angle = (float)at * work->stack->inverse_frequency[j];
                kz__sincos((double)angle, &sine, &cosine);
                work->sine[row * half + j] = (float)sine;
                work->cosine[row * half + j] = (float)cosine;
            }
        }
    }
    return most;
}

kz_status kz__stack_run(const kz__run *run, kz__stack_work *work, float *h, const kz__span *spans,
                        size_t count, kz__err *err) {
    const kz__stack_shape *s = &work->stack->shape;
    size_t width = kz__pad16(s->width);
    size_t rows = 0;
    size_t most = 0;
    kz_status status = KZ_OK;
    for (size_t i = 0; !status && i < count; i++) {
        rows += spans[i].rows;
        if (spans[i].rows > most) most = spans[i].rows;
        status = kz__kvcache_reserve(spans[i].cache, spans[i].rows, err);
    }
    if (!status) status = reserve_scores(work, place_rows(work, spans, count), most, err);
    if (status) return status;
    for (size_t l = 0; l < s->layers; l++) {
        run_layer(run, work, l, h, spans, count, rows);
        if (work->tap) work->tap(work->tap_user, l, h, width, rows, s->width);
    }
    for (size_t i = 0; i < count; i++) spans[i].cache->length += spans[i].rows;
    return KZ_OK;
}

void kz__stack_norm(const kz__run *run, const kz__stack *stack, float *y, const float *h,
                    size_t rows) {
    norm(run, &stack->shape, y, h, stack->norm, NULL, rows);
}
