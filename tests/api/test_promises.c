/* What the library tells about itself and about a run, and the range of its samples. */
#include "harness/talk.h"
#include "harness/tests.h"
#include "harness/tmpdir.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_version_and_features(void **state) {
    (void)state;
    char wanted[64];
    snprintf(wanted, sizeof wanted, "%d.%d.%d", KZ_VERSION_MAJOR, KZ_VERSION_MINOR,
             KZ_VERSION_PATCH);
    assert_string_equal(kz_version(), wanted);
    const char *features = kz_features();
    size_t levels = 0;
    while (kz_cpu_level(levels)) levels++;
    assert_true(levels > 0);
    assert_string_equal(kz_cpu_level(0), "scalar");
    kzt_has(features, kz_cpu_level(levels - 1));
    kzt_has(features, "weights f32, bf16, q8, q4");
    kzt_has(features, "decoder direct, winograd, int8");
    snprintf(wanted, sizeof wanted, "arithmetic %d", kz_arithmetic());
    kzt_has(features, wanted);
    assert_null(strchr(features, '\n'));
}

/* Every code has a text of its own, and so has one that is none. */
static void test_texts_of_codes(void **state) {
    (void)state;
    static const kz_status codes[] = {KZ_OK,           KZ_DONE,       KZ_NEED_TEXT,  KZ_TIMEOUT,
                                      KZ_ERR_FAILED,   KZ_ERR_USAGE,  KZ_ERR_MODEL,  KZ_ERR_INPUT,
                                      KZ_ERR_OUTPUT,   KZ_ERR_MEMORY, KZ_ERR_CANCELLED,
                                      KZ_ERR_STATE,    (kz_status)99};
    const size_t count = sizeof codes / sizeof *codes;
    for (size_t i = 0; i < count; i++) {
        const char *text = kz_status_text(codes[i]);
        assert_non_null(text);
        assert_true(strlen(text) > 1);
        for (size_t k = 0; k < i; k++) assert_string_not_equal(text, kz_status_text(codes[k]));
        if (codes[i] > 0) assert_true(i < 4 || i == count - 1);
    }
    static const struct {
        kz_finish finish;
        const char *text;
    } ends[] = {{KZ_FINISH_STOP, "stop"},           {KZ_FINISH_LENGTH, "length"},
                {KZ_FINISH_GUARD, "guard"},         {KZ_FINISH_CANCELLED, "cancelled"},
                {KZ_FINISH_ERROR, "error"}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        assert_string_equal(kz_finish_text(ends[i].finish), ends[i].text);
    }
}

static void test_result_of_a_finished_session(void **state) {
    (void)state;
    kz_model *model = kzt_open("custom-eq", NULL);
    kz_session *s = kzt_session(model, 2);
    kz_request request = kzt_request("Any text.");
    request.exact_frames = 6;
    request.seed = UINT64_MAX;
    kzt_run run = kzt_run_all(s, &request);
    const kz_result *r = &run.result;
    assert_int_equal(run.status, KZ_DONE);
    assert_int_equal(r->frames, 6);
    assert_int_equal(r->samples, 6 * 1920);
    assert_int_equal(r->samples, run.count);
    assert_int_equal(r->finish, KZ_FINISH_LENGTH);
    assert_true(r->finish_detail[0] != 0);
    assert_true(r->seed == UINT64_MAX);
    assert_int_equal(r->threads, 2);
    assert_string_equal(r->cpu, kzt_result(s).cpu);
    assert_true(r->text_tokens > 0 && r->prompt_rows > r->text_tokens);
    const double parts[] = {r->prefill_ms, r->talker_ms, r->predictor_ms, r->decoder_ms,
                            r->sampler_ms, r->setup_ms,  r->copy_ms};
    double sum = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        assert_true(parts[i] > 0);
        sum += parts[i];
    }
    double passes = 0;
    for (int i = 0; i < KZ_PREDICTOR_PASSES; i++) {
        assert_true(r->predictor_pass_ms[i] > 0);
        passes += r->predictor_pass_ms[i];
    }
    assert_true(passes <= r->predictor_ms * 1.001);
    assert_true(sum <= r->total_ms * 1.001);
    assert_true(r->first_audio_ms > 0);
    kz_model_info info = {.size = sizeof info};
    assert_int_equal(kz_model_get_info(model, &info), KZ_OK);
    assert_true(r->session_bytes_peak >= info.session_bytes / 2);
    kzt_run_free(&run);
    kz_session_free(s);
    kz_model_free(model);
}

/* A decoder that gives far more than 1: its last bias moves all samples. */
static void test_samples_stay_within_one(void **state) {
    (void)state;
    static const float moves[] = {5, -5};
    char *folder = kzt_copy_checkpoint("custom-eq");
    for (size_t i = 0; i < 2; i++) {
        kzt_set_value(folder, "speech_tokenizer/model.safetensors", "decoder.decoder.6.conv.bias",
                      0, moves[i]);
        kz_model *model = kzt_open(folder, NULL);
        kz_session *s = kzt_session(model, 1);
        kz_request request = kzt_request("Any text.");
        request.exact_frames = 3;
        kzt_run run = kzt_run_all(s, &request);
        assert_int_equal(run.count, 3 * 1920);
        size_t at_the_end = 0;
        for (size_t k = 0; k < run.count; k++) {
            if (!(fabsf(run.samples[k]) <= 1)) fail_msg("sample %zu: a sample beyond 1", k);
            at_the_end += run.samples[k] == copysignf(1, moves[i]);
        }
        assert_true(at_the_end > run.count / 2);
        kzt_run_free(&run);
        kz_session_free(s);
        kz_model_free(model);
    }
    kzt_tmpdir_remove(folder);
}

/* Neither layout of the text asked for: that of the reference for the kind of the model. */
static void test_layout_of_each_kind(void **state) {
    (void)state;
    static const char *const names[] = {"custom-eq", "design-eq", "base-eq"};
    for (size_t i = 0; i < 3; i++) {
        kz_model *model = kzt_open(names[i], NULL);
        kz_model_info info = {.size = sizeof info};
        assert_int_equal(kz_model_get_info(model, &info), KZ_OK);
        /* generate_voice_clone streams its text, the other two do not. */
        assert_int_equal(info.default_live_text, info.kind == KZ_KIND_BASE);
        size_t rows[3];
        static const unsigned flags[] = {0, KZ_WHOLE_TEXT, KZ_LIVE_TEXT};
        float *vector = calloc((size_t)info.speaker_vector_length + 1, sizeof *vector);
        assert_non_null(vector);
        for (size_t k = 0; k < 3; k++) {
            kz_request request = kzt_request("A text of several tokens.");
            size_t count = 0;
            request.flags = flags[k];
            if (info.kind == KZ_KIND_BASE) {
                request.speaker_vector = vector;
                request.speaker_vector_length = (size_t)info.speaker_vector_length;
            }
            assert_int_equal(kz_prompt(model, &request, NULL, NULL, 0, &count, &rows[k], NULL, 0),
                             KZ_OK);
        }
        assert_int_not_equal(rows[1], rows[2]);
        assert_int_equal(rows[0], rows[info.default_live_text ? 2 : 1]);
        free(vector);
        kz_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version_and_features),
        cmocka_unit_test(test_texts_of_codes),
        cmocka_unit_test(test_result_of_a_finished_session),
        cmocka_unit_test(test_samples_stay_within_one),
        cmocka_unit_test(test_layout_of_each_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
