/* What a weight format and a way of decoding cost in sound: the same codes, made into sound with
 * each, compared with f32 weights and the direct decoder.
 *
 * Every sentence is spoken once, in f32, as generation_config.json says; its codes are decoded with
 * each pair. The distance is the mean difference of two log-mel spectrograms in dB (80 bands to 12
 * kHz, windows of 43 ms every 11 ms); what lies more than 60 dB below the sentence's loudest value
 * counts as that.
 *     bench_sound MODEL SENTENCES.json HOW_MANY SPEAKER PAIR...
 * SPEAKER may be "", then the model's speakers take turns; a PAIR is as "q8/winograd".
 */
#include "audio/mel.h"
#include "engine/model.h"
#include "engine/session.h"
#include "sentences.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_PAIRS = 16, BANDS = 80 };
#define FLOOR 6.9078 /* 60 dB, as a natural logarithm of amplitudes */
#define DB 8.6859    /* of one such logarithm */

typedef struct sound {
    float *samples;
    size_t count, capacity;
    float *rows; /* [frames][BANDS] */
    size_t frames;
} sound;

typedef struct pair {
    const char *name;
    kz_model *model;
    kz_session *session;
    double sum, values;
} pair;

static const kz__mel_config shape = {24000, 1024, 1024, 256, 384, BANDS, 0, 12000};

static void check(kz_status status, const char *text) {
    if (status >= 0) return;
    fprintf(stderr, "bench_sound: %s\n", text);
    exit(1);
}

static void *need(void *p) {
    if (!p) check(KZ_ERR_MEMORY, "out of memory");
    return p;
}

static void open_pair(pair *p, const char *folder, const char *name) {
    static const char *const types[] = {"stored", "f32", "bf16", "q8", "q4"};
    static const char *const ways[] = {"default", "direct", "winograd", "int8"};
    const char *slash = strchr(name, '/');
    kz_model_options options;
    char error[256] = "";
    bool known = false;
    kz_model_options_init(&options);
    p->name = name;
    for (int t = 1; slash && t <= KZ_TYPE_Q4; t++) {
        for (int d = 1; d <= KZ_DECODER_INT8; d++) {
            if (strncmp(name, types[t], strlen(types[t])) != 0 || name + strlen(types[t]) != slash ||
                strcmp(slash + 1, ways[d]) != 0) {
                continue;
            }
            options.type = (kz_type)t;
            options.decoder = (kz_decoder)d;
            known = true;
        }
    }
    if (!known) check(KZ_ERR_USAGE, "a pair is as q8/winograd");
    check(kz_model_open(folder, &options, &p->model, error, sizeof error), error);
    check(kz_session_create(p->model, NULL, &p->session, error, sizeof error), error);
}

static void take(kz_session *session, sound *s) {
    kz_status status = KZ_OK;
    s->count = 0;
    while (status == KZ_OK) {
        size_t got = 0;
        if (s->capacity < s->count + 4096) {
            s->capacity = 2 * s->capacity + 4096;
            s->samples = need(realloc(s->samples, s->capacity * sizeof *s->samples));
        }
        status = kz_session_read(session, s->samples + s->count, 4096, &got, -1);
        check(status, kz_error(session));
        s->count += got;
    }
}

static void spectrum(const kz__mel *mel, pair *p, sound *s) {
    kz__err err = {""};
    s->frames = kz__mel_frames(&shape, s->count);
    free(s->rows);
    s->rows = need(calloc(s->frames * BANDS + 1, sizeof *s->rows));
    check(kz__mel_run(mel, &p->model->mem, p->session->work->run.pool, s->samples, s->count,
                      s->rows, BANDS, &err),
          err.text);
}

static double raised(float value, double least) {
    return (double)value > least ? (double)value : least;
}

static void compare(pair *p, const sound *want, const sound *got) {
    if (got->count != want->count) check(KZ_ERR_MODEL, "the same codes are sounds of two lengths");
    double least = -1e30;
    for (size_t i = 0; i < want->frames * BANDS; i++) least = raised(want->rows[i], least);
    least -= FLOOR;
    for (size_t i = 0; i < want->frames * BANDS; i++) {
        p->sum += fabs(raised(got->rows[i], least) - raised(want->rows[i], least));
        p->values++;
    }
}

static void one_sentence(const sentences *list, size_t number, const kz__mel *mel, pair *pairs,
                         size_t count, sound *want, sound *got) {
    kz_request request;
    sentences_request(list, number, &request);
    check(kz_session_start(pairs->session, &request), kz_error(pairs->session));
    take(pairs->session, want);
    spectrum(mel, pairs, want);
    size_t frames = 0;
    const int32_t *made = kz_session_codes(pairs->session, &frames);
    for (size_t i = 1; i < count; i++) {
        pair *p = &pairs[i];
        check(kz_session_start_codes(p->session, made, frames, KZ_DEFAULT, 0), kz_error(p->session));
        take(p->session, got);
        spectrum(mel, p, got);
        compare(p, want, got);
    }
}

int main(int argc, char **argv) {
    pair pairs[MOST_PAIRS + 1] = {{0}}; /* the first is what the others are compared with */
    sentences list = {0};
    sound want = {0};
    sound got = {0};
    kz__mel mel;
    kz__err err = {""};
    if (argc < 6 || argc > 5 + MOST_PAIRS) {
        check(KZ_ERR_USAGE, "MODEL SENTENCES.json HOW_MANY SPEAKER PAIR...");
    }
    size_t count = (size_t)argc - 4;
    open_pair(&pairs[0], argv[1], "f32/direct");
    for (size_t i = 1; i < count; i++) open_pair(&pairs[i], argv[1], argv[4 + i]);
    const char *wrong = sentences_open(&list, argv[2], (size_t)atoi(argv[3]), pairs[0].model,
                                       *argv[4] ? argv[4] : NULL);
    if (*wrong) check(KZ_ERR_INPUT, wrong);
    check(kz__mel_init(&mel, &pairs[0].model->mem, &shape, &err), err.text);
    for (size_t n = 0; n < list.count; n++) {
        one_sentence(&list, n, &mel, pairs, count, &want, &got);
    }
    for (size_t i = 1; i < count; i++) {
        printf("%s %.3f\n", pairs[i].name, DB * pairs[i].sum / pairs[i].values);
    }
    kz__mel_clear(&mel, &pairs[0].model->mem);
    sentences_close(&list);
    for (size_t i = 0; i < count; i++) {
        kz_session_free(pairs[i].session);
        kz_model_free(pairs[i].model);
    }
    free(want.samples), free(want.rows), free(got.samples), free(got.rows);
    return 0;
}
