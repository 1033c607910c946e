/* Life and death of handles in any order and on any thread, memory as planned, and every call that
 * is not allowed. */
#include "harness/counting_alloc.h"
#include "harness/talk.h"
#include "harness/tests.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static kz_model *custom;
static kz_session *session;

static int open_all(void **state) {
    (void)state;
    custom = kzt_open("custom-eq", NULL);
    session = kzt_session(custom, 2);
    return 0;
}

static int close_all(void **state) {
    (void)state;
    kz_session_free(session);
    kz_model_free(custom);
    return 0;
}

/* ---- teardown ------------------------------------------------------------------------------ */

static kz_model *open_counted(kzt_counter *counter) {
    kz_allocator allocator = kzt_counting_allocator(counter);
    kz_model_options options;
    kz_model_options_init(&options);
    options.allocator = &allocator;
    return kzt_open("custom-eq", &options);
}

static void live_for_a_while(const kz_model *model, int runs) {
    kz_session *s = kzt_session(model, 1 + runs % 3);
    kz_request request = kzt_request("Here and gone.");
    request.exact_frames = 3;
    for (int i = 0; i < runs; i++) {
        kzt_run run = kzt_run_all(s, &request);
        assert_int_equal(run.count, 3 * 1920);
        kzt_run_free(&run);
    }
    kz_session_free(s);
}

static void test_B217_create_and_destroy(void **state) {
    (void)state;
    kzt_counter counter = {0};
    for (int round = 0; round < 6; round++) {
        kz_model *model = open_counted(&counter);
        for (int runs = 0; runs <= round % 3; runs++) live_for_a_while(model, runs);
        kz_model_free(model);
        assert_int_equal(counter.blocks, 0);
    }
    assert_int_equal(counter.bytes, 0);
}

static void test_B217_in_the_middle(void **state) {
    (void)state;
    float samples[700];
    size_t got = 0;
    kzt_counter counter = {0};
    kz_model *model = open_counted(&counter);
    for (int round = 0; round < 6; round++) {
        kz_session *a = kzt_session(model, 2);
        kz_session *b = kzt_session(model, 1);
        kz_request request = kzt_request(round % 2 ? NULL : "Not to be finished.");
        request.flags = round % 2 ? KZ_LIVE_TEXT : 0;
        assert_int_equal(kz_session_start(a, &request), KZ_OK);
        if (round % 2) assert_int_equal(kz_session_append(a, "Not to be ", 10), KZ_OK);
        if (round > 1) assert_int_equal(kz_session_read(a, samples, 700, &got, -1), KZ_OK);
        if (round > 3) kz_session_cancel(a);
        assert_int_equal(kz_session_start(b, &request), KZ_OK); /* and b has no run at all */
        kz_session_free(round % 3 ? a : b);
        kz_session_free(round % 3 ? b : a);
    }
    kz_model_free(model);
    assert_int_equal(counter.blocks, 0);
    kz_model_free(NULL);
    kz_session_free(NULL);
}

static void test_B217_after_a_failed_load(void **state) {
    (void)state;
    kzt_counter counter = {0};
    kz_allocator allocator = kzt_counting_allocator(&counter);
    kz_model_options options;
    kz_model_options_init(&options);
    options.allocator = &allocator;
    const char *paths[] = {"/nowhere", KZT_SOURCE_DIR, KZT_SOURCE_DIR "/LICENSE", ""};
    for (size_t i = 0; i < 4; i++) {
        char err[512] = "";
        kz_model *model = (kz_model *)&counter;
        assert_true(kz_model_open(paths[i], &options, &model, err, sizeof err) < 0);
        assert_null(model);
        assert_true(err[0] != 0);
        assert_int_equal(counter.blocks, 0);
    }
    options.cpu = "abacus";
    char err[512] = "";
    kz_model *model = NULL;
    assert_int_equal(kz_model_open(kzt_checkpoint("custom-eq"), &options, &model, err, sizeof err),
                     KZ_ERR_USAGE);
    kzt_has(err, "scalar");
    assert_int_equal(counter.blocks, 0);
    live_for_a_while(custom, 1);
}

typedef struct passed {
    kz_model *model;
    kz_session *session;
    kzt_run run;
} passed;

static void *creates(void *user) {
    passed *p = user;
    p->model = kzt_open("custom-eq", NULL);
    p->session = kzt_session(p->model, 2);
    return NULL;
}

static void *uses(void *user) {
    passed *p = user;
    kz_request request = kzt_request("From hand to hand.");
    request.exact_frames = 4;
    p->run = kzt_run_all(p->session, &request);
    return NULL;
}

static void *destroys(void *user) {
    passed *p = user;
    kz_session_free(p->session);
    kz_model_free(p->model);
    return NULL;
}

static void test_B222_from_thread_to_thread(void **state) {
    (void)state;
    void *(*const steps[])(void *) = {creates, uses, destroys};
    passed p = {0};
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < 3; i++) {
            pthread_t thread;
            assert_int_equal(pthread_create(&thread, NULL, steps[i], &p), 0);
            pthread_join(thread, NULL);
        }
        assert_int_equal(p.run.status, KZ_DONE);
        assert_int_equal(p.run.count, 4 * 1920);
        kzt_run_free(&p.run);
    }
}

/* ---- memory -------------------------------------------------------------------------------- */

static bool within(size_t got, size_t plan, double part) {
    double difference = (double)got - (double)plan;
    return difference <= part * (double)plan && -difference <= part * (double)plan;
}

static size_t peak_of_run(kzt_counter *counter, kz_session *s, int frames, size_t *rows) {
    kz_request request = kzt_request("Two seconds or so of sound, no more.");
    request.exact_frames = frames;
    atomic_store(&counter->peak, atomic_load(&counter->bytes));
    kzt_run run = kzt_run_all(s, &request);
    assert_int_equal(run.status, KZ_DONE);
    *rows = run.result.prompt_rows + run.frames;
    kzt_run_free(&run);
    return atomic_load(&counter->peak);
}

static void test_B221_memory_follows_the_plan(void **state) {
    (void)state;
    kzt_counter counter = {0};
    kz_model *model = open_counted(&counter);
    kz_model_info info = {.size = sizeof info};
    assert_int_equal(kz_model_get_info(model, &info), KZ_OK);
    assert_int_equal(info.max_positions, 32768);
    size_t before = atomic_load(&counter.bytes);
    assert_true(within(before, info.panel_bytes, 0.05));
    kz_session *s = kzt_session(model, 1);
    size_t made = atomic_load(&counter.bytes) - before;
    assert_true(within(made, info.session_bytes, 0.05));
    size_t rows = 0;
    size_t peak = peak_of_run(&counter, s, 25, &rows) - before;
    size_t codes = 25 * 64;
    /* a cache of the whole context would be info.frame_bytes * 32768 */
    assert_true(peak < made + codes + (rows + 64) * info.frame_bytes + 65536);
    assert_true(peak < info.frame_bytes * 32768 / 10);
    assert_true(kzt_result(s).session_bytes_peak >= peak - 65536);
    /* growth per frame, over pages */
    size_t few = 0, many = 0;
    const int frames = KZT_SLOW > 1 ? 2000 : 5000;
    peak_of_run(&counter, s, 1000, &few);
    size_t small = peak_of_run(&counter, s, 1000, &few);
    size_t large = peak_of_run(&counter, s, frames, &many);
    size_t plan = (many - few) * (size_t)info.frame_bytes + (size_t)(frames - 1000) * 64;
    if (!within(large - small, plan, 0.05)) {
        fail_msg("%zu bytes for %zu rows, planned %zu", large - small, many - few, plan);
    }
    kz_session_free(s);
    kz_model_free(model);
}

/* ---- structs ------------------------------------------------------------------------------- */

typedef struct later_options {
    kz_model_options now;
    long later;
} later_options;

typedef struct later_request {
    kz_request now;
    long later[2];
} later_request;

static kz_status open_with(const kz_model_options *options, char err[512]) {
    kz_model *model = NULL;
    kz_status status = kz_model_open(kzt_checkpoint("custom-eq"), options, &model, err, 512);
    assert_true((model != NULL) == (status == KZ_OK));
    kz_model_free(model);
    return status;
}

static void test_options_of_another_version(void **state) {
    (void)state;
    char err[512] = "";
    later_options options;
    memset(&options, 0, sizeof options);
    kz_model_options_init(&options.now);
    options.now.size = sizeof options;
    assert_int_equal(open_with(&options.now, err), KZ_OK);
    options.later = 1;
    assert_int_equal(open_with(&options.now, err), KZ_ERR_USAGE);
    kzt_has(err, "init");
    options.now.size = sizeof options.now; /* what lies behind is not looked at */
    assert_int_equal(open_with(&options.now, err), KZ_OK);
    const size_t sizes[] = {0, 8, sizeof options.now - 1, (size_t)-1};
    for (size_t i = 0; i < 4; i++) {
        options.now.size = sizes[i];
        assert_int_equal(open_with(&options.now, err), KZ_ERR_USAGE);
    }
    assert_int_equal(open_with(NULL, err), KZ_OK);
}

static void test_requests_of_another_version(void **state) {
    (void)state;
    later_request request;
    memset(&request, 0, sizeof request);
    request.now = kzt_request("Any text.");
    request.now.size = sizeof request;
    size_t count = 0, prompt = 0;
    assert_int_equal(kz_session_start(session, &request.now), KZ_OK);
    assert_int_equal(kz_prompt(custom, &request.now, NULL, NULL, 0, &count, &prompt, NULL, 0),
                     KZ_OK);
    ((unsigned char *)&request)[sizeof request - 1] = 1;
    kzt_refused(session, &request.now, KZ_ERR_USAGE, "init");
    assert_int_equal(kz_prompt(custom, &request.now, NULL, NULL, 0, &count, &prompt, NULL, 0),
                     KZ_ERR_USAGE);
    request.now.size = 16;
    kzt_refused(session, &request.now, KZ_ERR_USAGE, "init");
    kzt_refused(session, NULL, KZ_ERR_USAGE, "NULL");
}

static void test_sessions_and_results_of_another_version(void **state) {
    (void)state;
    struct {
        kz_session_options now;
        long later;
    } options;
    memset(&options, 0, sizeof options);
    kz_session_options_init(&options.now);
    char err[512] = "";
    kz_session *s = NULL;
    options.now.size = sizeof options;
    options.later = 4;
    assert_int_equal(kz_session_create(custom, &options.now, &s, err, sizeof err), KZ_ERR_USAGE);
    assert_null(s);
    options.later = 0;
    assert_int_equal(kz_session_create(custom, &options.now, &s, err, sizeof err), KZ_OK);
    kz_session_free(s);
    const int threads[] = {0, -2, -1000000, 257, 1000000};
    for (size_t i = 0; i < 5; i++) {
        options.now.threads = threads[i];
        assert_int_equal(kz_session_create(custom, &options.now, &s, err, sizeof err),
                         KZ_ERR_USAGE);
        kzt_has(err, "threads");
        assert_null(s);
    }
    struct {
        kz_result now;
        long later;
    } result = {{.size = sizeof result}, 5};
    assert_int_equal(kz_session_get_result(session, &result.now), KZ_OK);
    assert_int_equal(result.now.size, sizeof result);
    assert_int_equal(result.later, 0); /* as unknown */
    result.now.size = sizeof result.now - 1;
    assert_int_equal(kz_session_get_result(session, &result.now), KZ_ERR_USAGE);
    kz_model_info info = {.size = 8};
    assert_int_equal(kz_model_get_info(custom, &info), KZ_ERR_USAGE);
    kzt_counter counter = {0};
    kz_allocator allocator = kzt_counting_allocator(&counter);
    kz_model_options with;
    kz_model_options_init(&with);
    with.allocator = &allocator;
    allocator.size = 8;
    assert_int_equal(open_with(&with, err), KZ_ERR_USAGE);
    allocator.size = sizeof allocator;
    allocator.release = NULL;
    assert_int_equal(open_with(&with, err), KZ_ERR_USAGE);
    kzt_has(err, "allocator");
}

/* ---- calls that are not allowed ------------------------------------------------------------ */

static int ignore(void *user, const kz_packet *packet) {
    (void)user;
    (void)packet;
    return 0;
}

static void test_null_arguments(void **state) {
    (void)state;
    float sample = 0;
    size_t count = 0, prompt = 0;
    int32_t code = 0;
    kz_session *s = NULL;
    kz_request request = kzt_request("Any text.");
    char err[512] = "";
    assert_int_equal(kz_model_open("x", NULL, NULL, NULL, 0), KZ_ERR_USAGE);
    kz_model *model = NULL;
    assert_int_equal(kz_model_open(NULL, NULL, &model, NULL, 0), KZ_ERR_USAGE);
    assert_int_equal(kz_session_create(NULL, NULL, &s, err, sizeof err), KZ_ERR_USAGE);
    assert_int_equal(kz_session_create(custom, NULL, NULL, NULL, 0), KZ_ERR_USAGE);
    assert_int_equal(kz_session_start(NULL, &request), KZ_ERR_USAGE);
    assert_int_equal(kz_session_start_codes(NULL, &code, 1, 1, 0), KZ_ERR_USAGE);
    assert_int_equal(kz_session_append(NULL, "a", 1), KZ_ERR_USAGE);
    assert_int_equal(kz_session_finish_text(NULL), KZ_ERR_USAGE);
    assert_int_equal(kz_session_read(NULL, &sample, 1, &count, -1), KZ_ERR_USAGE);
    assert_int_equal(kz_session_speak(NULL, ignore, NULL), KZ_ERR_USAGE);
    assert_int_equal(kz_session_get_result(session, NULL), KZ_ERR_USAGE);
    assert_int_equal(kz_model_get_info(custom, NULL), KZ_ERR_USAGE);
    assert_int_equal(kz_tokenize(NULL, "a", 1, 0, NULL, 0, &count, err, 512), KZ_ERR_USAGE);
    assert_int_equal(kz_tokenize(custom, NULL, 1, 0, NULL, 0, &count, err, 512), KZ_ERR_USAGE);
    assert_int_equal(kz_tokenize(custom, "a", 1, 0, NULL, 0, NULL, err, 512), KZ_ERR_USAGE);
    assert_int_equal(kz_prompt(NULL, &request, NULL, NULL, 0, &count, &prompt, err, 512),
                     KZ_ERR_USAGE);
    assert_int_equal(kz_prompt(custom, NULL, NULL, NULL, 0, &count, &prompt, err, 512),
                     KZ_ERR_USAGE);
    assert_int_equal(kz_prompt(custom, &request, NULL, NULL, 0, NULL, NULL, err, 512),
                     KZ_ERR_USAGE);
    assert_string_equal(kz_error(NULL), "");
    assert_null(kz_session_codes(NULL, &count));
    assert_null(kz_model_speaker(NULL, 0, NULL));
    assert_null(kz_model_language(NULL, 0));
    assert_null(kz_model_speaker(custom, 1000, NULL));
    assert_null(kz_token_text(custom, -1, NULL));
    assert_null(kz_token_text(custom, 1 << 30, NULL));
    assert_int_equal(kz_session_start(session, &request), KZ_OK);
    assert_int_equal(kz_session_read(session, NULL, 1, &count, -1), KZ_ERR_USAGE);
    assert_int_equal(kz_session_read(session, &sample, 0, &count, -1), KZ_ERR_USAGE);
    assert_int_equal(kz_session_read(session, &sample, 1, NULL, -1), KZ_ERR_USAGE);
    assert_int_equal(kz_session_speak(session, NULL, NULL), KZ_ERR_USAGE);
    assert_int_equal(kz_session_read(session, &sample, 1, &count, -1), KZ_OK); /* goes on */
}

static void test_calls_out_of_turn(void **state) {
    (void)state;
    float sample = 0;
    size_t count = 0;
    kz_session *s = kzt_session(custom, 1);
    assert_int_equal(kz_session_read(s, &sample, 1, &count, -1), KZ_ERR_STATE);
    assert_int_equal(kz_session_speak(s, ignore, NULL), KZ_ERR_STATE);
    assert_int_equal(kz_session_append(s, "a", 1), KZ_ERR_STATE);
    assert_int_equal(kz_session_finish_text(s), KZ_ERR_STATE);
    assert_true(kz_error(s)[0] != 0);
    assert_int_equal(kzt_result(s).finish, KZ_FINISH_NONE);
    kz_request request = kzt_request("Any text.");
    request.exact_frames = 2;
    assert_int_equal(kz_session_start(s, &request), KZ_OK);
    assert_int_equal(kz_session_append(s, "a", 1), KZ_ERR_STATE); /* the text is whole */
    assert_int_equal(kz_session_finish_text(s), KZ_ERR_STATE);
    kzt_run run = kzt_run_rest(s); /* goes on all the same */
    assert_int_equal(run.count, 2 * 1920);
    kzt_run_free(&run);
    request.text = NULL;
    assert_int_equal(kz_session_start(s, &request), KZ_OK);
    assert_int_equal(kz_session_append(s, NULL, 1), KZ_ERR_USAGE);
    assert_int_equal(kz_session_append(s, NULL, 0), KZ_OK);
    assert_int_equal(kz_session_append(s, "Any text.", 9), KZ_OK);
    assert_int_equal(kz_session_finish_text(s), KZ_OK);
    assert_int_equal(kz_session_finish_text(s), KZ_ERR_STATE);
    assert_int_equal(kz_session_append(s, "a", 1), KZ_ERR_STATE);
    run = kzt_run_rest(s);
    assert_int_equal(run.status, KZ_DONE);
    kzt_run_free(&run);
    assert_int_equal(kz_session_append(s, "a", 1), KZ_ERR_STATE);
    const int32_t code[16] = {0};
    assert_int_equal(kz_session_start_codes(s, code, 1, KZ_DEFAULT, 0), KZ_OK);
    assert_int_equal(kz_session_append(s, "a", 1), KZ_ERR_STATE);
    kz_session_free(s);
}

static void test_codes_that_cannot_be(void **state) {
    (void)state;
    int32_t codes[64] = {0};
    assert_int_equal(kz_session_start_codes(session, NULL, 1, 1, 0), KZ_ERR_INPUT);
    assert_int_equal(kz_session_start_codes(session, codes, 0, 1, 0), KZ_ERR_INPUT);
    assert_int_equal(kz_session_start_codes(session, codes, 4, 0, 0), KZ_ERR_USAGE);
    assert_int_equal(kz_session_start_codes(session, codes, 4, -7, 0), KZ_ERR_USAGE);
    codes[35] = 128;
    assert_int_equal(kz_session_start_codes(session, codes, 4, 1, 0), KZ_ERR_INPUT);
    kzt_has(kz_error(session), "code 128 of frame 2, codebook 3: allowed are 0 to 127");
    codes[35] = -1;
    assert_int_equal(kz_session_start_codes(session, codes, 4, 1, 0), KZ_ERR_INPUT);
    assert_int_equal(kzt_result(session).finish, KZ_FINISH_ERROR);
    assert_int_equal(kz_session_start_codes(session, codes, 2, 1, 0), KZ_OK);
}

typedef struct wrong {
    const char *part;
    kz_request request;
} wrong;

static void test_values_out_of_range(void **state) {
    (void)state;
    const double nan = (double)NAN;
    const kz_request plain = kzt_request("Any text.");
    wrong list[24];
    size_t count = 0;
#define WRONG(field, value, reason)     \
    do {                                \
        list[count].part = reason;      \
        list[count].request = plain;    \
        list[count].request.field = value; \
        count++;                        \
    } while (0)
    WRONG(talker.temperature, -0.5, "talker: temperature");
    WRONG(talker.temperature, nan, "talker: temperature");
    WRONG(talker.temperature, 1e9, "talker: temperature");
    WRONG(predictor.temperature, -2, "code predictor: temperature");
    WRONG(talker.top_k, -2, "top-k");
    WRONG(talker.top_p, 0, "top-p");
    WRONG(talker.top_p, 1.5, "top-p");
    WRONG(predictor.top_p, nan, "top-p");
    WRONG(talker.repetition_penalty, 0, "repetition penalty");
    WRONG(predictor.repetition_penalty, nan, "repetition penalty");
    WRONG(talker.repetition_window, -3, "repetition window");
    WRONG(min_frames, -2, "frame limits");
    WRONG(max_frames, -5, "frame limits");
    WRONG(exact_frames, 1000001, "frame limits");
    WRONG(packet, 0, "packet");
    WRONG(packet, -9, "packet");
    WRONG(max_frames, 40000, "32768 positions");
    WRONG(flags, KZ_WHOLE_TEXT | KZ_LIVE_TEXT, "exclude");
    WRONG(flags, 1u << 20, "flags 0x100000 are not known");
#undef WRONG
    for (size_t i = 0; i < count; i++) {
        kzt_refused(session, &list[i].request, KZ_ERR_USAGE, list[i].part);
    }
    kz_request both = plain;
    both.exact_frames = 4;
    both.max_frames = 5;
    kzt_refused(session, &both, KZ_ERR_USAGE, "exact");
    both = plain;
    both.min_frames = 9;
    both.max_frames = 5;
    kzt_refused(session, &both, KZ_ERR_USAGE, "contradict");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_B217_create_and_destroy),
        cmocka_unit_test(test_B217_in_the_middle),
        cmocka_unit_test(test_B217_after_a_failed_load),
        cmocka_unit_test(test_B222_from_thread_to_thread),
        cmocka_unit_test(test_B221_memory_follows_the_plan),
        cmocka_unit_test(test_options_of_another_version),
        cmocka_unit_test(test_requests_of_another_version),
        cmocka_unit_test(test_sessions_and_results_of_another_version),
        cmocka_unit_test(test_null_arguments),
        cmocka_unit_test(test_calls_out_of_turn),
        cmocka_unit_test(test_codes_that_cannot_be),
        cmocka_unit_test(test_values_out_of_range),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
