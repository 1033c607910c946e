/* The formats of sound files: names, endings, and what each can hold. */
#ifndef KZ_COMMON_SOUND_FORMAT_H
#define KZ_COMMON_SOUND_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

typedef enum kz__bits { KZ__BITS_16 = 0, KZ__BITS_24 = 1, KZ__BITS_32F = 2 } kz__bits;

typedef enum kz__format {
    KZ__FORMAT_WAV = 0,
    KZ__FORMAT_RAW, /* the samples alone */
    KZ__FORMAT_FLAC,
    KZ__FORMAT_OGG, /* Vorbis */
    KZ__FORMAT_OPUS,
    KZ__FORMAT_MP3,
    KZ__FORMATS
} kz__format;

#define KZ__FORMAT_LIST 64 /* bytes for a list of endings */

/* The name, which is the ending as well. */
const char *kz__format_name(kz__format format);

/* Case does not matter. False where none is called so, or ends so. */
bool kz__format_named(const char *name, kz__format *format);
bool kz__format_of_path(const char *path, kz__format *format);

/* This build writes it. */
bool kz__format_there(kz__format format);

/* Its samples can have these bits; lossy formats have none. */
bool kz__format_takes_bits(kz__format format, kz__bits bits);

/* It holds sound of this rate. */
bool kz__format_takes_rate(kz__format format, int rate);

/* Whether sound leaves as it is made, and not when it is complete. */
bool kz__format_streams(kz__format format);

/* The endings that this build writes; with a rate: those of them that take it. */
void kz__format_list(char list[KZ__FORMAT_LIST], int rate);

#endif
