/* A recording as the options have it read: at the model's rate, with --trim without the silence at
 * its ends. */
#ifndef KZ_CLI_RECORDING_H
#define KZ_CLI_RECORDING_H

#include "cli/cli.h"

#include <kazeia-audio.h>

typedef struct kz__recording {
    const char *name; /* for people */
    kz_audio *audio;
    const float *samples; /* they live with the audio */
    size_t count;
    kz_audio_info info;
    double read_ms;
} kz__recording;

/* What can be said before anything is loaded: that this build reads recordings, and that path
 * ("-": standard input) is no terminal. Exit code. */
int kz__recording_plan(kz__cli *cli, const char *path);

/* Reads it whole and tells its notices, which --strict makes errors. Exit code. The recording is
 * for kz__recording_free in any case. */
int kz__recording_read(kz__cli *cli, const char *path, int rate, kz__recording *recording);

/* Takes one that is all zero. */
void kz__recording_free(kz__recording *recording);

/* What records say of it: recording, format, source_rate, channels, source_seconds, seconds,
 * samples, peak, rms, clipped. NULL when out of memory. */
json_t *kz__recording_json(const kz__recording *recording);

/* The libraries that read, "" where there are none. */
void kz__recording_libraries(char *text, size_t capacity);

#endif
