/* Speed of the panel product and of the other kernels, as shares of what the machine gives: GFLOP/s against
 * the burn measured right beside, GB/s of one row against a plain streaming read.
 *     bench_kernels [LEVEL [THREADS [PART OF A NAME]]]
 */
#include "kernels/kernels.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_THREADS 64

/* The thread's own processor time: other programs on the machine do not count. */
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One measured piece of work on every thread, started together; the slowest thread's time counts. */
typedef void work_fn(void *context, int thread);
typedef struct team {
    work_fn *work;
    void *context;
    pthread_barrier_t barrier;
} team;
typedef struct member {
    team *team;
    int thread;
    double best; /* of two tries */
} member;

static void *member_main(void *argument) {
    member *m = argument;
    team *t = m->team;
    m->best = 1e9;
    for (int i = 0; i < 2; i++) {
        pthread_barrier_wait(&t->barrier);
        double start = now();
        t->work(t->context, m->thread);
        double seconds = now() - start;
        m->best = seconds < m->best ? seconds : m->best;
    }
    return NULL;
}

static double time_once(int threads, work_fn *work, void *context) {
    team t = {.work = work, .context = context};
    member members[MOST_THREADS] = {{&t, 0, 0}};
    pthread_t ids[MOST_THREADS];
    pthread_barrier_init(&t.barrier, NULL, (unsigned)threads);
    for (int i = 0; i < threads; i++) {
        members[i] = (member){&t, i, 0};
        if (i) {
            pthread_create(&ids[i], NULL, member_main, &members[i]);
        }
    }
    member_main(&members[0]);
    double slowest = members[0].best;
    for (int i = 1; i < threads; i++) {
        pthread_join(ids[i], NULL);
        slowest = members[i].best > slowest ? members[i].best : slowest;
    }
    pthread_barrier_destroy(&t.barrier);
    return slowest;
}

/* Best times of two pieces of work, taken in turns: other programs on the machine can halve the speed
 * of a core for a while, so only short slices side by side compare. */
static void best_times(int threads, work_fn *one, work_fn *two, void *context, double best[2]) {
    best[0] = 1e9;
    best[1] = 1e9;
    for (int i = 0; i < 24; i++) {
        double first = time_once(threads, one, context);
        double second = time_once(threads, two, context);
        best[0] = first < best[0] ? first : best[0];
        best[1] = second < best[1] ? second : best[1];
    }
}

enum { F32, BF16, Q8, Q4, FORMATS };
static const char *const format_names[FORMATS] = {"f32", "bf16", "q8", "q4"};

/* Bytes of k columns of a panel. */
static size_t panel_bytes(int format, size_t k) {
    if (format >= Q8) return kz__pairs(k) * kz__pair_bytes(format == Q8 ? KZ__Q8 : KZ__Q4);
    return k * KZ__LANES * (format == BF16 ? 2 : 4);
}

typedef struct bench {
    kz__kernels k;
    int threads;
    float sinks[MOST_THREADS * 16];
    double operations;
    size_t rounds;
    /* panel product */
    kz__mm_args mm;
    kz__mmq_args mmq;
    int format;
    size_t repeats;
    /* streaming read */
    const float *data;
    size_t count;
    /* element-wise */
    float *out;
    int which;
} bench;

static void burn_work(void *context, int thread) {
    bench *b = context;
    double operations = kz__kernels_burn(b->k.level, b->rounds, &b->sinks[thread * 16]);
    if (thread == 0) {
        b->operations = operations;
    }
}

static void read_work(void *context, int thread) {
    bench *b = context;
    size_t share = b->count / (size_t)b->threads;
    for (size_t i = 0; i < b->repeats; i++) {
        b->sinks[thread * 16] += (float)b->k.finite(b->data + share * (size_t)thread, share);
    }
}

/* Threads take panels, as the engine does. */
static void mm_work(void *context, int thread) {
    bench *b = context;
    size_t first = b->mm.panels * (size_t)thread / (size_t)b->threads;
    size_t end = b->mm.panels * ((size_t)thread + 1) / (size_t)b->threads;
    kz__mm_args a = b->mm;
    kz__mmq_args q = b->mmq;
    a.w = (const char *)a.w + first * panel_bytes(b->format, a.k * a.taps);
    a.y += first * KZ__LANES;
    a.panels = end - first;
    q.w = a.w;
    q.y = a.y;
    q.panels = a.panels;
    for (size_t i = 0; i < b->repeats; i++) {
        switch (b->format) {
        case F32: b->k.mm_f32(&a); break;
        case BF16: b->k.mm_bf16(&a); break;
        case Q8: b->k.mm_q8(&q); break;
        default: b->k.mm_q4(&q); break;
        }
    }
}

static void *get(size_t bytes) {
    void *p = aligned_alloc(2 << 20, (bytes + (2 << 20)) / (2 << 20) * (2 << 20));
    if (!p) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    memset(p, 0, bytes);
    return p;
}

static void fill(float *x, size_t n) {
    uint32_t state = 1;
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        x[i] = (float)(int32_t)state * 0x1p-31f;
    }
}

/* The quantised product of the same shape as b->mm; x: any codes, scales and sums. */
static void prepare_quantized(bench *b) {
    static int8_t codes[1 << 21] = {0};
    static float scales[1 << 16];
    static int32_t sums[1 << 16];
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) scales[i] = 0.5f;
    size_t pairs = kz__pairs(b->mm.k);
    b->mmq = (kz__mmq_args){.y = b->mm.y, .ldy = b->mm.ldy,
                            .x = {codes, scales, sums, b->mm.rows}, .w = b->mm.w,
                            .rows = b->mm.rows, .panels = b->mm.panels, .pairs = pairs};
}

typedef struct shape {
    const char *name;
    size_t rows, k, taps, dilation, panels;
} shape;

static void bench_shape(bench *b, const shape *s, int format, float *w) {
    size_t input_rows = s->rows + (s->taps - 1) * s->dilation;
    float *x = get(input_rows * s->k * 4);
    float *y = get(s->rows * s->panels * KZ__LANES * 4);
    fill(x, input_rows * s->k);
    b->format = format;
    b->mm = (kz__mm_args){.y = y, .ldy = s->panels * KZ__LANES, .x = x, .ldx = s->k, .w = w,
                          .panel_stride = s->taps * s->k * KZ__LANES, .rows = s->rows,
                          .panels = s->panels, .k = s->k, .taps = s->taps,
                          .tap_stride = s->dilation * s->k};
    prepare_quantized(b);
    double operations = 2.0 * (double)(s->rows * s->k * s->taps * s->panels * KZ__LANES);
    b->repeats = (size_t)(4e8 / operations) + 1;
    if (b->k.level < KZ__AVX2) {
        b->repeats = 1;
    }
    b->rounds = b->k.level < KZ__AVX2 ? 4 : 500;
    double best[2];
    best_times(b->threads, burn_work, mm_work, b, best);
    double top = b->operations * b->threads / best[0] * 1e-9;
    double seconds = best[1] / (double)b->repeats;
    double bytes = (double)(s->panels * panel_bytes(format, s->k * s->taps));
    printf("%-26s %-4s rows %5zu k %4zu taps %zu panels %4zu: %7.1f GFLOP/s %5.1f %% of %.0f,"
           " weights %6.1f GB/s\n", s->name, format_names[format], s->rows, s->k, s->taps,
           s->panels, operations / seconds * 1e-9, operations / seconds * 1e-7 / top, top,
           bytes / seconds * 1e-9);
    free(x);
    free(y);
}

/* One row against weights of `megabytes`, beside a plain read of the same bytes. */
static void bench_row(bench *b, double megabytes, int format, float *w) {
    size_t k = 1024;
    size_t panels = (size_t)(megabytes * 1e6 / (double)panel_bytes(format, k));
    float *x = get(k * 4);
    float *y = get(panels * KZ__LANES * 4);
    fill(x, k);
    b->format = format;
    b->mm = (kz__mm_args){.y = y, .ldy = panels * KZ__LANES, .x = x, .ldx = k, .w = w,
                          .panel_stride = k * KZ__LANES, .rows = 1, .panels = panels, .k = k,
                          .taps = 1, .tap_stride = 0};
    prepare_quantized(b);
    size_t bytes = panels * panel_bytes(format, k);
    b->repeats = (size_t)(5e7 / (double)bytes) + 1;
    b->data = w;
    b->count = bytes / 4;
    double best[2];
    best_times(b->threads, read_work, mm_work, b, best);
    double read = best[0] / (double)b->repeats;
    double product = best[1] / (double)b->repeats;
    printf("one row, %-4s weights of %6.1f MB: %6.1f GB/s, %5.1f %% of a plain read (%.1f)\n",
           format_names[format], megabytes, (double)bytes / product * 1e-9, 100 * read / product,
           (double)bytes / read * 1e-9);
    free(x);
    free(y);
}

enum { SNAKE, SILU_MUL, GELU, RELU, ELU, EXP, RMS_NORM, LAYER_NORM, SOFTMAX, DEPTHWISE, WINOGRAD_IN,
       WINOGRAD_OUT, ELEMENT_KINDS };
static const char *const element_names[ELEMENT_KINDS] = {
    "snake", "silu_mul", "gelu", "relu", "elu", "exp", "rms_norm", "layer_norm", "softmax", "depthwise",
    "winograd in", "winograd out",
};

static void element_work(void *context, int thread) {
    bench *b = context;
    size_t n = 1024;
    size_t rows = 8;
    const float *x = b->data;
    float *y = b->out + (size_t)thread * n * KZ__WINOGRAD_POINTS;
    for (size_t i = 0; i < b->repeats; i++) {
        switch (b->which) {
        case SNAKE: b->k.snake(y, n, x, n, x, x + n, rows, n); break;
        case SILU_MUL: b->k.silu_mul(y, x, x + n, n * rows); break;
        case GELU: b->k.gelu(y, x, n * rows); break;
        case RELU: b->k.relu(y, x, n * rows); break;
        case EXP: b->k.exp(y, x, n * rows); break;
        case ELU: b->k.elu(y, x, n * rows); break;
        case WINOGRAD_IN: b->k.winograd_in(y, n, x, n, KZ__WINOGRAD_POINTS, n); break;
        case WINOGRAD_OUT: b->k.winograd_out(y, n, KZ__WINOGRAD_OUTS, x, n, x, n); break;
        case DEPTHWISE: b->k.depthwise(y, n, x, n, x, x, rows, n, 7); break;
        default:
            for (size_t r = 0; r < rows; r++) {
                if (b->which == RMS_NORM) {
                    b->k.rms_norm(y + r * n, x + r * n, x, n, 1e-6f);
                } else if (b->which == LAYER_NORM) {
                    b->k.layer_norm(y + r * n, x + r * n, x, x + n, n, 1e-6f);
                } else {
                    b->k.softmax(y + r * n, 0, n, 0.1f);
                }
            }
        }
    }
}

static void bench_elements(bench *b) {
    float *x = get(1024 * 32 * 4);
    b->out = get((size_t)b->threads * 1024 * KZ__WINOGRAD_POINTS * 4);
    fill(x, 1024 * 32);
    b->data = x;
    b->repeats = b->k.level < KZ__AVX2 ? 50 : 100;
    for (b->which = 0; b->which < ELEMENT_KINDS; b->which++) {
        double best[2];
        best_times(b->threads, burn_work, element_work, b, best);
        /* a tile of Winograd counts as the outputs it stands for */
        size_t values = 1024 * (b->which >= WINOGRAD_IN ? KZ__WINOGRAD_OUTS : 8);
        printf("%-12s %6.3f ns a value\n", element_names[b->which],
               best[1] * 1e9 / (double)(b->repeats * values));
    }
    free(x);
    free(b->out);
}

static const shape shapes[] = {
    {"convolution, wide", 256, 768, 7, 1, 48},
    {"convolution, narrow", 15360, 96, 7, 3, 6},
    {"convolution, dilated", 1280, 384, 7, 9, 24},
    {"odd panels", 256, 512, 1, 1, 33},
    {"prefill", 8, 1024, 1, 1, 192},
    {"prefill", 14, 1024, 1, 1, 192},
    {"prefill", 16, 1024, 1, 1, 192},
    {"prefill", 38, 1024, 1, 1, 192},
    {"prefill", 200, 1024, 1, 1, 192},
    {"batch", 2, 1024, 1, 1, 192},
    {"batch", 4, 1024, 1, 1, 192},
    {"small codec packet", 32, 768, 7, 1, 48},
    {"point of tiles, wide", 48, 768, 1, 1, 48},
    {"point of tiles, narrow", 80, 96, 1, 1, 6},
};

int main(int count, char **arguments) {
    static bench b;
    kz__level level = count > 1 ? kz__kernels_parse(arguments[1]) : kz__kernels_best();
    if (level == KZ__LEVELS || !kz__kernels_usable(level)) {
        fprintf(stderr, "usage: bench_kernels [LEVEL [THREADS [PART OF A NAME]]], a level that runs "
                "here\n");
        return 2;
    }
    b.threads = count > 2 ? atoi(arguments[2]) : 1;
    if (b.threads < 1 || b.threads > MOST_THREADS) {
        b.threads = 1;
    }
    const char *part = count > 3 ? arguments[3] : "";
    kz__kernels_fill(&b.k, level);
    printf("level %s, %d thread(s)\n", kz__level_name(level), b.threads);
    float *w = get(256000000);
    fill(w, 64000000);
    for (int format = 0; format < FORMATS; format++) {
        for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
            if (!strstr(shapes[i].name, part) || (format >= Q8 && shapes[i].taps > 1)) {
                continue;
            }
            bench_shape(&b, &shapes[i], format, w);
        }
    }
    const double sizes[] = {0.5, 4, 16, 250};
    for (int format = 0; format < FORMATS && strstr("one row", part); format++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            bench_row(&b, sizes[i], format, w);
        }
    }
    if (strstr("elements", part)) {
        bench_elements(&b);
    }
    free(w);
    return 0;
}
