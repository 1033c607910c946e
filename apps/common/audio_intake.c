/* Block after block: mean of the channels, levels, resampling. libsoxr gives the same samples for
 * blocks of any size, so memory is that of what is kept. */
#include "common/audio_file.h"

#include <math.h>
#include <soxr.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SILENT 1e-4f     /* a peak below is no sound: 3 steps of 16 bits */
#define QUIET 0.01f      /* told */
#define NOT_SCALED 100.f /* a peak above: integers in floats */
#define CLIPPED 1e-3     /* share of samples, told */
#define SHORT 1.0        /* seconds, told */
#define LONG 60.0
#define MARGIN 0.05      /* seconds of silence that trimming leaves */
#define GUESS_MOST ((size_t)1 << 22) /* samples to make room for on a header's word */

void kz__audio_note(kz_audio *audio, const char *format, ...) {
    if (audio->info.notices == KZ__AUDIO_NOTICES) return;
    va_list args;
    va_start(args, format);
    vsnprintf(audio->notices[audio->info.notices++], KZ__AUDIO_NOTICE_LENGTH, format, args);
    va_end(args);
}

/* Room for `more` samples behind those kept. */
static kz_status reserve(kz_audio *audio, size_t more, kz__err *err) {
    size_t wanted = 0;
    size_t bytes = 0;
    bool fits = kz__add(audio->kept, more, &wanted);
    if (fits && wanted <= audio->capacity) return KZ_OK;
    if (fits && wanted < 2 * audio->capacity) wanted = 2 * audio->capacity;
    fits = fits && kz__mul(wanted, sizeof *audio->samples, &bytes);
    float *grown = fits ? kz__grow(&audio->mem, audio->samples, bytes) : NULL;
    if (!grown) return kz__fail_memory(err);
    audio->samples = grown;
    audio->capacity = wanted;
    return KZ_OK;
}

/* ---- resampling --------------------------------------------------------------------------- */

static kz_status resampler_failed(const kz__audio_intake *intake, const char *reason,
                                  kz__err *err) {
    return kz__fail(err, KZ_ERR_FAILED, "cannot resample '%s' from %d to %d Hz: %s", intake->name,
                    intake->audio->info.source_rate, intake->audio->info.rate, reason);
}

static kz_status open_resampler(kz__audio_intake *intake, kz__err *err) {
    const kz_audio_info *info = &intake->audio->info;
    intake->ratio = (double)info->rate / (double)info->source_rate;
    if (info->rate == info->source_rate) return KZ_OK;
    soxr_error_t failure = NULL;
    soxr_io_spec_t io = soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I);
    soxr_quality_spec_t quality = soxr_quality_spec(SOXR_HQ, 0);
    intake->soxr = soxr_create(info->source_rate, info->rate, 1, &failure, &io, &quality, NULL);
    if (failure) return resampler_failed(intake, failure, err);
    return intake->soxr ? KZ_OK : kz__fail_memory(err);
}

/* samples NULL: no more come, all that is left is wanted. */
static kz_status resample(kz__audio_intake *intake, const float *samples, size_t count,
                          kz__err *err) {
    kz_audio *audio = intake->audio;
    for (;;) {
        size_t room = (size_t)((double)count * intake->ratio) + 4096;
        size_t used = 0;
        size_t made = 0;
        kz_status status = reserve(audio, room, err);
        if (status != KZ_OK) return status;
        soxr_error_t failure = soxr_process(intake->soxr, samples, count, &used,
                                            audio->samples + audio->kept, room, &made);
        if (failure) return resampler_failed(intake, failure, err);
        audio->kept += made;
        if (samples) samples += used;
        count -= used;
        if (samples ? count == 0 : made == 0) return KZ_OK;
    }
}

/* To the length that librosa has: zeros behind, or cut. */
static kz_status fix_length(kz__audio_intake *intake, kz__err *err) {
    kz_audio *audio = intake->audio;
    size_t length = (size_t)ceil((double)intake->level.frames * intake->ratio);
    if (length > audio->kept) {
        size_t missing = length - audio->kept;
        kz_status status = reserve(audio, missing, err);
        if (status != KZ_OK) return status;
        memset(audio->samples + audio->kept, 0, missing * sizeof *audio->samples);
    }
    audio->kept = length;
    return KZ_OK;
}

/* ---- in ----------------------------------------------------------------------------------- */

static kz_status too_long(const kz__audio_intake *intake, const char *than, uint64_t frames,
                          kz__err *err) {
    return kz__fail(err, KZ_ERR_INPUT, "'%s' is %s %.2f s long, and at most %.2f s are read: cut "
                    "the part that is wanted", intake->name, than,
                    (double)frames / intake->audio->info.source_rate,
                    intake->options->max_seconds);
}

static kz_status check(kz__audio_intake *intake, int rate, int channels, uint64_t frames,
                       kz__err *err) {
    if (rate < KZ__AUDIO_RATE_LEAST || rate > KZ__AUDIO_RATE_MOST) {
        return kz__fail(err, KZ_ERR_INPUT, "'%s' has a rate of %d Hz, which is not one of %d to %d",
                        intake->name, rate, KZ__AUDIO_RATE_LEAST, KZ__AUDIO_RATE_MOST);
    }
    if (channels < 1 || channels > KZ__AUDIO_CHANNELS_MOST) {
        return kz__fail(err, KZ_ERR_INPUT, "'%s' has %d channels, which is not one of 1 to %d",
                        intake->name, channels, KZ__AUDIO_CHANNELS_MOST);
    }
    double most = intake->options->max_seconds * rate;
    intake->frames_most = most <= 0 || most > 1e15 ? (uint64_t)1e15 : (uint64_t)most;
    intake->audio->info.source_rate = rate;
    intake->audio->info.channels = channels;
    return frames > intake->frames_most ? too_long(intake, "", frames, err) : KZ_OK;
}

kz_status kz__audio_intake_open(kz__audio_intake *intake, int rate, int channels, uint64_t frames,
                                kz__err *err) {
    kz_audio *audio = intake->audio;
    kz_status status = check(intake, rate, channels, frames, err);
    if (status != KZ_OK) return status;
    int wanted = intake->options->rate;
    audio->info.rate = wanted == KZ_DEFAULT ? 24000 : wanted == 0 ? rate : wanted;
    intake->mono = kz__alloc(&audio->mem, KZ__AUDIO_BLOCK * sizeof *intake->mono);
    if (!intake->mono) return kz__fail_memory(err);
    status = open_resampler(intake, err);
    double guess = (double)frames * intake->ratio + 4096;
    if (status != KZ_OK || guess > (double)GUESS_MOST) return status;
    return reserve(audio, (size_t)guess, err);
}

/* A value that is not finite: where, and whether it was so in the file. */
static kz_status not_finite(const kz__audio_intake *intake, kz__err *err) {
    uint64_t frame = intake->level.frames;
    return kz__fail(err, KZ_ERR_INPUT,
                    "'%s' holds a value that is not a number, or infinite, in frame %llu (%.3f s)",
                    intake->name, (unsigned long long)frame,
                    (double)frame / intake->audio->info.source_rate);
}

kz_status kz__audio_intake_push(kz__audio_intake *intake, const float *samples, size_t frames,
                                kz__err *err) {
    kz_audio *audio = intake->audio;
    size_t good = kz__audio_level_add(&intake->level, samples, frames,
                                      (size_t)audio->info.channels, intake->mono);
    if (good < frames) return not_finite(intake, err);
    if (intake->level.frames > intake->frames_most) {
        return too_long(intake, "more than", intake->frames_most, err);
    }
    if (intake->soxr) return resample(intake, intake->mono, frames, err);
    kz_status status = reserve(audio, frames, err);
    if (status != KZ_OK) return status;
    memcpy(audio->samples + audio->kept, intake->mono, frames * sizeof *intake->mono);
    audio->kept += frames;
    return KZ_OK;
}

/* ---- the end ------------------------------------------------------------------------------ */

static kz_status check_level(const kz__audio_intake *intake, kz__err *err) {
    const kz__audio_level *level = &intake->level;
    const char *name = intake->name;
    if (level->frames == 0) {
        return kz__fail(err, KZ_ERR_INPUT, "'%s' holds no samples", name);
    }
    if (level->peak > NOT_SCALED) {
        return kz__fail(err, KZ_ERR_INPUT, "'%s' has samples up to %.6g, where 1 is full scale: "
                        "integers were written as floats", name, (double)level->peak);
    }
    if (level->peak < SILENT) {
        return kz__fail(err, KZ_ERR_INPUT, "'%s' is silent: the largest of its samples is %.2g of "
                        "full scale, over %.2f s", name, (double)level->peak,
                        (double)level->frames / intake->audio->info.source_rate);
    }
    if (level->mono_peak < SILENT) {
        return kz__fail(err, KZ_ERR_INPUT, "'%s' is silent where its %d channels are averaged: "
                        "they reach %.2g, and cancel each other out", name,
                        intake->audio->info.channels, (double)level->peak);
    }
    return KZ_OK;
}

static void find_silence(kz__audio_intake *intake) {
    kz_audio *audio = intake->audio;
    size_t before = 0;
    size_t after = 0;
    kz__audio_silence(audio->samples, audio->kept, audio->info.rate, intake->options->silence_db,
                      &before, &after);
    audio->info.silence_before = (double)before / audio->info.rate;
    audio->info.silence_after = (double)after / audio->info.rate;
    audio->count = audio->kept;
    if (!intake->options->trim || before == audio->kept) return;
    size_t margin = (size_t)(MARGIN * audio->info.rate);
    audio->first = before > margin ? before - margin : 0;
    audio->count = audio->kept - audio->first - (after > margin ? after - margin : 0);
}

static void note_all(const kz__audio_intake *intake) {
    kz_audio *audio = intake->audio;
    const kz_audio_info *info = &audio->info;
    if (info->seconds < SHORT) {
        kz__audio_note(audio, "'%s' has %.2f s of sound, which is little for a voice: 3 s or more "
                       "are better", intake->name, info->seconds);
    }
    if (info->seconds > LONG) {
        kz__audio_note(audio, "'%s' has %.2f s of sound, which is much for a voice: 60 s or less "
                       "are better", intake->name, info->seconds);
    }
    if (info->clipped > CLIPPED) {
        kz__audio_note(audio, "'%s' is clipped: %.2f %% of its samples are at full scale",
                       intake->name, 100 * info->clipped);
    }
    if (info->peak < (double)QUIET) {
        kz__audio_note(audio, "'%s' is very quiet: its peak is %.4f of full scale (%.0f dB)",
                       intake->name, info->peak, 20 * log10(info->peak));
    }
}

kz_status kz__audio_intake_finish(kz__audio_intake *intake, kz__err *err) {
    kz_audio *audio = intake->audio;
    const kz__audio_level *level = &intake->level;
    kz_status status = check_level(intake, err);
    if (status == KZ_OK && intake->soxr) status = resample(intake, NULL, 0, err);
    if (status == KZ_OK) status = fix_length(intake, err);
    if (status != KZ_OK) return status;
    double frames = (double)level->frames;
    audio->info.source_frames = level->frames;
    audio->info.source_seconds = frames / audio->info.source_rate;
    audio->info.peak = (double)level->peak;
    audio->info.rms = sqrt(level->power / frames);
    audio->info.clipped = (double)level->clipped / (frames * audio->info.channels);
    find_silence(intake);
    audio->info.seconds = (double)audio->count / audio->info.rate;
    note_all(intake);
    return KZ_OK;
}

void kz__audio_intake_close(kz__audio_intake *intake) {
    if (intake->soxr) soxr_delete(intake->soxr);
    kz__free(&intake->audio->mem, intake->mono);
}
