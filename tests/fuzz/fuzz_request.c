/* Fuzz target: ten bytes of settings, then voice, language, instruct and text with zeros between,
 * as a whole request to a tiny model of one of the three kinds. It is refused with a reason or
 * speaks finite samples, as many as its frames say; the session serves the next one either way.
 */
#include "harness/ckpt.h"
#include "kazeia.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SETTINGS 10
#define PARTS 4
#define MODELS 3
#define FRAMES_MAX 4
#define VECTOR_MAX 64
#define SAMPLES 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static kz_session *sessions[MODELS];
static kz_model *models[MODELS];

static void need(int holds) {
    if (!holds) abort();
}

static void remove_files(const char *folder) {
    static const char *const names[] = {
        "config.json",       "generation_config.json",  "model.safetensors", "vocab.json",
        "merges.txt",        "tokenizer_config.json",   "speech_tokenizer/config.json",
        "speech_tokenizer/model.safetensors",           "speech_tokenizer/preprocessor_config.json",
        "speech_tokenizer"};
    char path[256];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    remove(folder);
}

static void open_models(void) {
    static const char *const names[MODELS] = {"custom-stop", "base-stop", "design-eq"};
    char error[512] = "";
    for (int i = 0; i < MODELS; i++) {
        char folder[] = "/tmp/kazeia-fuzz-XXXXXX";
        char spec[512];
        kz_session_options options;
        snprintf(spec, sizeof spec, "%s/tests/data/ckpt/%s", KZT_SOURCE_DIR, names[i]);
        kz_session_options_init(&options);
        options.threads = 1;
        if (!mkdtemp(folder) || kzt_make_checkpoint(spec, folder, error, sizeof error) != 0 ||
            kz_model_open(folder, NULL, &models[i], error, sizeof error) != KZ_OK ||
            kz_session_create(models[i], &options, &sessions[i], error, sizeof error) != KZ_OK) {
            fprintf(stderr, "%s: %s\n", names[i], error);
            exit(1);
        }
        remove_files(folder); /* the weights stay mapped */
    }
}

/* Any value, also senseless ones; most often one that makes sense. */
static double value(uint8_t byte, double scale) {
    static const double odd[] = {-1, 0, 1e30, -0.5, INFINITY, NAN, 1e-30, 1};
    return byte >= 248 ? odd[byte - 248] : byte / 100.0 * scale;
}

static void fill_settings(kz_request *request, const uint8_t *byte) {
    request->flags = byte[1] & 31u;
    request->seed = byte[2];
    request->talker.temperature = value(byte[3], 1);
    request->talker.top_k = byte[4] >= 250 ? (int)byte[4] - 252 : byte[4];
    request->talker.top_p = value(byte[5], 0.5);
    request->talker.repetition_penalty = value(byte[6], 1);
    request->talker.repetition_window = (byte[6] & 7) - 1;
    request->predictor.temperature = value(byte[7], 1);
    request->predictor.top_k = (byte[7] & 15) - 1;
    request->max_frames = 1 + byte[8] % FRAMES_MAX;
    if (byte[8] & 128) request->exact_frames = request->max_frames;
    if (byte[8] & 64) request->min_frames = (byte[8] >> 3 & 7) - 1;
    request->packet = byte[9] >= 250 ? (int)byte[9] - 252 : byte[9] % 6;
}

static void fill_reference(kz_request *request, uint8_t byte, const kz_model *model) {
    static float vector[VECTOR_MAX];
    static int32_t codes[16];
    kz_model_info info = {.size = sizeof info};
    need(kz_model_get_info(model, &info) == KZ_OK);
    if (!(byte & 64) || info.speaker_vector_length > VECTOR_MAX) return;
    for (int i = 0; i < VECTOR_MAX; i++) vector[i] = (float)((i * byte) % 17) / 17 - 0.5f;
    for (int i = 0; i < 16; i++) codes[i] = (i * byte) % (info.codebook_size + 1);
    request->speaker_vector = vector;
    request->speaker_vector_length = (size_t)info.speaker_vector_length;
    if (byte & 32) {
        request->reference_codes = codes;
        request->reference_frames = 1;
        request->reference_text = "so";
    }
}

static void run(kz_session *session, const kz_request *request) {
    static float samples[SAMPLES];
    size_t total = 0;
    size_t count = 0;
    kz_result result = {.size = sizeof result};
    kz_status status = kz_session_start(session, request);
    while (status == KZ_OK) {
        status = kz_session_read(session, samples, SAMPLES, &count, -1);
        for (size_t i = 0; i < count; i++) need(fabsf(samples[i]) <= 1);
        total += count;
    }
    need(kz_session_get_result(session, &result) == KZ_OK);
    if (status == KZ_DONE) {
        need(result.frames <= FRAMES_MAX && total == result.samples);
        need(result.finish != KZ_FINISH_NONE && result.finish != KZ_FINISH_ERROR);
    } else {
        need(status == KZ_ERR_USAGE || status == KZ_ERR_INPUT);
        need(kz_error(session)[0] != 0);
        need(result.finish == KZ_FINISH_ERROR);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!sessions[0]) open_models();
    if (size < SETTINGS) return 0;
    size_t length = size - SETTINGS;
    char *text = malloc(length + 1);
    char *parts[PARTS] = {NULL};
    need(text != NULL);
    memcpy(text, data + SETTINGS, length);
    text[length] = 0;
    char *at = text;
    size_t last = 0;
    for (size_t i = 0; i < PARTS && at <= text + length; i++) {
        parts[i] = at;
        last = i;
        at += strlen(at) + 1;
    }
    kz_request request;
    kz_request_init(&request);
    request.text = parts[last];
    request.text_length = (size_t)(text + length - parts[last]); /* zeros inside, too */
    if (last > 0 && parts[0][0]) request.voice = parts[0];
    if (last > 1 && parts[1][0]) request.language = parts[1];
    if (last > 2 && parts[2][0]) request.instruct = parts[2];
    size_t model = data[0] % MODELS;
    fill_settings(&request, data);
    fill_reference(&request, data[0] / MODELS + 64, models[model]);
    run(sessions[model], &request);
    free(text);
    return 0;
}
