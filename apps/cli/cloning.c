/* The library checks nearly everything; the program asks it early, so that nobody waits in vain. */
#include "cli/cloning.h"

#include "base/in_file.h"
#include "common/interrupt.h"

#include <string.h>

#define TRANSCRIPT_MOST ((size_t)1 << 16)

/* ---- the transcript ----------------------------------------------------------------------- */

/* The byte order mark and blanks at both ends go, line ends become LF. */
static void clean(char *text) {
    static const char mark[] = "\xef\xbb\xbf";
    char *to = text;
    const char *from = text;
    if (!strncmp(from, mark, strlen(mark))) from += strlen(mark);
    from += strspn(from, " \t\r\n");
    for (; *from; from++) {
        if (*from == '\r' && from[1] == '\n') continue;
        *to++ = *from == '\r' ? '\n' : *from;
    }
    while (to > text && strchr(" \t\n", to[-1])) to--;
    *to = 0;
}

/* A byte that no text has, or `length`. */
static size_t binary_at(const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c == 127 || (c < 32 && !strchr("\t\n\v\f\r", c)) || c == 0) return i;
    }
    return length;
}

static int take_transcript(kz__cloning *c, const char *text, const char *file) {
    kz__cli *cli = c->cli;
    kz__err err = {""};
    size_t length = text ? strlen(text) : 0;
    const char *name = text ? "--ref-text" : !strcmp(file, "-") ? "standard input" : file;
    if (text) {
        c->transcript = kz__strndup(&cli->mem, text, length);
        if (!c->transcript) return kz__cli_status(cli, KZ_ERR_MEMORY, NULL);
    } else {
        kz_status status = kz__in_file(&cli->mem, file, TRANSCRIPT_MOST, &c->transcript, &length,
                                       &err);
        if (status != KZ_OK) return kz__cli_status(cli, status, &err);
    }
    size_t bad = binary_at(c->transcript, length);
    if (bad < length) {
        return kz__cli_fail(cli, KZ__EXIT_INPUT, "the transcript ('%s') is no text: byte %zu is "
                            "0x%02x", name, bad, (unsigned char)c->transcript[bad]);
    }
    if (!c->transcript[strspn(c->transcript, " \t\r\n\v\f")]) {
        return kz__cli_fail(cli, KZ__EXIT_INPUT, "the transcript ('%s') is %s; it is what is said "
                            "in the recording, and can be left out", name,
                            length ? "blank" : "empty");
    }
    if (!cli->set.as_reference) clean(c->transcript);
    return KZ__EXIT_DONE;
}

int kz__cloning_begin(kz__cloning *c, kz__cli *cli, const char *path, const char *text,
                      const char *file) {
    memset(c, 0, sizeof *c);
    c->cli = cli;
    c->path = path;
    int code = kz__recording_plan(cli, path);
    if (code == KZ__EXIT_DONE && (text || file)) code = take_transcript(c, text, file);
    kz_voice_options_init(&c->options);
    c->options.transcript = c->transcript;
    c->options.vector_only = cli->set.vector_only;
    c->options.flags = kz__cli_flags(cli) & (KZ_STRICT | KZ_AS_REFERENCE);
    c->options.tail_ms = cli->set.tail;
    c->options.threads = cli->set.threads;
    return code;
}

void kz__cloning_end(kz__cloning *c) {
    if (!c->cli) return;
    kz__recording_free(&c->recording);
    kz__free(&c->cli->mem, c->transcript);
    c->transcript = NULL;
}

/* ---- making ------------------------------------------------------------------------------- */

static int stop(void *user, double done) {
    (void)user;
    (void)done;
    return 1;
}

/* The library is asked for a voice of one sample, and stopped when it would begin to compute. */
int kz__cloning_check(kz__cloning *c, const kz_model *model, const kz_model_info *info) {
    static const float sample = 0;
    kz_voice_options options = c->options;
    kz__err err = {""};
    kz_voice *voice = NULL;
    size_t frames = 0;
    options.transcript = NULL;
    options.vector_only = 1;
    options.progress = stop;
    kz_status status = kz_voice_from_samples(model, &sample, 1, info->sample_rate, &options, &voice,
                                             err.text, sizeof err.text);
    kz_voice_free(voice);
    if (status == KZ_ERR_CANCELLED) status = KZ_OK;
    if (status == KZ_OK && c->transcript) { /* codes will be needed */
        status = kz_encode(model, &sample, 1, info->sample_rate, NULL, NULL, 0, &frames, err.text,
                           sizeof err.text);
    }
    if (status == KZ_OK) return KZ__EXIT_DONE;
    int code = kz__cli_status(c->cli, status, &err);
    if (status == KZ_ERR_MODEL && info->kind != KZ_KIND_BASE) {
        kz__cli_note(c->cli, "of the published models Qwen3-TTS-12Hz-0.6B-Base and -1.7B-Base are "
                     "of that kind; give one with --model PATH or KAZEIA_MODEL");
    }
    return code;
}

static int tell(void *user, double done) {
    kz__cloning *c = user;
    kz__cli_progress(c->cli, "making the voice: %.0f %%", 100 * done);
    return kz__interrupted();
}

int kz__cloning_read(kz__cloning *c, const kz_model_info *info) {
    return kz__recording_read(c->cli, c->path, info->sample_rate, &c->recording);
}

int kz__cloning_run(kz__cloning *c, const kz_model *model, const kz_model_info *info,
                    kz_voice **voice) {
    kz__err err = {""};
    double begun = kz__clock_ms();
    *voice = NULL;
    kz__interrupt_install();
    c->options.progress = tell;
    c->options.user = c;
    kz_status status = kz_voice_from_samples(model, c->recording.samples, c->recording.count,
                                             info->sample_rate, &c->options, voice, err.text,
                                             sizeof err.text);
    c->voice_ms = kz__clock_ms() - begun;
    kz__cli_progress(c->cli, NULL);
    return status == KZ_OK ? KZ__EXIT_DONE : kz__cli_status(c->cli, status, &err);
}

/* ---- --ref-audio -------------------------------------------------------------------------- */

int kz__cloning_check_options(kz__cli *cli, bool taken) {
    static const char *const belong[] = {"ref-text", "trim", "tail"};
    const kz__settings *set = &cli->set;
    for (size_t i = 0; !set->ref_audio && i < sizeof belong / sizeof *belong; i++) {
        if (kz__args_source(&cli->args, belong[i]) != KZ__FROM_LINE) continue;
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "--%s belongs to --ref-audio, which is not given",
                            belong[i]);
    }
    if (!set->ref_audio) return KZ__EXIT_DONE;
    if (taken && !strcmp(set->ref_audio, "-")) {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "standard input cannot be the recording and the "
                            "text");
    }
    return kz__recording_plan(cli, set->ref_audio);
}

int kz__cloning_of_options(kz__cli *cli, const kz_model *model, const kz_model_info *info) {
    kz__cloning c;
    if (!cli->set.ref_audio || cli->cloned) return KZ__EXIT_DONE;
    int code = kz__cloning_begin(&c, cli, cli->set.ref_audio, cli->set.ref_text, NULL);
    if (code == KZ__EXIT_DONE) code = kz__cloning_check(&c, model, info);
    if (code == KZ__EXIT_DONE) code = kz__cloning_read(&c, info);
    if (code == KZ__EXIT_DONE) code = kz__cloning_run(&c, model, info, &cli->cloned);
    kz__cloning_end(&c);
    return code;
}
