/* What ends an utterance, and that nothing of it is lost or left over: limits, guards, tails, state
 * between runs. */
#include "base/clock.h"
#include "harness/talk.h"
#include "harness/tests.h"
#include "harness/tmpdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static kz_model *custom, *base;
static kz_session *session;    /* of custom */
static kzt_golden vector, icl; /* requests of base-eq */

static const char sentence[] = "Four and twenty words, all of them short, said one by one.";

static int open_all(void **state) {
    (void)state;
    custom = kzt_open("custom-eq", NULL);
    base = kzt_open("base-eq", NULL);
    session = kzt_session(custom, 2);
    kzt_golden_load("base-eq-vector", &vector);
    kzt_golden_load("base-eq-icl", &icl);
    return 0;
}

static int close_all(void **state) {
    (void)state;
    kz_session_free(session);
    kz_model_free(custom);
    kz_model_free(base);
    kzt_golden_free(&vector);
    kzt_golden_free(&icl);
    return 0;
}

/* A run of the script; the request may be NULL. */
static kzt_run scripted(kz_session *s, kzt_script *script, const kz_request *request) {
    kz_request plain = kzt_request(sentence);
    kz__session_set_script(s, kzt_script_run, script);
    kzt_run run = kzt_run_all(s, request ? request : &plain);
    kz__session_set_script(s, NULL, NULL);
    return run;
}

static size_t tokens_of(const kz_model *model, const char *text) {
    size_t count = 0;
    char err[256] = "";
    kz_status status =
        kz_tokenize(model, text, strlen(text), 0, NULL, 0, &count, err, sizeof err);
    if (status) fail_msg("%s: %s", text, err);
    return count;
}

/* Never an end of speech on this text: stopped at the bound for its tokens, and said so. */
static void stops_at_bound(kz_session *s, const kz_request *request) {
    kzt_script script = kzt_script_make(s, 3);
    kzt_run run = scripted(s, &script, request);
    size_t tokens = tokens_of(s->model, request->text);
    size_t bound = 60 + 20 * tokens < 100 ? 100 : 60 + 20 * tokens;
    assert_int_equal(run.status, KZ_DONE);
    assert_int_equal(run.result.text_tokens, tokens);
    assert_int_equal(run.frames, bound);
    assert_int_equal(run.result.finish, KZ_FINISH_GUARD);
    kzt_has(run.result.finish_detail, "without an end of speech");
    assert_int_equal(run.count, bound * 1920);
    kzt_run_free(&run);
}

/* ---- runaways ------------------------------------------------------------------------------ */

static void test_B005_one_syllable_ends(void **state) {
    (void)state;
    kz_request request = kzt_request("Oh!");
    stops_at_bound(session, &request);
}

static int32_t language_row(const kz_model *model, const kz_request *request) {
    kz_prompt_row rows[400];
    size_t count = 0, prompt = 0;
    char err[256] = "";
    if (kz_prompt(model, request, rows, NULL, 400, &count, &prompt, err, sizeof err)) {
        fail_msg("%s", err);
    }
    assert_true(count <= 400);
    for (size_t i = 0; i < prompt; i++) {
        if (strcmp(rows[i].role, "language") == 0) return rows[i].codec_id;
    }
    return -1;
}

static void test_B005_language_with_a_foreign_reference(void **state) {
    (void)state;
    kz_request with = icl.request, without = vector.request;
    with.text = without.text = "Room 12 on floor 30.";
    with.text_length = without.text_length = strlen(with.text);
    with.language = without.language = "english";
    with.flags = without.flags = 0;
    assert_int_equal(language_row(base, &with), 130);
    assert_int_equal(language_row(base, &without), 130);
    with.reference_text = "\xe4\xbb\x8a\xe5\xa4\xa9\xe5\xa4\xa9\xe6\xb0\x94\xe5\xbe\x88"
                          "\xe5\xa5\xbd";
    assert_int_equal(language_row(base, &with), 130);
}

static void test_B028_unsupported_script(void **state) {
    (void)state;
    kz_session *s = kzt_session(base, 1);
    kz_request request = vector.request;
    request.text = "\xe0\xb8\xaa\xe0\xb8\xa7\xe0\xb8\xb1\xe0\xb8\xaa\xe0\xb8\x94\xe0\xb8\xb5 a "
                   "\xe4\xbd\xa0 \xd0\xb6 \xef\xbf\xbd \xe0\xb8\x84\xe0\xb8\xa3\xe0\xb8\xb1\xe0"
                   "\xb8\x9a";
    request.text_length = strlen(request.text);
    request.language = NULL;
    request.flags = 0;
    request.max_frames = KZ_DEFAULT;
    stops_at_bound(s, &request);
    kz_session_free(s);
}

static void test_B033_never_an_end(void **state) {
    (void)state;
    kz_request request = kzt_request(sentence);
    stops_at_bound(session, &request);
}

static void loop_is_stopped(size_t cycle, const char *detail) {
    kzt_script script = kzt_script_make(session, 5);
    script.cycle = cycle;
    kzt_run run = scripted(session, &script, NULL);
    size_t bound = 60 + 20 * tokens_of(custom, sentence);
    assert_true(bound > 300);
    assert_int_equal(run.status, KZ_DONE);
    assert_int_equal(run.result.finish, KZ_FINISH_GUARD);
    assert_string_equal(run.result.finish_detail, detail);
    assert_true(run.frames <= 210 + cycle);
    assert_int_equal(run.count, run.frames * 1920);
    kzt_run_free(&run);
}

static void test_B033_one_frame_repeated(void **state) {
    (void)state;
    loop_is_stopped(1, "a loop of 1 frame");
}

static void test_B033_short_cycles(void **state) {
    (void)state;
    loop_is_stopped(2, "a loop of 2 frames");
    loop_is_stopped(7, "a loop of 7 frames");
    loop_is_stopped(31, "a loop of 31 frames");
}

static void test_B033_speech_passes(void **state) {
    (void)state;
    for (uint32_t seed = 0; seed < 5; seed++) {
        kzt_script script = kzt_script_make(session, seed);
        script.end = 90 + seed;
        kzt_run run = scripted(session, &script, NULL);
        assert_int_equal(run.result.finish, KZ_FINISH_STOP);
        assert_string_equal(run.result.finish_detail, "");
        assert_int_equal(run.frames, script.end);
        kzt_run_free(&run);
    }
}

static void test_B034_short_texts(void **state) {
    (void)state;
    const char *texts[] = {"3", "3 x", "a b c", "2\xe6\x9d\xaf"};
    for (size_t i = 0; i < 4; i++) {
        kz_request request = kzt_request(texts[i]);
        kzt_script script = kzt_script_make(session, 8);
        kzt_run run = scripted(session, &script, &request);
        assert_int_equal(run.result.finish, KZ_FINISH_GUARD);
        assert_in_range(run.frames, 100, 60 + 20 * run.result.text_tokens + 40);
        assert_true(run.result.text_tokens > 5 || run.frames <= 160);
        kzt_run_free(&run);
    }
}

/* ---- limits -------------------------------------------------------------------------------- */

static kz_finish finish_of(kzt_script *script, const kz_request *request, kz_status want) {
    kzt_run run = scripted(session, script, request);
    assert_int_equal(run.status, want);
    kz_finish finish = run.result.finish;
    assert_int_equal(run.count, run.frames * 1920 * (finish != KZ_FINISH_CANCELLED));
    kzt_run_free(&run);
    return finish;
}

static void test_B038_B153_finish_reasons(void **state) {
    (void)state;
    kz_request request = kzt_request("Hm.");
    kzt_script script = kzt_script_make(session, 1);
    assert_int_equal(finish_of(&script, &request, KZ_DONE), KZ_FINISH_GUARD);
    script.end = 5;
    assert_int_equal(finish_of(&script, &request, KZ_DONE), KZ_FINISH_STOP);
    request.max_frames = 4;
    assert_int_equal(finish_of(&script, &request, KZ_DONE), KZ_FINISH_LENGTH);
    request.max_frames = KZ_DEFAULT;
    request.exact_frames = 3;
    assert_int_equal(finish_of(&script, &request, KZ_DONE), KZ_FINISH_LENGTH);
    request.exact_frames = KZ_DEFAULT;
    request.packet = 100; /* nothing has been handed out when it is cancelled */
    script.cancel = session;
    script.cancel_at = 2;
    assert_int_equal(finish_of(&script, &request, KZ_ERR_CANCELLED), KZ_FINISH_CANCELLED);
    script.cancel_at = KZT_NEVER;
    script.fail = 3;
    assert_int_equal(finish_of(&script, &request, KZ_ERR_FAILED), KZ_FINISH_ERROR);
    const char *names[] = {"none", "stop", "length", "guard", "cancelled", "error"};
    for (int i = 0; i < 6; i++) assert_string_equal(kz_finish_text((kz_finish)i), names[i]);
}

static char *long_text(size_t length) {
    char *text = malloc(length + 1);
    assert_non_null(text);
    for (size_t i = 0; i < length; i++) text[i] = "A long chapter, told in full. "[i % 30];
    text[length] = 0;
    return text;
}

static void test_B039_a_transcript_that_does_not_fit(void **state) {
    (void)state;
    kz_session *s = kzt_session(base, 1);
    kz_request request = icl.request;
    char *chapter = long_text(4000);
    request.flags = KZ_STRICT;
    request.reference_text = chapter;
    kzt_refused(s, &request, KZ_ERR_INPUT, "4000 letters");
    chapter[8 * request.reference_frames / 10] = 0;
    request.flags = KZ_STRICT;
    assert_int_equal(kz_session_start(s, &request), KZ_OK);
    free(chapter);
    kz_session_free(s);
}

static void refused_at_once(size_t length, unsigned flags) {
    char *text = long_text(length);
    kz_request request = kzt_request(text);
    request.flags = flags;
    double start = kz__now_ms();
    kzt_refused(session, &request, KZ_ERR_INPUT, "tokens, at most 8191 frames");
    assert_true(kz__now_ms() - start < 5000 * KZT_SLOW);
    const char *reason = kz_error(session);
    size_t tokens = 0;
    assert_int_equal(sscanf(strstr(reason, "has "), "has %zu tokens", &tokens), 1);
    assert_true(tokens > 8191);
    /* appended bit by bit it ends no later */
    kz_status status = KZ_OK;
    request = kzt_request(NULL);
    request.flags = flags & ~(unsigned)KZ_AS_REFERENCE;
    assert_int_equal(kz_session_start(session, &request), KZ_OK);
    for (size_t at = 0; !status && at < length; at += 1000) {
        status = kz_session_append(session, text + at, length - at < 1000 ? length - at : 1000);
    }
    assert_int_equal(status, KZ_ERR_INPUT);
    kzt_has(kz_error(session), "tokens, at most 8191 frames");
    free(text);
}

static void test_B039_B040_too_long_is_refused_at_once(void **state) {
    (void)state;
    refused_at_once(50000, 0);
    refused_at_once(50000, KZ_LIVE_TEXT);
    refused_at_once((size_t)1 << 20, 0);
    refused_at_once((size_t)1 << 20, KZ_AS_REFERENCE);
}

static void test_B042_limits_reach_the_loop(void **state) {
    (void)state;
    const int limits[] = {0, 1, 10, 100, 4000 / KZT_SLOW};
    for (size_t i = 0; i < 5; i++) {
        kz_request request = kzt_request("Hm.");
        request.max_frames = limits[i];
        kzt_script script = kzt_script_make(session, 2);
        kzt_run run = scripted(session, &script, &request);
        assert_int_equal(run.status, KZ_DONE);
        assert_int_equal(run.frames, limits[i]);
        assert_int_equal(run.result.frames, limits[i]);
        assert_int_equal(run.count, limits[i] * 1920);
        assert_int_equal(run.result.finish, KZ_FINISH_LENGTH);
        assert_int_equal(run.result.max_frames, limits[i]);
        kzt_run_free(&run);
    }
}

static void test_B043_slow_speech(void **state) {
    (void)state;
    size_t tokens = tokens_of(custom, sentence);
    kzt_script script = kzt_script_make(session, 4);
    script.end = 15 * tokens; /* usual is 3 to 5 frames a token */
    kzt_run run = scripted(session, &script, NULL);
    assert_int_equal(run.result.finish, KZ_FINISH_STOP);
    assert_int_equal(run.frames, script.end);
    kzt_run_free(&run);
    script.end = 60 + 20 * tokens + 300; /* past the bound: only where the limit is given */
    kz_request request = kzt_request(sentence);
    request.max_frames = (int)script.end + 100;
    run = scripted(session, &script, &request);
    assert_int_equal(run.result.finish, KZ_FINISH_STOP);
    assert_int_equal(run.frames, script.end);
    kzt_run_free(&run);
}

/* ---- nothing is lost ----------------------------------------------------------------------- */

static void test_B044_every_frame_is_heard(void **state) {
    (void)state;
    const size_t ends[] = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 50, 77};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        kzt_script script = kzt_script_make(session, 40);
        script.end = ends[i];
        kzt_run run = scripted(session, &script, NULL);
        assert_int_equal(run.status, KZ_DONE);
        assert_int_equal(run.frames, ends[i]);
        assert_int_equal(run.count, ends[i] * 1920);
        assert_int_equal(run.result.samples, run.count);
        assert_int_equal(script.calls, ends[i] + 1);
        if (ends[i]) {
            kzt_run whole = kzt_decode(session, run.codes, run.frames, 0);
            kzt_same_samples(run.samples, run.count, whole.samples, whole.count);
            kzt_run_free(&whole);
        }
        kzt_run_free(&run);
    }
}

static void test_B045_offline_equals_pipeline(void **state) {
    (void)state;
    for (int packet = -1; packet < 12; packet += 5) {
        kz_request request = kzt_request(sentence);
        request.exact_frames = 45;
        if (packet > 0) request.packet = packet;
        kzt_run run = kzt_run_all(session, &request);
        assert_int_equal(run.count, 45 * 1920);
        kzt_run whole = kzt_decode(session, run.codes, run.frames, 0);
        kzt_same_samples(run.samples, run.count, whole.samples, whole.count);
        kzt_run_free(&whole);
        kzt_run_free(&run);
    }
}

/* The decoder starts cold, streaming and offline alike. */
static void test_B048_one_policy_for_the_start(void **state) {
    (void)state;
    kzt_script script = kzt_script_make(session, 48);
    script.end = 12;
    kzt_run run = scripted(session, &script, NULL);
    kzt_run first = kzt_decode(session, run.codes, 1, 0);
    kzt_same_samples(run.samples, 1920, first.samples, first.count);
    kzt_run warm = kzt_decode(session, run.codes + 4 * 16, 8, 0);
    assert_memory_not_equal(warm.samples, run.samples + 4 * 1920, 1920 * sizeof(float));
    kzt_run_free(&warm);
    kzt_run_free(&first);
    kzt_run_free(&run);
}

static void test_B049_clone_prompts_have_goldens(void **state) {
    char names[KZT_MAX_CASES][64];
    size_t count = kzt_golden_list(names);
    size_t codes = 0, vectors = 0;
    (void)state;
    for (size_t i = 0; i < count; i++) {
        kzt_golden g;
        kzt_golden_load(names[i], &g);
        codes += g.request.reference_codes && g.frames >= 10;
        vectors += g.request.speaker_vector && !g.request.reference_codes;
        kzt_golden_free(&g);
    }
    assert_true(codes >= 4 && vectors >= 4);
}

static void a_b_a(kz_session *s, const kz_request *a, const kz_request *b) {
    kzt_run first = kzt_run_all(s, a);
    kzt_run other = kzt_run_all(s, b);
    kzt_run again = kzt_run_all(s, a);
    assert_int_equal(first.status, KZ_DONE);
    assert_true(first.count > 0 && other.count > 0);
    kzt_same(&first, &again);
    kzt_run_free(&first);
    kzt_run_free(&other);
    kzt_run_free(&again);
}

static void test_B050_no_state_is_left_over(void **state) {
    (void)state;
    kz_request a = kzt_request("The first of the two.");
    kz_request b = kzt_request(sentence);
    a.exact_frames = 30;
    b.exact_frames = 80;
    b.language = "german";
    b.seed = 9;
    a_b_a(session, &a, &b);
    kz_session *s = kzt_session(base, 2);
    kz_request clone = icl.request;
    kz_request other = vector.request;
    clone.max_frames = 40;
    other.max_frames = 100;
    a_b_a(s, &clone, &other);
    a_b_a(s, &other, &clone);
    kz_session_free(s);
}

typedef struct heard {
    float *samples;
    size_t count;
} heard;

static void hear(void *user, const char *name, long frame, const float *data, const size_t *shape,
                 int rank) {
    heard *h = user;
    (void)frame;
    if (strcmp(name, "decoder.waveform") != 0) return;
    assert_true(rank == 2 && shape[0] == 1 && shape[1] == 1 && h->count < 50 * 1920);
    float x = data[0];
    h->samples[h->count++] = x < -1 ? -1 : x > 1 ? 1 : x;
}

static void test_B051_output_is_the_decoders(void **state) {
    (void)state;
    heard h = {calloc(50 * 1920, sizeof(float)), 0};
    kz_request request = kzt_request("Nothing is hidden in here.");
    request.exact_frames = 20;
    kz_session_set_tap(session, hear, &h);
    kzt_run run = kzt_run_all(session, &request);
    kz_session_set_tap(session, NULL, NULL);
    kzt_same_samples(run.samples, run.count, h.samples, h.count);
    kzt_run quiet = kzt_run_all(session, &request);
    kzt_same(&run, &quiet);
    kzt_run_free(&quiet);
    kzt_run_free(&run);
    free(h.samples);
}

/* ---- positions ----------------------------------------------------------------------------- */

static void test_B059_the_last_position(void **state) {
    (void)state;
    char *folder = kzt_copy_checkpoint("custom-eq");
    kzt_set_json(folder, "config.json", "talker_config.max_position_embeddings", json_integer(64));
    kz_model *model = kzt_open(folder, NULL);
    kz_session *s = kzt_session(model, 2);
    kz_request request = kzt_request("Hi");
    request.min_frames = 1000; /* never an end of speech */
    for (int round = 0; round < 2; round++) {
        request.flags = round ? KZ_LIVE_TEXT : KZ_WHOLE_TEXT;
        kzt_run run = kzt_run_all(s, &request);
        assert_int_equal(run.status, KZ_DONE);
        assert_int_equal(run.result.finish, KZ_FINISH_GUARD);
        assert_int_equal(run.result.prompt_rows + run.frames, 64 - 1);
        assert_int_equal(run.count, run.frames * 1920);
        kzt_run_free(&run);
    }
    request.max_frames = 64;
    request.min_frames = KZ_DEFAULT;
    kzt_refused(s, &request, KZ_ERR_USAGE, "the model has 64 positions");
    request.max_frames = 60; /* the prompt leaves less */
    kzt_run run = kzt_run_all(s, &request);
    assert_true(run.status == KZ_DONE && run.frames < 60);
    kzt_run_free(&run);
    request = kzt_request("One two three four five six seven eight nine ten eleven twelve. "
                          "One two three four five six seven eight nine ten eleven twelve.");
    kzt_refused(s, &request, KZ_ERR_INPUT, "the model has 64 positions");
    kz_session_free(s);
    kz_model_free(model);
    kzt_tmpdir_remove(folder);
}

/* ---- seeds and paths ----------------------------------------------------------------------- */

static void test_B062_the_seed_counts(void **state) {
    (void)state;
    const uint64_t seeds[] = {0, 1, 2, UINT64_C(1) << 32, UINT64_MAX};
    kzt_run runs[5];
    for (size_t i = 0; i < 5; i++) {
        kz_request request = kzt_request(sentence);
        request.seed = seeds[i];
        request.exact_frames = 12;
        runs[i] = kzt_run_all(session, &request);
        assert_true(runs[i].result.seed == seeds[i]);
        for (size_t j = 0; j < i; j++) {
            assert_memory_not_equal(runs[i].codes, runs[j].codes, 12 * 16 * sizeof(int32_t));
        }
    }
    for (size_t i = 0; i < 5; i++) kzt_run_free(&runs[i]);
}

typedef struct sink {
    float *samples;
    size_t count;
} sink;

static int take(void *user, const kz_packet *packet) {
    sink *s = user;
    memcpy(s->samples + s->count, packet->samples, packet->count * sizeof(float));
    s->count += packet->count;
    return 0;
}

static const struct {
    const char *language, *text;
} spoken[] = {
    {"chinese", "\xe4\xbb\x8a\xe5\xa4\xa9\xe5\xa4\xa9"
                "\xe6\xb0\x94\xe5\xbe\x88\xe5\xa5\xbd\xe3\x80\x82"},
    {"english", "It rained all night."},
    {"german", "Es hat die ganze Nacht geregnet, gr\xc3\xb6\xc3\x9f" "er als je."},
    {"italian", "Domani andiamo tutti al mare."},
    {"portuguese", "Amanh\xc3\xa3 vamos todos ao mar."},
    {"spanish", "\xc2\xbfQui\xc3\xa9n habla ahora?"},
    {"japanese", "\xe4\xbb\x8a\xe6\x97\xa5\xe3\x81\xaf"
                 "\xe3\x81\x84\xe3\x81\x84\xe5\xa4\xa9\xe6\xb0\x97"},
    {"korean", "\xec\x98\xa4\xeb\x8a\x98\xec\x9d\x80 \xeb\x82\xa0\xec\x94\xa8\xea\xb0\x80"},
    {"french", "Personne ne parle, mais on entend tout."},
    {"russian", "\xd0\x92\xd1\x81\xd1\x8e "
                "\xd0\xbd\xd0\xbe\xd1\x87\xd1\x8c \xd1\x88\xd1\x91\xd0\xbb"},
};

static void test_B068_pull_push_and_live_text_are_one_path(void **state) {
    (void)state;
    kz_session *other = kzt_session(custom, 1);
    float *room = malloc(12 * 1920 * sizeof(float));
    assert_non_null(room);
    for (size_t i = 0; i < sizeof spoken / sizeof spoken[0]; i++) {
        kz_request request = kzt_request(spoken[i].text);
        request.language = spoken[i].language;
        request.exact_frames = 12;
        request.seed = i;
        request.flags = i % 2 ? KZ_LIVE_TEXT : 0;
        kzt_run pulled = kzt_run_all(session, &request);
        sink s = {room, 0};
        request.packet = 5;
        assert_int_equal(kz_session_start(other, &request), KZ_OK);
        assert_int_equal(kz_session_speak(other, take, &s), KZ_OK);
        kzt_same_samples(pulled.samples, pulled.count, s.samples, s.count);
        request.text = NULL;
        assert_int_equal(kz_session_start(other, &request), KZ_OK);
        assert_int_equal(
            kz_session_append(other, spoken[i].text, strlen(spoken[i].text)), KZ_OK);
        assert_int_equal(kz_session_finish_text(other), KZ_OK);
        kzt_run appended = kzt_run_rest(other);
        kzt_same(&pulled, &appended);
        kzt_run_free(&appended);
        kzt_run_free(&pulled);
    }
    free(room);
    kz_session_free(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_B005_one_syllable_ends),
        cmocka_unit_test(test_B005_language_with_a_foreign_reference),
        cmocka_unit_test(test_B028_unsupported_script),
        cmocka_unit_test(test_B033_never_an_end),
        cmocka_unit_test(test_B033_one_frame_repeated),
        cmocka_unit_test(test_B033_short_cycles),
        cmocka_unit_test(test_B033_speech_passes),
        cmocka_unit_test(test_B034_short_texts),
        cmocka_unit_test(test_B038_B153_finish_reasons),
        cmocka_unit_test(test_B039_a_transcript_that_does_not_fit),
        cmocka_unit_test(test_B039_B040_too_long_is_refused_at_once),
        cmocka_unit_test(test_B042_limits_reach_the_loop),
        cmocka_unit_test(test_B043_slow_speech),
        cmocka_unit_test(test_B044_every_frame_is_heard),
        cmocka_unit_test(test_B045_offline_equals_pipeline),
        cmocka_unit_test(test_B048_one_policy_for_the_start),
        cmocka_unit_test(test_B049_clone_prompts_have_goldens),
        cmocka_unit_test(test_B050_no_state_is_left_over),
        cmocka_unit_test(test_B051_output_is_the_decoders),
        cmocka_unit_test(test_B059_the_last_position),
        cmocka_unit_test(test_B062_the_seed_counts),
        cmocka_unit_test(test_B068_pull_push_and_live_text_are_one_path),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
