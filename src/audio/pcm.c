/* Saturating float to integer conversion. The scale is a power of two and the clamp comes before
 * the rounding, so that every step but the rounding is exact; the rounding is done on integers. */
#include "audio/pcm.h"

#include <string.h>

/* scaled is within [low, high], both whole numbers of at most 24 bits. */
static int32_t round_even(float scaled) {
    int32_t whole = (int32_t)scaled;
    float rest = scaled - (float)whole;
    if (rest > 0.5f || (rest == 0.5f && (whole & 1))) return whole + 1;
    if (rest < -0.5f || (rest == -0.5f && (whole & 1))) return whole - 1;
    return whole;
}

static int32_t convert(float x, float scale) {
    float scaled = x * scale;
    if (scaled != scaled) return 0;
    if (scaled < -scale) scaled = -scale;
    if (scaled > scale - 1.0f) scaled = scale - 1.0f;
    return round_even(scaled);
}

int16_t kz__pcm_i16(float x) {
    return (int16_t)convert(x, 32768.0f);
}

int32_t kz__pcm_i24(float x) {
    return convert(x, 8388608.0f);
}

void kz__pcm_write_i16(const float *samples, size_t count, unsigned char *bytes) {
    for (size_t i = 0; i < count; i++) {
        uint32_t value = (uint32_t)(int32_t)kz__pcm_i16(samples[i]);
        bytes[2 * i] = (unsigned char)(value & 0xff);
        bytes[2 * i + 1] = (unsigned char)(value >> 8 & 0xff);
    }
}

void kz__pcm_write_i24(const float *samples, size_t count, unsigned char *bytes) {
    for (size_t i = 0; i < count; i++) {
        uint32_t value = (uint32_t)kz__pcm_i24(samples[i]);
        bytes[3 * i] = (unsigned char)(value & 0xff);
        bytes[3 * i + 1] = (unsigned char)(value >> 8 & 0xff);
        bytes[3 * i + 2] = (unsigned char)(value >> 16 & 0xff);
    }
}

void kz__pcm_write_f32(const float *samples, size_t count, unsigned char *bytes) {
    for (size_t i = 0; i < count; i++) {
        uint32_t value = 0;
        memcpy(&value, &samples[i], sizeof value);
        for (size_t b = 0; b < 4; b++) {
            bytes[4 * i + b] = (unsigned char)(value >> 8 * b & 0xff);
        }
    }
}
