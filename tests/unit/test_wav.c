/* WAV and raw files, read back by a strict reader written from the RIFF description. */
#include "common/sound_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define FILE_MAX (1 << 20)

static kz__mem mem;
static char folder[] = "/tmp/kazeia-test-XXXXXX";

typedef struct wav_view {
    unsigned format, channels, rate, byte_rate, align, bits;
    bool has_fact;
    uint32_t fact;
    size_t data_at;
    uint32_t data_length; /* as the header says */
    uint32_t riff_length;
} wav_view;

static uint32_t u32(const unsigned char *p) {
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static unsigned u16(const unsigned char *p) {
    return p[0] | (unsigned)p[1] << 8;
}

/* Chunk after chunk up to data, which must be the last; streamed: its size is open. */
static void strict_read(const unsigned char *file, size_t length, bool streamed, wav_view *v) {
    memset(v, 0, sizeof *v);
    assert_true(length >= 12);
    assert_memory_equal(file, "RIFF", 4);
    assert_memory_equal(file + 8, "WAVE", 4);
    v->riff_length = u32(file + 4);
    if (!streamed) assert_int_equal(v->riff_length, length - 8);
    size_t at = 12;
    bool seen_format = false;
    for (;;) {
        assert_true(at + 8 <= length);
        uint32_t size = u32(file + at + 4);
        const unsigned char *body = file + at + 8;
        if (!memcmp(file + at, "data", 4)) {
            v->data_at = at + 8;
            v->data_length = size;
            break;
        }
        assert_true(at + 8 + size <= length);
        if (!memcmp(file + at, "fmt ", 4)) {
            assert_true(size == 16 || size == 18);
            v->format = u16(body);
            v->channels = u16(body + 2);
            v->rate = u32(body + 4);
            v->byte_rate = u32(body + 8);
            v->align = u16(body + 12);
            v->bits = u16(body + 14);
            if (size == 18) assert_int_equal(u16(body + 16), 0);
            seen_format = true;
        } else if (!memcmp(file + at, "fact", 4)) {
            assert_int_equal(size, 4);
            v->has_fact = true;
            v->fact = u32(body);
        } else {
            fail_msg("unexpected chunk %.4s", (const char *)file + at);
        }
        at += 8 + size + (size & 1);
    }
    assert_true(seen_format);
    assert_int_equal(v->align, v->channels * v->bits / 8);
    assert_int_equal(v->byte_rate, v->rate * v->align);
    if (streamed) return;
    assert_int_equal(v->data_at + v->data_length + (v->data_length & 1), length);
}

static size_t load(const char *path, unsigned char *bytes) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t length = fread(bytes, 1, FILE_MAX, file);
    fclose(file);
    return length;
}

static void path_in_folder(char path[256], const char *name) {
    snprintf(path, 256, "%s/%s", folder, name);
}

static void samples_of(float *samples, size_t count) {
    for (size_t i = 0; i < count; i++) samples[i] = (float)((int)(i * 37 % 200) - 100) / 128.0f;
}

static kz_status open_wav(kz__sound_file *file, const char *path, kz__err *err) {
    return kz__sound_file_open(file, &mem, path, KZ__FORMAT_WAV, KZ__BITS_16, 24000, err);
}

static void write_wav(const char *path, kz__format format, kz__bits bits, size_t count) {
    float samples[4000];
    kz__sound_file file;
    kz__err err = {""};
    samples_of(samples, count);
    assert_int_equal(kz__sound_file_open(&file, &mem, path, format, bits, 24000, &err), KZ_OK);
    for (size_t at = 0; at < count; at += 700) {
        size_t take = count - at < 700 ? count - at : 700;
        assert_int_equal(kz__sound_file_write(&file, samples + at, take, &err), KZ_OK);
    }
    assert_int_equal(kz__sound_file_commit(&file, &err), KZ_OK);
}

static void test_B139_header_lengths_and_true_sizes(void **state) {
    (void)state;
    static unsigned char bytes[FILE_MAX];
    const struct {
        kz__bits bits;
        unsigned format, width, data_at;
    } table[] = {{KZ__BITS_16, 1, 2, 44}, {KZ__BITS_24, 1, 3, 44}, {KZ__BITS_32F, 3, 4, 58}};
    const size_t counts[] = {0, 1, 3, 1920, 3841};
    for (size_t i = 0; i < 3; i++) {
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            char path[256];
            wav_view v;
            path_in_folder(path, "a.wav");
            write_wav(path, KZ__FORMAT_WAV, table[i].bits, counts[c]);
            size_t length = load(path, bytes);
            strict_read(bytes, length, false, &v);
            assert_int_equal(v.format, table[i].format);
            assert_int_equal(v.channels, 1);
            assert_int_equal(v.rate, 24000);
            assert_int_equal(v.bits, 8 * table[i].width);
            assert_int_equal(v.data_at, table[i].data_at);
            assert_int_equal(v.data_length, counts[c] * table[i].width);
            assert_int_equal(v.has_fact, i == 2);
            if (i == 2) assert_int_equal(v.fact, counts[c]);
        }
    }
}

static void test_B128_raw_is_the_data_chunk(void **state) {
    (void)state;
    static unsigned char wav[FILE_MAX];
    static unsigned char raw[FILE_MAX];
    char path[256];
    for (int bits = 0; bits < 3; bits++) {
        wav_view v;
        path_in_folder(path, "b.wav");
        write_wav(path, KZ__FORMAT_WAV, (kz__bits)bits, 1920);
        size_t length = load(path, wav);
        strict_read(wav, length, false, &v);
        path_in_folder(path, "b.raw");
        write_wav(path, KZ__FORMAT_RAW, (kz__bits)bits, 1920);
        assert_int_equal(load(path, raw), v.data_length);
        assert_memory_equal(raw, wav + v.data_at, v.data_length);
    }
}

typedef struct pipe_reader {
    const char *path;
    unsigned char *bytes;
    size_t length;
} pipe_reader;

static void *read_pipe(void *user) {
    pipe_reader *r = user;
    r->length = load(r->path, r->bytes);
    return NULL;
}

/* One header, open sizes, no seek. */
static void test_B090_B091_B225_fifo(void **state) {
    (void)state;
    static unsigned char bytes[FILE_MAX];
    char path[256];
    path_in_folder(path, "fifo");
    assert_int_equal(mkfifo(path, 0600), 0);
    for (int bits = 0; bits < 3; bits++) {
        wav_view v;
        pthread_t thread;
        pipe_reader reader = {path, bytes, 0};
        assert_int_equal(pthread_create(&thread, NULL, read_pipe, &reader), 0);
        write_wav(path, KZ__FORMAT_WAV, (kz__bits)bits, 1921);
        pthread_join(thread, NULL);
        strict_read(bytes, reader.length, true, &v);
        assert_true(v.riff_length == 0xffffffffu);
        assert_true(v.data_length == 0xffffffffu);
        assert_int_equal(reader.length, v.data_at + 1921 * v.align);
        for (size_t i = 4; i + 4 <= reader.length; i++) {
            assert_true(memcmp(bytes + i, "RIFF", 4) != 0);
        }
    }
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_true(S_ISFIFO(info.st_mode));
}

static void test_sizes_above_four_gigabytes_stay_open(void **state) {
    (void)state;
    unsigned char header[KZ__WAV_HEADER_MAX];
    kz__wav_header(header, KZ__BITS_16, 24000, 0x7fffffe0u);
    assert_true(u32(header + 40) == 0xffffffc0u);
    kz__wav_header(header, KZ__BITS_16, 24000, 0x80000000u);
    assert_true(u32(header + 40) == 0xffffffffu);
    assert_true(u32(header + 4) == 0xffffffffu);
}

static void test_B233_reader_gone(void **state) {
    (void)state;
    char path[256];
    static float samples[100000];
    kz__sound_file file;
    kz__err err = {""};
    path_in_folder(path, "gone");
    assert_int_equal(mkfifo(path, 0600), 0);
    signal(SIGPIPE, SIG_IGN);
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    assert_int_equal(open_wav(&file, path, &err), KZ_OK);
    close(reader);
    assert_int_equal(kz__sound_file_write(&file, samples, 100000, &err), KZ_ERR_CANCELLED);
    assert_true(file.out.closed);
    kz__sound_file_discard(&file);
}

static void test_B233_full_disk(void **state) {
    (void)state;
    float samples[10] = {0};
    kz__sound_file file;
    kz__err err = {""};
    assert_int_equal(open_wav(&file, "/dev/full", &err), KZ_OK);
    assert_int_equal(kz__sound_file_write(&file, samples, 10, &err), KZ_ERR_OUTPUT);
    assert_false(file.out.closed);
    assert_non_null(strstr(err.text, "/dev/full"));
    kz__sound_file_discard(&file);
}

static void put_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Counts entries, so that a file left behind shows. */
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

static void test_existing_file_survives_until_the_end(void **state) {
    (void)state;
    static unsigned char bytes[FILE_MAX];
    char path[256];
    kz__err err = {""};
    kz__sound_file file;
    float samples[10] = {0};
    path_in_folder(path, "old.wav");
    put_text(path, "old");
    assert_int_equal(chmod(path, 0640), 0);
    int before = entries();
    assert_int_equal(open_wav(&file, path, &err), KZ_OK);
    assert_int_equal(kz__sound_file_write(&file, samples, 10, &err), KZ_OK);
    assert_int_equal(load(path, bytes), 3);
    kz__sound_file_discard(&file);
    assert_int_equal(load(path, bytes), 3);
    assert_int_equal(entries(), before);
    write_wav(path, KZ__FORMAT_WAV, KZ__BITS_16, 10);
    assert_int_equal(load(path, bytes), 64);
    assert_int_equal(entries(), before);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
}

static void test_links_are_followed(void **state) {
    (void)state;
    static unsigned char bytes[FILE_MAX];
    char target[256], link[256], dangling[256];
    struct stat info;
    path_in_folder(target, "target.wav");
    path_in_folder(link, "link.wav");
    path_in_folder(dangling, "dangling.wav");
    put_text(target, "old");
    assert_int_equal(symlink("target.wav", link), 0);
    assert_int_equal(symlink("new-target.wav", dangling), 0);
    write_wav(link, KZ__FORMAT_WAV, KZ__BITS_16, 10);
    assert_int_equal(load(target, bytes), 64);
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    write_wav(dangling, KZ__FORMAT_WAV, KZ__BITS_16, 10);
    assert_int_equal(lstat(dangling, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    path_in_folder(target, "new-target.wav");
    assert_int_equal(load(target, bytes), 64);
    path_in_folder(link, "ring.wav");
    assert_int_equal(symlink("ring.wav", link), 0);
    kz__sound_file file;
    kz__err err = {""};
    assert_int_equal(open_wav(&file, link, &err), KZ_ERR_OUTPUT);
}

static void test_B232_unwritable_places(void **state) {
    (void)state;
    kz__sound_file file;
    kz__err err = {""};
    char path[256];
    path_in_folder(path, "no/such/folder.wav");
    assert_int_equal(open_wav(&file, path, &err), KZ_ERR_OUTPUT);
    assert_int_equal(open_wav(&file, folder, &err), KZ_ERR_OUTPUT);
    assert_non_null(strstr(err.text, "folder"));
    char lengthy[400];
    memset(lengthy, 'x', sizeof lengthy);
    lengthy[399] = 0;
    assert_int_equal(open_wav(&file, lengthy, &err), KZ_ERR_OUTPUT);
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
        cmocka_unit_test(test_B139_header_lengths_and_true_sizes),
        cmocka_unit_test(test_B128_raw_is_the_data_chunk),
        cmocka_unit_test(test_B090_B091_B225_fifo),
        cmocka_unit_test(test_sizes_above_four_gigabytes_stay_open),
        cmocka_unit_test(test_B233_reader_gone),
        cmocka_unit_test(test_B233_full_disk),
        cmocka_unit_test(test_existing_file_survives_until_the_end),
        cmocka_unit_test(test_links_are_followed),
        cmocka_unit_test(test_B232_unwritable_places),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
