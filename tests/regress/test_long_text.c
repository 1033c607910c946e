/* Long text spoken piece by piece: what a piece depends on, and what its sound is like where pieces
 * are joined. */
#include "harness/talk.h"
#include "harness/tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 512

static const char text[] = "The first one is here. The second one is a little longer, it seems. "
                           "The third!\n\nAnd in the end there is the fourth.";

static kz_model *model, *voice;
static kz_piece pieces[16];
static size_t count;

static int open_all(void **state) {
    (void)state;
    char err[512] = "";
    model = kzt_open("custom-eq", NULL);
    if (kz_model_open(KZT_SOURCE_DIR "/voice/voice.kz", NULL, &voice, err, sizeof err) != KZ_OK) {
        print_error("%s\n", err);
        return 1;
    }
    kz_split_options o;
    kz_split_options_init(&o);
    o.limit = 40;
    o.target = 0;
    return kz_split(text, strlen(text), &o, pieces, 16, &count, NULL, 0) != KZ_OK || count != 5;
}

static int close_all(void **state) {
    (void)state;
    kz_model_free(model);
    kz_model_free(voice);
    return 0;
}

/* Hot sampling, so that draws matter. */
static kz_request request_of(size_t piece) {
    kz_request r = kzt_request(text + pieces[piece].offset);
    r.text_length = pieces[piece].length;
    r.piece = (uint32_t)piece;
    r.seed = 5;
    r.talker.temperature = r.predictor.temperature = 1.5;
    r.exact_frames = 12;
    return r;
}

/* B056: each piece starts from the same voice prompt; what came before leaves nothing behind. */
static void test_B056_pieces_stand_alone(void **state) {
    (void)state;
    kz_session *session = kzt_session(model, 2);
    for (size_t i = 0; i < count; i++) {
        kz_request r = request_of(i);
        kzt_run after_others = kzt_run_all(session, &r);
        kz_session *fresh = kzt_session(model, 1);
        kzt_run alone = kzt_run_all(fresh, &r);
        kzt_same(&alone, &after_others);
        kz_session_free(fresh);
        kzt_run_free(&alone);
        kzt_run_free(&after_others);
    }
    kz_session_free(session);
}

static void test_B056_prompts_depend_on_text_and_voice(void **state) {
    (void)state;
    static kz_prompt_row rows[ROWS], others[ROWS];
    size_t total = 0;
    size_t prompt = 0;
    size_t total_other = 0;
    for (size_t i = 0; i < count; i++) {
        kz_request r = request_of(i);
        assert_int_equal(kz_prompt(model, &r, rows, NULL, ROWS, &total, &prompt, NULL, 0), KZ_OK);
        r.piece = 99;
        assert_int_equal(kz_prompt(model, &r, others, NULL, ROWS, &total_other, &prompt, NULL, 0),
                         KZ_OK);
        assert_int_equal(total, total_other);
        for (size_t k = 0; k < total; k++) {
            assert_int_equal(rows[k].text_id, others[k].text_id);
            assert_int_equal(rows[k].codec_id, others[k].codec_id);
        }
    }
}

/* Piece 0 draws as an utterance by itself always did; other numbers draw otherwise. */
static void test_draws_depend_on_the_piece(void **state) {
    (void)state;
    kz_session *session = kzt_session(model, 2);
    kz_request r = request_of(0);
    kzt_run zero = kzt_run_all(session, &r);
    r.piece = 1;
    kzt_run one = kzt_run_all(session, &r);
    kzt_run again = kzt_run_all(session, &r);
    kzt_same(&one, &again);
    size_t different = 0;
    for (size_t i = 0; i < zero.frames * 16; i++) different += zero.codes[i] != one.codes[i];
    assert_true(different > zero.frames * 8);
    r.talker.temperature = r.predictor.temperature = 0; /* greedy draws nothing */
    kzt_run greedy = kzt_run_all(session, &r);
    r.piece = 0;
    kzt_run greedy_zero = kzt_run_all(session, &r);
    kzt_same(&greedy, &greedy_zero);
    kzt_run_free(&zero);
    kzt_run_free(&one);
    kzt_run_free(&again);
    kzt_run_free(&greedy);
    kzt_run_free(&greedy_zero);
    kz_session_free(session);
}

static float peak(const float *x, size_t n) {
    float most = 0;
    for (size_t i = 0; i < n; i++) most = fmaxf(most, fabsf(x[i]));
    return most;
}

/* B079 B080: pieces of a trained voice end in silence; they begin with a small step, far from
 * their peak, which the ramp at a join takes away. */
static void test_B080_pieces_begin_and_end_quietly(void **state) {
    (void)state;
    kz_session *session = kzt_session(voice, 2);
    for (size_t i = 0; i < count; i++) {
        kz_request r = kzt_request(text + pieces[i].offset);
        r.text_length = pieces[i].length;
        r.piece = (uint32_t)i;
        kzt_run run = kzt_run_all(session, &r);
        float whole = peak(run.samples, run.count);
        size_t edge = 480; /* 20 ms */
        assert_true(run.count > 4 * edge);
        assert_true(whole > 0.05f);
        assert_true(fabsf(run.samples[0]) < 0.25f * whole);
        assert_true(fabsf(run.samples[run.count - 1]) < 0.01f * whole);
        assert_true(peak(run.samples + run.count - edge, edge) < 0.1f * whole);
        kzt_run_free(&run);
    }
    kz_session_free(session);
}

static void test_limits_of_the_models(void **state) {
    (void)state;
    kz_model_info info = {.size = sizeof info};
    assert_int_equal(kz_model_get_info(voice, &info), KZ_OK);
    assert_int_equal(info.text_limit, 160); /* what it was trained on */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_B056_pieces_stand_alone),
        cmocka_unit_test(test_B056_prompts_depend_on_text_and_voice),
        cmocka_unit_test(test_draws_depend_on_the_piece),
        cmocka_unit_test(test_B080_pieces_begin_and_end_quietly),
        cmocka_unit_test(test_limits_of_the_models),
    };
    return cmocka_run_group_tests_name("long text", tests, open_all, close_all);
}
