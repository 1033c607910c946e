/* The folder of saved voices: what is found under which name, what stays when something is in the
 * way, what others see of it. */
#include "common/voice_store.h"
#include "harness/tests.h"
#include "harness/tmpdir.h"
#include "model/voice.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMPOSED "Zo\xc3\xab"    /* e with diaeresis, one character */
#define DECOMPOSED "Zoe\xcc\x88" /* the same in two */

static kz__mem mem;
static char *folder; /* of the test */
static kz__store store;

/* A voice of two numbers; `loudness` tells one from another. */
static kz_voice *voice_of(const char *name, float loudness) {
    float vector[2] = {loudness, 1.0f};
    kz__voice_parts parts = {.vector = vector};
    kz_voice *voice = NULL;
    kz__err err = {""};
    parts.info.vector_length = 2;
    parts.info.sample_rate = 24000;
    parts.info.samples_per_frame = 1920;
    parts.info.codes_per_frame = 16;
    parts.info.codebook_size = 2048;
    parts.info.samples = 24000;
    parts.info.name = name;
    assert_int_equal(kz__voice_make(&mem, &parts, &voice, &err), KZ_OK);
    return voice;
}

static float loudness_of(const char *path) {
    kz_voice *voice = NULL;
    char error[256] = "";
    if (kz_voice_load(path, NULL, &voice, error, sizeof error) != KZ_OK) fail_msg("%s", error);
    float loudness = kz_voice_vector(voice, NULL)[0];
    kz_voice_free(voice);
    return loudness;
}

static kz_status save(const char *name, float loudness, bool replace, kz__err *err) {
    kz_voice *voice = voice_of(name, loudness);
    char *path = NULL;
    kz_status status = kz__store_save(&store, voice, replace, &path, err);
    assert_int_equal(!path, status != KZ_OK);
    if (path) assert_true(loudness_of(path) == loudness);
    kz__free(&mem, path);
    kz_voice_free(voice);
    return status;
}

static void saved(const char *name, float loudness, bool replace) {
    kz__err err = {""};
    if (save(name, loudness, replace, &err) != KZ_OK) fail_msg("%s: %s", name, err.text);
}

/* The loudness of whom `name` finds, -1: nobody. */
static float found(const char *name) {
    kz__err err = {""};
    char *path = NULL;
    if (kz__store_find(&store, name, &path, &err) != KZ_OK) fail_msg("%s: %s", name, err.text);
    float loudness = path ? loudness_of(path) : -1;
    kz__free(&mem, path);
    return loudness;
}

/* All names, with a blank behind each. */
static const char *names(void) {
    static char text[1024];
    kz__stored *list = NULL;
    size_t count = 0;
    kz__err err = {""};
    if (kz__store_list(&store, &list, &count, &err) != KZ_OK) fail_msg("%s", err.text);
    text[0] = 0;
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s ", list[i].name);
    }
    kz__store_list_free(&store, list, count);
    return text;
}

static void assert_sentence(const kz__err *err, const char *part) {
    if (!strstr(err->text, part)) fail_msg("'%s' does not say '%s'", err->text, part);
}

static int begin(void **state) {
    (void)state;
    kz__err err = {""};
    if (kz__mem_init(&mem, NULL, &err) != KZ_OK) return -1;
    folder = kzt_tmpdir_make();
    char *inner = kzt_path(folder, "a/voices");
    kz_status status = kz__store_open(&store, &mem, inner, &err);
    free(inner);
    return status == KZ_OK ? 0 : -1;
}

static int end(void **state) {
    (void)state;
    kz__store_close(&store);
    kzt_tmpdir_remove(folder);
    return mem.current == 0 ? 0 : -1;
}

/* ---- tests -------------------------------------------------------------------------------- */

/* B122: what was saved is found and listed by whoever opens the folder later. */
static void test_saved_is_there(void **state) {
    (void)state;
    struct stat info;
    kz__store again;
    kz__err err = {""};
    assert_string_equal(names(), "");
    assert_true(found("ada") == -1);
    assert_int_not_equal(stat(store.folder, &info), 0); /* looking makes nothing */
    saved("Ada", 1, false);
    saved("bob", 2, false);
    assert_int_equal(kz__store_open(&again, &mem, store.folder, &err), KZ_OK);
    kz__store_close(&store);
    store = again;
    assert_string_equal(names(), "Ada bob ");
    assert_true(found("Ada") == 1);
    assert_int_equal(kz__store_remove(&store, "ADA", &err), KZ_OK);
    assert_string_equal(names(), "bob ");
    assert_int_equal(kz__store_remove(&store, "ada", &err), KZ_ERR_INPUT);
    assert_sentence(&err, "there is no saved voice 'ada'");
}

static void test_names(void **state) {
    (void)state;
    static const char *const good[] = {
        "a b", "con", "\xe5\xa3\xb0\xe9\x9f\xb3", "\xf0\x9f\x98\x80", "-x", "a.b", "~", "*", "a'b",
        "0123456789012345678901234567890123456789012345678901234567890123",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        saved(good[i], (float)i, false);
        assert_true(found(good[i]) == (float)i);
    }
    /* These the library makes no voice of; to look for them leads nowhere. */
    static const char *const bad[] = {
        "../x", "a/b", "/etc/passwd", ".", "..", "", ".x", "a.kzv", "\xff\xfe", "x\n",
        "01234567890123456789012345678901234567890123456789012345678901234",
    };
    char *outside = kzt_path(folder, "a");
    kzt_write_text(outside, "x.kzv", "outside");
    kzt_write_text(store.folder, ".x.kzv", "hidden");
    free(outside);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kz__err err = {""};
        assert_true(found(bad[i]) == -1);
        assert_int_equal(kz__store_remove(&store, bad[i], &err), KZ_ERR_INPUT);
    }
    char *name = malloc(100001);
    memset(name, 'x', 100000);
    name[100000] = 0;
    assert_true(found(name) == -1);
    free(name);
}

static void test_case_and_form(void **state) {
    (void)state;
    kz__err err = {""};
    saved(COMPOSED, 1, false);
    assert_true(found(DECOMPOSED) == 1);
    assert_true(found("zO\xc3\xab") == 1);
    assert_true(found("zO\xc3\x8b") == -1); /* a capital beyond ASCII is another letter */
    saved("ZO\xc3\x8b", 2, false);
    assert_int_equal(save("ZO\xc3\xab", 2, false, &err), KZ_ERR_USAGE);
    assert_sentence(&err, "--replace");
    assert_true(found(COMPOSED) == 1);
    saved("ZO\xc3\xab", 3, true); /* the new spelling, and no second file */
    assert_true(found(COMPOSED) == 3);
    assert_string_equal(names(), "ZO\xc3\x8b ZO\xc3\xab ");
}

/* Copied there by hand: the file's name counts, whatever stands inside, and what is damaged is not
 * hidden. */
static void test_by_hand(void **state) {
    (void)state;
    kz__err err = {""};
    kz_voice *voice = voice_of("inner", 7);
    size_t length = 0;
    const void *bytes = kz_voice_bytes(voice, &length);
    kzt_write(folder, "a/voices/outer.kzv", bytes, length);
    kzt_write(store.folder, DECOMPOSED ".KZV", bytes, length);
    kzt_write(store.folder, "cut.kzv", bytes, length / 2);
    kzt_write(store.folder, "no voice.txt", bytes, length);
    kzt_write(store.folder, ".kazeia-killed", bytes, length);
    kzt_write(store.folder, ".kzv", bytes, length);
    kzt_write_text(store.folder, "a folder.kzv/x", "x");
    kzt_link(store.folder, "nowhere.kzv", "/nothing/there");
    kzt_link(store.folder, "link.kzv", "outer.kzv");
    char *pipe = kzt_path(store.folder, "pipe.kzv");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    free(pipe);
    kz_voice_free(voice);
    assert_string_equal(names(), "cut link nowhere outer " DECOMPOSED " ");
    assert_true(found("OUTER") == 7);
    assert_true(found("link") == 7);
    assert_true(found("inner") == -1);
    assert_true(found(COMPOSED) == 7);
    saved(COMPOSED, 8, true);
    assert_string_equal(names(), "cut link nowhere outer " COMPOSED " ");
    assert_int_equal(save("a folder", 1, true, &err), KZ_ERR_OUTPUT);
    assert_sentence(&err, "is there and no file");
    assert_int_equal(save("pipe", 1, true, &err), KZ_ERR_OUTPUT); /* waits for no reader */
    /* Of two that differ in case alone the one that is spelt so. */
    voice = voice_of(NULL, 9);
    bytes = kz_voice_bytes(voice, &length);
    kzt_write(store.folder, "Outer.kzv", bytes, length);
    kz_voice_free(voice);
    assert_true(found("Outer") == 9);
    assert_true(found("outer") == 7);
}

static void test_modes(void **state) {
    (void)state;
    struct stat info;
    mode_t mask = umask(027);
    saved("ada", 1, false);
    umask(mask);
    char *outer = kzt_path(folder, "a");
    char *file = kzt_path(store.folder, "ada.kzv");
    assert_int_equal(stat(outer, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    assert_int_equal(stat(store.folder, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    assert_int_equal(stat(file, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_int_equal(chmod(file, 0600), 0);
    saved("ada", 2, true); /* as the old one was */
    assert_int_equal(stat(file, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    free(outer);
    free(file);
}

static void test_places(void **state) {
    (void)state;
    kz__err err = {""};
    kz__stored *list = NULL;
    size_t count = 0;
    char *path = NULL;
    /* a file in the place of the folder */
    kzt_write_text(folder, "a/voices", "a file");
    assert_int_equal(kz__store_list(&store, &list, &count, &err), KZ_ERR_INPUT);
    assert_sentence(&err, "Not a directory");
    assert_int_equal(kz__store_find(&store, "ada", &path, &err), KZ_ERR_INPUT);
    assert_int_equal(save("ada", 1, false, &err), KZ_ERR_OUTPUT);
    assert_sentence(&err, "cannot make the folder");
    kzt_unlink(folder, "a/voices");
    /* a link that leads nowhere, and one that leads to a folder */
    kzt_link(folder, "a/voices", "/nothing/there");
    assert_int_equal(save("ada", 1, false, &err), KZ_ERR_OUTPUT);
    assert_string_equal(names(), "");
    kzt_unlink(folder, "a/voices");
    kzt_write_text(folder, "elsewhere/x", "x");
    kzt_link(folder, "a/voices", "../elsewhere");
    saved("ada", 1, false);
    assert_true(found("ada") == 1);
    /* a folder that nothing can be written into; root may all the same */
    if (geteuid() != 0) {
        char *elsewhere = kzt_path(folder, "elsewhere");
        assert_int_equal(chmod(elsewhere, 0500), 0);
        assert_int_equal(save("bob", 1, false, &err), KZ_ERR_OUTPUT);
        assert_sentence(&err, "Permission denied");
        assert_int_equal(kz__store_remove(&store, "ada", &err), KZ_ERR_OUTPUT);
        assert_int_equal(chmod(elsewhere, 0700), 0);
        free(elsewhere);
    }
    /* a voice without a name */
    assert_int_equal(save(NULL, 1, false, &err), KZ_ERR_USAGE);
    assert_sentence(&err, "--name");
}

/* Where the folder is when nobody says it. */
static void test_home(void **state) {
    (void)state;
    static const struct {
        const char *data, *home, *folder;
    } cases[] = {
        {"/data", "/home/me", "/data/kazeia/voices"},
        {"data", "/home/me", "/home/me/.local/share/kazeia/voices"}, /* as XDG has it: ignored */
        {"", "/home/me", "/home/me/.local/share/kazeia/voices"},
        {NULL, "/home/me/", "/home/me/.local/share/kazeia/voices"},
        {NULL, NULL, NULL},
        {NULL, "", NULL},
        {NULL, "me", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kz__store at;
        kz__err err = {""};
        unsetenv("XDG_DATA_HOME");
        unsetenv("HOME");
        if (cases[i].data) setenv("XDG_DATA_HOME", cases[i].data, 1);
        if (cases[i].home) setenv("HOME", cases[i].home, 1);
        kz_status status = kz__store_open(&at, &mem, NULL, &err);
        assert_int_equal(status, cases[i].folder ? KZ_OK : KZ_ERR_USAGE);
        if (cases[i].folder) {
            assert_string_equal(at.folder, cases[i].folder);
        } else {
            assert_sentence(&err, "--voices-dir");
        }
        kz__store_close(&at);
    }
}

#define SAVERS 8

static void *save_one(void *user) {
    kz_voice *voice = user;
    char *path = NULL;
    kz__err err = {""};
    kz_status status = kz__store_save(&store, voice, false, &path, &err);
    kz__free(&mem, path);
    return status == KZ_OK ? user : NULL;
}

/* Of many that save a new name at the same moment one does, and the others hear of it. */
static void test_at_once(void **state) {
    (void)state;
    for (int round = 0; round < 20; round++) {
        pthread_t threads[SAVERS];
        kz_voice *voices[SAVERS];
        char name[16];
        float winner = -1;
        int done = 0;
        snprintf(name, sizeof name, "v%d", round);
        for (int i = 0; i < SAVERS; i++) voices[i] = voice_of(name, (float)(i + 1));
        for (int i = 0; i < SAVERS; i++) {
            assert_int_equal(pthread_create(&threads[i], NULL, save_one, voices[i]), 0);
        }
        for (int i = 0; i < SAVERS; i++) {
            void *result = NULL;
            pthread_join(threads[i], &result);
            if (!result) continue;
            done++;
            winner = (float)(i + 1);
        }
        assert_int_equal(done, 1);
        assert_true(found(name) == winner);
        for (int i = 0; i < SAVERS; i++) kz_voice_free(voices[i]);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(test_saved_is_there), TEST(test_names), TEST(test_case_and_form), TEST(test_by_hand),
        TEST(test_modes), TEST(test_places), TEST(test_home), TEST(test_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
