/* The file of a saved voice: what was written comes back; every changed byte and every cut is
 * noticed; what has a right checksum and wrong contents is refused with its reason (B120). */
#include "harness/tests.h"
#include "harness/tmpdir.h"
#include "harness/voice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static kz__mem mem;

static kz_voice *make(const kz__voice_parts *parts) {
    kz__err err = {""};
    kz_voice *voice = NULL;
    kz_status status = kz__voice_make(&mem, parts, &voice, &err);
    if (status) fail_msg("%d %s", (int)status, err.text);
    return voice;
}

/* A file's bytes with room behind them; free. */
static unsigned char *file_of(const char *transcript, const char *name, size_t *length) {
    kz__voice_parts parts = kzt_voice_parts(transcript);
    parts.info.name = name;
    parts.info.language = "english";
    parts.info.consent = "Mine; for tests.";
    kz_voice *voice = make(&parts);
    const void *bytes = kz_voice_bytes(voice, length);
    unsigned char *copy = calloc(1, *length + 64);
    assert_non_null(copy);
    memcpy(copy, bytes, *length);
    kz_voice_free(voice);
    return copy;
}

static void refused(const unsigned char *bytes, size_t length, const char *why) {
    kz_voice *voice = NULL;
    char error[512] = "";
    kz_status status = kz_voice_load_memory(bytes, length, NULL, &voice, error, sizeof error);
    if (status != KZ_ERR_INPUT || voice || !strstr(error, why)) {
        fail_msg("%d '%s', wanted '%s'", (int)status, error, why);
    }
}

static void accepted(const unsigned char *bytes, size_t length) {
    kz_voice *voice = NULL;
    char error[512] = "";
    kz_status status = kz_voice_load_memory(bytes, length, NULL, &voice, error, sizeof error);
    if (status) fail_msg("%d '%s'", (int)status, error);
    kz_voice_free(voice);
}

static void test_all_parts_come_back(void **state) {
    (void)state;
    size_t length = 0;
    unsigned char *bytes = file_of("What is said. 说的话。", "Ada Löve", &length);
    kz__voice_parts want = kzt_voice_parts("x");
    kz_voice *voice = NULL;
    kz_voice_info info = {.size = sizeof info};
    assert_int_equal(kz_voice_load_memory(bytes, length, NULL, &voice, NULL, 0), KZ_OK);
    memset(bytes, 0, length); /* is the caller's */
    free(bytes);
    assert_int_equal(kz_voice_get_info(voice, &info), KZ_OK);
    assert_string_equal(info.name, "Ada Löve");
    assert_string_equal(info.language, "english");
    assert_string_equal(info.transcript, "What is said. 说的话。");
    assert_string_equal(info.consent, "Mine; for tests.");
    assert_string_equal(info.made_with, "0b6");
    assert_string_equal(info.version, "0.1.0");
    assert_int_equal(info.sample_rate, 24000);
    assert_int_equal(info.samples_per_frame, 1920);
    assert_int_equal(info.codebook_size, 100);
    assert_int_equal(info.samples, want.info.samples);
    assert_int_equal(info.frames, KZT_VOICE_FRAMES);
    size_t count = 0;
    const float *vector = kz_voice_vector(voice, &count);
    assert_int_equal(count, KZT_VOICE_WIDTH);
    assert_memory_equal(vector, want.vector, count * sizeof *vector);
    const int32_t *codes = kz_voice_codes(voice, &count);
    assert_int_equal(count, KZT_VOICE_FRAMES);
    assert_memory_equal(codes, want.codes, count * KZT_VOICE_GROUPS * sizeof *codes);
    kz_voice_free(voice);
}

static void test_a_vector_alone(void **state) {
    (void)state;
    kz__voice_parts parts = kzt_voice_parts(NULL);
    kz_voice *voice = make(&parts);
    kz_voice_info info = {.size = sizeof info};
    size_t frames = 9;
    assert_null(kz_voice_codes(voice, &frames));
    assert_int_equal(frames, 0);
    assert_int_equal(kz_voice_get_info(voice, &info), KZ_OK);
    assert_string_equal(info.transcript, "");
    assert_string_equal(info.name, "");
    assert_int_equal(info.frames, 0);
    kz_voice_free(voice);
    assert_null(kz_voice_bytes(NULL, &frames));
    assert_null(kz_voice_vector(NULL, NULL));
    kz_voice_free(NULL);
}

static void test_every_changed_byte_and_every_cut(void **state) {
    (void)state;
    size_t length = 0;
    unsigned char *bytes = file_of("What is said.", "ada", &length);
    assert_true(length < 1024);
    for (size_t i = 0; i < length; i++) {
        for (int bit = 0; bit < 8; bit++) {
            bytes[i] ^= (unsigned char)(1 << bit);
            refused(bytes, length, "voice");
            bytes[i] ^= (unsigned char)(1 << bit);
        }
        refused(bytes, i, i < 8 ? "no saved voice" : "cut short");
    }
    accepted(bytes, length);
    refused(bytes, length + 8, "more in the file");
    refused((const unsigned char *)"RIFF....WAVE", 12, "no saved voice");
    free(bytes);
}

/* ---- right checksum, wrong contents -------------------------------------------------------- */

static void put(unsigned char *at, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) at[i] = (unsigned char)(value >> (8 * i));
}

typedef struct change {
    const char *tag; /* chunk, or "" for the header */
    size_t at;
    uint64_t value;
    size_t bytes;
    const char *why;
} change;

static void test_B120_wrong_contents(void **state) {
    (void)state;
    static const change changes[] = {
        {"", 8, 2, 4, "version 2, this build reads version 1: a newer Kazeia"},
        {"", 8, 0, 4, "version 0, this build reads version 1: make it anew"},
        {"", 8, 0x01000000, 4, "version 16777216"},
        {"", 24, 12, 4, "part"},
        {"", 24, 3, 4, "behind its parts"},
        {"", 24, 4000000000u, 4, "too many parts"},
        {"", 32, 0x50414d45, 4, "a part is missing"},     /* no FAMI */
        {"", 36, 0xffffffff, 4, "a part is too long"},
        {"", 36, 0x7ffffff8, 4, "a part is too long"},
        {"FAMI", 0, 'Q', 1, "another family"},
        {"FITS", 0, 23, 4, "another length than it says"},
        {"FITS", 0, 0, 4, "out of range"},
        {"FITS", 0, 0xffffffff, 4, "out of range"},
        {"FITS", 4, 1000000, 4, "out of range"},
        {"FITS", 8, 0, 4, "out of range"},
        {"FITS", 12, 7, 4, "no whole frames"},
        {"FITS", 12, 65, 4, "out of range"},
        {"FITS", 16, 96, 4, "a code is out of range"},
        {"CLIP", 8, 5001, 4, "out of range"},
        {"VECT", 8, 0x7f800000, 4, "not finite"},
        {"VECT", 8, 0x7fc00001, 4, "not finite"},
        {"CODE", 6, 100, 2, "a code is out of range"},
        {"CODE", 6, 65535, 2, "a code is out of range"},
        {"SAID", 3, 0xff, 1, "UTF-8"},
        {"SAID", 3, 0, 1, "UTF-8"},
        {"NAME", 0, '/', 1, "a part of a path"},
        {"NAME", 0, '.', 1, "begins with '.'"},
        {"NAME", 1, '\n', 1, "control character"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const change *c = &changes[i];
        size_t length = 0;
        size_t count = 0;
        unsigned char *bytes = file_of("What is said.", "ada", &length);
        unsigned char *at = c->tag[0] ? kzt_voice_chunk(bytes, length, c->tag, &count) : bytes;
        put(at + c->at, c->value, c->bytes);
        kzt_voice_seal(bytes, length);
        refused(bytes, length, c->why);
        free(bytes);
    }
}

/* Chunks that a later minor version adds are stepped over, and kept when a name changes. */
static void test_unknown_chunks(void **state) {
    (void)state;
    size_t length = 0;
    size_t count = 0;
    unsigned char *bytes = file_of("What is said.", "ada", &length);
    put(bytes + 12, 7, 4);
    put(bytes + 24, 12, 4);
    memcpy(bytes + length - 8, "LATE\5\0\0\0later\0\0", 16);
    length += 16;
    kzt_voice_seal(bytes, length);
    kz_voice *voice = NULL;
    kz_voice *renamed = NULL;
    assert_int_equal(kz_voice_load_memory(bytes, length, NULL, &voice, NULL, 0), KZ_OK);
    assert_int_equal(kz_voice_rename(voice, "bob", &renamed, NULL, 0), KZ_OK);
    size_t new_length = 0;
    unsigned char *copy = calloc(1, length);
    assert_non_null(copy);
    const void *renamed_bytes = kz_voice_bytes(renamed, &new_length);
    assert_int_equal(new_length, length);
    memcpy(copy, renamed_bytes, new_length);
    assert_memory_equal(kzt_voice_chunk(copy, length, "LATE", &count), "later", 5);
    assert_int_equal(copy[12], 7);
    free(copy);
    kz_voice_free(voice);
    kz_voice_free(renamed);
    memcpy(bytes + length - 24, "NAME", 4);
    kzt_voice_seal(bytes, length);
    refused(bytes, length, "twice");
    free(bytes);
}

static void test_codes_need_their_transcript(void **state) {
    (void)state;
    size_t length = 0;
    size_t count = 0;
    unsigned char *bytes = file_of("What is said.", "ada", &length);
    unsigned char *said = kzt_voice_chunk(bytes, length, "SAID", &count);
    memcpy(said - 8, "LOST", 4);
    kzt_voice_seal(bytes, length);
    refused(bytes, length, "one without the other");
    memcpy(said - 8, "SAID", 4);
    memcpy(kzt_voice_chunk(bytes, length, "CODE", &count) - 8, "LOST", 4);
    kzt_voice_seal(bytes, length);
    refused(bytes, length, "one without the other");
    free(bytes);
}

/* ---- names --------------------------------------------------------------------------------- */

static void test_names(void **state) {
    (void)state;
    static const struct {
        const char *name, *why; /* why NULL: is allowed */
    } names[] = {
        {"a", NULL},         {"Ada Lovelace", NULL}, {"阿达", NULL},      {"a.b", NULL},
        {"my-voice_2", NULL}, {"кто", NULL},         {"a:b", NULL},       {"kzv", NULL},
        {"../x", "begins with '.'"},    {"a/b", "path"},        {"a\\b", "path"},    {"/", "path"},
        {".x", "begins with '.'"}, {".", "begins with '.'"}, {"..", "begins with '.'"},
        {" a", "begins with a blank"}, {"a ", "ends with a blank"}, {"\xC2\xA0", "blank"},
        {"a\tb", "control"}, {"a\nb", "control"}, {"a\x7f", "control"}, {"a\xC2\x85", "control"},
        {"ada.kzv", ".kzv"}, {"ada.KzV", ".kzv"}, {"\xff", "UTF-8"}, {"a\xC3", "UTF-8"},
        {"123456789012345678901234567890123456789012345678901234567890abcd", NULL},
        {"123456789012345678901234567890123456789012345678901234567890abcde", "64 bytes"},
    };
    kz__voice_parts parts = kzt_voice_parts("What is said.");
    kz_voice *voice = make(&parts);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        kz_voice *renamed = NULL;
        kz_voice_info info = {.size = sizeof info};
        char error[512] = "";
        kz_status status = kz_voice_rename(voice, names[i].name, &renamed, error, sizeof error);
        if (status != (names[i].why ? KZ_ERR_INPUT : KZ_OK) ||
            (names[i].why && !strstr(error, names[i].why))) {
            fail_msg("'%s': %d '%s'", names[i].name, (int)status, error);
        }
        if (status) continue;
        kz_voice_get_info(renamed, &info);
        assert_string_equal(info.name, names[i].name);
        kz_voice_free(renamed);
    }
    kz_voice_free(voice);
}

/* A decomposed name is composed; the sound's checksum does not see names and notes. */
static void test_renaming(void **state) {
    (void)state;
    size_t length = 0;
    unsigned char *bytes = file_of("What is said.", "ada", &length);
    kz_voice *voice = NULL;
    kz_voice *renamed = NULL;
    kz_voice *none = NULL;
    kz_voice_info before = {.size = sizeof before};
    kz_voice_info after = {.size = sizeof after};
    assert_int_equal(kz_voice_load_memory(bytes, length, NULL, &voice, NULL, 0), KZ_OK);
    assert_int_equal(kz_voice_rename(voice, "Zoe\xCC\x88", &renamed, NULL, 0), KZ_OK);
    kz_voice_get_info(voice, &before);
    kz_voice_get_info(renamed, &after);
    assert_string_equal(after.name, "Zo\xC3\xAB");
    assert_string_equal(after.consent, before.consent);
    assert_int_equal(after.checksum, before.checksum);
    assert_int_equal(kz_voice_rename(renamed, NULL, &none, NULL, 0), KZ_OK);
    kz_voice_get_info(none, &after);
    assert_string_equal(after.name, "");
    kz_voice_free(none);
    kz__voice_parts other = kzt_voice_parts("What is said!");
    kz_voice *another = make(&other);
    kz_voice_get_info(another, &after);
    assert_true(after.checksum != before.checksum);
    kz_voice_free(another);
    kz_voice_free(renamed);
    kz_voice_free(voice);
    free(bytes);
}

/* ---- files --------------------------------------------------------------------------------- */

static void test_files(void **state) {
    (void)state;
    char *folder = kzt_tmpdir_make();
    char path[600];
    char error[512] = "";
    snprintf(path, sizeof path, "%s/voice.kzv", folder);
    kz__voice_parts parts = kzt_voice_parts("What is said.");
    kz_voice *voice = make(&parts);
    kz_voice *back = NULL;
    size_t a = 0, b = 0;
    for (int twice = 0; twice < 2; twice++) {
        assert_int_equal(kz_voice_save(voice, path, error, sizeof error), KZ_OK);
        assert_int_equal(kz_voice_load(path, NULL, &back, error, sizeof error), KZ_OK);
        const void *first = kz_voice_bytes(voice, &a);
        const void *second = kz_voice_bytes(back, &b);
        assert_int_equal(a, b);
        assert_memory_equal(first, second, a);
        kz_voice_free(back);
    }
    assert_int_equal(kz_voice_save(voice, folder, error, sizeof error), KZ_ERR_OUTPUT);
    assert_non_null(strstr(error, "folder"));
    assert_int_equal(kz_voice_load(folder, NULL, &back, error, sizeof error), KZ_ERR_INPUT);
    assert_null(back);
    snprintf(path, sizeof path, "%s/none.kzv", folder);
    assert_int_equal(kz_voice_load(path, NULL, &back, error, sizeof error), KZ_ERR_INPUT);
    assert_non_null(strstr(error, "none.kzv"));
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(ftruncate(fileno(f), (off_t)KZ__VOICE_BYTES + 1), 0);
    fclose(f);
    assert_int_equal(kz_voice_load(path, NULL, &back, error, sizeof error), KZ_ERR_INPUT);
    assert_non_null(strstr(error, "longer"));
    assert_int_equal(kz_voice_load(NULL, NULL, &back, error, sizeof error), KZ_ERR_USAGE);
    assert_int_equal(kz_voice_save(NULL, path, error, sizeof error), KZ_ERR_USAGE);
    assert_int_equal(kz_voice_load_memory(NULL, 5, NULL, &back, error, sizeof error),
                     KZ_ERR_USAGE);
    assert_int_equal(kz_voice_load_memory(NULL, 0, NULL, &back, error, sizeof error),
                     KZ_ERR_INPUT);
    kz_voice_free(voice);
    kzt_tmpdir_remove(folder);
}

/* Parts that no file may have are refused when a voice is made, too. */
static void test_parts_are_checked(void **state) {
    (void)state;
    static char text[KZ__VOICE_TRANSCRIPT + 2];
    kz__err err = {""};
    kz_voice *voice = NULL;
    memset(text, 'a', sizeof text - 1);
    kz__voice_parts parts = kzt_voice_parts(text);
    assert_int_equal(kz__voice_make(&mem, &parts, &voice, &err), KZ_ERR_INPUT);
    assert_null(voice);
    text[KZ__VOICE_TRANSCRIPT] = 0;
    assert_int_equal(kz__voice_make(&mem, &parts, &voice, &err), KZ_OK);
    kz_voice_free(voice);
    assert_int_equal(atomic_load(&mem.current), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_parts_come_back),
        cmocka_unit_test(test_a_vector_alone),
        cmocka_unit_test(test_every_changed_byte_and_every_cut),
        cmocka_unit_test(test_B120_wrong_contents),
        cmocka_unit_test(test_unknown_chunks),
        cmocka_unit_test(test_codes_need_their_transcript),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_renaming),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_parts_are_checked),
    };
    kz__mem_init(&mem, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
