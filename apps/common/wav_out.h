/* WAV and raw sound as it is made, mono. One header of 44 bytes (58 with 32-bit float, which needs
 * a `fact` chunk), then samples. In a file the sizes are true; where nothing can be patched (a
 * pipe, a FIFO, a device, a file opened for appending) and above 4 GiB they are 0xFFFFFFFF.
 */
#ifndef KZ_COMMON_WAV_OUT_H
#define KZ_COMMON_WAV_OUT_H

#include "common/out_file.h"

typedef enum kz__bits { KZ__BITS_16 = 0, KZ__BITS_24 = 1, KZ__BITS_32F = 2 } kz__bits;

#define KZ__WAV_HEADER_MAX 58

typedef struct kz__wav {
    kz__out out;
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

/* Errors as kz__out_open. The header leaves with the first samples. */
kz_status kz__wav_open(kz__wav *wav, kz__mem *mem, const char *path, bool raw, kz__bits bits,
                       int rate, kz__err *err);
kz_status kz__wav_write(kz__wav *wav, const float *samples, size_t count, kz__err *err);

/* Ends the sound: pads, patches the sizes, puts the file in its place. Closed in any case. */
kz_status kz__wav_commit(kz__wav *wav, kz__err *err);
/* Leaves an existing file as it was. */
void kz__wav_discard(kz__wav *wav);

#endif
