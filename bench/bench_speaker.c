/* The speaker encoder's time for a clip, stage by stage, beside what the machine reaches with fused
 * multiply-adds alone on as many threads at that moment.
 *     bench_speaker MODEL [SECONDS [THREADS [LEVEL]]]
 */
#define _POSIX_C_SOURCE 200809L
#include "engine/speaker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TRIES = 20, STAGES = 16, ROUNDS = 200 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void check(kz_status status, const char *text) {
    if (status >= 0) return;
    fprintf(stderr, "bench_speaker: %s\n", text);
    exit(1);
}

typedef struct stage_times {
    const char *names[STAGES];
    double best[STAGES], last;
    size_t count;
    char kept[STAGES][32];
} stage_times;

static int note(void *user, const char *stage, const float *x, size_t ld, size_t rows,
                size_t width) {
    stage_times *times = user;
    size_t at = times->count++;
    double end = now();
    (void)x;
    (void)ld;
    (void)rows;
    (void)width;
    if (at >= STAGES) return 0;
    snprintf(times->kept[at], sizeof times->kept[at], "%s", stage);
    if (!times->names[at] || end - times->last < times->best[at]) {
        times->best[at] = end - times->last;
    }
    times->names[at] = times->kept[at];
    times->last = end;
    return 0;
}

typedef struct burn {
    kz__level level;
    float sinks[KZ__THREADS_MAX][16];
    double operations;
} burn;

static void burn_item(void *arg, size_t begin, size_t end, int thread) {
    burn *b = arg;
    for (size_t i = begin; i < end; i++) {
        b->operations = kz__kernels_burn(b->level, ROUNDS, b->sinks[thread]);
    }
}

/* GFLOP/s of one stretch. */
static double probe(burn *b, kz__pool *pool) {
    size_t items = (size_t)kz__pool_threads(pool) * 8;
    double start = now();
    kz__pool_for(pool, items, 1, burn_item, b);
    return (double)items * b->operations / (now() - start) * 1e-6;
}

int main(int argc, char **argv) {
    kz_model *model = NULL;
    kz_model_options options;
    kz__err err = {""};
    kz__mem mem;
    kz__pool *pool = NULL;
    static stage_times times;
    static burn b;
    if (argc < 2) check(KZ_ERR_USAGE, "bench_speaker MODEL [SECONDS [THREADS [LEVEL]]]");
    double seconds = argc > 2 ? atof(argv[2]) : 10;
    int threads = argc > 3 ? atoi(argv[3]) : 2;
    kz_model_options_init(&options);
    if (argc > 4) options.cpu = argv[4];
    check(kz_model_open(argv[1], &options, &model, err.text, sizeof err.text), err.text);
    size_t rate = 24000;
    size_t count = (size_t)(seconds * (double)rate);
    float *samples = calloc(count + 1, sizeof *samples);
    float *vector = calloc(model->config.speaker_encoder.dim + 1, sizeof *vector);
    if (!samples || !vector) check(KZ_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++) {
        samples[i] = (float)(i * 2654435761u % 65536) * 1e-6f * (float)(i % 200);
    }
    check(kz__mem_init(&mem, NULL, &err), err.text);
    check(kz__pool_create(&mem, threads, &pool, &err), err.text);
    b.level = model->kernels.level;
    double best = 1e9;
    double gflops = 0;
    for (int i = 0; i < TRIES; i++) {
        double reached = probe(&b, pool);
        if (reached > gflops) gflops = reached;
        double start = now();
        times.count = 0;
        times.last = start;
        check(kz__speaker_vector(model, samples, count, rate, threads, note, &times, vector, &err),
              err.text);
        if (now() - start < best) best = now() - start;
    }
    double operations = 2.0 * (double)kz__mel_frames(&model->speaker_encoder.mel.config, count) *
                        (double)kz__speaker_encoder_macs(&model->speaker_encoder);
    printf("%.1f s on %d threads, %s: %.1f ms, %.1f GFLOP/s of %.1f, %.0f %%\n", seconds, threads,
           kz__level_name(b.level), best, operations / best * 1e-6, gflops,
           100 * operations / best * 1e-6 / gflops);
    for (size_t i = 0; i < times.count; i++) {
        printf("  %-10s %7.2f ms\n", times.names[i], times.best[i]);
    }
    kz__pool_destroy(pool);
    kz_model_free(model);
    free(samples);
    free(vector);
    return 0;
}
