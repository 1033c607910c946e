/* Messages, exit codes, model and text of a verb. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "cli/cli.h"

#include "cli/record.h"
#include "cli/tune.h"
#include "base/in_file.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_MAX ((size_t)1 << 26)

/* From the folder of the installed program. */
#ifndef KZ_VOICE_FROM_PROGRAM
#define KZ_VOICE_FROM_PROGRAM "../share/kazeia/voice/voice.kz"
#endif

/* ---- messages ----------------------------------------------------------------------------- */

static void print_line(kz__cli *cli, const char *label, const char *colour, const char *format,
                       va_list args) {
    char text[2048];
    vsnprintf(text, sizeof text, format, args);
    kz__cli_progress(cli, NULL);
    char *line = kz__cli_escape(&cli->mem, text, strlen(text), false);
    const char *on = cli->colour && *label ? colour : "";
    const char *about = cli->about ? cli->about : "";
    fprintf(stderr, "kazeia: %s%s%s%s%s\n", on, label, *on ? "\033[0m" : "", about,
            line ? line : text);
    kz__free(&cli->mem, line);
}

int kz__cli_fail(kz__cli *cli, int code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(cli->said, sizeof cli->said, format, args);
    va_end(args);
    va_start(args, format);
    print_line(cli, "error: ", "\033[31m", format, args);
    va_end(args);
    return code;
}

void kz__cli_note(kz__cli *cli, const char *format, ...) {
    if (cli->set.quiet) return;
    va_list args;
    va_start(args, format);
    print_line(cli, "", "", format, args);
    va_end(args);
}

void kz__cli_notice(kz__cli *cli, const char *text) {
    if (cli->notices) json_array_append_new(cli->notices, kz__json_text(cli, text));
    kz__cli_note(cli, "note: %s", text);
}

static int exit_code(kz_status status) {
    switch (status) {
    case KZ_OK:
    case KZ_DONE: return KZ__EXIT_DONE;
    case KZ_ERR_USAGE: return KZ__EXIT_USAGE;
    case KZ_ERR_MODEL: return KZ__EXIT_MODEL;
    case KZ_ERR_INPUT: return KZ__EXIT_INPUT;
    case KZ_ERR_OUTPUT: return KZ__EXIT_OUTPUT;
    case KZ_ERR_MEMORY: return KZ__EXIT_RESOURCE;
    case KZ_ERR_CANCELLED: return KZ__EXIT_INTERRUPTED;
    case KZ_NEED_TEXT:
    case KZ_TIMEOUT:
    case KZ_ERR_FAILED:
    case KZ_ERR_STATE: break;
    }
    return KZ__EXIT_FAILED;
}

int kz__cli_status(kz__cli *cli, kz_status status, const kz__err *err) {
    const char *text = err && err->text[0] ? err->text : kz_status_text(status);
    if (status == KZ_ERR_CANCELLED) text = "interrupted"; /* nothing else cancels here */
    return kz__cli_fail(cli, exit_code(status), "%s", text);
}

/* ---- model -------------------------------------------------------------------------------- */

/* The folder of the running program; "" where the system does not tell. */
static void program_folder(const kz__cli *cli, char *folder, size_t capacity) {
    ssize_t length = readlink("/proc/self/exe", folder, capacity - 1);
    if (length > 0) {
        folder[length] = 0;
    } else if (strchr(cli->program, '/') && strlen(cli->program) < capacity) {
        strcpy(folder, cli->program);
    } else {
        folder[0] = 0;
        return;
    }
    char *slash = strrchr(folder, '/');
    if (slash) *slash = 0;
}

bool kz__cli_voice_in_the_box(const kz__cli *cli, char *path, size_t capacity) {
    static const char *const places[] = {KZ_VOICE_FROM_PROGRAM, "voice.kz",
                                         "../voice/voice.kz"};
    char folder[PATH_MAX];
    program_folder(cli, folder, sizeof folder);
    for (size_t i = 0; folder[0] && i < sizeof places / sizeof *places; i++) {
        int length = snprintf(path, capacity, "%s/%s", folder, places[i]);
        char clean[PATH_MAX];
        struct stat info;
        if (length < 0 || (size_t)length >= capacity || stat(path, &info) != 0) continue;
        if (realpath(path, clean)) snprintf(path, capacity, "%s", clean);
        return true;
    }
    return false;
}

kz_type kz__cli_type(const kz__cli *cli) {
    for (int type = KZ_TYPE_F32; cli->set.type && type <= KZ_TYPE_Q4; type++) {
        if (!strcasecmp(cli->set.type, kz__type_name((kz_type)type))) return (kz_type)type;
    }
    return KZ_TYPE_STORED;
}

kz_decoder kz__cli_decoder(const kz__cli *cli) {
    for (int how = KZ_DECODER_DIRECT; cli->set.decoder && how <= KZ_DECODER_INT8; how++) {
        if (!strcasecmp(cli->set.decoder, kz__decoder_name((kz_decoder)how))) {
            return (kz_decoder)how;
        }
    }
    return KZ_DECODER_DEFAULT;
}

kz_status kz__cli_load(kz__cli *cli, const char *path, const char *cpu, bool codec_only,
                       kz_model **model, kz_model_info *info, kz__err *err) {
    kz_model_options options;
    if (!*path) return kz__fail(err, KZ_ERR_USAGE, "the name of the model is empty");
    kz_model_options_init(&options);
    options.codec_path = cli->set.codec;
    options.cpu = cpu;
    options.codec_only = codec_only;
    options.type = kz__cli_type(cli);
    options.decoder = kz__cli_decoder(cli);
    double start = kz__clock_ms();
    kz_status status = kz_model_open(path, &options, model, err->text, sizeof err->text);
    cli->load_ms = kz__clock_ms() - start;
    if (status != KZ_OK) return status;
    memset(info, 0, sizeof *info);
    info->size = sizeof *info;
    status = kz_model_get_info(*model, info);
    if (status != KZ_OK) {
        kz_model_free(*model);
        *model = NULL;
        if (status == KZ_ERR_MEMORY) return kz__fail_memory(err);
        return kz__fail(err, status, "the library does not tell what the model is");
    }
    return KZ_OK;
}

int kz__cli_open_model(kz__cli *cli, const char *path, bool codec_only, kz_model **model,
                       kz_model_info *info) {
    char box[2 * PATH_MAX];
    kz__err err = {""};
    *model = NULL;
    if (!path) path = cli->set.model;
    if (!path) {
        if (!kz__cli_voice_in_the_box(cli, box, sizeof box)) {
            return kz__cli_fail(cli, KZ__EXIT_MODEL, "no model: give one with --model PATH or "
                                "KAZEIA_MODEL; the voice in the box was not found");
        }
        path = box;
    }
    kz__cli_progress(cli, "loading ...");
    kz_status status = kz__cli_load(cli, path, cli->set.cpu, codec_only, model, info, &err);
    kz__cli_progress(cli, NULL);
    if (status != KZ_OK) return kz__cli_status(cli, status, &err);
    kz__tune_apply(cli, info);
    return KZ__EXIT_DONE;
}

kz_placement kz__cli_placement(const kz__cli *cli) {
    if (!cli->set.placement) return KZ_PLACEMENT_DEFAULT;
    return strcasecmp(cli->set.placement, "strict") ? KZ_PLACEMENT_FREE : KZ_PLACEMENT_STRICT;
}

int kz__cli_open_session(kz__cli *cli, const kz_model *model, kz_session **session) {
    kz_session_options options;
    kz__err err = {""};
    kz_session_options_init(&options);
    options.threads = cli->set.threads;
    options.ahead_ms = cli->ahead_ms;
    options.placement = kz__cli_placement(cli);
    options.cpu = cli->session_cpu;
    kz_status status = kz_session_create(model, &options, session, err.text, sizeof err.text);
    if (status == KZ_ERR_FAILED && cli->session_cpu) { /* kept, but it fails its check by now */
        kz__cli_note(cli, "note: %s; that of the model is used", err.text);
        options.cpu = cli->session_cpu = NULL;
        status = kz_session_create(model, &options, session, err.text, sizeof err.text);
    }
    return status == KZ_OK ? KZ__EXIT_DONE : kz__cli_status(cli, status, &err);
}

#define PARALLEL 4

size_t kz__cli_parallel(const kz__cli *cli) {
    return cli->set.parallel > 0 ? (size_t)cli->set.parallel : PARALLEL;
}

/* ---- text --------------------------------------------------------------------------------- */

bool kz__cli_text_on_stdin(kz__cli *cli) {
    bool wanted = cli->set.file ? !strcmp(cli->set.file, "-") : cli->args.word_count == 0;
    if (wanted && isatty(STDIN_FILENO)) {
        kz__cli_note(cli, "waiting for text; Ctrl-D on an empty line ends it");
    }
    return wanted;
}

static int join_words(kz__cli *cli, char **text, size_t *length) {
    size_t total = 1;
    for (size_t i = 0; i < cli->args.word_count; i++) total += strlen(cli->args.words[i]) + 1;
    char *joined = kz__alloc(&cli->mem, total);
    if (!joined) return kz__cli_status(cli, KZ_ERR_MEMORY, NULL);
    size_t used = 0;
    for (size_t i = 0; i < cli->args.word_count; i++) {
        size_t bytes = strlen(cli->args.words[i]);
        if (i > 0) joined[used++] = ' ';
        memcpy(joined + used, cli->args.words[i], bytes);
        used += bytes;
    }
    joined[used] = 0;
    *text = joined;
    *length = used;
    return KZ__EXIT_DONE;
}

int kz__cli_text(kz__cli *cli, char **text, size_t *length) {
    kz__err err = {""};
    bool words = cli->args.word_count > 0;
    if (words && cli->set.file) {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "text is given twice, as arguments and with "
                            "--file");
    }
    if (words) return join_words(cli, text, length);
    bool standard = kz__cli_text_on_stdin(cli);
    const char *path = standard ? "-" : cli->set.file;
    kz_status status = kz__in_file(&cli->mem, path, TEXT_MAX, text, length, &err);
    return status == KZ_OK ? KZ__EXIT_DONE : kz__cli_status(cli, status, &err);
}

unsigned kz__settings_flags(const kz__settings *set) {
    unsigned flags = 0;
    if (set->whole_text) flags |= KZ_WHOLE_TEXT;
    if (set->live_text) flags |= KZ_LIVE_TEXT;
    if (set->as_reference) flags |= KZ_AS_REFERENCE;
    if (set->strict) flags |= KZ_STRICT;
    if (set->cp_oracle) flags |= KZ_CP_ORACLE;
    return flags;
}

unsigned kz__cli_flags(const kz__cli *cli) {
    return kz__settings_flags(&cli->set);
}
