/* Kazeia's second library: recordings from files, whatever their format and rate, as the mono
 * float32 samples that a voice is made of. libkazeia itself takes samples and knows no files;
 * neither library needs the other where a program runs.
 *
 * Manners, statuses and structs that begin with their size are those of kazeia.h. What may be read:
 * WAV in all its forms (8 to 32 bits, float, A-law, mu-law, ADPCM; RF64, W64), AIFF, AU, CAF, FLAC,
 * Ogg Vorbis, Opus, MP3, as far as the libsndfile in use has them.
 *
 * What comes out equals what librosa gives the official package: integers divided by 2^(bits - 1),
 * channels averaged at the recording's own rate, then resampled by libsoxr ("HQ") to
 * ceil(frames * (wanted rate / own rate)) samples. Where the rate is right already nothing is
 * touched: no loudness, no filter, no dither. Nothing is read beyond the recording's own bytes.
 */
#ifndef KAZEIA_AUDIO_H
#define KAZEIA_AUDIO_H

#include <kazeia.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number in this library's name, as KZ_ABI. */
#define KZ_AUDIO_ABI 0

/* "0.1.0". Any thread. */
KZ_API const char *kz_audio_version(void);

/* Names and versions of the libraries in use: libsndfile, libsoxr, then NULL. Any thread. */
KZ_API const char *kz_audio_library(size_t index);

typedef struct kz_audio_options {
    size_t size;
    int rate; /* of the samples wanted, 1000 to 768000 Hz; 0: as recorded; KZ_DEFAULT: 24000 */
    int trim; /* 1: silence at both ends is taken off, but for 50 ms of it (default 0) */
    double silence_db;  /* silence: 10 ms whose power lies more than this below that of the loudest
                           10 ms; default 40 */
    double max_seconds; /* a longer recording is an error; 0: no limit; default 600 */
    const kz_allocator *allocator; /* NULL: malloc; copied. libsndfile and libsoxr use malloc */
} kz_audio_options;

/* Sets the size and all defaults. Any thread. */
KZ_API void kz_audio_options_init_sized(kz_audio_options *options, size_t size);
static inline void kz_audio_options_init(kz_audio_options *options) {
    kz_audio_options_init_sized(options, sizeof *options);
}

/* A recording in memory: samples, facts, notices. Immutable: any number of threads may look. */
typedef struct kz_audio kz_audio;

/* Each of these reads a whole recording. On failure *audio is NULL and error (capacity bytes, may
 * be NULL; 512 are enough) holds one sentence with the name and what was measured: KZ_ERR_INPUT
 * where this is no recording, an empty, silent or damaged one, one that is too long, or of a kind
 * that is not read (it is told which, and what to do); KZ_ERR_USAGE for options; KZ_ERR_MEMORY.
 * options may be NULL. Any thread. Free with kz_audio_free.
 *
 * path is a file, or a pipe by name. Any thread. */
KZ_API kz_status kz_audio_read_file(const char *path, const kz_audio_options *options,
                                    kz_audio **audio, char *error, size_t capacity);

/* An open descriptor (0: standard input), which stays open: of a regular file all that follows the
 * present position, which is not moved; of anything else all until its end, at most 1 GiB. name is
 * for sentences (NULL: "standard input" or "descriptor N"). Any thread. */
KZ_API kz_status kz_audio_read_descriptor(int descriptor, const char *name,
                                          const kz_audio_options *options, kz_audio **audio,
                                          char *error, size_t capacity);

/* The bytes of a file. name is for sentences (NULL: "recording"). Any thread. */
KZ_API kz_status kz_audio_read_memory(const void *bytes, size_t length, const char *name,
                                      const kz_audio_options *options, kz_audio **audio,
                                      char *error, size_t capacity);

/* Samples as a microphone gives them: frames * channels floats, the channels of a frame together.
 * name as before. Any thread. */
KZ_API kz_status kz_audio_read_samples(const float *samples, size_t frames, int channels, int rate,
                                       const char *name, const kz_audio_options *options,
                                       kz_audio **audio, char *error, size_t capacity);

/* Takes NULL. One thread, when nobody looks any more. */
KZ_API void kz_audio_free(kz_audio *audio);

/* The samples, mono, and their number (count may be NULL); they live with the audio. Any thread. */
KZ_API const float *kz_audio_samples(const kz_audio *audio, size_t *count);

typedef struct kz_audio_info {
    size_t size;
    const char *format;     /* "WAV, Signed 16 bit PCM"; lives with the audio */
    int rate;               /* of the samples handed out */
    int source_rate;        /* of the recording, with the next two */
    int channels;
    uint64_t source_frames; /* samples of each channel that were there */
    double source_seconds;
    double seconds;         /* of what is handed out: trimmed */
    double peak;            /* largest magnitude in any channel; 1 is full scale */
    double rms;             /* root of the mean square of the mono sound before resampling */
    double clipped;         /* share (0 to 1) of the samples of all channels at full scale */
    double silence_before;  /* seconds of silence at the ends of the recording, trimmed or not */
    double silence_after;
    size_t notices;
} kz_audio_info;

/* Fills info (its `size` set by the caller). Any thread. */
KZ_API kz_status kz_audio_get_info(const kz_audio *audio, kz_audio_info *info);

/* What is no error but worth telling, one sentence each, NULL past the last: under 1 s or over 60 s
 * of sound, more than 0.1 % of samples clipped, a peak below 0.01 (-40 dB), a file that is cut
 * short. They live with the audio. Any thread. */
KZ_API const char *kz_audio_notice(const kz_audio *audio, size_t index);

#ifdef __cplusplus
}
#endif
#endif
