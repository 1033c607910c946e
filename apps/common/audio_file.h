/* A recording on its way into memory: blocks of frames go in, mono samples at the wanted rate are
 * kept. The public calls of kazeia-audio.h are in audio_file.c; audio_decode.c reads files into an
 * intake, audio_intake.c resamples and measures.
 */
#ifndef KZ_COMMON_AUDIO_FILE_H
#define KZ_COMMON_AUDIO_FILE_H

#include "common/audio_level.h"
#include "common/audio_source.h"

#include <kazeia-audio.h>

#define KZ__AUDIO_RATE_LEAST 1000
#define KZ__AUDIO_RATE_MOST 768000
#define KZ__AUDIO_CHANNELS_MOST 1024
#define KZ__AUDIO_NOTICES 8
#define KZ__AUDIO_NOTICE_LENGTH 256

struct kz_audio {
    kz__mem mem;
    kz_audio_info info; /* format NULL: it is below */
    char format[96];
    float *samples;
    size_t first, count; /* what is handed out */
    size_t kept, capacity;
    char notices[KZ__AUDIO_NOTICES][KZ__AUDIO_NOTICE_LENGTH];
};

typedef struct kz__audio_intake {
    kz_audio *audio;
    const kz_audio_options *options;
    const char *name; /* for sentences */
    kz__audio_level level;
    uint64_t frames_most;
    float *mono;  /* a block of it */
    void *soxr;   /* NULL: the rate is right */
    double ratio; /* wanted rate / own rate */
} kz__audio_intake;

#define KZ__AUDIO_BLOCK 16384 /* samples of all channels that a push may have */

/* Checks rate and channels of the recording, which are in audio->info then. frames: how many the
 * header promises, 0 where it does not know. */
kz_status kz__audio_intake_open(kz__audio_intake *intake, int rate, int channels, uint64_t frames,
                                kz__err *err);
kz_status kz__audio_intake_push(kz__audio_intake *intake, const float *samples, size_t frames,
                                kz__err *err);
/* All has come: facts and notices. */
kz_status kz__audio_intake_finish(kz__audio_intake *intake, kz__err *err);
/* In any case, at the end. */
void kz__audio_intake_close(kz__audio_intake *intake);

void kz__audio_note(kz_audio *audio, const char *format, ...) KZ__PRINTF(2, 3);

/* Reads the whole source with libsndfile. intake is not open yet. */
kz_status kz__audio_decode(kz__audio_intake *intake, kz__audio_source *source, kz__err *err);

#endif
