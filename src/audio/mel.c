/* Frames are computed one by one: window, a transform of half the size over pairs of samples (even
 * ones real, odd ones imaginary), the two halves taken apart, filters, logarithm. */
#include "audio/mel.h"

#include "base/dmath.h"

#include <string.h>

#define PI 3.14159265358979323846

/* ---- tables -------------------------------------------------------------------------------- */

static double mel_of(double hz) {
    if (hz < 1000) return hz * 3 / 200;
    return 15 + kz__ln(hz / 1000) * (27 / kz__ln(6.4));
}

static double hz_of(double mel) {
    if (mel < 15) return mel * 200 / 3;
    return 1000 * kz__exp((mel - 15) * (kz__ln(6.4) / 27));
}

/* Hz of the index-th of the bands + 2 corners. */
static double corner(const kz__mel_config *c, size_t index) {
    double low = mel_of(c->low);
    double step = (mel_of(c->high) - low) / (double)(c->bands + 1);
    return hz_of(low + step * (double)index);
}

/* Each a triangle from the corner `b` over the next to the one after it. weights NULL: only counts.
 * Returns the sum of counts. */
static size_t make_filters(kz__mel *mel, double *weights) {
    const kz__mel_config *c = &mel->config;
    size_t total = 0;
    for (size_t b = 0; b < c->bands; b++) {
        double left = corner(c, b);
        double middle = corner(c, b + 1);
        double right = corner(c, b + 2);
        mel->first[b] = 0;
        mel->count[b] = 0;
        for (size_t k = 0; k <= c->fft / 2; k++) {
            double hz = (double)k * (double)c->rate / (double)c->fft;
            double up = (hz - left) / (middle - left);
            double down = (right - hz) / (right - middle);
            double value = up < down ? up : down;
            if (value <= 0) continue;
            if (mel->count[b] == 0) mel->first[b] = k;
            if (weights) weights[total] = value * 2 / (right - left);
            mel->count[b]++;
            total++;
        }
    }
    return total;
}

static void make_tables(kz__mel *mel) {
    const kz__mel_config *c = &mel->config;
    size_t half = c->fft / 2;
    size_t before = (c->fft - c->window) / 2;
    for (size_t i = 0; i < c->window; i++) {
        double sine = 0;
        double cosine = 0;
        kz__sincos(2 * PI * (double)i / (double)c->window, &sine, &cosine);
        mel->window[before + i] = 0.5 - 0.5 * cosine;
    }
    for (size_t d = 1; d <= half; d *= 2) {
        for (size_t j = 0; j < d; j++) {
            kz__sincos(PI * (double)j / (double)d, &mel->sine[d - 1 + j], &mel->cosine[d - 1 + j]);
        }
    }
    mel->swap[0] = 0;
    for (size_t i = 1; i < half; i++) {
        mel->swap[i] = mel->swap[i / 2] / 2 + (i % 2 ? (uint32_t)(half / 2) : 0);
    }
}

kz_status kz__mel_init(kz__mel *mel, kz__mem *mem, const kz__mel_config *config, kz__err *err) {
    memset(mel, 0, sizeof *mel);
    mel->config = *config;
    size_t half = config->fft / 2;
    mel->window = kz__calloc(mem, config->fft, sizeof(double));
    mel->cosine = kz__calloc(mem, config->fft - 1, sizeof(double));
    mel->sine = kz__calloc(mem, config->fft - 1, sizeof(double));
    mel->swap = kz__calloc(mem, half, sizeof *mel->swap);
    mel->first = kz__calloc(mem, config->bands, sizeof *mel->first);
    mel->count = kz__calloc(mem, config->bands, sizeof *mel->count);
    if (mel->window && mel->cosine && mel->sine && mel->swap && mel->first && mel->count) {
        make_tables(mel);
        mel->weights = kz__calloc(mem, make_filters(mel, NULL), sizeof(double));
        if (mel->weights) {
            make_filters(mel, mel->weights);
            return KZ_OK;
        }
    }
    kz__mel_clear(mel, mem);
    return kz__fail_memory(err);
}

void kz__mel_clear(kz__mel *mel, kz__mem *mem) {
    kz__free(mem, mel->window);
    kz__free(mem, mel->cosine);
    kz__free(mem, mel->sine);
    kz__free(mem, mel->swap);
    kz__free(mem, mel->first);
    kz__free(mem, mel->count);
    kz__free(mem, mel->weights);
    memset(mel, 0, sizeof *mel);
}

size_t kz__mel_frames(const kz__mel_config *c, size_t count) {
    if (count <= c->pad || count > SIZE_MAX / 2) return 0;
    size_t padded = count + 2 * c->pad;
    return padded < c->fft ? 0 : (padded - c->fft) / c->hop + 1;
}

/* ---- a frame ------------------------------------------------------------------------------- */

typedef struct mel_job {
    const kz__mel *mel;
    const float *samples;
    size_t count;
    float *rows;
    size_t ld;
    double *scratch; /* [threads][3 fft / 2 + 1] */
} mel_job;

/* Sample `index` of the padded clip. */
static double sample_at(const mel_job *job, size_t index) {
    size_t pad = job->mel->config.pad;
    if (index < pad) return (double)job->samples[pad - index];
    index -= pad;
    if (index >= job->count) index = 2 * (job->count - 1) - index;
    return (double)job->samples[index];
}

/* Pairs of windowed samples, in the order that the transform starts from. */
static void load(const mel_job *job, size_t frame, double *re, double *im) {
    const kz__mel *mel = job->mel;
    size_t from = frame * mel->config.hop;
    for (size_t i = 0; i < mel->config.fft / 2; i++) {
        size_t to = mel->swap[i];
        re[to] = sample_at(job, from + 2 * i) * mel->window[2 * i];
        im[to] = sample_at(job, from + 2 * i + 1) * mel->window[2 * i + 1];
    }
}

/* Butterflies between stretches of d values. */
static void butterflies(double *restrict re, double *restrict im, const double *restrict cosine,
                        const double *restrict sine, size_t d) {
    for (size_t j = 0; j < d; j++) {
        double x = cosine[j] * re[d + j] + sine[j] * im[d + j];
        double y = cosine[j] * im[d + j] - sine[j] * re[d + j];
        re[d + j] = re[j] - x;
        im[d + j] = im[j] - y;
        re[j] += x;
        im[j] += y;
    }
}

/* In place, fft / 2 values. */
static void transform(const kz__mel *mel, double *re, double *im) {
    size_t n = mel->config.fft / 2;
    for (size_t d = 1; d < n; d *= 2) {
        for (size_t i = 0; i < n; i += 2 * d) {
            butterflies(re + i, im + i, mel->cosine + d - 1, mel->sine + d - 1, d);
        }
    }
}

static double magnitude(double re, double im) {
    return kz__sqrt64(re * re + im * im + 1e-9);
}

/* Z of the pairs is E + iO, of the even and of the odd samples: X[k] = E[k] + e^(-2 pi i k / fft)
 * O[k], with E[k] = (Z[k] + conj Z[n-k]) / 2 and O[k] = (Z[k] - conj Z[n-k]) / 2i. */
static void magnitudes(const kz__mel *mel, const double *re, const double *im, double *bins) {
    size_t n = mel->config.fft / 2;
    bins[0] = magnitude(re[0] + im[0], 0);
    bins[n] = magnitude(re[0] - im[0], 0);
    for (size_t k = 1; k < n; k++) {
        double even_re = (re[k] + re[n - k]) / 2;
        double even_im = (im[k] - im[n - k]) / 2;
        double odd_re = (im[k] + im[n - k]) / 2;
        double odd_im = (re[n - k] - re[k]) / 2;
        double c = mel->cosine[n - 1 + k];
        double s = mel->sine[n - 1 + k];
        bins[k] = magnitude(even_re + (c * odd_re + s * odd_im),
                            even_im + (c * odd_im - s * odd_re));
    }
}

static void mel_frames(void *arg, size_t begin, size_t end, int thread) {
    const mel_job *job = arg;
    const kz__mel *mel = job->mel;
    size_t n = mel->config.fft / 2;
    double *re = job->scratch + (size_t)thread * (3 * n + 1);
    double *im = re + n;
    double *bins = im + n;
    for (size_t t = begin; t < end; t++) {
        load(job, t, re, im);
        transform(mel, re, im);
        magnitudes(mel, re, im, bins);
        const double *weight = mel->weights;
        for (size_t b = 0; b < mel->config.bands; b++) {
            double sum = 0;
            for (size_t k = 0; k < mel->count[b]; k++) sum += *weight++ * bins[mel->first[b] + k];
            job->rows[t * job->ld + b] = (float)kz__ln(sum < 1e-5 ? 1e-5 : sum);
        }
    }
}

kz_status kz__mel_run(const kz__mel *mel, kz__mem *mem, kz__pool *pool, const float *samples,
                      size_t count, float *rows, size_t ld, kz__err *err) {
    mel_job job = {mel, samples, count, rows, ld, NULL};
    size_t threads = (size_t)kz__pool_threads(pool);
    job.scratch = kz__calloc(mem, threads * (mel->config.fft / 2 * 3 + 1), sizeof(double));
    if (!job.scratch) return kz__fail_memory(err);
    kz__pool_for(pool, kz__mel_frames(&mel->config, count), 8, mel_frames, &job);
    kz__free(mem, job.scratch);
    return KZ_OK;
}
