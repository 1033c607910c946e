/* What can be measured in sound: level, clipping, silence at the ends. */
#ifndef KZ_COMMON_AUDIO_LEVEL_H
#define KZ_COMMON_AUDIO_LEVEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct kz__audio_level {
    float full_scale; /* set before: magnitudes from here on count as clipped */
    float peak;       /* of all channels */
    float mono_peak;
    double power;     /* sum of squares of the mono sound */
    uint64_t clipped; /* samples of all channels */
    uint64_t frames;
} kz__audio_level;

/* frames * channels samples, and writes their mean per frame to mono. The number of frames before
 * the first that is not finite: all of them, if all is well. */
size_t kz__audio_level_add(kz__audio_level *level, const float *samples, size_t frames,
                           size_t channels, float *mono);

/* Samples at both ends in windows of 10 ms that are more than `decibels` below the loudest window;
 * everything where all is silent. A window that ends the sound may be shorter. */
void kz__audio_silence(const float *samples, size_t count, int rate, double decibels,
                       size_t *before, size_t *after);

#endif
