/* Log-mel spectrogram of a clip: a short-time Fourier transform with a periodic Hann window, the
 * magnitudes through triangular filters, the natural logarithm.
 *
 *     x        the clip, `pad` samples longer at both ends: mirrored, the edge sample once
 *     S[k]     = sqrt(|sum_n hann[n] x[t hop + n] e^(-2 pi i k n / fft)|^2 + 1e-9)
 *     out[m]   = ln(max(sum_k filter[m][k] S[k], 1e-5))
 *
 * Filters stand at equal distances on Slaney's mel scale (linear below 1000 Hz, logarithmic above)
 * and have equal areas.
 * Source: mel_spectrogram of the official package, librosa.filters.mel.
 *
 * The transform is its own and in double: a library's last bits differ between processors, and
 * these are the same everywhere. A clip is short, the time is a few per cent of the encoder's.
 */
#ifndef KZ_AUDIO_MEL_H
#define KZ_AUDIO_MEL_H

#include "base/pool.h"

typedef struct kz__mel_config {
    size_t rate;   /* Hz */
    size_t fft;    /* samples of a transform: a power of two, at least 4 */
    size_t window; /* at most fft, in the middle of it */
    size_t hop;    /* samples from frame to frame */
    size_t pad;
    size_t bands;
    double low, high; /* Hz, low < high <= rate / 2 */
} kz__mel_config;

typedef struct kz__mel {
    kz__mel_config config;
    double *window;          /* [fft], zeros around the window */
    double *cosine, *sine;   /* [fft - 1]: of pi j / d, j < d, from d - 1 on; d = 1, 2, 4 ... */
    uint32_t *swap;          /* [fft / 2]: indices with their bits in reverse */
    size_t *first, *count;   /* [bands]: bins of each filter */
    double *weights;         /* the filters' values, one after the other */
} kz__mel;

/* On failure *mel is cleared. */
kz_status kz__mel_init(kz__mel *mel, kz__mem *mem, const kz__mel_config *config, kz__err *err);
void kz__mel_clear(kz__mel *mel, kz__mem *mem);

/* Frames of a clip of `count` samples; 0 where it is too short to be mirrored or for one frame. */
size_t kz__mel_frames(const kz__mel_config *config, size_t count);

/* rows [frames][ld], `bands` values each; finite samples. Scratch comes from mem. */
kz_status kz__mel_run(const kz__mel *mel, kz__mem *mem, kz__pool *pool, const float *samples,
                      size_t count, float *rows, size_t ld, kz__err *err);

#endif
