/* Headers of safetensors files, good ones and hostile ones. Files are written here byte by byte. */
#include "weights/safetensors.h"

#include "harness/golden.h"
#include "harness/tmpdir.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct blob {
    unsigned char *bytes; /* exactly size bytes, so that a read past the end is caught */
    size_t size;
} blob;

static blob make_blob(const char *header, size_t data) {
    size_t length = strlen(header);
    blob b = {malloc(8 + length + data), 8 + length + data};
    assert_non_null(b.bytes);
    for (int i = 0; i < 8; i++) b.bytes[i] = (unsigned char)((uint64_t)length >> (8 * i));
    memcpy(b.bytes + 8, header, length);
    for (size_t i = 0; i < data; i++) b.bytes[8 + length + i] = (unsigned char)i;
    return b;
}

static kz_status parse(const unsigned char *bytes, size_t size, uint64_t file_size,
                       kz__safetensors *table, kz__err *err) {
    static kz__mem mem;
    kz__mem_init(&mem, NULL, NULL);
    kz_status status =
        kz__safetensors_parse(&mem, bytes, size, file_size, "dir/w.safetensors", table, err);
    if (status != KZ_OK) {
        assert_int_equal(table->count, 0);
        assert_int_equal(atomic_load(&mem.current), 0);
    }
    return status;
}

static void clear(kz__safetensors *table) {
    static kz__mem mem;
    kz__mem_init(&mem, NULL, NULL);
    kz__safetensors_clear(&mem, table);
}

/* The sentence names the file and holds both texts. */
static void expect_refused(const unsigned char *bytes, size_t size, uint64_t file_size,
                           const char *first, const char *second) {
    kz__safetensors table;
    kz__err err = {""};
    kz_status status = parse(bytes, size, file_size, &table, &err);
    if (status != KZ_ERR_MODEL) fail_msg("status %d, wanted a refusal with '%s'", status, first);
    if (!strstr(err.text, "w.safetensors") || !strstr(err.text, first) ||
        !strstr(err.text, second)) {
        fail_msg("got: %s; wanted: '%s' and '%s'", err.text, first, second);
    }
    if (strchr(err.text, '\n')) fail_msg("more than one line: %s", err.text);
}

static const char good[] =
    "{\"__metadata__\":{\"format\":\"pt\"},"
    "\"b\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[8,32]},"
    "\"a\":{\"dtype\":\"BF16\",\"shape\":[4],\"data_offsets\":[0,8]},"
    "\"empty\":{\"dtype\":\"F16\",\"shape\":[0,7],\"data_offsets\":[32,32]},"
    "\"n\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[32,40]},"
    "\"odd\":{\"dtype\":\"Q9_X\",\"shape\":[3],\"data_offsets\":[40,45]}}   ";
enum {
    GOOD_DATA = 45
};

static void test_good_header(void **state) {
    (void)state;
    kz__safetensors table;
    kz__err err = {""};
    blob b = make_blob(good, GOOD_DATA);
    assert_int_equal(parse(b.bytes, b.size, b.size, &table, &err), KZ_OK);
    assert_int_equal(table.count, 5);
    size_t data = 8 + strlen(good);
    assert_string_equal(table.tensors[0].name, "a");
    assert_int_equal(table.tensors[0].type, KZ__BF16);
    assert_int_equal(table.tensors[0].offset, data);
    assert_int_equal(table.tensors[0].bytes, 8);
    assert_string_equal(table.tensors[1].name, "b");
    assert_int_equal(table.tensors[1].type, KZ__F32);
    assert_int_equal(table.tensors[1].rank, 2);
    assert_int_equal(table.tensors[1].shape[0], 2);
    assert_int_equal(table.tensors[1].shape[1], 3);
    assert_int_equal(table.tensors[1].offset, data + 8);
    assert_string_equal(table.tensors[2].name, "empty");
    assert_int_equal(table.tensors[2].type, KZ__F16);
    assert_int_equal(table.tensors[2].bytes, 0);
    assert_string_equal(table.tensors[3].type_name, "I64");
    assert_int_equal(table.tensors[3].type, KZ__OTHER);
    assert_int_equal(table.tensors[3].rank, 0);
    assert_string_equal(table.tensors[4].type_name, "Q9_X");
    clear(&table);
    free(b.bytes);
}

static void test_no_tensors(void **state) {
    (void)state;
    kz__safetensors table;
    kz__err err = {""};
    blob b = make_blob("{}", 0);
    assert_int_equal(parse(b.bytes, b.size, b.size, &table, &err), KZ_OK);
    assert_int_equal(table.count, 0);
    clear(&table);
    free(b.bytes);
}

/* A whole checkpoint: numbers counted in its file by other means. */
static void test_real_file(void **state) {
    (void)state;
    size_t size = 0;
    char *path = kzt_path(kzt_checkpoint("small"), "model.safetensors");
    char *bytes = kzt_read(path, &size);
    free(path);
    kz__safetensors table;
    kz__err err = {""};
    assert_int_equal(parse((unsigned char *)bytes, size, size, &table, &err), KZ_OK);
    size_t names = 0;
    for (const char *at = bytes + 8; (at = strstr(at, "\"dtype\"")); at++) names++;
    assert_true(names > 60);
    assert_int_equal(table.count, names);
    uint64_t end = 8 + (uint64_t)(unsigned char)bytes[0] + ((uint64_t)(unsigned char)bytes[1] << 8);
    for (size_t i = 0; i < table.count; i++) {
        assert_int_equal(table.tensors[i].offset, end);
        end += table.tensors[i].bytes;
    }
    assert_int_equal(end, size);
    clear(&table);
    free(bytes);
}

#define T(dtype, shape, offsets)                                                                   \
    "{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"

/* B189: lengths, overlaps, offsets, duplicates, and things that are not JSON. */
static void test_B189_hostile_headers(void **state) {
    (void)state;
    static const struct {
        const char *header;
        size_t data;
        const char *first, *second;
    } rows[] = {
        {"[1,2]", 0, "not a JSON object", ""},
        {"{\"a\":", 0, "not valid JSON", ""},
        {"{} {}", 0, "not valid JSON", ""},
        {"{\"a\":1}", 0, "'a'", "object"},
        {"{\"a\":{}}", 0, "'a'", "dtype"},
        {"{\"__metadata__\":3}", 0, "__metadata__", "object"},
        {"{\"a\":" T("F32", "[1]", "[0,4]") ",\"a\":" T("F32", "[1]", "[4,8]") "}", 8, "duplicate",
         "a"},
        {"{\"a\":{\"dtype\":7,\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "'a'", "dtype"},
        {"{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4, "'a'", "shape"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, "'a'", "data_offsets"},
        {"{\"a\":" T("F32", "[1]", "[0]") "}", 4, "'a'", "data_offsets"},
        {"{\"a\":" T("F32", "[1]", "[0,4,8]") "}", 4, "'a'", "data_offsets"},
        {"{\"a\":" T("F32", "[1]", "[0,4.0]") "}", 4, "'a'", "data_offsets"},
        {"{\"a\":" T("F32", "[1]", "[-4,0]") "}", 4, "'a'", "data_offsets"},
        {"{\"a\":" T("F32", "[1]", "[4,0]") "}", 4, "'a'", "ends before it begins"},
        {"{\"a\":" T("F32", "[-1]", "[0,4]") "}", 4, "'a'", "shape"},
        {"{\"a\":" T("F32", "[1.5]", "[0,6]") "}", 6, "'a'", "shape"},
        {"{\"a\":" T("F32", "\"1\"", "[0,4]") "}", 4, "'a'", "shape"},
        {"{\"a\":" T("F32", "[2]", "[0,4]") "}", 4, "4 bytes of data", "need 8"},
        {"{\"a\":" T("BF16", "[2,2]", "[0,16]") "}", 16, "16 bytes of data", "need 8"},
        {"{\"a\":" T("F32", "[4611686018427387904,4]", "[0,0]") "}", 0, "'a'", "cannot be"},
        {"{\"a\":" T("F32", "[9223372036854775807,9223372036854775807]", "[0,4]") "}", 4, "'a'",
         "cannot be"},
        {"{\"a\":" T("F32", "[99999999999999999999]", "[0,4]") "}", 4, "not valid JSON",
         "too big integer"},
        {"{\"a\":" T("F32", "[1]", "[0,99999999999999999999]") "}", 4, "not valid JSON",
         "too big integer"},
        {"{\"a\":" T("F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]") "}", 4, "'a'", "dimensions"},
        {"{\"a\":" T("F4", "[1]", "[0,1]") "}", 1, "'a'", "cannot be"},
        {"{\"a\":" T("ANAMETHATISTOOLONG", "[1]", "[0,4]") "}", 4, "'a'", "dtype"},
        {"{\"a\":" T("F32", "[2]", "[0,8]") ",\"b\":" T("F32", "[2]", "[4,12]") "}", 12,
         "'a' and 'b'", "overlap"},
        {"{\"a\":" T("F32", "[2]", "[0,8]") ",\"b\":" T("F32", "[2]", "[0,8]") "}", 8,
         "'a' and 'b'", "overlap"},
        {"{\"a\":" T("F32", "[2]", "[0,8]") ",\"b\":" T("F32", "[0]", "[4,4]") "}", 8, "overlap",
         "'a'"},
        {"{\"a\":" T("F32", "[1]", "[0,4]") ",\"b\":" T("F32", "[1]", "[8,12]") "}", 12,
         "4 bytes before tensor 'b'", "no tensor"},
        {"{\"a\":" T("F32", "[1]", "[4,8]") "}", 8, "4 bytes before tensor 'a'", ""},
        {"{\"a\":" T("X", "[1]", "[0,9223372036854775807]") "}", 4, "truncated",
         "the header needs"},
        {"{\"a\":" T("U8", "[1152921504606846975]", "[0,1152921504606846975]") "}", 4, "truncated",
         "the header needs"},
        {"{\"a\\u0000b\":" T("F32", "[1]", "[0,4]") "}", 4, "not valid JSON", ""},
        {"{\"line\\nfeed\":1}", 0, "'line?feed'", ""},
        {"{\"\xff\":1}", 0, "not valid JSON", "0xff"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        blob b = make_blob(rows[i].header, rows[i].data);
        expect_refused(b.bytes, b.size, b.size, rows[i].first, rows[i].second);
        free(b.bytes);
    }
}

/* B189: the length field itself. */
static void test_B189_header_length(void **state) {
    (void)state;
    static const struct {
        uint64_t length;
        const char *first;
    } rows[] = {
        {0, "not a JSON object"},
        {1, "not a JSON object"},
        {1000000, "the header needs 1000008"},
        {((uint64_t)16 << 20) + 1, "at most 16777216 is allowed"},
        {(uint64_t)1 << 63, "header length reads 9223372036854775808"},
        {UINT64_MAX, "header length reads 18446744073709551615"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        blob b = make_blob(good, GOOD_DATA);
        for (int j = 0; j < 8; j++) b.bytes[j] = (unsigned char)(rows[i].length >> (8 * j));
        expect_refused(b.bytes, b.size, b.size, rows[i].first, "");
        free(b.bytes);
    }
    /* a nest that would overrun the stack of a naive parser */
    char *deep = malloc(200001);
    assert_non_null(deep);
    memset(deep, '[', 200000);
    memcpy(deep, "{\"a\":", 5);
    deep[200000] = 0;
    blob b = make_blob(deep, 0);
    expect_refused(b.bytes, b.size, b.size, "not valid JSON", "depth");
    free(b.bytes);
    free(deep);
}

/* B189: cut at every byte. */
static void test_B189_cut_everywhere(void **state) {
    (void)state;
    blob b = make_blob(good, GOOD_DATA);
    expect_refused((const unsigned char *)"", 0, 0, "is empty", "");
    for (size_t size = 1; size < b.size; size++) {
        unsigned char *cut = malloc(size);
        assert_non_null(cut);
        memcpy(cut, b.bytes, size);
        char got[64];
        snprintf(got, sizeof got, "truncated: %zu bytes", size);
        char need[64];
        size_t wanted = size < 8 ? 8 : size < 8 + strlen(good) ? 8 + strlen(good) : b.size;
        snprintf(need, sizeof need, "the header needs %s%zu", size < 8 ? "at least " : "", wanted);
        expect_refused(cut, size, size, got, need);
        free(cut);
    }
    free(b.bytes);
}

/* Only a part of the file is at hand: its header is enough, less is refused. */
static void test_part_of_a_file(void **state) {
    (void)state;
    blob b = make_blob(good, 0);
    kz__safetensors table;
    kz__err err = {""};
    assert_int_equal(parse(b.bytes, b.size, b.size + GOOD_DATA, &table, &err), KZ_OK);
    assert_int_equal(table.count, 5);
    clear(&table);
    b.bytes = realloc(b.bytes, b.size - 1);
    assert_non_null(b.bytes);
    expect_refused(b.bytes, b.size - 1, b.size + GOOD_DATA, "truncated", "the header needs");
    free(b.bytes);
}

/* B190: bytes after the last tensor are refused, however many. */
static void test_B190_trailing_bytes(void **state) {
    (void)state;
    static const size_t extra[] = {1, 8, (size_t)1 << 20};
    for (size_t i = 0; i < 3; i++) {
        blob b = make_blob(good, GOOD_DATA + extra[i]);
        char text[60];
        snprintf(text, sizeof text, "has %zu bytes after its last tensor", extra[i]);
        expect_refused(b.bytes, b.size, b.size, text, "the header needs");
        free(b.bytes);
    }
}

/* B198, B185: what else is found under that name. */
static void test_B198_not_weights(void **state) {
    (void)state;
    static const struct {
        const char *text, *first, *second;
    } rows[] = {
        {"version https://git-lfs.github.com/spec/v1\noid "
         "sha256:38b1d5971bdbd982b561cccec982669a53\n"
         "size 3857413744\n",
         "Git LFS pointer", "fetch the real one"},
        {"<!DOCTYPE html>\n<html><head><title>Sign in</title></head></html>", "web page", "fetch"},
        {"\n  <HTML lang=en>", "web page", "fetch"},
        {"\xef\xbb\xbf<html>", "web page", "fetch"},
        {"<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>", "XML", "fetch"},
        {"{\"error\":\"Repository not found\"}", "JSON text", ""},
        {"Entry not found, sorry", "not a safetensors file", "header length"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t size = strlen(rows[i].text);
        unsigned char *copy = malloc(size);
        assert_non_null(copy);
        memcpy(copy, rows[i].text, size);
        expect_refused(copy, size, size, rows[i].first, rows[i].second);
        free(copy);
    }
}

static void test_B185_other_containers(void **state) {
    (void)state;
    static const unsigned char gguf[24] = "GGUF\x03\0\0\0\x10\0\0\0\0\0\0\0";
    static const unsigned char zip[30] = "PK\x03\x04\x14\0\0\0";
    expect_refused(gguf, sizeof gguf, sizeof gguf, "GGUF file", "safetensors");
    expect_refused(zip, sizeof zip, sizeof zip, "archive", "safetensors");
}

/* Random damage: refused, or every tensor lies inside the file. */
static void test_B189_random_damage(void **state) {
    (void)state;
    uint64_t random = 12345;
    size_t accepted = 0;
    for (int round = 0; round < 20000; round++) {
        blob b = make_blob(good, GOOD_DATA);
        for (int i = 0; i < 1 + round % 3; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            size_t at = (size_t)(random >> 33) % (8 + strlen(good));
            b.bytes[at] =
                (unsigned char)((random >> 20) % 5 ? '0' + (random >> 24) % 75 : random >> 56);
        }
        kz__safetensors table;
        kz__err err = {""};
        if (parse(b.bytes, b.size, b.size, &table, &err) == KZ_OK) {
            accepted++;
            for (size_t i = 0; i < table.count; i++) {
                assert_true(table.tensors[i].offset + table.tensors[i].bytes <= b.size);
            }
            clear(&table);
        } else {
            assert_true(strlen(err.text) > 10);
        }
        free(b.bytes);
    }
    assert_true(accepted > 0 && accepted < 20000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_header),
        cmocka_unit_test(test_no_tensors),
        cmocka_unit_test(test_real_file),
        cmocka_unit_test(test_B189_hostile_headers),
        cmocka_unit_test(test_B189_header_length),
        cmocka_unit_test(test_B189_cut_everywhere),
        cmocka_unit_test(test_part_of_a_file),
        cmocka_unit_test(test_B190_trailing_bytes),
        cmocka_unit_test(test_B198_not_weights),
        cmocka_unit_test(test_B185_other_containers),
        cmocka_unit_test(test_B189_random_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
