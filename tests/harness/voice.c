/* The file's form is written down once more here, from docs/FORMATS.md. */
#include "harness/voice.h"

#include "base/checksum.h"

#include <string.h>

kz__voice_parts kzt_voice_parts(const char *transcript) {
    static float vector[KZT_VOICE_WIDTH];
    static int32_t codes[KZT_VOICE_FRAMES * KZT_VOICE_GROUPS];
    kz__voice_parts p = {.vector = vector};
    for (int i = 0; i < KZT_VOICE_WIDTH; i++) vector[i] = (float)(i - 7) / 3;
    for (int i = 0; i < KZT_VOICE_FRAMES * KZT_VOICE_GROUPS; i++) codes[i] = i * 37 % 100;
    p.info.made_with = "0b6";
    p.info.version = "0.1.0";
    p.info.vector_length = KZT_VOICE_WIDTH;
    p.info.sample_rate = 24000;
    p.info.samples_per_frame = 1920;
    p.info.codes_per_frame = KZT_VOICE_GROUPS;
    p.info.codebook_size = 100;
    p.info.samples = KZT_VOICE_FRAMES * 1920 - 5;
    if (!transcript) return p;
    p.info.transcript = transcript;
    p.info.tail_ms = 0;
    p.info.frames = KZT_VOICE_FRAMES;
    p.codes = codes;
    return p;
}

static void put64(unsigned char *at, uint64_t value) {
    for (int i = 0; i < 8; i++) at[i] = (unsigned char)(value >> (8 * i));
}

void kzt_voice_seal(unsigned char *bytes, size_t length) {
    if (length < 40) return;
    size_t covered = length - 8;
    put64(bytes + 16, length);
    put64(bytes + covered, kz__checksum(bytes, covered, (covered + 63) / 64 * 64));
}

unsigned char *kzt_voice_chunk(unsigned char *bytes, size_t length, const char *tag,
                               size_t *count) {
    for (size_t at = 32; at + 16 <= length;) {
        uint32_t size = 0;
        for (int i = 3; i >= 0; i--) size = size << 8 | bytes[at + 4 + (size_t)i];
        *count = size;
        if (!memcmp(bytes + at, tag, 4)) return bytes + at + 8;
        at += 8 + (size + 7) / 8 * 8;
    }
    return NULL;
}
