/* B085: whether a listener of one of many streams would wait in the middle. Chunks of sound come at
 * the times of a simulated machine, whose speed the test chooses; the schedule of packets is the
 * engine's own. For the model of KAZEIA_FULL_MODEL the same is reported with the real clock. */
#include "harness/talk.h"
#include "harness/tests.h"

#include "base/clock.h"
#include "cli/pace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 8
#define FRAMES 40
#define FRAME_MS 80.0

/* ---- the listener -------------------------------------------------------------------------- */

/* Begins to play with the first chunk; what comes after the buffer ran empty came too late. */
typedef struct listener {
    size_t chunks;
    double first, second; /* when they came */
    double empty_at;      /* when the buffer runs empty */
    double stalls;        /* milliseconds */
} listener;

static void take(listener *l, double now, double milliseconds) {
    if (l->chunks == 0) l->first = l->empty_at = now;
    if (l->chunks == 1) l->second = now;
    if (now > l->empty_at) {
        l->stalls += now - l->empty_at;
        l->empty_at = now;
    }
    l->empty_at += milliseconds;
    l->chunks++;
}

static void test_the_metric(void **state) {
    (void)state;
    listener l = {0};
    take(&l, 1000, 80); /* heard until 1080 */
    take(&l, 1070, 80); /* 1160 */
    assert_true(l.stalls == 0);
    take(&l, 1200, 160); /* 40 late; heard until 1360 */
    take(&l, 1300, 80);  /* 1440 */
    assert_true(l.stalls == 40);
    take(&l, 1500, 80);
    assert_true(l.stalls == 100);
    assert_true(l.first == 1000 && l.second == 1070);
}

/* ---- streams ------------------------------------------------------------------------------- */

/* Milliseconds that work takes; `real`: as long as it takes. */
typedef struct machine {
    double step;   /* of a step, whoever is in it */
    double frame;  /* ... more for each session */
    double packet; /* of a decoder call */
    double decode; /* ... more for each frame */
    bool real;
    double now;
} machine;

/* A machine that n streams keep busy for `load` of the time that their sound lasts. */
static machine machine_of(double load, size_t n) {
    double all = load * FRAME_MS;
    double each = all / (double)n;
    machine m = {0.2 * all, 0.4 * each, 0.15 * each, 0.38 * each, false, 0};
    return m;
}

static void spend(machine *m, double milliseconds) {
    m->now = m->real ? kz__now_ms() : m->now + milliseconds;
}

typedef struct stream {
    kz_session *session;
    kzt_script script;
    listener heard;
    bool done;
} stream;

static void read_there(machine *m, stream *s) {
    float samples[8 * 1920];
    kz_status status = KZ_OK;
    while (status == KZ_OK) {
        size_t got = 0;
        status = kz_session_read(s->session, samples, 8 * 1920, &got, 0);
        size_t frames = got / 1920;
        assert_true(got % 1920 == 0);
        if (got) spend(m, m->packet + m->decode * (double)frames);
        if (got) take(&s->heard, m->now, FRAME_MS * (double)frames);
    }
    assert_true(status == KZ_DONE || status == KZ_TIMEOUT);
    s->done = status == KZ_DONE;
}

static void begin(const kz_model *model, stream *s, size_t i, kz_batch *batch, bool scripted) {
    kz_session_options options;
    kz_session_options_init(&options);
    options.batch = batch;
    assert_int_equal(kz_session_create(model, &options, &s->session, NULL, 0), KZ_OK);
    kz_request request = kzt_request("One of many who speak at a time.");
    request.exact_frames = FRAMES;
    request.seed = i;
    s->script = kzt_script_make(s->session, (uint32_t)i);
    s->script.end = FRAMES;
    if (scripted) kz__session_set_script(s->session, kzt_script_run, &s->script);
    assert_int_equal(kz_session_start(s->session, &request), KZ_OK);
}

/* n streams that begin together; the worst of them. */
static listener worst_of(const kz_model *model, size_t n, machine *m) {
    kz_batch_options options;
    kz_batch *batch = NULL;
    stream streams[MOST];
    memset(streams, 0, sizeof streams);
    kz_batch_options_init(&options);
    options.threads = 2;
    options.slots = (int)n;
    assert_int_equal(kz_batch_create(model, &options, &batch, NULL, 0), KZ_OK);
    for (size_t i = 0; i < n; i++) begin(model, &streams[i], i, batch, !m->real);
    spend(m, 0);
    for (size_t ended = 0; ended < n;) {
        size_t advanced = 0;
        kz_batch_step(batch, &advanced);
        spend(m, m->step + m->frame * (double)advanced);
        ended = 0;
        for (size_t i = 0; i < n; i++) {
            if (!streams[i].done) read_there(m, &streams[i]);
            ended += streams[i].done;
        }
    }
    listener worst = streams[0].heard;
    for (size_t i = 0; i < n; i++) {
        const listener *l = &streams[i].heard;
        if (l->stalls > worst.stalls) worst.stalls = l->stalls;
        if (l->second - l->first > worst.second - worst.first) {
            worst.first = l->first;
            worst.second = l->second;
        }
        kz_session_free(streams[i].session);
    }
    kz_batch_free(batch);
    return worst;
}

/* Where the machine makes all streams together at half the speed of sound or better, nobody waits:
 * the second packet is there before the first is over, and so on. */
static void test_B085_streams_side_by_side_do_not_stutter(void **state) {
    kz_model *model = kzt_open("custom-eq", NULL);
    (void)state;
    for (size_t n = 1; n <= MOST; n += n < 3 ? 1 : 5) {
        printf("%zu streams, stalls in ms at a load of", n);
        for (int tenths = 4; tenths <= 12; tenths += 2) {
            machine m = machine_of(tenths / 10.0, n);
            listener worst = worst_of(model, n, &m);
            printf("  %.1f: %.0f", tenths / 10.0, worst.stalls);
            if (tenths <= 4) assert_true(worst.stalls == 0);
            if (tenths <= 4) assert_true(worst.second - worst.first <= FRAME_MS);
            if (tenths >= 12) assert_true(worst.stalls > 0);
        }
        printf("\n");
    }
    kz_model_free(model);
}

/* ---- the pieces of a long text ------------------------------------------------------------- */

/* n pieces that are heard one after the other. The first begins alone, the others join when its
 * first packet has left; with `paced` they wait as the program lets them. */
static listener long_text(const kz_model *model, size_t n, machine *m, bool paced) {
    kz_batch_options options;
    kz_batch *batch = NULL;
    stream streams[MOST];
    kz__pace pace = {0};
    listener heard = {0};
    size_t due = 0;
    memset(streams, 0, sizeof streams);
    kz_batch_options_init(&options);
    options.threads = 2;
    options.slots = (int)n;
    assert_int_equal(kz_batch_create(model, &options, &batch, NULL, 0), KZ_OK);
    for (size_t i = 0; i < n; i++) begin(model, &streams[i], i, batch, true);
    kz__pace_turn(&pace);
    while (due < n) {
        size_t advanced = 0;
        size_t frames = 0;
        bool wait = heard.chunks == 0;
        kz_session_codes(streams[due].session, &frames);
        if (paced && heard.chunks > 0) {
            double lead = (heard.empty_at - m->now) / 1e3;
            wait = kz__pace_round(&pace, m->now, frames, FRAME_MS, lead);
        }
        for (size_t i = 0; i < n; i++) kz_session_hold(streams[i].session, wait && i != due);
        kz_batch_step(batch, &advanced);
        spend(m, m->step + m->frame * (double)advanced);
        streams[due].heard = heard;
        read_there(m, &streams[due]);
        heard = streams[due].heard;
        if (!streams[due].done) continue;
        due++;
        kz__pace_turn(&pace);
    }
    for (size_t i = 0; i < n; i++) kz_session_free(streams[i].session);
    kz_batch_free(batch);
    return heard;
}

/* A machine twice as fast as sound with one piece, too slow for all of them at once, makes them
 * side by side in less time than one after the other, and its listener never waits. One that is too
 * slow for a single piece goes through them at full width. */
static void test_B085_a_long_text_is_paced(void **state) {
    kz_model *model = kzt_open("custom-eq", NULL);
    (void)state;
    for (size_t n = 2; n <= MOST; n += 3) {
        /* one piece: a load of 0.5; eight: 1.4 */
        machine start = {15, 7.5, 4, 10, false, 0};
        machine paced = start, careless = start, slow = {60, 20, 4, 10, false, 0}, free_run = slow;
        listener kind = long_text(model, n, &paced, true);
        listener hasty = long_text(model, n, &careless, false);
        long_text(model, n, &slow, true);
        long_text(model, n, &free_run, false);
        double alone = (double)n * FRAMES * (start.step + start.frame + start.decode);
        printf("%zu pieces of %d frames: stalls %.0f ms, without pacing %.0f ms; time %.0f, %.0f, "
               "one after the other %.0f ms\n", n, FRAMES, kind.stalls, hasty.stalls, paced.now,
               careless.now, alone);
        assert_true(kind.stalls == 0);
        assert_true(paced.now < (n >= 5 ? 0.8 : 1.1) * alone);
        if (n >= 5) assert_true(hasty.stalls > 0);
        assert_true(slow.now < 1.25 * free_run.now);
    }
    kz_model_free(model);
}

/* ---- a full-size model ---------------------------------------------------------------------- */

static void test_B085_report_of_a_full_size_model(void **state) {
    const char *path = getenv("KAZEIA_FULL_MODEL");
    char err[512] = "";
    kz_model *model = NULL;
    (void)state;
    if (!path || !*path) {
        print_message("no KAZEIA_FULL_MODEL: nothing is reported\n");
        return;
    }
    kz_model_options options;
    kz_model_options_init(&options);
    options.type = KZ_TYPE_Q4;
    if (kz_model_open(path, &options, &model, err, sizeof err) != KZ_OK) fail_msg("%s", err);
    for (size_t n = 1; n <= MOST; n *= 2) {
        machine m = {.real = true};
        double begun = kz__now_ms();
        listener worst = worst_of(model, n, &m);
        printf("%zu streams of %d frames: %.2f s of work per second of sound, second chunk after "
               "%.0f ms, stalls of %.0f ms\n", n, FRAMES,
               (m.now - begun) / (FRAME_MS * FRAMES * (double)n), worst.second - worst.first,
               worst.stalls);
    }
    kz_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_metric),
        cmocka_unit_test(test_B085_streams_side_by_side_do_not_stutter),
        cmocka_unit_test(test_B085_a_long_text_is_paced),
        cmocka_unit_test(test_B085_report_of_a_full_size_model),
    };
    return cmocka_run_group_tests_name("stutter", tests, NULL, NULL);
}
