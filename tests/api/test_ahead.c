/* Sessions that run ahead of their reader: the samples of those that do not, whatever the reader
 * does, within their bound, and stopped within a frame. Run it under the thread sanitizer. */
#include "base/clock.h"
#include "harness/talk.h"
#include "harness/tests.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PER_FRAME 1920
#define FRAME_MS 80
#define PATIENCE_MS 20000.0 /* longer than any wait that is not a fault */

static kz_model *model;

static int open_model(void **state) {
    (void)state;
    model = kzt_open("custom-eq", NULL);
    return 0;
}

static int close_model(void **state) {
    (void)state;
    kz_model_free(model);
    return 0;
}

static void pause_ms(long ms) {
    struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

static kz_session *ahead(int threads, int ahead_ms) {
    kz_session_options options;
    char err[256] = "";
    kz_session *session = NULL;
    kz_session_options_init(&options);
    options.threads = threads;
    options.ahead_ms = ahead_ms;
    if (kz_session_create(model, &options, &session, err, sizeof err)) fail_msg("%s", err);
    return session;
}

static kz_request words(void) {
    kz_request request = kzt_request("The same words, ahead or not.");
    request.exact_frames = 12;
    request.seed = 84;
    return request;
}

static kzt_run lone(const kz_request *request) {
    kz_session *s = kzt_session(model, 1);
    kzt_run run = kzt_run_all(s, request);
    assert_int_equal(run.status, KZ_DONE);
    kz_session_free(s);
    return run;
}

static void start_script(kz_session *s, kzt_script *script, int packet) {
    kz_request request = kzt_request("Words for a script.");
    request.packet = packet;
    kz__session_set_script(s, kzt_script_run, script);
    assert_int_equal(kz_session_start(s, &request), KZ_OK);
}

/* Waits until so many frames are made, or as many as ever will be. */
static size_t wait_for_frames(kz_session *s, size_t frames) {
    double start = kz__now_ms();
    for (;;) {
        kz_result result = kzt_result(s);
        if (result.frames >= frames) return (size_t)result.frames;
        if (kz__now_ms() - start > PATIENCE_MS) fail_msg("%zu frames", (size_t)result.frames);
        pause_ms(2);
    }
}

/* ---- samples ------------------------------------------------------------------------------- */

static void read_in_parts(kz_session *s, const kzt_run *want, size_t part, long pause) {
    float *samples = malloc((want->count + part) * sizeof *samples);
    assert_non_null(samples);
    size_t have = 0;
    kz_status status = KZ_OK;
    while (status == KZ_OK) {
        size_t got = 0;
        status = kz_session_read(s, samples + have, part, &got, -1);
        assert_true(status == KZ_OK ? got > 0 && got <= part : got == 0);
        have += got;
        assert_true(have <= want->count);
        if (pause) pause_ms(pause);
    }
    assert_int_equal(status, KZ_DONE);
    kzt_same_samples(want->samples, want->count, samples, have);
    assert_int_equal(kzt_result(s).samples, have);
    assert_int_equal(kz_session_read(s, samples, part, &have, -1), KZ_DONE);
    free(samples);
}

typedef struct sink {
    float *samples;
    size_t frames, most, packets, stop_after;
    kz_packet last;
} sink;

static int take(void *user, const kz_packet *p) {
    sink *s = user;
    assert_int_equal(p->sample_offset, s->last.sample_offset + s->last.count);
    assert_int_equal(p->first_frame, s->last.first_frame + s->last.frames);
    assert_int_equal(p->count, p->frames * PER_FRAME);
    memcpy(s->samples + p->sample_offset, p->samples, p->count * sizeof(float));
    s->frames += p->frames;
    s->last = *p;
    if (p->frames > s->most) s->most = p->frames;
    return ++s->packets == s->stop_after;
}

static void test_same_samples(void **state) {
    static const int bounds[] = {1, 200, 5000};
    static const int packets[] = {1, 3, KZ_DEFAULT, 100};
    kz_request request = words();
    kzt_run want = lone(&request);
    float *samples = malloc(want.count * sizeof *samples);
    (void)state;
    assert_non_null(samples);
    for (int b = 0; b < 3; b++) {
        kz_session *s = ahead(1 + b, bounds[b]);
        for (int i = 0; i < 4; i++) {
            request.packet = packets[i];
            kzt_run got = kzt_run_all(s, &request);
            kzt_same(&want, &got);
            assert_int_equal(got.result.finish, KZ_FINISH_LENGTH);
            assert_true(got.result.first_audio_ms > 0 && got.result.total_ms > 0);
            kzt_run_free(&got);
            assert_int_equal(kz_session_start(s, &request), KZ_OK);
            read_in_parts(s, &want, i % 2 ? 777 : 5 * PER_FRAME, i == 1 ? 1 : 0);
            sink to = {.samples = samples};
            assert_int_equal(kz_session_start(s, &request), KZ_OK);
            assert_int_equal(kz_session_speak(s, take, &to), KZ_OK);
            assert_true(to.most <= 8);
            kzt_same_samples(want.samples, want.count, samples, to.frames * PER_FRAME);
        }
        kz_session_free(s);
    }
    kzt_run_free(&want);
    free(samples);
}

static void test_codes_are_decoded(void **state) {
    (void)state;
    kz_session *plain = kzt_session(model, 1);
    kz_session *s = ahead(2, 300);
    int32_t codes[30 * 16];
    for (size_t i = 0; i < 30 * 16; i++) codes[i] = (int32_t)(i * 7 % 64);
    kzt_run want = kzt_decode(plain, codes, 30, 0);
    kzt_run got = kzt_decode(s, codes, 30, 0);
    kzt_same(&want, &got);
    kzt_run_free(&got);
    kzt_run_free(&want);
    kz_session_free(plain);
    kz_session_free(s);
}

/* ---- the bound ----------------------------------------------------------------------------- */

/* A listener who does not come back leaves a full queue and an idle thread, and no memory is
 * taken. */
static void test_B084_the_queue_has_a_bound(void **state) {
    (void)state;
    for (int packet = 1; packet <= 4; packet += 3) {
        for (size_t bound = 1; bound <= 9; bound += 4) {
            kz_session *s = ahead(1, (int)bound * FRAME_MS);
            kzt_script script = kzt_script_make(s, 84);
            script.end = 60;
            start_script(s, &script, packet);
            kzt_run first = kzt_run_rest(s); /* the decoder's pages */
            kzt_run_free(&first);
            start_script(s, &script, packet);
            size_t bytes = atomic_load(&s->mem.peak);
            size_t most = bound + 2 * (size_t)packet; /* queued, in a packet, on the way to one */
            wait_for_frames(s, bound);
            pause_ms(30);
            assert_in_range(kzt_result(s).frames, bound, most);
            float *frame = malloc(PER_FRAME * sizeof *frame);
            for (size_t i = 1; i < 40; i++) {
                size_t got = 0;
                assert_int_equal(kz_session_read(s, frame, PER_FRAME, &got, -1), KZ_OK);
                kz_result now = kzt_result(s);
                assert_true(now.frames <= (now.samples + PER_FRAME - 1) / PER_FRAME + most);
            }
            free(frame);
            assert_int_equal(atomic_load(&s->mem.peak), bytes);
            assert_int_equal(atomic_load(&s->mem.guard_hits), 0);
            kz_session_free(s);
        }
    }
}

/* ---- stops --------------------------------------------------------------------------------- */

typedef struct canceller {
    pthread_t thread;
    kz_session *session;
    long after_ms;
} canceller;

static void *cancel_later(void *arg) {
    canceller *c = arg;
    pause_ms(c->after_ms);
    kz_session_cancel(c->session);
    return NULL;
}

/* While the reader waits for a frame that takes long, and while the thread waits for room. */
static void test_cancel_ends_every_wait(void **state) {
    kz_request request = words();
    kzt_run want = lone(&request);
    (void)state;
    for (int round = 0; round < 12; round++) {
        kz_session *s = ahead(1, 80 + 100 * (round % 4));
        kzt_script script = kzt_script_make(s, 1);
        float samples[100];
        size_t got = 0;
        script.delay_ms = round % 2 ? 100 : 0;
        canceller c = {.session = s, .after_ms = round % 2 ? 20 + round : 0};
        start_script(s, &script, 8);
        if (round % 2 == 0) wait_for_frames(s, 1);
        assert_int_equal(pthread_create(&c.thread, NULL, cancel_later, &c), 0);
        if (round % 2 == 0) pthread_join(c.thread, NULL);
        size_t calls = kzt_result(s).frames;
        double start = kz__now_ms();
        assert_int_equal(kz_session_read(s, samples, 100, &got, -1), KZ_ERR_CANCELLED);
        if (round % 2) pthread_join(c.thread, NULL);
        assert_true(kz__now_ms() - start < PATIENCE_MS);
        kz_result result = kzt_result(s);
        assert_int_equal(result.finish, KZ_FINISH_CANCELLED);
        assert_true(round % 2 == 0 || result.frames <= calls + 1);
        pause_ms(5);
        assert_int_equal(kzt_result(s).frames, result.frames); /* it has stopped */
        assert_int_equal(kz_session_read(s, samples, 100, &got, -1), KZ_ERR_STATE);
        kzt_has(kz_error(s), "cancelled");
        kz__session_set_script(s, NULL, NULL);
        kzt_run again = kzt_run_all(s, &request);
        kzt_same(&want, &again);
        kzt_run_free(&again);
        kz_session_free(s);
    }
    kzt_run_free(&want);
}

/* In any state of the thread: just begun, busy, full, done. */
static void test_restart_and_free_in_flight(void **state) {
    kz_request request = words();
    kzt_run want = lone(&request);
    (void)state;
    for (long pause = 0; pause < 24; pause += 3) {
        kz_session *s = ahead(2, pause % 2 ? 80 : 3000);
        kz_request other = kzt_request("Something that is dropped.");
        other.exact_frames = 2000;
        other.packet = 1 + (int)pause % 9;
        for (int i = 0; i < 3; i++) {
            float samples[PER_FRAME];
            size_t got = 0;
            assert_int_equal(kz_session_start(s, &other), KZ_OK);
            if (i) assert_int_equal(kz_session_read(s, samples, 100, &got, -1), KZ_OK);
            pause_ms(pause);
        }
        kzt_run run = kzt_run_all(s, &request);
        kzt_same(&want, &run);
        kzt_run_free(&run);
        other.voice = "nobody";
        kzt_refused(s, &other, KZ_ERR_INPUT, "nobody");
        float sample = 0;
        size_t got = 0;
        assert_int_equal(kz_session_read(s, &sample, 1, &got, -1), KZ_ERR_STATE);
        other.voice = NULL;
        assert_int_equal(kz_session_start(s, &other), KZ_OK);
        pause_ms(pause);
        kz_session_free(s);
    }
    kzt_run_free(&want);
}

static void test_the_sink_says_stop(void **state) {
    (void)state;
    kz_request request = words();
    kzt_run want = lone(&request);
    kz_session *s = ahead(1, 400);
    float *samples = malloc(want.count * sizeof *samples);
    request.packet = 1;
    for (size_t stop = 1; stop < 4; stop++) {
        sink to = {.samples = samples, .stop_after = stop};
        assert_int_equal(kz_session_start(s, &request), KZ_OK);
        assert_int_equal(kz_session_speak(s, take, &to), KZ_ERR_CANCELLED);
        kzt_has(kz_error(s), "the sink said stop");
        assert_int_equal(to.packets, stop);
        assert_int_equal(kzt_result(s).samples, to.frames * PER_FRAME);
        assert_int_equal(kz_session_speak(s, take, &to), KZ_ERR_STATE);
    }
    free(samples);
    kzt_run_free(&want);
    kz_session_free(s);
}

/* ---- errors, text, time -------------------------------------------------------------------- */

static void test_errors_come_after_the_samples(void **state) {
    (void)state;
    kz_session *s = ahead(1, 1000);
    for (size_t at = 0; at < 30; at += 5) {
        kzt_script script = kzt_script_make(s, 94);
        script.fail = at;
        start_script(s, &script, at % 2 ? KZ_DEFAULT : 4);
        pause_ms(at % 3 ? 10 : 0);
        kzt_run run = kzt_run_rest(s);
        assert_int_equal(run.status, KZ_ERR_FAILED);
        assert_int_equal(run.result.finish, KZ_FINISH_ERROR);
        char want[64];
        snprintf(want, sizeof want, "failed at frame %zu", at);
        kzt_has(kz_error(s), want);
        assert_int_equal(run.count, at * PER_FRAME);
        float sample = 0;
        size_t got = 0;
        assert_int_equal(kz_session_read(s, &sample, 1, &got, -1), KZ_ERR_STATE);
        kzt_has(kz_error(s), want);
        kzt_run_free(&run);
    }
    kz_session_free(s);
}

static void test_text_that_comes_bit_by_bit(void **state) {
    (void)state;
    const char *text = "Text that comes bit by bit, as it is written.";
    kz_request request = kzt_request(NULL);
    request.flags = KZ_LIVE_TEXT;
    request.exact_frames = 30;
    request.seed = 5;
    kz_session *sessions[2] = {kzt_session(model, 1), ahead(2, 700)};
    kzt_run runs[2];
    for (int i = 0; i < 2; i++) {
        kz_session *s = sessions[i];
        float samples[2 * PER_FRAME];
        size_t got = 0, waits = 0, at = 0, have = 0;
        kz_status status = kz_session_start(s, &request);
        runs[i].samples = malloc(30 * PER_FRAME * sizeof(float));
        while (status >= 0 && status != KZ_DONE) {
            status = kz_session_read(s, samples, 2 * PER_FRAME, &got, -1);
            memcpy(runs[i].samples + have, samples, got * sizeof(float));
            have += got;
            if (status != KZ_NEED_TEXT) continue;
            waits++;
            size_t left = strlen(text) - at;
            size_t part = left < 6 ? left : 6;
            status = left ? kz_session_append(s, text + at, part) : kz_session_finish_text(s);
            at += part;
        }
        assert_int_equal(status, KZ_DONE);
        assert_int_equal(have, 30 * PER_FRAME);
        assert_true(waits > 5);
        assert_int_equal(kz_session_append(s, "x", 1), KZ_ERR_STATE);
    }
    kzt_same_samples(runs[0].samples, 30 * PER_FRAME, runs[1].samples, 30 * PER_FRAME);
    for (int i = 0; i < 2; i++) {
        free(runs[i].samples);
        kz_session_free(sessions[i]);
    }
}

static void test_timeouts(void **state) {
    (void)state;
    kz_session *s = ahead(1, 1000);
    kzt_script script = kzt_script_make(s, 30);
    float samples[PER_FRAME];
    size_t got = 1;
    script.end = 6;
    script.delay_ms = 40;
    start_script(s, &script, 3);
    assert_int_equal(kz_session_read(s, samples, PER_FRAME, &got, 0), KZ_TIMEOUT);
    assert_int_equal(got, 0);
    double start = kz__now_ms();
    assert_int_equal(kz_session_read(s, samples, PER_FRAME, &got, 10), KZ_TIMEOUT);
    assert_true(kz__now_ms() - start >= 9.5);
    assert_int_equal(kz_session_read(s, samples, PER_FRAME, &got, 20000), KZ_OK);
    kzt_run rest = kzt_run_rest(s);
    assert_int_equal(got + rest.count, 6 * PER_FRAME);
    kzt_run_free(&rest);
    kz_session_free(s);
}

/* Time is that of computing: what the thread waits for a reader is not in it. */
static void test_time_is_that_of_computing(void **state) {
    (void)state;
    kz_session *s = ahead(1, 160);
    kzt_script script = kzt_script_make(s, 30);
    script.end = 20;
    start_script(s, &script, 1);
    kz_result before = kzt_result(s);
    for (double busy = -1; busy < before.total_ms;) { /* until the queue is full */
        busy = before.total_ms;
        pause_ms(100);
        before = kzt_result(s);
    }
    assert_true(before.frames >= 2 && before.frames < 20);
    pause_ms(50);
    kz_result after = kzt_result(s);
    assert_true(after.total_ms == before.total_ms);
    assert_true(after.total_ms >= after.decoder_ms && after.decoder_ms > 0);
    kz_session_free(s);
}

static void test_questions_while_it_runs(void **state) {
    (void)state;
    kz_request request = words();
    kzt_run want = lone(&request);
    kz_session *s = ahead(2, 5000);
    for (int round = 0; round < 5; round++) {
        assert_int_equal(kz_session_start(s, &request), KZ_OK);
        size_t frames = 0;
        while (frames < want.frames) {
            size_t before = frames;
            const int32_t *codes = kz_session_codes(s, &frames);
            assert_true(frames >= before);
            assert_memory_equal(codes, want.codes, frames * 16 * sizeof *codes);
            assert_true(kzt_result(s).frames >= frames);
            assert_string_equal(kz_error(s), "");
        }
        if (round % 2) read_in_parts(s, &want, 4000, 0);
    }
    kzt_run_free(&want);
    kz_session_free(s);
}

static void test_what_cannot_be_asked(void **state) {
    (void)state;
    static const int wrong[] = {-1, 600001};
    kz_session_options options;
    char err[256] = "";
    kz_session *s = NULL;
    kz_session_options_init(&options);
    for (int i = 0; i < 2; i++) {
        options.ahead_ms = wrong[i];
        assert_int_equal(kz_session_create(model, &options, &s, err, sizeof err), KZ_ERR_USAGE);
        kzt_has(err, "0 (off) to 600000");
    }
    kz_batch *batch = NULL;
    assert_int_equal(kz_batch_create(model, NULL, &batch, NULL, 0), KZ_OK);
    options.ahead_ms = 80;
    options.batch = batch;
    assert_int_equal(kz_session_create(model, &options, &s, err, sizeof err), KZ_ERR_USAGE);
    kzt_has(err, "batch");
    assert_null(s);
    kz_batch_free(batch);
    s = ahead(1, 80);
    float sample = 0;
    size_t got = 0;
    assert_int_equal(kz_session_read(s, &sample, 1, &got, 0), KZ_ERR_STATE);
    kz_session_cancel(s);
    kz_session_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_samples),
        cmocka_unit_test(test_codes_are_decoded),
        cmocka_unit_test(test_B084_the_queue_has_a_bound),
        cmocka_unit_test(test_cancel_ends_every_wait),
        cmocka_unit_test(test_restart_and_free_in_flight),
        cmocka_unit_test(test_the_sink_says_stop),
        cmocka_unit_test(test_errors_come_after_the_samples),
        cmocka_unit_test(test_text_that_comes_bit_by_bit),
        cmocka_unit_test(test_timeouts),
        cmocka_unit_test(test_time_is_that_of_computing),
        cmocka_unit_test(test_questions_while_it_runs),
        cmocka_unit_test(test_what_cannot_be_asked),
    };
    return cmocka_run_group_tests(tests, open_model, close_model);
}
