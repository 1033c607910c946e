/* Frames of a reference that the model's codec decoder has taken before are not decoded again,
 * whichever session, batch slot or thread asks, and nothing that is heard changes by it. What is
 * compared with decodes every frame of the reference, stage by stage. */
#include "engine/prefix.h"
#include "engine/primed.h"
#include "harness/counting_alloc.h"
#include "harness/talk.h"
#include "harness/tests.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REFERENCE = 40, MADE = 7, LONG_REFERENCE = 297 };

/* Codes of voice `voice`: anything, but its own. */
static int32_t *make_codes(const kz_model *model, uint32_t voice, size_t frames) {
    int32_t *codes = calloc(frames * 16, sizeof *codes);
    assert_non_null(codes);
    uint32_t random = voice * 977 + 5;
    for (size_t i = 0; i < frames * 16; i++) {
        random = random * 1664525u + 1013904223u;
        codes[i] = (int32_t)((random >> 8) % (uint32_t)model->config.codec.codebook_size);
    }
    return codes;
}

/* A model and two voices. */
typedef struct stage {
    kz_model *model;
    float *vector;
    size_t width;
    int32_t *codes[2];
} stage;

static void open_stage(stage *s, const char *checkpoint, const kz_model_options *options) {
    s->model = kzt_open(checkpoint, options);
    s->width = s->model->config.talker.width;
    s->vector = calloc(s->width, sizeof *s->vector);
    assert_non_null(s->vector);
    for (size_t i = 0; i < s->width; i++) s->vector[i] = (float)(i % 7) * 0.1f;
    for (uint32_t v = 0; v < 2; v++) s->codes[v] = make_codes(s->model, v, LONG_REFERENCE);
}

static void close_stage(stage *s) {
    free(s->codes[0]);
    free(s->codes[1]);
    free(s->vector);
    kz_model_free(s->model);
}

static kz_request clone(const stage *s, int voice, const char *text, unsigned flags) {
    kz_request r = kzt_request(text);
    r.speaker_vector = s->vector;
    r.speaker_vector_length = s->width;
    r.reference_codes = s->codes[voice];
    r.reference_frames = REFERENCE;
    r.reference_text = voice ? "Said by somebody else." : "What was said before.";
    r.seed = 11;
    r.exact_frames = MADE;
    r.flags = flags;
    return r;
}

/* Frames that the decoder's first and last stage were run for. */
typedef struct seen {
    size_t first, last;
    long last_frame;
} seen;

static void look(void *user, const char *name, long frame, const float *data, const size_t *shape,
                 int rank) {
    seen *s = user;
    (void)data;
    (void)shape;
    (void)rank;
    if (strcmp(name, "decoder.quantizer") == 0) s->first++;
    if (strcmp(name, "decoder.waveform") != 0 || frame == s->last_frame) return;
    s->last++;
    s->last_frame = frame;
}

/* The same request with every frame decoded through every stage. */
static kzt_run run_plain(const kz_model *model, const kz_request *request) {
    seen frames = {0, 0, -1};
    kz_session *plain = kzt_session(model, 1);
    kz_request all = *request;
    all.flags |= KZ_ALL_ROWS;
    kz_session_set_tap(plain, look, &frames);
    size_t before = kz__keep_bytes(model->keep);
    kzt_run run = kzt_run_all(plain, &all);
    assert_int_equal(run.status, KZ_DONE);
    assert_int_equal(kz__keep_bytes(model->keep), before);
    if (!(all.flags & KZ_AS_REFERENCE)) {
        assert_int_equal(frames.first, all.reference_frames + run.frames);
        assert_int_equal(frames.last, frames.first);
    }
    kz_session_free(plain);
    return run;
}

static void same(kzt_run got, const kzt_run *want) {
    assert_int_equal(got.status, KZ_DONE);
    kzt_same(want, &got);
    kzt_run_free(&got);
}

/* Frames of the voice's reference that the model knows. */
static size_t known(const stage *s, int voice, size_t frames) {
    kz__codec_state *state = NULL;
    kz__mem mem;
    const kz__primed_codes codes = {s->codes[voice], frames, 16};
    assert_int_equal(kz__mem_init(&mem, NULL, NULL), KZ_OK);
    assert_int_equal(kz__codec_state_create(&mem, &s->model->decoder, 1, &state, NULL), KZ_OK);
    size_t got = kz__primed_fetch(s->model->keep, &codes, state);
    kz__codec_state_free(state);
    return got;
}

/* ---- equal samples ------------------------------------------------------------------------- */

/* Each of threads, packets and running ahead, twice with a voice: the first pays, unless one
 * before has. */
static void ways(const char *checkpoint, unsigned flags, int ahead_ms) {
    stage s;
    open_stage(&s, checkpoint, NULL);
    kz_request request = clone(&s, 0, "And now this.", flags);
    kzt_run want = run_plain(s.model, &request);
    assert_int_equal(known(&s, 0, REFERENCE), 0);
    for (int i = 0; i < 9; i++) {
        static const int packets[] = {1, 2, 5};
        kz_session_options how;
        kz_session *session = NULL;
        kz_session_options_init(&how);
        how.threads = 1 + i / 3;
        how.ahead_ms = ahead_ms;
        assert_int_equal(kz_session_create(s.model, &how, &session, NULL, 0), KZ_OK);
        request.packet = packets[i % 3];
        same(kzt_run_all(session, &request), &want);
        assert_int_equal(known(&s, 0, REFERENCE), REFERENCE);
        same(kzt_run_all(session, &request), &want);
        kz_session_free(session);
    }
    kz_model_info info = {.size = sizeof info};
    assert_int_equal(kz_model_get_info(s.model, &info), KZ_OK);
    assert_in_range(kz__keep_bytes(s.model->keep), 1, info.prefix_bytes);
    kzt_run_free(&want);
    close_stage(&s);
}

static void test_threads_packets_layouts(void **state) {
    (void)state;
    ways("base-eq", KZ_LIVE_TEXT, 0);
    ways("base-eq", KZ_WHOLE_TEXT, 240);
    ways("base-mtp", KZ_LIVE_TEXT, 240);
    ways("base-mtp", KZ_WHOLE_TEXT, 0);
}

/* A known reference is taken from the store: another state in its place is heard. */
static void test_what_is_known_is_taken(void **state) {
    stage s;
    (void)state;
    open_stage(&s, "base-eq", NULL);
    kz_session *session = kzt_session(s.model, 1);
    kz_request request = clone(&s, 0, "And now this.", 0);
    kz_request other = clone(&s, 1, "And now this.", 0);
    kzt_run want = run_plain(s.model, &request);
    kzt_run other_want = run_plain(s.model, &other);
    same(kzt_run_all(session, &other), &other_want);
    kzt_run_free(&other_want);
    const kz__primed_codes codes = {s.codes[0], REFERENCE, 16};
    kz__primed_keep(s.model->keep, &codes, session->codec); /* which is where it is no more */
    kzt_run got = kzt_run_all(session, &request);
    assert_memory_equal(want.codes, got.codes, MADE * 16 * sizeof *got.codes);
    assert_memory_not_equal(want.samples, got.samples, 1920 * sizeof *got.samples);
    kzt_run_free(&got);
    request.flags |= KZ_ALL_ROWS;
    same(kzt_run_all(session, &request), &want);
    kzt_run_free(&want);
    kz_session_free(session);
    close_stage(&s);
}

/* A longer reference that begins with a known one goes on from there, a shorter one does not. */
static void test_longer_and_shorter(void **state) {
    static const size_t frames[] = {20, 23, 60, 10, 23, 61};
    static const size_t before[] = {0, 20, 23, 0, 23, 60};
    stage s;
    (void)state;
    open_stage(&s, "base-mtp", NULL);
    kz_session *session = kzt_session(s.model, 2);
    for (size_t i = 0; i < 6; i++) {
        kz_request request = clone(&s, 0, "On and on.", 0);
        request.reference_frames = frames[i];
        kzt_run want = run_plain(s.model, &request);
        assert_int_equal(known(&s, 0, frames[i]), before[i]);
        same(kzt_run_all(session, &request), &want);
        assert_int_equal(known(&s, 0, frames[i]), frames[i]);
        kzt_run_free(&want);
    }
    kz_session_free(session);
    close_stage(&s);
}

/* Renewed every 300 frames, in one go with the reference: neither taken nor remembered, and
 * nothing known changes it. */
static void test_as_the_reference(void **state) {
    stage s;
    (void)state;
    open_stage(&s, "base-eq", NULL);
    kz_session *session = kzt_session(s.model, 2);
    kz_request request = clone(&s, 0, "Once more.", KZ_AS_REFERENCE);
    request.reference_frames = LONG_REFERENCE;
    kzt_run want = run_plain(s.model, &request);
    same(kzt_run_all(session, &request), &want);
    assert_int_equal(known(&s, 0, LONG_REFERENCE), 0);
    request.flags = 0;
    kzt_run plain = run_plain(s.model, &request);
    same(kzt_run_all(session, &request), &plain);
    assert_int_equal(known(&s, 0, LONG_REFERENCE), LONG_REFERENCE);
    request.flags = KZ_AS_REFERENCE;
    same(kzt_run_all(session, &request), &want);
    kzt_run_free(&plain);
    kzt_run_free(&want);
    kz_session_free(session);
    close_stage(&s);
}

/* Whoever sees every stage sees it of every frame, however much is known. */
static void test_taps_see_all_frames(void **state) {
    stage s;
    (void)state;
    open_stage(&s, "base-eq", NULL);
    kz_session *session = kzt_session(s.model, 1);
    kz_request request = clone(&s, 0, "All of it.", 0);
    for (int i = 0; i < 3; i++) {
        seen frames = {0, 0, -1};
        kz_session_set_tap(session, i ? look : NULL, &frames);
        kzt_run run = kzt_run_all(session, &request);
        kzt_run_free(&run);
        assert_int_equal(frames.first, i ? REFERENCE + MADE : 0);
        assert_int_equal(frames.last, frames.first);
    }
    kz_session_free(session);
    close_stage(&s);
}

/* Text that comes in parts: the rows of header and transcript are known, and the frames. */
static void test_live_text(void **state) {
    static const char text[] = "It comes a part at a time, and there is more of it than frames.";
    stage s;
    (void)state;
    open_stage(&s, "base-mtp", NULL);
    kz_session *session = kzt_session(s.model, 2);
    kz_request request = clone(&s, 0, text, KZ_LIVE_TEXT);
    request.reference_frames = 20;
    kzt_run want = run_plain(s.model, &request);
    request.text = NULL;
    request.text_length = 0;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(kz_session_start(session, &request), KZ_OK);
        for (size_t at = 0; at < sizeof text - 1; at++) {
            assert_int_equal(kz_session_append(session, text + at, 1), KZ_OK);
        }
        assert_int_equal(kz_session_finish_text(session), KZ_OK);
        kzt_run got = kzt_run_rest(session);
        assert_int_equal(got.result.prompt_rows_kept > 8, i > 0);
        same(got, &want);
    }
    kzt_run_free(&want);
    kz_session_free(session);
    close_stage(&s);
}

/* ---- neighbours ---------------------------------------------------------------------------- */

/* Reads what is there of two utterances by turns. */
static void test_two_interleaved(void **state) {
    stage s;
    kz_session *sessions[2];
    kzt_run wants[2];
    (void)state;
    open_stage(&s, "base-eq", NULL);
    for (int v = 0; v < 2; v++) {
        kz_request request = clone(&s, v, "By turns.", 0);
        wants[v] = run_plain(s.model, &request);
        sessions[v] = kzt_session(s.model, 1 + v);
    }
    float *samples = calloc(MADE * 1920, sizeof *samples);
    assert_non_null(samples);
    for (int round = 0; round < 4; round++) {
        size_t have[2] = {0, 0};
        for (int i = 0; i < 2; i++) {
            kz_request request = clone(&s, i ^ (round & 1), "By turns.", 0);
            assert_int_equal(kz_session_start(sessions[i], &request), KZ_OK);
        }
        for (int live = 3; live; ) {
            for (int i = 0; i < 2; i++) {
                size_t got = 0;
                if (!(live & 1 << i)) continue;
                if (kz_session_read(sessions[i], samples, 700, &got, -1) != KZ_OK) {
                    live &= ~(1 << i);
                    assert_int_equal(have[i], MADE * 1920);
                    continue;
                }
                kzt_same_samples(wants[i ^ (round & 1)].samples + have[i], got, samples, got);
                have[i] += got;
            }
        }
    }
    free(samples);
    for (int v = 0; v < 2; v++) {
        kzt_run_free(&wants[v]);
        kz_session_free(sessions[v]);
    }
    close_stage(&s);
}

static void test_slots_of_a_batch(void **state) {
    enum { SLOTS = 5 };
    stage s;
    kz_batch_options how;
    kz_session_options member;
    kz_batch *batch = NULL;
    kz_session *sessions[SLOTS];
    kzt_run wants[2];
    (void)state;
    open_stage(&s, "base-mtp", NULL);
    for (int v = 0; v < 2; v++) {
        kz_request request = clone(&s, v, "Side by side.", 0);
        wants[v] = run_plain(s.model, &request);
    }
    kz_batch_options_init(&how);
    kz_session_options_init(&member);
    how.threads = 2;
    assert_int_equal(kz_batch_create(s.model, &how, &batch, NULL, 0), KZ_OK);
    member.batch = batch;
    for (int i = 0; i < SLOTS; i++) {
        assert_int_equal(kz_session_create(s.model, &member, &sessions[i], NULL, 0), KZ_OK);
    }
    for (int round = 0; round < 3; round++) {
        size_t advanced = 0;
        for (int i = 0; i < SLOTS; i++) {
            kz_request request = clone(&s, i % 2, "Side by side.", 0);
            assert_int_equal(kz_session_start(sessions[i], &request), KZ_OK);
        }
        while (kz_batch_step(batch, &advanced) == KZ_OK) {
        }
        for (int i = 0; i < SLOTS; i++) {
            kzt_run got = kzt_run_rest(sessions[i]);
            assert_int_equal(got.result.prompt_rows_kept > 8, round > 0);
            same(got, &wants[i % 2]);
        }
    }
    for (int i = 0; i < SLOTS; i++) kz_session_free(sessions[i]);
    kz_batch_free(batch);
    kzt_run_free(&wants[0]);
    kzt_run_free(&wants[1]);
    close_stage(&s);
}

typedef struct racer {
    pthread_t thread;
    const stage *stage;
    const kzt_run *wants;
    int first;
} racer;

static void *race(void *arg) {
    racer *r = arg;
    kz_session *session = kzt_session(r->stage->model, 1);
    for (int i = 0; i < 6; i++) {
        int voice = (r->first + i) % 2;
        kz_request request = clone(r->stage, voice, "At the same time.", 0);
        same(kzt_run_all(session, &request), &r->wants[voice]);
    }
    kz_session_free(session);
    return NULL;
}

static void test_threads_race(void **state) {
    stage s;
    racer racers[4];
    kzt_run wants[2];
    (void)state;
    open_stage(&s, "base-eq", NULL);
    for (int v = 0; v < 2; v++) {
        kz_request request = clone(&s, v, "At the same time.", 0);
        wants[v] = run_plain(s.model, &request);
    }
    for (int i = 0; i < 4; i++) {
        racers[i] = (racer){.stage = &s, .wants = wants, .first = i};
        assert_int_equal(pthread_create(&racers[i].thread, NULL, race, &racers[i]), 0);
    }
    for (int i = 0; i < 4; i++) pthread_join(racers[i].thread, NULL);
    kzt_run_free(&wants[0]);
    kzt_run_free(&wants[1]);
    close_stage(&s);
}

/* ---- cut short, no memory, no room --------------------------------------------------------- */

typedef struct stopper {
    kz_session *session;
    long at, last;
} stopper;

static void stop_at(void *user, const char *name, long frame, const float *data,
                    const size_t *shape, int rank) {
    stopper *s = user;
    (void)data;
    (void)shape;
    (void)rank;
    if (strcmp(name, "decoder.quantizer") != 0) return;
    s->last = frame;
    if (frame == s->at) kz_session_cancel(s->session);
}

/* Cancelled in the middle of the reference: it ends there, and half a state is not remembered. */
static void test_cancelled_on_the_way(void **state) {
    stage s;
    (void)state;
    open_stage(&s, "base-eq", NULL);
    for (int ahead = 0; ahead < 2; ahead++) {
        kz_session_options how;
        kz_session_options_init(&how);
        how.threads = 1;
        how.ahead_ms = ahead * 240;
        stopper stop = {NULL, 17, -1};
        float sample = 0;
        size_t got = 0;
        assert_int_equal(kz_session_create(s.model, &how, &stop.session, NULL, 0), KZ_OK);
        kz_request request = clone(&s, ahead, "Never heard.", 0);
        kz_session_set_tap(stop.session, stop_at, &stop);
        assert_int_equal(kz_session_start(stop.session, &request), KZ_OK);
        assert_int_equal(kz_session_read(stop.session, &sample, 1, &got, -1), KZ_ERR_CANCELLED);
        assert_in_range(stop.last, 17, 17 + KZ__DECODER_FRAMES);
        assert_int_equal(known(&s, ahead, REFERENCE), 0);
        kz_session_set_tap(stop.session, NULL, NULL);
        kzt_run want = run_plain(s.model, &request);
        same(kzt_run_all(stop.session, &request), &want);
        same(kzt_run_all(stop.session, &request), &want);
        kzt_run_free(&want);
        kz_session_free(stop.session);
    }
    close_stage(&s);
}

static void forget(stage *s, size_t entries) {
    kz__keep_close(s->model->keep);
    assert_int_equal(kz__keep_open(&s->model->mem, entries, KZ__KEEP_BYTES, &s->model->keep, NULL),
                     KZ_OK);
}

/* Each allocation of an utterance in a new session fails alone: it is told, or nothing is heard of
 * it. Returns how many were not heard of. */
static size_t fail_each(stage *s, kzt_counter *counter, const kz_request *request,
                        const kzt_run *want, bool warm) {
    size_t lost = 0;
    size_t told = 0;
    size_t calls = 0;
    for (size_t n = 1; n == 1 || calls >= n - 1; n++) {
        if (!warm) forget(s, KZ__KEEP_ENTRIES);
        kz_session *session = kzt_session(s->model, 1);
        counter->calls = 0;
        counter->fail_once = true;
        counter->fail_from = n;
        kzt_run run = {.status = kz_session_start(session, request)};
        if (!run.status) run = kzt_run_rest(session);
        calls = counter->calls;
        counter->fail_from = 0;
        if (run.status == KZ_DONE) {
            kzt_same(want, &run);
            lost += calls >= n;
        } else {
            assert_int_equal(run.status, KZ_ERR_MEMORY);
            told++;
        }
        kzt_run_free(&run);
        kz_session_free(session);
    }
    printf("%s: %zu allocations failed unheard, %zu were told\n", warm ? "known" : "new", lost,
           told);
    assert_true(told > 0);
    return lost;
}

/* Without memory for an entry, or for the pages that it is put into, time is lost, no more. */
static void test_no_memory(void **state) {
    kzt_counter counter = {0};
    kz_allocator allocator = kzt_counting_allocator(&counter);
    kz_model_options options;
    stage s;
    (void)state;
    kz_model_options_init(&options);
    options.allocator = &allocator;
    open_stage(&s, "base-eq", &options);
    kz_request request = clone(&s, 0, "There is no room for it.", 0);
    kzt_run want = run_plain(s.model, &request);
    /* an entry for the state, one for the rows */
    assert_int_equal(fail_each(&s, &counter, &request, &want, false), 2);
    assert_int_equal(known(&s, 0, REFERENCE), REFERENCE);
    /* pages: of the decoder's window, of the talker's rows */
    assert_in_range(fail_each(&s, &counter, &request, &want, true), 2, 9);
    kzt_run_free(&want);
    close_stage(&s);
    assert_int_equal(counter.blocks, 0);
}

/* More voices than there is room for, rows and states mixed. */
static void test_the_oldest_leaves(void **state) {
    stage s;
    (void)state;
    open_stage(&s, "base-eq", NULL);
    kz_session *session = kzt_session(s.model, 1);
    kz_request request = clone(&s, 0, "In turn.", 0);
    kzt_run want = run_plain(s.model, &request);
    forget(&s, 4);
    for (int i = 0; i < 3; i++) {
        same(kzt_run_all(session, &request), &want);
        assert_int_equal(known(&s, 0, REFERENCE), REFERENCE);
        for (uint32_t v = 2; v < 4; v++) { /* two voices of two entries each */
            kz_request other = clone(&s, 1, "In turn.", 0);
            int32_t *codes = make_codes(s.model, v, REFERENCE);
            other.reference_codes = codes;
            kzt_run run = kzt_run_all(session, &other);
            assert_int_equal(run.status, KZ_DONE);
            kzt_run_free(&run);
            free(codes);
        }
        assert_int_equal(known(&s, 0, REFERENCE), 0);
    }
    kzt_run_free(&want);
    kz_session_free(session);
    close_stage(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_packets_layouts),
        cmocka_unit_test(test_what_is_known_is_taken),
        cmocka_unit_test(test_longer_and_shorter),
        cmocka_unit_test(test_as_the_reference),
        cmocka_unit_test(test_taps_see_all_frames),
        cmocka_unit_test(test_live_text),
        cmocka_unit_test(test_two_interleaved),
        cmocka_unit_test(test_slots_of_a_batch),
        cmocka_unit_test(test_threads_race),
        cmocka_unit_test(test_cancelled_on_the_way),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_the_oldest_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
