/* Quantised panels from tensors, and quantised rows from floats. */
#include "nn/quantized.h"

#include "base/cpu.h"
#include "tensor/quant.h"

#include <stdatomic.h>

#define SMALL_MATRIX ((size_t)1 << 20) /* weights that one thread packs in a few milliseconds */
#define PIECE 128 /* blocks that are worth waking another thread */

/* Columns first..first+31 of a tap of the rows of a panel; zeros where the source has none. */
static void read_block(const kz__pack_source *s, size_t in, size_t panel, size_t tap,
                       size_t first, kz__quant_row *values) {
    size_t count = first < in ? in - first : 0;
    bool plain = s->weight->type == KZ__BF16 && s->in_step == 1;
    if (count > KZ__BLOCK) count = KZ__BLOCK;
    if (count < KZ__BLOCK || panel * KZ__PANEL_ROWS + KZ__PANEL_ROWS > s->rows) {
        memset(values, 0, KZ__BLOCK * sizeof *values);
    }
    for (size_t n = 0; n < KZ__PANEL_ROWS; n++) {
        size_t row = panel * KZ__PANEL_ROWS + n;
        if (row >= s->rows) return;
        ptrdiff_t from = s->base + (ptrdiff_t)row * s->row_step + (ptrdiff_t)tap * s->tap_step +
                         (ptrdiff_t)first * s->in_step;
        const unsigned char *bytes = (const unsigned char *)s->weight->data + 2 * from;
        for (size_t c = 0; plain && c < count; c++) {
            uint16_t bits = 0; /* files promise no alignment */
            memcpy(&bits, bytes + 2 * c, sizeof bits);
            values[c][n] = kz__bf16_to_f32(bits);
        }
        for (size_t c = 0; !plain && c < count; c++, from += s->in_step) {
            values[c][n] = kz__tensor_at(s->weight, (size_t)from);
        }
    }
}

typedef struct pack_job {
    kz__linear *linear;
    const kz__pack_source *source;
    _Atomic uint32_t most;
} pack_job;

/* Item: a panel of the source, of one tap after the other. The bits of the largest absolute value;
 * those of what is not finite are larger. */
static void find_most(void *arg, size_t begin, size_t end, int thread) {
    pack_job *job = arg;
    size_t taps = job->linear->taps;
    uint32_t most = 0;
    (void)thread;
    for (size_t item = begin; item < end; item++) {
        for (size_t first = 0; first < job->linear->in; first += KZ__BLOCK) {
            kz__quant_row values[KZ__BLOCK];
            uint32_t bits[KZ__BLOCK * KZ__PANEL_ROWS];
            read_block(job->source, job->linear->in, item / taps, item % taps, first, values);
            memcpy(bits, values, sizeof bits);
            for (size_t i = 0; i < KZ__BLOCK * KZ__PANEL_ROWS; i++) {
                uint32_t size = bits[i] & 0x7fffffffu;
                most = size > most ? size : most;
            }
        }
    }
    uint32_t before = atomic_load(&job->most);
    while (most > before && !atomic_compare_exchange_weak(&job->most, &before, most)) {
        /* before is what another thread put there */
    }
}

/* Item: as above. */
static void pack_panels(void *arg, size_t begin, size_t end, int thread) {
    const pack_job *job = arg;
    kz__linear *linear = job->linear;
    const kz__pack_source *s = job->source;
    size_t pair_bytes = kz__pair_bytes(linear->type);
    size_t pairs = kz__pairs(linear->in);
    (void)thread;
    for (size_t item = begin; item < end; item++) {
        size_t p = item / linear->taps;
        size_t tap = item % linear->taps;
        size_t to = tap * linear->panels + s->first_panel + p * s->panel_step;
        char *panel = (char *)linear->w + to * pairs * pair_bytes;
        for (size_t b = 0; b < 2 * pairs; b++) {
            kz__quant_row values[KZ__BLOCK];
            kz__quant_codes codes[KZ__BLOCK];
            uint16_t scales[KZ__PANEL_ROWS];
            read_block(s, linear->in, p, tap, b * KZ__BLOCK, values);
            kz__quant_blocks(linear->type, linear->factor, (const kz__quant_row *)values, scales,
                             codes);
            kz__quant_put(linear->type, panel + b / 2 * pair_bytes, b % 2, scales,
                          (const kz__quant_codes *)codes);
        }
    }
}

/* Fitting scales is the longest part of opening a model: large matrices take all processors, or
 * one where no pool can be had. */
static void pack_sources(kz__pool *pool, kz__pool_fn *fn, pack_job *job,
                         const kz__pack_source *sources, size_t count) {
    for (size_t s = 0; s < count; s++) {
        size_t panels = kz__pad16(sources[s].rows) / KZ__PANEL_ROWS * job->linear->taps;
        job->source = &sources[s];
        if (pool) {
            kz__pool_for(pool, panels, 1, fn, job);
        } else {
            fn(job, 0, panels, 0);
        }
    }
}

/* Memory for the panels: of the store where there is one with room. */
static void *make_room(kz__mem *mem, kz__store *store, kz__linear *linear, size_t bytes) {
    if (!store || store->left < bytes) return kz__alloc(mem, bytes);
    void *at = store->next;
    store->next += bytes; /* pairs are whole cache lines */
    store->left -= bytes;
    linear->lent = true;
    return at;
}

kz_status kz__quantized_pack(const kz__pack_place *place, kz__linear *linear,
                             const kz__pack_source *sources, size_t count, kz__err *err) {
    kz__mem *mem = place->mem;
    size_t pairs = kz__pairs(linear->in);
    size_t panel_bytes = pairs * kz__pair_bytes(linear->type);
    size_t panels = linear->taps * linear->panels;
    size_t bytes = 0;
    bool small = panels * KZ__PANEL_ROWS * linear->in < SMALL_MATRIX;
    int threads = place->weights ? kz__weights_threads(place->weights) : 0;
    if (threads < 1) threads = kz__cpu_count();
    if (small) threads = 1;
    if (threads > 256) threads = 256;
    if (!kz__mul(panels, panel_bytes, &bytes)) return kz__fail_memory(err);
    linear->w = make_room(mem, place->store, linear, bytes);
    if (!linear->w) return kz__fail_memory(err);
    kz__pool *pool = NULL;
    if (threads > 1 && kz__pool_create(mem, threads, &pool, NULL) != KZ_OK) pool = NULL;
    pack_job job = {linear, NULL, 0};
    pack_sources(pool, find_most, &job, sources, count);
    uint32_t most = atomic_load(&job.most);
    if (most < 0x7f800000u) {
        float largest = 0;
        memcpy(&largest, &most, sizeof largest);
        linear->factor = kz__quant_factor(linear->type, largest);
        pack_sources(pool, pack_panels, &job, sources, count);
    }
    kz__pool_destroy(pool);
    if (most < 0x7f800000u) return KZ_OK;
    return kz__fail(err, KZ_ERR_MODEL, "tensor %.100s (or one packed with it) has a value that is"
                    " not finite", sources[0].weight->name);
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
    size_t ldx, k, rows;
    float factor;
} rows_job;

/* Item: a block of all rows, so that threads do not write side by side. */
static void quantize_blocks(void *arg, size_t begin, size_t end, int thread) {
    const rows_job *job = arg;
    size_t at = begin * KZ__BLOCK < job->k ? begin * KZ__BLOCK : job->k;
    (void)thread;
    for (size_t r = 0; r < job->rows; r++) {
        kz__codes to = kz__quantized_codes(job->run->scratch, begin * job->rows + r, job->rows);
        job->run->kernels->quantize(&to, job->x + r * job->ldx + at, job->k - at, end - begin,
                                    job->factor);
    }
}

kz__codes kz__quantized_codes(const kz__scratch *scratch, size_t block, size_t rows) {
    kz__codes codes = {scratch->codes + block * KZ__BLOCK, scratch->scales + block,
                       scratch->sums + block, rows};
    return codes;
}

void kz__quantized_rows(const kz__run *run, const float *x, size_t ldx, size_t k, size_t rows,
                        float factor) {
    rows_job job = {run, x, ldx, k, rows, factor};
    size_t blocks = 2 * kz__pairs(k);
    size_t grain = PIECE / rows + 1;
    kz__pool_for(run->pool, blocks, grain, quantize_blocks, &job);
}
