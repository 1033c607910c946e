/* Greedy runs against the official package: every case's prompt rows, codes, and waveform, with the
 * decoder's sums as they are written and with its default arithmetic. */
#include "harness/golden.h"
#include "harness/tests.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double row_error(const float *got, const float *want, size_t n) {
    double worst = 0;
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        double difference = fabs((double)got[i] - (double)want[i]);
        if (difference > worst) worst = difference;
        if (fabs((double)want[i]) > largest) largest = fabs((double)want[i]);
    }
    return largest > 0 ? worst / largest : worst;
}

/* Rows of prompt.npy, then of trailing.npy; returns the worst error relative to a row's largest
 * value. */
static double check_prompt(const kz_model *model, const kzt_golden *g) {
    kzt_npy prompt, trailing;
    kzt_golden_array(g, "prompt.npy", &prompt);
    kzt_golden_array(g, "trailing.npy", &trailing);
    size_t width = prompt.shape[prompt.dims - 1];
    size_t want = prompt.count / width;
    size_t rest = trailing.count / width;
    size_t count = 0, rows = 0;
    char err[512] = "";
    float *got = calloc((want + rest + 8) * width, sizeof *got);
    kz_status status = kz_prompt(model, &g->request, NULL, got, want + rest + 8, &count, &rows, err,
                                 sizeof err);
    if (status) fail_msg("%s: prompt: %s", g->name, err);
    assert_int_equal(rows, want);
    assert_int_equal(count - rows, rest);
    double worst = 0;
    for (size_t r = 0; r < count; r++) {
        const float *row = r < want ? (float *)prompt.data + r * width
                                    : (float *)trailing.data + (r - want) * width;
        double error = row_error(got + r * width, row, width);
        if (error > worst) worst = error;
    }
    free(got);
    kzt_npy_free(&prompt);
    kzt_npy_free(&trailing);
    return worst;
}

/* Signal to noise in dB of the stored stretches of sound; NAN where none is stored. */
static double check_waves(const kzt_golden *g, const float *samples, size_t count) {
    json_t *waves = json_object_get(g->root, "waves");
    double signal = 0, noise = 0;
    for (size_t i = 0; i < json_array_size(waves); i++) {
        json_t *wave = json_array_get(waves, i);
        kzt_npy want;
        kzt_golden_array(g, json_string_value(json_object_get(wave, "file")), &want);
        size_t first = (size_t)json_integer_value(json_object_get(wave, "first_sample"));
        json_t *total = json_object_get(wave, "total_samples"); /* null: only the start is there */
        if (!json_is_null(total)) assert_int_equal(count, json_integer_value(total));
        assert_true(first + want.count <= count);
        for (size_t j = 0; j < want.count; j++) {
            double w = (double)((float *)want.data)[j];
            double d = (double)samples[first + j] - w;
            signal += w * w;
            noise += d * d;
        }
        kzt_npy_free(&want);
    }
    if (signal == 0) return NAN;
    return 10 * log10(signal / (noise + 1e-300));
}

/* The recording that a case clones, as a voice that was saved and loaded; NULL where it clones
 * none. The request then speaks with that, not with what the official package made of it. */
static kz_voice *clone(kz_model *model, kzt_golden *g) {
    const char *file = json_string_value(json_object_get(g->root, "recording"));
    kzt_npy pcm;
    char path[640];
    char err[512] = "";
    size_t length = 0;
    if (!file) return NULL;
    snprintf(path, sizeof path, "%s/%s", g->folder, file);
    if (kzt_npy_read_as(path, 'i', 2, &pcm, err, sizeof err)) fail_msg("%s", err);
    float *sound = malloc(pcm.count * sizeof *sound);
    assert_non_null(sound);
    for (size_t i = 0; i < pcm.count; i++) sound[i] = (float)((int16_t *)pcm.data)[i] / 32768;
    kz_voice_options options;
    kz_voice_options_init(&options);
    options.transcript = g->request.reference_text;
    options.vector_only = !g->request.reference_text;
    options.flags = KZ_AS_REFERENCE | KZ_STRICT;
    kz_voice *made = NULL;
    kz_voice *voice = NULL;
    kz_status status = kz_voice_from_samples(model, sound, pcm.count, 24000, &options, &made, err,
                                             sizeof err);
    if (status) fail_msg("%s: %s", g->name, err);
    const void *bytes = kz_voice_bytes(made, &length);
    status = kz_voice_load_memory(bytes, length, NULL, &voice, err, sizeof err);
    if (status) fail_msg("%s: %s", g->name, err);
    const int32_t *codes = kz_voice_codes(voice, &length);
    assert_int_equal(length * 16, g->reference.count);
    if (length) assert_memory_equal(codes, g->reference.data, g->reference.count * sizeof *codes);
    const float *vector = kz_voice_vector(voice, &length);
    assert_int_equal(length, g->speaker.count);
    assert_true(row_error(vector, g->speaker.data, length) <= 1e-5);
    g->request.speaker_vector = NULL;
    g->request.speaker_vector_length = g->request.reference_frames = 0;
    g->request.reference_codes = NULL;
    g->request.reference_text = NULL;
    g->request.cloned = voice;
    kz_voice_free(made);
    free(sound);
    kzt_npy_free(&pcm);
    return voice;
}

/* least: decibels of the waveform. cloning: only cases that clone, from the recording on. */
static void run_case(const char *name, kz_decoder decoder, double least, bool cloning) {
    kzt_golden g;
    kz_model_options options;
    kzt_golden_load(name, &g);
    kz_model_options_init(&options);
    options.decoder = decoder;
    kz_model *model = kzt_open(g.checkpoint, &options);
    kz_voice *voice = cloning ? clone(model, &g) : NULL;
    if (cloning && !voice) {
        kz_model_free(model);
        kzt_golden_free(&g);
        return;
    }
    kz_session *session = kzt_session(model, 2);
    double prompt = check_prompt(model, &g);
    float *samples = NULL;
    size_t count = 0, frames = 0;
    kz_status status = kzt_speak(session, &g.request, &samples, &count);
    if (status != KZ_DONE) fail_msg("%s: %s", name, kz_error(session));
    const int32_t *codes = kz_session_codes(session, &frames);
    size_t equal = 0;
    size_t total = g.frames * 16;
    for (size_t i = 0; i < total && i < frames * 16; i++) equal += codes[i] == g.codes[i];
    kz_result result = {.size = sizeof result};
    assert_int_equal(kz_session_get_result(session, &result), KZ_OK);
    double snr = check_waves(&g, samples, count);
    printf("%-26s codes %5zu / %5zu  finish %-6s  prompt error %.1e  waveform %.1f dB\n", name,
           equal, total, kz_finish_text(result.finish), prompt, snr);
    assert_int_equal(frames, g.frames);
    assert_int_equal(equal, total);
    assert_string_equal(kz_finish_text(result.finish), g.finish);
    assert_true(prompt <= 1e-5);
    assert_true(isnan(snr) || snr >= least);
    free(samples);
    kz_session_free(session);
    kz_voice_free(voice);
    kz_model_free(model);
    kzt_golden_free(&g);
}

static void run_all(kz_decoder decoder, double least, bool cloning) {
    char names[KZT_MAX_CASES][64];
    size_t count = kzt_golden_list(names);
    for (size_t i = 0; i < count; i += KZT_SLOW > 1 ? 3 : 1) {
        run_case(names[i], decoder, least, cloning);
    }
}

static void test_direct(void **state) {
    (void)state;
    run_all(KZ_DECODER_DIRECT, 90, false);
}

static void test_default(void **state) {
    (void)state;
    run_all(KZ_DECODER_DEFAULT, 90, false);
}

/* A choice of speed: what it costs must stay what it is. */
static void test_eight_bits(void **state) {
    (void)state;
    run_all(KZ_DECODER_INT8, 30, false);
}

/* From a recording to a saved voice to the sound. */
static void test_recordings(void **state) {
    (void)state;
    run_all(KZ_DECODER_DIRECT, 90, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_direct),
                                       cmocka_unit_test(test_default),
                                       cmocka_unit_test(test_eight_bits),
                                       cmocka_unit_test(test_recordings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
