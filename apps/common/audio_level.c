/* Powers are summed in double, window after window. */
#include "common/audio_level.h"

#include <math.h>

size_t kz__audio_level_add(kz__audio_level *level, const float *samples, size_t frames,
                           size_t channels, float *mono) {
    for (size_t i = 0; i < frames; i++) {
        float sum = 0;
        for (size_t c = 0; c < channels; c++) {
            float value = samples[i * channels + c];
            float size = fabsf(value);
            sum += value;
            if (size > level->peak) level->peak = size;
            level->clipped += size >= level->full_scale;
        }
        float mean = channels == 1 ? sum : sum / (float)channels;
        if (!isfinite(mean)) return i;
        mono[i] = mean;
        level->power += (double)mean * (double)mean;
        if (fabsf(mean) > level->mono_peak) level->mono_peak = fabsf(mean);
        level->frames++;
    }
    return frames;
}

/* Mean power of the window that begins at `first`. */
static double window_power(const float *samples, size_t count, size_t first, size_t length) {
    size_t end = count - first < length ? count : first + length;
    double sum = 0;
    for (size_t i = first; i < end; i++) sum += (double)samples[i] * (double)samples[i];
    return sum / (double)(end - first);
}

void kz__audio_silence(const float *samples, size_t count, int rate, double decibels,
                       size_t *before, size_t *after) {
    size_t length = (size_t)rate / 100;
    double loudest = 0;
    for (size_t at = 0; at < count; at += length) {
        double power = window_power(samples, count, at, length);
        if (power > loudest) loudest = power;
    }
    double least = loudest * pow(10, -decibels / 10);
    size_t first = 0;
    *before = *after = count;
    if (loudest <= 0) return;
    while (window_power(samples, count, first, length) < least) first += length;
    size_t last = (count - 1) / length * length;
    while (window_power(samples, count, last, length) < least) last -= length;
    *before = first;
    *after = count - last <= length ? 0 : count - last - length;
}
