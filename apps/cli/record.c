/* Names in the JSON are promises: they are only ever added. */
#include "cli/record.h"

#include <inttypes.h>
#include <string.h>

const char *kz__type_name(kz_type type) {
    switch (type) {
    case KZ_TYPE_F32: return "f32";
    case KZ_TYPE_BF16: return "bf16";
    case KZ_TYPE_Q8: return "q8";
    case KZ_TYPE_Q4: return "q4";
    case KZ_TYPE_STORED: break;
    }
    return "stored";
}

const char *kz__decoder_name(kz_decoder decoder) {
    switch (decoder) {
    case KZ_DECODER_DIRECT: return "direct";
    case KZ_DECODER_WINOGRAD: return "winograd";
    case KZ_DECODER_INT8: return "int8";
    case KZ_DECODER_DEFAULT: break;
    }
    return "default";
}

static void add_times(kz_result *sum, const kz_result *r) {
    sum->frames += r->frames;
    sum->samples += r->samples;
    sum->prefill_ms += r->prefill_ms;
    sum->talker_ms += r->talker_ms;
    sum->predictor_ms += r->predictor_ms;
    sum->decoder_ms += r->decoder_ms;
    sum->sampler_ms += r->sampler_ms;
    sum->total_ms += r->total_ms;
    sum->setup_ms += r->setup_ms;
    sum->copy_ms += r->copy_ms;
    for (int i = 0; i < KZ_PREDICTOR_PASSES; i++) {
        sum->predictor_pass_ms[i] += r->predictor_pass_ms[i];
    }
}

void kz__record_add(kz__record *record, const kz_result *piece) {
    if (record->pieces == 0) record->sum.first_audio_ms = piece->first_audio_ms;
    add_times(&record->sum, piece);
    record->sum.seed = piece->seed;
    record->sum.threads = piece->threads;
    record->sum.max_frames = piece->max_frames;
    record->sum.prompt_rows = piece->prompt_rows;
    record->sum.prompt_rows_kept = piece->prompt_rows_kept;
    record->sum.text_tokens += piece->text_tokens;
    if (piece->session_bytes_peak > record->sum.session_bytes_peak) {
        record->sum.session_bytes_peak = piece->session_bytes_peak;
    }
    if (record->pieces == 0 || piece->finish > record->finish) {
        record->finish = piece->finish;
        record->worst = record->pieces + 1;
        snprintf(record->detail, sizeof record->detail, "%s",
                 piece->finish_detail ? piece->finish_detail : "");
    }
    record->pieces++;
}

int kz__record_finish(kz__cli *cli, const kz__record *record, int code) {
    const char *colon = record->detail[0] ? ": " : "";
    char where[64] = "";
    if (record->pieces > 1) {
        snprintf(where, sizeof where, " in piece %zu of %zu", record->worst, record->pieces);
    }
    if (record->finish == KZ_FINISH_LENGTH) {
        kz__cli_note(cli, "ended at a limit that was set%s%s%s (finish: length)", where, colon,
                     record->detail);
    }
    if (record->finish != KZ_FINISH_GUARD) return code;
    kz__cli_fail(cli, 0, "stopped by the guard%s%s%s (finish: guard); the sound made so far is "
                 "kept", where, colon, record->detail);
    return code == KZ__EXIT_DONE ? KZ__EXIT_GUARD : code;
}

static double seconds_of(const kz__record *record, const kz_model_info *info) {
    return info->sample_rate > 0 ? (double)record->sum.samples / info->sample_rate : 0;
}

static double rtf_of(const kz__record *record, const kz_model_info *info) {
    double seconds = seconds_of(record, info);
    return seconds > 0 ? record->sum.total_ms / 1e3 / seconds : 0;
}

static double per_frame(const kz__record *record, double ms) {
    return record->sum.frames > 0 ? ms / (double)record->sum.frames : 0;
}

static void show_stats(kz__cli *cli, const kz__record *record, const kz__sound *sound,
                       const kz_model_info *info) {
    const kz_result *s = &record->sum;
    kz__memory memory = kz__cli_memory();
    fprintf(stderr, "frames        %" PRIu64 " (%.2f s), finish: %s", s->frames,
            seconds_of(record, info), kz_finish_text(record->finish));
    if (info->has_talker) {
        fprintf(stderr, ", limit %d\nseed          %" PRIu64, s->max_frames, s->seed);
    }
    if (record->pieces > 1) {
        fprintf(stderr, "\npieces        %zu, %.2f s of pauses between them", record->pieces,
                (double)sound->silence / info->sample_rate);
    }
    fputc('\n', stderr);
    fprintf(stderr, "rtf           %.3f (time to first audio %.1f ms, load %.1f ms)\n",
            rtf_of(record, info), s->first_audio_ms, cli->load_ms);
    if (info->has_talker) {
        fprintf(stderr, "prefill       %.2f ms, %zu rows", s->prefill_ms, s->prompt_rows);
        if (s->prompt_rows_kept) fprintf(stderr, ", %zu known before", s->prompt_rows_kept);
        fputc('\n', stderr);
        fprintf(stderr, "ms per frame  talker %.2f, code predictor %.2f, ",
                per_frame(record, s->talker_ms), per_frame(record, s->predictor_ms));
    } else {
        fprintf(stderr, "ms per frame  ");
    }
    fprintf(stderr, "decoder %.2f\n", per_frame(record, s->decoder_ms));
    fprintf(stderr, "memory        peak %.1f MiB, session %.1f MiB\n",
            (double)memory.peak / 1048576.0, (double)s->session_bytes_peak / 1048576.0);
    fprintf(stderr, "run           %d threads, %s, %s, decoder %s\n", s->threads, info->cpu,
            kz__type_name(info->type), kz__decoder_name(info->decoder));
}

static void show_profile(const kz__record *record) {
    const kz_result *s = &record->sum;
    double compute = s->prefill_ms + s->talker_ms + s->predictor_ms + s->decoder_ms + s->sampler_ms;
    double known = compute + s->setup_ms + s->copy_ms;
    double other = s->total_ms - known;
    fprintf(stderr, "stage              total ms   ms/frame\n");
    const struct {
        const char *name;
        double ms;
    } rows[] = {{"prefill", s->prefill_ms},       {"talker", s->talker_ms},
                {"code predictor", s->predictor_ms}, {"sampler", s->sampler_ms},
                {"decoder", s->decoder_ms},       {"compute", compute},
                {"set-up", s->setup_ms},          {"copies", s->copy_ms},
                {"other", other > 0 ? other : 0}, {"all", s->total_ms}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fprintf(stderr, "%-16s %10.2f %10.3f\n", rows[i].name, rows[i].ms,
                per_frame(record, rows[i].ms));
    }
    for (int i = 0; i < KZ_PREDICTOR_PASSES; i++) {
        fprintf(stderr, "  pass %-2d        %10.2f %10.3f\n", i + 1, s->predictor_pass_ms[i],
                per_frame(record, s->predictor_pass_ms[i]));
    }
}

static json_t *profile_json(const kz__record *record) {
    json_t *passes = json_array();
    for (int i = 0; i < KZ_PREDICTOR_PASSES; i++) {
        json_array_append_new(passes, json_real(record->sum.predictor_pass_ms[i]));
    }
    return json_pack("{s:f, s:f, s:f, s:o}", "setup_ms", record->sum.setup_ms, "copy_ms",
                     record->sum.copy_ms, "sampler_ms", record->sum.sampler_ms, "pass_ms", passes);
}

static json_t *record_json(kz__cli *cli, const kz__record *record, const kz_model_info *info,
                           const kz__sound *sound) {
    const kz_result *s = &record->sum;
    double rate = info->sample_rate > 0 ? info->sample_rate : 1;
    uint64_t samples = s->samples + sound->silence;
    json_t *per = json_pack("{s:f, s:f, s:f}", "talker", per_frame(record, s->talker_ms),
                            "code_predictor", per_frame(record, s->predictor_ms), "decoder",
                            per_frame(record, s->decoder_ms));
    json_t *root = json_pack(
        "{s:I, s:I, s:f, s:s, s:s, s:o, s:f, s:f, s:f, s:o, s:f, s:f, s:I, s:I, s:i, s:s, s:s,"
        " s:i, s:i, s:I, s:f, s:s, s:I, s:I, s:f}",
        "frames", (json_int_t)s->frames, "samples", (json_int_t)samples, "seconds",
        (double)samples / rate, "finish", kz_finish_text(record->finish), "finish_detail",
        record->detail, "seed", kz__json_unsigned(s->seed), "rtf", rtf_of(record, info), "ttfa_ms",
        s->first_audio_ms, "prefill_ms", s->prefill_ms, "ms_per_frame", per, "load_ms",
        cli->load_ms, "total_ms", s->total_ms, "peak_bytes", (json_int_t)kz__cli_memory().peak,
        "session_bytes", (json_int_t)s->session_bytes_peak, "threads", s->threads, "cpu",
        info->cpu, "type", kz__type_name(info->type), "arithmetic", kz_arithmetic(),
        "max_frames", s->max_frames, "pieces", (json_int_t)record->pieces, "pause_seconds",
        (double)sound->silence / rate, "decoder", kz__decoder_name(info->decoder), "prompt_rows",
        (json_int_t)s->prompt_rows, "prompt_rows_kept", (json_int_t)s->prompt_rows_kept, "stall_ms",
        sound->stall_ms);
    if (root && sound->hash[0]) json_object_set_new(root, "hash", json_string(sound->hash));
    if (root && cli->set.profile) json_object_set_new(root, "profile", profile_json(record));
    return root;
}

int kz__record_show(kz__cli *cli, const kz__record *record, const kz__sound *sound,
                    const kz_model_info *info) {
    const char *hash = sound->hash;
    kz__cli_progress(cli, NULL);
    if (cli->set.stats) show_stats(cli, record, sound, info);
    if (cli->set.profile && !cli->set.json) show_profile(record);
    if (cli->set.json) {
        return kz__cli_json(cli, record_json(cli, record, info, sound), sound->on_stdout);
    }
    if (!hash[0]) return KZ__EXIT_DONE;
    kz__page page;
    if (!kz__page_open(&page)) return kz__cli_status(cli, KZ_ERR_MEMORY, NULL);
    fprintf(page.file, "sha256 %s arithmetic %d\n", hash, kz_arithmetic());
    return kz__page_close(cli, &page, sound->on_stdout);
}
