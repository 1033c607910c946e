/* The speaker encoder's run. Products go through nn; sums over time are taken in double, a stretch
 * of channels at a time, frame after frame. */
#include "model/speaker_encoder.h"

#include "base/dmath.h"
#include "nn/finite.h"

#include <stdio.h>

#define TILE 64 /* channels of a stretch */

typedef struct work {
    const kz__run *run;
    kz__mem *mem;
    const kz__speaker_encoder *encoder;
    kz__speaker_tap *tap;
    void *user;
    size_t rows; /* frames */
    size_t width, ld;         /* channels of a block, padded */
    size_t last_width, last_ld; /* of the last layer */
    size_t part, part_ld;     /* channels of a block's part */
    float *mel, *part_in;     /* with the mirrored rows before and after */
    float *joined;            /* the same: outputs of all blocks side by side; later the scores */
    float *x, *a, *b;         /* [rows][ld] each */
    float *h;                 /* [rows][last_ld], in the place of x, a and b */
    float *part_out;          /* [rows][part_ld] */
    float *attended;          /* [rows][padded attention channels] */
    float *statistics;        /* [2 last_width]: means, deviations */
    float *gate, *squeezed, *shared, *vector;
} work;

/* Rows before the first that a convolution sees, and all that it sees beyond the clip. */
static size_t rows_before(const kz__same_conv *conv) {
    return (conv->linear.taps - 1) * conv->dilation / 2;
}

static size_t rows_beyond(const kz__same_conv *conv) {
    return (conv->linear.taps - 1) * conv->dilation;
}

static const kz__same_conv *block_conv(const kz__speaker_encoder *e, size_t block) {
    return e->config->scale > 1 ? &e->blocks[block].parts[0] : NULL;
}

/* Most rows beyond the clip of the blocks' convolutions. */
static size_t parts_beyond(const kz__speaker_encoder *e) {
    size_t most = 0;
    for (size_t i = 0; i + 2 < e->config->layers; i++) {
        const kz__same_conv *conv = block_conv(e, i);
        if (conv && rows_beyond(conv) > most) most = rows_beyond(conv);
    }
    return most;
}

/* Frames that can be mirrored: more than stand at either end. */
static size_t least_frames(const kz__speaker_encoder *e) {
    size_t beyond = parts_beyond(e);
    if (rows_beyond(&e->first) > beyond) beyond = rows_beyond(&e->first);
    if (rows_beyond(&e->aggregate) > beyond) beyond = rows_beyond(&e->aggregate);
    return (beyond + 1) / 2 + 1;
}

size_t kz__speaker_encoder_least(const kz__speaker_encoder *e) {
    const kz__mel_config *mel = &e->mel.config;
    size_t padded = mel->fft + (least_frames(e) - 1) * mel->hop;
    return padded > 3 * mel->pad ? padded - 2 * mel->pad : mel->pad + 1;
}

/* ---- memory -------------------------------------------------------------------------------- */

static float *rows_of(const work *w, size_t rows, size_t ld) {
    return kz__calloc(w->mem, rows, ld * sizeof(float));
}

static kz_status begin(work *w, kz__err *err) {
    const kz__speaker_encoder *e = w->encoder;
    const kz__speaker_encoder_config *c = e->config;
    w->width = c->channels[0];
    w->ld = kz__pad16(w->width);
    w->last_width = c->channels[c->layers - 1];
    w->last_ld = kz__pad16(w->last_width);
    w->part = w->width / c->scale;
    w->part_ld = kz__pad16(w->part);
    w->mel = rows_of(w, w->rows + rows_beyond(&e->first), kz__pad16(c->mel_dim));
    w->joined = rows_of(w, w->rows + rows_beyond(&e->aggregate), w->last_ld);
    w->x = rows_of(w, w->rows, 3 * w->ld > w->last_ld ? 3 * w->ld : w->last_ld);
    w->part_in = rows_of(w, w->rows + parts_beyond(e), w->part_ld);
    w->part_out = rows_of(w, w->rows, w->part_ld);
    w->attended = rows_of(w, w->rows, kz__pad16(c->attention));
    w->statistics = rows_of(w, 2, w->last_ld);
    w->gate = rows_of(w, 1, w->ld);
    w->squeezed = rows_of(w, 1, kz__pad16(c->squeeze));
    w->shared = rows_of(w, 1, kz__pad16(c->attention));
    w->vector = rows_of(w, 1, kz__pad16(c->dim));
    if (!w->mel || !w->joined || !w->x || !w->part_in || !w->part_out || !w->attended ||
        !w->statistics || !w->gate || !w->squeezed || !w->shared || !w->vector) {
        return kz__fail_memory(err);
    }
    w->a = w->x + w->rows * w->ld;
    w->b = w->a + w->rows * w->ld;
    w->h = w->x;
    return KZ_OK;
}

static void end(const work *w) {
    float *blocks[] = {w->mel, w->joined, w->x, w->part_in, w->part_out, w->attended,
                       w->statistics, w->gate, w->squeezed, w->shared, w->vector};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) kz__free(w->mem, blocks[i]);
}

/* ---- work over rows and columns ------------------------------------------------------------ */

typedef struct job {
    const work *w;
    const float *x, *y;
    float *z;
    size_t ldx, ldy, ldz, width;
    bool deviations;       /* wanted beside the means */
    size_t column, before; /* of this part in a, of the last one there */
} job;

static void each_row(const work *w, size_t width, kz__pool_fn *fn, job *j) {
    kz__pool_for(w->run->pool, w->rows, 32768 / (width + 1) + 1, fn, j);
}

static void each_tile(const work *w, size_t ld, kz__pool_fn *fn, job *j) {
    kz__pool_for(w->run->pool, (ld + TILE - 1) / TILE, 1, fn, j);
}

/* Every stage's result passes here: it must be finite, and may be looked at. */
static kz_status stage_done(const work *w, const char *stage, const float *x, size_t ld,
                            size_t rows, size_t width, kz__err *err) {
    bool stop = w->tap && w->tap(w->user, stage, x, ld, rows, width);
    kz_status status =
        kz__check_finite(w->run, "speaker encoder", stage, x, ld, rows, width, err);
    if (status || !stop) return status;
    return kz__fail(err, KZ_ERR_CANCELLED, "the speaker encoder was stopped");
}

/* Spectrogram, convolution, blocks, aggregation; attention, pooling, vector. */
size_t kz__speaker_encoder_stages(const kz__speaker_encoder *encoder) {
    return encoder->config->layers + 4;
}

/* Fills the rows around x[before ...] with their mirror image, the edge rows themselves once. */
static void mirror(float *x, size_t ld, size_t rows, const kz__same_conv *conv) {
    size_t before = rows_before(conv);
    float *start = x + before * ld;
    float *last = start + (rows - 1) * ld;
    size_t after = rows_beyond(conv) - before;
    for (size_t i = 1; i <= before; i++) memcpy(start - i * ld, start + i * ld, ld * sizeof *x);
    for (size_t i = 1; i <= after; i++) memcpy(last + i * ld, last - i * ld, ld * sizeof *x);
}

static void run_linear(const work *w, const kz__linear *linear, const float *x, size_t ldx,
                       float *y, size_t ldy, size_t rows, kz__after_kind kind) {
    const kz__after after = {.kind = kind};
    kz__linear_run(w->run, linear, x, ldx, 0, y, ldy, rows, &after);
}

/* x begins with the rows before the clip. */
static void run_conv(const work *w, const kz__same_conv *conv, float *x, size_t ldx, float *y,
                     size_t ldy) {
    const kz__after after = {.kind = KZ__RELU};
    mirror(x, ldx, w->rows, conv);
    kz__linear_run(w->run, &conv->linear, x, ldx, conv->dilation * ldx, y, ldy, w->rows, &after);
}

/* x = 1 / (1 + exp(-x)), n16 values. */
static void sigmoid(const kz__kernels *kernels, float *x, size_t n16) {
    for (size_t i = 0; i < n16; i++) x[i] = -x[i];
    kernels->exp(x, x, n16);
    for (size_t i = 0; i < n16; i++) x[i] = 1.0f / (1.0f + x[i]);
}

/* tanh(x) = (1 - exp(-2x)) / (1 + exp(-2x)) of values that are not below 0. */
static void tanh_rows(void *arg, size_t first, size_t last, int thread) {
    const job *j = arg;
    (void)thread;
    for (size_t t = first; t < last; t++) {
        float *z = j->z + t * j->ldz;
        for (size_t i = 0; i < j->ldz; i++) z[i] = -2.0f * z[i];
        j->w->run->kernels->exp(z, z, j->ldz);
        for (size_t i = 0; i < j->ldz; i++) z[i] = (1.0f - z[i]) / (1.0f + z[i]);
    }
}

static size_t tile_width(size_t ld, size_t column) {
    return ld - column < TILE ? ld - column : TILE;
}

static void keep(float *values, const double *from, size_t column, size_t width) {
    for (size_t c = 0; c < TILE && column + c < width; c++) values[column + c] = (float)from[c];
}

static float deviation(double variance) {
    return (float)kz__sqrt64(variance < 1e-12 ? 1e-12 : variance);
}

/* Means of x over time to z, and the deviations, where wanted, `width` values behind. */
static void statistics_tile(void *arg, size_t first, size_t last, int thread) {
    const job *j = arg;
    size_t rows = j->w->rows;
    (void)thread;
    for (size_t tile = first; tile < last; tile++) {
        size_t column = tile * TILE;
        size_t n = tile_width(j->ldx, column);
        const float *x = j->x + column;
        double mean[TILE] = {0};
        double square[TILE] = {0};
        for (size_t t = 0; t < rows; t++) {
            for (size_t c = 0; c < n; c++) mean[c] += (double)x[t * j->ldx + c];
        }
        for (size_t c = 0; c < n; c++) mean[c] /= (double)rows;
        keep(j->z, mean, column, j->width);
        if (!j->deviations) continue;
        for (size_t t = 0; t < rows; t++) {
            for (size_t c = 0; c < n; c++) {
                double d = (double)x[t * j->ldx + c] - mean[c];
                square[c] += d * d;
            }
        }
        for (size_t c = 0; c < n && column + c < j->width; c++) {
            j->z[j->width + column + c] = deviation(square[c] / (double)rows);
        }
    }
}

/* Turns the scores y of a stretch into weights exp(y - most), in place. */
static void weigh_tile(const job *j, float *y, size_t n) {
    float most[TILE];
    for (size_t c = 0; c < n; c++) most[c] = y[c];
    for (size_t t = 1; t < j->w->rows; t++) {
        const float *row = y + t * j->ldy;
        for (size_t c = 0; c < n; c++) most[c] = row[c] > most[c] ? row[c] : most[c];
    }
    for (size_t t = 0; t < j->w->rows; t++) {
        float *row = y + t * j->ldy;
        for (size_t c = 0; c < n; c++) row[c] -= most[c];
        j->w->run->kernels->exp(row, row, n);
    }
}

/* Means and deviations of x over time, weighted by the softmax of y. */
static void pool_tile(void *arg, size_t first, size_t last, int thread) {
    const job *j = arg;
    size_t rows = j->w->rows;
    (void)thread;
    for (size_t tile = first; tile < last; tile++) {
        size_t column = tile * TILE;
        size_t n = tile_width(j->ldx, column);
        const float *x = j->x + column;
        float *y = j->w->joined + column;
        double sum[TILE] = {0};
        double mean[TILE] = {0};
        double square[TILE] = {0};
        weigh_tile(j, y, n);
        for (size_t t = 0; t < rows; t++) {
            for (size_t c = 0; c < n; c++) {
                double weight = (double)y[t * j->ldy + c];
                sum[c] += weight;
                mean[c] += weight * (double)x[t * j->ldx + c];
            }
        }
        for (size_t c = 0; c < n; c++) mean[c] /= sum[c];
        for (size_t t = 0; t < rows; t++) {
            for (size_t c = 0; c < n; c++) {
                double d = (double)x[t * j->ldx + c] - mean[c];
                square[c] += (double)y[t * j->ldy + c] * (d * d);
            }
        }
        keep(j->z, mean, column, j->width);
        for (size_t c = 0; c < n && column + c < j->width; c++) {
            j->z[j->width + column + c] = deviation(square[c] / sum[c]);
        }
    }
}

/* ---- stages, in the order of the data ------------------------------------------------------ */

static kz_status spectrogram(const work *w, const float *samples, size_t count, kz__err *err) {
    const kz__speaker_encoder *e = w->encoder;
    size_t ld = kz__pad16(e->config->mel_dim);
    float *mel = w->mel + rows_before(&e->first) * ld;
    kz_status status =
        kz__mel_run(&e->mel, w->mem, w->run->pool, samples, count, mel, ld, err);
    if (status) return status;
    status = stage_done(w, "mel", mel, ld, w->rows, e->config->mel_dim, err);
    if (status) return status;
    run_conv(w, &e->first, w->mel, ld, w->x, w->ld);
    return stage_done(w, "blocks.0", w->x, w->ld, w->rows, w->width, err);
}

/* The last part's output goes to its place in a; this part's input is made of both. */
static void next_part(void *arg, size_t first, size_t last, int thread) {
    const job *j = arg;
    const work *w = j->w;
    (void)thread;
    for (size_t t = first; t < last; t++) {
        float *a = w->a + t * w->ld;
        const float *out = w->part_out + t * w->part_ld;
        float *in = j->z + t * w->part_ld;
        if (j->before) memcpy(a + j->before, out, w->part * sizeof *a);
        if (!j->column) continue;
        for (size_t c = 0; c < w->part; c++) {
            in[c] = j->before ? a[j->column + c] + out[c] : a[j->column + c];
        }
    }
}

static void run_parts(const work *w, const kz__speaker_block *block) {
    for (size_t p = 1; p < w->encoder->config->scale; p++) {
        const kz__same_conv *conv = &block->parts[p - 1];
        float *in = w->part_in + rows_before(conv) * w->part_ld;
        job j = {.w = w, .z = in, .column = p * w->part, .before = (p - 1) * w->part};
        each_row(w, w->part, next_part, &j);
        run_conv(w, conv, w->part_in, w->part_ld, w->part_out, w->part_ld);
    }
    job j = {.w = w, .z = w->part_in, .before = w->width - w->part};
    each_row(w, w->part, next_part, &j);
}

/* z = y * gate + x */
static void excite_rows(void *arg, size_t first, size_t last, int thread) {
    const job *j = arg;
    const float *gate = j->w->gate;
    (void)thread;
    for (size_t t = first; t < last; t++) {
        const float *x = j->x + t * j->ldx;
        const float *y = j->y + t * j->ldy;
        float *z = j->z + t * j->ldz;
        for (size_t c = 0; c < j->width; c++) z[c] = y[c] * gate[c] + x[c];
    }
}

/* x [rows][ldx] to z, the block's place among the outputs of all. */
static kz_status run_block(const work *w, size_t index, const float *x, size_t ldx, float *z,
                           kz__err *err) {
    const kz__speaker_block *block = &w->encoder->blocks[index];
    char stage[32];
    run_linear(w, &block->in, x, ldx, w->a, w->ld, w->rows, KZ__RELU);
    run_parts(w, block);
    run_linear(w, &block->out, w->a, w->ld, w->b, w->ld, w->rows, KZ__RELU);
    job mean = {.w = w, .x = w->b, .ldx = w->ld, .z = w->gate, .width = w->width};
    each_tile(w, w->ld, statistics_tile, &mean);
    run_linear(w, &block->squeeze, w->gate, w->ld, w->squeezed, kz__pad16(block->excite.in), 1,
               KZ__RELU);
    run_linear(w, &block->excite, w->squeezed, kz__pad16(block->excite.in), w->gate, w->ld, 1,
               KZ__PLAIN);
    sigmoid(w->run->kernels, w->gate, w->ld);
    job excite = {.w = w, .x = x, .ldx = ldx, .y = w->b, .ldy = w->ld, .z = z,
                  .ldz = w->last_ld, .width = w->width};
    each_row(w, w->width, excite_rows, &excite);
    snprintf(stage, sizeof stage, "blocks.%zu", index + 1);
    return stage_done(w, stage, z, w->last_ld, w->rows, w->width, err);
}

static kz_status run_blocks(const work *w, kz__err *err) {
    const kz__speaker_encoder *e = w->encoder;
    const float *x = w->x;
    size_t ldx = w->ld;
    float *z = w->joined + rows_before(&e->aggregate) * w->last_ld;
    for (size_t i = 0; i + 2 < e->config->layers; i++) {
        kz_status status = run_block(w, i, x, ldx, z, err);
        if (status) return status;
        x = z;
        ldx = w->last_ld;
        z += w->width;
    }
    run_conv(w, &e->aggregate, w->joined, w->last_ld, w->h, w->last_ld);
    return stage_done(w, "mfa", w->h, w->last_ld, w->rows, w->last_width, err);
}

static kz_status attend(const work *w, float *vector, kz__err *err) {
    const kz__speaker_encoder *e = w->encoder;
    size_t attention = kz__pad16(e->config->attention);
    job all = {.w = w, .x = w->h, .ldx = w->last_ld, .z = w->statistics,
               .width = w->last_width, .deviations = true};
    each_tile(w, w->last_ld, statistics_tile, &all);
    run_linear(w, &e->attend_statistics, w->statistics, 0, w->shared, attention, 1, KZ__PLAIN);
    kz__linear rows = e->attend_rows;
    rows.bias = w->shared;
    run_linear(w, &rows, w->h, w->last_ld, w->attended, attention, w->rows, KZ__RELU);
    job squash = {.w = w, .z = w->attended, .ldz = attention};
    each_row(w, attention, tanh_rows, &squash);
    run_linear(w, &e->attend_out, w->attended, attention, w->joined, w->last_ld, w->rows,
               KZ__PLAIN);
    kz_status status =
        stage_done(w, "attention", w->joined, w->last_ld, w->rows, w->last_width, err);
    if (status) return status;
    job pool = all;
    pool.ldy = w->last_ld;
    each_tile(w, w->last_ld, pool_tile, &pool);
    status = stage_done(w, "asp", w->statistics, 2 * w->last_width, 1, 2 * w->last_width, err);
    if (status) return status;
    run_linear(w, &e->last, w->statistics, 0, w->vector, kz__pad16(e->config->dim), 1, KZ__PLAIN);
    memcpy(vector, w->vector, e->config->dim * sizeof *vector);
    return stage_done(w, "vector", vector, e->config->dim, 1, e->config->dim, err);
}

static kz_status check(const kz__run *run, const kz__speaker_encoder *e, const float *samples,
                       size_t count, kz__err *err) {
    size_t least = kz__speaker_encoder_least(e);
    double rate = (double)e->config->sample_rate;
    if (count < least) {
        return kz__fail(err, KZ_ERR_INPUT,
                        "the recording has %zu samples (%.3f s), a voice needs at least %zu "
                        "(%.3f s)",
                        count, (double)count / rate, least, (double)least / rate);
    }
    if (run->kernels->finite(samples, count)) return KZ_OK;
    for (size_t i = 0; i < count; i++) {
        if (run->kernels->finite(samples + i, 1)) continue;
        return kz__fail(err, KZ_ERR_INPUT, "sample %zu of the recording is not a finite number",
                        i);
    }
    return KZ_OK;
}

kz_status kz__speaker_encoder_run(const kz__run *run, kz__mem *mem,
                                  const kz__speaker_encoder *encoder, const float *samples,
                                  size_t count, kz__speaker_tap *tap, void *user, float *vector,
                                  kz__err *err) {
    work w = {.run = run, .mem = mem, .encoder = encoder, .tap = tap, .user = user};
    kz_status status = check(run, encoder, samples, count, err);
    if (status) return status;
    w.rows = kz__mel_frames(&encoder->mel.config, count);
    status = begin(&w, err);
    if (!status) status = spectrogram(&w, samples, count, err);
    if (!status) status = run_blocks(&w, err);
    if (!status) status = attend(&w, vector, err);
    end(&w);
    return status;
}
