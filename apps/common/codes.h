/* Files of codes: .npy [frames, per_frame] of any integer type, or text with a frame per line. */
#ifndef KZ_COMMON_CODES_H
#define KZ_COMMON_CODES_H

#include "base/mem.h"

#include <stdint.h>

typedef struct kz__codes {
    int32_t *values; /* [frames][per_frame]; for kz__free */
    size_t frames;
    size_t per_frame;
} kz__codes;

/* Reads path ("-": standard input); .npy is known by its first bytes. Every value must be within
 * 0..entries-1. KZ_ERR_INPUT names the frame and codebook at fault. */
kz_status kz__codes_read(kz__mem *mem, const char *path, size_t per_frame, int entries,
                         kz__codes *codes, kz__err *err);

/* The same from bytes in memory; name is for messages. */
kz_status kz__codes_parse(kz__mem *mem, const char *bytes, size_t length, const char *name,
                          size_t per_frame, int entries, kz__codes *codes, kz__err *err);

/* True where the name ends in .npy or .txt, the two forms that can be written. */
bool kz__codes_known(const char *path);

/* The bytes of such a file, in the form that the name asks for; for kz__free. */
kz_status kz__codes_format(kz__mem *mem, const char *path, const int32_t *values, size_t frames,
                           size_t per_frame, unsigned char **bytes, size_t *length, kz__err *err);

#endif
