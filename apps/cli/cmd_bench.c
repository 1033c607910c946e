/* kazeia bench: speed of a model, with the probe of the machine beside it. Each series runs a fixed
 * number of frames, then decodes the codes it made at 1 and at 8 frames a packet. With --alternate
 * two series at two kernel levels take turns, so that both see the same machine. */
#include "cli/record.h"

#include "common/interrupt.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES_DEFAULT 100
#define REPEAT_DEFAULT 3
#define SEED_DEFAULT 1
#define SAMPLES 15360
#define VECTOR_MAX 4096
#define DECODE_FRAMES 32 /* long enough for a stable time, whatever the number of frames */
#define BEST_OF 3
#define DECODE_MS 150.0 /* ... and tried again for at least so long */

static const char default_text[] =
    "The old lighthouse keeper climbed the narrow stairs every evening to light the lamp that "
    "guided the fishing boats safely home.";

/* Medians unless said otherwise; per frame where that makes sense. */
enum measure {
    RTF,
    TTFA,
    PREFILL,
    TALKER,
    PREDICTOR,
    SAMPLER,
    DECODER,
    DECODER_1,
    DECODER_8,
    MEASURES
};

static const char *const measure_names[MEASURES] = {
    "rtf",     "ttfa_ms",    "prefill_ms",       "talker_ms", "code_predictor_ms", "sampler_ms",
    "decoder_ms", "decoder_ms_packet_1", "decoder_ms_packet_8"};

typedef struct series {
    const char *level; /* wanted; NULL: the best */
    kz_model *model;
    kz_model_info info;
    kz_session *session;
    double load_ms;
    kz_result last;
    double *runs[MEASURES]; /* [repeat] */
    double best[MEASURES], median[MEASURES];
} series;

typedef struct bench {
    kz__cli *cli;
    const char *path;
    int frames, repeat;
    const char *text;
    series list[2];
    size_t count;
    kz__memory memory;
    kz_probe one, all; /* 1 thread, and as many as the sessions use */
    int threads;
    float *samples;
    float vector[VECTOR_MAX];
} bench;

/* ---- one run ------------------------------------------------------------------------------ */

static kz_status drain(bench *b, kz_session *session) {
    kz_status status = KZ_OK;
    while (status == KZ_OK || status == KZ_TIMEOUT) {
        size_t count = 0;
        if (kz__interrupted()) return KZ_ERR_CANCELLED;
        status = kz_session_read(session, b->samples, SAMPLES, &count, 100);
    }
    return status;
}

static void result_of(const kz_session *session, kz_result *result) {
    memset(result, 0, sizeof *result);
    result->size = sizeof *result;
    kz_session_get_result(session, result);
}

static kz_status speak(bench *b, series *s) {
    const kz__settings *set = &b->cli->set;
    kz_request request;
    kz_request_init(&request);
    request.text = b->text;
    request.text_length = strlen(b->text);
    request.seed = set->seed.given ? set->seed.value : SEED_DEFAULT;
    request.exact_frames = b->frames;
    request.packet = set->packet;
    request.flags = kz__cli_flags(b->cli) | KZ_ALL_ROWS; /* a first sound from nothing */
    if (set->greedy) request.talker.temperature = request.predictor.temperature = 0;
    size_t length = (size_t)s->info.speaker_vector_length;
    if (length > 0 && length <= VECTOR_MAX) {
        for (size_t i = 0; i < length; i++) b->vector[i] = (float)((int)(i * 7 % 13) - 6) / 13.0f;
        request.speaker_vector = b->vector;
        request.speaker_vector_length = length;
    }
    kz_status status = kz_session_start(s->session, &request);
    return status == KZ_OK ? drain(b, s->session) : status;
}

/* Codes of the last run, again and again up to DECODE_FRAMES; for kz__free. */
static int32_t *codes_to_decode(bench *b, const series *s) {
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
static kz_status decode(bench *b, series *s, const int32_t *codes, int packet, double *ms) {
    kz_status status = KZ_OK;
    int tries = b->repeat < BEST_OF ? BEST_OF : 1;
    double spent = 0;
    for (int i = 0; (i < tries || spent < DECODE_MS) && status >= 0; i++) {
        kz_result result;
        status = kz_session_start_codes(s->session, codes, DECODE_FRAMES, packet, 0);
        if (status == KZ_OK) status = drain(b, s->session);
        result_of(s->session, &result);
        if (status >= 0 && result.frames == 0) return KZ_ERR_FAILED;
        double now = result.decoder_ms / (double)DECODE_FRAMES;
        if (i == 0 || now < *ms) *ms = now;
        spent += result.total_ms;
    }
    return status;
}

static kz_status run_once(bench *b, series *s, size_t at) {
    double one = 0;
    double eight = 0;
    kz_status status = speak(b, s);
    if (status < 0) return status;
    result_of(s->session, &s->last);
    if (s->last.frames == 0) return KZ_ERR_FAILED;
    int32_t *codes = codes_to_decode(b, s);
    if (!codes) return KZ_ERR_MEMORY;
    status = decode(b, s, codes, 1, &one);
    if (status >= 0) status = decode(b, s, codes, 8, &eight);
    kz__free(&b->cli->mem, codes);
    if (status < 0) return status;
    const kz_result *r = &s->last;
    double frames = (double)r->frames;
    double sound_ms = 1e3 * (double)r->samples / s->info.sample_rate;
    const double values[MEASURES] = {r->total_ms / sound_ms,  r->first_audio_ms,
                                     r->prefill_ms,           r->talker_ms / frames,
                                     r->predictor_ms / frames, r->sampler_ms / frames,
                                     r->decoder_ms / frames,  one, eight};
    for (int m = 0; m < MEASURES; m++) s->runs[m][at] = values[m];
    return KZ_OK;
}

/* ---- the whole ---------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void summarise(const bench *b, series *s) {
    for (int m = 0; m < MEASURES; m++) {
        qsort(s->runs[m], (size_t)b->repeat, sizeof(double), by_value);
        s->best[m] = s->runs[m][0];
        int middle = b->repeat / 2;
        s->median[m] = b->repeat % 2 ? s->runs[m][middle]
                                     : (s->runs[m][middle - 1] + s->runs[m][middle]) / 2;
    }
}

static int open_series(bench *b, series *s) {
    kz__err err = {""};
    kz_status status = kz__cli_load(b->cli, b->path, s->level, false, &s->model, &s->info, &err);
    if (status != KZ_OK) return kz__cli_status(b->cli, status, &err);
    s->load_ms = b->cli->load_ms;
    for (int m = 0; m < MEASURES; m++) {
        s->runs[m] = kz__calloc(&b->cli->mem, (size_t)b->repeat, sizeof(double));
        if (!s->runs[m]) return kz__cli_status(b->cli, KZ_ERR_MEMORY, NULL);
    }
    return kz__cli_open_session(b->cli, s->model, &s->session);
}

/* Keeps the best of what was measured so far. */
static kz_status probe_once(const bench *b, int threads, kz_probe *best) {
    kz_probe now;
    memset(&now, 0, sizeof now);
    now.size = sizeof now;
    kz_status status = kz_probe_machine(threads, b->list[0].info.cpu, &now);
    if (now.fma_gflops > best->fma_gflops) best->fma_gflops = now.fma_gflops;
    if (now.read_gbps > best->read_gbps) best->read_gbps = now.read_gbps;
    return status;
}

static int probe(bench *b) {
    memset(&b->one, 0, sizeof b->one);
    b->one.size = sizeof b->one;
    b->all = b->one;
    b->threads = b->cli->set.threads > 0 ? b->cli->set.threads : kz_default_threads();
    kz__cli_progress(b->cli, "probing the machine");
    kz_status status = KZ_OK;
    for (int i = 0; i < BEST_OF && status == KZ_OK; i++) {
        status = probe_once(b, 1, &b->one);
        if (status == KZ_OK) status = probe_once(b, b->threads, &b->all);
    }
    return status == KZ_OK ? KZ__EXIT_DONE : kz__cli_status(b->cli, status, NULL);
}

static int run_all(bench *b) {
    for (int r = 0; r < b->repeat; r++) {
        for (size_t i = 0; i < b->count; i++) {
            series *s = &b->list[i];
            kz__cli_progress(b->cli, "run %d of %d, %s", r + 1, b->repeat, s->info.cpu);
            kz_status status = run_once(b, s, (size_t)r);
            if (status < 0) {
                kz__err err;
                snprintf(err.text, sizeof err.text, "%s", kz_error(s->session));
                return kz__cli_status(b->cli, status, &err);
            }
        }
    }
    for (size_t i = 0; i < b->count; i++) summarise(b, &b->list[i]);
    return KZ__EXIT_DONE;
}

/* ---- results ------------------------------------------------------------------------------ */

/* Rates and shares are of the best times, since the probe is the best of several too. */

/* GB/s at which the weights of talker and code predictor went by. */
static double lm_gbps(const series *s) {
    double ms = s->best[TALKER] + s->best[PREDICTOR];
    return ms > 0 ? (double)s->info.lm_bytes_per_frame / ms / 1e6 : 0;
}

/* GFLOP/s of the decoder, two operations a multiply-accumulate. */
static double decoder_gflops(const series *s, enum measure which) {
    double ms = s->best[which];
    return ms > 0 ? 2.0 * (double)s->info.decoder_macs_per_frame / ms / 1e6 : 0;
}

static double share(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

static double lm_share(const bench *b, const series *s) {
    return share(lm_gbps(s), b->all.read_gbps);
}

static double decoder_share(const bench *b, const series *s, enum measure which) {
    return share(decoder_gflops(s, which), b->all.fma_gflops);
}

static void show_decoder(FILE *out, const bench *b, const series *s, enum measure which,
                         int packet) {
    fprintf(out, "  packet of %d          %.2f ms a frame, %.1f GFLOP/s, %.0f %% of the probe\n",
            packet, s->best[which], decoder_gflops(s, which), 100 * decoder_share(b, s, which));
}

static void show_series(FILE *out, const bench *b, const series *s) {
    fprintf(out, "\n%s, %d threads, %s weights, decoder %s, %" PRIu64 " frames, %zu prompt "
            "rows, load %.1f ms\n", s->info.cpu, s->last.threads, kz__type_name(s->info.type),
            kz__decoder_name(s->info.decoder), s->last.frames, s->last.prompt_rows, s->load_ms);
    fprintf(out, "%-22s %10s %10s\n", "", "best", "median");
    for (int m = 0; m < MEASURES; m++) {
        fprintf(out, "%-22s %10.3f %10.3f\n", measure_names[m], s->best[m], s->median[m]);
    }
    if (s->info.lm_bytes_per_frame > 0) {
        fprintf(out, "talker and predictor   %.1f MB of weights a frame, %.2f GB/s, %.0f %% of "
                "the probe\n", (double)s->info.lm_bytes_per_frame / 1e6, lm_gbps(s),
                100 * lm_share(b, s));
    }
    if (s->info.decoder_macs_per_frame > 0) {
        fprintf(out, "decoder                %.1f M multiply-adds a frame\n",
                (double)s->info.decoder_macs_per_frame / 1e6);
        show_decoder(out, b, s, DECODER_1, 1);
        show_decoder(out, b, s, DECODER_8, 8);
    }
    fprintf(out, "memory                 mapped %.1f MiB, packed %.1f MiB, session peak %.1f MiB\n",
            (double)s->info.mapped_bytes / 1048576.0, (double)s->info.panel_bytes / 1048576.0,
            (double)s->last.session_bytes_peak / 1048576.0);
}

static void show_passes(FILE *out, const series *s) {
    fprintf(out, "passes, ms a frame    ");
    for (int i = 0; i < KZ_PREDICTOR_PASSES; i++) {
        fprintf(out, " %.3f", s->last.predictor_pass_ms[i] / (double)s->last.frames);
    }
    fprintf(out, "\nset-up, ms in all      %.3f\n", s->last.setup_ms);
}

static int show_lines(const bench *b) {
    kz__page page;
    if (!kz__page_open(&page)) return kz__cli_status(b->cli, KZ_ERR_MEMORY, NULL);
    FILE *out = page.file;
    fprintf(out, "model                  %s\n", b->path);
    fprintf(out, "probe                  1 thread:  FMA %.1f GFLOP/s, memory %.2f GB/s\n",
            b->one.fma_gflops, b->one.read_gbps);
    fprintf(out, "                       %d threads: FMA %.1f GFLOP/s, memory %.2f GB/s\n",
            b->threads, b->all.fma_gflops, b->all.read_gbps);
    for (size_t i = 0; i < b->count; i++) {
        show_series(out, b, &b->list[i]);
        if (b->cli->set.profile) show_passes(out, &b->list[i]);
    }
    if (b->count == 2) {
        fprintf(out, "\n%s over %s (median)    rtf %.3f, decoder at packet 8 %.3f\n",
                b->list[1].info.cpu, b->list[0].info.cpu,
                b->list[1].median[RTF] / b->list[0].median[RTF],
                b->list[1].median[DECODER_8] / b->list[0].median[DECODER_8]);
    }
    fprintf(out, "\nprocess                peak %.1f MiB, resident %.1f MiB, private %.1f MiB\n",
            (double)b->memory.peak / 1048576.0, (double)b->memory.resident / 1048576.0,
            (double)b->memory.private_bytes / 1048576.0);
    return kz__page_close(b->cli, &page, false);
}

static json_t *series_json(const bench *b, const series *s) {
    json_t *best = json_object();
    json_t *median = json_object();
    json_t *passes = json_array();
    for (int m = 0; m < MEASURES; m++) {
        json_object_set_new(best, measure_names[m], json_real(s->best[m]));
        json_object_set_new(median, measure_names[m], json_real(s->median[m]));
    }
    for (int i = 0; i < KZ_PREDICTOR_PASSES; i++) {
        double ms = s->last.predictor_pass_ms[i] / (double)s->last.frames;
        json_array_append_new(passes, json_real(ms));
    }
    return json_pack(
        "{s:s, s:i, s:s, s:I, s:I, s:f, s:o, s:o, s:o, s:f, s:I, s:I, s:f, s:f, s:f, s:f, s:f,"
        " s:f, s:I, s:I, s:I, s:s}",
        "cpu", s->info.cpu, "threads", s->last.threads, "type", kz__type_name(s->info.type),
        "frames", (json_int_t)s->last.frames, "prompt_rows", (json_int_t)s->last.prompt_rows,
        "load_ms", s->load_ms, "best", best, "median", median, "pass_ms", passes, "setup_ms",
        s->last.setup_ms, "lm_bytes_per_frame", (json_int_t)s->info.lm_bytes_per_frame,
        "decoder_macs_per_frame", (json_int_t)s->info.decoder_macs_per_frame, "lm_gbps",
        lm_gbps(s), "decoder_gflops_packet_1", decoder_gflops(s, DECODER_1),
        "decoder_gflops_packet_8", decoder_gflops(s, DECODER_8), "lm_share", lm_share(b, s),
        "decoder_share_packet_1", decoder_share(b, s, DECODER_1), "decoder_share_packet_8",
        decoder_share(b, s, DECODER_8), "mapped_bytes",
        (json_int_t)s->info.mapped_bytes, "panel_bytes", (json_int_t)s->info.panel_bytes,
        "session_bytes", (json_int_t)s->last.session_bytes_peak, "decoder",
        kz__decoder_name(s->info.decoder));
}

static int show_json(const bench *b) {
    json_t *list = json_array();
    for (size_t i = 0; i < b->count; i++) {
        json_array_append_new(list, series_json(b, &b->list[i]));
    }
    json_t *probes = json_pack("[{s:i, s:f, s:f}, {s:i, s:f, s:f}]", "threads", 1, "fma_gflops",
                               b->one.fma_gflops, "read_gbps", b->one.read_gbps, "threads",
                               b->threads, "fma_gflops", b->all.fma_gflops, "read_gbps",
                               b->all.read_gbps);
    return kz__cli_json(b->cli, json_pack("{s:s, s:i, s:o, s:o, s:I, s:I, s:I}", "model", b->path,
                                          "repeat", b->repeat, "probe", probes, "series", list,
                                          "peak_bytes", (json_int_t)b->memory.peak,
                                          "resident_bytes", (json_int_t)b->memory.resident,
                                          "private_bytes", (json_int_t)b->memory.private_bytes),
                        false);
}

static void close_all(bench *b) {
    for (size_t i = 0; i < b->count; i++) {
        kz_session_free(b->list[i].session);
        kz_model_free(b->list[i].model);
        for (int m = 0; m < MEASURES; m++) kz__free(&b->cli->mem, b->list[i].runs[m]);
    }
    kz__free(&b->cli->mem, b->samples);
}

static int find_path(bench *b, char *box, size_t capacity) {
    const kz__cli *cli = b->cli;
    if (cli->args.word_count > 1) {
        return kz__cli_fail(b->cli, KZ__EXIT_USAGE, "bench takes one model, %zu were given (a "
                            "text goes with --text)", cli->args.word_count);
    }
    bool twice = cli->args.word_count == 1 &&
                 kz__args_source(&cli->args, "model") == KZ__FROM_LINE;
    if (twice) return kz__cli_fail(b->cli, KZ__EXIT_USAGE, "the model is given twice");
    b->path = cli->args.word_count == 1 ? cli->args.words[0] : cli->set.model;
    if (b->path) return KZ__EXIT_DONE;
    b->path = box;
    if (kz__cli_voice_in_the_box(cli, box, capacity)) return KZ__EXIT_DONE;
    return kz__cli_fail(b->cli, KZ__EXIT_MODEL, "no model: name one, or set KAZEIA_MODEL");
}

int kz__cmd_bench(kz__cli *cli) {
    static bench b;
    static char box[2 * PATH_MAX]; /* b points to it */
    b.cli = cli;
    b.frames = cli->set.frames > 0 ? cli->set.frames : FRAMES_DEFAULT;
    b.repeat = cli->set.repeat > 0 ? cli->set.repeat : REPEAT_DEFAULT;
    b.text = cli->set.text ? cli->set.text : default_text;
    int code = find_path(&b, box, sizeof box);
    if (code != KZ__EXIT_DONE) return code;
    b.list[0].level = cli->set.cpu;
    b.list[1].level = cli->set.alternate;
    b.count = cli->set.alternate ? 2 : 1;
    b.samples = kz__calloc(&cli->mem, SAMPLES, sizeof *b.samples);
    if (!b.samples) code = kz__cli_status(cli, KZ_ERR_MEMORY, NULL);
    for (size_t i = 0; i < b.count && code == KZ__EXIT_DONE; i++) {
        code = open_series(&b, &b.list[i]);
    }
    kz__interrupt_install();
    if (code == KZ__EXIT_DONE) code = run_all(&b);
    b.memory = kz__cli_memory(); /* before the probe takes its own */
    if (code == KZ__EXIT_DONE) code = probe(&b);
    kz__cli_progress(cli, NULL);
    if (code == KZ__EXIT_DONE) code = cli->set.json ? show_json(&b) : show_lines(&b);
    close_all(&b);
    return code;
}
