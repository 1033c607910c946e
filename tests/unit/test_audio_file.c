/* Reading recordings: where they come from, what is refused in which words, notices, facts,
 * trimming, failing memory. Formats are in test_audio_formats.c. */
#include "harness/counting_alloc.h"
#include "harness/tests.h"
#include "harness/tmpdir.h"
#include "harness/wav_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef KZ_HAVE_AUDIO

int main(void) {
    printf("skipped: this build is without libsndfile or libsoxr, so that it reads no "
           "recordings\n");
    return 77;
}

#else

#include <kazeia-audio.h>

static char *folder;

typedef struct file {
    unsigned char *bytes;
    size_t length;
} file;

/* A tone of 220 Hz in all channels. */
static file tone_file(const kzt_wav *wav, size_t frames, double size) {
    file f = {NULL, 0};
    size_t channels = (size_t)wav->channels;
    double *samples = malloc((frames * channels + 1) * sizeof *samples);
    assert_non_null(samples);
    for (size_t i = 0; i < frames * channels; i++) {
        size_t frame = i / channels;
        samples[i] = size * sin(2 * 3.14159265358979 * 220 * (double)frame / wav->rate);
    }
    f.bytes = kzt_wav_bytes(wav, samples, frames, &f.length);
    free(samples);
    return f;
}

static const kzt_wav plain = {.bits = 16, .channels = 1, .rate = 24000, .format_bytes = 16};

static kz_audio *read_with(const void *bytes, size_t length, const kz_audio_options *options) {
    char error[512] = "";
    kz_audio *audio = NULL;
    kz_status status = kz_audio_read_memory(bytes, length, "x.wav", options, &audio, error,
                                            sizeof error);
    if (status != KZ_OK) fail_msg("status %d: %s", (int)status, error);
    assert_non_null(audio);
    return audio;
}

/* The sentence holds both phrases, and the name. */
static void refuses_with(const void *bytes, size_t length, const kz_audio_options *options,
                         kz_status wanted, const char *first, const char *second) {
    char error[512] = "";
    kz_audio *audio = (kz_audio *)(void *)error;
    kz_status status = kz_audio_read_memory(bytes, length, "x.wav", options, &audio, error,
                                            sizeof error);
    if (status != wanted) fail_msg("status %d, not %d: %s", (int)status, (int)wanted, error);
    assert_null(audio);
    if (!strstr(error, first) || !strstr(error, second)) {
        fail_msg("'%s' has not '%s' and '%s'", error, first, second);
    }
    if (wanted == KZ_ERR_INPUT) assert_non_null(strstr(error, "'x.wav'"));
    assert_null(strchr(error, '\n'));
}

static void refuses(const void *bytes, size_t length, const char *first, const char *second) {
    refuses_with(bytes, length, NULL, KZ_ERR_INPUT, first, second);
}

static kz_audio_info info_of(const kz_audio *audio) {
    kz_audio_info info;
    info.size = sizeof info;
    assert_int_equal(kz_audio_get_info(audio, &info), KZ_OK);
    return info;
}

static void same(const kz_audio *a, const kz_audio *b) {
    size_t count_a = 0;
    size_t count_b = 0;
    const float *x = kz_audio_samples(a, &count_a);
    const float *y = kz_audio_samples(b, &count_b);
    assert_int_equal(count_a, count_b);
    assert_memory_equal(x, y, count_a * sizeof *x);
}

/* ---- where recordings come from ----------------------------------------------------------- */

typedef struct feed {
    const char *path;
    const file *f;
} feed;

static void *fill_pipe(void *user) {
    const feed *p = user;
    FILE *pipe = fopen(p->path, "wb");
    fwrite(p->f->bytes, 1, p->f->length, pipe);
    fclose(pipe);
    return NULL;
}

static void read_path(const char *path, const kz_audio *wanted) {
    char error[512] = "";
    kz_audio *audio = NULL;
    kz_status status = kz_audio_read_file(path, NULL, &audio, error, sizeof error);
    if (status != KZ_OK) fail_msg("%s", error);
    same(audio, wanted);
    kz_audio_free(audio);
}

static void read_fd(int fd, const kz_audio *wanted) {
    char error[512] = "";
    kz_audio *audio = NULL;
    kz_status status = kz_audio_read_descriptor(fd, NULL, NULL, &audio, error, sizeof error);
    if (status != KZ_OK) fail_msg("%s", error);
    same(audio, wanted);
    kz_audio_free(audio);
}

static void test_B104_paths_descriptors_and_buffers(void **state) {
    (void)state;
    kzt_wav wav = plain;
    wav.rate = 44100;
    wav.channels = 2;
    file f = tone_file(&wav, 60001, 0.5);
    kz_audio *audio = read_with(f.bytes, f.length, NULL);
    kzt_write(folder, "b104.wav", f.bytes, f.length);
    char *path = kzt_path(folder, "b104.wav");
    read_path(path, audio);
    /* A descriptor in the middle of a file; its position stays. */
    unsigned char *behind = malloc(f.length + 100);
    memset(behind, 0x55, 100);
    memcpy(behind + 100, f.bytes, f.length);
    kzt_write(folder, "behind", behind, f.length + 100);
    char *second = kzt_path(folder, "behind");
    int fd = open(second, O_RDONLY);
    assert_int_equal(lseek(fd, 100, SEEK_SET), 100);
    read_fd(fd, audio);
    assert_int_equal(lseek(fd, 0, SEEK_CUR), 100);
    /* Standard input. */
    int saved = dup(0);
    assert_int_equal(dup2(fd, 0), 0);
    read_fd(0, audio);
    assert_int_equal(dup2(saved, 0), 0);
    close(saved);
    close(fd);
    /* Pipes, by name and as descriptors. */
    char *fifo = kzt_path(folder, "b104.fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    for (int round = 0; round < 2; round++) {
        pthread_t thread;
        feed p = {fifo, &f};
        assert_int_equal(pthread_create(&thread, NULL, fill_pipe, &p), 0);
        if (round == 0) {
            read_path(fifo, audio);
        } else {
            fd = open(fifo, O_RDONLY);
            read_fd(fd, audio);
            close(fd);
        }
        pthread_join(thread, NULL);
    }
    kz_audio_free(audio);
    free(behind);
    free(f.bytes);
    free(path);
    free(second);
    free(fifo);
}

static void test_B104_samples_of_a_microphone(void **state) {
    (void)state;
    kzt_wav wav = {.code = KZT_WAV_FLOAT, .bits = 32, .channels = 3, .rate = 48000,
                   .format_bytes = 16};
    file f = tone_file(&wav, 50000, 0.5);
    float *samples = malloc(150000 * sizeof *samples);
    memcpy(samples, f.bytes + f.length - 150000 * sizeof *samples, 150000 * sizeof *samples);
    kz_audio *from_file = read_with(f.bytes, f.length, NULL);
    kz_audio *audio = NULL;
    char error[512] = "";
    assert_int_equal(kz_audio_read_samples(samples, 50000, 3, 48000, NULL, NULL, &audio, error,
                                           sizeof error), KZ_OK);
    same(audio, from_file);
    assert_string_equal(info_of(audio).format, "samples");
    kz_audio_free(audio);
    assert_int_equal(kz_audio_read_samples(samples, 50000, 0, 48000, NULL, NULL, &audio, error,
                                           sizeof error), KZ_ERR_INPUT);
    assert_non_null(strstr(error, "0 channels"));
    assert_int_equal(kz_audio_read_samples(NULL, 0, 1, 48000, "mic", NULL, &audio, error,
                                           sizeof error), KZ_ERR_INPUT);
    assert_string_equal(error, "'mic' holds no samples");
    assert_int_equal(kz_audio_read_samples(NULL, 1, 1, 48000, "mic", NULL, &audio, error,
                                           sizeof error), KZ_ERR_USAGE);
    kz_audio_free(from_file);
    free(samples);
    free(f.bytes);
}

/* ---- what is refused ---------------------------------------------------------------------- */

static void test_B104_foreign_kinds_are_named(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
        const char *name, *advice;
    } kinds[] = {
        {"\0\0\0\x1c" "ftypM4A \0\0\2\0", 16, "is M4A (AAC", "ffmpeg -i INPUT recording.wav"},
        {"\0\0\0\x1c" "ftypisom\0\0\2\0", 16, "MP4", "ffmpeg -i INPUT recording.wav"},
        {"\0\0\0\x14" "ftypqt  \0\0\2\0", 16, "QuickTime", "ffmpeg"},
        {"\x1a\x45\xdf\xa3\x9f\x42\x86\x81\1\x42\x82\x84webm", 16, "a WebM", "ffmpeg"},
        {"\x1a\x45\xdf\xa3\xa3\x42\x82\x88matroska", 16, "Matroska", "ffmpeg"},
        {"RIFF\0\1\0\0AVI LIST", 16, "AVI video", "ffmpeg"},
        {"\xff\xf1\x50\x80\x28\x3f\xfc\xde", 8, "AAC sound", "ffmpeg"},
        {"ID3\4\0\0\0\0\0\0\xff\xf1\x50\x80\x28\x3f", 16, "AAC sound", "ffmpeg"},
        {"OggS\0\2\0\0\0\0\0\0\0\0\1\2\3\4\0\0\0\0\5\6\7\x8\1\x50Speex   1.2", 40, "Speex",
         "ffmpeg"},
        {"\x30\x26\xb2\x75\x8e\x66\xcf\x11", 8, "WMA", "ffmpeg"},
        {"#!AMR\nxxx", 9, "AMR", "ffmpeg"},
        {"GIF89a\1\0\1\0", 10, "no recording, but a GIF picture", ""},
        {"\x89PNG\r\n\x1a\n", 8, "PNG picture", ""},
        {"\xff\xd8\xff\xe0\0\x10JFIF", 10, "JPEG picture", ""},
        {"PK\3\4\24\0", 6, "ZIP archive", "unpack"},
        {"%PDF-1.7\n", 9, "PDF", ""},
        {"<!DOCTYPE html><html>", 21, "a web page", ""},
        {"version https://git-lfs.github.com/spec/v1\n", 43, "Git LFS pointer", ""},
        {"Hello, I am the transcript.\n", 28, "but a text", ""},
        {"MThd\0\0\0\6\0\1", 10, "MIDI", ""},
        {"\1\2\3\4\5\6\7\x8\x9", 9, "(its 9 bytes begin with 01 02 03 04 05 06 07 08)", "FLAC"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        refuses(kinds[i].bytes, kinds[i].length, kinds[i].name, kinds[i].advice);
    }
}

/* As ffmpeg makes them. */
static void test_B104_foreign_files_of_ffmpeg(void **state) {
    (void)state;
    static const char *const kinds[][2] = {
        {"a.m4a", "M4A"}, {"a.aac", "AAC"}, {"a.mp4", "MP4"}, {"a.mkv", "Matroska"},
        {"a.webm", "WebM"}, {"a.mov", "QuickTime"}, {"a.avi", "AVI"},
        {"a.ts", "transport stream"}, {"a.wma", "WMA"}, {"a.ac3", "AC-3"}, {"a.wv", "WavPack"},
        {"a.oga", "FLAC in an Ogg"}, {"a.gif", "GIF picture"}};
    if (system("command -v ffmpeg >/dev/null 2>&1") != 0) {
        printf("skipped: ffmpeg is not there, so that real files of other kinds went unread\n");
        skip();
    }
    bool missing = false;
    file f = tone_file(&plain, 24000, 0.5);
    kzt_write(folder, "a.wav", f.bytes, f.length);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char command[512];
        const char *codec = !strcmp(kinds[i][0], "a.oga") ? "-c:a flac" : "";
        const char *input = strstr(kinds[i][0], "gif") ? "-f lavfi -i testsrc=d=1:s=64x64:r=5"
                                                       : "-i a.wav";
        snprintf(command, sizeof command, "cd %s && ffmpeg -v error -y %s %s %s 2>/dev/null",
                 folder, input, codec, kinds[i][0]);
        if (system(command) != 0) {
            printf("skipped: this ffmpeg does not write %s, which went unread\n", kinds[i][0]);
            missing = true;
            continue;
        }
        size_t length = 0;
        char *path = kzt_path(folder, kinds[i][0]);
        char *bytes = kzt_read(path, &length);
        refuses(bytes, length, kinds[i][1], "");
        free(bytes);
        free(path);
    }
    free(f.bytes);
    if (missing) skip();
}

static void test_paths_that_are_no_files(void **state) {
    (void)state;
    char error[512] = "";
    kz_audio *audio = NULL;
    char *absent = kzt_path(folder, "absent.wav");
    assert_int_equal(kz_audio_read_file(absent, NULL, &audio, error, sizeof error), KZ_ERR_INPUT);
    assert_non_null(strstr(error, absent));
    assert_non_null(strstr(error, "No such file"));
    assert_int_equal(kz_audio_read_file(folder, NULL, &audio, error, sizeof error), KZ_ERR_INPUT);
    assert_non_null(strstr(error, "is a folder"));
    assert_int_equal(kz_audio_read_file("", NULL, &audio, error, sizeof error), KZ_ERR_USAGE);
    assert_int_equal(kz_audio_read_file(NULL, NULL, &audio, error, sizeof error), KZ_ERR_USAGE);
    assert_int_equal(kz_audio_read_descriptor(-1, NULL, NULL, &audio, error, sizeof error),
                     KZ_ERR_INPUT);
    assert_non_null(strstr(error, "descriptor -1"));
    assert_int_equal(kz_audio_read_file("/dev/null", NULL, &audio, error, sizeof error),
                     KZ_ERR_INPUT);
    assert_non_null(strstr(error, "is empty (0 bytes)"));
    free(absent);
}

static void test_empty_and_cut_files(void **state) {
    (void)state;
    refuses("", 0, "is empty", "0 bytes");
    refuses(NULL, 0, "is empty", "0 bytes");
    file f = tone_file(&plain, 1000, 0.5);
    for (size_t length = 1; length < 44; length++) {
        char error[512] = "";
        kz_audio *audio = NULL;
        assert_int_equal(kz_audio_read_memory(f.bytes, length, "x", NULL, &audio, error,
                                              sizeof error), KZ_ERR_INPUT);
        assert_null(audio);
        assert_true(error[0]);
    }
    refuses(f.bytes, 40, "without a data chunk in its 40 bytes", "");
    refuses(f.bytes, 44, "holds no samples", "");
    free(f.bytes);
    /* Truly empty; no data chunk (B138); nothing but a chunk behind. */
    f = tone_file(&plain, 0, 0);
    refuses(f.bytes, f.length, "holds no samples", "");
    free(f.bytes);
    kzt_wav wav = plain;
    wav.no_data = true;
    wav.list_bytes = 27;
    f = tone_file(&wav, 0, 0);
    refuses(f.bytes, f.length, "without a data chunk", "");
    free(f.bytes);
    wav = plain;
    wav.tail_bytes = 26;
    f = tone_file(&wav, 0, 0);
    refuses(f.bytes, f.length, "holds no samples", "");
    free(f.bytes);
}

static void test_silent_files(void **state) {
    (void)state;
    file f = tone_file(&plain, 24000, 0);
    refuses(f.bytes, f.length, "is silent", "is 0 of full scale, over 1.00 s");
    free(f.bytes);
    f = tone_file(&plain, 24000, 2.0 / 32768);
    refuses(f.bytes, f.length, "is silent", "6.1e-05 of full scale");
    free(f.bytes);
    float cancel[2000];
    for (int i = 0; i < 1000; i++) cancel[2 * i] = -(cancel[2 * i + 1] = (float)(i % 50) / 100);
    char error[512] = "";
    kz_audio *audio = NULL;
    assert_int_equal(kz_audio_read_samples(cancel, 1000, 2, 24000, NULL, NULL, &audio, error,
                                           sizeof error), KZ_ERR_INPUT);
    assert_non_null(strstr(error, "2 channels are averaged: they reach 0.49"));
}

static void test_values_that_are_no_sound(void **state) {
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3; i++) {
        double samples[9000];
        for (int k = 0; k < 9000; k++) samples[k] = 0.5 * sin(k * 0.1);
        samples[8001] = bad[i];
        kzt_wav wav = {.code = KZT_WAV_FLOAT, .bits = 32, .channels = 2, .rate = 8000,
                       .format_bytes = 16};
        file f = {NULL, 0};
        f.bytes = kzt_wav_bytes(&wav, samples, 4500, &f.length);
        refuses(f.bytes, f.length, "not a number, or infinite", "frame 4000 (0.500 s)");
        free(f.bytes);
    }
    kzt_wav wav = {.code = KZT_WAV_FLOAT, .bits = 32, .channels = 1, .rate = 8000,
                   .format_bytes = 16};
    file f = tone_file(&wav, 8000, 20000);
    refuses(f.bytes, f.length, "samples up to 20000", "1 is full scale");
    free(f.bytes);
}

static void test_rates(void **state) {
    (void)state;
    static const int bad[] = {1, 999, 768001, 2000000000};
    static const int good[] = {1000, 7999, 11025, 24001, 96000, 192000, 768000};
    char phrase[64];
    kzt_wav wav = plain;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        wav.rate = bad[i];
        file f = tone_file(&wav, 1000, 0.5);
        snprintf(phrase, sizeof phrase, "a rate of %d Hz", bad[i]);
        refuses(f.bytes, f.length, phrase, "1000 to 768000");
        free(f.bytes);
    }
    /* B103: the sound is the same one, whatever the rate. */
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        wav.rate = good[i];
        file f = tone_file(&wav, (size_t)good[i], 0.5);
        kz_audio *audio = read_with(f.bytes, f.length, NULL);
        size_t count = 0;
        const float *got = kz_audio_samples(audio, &count);
        /* librosa's rounding: now and then one more than there should be */
        assert_int_equal(count, (size_t)ceil(good[i] * (24000.0 / good[i])));
        for (size_t k = 3000; k < 21000; k++) {
            double wanted = 0.5 * sin(2 * 3.14159265358979 * 220 * (double)k / 24000);
            if (fabs((double)got[k] - wanted) > 1e-4) {
                fail_msg("%d Hz: sample %zu is %g, not %g", good[i], k, (double)got[k], wanted);
            }
        }
        kz_audio_free(audio);
        free(f.bytes);
    }
}

/* B105, B106: any length from one sample, around frames of the codec and windows; the length is
 * librosa's. */
static void test_B105_B106_short_lengths(void **state) {
    (void)state;
    static const int rates[] = {24000, 44100, 8000};
    static const size_t lengths[] = {1, 2, 239, 240, 241, 383, 384, 385, 1919, 1920, 1921, 7200};
    for (size_t r = 0; r < 3; r++) {
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            float samples[7200];
            for (int k = 0; k < 7200; k++) samples[k] = k % 9 < 4 ? 0.3f : -0.2f;
            char error[512] = "";
            kz_audio *audio = NULL;
            kz_audio_options options;
            kz_audio_options_init(&options);
            options.trim = (int)(i & 1);
            assert_int_equal(kz_audio_read_samples(samples, lengths[i], 1, rates[r], "x", &options,
                                                   &audio, error, sizeof error), KZ_OK);
            size_t count = 0;
            kz_audio_samples(audio, &count);
            double wanted = ceil((double)lengths[i] * (24000.0 / rates[r]));
            assert_int_equal(count, (size_t)wanted);
            assert_int_equal(info_of(audio).notices, 1);
            assert_non_null(strstr(kz_audio_notice(audio, 0), " s of sound, which is little"));
            kz_audio_free(audio);
        }
    }
}

/* B108: memory is that of what is kept, a notice over 60 s, an error over the limit. */
static void test_B108_long_recordings(void **state) {
    (void)state;
    kzt_counter counter = {0};
    kz_allocator allocator = kzt_counting_allocator(&counter);
    kz_audio_options options;
    kz_audio_options_init(&options);
    options.allocator = &allocator;
    kzt_wav wav = {.bits = 8, .channels = 2, .rate = 8000, .format_bytes = 16};
    static const size_t seconds[] = {30, 61, 600};
    for (size_t i = 0; i < 3; i++) {
        file f = tone_file(&wav, seconds[i] * 8000, 0.5);
        kz_audio *audio = read_with(f.bytes, f.length, &options);
        assert_int_equal(info_of(audio).notices, seconds[i] > 60);
        size_t kept = seconds[i] * 24000 * sizeof(float);
        if (counter.peak > 3 * kept + 1000000) fail_msg("%zu bytes", (size_t)counter.peak);
        if (seconds[i] == 61) assert_non_null(strstr(kz_audio_notice(audio, 0), "61.00 s"));
        kz_audio_free(audio);
        assert_int_equal(counter.bytes, 0);
        free(f.bytes);
    }
    file f = tone_file(&wav, 600 * 8000 + 1, 0.5);
    refuses_with(f.bytes, f.length, &options, KZ_ERR_INPUT, "600.00 s long",
                 "at most 600.00 s are read");
    options.max_seconds = 0;
    kz_audio_free(read_with(f.bytes, f.length, &options));
    options.max_seconds = 2.5;
    refuses_with(f.bytes, f.length, &options, KZ_ERR_INPUT, "600.00 s long", "2.50 s");
    assert_int_equal(counter.bytes, 0);
    free(f.bytes);
}

static void test_option_values(void **state) {
    (void)state;
    file f = tone_file(&plain, 24000, 0.5);
    kz_audio_options options;
#define BAD(member, value, phrase) \
    kz_audio_options_init(&options); \
    options.member = value; \
    refuses_with(f.bytes, f.length, &options, KZ_ERR_USAGE, phrase, "");
    BAD(rate, 999, "a rate of 999 Hz")
    BAD(rate, -2, "a rate of -2 Hz")
    BAD(rate, 768001, "a rate of 768001 Hz")
    BAD(trim, 2, "trim is 0 or 1, not 2")
    BAD(silence_db, 0, "silence_db")
    BAD(silence_db, NAN, "silence_db")
    BAD(max_seconds, -1, "max_seconds")
    BAD(max_seconds, INFINITY, "max_seconds")
    BAD(size, 0, "kz_audio_options of 0 bytes")
#undef BAD
    assert_int_equal(kz_audio_read_memory(f.bytes, f.length, NULL, NULL, NULL, NULL, 0),
                     KZ_ERR_USAGE);
    kz_audio *audio = read_with(f.bytes, f.length, NULL);
    kz_audio_info info;
    info.size = 0;
    assert_int_equal(kz_audio_get_info(audio, &info), KZ_ERR_USAGE);
    assert_int_equal(kz_audio_get_info(audio, NULL), KZ_ERR_USAGE);
    kz_audio_free(audio);
    kz_audio_free(NULL);
    free(f.bytes);
}

/* ---- facts -------------------------------------------------------------------------------- */

static void test_levels_and_clipping(void **state) {
    (void)state;
    kzt_wav wav = plain;
    wav.channels = 2;
    wav.rate = 16000;
    file f = tone_file(&wav, 32000, 0.5);
    kz_audio *audio = read_with(f.bytes, f.length, NULL);
    kz_audio_info info = info_of(audio);
    assert_true(fabs(info.peak - 0.5) < 1e-3);
    assert_true(fabs(info.rms - 0.5 / sqrt(2)) < 1e-3);
    assert_true(info.clipped == 0 && info.notices == 0);
    assert_int_equal(info.source_rate, 16000);
    assert_int_equal(info.rate, 24000);
    assert_true(info.source_seconds == 2 && info.seconds == 2);
    assert_string_equal(info.format, "WAV, Signed 16 bit PCM");
    kz_audio_free(audio);
    free(f.bytes);
    static const int bits[] = {8, 16, 24};
    for (size_t i = 0; i < 3; i++) {
        wav.bits = bits[i];
        f = tone_file(&wav, 32000, 2); /* beyond 1 for two thirds of the time */
        audio = read_with(f.bytes, f.length, NULL);
        if (fabs(info_of(audio).clipped - 2.0 / 3) > 0.01) {
            fail_msg("%d bits: %g", bits[i], info_of(audio).clipped);
        }
        assert_non_null(strstr(kz_audio_notice(audio, 0), "is clipped: 6"));
        kz_audio_free(audio);
        free(f.bytes);
    }
    wav.bits = 16;
    f = tone_file(&wav, 32000, 0.005);
    audio = read_with(f.bytes, f.length, NULL);
    assert_non_null(strstr(kz_audio_notice(audio, 0), "0.0050 of full scale (-46 dB)"));
    kz_audio_free(audio);
    free(f.bytes);
}

/* 1.234 s of silence, 2 s of sound, 0.5 s of noise 60 dB below. */
static void test_silence_and_trimming(void **state) {
    (void)state;
    static double samples[89616];
    for (size_t i = 0; i < 89616; i++) {
        double wave = 0.5 * sin((double)i * 0.3);
        samples[i] = i < 29616 ? 0 : i < 77616 ? wave : wave / 1000;
    }
    size_t length = 0;
    unsigned char *bytes = kzt_wav_bytes(&plain, samples, 89616, &length);
    kz_audio *whole = read_with(bytes, length, NULL);
    kz_audio_info info = info_of(whole);
    assert_true(fabs(info.silence_before - 1.234) < 0.0101);
    assert_true(fabs(info.silence_after - 0.5) < 0.0101);
    assert_true(info.seconds == info.source_seconds);
    kz_audio_options options;
    kz_audio_options_init(&options);
    options.trim = 1;
    kz_audio *trimmed = read_with(bytes, length, &options);
    kz_audio_info after = info_of(trimmed);
    assert_true(after.silence_before == info.silence_before);
    assert_true(fabs(after.seconds - 2.1) < 0.0201);
    size_t count = 0;
    const float *x = kz_audio_samples(trimmed, &count);
    const float *y = kz_audio_samples(whole, NULL);
    size_t first = (size_t)nearbyint((info.silence_before - 0.05) * 24000);
    assert_memory_equal(x, y + first, count * sizeof *x);
    kz_audio_free(trimmed);
    options.silence_db = 80; /* the noise is sound then */
    trimmed = read_with(bytes, length, &options);
    assert_true(info_of(trimmed).silence_after == 0);
    assert_true(fabs(info_of(trimmed).seconds - 2.55) < 0.0101);
    kz_audio_free(trimmed);
    kz_audio_free(whole);
    free(bytes);
}

static void test_other_rates_wanted(void **state) {
    (void)state;
    file f = tone_file(&plain, 48000, 0.5);
    static const int rates[] = {1000, 8000, 16000, 24000, 44100, 768000};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        kz_audio_options options;
        kz_audio_options_init(&options);
        options.rate = rates[i];
        kz_audio *audio = read_with(f.bytes, f.length, &options);
        size_t count = 0;
        kz_audio_samples(audio, &count);
        assert_int_equal(count, 2 * rates[i]);
        assert_int_equal(info_of(audio).rate, rates[i]);
        kz_audio_free(audio);
    }
    free(f.bytes);
}

/* ---- failing memory ----------------------------------------------------------------------- */

static void test_every_allocation_fails(void **state) {
    (void)state;
    kzt_wav wav = plain;
    wav.rate = 16000;
    wav.channels = 2;
    file f = tone_file(&wav, 60000, 0.5);
    kzt_write(folder, "memory.wav", f.bytes, f.length);
    char *path = kzt_path(folder, "memory.wav");
    char command[300];
    snprintf(command, sizeof command, "cat %s", path);
    for (int way = 0; way < 2; way++) {
        size_t failures = 0;
        for (size_t from = 1;; from++) {
            kzt_counter counter = {.fail_from = from, .fail_once = true};
            kz_allocator allocator = kzt_counting_allocator(&counter);
            kz_audio_options options;
            kz_audio *audio = NULL;
            char error[512] = "";
            kz_audio_options_init(&options);
            options.allocator = &allocator;
            FILE *pipe = way ? popen(command, "r") : NULL;
            kz_status status =
                way ? kz_audio_read_descriptor(fileno(pipe), "p", &options, &audio, error, 512)
                    : kz_audio_read_file(path, &options, &audio, error, 512);
            if (pipe) pclose(pipe);
            if (status == KZ_OK) kz_audio_free(audio);
            assert_int_equal(counter.blocks, 0);
            if (status == KZ_OK) break;
            assert_int_equal(status, KZ_ERR_MEMORY);
            assert_string_equal(error, "out of memory");
            failures++;
        }
        assert_true(failures >= 4);
    }
    free(path);
    free(f.bytes);
}

static void test_versions(void **state) {
    (void)state;
    assert_string_equal(kz_audio_version(), kz_version());
    assert_non_null(strstr(kz_audio_library(0), "sndfile"));
    assert_non_null(strstr(kz_audio_library(1), "soxr"));
    assert_null(kz_audio_library(2));
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
        cmocka_unit_test(test_B104_paths_descriptors_and_buffers),
        cmocka_unit_test(test_B104_samples_of_a_microphone),
        cmocka_unit_test(test_B104_foreign_kinds_are_named),
        cmocka_unit_test(test_B104_foreign_files_of_ffmpeg),
        cmocka_unit_test(test_paths_that_are_no_files),
        cmocka_unit_test(test_empty_and_cut_files),
        cmocka_unit_test(test_silent_files),
        cmocka_unit_test(test_values_that_are_no_sound),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_B105_B106_short_lengths),
        cmocka_unit_test(test_B108_long_recordings),
        cmocka_unit_test(test_option_values),
        cmocka_unit_test(test_levels_and_clipping),
        cmocka_unit_test(test_silence_and_trimming),
        cmocka_unit_test(test_other_rates_wanted),
        cmocka_unit_test(test_every_allocation_fails),
        cmocka_unit_test(test_versions),
    };
    return cmocka_run_group_tests(tests, begin, end);
}

#endif
