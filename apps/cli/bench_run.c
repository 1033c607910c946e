/* One run of a series: an utterance on a session that was just made, the utterance that is timed, a
 * second one after it, and its codes decoded at 1 and at 8 frames a packet. With two series runs
 * take turns, so that both see the same machine. */
#include "cli/bench.h"

#include "common/interrupt.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#define SEED_DEFAULT 1
#define FIRST_FRAMES 2   /* enough for a first sound */
#define DECODE_FRAMES 32 /* long enough for a stable time, whatever the number of frames */
#define BEST_OF 3
#define DECODE_MS 150.0  /* ... and tried again for at least so long */
#define PROBES 2

const char *const kz__measure_names[KZ__MEASURES] = {
    "rtf",        "ttfa_ms",    "prefill_ms",          "talker_ms",           "code_predictor_ms",
    "sampler_ms", "decoder_ms", "decoder_ms_packet_1", "decoder_ms_packet_8", "ttfa_cold_ms",
    "ttfa_warm_ms"};

/* What is said second: of about the length of the first. */
static const char second_text[] =
    "A narrow path leads from the village over the hills to a small harbour, where two old boats "
    "are waiting for the evening tide.";

/* ---- the machine -------------------------------------------------------------------------- */

static void keep_best(kz_probe *best, const kz_probe *now) {
    if (now->fma_gflops > best->fma_gflops) best->fma_gflops = now->fma_gflops;
    if (now->int8_gops > best->int8_gops) best->int8_gops = now->int8_gops;
    if (now->read_gbps > best->read_gbps) best->read_gbps = now->read_gbps;
}

kz__probes kz__bench_probes(const kz__probes *before, const kz__probes *after) {
    kz__probes best = *before;
    keep_best(&best.one, &after->one);
    keep_best(&best.all, &after->all);
    return best;
}

kz_status kz__bench_probe(kz__bench *b, kz__probes *probes) {
    kz_status status = KZ_OK;
    memset(probes, 0, sizeof *probes);
    probes->one.size = probes->all.size = sizeof probes->one;
    kz__cli_progress(b->cli, "probing the machine");
    int rounds = b->repeat > 1 ? PROBES : 1;
    for (int i = 0; i < 2 * rounds && !status; i++) {
        kz_probe now = {.size = sizeof now};
        status = kz_probe_machine(i % 2 ? b->threads : 1, b->cli->set.cpu, &now);
        keep_best(i % 2 ? &probes->all : &probes->one, &now);
    }
    return status;
}

/* ---- an utterance ------------------------------------------------------------------------- */

kz_status kz__bench_drain(kz__bench *b, kz_session *session, void *digest) {
    kz_status status = KZ_OK;
    while (status == KZ_OK || status == KZ_TIMEOUT) {
        size_t count = 0;
        if (kz__interrupted()) return KZ_ERR_CANCELLED;
        status = kz_session_read(session, b->samples, KZ__BENCH_SAMPLES, &count, 100);
        if (digest) EVP_DigestUpdate(digest, b->samples, count * sizeof *b->samples);
    }
    return status;
}

void kz__bench_result(const kz_session *session, kz_result *result) {
    memset(result, 0, sizeof *result);
    result->size = sizeof *result;
    kz_session_get_result(session, result);
}

void kz__bench_request(kz__bench *b, const kz_model_info *info, const char *text, int frames,
                       unsigned flags, kz_request *request) {
    const kz__settings *set = &b->cli->set;
    kz_request_init(request);
    request->text = text;
    request->text_length = strlen(text);
    request->seed = set->seed.given ? set->seed.value : SEED_DEFAULT;
    request->exact_frames = frames;
    request->packet = set->packet;
    request->flags = kz__cli_flags(b->cli) | flags;
    if (set->greedy) request->talker.temperature = request->predictor.temperature = 0;
    size_t length = (size_t)info->speaker_vector_length;
    if (length == 0 || length > KZ__BENCH_VECTOR) return;
    for (size_t i = 0; i < length; i++) b->vector[i] = (float)((int)(i * 7 % 13) - 6) / 13.0f;
    request->speaker_vector = b->vector;
    request->speaker_vector_length = length;
}

static kz_status speak(kz__bench *b, kz__series *s, const char *text, int frames, unsigned flags,
                       kz_result *result) {
    kz_request request;
    kz__bench_request(b, &s->info, text, frames, flags, &request);
    kz_status status = kz_session_start(s->session, &request);
    if (status == KZ_OK) status = kz__bench_drain(b, s->session, NULL);
    kz__bench_result(s->session, result);
    return status < 0 || result->frames > 0 ? status : KZ_ERR_FAILED;
}

/* ---- the decoder alone -------------------------------------------------------------------- */

/* Codes of the last run, again and again up to DECODE_FRAMES; for kz__free. */
static int32_t *codes_to_decode(kz__bench *b, const kz__series *s) {
    size_t frames = 0;
    const int32_t *codes = kz_session_codes(s->session, &frames);
    size_t width = (size_t)s->info.codes_per_frame;
    int32_t *copy = kz__calloc(&b->cli->mem, DECODE_FRAMES * width, sizeof *copy);
    for (size_t i = 0; copy && codes && frames > 0 && i < DECODE_FRAMES; i++) {
        memcpy(copy + i * width, codes + i % frames * width, width * sizeof *copy);
    }
    return copy;
}

/* Milliseconds of the decoder per frame, the best of several tries. */
static kz_status decode(kz__bench *b, kz__series *s, const int32_t *codes, int packet,
                        double *ms) {
    kz_status status = KZ_OK;
    int tries = b->repeat < BEST_OF ? BEST_OF : 1;
    double spent = 0;
    for (int i = 0; (i < tries || spent < DECODE_MS) && status >= 0; i++) {
        kz_result result;
        status = kz_session_start_codes(s->session, codes, DECODE_FRAMES, packet, 0);
        if (status == KZ_OK) status = kz__bench_drain(b, s->session, NULL);
        kz__bench_result(s->session, &result);
        if (status >= 0 && result.frames == 0) return KZ_ERR_FAILED;
        double now = result.decoder_ms / (double)DECODE_FRAMES;
        if (i == 0 || now < *ms) *ms = now;
        spent += result.total_ms;
    }
    return status;
}

/* ---- a run -------------------------------------------------------------------------------- */

/* A session of its own for the run: what its first sound costs, threads and memory included. */
static kz_status first_sound(kz__bench *b, kz__series *s, double *cold, kz__err *err) {
    kz_result result;
    kz_session_options options;
    kz_session_options_init(&options);
    options.threads = b->threads;
    options.placement = kz__cli_placement(b->cli);
    kz_session_free(s->session);
    s->session = NULL;
    double begun = kz__clock_ms();
    kz_status status =
        kz_session_create(s->model, &options, &s->session, err->text, sizeof err->text);
    if (status != KZ_OK) return status;
    double made = kz__clock_ms() - begun;
    status = speak(b, s, b->text, FIRST_FRAMES, KZ_ALL_ROWS, &result);
    *cold = made + result.first_audio_ms;
    return status;
}

static kz_status run_once(kz__bench *b, kz__series *s, size_t at, kz__err *err) {
    double cold = 0;
    double one = 0;
    double eight = 0;
    kz_result warm;
    kz_status status = first_sound(b, s, &cold, err);
    if (status >= 0) status = speak(b, s, b->text, b->frames, KZ_ALL_ROWS, &s->last);
    if (status < 0) return status;
    int32_t *codes = codes_to_decode(b, s);
    if (!codes) return KZ_ERR_MEMORY;
    status = speak(b, s, b->text, FIRST_FRAMES, 0, &warm); /* leaves its first rows */
    if (status >= 0) status = speak(b, s, second_text, FIRST_FRAMES, 0, &warm);
    if (status >= 0) status = decode(b, s, codes, 1, &one);
    if (status >= 0) status = decode(b, s, codes, 8, &eight);
    kz__free(&b->cli->mem, codes);
    if (status < 0) return status;
    s->warm_kept = warm.prompt_rows_kept;
    const kz_result *r = &s->last;
    double frames = (double)r->frames;
    double sound_ms = 1e3 * (double)r->samples / s->info.sample_rate;
    const double values[KZ__MEASURES] = {
        r->total_ms / sound_ms,   r->first_audio_ms,      r->prefill_ms,
        r->talker_ms / frames,    r->predictor_ms / frames, r->sampler_ms / frames,
        r->decoder_ms / frames,   one,                    eight,
        cold,                     warm.first_audio_ms};
    for (int m = 0; m < KZ__MEASURES; m++) s->runs[m][at] = values[m];
    return KZ_OK;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void summarise(const kz__bench *b, kz__series *s) {
    for (int m = 0; m < KZ__MEASURES; m++) {
        qsort(s->runs[m], (size_t)b->repeat, sizeof(double), by_value);
        s->best[m] = s->runs[m][0];
        int middle = b->repeat / 2;
        s->median[m] = b->repeat % 2 ? s->runs[m][middle]
                                     : (s->runs[m][middle - 1] + s->runs[m][middle]) / 2;
    }
}

int kz__bench_open(kz__bench *b, kz__series *s) {
    kz__err err = {""};
    kz_status status = kz__cli_load(b->cli, b->path, s->level, false, &s->model, &s->info, &err);
    if (status != KZ_OK) return kz__cli_status(b->cli, status, &err);
    s->load_ms = b->cli->load_ms;
    for (int m = 0; m < KZ__MEASURES; m++) {
        s->runs[m] = kz__calloc(&b->cli->mem, (size_t)b->repeat, sizeof(double));
        if (!s->runs[m]) return kz__cli_status(b->cli, KZ_ERR_MEMORY, NULL);
    }
    return KZ__EXIT_DONE;
}

int kz__bench_runs(kz__bench *b) {
    for (int r = 0; r < b->repeat; r++) {
        for (size_t i = 0; i < b->count; i++) {
            kz__series *s = &b->list[i];
            kz__err err = {""};
            kz__cli_progress(b->cli, "run %d of %d, %s", r + 1, b->repeat, s->info.cpu);
            kz_status status = run_once(b, s, (size_t)r, &err);
            if (status >= 0) continue;
            if (s->session) snprintf(err.text, sizeof err.text, "%s", kz_error(s->session));
            return kz__cli_status(b->cli, status, &err);
        }
    }
    for (size_t i = 0; i < b->count; i++) summarise(b, &b->list[i]);
    return KZ__EXIT_DONE;
}

void kz__bench_close(kz__bench *b) {
    for (size_t i = 0; i < 2; i++) {
        kz_session_free(b->list[i].session);
        kz_model_free(b->list[i].model);
        for (int m = 0; m < KZ__MEASURES; m++) kz__free(&b->cli->mem, b->list[i].runs[m]);
    }
    kz__free(&b->cli->mem, b->minutes);
    kz__free(&b->cli->mem, b->samples);
}
