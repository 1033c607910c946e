/* A row for each format. */
#include "common/sound_format.h"

#include "common/coder.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct row {
    const char *name;
    unsigned bits;    /* a bit for each kz__bits */
    int highest;      /* rate */
    const int *rates; /* the only ones, up to 0; NULL: all up to the highest */
} row;

static const int opus_rates[] = {8000, 12000, 16000, 24000, 48000, 0};
static const int mp3_rates[] = {8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 0};

#define ANY_BITS (1u << KZ__BITS_16 | 1u << KZ__BITS_24 | 1u << KZ__BITS_32F)
#define INTEGERS (1u << KZ__BITS_16 | 1u << KZ__BITS_24)

static const row rows[KZ__FORMATS] = {
    [KZ__FORMAT_WAV] = {"wav", ANY_BITS, INT_MAX, NULL},
    [KZ__FORMAT_RAW] = {"raw", ANY_BITS, INT_MAX, NULL},
    [KZ__FORMAT_FLAC] = {"flac", INTEGERS, 655350, NULL},
    [KZ__FORMAT_OGG] = {"ogg", 0, 200000, NULL},
    [KZ__FORMAT_OPUS] = {"opus", 0, 48000, opus_rates},
    [KZ__FORMAT_MP3] = {"mp3", 0, 48000, mp3_rates},
};

const char *kz__format_name(kz__format format) {
    return rows[format].name;
}

bool kz__format_named(const char *name, kz__format *format) {
    for (int i = 0; i < KZ__FORMATS; i++) {
        if (strcasecmp(name, rows[i].name) != 0) continue;
        *format = (kz__format)i;
        return true;
    }
    return false;
}

bool kz__format_of_path(const char *path, kz__format *format) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return dot && dot != name && kz__format_named(dot + 1, format);
}

bool kz__format_streams(kz__format format) {
    return format == KZ__FORMAT_WAV || format == KZ__FORMAT_RAW;
}

bool kz__format_there(kz__format format) {
    return kz__format_streams(format) || kz__coder_there(format);
}

bool kz__format_takes_bits(kz__format format, kz__bits bits) {
    return rows[format].bits >> bits & 1u;
}

bool kz__format_takes_rate(kz__format format, int rate) {
    const int *known = rows[format].rates;
    while (known && *known && *known != rate) known++;
    return known ? *known != 0 : rate <= rows[format].highest;
}

void kz__format_list(char list[KZ__FORMAT_LIST], int rate) {
    size_t used = 0;
    list[0] = 0;
    for (int i = 0; i < KZ__FORMATS; i++) {
        kz__format format = (kz__format)i;
        if (!kz__format_there(format) || (rate && !kz__format_takes_rate(format, rate))) continue;
        used += (size_t)snprintf(list + used, KZ__FORMAT_LIST - used, "%s.%s", used ? " " : "",
                                 rows[i].name);
    }
}
