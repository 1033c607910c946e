/* The codec encoder's time for a recording, beside what the machine gives in fused multiply-adds at
 * that moment, and how it is spread over the stages (process time of all threads).
 *     bench_encode MODEL [SECONDS [THREADS [LEVEL]]]
 */
#define _POSIX_C_SOURCE 200809L
#include "base/fpenv.h"
#include "engine/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TRIES = 5, STAGES = 40 };

static double seconds_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(kz_status status, const char *text) {
    if (status >= 0) return;
    fprintf(stderr, "bench_encode: %s\n", text);
    exit(1);
}

typedef struct profile {
    double last;
    size_t count;
    struct {
        char name[32];
        double seconds;
    } stages[STAGES];
} profile;

static void lap(void *user, const char *stage, const float *x, size_t ld, size_t rows,
                size_t width) {
    profile *p = user;
    double now = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    size_t i = 0;
    (void)x, (void)ld, (void)rows, (void)width;
    while (i < p->count && strcmp(p->stages[i].name, stage) != 0) i++;
    if (i < STAGES) {
        snprintf(p->stages[i].name, sizeof p->stages[i].name, "%s", stage);
        p->stages[i].seconds += now - p->last;
    }
    if (i == p->count && i < STAGES) p->count++;
    p->last = now;
}

typedef struct burn {
    kz__level level;
    double operations[KZ__THREADS_MAX];
    float sink;
} burn;

static void burn_thread(void *arg, size_t begin, size_t end, int thread) {
    burn *b = arg;
    (void)thread;
    for (size_t i = begin; i < end; i++) {
        float sink = 0;
        b->operations[i] = kz__kernels_burn(b->level, 20000, &sink);
        if (sink > 1e30f) b->sink = sink;
    }
}

/* Operations a second of all threads, and a second of processor time. */
static void probe(const kz__run *run, double *wall, double *cpu) {
    burn b = {.level = run->kernels->level};
    size_t threads = (size_t)kz__pool_threads(run->pool);
    double from = seconds_of(CLOCK_MONOTONIC);
    double used = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    double operations = 0;
    kz__pool_for(run->pool, threads, 1, burn_thread, &b);
    for (size_t i = 0; i < threads; i++) operations += b.operations[i];
    *cpu = operations / (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - used);
    *wall = operations / (seconds_of(CLOCK_MONOTONIC) - from);
}

static void measure(const kz__run *run, kz__encoder_state *state, const kz__codec_encoder *encoder,
                    size_t samples) {
    kz__err err = {""};
    const kz__encoder_config *c = encoder->config;
    size_t frames = kz__codec_encoder_frames(c, samples);
    double work = 2.0 * (double)frames * (double)kz__codec_encoder_macs(encoder);
    float *x = calloc(samples, sizeof *x);
    int32_t *codes = calloc(frames * c->quantizers, sizeof *codes);
    if (!x || !codes) check(KZ_ERR_MEMORY, "out of memory");
    uint32_t random = 1;
    for (size_t i = 0; i < samples; i++) {
        random = random * 1664525u + 1013904223u;
        x[i] = (float)(int32_t)random * 0x1p-34f;
    }
    static profile p;
    for (int i = 0; i < TRIES; i++) {
        double wall = 0;
        double cpu = 0;
        probe(run, &wall, &cpu);
        memset(&p, 0, sizeof p);
        kz__encoder_state_set_tap(state, lap, &p);
        double from = seconds_of(CLOCK_MONOTONIC);
        double used = p.last = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        check(kz__codec_encode(run, state, x, samples, 0, NULL, NULL, codes, &err), err.text);
        used = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - used;
        from = seconds_of(CLOCK_MONOTONIC) - from;
        printf("%zu frames in %.3f s, processor time %.3f s; %.1f GFLOP/s, %.0f %% of a probe of "
               "%.1f; of processor time %.0f %%\n", frames, from, used, work / from * 1e-9,
               100 * work / from / wall, wall * 1e-9, 100 * work / used / cpu);
    }
    for (size_t i = 0; i < p.count; i++) {
        printf("  %-20s %7.1f ms\n", p.stages[i].name, 1e3 * p.stages[i].seconds);
    }
    free(x);
    free(codes);
}

int main(int argc, char **argv) {
    kz_model *model = NULL;
    kz_model_options options;
    kz__codec_encoder encoder;
    kz__encoder_state *state = NULL;
    kz__pool *pool = NULL;
    kz__mem mem;
    kz__err err = {""};
    char error[256] = "";
    if (argc < 2) check(KZ_ERR_USAGE, "bench_encode MODEL [SECONDS [THREADS [LEVEL]]]");
    int seconds = argc > 2 ? atoi(argv[2]) : 10;
    int threads = argc > 3 ? atoi(argv[3]) : kz_default_threads();
    if (seconds < 1) check(KZ_ERR_USAGE, "at least one second is needed");
    kz_model_options_init(&options);
    options.codec_only = 1;
    if (argc > 4) options.cpu = argv[4];
    check(kz_model_open(argv[1], &options, &model, error, sizeof error), error);
    kz__fpenv_set();
    check(kz__mem_init(&mem, NULL, &err), err.text);
    double from = seconds_of(CLOCK_MONOTONIC);
    check(kz__model_load_encoder(model, &mem, &encoder, &err), err.text);
    printf("encoder loaded in %.0f ms, %.1f MB, %.1f M multiply-adds a frame\n",
           1e3 * (seconds_of(CLOCK_MONOTONIC) - from), (double)atomic_load(&mem.current) * 1e-6,
           (double)kz__codec_encoder_macs(&encoder) * 1e-6);
    size_t weights = atomic_load(&mem.current);
    check(kz__pool_create(&mem, threads, &pool, &err), err.text);
    check(kz__encoder_state_create(&mem, &encoder, threads, &state, &err), err.text);
    printf("state %.1f MB", (double)(atomic_load(&mem.current) - weights) * 1e-6);
    kz__run run = {&model->kernels, pool, NULL};
    printf(", %d threads, level %s\n", threads, kz__level_name(run.kernels->level));
    measure(&run, state, &encoder, (size_t)seconds * encoder.config->sample_rate);
    printf("state and %d s of keys and values %.1f MB\n", seconds,
           (double)(atomic_load(&mem.current) - weights) * 1e-6);
    kz__encoder_state_free(state);
    kz__codec_encoder_clear(&mem, &encoder);
    kz__pool_destroy(pool);
    kz_model_free(model);
    return 0;
}
