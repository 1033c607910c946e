/* The public calls of kazeia-audio.h: options, where the bytes come from, and what was read. */
#include "common/audio_file.h"

#include "base/sized.h"

#include <math.h>
#include <sndfile.h>
#include <soxr.h>
#include <stdio.h>
#include <string.h>

#define TEXT(x) #x
#define VERSION(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

const char *kz_audio_version(void) {
    return VERSION(KZ_VERSION_MAJOR, KZ_VERSION_MINOR, KZ_VERSION_PATCH);
}

const char *kz_audio_library(size_t index) {
    return index == 0 ? sf_version_string() : index == 1 ? soxr_version() : NULL;
}

void kz_audio_options_init_sized(kz_audio_options *options, size_t size) {
    const kz_audio_options defaults = {
        .rate = KZ_DEFAULT, .silence_db = 40, .max_seconds = 600};
    kz__sized_give(options, size, &defaults, sizeof defaults);
}

static kz_status check(const kz_audio_options *given, kz_audio_options *options, kz__err *err) {
    static const kz__sized shape = KZ__SIZED(kz_audio_options, max_seconds);
    kz_audio_options_init(options);
    kz_status status = given ? kz__sized_take(&shape, given, options, err) : KZ_OK;
    if (status != KZ_OK) return status;
    int rate = options->rate;
    bool named = rate == 0 || rate == KZ_DEFAULT;
    if (!named && (rate < KZ__AUDIO_RATE_LEAST || rate > KZ__AUDIO_RATE_MOST)) {
        return kz__fail(err, KZ_ERR_USAGE, "a rate of %d Hz is not one of %d to %d", rate,
                        KZ__AUDIO_RATE_LEAST, KZ__AUDIO_RATE_MOST);
    }
    if (options->trim != 0 && options->trim != 1) {
        return kz__fail(err, KZ_ERR_USAGE, "trim is 0 or 1, not %d", options->trim);
    }
    if (!(options->silence_db > 0 && options->silence_db <= 200)) {
        return kz__fail(err, KZ_ERR_USAGE, "silence_db is more than 0 and at most 200, not %g",
                        options->silence_db);
    }
    if (!(options->max_seconds >= 0 && isfinite(options->max_seconds))) {
        return kz__fail(err, KZ_ERR_USAGE, "max_seconds is 0 or more, not %g",
                        options->max_seconds);
    }
    return KZ_OK;
}

/* Where a recording comes from: one of three. */
typedef struct origin {
    const char *path;
    int fd; /* -1: none */
    const void *bytes;
    const float *samples;
    size_t count; /* bytes, or frames */
    int channels, rate;
    const char *name;
} origin;

static kz_status read_samples(kz__audio_intake *intake, const origin *from, kz__err *err) {
    snprintf(intake->audio->format, sizeof intake->audio->format, "samples");
    intake->level.full_scale = 32767.0f / 32768;
    kz_status status = kz__audio_intake_open(intake, from->rate, from->channels, from->count, err);
    size_t most = status == KZ_OK ? KZ__AUDIO_BLOCK / (size_t)from->channels : 0;
    for (size_t at = 0; status == KZ_OK && at < from->count; at += most) {
        size_t take = from->count - at < most ? from->count - at : most;
        status = kz__audio_intake_push(intake, from->samples + at * (size_t)from->channels, take,
                                       err);
    }
    return status;
}

static kz_status open_source(kz__audio_source *source, kz__mem *mem, const origin *from,
                             kz__err *err) {
    if (from->path) return kz__audio_source_path(source, mem, from->path, err);
    if (from->bytes) {
        return kz__audio_source_memory(source, from->bytes, from->count, from->name, err);
    }
    return kz__audio_source_descriptor(source, mem, from->fd, from->name, err);
}

static kz_status read_any(kz_audio *audio, const origin *from, const kz_audio_options *options,
                          kz__err *err) {
    kz__audio_intake intake = {.audio = audio, .options = options, .name = from->name};
    kz_status status = KZ_OK;
    if (from->samples) {
        status = read_samples(&intake, from, err);
    } else {
        kz__audio_source source;
        status = open_source(&source, &audio->mem, from, err);
        if (status != KZ_OK) return status;
        status = kz__audio_decode(&intake, &source, err);
        kz__audio_source_close(&source);
    }
    if (status == KZ_OK) status = kz__audio_intake_finish(&intake, err);
    kz__audio_intake_close(&intake);
    return status;
}

static kz_status make(const origin *from, const char *missing, const kz_audio_options *given,
                      kz_audio **audio, char *error, size_t capacity) {
    kz__err err = {""};
    kz_audio_options options;
    if (!audio) return KZ_ERR_USAGE;
    *audio = NULL;
    kz__mem boot;
    kz_status status = check(given, &options, &err);
    if (!status && missing) status = kz__fail(&err, KZ_ERR_USAGE, "%s", missing);
    if (!status) status = kz__mem_init(&boot, options.allocator, &err);
    kz_audio *a = status ? NULL : kz__calloc(&boot, 1, sizeof *a);
    if (!status && !a) status = kz__fail_memory(&err);
    if (!status) {
        kz__mem_init_like(&a->mem, &boot);
        status = read_any(a, from, &options, &err);
    }
    if (status) {
        kz_audio_free(a);
        kz__err_copy(&err, error, capacity);
        return status;
    }
    *audio = a;
    return KZ_OK;
}

kz_status kz_audio_read_file(const char *path, const kz_audio_options *options, kz_audio **audio,
                             char *error, size_t capacity) {
    const origin from = {.path = path, .fd = -1, .name = path};
    const char *missing = path && path[0] ? NULL : "reading a recording needs a path";
    return make(&from, missing, options, audio, error, capacity);
}

kz_status kz_audio_read_descriptor(int descriptor, const char *name,
                                   const kz_audio_options *options, kz_audio **audio, char *error,
                                   size_t capacity) {
    char own[32] = "standard input";
    if (descriptor != 0) snprintf(own, sizeof own, "descriptor %d", descriptor);
    const origin from = {.fd = descriptor, .name = name ? name : own};
    return make(&from, NULL, options, audio, error, capacity);
}

kz_status kz_audio_read_memory(const void *bytes, size_t length, const char *name,
                               const kz_audio_options *options, kz_audio **audio, char *error,
                               size_t capacity) {
    const origin from = {.fd = -1, .bytes = bytes ? bytes : "", .count = length,
                         .name = name ? name : "recording"};
    const char *missing = bytes || length == 0 ? NULL : "a recording of bytes at NULL";
    return make(&from, missing, options, audio, error, capacity);
}

kz_status kz_audio_read_samples(const float *samples, size_t frames, int channels, int rate,
                                const char *name, const kz_audio_options *options,
                                kz_audio **audio, char *error, size_t capacity) {
    static const float none;
    const origin from = {.fd = -1, .samples = samples ? samples : &none, .count = frames,
                         .channels = channels, .rate = rate, .name = name ? name : "recording"};
    const char *missing = samples || frames == 0 ? NULL : "a recording of samples at NULL";
    return make(&from, missing, options, audio, error, capacity);
}

void kz_audio_free(kz_audio *audio) {
    if (!audio) return;
    kz__free(&audio->mem, audio->samples);
    kz__mem last;
    kz__mem_init_like(&last, &audio->mem);
    kz__free(&last, audio);
}

const float *kz_audio_samples(const kz_audio *audio, size_t *count) {
    if (count) *count = audio->count;
    return audio->samples + audio->first;
}

kz_status kz_audio_get_info(const kz_audio *audio, kz_audio_info *info) {
    static const kz__sized shape = KZ__SIZED(kz_audio_info, format);
    kz_status status = kz__sized_check(&shape, info, NULL);
    if (status != KZ_OK) return status;
    kz_audio_info full = audio->info;
    full.format = audio->format;
    kz__sized_give(info, info->size, &full, sizeof full);
    return KZ_OK;
}

const char *kz_audio_notice(const kz_audio *audio, size_t index) {
    return index < audio->info.notices ? audio->notices[index] : NULL;
}
