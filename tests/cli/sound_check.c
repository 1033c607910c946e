/* Known sound through the program's writer, and decoded sound held against it:
 *
 *     sound_check write FORMAT BITS RATE SAMPLES GAIN FILE
 *     sound_check clip SEED SAMPLES FILE
 *     sound_check compare WAV DECODED_WAV
 *
 * write: a chirp that goes on to the last sample, times GAIN (above 1 it clips).
 * clip: that of tests/harness/clip.h, as WAV of 16 bits at 24 kHz.
 * compare prints: samples, samples expected, SNR in dB, SNR of the last 200 ms (999: no
 * difference). A decoder may double the rate; then every second sample is taken. */
#include "common/sound_file.h"
#include "harness/clip.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char *what, const char *name) {
    fprintf(stderr, "sound_check: %s: %s\n", what, name);
    return 1;
}

/* ---- write -------------------------------------------------------------------------------- */

/* From 100 Hz to 4 kHz each second, swelling; loud at the very end. */
static float chirp(size_t i, size_t count, int rate) {
    double t = fmod((double)i / rate, 1.0);
    double swell = 0.55 + 0.35 * sin(1.7 * (double)i / rate);
    double level = count - i < (size_t)rate / 5 ? 0.9 : swell;
    return (float)(level * sin(6.283185307179586 * (100 * t + 1950 * t * t)));
}

static int write_sound(char **word) {
    kz__mem mem;
    kz__sound_file file;
    kz__err err = {""};
    kz__format format = KZ__FORMAT_WAV;
    const char *path = word[5];
    kz__bits bits = word[1][0] == '1' ? KZ__BITS_16 : word[1][0] == '2' ? KZ__BITS_24
                                                                        : KZ__BITS_32F;
    int rate = atoi(word[2]);
    size_t count = strtoul(word[3], NULL, 10);
    float gain = (float)atof(word[4]);
    if (!kz__format_named(word[0], &format)) return fail("no format", word[0]);
    if (kz__mem_init(&mem, NULL, NULL) != KZ_OK) return fail("no memory", path);
    kz_status status = kz__sound_file_open(&file, &mem, path, format, bits, rate, &err);
    if (status != KZ_OK) return fail(err.text, path);
    for (size_t at = 0; at < count && status == KZ_OK;) {
        float packet[1920];
        size_t take = count - at < 1920 ? count - at : 1920;
        for (size_t i = 0; i < take; i++) packet[i] = gain * chirp(at + i, count, rate);
        status = kz__sound_file_write(&file, packet, take, &err);
        at += take;
    }
    if (status != KZ_OK) {
        kz__sound_file_discard(&file);
        return fail(err.text, path);
    }
    status = kz__sound_file_commit(&file, &err);
    return status == KZ_OK ? 0 : fail(err.text, path);
}

static int write_clip(char **word) {
    kz__mem mem;
    kz__sound_file file;
    kz__err err = {""};
    size_t count = strtoul(word[1], NULL, 10);
    if (kz__mem_init(&mem, NULL, NULL) != KZ_OK) return fail("no memory", word[2]);
    kz_status status = kz__sound_file_open(&file, &mem, word[2], KZ__FORMAT_WAV, KZ__BITS_16,
                                           24000, &err);
    if (status != KZ_OK) return fail(err.text, word[2]);
    float *samples = kzt_clip(count, strtoull(word[0], NULL, 10));
    status = kz__sound_file_write(&file, samples, count, &err);
    free(samples);
    if (status == KZ_OK) status = kz__sound_file_commit(&file, &err);
    return status == KZ_OK ? 0 : fail(err.text, word[2]);
}

/* ---- compare ------------------------------------------------------------------------------ */

typedef struct sound {
    double *samples;
    size_t count;
    uint32_t rate;
} sound;

static uint32_t little(const unsigned char *bytes, size_t count) {
    uint32_t value = 0;
    while (count-- > 0) value = value << 8 | bytes[count];
    return value;
}

static unsigned char *load(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = NULL;
    *length = 0;
    for (size_t capacity = 1 << 16; file && !feof(file) && !ferror(file); capacity *= 2) {
        unsigned char *larger = realloc(bytes, capacity);
        if (!larger) break;
        bytes = larger;
        *length += fread(bytes + *length, 1, capacity - *length, file);
    }
    if (file) fclose(file);
    return bytes;
}

/* Mono integers of 16 or 24 bits, chunk after chunk. */
static int read_wav(const char *path, sound *s) {
    size_t length = 0;
    unsigned char *bytes = load(path, &length);
    uint32_t width = 0;
    bool good = length > 12 && !memcmp(bytes, "RIFF", 4) && !memcmp(bytes + 8, "WAVE", 4);
    for (size_t at = 12; good && at + 8 <= length;) {
        uint32_t size = little(bytes + at + 4, 4);
        const unsigned char *body = bytes + at + 8;
        size_t left = length - at - 8;
        if (size > left) size = (uint32_t)left; /* from a pipe: an open size */
        if (!memcmp(bytes + at, "fmt ", 4) && size >= 16) {
            good = little(body + 2, 2) == 1;
            s->rate = little(body + 4, 4);
            width = little(body + 14, 2) / 8;
        } else if (!memcmp(bytes + at, "data", 4)) {
            good = width == 2 || width == 3;
            s->count = good ? size / width : 0;
            s->samples = calloc(s->count + 1, sizeof *s->samples);
            if (!s->samples) return fail("no memory", path);
            for (size_t i = 0; i < s->count; i++) {
                uint32_t value = little(body + i * width, width) << (32 - 8 * width);
                s->samples[i] = (double)(int32_t)value / 2147483648.0;
            }
            break;
        }
        at += 8 + size + (size & 1);
    }
    free(bytes);
    return good && s->samples ? 0 : fail("no mono WAV of 16 or 24 bits", path);
}

static double snr(const sound *wanted, const sound *got, size_t from, size_t step) {
    double signal = 0;
    double noise = 0;
    for (size_t i = from; i < wanted->count; i++) {
        double there = i * step < got->count ? got->samples[i * step] : 0;
        double gap = wanted->samples[i] - there;
        signal += wanted->samples[i] * wanted->samples[i];
        noise += gap * gap;
    }
    return noise == 0 ? 999 : signal == 0 ? 0 : 10 * log10(signal / noise);
}

static int compare(char **word) {
    sound wanted = {NULL, 0, 0};
    sound got = {NULL, 0, 0};
    int code = read_wav(word[0], &wanted);
    if (code == 0) code = read_wav(word[1], &got);
    if (code == 0 && got.rate != wanted.rate && got.rate != 2 * wanted.rate) {
        code = fail("another rate", word[1]);
    }
    if (code == 0) {
        size_t step = got.rate / wanted.rate;
        size_t tail = wanted.rate / 5;
        size_t from = wanted.count > tail ? wanted.count - tail : 0;
        printf("%zu %zu %.1f %.1f\n", got.count, wanted.count * step, snr(&wanted, &got, 0, step),
               snr(&wanted, &got, from, step));
    }
    free(wanted.samples);
    free(got.samples);
    return code;
}

int main(int argc, char **argv) {
    if (argc == 8 && !strcmp(argv[1], "write")) return write_sound(argv + 2);
    if (argc == 4 && !strcmp(argv[1], "compare")) return compare(argv + 2);
    if (argc == 5 && !strcmp(argv[1], "clip")) return write_clip(argv + 2);
    return fail("usage", "write FORMAT BITS RATE SAMPLES GAIN FILE, clip SEED SAMPLES FILE, or "
                "compare WAV DECODED");
}
