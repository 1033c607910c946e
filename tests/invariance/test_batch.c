/* Sessions of a batch have the samples of their lone runs, whatever the neighbours say, in any
 * slot, joining and leaving at any frame. */
#include "harness/golden.h"
#include "harness/tests.h"

#include "engine/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 16

/* One speaker: what it says, and what it gave alone and in the batch. */
typedef struct speaker {
    kz_request request;
    size_t starts_at; /* step of the batch */
    float *alone, *together;
    size_t alone_count, together_count;
    kz_session *session;
    kz_status status;
} speaker;

static const char *const texts[] = {
    "One.", "Two words here.", "A third sentence, somewhat longer than the others are.",
    "Wer spricht?", "今天天气很好。", "The rain in the plain falls mainly on the train.",
};

static void fill(const kz_model *model, speaker *s, size_t i) {
    kz_request *r = &s->request;
    kz_request_init(r);
    r->text = texts[i % (sizeof texts / sizeof texts[0])];
    r->text_length = strlen(r->text);
    r->voice = kz_model_speaker(model, i % 2, NULL);
    r->seed = 100 + i;
    r->exact_frames = (int)(3 + i * 7 % 23);
    r->packet = i % 4 ? (int)(i % 4) : KZ_DEFAULT;
    r->flags = (i % 2 ? KZ_LIVE_TEXT : KZ_WHOLE_TEXT) | (i % 5 == 4 ? KZ_CP_ORACLE : 0u);
    s->starts_at = i * i % 11;
}

static void read_there(speaker *s) {
    float part[5000];
    while (s->status == KZ_OK) {
        size_t got = 0;
        kz_status status = kz_session_read(s->session, part, 5000, &got, -1);
        if (status == KZ_TIMEOUT || status == KZ_NEED_TEXT) return;
        if (status) s->status = status;
        s->together = realloc(s->together, (s->together_count + got + 1) * sizeof *part);
        assert_non_null(s->together);
        memcpy(s->together + s->together_count, part, got * sizeof *part);
        s->together_count += got;
    }
}

static void speak_alone(const kz_model *model, speaker *all, size_t count) {
    kz_session *session = kzt_session(model, 1);
    for (size_t i = 0; i < count; i++) {
        fill(model, &all[i], i);
        kz_status status =
            kzt_speak(session, &all[i].request, &all[i].alone, &all[i].alone_count);
        assert_int_equal(status, KZ_DONE);
        assert_int_equal(all[i].alone_count, (size_t)all[i].request.exact_frames * 1920);
    }
    kz_session_free(session);
}

static kz_batch *make_batch(const kz_model *model, int threads, int slots) {
    kz_batch_options options;
    char err[512] = "";
    kz_batch *batch = NULL;
    kz_batch_options_init(&options);
    options.threads = threads;
    options.slots = slots;
    if (kz_batch_create(model, &options, &batch, err, sizeof err)) fail_msg("%s", err);
    return batch;
}

static kz_session *make_member(const kz_model *model, kz_batch *batch) {
    kz_session_options options;
    char err[512] = "";
    kz_session *session = NULL;
    kz_session_options_init(&options);
    options.batch = batch;
    if (kz_session_create(model, &options, &session, err, sizeof err)) fail_msg("%s", err);
    return session;
}

/* Sessions are made in the order that `shift` gives, so that slots differ from run to run. */
static void speak_together(const kz_model *model, speaker *all, size_t count, int threads,
                           size_t shift) {
    kz_batch *batch = make_batch(model, threads, (int)count);
    for (size_t i = 0; i < count; i++) {
        speaker *s = &all[(i * 7 + shift) % count];
        s->session = make_member(model, batch);
        s->status = KZ_OK;
        s->together_count = 0;
    }
    size_t ended = 0;
    for (size_t step = 0; ended < count; step++) {
        size_t advanced = 0;
        assert_true(step < 400);
        for (size_t i = 0; i < count; i++) {
            if (all[i].starts_at != step) continue;
            assert_int_equal(kz_session_start(all[i].session, &all[i].request), KZ_OK);
        }
        assert_true(kz_batch_step(batch, &advanced) >= 0);
        ended = 0;
        for (size_t i = 0; i < count; i++) {
            if (all[i].starts_at <= step && (step + i) % 3 == 0) read_there(&all[i]);
            ended += all[i].status == KZ_DONE;
        }
    }
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(all[i].together_count, all[i].alone_count);
        assert_memory_equal(all[i].together, all[i].alone, all[i].alone_count * sizeof(float));
        kz_session_free(all[i].session);
    }
    printf("%2zu sessions, %d threads, shift %zu: samples of the lone runs\n", count, threads,
           shift);
    kz_batch_free(batch);
}

static void equal_lone_runs(const char *checkpoint, kz_type type) {
    static const size_t counts[] = {1, 2, 5, 16};
    kz_model_options options;
    kz_model_options_init(&options);
    options.type = type;
    kz_model *model = kzt_open(checkpoint, &options);
    printf("%s, weights of type %d\n", checkpoint, (int)type);
    for (size_t c = 0; c < (KZT_SLOW > 1 ? 3 : 4); c++) {
        speaker all[MOST];
        memset(all, 0, sizeof all);
        speak_alone(model, all, counts[c]);
        speak_together(model, all, counts[c], 1, 0);
        speak_together(model, all, counts[c], 2, 3);
        for (size_t i = 0; i < counts[c]; i++) {
            free(all[i].alone);
            free(all[i].together);
        }
    }
    kz_model_free(model);
}

static void test_B064_batch_equals_lone_runs(void **state) {
    (void)state;
    equal_lone_runs("custom-eq", KZ_TYPE_STORED);
    equal_lone_runs("custom-mtp", KZ_TYPE_STORED);
    equal_lone_runs("custom-mtp", KZ_TYPE_Q8);
    equal_lone_runs("custom-eq", KZ_TYPE_Q4);
}

/* A neighbour that is cancelled, one that fails, one that waits for text: the others do not
 * notice. */
static int fails_at_two(void *user, size_t frame, int32_t *codes) {
    (void)user;
    for (size_t i = 0; i < 16; i++) codes[i] = (int32_t)(frame + i);
    return frame == 2 ? -1 : 0;
}

static void test_neighbours_that_go(void **state) {
    kz_model *model = kzt_open("custom-eq", NULL);
    speaker all[5];
    (void)state;
    memset(all, 0, sizeof all);
    speak_alone(model, all, 5);
    kz_batch *batch = make_batch(model, 2, 5);
    for (size_t i = 0; i < 5; i++) {
        all[i].session = make_member(model, batch);
        all[i].request.exact_frames = i == 4 ? all[i].request.exact_frames : 12;
        if (i == 1) kz__session_set_script(all[i].session, fails_at_two, NULL);
        if (i == 2) all[i].request.text = NULL;
        assert_int_equal(kz_session_start(all[i].session, &all[i].request), KZ_OK);
    }
    size_t advanced = 0;
    for (size_t step = 0; step < 60; step++) {
        if (step == 4) kz_session_cancel(all[0].session);
        kz_status status = kz_batch_step(batch, &advanced);
        assert_true(status == KZ_OK || status == KZ_DONE);
        for (size_t i = 0; i < 5; i++) read_there(&all[i]);
    }
    assert_int_equal(all[0].status, KZ_ERR_CANCELLED);
    assert_int_equal(all[1].status, KZ_ERR_FAILED);
    assert_int_equal(all[1].together_count, 2 * 1920);
    assert_int_equal(all[2].status, KZ_OK); /* still waits */
    assert_int_equal(all[3].status, KZ_DONE);
    assert_int_equal(all[4].status, KZ_DONE);
    assert_int_equal(all[4].together_count, all[4].alone_count);
    assert_memory_equal(all[4].together, all[4].alone, all[4].alone_count * sizeof(float));
    kz_session *late = NULL;
    kz_session_options options;
    char err[256] = "";
    kz_session_options_init(&options);
    options.batch = batch;
    assert_int_equal(kz_session_create(model, &options, &late, err, sizeof err), KZ_ERR_USAGE);
    assert_non_null(strstr(err, "5 slots"));
    for (size_t i = 0; i < 5; i++) {
        kz_session_free(all[i].session);
        free(all[i].alone);
        free(all[i].together);
    }
    kz_batch_free(batch);
    kz_model_free(model);
}

/* Held sessions make nothing, and have their samples when they are let go; a batch of which all
 * are held has nothing to do. */
static void test_held_sessions_wait(void **state) {
    kz_model *model = kzt_open("custom-eq", NULL);
    speaker all[5];
    (void)state;
    memset(all, 0, sizeof all);
    speak_alone(model, all, 5);
    kz_batch *batch = make_batch(model, 2, 5);
    for (size_t i = 0; i < 5; i++) {
        all[i].session = make_member(model, batch);
        assert_int_equal(kz_session_start(all[i].session, &all[i].request), KZ_OK);
        kz_session_hold(all[i].session, 1);
    }
    size_t advanced = 1;
    assert_int_equal(kz_batch_step(batch, &advanced), KZ_DONE);
    assert_int_equal(advanced, 0);
    size_t ended = 0;
    for (size_t step = 0; ended < 5; step++) {
        assert_true(step < 1000);
        size_t frames[5];
        for (size_t i = 0; i < 5; i++) {
            kz_session_hold(all[i].session, (step + i) % (i + 2) != 0);
            kz_session_codes(all[i].session, &frames[i]);
        }
        kz_batch_step(batch, &advanced);
        ended = 0;
        for (size_t i = 0; i < 5; i++) {
            size_t now = 0;
            kz_session_codes(all[i].session, &now);
            if ((step + i) % (i + 2) != 0) assert_int_equal(now, frames[i]);
            read_there(&all[i]);
            ended += all[i].status == KZ_DONE;
        }
    }
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(all[i].together_count, all[i].alone_count);
        assert_memory_equal(all[i].together, all[i].alone, all[i].alone_count * sizeof(float));
        kz_session_free(all[i].session);
        free(all[i].alone);
        free(all[i].together);
    }
    kz_session_hold(NULL, 1);
    kz_batch_free(batch);
    kz_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_B064_batch_equals_lone_runs),
                                       cmocka_unit_test(test_neighbours_that_go),
                                       cmocka_unit_test(test_held_sessions_wait)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
