/* The packed form, byte by byte: what is written, and that nothing broken is read. Checksums are
 * made by the harness's own reading of the format. */
#include "weights/packed.h"

#include "base/checksum.h"
#include "harness/counting_alloc.h"
#include "harness/packed.h"
#include "harness/tests.h"
#include "harness/tmpdir.h"
#include "weights/weights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE 4096u /* the header */
#define ALIGN 64u

static kz__mem mem;

/* ---- a small file -------------------------------------------------------------------------- */

enum { LONG_ROWS = 700, LONG_WIDTH = 1000 }; /* two floats of a table are in different chunks */

static float table_value(size_t i) {
    return (float)(i % 1013) - 500.0f;
}

static kz_status put(kz__packed_writer *w, const char *name, kz__packed_kind kind, kz__dtype type,
                     const size_t *shape, int rank, const void *data, size_t bytes, kz__err *err) {
    kz__packed_entry e = {.name = name, .kind = kind, .type = type, .rank = rank, .bytes = bytes};
    for (int i = 0; i < rank; i++) e.shape[i] = shape[i];
    if (kind == KZ__PACKED_PANELS) e.factor = 0.25f;
    return kz__packed_write(w, &e, data, err);
}

/* Entries of all kinds; `large` adds a table of several chunks. */
static kz_status write_file(kz__mem *account, kzt_file *file, bool large, kz__err *err) {
    static const char text[] = "{\"a\": 1}";
    static const float vector[3] = {1.5f, -2.0f, 3.0f};
    const size_t three = 3;
    const size_t matrix[2] = {20, 64};
    const size_t panels[3] = {2, 1, 64};
    const size_t taps[3] = {1, 3, 2};
    const size_t table[2] = {LONG_ROWS, LONG_WIDTH};
    unsigned char *blocks = calloc(1, 2 * 9 * 64 + 6 * 64);
    float *rows = malloc(LONG_ROWS * LONG_WIDTH * sizeof *rows);
    kz__packed_writer *w = NULL;
    uint64_t bytes = 0;
    size_t entries = 0;
    for (size_t i = 0; i < 2 * 9 * 64; i++) blocks[i] = (unsigned char)(i * 7);
    for (size_t i = 0; i < LONG_ROWS * LONG_WIDTH; i++) rows[i] = table_value(i);
    kz_status s = kz__packed_writer_create(account, kzt_file_take, file, &w, err);
    if (!s) s = put(w, "m", KZ__PACKED_PANELS, KZ__Q4, panels, 3, blocks, 2 * 9 * 64, err);
    if (!s) s = put(w, "c", KZ__PACKED_PANELS, KZ__F32, taps, 3, blocks, 6 * 64, err);
    if (!s) s = put(w, "m.weight", KZ__PACKED_SHAPE, KZ__BF16, matrix, 2, NULL, 0, err);
    if (!s) s = put(w, "v", KZ__PACKED_TENSOR, KZ__F32, &three, 1, vector, sizeof vector, err);
    if (!s && large) {
        s = put(w, "t", KZ__PACKED_TENSOR, KZ__F32, table, 2, rows,
                LONG_ROWS * LONG_WIDTH * sizeof *rows, err);
    }
    if (!s) {
        s = put(w, "config.json", KZ__PACKED_FILE, KZ__OTHER, NULL, 0, text, sizeof text - 1, err);
    }
    if (!s) {
        kz__packed_header h = {KZ__PACKED_MAJOR, KZ__PACKED_MINOR, 7, KZ_TYPE_Q4, "direct"};
        s = kz__packed_finish(w, &h, &bytes, &entries, err);
        if (!s) assert_int_equal(bytes, file->size);
        if (!s) assert_int_equal(entries, large ? 6 : 5);
    }
    kz__packed_writer_free(w);
    free(blocks);
    free(rows);
    return s;
}

static kzt_file make_file(bool large) {
    kzt_file file = {0};
    kz__err err = {""};
    if (write_file(&mem, &file, large, &err)) fail_msg("%s", err.text);
    return file;
}

/* Begins a check of every entry. */
static kz_status begin_check(kz__mem *account, const kz__packed *p, kz__packed_check *check,
                             kz__err *err) {
    bool used[8];
    assert_true(p->count <= 8);
    memset(used, true, sizeof used);
    return kz__packed_check_begin(account, p, used, check, err);
}

/* Reads all of a file, as opening a model does. */
static kz_status read_all(kz__mem *account, const unsigned char *bytes, size_t size, kz__err *err) {
    kz__packed p = {0};
    kz__packed_check check;
    char *path = NULL;
    const char *data = NULL;
    size_t length = 0;
    kz_status s = kz__packed_parse(account, bytes, size, "dir/x.kz", &p, err);
    if (!s) s = kz__packed_file(&p, "config.json", false, &path, &data, &length, err);
    kz__free(account, path);
    if (!s) s = begin_check(account, &p, &check, err);
    if (!s) {
        for (size_t i = 0; i < check.items; i++) kz__packed_check_item(&check, i);
        s = kz__packed_check_end(&check, err);
    }
    kz__packed_close(&p);
    return s;
}

static void refused(const unsigned char *bytes, size_t size, const char *part) {
    kz__err err = {""};
    kz_status status = read_all(&mem, bytes, size, &err);
    if (status != KZ_ERR_MODEL || !strstr(err.text, part) || !strstr(err.text, "x.kz")) {
        fail_msg("%d '%s', wanted '%s'", (int)status, err.text, part);
    }
    assert_int_equal(atomic_load(&mem.current), 0);
}

/* ---- what is written ----------------------------------------------------------------------- */

static void test_bytes(void **state) {
    (void)state;
    kzt_file f = make_file(true);
    const unsigned char *b = f.bytes;
    assert_memory_equal(b, "\x89KAZEIA\n", 8);
    assert_int_equal(kzt_get(b, 8, 4), 2);
    assert_int_equal(kzt_get(b, 12, 4), 0);
    assert_int_equal(kzt_get(b, 16, 8), f.size);
    assert_int_equal(kzt_get(b, 40, 4), 6);
    assert_int_equal(kzt_get(b, 44, 4), 7);
    assert_int_equal(kzt_get(b, 48, 4), KZ_TYPE_Q4);
    assert_string_equal((const char *)b + 64, "direct");
    /* every entry begins where the zeros of the last one end, which its checksum covers */
    uint64_t at = PAGE;
    size_t row = (size_t)kzt_get(b, 24, 8);
    for (int i = 0; i < 6; i++, row += 256) {
        uint64_t offset = kzt_get(b, row + 160, 8);
        uint64_t bytes = kzt_get(b, row + 168, 8);
        if (!bytes) continue;
        assert_int_equal(offset, at);
        uint64_t padded = (bytes + ALIGN - 1) / ALIGN * ALIGN;
        assert_int_equal(kzt_get(b, row + 176, 8), kzt_checksum(b + offset, padded));
        at += padded;
    }
    assert_int_equal(at, kzt_get(b, 24, 8));
    row = kzt_packed_row(&f, "m");
    assert_int_equal(kzt_get(b, row + 184, 4), 4);
    assert_int_equal(kzt_get(b, row + 188, 4), KZ__Q4);
    assert_int_equal(kzt_get(b, row + 196, 4), 0x3e800000);
    assert_int_equal(kzt_get(b, row + 200, 8), 2);
    assert_int_equal(kzt_get(b, row + 216, 8), 64);
    /* sealing changes nothing: table and header have the harness's checksums too */
    kzt_file again = make_file(true);
    kzt_packed_seal(again.bytes, again.size);
    assert_int_equal(f.size, again.size);
    assert_memory_equal(f.bytes, again.bytes, f.size);
    kzt_file_free(&again);
    kzt_file_free(&f);
}

static void test_checksum(void **state) {
    (void)state;
    unsigned char bytes[1024];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(i * i + 3);
    for (size_t n = 0; n <= 512; n++) {
        unsigned char padded[1024] = {0};
        memcpy(padded, bytes, n);
        size_t whole = (n + 63) / 64 * 64 + 64;
        assert_int_equal(kz__checksum(bytes, n, whole), kzt_checksum(padded, whole));
    }
}

/* ---- what is read -------------------------------------------------------------------------- */

static void test_reading(void **state) {
    (void)state;
    kzt_file f = make_file(true);
    kz__packed p = {0};
    kz__weights *w = NULL;
    kz__tensor tensor;
    kz__err err = {""};
    const size_t three = 3;
    const size_t matrix[2] = {20, 64};
    const size_t table[2] = {LONG_ROWS, LONG_WIDTH};
    assert_int_equal(kz__packed_parse(&mem, f.bytes, f.size, "x.kz", &p, &err), KZ_OK);
    assert_int_equal(p.header.arithmetic, 7);
    assert_int_equal(p.header.type, KZ_TYPE_Q4);
    assert_int_equal(kz__weights_from_packed(&mem, &p, &w, &err), KZ_OK);
    assert_true(kz__weights_are_packed(w));
    assert_int_equal(kz__weights_need(w, "v", 1, &three, &tensor, &err), KZ_OK);
    assert_true(kz__tensor_at(&tensor, 1) == -2.0f);
    assert_int_equal(kz__weights_need(w, "t", 2, table, &tensor, &err), KZ_OK);
    size_t last = LONG_ROWS * LONG_WIDTH - 1;
    assert_true(kz__tensor_at(&tensor, last) == table_value(last));
    /* a tensor that panels hold is there as a shape, and not as values */
    assert_int_equal(kz__weights_source(w, "m.weight", 2, matrix, &tensor, &err), KZ_OK);
    assert_null(tensor.data);
    assert_int_equal(kz__weights_need(w, "m.weight", 2, matrix, &tensor, &err), KZ_ERR_MODEL);
    assert_non_null(strstr(err.text, "only the shape of tensor 'm.weight'"));
    assert_int_equal(kz__weights_source(w, "m", 2, matrix, &tensor, &err), KZ_ERR_MODEL);
    assert_int_equal(kz__weights_values(w), 3 + LONG_ROWS * LONG_WIDTH + 20 * 64);
    assert_int_equal(kz__weights_mapped(w), f.size);
    kz__panels panels = {"m", KZ__Q4, 2, 1, 64, 0};
    const void *data = NULL;
    assert_int_equal(kz__weights_panels(w, &panels, &data, &err), KZ_OK);
    assert_true(panels.factor == 0.25f);
    assert_int_equal(((const unsigned char *)data)[11], 77);
    assert_int_equal(((uintptr_t)data - (uintptr_t)f.bytes) % ALIGN, 0);
    kz__panels wrong[] = {
        {"m", KZ__Q8, 2, 1, 64, 0}, {"m", KZ__Q4, 3, 1, 64, 0}, {"m", KZ__Q4, 2, 2, 64, 0},
        {"m", KZ__Q4, 2, 1, 60, 0}, {"n", KZ__Q4, 2, 1, 64, 0}, {"v", KZ__F32, 1, 1, 3, 0},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(kz__weights_panels(w, &wrong[i], &data, &err), KZ_ERR_MODEL);
        assert_non_null(strstr(err.text, "x.kz"));
    }
    kz__weights_close(w);
    kz__packed_close(&p);
    assert_int_equal(read_all(&mem, f.bytes, f.size, &err), KZ_OK);
    assert_int_equal(atomic_load(&mem.current), 0);
    kzt_file_free(&f);
}

static void expect_row(const kz__rows *rows, size_t index) {
    float row[LONG_WIDTH];
    kz__err err = {""};
    if (kz__rows_read(rows, index, row, &err)) fail_msg("%s", err.text);
    for (size_t i = 0; i < LONG_WIDTH; i++) {
        assert_true(row[i] == table_value(index * LONG_WIDTH + i));
    }
}

/* From bytes in memory, from a file, and from one that was cut inside row 350. */
static void test_rows(void **state) {
    (void)state;
    kzt_file f = make_file(true);
    char *folder = kzt_tmpdir_make();
    char *path = kzt_path(folder, "x.kz");
    float row[LONG_WIDTH];
    kz__err err = {""};
    kzt_write(folder, "x.kz", f.bytes, f.size);
    size_t cut = (size_t)kzt_get(f.bytes, kzt_packed_row(&f, "t") + 160, 8) +
                 350 * sizeof row + 8;
    for (int i = 0; i < 2; i++) {
        kz__packed p = {0};
        kz__weights *w = NULL;
        kz__rows rows = {0};
        kz_status status = i ? kz__packed_open(&mem, path, &p, &err)
                             : kz__packed_parse(&mem, f.bytes, f.size, "x.kz", &p, &err);
        assert_int_equal(status, KZ_OK);
        assert_int_equal(kz__weights_from_packed(&mem, &p, &w, &err), KZ_OK);
        assert_int_equal(kz__weights_rows(w, "t", LONG_ROWS, 999, &rows, &err), KZ_ERR_MODEL);
        assert_int_equal(kz__weights_rows(w, "m.weight", 20, 64, &rows, &err), KZ_ERR_MODEL);
        assert_int_equal(kz__weights_rows(w, "t", LONG_ROWS, LONG_WIDTH, &rows, &err), KZ_OK);
        for (size_t index = 0; index < LONG_ROWS; index += 233) expect_row(&rows, index);
        if (i) {
            assert_int_equal(truncate(path, (off_t)cut), 0);
            expect_row(&rows, 349);
            assert_int_equal(kz__rows_read(&rows, 350, row, &err), KZ_ERR_MODEL);
            assert_non_null(strstr(err.text, "x.kz': row 350 of tensor 't' cannot be read, 8 of "
                                             "its 4000 bytes are there"));
            assert_int_equal(kz__rows_read(&rows, LONG_ROWS - 1, row, &err), KZ_ERR_MODEL);
            kz__weights *late = NULL;
            assert_int_equal(kz__weights_from_packed(&mem, &p, &late, &err), KZ_ERR_MODEL);
            assert_non_null(strstr(err.text, "x.kz' was cut while in use"));
        }
        kz__weights_close(w);
        kz__packed_close(&p);
    }
    assert_int_equal(atomic_load(&mem.current), 0);
    kzt_file_free(&f);
    free(path);
    kzt_tmpdir_remove(folder);
}

/* ---- what is damaged ----------------------------------------------------------------------- */

static void test_cut(void **state) {
    (void)state;
    kzt_file f = make_file(false);
    for (size_t size = 0; size < f.size; size++) refused(f.bytes, size, "x.kz");
    refused(f.bytes, 5, "does not begin like one");
    refused(f.bytes, 100, "is cut: 100 bytes, its header alone has 4096");
    refused(f.bytes, f.size - 1, "is cut");
    unsigned char *longer = calloc(1, f.size + ALIGN);
    memcpy(longer, f.bytes, f.size);
    refused(longer, f.size + 1, "something behind its end");
    refused(longer, f.size + ALIGN, "something behind its end");
    free(longer);
    kzt_file_free(&f);
}

/* Two users of one file: each compares what it needs itself. */
static void test_check_of_what_is_needed(void **state) {
    (void)state;
    kzt_file f = make_file(true);
    kz__packed p = {0};
    kz__weights *one = NULL;
    kz__weights *two = NULL;
    kz__tensor tensor;
    kz__err err = {""};
    kz__panels panels = {"m", KZ__Q4, 2, 1, 64, 0};
    const void *data = NULL;
    const size_t three = 3;
    f.bytes[kzt_get(f.bytes, kzt_packed_row(&f, "v") + 160, 8) + 4] ^= 1;
    assert_int_equal(kz__packed_parse(&mem, f.bytes, f.size, "x.kz", &p, &err), KZ_OK);
    assert_int_equal(kz__weights_from_packed(&mem, &p, &one, &err), KZ_OK);
    assert_int_equal(kz__weights_from_packed(&mem, &p, &two, &err), KZ_OK);
    assert_int_equal(kz__weights_panels(one, &panels, &data, &err), KZ_OK);
    assert_int_equal(kz__weights_need(two, "v", 1, &three, &tensor, &err), KZ_OK);
    assert_int_equal(kz__weights_check(one, &err), KZ_OK);
    assert_int_equal(kz__weights_check(two, &err), KZ_ERR_MODEL);
    assert_non_null(strstr(err.text, "'x.kz' is damaged: the checksum of 'v' does not fit"));
    f.bytes[kzt_get(f.bytes, kzt_packed_row(&f, "m") + 160, 8) + 1000] ^= 1;
    assert_int_equal(kz__weights_check(one, &err), KZ_ERR_MODEL);
    assert_non_null(strstr(err.text, "'m'"));
    kz__weights_close(one);
    kz__weights_close(two);
    kz__packed_close(&p);
    kzt_file_free(&f);
    assert_int_equal(atomic_load(&mem.current), 0);
}

/* Each byte is under a checksum, zeros between entries included. */
static void test_every_flipped_byte(void **state) {
    (void)state;
    kzt_file f = make_file(false);
    for (size_t i = 0; i < f.size; i++) {
        unsigned char was = f.bytes[i];
        f.bytes[i] = (unsigned char)(was ^ (1u << i % 8));
        refused(f.bytes, f.size, "x.kz");
        f.bytes[i] = was;
    }
    f.bytes[70] ^= 1;
    refused(f.bytes, f.size, "checksum of 'header'");
    f.bytes[70] ^= 1;
    f.bytes[f.size - 1] ^= 1;
    refused(f.bytes, f.size, "checksum of 'table of contents'");
    f.bytes[f.size - 1] ^= 1;
    f.bytes[PAGE] ^= 1;
    refused(f.bytes, f.size, "checksum of 'm' does not fit");
    kzt_file_free(&f);
    f = make_file(true);
    size_t offset = (size_t)kzt_get(f.bytes, kzt_packed_row(&f, "t") + 160, 8);
    for (size_t i = 0; i < 2800000; i += 99991) {
        f.bytes[offset + i] ^= 0x80;
        refused(f.bytes, f.size, "checksum of 't' does not fit");
        f.bytes[offset + i] ^= 0x80;
    }
    kzt_file_free(&f);
}

static void test_versions(void **state) {
    (void)state;
    kz__err err;
    kzt_file f = make_file(false);
    kzt_put(f.bytes, 8, 4, 3); /* a newer one may have its checksum elsewhere */
    refused(f.bytes, f.size, "version 3.0 of the packed form, this Kazeia reads 2: use a newer");
    kzt_put(f.bytes, 8, 4, 1);
    refused(f.bytes, f.size, "version 1.0 of the packed form, this Kazeia reads 2: convert");
    kzt_put(f.bytes, 8, 4, 2);
    kzt_put(f.bytes, 12, 4, 9);
    kzt_packed_seal(f.bytes, f.size);
    assert_int_equal(read_all(&mem, f.bytes, f.size, &err), KZ_OK);
    kzt_file_free(&f);
}

/* ---- what contradicts itself, under right checksums ----------------------------------------- */

static void test_hostile_header(void **state) {
    (void)state;
    const struct {
        size_t at;
        int width;
        uint64_t value;
        const char *part;
    } rows[] = {
        {16, 8, 0, "something behind"},      {16, 8, UINT64_MAX, "is cut"},
        {24, 8, 0, "contradicts"},           {24, 8, UINT64_MAX, "contradicts"},
        {24, 8, UINT64_MAX - 63, "contradicts"}, {24, 8, 4097, "contradicts"},
        {40, 4, 0, "contradicts"},           {40, 4, UINT32_MAX, "contradicts"},
        {40, 4, 17, "contradicts"},          {40, 4, 4, "contradicts"},
        {40, 4, 6, "contradicts"},  {48, 4, 5, "contradicts"},
        {48, 4, UINT32_MAX, "contradicts"},  {64, 1, 0, "contradicts"},
        {95, 1, 'x', "contradicts"},       {64, 1, 'D', "decoder 'Direct', which"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kzt_file f = make_file(false);
        kzt_put(f.bytes, rows[i].at, rows[i].width, rows[i].value);
        kzt_packed_seal(f.bytes, f.size);
        refused(f.bytes, f.size, rows[i].part);
        kzt_file_free(&f);
    }
}

static void test_hostile_entries(void **state) {
    (void)state;
    const struct {
        const char *name;
        size_t at;
        int width;
        uint64_t value;
        const char *part;
    } rows[] = {
        {"m", 0, 1, 0, "plain name"},       {"m", 0, 1, 0x80, "plain name"},
        {"m", 5, 1, 'x', "plain name"},     {"m", 0, 1, 'c', "there twice"},
        {"m", 160, 8, 0, "lie behind"},     {"m", 160, 8, 8192, "lie behind"},
        {"c", 160, 8, 4096, "lie behind"},  {"c", 160, 8, UINT64_MAX - 63, "lie behind"},
        {"m", 168, 8, 0, "number of bytes"}, {"m", 168, 8, UINT64_MAX, "number of bytes"},
        {"v", 168, 8, 16, "number of bytes"}, {"config.json", 168, 8, 0, "lie behind"},
        {"config.json", 168, 8, UINT64_MAX, "lie behind"},
        {"config.json", 168, 8, 65, "lie behind"},
        {"m.weight", 160, 8, 4096, "should have none"},
        {"m.weight", 168, 8, 64, "should have none"},
        {"m", 184, 4, 0, "cannot be"},      {"m", 184, 4, 5, "cannot be"},
        {"m", 184, 4, UINT32_MAX, "cannot be"}, {"m", 188, 4, 6, "cannot be"},
        {"m", 188, 4, 3, "cannot be"},      {"m", 188, 4, 2, "cannot be"},
        {"v", 188, 4, 4, "cannot be"},      {"v", 188, 4, 1, "number of bytes"},
        {"v", 188, 4, UINT32_MAX, "cannot be"}, {"config.json", 188, 4, 0, "cannot be"},
        {"v", 192, 4, 5, "cannot be"},      {"v", 192, 4, UINT32_MAX, "cannot be"},
        {"v", 192, 4, 0, "number of bytes"}, {"m", 192, 4, 2, "shape that cannot be"},
        {"m", 200, 8, 0, "shape that cannot be"}, {"m", 200, 8, UINT64_MAX, "cannot be"},
        {"m", 200, 8, UINT64_MAX / 8, "cannot be"}, {"m", 208, 8, 2, "number of bytes"},
        {"m", 216, 8, 65, "number of bytes"}, {"m", 216, 8, UINT64_MAX / 8, "cannot be"},
        {"c", 208, 8, UINT64_MAX / 64, "cannot be"}, {"v", 200, 8, 2, "number of bytes"},
        {"v", 200, 8, UINT64_MAX / 8, "number of bytes"},
        {"v", 200, 8, (UINT64_MAX >> 2) + 4, "cannot be"},
        {"v", 184, 4, 4, "cannot be"},      {"v", 184, 4, 3, "should have none"},
        {"m.weight", 184, 4, 2, "number of bytes"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kzt_file f = make_file(false);
        size_t row = kzt_packed_row(&f, rows[i].name);
        assert_true(row > 0);
        kzt_put(f.bytes, row + rows[i].at, rows[i].width, rows[i].value);
        kzt_packed_seal(f.bytes, f.size);
        refused(f.bytes, f.size, rows[i].part);
        kzt_file_free(&f);
    }
}

/* The last entry with data becomes a shape: its bytes are nobody's. */
static void test_bytes_of_no_entry(void **state) {
    (void)state;
    kzt_file f = make_file(false);
    size_t row = kzt_packed_row(&f, "config.json");
    kzt_put(f.bytes, row + 160, 8, 0);
    kzt_put(f.bytes, row + 168, 8, 0);
    kzt_put(f.bytes, row + 184, 4, KZ__PACKED_SHAPE);
    kzt_put(f.bytes, row + 188, 4, KZ__F32);
    kzt_packed_seal(f.bytes, f.size);
    refused(f.bytes, f.size, "64 bytes before its table belong to no entry");
    kzt_file_free(&f);
}

static void test_names_that_do_not_fit(void **state) {
    (void)state;
    char name[200];
    kz__err err = {""};
    kzt_file f = {0};
    kz__packed_writer *w = NULL;
    assert_int_equal(kz__packed_writer_create(&mem, kzt_file_take, &f, &w, &err), KZ_OK);
    memset(name, 'n', sizeof name);
    name[160] = 0;
    assert_int_equal(put(w, name, KZ__PACKED_FILE, KZ__OTHER, NULL, 0, "x", 1, &err), KZ_ERR_MODEL);
    name[159] = 0;
    assert_int_equal(put(w, name, KZ__PACKED_FILE, KZ__OTHER, NULL, 0, "x", 1, &err), KZ_OK);
    kz__packed_writer_free(w);
    kzt_file_free(&f);
}

/* ---- files, memory, and writers that stop --------------------------------------------------- */

static void test_files(void **state) {
    (void)state;
    char *folder = kzt_tmpdir_make();
    kzt_file f = make_file(true);
    kz__err err = {""};
    kz__packed p = {0};
    kzt_write(folder, "named.kz", "GGUF", 4);
    kzt_write(folder, "model", f.bytes, f.size);
    kzt_write(folder, "other", "GGUF....", 8);
    char *named = kzt_path(folder, "named.kz");
    char *model = kzt_path(folder, "model");
    char *other = kzt_path(folder, "other");
    assert_true(kz__packed_is(named));
    assert_true(kz__packed_is(model));
    assert_false(kz__packed_is(other));
    assert_false(kz__packed_is(folder));
    assert_false(kz__packed_is("/nowhere.kz"));
    assert_int_equal(kz__packed_open(&mem, named, &p, &err), KZ_ERR_MODEL);
    assert_non_null(strstr(err.text, "does not begin like one"));
    kz__packed_close(&p);
    assert_int_equal(kz__packed_open(&mem, model, &p, &err), KZ_OK);
    kz__packed_check check;
    assert_int_equal(begin_check(&mem, &p, &check, &err), KZ_OK);
    assert_int_equal(check.items, 3 + 3 + 1);
    for (size_t i = check.items; i > 0; i--) kz__packed_check_item(&check, i - 1); /* any order */
    assert_int_equal(kz__packed_check_end(&check, &err), KZ_OK);
    /* pages of the table that were given up are there again when they are read */
    const float *table = kz__packed_data(&p, kz__packed_find(&p, "t"));
    for (size_t i = 0; i < LONG_ROWS * LONG_WIDTH; i += 997) {
        assert_true(table[i] == table_value(i));
    }
    kz__packed_close(&p);
    free(named);
    free(model);
    free(other);
    kzt_tmpdir_remove(folder);
    kzt_file_free(&f);
    assert_int_equal(atomic_load(&mem.current), 0);
}

static void test_stops(void **state) {
    (void)state;
    kz__err err = {""};
    kzt_file whole = make_file(true);
    assert_true(whole.calls > 2);
    for (size_t n = 1; n <= whole.calls; n++) {
        kzt_file f = {.stop_at = n};
        assert_int_equal(write_file(&mem, &f, true, &err), KZ_ERR_OUTPUT);
        assert_int_equal(f.calls, n);
        /* what is there is no packed file */
        kz__packed p = {0};
        assert_int_equal(kz__packed_parse(&mem, f.bytes, f.size, "x.kz", &p, &err), KZ_ERR_MODEL);
        kz__packed_close(&p);
        kzt_file_free(&f);
        assert_int_equal(atomic_load(&mem.current), 0);
    }
    kzt_file_free(&whole);
}

static void test_memory_runs_out(void **state) {
    (void)state;
    kzt_file whole = make_file(true);
    kzt_counter counter = {0};
    kz_allocator allocator = kzt_counting_allocator(&counter);
    kz__mem limited;
    kz__err err;
    assert_int_equal(kz__mem_init(&limited, &allocator, NULL), KZ_OK);
    kz_status status = KZ_ERR_MEMORY;
    for (size_t n = 1; status != KZ_OK; n++) {
        kzt_file f = {0};
        counter.calls = 0;
        counter.fail_from = n;
        status = write_file(&limited, &f, true, &err);
        assert_true(status == KZ_OK || status == KZ_ERR_MEMORY);
        assert_int_equal(counter.blocks, 0);
        kzt_file_free(&f);
    }
    status = KZ_ERR_MEMORY;
    for (size_t n = 1; status != KZ_OK; n++) {
        counter.calls = 0;
        counter.fail_from = n;
        status = read_all(&limited, whole.bytes, whole.size, &err);
        assert_true(status == KZ_OK || status == KZ_ERR_MEMORY);
        assert_int_equal(counter.blocks, 0);
    }
    kzt_file_free(&whole);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_checksum),
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_check_of_what_is_needed),
        cmocka_unit_test(test_every_flipped_byte),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_hostile_header),
        cmocka_unit_test(test_hostile_entries),
        cmocka_unit_test(test_bytes_of_no_entry),
        cmocka_unit_test(test_names_that_do_not_fit),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_stops),
        cmocka_unit_test(test_memory_runs_out),
    };
    kz__mem_init(&mem, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
