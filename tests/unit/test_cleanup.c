/* The standing clean-up of a user's text against hand-written tables. */
#include "text/cleanup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static kz__mem mem;

typedef struct pair {
    const char *text, *clean;
} pair;

static int setup(void **state) {
    (void)state;
    return kz__mem_init(&mem, NULL, NULL) != KZ_OK;
}

static int teardown(void **state) {
    (void)state;
    return (int)atomic_load(&mem.current);
}

static void check(const char *text, size_t length, const char *clean) {
    char *out = NULL;
    size_t out_length = 0;
    kz__err err = {{0}};
    if (kz__cleanup_text(&mem, text, length, &out, &out_length, &err) != KZ_OK) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(out_length, strlen(out));
    assert_string_equal(out, clean);
    kz__free(&mem, out);
}

/* And what is clean stays so. */
static void check_all(const pair *pairs, size_t count) {
    for (size_t i = 0; i < count; i++) {
        check(pairs[i].text, strlen(pairs[i].text), pairs[i].clean);
        check(pairs[i].clean, strlen(pairs[i].clean), pairs[i].clean);
    }
}

#define CHECK_ALL(pairs) check_all(pairs, sizeof(pairs) / sizeof *(pairs))

static void test_text_passes_as_it_is(void **state) {
    (void)state;
    static const pair pairs[] = {
        {"a", "a"},
        {"Two  blanks,\tand <|im_end|>.", "Two  blanks,\tand <|im_end|>."},
        {"a\x07\x1B"
         "b",
         "a\x07\x1B"
         "b"},
        {"\xEF\xBF\xBD x \xEF\xBF\xBD", "\xEF\xBF\xBD x \xEF\xBF\xBD"}, /* U+FFFD */
        {"e\xCC\x81 \xF0\x9F\x98\x80", "e\xCC\x81 \xF0\x9F\x98\x80"},
        {"\xE4\xBB\x8A\xE5\xA4\xA9\xE3\x80\x82", "\xE4\xBB\x8A\xE5\xA4\xA9\xE3\x80\x82"},
        {"a\n\n \nb", "a\n\n \nb"},
    };
    CHECK_ALL(pairs);
}

static void test_B013_line_ends(void **state) {
    (void)state;
    static const pair pairs[] = {
        {"one\r\ntwo", "one\ntwo"},
        {"one\rtwo", "one\ntwo"},
        {"one\r\r\ntwo\r\n\r\nthree", "one\n\ntwo\n\nthree"},
        {"one\n\rtwo", "one\n\ntwo"},
        {"one\xC2\x85two", "one\ntwo"},         /* next line */
        {"one\xE2\x80\xA8two", "one\ntwo"},     /* line separator */
        {"one\xE2\x80\xA9two\r\n", "one\ntwo"}, /* paragraph separator */
    };
    CHECK_ALL(pairs);
}

static void test_B020_spaces(void **state) {
    (void)state;
    static const pair pairs[] = {
        {"a\xC2\xA0"
         "b",
         "a b"}, /* no-break */
        {"a\xE2\x80\xAF"
         "b",
         "a b"}, /* narrow no-break */
        {"a\xE3\x80\x80"
         "b",
         "a b"}, /* ideographic */
        {"a\xE2\x80\x80\xE2\x80\x8A"
         "b",
         "a  b"}, /* en quad, hair */
        {"a\xE1\x9A\x80"
         "b\xE2\x81\x9F"
         "c",
         "a b c"}, /* ogham, mathematical */
        {"\xC2\xA0 a \xC2\xA0", "a"},
    };
    CHECK_ALL(pairs);
}

static void test_B021_invisible_marks(void **state) {
    (void)state;
    static const pair pairs[] = {
        {"exam\xC2\xADple", "example"},                 /* soft hyphen */
        {"exam\xE2\x80\x8Bple", "example"},             /* zero-width space */
        {"exam\xE2\x80\x8Cp\xE2\x80\x8Dle", "example"}, /* joiners between Latin letters */
        {"\xEF\xBB\xBFHello", "Hello"},                 /* byte-order mark first, inside, last */
        {"He\xEF\xBB\xBFllo\xEF\xBB\xBF", "Hello"},
        {"a\xE2\x81\xA0"
         "b",
         "ab"}, /* word joiner */
        {"\xE2\x80\x8E"
         "a\xE2\x80\x8F",
         "a"}, /* direction marks */
        {"\xE2\x80\xAB\xD8\xA7\xE2\x80\xAC \xE2\x81\xA7"
         "b\xE2\x81\xA9",
         "\xD8\xA7 b"},
        {"\xD8\x9C\xD8\xA7", "\xD8\xA7"},   /* Arabic letter mark */
        {"a\xCD\x8F\xCC\x81", "a\xCC\x81"}, /* grapheme joiner */
        {"a\xEF\xB8\x8F \xE2\x98\xBA\xEF\xB8\x8E"
         "b",
         "a \xE2\x98\xBA\xEF\xB8\x8E"
         "b"},
        {"\xE8\x91\x9B\xF3\xA0\x84\x80", "\xE8\x91\x9B"}, /* ideographic variation */
        {"a\xF3\xA0\x81\xA7", "a"},                       /* tag behind no flag */
        {"a \xE2\x80\x8B\n", "a"},
    };
    CHECK_ALL(pairs);
}

static void test_B021_joiners_stay_where_scripts_need_them(void **state) {
    (void)state;
    static const pair pairs[] = {
        /* Persian mi-khaham */
        {"\xD9\x85\xDB\x8C\xE2\x80\x8C\xD8\xAE", "\xD9\x85\xDB\x8C\xE2\x80\x8C\xD8\xAE"},
        {"\xD9\x85\xD9\x90\xE2\x80\x8C\xD8\xAE", "\xD9\x85\xD9\x90\xE2\x80\x8C\xD8\xAE"},
        {"\xD9\x85\xE2\x80\x8C.", "\xD9\x85."}, /* nothing to join */
        {"\xD9\x85\xE2\x80\x8C", "\xD9\x85"},
        {"\xD9\x85\xE2\x80\x8C a", "\xD9\x85 a"},
        {"\xD9\x85\xE2\x80\x8C\xE2\x80\x8C\xD8\xAE", "\xD9\x85\xE2\x80\x8C\xD8\xAE"},
        /* Devanagari ka virama ZWJ / ZWNJ ssa; Malayalam chillu at the end of a word */
        {"\xE0\xA4\x95\xE0\xA5\x8D\xE2\x80\x8D\xE0\xA4\xB7",
         "\xE0\xA4\x95\xE0\xA5\x8D\xE2\x80\x8D\xE0\xA4\xB7"},
        {"\xE0\xA4\x95\xE0\xA5\x8D\xE2\x80\x8C\xE0\xA4\xB7",
         "\xE0\xA4\x95\xE0\xA5\x8D\xE2\x80\x8C\xE0\xA4\xB7"},
        {"\xE0\xB4\xA8\xE0\xB5\x8D\xE2\x80\x8D .", "\xE0\xB4\xA8\xE0\xB5\x8D\xE2\x80\x8D ."},
        {"\xE0\xB4\xA8\xE0\xB5\x8D\xE2\x80\x8D", "\xE0\xB4\xA8\xE0\xB5\x8D\xE2\x80\x8D"},
        /* Sinhala ka virama ZWJ ya */
        {"\xE0\xB6\x9A\xE0\xB7\x8A\xE2\x80\x8D\xE0\xB6\xBA",
         "\xE0\xB6\x9A\xE0\xB7\x8A\xE2\x80\x8D\xE0\xB6\xBA"},
        /* Thai: zero-width space goes */
        {"\xE0\xB8\x81\xE2\x80\x8B\xE0\xB8\x82", "\xE0\xB8\x81\xE0\xB8\x82"},
    };
    CHECK_ALL(pairs);
}

static void test_B021_emoji_stay_whole(void **state) {
    (void)state;
    static const pair pairs[] = {
        /* man ZWJ woman; red heart with style; man, skin tone, ZWJ, scales, style */
        {"\xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9",
         "\xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9"},
        {"\xE2\x9D\xA4\xEF\xB8\x8F\xE2\x80\x8D\xF0\x9F\x94\xA5",
         "\xE2\x9D\xA4\xEF\xB8\x8F\xE2\x80\x8D\xF0\x9F\x94\xA5"},
        {"\xF0\x9F\x91\xA8\xF0\x9F\x8F\xBD\xE2\x80\x8D\xE2\x9A\x96\xEF\xB8\x8F",
         "\xF0\x9F\x91\xA8\xF0\x9F\x8F\xBD\xE2\x80\x8D\xE2\x9A\x96\xEF\xB8\x8F"},
        {"\xF0\x9F\x91\xA8\xE2\x80\x8D x", "\xF0\x9F\x91\xA8 x"},
        {"\xF0\x9F\x91\xA8\xE2\x80\x8C\xF0\x9F\x91\xA9", "\xF0\x9F\x91\xA8\xF0\x9F\x91\xA9"},
        /* keycap; a digit with a style and no keycap */
        {"1\xEF\xB8\x8F\xE2\x83\xA3", "1\xEF\xB8\x8F\xE2\x83\xA3"},
        {"1\xEF\xB8\x8F 2\xEF\xB8\x8F", "1 2"},
        /* flag of Scotland */
        {"\xF0\x9F\x8F\xB4\xF3\xA0\x81\xA7\xF3\xA0\x81\xA2\xF3\xA0\x81\xBF",
         "\xF0\x9F\x8F\xB4\xF3\xA0\x81\xA7\xF3\xA0\x81\xA2\xF3\xA0\x81\xBF"},
    };
    CHECK_ALL(pairs);
}

static void expect_error(const char *text, size_t length, const char *words) {
    char *out = NULL;
    size_t out_length = 1;
    kz__err err = {{0}};
    assert_int_equal(kz__cleanup_text(&mem, text, length, &out, &out_length, &err), KZ_ERR_INPUT);
    assert_null(out);
    assert_int_equal(out_length, 0);
    if (!strstr(err.text, words)) fail_msg("%s", err.text);
}

static void test_B016_blank_text(void **state) {
    (void)state;
    static const char *const texts[] = {"",
                                        " ",
                                        " \t\n",
                                        "\r\n\r\n",
                                        "\xC2\xA0\xE3\x80\x80",
                                        "\xEF\xBB\xBF",
                                        "\xE2\x80\x8B\xC2\xAD \n",
                                        "\xE2\x80\x8D",
                                        "\xEF\xB8\x8F",
                                        "\x0B\x0C"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *says = i == 0 ? "the text is empty" : "the text is blank";
        expect_error(texts[i], strlen(texts[i]), says);
    }
}

static void test_B173_invalid_bytes(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t length;
        const char *words;
    } bad[] = {
        {"ab\xC0\xAF", 4, "byte offset 2 (byte 0xC0)"}, /* overlong */
        {"\xE0\x80\xAF", 3, "byte offset 0 "},          /* overlong */
        {"a\xF0\x82\x82\xAC", 5, "byte offset 1 "},     /* overlong */
        {"a\xED\xA0\x80", 4, "byte offset 1 "},         /* surrogate */
        {"a\xF4\x90\x80\x80", 5, "byte offset 1 "},     /* above U+10FFFF */
        {"abc\xE4\xBD", 5, "byte offset 3 "},           /* cut */
        {"\xC4\xE3\xBA\xC3", 4, "byte offset 0 "},      /* GBK */
        {"\x80", 1, "byte offset 0 (byte 0x80)"},       {"a\xFF", 2, "byte offset 1 (byte 0xFF)"},
        {"ab\0c", 4, "zero byte at byte offset 2"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        expect_error(bad[i].text, bad[i].length, bad[i].words);
    }
}

static void test_a_mebibyte_is_fast(void **state) {
    (void)state;
    size_t length = (size_t)1 << 20;
    char *text = malloc(length + 1);
    assert_non_null(text);
    text[length] = 0;
    clock_t start = clock();
    memset(text, ' ', length);
    text[0] = text[length - 1] = 'x';
    check(text, length, text);
    memset(text, 'x', length);
    check(text, length, text);
    free(text);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (seconds > 2) fail_msg("%.2f s", seconds);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_passes_as_it_is),
        cmocka_unit_test(test_B013_line_ends),
        cmocka_unit_test(test_B020_spaces),
        cmocka_unit_test(test_B021_invisible_marks),
        cmocka_unit_test(test_B021_joiners_stay_where_scripts_need_them),
        cmocka_unit_test(test_B021_emoji_stay_whole),
        cmocka_unit_test(test_B016_blank_text),
        cmocka_unit_test(test_B173_invalid_bytes),
        cmocka_unit_test(test_a_mebibyte_is_fast),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
