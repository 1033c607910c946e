/* Packing, and the split of a product over the pool in blocks of rows and panels. */
#include "nn/linear.h"

#include "nn/quantized.h"

kz__pack_source kz__pack_matrix(const kz__tensor *weight, const kz__tensor *bias) {
    kz__pack_source source = {0};
    source.weight = weight;
    source.bias = bias;
    source.rows = weight->shape[0];
    source.row_step = (ptrdiff_t)weight->shape[1];
    source.in_step = 1;
    source.panel_step = 1;
    return source;
}

static float round_to(kz__dtype type, float value) {
    return type == KZ__BF16 ? kz__bf16_to_f32(kz__f32_to_bf16(value)) : value;
}

/* The weights of all taps for one channel of a row, as the source mixes them. */
static void mix_taps(const kz__pack_source *s, size_t from, size_t taps, float *values) {
    double parts[16];
    for (size_t i = 0; i < s->mixed; i++) {
        ptrdiff_t at = (ptrdiff_t)from + (ptrdiff_t)i * s->tap_step;
        parts[i] = (double)kz__tensor_at(s->weight, (size_t)at);
    }
    for (size_t t = 0; t < taps; t++) {
        double sum = 0;
        for (size_t i = 0; i < s->mixed; i++) sum += s->mix[t * s->mixed + i] * parts[i];
        values[t] = (float)sum;
    }
}

static void pack_mixed_row(kz__linear *linear, const kz__pack_source *s, size_t row, size_t to) {
    float *w = (float *)linear->w + to;
    ptrdiff_t from = s->base + (ptrdiff_t)row * s->row_step;
    float values[16] = {0};
    for (size_t c = 0; c < linear->in; c++, from += s->in_step) {
        if (row < s->rows) mix_taps(s, (size_t)from, linear->taps, values);
        for (size_t t = 0; t < linear->taps; t++) w[(t * linear->in + c) * 16] = values[t];
    }
}

/* Row i of a panel, or zeros where the source has no such row. */
static void pack_row(kz__linear *linear, const kz__pack_source *s, size_t row, size_t to) {
    float *wide = linear->w;
    uint16_t *narrow = linear->w;
    for (size_t t = 0; t < linear->taps; t++) {
        ptrdiff_t from = s->base + (ptrdiff_t)row * s->row_step + (ptrdiff_t)t * s->tap_step;
        for (size_t c = 0; c < linear->in; c++, from += s->in_step, to += 16) {
            float value = row < s->rows ? kz__tensor_at(s->weight, (size_t)from) : 0.0f;
            if (linear->type == KZ__BF16) {
                narrow[to] = kz__f32_to_bf16(value);
            } else {
                wide[to] = value;
            }
        }
    }
}

/* The same for a whole panel of bf16 that stays bf16 and lies row after row: most of a model. False
 * where it is something else. A stretch of columns at a time, which stays in the first cache. */
static bool pack_copy(kz__linear *linear, const kz__pack_source *s, size_t panel, size_t to) {
    const uint16_t *from = s->weight->data;
    uint16_t *panel_at = (uint16_t *)linear->w + to;
    if (linear->type != KZ__BF16 || s->weight->type != KZ__BF16 || linear->taps != 1 ||
        s->in_step != 1 || panel * 16 + 16 > s->rows) {
        return false;
    }
    if ((uintptr_t)from & 1) return false; /* files promise no alignment */
    from += s->base + (ptrdiff_t)(panel * 16) * s->row_step;
    for (size_t first = 0; first < linear->in; first += 64) {
        size_t end = first + 64 < linear->in ? first + 64 : linear->in;
        for (size_t i = 0; i < 16; i++) {
            const uint16_t *row = from + (ptrdiff_t)i * s->row_step;
            for (size_t c = first; c < end; c++) panel_at[c * 16 + i] = row[c];
        }
    }
    return true;
}

/* One panel of one source; element order as kernels.h wants it. */
static void pack_panel(kz__linear *linear, const kz__pack_source *s, size_t panel) {
    size_t count = linear->taps * linear->in * 16;
    size_t target = s->first_panel + panel * s->panel_step;
    bool copied = pack_copy(linear, s, panel, target * count);
    for (size_t i = 0; i < 16; i++) {
        size_t row = panel * 16 + i;
        if (s->mix) {
            pack_mixed_row(linear, s, row, target * count + i);
        } else if (!copied) {
            pack_row(linear, s, row, target * count + i);
        }
    }
}

/* As stored: bf16 where every source is bf16, else f32, which holds all types exactly. */
static kz__dtype panel_type(kz__dtype wanted, const kz__pack_source *sources, size_t count) {
    if (wanted != KZ__OTHER) return wanted;
    for (size_t s = 0; s < count; s++) {
        if (sources[s].weight->type != KZ__BF16) return KZ__F32;
    }
    return KZ__BF16;
}

static kz_status pack_panels(kz__mem *mem, kz__linear *linear, const kz__pack_source *sources,
                             size_t count, kz__err *err) {
    size_t elements = 0;
    size_t steps = 0;
    size_t bytes = 0;
    if (!kz__mul(linear->in, linear->taps, &steps) ||
        !kz__mul(linear->panels * 16, steps, &elements) ||
        !kz__mul(elements, kz__dtype_bytes(linear->type), &bytes)) {
        return kz__fail_memory(err);
    }
    linear->w = kz__alloc(mem, bytes);
    if (!linear->w) return kz__fail_memory(err);
    for (size_t s = 0; s < count; s++) {
        size_t panels = kz__pad16(sources[s].rows) / 16;
        for (size_t p = 0; p < panels; p++) pack_panel(linear, &sources[s], p);
    }
    return KZ_OK;
}

static void pack_bias(kz__linear *linear, const kz__pack_source *s) {
    for (size_t row = 0; row < kz__pad16(s->rows); row++) {
        size_t target = s->first_panel + row / 16 * s->panel_step;
        linear->bias[target * 16 + row % 16] =
            s->bias && row < s->rows ? kz__tensor_at(s->bias, row) : 0.0f;
    }
}

/* Of one tap where quantised, else of all. */
static size_t panel_bytes(const kz__linear *linear) {
    if (kz__is_quantized(linear->type)) {
        return kz__pairs(linear->in) * kz__pair_bytes(linear->type);
    }
    return linear->taps * linear->in * 16 * kz__dtype_bytes(linear->type);
}

size_t kz__linear_bytes(const kz__linear *linear) {
    size_t parts = kz__is_quantized(linear->type) ? linear->taps : 1;
    return parts * linear->panels * panel_bytes(linear);
}

static kz__panels describe(const kz__pack_place *place, const kz__linear *linear) {
    kz__panels panels = {place->name, linear->type, linear->panels, linear->taps, linear->in,
                         linear->factor};
    return panels;
}

/* Whether a packed file has panels in place of the values that they are made of. */
static bool are_kept(const kz__weights *weights, const kz__pack_source *sources, size_t count) {
    bool values = true;
    for (size_t s = 0; s < count; s++) values = values && sources[s].weight->data;
    return weights && kz__weights_are_packed(weights) && !values;
}

/* The panels as they lie in a packed file. */
static kz_status take_panels(const kz__pack_place *place, kz__linear *linear, kz__err *err) {
    kz__panels panels = describe(place, linear);
    const void *data = NULL;
    kz_status status = kz__weights_panels(place->weights, &panels, &data, err);
    if (status) return status;
    linear->factor = panels.factor;
    linear->w = (void *)(uintptr_t)data;
    linear->lent = true;
    return KZ_OK;
}

/* Written panels have done their duty. */
static kz_status write_panels(const kz__pack_place *place, kz__linear *linear,
                              const kz__pack_source *sources, size_t count, kz__err *err) {
    kz__panels panels = describe(place, linear);
    for (size_t s = 0; s < count; s++) {
        kz__weights_packed_into(place->weights, sources[s].weight->name);
    }
    kz_status status = kz__weights_keep(place->weights, &panels, linear->w,
                                        kz__linear_bytes(linear), err);
    kz__free(place->mem, linear->w);
    linear->w = NULL;
    return status;
}

/* Type, sizes and bias: all that does not need the panels. */
static kz_status begin(kz__mem *mem, kz__linear *linear, const kz__pack_source *sources,
                       size_t count, kz__err *err) {
    bool bias = false;
    for (size_t s = 0; s < count; s++) {
        linear->panels += kz__pad16(sources[s].rows) / 16;
        bias = bias || sources[s].bias;
    }
    if (!bias) return KZ_OK;
    linear->bias = kz__alloc(mem, linear->panels * 16 * sizeof(float));
    if (!linear->bias) return kz__fail_memory(err);
    for (size_t s = 0; s < count; s++) pack_bias(linear, &sources[s]);
    return KZ_OK;
}

kz_status kz__linear_pack(const kz__pack_place *place, kz__linear *linear, kz__dtype type,
                          size_t in, size_t taps, const kz__pack_source *sources, size_t count,
                          kz__err *err) {
    kz__weights *weights = place->weights;
    memset(linear, 0, sizeof *linear);
    linear->type = panel_type(type, sources, count);
    linear->in = in;
    linear->taps = taps;
    kz_status status = begin(place->mem, linear, sources, count, err);
    if (!status && are_kept(weights, sources, count)) {
        status = take_panels(place, linear, err);
    } else if (!status && kz__is_quantized(linear->type)) {
        status = kz__quantized_pack(place, linear, sources, count, err);
    } else if (!status) {
        status = pack_panels(place->mem, linear, sources, count, err);
    }
    if (!status && weights && kz__weights_are_written(weights)) {
        status = write_panels(place, linear, sources, count, err);
    }
    if (status) kz__linear_clear(place->mem, linear);
    return status;
}

void kz__linear_clear(kz__mem *mem, kz__linear *linear) {
    if (!linear->lent) kz__free(mem, linear->w);
    kz__free(mem, linear->bias);
    memset(linear, 0, sizeof *linear);
}

size_t kz__linear_space(kz__dtype type, size_t rows, size_t in) {
    return kz__pad16(rows) / 16 * kz__pairs(in) * kz__pair_bytes(type);
}

size_t kz__linear_scratch(const kz__linear *linear) {
    return kz__is_quantized(linear->type) ? linear->in : 0;
}

typedef struct product {
    const kz__run *run;
    const kz__linear *linear;
    kz__after after;
    kz__mm_args args;
    size_t rows, row_block, row_blocks;
    size_t panel_block;
} product;

void kz__after_run(const kz__kernels *k, const kz__after *after, float *y, size_t ldy, size_t row,
                   size_t step, size_t rows, size_t panel, size_t panels) {
    size_t column = panel * 16;
    size_t width = panels * 16;
    if (after->kind == KZ__SNAKE) {
        float *at = y + row * ldy + column;
        k->snake(at, step * ldy, at, step * ldy, after->scale + column, after->shift + column, rows,
                 width);
        return;
    }
    if (after->kind == KZ__PLAIN) return;
    for (size_t r = row; r < row + rows * step; r += step) {
        float *at = y + r * ldy + column;
        float *z = after->z ? after->z + r * after->ldz + column : NULL;
        switch (after->kind) {
        case KZ__SILU: k->silu(at, at, width); break;
        case KZ__GELU: k->gelu(at, at, width); break;
        case KZ__RELU: k->relu(at, at, width); break;
        case KZ__ELU: k->elu(at, at, width); break;
        case KZ__ADD: k->add(z, z, at, width); break;
        case KZ__SCALE_ADD: k->scale_add(z, z, after->scale + column, at, width); break;
        case KZ__SILU_MUL:
            z = after->z + r * after->ldz + column / 2;
            for (size_t p = 0; p < panels; p += 2) {
                k->silu_mul(z + p * 8, at + p * 16, at + p * 16 + 16, 16);
            }
            break;
        case KZ__PLAIN:
        case KZ__SNAKE: break;
        }
    }
}

/* A block of a quantised product: the rows stand in the scratch. */
static void multiply_quantized(const product *job, size_t row, size_t rows, size_t panel,
                               size_t panels) {
    const kz__linear *linear = job->linear;
    kz__mmq_args args = {0};
    args.pairs = kz__pairs(linear->in);
    args.y = job->args.y + row * job->args.ldy + panel * 16;
    args.ldy = job->args.ldy;
    args.bias = linear->bias ? linear->bias + panel * 16 : NULL;
    args.rows = rows;
    args.panels = panels;
    for (size_t tap = 0; tap < linear->taps; tap++) {
        /* codes of a row serve all taps */
        args.x = kz__quantized_codes(job->run->scratch, row + tap,
                                     kz__linear_rows(linear, job->rows));
        args.w = (const char *)linear->w + (tap * linear->panels + panel) * panel_bytes(linear);
        args.resume = tap > 0;
        if (linear->type == KZ__Q8) {
            job->run->kernels->mm_q8(&args);
        } else {
            job->run->kernels->mm_q4(&args);
        }
    }
}

static void multiply(const product *job, size_t row, size_t rows, size_t panel, size_t panels) {
    const kz__linear *linear = job->linear;
    kz__mm_args args = job->args;
    args.y += row * args.ldy + panel * 16;
    args.x += row * args.ldx;
    args.w = (const char *)linear->w + panel * panel_bytes(linear);
    if (args.bias) args.bias += panel * 16;
    args.rows = rows;
    args.panels = panels;
    if (linear->type == KZ__BF16) {
        job->run->kernels->mm_bf16(&args);
    } else {
        job->run->kernels->mm_f32(&args);
    }
}

/* Item: row block (fast) of a panel block (slow), so that a thread keeps its panels in cache. */
static void product_job(void *arg, size_t begin, size_t end, int thread) {
    const product *job = arg;
    const kz__linear *linear = job->linear;
    (void)thread;
    for (size_t item = begin; item < end; item++) {
        size_t panel = item / job->row_blocks * job->panel_block;
        size_t row = item % job->row_blocks * job->row_block;
        size_t panels = linear->panels - panel;
        size_t rows = job->rows - row;
        if (panels > job->panel_block) panels = job->panel_block;
        if (rows > job->row_block) rows = job->row_block;
        if (kz__is_quantized(linear->type)) {
            multiply_quantized(job, row, rows, panel, panels);
        } else {
            multiply(job, row, rows, panel, panels);
        }
        kz__after_run(job->run->kernels, &job->after, job->args.y, job->args.ldy, row, 1, rows,
                      panel, panels);
    }
}

#define CACHED ((size_t)256 * 1024) /* bytes of panels in use at a time */

/* Block sizes never change bits. Stretches of panels that stay in the second-level cache while the
 * rows pass by, and blocks enough that threads end together. */
static void choose_blocks(product *job, size_t threads) {
    const kz__linear *linear = job->linear;
    size_t bytes = panel_bytes(linear) + 1;
    size_t least = 8192 / bytes + 1;
    job->row_block = job->rows < 112 ? job->rows : 112;
    job->row_blocks = (job->rows + job->row_block - 1) / job->row_block;
    size_t pieces = threads == 1 ? 1 : (4 * threads + job->row_blocks - 1) / job->row_blocks;
    size_t fitting = (linear->panels * bytes + CACHED - 1) / CACHED;
    if (pieces < fitting) pieces = (fitting + threads - 1) / threads * threads;
    job->panel_block = (linear->panels + pieces - 1) / pieces;
    if (job->panel_block < least) job->panel_block = least;
    job->panel_block = (job->panel_block + 1) / 2 * 2; /* gate and up stay together */
    if (job->panel_block > linear->panels) job->panel_block = linear->panels;
}

static void run_product(product *job) {
    choose_blocks(job, (size_t)kz__pool_threads(job->run->pool));
    size_t panel_blocks = (job->linear->panels + job->panel_block - 1) / job->panel_block;
    kz__pool_for(job->run->pool, panel_blocks * job->row_blocks, 1, product_job, job);
}

/* As many rows at a time as the scratch holds. */
static void run_quantized(product *job, size_t rows) {
    size_t k = job->linear->in;
    size_t context = job->linear->taps - 1;
    size_t most = job->run->scratch->capacity / (kz__pairs(k) * KZ__PAIR_K) - context;
    while (rows) {
        job->rows = rows < most ? rows : most;
        kz__quantized_rows(job->run, job->args.x, job->args.ldx, k, context + job->rows,
                           job->linear->factor);
        run_product(job);
        job->args.x += job->rows * job->args.ldx;
        job->args.y += job->rows * job->args.ldy;
        if (job->after.z) job->after.z += job->rows * job->after.ldz;
        rows -= job->rows;
    }
}

void kz__linear_run(const kz__run *run, const kz__linear *linear, const float *x, size_t ldx,
                    size_t tap_stride, float *y, size_t ldy, size_t rows, const kz__after *after) {
    if (rows == 0) return;
    product job = {0};
    job.run = run;
    job.linear = linear;
    if (after) job.after = *after;
    job.rows = rows;
    job.args.y = y;
    job.args.ldy = ldy;
    job.args.x = x;
    job.args.ldx = ldx;
    job.args.w = linear->w;
    job.args.panel_stride = linear->taps * linear->in * 16;
    job.args.bias = linear->bias;
    job.args.k = linear->in;
    job.args.taps = linear->taps;
    job.args.tap_stride = tap_stride;
    if (kz__is_quantized(linear->type)) {
        run_quantized(&job, rows);
    } else {
        run_product(&job);
    }
}

/* The bytes are read to the end of the row's place and widened from its begin on: a value is never
 * behind what is still to be read. */
kz_status kz__embedding_row(const kz__rows *table, kz__dtype type, size_t index, float *row,
                            kz__err *err) {
    size_t width = table->width;
    size_t before = (sizeof *row - kz__dtype_bytes(table->type)) * width;
    const kz__tensor stored = {.data = (const char *)row + before, .type = table->type};
    kz_status status = kz__rows_read(table, index, (char *)row + before, err);
    if (status) return status;
    for (size_t i = 0; i < width; i++) row[i] = round_to(type, kz__tensor_at(&stored, i));
    for (size_t i = width; i < kz__pad16(width); i++) row[i] = 0;
    return KZ_OK;
}

float *kz__vector_load(kz__mem *mem, const kz__tensor *tensor) {
    size_t count = tensor->shape[0];
    float *values = kz__calloc(mem, kz__pad16(count), sizeof(float));
    if (!values) return NULL;
    for (size_t i = 0; i < count; i++) values[i] = kz__tensor_at(tensor, i);
    return values;
}
