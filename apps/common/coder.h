/* FLAC, Ogg Vorbis, Ogg Opus and MP3 through libsndfile, mono, into an output whose beginning can
 * be written over: headers learn the length at the end. The lossy ones are set to about 60 kbit/s
 * for speech at 24 kHz.
 */
#ifndef KZ_COMMON_CODER_H
#define KZ_COMMON_CODER_H

#include "base/out_file.h"
#include "common/sound_format.h"

typedef struct kz__coder kz__coder;

/* libsndfile is in this build and can write the format. */
bool kz__coder_there(kz__format format);

/* Its version, NULL where it is not in this build. */
const char *kz__coder_library(void);

/* out is open and out->sized. KZ_ERR_OUTPUT where the library refuses. */
kz_status kz__coder_open(kz__coder **coder, kz__out *out, kz__format format, kz__bits bits,
                         int rate, kz__err *err);

/* Samples as integers of the wanted bits (FLAC), or held within [-1, 1]. Errors of the output are
 * those of kz__out_write. */
kz_status kz__coder_write(kz__coder *coder, const float *samples, size_t count, kz__err *err);

/* Writes what is left and the true header. Freed in any case. */
kz_status kz__coder_finish(kz__coder *coder, kz__err *err);

/* Frees it; the output has no use. Takes NULL. */
void kz__coder_drop(kz__coder *coder);

#endif
