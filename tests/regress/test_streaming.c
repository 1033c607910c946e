/* Streaming is the only path: packets, reads of any size, primed decoders, waits, failures and
 * cancels change no sample of what is heard. */
#include "base/clock.h"
#include "harness/talk.h"
#include "harness/tests.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PER_FRAME 1920

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

/* Frames of scripted codes. */
static int32_t *make_codes(size_t frames) {
    kzt_script script = kzt_script_make(session, 74);
    int32_t *codes = calloc(frames * 16, sizeof *codes);
    assert_non_null(codes);
    for (size_t t = 0; t < frames; t++) kzt_script_run(&script, t, codes + t * 16);
    return codes;
}

static void start_script(kzt_script *script, int packet) {
    kz_request request = kzt_request("Words for a script.");
    request.packet = packet;
    kz__session_set_script(session, kzt_script_run, script);
    assert_int_equal(kz_session_start(session, &request), KZ_OK);
}

/* ---- chunks -------------------------------------------------------------------------------- */

static const size_t chunks[] = {1, 2, 3, 7, 25, 72, 73};

static void test_B074_B075_packets_of_any_size(void **state) {
    (void)state;
    const size_t frames = 150;
    int32_t *codes = make_codes(frames);
    kzt_run whole = kzt_decode(session, codes, frames, 0);
    assert_int_equal(whole.count, frames * PER_FRAME);
    for (size_t i = 0; i < sizeof chunks / sizeof chunks[0]; i++) {
        assert_int_equal(kz_session_start_codes(session, codes, frames, (int)chunks[i], 0), KZ_OK);
        kzt_run run = kzt_run_rest(session);
        kzt_same(&whole, &run);
        kzt_run_free(&run);
        /* and as the codes come from a talker */
        kzt_script script = kzt_script_make(session, 74);
        script.end = 90;
        start_script(&script, (int)chunks[i]);
        run = kzt_run_rest(session);
        kz__session_set_script(session, NULL, NULL);
        kzt_same_samples(whole.samples, 90 * PER_FRAME, run.samples, run.count);
        kzt_run_free(&run);
    }
    kzt_run_free(&whole);
    free(codes);
}

/* The samples of fixed codes belong to the number of the arithmetic: a release that changes them
 * raises it. */
static void test_B080_samples_of_fixed_codes(void **state) {
    (void)state;
    char hex[65];
    int32_t *codes = make_codes(30);
    kzt_run run = kzt_decode(session, codes, 30, 0);
    kzt_sha256(run.samples, run.count * sizeof *run.samples, hex);
    assert_int_equal(kz_arithmetic(), 2);
    assert_string_equal(hex, "c277d3c03d350eb4a18594862e17606ae04a1cd27cab2f766424424b29d411c5");
    kzt_run_free(&run);
    free(codes);
}

static void test_B074_B075_reads_of_any_size(void **state) {
    (void)state;
    const size_t frames = 80;
    int32_t *codes = make_codes(frames);
    kzt_run whole = kzt_decode(session, codes, frames, 0);
    float *samples = malloc(whole.count * sizeof *samples);
    assert_non_null(samples);
    const size_t sizes[] = {7, 555, 1920, 1921, 25 * PER_FRAME, 73 * PER_FRAME};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t have = 0, got = 1;
        kz_status status = kz_session_start_codes(session, codes, frames, 3, 0);
        while (!status) {
            size_t room = whole.count - have < sizes[i] ? whole.count - have : sizes[i];
            float spare = 0;
            status = kz_session_read(session, room ? samples + have : &spare, room ? room : 1, &got,
                                     -1);
            assert_true(status == KZ_DONE ? got == 0 : got > 0 && got <= room);
            have += got;
        }
        assert_int_equal(status, KZ_DONE);
        kzt_same_samples(whole.samples, whole.count, samples, have);
        assert_int_equal(kz_session_read(session, samples, 1, &got, -1), KZ_DONE);
    }
    free(samples);
    kzt_run_free(&whole);
    free(codes);
}

/* The reference's decoder starts anew every 300 frames; packets do not change that either. */
static void test_B074_borders_of_the_reference(void **state) {
    (void)state;
    const size_t frames = 320;
    int32_t *codes = make_codes(frames);
    kzt_run whole = kzt_decode(session, codes, frames, KZ_AS_REFERENCE);
    kzt_run plain = kzt_decode(session, codes, frames, 0);
    kzt_same_samples(whole.samples, 300 * PER_FRAME, plain.samples, 300 * PER_FRAME);
    assert_memory_not_equal(whole.samples + 300 * PER_FRAME, plain.samples + 300 * PER_FRAME,
                            PER_FRAME * sizeof(float));
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(kz_session_start_codes(session, codes, frames, (int)chunks[2 * i],
                                                KZ_AS_REFERENCE), KZ_OK);
        kzt_run run = kzt_run_rest(session);
        kzt_same(&whole, &run);
        kzt_run_free(&run);
    }
    kzt_run_free(&plain);
    kzt_run_free(&whole);
    free(codes);
}

/* ---- cloning ------------------------------------------------------------------------------- */

static void clone_equals_offline(const char *name, unsigned flags) {
    kzt_golden g;
    kzt_golden_load(name, &g);
    kz_model *model = kzt_open(g.checkpoint, NULL);
    kz_session *s = kzt_session(model, 2);
    kz_request request = g.request;
    request.flags = flags;
    request.max_frames = KZ_DEFAULT;
    request.exact_frames = 24;
    size_t reference = request.reference_frames;
    request.packet = 1;
    kzt_run run = kzt_run_all(s, &request);
    assert_int_equal(run.status, KZ_DONE);
    assert_int_equal(run.frames, 24);
    int32_t *codes = malloc((reference + run.frames) * 16 * sizeof *codes);
    assert_non_null(codes);
    memcpy(codes, request.reference_codes, reference * 16 * sizeof *codes);
    memcpy(codes + reference * 16, run.codes, run.frames * 16 * sizeof *codes);
    kzt_run whole = kzt_decode(s, codes, reference + run.frames, flags & KZ_AS_REFERENCE);
    size_t cut = reference * PER_FRAME;
    if (flags & KZ_AS_REFERENCE) {
        size_t total = reference + run.frames;
        cut = (size_t)((double)reference / (double)total * (double)(total * PER_FRAME));
    }
    kzt_same_samples(whole.samples + cut, whole.count - cut, run.samples, run.count);
    kzt_run cold = kzt_decode(s, run.codes, run.frames, 0);
    assert_memory_not_equal(cold.samples, run.samples, PER_FRAME * sizeof(float));
    request.packet = KZ_DEFAULT;
    kzt_run again = kzt_run_all(s, &request);
    kzt_same(&run, &again);
    kzt_run_free(&again);
    kzt_run_free(&cold);
    kzt_run_free(&whole);
    kzt_run_free(&run);
    free(codes);
    kz_session_free(s);
    kz_model_free(model);
    kzt_golden_free(&g);
}

static void test_B077_streamed_clone_is_primed(void **state) {
    (void)state;
    clone_equals_offline("base-eq-icl", 0);
    clone_equals_offline("base-mtp-icl", KZ_LIVE_TEXT);
    clone_equals_offline("base-mtp-icl-whole", KZ_WHOLE_TEXT | KZ_AS_REFERENCE);
}

/* ---- order --------------------------------------------------------------------------------- */

typedef struct seen {
    long frames[64];
    size_t count, rows;
} seen;

static void see(void *user, const char *name, long frame, const float *data, const size_t *shape,
                int rank) {
    seen *s = user;
    (void)data;
    (void)shape;
    (void)rank;
    if (strcmp(name, "decoder.quantizer") != 0) return;
    assert_true(s->count < 64);
    s->frames[s->count++] = frame;
}

static void test_B081_codes_reach_the_decoder_once(void **state) {
    (void)state;
    for (int packet = 1; packet < 10; packet += 3) {
        seen s = {{0}, 0, 0};
        kzt_script script = kzt_script_make(session, 81);
        script.end = 43;
        kz_session_set_tap(session, see, &s);
        start_script(&script, packet);
        kzt_run run = kzt_run_rest(session);
        kz_session_set_tap(session, NULL, NULL);
        kz__session_set_script(session, NULL, NULL);
        assert_int_equal(s.count, 43);
        for (size_t i = 0; i < 43; i++) assert_int_equal(s.frames[i], i);
        kzt_run_free(&run);
    }
}

static void test_B087_the_first_sound_leaves_at_once(void **state) {
    (void)state;
    const int packets[] = {KZ_DEFAULT, 1, 2};
    for (size_t i = 0; i < 3; i++) {
        float samples[PER_FRAME];
        size_t got = 0;
        kzt_script script = kzt_script_make(session, 87);
        script.end = 40;
        script.delay_ms = 20;
        start_script(&script, packets[i]);
        double start = kz__now_ms();
        assert_int_equal(kz_session_read(session, samples, PER_FRAME, &got, -1), KZ_OK);
        assert_true(got > 0);
        assert_in_range(script.calls, 1, 2);
        assert_true(kz__now_ms() - start < 40 * 20);
        kz_session_cancel(session);
        assert_int_equal(kz_session_read(session, samples, PER_FRAME, &got, -1),
                         KZ_ERR_CANCELLED);
        kz_result result = kzt_result(session);
        assert_true(result.first_audio_ms >= 20 && result.first_audio_ms < 800);
        kz__session_set_script(session, NULL, NULL);
    }
}

/* A listener who is busy for the length of each chunk, as one who plays it. */
static void test_B084_a_slow_listener_halts_nothing(void **state) {
    (void)state;
    enum { FRAMES = 24, BOUND = 20 };
    kz_session_options options;
    kz_session *ahead = NULL;
    kz_session_options_init(&options);
    options.threads = 2;
    options.ahead_ms = BOUND * 80;
    assert_int_equal(kz_session_create(custom, &options, &ahead, NULL, 0), KZ_OK);
    kz_request request = kzt_request("A run that somebody listens to.");
    request.exact_frames = FRAMES;
    kzt_run want = kzt_run_all(session, &request);
    assert_int_equal(kz_session_start(ahead, &request), KZ_OK);
    size_t have = 0, got = 0, made_at = 0;
    float *samples = malloc((FRAMES + 1) * PER_FRAME * sizeof *samples);
    assert_non_null(samples);
    double start = kz__now_ms();
    while (kz_session_read(ahead, samples + have, PER_FRAME, &got, -1) == KZ_OK) {
        have += got;
        struct timespec pause = {0, (long)(got * 1000000000 / 24000)};
        nanosleep(&pause, NULL);
        size_t made = kzt_result(ahead).frames;
        assert_true(made * PER_FRAME <= have + (BOUND + 9) * PER_FRAME);
        if (made == FRAMES && !made_at) made_at = have / PER_FRAME;
    }
    assert_true(kz__now_ms() - start >= FRAMES * 80 - 1);
    assert_in_range(made_at, 1, FRAMES / 2); /* long before all was heard */
    kzt_same_samples(want.samples, want.count, samples, have);
    free(samples);
    kzt_run_free(&want);
    kz_session_free(ahead);
}

/* ---- failure and cancel -------------------------------------------------------------------- */

static kzt_run fresh_run(void) {
    kz_session *s = kzt_session(custom, 1);
    kz_request request = kzt_request("A run like any other.");
    request.exact_frames = 6;
    kzt_run run = kzt_run_all(s, &request);
    kz_session_free(s);
    return run;
}

/* The session of the tests runs as a new one does. */
static void runs_as_new(const kzt_run *fresh) {
    kz_request request = kzt_request("A run like any other.");
    request.exact_frames = 6;
    kz__session_set_script(session, NULL, NULL);
    kzt_run run = kzt_run_all(session, &request);
    kzt_same(fresh, &run);
    kzt_run_free(&run);
}

static void test_B094_a_failure_is_told_and_what_was_made_is_kept(void **state) {
    (void)state;
    kzt_run fresh = fresh_run();
    for (size_t at = 0; at < 20; at++) {
        kzt_script script = kzt_script_make(session, 94);
        script.fail = at;
        start_script(&script, at % 2 ? KZ_DEFAULT : 5);
        kzt_run run = kzt_run_rest(session);
        assert_int_equal(run.status, KZ_ERR_FAILED);
        assert_int_equal(run.result.finish, KZ_FINISH_ERROR);
        char want[64];
        snprintf(want, sizeof want, "failed at frame %zu", at);
        kzt_has(kz_error(session), want);
        assert_int_equal(run.frames, at);
        assert_int_equal(run.count, at * PER_FRAME);
        if (at) {
            kzt_run kept = kzt_decode(session, run.codes, at, 0);
            kzt_same_samples(run.samples, run.count, kept.samples, kept.count);
            kzt_run_free(&kept);
        }
        kzt_run_free(&run);
        runs_as_new(&fresh);
    }
    kzt_run_free(&fresh);
}

static void test_B094_after_a_failure_there_is_nothing(void **state) {
    (void)state;
    float sample = 0;
    size_t got = 1;
    kzt_script script = kzt_script_make(session, 94);
    script.fail = 0;
    start_script(&script, 1);
    assert_int_equal(kz_session_read(session, &sample, 1, &got, -1), KZ_ERR_FAILED);
    assert_int_equal(got, 0);
    assert_int_equal(kz_session_read(session, &sample, 1, &got, -1), KZ_ERR_STATE);
    kzt_has(kz_error(session), "failed at frame 0");
    kz__session_set_script(session, NULL, NULL);
}

static void test_B178_cancel_at_every_frame(void **state) {
    (void)state;
    kzt_run fresh = fresh_run();
    for (size_t at = 0; at <= 50; at++) {
        kzt_script script = kzt_script_make(session, 178);
        script.cancel = session;
        script.cancel_at = at;
        start_script(&script, (int)(at % 9) + 1);
        kzt_run run = kzt_run_rest(session);
        assert_int_equal(run.status, KZ_ERR_CANCELLED);
        assert_int_equal(run.result.finish, KZ_FINISH_CANCELLED);
        assert_int_equal(script.calls, at + 1);
        assert_true(run.count <= at * PER_FRAME);
        kzt_run_free(&run);
        runs_as_new(&fresh);
    }
    kzt_run_free(&fresh);
}

/* Between two reads, with sound at hand, before the first read, after the end, twice. */
static void test_B178_cancel_between_reads(void **state) {
    (void)state;
    kzt_run fresh = fresh_run();
    float samples[100];
    size_t got = 0;
    kz_request request = kzt_request("A run like any other.");
    request.exact_frames = 6;
    for (int reads = 0; reads < 3; reads++) {
        assert_int_equal(kz_session_start(session, &request), KZ_OK);
        for (int i = 0; i < reads; i++) {
            assert_int_equal(kz_session_read(session, samples, 100, &got, -1), KZ_OK);
        }
        kz_session_cancel(session);
        kz_session_cancel(session);
        assert_int_equal(kz_session_read(session, samples, 100, &got, -1), KZ_ERR_CANCELLED);
        assert_int_equal(got, 0);
        assert_int_equal(kzt_result(session).finish, KZ_FINISH_CANCELLED);
        assert_int_equal(kz_session_read(session, samples, 100, &got, -1), KZ_ERR_STATE);
        runs_as_new(&fresh);
    }
    kz_session_cancel(session); /* it is over */
    assert_int_equal(kz_session_read(session, samples, 100, &got, -1), KZ_DONE);
    assert_int_equal(kzt_result(session).finish, KZ_FINISH_LENGTH);
    kz_session_cancel(NULL);
    runs_as_new(&fresh);
    kzt_run_free(&fresh);
}

static void *cancel_soon(void *user) {
    struct timespec pause = {0, 3000000};
    nanosleep(&pause, NULL);
    kz_session_cancel(user);
    return NULL;
}

static void test_B178_cancel_from_another_thread(void **state) {
    (void)state;
    kzt_run fresh = fresh_run();
    for (int round = 0; round < 8; round++) {
        pthread_t thread;
        kz_request request = kzt_request("Long enough to be stopped.");
        request.exact_frames = 3000;
        request.packet = round + 1;
        assert_int_equal(kz_session_start(session, &request), KZ_OK);
        assert_int_equal(pthread_create(&thread, NULL, cancel_soon, session), 0);
        kzt_run run = kzt_run_rest(session);
        pthread_join(thread, NULL);
        assert_int_equal(run.status, KZ_ERR_CANCELLED);
        assert_true(run.frames < 3000);
        kzt_run_free(&run);
        runs_as_new(&fresh);
    }
    kzt_run_free(&fresh);
}

/* Nothing of a run that was dropped comes out of a start that fails. */
static void test_B178_a_failed_start_has_no_sound(void **state) {
    (void)state;
    kz_request request = kzt_request("A run like any other.");
    float samples[100];
    size_t got = 0;
    assert_int_equal(kz_session_start(session, &request), KZ_OK);
    assert_int_equal(kz_session_read(session, samples, 100, &got, -1), KZ_OK);
    request.voice = "nobody";
    kzt_refused(session, &request, KZ_ERR_INPUT, "nobody");
    assert_int_equal(kz_session_read(session, samples, 100, &got, -1), KZ_ERR_STATE);
    assert_int_equal(got, 0);
    kzt_has(kz_error(session), "nobody");
}

/* ---- time ---------------------------------------------------------------------------------- */

static void timeouts(int timeout_ms, int packet, size_t least) {
    kzt_script script = kzt_script_make(session, 30);
    script.end = 16;
    script.delay_ms = 5;
    start_script(&script, packet);
    float *samples = malloc(17 * PER_FRAME * sizeof *samples);
    assert_non_null(samples);
    size_t have = 0, late = 0;
    kz_status status = KZ_OK;
    while (status == KZ_OK || status == KZ_TIMEOUT) {
        size_t got = 0;
        size_t before = script.calls;
        status = kz_session_read(session, samples + have, 17 * PER_FRAME - have, &got, timeout_ms);
        late += status == KZ_TIMEOUT;
        assert_true(status == KZ_OK ? got > 0 : got == 0);
        assert_true(status != KZ_TIMEOUT || script.calls > before);
        have += got;
    }
    assert_int_equal(status, KZ_DONE);
    assert_true(late >= least);
    kzt_run run = kzt_run_rest(session);
    assert_int_equal(run.count, 0);
    kzt_run whole = kzt_decode(session, run.codes, run.frames, 0);
    kzt_same_samples(whole.samples, whole.count, samples, have);
    kz__session_set_script(session, NULL, NULL);
    kzt_run_free(&whole);
    kzt_run_free(&run);
    free(samples);
}

static void test_a_timeout_goes_on_where_it_was(void **state) {
    (void)state;
    timeouts(0, 8, 10);  /* a frame for each read, so that polling comes to an end */
    timeouts(12, 8, 2);
    timeouts(10000, 8, 0);
    timeouts(0, 1, 0);
}

/* ---- push ---------------------------------------------------------------------------------- */

typedef struct sink {
    kz_packet last;
    size_t packets, stop_after, frames;
    float *samples;
} sink;

static int take(void *user, const kz_packet *p) {
    sink *s = user;
    assert_int_equal(p->sample_rate, 24000);
    assert_int_equal(p->sample_offset, s->last.sample_offset + s->last.count);
    assert_int_equal(p->first_frame, s->last.first_frame + s->last.frames);
    assert_int_equal(p->count, p->frames * PER_FRAME);
    assert_true(p->frames >= 1 && p->samples);
    memcpy(s->samples + p->sample_offset, p->samples, p->count * sizeof(float));
    s->last = *p;
    s->frames += p->frames;
    s->packets++;
    return s->packets == s->stop_after;
}

static void test_packets_of_speak(void **state) {
    (void)state;
    float *samples = malloc(40 * PER_FRAME * sizeof *samples);
    assert_non_null(samples);
    kzt_run fresh = fresh_run();
    for (size_t stop = 0; stop < 4; stop++) {
        sink s = {.samples = samples, .stop_after = stop};
        kzt_script script = kzt_script_make(session, 11);
        script.end = 33;
        start_script(&script, 4);
        kz_status status = kz_session_speak(session, take, &s);
        kz_result result = kzt_result(session);
        assert_int_equal(status, stop ? KZ_ERR_CANCELLED : KZ_OK);
        assert_int_equal(result.finish, stop ? KZ_FINISH_CANCELLED : KZ_FINISH_STOP);
        assert_int_equal(s.packets, stop ? stop : 9);
        assert_int_equal(result.samples, s.frames * PER_FRAME);
        if (stop) {
            kzt_has(kz_error(session), "the sink said stop");
            assert_int_equal(kz_session_speak(session, take, &s), KZ_ERR_STATE);
        } else {
            assert_int_equal(kz_session_speak(session, take, &s), KZ_OK);
            assert_int_equal(s.frames, 33);
        }
        runs_as_new(&fresh);
    }
    kzt_run_free(&fresh);
    free(samples);
}

static int add(void *user, const kz_packet *p) {
    sink *s = user;
    memcpy(s->samples + p->sample_offset, p->samples, p->count * sizeof(float));
    s->frames += p->count;
    return 0;
}

/* What a read left over is pushed first. */
static void test_speak_after_a_read(void **state) {
    (void)state;
    float *samples = malloc(40 * PER_FRAME * sizeof *samples);
    assert_non_null(samples);
    kzt_script script = kzt_script_make(session, 12);
    script.end = 20;
    start_script(&script, 8);
    kzt_run whole = kzt_run_rest(session);
    start_script(&script, 8);
    size_t got = 0;
    assert_int_equal(kz_session_read(session, samples, 100, &got, -1), KZ_OK);
    sink s = {.samples = samples, .frames = got};
    assert_int_equal(kz_session_speak(session, add, &s), KZ_OK);
    kzt_same_samples(whole.samples, whole.count, samples, s.frames);
    kz__session_set_script(session, NULL, NULL);
    kzt_run_free(&whole);
    free(samples);
}

/* Type, rate and channels of what the callback gets, and a length that they explain. */
typedef struct format {
    kz_model_info info;
    double seconds;
    float loudest;
} format;

static int measure(void *user, const kz_packet *p) {
    format *f = user;
    const float *samples = p->samples; /* no other type: a compiler refuses it */
    assert_int_equal(sizeof *p->samples, 4);
    assert_int_equal(p->sample_rate, f->info.sample_rate);
    assert_int_equal(p->channels, 1);
    for (size_t i = 0; i < p->count * (size_t)p->channels; i++) {
        float x = samples[i] < 0 ? -samples[i] : samples[i];
        assert_true(x <= 1);
        if (x > f->loudest) f->loudest = x;
    }
    f->seconds += (double)p->count / p->sample_rate;
    return 0;
}

static void test_B134_the_callback_says_what_it_gets(void **state) {
    (void)state;
    format f = {.info.size = sizeof f.info};
    assert_int_equal(kz_model_get_info(custom, &f.info), KZ_OK);
    kzt_script script = kzt_script_make(session, 134);
    script.end = 25;
    start_script(&script, 4);
    assert_int_equal(kz_session_speak(session, measure, &f), KZ_OK);
    kz__session_set_script(session, NULL, NULL);
    assert_true(f.seconds > 1.999 && f.seconds < 2.001); /* 25 frames of 80 ms */
    assert_true(f.loudest > 0); /* as numbers, -1 to 1 */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_B074_B075_packets_of_any_size),
        cmocka_unit_test(test_B134_the_callback_says_what_it_gets),
        cmocka_unit_test(test_B074_B075_reads_of_any_size),
        cmocka_unit_test(test_B080_samples_of_fixed_codes),
        cmocka_unit_test(test_B074_borders_of_the_reference),
        cmocka_unit_test(test_B077_streamed_clone_is_primed),
        cmocka_unit_test(test_B081_codes_reach_the_decoder_once),
        cmocka_unit_test(test_B084_a_slow_listener_halts_nothing),
        cmocka_unit_test(test_B087_the_first_sound_leaves_at_once),
        cmocka_unit_test(test_B094_a_failure_is_told_and_what_was_made_is_kept),
        cmocka_unit_test(test_B094_after_a_failure_there_is_nothing),
        cmocka_unit_test(test_B178_cancel_at_every_frame),
        cmocka_unit_test(test_B178_cancel_between_reads),
        cmocka_unit_test(test_B178_cancel_from_another_thread),
        cmocka_unit_test(test_B178_a_failed_start_has_no_sound),
        cmocka_unit_test(test_a_timeout_goes_on_where_it_was),
        cmocka_unit_test(test_packets_of_speak),
        cmocka_unit_test(test_speak_after_a_read),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
