/* A file of sound as it is made, mono, in any of the formats. WAV and raw leave at once wherever
 * they go. The others are written into a regular file as they are made; what cannot be written over
 * (a pipe, a FIFO, a device, a file opened for appending) gets them when they are complete.
 */
#ifndef KZ_COMMON_SOUND_FILE_H
#define KZ_COMMON_SOUND_FILE_H

#include "common/coder.h"
#include "common/wav_out.h"

typedef struct kz__sound_file {
    kz__out out;
    kz__out scratch;  /* open where the encoded sound waits to be complete */
    kz__wav wav;
    kz__coder *coder; /* NULL: WAV or raw */
} kz__sound_file;

/* Errors as kz__out_open, KZ_ERR_USAGE where the format cannot hold the rate. bits count where the
 * format takes them. path lives with the caller. */
kz_status kz__sound_file_open(kz__sound_file *file, kz__mem *mem, const char *path,
                              kz__format format, kz__bits bits, int rate, kz__err *err);

/* KZ_ERR_CANCELLED and file->out.closed where the reader has gone, KZ_ERR_OUTPUT for anything
 * else. */
kz_status kz__sound_file_write(kz__sound_file *file, const float *samples, size_t count,
                               kz__err *err);

/* Ends the sound and puts the file in its place. Closed in any case. */
kz_status kz__sound_file_commit(kz__sound_file *file, kz__err *err);

/* Leaves an existing file as it was. */
void kz__sound_file_discard(kz__sound_file *file);

#endif
