/* All that the program knows of libkazeia-audio, which a build may lack. */
#include "cli/recording.h"

#include <string.h>
#include <unistd.h>

json_t *kz__recording_json(kz__cli *cli, const kz__recording *r) {
    const kz_audio_info *i = &r->info;
    return json_pack("{s:o, s:s, s:i, s:i, s:f, s:f, s:I, s:f, s:f, s:f}", "recording",
                     kz__json_text(cli, r->name), "format", i->format, "source_rate",
                     i->source_rate, "channels", i->channels, "source_seconds",
                     i->source_seconds, "seconds", i->seconds, "samples", (json_int_t)r->count,
                     "peak", i->peak, "rms", i->rms, "clipped", i->clipped);
}

#ifdef KZ_HAVE_AUDIO

int kz__recording_plan(kz__cli *cli, const char *path) {
    if (!*path) return kz__cli_fail(cli, KZ__EXIT_USAGE, "the name of the recording is empty");
    if (strcmp(path, "-") != 0 || !isatty(STDIN_FILENO)) return KZ__EXIT_DONE;
    return kz__cli_fail(cli, KZ__EXIT_USAGE, "a recording is not read from a terminal; give a "
                        "file, or a pipe");
}

static int tell_notices(kz__cli *cli, const kz_audio *audio) {
    const char *notice = NULL;
    for (size_t i = 0; (notice = kz_audio_notice(audio, i)); i++) {
        if (cli->set.strict) return kz__cli_fail(cli, KZ__EXIT_INPUT, "%s", notice);
        kz__cli_notice(cli, notice);
    }
    return KZ__EXIT_DONE;
}

int kz__recording_read(kz__cli *cli, const char *path, int rate, kz__recording *r) {
    kz_audio_options options;
    kz__err err = {""};
    bool standard = !strcmp(path, "-");
    double start = kz__clock_ms();
    memset(r, 0, sizeof *r);
    kz_audio_options_init(&options);
    options.rate = rate;
    options.trim = cli->set.trim;
    kz__cli_progress(cli, "reading the recording ...");
    kz_status status = standard ? kz_audio_read_descriptor(STDIN_FILENO, NULL, &options, &r->audio,
                                                           err.text, sizeof err.text)
                                : kz_audio_read_file(path, &options, &r->audio, err.text,
                                                     sizeof err.text);
    kz__cli_progress(cli, NULL);
    if (status != KZ_OK) return kz__cli_status(cli, status, &err);
    r->name = standard ? "standard input" : path;
    r->read_ms = kz__clock_ms() - start;
    r->samples = kz_audio_samples(r->audio, &r->count);
    r->info.size = sizeof r->info;
    kz_audio_get_info(r->audio, &r->info);
    return tell_notices(cli, r->audio);
}

void kz__recording_free(kz__recording *r) {
    kz_audio_free(r->audio);
    r->audio = NULL;
}

void kz__recording_libraries(char *text, size_t capacity) {
    const char *library = NULL;
    text[0] = 0;
    for (size_t i = 0; (library = kz_audio_library(i)); i++) {
        size_t used = strlen(text);
        snprintf(text + used, capacity - used, "%s%s", i ? ", " : "", library);
    }
}

#else

int kz__recording_plan(kz__cli *cli, const char *path) {
    return kz__cli_fail(cli, KZ__EXIT_RESOURCE, "'%s' cannot be read: this build is without "
                        "libsndfile or libsoxr, and reads no recordings", path);
}

int kz__recording_read(kz__cli *cli, const char *path, int rate, kz__recording *r) {
    (void)rate;
    memset(r, 0, sizeof *r);
    return kz__recording_plan(cli, path);
}

void kz__recording_free(kz__recording *r) {
    (void)r;
}

void kz__recording_libraries(char *text, size_t capacity) {
    if (capacity > 0) text[0] = 0;
}

#endif
