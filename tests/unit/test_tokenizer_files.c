/* The files of a tokenizer: what is damaged is refused with a sentence, also by the allocator. */
#include "harness/tok.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static kz__mem mem;

static int setup(void **state) {
    (void)state;
    return kz__mem_init(&mem, NULL, NULL) != KZ_OK;
}

static int teardown(void **state) {
    (void)state;
    return (int)atomic_load(&mem.current);
}

/* Makes a tokenizer of the small files with `from` replaced by `to` in file number `file`. */
static kz_status make_changed(int file, const char *from, const char *to, kz__err *err) {
    kzt_small s;
    kzt_small_make(&s, 7);
    kz__text_file *f = file == 0 ? &s.vocab : file == 1 ? &s.merges : &s.config;
    char *changed = malloc(f->size + strlen(to) + 1);
    const char *at = f->data;
    while (from[0] && at + strlen(from) <= f->data + f->size &&
           memcmp(at, from, strlen(from)) != 0) {
        at++;
    }
    if (from[0] && at + strlen(from) > f->data + f->size) fail_msg("no %s", from);
    size_t head = from[0] ? (size_t)(at - f->data) : 0;
    size_t tail = from[0] ? f->size - head - strlen(from) : 0;
    memcpy(changed, f->data, head);
    memcpy(changed + head, to, strlen(to));
    memcpy(changed + head + strlen(to), f->data + f->size - tail, tail);
    f->data = changed;
    f->size = head + strlen(to) + tail;
    kz__tokenizer *tokenizer = NULL;
    kz_status status = kz__tokenizer_make(&mem, &s.vocab, &s.merges, &s.config, &tokenizer, err);
    kz__tokenizer_free(tokenizer);
    free(changed);
    kzt_small_free(&s);
    return status;
}

static void test_B192_damaged_files(void **state) {
    (void)state;
    static const struct {
        int file;
        const char *from; /* empty: the whole file */
        const char *to, *words;
    } cases[] = {
        {0, "", "", "vocab.json is empty"},
        {0, "", "<!DOCTYPE html><html>", "vocab.json is a web page"},
        {0, "", "version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"},
        {0, "", "[]", "vocab.json: no JSON object at byte 0"},
        {0, "", "{}", "no string where a token should begin at byte 1"},
        {0, "", "{\"a\":1", "neither a comma nor the end"},
        {0, "", "{\"a\":1} x", "something behind the object"},
        {0, "", "{\"a\":1}", "the token of byte 0x00 is missing"},
        {0, "", "{\"a\":-1}", "no id at byte 5"},
        {0, "", "{\"a\":01}", "no id at byte 5"},
        {0, "", "{\"a\":1048576}", "not below 1048576"},
        {0, "", "{\"a\":99999999999999999999}", "not below 1048576"},
        {0, "", "{\"a\":\"1\"}", "no id"},
        {0, "", "{\"\":1}", "empty token"},
        {0, "", "{\"a", "the file ends inside a token"},
        {0, "", "{\"a\\", "bad escape"},
        {0, "", "{\"\\u00", "cut escape"},
        {0, "", "{\"\\u00zz\":1}", "bad escape"},
        {0, "", "{\"a\xFF\":1}", "not valid UTF-8 at byte 3"},
        {0, "", "{\"\xE4\xBD\xA0\":1}", "U+4F60 before byte 5 is not of the byte alphabet"},
        {0, "", "{\"a b\":1}", "U+0020"},
        {0, "", "{\"a\":1,\"a\":2}", "the token before byte 12 is there twice (id 1)"},
        {0, "", "{\"a\":1,\"b\":1}", "id 1 is given twice"},
        {0, "\"a\":", "\"\\u0061\\u0061\\u0061\\u0061\\u0061\\u0061\\u0061\":",
         "byte 0x61 is missing"},
        {1, "", "", "merges.txt is empty"},
        {1, "", "<html>", "merges.txt is a web page"},
        {1, "", "a", "line 1 is not two parts"},
        {1, "", "a b c", "line 1 is not two parts"},
        {1, "", " ", "line 1 has a part that is not in the vocabulary"},
        {1, "", "#version: 0.2\na\n", "line 2 is not two parts"},
        {1, "", "\n\n\xFF \xFF\n", "line 3 has a character"},
        {1, "", "a zqzqzq", "line 1 has a part that is not in the vocabulary"},
        {1, "", "Q \xC4\xA0\n", "line 1 makes a token that is not in the vocabulary"},
        {2, "", "", "tokenizer_config.json"},
        {2, "", "{", "is not JSON"},
        {2, "", "[]", "is no JSON object"},
        {2, "", "{}", "added_tokens_decoder is missing"},
        {2, "1401", "x", "\"x\" is no token id"},
        {2, "1401", "1048576", "is no token id"},
        {2, "1401", "65", "has an id of vocab.json"},
        {2, "<|a|>b", "<|a|>", "is added twice"},
        {2, "<|a|>b", "", "has no content"},
        {2, "\"content\"", "\"lstrip\": true, \"content\"", "lstrip, which is not supported"},
        {2, "{", "{\"add_prefix_space\": true, ", "add_prefix_space is not supported"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kz__err err = {{0}};
        kz_status status = make_changed(cases[i].file, cases[i].from, cases[i].to, &err);
        if (status != KZ_ERR_MODEL || !strstr(err.text, cases[i].words)) {
            fail_msg("case %zu (%s): %d, %s", i, cases[i].words, status, err.text);
        }
    }
}

/* Lines that are swapped, repeated or in the wrong order are seen. */
static void test_B192_altered_merges(void **state) {
    (void)state;
    kzt_small s;
    kzt_small_make(&s, 7);
    const char *end = memchr(s.merges.data, '\n', s.merges.size);
    size_t first = (size_t)(end - s.merges.data) + 1;
    char *text = malloc(s.merges.size + first);
    kz__err err = {{0}};
    kz__tokenizer *tokenizer = NULL;
    memcpy(text, s.merges.data, s.merges.size);
    memcpy(text + s.merges.size, s.merges.data, first);
    kz__text_file merges = {"merges.txt", text, s.merges.size + first};
    assert_int_equal(kz__tokenizer_make(&mem, &s.vocab, &merges, &s.config, &tokenizer, &err),
                     KZ_ERR_MODEL);
    assert_non_null(strstr(err.text, "makes a token that an earlier line makes"));
    /* The second half first: some line there uses what the first half makes. */
    const char *middle = memchr(s.merges.data + s.merges.size / 2, '\n', s.merges.size / 2);
    size_t half = (size_t)(middle - s.merges.data) + 1;
    memcpy(text, s.merges.data + half, s.merges.size - half);
    memcpy(text + s.merges.size - half, s.merges.data, half);
    merges.size = s.merges.size;
    assert_int_equal(kz__tokenizer_make(&mem, &s.vocab, &merges, &s.config, &tokenizer, &err),
                     KZ_ERR_MODEL);
    assert_non_null(strstr(err.text, "uses a token that no earlier line makes"));
    free(text);
    kzt_small_free(&s);
}

static void write_file(const char *folder, const kz__text_file *file) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, file->name);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(file->data, 1, file->size, out), file->size);
    assert_int_equal(fclose(out), 0);
}

static void test_open_reads_a_folder(void **state) {
    (void)state;
    char folder[] = "/tmp/kazeia-tokenizer-XXXXXX";
    assert_non_null(mkdtemp(folder));
    kzt_small s;
    kzt_small_make(&s, 7);
    const kz__text_file *files[] = {&s.vocab, &s.merges, &s.config};
    kz__tokenizer *tokenizer = NULL;
    for (int i = 0; i < 3; i++) {
        kz__err err = {{0}};
        assert_int_equal(kz__tokenizer_open(&mem, folder, &tokenizer, &err), KZ_ERR_MODEL);
        assert_null(tokenizer);
        assert_non_null(strstr(err.text, files[i]->name));
        assert_non_null(strstr(err.text, folder));
        write_file(folder, files[i]);
    }
    assert_int_equal(kz__tokenizer_open(&mem, folder, &tokenizer, NULL), KZ_OK);
    assert_int_equal(kz__tokenizer_count(tokenizer), 1402);
    kz__tokenizer_free(tokenizer);
    for (int i = 0; i < 3; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", folder, files[i]->name);
        remove(path);
    }
    remove(folder);
    kzt_small_free(&s);
}

/* ---- memory ------------------------------------------------------------------------------ */

static void *failing_alloc(void *user, size_t bytes, size_t alignment) {
    long *left = user;
    if ((*left)-- <= 0) return NULL;
    return aligned_alloc(alignment, bytes);
}

static void failing_release(void *user, void *ptr) {
    (void)user;
    free(ptr);
}

static void test_every_allocation_can_fail(void **state) {
    (void)state;
    long left = 0;
    kz_allocator allocator = {sizeof allocator, failing_alloc, failing_release, &left};
    kzt_small s;
    kzt_small_make(&s, 7);
    kz_status status = KZ_ERR_MEMORY;
    for (long n = 0; status == KZ_ERR_MEMORY; n++) {
        assert_true(n < 1000);
        kz__mem own;
        kz__mem_init(&own, &allocator, NULL);
        left = n;
        kz__tokenizer *tokenizer = NULL;
        kz__ints ids;
        kz__ints_init(&ids, &own);
        status = kz__tokenizer_make(&own, &s.vocab, &s.merges, &s.config, &tokenizer, NULL);
        if (status == KZ_OK) {
            status = kz__tokenizer_encode(tokenizer, "e\xCC\x81\xCC\xA7<|a|>x", 11,
                                          KZ__TEXT_SPECIALS, &ids, NULL);
        }
        kz__tokenizer_free(tokenizer);
        kz__ints_clear(&ids);
        assert_int_equal(atomic_load(&own.current), 0);
    }
    assert_int_equal(status, KZ_OK);
    kzt_small_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_B192_damaged_files),
        cmocka_unit_test(test_B192_altered_merges),
        cmocka_unit_test(test_open_reads_a_folder),
        cmocka_unit_test(test_every_allocation_can_fail),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
