/* Tiles over the pool. A thread takes a block of tiles with some panels of outputs: it transforms
 * the block's inputs (unless it has them from the item before), multiplies for each point, and
 * puts the outputs together while the products are in cache. */
#include "nn/winograd.h"

#include "kernels/winograd_constants.h"

#define TAPS KZ__WINOGRAD_TAPS
#define OUTS KZ__WINOGRAD_OUTS
#define POINTS KZ__WINOGRAD_POINTS
/* A block's inputs, and what it makes of a few panels, stay in the second-level cache where there
 * are few channels; where there are many, the weights are read seldom. */
#define BLOCK_TILES 84
#define BLOCK_PANELS 6

kz_status kz__winograd_pack(kz__mem *mem, kz__linear *linear, const kz__tensor *weight,
                            const kz__tensor *bias, kz__err *err) {
    kz__pack_source source = {0};
    source.weight = weight;
    source.bias = bias;
    source.rows = weight->shape[0];
    source.row_step = (ptrdiff_t)(weight->shape[1] * TAPS);
    source.in_step = TAPS;
    source.tap_step = 1;
    source.panel_step = 1;
    source.mix = kz__winograd_weights[0];
    source.mixed = TAPS;
    return kz__linear_pack(mem, linear, KZ__F32, weight->shape[1], POINTS, &source, 1, err);
}

static size_t block_panels(const kz__linear *linear) {
    return linear->panels < BLOCK_PANELS ? linear->panels : BLOCK_PANELS;
}

size_t kz__winograd_floats(const kz__conv *conv) {
    if (conv->how != KZ__CONV_WINOGRAD) return 0;
    return BLOCK_TILES * POINTS * (kz__pad16(conv->in) + block_panels(&conv->linear) * 16);
}

typedef struct tiles_job {
    const kz__run *run;
    const kz__conv_state *state;
    kz__after after;
    float *y;
    size_t ldy;
    size_t tall, low; /* tiles of a phase: of the first ones, of those with a row less */
    size_t frame_tiles, tiles, blocks;
    size_t pieces, piece_panels; /* a block's panels may be split over threads */
} tiles_job;

/* Output rows row, row + dilation, ...; inputs begin as many rows before as the history is long. */
typedef struct tile {
    size_t row, outs;
} tile;

static tile tile_at(const tiles_job *job, size_t index) {
    size_t dilation = job->state->conv->dilation;
    size_t rows = job->state->frame_rows;
    size_t frame = index / job->frame_tiles;
    size_t longer = rows % dilation; /* phases with a row more */
    size_t count = rows / dilation + 1;
    size_t phase = 0;
    index -= frame * job->frame_tiles;
    if (index < longer * job->tall) {
        phase = index / job->tall;
        index -= phase * job->tall;
    } else {
        index -= longer * job->tall;
        phase = longer + index / job->low;
        index %= job->low;
        count--;
    }
    size_t left = count - index * OUTS;
    tile t = {frame * rows + phase + index * OUTS * dilation, left < OUTS ? left : OUTS};
    return t;
}

static void take_inputs(const tiles_job *job, size_t first, size_t tiles, float *v) {
    const kz__conv_state *s = job->state;
    for (size_t i = 0; i < tiles; i++) {
        tile t = tile_at(job, first + i);
        job->run->kernels->winograd_in(v + i * s->ld, tiles * s->ld, s->rows + t.row * s->ld,
                                       s->conv->dilation * s->ld, TAPS - 1 + t.outs, s->ld);
    }
}

static void multiply(const tiles_job *job, const float *v, float *m, size_t tiles, size_t panel,
                     size_t panels) {
    const kz__linear *linear = &job->state->conv->linear;
    kz__mm_args args = {.ldy = panels * 16, .ldx = job->state->ld, .rows = tiles, .panels = panels,
                        .panel_stride = POINTS * linear->in * 16, .k = linear->in, .taps = 1};
    for (size_t j = 0; j < POINTS; j++) {
        args.y = m + j * tiles * panels * 16;
        args.x = v + j * tiles * job->state->ld;
        args.w = (const float *)linear->w + (panel * POINTS + j) * linear->in * 16;
        job->run->kernels->mm_f32(&args);
    }
}

static void give_outputs(const tiles_job *job, size_t first, size_t tiles, const float *m,
                         size_t panel, size_t panels) {
    const kz__kernels *k = job->run->kernels;
    size_t dilation = job->state->conv->dilation;
    for (size_t i = 0; i < tiles; i++) {
        tile t = tile_at(job, first + i);
        k->winograd_out(job->y + t.row * job->ldy + panel * 16, dilation * job->ldy, t.outs,
                        m + i * panels * 16, tiles * panels * 16,
                        job->state->conv->linear.bias + panel * 16, panels * 16);
        kz__after_run(k, &job->after, job->y, job->ldy, t.row, dilation, t.outs, panel, panels);
    }
}

/* Tiles of all blocks before block `index`: blocks are equal within one tile. */
static size_t block_begin(const tiles_job *job, size_t index) {
    return index * job->tiles / job->blocks;
}

/* Item: piece (fast) of a block (slow). */
static void run_items(void *arg, size_t begin, size_t end, int thread) {
    const tiles_job *job = arg;
    const kz__scratch *scratch = job->run->scratch;
    const kz__linear *linear = &job->state->conv->linear;
    float *v = scratch->tiles + (size_t)thread * scratch->tile_floats;
    for (size_t item = begin; item < end; item++) {
        size_t block = item / job->pieces;
        size_t first = block_begin(job, block);
        size_t tiles = block_begin(job, block + 1) - first;
        float *m = v + POINTS * tiles * job->state->ld;
        size_t panel = item % job->pieces * job->piece_panels;
        size_t last = panel + job->piece_panels;
        if (last > linear->panels) last = linear->panels;
        if (scratch->tile_block[thread] != block) take_inputs(job, first, tiles, v);
        scratch->tile_block[thread] = block;
        while (panel < last) {
            size_t panels = last - panel;
            if (panels > BLOCK_PANELS) panels = BLOCK_PANELS;
            multiply(job, v, m, tiles, panel, panels);
            give_outputs(job, first, tiles, m, panel, panels);
            panel += panels;
        }
    }
}

/* How the work is cut never changes bits. Few blocks: each is taken by several threads, which read
 * different weights and transform the same inputs. */
static void choose_pieces(tiles_job *job, size_t threads) {
    const kz__conv *conv = job->state->conv;
    size_t rows = job->state->frame_rows;
    size_t longer = rows % conv->dilation;
    size_t wanted = threads > 1 ? 4 * threads : 1;
    job->tall = (rows / conv->dilation + OUTS) / OUTS;
    job->low = (rows / conv->dilation + OUTS - 1) / OUTS;
    job->frame_tiles = longer * job->tall + (conv->dilation - longer) * job->low;
    job->tiles *= job->frame_tiles;
    job->blocks = (job->tiles + BLOCK_TILES - 1) / BLOCK_TILES;
    job->pieces = (wanted + job->blocks - 1) / job->blocks;
    job->piece_panels = (conv->linear.panels + job->pieces - 1) / job->pieces;
    job->piece_panels = (job->piece_panels + 1) / 2 * 2;
    job->pieces = (conv->linear.panels + job->piece_panels - 1) / job->piece_panels;
}

void kz__winograd_run(const kz__run *run, const kz__conv_state *state, float *y, size_t ldy,
                      size_t rows, const kz__after *after) {
    tiles_job job = {.run = run, .state = state, .y = y, .ldy = ldy};
    if (after) job.after = *after;
    job.tiles = rows / state->frame_rows;
    choose_pieces(&job, (size_t)kz__pool_threads(run->pool));
    for (size_t i = 0; i < run->scratch->threads; i++) {
        run->scratch->tile_block[i] = (size_t)-1;
    }
    kz__pool_for(run->pool, job.blocks * job.pieces, 1, run_items, &job);
}
