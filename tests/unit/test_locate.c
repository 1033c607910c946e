/* From a path to a model: folders, hub caches, links, names of any kind, and files that are gone.
 */
#include "weights/weights.h"

#include "harness/failing_alloc.h"
#include "harness/golden.h"
#include "harness/loading.h"
#include "harness/tmpdir.h"
#include "model/config.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <utime.h>

static const char *small; /* the folder of the small checkpoint */

/* ---- where the model is -------------------------------------------------------------------- */

static void expect_located(const char *folder, const char *name, const char *wanted) {
    char *path = kzt_path(folder, name);
    char *full = kzt_path(folder, wanted);
    char *found = NULL;
    kz__err err = {""};
    if (kz__locate_checkpoint(&kzt_mem, path, &found, &err) != KZ_OK) fail_msg("%s", err.text);
    assert_string_equal(found, full);
    kz__free(&kzt_mem, found);
    free(path);
    free(full);
}

static void expect_not_located(const char *folder, const char *name, const char *first,
                               const char *second) {
    char *path = kzt_path(folder, name);
    char *found = NULL;
    kz__err err = {""};
    assert_int_equal(kz__locate_checkpoint(&kzt_mem, path, &found, &err), KZ_ERR_MODEL);
    assert_null(found);
    kzt_expect_text(err.text, first, second, "");
    free(path);
}

static void test_locate_folder(void **state) {
    const char *folder = *state;
    kzt_write_text(folder, "m/config.json", "{}");
    kzt_write_text(folder, "empty/x", "");
    kzt_write_text(folder, "m/model.safetensors", "");
    kzt_write_text(folder, "foreign/model-q8.gguf", "GGUF");
    kzt_write_text(folder, "hub/models--org--name/refs/main", "abc");
    kzt_write_text(folder, "notes.txt", "hello");
    kzt_write_text(folder, "odd/config.json/x", "");
    kzt_link(folder, "link", "m");
    expect_located(folder, "m", "m");
    expect_located(folder, "link", "link");
    expect_not_located(folder, "absent", "there is no", "absent");
    expect_not_located(folder, "notes.txt/x", "there is no", "notes.txt/x");
    expect_not_located(folder, "empty", "empty' has no config.json", "the folder");
    expect_not_located(folder, "odd", "odd/config.json'", "not a regular file");
    expect_not_located(folder, "hub", "cache of several models", "models--org--name");
    expect_not_located(folder, "m/model.safetensors", "is a file", "folder that holds it");
    expect_not_located(folder, "m/config.json", "is a file", "folder that holds it");
    expect_not_located(folder, "notes.txt", "is a file", "not a model folder");
    char *found = NULL;
    kz__err err = {""};
    assert_int_equal(kz__locate_checkpoint(&kzt_mem, "", &found, &err), KZ_ERR_MODEL);
    kzt_expect_text(err.text, "empty", "path", "");
    assert_int_equal(kz__locate_checkpoint(&kzt_mem, NULL, &found, &err), KZ_ERR_MODEL);
    assert_int_equal(kz__locate_checkpoint(&kzt_mem, "/dev/null", &found, &err), KZ_ERR_MODEL);
    kzt_expect_text(err.text, "/dev/null", "neither", "");
}

/* B185: a GGUF file, itself or in its folder. */
static void test_B185_gguf(void **state) {
    const char *folder = *state;
    kzt_write_text(folder, "g/model-q8.gguf", "GGUF\3");
    expect_not_located(folder, "g", "GGUF file, 'model-q8.gguf'", "safetensors");
    expect_not_located(folder, "g/model-q8.gguf", "GGUF file", "safetensors");
}

#define HASH_A "0c0e3051f131aaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define HASH_B "5d83992436eabbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define REPO "models--Qwen--Qwen3-TTS"

/* A hub cache with one snapshot of relative links; the blobs are real files. */
static void write_cache(const char *folder, const char *hash) {
    static const char *const names[] = {"config.json", "generation_config.json",
                                        "model.safetensors"};
    for (size_t i = 0; i < 3; i++) {
        char blob[100];
        char link[200];
        char target[200];
        char *source = kzt_path(small, names[i]);
        snprintf(blob, sizeof blob, REPO "/blobs/%zu%s", i, hash);
        snprintf(link, sizeof link, REPO "/snapshots/%s/%s", hash, names[i]);
        snprintf(target, sizeof target, "../../blobs/%zu%s", i, hash);
        size_t size = 0;
        char *bytes = kzt_read(source, &size);
        kzt_write(folder, blob, bytes, size);
        kzt_link(folder, link, target);
        free(bytes);
        free(source);
    }
}

static void expect_loads(const char *folder, const char *name) {
    char *path = kzt_path(folder, name);
    char *found = NULL;
    kz__config config;
    kz__weights *weights = NULL;
    kz__err err = {""};
    if (kz__locate_checkpoint(&kzt_mem, path, &found, &err) != KZ_OK ||
        kz__config_load(&kzt_mem, found, &config, &err) != KZ_OK ||
        kz__weights_open(&kzt_mem, found, &weights, &err) != KZ_OK) {
        fail_msg("%s: %s", name, err.text);
    }
    assert_int_equal(config.talker.width, 96);
    assert_true(kz__weights_has(weights, "talker.model.norm.weight"));
    kz__weights_close(weights);
    kz__config_clear(&kzt_mem, &config);
    kz__free(&kzt_mem, found);
    free(path);
}

/* B191: relative links, by snapshot and by repository root. */
static void test_B191_hub_cache(void **state) {
    const char *folder = *state;
    write_cache(folder, HASH_A);
    expect_loads(folder, REPO "/snapshots/" HASH_A);
    expect_loads(folder, REPO);
    expect_located(folder, REPO, REPO "/snapshots/" HASH_A);
    kzt_write_text(folder, REPO "/refs/main", HASH_A);
    expect_located(folder, REPO, REPO "/snapshots/" HASH_A);
    kzt_write_text(folder, REPO "/refs/main", HASH_A "\n");
    expect_located(folder, REPO, REPO "/snapshots/" HASH_A);
    assert_string_equal(kzt_notices, "");
}

static void set_time(const char *folder, const char *name, long seconds) {
    char *path = kzt_path(folder, name);
    struct utimbuf times = {seconds, seconds};
    assert_int_equal(utime(path, &times), 0);
    free(path);
}

/* B191: which of several snapshots. */
static void test_B191_several_snapshots(void **state) {
    const char *folder = *state;
    write_cache(folder, HASH_A);
    write_cache(folder, HASH_B);
    set_time(folder, REPO "/snapshots/" HASH_A, 2000000);
    set_time(folder, REPO "/snapshots/" HASH_B, 1000000);
    expect_located(folder, REPO, REPO "/snapshots/" HASH_A);
    set_time(folder, REPO "/snapshots/" HASH_B, 3000000);
    expect_located(folder, REPO, REPO "/snapshots/" HASH_B);
    set_time(folder, REPO "/snapshots/" HASH_A, 3000000);
    expect_located(folder, REPO, REPO "/snapshots/" HASH_B);
    kzt_write_text(folder, REPO "/refs/main", HASH_A);
    expect_located(folder, REPO, REPO "/snapshots/" HASH_A);
    assert_string_equal(kzt_notices, "");
    kzt_write_text(folder, REPO "/refs/main", "1111111111111111111111111111111111111111");
    expect_located(folder, REPO, REPO "/snapshots/" HASH_B);
    kzt_expect_text(kzt_notices, "refs/main", HASH_B, "");
    kzt_write_text(folder, REPO "/refs/main", "../../../etc");
    expect_located(folder, REPO, REPO "/snapshots/" HASH_B);
    kzt_write_text(folder, "other/config.json", "{}");
    kzt_write_text(folder, REPO "/refs/main", HASH_A "/../../../other");
    expect_located(folder, REPO, REPO "/snapshots/" HASH_B);
    for (char letter = 'q'; letter < 'z'; letter++) { /* equal times: the greatest name */
        char name[100];
        snprintf(name, sizeof name, REPO "/snapshots/%c/config.json", letter);
        kzt_write_text(folder, name, "{}");
        *strrchr(name, '/') = 0;
        set_time(folder, name, 3000000);
        expect_located(folder, REPO, name);
    }
    kzt_write_text(folder, REPO "/snapshots/zzzz/README.md", "no config here");
    set_time(folder, REPO "/snapshots/zzzz", 4000000);
    expect_located(folder, REPO, REPO "/snapshots/y");
    kzt_write_text(folder, REPO "/refs/main", "zzzz");
    expect_not_located(folder, REPO, "zzzz' has no config.json", "");
    kzt_write_text(folder, "models--none/snapshots/x/README.md", "");
    expect_not_located(folder, "models--none", "no snapshot", "fetch the model again");
}

/* B191: absolute links, broken links, loops. */
static void test_B191_links(void **state) {
    const char *folder = *state;
    static const char *const names[] = {"config.json", "generation_config.json",
                                        "model.safetensors"};
    for (size_t i = 0; i < 3; i++) {
        char *name = kzt_path("abs", names[i]);
        char *target = kzt_path(small, names[i]);
        kzt_link(folder, name, target);
        free(name);
        free(target);
    }
    expect_loads(folder, "abs");
    kzt_link(folder, "all", small);
    expect_loads(folder, "all");
    kzt_link(folder, "broken/config.json", "../../blobs/0123");
    expect_not_located(folder, "broken", "link to '../../blobs/0123'", "nothing is there");
    kzt_link(folder, "loop/config.json", "config.json");
    expect_not_located(folder, "loop", "leads back to itself", "config.json");
    kzt_link(folder, "nowhere", "absent");
    expect_not_located(folder, "nowhere", "link to 'absent'", "nothing is there");
    kzt_link(folder, "abs/model.safetensors", "../../blobs/4567");
    char *path = kzt_path(folder, "abs");
    kzt_expect_no_weights(path, "abs/model.safetensors'", "link to '../../blobs/4567'",
                          "nothing is");
    kzt_link(folder, "abs/model.safetensors", "model.safetensors");
    kzt_expect_no_weights(path, "abs/model.safetensors'", "leads back to itself", "");
    kzt_link(folder, "abs/generation_config.json", "gone");
    kz__config config;
    kz__err err = {""};
    assert_int_equal(kz__config_load(&kzt_mem, path, &config, &err), KZ_ERR_MODEL);
    kzt_expect_text(err.text, "generation_config.json'", "link to 'gone'", "");
    free(path);
}

/* B180: each file of a model removed in turn; what is not needed is not asked for. */
static void test_B180_each_file_removed(void **state) {
    const char *folder = *state;
    static const struct {
        const char *name;
        bool needed;
    } rows[] = {
        {"config.json", true},
        {"model.safetensors", true},
        {"generation_config.json", false},
        {"preprocessor_config.json", false},
        {"speech_tokenizer/config.json", true},
        {"speech_tokenizer/model.safetensors", true},
        {"speech_tokenizer/preprocessor_config.json", false},
        {"speech_tokenizer/configuration.json", false},
    };
    char *codec = kzt_path(folder, "speech_tokenizer");
    for (size_t removed = 0; removed < sizeof rows / sizeof *rows; removed++) {
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            char *target = kzt_path(small, rows[i].name);
            kzt_link(folder, rows[i].name, target);
            free(target);
        }
        kzt_unlink(folder, "preprocessor_config.json"); /* not in it: a dangling link */
        kzt_unlink(folder, "speech_tokenizer/configuration.json");
        if (rows[removed].needed || !strcmp(rows[removed].name, "generation_config.json")) {
            kzt_unlink(folder, rows[removed].name);
        }
        kz__config config;
        kz__weights *one = NULL;
        kz__weights *two = NULL;
        kz__err err = {""};
        bool loaded = kz__config_load(&kzt_mem, folder, &config, &err) == KZ_OK &&
                      kz__config_load_codec(&kzt_mem, codec, &config, &err) == KZ_OK &&
                      kz__weights_open(&kzt_mem, folder, &one, &err) == KZ_OK &&
                      kz__weights_open(&kzt_mem, codec, &two, &err) == KZ_OK;
        kz__weights_close(one);
        kz__weights_close(two);
        kz__config_clear(&kzt_mem, &config);
        if (loaded == rows[removed].needed) fail_msg("%s: %s", rows[removed].name, err.text);
        const char *slash = strchr(rows[removed].name, '/');
        if (!loaded) {
            kzt_expect_text(err.text, slash ? slash + 1 : rows[removed].name, folder,
                        slash ? "speech_tokenizer" : "");
        }
    }
    free(codec);
}

/* B215: any legal path. */
static void test_B215_paths(void **state) {
    const char *folder = *state;
    static const char *const names[] = {
        "with blanks  in it",       "caf\xc3\xa9 \xc3\xbc\xc3\x9f",
        "\xe6\xa8\xa1\xe5\x9e\x8b", "\xf0\x9f\x98\x80\xf0\x9f\x8e\xa4",
        "quote'\"%s%n\\",           "line\nfeed",
        "\xff\xfe not utf-8",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        static const char *const files[] = {"config.json", "model.safetensors"};
        for (size_t j = 0; j < 2; j++) {
            char *name = kzt_path(names[i], files[j]);
            char *target = kzt_path(small, files[j]);
            kzt_link(folder, name, target);
            free(name);
            free(target);
        }
        expect_loads(folder, names[i]);
    }
}

static void test_B215_long_path(void **state) {
    const char *folder = *state;
    char name[3400] = "";
    for (int i = 0; i < 15; i++) {
        for (int j = 0; j < 70; j++) strcat(name, "\xe6\xa8\xa1"); /* 210 bytes */
        if (i < 14) strcat(name, "/");
    }
    char *inner = kzt_path(name, "config.json");
    kzt_write_text(folder, inner, "{}");
    expect_located(folder, name, name);
    expect_not_located(folder, inner, "config.json' is a file", "...");
    char *path = kzt_path(folder, name);
    kzt_expect_no_weights(path, "no model.safetensors", "...", "");
    free(path);
    free(inner);
    char *beyond = malloc(10001);
    assert_non_null(beyond);
    memset(beyond, 'x', 10000);
    beyond[10000] = 0;
    expect_not_located(folder, beyond, "cannot be opened", "xxx");
    free(beyond);
}

/* Each allocation fails in turn: an error, nothing leaks, never another snapshot. */
static void test_each_allocation_fails(void **state) {
    const char *folder = *state;
    kz__mem limited;
    kz__mem_init(&limited, kzt_failing_allocator(), NULL);
    write_cache(folder, HASH_A);
    write_cache(folder, HASH_B);
    char *repository = kzt_path(folder, REPO);
    for (int round = 0; round < 2; round++) {
        kz_status status = KZ_ERR_MEMORY;
        for (long n = 0; status != KZ_OK; n++) {
            char *found = NULL;
            kz__err err = {""};
            kzt_fail_after(n);
            status = kz__locate_checkpoint(&limited, repository, &found, &err);
            if (status != KZ_OK) {
                assert_int_equal(status, KZ_ERR_MEMORY);
                assert_string_equal(err.text, "out of memory");
            }
            kz__free(&limited, found);
            assert_int_equal(atomic_load(&limited.current), 0);
        }
        kzt_write_text(folder, REPO "/refs/main", HASH_A);
    }
    free(repository);
}

static int find_small(void **state) {
    (void)state;
    small = kzt_checkpoint("small");
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, kzt_loading_begin, kzt_loading_end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_locate_folder),
        TEST(test_B185_gguf),
        TEST(test_B191_hub_cache),
        TEST(test_B191_several_snapshots),
        TEST(test_B191_links),
        TEST(test_B180_each_file_removed),
        TEST(test_B215_paths),
        TEST(test_B215_long_path),
        TEST(test_each_allocation_fails),
    };
    return cmocka_run_group_tests(tests, find_small, NULL);
}
