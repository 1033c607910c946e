/* WAV files in memory in every shape that a test wants, written from the RIFF description. */
#ifndef KZT_HARNESS_WAV_BYTES_H
#define KZT_HARNESS_WAV_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum kzt_wav_code {
    KZT_WAV_INTEGER, /* 8 (unsigned), 16, 24, 32 bits */
    KZT_WAV_FLOAT,   /* 32, 64 bits */
    KZT_WAV_ALAW,    /* samples are codes, 0 to 255 */
    KZT_WAV_ULAW
} kzt_wav_code;

typedef struct kzt_wav {
    kzt_wav_code code;
    int bits, channels, rate;
    unsigned format_bytes; /* of the fmt chunk: 16, 18 or 40 (extensible) */
    size_t list_bytes;     /* a LIST chunk in front of the data, odd sizes padded; 0: none */
    size_t tail_bytes;     /* one behind them */
    bool big;              /* RIFX */
    bool rf64;
    bool other_data_size;  /* the header says this instead of the truth */
    uint32_t data_size;
    bool other_riff_size;
    uint32_t riff_size;
    bool no_data; /* the data chunk is left out */
} kzt_wav;

/* frames * channels samples; integers are value * 2^(bits - 1), rounded and held within the range.
 * On the heap. */
unsigned char *kzt_wav_bytes(const kzt_wav *wav, const double *samples, size_t frames,
                             size_t *length);

#endif
