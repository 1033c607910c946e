/* The codec encoder's run. The first stages, with small weights and many rows, go frame by frame,
 * so that their rows stay in cache; what follows them takes all frames of a batch, so that the
 * large weights are read once. */
#include "model/codec_encoder.h"

#include "nn/finite.h"

#include <stdio.h>

#define FRAMED_STAGES 2 /* frame by frame, but for the last stage */

typedef struct stage_state {
    kz__conv_state narrow, down;
    float *x; /* [rows][ld]: what the stage gets, its residual stream */
    size_t ld;
} stage_state;

struct kz__encoder_state {
    kz__mem *mem;
    const kz__codec_encoder *encoder;
    float *samples;     /* [kernel - 1 + samples_per_frame] */
    size_t pending;     /* samples of the frame that was begun */
    size_t taken;       /* samples of the clip so far */
    size_t batch, rows; /* frames that wait for the second part, and their rows there */
    bool begun;         /* the last convolution has seen its first row */
    stage_state *stages;
    float *inner, *out; /* of any stage, [rows][ld] */
    kz__conv_state last, downsample;
    kz__stack_work stack;
    kz__kvcache cache;
    float *latent;   /* [frames][width] */
    float *residual; /* [frames][codebook_dim]: what the levels so far leave */
    float *scores;   /* [frames][codebook_size] */
    kz__encoder_tap *tap;
    void *tap_user;
};

/* ---- sizes --------------------------------------------------------------------------------- */

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

static size_t strides(size_t rows, size_t stride) {
    return (rows + stride - 1) / stride;
}

static size_t framed_stages(const kz__encoder_config *c) {
    return c->rate_count <= FRAMED_STAGES ? c->rate_count - 1 : FRAMED_STAGES;
}

static size_t most_samples(const kz__encoder_config *c) {
    return c->max_positions * (c->samples_per_frame / KZ__ENCODER_HALVING);
}

size_t kz__codec_encoder_frames(const kz__encoder_config *config, size_t samples) {
    size_t whole = samples / config->samples_per_frame;
    return whole + (samples % config->samples_per_frame != 0);
}

kz_status kz__codec_encoder_check(const kz__encoder_config *config, size_t samples, kz__err *err) {
    size_t most = most_samples(config);
    if (samples > most) {
        return kz__fail(err, KZ_ERR_INPUT,
                        "the recording has %zu samples, %.0f seconds, the codec encoder takes %.0f "
                        "seconds at most", samples,
                        (double)samples / (double)config->sample_rate,
                        (double)most / (double)config->sample_rate);
    }
    return samples ? KZ_OK : kz__fail(err, KZ_ERR_INPUT, "the recording has no samples");
}

/* ---- life ---------------------------------------------------------------------------------- */

static kz_status init_stages(kz__encoder_state *s, kz__err *err) {
    const kz__codec_encoder *e = s->encoder;
    const kz__encoder_config *c = e->config;
    size_t rows = c->samples_per_frame; /* of a frame */
    size_t inner = 0;
    size_t out = 0;
    for (size_t i = 0; i < c->rate_count; i++) {
        const kz__encoder_stage *w = &e->stages[i];
        stage_state *stage = &s->stages[i];
        size_t frames = i < framed_stages(c) ? 1 : KZ__ENCODER_FRAMES;
        kz_status status =
            kz__conv_state_init(&stage->narrow, s->mem, &w->narrow, rows, frames, err);
        if (!status) {
            status = kz__conv_state_init(&stage->down, s->mem, &w->down, rows, frames, err);
        }
        if (status) return status;
        stage->ld = kz__pad16(w->down.in);
        stage->x = kz__calloc(s->mem, rows * frames * stage->ld, sizeof(float));
        if (!stage->x) return kz__fail_memory(err);
        inner = larger(inner, rows * frames * kz__pad16(w->narrow.out));
        out = larger(out, rows * frames * stage->ld);
        rows /= c->rates[i];
        out = larger(out, rows * frames * kz__pad16(w->down.out));
    }
    s->inner = kz__calloc(s->mem, inner, sizeof(float));
    s->out = kz__calloc(s->mem, out, sizeof(float));
    if (!s->inner || !s->out) return kz__fail_memory(err);
    kz_status status =
        kz__conv_state_init(&s->last, s->mem, &e->last, rows, KZ__ENCODER_FRAMES, err);
    if (status) return status;
    return kz__conv_state_init(&s->downsample, s->mem, &e->downsample, rows, KZ__ENCODER_FRAMES,
                               err);
}

static kz_status init_all(kz__encoder_state *s, int threads, kz__err *err) {
    const kz__codec_encoder *e = s->encoder;
    const kz__encoder_config *c = e->config;
    size_t frames = KZ__ENCODER_FRAMES;
    size_t rows = KZ__ENCODER_HALVING * frames;
    size_t f = sizeof(float);
    s->samples = kz__calloc(s->mem, c->kernel - 1 + c->samples_per_frame, f);
    s->stages = kz__calloc(s->mem, c->rate_count, sizeof *s->stages);
    s->latent = kz__calloc(s->mem, frames * kz__pad16(c->stack.width), f);
    s->residual = kz__calloc(s->mem, frames * kz__pad16(c->codebook_dim), f);
    s->scores = kz__calloc(s->mem, frames * kz__pad16(c->codebook_size), f);
    if (!s->samples || !s->stages || !s->latent || !s->residual || !s->scores) {
        return kz__fail_memory(err);
    }
    kz_status status = init_stages(s, err);
    if (!status) status = kz__stack_work_init(&s->stack, s->mem, &e->stack, rows, threads, err);
    if (status) return status;
    return kz__stack_cache_init(&s->cache, s->mem, &e->stack, c->max_positions, rows, 64, err);
}

kz_status kz__encoder_state_create(kz__mem *mem, const kz__codec_encoder *encoder, int threads,
                                   kz__encoder_state **state, kz__err *err) {
    *state = NULL;
    kz__encoder_state *s = kz__calloc(mem, 1, sizeof *s);
    if (!s) return kz__fail_memory(err);
    s->mem = mem;
    s->encoder = encoder;
    kz_status status = init_all(s, threads, err);
    if (status) {
        kz__encoder_state_free(s);
        return status;
    }
    *state = s;
    return KZ_OK;
}

void kz__encoder_state_free(kz__encoder_state *s) {
    if (!s) return;
    kz__mem *mem = s->mem;
    for (size_t i = 0; s->stages && i < s->encoder->config->rate_count; i++) {
        kz__conv_state_clear(&s->stages[i].narrow, mem);
        kz__conv_state_clear(&s->stages[i].down, mem);
        kz__free(mem, s->stages[i].x);
    }
    kz__conv_state_clear(&s->last, mem);
    kz__conv_state_clear(&s->downsample, mem);
    kz__stack_work_clear(&s->stack);
    kz__kvcache_clear(&s->cache);
    void *plain[] = {s->samples, s->stages, s->inner, s->out, s->latent, s->residual, s->scores};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) kz__free(mem, plain[i]);
    kz__free(mem, s);
}

void kz__encoder_state_reset(kz__encoder_state *s) {
    const kz__encoder_config *c = s->encoder->config;
    memset(s->samples, 0, (c->kernel - 1) * sizeof(float));
    s->pending = s->taken = s->batch = s->rows = 0;
    s->begun = false;
    for (size_t i = 0; i < c->rate_count; i++) {
        kz__conv_state_reset(&s->stages[i].narrow);
        kz__conv_state_reset(&s->stages[i].down);
    }
    kz__conv_state_reset(&s->last);
    kz__kvcache_reset(&s->cache);
}

void kz__encoder_state_set_tap(kz__encoder_state *s, kz__encoder_tap *tap, void *user) {
    s->tap = tap;
    s->tap_user = user;
}

/* ---- work over rows ------------------------------------------------------------------------ */

typedef struct rows_job {
    const kz__run *run;
    float *y;
    const float *x;
    size_t ld;
} rows_job;

static void elu_rows(void *arg, size_t begin, size_t end, int thread) {
    const rows_job *job = arg;
    (void)thread;
    job->run->kernels->elu(job->y + begin * job->ld, job->x + begin * job->ld,
                           (end - begin) * job->ld);
}

static void elu(const kz__run *run, float *y, const float *x, size_t ld, size_t rows) {
    rows_job job = {.run = run, .y = y, .x = x, .ld = ld};
    kz__pool_for(run->pool, rows, 16384 / ld + 1, elu_rows, &job);
}

/* Every stage's result passes here: it must be finite, and may be looked at. */
static kz_status stage_done(const kz__run *run, const kz__encoder_state *s, const char *stage,
                            const float *x, size_t ld, size_t rows, size_t width, kz__err *err) {
    if (s->tap) s->tap(s->tap_user, stage, x, ld, rows, width);
    return kz__check_finite(run, "codec encoder", stage, x, ld, rows, width, err);
}

static kz_status layer_done(const kz__run *run, const kz__encoder_state *s, size_t layer,
                            const float *x, size_t ld, size_t rows, size_t width, kz__err *err) {
    char name[32];
    snprintf(name, sizeof name, "encoder.%zu", layer);
    return stage_done(run, s, name, x, ld, rows, width, err);
}

/* ---- stages, in the order of the data ------------------------------------------------------ */

/* Rows of the stage's x through it, to `to`: a row for each stride, the last one filled up. */
static kz_status run_stage(const kz__run *run, kz__encoder_state *s, size_t index, size_t rows,
                           float *to, kz__err *err) {
    const kz__encoder_stage *w = &s->encoder->stages[index];
    stage_state *stage = &s->stages[index];
    size_t ld = stage->ld;
    size_t inside = kz__pad16(w->narrow.out);
    elu(run, kz__conv_input(&stage->narrow), stage->x, ld, rows);
    kz__after act = {.kind = KZ__ELU};
    kz__conv_run(run, &stage->narrow, s->inner, inside, rows, &act);
    kz__after add = {.kind = KZ__ADD, .z = stage->x, .ldz = ld};
    kz__linear_run(run, &w->widen.linear, s->inner, inside, 0, s->out, ld, rows, &add);
    kz_status status =
        layer_done(run, s, 3 * index + 1, stage->x, ld, rows, w->down.in, err);
    if (status) return status;
    float *input = kz__conv_input(&stage->down);
    size_t made = strides(rows, w->down.hop);
    elu(run, input, stage->x, ld, rows);
    memset(input + rows * ld, 0, (made * w->down.hop - rows) * ld * sizeof *input);
    kz__conv_run(run, &stage->down, to, kz__pad16(w->down.out), made * w->down.hop, NULL);
    return layer_done(run, s, 3 * index + 3, to, kz__pad16(w->down.out), made, w->down.out, err);
}

/* Where the rows go that stage `index` makes: the last one's still lack their activation. */
static float *target(const kz__encoder_state *s, size_t index) {
    return index + 1 < s->encoder->config->rate_count ? s->stages[index + 1].x : s->out;
}

/* A frame, or what there is of the last one, through the first stages; its rows then wait. */
static kz_status run_frame(const kz__run *run, kz__encoder_state *s, kz__err *err) {
    const kz__encoder_config *c = s->encoder->config;
    size_t count = framed_stages(c);
    size_t rows = s->pending;
    size_t ld = s->stages[0].ld;
    float *x = s->stages[0].x + (count ? 0 : s->rows * ld);
    kz__linear_run(run, &s->encoder->first, s->samples, 1, 0, x, ld, rows, NULL);
    memmove(s->samples, s->samples + rows, (c->kernel - 1) * sizeof *s->samples);
    s->pending = 0;
    kz_status status = layer_done(run, s, 0, x, ld, rows, c->filters, err);
    for (size_t i = 0; !status && i < count; i++) {
        float *to = target(s, i);
        if (i + 1 == count) to += s->rows * kz__pad16(s->encoder->stages[i].down.out);
        status = run_stage(run, s, i, rows, to, err);
        rows = strides(rows, c->rates[i]);
    }
    s->rows += rows;
    s->batch++;
    return status;
}

/* The last convolution and the transformer: rows stand where downsample reads them. */
static kz_status transform(const kz__run *run, kz__encoder_state *s, size_t rows, kz__err *err) {
    const kz__codec_encoder *e = s->encoder;
    const kz__encoder_config *c = e->config;
    size_t ld = kz__pad16(c->stack.width);
    float *h = kz__conv_input(&s->downsample);
    elu(run, kz__conv_input(&s->last), s->out, s->last.ld, rows);
    kz__conv_run(run, &s->last, h, ld, rows, NULL);
    kz_status status =
        layer_done(run, s, 3 * c->rate_count + 2, h, ld, rows, c->stack.width, err);
    if (status) return status;
    kz__span span = {&s->cache, rows};
    status = kz__stack_run(run, &s->stack, h, &span, 1, err);
    if (status) return status;
    return stage_done(run, s, "encoder_transformer", h, ld, rows, c->stack.width, err);
}

/* The edges of the clip are repeated, in place of zeros. */
static kz_status downsample(const kz__run *run, kz__encoder_state *s, size_t rows, kz__err *err) {
    size_t ld = s->downsample.ld;
    float *input = kz__conv_input(&s->downsample);
    for (size_t i = 0; !s->begun && i < s->downsample.history; i++) {
        memcpy(s->downsample.rows + i * ld, input, ld * sizeof *input);
    }
    s->begun = true;
    for (; rows % KZ__ENCODER_HALVING; rows++) {
        memcpy(input + rows * ld, input + (rows - 1) * ld, ld * sizeof *input);
    }
    kz__conv_run(run, &s->downsample, s->latent, ld, rows, NULL);
    return stage_done(run, s, "downsample", s->latent, ld, rows / KZ__ENCODER_HALVING,
                      s->encoder->config->stack.width, err);
}

typedef struct nearest_job {
    const kz__encoder_state *s;
    size_t level;
    int32_t *codes;
} nearest_job;

/* |r - c|^2 is least where r c - |c|^2 / 2 is greatest; the first of equal ones. */
static void nearest_rows(void *arg, size_t begin, size_t end, int thread) {
    const nearest_job *job = arg;
    const kz__encoder_config *c = job->s->encoder->config;
    const kz__linear *book = &job->s->encoder->books[job->level];
    (void)thread;
    for (size_t t = begin; t < end; t++) {
        const float *scores = job->s->scores + t * kz__pad16(c->codebook_size);
        size_t best = 0;
        for (size_t i = 1; i < c->codebook_size; i++) {
            if (scores[i] > scores[best]) best = i;
        }
        job->codes[t * c->quantizers + job->level] = (int32_t)best;
        const float *entry = (const float *)book->w + best / 16 * 16 * book->in + best % 16;
        float *residual = job->s->residual + t * kz__pad16(c->codebook_dim);
        for (size_t k = 0; k < c->codebook_dim; k++) residual[k] -= entry[k * 16];
    }
}

static kz_status quantize(const kz__run *run, kz__encoder_state *s, size_t frames, int32_t *codes,
                          kz__err *err) {
    const kz__codec_encoder *e = s->encoder;
    const kz__encoder_config *c = e->config;
    size_t ld = kz__pad16(c->codebook_dim);
    for (size_t q = 0; q < c->quantizers; q++) {
        if (q == 0 || q == c->semantic_quantizers) {
            kz__linear_run(run, &e->project[q > 0], s->latent, kz__pad16(c->stack.width), 0,
                           s->residual, ld, frames, NULL);
            kz_status status = stage_done(run, s, q ? "acoustic" : "semantic", s->residual, ld,
                                          frames, c->codebook_dim, err);
            if (status) return status;
        }
        size_t scores = kz__pad16(c->codebook_size);
        kz__linear_run(run, &e->books[q], s->residual, ld, 0, s->scores, scores, frames, NULL);
        nearest_job job = {s, q, codes};
        kz__pool_for(run->pool, frames, 1, nearest_rows, &job);
    }
    return KZ_OK;
}

/* The frames that wait, through everything behind the first stages. */
static kz_status run_batch(const kz__run *run, kz__encoder_state *s, int32_t *codes,
                           size_t *frames, kz__err *err) {
    const kz__encoder_config *c = s->encoder->config;
    size_t rows = s->rows;
    size_t count = s->batch;
    s->rows = s->batch = 0;
    kz_status status = KZ_OK;
    for (size_t i = framed_stages(c); !status && i < c->rate_count; i++) {
        status = run_stage(run, s, i, rows, target(s, i), err);
        rows = strides(rows, c->rates[i]);
    }
    if (!status) status = transform(run, s, rows, err);
    if (!status) status = downsample(run, s, rows, err);
    if (!status) status = quantize(run, s, count, codes + *frames * c->quantizers, err);
    if (!status) *frames += count;
    return status;
}

/* ---- a clip -------------------------------------------------------------------------------- */

static kz_status check_samples(const kz__run *run, const kz__encoder_state *s,
                               const float *samples, size_t count, kz__err *err) {
    const kz__encoder_config *c = s->encoder->config;
    size_t total = 0;
    if (!kz__add(s->taken, count, &total)) total = SIZE_MAX;
    kz_status status = total ? kz__codec_encoder_check(c, total, err) : KZ_OK;
    if (status || run->kernels->finite(samples, count)) return status;
    size_t at = 0;
    while (run->kernels->finite(samples + at, 1)) at++;
    return kz__fail(err, KZ_ERR_INPUT,
                    "sample %zu of the recording is not finite (the codec encoder's input)",
                    s->taken + at);
}

kz_status kz__codec_encoder_push(const kz__run *run, kz__encoder_state *s, const float *samples,
                                 size_t count, int32_t *codes, size_t *frames, kz__err *err) {
    const kz__encoder_config *c = s->encoder->config;
    *frames = 0;
    kz_status status = count ? check_samples(run, s, samples, count, err) : KZ_OK;
    while (!status && count) {
        size_t space = c->samples_per_frame - s->pending;
        size_t now = count < space ? count : space;
        memcpy(s->samples + c->kernel - 1 + s->pending, samples, now * sizeof *samples);
        s->pending += now;
        s->taken += now;
        samples += now;
        count -= now;
        if (s->pending < c->samples_per_frame) break;
        status = run_frame(run, s, err);
        if (!status && (s->batch == KZ__ENCODER_FRAMES || count < c->samples_per_frame)) {
            status = run_batch(run, s, codes, frames, err);
        }
    }
    return status;
}

kz_status kz__codec_encoder_finish(const kz__run *run, kz__encoder_state *s, int32_t *codes,
                                   size_t *frames, kz__err *err) {
    *frames = 0;
    kz_status status = kz__codec_encoder_check(s->encoder->config, s->taken, err);
    if (status || !s->pending) return status;
    status = run_frame(run, s, err);
    return status ? status : run_batch(run, s, codes, frames, err);
}

/* The next piece of the clip, or of the silence behind it. */
static kz_status push_piece(const kz__run *run, kz__encoder_state *s, const float **samples,
                            size_t *count, size_t *silence, int32_t *codes, size_t *frames,
                            kz__err *err) {
    static const float zeros[1024];
    size_t piece = KZ__ENCODER_FRAMES * s->encoder->config->samples_per_frame;
    if (*count) {
        size_t now = *count < piece ? *count : piece;
        *samples += now;
        *count -= now;
        return kz__codec_encoder_push(run, s, *samples - now, now, codes, frames, err);
    }
    size_t most = sizeof zeros / sizeof *zeros;
    size_t now = *silence < most ? *silence : most;
    *silence -= now;
    return kz__codec_encoder_push(run, s, zeros, now, codes, frames, err);
}

kz_status kz__codec_encode(const kz__run *run, kz__encoder_state *s, const float *samples,
                           size_t count, size_t silence, kz__encoder_watch *watch, void *user,
                           int32_t *codes, kz__err *err) {
    const kz__encoder_config *c = s->encoder->config;
    size_t whole = 0;
    size_t made = 0;
    kz__encoder_state_reset(s);
    if (!count) return kz__codec_encoder_check(c, 0, err);
    if (!kz__add(count, silence, &whole)) return kz__fail_memory(err);
    size_t all = kz__codec_encoder_frames(c, whole);
    kz_status status = kz__codec_encoder_check(c, whole, err);
    while (!status && made < all) {
        size_t frames = 0;
        status = push_piece(run, s, &samples, &count, &silence, codes + made * c->quantizers,
                            &frames, err);
        made += frames;
        if (!status && !count && !silence && made < all) {
            status = kz__codec_encoder_finish(run, s, codes + made * c->quantizers, &frames, err);
            made += frames;
        }
        if (!status && frames && watch && watch(user, made, all)) {
            status = kz__fail(err, KZ_ERR_CANCELLED, "encoding the recording was cancelled");
        }
    }
    return status;
}
