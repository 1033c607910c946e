/* WAV and raw sound into an output as it is made, mono. One header of 44 bytes (58 with 32-bit
 * float, which needs a `fact` chunk), then samples. In a file the sizes are true; where nothing can
 * be patched (a pipe, a FIFO, a device, a file opened for appending) and above 4 GiB they are
 * 0xFFFFFFFF.
 */
#ifndef KZ_COMMON_WAV_OUT_H
#define KZ_COMMON_WAV_OUT_H

#include "base/out_file.h"
#include "common/sound_format.h"

#define KZ__WAV_HEADER_MAX 58

typedef struct kz__wav {
    kz__out *out;
    kz__bits bits;
    bool raw;      /* no header */
    int rate;
    uint64_t samples;
    unsigned char *bytes; /* one packet, converted */
    size_t capacity;
} kz__wav;

/* Writes the header for so many bytes of data (UINT64_MAX: unknown); returns its length. */
size_t kz__wav_header(unsigned char header[KZ__WAV_HEADER_MAX], kz__bits bits, int rate,
                      uint64_t samples);

/* out is open. The header leaves with the first samples. */
void kz__wav_begin(kz__wav *wav, kz__out *out, bool raw, kz__bits bits, int rate);
kz_status kz__wav_write(kz__wav *wav, const float *samples, size_t count, kz__err *err);

/* Ends the sound: pads, patches the sizes. */
kz_status kz__wav_finish(kz__wav *wav, kz__err *err);

/* Takes one that was never begun. */
void kz__wav_free(kz__wav *wav);

#endif
