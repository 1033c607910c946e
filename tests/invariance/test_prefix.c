/* Rows of the prompt that the last utterance of a session had too are not run again, and nothing
 * that is heard changes by it. */
#include "harness/golden.h"
#include "harness/tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What each run after the first may keep: at least, at most. */
typedef struct turn {
    const char *text, *instruct;
    int voice; /* index of the model's speakers */
    float tilt; /* changes the speaker vector */
    size_t least, most;
} turn;

static void fill(kz_request *r, const kz_model *model, const turn *t, float *vector, size_t width) {
    kz_request_init(r);
    r->text = t->text;
    r->text_length = strlen(t->text);
    r->instruct = t->instruct;
    r->seed = 11;
    r->exact_frames = 4;
    if (!width) {
        r->voice = kz_model_speaker(model, (size_t)t->voice, NULL);
        return;
    }
    for (size_t i = 0; i < width; i++) vector[i] = (float)(i % 7) * 0.1f + t->tilt;
    r->speaker_vector = vector;
    r->speaker_vector_length = width;
}

/* Each turn in one session against the same turn in a session of its own. */
static void run_turns(const char *checkpoint, const turn *turns, size_t count) {
    kz_model *model = kzt_open(checkpoint, NULL);
    kz_session *session = kzt_session(model, 2);
    kz_model_info info = {.size = sizeof info};
    assert_int_equal(kz_model_get_info(model, &info), KZ_OK);
    size_t width = (size_t)info.speaker_vector_length;
    float *vector = calloc(width + 1, sizeof *vector);
    for (size_t i = 0; i < count; i++) {
        kz_request request;
        float *got = NULL, *want = NULL;
        size_t got_count = 0, want_count = 0;
        fill(&request, model, &turns[i], vector, width);
        assert_int_equal(kzt_speak(session, &request, &got, &got_count), KZ_DONE);
        kz_result result = {.size = sizeof result};
        assert_int_equal(kz_session_get_result(session, &result), KZ_OK);
        kz_session *fresh = kzt_session(model, 1);
        assert_int_equal(kzt_speak(fresh, &request, &want, &want_count), KZ_DONE);
        printf("%s turn %zu: %zu of %zu rows kept\n", checkpoint, i, result.prompt_rows_kept,
               result.prompt_rows);
        assert_in_range(result.prompt_rows_kept, turns[i].least, turns[i].most);
        assert_int_equal(got_count, want_count);
        assert_memory_equal(got, want, want_count * sizeof *want);
        kz_session_free(fresh);
        free(got);
        free(want);
        request.flags = KZ_ALL_ROWS;
        assert_int_equal(kzt_speak(session, &request, NULL, NULL), KZ_DONE);
        assert_int_equal(kz_session_get_result(session, &result), KZ_OK);
        assert_int_equal(result.prompt_rows_kept, 0);
        request.flags = 0;
        /* neither a refused start nor a cancelled one spoils what is kept */
        request.max_frames = 1;
        assert_int_equal(kz_session_start(session, &request), KZ_ERR_USAGE);
        if (i % 2) {
            request.max_frames = KZ_DEFAULT;
            assert_int_equal(kz_session_start(session, &request), KZ_OK);
            kz_session_cancel(session);
            assert_int_equal(kzt_drain(session, NULL, NULL), KZ_ERR_CANCELLED);
        }
    }
    free(vector);
    kz_session_free(session);
    kz_model_free(model);
}

static void test_speakers(void **state) {
    const turn turns[] = {{"Good morning.", NULL, 0, 0, 0, 0},
                          {"Good evening, all.", NULL, 0, 0, 8, 12},
                          {"Good evening, all.", NULL, 0, 0, 8, 40},
                          {"Good evening, all.", NULL, 1, 0, 6, 7},
                          {"x", NULL, 1, 0, 8, 12}};
    (void)state;
    run_turns("custom-eq", turns, 5);
    run_turns("custom-mtp", turns, 5);
}

static void test_instructions(void **state) {
    const turn turns[] = {{"Good morning.", "Speak slowly.", 0, 0, 0, 0},
                          {"Good evening.", "Speak slowly.", 0, 0, 10, 60},
                          {"Good evening.", "Speak fast.", 0, 0, 1, 12},
                          {"Good evening.", NULL, 0, 0, 0, 2}};
    (void)state;
    run_turns("design-mtp", turns, 4);
}

/* The vector stands under the same number whatever it holds: rows from it on are run again. */
static void test_vectors(void **state) {
    const turn turns[] = {{"Good morning.", NULL, 0, 0, 0, 0},
                          {"Good morning.", NULL, 0, 0.5f, 4, 7},
                          {"Good morning.", NULL, 0, 0, 4, 7}};
    (void)state;
    run_turns("base-eq", turns, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_speakers),
                                       cmocka_unit_test(test_instructions),
                                       cmocka_unit_test(test_vectors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
