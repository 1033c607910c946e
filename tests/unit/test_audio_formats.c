/* Recordings of every shape: WAV from a writer of the harness's own, the official package's loader
 * (tests/data/audio, made by scripts/reference/make_audio.py), and what other programs encode. */
#include "harness/golden.h"
#include "harness/json_file.h"
#include "harness/npy.h"
#include "harness/tests.h"
#include "harness/tmpdir.h"
#include "harness/wav_bytes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef KZ_HAVE_AUDIO

int main(void) {
    printf("skipped: this build is without libsndfile or libsoxr, so that it reads no "
           "recordings\n");
    return 77;
}

#else

#include <kazeia-audio.h>

#define DATA KZT_SOURCE_DIR "/tests/data/audio/"
#define TONE 3000 /* frames */

static char *folder;

/* Fails with the library's sentence. */
static kz_audio *read_bytes(const unsigned char *bytes, size_t length, int rate) {
    char error[512] = "";
    kz_audio *audio = NULL;
    kz_audio_options options;
    kz_audio_options_init(&options);
    options.rate = rate;
    kz_status status = kz_audio_read_memory(bytes, length, "x", &options, &audio, error,
                                            sizeof error);
    if (status != KZ_OK) fail_msg("status %d: %s", (int)status, error);
    return audio;
}

static kz_audio_info info_of(const kz_audio *audio) {
    kz_audio_info info;
    info.size = sizeof info;
    assert_int_equal(kz_audio_get_info(audio, &info), KZ_OK);
    return info;
}

/* A tone whose values 8 bits can hold, the same in all channels. */
static void tone(double *samples, size_t frames, int channels) {
    for (size_t i = 0; i < frames; i++) {
        double value = nearbyint(100 * sin(2 * 3.14159265358979 * (double)i / 55)) / 128;
        for (int c = 0; c < channels; c++) samples[i * (size_t)channels + (size_t)c] = value;
    }
}

/* The samples of a file at its own rate are the tone; the mean of 3, 5 or 6 channels is rounded. */
static void check_tone(const kzt_wav *wav, const unsigned char *bytes, size_t length,
                       const double *samples, size_t frames) {
    kz_audio *audio = read_bytes(bytes, length, 0);
    kz_audio_info info = info_of(audio);
    size_t count = 0;
    const float *got = kz_audio_samples(audio, &count);
    assert_int_equal(count, frames);
    assert_int_equal(info.source_frames, frames);
    assert_int_equal(info.channels, wav->channels);
    assert_int_equal(info.source_rate, wav->rate);
    assert_int_equal(info.rate, wav->rate);
    double bound = (wav->channels & (wav->channels - 1)) ? 6e-8 : 0;
    for (size_t i = 0; i < frames; i++) {
        double wanted = samples[i * (size_t)wav->channels];
        if (fabs((double)got[i] - wanted) > bound) {
            fail_msg("%d bits, %d channels, fmt of %u: sample %zu is %.9g, not %.9g", wav->bits,
                     wav->channels, wav->format_bytes, i, (double)got[i], wanted);
        }
    }
    kz_audio_free(audio);
}

static void check_wav(const kzt_wav *wav) {
    static double samples[TONE * 8];
    size_t length = 0;
    tone(samples, TONE, wav->channels);
    unsigned char *bytes = kzt_wav_bytes(wav, samples, TONE, &length);
    check_tone(wav, bytes, length, samples, TONE);
    free(bytes);
}

static void test_B136_bits_channels_and_tags(void **state) {
    (void)state;
    static const struct {
        kzt_wav_code code;
        int bits;
    } forms[] = {{KZT_WAV_INTEGER, 8},  {KZT_WAV_INTEGER, 16}, {KZT_WAV_INTEGER, 24},
                 {KZT_WAV_INTEGER, 32}, {KZT_WAV_FLOAT, 32},   {KZT_WAV_FLOAT, 64}};
    static const unsigned format_bytes[] = {16, 18, 40};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        for (int channels = 1; channels <= 6; channels++) {
            for (size_t b = 0; b < 3; b++) {
                kzt_wav wav = {.code = forms[f].code, .bits = forms[f].bits,
                               .channels = channels, .rate = 22050,
                               .format_bytes = format_bytes[b]};
                check_wav(&wav);
            }
        }
    }
}

static void test_B138_odd_chunks_and_wrong_riff_sizes(void **state) {
    (void)state;
    static const size_t lists[] = {0, 1, 4, 5, 26, 27, 10001};
    static const uint32_t riffs[] = {0, 4, 8, 36, 1000, 0x7fffffff, 0xffffffffu};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        for (size_t t = 0; t < 3; t++) {
            kzt_wav wav = {.bits = 16, .channels = 1, .rate = 24000, .format_bytes = 16,
                           .list_bytes = lists[i], .tail_bytes = lists[t]};
            check_wav(&wav);
        }
    }
    for (size_t i = 0; i < sizeof riffs / sizeof *riffs; i++) {
        kzt_wav wav = {.bits = 24, .channels = 1, .rate = 24000, .format_bytes = 40,
                       .list_bytes = 7, .other_riff_size = true, .riff_size = riffs[i]};
        check_wav(&wav);
        wav.bits = 8; /* an odd number of bytes of sound, padded */
        wav.channels = 3;
        check_wav(&wav);
    }
}

/* What is written into a pipe: 0, near 2 GiB or 4 GiB. */
static void test_B138_open_data_sizes(void **state) {
    (void)state;
    static const uint32_t sizes[] = {0, 0x7ffff000, 0x7fffffff, 0x80000000u, 0xffffffd3u,
                                     0xffffffffu};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int riff = 0; riff < 4; riff++) {
            for (int big = 0; big < 2; big++) {
                static const uint32_t riffs[] = {0, 8, 36, 0xffffffffu};
                kzt_wav wav = {.bits = 16, .channels = 2, .rate = 48000, .format_bytes = 16,
                               .list_bytes = 5, .big = big, .other_data_size = true,
                               .data_size = sizes[i], .other_riff_size = true,
                               .riff_size = riffs[riff]};
                check_wav(&wav);
            }
        }
    }
}

/* A size larger than the file, which no stream writes: what is there is read, and told. */
static void test_B138_data_larger_than_the_file(void **state) {
    (void)state;
    double samples[TONE];
    size_t length = 0;
    tone(samples, TONE, 1);
    kzt_wav wav = {.bits = 16, .channels = 1, .rate = 1000, .format_bytes = 16,
                   .other_data_size = true, .data_size = 4 * TONE};
    unsigned char *bytes = kzt_wav_bytes(&wav, samples, TONE, &length);
    check_tone(&wav, bytes, length, samples, TONE);
    kz_audio *audio = read_bytes(bytes, length, 0);
    assert_int_equal(info_of(audio).notices, 1);
    assert_non_null(strstr(kz_audio_notice(audio, 0), "3.00 s of the 6.00 s"));
    assert_null(kz_audio_notice(audio, 1));
    kz_audio_free(audio);
    /* Cut in the middle of a sample. */
    check_tone(&wav, bytes, length - 1, samples, TONE - 1);
    free(bytes);
}

static void test_64_bit_sizes(void **state) {
    (void)state;
    kzt_wav wav = {.bits = 16, .channels = 2, .rate = 44100, .format_bytes = 40, .rf64 = true};
    check_wav(&wav);
    wav.list_bytes = 26; /* libsndfile 1.2 does not find what follows an odd one in RF64 */
    check_wav(&wav);
}

/* G.711, written from its description: sign, three bits of segment, four of step. */
static double law(bool a_law, unsigned code) {
    unsigned byte = a_law ? code ^ 0x55 : ~code & 0xff;
    unsigned segment = byte >> 4 & 7;
    double step = byte & 15;
    double size = a_law ? (segment ? ldexp(step + 16.5, (int)segment - 1) : step + 0.5) * 16
                        : (ldexp(step + 16.5, (int)segment) - 16.5) * 8;
    bool negative = a_law ? !(byte & 0x80) : byte & 0x80;
    return (negative ? -size : size) / 32768;
}

static void test_A_law_and_mu_law(void **state) {
    (void)state;
    for (int a_law = 0; a_law < 2; a_law++) {
        double codes[256];
        size_t length = 0;
        for (int i = 0; i < 256; i++) codes[i] = i;
        kzt_wav wav = {.code = a_law ? KZT_WAV_ALAW : KZT_WAV_ULAW, .bits = 8, .channels = 1,
                       .rate = 8000, .format_bytes = 18};
        unsigned char *bytes = kzt_wav_bytes(&wav, codes, 256, &length);
        kz_audio *audio = read_bytes(bytes, length, 0);
        size_t count = 0;
        const float *got = kz_audio_samples(audio, &count);
        assert_int_equal(count, 256);
        for (unsigned i = 0; i < 256; i++) {
            if (fabs((double)got[i] - law(a_law, i)) > 1e-9) {
                fail_msg("%s code %u is %.9g, not %.9g", a_law ? "A-law" : "mu-law", i,
                         (double)got[i], law(a_law, i));
            }
        }
        kz_audio_free(audio);
        free(bytes);
    }
}

/* ---- the official package's loader -------------------------------------------------------- */

/* values() of make_audio.py: 24 bits, as a fraction of full scale. */
static double formula(long rate, long i, long channel) {
    long long phase = (long long)i * (37 + 11 * channel) * 48000 / rate % 4096;
    long long noise = ((long long)i * 1103515245 + channel * 12345 + 777) & 0x7fffffff;
    long long wave = phase < 2048 ? 2048 - phase : phase - 2048;
    long long coarse = (wave - 1024) * 12 + (noise >> 16) % 801 - 400;
    return (double)(coarse * 256 + (noise >> 8) % 256) / 8388608;
}

static double largest;

/* expected: both ends and every 37th sample. */
static void compare(const kz_audio *audio, size_t samples, const char *expected, double bound) {
    char path[512];
    char error[256] = "";
    kzt_npy npy;
    size_t count = 0;
    const float *got = kz_audio_samples(audio, &count);
    snprintf(path, sizeof path, "%s%s", DATA, expected);
    if (kzt_npy_read_as(path, 'f', 4, &npy, error, sizeof error)) fail_msg("%s", error);
    assert_int_equal(count, samples);
    const float *wanted = npy.data;
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        if (i >= 200 && i + 200 < count && i % 37 != 0) continue;
        assert_true(at < npy.count);
        double difference = fabs((double)got[i] - (double)wanted[at++]);
        if (!(difference <= bound)) {
            fail_msg("%s: sample %zu is off by %.3g, more than %.3g", expected, i, difference,
                     bound);
        }
        if (difference > largest) largest = difference;
    }
    assert_int_equal(at, npy.count);
    kzt_npy_free(&npy);
}

static long number(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return (long)json_integer_value(value);
}

static const char *word(const json_t *object, const char *key) {
    const char *value = json_string_value(json_object_get(object, key));
    assert_non_null(value);
    return value;
}

/* A case's recording, read. */
static kz_audio *read_case(const json_t *item) {
    long rate = number(item, "rate");
    long channels = number(item, "channels");
    long frames = number(item, "frames");
    const char *bits = word(item, "bits");
    bool real = !strcmp(bits, "float");
    kzt_wav wav = {.code = real ? KZT_WAV_FLOAT : KZT_WAV_INTEGER,
                   .bits = real ? 32 : bits[0] == '1' ? 16 : 24, .channels = (int)channels,
                   .rate = (int)rate, .format_bytes = 16};
    double *samples = malloc((size_t)(channels * frames) * sizeof *samples);
    assert_non_null(samples);
    for (long i = 0; i < frames; i++) {
        for (long c = 0; c < channels; c++) {
            double value = formula(rate, i, c);
            samples[i * channels + c] = wav.bits == 16 ? floor(value * 32768) / 32768 : value;
        }
    }
    size_t length = 0;
    unsigned char *bytes = kzt_wav_bytes(&wav, samples, (size_t)frames, &length);
    kz_audio *audio = read_bytes(bytes, length, KZ_DEFAULT);
    free(bytes);
    free(samples);
    return audio;
}

static void check_case(const json_t *item) {
    kz_audio *audio = read_case(item);
    compare(audio, (size_t)number(item, "samples"), word(item, "expected"), 1e-6);
    kz_audio_free(audio);
}

/* B103: any rate. 18 recordings: the sum of channels and the filter may round otherwise. */
static void test_B103_equal_to_the_official_loader(void **state) {
    (void)state;
    json_t *root = kzt_read_json(DATA "audio.json");
    const json_t *cases = json_object_get(root, "cases");
    assert_int_equal(json_array_size(cases), 18);
    largest = 0;
    for (size_t i = 0; i < json_array_size(cases); i++) check_case(json_array_get(cases, i));
    printf("largest difference to the official loader: %.3g\n", largest);
    json_decref(root);
}

static kz_audio *read_lossy(const json_t *item) {
    char path[512];
    size_t length = 0;
    snprintf(path, sizeof path, "%s%s", DATA, word(item, "file"));
    char *bytes = kzt_read(path, &length);
    kz_audio *audio = read_bytes((const unsigned char *)bytes, length, KZ_DEFAULT);
    free(bytes);
    return audio;
}

/* Decoders of other builds may round otherwise, and libraries of other years may be better. */
static void test_lossy_files_equal_to_the_official_loader(void **state) {
    (void)state;
    json_t *root = kzt_read_json(DATA "audio.json");
    const json_t *lossy = json_object_get(root, "lossy");
    assert_int_equal(json_array_size(lossy), 3);
    largest = 0;
    for (size_t i = 0; i < json_array_size(lossy); i++) {
        const json_t *item = json_array_get(lossy, i);
        kz_audio *audio = read_lossy(item);
        assert_int_equal(info_of(audio).source_rate, number(item, "rate"));
        compare(audio, (size_t)number(item, "samples"), word(item, "expected"), 1e-4);
        kz_audio_free(audio);
    }
    printf("largest difference of lossy files: %.3g\n", largest);
    json_decref(root);
}

/* ---- from the file to the voice ----------------------------------------------------------- */

/* Largest difference of the vectors, relative to the wanted one's largest value. Frames whose
 * codes may differ where a sample rounds otherwise: those of lossy files. */
static double check_voice(const kz_model *model, const kz_audio *audio, const json_t *want,
                          bool exact) {
    const json_t *vector = json_object_get(want, "vector");
    const json_t *frames = json_object_get(want, "codes");
    kz_voice *voice = NULL;
    kz_voice_options options;
    char error[512] = "";
    size_t count = 0;
    const float *samples = kz_audio_samples(audio, &count);
    kz_voice_options_init(&options);
    options.transcript = "x";
    options.flags = KZ_AS_REFERENCE;
    if (kz_voice_from_samples(model, samples, count, 24000, &options, &voice, error,
                              sizeof error)) {
        fail_msg("%s", error);
    }
    const float *got = kz_voice_vector(voice, &count);
    assert_int_equal(count, json_array_size(vector));
    double worst = 0, most = 0;
    for (size_t i = 0; i < count; i++) {
        double value = json_number_value(json_array_get(vector, i));
        worst = fmax(worst, fabs((double)got[i] - value));
        most = fmax(most, fabs(value));
    }
    const int32_t *codes = kz_voice_codes(voice, &count);
    assert_int_equal(count, json_array_size(frames));
    for (size_t i = 0; exact && i < count * 16; i++) {
        const json_t *frame = json_array_get(frames, i / 16);
        if (codes[i] == json_integer_value(json_array_get(frame, i % 16))) continue;
        fail_msg("code %zu of frame %zu differs", i % 16, i / 16);
    }
    kz_voice_free(voice);
    return worst / most;
}

/* Of 18 WAV files of 8 to 48 kHz with 1 to 6 channels, and of MP3, Vorbis and Opus. */
static void test_voices_equal_to_the_official_package(void **state) {
    (void)state;
    json_t *audio = kzt_read_json(DATA "audio.json");
    json_t *voices = kzt_read_json(DATA "voices.json");
    const json_t *cases = json_object_get(audio, "cases");
    const json_t *lossy = json_object_get(audio, "lossy");
    const json_t *checkpoints = json_object_get(voices, "checkpoints");
    const char *const names[] = {"base-eq", "base-mtp"};
    for (size_t c = 0; c < 2; c++) {
        const json_t *want = json_object_get(checkpoints, names[c]);
        kz_model *model = kzt_open(names[c], NULL);
        size_t files = json_array_size(cases);
        double worst[2] = {0, 0};
        assert_int_equal(json_array_size(want), files + json_array_size(lossy));
        for (size_t i = 0; i < json_array_size(want); i++) {
            bool exact = i < files;
            kz_audio *sound = exact ? read_case(json_array_get(cases, i))
                                    : read_lossy(json_array_get(lossy, i - files));
            double off = check_voice(model, sound, json_array_get(want, i), exact);
            worst[!exact] = fmax(worst[!exact], off);
            kz_audio_free(sound);
        }
        printf("%s: vectors within %.1e, of lossy files %.1e\n", names[c], worst[0], worst[1]);
        assert_true(worst[0] <= 1e-4 && worst[1] <= 1e-3);
        kz_model_free(model);
    }
    json_decref(audio);
    json_decref(voices);
}

/* ---- other programs' files ---------------------------------------------------------------- */

static bool program(const char *name) {
    char command[128];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
    if (system(command) == 0) return true;
    printf("skipped: %s is not there, so that no file of its own was read\n", name);
    return false;
}

/* Runs a command in the folder, where in.wav is. */
static void run(const char *command) {
    char whole[1024];
    snprintf(whole, sizeof whole, "cd %s && { %s; } >log 2>&1", folder, command);
    if (system(whole) != 0) fail_msg("%s fails", command);
}

/* Decibels of the signal over the difference, at the recording's own rate. */
static double quality(const char *name, const double *wanted, size_t frames, int channels,
                      double *lead) {
    char *path = kzt_path(folder, name);
    char error[512] = "";
    kz_audio *audio = NULL;
    kz_audio_options options;
    kz_audio_options_init(&options);
    options.rate = 44100;
    kz_status status = kz_audio_read_file(path, &options, &audio, error, sizeof error);
    if (status != KZ_OK) fail_msg("status %d: %s", (int)status, error);
    size_t count = 0;
    const float *got = kz_audio_samples(audio, &count);
    *lead = (double)count - (double)frames;
    double signal = 0;
    double noise = 0;
    for (size_t i = 0; i < frames && i < count; i++) {
        double mean = 0;
        for (int c = 0; c < channels; c++) {
            mean += wanted[i * (size_t)channels + (size_t)c] / channels;
        }
        signal += mean * mean;
        noise += (mean - (double)got[i]) * (mean - (double)got[i]);
    }
    printf("%s: %s, %+.0f samples, %.1f dB\n", name, info_of(audio).format, *lead,
           10 * log10(signal / (noise + 1e-30)));
    kz_audio_free(audio);
    free(path);
    return 10 * log10(signal / (noise + 1e-30));
}

static const struct {
    const char *program, *command, *name;
    double least; /* decibels */
    double longer; /* samples at the end that are allowed */
} encoders[] = {
    {"flac", "flac -s -f in.wav -o a.flac", "a.flac", 200, 0},
    {"flac", "cat in.wav | flac -s -c - >b.flac", "b.flac", 200, 0},
    {"oggenc", "oggenc -Q -q 8 in.wav -o a.ogg", "a.ogg", 20, 0},
    {"opusenc", "opusenc --quiet --bitrate 256 in.wav a.opus", "a.opus", 20, 1},
    {"lame", "lame --quiet -b 256 in.wav a.mp3", "a.mp3", 20, 0},
    {"sox", "sox in.wav a.w64", "a.w64", 200, 0},
    {"sox", "sox in.wav a.aiff", "a.aiff", 200, 0},
    {"sox", "sox in.wav a.au", "a.au", 200, 0},
    {"sox", "sox in.wav a.caf", "a.caf", 200, 0},
    {"sox", "sox in.wav -t wav - | cat >p.wav", "p.wav", 200, 0},
    {"sox", "sox in.wav -e ms-adpcm ms.wav", "ms.wav", 20, 3000},
    {"sox", "sox in.wav -e ima-adpcm ima.wav", "ima.wav", 20, 3000},
    {"sox", "sox in.wav -e a-law al.wav", "al.wav", 30, 0},
    {"sox", "sox in.wav -b 24 b24.wav", "b24.wav", 200, 0},
    {"sox", "sox in.wav -b 32 b32.wav", "b32.wav", 200, 0},
    {"sox", "sox in.wav -e float f32.wav", "f32.wav", 200, 0},
    {"sox", "sox in.wav -e float -b 64 f64.wav", "f64.wav", 200, 0},
    {"ffmpeg", "ffmpeg -v error -y -i in.wav -f wav - | cat >q.wav", "q.wav", 200, 0},
    {"ffmpeg", "ffmpeg -v error -y -i in.wav -rf64 always r.wav", "r.wav", 200, 0},
};

/* All rows of the programs in the list; skipped where one of them is not there. */
static void files_of(const char *programs) {
    const size_t frames = 60000;
    double *samples = malloc(2 * frames * sizeof *samples);
    size_t length = 0;
    bool missing = false;
    assert_non_null(samples);
    for (size_t i = 0; i < frames; i++) {
        double sweep = sin(0.02 * (double)i + 1e-6 * (double)i * (double)i);
        samples[2 * i] = nearbyint(16000 * sweep) / 32768;
        samples[2 * i + 1] = nearbyint(9000 * sweep) / 32768;
    }
    kzt_wav wav = {.bits = 16, .channels = 2, .rate = 44100, .format_bytes = 16};
    unsigned char *bytes = kzt_wav_bytes(&wav, samples, frames, &length);
    kzt_write(folder, "in.wav", bytes, length);
    free(bytes);
    for (size_t i = 0; i < sizeof encoders / sizeof *encoders; i++) {
        if (!strstr(programs, encoders[i].program)) continue;
        if (!program(encoders[i].program)) {
            missing = true;
            continue;
        }
        run(encoders[i].command);
        double lead = 0;
        double decibels = quality(encoders[i].name, samples, frames, 2, &lead);
        if (decibels < encoders[i].least || lead < 0 || lead > encoders[i].longer) {
            fail_msg("%s: %.1f dB, %+.0f samples", encoders[i].name, decibels, lead);
        }
    }
    free(samples);
    if (missing) skip();
}

static void test_files_of_encoders(void **state) {
    (void)state;
    files_of("flac oggenc opusenc lame");
}

static void test_files_of_sox(void **state) {
    (void)state;
    files_of("sox");
}

static void test_files_of_ffmpeg(void **state) {
    (void)state;
    files_of("ffmpeg");
}

/* ---- damage ------------------------------------------------------------------------------- */

/* Read with a notice or refused with a sentence, never both, nothing made up. */
static void try_damaged(const char *name, const unsigned char *bytes, size_t length,
                        size_t *read, size_t *told) {
    char error[512] = "";
    kz_audio *audio = NULL;
    kz_audio_options options;
    kz_audio_options_init(&options);
    kz_status status = kz_audio_read_memory(bytes, length, name, &options, &audio, error,
                                            sizeof error);
    if (status == KZ_OK) {
        ++*read;
        for (size_t i = 0; kz_audio_notice(audio, i); i++) {
            if (strstr(kz_audio_notice(audio, i), "is cut short or damaged: ")) ++*told;
        }
        kz_audio_free(audio);
    } else {
        assert_int_equal(status, KZ_ERR_INPUT);
        assert_null(audio);
        assert_non_null(strstr(error, name));
    }
}

static void test_cut_and_damaged_lossy_files(void **state) {
    (void)state;
    static const char *const names[] = {"recording.mp3", "recording.ogg", "recording.opus"};
    for (size_t n = 0; n < 3; n++) {
        char path[512];
        size_t length = 0;
        snprintf(path, sizeof path, "%s%s", DATA, names[n]);
        char *bytes = kzt_read(path, &length);
        size_t read = 0;
        size_t told = 0;
        for (size_t cut = 1; cut < length; cut += 1 + cut / 8) {
            try_damaged(names[n], (unsigned char *)bytes, cut, &read, &told);
        }
        for (size_t at = 0; at < length; at += 1 + at / 8) {
            bytes[at] = (char)(bytes[at] ^ 0x41);
            try_damaged(names[n], (unsigned char *)bytes, length, &read, &told);
            bytes[at] = (char)(bytes[at] ^ 0x41);
        }
        printf("%s: %zu read, %zu told\n", names[n], read, told);
        if (n == 0) assert_true(read > 0 && told > 0);
        free(bytes);
    }
}

/* A file of flac's that ends early. */
static void test_cut_flac_is_told(void **state) {
    (void)state;
    double samples[40000];
    size_t length = 0;
    if (!program("flac")) skip();
    for (size_t i = 0; i < 40000; i++) samples[i] = formula(8000, (long)i, 0);
    kzt_wav wav = {.bits = 16, .channels = 1, .rate = 8000, .format_bytes = 16};
    unsigned char *bytes = kzt_wav_bytes(&wav, samples, 40000, &length);
    kzt_write(folder, "in.wav", bytes, length);
    run("flac -s -f in.wav -o whole.flac && head -c 30000 whole.flac >cut.flac");
    free(bytes);
    char *path = kzt_path(folder, "cut.flac");
    char *flac = kzt_read(path, &length);
    kz_audio *audio = read_bytes((unsigned char *)flac, length, 0);
    assert_true(info_of(audio).source_frames > 8000 && info_of(audio).source_frames < 40000);
    assert_non_null(strstr(kz_audio_notice(audio, 0), "s of the 5.00 s in its header"));
    size_t count = 0;
    const float *got = kz_audio_samples(audio, &count);
    for (size_t i = 0; i < count; i++) {
        assert_true((double)got[i] == nearbyint(samples[i] * 32768) / 32768);
    }
    kz_audio_free(audio);
    free(flac);
    free(path);
}

static int begin(void **state) {
    (void)state;
    folder = kzt_tmpdir_make();
    return 0;
}

static int end(void **state) {
    (void)state;
    kzt_tmpdir_remove(folder);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_B136_bits_channels_and_tags),
        cmocka_unit_test(test_B138_odd_chunks_and_wrong_riff_sizes),
        cmocka_unit_test(test_B138_open_data_sizes),
        cmocka_unit_test(test_B138_data_larger_than_the_file),
        cmocka_unit_test(test_64_bit_sizes),
        cmocka_unit_test(test_A_law_and_mu_law),
        cmocka_unit_test(test_B103_equal_to_the_official_loader),
        cmocka_unit_test(test_lossy_files_equal_to_the_official_loader),
        cmocka_unit_test(test_voices_equal_to_the_official_package),
        cmocka_unit_test(test_files_of_encoders),
        cmocka_unit_test(test_files_of_sox),
        cmocka_unit_test(test_files_of_ffmpeg),
        cmocka_unit_test(test_cut_and_damaged_lossy_files),
        cmocka_unit_test(test_cut_flac_is_told),
    };
    return cmocka_run_group_tests(tests, begin, end);
}

#endif
