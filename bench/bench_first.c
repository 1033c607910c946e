/* From the start of an utterance to its first samples: a named speaker, a reference of codes and
 * transcript (its first utterance, a later one with another text), and a speaker vector, in both
 * layouts of the text. All in turn, so that what else the machine does meets all: medians, ratios to
 * the named speaker of the same round and layout, and the best round with where its time went.
 *     bench_first NAMED_MODEL BASE_MODEL [TYPE [THREADS [REFERENCE_FRAMES [ROUNDS]]]]
 */
#include "kazeia.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_IDS = 28, TRANSCRIPT_IDS = 35, CASES = 4, LAYOUTS = 2, ROUNDS_MOST = 50, TEXT_MOST = 400 };

static const char words[] =
    "The harbour was quiet that morning, and the boats lay in two long rows as if somebody had "
    "counted them. An old man came down the stairs with a lamp, looked at the water for a while, "
    "and said that the wind would turn before noon. Nobody answered, but the children ran home to "
    "tell it, and by ten o'clock every sail in the village had been taken in and folded away.";

/* The vector is known from the reference that comes before. */
typedef enum which { NAMED, NEW_REFERENCE, KNOWN_REFERENCE, VECTOR } which;

static const char *const names[CASES] = {"named speaker", "reference, new", "reference, known",
                                         "speaker vector"};

typedef struct speaker {
    kz_model *model;
    kz_session *session;
    kz_model_info info;
    char texts[2][TEXT_MOST], transcript[TEXT_MOST];
} speaker;

typedef struct measured {
    double first[ROUNDS_MOST], share[ROUNDS_MOST];
    kz_result best;
} measured;

static void check(kz_status status, const char *text) {
    if (status >= 0) return;
    fprintf(stderr, "bench_first: %s\n", text);
    exit(1);
}

/* Whole words from the `skip`-th on, as many as have at most so many ids. */
static void cut_text(const kz_model *model, size_t skip, size_t ids, char text[TEXT_MOST]) {
    const char *from = words;
    char error[256] = "";
    while (skip--) from = strchr(from, ' ') + 1;
    size_t length = strlen(from);
    size_t count = 0;
    for (;;) {
        check(kz_tokenize(model, from, length, 0, NULL, 0, &count, error, sizeof error), error);
        if (count <= ids && length < TEXT_MOST) break;
        while (length && from[length - 1] != ' ') length--;
        if (length) length--;
    }
    snprintf(text, TEXT_MOST, "%.*s", (int)length, from);
}

static void open_speaker(speaker *s, const char *path, const char *type, int threads) {
    static const char *const types[] = {"stored", "f32", "bf16", "q8", "q4"};
    kz_model_options options;
    kz_session_options how;
    char error[256] = "";
    kz_model_options_init(&options);
    kz_session_options_init(&how);
    for (int t = 0; t <= KZ_TYPE_Q4; t++) {
        if (strcmp(type, types[t]) == 0) options.type = (kz_type)t;
    }
    how.threads = threads;
    check(kz_model_open(path, &options, &s->model, error, sizeof error), error);
    check(kz_session_create(s->model, &how, &s->session, error, sizeof error), error);
    s->info.size = sizeof s->info;
    check(kz_model_get_info(s->model, &s->info), "the model tells nothing of itself");
    cut_text(s->model, 0, TEXT_IDS, s->texts[0]);
    cut_text(s->model, 19, TEXT_IDS, s->texts[1]);
    cut_text(s->model, 8, TRANSCRIPT_IDS, s->transcript);
}

static void speak(const speaker *s, const kz_request *request, kz_result *result) {
    static float samples[4096];
    size_t got = 0;
    kz_result whole = {.size = sizeof whole};
    result->size = sizeof *result;
    check(kz_session_start(s->session, request), kz_error(s->session));
    check(kz_session_read(s->session, samples, 4096, &got, -1), kz_error(s->session));
    check(kz_session_get_result(s->session, result), "no result");
    while (kz_session_read(s->session, samples, 4096, &got, -1) == KZ_OK) {
    }
    check(kz_session_get_result(s->session, &whole), "no result");
    if (whole.finish != KZ_FINISH_LENGTH) check(KZ_ERR_FAILED, kz_error(s->session));
}

/* Another voice each round: nobody knows it yet. */
static void make_voice(const speaker *s, uint32_t round, float *vector, int32_t *codes,
                       size_t frames) {
    uint32_t random = round * 7919 + 1;
    for (int i = 0; i < s->info.speaker_vector_length; i++) {
        vector[i] = (float)(i % 7) * 0.1f + (float)round * 0.01f;
    }
    for (size_t i = 0; i < frames * 16; i++) {
        random = random * 1664525u + 1013904223u;
        codes[i] = (int32_t)((random >> 8) % (uint32_t)s->info.codebook_size);
    }
}

static void run_case(const speaker *s, which what, unsigned layout, const float *vector,
                     const int32_t *codes, size_t frames, kz_result *result) {
    kz_request r;
    kz_request_init(&r);
    r.text = s->texts[what == NEW_REFERENCE ? 0 : 1];
    r.text_length = strlen(r.text);
    r.language = "english";
    r.exact_frames = 2;
    r.flags = layout;
    if (what == NAMED) r.voice = kz_model_speaker(s->model, 0, NULL);
    if (what != NAMED) {
        r.speaker_vector = vector;
        r.speaker_vector_length = (size_t)s->info.speaker_vector_length;
    }
    if (what == NEW_REFERENCE || what == KNOWN_REFERENCE) {
        r.reference_codes = codes;
        r.reference_frames = frames;
        r.reference_text = s->transcript;
    }
    speak(s, &r, result);
}

static void note(measured *m, int round, const kz_result *r, double named) {
    m->first[round] = r->first_audio_ms;
    m->share[round] = r->first_audio_ms / named;
    if (round == 0 || r->first_audio_ms < m->best.first_audio_ms) m->best = *r;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

static void show(measured m[LAYOUTS][CASES], int rounds) {
    static const char *const layouts[LAYOUTS] = {"live text", "whole text"};
    printf("%-10s %-17s %9s %8s %8s %8s %8s %6s %8s %10s\n", "layout", "voice", "median ms",
           "to named", "best", "setup", "prefill", "codes", "decoder", "rows kept");
    for (int l = 0; l < LAYOUTS; l++) {
        for (int c = 0; c < CASES; c++) {
            measured *x = &m[l][c];
            const kz_result *r = &x->best;
            printf("%-10s %-17s %9.1f %8.2f %8.1f %8.1f %8.1f %6.1f %8.1f %4zu of %zu\n",
                   layouts[l], names[c], median(x->first, rounds), median(x->share, rounds),
                   r->first_audio_ms, r->setup_ms, r->prefill_ms,
                   r->predictor_ms + r->sampler_ms + r->copy_ms, r->decoder_ms,
                   r->prompt_rows_kept, r->prompt_rows);
        }
    }
}

int main(int argc, char **argv) {
    static const unsigned flags[LAYOUTS] = {KZ_LIVE_TEXT, KZ_WHOLE_TEXT};
    static measured all[LAYOUTS][CASES];
    speaker named = {0};
    speaker base = {0};
    if (argc < 3) {
        check(KZ_ERR_USAGE, "bench_first NAMED_MODEL BASE_MODEL [TYPE [THREADS [REFERENCE_FRAMES "
                            "[ROUNDS]]]]");
    }
    const char *type = argc > 3 ? argv[3] : "stored";
    int threads = argc > 4 ? atoi(argv[4]) : kz_default_threads();
    int frames = argc > 5 ? atoi(argv[5]) : 125;
    int rounds = argc > 6 ? atoi(argv[6]) : 7;
    if (frames < 1 || rounds < 1 || rounds > ROUNDS_MOST) check(KZ_ERR_USAGE, "1 to 50 rounds");
    open_speaker(&named, argv[1], type, threads);
    open_speaker(&base, argv[2], type, threads);
    if (!named.info.speaker_count || !base.info.speaker_vector_length) {
        check(KZ_ERR_USAGE, "the first model has named speakers, the second takes vectors");
    }
    float *vector = calloc((size_t)base.info.speaker_vector_length, sizeof *vector);
    int32_t *codes = calloc((size_t)frames * 16, sizeof *codes);
    if (!vector || !codes) check(KZ_ERR_MEMORY, "out of memory");
    for (int round = -1; round < rounds; round++) { /* the first warms up */
        for (int l = 0; l < LAYOUTS; l++) {
            double to = 1;
            make_voice(&base, (uint32_t)(2 * round + l + 3), vector, codes, (size_t)frames);
            for (int c = 0; c < CASES; c++) {
                kz_result result;
                const speaker *s = c == NAMED ? &named : &base;
                run_case(s, (which)c, flags[l], vector, codes, (size_t)frames, &result);
                if (c == NAMED) to = result.first_audio_ms;
                if (round >= 0) note(&all[l][c], round, &result, to);
            }
        }
    }
    printf("%d threads, %d frames of reference, %d rounds\n", threads, frames, rounds);
    show(all, rounds);
    free(codes);
    free(vector);
    kz_session_free(named.session);
    kz_session_free(base.session);
    kz_model_free(named.model);
    kz_model_free(base.model);
    return 0;
}
