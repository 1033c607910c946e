/* The sizes in a WAV file's header, before a decoder believes them: streams leave them open. */
#ifndef KZ_COMMON_AUDIO_WAV_H
#define KZ_COMMON_AUDIO_WAV_H

#include "common/audio_source.h"

typedef struct kz__audio_wav {
    uint64_t promised; /* bytes of sound that the header has where fewer are there, else 0 */
    uint64_t there;    /* bytes of sound in the file */
} kz__audio_wav;

/* Looks at a source that is WAV (RIFF or RIFX). A data chunk of size 0 that sound follows gets its
 * size (a patch of the source). KZ_ERR_INPUT where there is no data chunk, or more sound than the
 * header can count. */
kz_status kz__audio_wav_sizes(kz__audio_source *source, kz__audio_wav *wav, kz__err *err);

#endif
