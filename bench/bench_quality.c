/* What a weight format costs: teacher-forced against f32.
 *
 * A sentence is spoken greedily in f32. Then every variant (a format, or one part of the model in a
 * format and the rest as stored) is given the same prompt and the same codes, and each draw's
 * logits are compared with those of f32: is the most likely code the same, and how far are the
 * distributions apart (Kullback-Leibler divergence, temperature 1). Drawn codes: the same keyed
 * noise is added to both sides (temperature 0.9), as a seeded run does; equal draws are counted.
 *     bench_quality MODEL SENTENCES.json [HOW MANY [parts|formats [SPEAKER]]]
 * SENTENCES.json is one of train/eval. "parts" adds a row for each part of the model, "formats"
 * leaves out all but the formats. Without SPEAKER the model's speakers take turns.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/rng.h"
#include "engine/session.h"
#include "sentences.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_VARIANTS 64
#define MOST_GROUPS 32
#define TEMPERATURE 0.9

typedef struct score {
    double draws, same, drawn_same, divergence;
} score;

typedef struct variant {
    char name[64];
    kz__policy policy;
    kz__talker talker;
    kz__predictor predictor;
    kz__talker_state talker_state;
    kz__predictor_state predictor_state;
    kz__work work; /* of the model, with this variant's talker and predictor */
    size_t bytes; /* of weights a frame */
    score groups[MOST_GROUPS];
} variant;

typedef struct bench {
    kz_model *model;
    kz_session *session;
    variant *variants;
    size_t count;
    float *logits; /* of f32, in the order of draws */
    size_t used, capacity;
    size_t frames, draws;
} bench;

static void *need(void *p) {
    if (!p) {
        fprintf(stderr, "bench_quality: out of memory\n");
        exit(1);
    }
    return p;
}

static void check(kz_status status, const char *text) {
    if (status >= 0) return;
    fprintf(stderr, "bench_quality: %s\n", text);
    exit(1);
}

/* ---- variants ------------------------------------------------------------------------------ */

static variant *add_variant(bench *b, const char *name, const kz__policy *policy) {
    kz_model *m = b->model;
    variant *v = &b->variants[b->count++];
    kz__err err = {""};
    snprintf(v->name, sizeof v->name, "%s", name);
    v->policy = *policy;
    check(kz__talker_load(&m->mem, m->weights, &m->config, policy, &v->talker, &err), err.text);
    check(kz__predictor_load(&m->mem, m->weights, &m->config, policy, &v->predictor, &err),
          err.text);
    check(kz__talker_state_init(&v->talker_state, &m->mem, &v->talker, &err), err.text);
    check(kz__predictor_state_init(&v->predictor_state, &m->mem, &v->predictor, &err), err.text);
    kz__work *w = &v->work;
    w->mem = &m->mem;
    w->model = m;
    w->threads = b->session->work->threads;
    w->run = b->session->work->run;
    w->run.scratch = &w->scratch;
    check(kz__talker_work_init(&w->talker, &m->mem, &v->talker, w->threads, &err), err.text);
    check(kz__predictor_work_init(&w->predictor, &m->mem, &v->predictor, 1, w->threads, &err),
          err.text);
    size_t width = kz__talker_scratch(&v->talker);
    size_t other = kz__predictor_scratch(&v->predictor);
    check(kz__scratch_init(&w->scratch, &m->mem, KZ__TALKER_ROWS, width > other ? width : other,
                           &err), err.text);
    v->bytes = kz__talker_bytes(&v->talker) + kz__predictor_bytes(&v->predictor);
    return v;
}

enum { FORMATS = 4, MIXED = 3 };

static void add_formats(bench *b) {
    static const kz_type formats[FORMATS] = {KZ_TYPE_F32, KZ_TYPE_BF16, KZ_TYPE_Q8, KZ_TYPE_Q4};
    static const char *const names[FORMATS] = {"f32", "bf16", "q8", "q4"};
    for (size_t f = 0; f < FORMATS; f++) {
        kz__policy policy = kz__policy_of(formats[f]);
        add_variant(b, names[f], &policy);
    }
}

static void add_mixed(bench *b, bool parts) {
    kz__policy all = kz__policy_of(KZ_TYPE_Q4);
    for (int p = 0; p < KZ__PARTS; p++) all.type[p] = KZ__Q4;
    add_variant(b, "all parts q4", &all);
    for (int half = 0; half < 2; half++) {
        kz__policy some = kz__policy_of(KZ_TYPE_Q8);
        int begin = half ? KZ__PREDICTOR_QKV : 0;
        int end = half ? KZ__PARTS : KZ__PREDICTOR_QKV;
        for (int p = begin; p < end; p++) some.type[p] = KZ__Q4;
        add_variant(b, half ? "q8, predictor q4" : "q8, talker q4", &some);
    }
    for (int p = 0; parts && p < KZ__PARTS; p++) {
        for (int q4 = 0; q4 < 2; q4++) {
            char name[64];
            kz__policy one = kz__policy_of(KZ_TYPE_STORED);
            one.type[p] = q4 ? KZ__Q4 : KZ__Q8;
            snprintf(name, sizeof name, "only %s %s", kz__part_name((kz__part)p), q4 ? "q4" : "q8");
            add_variant(b, name, &one);
        }
    }
}

/* ---- one draw ------------------------------------------------------------------------------ */

/* What may be drawn: all of the predictor's codes; the talker's without the control codes, but with
 * the end of speech. */
static bool allowed(const bench *b, size_t group, size_t code) {
    const kz__config *c = &b->model->config;
    return group || code + 1024 < c->talker_vocab || code == (size_t)c->codec_eos;
}

static size_t best(const bench *b, const float *x, size_t n, size_t group, const double *noise) {
    size_t found = n;
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        double value = (double)x[i] / TEMPERATURE + (noise ? noise[i] : 0);
        if (!allowed(b, group, i)) continue;
        if (found == n || value > most) {
            found = i;
            most = value;
        }
    }
    return found;
}

static double log_sum(const bench *b, const float *x, size_t n, size_t group) {
    double top = -1e30;
    for (size_t i = 0; i < n; i++) {
        if (allowed(b, group, i) && (double)x[i] > top) top = (double)x[i];
    }
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (allowed(b, group, i)) sum += exp((double)x[i] - top);
    }
    return sum > 0 ? top + log(sum) : top;
}

static double divergence(const bench *b, const float *p, const float *q, size_t n, size_t group) {
    double zp = log_sum(b, p, n, group);
    double zq = log_sum(b, q, n, group);
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double lp = (double)p[i] - zp;
        if (allowed(b, group, i)) sum += exp(lp) * (lp - ((double)q[i] - zq));
    }
    return sum;
}

static void one_draw(bench *b, variant *v, size_t group, const float *x, size_t n) {
    if (v == b->variants) { /* f32 */
        while (b->used + n > b->capacity) {
            b->capacity = b->capacity ? 2 * b->capacity : 1 << 20;
            b->logits = need(realloc(b->logits, b->capacity * sizeof *b->logits));
        }
        memcpy(b->logits + b->used, x, n * sizeof *x);
    }
    const float *want = b->logits + b->used;
    double noise[8192];
    for (size_t i = 0; i < n && i < 8192; i += 4) {
        const uint32_t counter[4] = {(uint32_t)(i / 4), (uint32_t)b->draws, (uint32_t)b->frames, 0};
        const uint32_t key[2] = {1, 2};
        uint32_t words[4];
        kz__philox(counter, key, words);
        for (size_t j = 0; j < 4 && i + j < n; j++) {
            noise[i + j] = -log(-log(kz__rng_unit(words[j])));
        }
    }
    score *s = &v->groups[group];
    s->draws++;
    s->same += best(b, want, n, group, NULL) == best(b, x, n, group, NULL);
    s->drawn_same += best(b, want, n, group, noise) == best(b, x, n, group, noise);
    s->divergence += divergence(b, want, x, n, group);
    b->used += n;
    b->draws++;
}

/* ---- a sentence ----------------------------------------------------------------------------- */

static void speak(bench *b, const sentences *list, size_t number) {
    kz_request request;
    float samples[4096];
    sentences_request(list, number, &request);
    request.talker.temperature = 0;
    request.predictor.temperature = 0;
    check(kz_session_start(b->session, &request), kz_error(b->session));
    kz_status status = KZ_OK;
    while (status == KZ_OK) {
        size_t got = 0;
        status = kz_session_read(b->session, samples, 4096, &got, -1);
        check(status, kz_error(b->session));
    }
    b->frames = b->session->frames;
}

static void run_talker(variant *v, size_t rows, bool last) {
    kz__talker_turn turn = {&v->talker_state, rows, last};
    kz__err err = {""};
    check(kz__talker_run(&v->work.run, &v->work.talker, &turn, 1, &err), err.text);
}

static void prefill(bench *b, variant *v) {
    const kz_session *s = b->session;
    size_t reference = 0;
    kz__err err = {""};
    kz__kvcache_reset(&v->talker_state.cache);
    for (size_t at = 0; at < s->prompt.count; at += KZ__TALKER_ROWS) {
        size_t count = s->prompt.count - at;
        if (count > KZ__TALKER_ROWS) count = KZ__TALKER_ROWS;
        check(kz__generate_embed(&v->work, &s->request, &s->prompt, at, count, &reference,
                                 v->work.talker.rows, &err),
              err.text);
        run_talker(v, count, at + count == s->prompt.count);
    }
}

static void predict(bench *b, variant *v, const int32_t *codes) {
    kz__predictor_state *p = &v->predictor_state;
    kz__err err = {""};
    memcpy(kz__predictor_input(p, 0), v->talker_state.hidden, v->talker.width * sizeof(float));
    check(kz__talker_codec_row(&v->talker, codes[0], kz__predictor_input(p, 1), &err), err.text);
    for (size_t pass = 0; pass < v->predictor.passes; pass++) {
        check(kz__predictor_pass(&v->work.run, &v->work.predictor, &p, 1, pass, false, &err),
              err.text);
        one_draw(b, v, pass + 1, p->logits, b->model->config.predictor_vocab);
        if (pass + 1 == v->predictor.passes) break;
        check(kz__predictor_code_row(&v->predictor, pass + 1, codes[pass + 1],
                                     kz__predictor_input(p, pass + 2), &err),
              err.text);
    }
}

/* The talker's next row from the codes of frame `frame`, as engine/generate.c makes it. */
static void advance(bench *b, variant *v, size_t frame) {
    const kz_session *s = b->session;
    const kz__config *c = &b->model->config;
    size_t at = s->prompt.text_used + frame;
    int32_t id = c->tts_pad;
    if (!s->prompt.eos_used && at < s->request.text.count) id = s->request.text.data[at];
    if (!s->prompt.eos_used && at == s->request.text.count) id = c->tts_eos;
    const int32_t *codes = s->codes + frame * c->code_groups;
    float *row = v->work.talker.rows;
    float *text = row + v->talker.width;
    float *part = v->work.talker.last;
    kz__err err = {""};
    check(kz__talker_codec_row(&v->talker, codes[0], row, &err), err.text);
    for (size_t g = 1; g < c->code_groups; g++) {
        check(kz__predictor_code_row(&v->predictor, g, codes[g], part, &err), err.text);
        v->work.run.kernels->add(row, row, part, v->talker.width);
    }
    check(kz__talker_text_rows(&v->work.run, &v->work.talker, &id, 1, text, &err), err.text);
    v->work.run.kernels->add(row, row, text, v->talker.width);
    run_talker(v, 1, true);
}

static void force(bench *b, variant *v) {
    const kz__config *c = &b->model->config;
    b->used = 0;
    b->draws = 0;
    prefill(b, v);
    for (size_t f = 0; f < b->frames; f++) {
        one_draw(b, v, 0, v->talker_state.logits, c->talker_vocab);
        predict(b, v, b->session->codes + f * c->code_groups);
        advance(b, v, f);
    }
    one_draw(b, v, 0, v->talker_state.logits, c->talker_vocab); /* the end of speech */
}

/* ---- the table ------------------------------------------------------------------------------ */

static void show(const bench *b) {
    size_t groups = b->model->config.code_groups;
    printf("%-26s %9s %15s %15s %7s %15s %19s\n", "", "MB/frame", "equal, per cent", "drawn equal",
           "drawn", "worst codebook", "divergence x 1000");
    printf("%-26s %9s %7s %7s %7s %7s %7s %7s %7s %9s %9s\n", "variant", "", "talker", "others",
           "talker", "others", "all", "number", "equal", "talker", "others");
    for (size_t i = 0; i < b->count; i++) {
        const variant *v = &b->variants[i];
        score rest = {0};
        size_t worst = 0;
        for (size_t g = 0; g < groups; g++) {
            const score *s = &v->groups[g];
            if (s->same / s->draws < v->groups[worst].same / v->groups[worst].draws) worst = g;
            if (g == 0) continue;
            rest.draws += s->draws;
            rest.same += s->same;
            rest.drawn_same += s->drawn_same;
            rest.divergence += s->divergence;
        }
        const score *t = &v->groups[0];
        printf("%-26s %9.3f %7.2f %7.2f %7.2f %7.2f %7.2f %7zu %7.2f %9.3f %9.3f\n", v->name,
               (double)v->bytes * 1e-6, 100 * t->same / t->draws, 100 * rest.same / rest.draws,
               100 * t->drawn_same / t->draws, 100 * rest.drawn_same / rest.draws,
               100 * (t->drawn_same + rest.drawn_same) / (t->draws + rest.draws), worst,
               100 * v->groups[worst].same / v->groups[worst].draws,
               1e3 * t->divergence / t->draws, 1e3 * rest.divergence / rest.draws);
    }
    printf("equal codes by codebook, per cent\n");
    for (size_t i = 0; i < b->count && i < FORMATS + MIXED; i++) {
        printf("%-18s", b->variants[i].name);
        for (size_t g = 0; g < groups; g++) {
            const score *s = &b->variants[i].groups[g];
            printf(" %5.1f", 100 * s->same / s->draws);
        }
        printf("\n");
    }
}

static void clear(bench *b) {
    for (size_t i = 0; i < b->count; i++) {
        kz__scratch_clear(&b->variants[i].work.scratch);
        kz__talker_work_clear(&b->variants[i].work.talker);
        kz__predictor_work_clear(&b->variants[i].work.predictor);
        kz__talker_state_clear(&b->variants[i].talker_state);
        kz__predictor_state_clear(&b->variants[i].predictor_state);
        kz__talker_clear(&b->model->mem, &b->variants[i].talker);
        kz__predictor_clear(&b->model->mem, &b->variants[i].predictor);
    }
    kz_session_free(b->session);
    kz_model_free(b->model);
    free(b->variants);
    free(b->logits);
}

int main(int argc, char **argv) {
    static bench b;
    sentences list = {0};
    char error[256] = "";
    kz_model_options options;
    if (argc < 3) check(KZ_ERR_USAGE, "MODEL SENTENCES.json [HOW MANY [parts|formats [SPEAKER]]]");
    const char *what = argc > 4 ? argv[4] : "";
    kz_model_options_init(&options);
    options.type = KZ_TYPE_F32;
    check(kz_model_open(argv[1], &options, &b.model, error, sizeof error), error);
    check(kz_session_create(b.model, NULL, &b.session, error, sizeof error), error);
    b.variants = need(calloc(MOST_VARIANTS, sizeof *b.variants));
    if (b.model->config.code_groups > MOST_GROUPS) check(KZ_ERR_MODEL, "too many code groups");
    add_formats(&b);
    if (strcmp(what, "formats") != 0) add_mixed(&b, strcmp(what, "parts") == 0);
    const char *wrong = sentences_open(&list, argv[2], argc > 3 ? (size_t)atoi(argv[3]) : 40,
                                       b.model, argc > 5 ? argv[5] : NULL);
    if (*wrong) check(KZ_ERR_INPUT, wrong);
    size_t frames = 0;
    for (size_t i = 0; i < list.count; i++) {
        speak(&b, &list, i);
        for (size_t v = 0; v < b.count; v++) force(&b, &b.variants[v]);
        frames += b.frames;
    }
    printf("%zu sentences, %zu frames\n", list.count, frames);
    show(&b);
    sentences_close(&list);
    clear(&b);
    return 0;
}
