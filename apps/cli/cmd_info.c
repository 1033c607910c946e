/* kazeia info: what a model is, or what this machine offers. */
#include "cli/record.h"
#include "cli/tune.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

static const char *kind_name(kz_kind kind) {
    switch (kind) {
    case KZ_KIND_BASE: return "base";
    case KZ_KIND_CUSTOM_VOICE: return "custom_voice";
    case KZ_KIND_VOICE_DESIGN: return "voice_design";
    }
    return "unknown";
}

/* ---- the machine -------------------------------------------------------------------------- */

static size_t level_count(void) {
    size_t count = 0;
    while (kz_cpu_level(count)) count++;
    return count;
}

static int machine_json(kz__cli *cli) {
    json_t *levels = json_array();
    size_t count = level_count();
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(levels, json_string(kz_cpu_level(i)));
    }
    char path[PATH_MAX + 32];
    const char *file = kz__tune_file(path, sizeof path) ? path : NULL;
    json_t *root = json_pack("{s:s, s:i, s:s, s:o, s:s, s:i, s:s?}", "version", kz_version(),
                             "arithmetic", kz_arithmetic(), "features", kz_features(), "levels",
                             levels, "cpu", kz_cpu_level(count - 1), "threads",
                             kz_default_threads(), "tuning_file", file);
    return kz__cli_json(cli, root, false);
}

static int machine_lines(kz__cli *cli) {
    kz__page page;
    size_t count = level_count();
    if (!kz__page_open(&page)) return kz__cli_status(cli, KZ_ERR_MEMORY, NULL);
    fprintf(page.file, "version       %s\n", kz_version());
    fprintf(page.file, "arithmetic    %d\n", kz_arithmetic());
    fprintf(page.file, "features      %s\n", kz_features());
    fprintf(page.file, "kernels      ");
    for (size_t i = 0; i < count; i++) fprintf(page.file, " %s", kz_cpu_level(i));
    fprintf(page.file, "\ncpu           %s%s\n", kz_cpu_level(count - 1),
            count == 1 ? " (no fast kernels for this processor: it will be slow)" : "");
    fprintf(page.file, "threads       %d\n", kz_default_threads());
    char path[PATH_MAX + 32];
    if (kz__tune_file(path, sizeof path)) fprintf(page.file, "tuning        %s\n", path);
    return kz__page_close(cli, &page, false);
}

/* ---- a model ------------------------------------------------------------------------------ */

static json_t *names_json(const kz_model *model, const kz_model_info *info, bool speakers) {
    json_t *list = json_array();
    size_t count = speakers ? info->speaker_count : info->language_count;
    for (size_t i = 0; i < count; i++) {
        const char *dialect = NULL;
        if (!speakers) {
            json_array_append_new(list, json_string(kz_model_language(model, i)));
            continue;
        }
        const char *name = kz_model_speaker(model, i, &dialect);
        json_array_append_new(list, json_pack("{s:s, s:s?}", "name", name, "dialect", dialect));
    }
    return list;
}

/* What bench --auto kept for this model and say takes where nothing else is said; null: nothing. */
static json_t *tuned_json(kz__cli *cli, const kz_model_info *info) {
    kz__choice choice;
    bool off = cli->set.tune && !strcasecmp(cli->set.tune, "off");
    if (off || !kz__tune_find(cli, info, &choice, NULL)) return json_null();
    return json_pack("{s:i, s:s, s:s}", "threads", choice.threads, "cpu", choice.cpu, "placement",
                     kz__placement_name(choice.placement));
}

static void tuned_line(kz__cli *cli, FILE *out, const kz_model_info *info) {
    kz__choice choice;
    kz__err why = {""};
    if (cli->set.tune && !strcasecmp(cli->set.tune, "off")) {
        fprintf(out, "tuned         off\n");
    } else if (kz__tune_find(cli, info, &choice, &why)) {
        fprintf(out, "tuned         %d threads, %s, %s placement (bench --auto)\n", choice.threads,
                choice.cpu, kz__placement_name(choice.placement));
    } else {
        fprintf(out, "tuned         no%s%s\n", why.text[0] ? ": " : "", why.text);
    }
}

static int model_json(kz__cli *cli, const kz_model *model, const kz_model_info *info) {
    json_t *memory = json_pack("{s:I, s:I, s:I, s:I, s:I}", "mapped_bytes",
                               (json_int_t)info->mapped_bytes, "panel_bytes",
                               (json_int_t)info->panel_bytes, "session_bytes",
                               (json_int_t)info->session_bytes, "frame_bytes",
                               (json_int_t)info->frame_bytes, "prefix_bytes",
                               (json_int_t)info->prefix_bytes);
    json_t *root = json_pack(
        "{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "kind",
        kind_name(info->kind), "size", info->size_name ? info->size_name : "", "sample_rate",
        info->sample_rate, "samples_per_frame", info->samples_per_frame, "codes_per_frame",
        info->codes_per_frame, "codebook_size", info->codebook_size, "talker_layers",
        info->talker_layers, "talker_width", info->talker_width, "predictor_layers",
        info->predictor_layers, "predictor_width", info->predictor_width,
        "speaker_vector_length", info->speaker_vector_length, "max_positions",
        info->max_positions);
    json_t *more = json_pack(
        "{s:b, s:b, s:b, s:b, s:b, s:s, s:s, s:I, s:I, s:I, s:o, s:o, s:o, s:s}", "takes_instruct",
        info->takes_instruct, "default_live_text", info->default_live_text, "has_talker",
        info->has_talker, "has_codec", info->has_codec, "has_speaker_encoder",
        info->has_speaker_encoder, "type", kz__type_name(info->type), "cpu", info->cpu,
        "parameters", (json_int_t)info->parameters, "decoder_macs_per_frame",
        (json_int_t)info->decoder_macs_per_frame, "lm_bytes_per_frame",
        (json_int_t)info->lm_bytes_per_frame, "speakers", names_json(model, info, true),
        "languages", names_json(model, info, false), "memory", memory, "decoder",
        kz__decoder_name(info->decoder));
    json_object_update(root, more);
    json_decref(more);
    if (info->packed) {
        json_object_set_new(root, "packed",
                            json_pack("{s:i, s:i, s:i}", "major", info->packed_major, "minor",
                                      info->packed_minor, "arithmetic", info->packed_arithmetic));
    }
    json_object_set_new(root, "tuned", tuned_json(cli, info));
    return kz__cli_json(cli, root, false);
}

static double mib(uint64_t bytes) {
    return (double)bytes / 1048576.0;
}

static void names_lines(FILE *out, const kz_model *model, const kz_model_info *info) {
    fprintf(out, "speakers     ");
    for (size_t i = 0; i < info->speaker_count; i++) {
        const char *dialect = NULL;
        const char *name = kz_model_speaker(model, i, &dialect);
        fprintf(out, " %s", name);
        if (dialect) fprintf(out, " (%s)", dialect);
    }
    fprintf(out, "%s\nlanguages    ", info->speaker_count ? "" : " none");
    for (size_t i = 0; i < info->language_count; i++) {
        fprintf(out, " %s", kz_model_language(model, i));
    }
    fprintf(out, "%s\n", info->language_count ? "" : " none");
}

static int model_lines(kz__cli *cli, const kz_model *model, const kz_model_info *info) {
    kz__page page;
    if (!kz__page_open(&page)) return kz__cli_status(cli, KZ_ERR_MEMORY, NULL);
    FILE *out = page.file;
    fprintf(out, "kind          %s, size %s\n", kind_name(info->kind),
            info->size_name ? info->size_name : "?");
    fprintf(out, "parameters    %.2f M, %s weights\n", (double)info->parameters / 1e6,
            kz__type_name(info->type));
    if (info->packed) {
        fprintf(out, "packed        version %d.%d, arithmetic %d, %" PRIu64 " bytes\n",
                info->packed_major, info->packed_minor, info->packed_arithmetic,
                info->mapped_bytes);
    }
    fprintf(out, "talker        %d layers of %d; at most %d positions\n", info->talker_layers,
            info->talker_width, info->max_positions);
    fprintf(out, "predictor     %d layers of %d\n", info->predictor_layers,
            info->predictor_width);
    fprintf(out, "codec         %d codes of %d a frame, %d samples at %d Hz\n",
            info->codes_per_frame, info->codebook_size, info->samples_per_frame,
            info->sample_rate);
    fprintf(out, "decoder       %s\n", info->has_codec ? kz__decoder_name(info->decoder) : "none");
    fprintf(out, "parts         talker: %s, codec: %s, speaker encoder: %s\n",
            info->has_talker ? "yes" : "no", info->has_codec ? "yes" : "no",
            info->has_speaker_encoder ? "yes" : "no");
    fprintf(out, "instruct      %s\n", info->takes_instruct ? "yes" : "no");
    fprintf(out, "text          %s by default\n", info->default_live_text ? "live" : "whole");
    if (info->speaker_vector_length > 0) {
        fprintf(out, "voice vector  %d floats\n", info->speaker_vector_length);
    }
    names_lines(out, model, info);
    fprintf(out, "memory        %.1f MiB of files (shared), %.1f MiB packed weights\n",
            mib(info->mapped_bytes), mib(info->panel_bytes));
    fprintf(out, "              %.1f MiB a session, %.1f KiB more for each row and frame\n",
            mib(info->session_bytes), (double)info->frame_bytes / 1024.0);
    fprintf(out, "              at most %.1f MiB for what is remembered of voices\n",
            mib(info->prefix_bytes));
    fprintf(out, "cpu           %s\n", info->cpu);
    tuned_line(cli, out, info);
    return kz__page_close(cli, &page, false);
}

int kz__cmd_info(kz__cli *cli) {
    if (cli->args.word_count > 1) {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "info takes one model, %zu were given",
                            cli->args.word_count);
    }
    if (cli->args.word_count == 0) {
        return cli->set.json ? machine_json(cli) : machine_lines(cli);
    }
    kz_model *model = NULL;
    kz_model_info info;
    int code = kz__cli_open_model(cli, cli->args.words[0], false, &model, &info);
    if (code != KZ__EXIT_DONE) return code;
    code = cli->set.json ? model_json(cli, model, &info) : model_lines(cli, model, &info);
    kz_model_free(model);
    return code;
}
