/* .npy and code files, from bytes typed here as NumPy writes them. */
#include "common/codes.h"
#include "common/golden.h"
#include "common/npy.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static kz__mem mem;
static char folder[] = "/tmp/kazeia-test-XXXXXX";

static const char *place(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void save(const char *name, const void *bytes, size_t length) {
    FILE *file = fopen(place(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* A file as numpy.save makes it: the dictionary padded with blanks so that the data begin at a
 * multiple of 64. */
static size_t build(unsigned char *file, int version, const char *dictionary, const void *data,
                    size_t length) {
    size_t prefix = version == 1 ? 10 : 12;
    size_t text = strlen(dictionary);
    size_t total = (prefix + text + 1 + 63) / 64 * 64;
    size_t header = total - prefix;
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (unsigned char)version;
    file[7] = 0;
    for (size_t i = 8; i < prefix; i++) file[i] = (unsigned char)(header >> 8 * (i - 8) & 0xff);
    memset(file + prefix, ' ', header);
    memcpy(file + prefix, dictionary, text);
    file[total - 1] = '\n';
    if (length) memcpy(file + total, data, length);
    return total + length;
}

static void test_every_integer_type(void **state) {
    (void)state;
    const struct {
        const char *type;
        const unsigned char bytes[8];
        size_t width;
        int64_t value;
        bool fits;
    } table[] = {
        {"|i1", {0xfe}, 1, -2, true},
        {"|u1", {0xfe}, 1, 254, true},
        {"<i2", {0x02, 0x01}, 2, 0x102, true},
        {">i2", {0xff, 0xfe}, 2, -2, true},
        {"<u2", {0xfe, 0xff}, 2, 0xfffe, true},
        {"<i4", {0xff, 0xff, 0xff, 0xff}, 4, -1, true},
        {">i4", {0x01, 0x02, 0x03, 0x04}, 4, 0x01020304, true},
        {"<u4", {0xff, 0xff, 0xff, 0xff}, 4, 0xffffffff, true},
        {"<i8", {0, 0, 0, 0, 0, 0, 0, 0x80}, 8, INT64_MIN, true},
        {">i8", {0, 0, 0, 0, 0, 0, 0, 7}, 8, 7, true},
        {"<u8", {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 8, 0, false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        for (int version = 1; version <= 3; version++) {
            unsigned char file[512];
            char dictionary[128];
            kz__npy npy;
            kz__err err = {""};
            int64_t value = 0;
            snprintf(dictionary, sizeof dictionary,
                     "{'descr': '%s', 'fortran_order': False, 'shape': (1,), }", table[i].type);
            size_t length = build(file, version, dictionary, table[i].bytes, table[i].width);
            assert_int_equal(kz__npy_parse(file, length, "x", &npy, &err), KZ_OK);
            assert_int_equal(npy.rank, 1);
            assert_int_equal(kz__npy_integer(&npy, 0, &value), table[i].fits);
            if (table[i].fits) assert_true(value == table[i].value);
        }
    }
}

static void test_damaged_headers(void **state) {
    (void)state;
    static const char *const dictionaries[] = {
        "",
        "{}",
        "{'descr': '<i4', 'fortran_order': False}",
        "{'descr': '<i4', 'fortran_order': True, 'shape': (1,), }",
        "{'descr': '<i4', 'fortran_order': 0, 'shape': (1,), }",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (1,), 'x': 1}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (1,), } tail",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (4294967296,4294967296,4), }",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999999999999,), }",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1), }",
        "{'descr': '<i3', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<U1', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<i4",
    };
    for (size_t i = 0; i < sizeof dictionaries / sizeof *dictionaries; i++) {
        unsigned char file[512];
        kz__npy npy;
        kz__err err = {""};
        size_t length = build(file, 1, dictionaries[i], "\1\0\0\0", 4);
        assert_int_equal(kz__npy_parse(file, length, "file x", &npy, &err), KZ_ERR_INPUT);
        assert_memory_equal(err.text, "file x", 6);
    }
    unsigned char good[512];
    kz__npy npy;
    kz__err err = {""};
    size_t length = build(good, 1, "{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }",
                          "\1\0\0\0", 4);
    assert_int_equal(kz__npy_parse(good, length, "x", &npy, &err), KZ_OK);
    for (size_t cut = 0; cut < length; cut++) {
        unsigned char *copy = malloc(cut + 1);
        assert_non_null(copy);
        memcpy(copy, good, cut);
        assert_int_equal(kz__npy_parse(copy, cut, "x", &npy, &err), KZ_ERR_INPUT);
        free(copy);
    }
    good[6] = 4;
    assert_int_equal(kz__npy_parse(good, length, "x", &npy, &err), KZ_ERR_INPUT);
}

/* The bytes that numpy.load needs: magic, version, length, dictionary, newline at a multiple of
 * 64, then little-endian values. */
static void test_written_bytes(void **state) {
    (void)state;
    static const float values[] = {1.0f, -2.0f, 0.0f, 0.15625f, 5.0f, 6.0f};
    static const unsigned char want[24] = {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0, 0,
                                           0, 0, 0x20, 0x3e, 0, 0, 0xa0, 0x40, 0, 0, 0xc0, 0x40};
    static const int32_t codes[] = {1, -2, 0x01020304};
    static const unsigned char want_codes[12] = {1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 4, 3, 2, 1};
    static const char dictionary[] =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    unsigned char file[1024];
    size_t shape[2] = {2, 3};
    kz__err err = {""};
    assert_int_equal(kz__npy_write_f32(&mem, place("w.npy"), values, shape, 2, &err), KZ_OK);
    FILE *in = fopen(place("w.npy"), "rb");
    assert_non_null(in);
    size_t length = fread(file, 1, sizeof file, in);
    fclose(in);
    assert_memory_equal(file, "\x93NUMPY\x01\x00", 8);
    size_t header = file[8] + 256u * file[9];
    assert_int_equal((10 + header) % 64, 0);
    assert_int_equal(length, 10 + header + 24);
    assert_memory_equal(file + 10, dictionary, sizeof dictionary - 1);
    assert_int_equal(file[10 + header - 1], '\n');
    assert_memory_equal(file + 10 + header, want, 24);
    size_t one[1] = {6};
    kz__npy_header(file, "<i4", one, 1);
    assert_non_null(strstr((const char *)file + 10, "'<i4'"));
    assert_non_null(strstr((const char *)file + 10, "(6,)"));
    kz__npy_put_i32(codes, 3, file);
    assert_memory_equal(file, want_codes, sizeof want_codes);
}

static kz_status read_text(const char *text, kz__codes *codes, kz__err *err) {
    save("c.txt", text, strlen(text));
    return kz__codes_read(&mem, place("c.txt"), 4, 64, codes, err);
}

static void test_codes_in_text(void **state) {
    (void)state;
    kz__codes codes;
    kz__err err = {""};
    static const int32_t want[] = {1, 2, 3, 4, 63, 0, 10, 11};
    assert_int_equal(read_text("1 2 3 4\r\n\n  63\t0 10 11", &codes, &err), KZ_OK);
    assert_int_equal(codes.frames, 2);
    assert_memory_equal(codes.values, want, sizeof want);
    kz__free(&mem, codes.values);
    const struct {
        const char *text, *says;
    } bad[] = {{"", "no frames"},
               {"\n\n", "no frames"},
               {"1 2 3\n", "line 1 has 3"},
               {"1 2 3 4\n1 2 3 4 5\n", "line 2 has 5"},
               {"1 2 3 64\n", "frame 0, codebook 3 holds 64"},
               {"1 2 3 4\n1 -2 3 4\n", "frame 1, codebook 1 holds -2"},
               {"1 2 3 99999999999999999999\n", "codebook 3"},
               {"1,2,3,4\n", "line 1"},
               {"1 2 3 4.0\n", "not a whole number"},
               {"hello\n", "not a whole number"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(read_text(bad[i].text, &codes, &err), KZ_ERR_INPUT);
        if (!strstr(err.text, bad[i].says)) fail_msg("case %zu: \"%s\"", i, err.text);
        assert_null(codes.values);
    }
    assert_int_equal(kz__codes_read(&mem, place("absent.npy"), 4, 64, &codes, &err), KZ_ERR_INPUT);
}

static kz_status read_npy(const char *dictionary, const void *data, size_t length,
                          kz__codes *codes, kz__err *err) {
    unsigned char file[1024];
    size_t total = build(file, 1, dictionary, data, length);
    save("c.npy", file, total);
    return kz__codes_read(&mem, place("c.npy"), 4, 64, codes, err);
}

static void test_codes_in_npy(void **state) {
    (void)state;
    kz__codes codes;
    kz__err err = {""};
    static const unsigned char bytes[8] = {1, 2, 3, 4, 5, 6, 7, 63};
    static const unsigned char high[8] = {1, 2, 3, 4, 5, 6, 7, 64};
    static const float reals[4] = {1, 2, 3, 4};
    assert_int_equal(read_npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 4), }", bytes,
                              8, &codes, &err), KZ_OK);
    assert_int_equal(codes.frames, 2);
    assert_int_equal(codes.values[7], 63);
    kz__free(&mem, codes.values);
    assert_int_equal(read_npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 4), }", high,
                              8, &codes, &err), KZ_ERR_INPUT);
    assert_non_null(strstr(err.text, "frame 1, codebook 3 holds 64"));
    assert_int_equal(read_npy("{'descr': '|u1', 'fortran_order': False, 'shape': (4, 2), }", bytes,
                              8, &codes, &err), KZ_ERR_INPUT);
    assert_int_equal(read_npy("{'descr': '|u1', 'fortran_order': False, 'shape': (8,), }", bytes,
                              8, &codes, &err), KZ_ERR_INPUT);
    assert_int_equal(read_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 4), }", reals,
                              16, &codes, &err), KZ_ERR_INPUT);
    assert_non_null(strstr(err.text, "integers"));
    assert_int_equal(read_npy("{'descr': '|u1', 'fortran_order': False, 'shape': (0, 4), }", bytes,
                              0, &codes, &err), KZ_ERR_INPUT);
}

static void test_codes_come_back(void **state) {
    (void)state;
    static const int32_t values[] = {0, 1, 2, 63, 5, 6, 7, 8};
    static const char *const names[] = {"back.npy", "back.txt", "BACK.TXT"};
    for (size_t i = 0; i < 3; i++) {
        unsigned char *bytes = NULL;
        size_t length = 0;
        kz__codes codes;
        kz__err err = {""};
        assert_true(kz__codes_known(names[i]));
        assert_int_equal(kz__codes_format(&mem, names[i], values, 2, 4, &bytes, &length, &err),
                         KZ_OK);
        save(names[i], bytes, length);
        kz__free(&mem, bytes);
        assert_int_equal(kz__codes_read(&mem, place(names[i]), 4, 64, &codes, &err), KZ_OK);
        assert_int_equal(codes.frames, 2);
        assert_memory_equal(codes.values, values, sizeof values);
        kz__free(&mem, codes.values);
    }
    assert_false(kz__codes_known("x.csv"));
    assert_false(kz__codes_known(".npy"));
}

#define HEAD "{\"format\": \"kazeia-golden\", \"version\": 1, "
#define REQUEST "\"request\": {\"text\": \"Hi\"}, "

static kz_status read_golden(const char *text, kz__golden *golden, kz__err *err) {
    save("g.json", text, strlen(text));
    return kz__golden_read(&mem, place("g.json"), 4, 64, golden, err);
}

static void test_golden(void **state) {
    (void)state;
    kz__golden golden;
    kz__err err = {""};
    unsigned char file[512];
    static const float vector[2] = {0.5f, -1};
    size_t length = build(file, 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }",
                          vector, sizeof vector);
    save("v.npy", file, length);
    save("ref.txt", "9 9 9 9\n", 8);
    assert_int_equal(read_golden(HEAD "\"checkpoint\": \"c\", "
                                 "\"request\": {\"text\": \"H\\u0000i\", "
                                 "\"language\": \"english\", \"voice\": null, "
                                 "\"live_text\": false, "
                                 "\"as_reference\": true, \"max_frames\": 7, \"other\": [1]}, "
                                 "\"finish\": \"stop\", \"codes\": [[1,2,3,4],[5,6,7,63]], "
                                 "\"speaker_vector\": \"v.npy\", \"reference_codes\": \"ref.txt\"}",
                                 &golden, &err), KZ_OK);
    assert_int_equal(golden.text_length, 3);
    assert_null(golden.voice);
    assert_int_equal(golden.live_text, 0);
    assert_int_equal(golden.as_reference, 1);
    assert_int_equal(golden.max_frames, 7);
    assert_int_equal(golden.codes.frames, 2);
    assert_int_equal(golden.codes.values[7], 63);
    assert_int_equal(golden.reference_codes.frames, 1);
    assert_int_equal(golden.speaker_vector_length, 2);
    assert_true(golden.speaker_vector[1] == -1);
    kz__golden_free(&golden);
}

static void test_damaged_goldens(void **state) {
    (void)state;
    const struct {
        const char *text, *says;
    } bad[] = {
        {"", "not JSON"},
        {"[]", "not a golden run"},
        {"{\"format\": \"other\"}", "not a golden run"},
        {"{\"format\": \"kazeia-golden\", \"version\": 2}", "version"},
        {HEAD "\"codes\": [[1,2,3,4]]}", "request"},
        {HEAD "\"request\": {}, \"codes\": [[1,2,3,4]]}", "\"text\""},
        {HEAD "\"request\": {\"text\": 5}, \"codes\": [[1,2,3,4]]}", "\"text\""},
        {HEAD "\"request\": {\"text\": \"a\", \"live_text\": 1}, \"codes\": [[1,2,3,4]]}",
         "live_text"},
        {HEAD "\"request\": {\"text\": \"a\", \"max_frames\": 0}, \"codes\": [[1,2,3,4]]}",
         "max_frames"},
        {HEAD "\"request\": {\"text\": \"a\", \"voice\": \"a\\u0000b\"}, \"codes\": [[1,2,3,4]]}",
         "voice"},
        {HEAD REQUEST "\"x\": 1}", "codes"},
        {HEAD REQUEST "\"codes\": []}", "codes"},
        {HEAD REQUEST "\"codes\": 3}", "codes"},
        {HEAD REQUEST "\"codes\": [[1,2,3]]}", "frame 0"},
        {HEAD REQUEST "\"codes\": [[1,2,3,4],[1,2,3,\"4\"]]}", "frame 1, codebook 3"},
        {HEAD REQUEST "\"codes\": [[1,2,3,64]]}", "frame 0, codebook 3"},
        {HEAD REQUEST "\"codes\": [[1,2,3,1.0]]}", "frame 0, codebook 3"},
        {HEAD REQUEST "\"codes\": \"absent.npy\"}", "absent.npy"},
        {HEAD REQUEST "\"codes\": \"../g.json\"}", "in or below"},
        {HEAD REQUEST "\"codes\": \"/etc/passwd\"}", "in or below"},
        {HEAD REQUEST "\"codes\": [[1,2,3,4]], \"speaker_vector\": \"g.json\"}", "not a .npy"},
        {HEAD REQUEST "\"codes\": [[1,2,3,4]], \"reference_codes\": true}", "reference_codes"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kz__golden golden;
        kz__err err = {""};
        assert_int_equal(read_golden(bad[i].text, &golden, &err), KZ_ERR_INPUT);
        if (!strstr(err.text, bad[i].says)) fail_msg("case %zu: \"%s\"", i, err.text);
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
        cmocka_unit_test(test_every_integer_type), cmocka_unit_test(test_damaged_headers),
        cmocka_unit_test(test_written_bytes),      cmocka_unit_test(test_codes_in_text),
        cmocka_unit_test(test_codes_in_npy),       cmocka_unit_test(test_codes_come_back),
        cmocka_unit_test(test_golden),             cmocka_unit_test(test_damaged_goldens),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
