/* Quantised panels from tensors, and quantised rows from floats. */
#include "nn/quantized.h"

#include "base/cpu.h"
#include "tensor/quant.h"

#define SMALL_MATRIX ((size_t)1 << 20) /* weights that one thread packs in a few milliseconds */

/* A tap of row `row` as floats; zeros where the source has none. */
static void read_row(const kz__pack_source *s, size_t row, size_t tap, size_t in, float *values) {
    ptrdiff_t from = s->base + (ptrdiff_t)row * s->row_step + (ptrdiff_t)tap * s->tap_step;
    const unsigned char *bytes = s->weight->data;
    if (row >= s->rows) {
        memset(values, 0, in * sizeof *values);
        return;
    }
    if (s->weight->type != KZ__BF16 || s->in_step != 1) {
        for (size_t c = 0; c < in; c++, from += s->in_step) {
            values[c] = kz__tensor_at(s->weight, (size_t)from);
        }
        return;
    }
    bytes += 2 * from;
    for (size_t c = 0; c < in; c++) {
        uint16_t bits = 0;
        memcpy(&bits, bytes + 2 * c, sizeof bits);
        values[c] = kz__bf16_to_f32(bits);
    }
}

/* The bits of the largest absolute value; those of what is not finite are larger. */
static uint32_t largest_bits(const float *values, size_t count) {
    uint32_t most = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = 0;
        memcpy(&bits, &values[i], sizeof bits);
        bits &= 0x7fffffffu;
        most = bits > most ? bits : most;
    }
    return most;
}

/* The same of all sources. */
static uint32_t largest_of(const kz__linear *linear, const kz__pack_source *sources, size_t count,
                           float *row) {
    uint32_t most = 0;
    for (size_t s = 0; s < count; s++) {
        for (size_t r = 0; r < sources[s].rows * linear->taps; r++) {
            read_row(&sources[s], r / linear->taps, r % linear->taps, linear->in, row);
            uint32_t bits = largest_bits(row, linear->in);
            most = bits > most ? bits : most;
        }
    }
    return most;
}

/* One row of a panel: row is padded with zeros to whole pairs. */
static void pack_row(kz__linear *linear, char *panel, size_t i, const float *row) {
    size_t pair_bytes = kz__pair_bytes(linear->type);
    for (size_t b = 0; b < 2 * kz__pairs(linear->in); b++) {
        uint16_t scale = 0;
        int8_t codes[KZ__BLOCK];
        kz__quant_block(linear->type, linear->factor, row + b * KZ__BLOCK, &scale, codes);
        kz__quant_put(linear->type, panel + b / 2 * pair_bytes, b % 2, i, scale, codes);
    }
}

typedef struct pack_job {
    kz__linear *linear;
    const kz__pack_source *source;
    float *rows; /* one for each thread */
    size_t row_floats;
} pack_job;

/* Item: a panel of the source, of one tap after the other. */
static void pack_panels(void *arg, size_t begin, size_t end, int thread) {
    const pack_job *job = arg;
    kz__linear *linear = job->linear;
    const kz__pack_source *s = job->source;
    size_t panel_bytes = kz__pairs(linear->in) * kz__pair_bytes(linear->type);
    float *row = job->rows + (size_t)thread * job->row_floats;
    for (size_t item = begin; item < end; item++) {
        size_t tap = item % linear->taps;
        size_t p = item / linear->taps;
        size_t target = tap * linear->panels + s->first_panel + p * s->panel_step;
        char *panel = (char *)linear->w + target * panel_bytes;
        for (size_t i = 0; i < KZ__PANEL_ROWS; i++) {
            read_row(s, p * KZ__PANEL_ROWS + i, tap, linear->in, row);
            pack_row(linear, panel, i, row);
        }
    }
}

/* Fitting scales is the longest part of opening a model: large matrices take all processors, or
 * one where no pool can be had. */
static void pack_source(kz__mem *mem, pack_job *job, int threads) {
    size_t panels = kz__pad16(job->source->rows) / KZ__PANEL_ROWS * job->linear->taps;
    kz__pool *pool = NULL;
    if (threads > 1 && kz__pool_create(mem, threads, &pool, NULL) == KZ_OK) {
        kz__pool_for(pool, panels, 1, pack_panels, job);
        kz__pool_destroy(pool);
        return;
    }
    pack_panels(job, 0, panels, 0);
}

/* Memory for the panels: of the store where there is one with room. */
static void *place(kz__mem *mem, kz__store *store, kz__linear *linear, size_t bytes) {
    if (!store || store->left < bytes) return kz__alloc(mem, bytes);
    void *at = store->next;
    store->next += bytes; /* pairs are whole cache lines */
    store->left -= bytes;
    linear->lent = true;
    return at;
}

kz_status kz__quantized_pack(kz__mem *mem, kz__store *store, kz__linear *linear,
                             const kz__pack_source *sources, size_t count, kz__err *err) {
    size_t pairs = kz__pairs(linear->in);
    size_t panel_bytes = pairs * kz__pair_bytes(linear->type);
    size_t panels = linear->taps * linear->panels;
    size_t bytes = 0;
    bool small = panels * KZ__PANEL_ROWS * linear->in < SMALL_MATRIX;
    int threads = small ? 1 : kz__cpu_count();
    if (threads > 256) threads = 256;
    if (!kz__mul(panels, panel_bytes, &bytes)) return kz__fail_memory(err);
    float *row = kz__calloc(mem, (size_t)threads * pairs * KZ__PAIR_K, sizeof *row);
    linear->w = place(mem, store, linear, bytes);
    if (!row || !linear->w) {
        kz__free(mem, row);
        return kz__fail_memory(err);
    }
    uint32_t most = largest_of(linear, sources, count, row);
    if (most >= 0x7f800000u) {
        kz__free(mem, row);
        return kz__fail(err, KZ_ERR_MODEL, "tensor %.100s (or one packed with it) has a value that"
                        " is not finite", sources[0].weight->name);
    }
    float largest = 0;
    memcpy(&largest, &most, sizeof largest);
    linear->factor = kz__quant_factor(linear->type, largest);
    for (size_t s = 0; s < count; s++) {
        pack_job job = {linear, &sources[s], row, pairs * KZ__PAIR_K};
        pack_source(mem, &job, threads);
    }
    kz__free(mem, row);
    return KZ_OK;
}

kz_status kz__scratch_init(kz__scratch *scratch, kz__mem *mem, size_t rows, size_t width,
                           kz__err *err) {
    memset(scratch, 0, sizeof *scratch);
    size_t codes = rows * kz__pairs(width) * KZ__PAIR_K;
    if (!codes) return KZ_OK;
    scratch->mem = mem;
    scratch->capacity = codes;
    scratch->codes = kz__alloc(mem, codes);
    scratch->scales = kz__alloc(mem, codes / KZ__BLOCK * sizeof *scratch->scales);
    scratch->sums = kz__alloc(mem, codes / KZ__BLOCK * sizeof *scratch->sums);
    if (scratch->codes && scratch->scales && scratch->sums) return KZ_OK;
    kz__scratch_clear(scratch);
    return kz__fail_memory(err);
}

kz_status kz__scratch_add_tiles(kz__scratch *scratch, kz__mem *mem, size_t threads, size_t floats,
                                kz__err *err) {
    if (!floats) return KZ_OK;
    scratch->mem = mem;
    scratch->threads = threads;
    scratch->tile_floats = floats;
    scratch->tiles = kz__alloc(mem, threads * floats * sizeof *scratch->tiles);
    scratch->tile_block = kz__calloc(mem, threads, sizeof *scratch->tile_block);
    return scratch->tiles && scratch->tile_block ? KZ_OK : kz__fail_memory(err);
}

void kz__scratch_clear(kz__scratch *scratch) {
    if (!scratch->mem) return;
    kz__free(scratch->mem, scratch->codes);
    kz__free(scratch->mem, scratch->scales);
    kz__free(scratch->mem, scratch->sums);
    kz__free(scratch->mem, scratch->tiles);
    kz__free(scratch->mem, scratch->tile_block);
    memset(scratch, 0, sizeof *scratch);
}

typedef struct rows_job {
    const kz__run *run;
    const float *x;
    size_t ldx, k;
} rows_job;

static void quantize_rows(void *arg, size_t begin, size_t end, int thread) {
    const rows_job *job = arg;
    const kz__scratch *to = job->run->scratch;
    size_t blocks = 2 * kz__pairs(job->k);
    (void)thread;
    for (size_t r = begin; r < end; r++) {
        job->run->kernels->quantize(to->codes + r * blocks * KZ__BLOCK, to->scales + r * blocks,
                                    to->sums + r * blocks, job->x + r * job->ldx, job->k, blocks);
    }
}

void kz__quantized_rows(const kz__run *run, const float *x, size_t ldx, size_t k, size_t rows) {
    rows_job job = {run, x, ldx, k};
    kz__pool_for(run->pool, rows, 4, quantize_rows, &job);
}
