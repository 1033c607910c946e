/* What a voice costs: kz_voice_from_samples on a clip of noise, with the parts of its time, beside
 * a probe of the machine at that moment; and the bytes of its file.
 *     bench_voice MODEL [SECONDS [THREADS [LEVEL]]]      MODEL: a Base model
 */
#define _POSIX_C_SOURCE 200809L
#include "kazeia.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TRIES = 5 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(kz_status status, const char *text) {
    if (status >= 0) return;
    fprintf(stderr, "bench_voice: %s\n", text);
    exit(1);
}

/* When the first word came (the encoder is loaded), and the first of the codes. */
typedef struct laps {
    double loaded, vector, last;
    size_t calls;
} laps;

static int lap(void *user, double done) {
    laps *l = user;
    if (l->calls++ == 0) l->loaded = now();
    if (done <= 0.1501) l->vector = now();
    l->last = now();
    return 0;
}

int main(int argc, char **argv) {
    char error[512] = "";
    kz_model *model = NULL;
    kz_model_options options;
    kz_voice_options how;
    kz_model_info info = {.size = sizeof info};
    if (argc < 2) check(KZ_ERR_USAGE, "bench_voice MODEL [SECONDS [THREADS [LEVEL]]]");
    int seconds = argc > 2 ? atoi(argv[2]) : 10;
    int threads = argc > 3 ? atoi(argv[3]) : kz_default_threads();
    kz_model_options_init(&options);
    if (argc > 4) options.cpu = argv[4];
    check(kz_model_open(argv[1], &options, &model, error, sizeof error), error);
    check(kz_model_get_info(model, &info), "info");
    size_t count = (size_t)seconds * (size_t)info.sample_rate;
    float *x = calloc(count, sizeof *x);
    char *text = calloc(1, 14 * (size_t)seconds + 1);
    if (!x || !text) {
        check(KZ_ERR_MEMORY, "out of memory");
        return 1;
    }
    memset(text, 'a', 14 * (size_t)seconds);
    uint32_t random = 1;
    for (size_t i = 0; i < count; i++) {
        random = random * 1664525u + 1013904223u;
        x[i] = (float)(int32_t)random * 0x1p-34f;
    }
    for (int i = 0; i < TRIES; i++) {
        kz_probe probe = {.size = sizeof probe};
        kz_voice *voice = NULL;
        laps l = {0};
        size_t bytes = 0;
        kz_voice_options_init(&how);
        how.transcript = text;
        how.tail_ms = 0;
        how.threads = threads;
        how.progress = lap;
        how.user = &l;
        check(kz_probe_machine(threads, info.cpu, &probe), "probe");
        double from = now();
        check(kz_voice_from_samples(model, x, count, info.sample_rate, &how, &voice, error,
                                    sizeof error),
              error);
        double end = now();
        kz_voice_bytes(voice, &bytes);
        printf("%d s in %.3f s, %d threads, %s: encoder loaded %.3f, vector %.3f, codes %.3f; file "
               "%zu bytes; probe %.0f GFLOP/s\n", seconds, end - from, threads, info.cpu,
               l.loaded - from, l.vector - l.loaded, l.last - l.vector, bytes, probe.fma_gflops);
        kz_voice_free(voice);
    }
    free(text);
    free(x);
    kz_model_free(model);
    return 0;
}
