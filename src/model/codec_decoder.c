/* The codec decoder's run. The stages up to `WIDE_BLOCKS` blocks take all frames of a call, so that
 * their large weights are read once; the later ones, with small weights and many rows, go frame by
 * frame, so that their rows stay in cache. */
#include "model/codec_decoder.h"

#include "nn/finite.h"
#include "nn/winograd.h"

#include <stdio.h>

#define WIDE_BLOCKS 2

typedef struct block_state {
    kz__conv_state up;
    kz__conv_state units[KZ__UNITS]; /* of conv1 */
    float *x;                        /* [rows][ld]: residual stream */
    size_t ld;
} block_state;

typedef struct convnext_state {
    kz__conv_state up, depthwise;
    float *u, *expanded, *out;
} convnext_state;

struct kz__codec_state {
    kz__mem *mem;
    const kz__codec_decoder *decoder;
    kz__conv_state pre_conv;
    kz__stack_work stack;
    kz__kvcache cache;
    kz__scratch scratch; /* of the convolutions */
    kz__conv_state **convs; /* all of them, in the order of the data */
    size_t conv_count;
    float *entry, *rest;    /* [frames][codebook width]: sums of entries */
    float *latent, *h, *normed;
    convnext_state *upsample;
    kz__conv_state first, last;
    float *first_out;       /* rows before the blocks */
    block_state *blocks;
    float *inner, *out;     /* of any block, [rows][ld]: conv1's and conv2's output */
    float *last_out;        /* [rows of a frame][16] */
    size_t rows_per_frame;  /* before the blocks */
    kz__decoder_tap *tap;
    void *tap_user;
    size_t tap_first, tap_frames; /* frames of this call that a stage is run for */
};

static size_t block_frames(size_t block) {
    return block < WIDE_BLOCKS ? KZ__DECODER_FRAMES : 1;
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

/* The codes that a product of `rows` rows takes at once. */
static size_t codes_of(const kz__linear *linear, size_t rows) {
    return kz__linear_rows(linear, rows) * kz__pairs(kz__linear_scratch(linear)) * KZ__PAIR_K;
}

/* Room for the codes of any product, and for the tiles of any convolution. */
static kz_status init_scratch(kz__codec_state *s, int threads, kz__err *err) {
    const kz__codec_decoder *d = s->decoder;
    size_t rows = KZ__DECODER_FRAMES;
    size_t stack = kz__pairs(kz__stack_scratch(&d->stack)) * KZ__PAIR_K;
    size_t codes = larger(codes_of(&d->pre_conv.linear, rows), rows * stack);
    size_t floats = 0;
    for (size_t i = 0; i < d->config->upsampling_ratio_count; i++) {
        codes = larger(codes, codes_of(&d->upsample[i].up.linear, rows));
        rows *= d->config->upsampling_ratios[i];
        codes = larger(codes, codes_of(&d->upsample[i].expand, rows));
        codes = larger(codes, codes_of(&d->upsample[i].contract, rows));
    }
    codes = larger(codes, codes_of(&d->first.linear, rows));
    rows /= KZ__DECODER_FRAMES;
    for (size_t i = 0; i < d->config->upsample_rate_count; i++) {
        const kz__decoder_block *b = &d->blocks[i];
        codes = larger(codes, codes_of(&b->up.linear, rows * block_frames(i)));
        rows *= d->config->upsample_rates[i];
        for (size_t u = 0; u < KZ__UNITS; u++) {
            codes = larger(codes, codes_of(&b->units[u].conv2.linear, rows * block_frames(i)));
            floats = larger(floats, kz__winograd_floats(&b->units[u].conv1));
        }
    }
    floats = larger(floats, kz__winograd_floats(&d->last));
    kz_status status = kz__scratch_init(&s->scratch, s->mem, 1, codes, err);
    if (status) return status;
    return kz__scratch_add_tiles(&s->scratch, s->mem, (size_t)threads, floats, err);
}

static kz_status init_lists(kz__codec_state *s, kz__err *err) {
    const kz__codec_config *c = s->decoder->config;
    size_t most = 3 + 2 * c->upsampling_ratio_count + (1 + KZ__UNITS) * c->upsample_rate_count;
    size_t n = 0;
    s->upsample = kz__calloc(s->mem, c->upsampling_ratio_count, sizeof *s->upsample);
    s->blocks = kz__calloc(s->mem, c->upsample_rate_count, sizeof *s->blocks);
    s->convs = kz__calloc(s->mem, most, sizeof(kz__conv_state *));
    if (!s->upsample || !s->blocks || !s->convs) return kz__fail_memory(err);
    s->convs[n++] = &s->pre_conv;
    for (size_t i = 0; i < c->upsampling_ratio_count; i++) {
        s->convs[n++] = &s->upsample[i].up;
        s->convs[n++] = &s->upsample[i].depthwise;
    }
    s->convs[n++] = &s->first;
    for (size_t i = 0; i < c->upsample_rate_count; i++) {
        s->convs[n++] = &s->blocks[i].up;
        for (size_t u = 0; u < KZ__UNITS; u++) s->convs[n++] = &s->blocks[i].units[u];
    }
    s->convs[n++] = &s->last;
    s->conv_count = n;
    return KZ_OK;
}

static kz_status init_upsample(kz__codec_state *s, kz__err *err) {
    const kz__codec_decoder *d = s->decoder;
    size_t ld = kz__pad16(d->config->latent_dim);
    size_t frames = KZ__DECODER_FRAMES;
    size_t frame_rows = 1;
    for (size_t i = 0; i < d->config->upsampling_ratio_count; i++) {
        convnext_state *u = &s->upsample[i];
        kz_status status =
            kz__conv_state_init(&u->up, s->mem, &d->upsample[i].up, frame_rows, frames, err);
        frame_rows *= d->config->upsampling_ratios[i];
        if (!status) {
            status = kz__conv_state_init(&u->depthwise, s->mem, &d->upsample[i].depthwise,
                                         frame_rows, frames, err);
        }
        if (status) return status;
        size_t rows = frame_rows * frames;
        u->u = kz__calloc(s->mem, rows * ld, sizeof(float));
        u->out = kz__calloc(s->mem, rows * ld, sizeof(float));
        u->expanded =
            kz__calloc(s->mem, rows * d->upsample[i].expand.panels * 16, sizeof(float));
        if (!u->u || !u->out || !u->expanded) return kz__fail_memory(err);
    }
    s->rows_per_frame = frame_rows;
    kz_status status =
        kz__conv_state_init(&s->first, s->mem, &d->first, frame_rows, frames, err);
    if (status) return status;
    s->first_out = kz__calloc(s->mem, frame_rows * frames * kz__pad16(d->config->decoder_dim),
                              sizeof(float));
    return s->first_out ? KZ_OK : kz__fail_memory(err);
}

static kz_status init_blocks(kz__codec_state *s, kz__err *err) {
    const kz__codec_decoder *d = s->decoder;
    size_t rows = s->rows_per_frame; /* per frame */
    size_t most = 0;
    for (size_t i = 0; i < d->config->upsample_rate_count; i++) {
        block_state *b = &s->blocks[i];
        size_t frames = block_frames(i);
        kz_status status =
            kz__conv_state_init(&b->up, s->mem, &d->blocks[i].up, rows, frames, err);
        rows *= d->config->upsample_rates[i];
        b->ld = kz__pad16(d->blocks[i].up.out);
        for (size_t u = 0; !status && u < KZ__UNITS; u++) {
            const kz__conv *conv = &d->blocks[i].units[u].conv1;
            status = kz__conv_state_init(&b->units[u], s->mem, conv, rows, frames, err);
        }
        if (status) return status;
        b->x = kz__calloc(s->mem, rows * frames * b->ld, sizeof(float));
        if (!b->x) return kz__fail_memory(err);
        most = larger(most, rows * frames * b->ld);
    }
    s->inner = kz__calloc(s->mem, most, sizeof(float));
    s->out = kz__calloc(s->mem, most, sizeof(float));
    if (!s->inner || !s->out) return kz__fail_memory(err);
    s->last_out = kz__calloc(s->mem, rows * 16, sizeof(float));
    kz_status status = kz__conv_state_init(&s->last, s->mem, &d->last, rows, 1, err);
    return status || s->last_out ? status : kz__fail_memory(err);
}

static kz_status init_all(kz__codec_state *s, int threads, kz__err *err) {
    const kz__codec_decoder *d = s->decoder;
    const kz__codec_config *c = d->config;
    size_t frames = KZ__DECODER_FRAMES;
    size_t f = sizeof(float);
    kz_status status = init_lists(s, err);
    if (!status) {
        status = kz__conv_state_init(&s->pre_conv, s->mem, &d->pre_conv, 1, frames, err);
    }
    if (!status) {
        status = kz__stack_work_init(&s->stack, s->mem, &d->stack, frames, threads, err);
    }
    if (!status) {
        status = kz__stack_cache_init(&s->cache, s->mem, &d->stack, (size_t)1 << 20, frames, 16,
                                      err);
    }
    if (status) return status;
    s->entry = kz__calloc(s->mem, frames * kz__pad16(c->codebook_dim / 2), f);
    s->rest = kz__calloc(s->mem, frames * kz__pad16(c->codebook_dim / 2), f);
    size_t wide = c->latent_dim > c->codebook_dim ? c->latent_dim : c->codebook_dim;
    s->latent = kz__calloc(s->mem, frames * kz__pad16(wide), f);
    s->h = kz__calloc(s->mem, frames * kz__pad16(c->stack.width), f);
    s->normed = kz__calloc(s->mem, frames * kz__pad16(c->stack.width), f);
    if (!s->entry || !s->rest || !s->latent || !s->h || !s->normed) return kz__fail_memory(err);
    status = init_upsample(s, err);
    if (!status) status = init_blocks(s, err);
    return status ? status : init_scratch(s, threads, err);
}

kz_status kz__codec_state_create(kz__mem *mem, const kz__codec_decoder *decoder, int threads,
                                 kz__codec_state **state, kz__err *err) {
    *state = NULL;
    kz__codec_state *s = kz__calloc(mem, 1, sizeof *s);
    if (!s) return kz__fail_memory(err);
    s->mem = mem;
    s->decoder = decoder;
    kz_status status = init_all(s, threads, err);
    if (status) {
        kz__codec_state_free(s);
        return status;
    }
    *state = s;
    return KZ_OK;
}

void kz__codec_state_free(kz__codec_state *s) {
    if (!s) return;
    const kz__codec_config *c = s->decoder->config;
    kz__mem *mem = s->mem;
    for (size_t i = 0; i < s->conv_count; i++) kz__conv_state_clear(s->convs[i], mem);
    kz__stack_work_clear(&s->stack);
    kz__kvcache_clear(&s->cache);
    kz__scratch_clear(&s->scratch);
    float *plain[] = {s->entry, s->rest, s->latent, s->h, s->normed, s->first_out,
                      s->inner, s->out, s->last_out};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) kz__free(mem, plain[i]);
    for (size_t i = 0; s->upsample && i < c->upsampling_ratio_count; i++) {
        kz__free(mem, s->upsample[i].u);
        kz__free(mem, s->upsample[i].expanded);
        kz__free(mem, s->upsample[i].out);
    }
    for (size_t i = 0; s->blocks && i < c->upsample_rate_count; i++) kz__free(mem, s->blocks[i].x);
    kz__free(mem, s->upsample);
    kz__free(mem, s->blocks);
    kz__free(mem, s->convs);
    kz__free(mem, s);
}

void kz__codec_state_reset(kz__codec_state *s) {
    kz__kvcache_reset(&s->cache);
    for (size_t i = 0; i < s->conv_count; i++) kz__conv_state_reset(s->convs[i]);
}

/* Of the frames so far, those that the next one attends to. */
static size_t frames_seen(const kz__codec_state *s, size_t frames) {
    size_t window = s->cache.window;
    return window && frames > window - 1 ? window - 1 : frames;
}

size_t kz__codec_state_floats(const kz__codec_state *s, size_t frames) {
    size_t floats = frames_seen(s, frames) * kz__kvcache_floats(&s->cache);
    for (size_t i = 0; i < s->conv_count; i++) floats += kz__conv_state_floats(s->convs[i]);
    return floats;
}

void kz__codec_state_save(const kz__codec_state *s, float *to) {
    size_t frames = s->cache.length;
    size_t seen = frames_seen(s, frames);
    kz__kvcache_save(&s->cache, frames - seen, seen, to);
    to += seen * kz__kvcache_floats(&s->cache);
    for (size_t i = 0; i < s->conv_count; i++) {
        kz__conv_state_save(s->convs[i], to);
        to += kz__conv_state_floats(s->convs[i]);
    }
}

kz_status kz__codec_state_restore(kz__codec_state *s, size_t frames, const float *from,
                                  kz__err *err) {
    size_t seen = frames_seen(s, frames);
    kz_status status = kz__kvcache_restore(&s->cache, frames - seen, seen, from, seen, err);
    if (status) return status;
    from += seen * kz__kvcache_floats(&s->cache);
    for (size_t i = 0; i < s->conv_count; i++) {
        kz__conv_state_restore(s->convs[i], from);
        from += kz__conv_state_floats(s->convs[i]);
    }
    return KZ_OK;
}

/* Back from the last convolution to the transformer, which gives a row a frame. */
size_t kz__codec_reach(const kz__codec_state *s) {
    size_t rows = 0;
    for (size_t i = s->conv_count - 1; i > 0; i--) rows = kz__conv_reach(s->convs[i], rows);
    return rows;
}

void kz__codec_state_set_tap(kz__codec_state *s, kz__decoder_tap *tap, void *user) {
    s->tap = tap;
    s->tap_user = user;
}

/* ---- work over rows ------------------------------------------------------------------------ */

typedef struct rows_job {
    const kz__run *run;
    const kz__snake *snake;
    const kz__convnext *norm;
    float *y;
    const float *x;
    size_t ld, width;
} rows_job;

static void snake_rows(void *arg, size_t begin, size_t end, int thread) {
    const rows_job *job = arg;
    (void)thread;
    job->run->kernels->snake(job->y + begin * job->ld, job->ld, job->x + begin * job->ld, job->ld,
                             job->snake->a, job->snake->b, end - begin, job->ld);
}

static void snake(const kz__run *run, const kz__snake *params, float *y, const float *x, size_t ld,
                  size_t rows) {
    rows_job job = {.run = run, .snake = params, .y = y, .x = x, .ld = ld};
    kz__pool_for(run->pool, rows, 16384 / ld + 1, snake_rows, &job);
}

static void norm_rows(void *arg, size_t begin, size_t end, int thread) {
    const rows_job *job = arg;
    (void)thread;
    for (size_t r = begin; r < end; r++) {
        job->run->kernels->layer_norm(job->y + r * job->ld, job->x + r * job->ld,
                                      job->norm->norm_w, job->norm->norm_b, job->width, 1e-6f);
    }
}

/* Every stage's result passes here: it must be finite, and may be looked at. */
static kz_status stage_done(const kz__run *run, const kz__codec_state *s, const char *stage,
                            const float *x, size_t ld, size_t rows, size_t width, kz__err *err) {
    if (s->tap) s->tap(s->tap_user, stage, x, ld, rows, width, s->tap_first, s->tap_frames);
    return kz__check_finite(run, "codec decoder", stage, x, ld, rows, width, err);
}

/* ---- stages, in the order of the data ------------------------------------------------------ */

/* sum += E_q[code], E_q[c] = embedding_sum[c] / max(cluster_usage[c], 1e-5); row is scratch */
static kz_status add_entry(const kz__codec_decoder *d, size_t q, int32_t code, float *row,
                           float *sum, kz__err *err) {
    float usage = d->usages[q][code];
    if (!(usage > 1e-5f)) usage = 1e-5f;
    kz_status status = kz__embedding_row(&d->sums[q], KZ__OTHER, (size_t)code, row, err);
    if (status) return status;
    for (size_t i = 0; i < d->sums[q].width; i++) sum[i] += row[i] / usage;
    return KZ_OK;
}

static kz_status dequantize(const kz__run *run, kz__codec_state *s, const int32_t *codes,
                            size_t frames, kz__err *err) {
    const kz__codec_decoder *d = s->decoder;
    const kz__codec_config *c = d->config;
    size_t ld = kz__pad16(c->codebook_dim / 2);
    size_t out = kz__pad16(c->codebook_dim);
    memset(s->entry, 0, frames * ld * sizeof(float));
    memset(s->rest, 0, frames * ld * sizeof(float));
    for (size_t t = 0; t < frames; t++) {
        for (size_t q = 0; q < c->quantizers; q++) {
            float *sum = q < c->semantic_quantizers ? s->entry : s->rest;
            kz_status status = add_entry(d, q, codes[t * c->quantizers + q], s->latent,
                                         sum + t * ld, err);
            if (status) return status;
        }
    }
    float *z = kz__conv_input(&s->pre_conv);
    kz__after add = {.kind = KZ__ADD, .z = z, .ldz = out};
    kz__linear_run(run, &d->project_first, s->entry, ld, 0, z, out, frames, NULL);
    kz__linear_run(run, &d->project_rest, s->rest, ld, 0, s->latent, out, frames, &add);
    return stage_done(run, s, "quantizer", z, out, frames, c->codebook_dim, err);
}

static kz_status transform(const kz__run *run, kz__codec_state *s, size_t frames, float *out,
                           kz__err *err) {
    const kz__codec_decoder *d = s->decoder;
    const kz__codec_config *c = d->config;
    size_t latent = kz__pad16(c->latent_dim);
    size_t width = kz__pad16(c->stack.width);
    kz__conv_run(run, &s->pre_conv, s->latent, latent, frames, NULL);
    kz_status status =
        stage_done(run, s, "pre_conv", s->latent, latent, frames, c->latent_dim, err);
    if (status) return status;
    kz__linear_run(run, &d->stack_in, s->latent, latent, 0, s->h, width, frames, NULL);
    kz__span span = {&s->cache, frames};
    status = kz__stack_run(run, &s->stack, s->h, &span, 1, err);
    if (status) return status;
    kz__stack_norm(run, &d->stack, s->normed, s->h, frames);
    kz__linear_run(run, &d->stack_out, s->normed, width, 0, out, latent, frames, NULL);
    return stage_done(run, s, "pre_transformer", out, latent, frames, c->latent_dim, err);
}

/* rows: in; u->up holds them. out: where the next stage wants them. */
static kz_status convnext(const kz__run *run, kz__codec_state *s, size_t index, size_t rows,
                          float *out, kz__err *err) {
    const kz__convnext *stage = &s->decoder->upsample[index];
    convnext_state *u = &s->upsample[index];
    size_t latent = s->decoder->config->latent_dim;
    size_t ld = kz__pad16(latent);
    size_t made = rows * stage->up.stride;
    float *x = kz__conv_input(&u->depthwise);
    kz__conv_run(run, &u->up, x, ld, rows, NULL);
    memcpy(out, x, made * ld * sizeof(float)); /* the residual; x becomes the context */
    kz__conv_run(run, &u->depthwise, u->u, ld, made, NULL);
    rows_job job = {.run = run, .norm = stage, .y = u->u, .x = u->u, .ld = ld, .width = latent};
    kz__pool_for(run->pool, made, 4, norm_rows, &job);
    size_t wide = stage->expand.panels * 16;
    kz__after gelu = {.kind = KZ__GELU};
    kz__linear_run(run, &stage->expand, u->u, ld, 0, u->expanded, wide, made, &gelu);
    kz__after add = {.kind = KZ__SCALE_ADD, .z = out, .ldz = ld, .scale = stage->gamma};
    kz__linear_run(run, &stage->contract, u->expanded, wide, 0, u->out, ld, made, &add);
    char name[32];
    snprintf(name, sizeof name, "upsample.%zu", index);
    return stage_done(run, s, name, out, ld, made, latent, err);
}

/* x: [rows][ldx] before the block's first activation; the result is the block's x. */
static kz_status block(const kz__run *run, kz__codec_state *s, size_t index, const float *x,
                       size_t rows, kz__err *err) {
    const kz__decoder_block *w = &s->decoder->blocks[index];
    block_state *b = &s->blocks[index];
    snake(run, &w->snake, kz__conv_input(&b->up), x, b->up.ld, rows);
    kz__conv_run(run, &b->up, b->x, 0, rows, NULL);
    size_t made = rows * w->up.stride;
    for (size_t u = 0; u < KZ__UNITS; u++) {
        snake(run, &w->units[u].snake1, kz__conv_input(&b->units[u]), b->x, b->ld, made);
        kz__after act = {.kind = KZ__SNAKE, .scale = w->units[u].snake2.a,
                         .shift = w->units[u].snake2.b};
        kz__conv_run(run, &b->units[u], s->inner, b->ld, made, &act);
        kz__after add = {.kind = KZ__ADD, .z = b->x, .ldz = b->ld};
        kz__linear_run(run, &w->units[u].conv2.linear, s->inner, b->ld, 0, s->out, b->ld, made,
                       &add);
    }
    char name[32];
    snprintf(name, sizeof name, "decoder.%zu", index + 1);
    return stage_done(run, s, name, b->x, b->ld, made, w->up.out, err);
}

static kz_status finish_frame(const kz__run *run, kz__codec_state *s, const float *x, size_t rows,
                              float *samples, kz__err *err) {
    snake(run, &s->decoder->last_snake, kz__conv_input(&s->last), x, s->last.ld, rows);
    kz__conv_run(run, &s->last, s->last_out, 16, rows, NULL);
    kz_status status = stage_done(run, s, "waveform", s->last_out, 16, rows, 1, err);
    if (status) return status;
    for (size_t r = 0; r < rows; r++) samples[r] = s->last_out[r * 16];
    run->kernels->clamp(samples, samples, rows);
    return KZ_OK;
}

/* The blocks from WIDE_BLOCKS on and the last convolution, for one frame. */
static kz_status narrow(const kz__run *run, kz__codec_state *s, const float *x, size_t rows,
                        size_t from, float *samples, kz__err *err) {
    size_t count = s->decoder->config->upsample_rate_count;
    for (size_t i = from; i < count; i++) {
        kz_status status = block(run, s, i, x, rows, err);
        if (status) return status;
        x = s->blocks[i].x;
        rows *= s->decoder->config->upsample_rates[i];
    }
    return finish_frame(run, s, x, rows, samples, err);
}

/* Up to the input of the convolutions that make sound. */
static kz_status deep(const kz__run *run, kz__codec_state *s, const int32_t *codes, size_t frames,
                      kz__err *err) {
    kz_status status = dequantize(run, s, codes, frames, err);
    return status ? status : transform(run, s, frames, kz__conv_input(s->convs[1]), err);
}

static kz_status wide(const kz__run *run, kz__codec_state *s, const int32_t *codes, size_t frames,
                      kz__err *err) {
    const kz__codec_config *c = s->decoder->config;
    kz_status status = deep(run, s, codes, frames, err);
    size_t rows = frames;
    for (size_t i = 0; !status && i < c->upsampling_ratio_count; i++) {
        float *next = i + 1 < c->upsampling_ratio_count ? kz__conv_input(&s->upsample[i + 1].up)
                                                 : kz__conv_input(&s->first);
        status = convnext(run, s, i, rows, next, err);
        rows *= c->upsampling_ratios[i];
    }
    if (status) return status;
    size_t ld = kz__pad16(c->decoder_dim);
    kz__conv_run(run, &s->first, s->first_out, ld, rows, NULL);
    return stage_done(run, s, "decoder.0", s->first_out, ld, rows, c->decoder_dim, err);
}

kz_status kz__codec_skip(const kz__run *caller, kz__codec_state *s, const int32_t *codes,
                         size_t frames, kz__err *err) {
    const kz__run run = {caller->kernels, caller->pool, &s->scratch};
    s->tap_first = 0;
    s->tap_frames = frames;
    return deep(&run, s, codes, frames, err);
}

kz_status kz__codec_decode(const kz__run *caller, kz__codec_state *s, const int32_t *codes,
                           size_t frames, float *samples, kz__err *err) {
    const kz__codec_config *c = s->decoder->config;
    const kz__run with_scratch = {caller->kernels, caller->pool, &s->scratch};
    const kz__run *run = &with_scratch;
    s->tap_first = 0;
    s->tap_frames = frames;
    kz_status status = wide(run, s, codes, frames, err);
    const float *x = s->first_out;
    size_t ld = kz__pad16(c->decoder_dim);
    size_t rows = s->rows_per_frame;
    size_t from = 0;
    while (!status && from < WIDE_BLOCKS && from < c->upsample_rate_count) {
        status = block(run, s, from, x, rows * frames, err);
        x = s->blocks[from].x;
        ld = s->blocks[from].ld;
        rows *= c->upsample_rates[from];
        from++;
    }
    for (size_t t = 0; !status && t < frames; t++) {
        s->tap_first = t;
        s->tap_frames = 1;
        status = narrow(run, s, x + t * rows * ld, rows, from, samples + t * c->samples_per_frame,
                        err);
    }
    return status;
}
