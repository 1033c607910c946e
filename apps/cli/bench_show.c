/* Results of `bench`, for people and as JSON. Rates and their shares of the probe are those of the
 * best times, since the probe is the best of several too. */
#include "cli/bench.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#define CHANGED 0.1 /* of the probe: worth a word */

static double share(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

/* GB/s at which the weights of talker and code predictor went by. */
static double lm_gbps(const kz__series *s) {
    double ms = s->best[KZ__TALKER] + s->best[KZ__PREDICTOR];
    return ms > 0 ? (double)s->info.lm_bytes_per_frame / ms / 1e6 : 0;
}

/* GFLOP/s of the decoder, two operations a multiply-accumulate. */
static double decoder_gflops(const kz__series *s, kz__measure which) {
    double ms = s->best[which];
    return ms > 0 ? 2.0 * (double)s->info.decoder_macs_per_frame / ms / 1e6 : 0;
}

static double lm_share(const kz__bench *b, const kz__series *s) {
    return share(lm_gbps(s), b->best.all.read_gbps);
}

static double decoder_share(const kz__bench *b, const kz__series *s, kz__measure which) {
    return share(decoder_gflops(s, which), b->best.all.fma_gflops);
}

/* The prompt goes through products of many rows: integers where the weights are quantised. */
static bool in_integers(const kz__series *s) {
    return s->info.type == KZ_TYPE_Q8 || s->info.type == KZ_TYPE_Q4;
}

static double prefill_rows(const kz__series *s) {
    return (double)(s->last.prompt_rows - s->last.prompt_rows_kept);
}

static double prefill_rate(const kz__series *s) {
    return s->best[KZ__PREFILL] > 0 ? 1e3 * prefill_rows(s) / s->best[KZ__PREFILL] : 0;
}

static double prefill_gops(const kz__series *s) {
    return 2e-9 * (double)s->info.prompt_macs_per_row * prefill_rate(s);
}

static double prefill_share(const kz__bench *b, const kz__series *s) {
    const kz_probe *probe = &b->best.all;
    return share(prefill_gops(s), in_integers(s) ? probe->int8_gops : probe->fma_gflops);
}

/* Packed weights, a session, and the rows of its key-value cache. */
static uint64_t plan(const kz__series *s) {
    uint64_t rows = s->last.prompt_rows + s->last.frames;
    return s->info.panel_bytes + s->info.session_bytes + rows * s->info.frame_bytes;
}

static bool is_folder(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* How far the machine moved while the runs went on: the largest change of a rate, as a ratio. */
static double moved(const kz__bench *b) {
    const kz_probe *first[] = {&b->before.one, &b->before.all};
    const kz_probe *second[] = {&b->after.one, &b->after.all};
    double most = 1;
    for (int i = 0; i < 2; i++) {
        const double ratios[] = {share(second[i]->fma_gflops, first[i]->fma_gflops),
                                 share(second[i]->int8_gops, first[i]->int8_gops),
                                 share(second[i]->read_gbps, first[i]->read_gbps)};
        for (int j = 0; j < 3; j++) {
            double ratio = ratios[j] > 0 && ratios[j] < 1 ? 1 / ratios[j] : ratios[j];
            if (ratio > most) most = ratio;
        }
    }
    return most;
}

/* ---- for people --------------------------------------------------------------------------- */

static void probe_line(FILE *out, const char *label, int threads, const kz_probe *p) {
    fprintf(out, "%-22s %d thread%s FMA %.1f GFLOP/s, int8 %.1f GOP/s, memory %.2f GB/s\n", label,
            threads, threads == 1 ? ": " : "s:", p->fma_gflops, p->int8_gops, p->read_gbps);
}

void kz__probes_lines(FILE *out, const kz__bench *b) {
    probe_line(out, "probe before", 1, &b->before.one);
    probe_line(out, "", b->threads, &b->before.all);
    probe_line(out, "probe after", 1, &b->after.one);
    probe_line(out, "", b->threads, &b->after.all);
    double ratio = moved(b);
    if (ratio > 1 + CHANGED) {
        fprintf(out, "                       the machine changed by a factor of %.2f between the "
                "two: measure again, or\n                       quote shares only\n", ratio);
    }
}

static void show_decoder(FILE *out, const kz__bench *b, const kz__series *s, kz__measure which,
                         int packet) {
    fprintf(out, "  packet of %d          %.2f ms a frame, %.1f GFLOP/s, %.0f %% of the probe\n",
            packet, s->best[which], decoder_gflops(s, which), 100 * decoder_share(b, s, which));
}

static void show_stages(FILE *out, const kz__bench *b, const kz__series *s) {
    fprintf(out, "prefill                %.0f rows, %.0f rows a second, %.1f %s, %.0f %% of the "
            "probe\n", prefill_rows(s), prefill_rate(s), prefill_gops(s),
            in_integers(s) ? "GOP/s (int8)" : "GFLOP/s", 100 * prefill_share(b, s));
    if (s->info.lm_bytes_per_frame > 0) {
        fprintf(out, "talker and predictor   %.1f MB of weights a frame, %.2f GB/s, %.0f %% of "
                "the probe\n", (double)s->info.lm_bytes_per_frame / 1e6, lm_gbps(s),
                100 * lm_share(b, s));
    }
    if (s->info.decoder_macs_per_frame > 0) {
        fprintf(out, "decoder                %.1f M multiply-adds a frame\n",
                (double)s->info.decoder_macs_per_frame / 1e6);
        show_decoder(out, b, s, KZ__DECODER_1, 1);
        show_decoder(out, b, s, KZ__DECODER_8, 8);
    }
}

static void show_series(FILE *out, const kz__bench *b, const kz__series *s) {
    fprintf(out, "\n%s, %d threads, %s placement, %s weights, decoder %s, %" PRIu64 " frames, %zu "
            "prompt rows (%zu kept when warm)\n", s->info.cpu, s->last.threads,
            kz__placement_name(kz__cli_placement(b->cli)), kz__type_name(s->info.type),
            kz__decoder_name(s->info.decoder), s->last.frames, s->last.prompt_rows, s->warm_kept);
    fprintf(out, "ready in               %.1f ms (%s)\n", s->load_ms,
            is_folder(b->path) ? "folder" : "packed file");
    fprintf(out, "%-22s %10s %10s\n", "", "best", "median");
    for (int m = 0; m < KZ__MEASURES; m++) {
        fprintf(out, "%-22s %10.3f %10.3f\n", kz__measure_names[m], s->best[m], s->median[m]);
    }
    show_stages(out, b, s);
    fprintf(out, "memory                 plan %.1f MiB: packed %.1f, session peak %.1f; mapped "
            "%.1f MiB\n", (double)plan(s) / 1048576.0, (double)s->info.panel_bytes / 1048576.0,
            (double)s->last.session_bytes_peak / 1048576.0,
            (double)s->info.mapped_bytes / 1048576.0);
}

static void show_passes(FILE *out, const kz__series *s) {
    fprintf(out, "passes, ms a frame    ");
    for (int i = 0; i < KZ_PREDICTOR_PASSES; i++) {
        fprintf(out, " %.3f", s->last.predictor_pass_ms[i] / (double)s->last.frames);
    }
    fprintf(out, "\nset-up, ms in all      %.3f\n", s->last.setup_ms);
}

static void show_more(FILE *out, const kz__bench *b) {
    if (b->batch_count > 0) fprintf(out, "\nspoken together        rtf a stream, ms a step\n");
    for (size_t i = 0; i < b->batch_count; i++) {
        const kz__batch_run *run = &b->batches[i];
        fprintf(out, "  %-20d %.3f         %.2f\n", run->streams, run->rtf, run->step_ms);
    }
    if (b->minute_count == 0) return;
    fprintf(out, "\nrtf by minute         ");
    for (size_t i = 0; i < b->minute_count; i++) fprintf(out, " %.3f", b->minutes[i]);
    fprintf(out, "\n  last over first      %.3f; private memory %.1f MiB, then %.1f MiB\n",
            b->minutes[b->minute_count - 1] / b->minutes[0],
            (double)b->minutes_private[0] / 1048576.0, (double)b->minutes_private[1] / 1048576.0);
}

static int show_lines(const kz__bench *b) {
    kz__page page;
    if (!kz__page_open(&page)) return kz__cli_status(b->cli, KZ_ERR_MEMORY, NULL);
    FILE *out = page.file;
    fprintf(out, "%-22s %s\n", "model", b->path);
    kz__probes_lines(out, b);
    for (size_t i = 0; i < b->count; i++) {
        show_series(out, b, &b->list[i]);
        if (b->cli->set.profile) show_passes(out, &b->list[i]);
    }
    if (b->count == 2) {
        const kz__series *s = b->list;
        fprintf(out, "\n%s over %s (median)    rtf %.3f, decoder at packet 8 %.3f\n", s[1].info.cpu,
                s[0].info.cpu, s[1].median[KZ__RTF] / s[0].median[KZ__RTF],
                s[1].median[KZ__DECODER_8] / s[0].median[KZ__DECODER_8]);
    }
    show_more(out, b);
    fprintf(out, "\nprocess                peak %.1f MiB, resident %.1f MiB: private %.1f, shared "
            "%.1f\n", (double)b->memory.peak / 1048576.0, (double)b->memory.resident / 1048576.0,
            (double)b->memory.private_bytes / 1048576.0, (double)b->memory.shared / 1048576.0);
    return kz__page_close(b->cli, &page, false);
}

/* ---- JSON: names are only ever added ------------------------------------------------------- */

static json_t *stages_json(const kz__bench *b, const kz__series *s) {
    return json_pack(
        "{s:f, s:f, s:f, s:s, s:f, s:I, s:i, s:f, s:s, s:s, s:I, s:I}", "prefill_rows",
        prefill_rows(s), "prefill_rows_per_s", prefill_rate(s), "prefill_gops", prefill_gops(s),
        "prefill_peak", in_integers(s) ? "int8" : "fma", "prefill_share", prefill_share(b, s),
        "prompt_macs_per_row", (json_int_t)s->info.prompt_macs_per_row, "warm_rows_kept",
        (int)s->warm_kept, "ready_ms", s->load_ms, "file",
        is_folder(b->path) ? "folder" : "packed", "placement",
        kz__placement_name(kz__cli_placement(b->cli)), "plan_bytes", (json_int_t)plan(s),
        "frame_bytes", (json_int_t)s->info.frame_bytes);
}

static json_t *series_json(const kz__bench *b, const kz__series *s) {
    json_t *best = json_object();
    json_t *median = json_object();
    json_t *passes = json_array();
    for (int m = 0; m < KZ__MEASURES; m++) {
        json_object_set_new(best, kz__measure_names[m], json_real(s->best[m]));
        json_object_set_new(median, kz__measure_names[m], json_real(s->median[m]));
    }
    for (int i = 0; i < KZ_PREDICTOR_PASSES; i++) {
        double ms = s->last.predictor_pass_ms[i] / (double)s->last.frames;
        json_array_append_new(passes, json_real(ms));
    }
    json_t *series = json_pack(
        "{s:s, s:i, s:s, s:I, s:I, s:f, s:o, s:o, s:o, s:f, s:I, s:I, s:f, s:f, s:f, s:f, s:f,"
        " s:f, s:I, s:I, s:I, s:s}",
        "cpu", s->info.cpu, "threads", s->last.threads, "type", kz__type_name(s->info.type),
        "frames", (json_int_t)s->last.frames, "prompt_rows", (json_int_t)s->last.prompt_rows,
        "load_ms", s->load_ms, "best", best, "median", median, "pass_ms", passes, "setup_ms",
        s->last.setup_ms, "lm_bytes_per_frame", (json_int_t)s->info.lm_bytes_per_frame,
        "decoder_macs_per_frame", (json_int_t)s->info.decoder_macs_per_frame, "lm_gbps",
        lm_gbps(s), "decoder_gflops_packet_1", decoder_gflops(s, KZ__DECODER_1),
        "decoder_gflops_packet_8", decoder_gflops(s, KZ__DECODER_8), "lm_share", lm_share(b, s),
        "decoder_share_packet_1", decoder_share(b, s, KZ__DECODER_1), "decoder_share_packet_8",
        decoder_share(b, s, KZ__DECODER_8), "mapped_bytes",
        (json_int_t)s->info.mapped_bytes, "panel_bytes", (json_int_t)s->info.panel_bytes,
        "session_bytes", (json_int_t)s->last.session_bytes_peak, "decoder",
        kz__decoder_name(s->info.decoder));
    json_t *stages = stages_json(b, s);
    json_object_update(series, stages);
    json_decref(stages);
    return series;
}

static json_t *probe_json(int threads, const kz_probe *p) {
    return json_pack("{s:i, s:f, s:f, s:f}", "threads", threads, "fma_gflops", p->fma_gflops,
                     "int8_gops", p->int8_gops, "read_gbps", p->read_gbps);
}

json_t *kz__probes_json(const kz__bench *b, const kz__probes *probes) {
    return json_pack("[o, o]", probe_json(1, &probes->one), probe_json(b->threads, &probes->all));
}

static void add_more(const kz__bench *b, json_t *root) {
    json_t *batches = json_array();
    json_t *minutes = json_array();
    for (size_t i = 0; i < b->batch_count; i++) {
        const kz__batch_run *run = &b->batches[i];
        json_array_append_new(batches, json_pack("{s:i, s:f, s:f}", "streams", run->streams, "rtf",
                                                 run->rtf, "ms_per_step", run->step_ms));
    }
    for (size_t i = 0; i < b->minute_count; i++) {
        json_array_append_new(minutes, json_real(b->minutes[i]));
    }
    if (b->batch_count > 0) json_object_set(root, "batch", batches);
    if (b->minute_count > 0) {
        json_object_set(root, "minutes_rtf", minutes);
        json_object_set_new(root, "minutes_ratio",
                            json_real(b->minutes[b->minute_count - 1] / b->minutes[0]));
        json_object_set_new(root, "minutes_private_bytes",
                            json_pack("[I, I]", (json_int_t)b->minutes_private[0],
                                      (json_int_t)b->minutes_private[1]));
    }
    json_decref(batches);
    json_decref(minutes);
}

static int show_json(const kz__bench *b) {
    json_t *list = json_array();
    for (size_t i = 0; i < b->count; i++) {
        json_array_append_new(list, series_json(b, &b->list[i]));
    }
    json_t *root = json_pack(
        "{s:s, s:i, s:o, s:o, s:o, s:f, s:o, s:I, s:I, s:I, s:I}", "model", b->path, "repeat",
        b->repeat, "probe", kz__probes_json(b, &b->best), "probe_before",
        kz__probes_json(b, &b->before), "probe_after", kz__probes_json(b, &b->after),
        "probe_moved", moved(b), "series", list, "peak_bytes", (json_int_t)b->memory.peak,
        "resident_bytes", (json_int_t)b->memory.resident, "private_bytes",
        (json_int_t)b->memory.private_bytes, "shared_bytes", (json_int_t)b->memory.shared);
    if (root) add_more(b, root);
    return kz__cli_json(b->cli, root, false);
}

int kz__bench_show(kz__bench *b) {
    return b->cli->set.json ? show_json(b) : show_lines(b);
}
