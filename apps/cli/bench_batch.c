/* Utterances spoken together: for each size of a batch, so many of them with the same number of
 * frames, from the first row of the prompt to the last sample. */
#include "cli/bench.h"

#include "common/interrupt.h"

#include <string.h>

/* Reads what each has; how many are not done, or an error. */
static kz_status read_all(kz__bench *b, kz_session **sessions, bool *done, int streams,
                          int *left) {
    *left = 0;
    for (int i = 0; i < streams; i++) {
        kz_status status = done[i] ? KZ_DONE : KZ_OK;
        while (status == KZ_OK) {
            size_t count = 0;
            status = kz_session_read(sessions[i], b->samples, KZ__BENCH_SAMPLES, &count, 0);
        }
        if (status < 0) return status;
        done[i] = status == KZ_DONE;
        *left += !done[i];
    }
    return KZ_OK;
}

static kz_status speak_together(kz__bench *b, kz_batch *batch, kz_session **sessions,
                                kz__batch_run *run) {
    const kz_model_info *info = &b->list[0].info;
    bool done[KZ__BENCH_STREAMS] = {false};
    int left = run->streams;
    size_t steps = 0;
    double begun = kz__clock_ms();
    for (int i = 0; i < run->streams; i++) {
        kz_request request;
        kz__bench_request(b, info, b->text, b->frames, KZ_ALL_ROWS, &request);
        request.seed += (uint64_t)i;
        kz_status status = kz_session_start(sessions[i], &request);
        if (status < 0) return status;
    }
    while (left > 0) {
        size_t advanced = 0;
        if (kz__interrupted()) return KZ_ERR_CANCELLED;
        kz_status status = kz_batch_step(batch, &advanced);
        steps += status == KZ_OK;
        if (status >= 0) status = read_all(b, sessions, done, run->streams, &left);
        if (status < 0) return status;
    }
    double spent = kz__clock_ms() - begun;
    double sound = 1e3 * b->frames * (double)info->samples_per_frame / info->sample_rate;
    double rtf = spent / sound / run->streams;
    if (run->rtf > 0 && rtf >= run->rtf) return KZ_OK;
    run->rtf = rtf;
    run->step_ms = spent / (double)steps;
    return KZ_OK;
}

/* The best of `repeat` rounds. */
static kz_status run_size(kz__bench *b, kz__batch_run *run, kz__err *err) {
    const kz_model *model = b->list[0].model;
    kz_session *sessions[KZ__BENCH_STREAMS] = {NULL};
    kz_batch *batch = NULL;
    kz_batch_options options;
    kz_session_options member;
    kz_batch_options_init(&options);
    kz_session_options_init(&member);
    options.threads = b->threads;
    options.slots = run->streams;
    options.placement = kz__cli_placement(b->cli);
    kz_status status = kz_batch_create(model, &options, &batch, err->text, sizeof err->text);
    member.batch = batch;
    for (int i = 0; i < run->streams && !status; i++) {
        status = kz_session_create(model, &member, &sessions[i], err->text, sizeof err->text);
    }
    for (int r = 0; r < b->repeat && status >= 0; r++) {
        kz__cli_progress(b->cli, "batch of %d, run %d of %d", run->streams, r + 1, b->repeat);
        status = speak_together(b, batch, sessions, run);
        for (int i = 0; i < run->streams && status < 0 && !err->text[0]; i++) {
            snprintf(err->text, sizeof err->text, "%s", kz_error(sessions[i]));
        }
    }
    for (int i = 0; i < run->streams; i++) kz_session_free(sessions[i]);
    kz_batch_free(batch);
    return status;
}

int kz__bench_batches(kz__bench *b) {
    for (size_t i = 0; i < b->batch_count; i++) {
        kz__err err = {""};
        kz_status status = run_size(b, &b->batches[i], &err);
        if (status < 0) return kz__cli_status(b->cli, status, &err);
    }
    return KZ__EXIT_DONE;
}
