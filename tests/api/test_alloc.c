/* Memory that runs out: every allocation of every way of use fails in turn, is told, and leaves
 * nothing behind. Memory while frames are made: only what is documented.
 *
 *     api_test_alloc [all]
 *
 * With `all` each fails twice: once with all that follow, once alone; else in one of these ways.
 */
#include "harness/counting_alloc.h"
#include "harness/talk.h"
#include "harness/tests.h"
#include "harness/tmpdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 3 };

/* One way of use from opening to the end; each ends at its first failure. */
typedef struct use {
    const char *checkpoint;
    kz_request request;
    const char *live; /* appended in two parts */
    int codes;        /* decodes codes */
    int prompt;       /* looks at the prompt */
    int threads;
    int ahead_ms;
    kz_type type;
    const char *packed; /* a packed file in place of the checkpoint; NULL: none */
    bool batch;         /* the session is one of a batch */
} use;

/* Ends at its first failure, with a sentence in error, and without anything left. */
typedef kz_status way_fn(const use *u, kzt_counter *counter, char error[256]);

static bool both_ways;
static size_t failed_allocations;

static kz_status speak(kz_session *s, kz_batch *batch, const use *u) {
    static const int32_t codes[FRAMES * 16] = {1, 2, 3};
    float samples[1000];
    kz_request request = u->request;
    request.flags |= KZ_ALL_ROWS; /* to remember rows is no use that may fail (test_prefix.c) */
    kz_status status = u->codes ? kz_session_start_codes(s, codes, FRAMES, 2, 0)
                                : kz_session_start(s, &request);
    if (!status && u->live) {
        size_t length = strlen(u->live);
        status = kz_session_append(s, u->live, length / 2);
        if (!status) status = kz_session_append(s, u->live + length / 2, length - length / 2);
        if (!status) status = kz_session_finish_text(s);
    }
    size_t total = 0;
    while (!status || status == KZ_TIMEOUT) {
        size_t got = 0;
        if (batch) {
            size_t advanced = 0;
            status = kz_batch_step(batch, &advanced);
            if (status < 0) break;
        }
        status = kz_session_read(s, samples, 1000, &got, -1);
        total += got;
    }
    if (status == KZ_DONE) assert_int_equal(total, FRAMES * 1920);
    if (status < 0) assert_true(kz_error(s)[0] != 0);
    return status == KZ_DONE ? KZ_OK : status;
}

static kz_status use_all(const use *u, kzt_counter *counter, char error[256]) {
    kz_allocator allocator = kzt_counting_allocator(counter);
    kz_model_options options;
    kz_session_options how;
    kz_model *model = NULL;
    kz_batch *batch = NULL;
    kz_session *s = NULL;
    kz_model_options_init(&options);
    kz_session_options_init(&how);
    options.allocator = &allocator;
    options.type = u->type;
    how.threads = u->threads;
    how.ahead_ms = u->ahead_ms;
    error[0] = 0;
    kz_status status =
        kz_model_open(u->packed ? u->packed : kzt_checkpoint(u->checkpoint), &options, &model,
                      error, 256);
    if (!status && u->prompt) {
        size_t count = 0, prompt = 0;
        int32_t ids[64];
        status = kz_tokenize(model, u->request.text, u->request.text_length, 0, ids, 64, &count,
                             error, 256);
        kz_prompt_row rows[64];
        float *embeddings = malloc(64 * 128 * sizeof *embeddings);
        if (!status) {
            status = kz_prompt(model, &u->request, rows, embeddings, 64, &count, &prompt, error,
                               256);
        }
        free(embeddings);
    } else if (!status) {
        if (u->batch) status = kz_batch_create(model, NULL, &batch, error, 256);
        how.batch = batch;
        if (!status) status = kz_session_create(model, &how, &s, error, 256);
        if (!status) {
            status = speak(s, batch, u);
            snprintf(error, 256, "%s", kz_error(s));
        }
    }
    kz_session_free(s);
    kz_batch_free(batch);
    kz_model_free(model);
    return status;
}

static void fail_one(way_fn *way, const use *u, const char *name, size_t n, bool once) {
    char error[256] = "";
    kzt_counter counter = {0};
    counter.fail_from = n;
    counter.fail_once = once;
    kz_status status = way(u, &counter, error);
    if (status != KZ_ERR_MEMORY) {
        fail_msg("%s: allocation %zu fails: %d %s", name, n, (int)status, error);
    }
    if (counter.blocks) {
        fail_msg("%s: allocation %zu fails: %zu blocks are left", name, n, (size_t)counter.blocks);
    }
    if (!error[0]) fail_msg("%s: allocation %zu fails silently", name, n);
    failed_allocations++;
}

static void fail_each_of(way_fn *way, const use *u, const char *name, size_t least) {
    char error[256];
    kzt_counter counter = {0};
    kz_status status = way(u, &counter, error);
    memset(&counter, 0, sizeof counter); /* a process checks its kernels at the first time only */
    if (!status) status = way(u, &counter, error);
    if (status) fail_msg("%s: %d %s", name, (int)status, error);
    assert_int_equal(counter.blocks, 0);
    size_t calls = counter.calls;
    assert_true(calls >= least);
    for (size_t n = 1; n <= calls; n += KZT_SLOW) {
        if (both_ways || n % 2 == 0) fail_one(way, u, name, n, false);
        if (both_ways || n % 2 == 1) fail_one(way, u, name, n, true);
    }
    print_message("%s: %zu allocations\n", name, calls);
}

static void fail_each(const use *u, const char *name) {
    fail_each_of(use_all, u, name, 20);
}

static use plain(void) {
    use u = {.checkpoint = "custom-mtp", .threads = 2};
    u.request = kzt_request("Hi \xc3\xa9 e\xcc\x81.");
    u.request.exact_frames = FRAMES;
    u.request.instruct = "calm";
    u.request.language = "zh";
    return u;
}

static void test_speaking(void **state) {
    (void)state;
    use u = plain();
    fail_each(&u, "speaking");
}

static void test_speaking_with_four_bits(void **state) {
    (void)state;
    use u = plain();
    u.type = KZ_TYPE_Q4;
    fail_each(&u, "speaking with four bits");
}

static void test_packed(void **state) {
    (void)state;
    use u = plain();
    kzt_file file = {0};
    char *folder = kzt_tmpdir_make();
    char *path = kzt_path(folder, "model.kz");
    kzt_pack(u.checkpoint, KZ_TYPE_Q8, KZ_DEFAULT, &file);
    kzt_write(folder, "model.kz", file.bytes, file.size);
    u.packed = path;
    fail_each(&u, "speaking from a packed file");
    kzt_file_free(&file);
    free(path);
    kzt_tmpdir_remove(folder);
}

static kz_status convert(const use *u, kzt_counter *counter, char error[256]) {
    kz_allocator allocator = kzt_counting_allocator(counter);
    kz_convert_options options;
    kzt_file file = {0};
    kz_convert_options_init(&options);
    options.allocator = &allocator;
    options.type = KZ_TYPE_Q4;
    kz_status status = kz_convert(kzt_checkpoint(u->checkpoint), &options, kzt_file_take, &file,
                                  NULL, error, 256);
    kzt_file_free(&file);
    return status;
}

static void test_converting(void **state) {
    (void)state;
    use u = plain();
    fail_each_of(convert, &u, "converting", 100);
}

static kz_status split(const use *u, kzt_counter *counter, char error[256]) {
    static const char word[] = "Some words, and more. ";
    static char text[400 * (sizeof word - 1)];
    kz_allocator allocator = kzt_counting_allocator(counter);
    kz_split_options options;
    size_t count = 0;
    (void)u;
    for (size_t i = 0; i < sizeof text; i++) text[i] = word[i % (sizeof word - 1)];
    kz_split_options_init(&options);
    options.allocator = &allocator;
    options.limit = 12;
    options.target = 0;
    kz_status status = kz_split(text, sizeof text, &options, NULL, 0, &count, error, 256);
    assert_int_equal(count, status ? 0 : 800); /* "Some words," and "and more." */
    return status;
}

static void test_splitting(void **state) {
    (void)state;
    fail_each_of(split, NULL, "splitting", 3);
}

static void test_batch(void **state) {
    (void)state;
    use u = plain();
    u.batch = true;
    fail_each(&u, "batch");
}

static void test_speaking_ahead(void **state) {
    (void)state;
    use u = plain();
    u.ahead_ms = 200;
    fail_each(&u, "speaking ahead");
}

static void test_live_text(void **state) {
    (void)state;
    use u = plain();
    u.request.text = NULL;
    u.request.flags = KZ_LIVE_TEXT;
    u.live = "Some text of several words.";
    u.threads = 1;
    fail_each(&u, "live text");
}

static void test_cloning(void **state) {
    (void)state;
    kzt_golden g;
    kzt_golden_load("base-eq-icl", &g);
    for (int reference = 0; reference < 2; reference++) {
        use u = {.checkpoint = "base-eq", .threads = 1};
        u.request = g.request;
        u.request.flags = reference ? KZ_AS_REFERENCE : 0;
        u.request.max_frames = KZ_DEFAULT;
        u.request.exact_frames = FRAMES;
        fail_each(&u, reference ? "cloning as the reference" : "cloning");
    }
    kzt_golden_free(&g);
}

/* From a recording to a voice, its file, and another name. */
static kz_status clone(const use *u, kzt_counter *counter, char error[256]) {
    static float sound[9000];
    kz_allocator allocator = kzt_counting_allocator(counter);
    kz_model_options options;
    kz_voice_options how;
    kz_model *model = NULL;
    kz_voice *made = NULL, *loaded = NULL, *renamed = NULL;
    size_t length = 0;
    for (size_t i = 0; i < 9000; i++) sound[i] = (float)(i % 97) / 97 - 0.5F;
    kz_model_options_init(&options);
    kz_voice_options_init(&how);
    options.allocator = &allocator;
    how.threads = u->threads;
    how.transcript = "Hm.";
    how.name = "zo\xCC\x88";
    how.language = "en";
    kz_status status =
        kz_model_open(kzt_checkpoint(u->checkpoint), &options, &model, error, 256);
    if (!status) {
        status = kz_voice_from_samples(model, sound, 9000, 24000, &how, &made, error, 256);
    }
    if (!status) {
        const void *bytes = kz_voice_bytes(made, &length);
        status = kz_voice_load_memory(bytes, length, &allocator, &loaded, error, 256);
    }
    kz_voice_free(made);
    if (!status) status = kz_voice_rename(loaded, "bob", &renamed, error, 256);
    kz_voice_free(loaded);
    kz_voice_free(renamed);
    kz_model_free(model);
    return status;
}

static void test_making_a_voice(void **state) {
    (void)state;
    use u = {.checkpoint = "base-eq", .threads = 2};
    fail_each_of(clone, &u, "making a voice", 100);
}

static void test_decoding(void **state) {
    (void)state;
    use u = plain();
    u.codes = 1;
    fail_each(&u, "decoding");
}

static void test_looking_at_a_prompt(void **state) {
    (void)state;
    use u = plain();
    u.prompt = 1;
    u.threads = 1;
    fail_each(&u, "prompt");
}

/* ---- a session that ran out of memory goes on when there is some --------------------------- */

static void test_memory_comes_back(void **state) {
    (void)state;
    kzt_counter counter = {0};
    kz_allocator allocator = kzt_counting_allocator(&counter);
    kz_model_options options;
    kz_model_options_init(&options);
    options.allocator = &allocator;
    kz_model *model = kzt_open("custom-eq", &options);
    kz_session *s = kzt_session(model, 1);
    kz_request request = kzt_request("As if nothing had happened.");
    request.exact_frames = 40;
    kzt_run want = kzt_run_all(s, &request);
    kz_session_free(s);
    s = kzt_session(model, 1);
    kz_status status = KZ_ERR_MEMORY;
    size_t failures = 0;
    for (size_t more = 0; status == KZ_ERR_MEMORY; more++) {
        counter.fail_from = counter.calls + 1 + more;
        kzt_run run = {0};
        status = kz_session_start(s, &request);
        if (!status) {
            run = kzt_run_rest(s);
            status = run.status;
        }
        failures += status == KZ_ERR_MEMORY;
        if (status == KZ_DONE) kzt_same(&want, &run);
        kzt_run_free(&run);
    }
    assert_int_equal(status, KZ_DONE);
    assert_true(failures > 3);
    counter.fail_from = 0;
    kzt_run again = kzt_run_all(s, &request);
    kzt_same(&want, &again);
    kzt_run_free(&again);
    kzt_run_free(&want);
    kz_session_free(s);
    kz_model_free(model);
    assert_int_equal(counter.blocks, 0);
}

/* ---- while frames are made ----------------------------------------------------------------- */

static void test_no_allocation_in_the_frame_loop(void **state) {
    (void)state;
    const unsigned flags[] = {0, KZ_LIVE_TEXT, KZ_CP_ORACLE, 0};
    for (size_t i = 0; i < 4; i++) {
        kzt_counter counter = {0};
        kz_allocator allocator = kzt_counting_allocator(&counter);
        kz_model_options options;
        kz_model_options_init(&options);
        options.allocator = &allocator;
        options.type = i == 3 ? KZ_TYPE_Q8 : KZ_TYPE_STORED;
        kz_model *model = kzt_open("custom-mtp", &options);
        kz_session *s = kzt_session(model, 2);
        kz_request request = kzt_request("Nothing is asked for while it speaks.");
        request.flags = flags[i];
        request.exact_frames = 100;
        kzt_run run = kzt_run_all(s, &request);
        assert_int_equal(atomic_load(&s->mem.guard_hits), 0);
        kzt_run_free(&run);
        /* pages stay: the second utterance needs the request's own blocks, frames need none */
        assert_int_equal(kz_session_start(s, &request), KZ_OK);
        size_t calls = counter.calls;
        run = kzt_run_rest(s);
        assert_int_equal(counter.calls, calls);
        kzt_run_free(&run);
        kz_session_free(s);
        kz_model_free(model);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_speaking),
        cmocka_unit_test(test_speaking_with_four_bits),
        cmocka_unit_test(test_packed),
        cmocka_unit_test(test_converting),
        cmocka_unit_test(test_splitting),
        cmocka_unit_test(test_batch),
        cmocka_unit_test(test_speaking_ahead),
        cmocka_unit_test(test_live_text),
        cmocka_unit_test(test_cloning),
        cmocka_unit_test(test_making_a_voice),
        cmocka_unit_test(test_decoding),
        cmocka_unit_test(test_looking_at_a_prompt),
        cmocka_unit_test(test_memory_comes_back),
        cmocka_unit_test(test_no_allocation_in_the_frame_loop),
    };
    both_ways = argc > 1 && strcmp(argv[1], "all") == 0;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("%zu failed allocations were told, and left nothing\n", failed_allocations);
    return failed;
}
