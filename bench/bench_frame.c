/* The language model's time for a frame on one thread, in processor time, which other programs on
 * the machine change less than the clock on the wall: talker step and the predictor's passes, apart
 * and in turn as a frame runs them, beside a plain read of memory.
 *     bench_frame MODEL [TYPE [FRAMES [LEVEL]]]
 */
#define _POSIX_C_SOURCE 200809L
#include "engine/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void check(kz_status status, const char *text) {
    if (status >= 0) return;
    fprintf(stderr, "bench_frame: %s\n", text);
    exit(1);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void show(const char *name, double *ms, size_t n, size_t bytes) {
    qsort(ms, n, sizeof *ms, compare);
    printf("%-16s best %7.3f ms, median %7.3f, %8.1f MB, best %6.1f GB/s\n", name, ms[0], ms[n / 2],
           (double)bytes * 1e-6, (double)bytes / ms[0] * 1e-6);
}

static void step(kz_session *s, double *talker, double *predictor) {
    kz__work *w = s->work;
    kz__predictor_state *states[] = {&s->predictor};
    kz__talker_turn turn = {&s->talker, 1, true};
    kz__err err = {""};
    double start = now();
    kz__kvcache_reset(&s->talker.cache);
    memset(w->talker.rows, 0, s->model->talker.width * sizeof(float));
    w->talker.rows[0] = 1;
    check(kz__talker_run(&w->run, &w->talker, &turn, 1, &err), err.text);
    double middle = now();
    for (size_t pass = 0; pass < s->model->predictor.passes; pass++) {
        check(kz__predictor_pass(&w->run, &w->predictor, states, 1, pass, false, &err), err.text);
    }
    *talker = middle - start;
    *predictor = now() - middle;
}

int main(int argc, char **argv) {
    static const char *const names[] = {"stored", "f32", "bf16", "q8", "q4"};
    kz_model *model = NULL;
    kz_session *session = NULL;
    kz_model_options options;
    kz_session_options one;
    char error[256] = "";
    if (argc < 2) check(KZ_ERR_USAGE, "bench_frame MODEL [TYPE [FRAMES [LEVEL]]]");
    size_t frames = argc > 3 ? (size_t)atoi(argv[3]) : 20;
    kz_model_options_init(&options);
    kz_session_options_init(&one);
    one.threads = 1;
    for (int t = 0; argc > 2 && t <= KZ_TYPE_Q4; t++) {
        if (strcmp(argv[2], names[t]) == 0) options.type = (kz_type)t;
    }
    if (argc > 4) options.cpu = argv[4];
    double start = now();
    check(kz_model_open(argv[1], &options, &model, error, sizeof error), error);
    printf("opened in %.0f ms\n", now() - start);
    check(kz_session_create(model, &one, &session, error, sizeof error), error);
    for (size_t i = 0; i < (model->predictor.passes + 1) * model->predictor.input_width; i++) {
        session->predictor.inputs[i] = (float)(i * 2654435761u % 1000) * 1e-3f;
    }
    double *ms = calloc(2 * frames + 2, sizeof *ms);
    if (!ms || !frames) check(KZ_ERR_MEMORY, "out of memory");
    for (size_t f = 0; f < frames; f++) step(session, &ms[f], &ms[frames + f]);
    show("talker", ms, frames, kz__talker_bytes(&model->talker));
    show("code predictor", ms + frames, frames, kz__predictor_bytes(&model->predictor));
    free(ms);
    kz_session_free(session);
    kz_model_free(model);
    return 0;
}
