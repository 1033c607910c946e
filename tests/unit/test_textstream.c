/* Live text: the ids of a text do not depend on how it is cut, and words go out early. */
#include "harness/tok.h"
#include "text/cleanup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT_MAX 2048

static kz__mem mem;
static kz__tokenizer *real;
static kz__tokenizer *small;

static int setup(void **state) {
    (void)state;
    kz__mem_init(&mem, NULL, NULL);
    real = kzt_real_tokenizer(&mem, KZT_SOURCE_DIR "/../shared/data/qwen3-tokenizer");
    small = kzt_small_tokenizer(&mem, 7);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    kz__tokenizer_free(real);
    kz__tokenizer_free(small);
    return (int)atomic_load(&mem.current);
}

static void whole(const kz__tokenizer *tokenizer, const char *text, size_t length, unsigned flags,
                  kz__ints *ids) {
    char *clean = NULL;
    size_t clean_length = 0;
    kz__err err;
    kz_status status = KZ_OK;
    if (!(flags & KZ__TEXT_AS_IS)) {
        status = kz__cleanup_text(&mem, text, length, &clean, &clean_length, &err);
        if (status == KZ_ERR_INPUT) return;
        assert_int_equal(status, KZ_OK);
        text = clean;
        length = clean_length;
    }
    assert_int_equal(kz__tokenizer_encode(tokenizer, text, length, flags, ids, &err), KZ_OK);
    kz__free(&mem, clean);
}

/* Pushes text in parts of 1 to `most` bytes. */
static void parts(kz__textstream *stream, const char *text, size_t length, size_t most,
                  uint64_t *random, kz__ints *ids) {
    kz__err err = {{0}};
    size_t at = 0;
    while (at < length) {
        size_t size = 1 + kzt_below(random, most);
        if (size > length - at) size = length - at;
        if (kz__textstream_push(stream, text + at, size, ids, &err) != KZ_OK) {
            fail_msg("%s", err.text);
        }
        at += size;
    }
}

static void compare(const kz__tokenizer *tokenizer, const char *text, size_t length, unsigned flags,
                    size_t most, uint64_t *random) {
    kz__ints expected;
    kz__ints ids;
    kz__ints_init(&expected, &mem);
    kz__ints_init(&ids, &mem);
    whole(tokenizer, text, length, flags, &expected);
    kz__textstream *stream = NULL;
    kz__err err = {{0}};
    assert_int_equal(kz__textstream_open(kz__tokenizer_bpe(tokenizer), &mem, flags, &stream, &err),
                     KZ_OK);
    parts(stream, text, length, most, random, &ids);
    kz_status status = kz__textstream_finish(stream, &ids, &err);
    if (expected.count == 0 && !(flags & KZ__TEXT_AS_IS)) {
        assert_int_equal(status, KZ_ERR_INPUT);
        assert_string_equal(err.text, length ? "the text is blank" : "the text is empty");
    } else {
        assert_int_equal(status, KZ_OK);
    }
    if (ids.count != expected.count ||
        (ids.count && memcmp(ids.data, expected.data, ids.count * sizeof *ids.data) != 0)) {
        fail_msg("flags %u: %zu ids instead of %zu for \"%.*s\"", flags, ids.count, expected.count,
                 (int)length, text);
    }
    kz__textstream_close(stream);
    kz__ints_clear(&expected);
    kz__ints_clear(&ids);
}

static void test_random_cuts(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 7, 40, 4096};
    uint64_t random = 20;
    char text[TEXT_MAX];
    for (int i = 0; i < 6000; i++) {
        size_t length = kzt_random_text(&random, i % 10 ? 30 : 300, text, sizeof text);
        for (unsigned flags = 0; flags < 8; flags++) {
            if (flags & KZ__TEXT_SPECIALS) continue;
            const kz__tokenizer *tokenizer = real && i % 3 == 0 ? real : small;
            compare(tokenizer, text, length, flags, sizes[kzt_below(&random, 6)], &random);
        }
    }
}

static void test_every_single_cut(void **state) {
    (void)state;
    static const char *const texts[] = {
        "a\r\nb",
        " \r\n x \r\n",
        "don't I'LL we've o'r o'l",
        "cafe\xCC\x81 e\xCC\xA7\xCC\x81s",
        "iPhone XMLHttp ABC abC Abc",
        "hi!\n\n/x !/\n",
        "\xEF\xBB\xBFx",
        "x\xE2\x80\x8Dy",
        "\xD9\x85\xDB\x8C\xE2\x80\x8C\xD8\xAE\xD9\x88",
        "\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8 a",
        "1\xEF\xB8\x8F\xE2\x83\xA3 1\xEF\xB8\x8F 12",
        "a \xE3\x80\x80 \n  b  \n",
        "<\xCC\xB8 =\xCC\xB8",
        "\xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9 \xF0\x9F\x91\xA8\xE2\x80\x8D",
        "   ",
        ""};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t length = strlen(texts[i]);
        for (size_t first = 0; first <= length; first++) {
            kz__ints expected;
            kz__ints ids;
            kz__ints_init(&expected, &mem);
            kz__ints_init(&ids, &mem);
            whole(small, texts[i], length, 0, &expected);
            kz__textstream *stream = NULL;
            kz__textstream_open(kz__tokenizer_bpe(small), &mem, 0, &stream, NULL);
            kz__textstream_push(stream, texts[i], first, &ids, NULL);
            kz__textstream_push(stream, texts[i] + first, length - first, &ids, NULL);
            kz__textstream_finish(stream, &ids, NULL);
            assert_int_equal(ids.count, expected.count);
            if (ids.count) {
                assert_memory_equal(ids.data, expected.data, ids.count * sizeof *ids.data);
            }
            kz__textstream_close(stream);
            kz__ints_clear(&expected);
            kz__ints_clear(&ids);
        }
    }
}

/* What is out after each push: the number of bytes that the ids so far stand for. */
static size_t bytes_out(const kz__ints *ids) {
    size_t sum = 0;
    for (size_t i = 0; i < ids->count; i++) {
        const char *bytes = NULL;
        size_t length = 0;
        assert_true(kz__tokenizer_token(small, ids->data[i], &bytes, &length));
        sum += length;
    }
    return sum;
}

static void test_words_go_out_early(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t out;
    } steps[] = {
        {"Hello", 0},
        {" ", 5},
        {"w", 5},
        {"orld.", 11},
        {" ", 12},
        {"12", 15},
        {"!", 15},
        {"\n", 15},
        {"a", 15},
        {"\n", 18},
        {" ", 18},
        {"b", 18},
        {"\xE3\x80\x82", 21},
        {"\xE4\xBD\xA0", 21},
        {"\xE3\x80\x81", 27},
    };
    kz__ints ids;
    kz__ints_init(&ids, &mem);
    kz__textstream *stream = NULL;
    kz__textstream_open(kz__tokenizer_bpe(small), &mem, 0, &stream, NULL);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        kz__textstream_push(stream, steps[i].text, strlen(steps[i].text), &ids, NULL);
        if (bytes_out(&ids) != steps[i].out) {
            fail_msg("step %zu: %zu bytes are out, not %zu", i, bytes_out(&ids), steps[i].out);
        }
    }
    kz__textstream_close(stream);
    kz__ints_clear(&ids);
}

static void test_memory_is_bounded(void **state) {
    (void)state;
    static const char line[] =
        "The quick brown fox, na\xC3\xAFve; 12 \xE4\xBD\xA0\xE5\xA5\xBD\xE3\x80\x82\n";
    kz__mem own;
    kz__mem_init(&own, NULL, NULL);
    kz__ints ids;
    kz__ints_init(&ids, &mem);
    kz__textstream *stream = NULL;
    kz__textstream_open(kz__tokenizer_bpe(small), &own, 0, &stream, NULL);
    for (int i = 0; i < 20000; i++) {
        ids.count = 0;
        assert_int_equal(kz__textstream_push(stream, line, sizeof line - 1, &ids, NULL), KZ_OK);
    }
    assert_true(atomic_load(&own.peak) < 16384);
    kz__textstream_close(stream);
    assert_int_equal(atomic_load(&own.current), 0);
    kz__ints_clear(&ids);
}

/* A MiB of one letter, a byte a push: nothing may be scanned again at each. */
static void test_long_word_in_small_parts(void **state) {
    (void)state;
    uint64_t random = 1;
    size_t length = (size_t)1 << 20;
    char *text = malloc(length);
    assert_non_null(text);
    memset(text, 'a', length);
    compare(small, text, length, 0, 1, &random);
    compare(small, text, length, KZ__TEXT_SECOND, 1, &random);
    memset(text, ' ', length);
    text[0] = text[length - 1] = 'b';
    compare(small, text, length, 0, 1, &random);
    free(text);
}

static void expect_error(const char *first, const char *second, const char *offset) {
    kz__ints ids;
    kz__ints_init(&ids, &mem);
    kz__err err = {{0}};
    kz__textstream *stream = NULL;
    kz__textstream_open(kz__tokenizer_bpe(small), &mem, 0, &stream, &err);
    assert_int_equal(kz__textstream_push(stream, first, strlen(first), &ids, &err), KZ_OK);
    kz_status status = kz__textstream_push(stream, second, strlen(second), &ids, &err);
    if (status == KZ_OK) status = kz__textstream_finish(stream, &ids, &err);
    assert_int_equal(status, KZ_ERR_INPUT);
    if (!strstr(err.text, offset)) fail_msg("%s", err.text);
    assert_int_equal(kz__textstream_push(stream, "a", 1, &ids, &err), KZ_ERR_STATE);
    kz__textstream_close(stream);
    kz__ints_clear(&ids);
}

static void test_B173_errors_have_the_offset_in_the_stream(void **state) {
    (void)state;
    expect_error("abc ", "d\xFF", "byte offset 5 ");
    expect_error("abc\xE4\xBD", "(", "byte offset 3 ");
    expect_error("abc\xE4\xBD", "", "byte offset 3 ");
    expect_error("\xED", "\xA0\x80", "byte offset 0 ");
    expect_error("x\xF4", "\x90\x80\x80", "byte offset 1 ");
}

typedef struct failing {
    long left; /* allocations until one fails */
} failing;

static void *failing_alloc(void *user, size_t bytes, size_t alignment) {
    failing *f = user;
    if (f->left-- <= 0) return NULL;
    return aligned_alloc(alignment, bytes);
}

static void failing_release(void *user, void *ptr) {
    (void)user;
    free(ptr);
}

static void test_every_allocation_can_fail(void **state) {
    (void)state;
    static const char text[] =
        "e\xCC\x81\xCC\xA7  \n\n a longer line of text than fits at first. "
        "e\xCC\xA7\xCC\x81 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n";
    failing f = {0};
    kz_allocator allocator = {sizeof allocator, failing_alloc, failing_release, &f};
    kz_status status = KZ_ERR_MEMORY;
    for (long n = 0; status == KZ_ERR_MEMORY; n++) {
        assert_true(n < 1000);
        kz__mem own;
        kz__mem_init(&own, &allocator, NULL);
        f.left = n;
        kz__ints ids;
        kz__ints_init(&ids, &own);
        kz__textstream *stream = NULL;
        status = kz__textstream_open(kz__tokenizer_bpe(small), &own, 0, &stream, NULL);
        for (int i = 0; i < 20 && status == KZ_OK; i++) {
            status = kz__textstream_push(stream, text, sizeof text - 1, &ids, NULL);
        }
        if (status == KZ_OK) status = kz__textstream_finish(stream, &ids, NULL);
        kz__textstream_close(stream);
        kz__ints_clear(&ids);
        assert_int_equal(atomic_load(&own.current), 0);
    }
    assert_int_equal(status, KZ_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_cuts),
        cmocka_unit_test(test_every_single_cut),
        cmocka_unit_test(test_words_go_out_early),
        cmocka_unit_test(test_memory_is_bounded),
        cmocka_unit_test(test_long_word_in_small_parts),
        cmocka_unit_test(test_B173_errors_have_the_offset_in_the_stream),
        cmocka_unit_test(test_every_allocation_can_fail),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
