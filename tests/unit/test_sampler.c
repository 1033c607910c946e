/* The sampler against the official processors, hand-computed survivors and exact probabilities. */
#include "base/rng.h"
#include "harness/stats.h"
#include "nn/sampler.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST_IDS 3072

static kz__sample_slot scratch[MOST_IDS];

static const kz_sampling plain = {
    .temperature = 1, .top_k = 0, .top_p = 1, .repetition_penalty = 1, .repetition_window = 0};

static kz__sample_rules make_rules(double temperature, int top_k, double top_p) {
    kz_sampling settings = plain;
    settings.temperature = temperature;
    settings.top_k = top_k;
    settings.top_p = top_p;
    kz__sample_rules rules;
    kz__sample_rules_init(&rules, &settings);
    return rules;
}

/* logits whose softmax is p */
static void logits_of(const double *p, float *logits, size_t count) {
    for (size_t i = 0; i < count; i++) {
        logits[i] = (float)log(p[i]);
    }
}

/* "1101": which ids are left */
static void assert_left(const char *expected, const float *logits) {
    char left[64] = "";
    for (size_t i = 0; i < strlen(expected); i++) {
        left[i] = logits[i] > -INFINITY ? '1' : '0';
    }
    assert_string_equal(left, expected);
}

/* ---- the official processors ---------------------------------------------------------------- */

static uint32_t mix(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

static double number(json_t *object, const char *name) {
    json_t *value = json_object_get(object, name);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static void make_row(json_t *item, float *logits, size_t count) {
    uint32_t row = (uint32_t)number(item, "row");
    int32_t levels = (int32_t)number(item, "levels");
    float step = (float)number(item, "step");
    for (size_t i = 0; i < count; i++) {
        uint32_t hash = mix((uint32_t)i * 2654435761u + row * 0x9E3779B9u);
        logits[i] = (float)((int32_t)(hash % (uint32_t)levels) - levels / 2) * step;
    }
}

static uint64_t row_hash(const float *logits, size_t count) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = 0;
        memcpy(&bits, &logits[i], sizeof bits);
        for (int byte = 0; byte < 4; byte++) {
            hash = (hash ^ (bits >> 8 * byte & 0xff)) * 0x100000001b3u;
        }
    }
    return hash;
}

static void check_survivors(json_t *item, const float *logits, size_t count) {
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        left += logits[i] > -INFINITY;
    }
    assert_int_equal(left, (size_t)number(item, "left"));
    json_t *survivors = json_object_get(item, "survivors");
    for (size_t i = 0; i < json_array_size(survivors); i++) {
        json_t *pair = json_array_get(survivors, i);
        size_t id = (size_t)json_integer_value(json_array_get(pair, 0));
        uint32_t bits = 0;
        memcpy(&bits, &logits[id], sizeof bits);
        assert_int_equal(bits, json_integer_value(json_array_get(pair, 1)));
    }
    char hash[20];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)row_hash(logits, count));
    assert_string_equal(hash, json_string_value(json_object_get(item, "hash")));
}

/* The history lies in column 3 of 5, as a codebook does in a list of frames. */
static void check_official(json_t *item) {
    static float logits[MOST_IDS];
    static int32_t history[1000][5];
    size_t count = (size_t)number(item, "ids");
    assert_in_range(count, 1, MOST_IDS);
    make_row(item, logits, count);
    size_t length = (size_t)number(item, "history");
    uint32_t row = (uint32_t)number(item, "row");
    for (size_t i = 0; i < length; i++) {
        uint32_t code = mix((uint32_t)i + 77 * row) % (uint32_t)number(item, "history_ids");
        history[i][3] = (int32_t)code;
        history[i][4] = 1;
    }
    kz__sample_rules rules = make_rules(number(item, "temperature"), (int)number(item, "top_k"),
                                        number(item, "top_p"));
    rules.settings.repetition_penalty = number(item, "penalty");
    rules.settings.repetition_window = (int)number(item, "window");
    rules.history = &history[0][3];
    rules.history_count = length;
    rules.history_stride = 5;
    json_t *suppress = json_object_get(item, "suppress");
    rules.suppress_from = (size_t)json_integer_value(json_array_get(suppress, 0));
    rules.suppress_to = (size_t)json_integer_value(json_array_get(suppress, 1));
    rules.keep = (int32_t)number(item, "keep");
    rules.forbid = (int32_t)number(item, "forbid");
    assert_true(kz__sample_process(&rules, logits, count, scratch));
    check_survivors(item, logits, count);
}

static void test_equals_the_official_processors(void **state) {
    (void)state;
    json_error_t error;
    json_t *items = json_load_file(KZT_SOURCE_DIR "/tests/data/sampler/processors.json", 0, &error);
    assert_non_null(items);
    assert_true(json_array_size(items) > 30);
    for (size_t i = 0; i < json_array_size(items); i++) {
        print_message("processor case %zu\n", i);
        check_official(json_array_get(items, i));
    }
    json_decref(items);
}

/* ---- by hand -------------------------------------------------------------------------------- */

static void test_B070_penalty_by_sign(void **state) {
    (void)state;
    const int32_t history[] = {0, 1, 3};
    kz__sample_rules rules = make_rules(1, 0, 1);
    rules.settings.repetition_penalty = 2;
    rules.history = history;
    rules.history_count = 3;
    float logits[] = {3, -3, 5, 0, -5};
    assert_true(kz__sample_process(&rules, logits, 5, scratch));
    const float expected[] = {1.5f, -6, 5, 0, -5};
    assert_memory_equal(logits, expected, sizeof logits);
}

static void test_B070_end_code_only_by_the_rules(void **state) {
    (void)state;
    const float row[] = {5, 4, 3, 2, 1, 0, 0, 2}; /* ids 5.. are control ids, 7 is end of speech */
    float logits[8];
    kz__sample_rules rules = make_rules(1, 3, 1);
    rules.suppress_from = 5;
    rules.suppress_to = 8;
    rules.keep = 7;
    memcpy(logits, row, sizeof row);
    assert_true(kz__sample_process(&rules, logits, 8, scratch));
    assert_left("11100000", logits);
    rules.settings.top_k = 4; /* equal to the fourth: both stay */
    memcpy(logits, row, sizeof row);
    assert_true(kz__sample_process(&rules, logits, 8, scratch));
    assert_left("11110001", logits);
    rules.settings.top_k = 0;
    memcpy(logits, row, sizeof row);
    assert_true(kz__sample_process(&rules, logits, 8, scratch));
    assert_left("11111001", logits);
    rules.forbid = 7;
    memcpy(logits, row, sizeof row);
    assert_true(kz__sample_process(&rules, logits, 8, scratch));
    assert_left("11111000", logits);
}

/* Nucleus before temperature would leave two. */
static void test_B071_temperature_before_top_p(void **state) {
    (void)state;
    const double p[] = {0.31, 0.06, 0.6, 0.03};
    float logits[4];
    logits_of(p, logits, 4);
    kz__sample_rules rules = make_rules(1, 0, 0.9);
    assert_true(kz__sample_process(&rules, logits, 4, scratch));
    assert_left("1010", logits);
    /* p^(1/1.5): 0.323 0.108 0.501 0.068; from below 0.068 <= 0.1, 0.176 > 0.1 */
    logits_of(p, logits, 4);
    rules.settings.temperature = 1.5;
    assert_true(kz__sample_process(&rules, logits, 4, scratch));
    assert_left("1110", logits);
}

/* After top-k 2 the rest is 0.571 and 0.429; without it 0.1 and 0.3 go first, which leaves two. */
static void test_B071_top_k_before_top_p(void **state) {
    (void)state;
    const double p[] = {0.2, 0.4, 0.1, 0.3};
    float logits[4];
    logits_of(p, logits, 4);
    kz__sample_rules rules = make_rules(1, 2, 0.5);
    assert_true(kz__sample_process(&rules, logits, 4, scratch));
    assert_left("0100", logits);
}

/* The penalty comes before the filters: the best of the row loses its place. */
static void test_B071_penalty_before_top_k(void **state) {
    (void)state;
    const int32_t history[] = {0};
    float logits[] = {4, 3, 2.5f, 1};
    kz__sample_rules rules = make_rules(1, 2, 1);
    rules.settings.repetition_penalty = 2;
    rules.history = history;
    rules.history_count = 1;
    assert_true(kz__sample_process(&rules, logits, 4, scratch));
    assert_left("0110", logits);
}

static void test_B072_penalty_exactly_once(void **state) {
    (void)state;
    const int32_t history[] = {2, 2, 0, 2, 2, 0, 2};
    float logits[] = {-1, 1, 1, 0.5f};
    kz__sample_rules rules = make_rules(1, 0, 1);
    rules.settings.repetition_penalty = 1.05;
    rules.history = history;
    rules.history_count = 7;
    assert_true(kz__sample_process(&rules, logits, 4, scratch));
    const float expected[] = {-1.05f, 1, 1 / 1.05f, 0.5f};
    assert_memory_equal(logits, expected, sizeof logits);
}

static void test_B055_penalty_only_in_the_window(void **state) {
    (void)state;
    const int32_t history[] = {0, 1, 2, 3, 2};
    const float once = 1 / 1.05f;
    const struct {
        int window;
        float expected[5];
    } rows[] = {{1, {1, 1, once, 1, 1}},
                {2, {1, 1, once, once, 1}},
                {3, {1, 1, once, once, 1}},
                {4, {1, once, once, once, 1}},
                {5, {once, once, once, once, 1}},
                {100, {once, once, once, once, 1}},
                {0, {once, once, once, once, 1}}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        float logits[] = {1, 1, 1, 1, 1};
        kz__sample_rules rules = make_rules(1, 0, 1);
        rules.settings.repetition_penalty = 1.05;
        rules.settings.repetition_window = rows[i].window;
        rules.history = history;
        rules.history_count = 5;
        assert_true(kz__sample_process(&rules, logits, 5, scratch));
        assert_memory_equal(logits, rows[i].expected, sizeof logits);
    }
}

static void test_history_outside_of_the_row(void **state) {
    (void)state;
    const int32_t history[] = {-1, 3, INT32_MIN, INT32_MAX, 1};
    float logits[] = {1, 1, 1};
    kz__sample_rules rules = make_rules(1, 0, 1);
    rules.settings.repetition_penalty = 2;
    rules.history = history;
    rules.history_count = 5;
    assert_true(kz__sample_process(&rules, logits, 3, scratch));
    const float expected[] = {1, 0.5f, 1};
    assert_memory_equal(logits, expected, sizeof logits);
}

static void test_greedy(void **state) {
    (void)state;
    const kz__draw_key key = {.seed = 5};
    kz__sample_rules rules = make_rules(0, 1, 0.1);
    float logits[] = {1, 7, 7, 9, -3};
    rules.forbid = 3;
    assert_int_equal(kz__sample(&rules, &key, logits, 5, scratch), 1);
    assert_left("11101", logits); /* the filters of sampling stay out of it */
    float lowest[] = {-INFINITY, -3, -2, -2};
    assert_int_equal(kz__sample(&rules, &key, lowest, 4, scratch), 2);
}

static void test_bad_rows_are_refused(void **state) {
    (void)state;
    const kz__draw_key key = {.seed = 5};
    const float bad[] = {NAN, -NAN, INFINITY};
    for (size_t temperature = 0; temperature < 2; temperature++) {
        for (size_t place = 0; place < 5; place++) {
            for (size_t i = 0; i < 3; i++) {
                float logits[] = {1, 2, 3, 4, 5};
                logits[place] = bad[i];
                kz__sample_rules rules = make_rules((double)temperature, 2, 0.9);
                rules.forbid = 1;
                assert_int_equal(kz__sample(&rules, &key, logits, 5, scratch), -1);
            }
        }
        float none[] = {-INFINITY, -INFINITY, -INFINITY};
        kz__sample_rules rules = make_rules((double)temperature, 2, 0.9);
        assert_int_equal(kz__sample(&rules, &key, none, 3, scratch), -1);
        float some[] = {-INFINITY, -1e30f, -INFINITY};
        assert_int_equal(kz__sample(&rules, &key, some, 3, scratch), 1);
        rules.suppress_to = 3;
        float all[] = {1, 2, 3};
        assert_int_equal(kz__sample(&rules, &key, all, 3, scratch), -1);
        assert_int_equal(kz__sample(&rules, &key, all, 0, scratch), -1);
    }
    float overflow[] = {1e30f, 1};
    kz__sample_rules rules = make_rules(1e-20, 0, 1);
    assert_int_equal(kz__sample(&rules, &key, overflow, 2, scratch), -1);
}

/* ---- the draw ------------------------------------------------------------------------------- */

/* The definition, spelled out with the C library's logarithm and without any shortcut. */
static int32_t draw_by_definition(const kz__draw_key *key, const float *logits, size_t count) {
    int32_t best = -1;
    double top = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t counter[4] = {(uint32_t)i, key->codebook, key->frame, key->piece};
        const uint32_t words[2] = {(uint32_t)(key->seed & 0xffffffffu),
                                   (uint32_t)(key->seed >> 32)};
        uint32_t out[4];
        kz__philox(counter, words, out);
        double u = ((double)(out[0] >> 9) + 0.5) / 8388608.0;
        double score = logits[i] - log(-log(u));
        if (best < 0 || score > top) {
            best = (int32_t)i;
            top = score;
        }
    }
    return best;
}

static void test_draw_follows_its_definition(void **state) {
    (void)state;
    float logits[300];
    for (uint32_t n = 0; n < 3000; n++) {
        double spread = (double)(n % 7) * 2 + 0.1;
        for (uint32_t i = 0; i < 300; i++) {
            logits[i] = (float)(spread * (mix(i + 1000 * n) / 4294967296.0 - 0.5));
        }
        const kz__draw_key key = {
            .seed = n * UINT64_C(0x123456789abcdef),
            .frame = n,
            .codebook = n % 16,
            .piece = n / 9};
        assert_int_equal(kz__sample_draw(&key, logits, 300), draw_by_definition(&key, logits, 300));
    }
}

/* Where the noise is equal too, the lower id wins: with one id the draw is that id. */
static void test_draw_of_one(void **state) {
    (void)state;
    float logits[] = {-INFINITY, -1e38f, -INFINITY};
    for (uint32_t n = 0; n < 100; n++) {
        const kz__draw_key key = {.seed = n, .frame = n};
        assert_int_equal(kz__sample_draw(&key, logits, 3), 1);
    }
}

typedef struct fit_case {
    const char *name;
    kz__sample_rules rules;
    const float *row;
    size_t count;
    size_t draws;
    int along; /* what differs between draws: 0 frame, 1 codebook, 2 piece, 3 seed, 4 high seed */
} fit_case;

/* What the rules say in doubles, straight from the specification; clear of ties. */
static void exact_probabilities(const fit_case *item, double *p) {
    const kz__sample_rules *rules = &item->rules;
    const kz_sampling *settings = &rules->settings;
    double scaled[MOST_IDS];
    size_t count = item->count;
    for (size_t i = 0; i < count; i++) {
        double value = item->row[i];
        bool seen = false;
        for (size_t n = 0; n < rules->history_count; n++) {
            seen = seen || rules->history[n] == (int32_t)i;
        }
        if (seen) {
            value *= value < 0 ? settings->repetition_penalty : 1 / settings->repetition_penalty;
        }
        bool gone = (int32_t)i == rules->forbid ||
                    (i >= rules->suppress_from && i < rules->suppress_to &&
                     (int32_t)i != rules->keep);
        scaled[i] = gone ? -HUGE_VAL : value / settings->temperature;
    }
    /* top-k keeps an id when fewer than k are larger, top-p when the mass above it is < top_p */
    double mass = 0;
    for (size_t i = 0; i < count; i++) {
        size_t larger = 0;
        for (size_t j = 0; j < count; j++) {
            larger += scaled[j] > scaled[i];
        }
        p[i] = settings->top_k > 0 && larger >= (size_t)settings->top_k ? 0 : exp(scaled[i]);
        mass += p[i];
    }
    double kept = 0;
    double above[MOST_IDS];
    for (size_t i = 0; i < count; i++) {
        above[i] = 0;
        for (size_t j = 0; j < count; j++) {
            above[i] += scaled[j] > scaled[i] ? p[j] / mass : 0;
        }
    }
    for (size_t i = 0; i < count; i++) {
        p[i] = settings->top_p < 1 && above[i] >= settings->top_p ? 0 : p[i];
        kept += p[i];
    }
    for (size_t i = 0; i < count; i++) {
        p[i] /= kept;
    }
}

static void check_fit(const fit_case *item) {
    static float logits[MOST_IDS];
    static double p[MOST_IDS];
    static size_t seen[MOST_IDS];
    memset(seen, 0, sizeof seen);
    exact_probabilities(item, p);
    /* the processors give the same row each time, so one pass serves all draws of a case */
    memcpy(logits, item->row, item->count * sizeof *logits);
    assert_true(kz__sample_process(&item->rules, logits, item->count, scratch));
    for (uint32_t n = 0; n < item->draws; n++) {
        kz__draw_key key = {.seed = 11, .frame = 5, .codebook = 2, .piece = 1};
        switch (item->along) {
        case 0: key.frame = n; break;
        case 1: key.codebook = n; break;
        case 2: key.piece = n; break;
        case 3: key.seed = n; break;
        default: key.seed = (uint64_t)n << 32; break;
        }
        int32_t id = kz__sample_draw(&key, logits, item->count);
        assert_in_range(id, 0, item->count - 1);
        seen[id]++;
    }
    double misfit = kzt_misfit(seen, p, item->count, item->draws);
    print_message("%-28s %7zu draws, misfit %.3f\n", item->name, item->draws, misfit);
    assert_true(misfit < 1);
}

static void test_distribution(void **state) {
    (void)state;
    static float row[24];
    static float long_row[2048];
    static const int32_t history[] = {0, 3, 3, 9, 17, 20};
    for (uint32_t i = 0; i < 24; i++) {
        row[i] = (float)(mix(i + 99) / 4294967296.0 * 6 - 3);
    }
    for (uint32_t i = 0; i < 2048; i++) {
        long_row[i] = (float)(mix(i + 5000) / 4294967296.0 * 20 - 10);
    }
    fit_case items[] = {
        {"plain, frames", make_rules(1, 0, 1), row, 24, 150000, 0},
        {"plain, codebooks", make_rules(1, 0, 1), row, 24, 60000, 1},
        {"plain, pieces", make_rules(1, 0, 1), row, 24, 60000, 2},
        {"plain, seeds", make_rules(1, 0, 1), row, 24, 60000, 3},
        {"plain, high seeds", make_rules(1, 0, 1), row, 24, 60000, 4},
        {"temperature 0.9, top-k 5", make_rules(0.9, 5, 1), row, 24, 200000, 0},
        {"temperature 1.6, top-p 0.8", make_rules(1.6, 0, 0.8), row, 24, 100000, 0},
        {"penalty 1.3, top-k 9", make_rules(0.9, 9, 1), row, 24, 150000, 0},
        {"all of them", make_rules(1.2, 10, 0.9), row, 24, 100000, 0},
        {"2048 ids, top-k 50", make_rules(0.9, 50, 1), long_row, 2048, 60000, 0},
    };
    size_t total = 0;
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) {
        if (i == 7 || i == 8) {
            items[i].rules.settings.repetition_penalty = 1.3;
            items[i].rules.history = history;
            items[i].rules.history_count = 6;
        }
        if (i == 8) {
            items[i].rules.suppress_from = 18;
            items[i].rules.suppress_to = 24;
            items[i].rules.keep = 21;
            items[i].rules.forbid = 2;
        }
        check_fit(&items[i]);
        total += items[i].draws;
    }
    assert_true(total >= 1000000);
}

/* The chi-square of the suite must be able to fail. */
static void test_misfit_notices(void **state) {
    (void)state;
    const double p[] = {0.5, 0.3, 0.2, 0};
    const size_t right[] = {50100, 29950, 19950, 0};
    const size_t wrong[] = {51000, 29300, 19700, 0};
    const size_t impossible[] = {50100, 29950, 19949, 1};
    assert_true(kzt_misfit(right, p, 4, 100000) < 1);
    assert_true(kzt_misfit(wrong, p, 4, 100000) > 1);
    assert_true(kzt_misfit(impossible, p, 4, 100000) > 1);
}

/* Neighbours in frame, codebook and seed draw independently: pairs fit the product. */
static void test_neighbours_are_independent(void **state) {
    (void)state;
    const double p[] = {0.4, 0.3, 0.2, 0.1};
    double product[16];
    float logits[4];
    logits_of(p, logits, 4);
    for (size_t i = 0; i < 16; i++) {
        product[i] = p[i / 4] * p[i % 4];
    }
    for (size_t along = 0; along < 3; along++) {
        size_t seen[16] = {0};
        for (uint32_t n = 0; n < 40000; n++) {
            kz__draw_key one = {.seed = 77, .frame = n, .codebook = 3};
            kz__draw_key other = one;
            other.frame += along == 0;
            other.codebook += along == 1;
            other.seed += along == 2;
            int32_t a = kz__sample_draw(&one, logits, 4);
            int32_t b = kz__sample_draw(&other, logits, 4);
            seen[4 * a + b]++;
        }
        assert_true(kzt_misfit(seen, product, 16, 40000) < 1);
    }
}

/* ---- seeds ---------------------------------------------------------------------------------- */

static void speak(uint64_t seed, int32_t *codes, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        float logits[64] = {0};
        const kz__draw_key key = {.seed = seed, .frame = (uint32_t)i};
        codes[i] = kz__sample_draw(&key, logits, 64);
    }
}

static void test_B062_every_bit_of_the_seed_counts(void **state) {
    (void)state;
    int32_t base[40];
    speak(0, base, 0, 40);
    for (int bit = 0; bit < 64; bit++) {
        int32_t other[40];
        speak(UINT64_C(1) << bit, other, 0, 40);
        assert_memory_not_equal(base, other, sizeof base);
    }
}

static void test_B066_other_draws_do_not_matter(void **state) {
    (void)state;
    int32_t alone[40];
    int32_t mixed[40];
    int32_t neighbour[40];
    speak(1234, alone, 0, 40);
    for (size_t i = 40; i-- > 0;) { /* from the end, with another request in between */
        speak(99 + i, neighbour, 0, i);
        speak(1234, mixed, i, i + 1);
    }
    assert_memory_equal(alone, mixed, sizeof alone);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_the_official_processors),
        cmocka_unit_test(test_B070_penalty_by_sign),
        cmocka_unit_test(test_B070_end_code_only_by_the_rules),
        cmocka_unit_test(test_B071_temperature_before_top_p),
        cmocka_unit_test(test_B071_top_k_before_top_p),
        cmocka_unit_test(test_B071_penalty_before_top_k),
        cmocka_unit_test(test_B072_penalty_exactly_once),
        cmocka_unit_test(test_B055_penalty_only_in_the_window),
        cmocka_unit_test(test_history_outside_of_the_row),
        cmocka_unit_test(test_greedy),
        cmocka_unit_test(test_bad_rows_are_refused),
        cmocka_unit_test(test_draw_follows_its_definition),
        cmocka_unit_test(test_draw_of_one),
        cmocka_unit_test(test_distribution),
        cmocka_unit_test(test_misfit_notices),
        cmocka_unit_test(test_neighbours_are_independent),
        cmocka_unit_test(test_B062_every_bit_of_the_seed_counts),
        cmocka_unit_test(test_B066_other_draws_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
