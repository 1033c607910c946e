/* Compressed sound files, as their containers describe them: read by readers written from the
 * descriptions of FLAC, Ogg, Opus, Vorbis and the LAME tag. Whether they decode to what was written
 * is for tests/cli/test_formats.sh. */
#include "cli/cli.h"
#include "common/sound_file.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define FILE_MAX (1 << 20)

static kz__mem mem;
static char folder[] = "/tmp/kazeia-test-XXXXXX";
static unsigned char bytes[FILE_MAX];
static const kz__format coded[] = {KZ__FORMAT_FLAC, KZ__FORMAT_OGG, KZ__FORMAT_OPUS,
                                   KZ__FORMAT_MP3};

/* ---- readers ------------------------------------------------------------------------------ */

typedef struct view {
    uint64_t samples;
    unsigned rate, bits;
} view;

static uint64_t little(const unsigned char *at, size_t count) {
    uint64_t value = 0;
    while (count-- > 0) value = value << 8 | at[count];
    return value;
}

static uint64_t big(const unsigned char *at, size_t count) {
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++) value = value << 8 | at[i];
    return value;
}

/* The first block is STREAMINFO. */
static void read_flac(size_t length, view *v) {
    assert_true(length > 42);
    assert_memory_equal(bytes, "fLaC", 4);
    assert_int_equal(bytes[4] & 0x7f, 0);
    assert_int_equal(big(bytes + 5, 3), 34);
    uint64_t word = big(bytes + 18, 8);
    v->rate = (unsigned)(word >> 44);
    assert_int_equal(word >> 41 & 7, 0); /* one channel */
    v->bits = (unsigned)(word >> 36 & 31) + 1;
    v->samples = word & 0xfffffffff;
    assert_true(big(bytes + 26, 8) || big(bytes + 34, 8)); /* MD5 of the samples */
}

/* A table as the description of Ogg has it; the writer goes bit by bit. */
static uint32_t ogg_checksum(size_t at, size_t length) {
    static uint32_t table[256];
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t r = i << 24;
        for (int bit = 0; bit < 8; bit++) r = r & 0x80000000u ? r << 1 ^ 0x04c11db7u : r << 1;
        table[i] = r;
    }
    uint32_t crc = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = i >= 22 && i < 26 ? 0 : bytes[at + i];
        crc = crc << 8 ^ table[(crc >> 24 & 0xff) ^ byte];
    }
    return crc;
}

/* Page after page, without a gap, whole, one stream, an end at the end. */
static void read_ogg(size_t length, bool opus, view *v) {
    size_t at = 0;
    uint64_t number = 0;
    uint64_t position = 0;
    unsigned flags = 0;
    while (at < length) {
        assert_true(at + 27 <= length);
        assert_memory_equal(bytes + at, "OggS", 4);
        flags = bytes[at + 5];
        assert_int_equal(flags & 2, at == 0 ? 2 : 0);
        assert_int_equal(little(bytes + at + 14, 4), little(bytes + 14, 4));
        assert_int_equal(little(bytes + at + 18, 4), number++);
        assert_true(little(bytes + at + 6, 8) >= position);
        position = little(bytes + at + 6, 8);
        size_t segments = bytes[at + 26];
        size_t size = 27 + segments;
        for (size_t i = 0; i < segments; i++) size += bytes[at + 27 + i];
        assert_true(at + size <= length);
        assert_int_equal(ogg_checksum(at, size), little(bytes + at + 22, 4));
        at += size;
    }
    assert_int_equal(flags & 4, 4);
    const unsigned char *head = bytes + 28;
    if (opus) {
        assert_memory_equal(head, "OpusHead", 8);
        assert_int_equal(head[9], 1);
        v->rate = (unsigned)little(head + 12, 4);
        position -= little(head + 10, 2);
        assert_int_equal(position % (48000 / v->rate), 0);
        v->samples = position / (48000 / v->rate);
    } else {
        assert_memory_equal(head, "\1vorbis", 7);
        assert_int_equal(head[11], 1);
        v->rate = (unsigned)little(head + 12, 4);
        v->samples = position;
    }
}

/* The first frame holds the tag: how many frames follow, and what to leave out of them. */
static void read_mp3(size_t length, view *v) {
    static const unsigned rates[] = {44100, 48000, 32000};
    assert_true(length > 200);
    assert_int_equal(bytes[0], 0xff);
    unsigned version = bytes[1] >> 3 & 3; /* 3: MPEG-1, 2: MPEG-2, 0: MPEG-2.5 */
    assert_int_equal(bytes[1] >> 1 & 3, 1); /* layer III */
    assert_int_equal(bytes[3] >> 6, 3);     /* one channel */
    v->rate = rates[bytes[2] >> 2 & 3] / (version == 3 ? 1 : version == 2 ? 2 : 4);
    const unsigned char *tag = bytes + (version == 3 ? 21 : 13);
    assert_memory_equal(tag, "Xing", 4);
    uint64_t frames = big(tag + 8, 4);
    uint64_t cut = big(tag + 141, 3);
    assert_int_equal(big(tag + 12, 4), length);
    assert_memory_equal(tag + 120, "LAME", 4);
    v->samples = frames * (version == 3 ? 1152 : 576) - (cut >> 12) - (cut & 0xfff);
}

static view read_any(kz__format format, size_t length) {
    view v = {0, 0, 0};
    switch (format) {
    case KZ__FORMAT_FLAC: read_flac(length, &v); break;
    case KZ__FORMAT_OGG: read_ogg(length, false, &v); break;
    case KZ__FORMAT_OPUS: read_ogg(length, true, &v); break;
    case KZ__FORMAT_MP3: read_mp3(length, &v); break;
    case KZ__FORMAT_WAV:
    case KZ__FORMAT_RAW:
    case KZ__FORMATS: fail();
    }
    return v;
}

/* ---- writing ------------------------------------------------------------------------------ */

static void path_of(char path[256], const char *name) {
    snprintf(path, 256, "%s/%s", folder, name);
}

static size_t load(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t length = fread(bytes, 1, FILE_MAX, file);
    fclose(file);
    assert_true(length < FILE_MAX);
    return length;
}

static kz_status put(kz__sound_file *file, size_t count, kz__err *err) {
    static float samples[700];
    kz_status status = KZ_OK;
    for (size_t at = 0; at < count && status == KZ_OK;) {
        size_t take = count - at < 700 ? count - at : 700;
        for (size_t i = 0; i < take; i++) {
            samples[i] = (float)(0.8 * sin(0.05 * (double)(at + i)) +
                                 0.1 * ((double)((at + i) * 7919 % 101) / 50 - 1));
        }
        status = kz__sound_file_write(file, samples, take, err);
        at += take;
    }
    return status;
}

static void write_sound(const char *path, kz__format format, kz__bits bits, int rate,
                        size_t count) {
    kz__sound_file file;
    kz__err err = {""};
    if (kz__sound_file_open(&file, &mem, path, format, bits, rate, &err) != KZ_OK ||
        put(&file, count, &err) != KZ_OK || kz__sound_file_commit(&file, &err) != KZ_OK) {
        fail_msg("%s, %d Hz, %zu samples: %s", kz__format_name(format), rate, count, err.text);
    }
}

static int entries(void) {
    char command[300];
    int count = 0;
    snprintf(command, sizeof command, "ls -A %s | wc -l", folder);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_int_equal(fscanf(pipe, "%d", &count), 1);
    pclose(pipe);
    return count;
}

static void need_coder(void) {
    if (kz__coder_library()) return;
    printf("skipped: this build is without libsndfile\n");
    skip();
}

#define EACH_CODED(format) \
    for (size_t f_ = 0; f_ < sizeof coded / sizeof *coded; f_++) \
        for (kz__format format = coded[f_], *o_ = &format; o_ && kz__format_there(format); \
             o_ = NULL)

/* ---- tests -------------------------------------------------------------------------------- */

static void test_names_and_endings(void **state) {
    (void)state;
    kz__format format = KZ__FORMATS;
    const kz__option *o = kz__args_find(&kz__option_table, KZ__SAY, "format");
    char choices[64] = "";
    for (int i = 0; i < KZ__FORMATS; i++) {
        const char *name = kz__format_name((kz__format)i);
        assert_true(kz__format_named(name, &format));
        assert_int_equal(format, i);
        snprintf(choices + strlen(choices), sizeof choices - strlen(choices), "%s%s",
                 i ? "|" : "", name);
    }
    assert_string_equal(choices, o->choices);
    assert_true(kz__format_of_path("a.b/x.OpUs", &format));
    assert_int_equal(format, KZ__FORMAT_OPUS);
    static const char *const none[] = {"", "wav", ".wav", "a/.mp3", "x.wav/", "x.wave", "x.mp3 ",
                                       "a.flac/x", "x."};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        if (kz__format_of_path(none[i], &format)) fail_msg("'%s' has an ending", none[i]);
    }
    assert_false(kz__format_takes_bits(KZ__FORMAT_FLAC, KZ__BITS_32F));
    assert_false(kz__format_takes_bits(KZ__FORMAT_OPUS, KZ__BITS_16));
    assert_true(kz__format_takes_bits(KZ__FORMAT_RAW, KZ__BITS_32F));
}

/* Frames as they are, and lengths around packets of 20 ms, blocks and frames of the codecs. */
static void test_B124_lengths_are_exact(void **state) {
    (void)state;
    static const size_t lengths[] = {1,    2,    95,   96,   324,  325,  479,  480,   481,  1151,
                                     1920, 2400, 2401, 3840, 4095, 4097, 4799, 12347, 23999, 100003,
                                     480000};
    char path[256];
    need_coder();
    EACH_CODED(format) {
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            path_of(path, "length");
            write_sound(path, format, KZ__BITS_16, 24000, lengths[i]);
            view v = read_any(format, load(path));
            if (v.samples != lengths[i] || v.rate != 24000) {
                fail_msg("%s: %llu samples at %u Hz, not %zu at 24000", kz__format_name(format),
                         (unsigned long long)v.samples, v.rate, lengths[i]);
            }
        }
    }
}

/* What a format takes is written with that rate, what it does not take is refused. */
static void test_B127_the_rate_is_the_one_given(void **state) {
    (void)state;
    static const int rates[] = {1000,  8000,  11025, 12000, 16000,  20000,  22050,
                                24000, 32000, 44100, 48000, 96000, 200000, 384000};
    char path[256];
    need_coder();
    EACH_CODED(format) {
        for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
            kz__sound_file file;
            kz__err err = {""};
            path_of(path, "rate");
            if (kz__format_takes_rate(format, rates[i])) {
                write_sound(path, format, KZ__BITS_16, rates[i], 12345);
                view v = read_any(format, load(path));
                assert_int_equal(v.rate, rates[i]);
                assert_int_equal(v.samples, 12345);
                continue;
            }
            int before = entries();
            assert_int_equal(kz__sound_file_open(&file, &mem, path, format, KZ__BITS_16, rates[i],
                                                 &err), KZ_ERR_USAGE);
            assert_non_null(strstr(err.text, ".wav .raw .flac"));
            assert_int_equal(entries(), before);
        }
    }
}

static void test_bits_of_flac(void **state) {
    (void)state;
    char path[256];
    need_coder();
    path_of(path, "bits.flac");
    write_sound(path, KZ__FORMAT_FLAC, KZ__BITS_16, 24000, 5000);
    assert_int_equal(read_any(KZ__FORMAT_FLAC, load(path)).bits, 16);
    write_sound(path, KZ__FORMAT_FLAC, KZ__BITS_24, 24000, 5000);
    assert_int_equal(read_any(KZ__FORMAT_FLAC, load(path)).bits, 24);
}

/* Ogg holds a sound of no length, the others are refused rather than written as no file. */
static void test_empty_sound(void **state) {
    (void)state;
    char path[256];
    need_coder();
    EACH_CODED(format) {
        kz__sound_file file;
        kz__err err = {""};
        path_of(path, "empty");
        unlink(path);
        int before = entries();
        assert_int_equal(kz__sound_file_open(&file, &mem, path, format, KZ__BITS_16, 24000, &err),
                         KZ_OK);
        kz_status status = kz__sound_file_commit(&file, &err);
        if (format == KZ__FORMAT_OGG || format == KZ__FORMAT_OPUS) {
            assert_int_equal(status, KZ_OK);
            assert_int_equal(read_any(format, load(path)).samples, 0);
        } else {
            assert_int_equal(status, KZ_ERR_OUTPUT);
            assert_non_null(strstr(err.text, "empty"));
            assert_int_equal(entries(), before);
        }
    }
}

/* Nothing of the old file is lost, and nothing is left beside it. */
static void test_an_existing_file_survives(void **state) {
    (void)state;
    char path[256];
    need_coder();
    EACH_CODED(format) {
        kz__sound_file file;
        kz__err err = {""};
        path_of(path, "old");
        FILE *old = fopen(path, "w");
        assert_non_null(old);
        fputs("old", old);
        fclose(old);
        int before = entries();
        assert_int_equal(kz__sound_file_open(&file, &mem, path, format, KZ__BITS_16, 24000, &err),
                         KZ_OK);
        assert_int_equal(put(&file, 50000, &err), KZ_OK);
        assert_int_equal(load(path), 3);
        kz__sound_file_discard(&file);
        assert_int_equal(load(path), 3);
        assert_int_equal(entries(), before);
    }
}

/* A limit on the size of files stands for a full disk. */
static void test_B233_full_disk(void **state) {
    (void)state;
    char path[256];
    struct rlimit old;
    need_coder();
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    EACH_CODED(format) {
        kz__err err = {""};
        struct rlimit low = {2048, old.rlim_max};
        path_of(path, "full");
        unlink(path);
        int before = entries();
        kz__sound_file file;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
        kz_status status = kz__sound_file_open(&file, &mem, path, format, KZ__BITS_16, 24000, &err);
        assert_int_equal(status, KZ_OK);
        status = put(&file, 100000, &err);
        if (status == KZ_OK) {
            status = kz__sound_file_commit(&file, &err);
        } else {
            kz__sound_file_discard(&file);
        }
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
        assert_int_equal(status, KZ_ERR_OUTPUT);
        assert_non_null(strstr(err.text, path));
        assert_int_equal(entries(), before);

        /* A device that is full is seen when the sound is complete. */
        assert_int_equal(kz__sound_file_open(&file, &mem, "/dev/full", format, KZ__BITS_16, 24000,
                                             &err), KZ_OK);
        assert_int_equal(put(&file, 5000, &err), KZ_OK);
        assert_int_equal(kz__sound_file_commit(&file, &err), KZ_ERR_OUTPUT);
        assert_false(file.out.closed);
        assert_non_null(strstr(err.text, "/dev/full"));
    }
}

typedef struct reader {
    const char *path;
    size_t length;
} reader;

static void *read_pipe(void *user) {
    reader *r = user;
    FILE *file = fopen(r->path, "rb");
    if (file) r->length = fread(bytes, 1, FILE_MAX, file);
    if (file) fclose(file);
    return NULL;
}

static void test_B090_fifo(void **state) {
    (void)state;
    char path[256];
    need_coder();
    path_of(path, "fifo");
    assert_int_equal(mkfifo(path, 0600), 0);
    EACH_CODED(format) {
        pthread_t thread;
        reader r = {path, 0};
        assert_int_equal(pthread_create(&thread, NULL, read_pipe, &r), 0);
        write_sound(path, format, KZ__BITS_16, 24000, 12347);
        pthread_join(thread, NULL);
        assert_int_equal(read_any(format, r.length).samples, 12347);
    }
}

static void test_B233_reader_gone(void **state) {
    (void)state;
    char path[256];
    need_coder();
    path_of(path, "gone");
    assert_int_equal(mkfifo(path, 0600), 0);
    signal(SIGPIPE, SIG_IGN);
    EACH_CODED(format) {
        kz__sound_file file;
        kz__err err = {""};
        int fd = open(path, O_RDONLY | O_NONBLOCK);
        assert_int_equal(kz__sound_file_open(&file, &mem, path, format, KZ__BITS_16, 24000, &err),
                         KZ_OK);
        assert_int_equal(put(&file, 700, &err), KZ_OK);
        close(fd);
        assert_int_equal(put(&file, 700, &err), KZ_ERR_CANCELLED);
        assert_true(file.out.closed);
        kz__sound_file_discard(&file);

        fd = open(path, O_RDONLY | O_NONBLOCK);
        assert_int_equal(kz__sound_file_open(&file, &mem, path, format, KZ__BITS_16, 24000, &err),
                         KZ_OK);
        assert_int_equal(put(&file, 700, &err), KZ_OK);
        close(fd);
        assert_int_equal(kz__sound_file_commit(&file, &err), KZ_ERR_CANCELLED);
        assert_true(file.out.closed);
    }
}

/* Two minutes and a half take the memory of ten seconds. */
static void test_memory_does_not_grow(void **state) {
    (void)state;
    char path[256];
    need_coder();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    printf("skipped: sanitizers have memory of their own\n");
    skip();
#endif
    EACH_CODED(format) {
        kz__sound_file file;
        kz__err err = {""};
        path_of(path, "long");
        assert_int_equal(kz__sound_file_open(&file, &mem, path, format, KZ__BITS_16, 24000, &err),
                         KZ_OK);
        assert_int_equal(put(&file, 240000, &err), KZ_OK);
        uint64_t before = kz__cli_memory().resident;
        assert_int_equal(put(&file, 3600000, &err), KZ_OK);
        uint64_t after = kz__cli_memory().resident;
        assert_int_equal(kz__sound_file_commit(&file, &err), KZ_OK);
        unlink(path);
        if (after > before + (512 << 10)) {
            fail_msg("%s: %llu bytes more", kz__format_name(format),
                     (unsigned long long)(after - before));
        }
    }
}

static int begin(void **state) {
    (void)state;
    return kz__mem_init(&mem, NULL, NULL) != KZ_OK || !mkdtemp(folder);
}

static int end(void **state) {
    char command[300];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    /* Everything taken was given back. */
    return system(command) != 0 || atomic_load(&mem.current) != 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_endings),
        cmocka_unit_test(test_B124_lengths_are_exact),
        cmocka_unit_test(test_B127_the_rate_is_the_one_given),
        cmocka_unit_test(test_bits_of_flac),
        cmocka_unit_test(test_empty_sound),
        cmocka_unit_test(test_an_existing_file_survives),
        cmocka_unit_test(test_B233_full_disk),
        cmocka_unit_test(test_B090_fifo),
        cmocka_unit_test(test_B233_reader_gone),
        cmocka_unit_test(test_memory_does_not_grow),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
