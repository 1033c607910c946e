/* Prompt rows that a model remembers from earlier utterances are not run again, whichever session,
 * batch slot or thread asks, and nothing that is heard changes by it. */
#include "engine/prefix.h"
#include "harness/counting_alloc.h"
#include "harness/talk.h"
#include "harness/tests.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One utterance, and how many rows may be kept: at least, at most. */
typedef struct turn {
    const char *text, *instruct;
    int voice;  /* index of the model's speakers */
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

/* The same request with all rows run, in a session of its own. */
static kzt_run run_fresh(const kz_model *model, const kz_request *request) {
    kz_session *fresh = kzt_session(model, 1);
    kz_request all = *request;
    all.flags |= KZ_ALL_ROWS;
    kzt_run run = kzt_run_all(fresh, &all);
    assert_int_equal(run.status, KZ_DONE);
    assert_int_equal(run.result.prompt_rows_kept, 0);
    kz_session_free(fresh);
    return run;
}

static void same_as_fresh(kz_session *session, const kz_request *request, size_t least,
                          size_t most) {
    kzt_run got = kzt_run_all(session, request);
    kzt_run want = run_fresh(session->model, request);
    printf("%zu of %zu rows kept\n", got.result.prompt_rows_kept, got.result.prompt_rows);
    assert_int_equal(got.status, KZ_DONE);
    assert_in_range(got.result.prompt_rows_kept, least, most);
    kzt_same(&want, &got);
    kzt_run_free(&got);
    kzt_run_free(&want);
}

static size_t vector_width(const kz_model *model) {
    kz_model_info info = {.size = sizeof info};
    assert_int_equal(kz_model_get_info(model, &info), KZ_OK);
    return (size_t)info.speaker_vector_length;
}

/* Turns in one session or, `apart`, in a session each; refused and cancelled starts between them
 * spoil nothing. */
static void run_turns(const char *checkpoint, const turn *turns, size_t count, bool apart) {
    kz_model *model = kzt_open(checkpoint, NULL);
    kz_session *session = kzt_session(model, 2);
    size_t width = vector_width(model);
    float *vector = calloc(width + 1, sizeof *vector);
    assert_non_null(vector);
    for (size_t i = 0; i < count; i++) {
        kz_request request;
        fill(&request, model, &turns[i], vector, width);
        same_as_fresh(session, &request, turns[i].least, turns[i].most);
        request.max_frames = 1;
        assert_int_equal(kz_session_start(session, &request), KZ_ERR_USAGE);
        if (i % 2) {
            request.max_frames = KZ_DEFAULT;
            assert_int_equal(kz_session_start(session, &request), KZ_OK);
            kz_session_cancel(session);
            assert_int_equal(kzt_drain(session, NULL, NULL), KZ_ERR_CANCELLED);
        }
        if (!apart) continue;
        kz_session_free(session);
        session = kzt_session(model, 1 + (int)i % 3);
    }
    free(vector);
    kz_session_free(session);
    kz_model_free(model);
}

static void test_speakers(void **state) {
    const turn turns[] = {{"Good morning.", NULL, 0, 0, 0, 0},
                          {"Good evening, all.", NULL, 0, 0, 8, 8},
                          {"Good evening, all.", NULL, 1, 0, 6, 6},
                          {"x", NULL, 1, 0, 8, 8},
                          {"Good morning.", NULL, 0, 0, 8, 8}};
    (void)state;
    for (int apart = 0; apart < 2; apart++) {
        run_turns("custom-eq", turns, 5, apart);
        run_turns("custom-mtp", turns, 5, apart);
    }
}

static void test_instructions(void **state) {
    const turn turns[] = {{"Good morning.", "Speak slowly.", 0, 0, 0, 0},
                          {"Good evening.", "Speak slowly.", 0, 0, 14, 60},
                          {"Good evening.", "Speak fast.", 0, 0, 1, 12},
                          {"Good evening.", NULL, 0, 0, 0, 2}};
    (void)state;
    run_turns("design-mtp", turns, 4, false);
    run_turns("design-mtp", turns, 4, true);
}

/* The vector stands under the same number whatever it holds: what it holds counts. */
static void test_vectors(void **state) {
    const turn turns[] = {{"Good morning.", NULL, 0, 0, 0, 0},
                          {"Good morning.", NULL, 0, 0.5f, 6, 6},
                          {"Good evening.", NULL, 0, 0, 8, 8},
                          {"Good evening.", NULL, 0, 0.5f, 8, 8}};
    (void)state;
    run_turns("base-eq", turns, 4, false);
    run_turns("base-eq", turns, 4, true);
}

/* Role, tags, speaker and bos, and the transcript: rows behind them depend on what is said. */
static size_t shared_rows(const kz_model *model, const kz_request *r) {
    size_t ids = 0;
    size_t header = r->language && strcmp(r->language, "auto") != 0 ? 9 : 8;
    assert_int_equal(kz_tokenize(model, r->reference_text, strlen(r->reference_text), 0, NULL, 0,
                                 &ids, NULL, 0), KZ_OK);
    return header + (ids < r->reference_frames + 1 ? ids : r->reference_frames + 1);
}

/* In-context cloning: the transcript's rows, and reference frames beside them, count by content. */
static void clone(const char *name, unsigned flags) {
    kzt_golden g;
    kzt_golden_load(name, &g);
    kz_model *model = kzt_open(g.checkpoint, NULL);
    kz_session *session = kzt_session(model, 2);
    kz_request request = g.request;
    request.flags = flags;
    request.max_frames = KZ_DEFAULT;
    request.exact_frames = 4;
    size_t cells = request.reference_frames * 16;
    int32_t *codes = calloc(cells, sizeof *codes);
    assert_non_null(codes);
    memcpy(codes, request.reference_codes, cells * sizeof *codes);
    request.reference_codes = codes;
    same_as_fresh(session, &request, 0, 0);
    request.text = "Something else.";
    request.text_length = strlen(request.text);
    size_t all = shared_rows(model, &request);
    same_as_fresh(session, &request, all, all);
    codes[16] ^= 1; /* another second frame */
    same_as_fresh(session, &request, flags & KZ_LIVE_TEXT ? 10 : all,
                  flags & KZ_LIVE_TEXT ? all - 1 : all);
    same_as_fresh(session, &request, all, all);
    request.reference_text = "Not what was said there.";
    same_as_fresh(session, &request, 8, all - 1);
    free(codes);
    kz_session_free(session);
    kz_model_free(model);
    kzt_golden_free(&g);
}

static void test_references(void **state) {
    (void)state;
    clone("base-eq-icl", KZ_LIVE_TEXT);
    clone("base-eq-icl-whole", KZ_WHOLE_TEXT);
    clone("base-mtp-icl", KZ_LIVE_TEXT);
}

/* A prompt that was not run to its end leaves nothing. */
static void test_cancelled_first(void **state) {
    (void)state;
    kz_model *model = kzt_open("custom-eq", NULL);
    kz_session *session = kzt_session(model, 1);
    char text[2000] = "";
    for (int i = 0; i < 90; i++) strcat(text, "and so on ");
    kz_request request = kzt_request(text);
    request.flags = KZ_WHOLE_TEXT;
    request.exact_frames = 2;
    float sample = 0;
    size_t got = 0;
    assert_int_equal(kz_session_start(session, &request), KZ_OK);
    assert_int_equal(kz_session_read(session, &sample, 1, &got, 0), KZ_TIMEOUT);
    kz_session_cancel(session);
    assert_int_equal(kz_session_read(session, &sample, 1, &got, 0), KZ_ERR_CANCELLED);
    assert_int_equal(kz__keep_bytes(model->keep), 0);
    same_as_fresh(session, &request, 0, 0);
    same_as_fresh(session, &request, 8, 8);
    kz_session_free(session);
    kz_model_free(model);
}

/* Whoever sees every stage gets every row. */
static void count_rows(void *user, const char *name, long frame, const float *data,
                       const size_t *shape, int rank) {
    size_t *rows = user;
    (void)frame;
    (void)data;
    (void)shape;
    (void)rank;
    *rows += strcmp(name, "prompt") == 0;
}

static void test_taps_see_all_rows(void **state) {
    (void)state;
    kz_model *model = kzt_open("custom-eq", NULL);
    kz_session *session = kzt_session(model, 1);
    kz_request request = kzt_request("All of it.");
    request.exact_frames = 1;
    for (int i = 0; i < 2; i++) {
        size_t rows = 0;
        kz_session_set_tap(session, count_rows, &rows);
        kzt_run run = kzt_run_all(session, &request);
        assert_int_equal(rows, run.result.prompt_rows);
        kzt_run_free(&run);
    }
    kz_session_set_tap(session, NULL, NULL);
    kz_session_free(session);
    kz_model_free(model);
}

/* ---- batches and threads ------------------------------------------------------------------- */

static void test_slots_share(void **state) {
    (void)state;
    kz_model *model = kzt_open("custom-mtp", NULL);
    kz_batch_options how;
    kz_session_options member;
    kz_batch *batch = NULL;
    kz_session *sessions[5];
    kz_batch_options_init(&how);
    kz_session_options_init(&member);
    how.threads = 2;
    assert_int_equal(kz_batch_create(model, &how, &batch, NULL, 0), KZ_OK);
    member.batch = batch;
    for (int round = 0; round < 3; round++) {
        kz_request requests[5];
        for (size_t i = 0; i < 5; i++) {
            turn t = {i % 2 ? "One of them." : "Another one, longer.", NULL, (int)i % 2, 0, 0, 0};
            fill(&requests[i], model, &t, NULL, 0);
            requests[i].exact_frames = 2 + (int)i;
            if (round == 0) {
                assert_int_equal(kz_session_create(model, &member, &sessions[i], NULL, 0), KZ_OK);
            }
            assert_int_equal(kz_session_start(sessions[i], &requests[i]), KZ_OK);
        }
        size_t advanced = 0;
        while (kz_batch_step(batch, &advanced) == KZ_OK) {
        }
        for (size_t i = 0; i < 5; i++) {
            kzt_run got = kzt_run_rest(sessions[i]);
            kzt_run want = run_fresh(model, &requests[i]);
            assert_int_equal(got.result.prompt_rows_kept, round ? 8 : 0);
            kzt_same(&want, &got);
            kzt_run_free(&got);
            kzt_run_free(&want);
        }
    }
    for (size_t i = 0; i < 5; i++) kz_session_free(sessions[i]);
    kz_batch_free(batch);
    kz_model_free(model);
}

typedef struct racer {
    pthread_t thread;
    const kz_model *model;
    kz_request request;
    const kzt_run *want;
} racer;

static void *race(void *arg) {
    racer *r = arg;
    kz_session *session = kzt_session(r->model, 1);
    for (int i = 0; i < 6; i++) {
        kzt_run run = kzt_run_all(session, &r->request);
        kzt_same(r->want, &run);
        kzt_run_free(&run);
    }
    kz_session_free(session);
    return NULL;
}

static void test_threads_race(void **state) {
    (void)state;
    kz_model *model = kzt_open("design-mtp", NULL);
    racer racers[4];
    kzt_run want[2];
    for (int i = 0; i < 2; i++) {
        turn t = {"At the same time.", i ? "Softly." : "Loudly, please.", 0, 0, 0, 0};
        fill(&racers[i].request, model, &t, NULL, 0);
        racers[i].request.exact_frames = 2;
        want[i] = run_fresh(model, &racers[i].request);
    }
    for (int i = 0; i < 4; i++) {
        racers[i].model = model;
        racers[i].request = racers[i % 2].request;
        racers[i].want = &want[i % 2];
        assert_int_equal(pthread_create(&racers[i].thread, NULL, race, &racers[i]), 0);
    }
    for (int i = 0; i < 4; i++) pthread_join(racers[i].thread, NULL);
    kzt_run_free(&want[0]);
    kzt_run_free(&want[1]);
    kz_model_free(model);
}

/* ---- bounds -------------------------------------------------------------------------------- */

enum { LAYERS = 2, HEADS = 2, DIM = 8, WIDE = 2 * DIM * LAYERS * HEADS * 4 };

/* Rows number i, told apart by their first id; a cache that holds values which say whose they
 * are. */
static kz__prefix_rows make_rows(kz_prompt_row *list, size_t count, int32_t i) {
    kz__prefix_rows rows = {.rows = list, .count = count};
    for (size_t r = 0; r < count; r++) list[r] = (kz_prompt_row){i, (int32_t)r + 5, "tag"};
    return rows;
}

static void write_cache(kz__kvcache *cache, size_t count, int32_t i) {
    float key[DIM], value[DIM];
    kz__kvcache_reset(cache);
    assert_int_equal(kz__kvcache_reserve(cache, count, NULL), KZ_OK);
    for (size_t at = 0; at < count * LAYERS * HEADS; at++) {
        size_t r = at / LAYERS / HEADS;
        for (size_t d = 0; d < DIM; d++) {
            key[d] = (float)(i * 1000 + (int)(at * DIM + d));
            value[d] = -key[d];
        }
        kz__kvcache_store(cache, at % LAYERS, at / LAYERS % HEADS, r, key, value);
    }
    cache->length = count;
}

static void check_cache(const kz__kvcache *cache, size_t count, int32_t i) {
    float key[DIM], value[DIM];
    for (size_t at = 0; at < count * LAYERS * HEADS; at++) {
        kz__kvcache_load(cache, at % LAYERS, at / LAYERS % HEADS, at / LAYERS / HEADS, key, value);
        for (size_t d = 0; d < DIM; d++) {
            assert_true(key[d] == (float)(i * 1000 + (int)(at * DIM + d)));
            assert_true(value[d] == -key[d]);
        }
    }
}

typedef struct stage {
    kz__mem mem;
    kz__keep *store;
    kz__kvcache cache;
    kz_prompt_row list[40];
} stage;

static void open_stage(stage *s, size_t entries, size_t bytes) {
    kz__mem_init(&s->mem, NULL, NULL);
    assert_int_equal(kz__keep_open(&s->mem, entries, bytes, &s->store, NULL), KZ_OK);
    assert_int_equal(kz__kvcache_init(&s->cache, &s->mem, LAYERS, HEADS, DIM, 0, 64, 0, 32, NULL),
                     KZ_OK);
}

static void close_stage(stage *s) {
    kz__kvcache_clear(&s->cache);
    kz__keep_close(s->store);
    assert_int_equal(atomic_load(&s->mem.current), 0);
}

static void keep(stage *s, size_t count, int32_t i) {
    kz__prefix_rows rows = make_rows(s->list, count, i);
    write_cache(&s->cache, count, i);
    kz__prefix_keep(s->store, &rows, &s->cache);
}

static void expect(stage *s, size_t count, int32_t i, size_t found) {
    kz__prefix_rows rows = make_rows(s->list, count, i);
    write_cache(&s->cache, 20, 77);
    size_t got = kz__prefix_fetch(s->store, &rows, &s->cache);
    assert_int_equal(got, found);
    assert_int_equal(s->cache.length, found);
    check_cache(&s->cache, found, i);
}

static void test_the_oldest_leaves(void **state) {
    stage s;
    (void)state;
    open_stage(&s, 3, 1 << 20);
    for (int32_t i = 0; i < 3; i++) keep(&s, 20, i);
    expect(&s, 20, 0, 20); /* used again: 1 is the oldest now */
    keep(&s, 36, 3);
    expect(&s, 20, 1, 0);
    expect(&s, 40, 0, 20);
    expect(&s, 7, 3, 7); /* a part of what is there */
    expect(&s, 36, 3, 36);
    size_t bytes = kz__keep_bytes(s.store);
    keep(&s, 20, 2); /* known */
    keep(&s, 7, 3);
    assert_int_equal(kz__keep_bytes(s.store), bytes);
    close_stage(&s);
}

static void test_bytes_are_bounded(void **state) {
    stage s;
    (void)state;
    open_stage(&s, 16, 50 * WIDE);
    for (int32_t i = 0; i < 9; i++) {
        keep(&s, 20, i);
        assert_true(kz__keep_bytes(s.store) <= 50 * WIDE);
        if (i >= 1) expect(&s, 20, i - 1, 20);
        if (i >= 2) expect(&s, 20, i - 2, 0);
        expect(&s, 20, i, 20);
    }
    close_stage(&s);
    open_stage(&s, 16, WIDE);
    keep(&s, 20, 1); /* not a single one fits */
    assert_int_equal(kz__keep_bytes(s.store), 0);
    expect(&s, 20, 1, 0);
    close_stage(&s);
}

/* Of rows that are more than one entry may have, the first are remembered, once. */
static void test_the_first_of_many(void **state) {
    stage s;
    (void)state;
    open_stage(&s, 16, 20 * WIDE);
    for (int i = 0; i < 2; i++) {
        keep(&s, 36, 1);
        size_t bytes = kz__keep_bytes(s.store);
        assert_in_range(bytes, 7 * WIDE, 10 * WIDE);
        expect(&s, 36, 1, bytes / (WIDE + sizeof(kz_prompt_row)));
        expect(&s, 4, 1, 4);
    }
    keep(&s, 36, 2); /* half of the store is left for others */
    expect(&s, 4, 1, 4);
    expect(&s, 4, 2, 4);
    close_stage(&s);
}

/* A voice more than there are entries: the bound holds, and samples do not change. */
static void test_more_voices_than_entries(void **state) {
    (void)state;
    kz_model *model = kzt_open("base-eq", NULL);
    kz_session *session = kzt_session(model, 1);
    size_t width = vector_width(model);
    float *vector = calloc(width, sizeof *vector);
    assert_non_null(vector);
    for (int i = 0; i < KZ__KEEP_ENTRIES + 4; i++) {
        kz_request request;
        turn t = {"In turn.", NULL, 0, (float)(i % (KZ__KEEP_ENTRIES + 1)), 0, 0};
        fill(&request, model, &t, vector, width);
        request.exact_frames = 1;
        same_as_fresh(session, &request, i ? 6 : 0, i ? 6 : 0);
    }
    free(vector);
    kz_session_free(session);
    kz_model_free(model);
}

/* Without memory for an entry the next utterance runs its rows, and that is all. */
static void test_no_memory_for_an_entry(void **state) {
    (void)state;
    kzt_counter counter = {0};
    kz_allocator allocator = kzt_counting_allocator(&counter);
    kz_model_options options;
    kz_model_options_init(&options);
    options.allocator = &allocator;
    kz_model *model = kzt_open("custom-eq", &options);
    kz_session *session = kzt_session(model, 1);
    kz_request request = kzt_request("There is no room for it.");
    request.exact_frames = 3;
    kzt_run want = run_fresh(model, &request);
    request.flags = KZ_ALL_ROWS; /* pages for the next one */
    kzt_run run = kzt_run_all(session, &request);
    kzt_run_free(&run);
    request.flags = 0;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(kz_session_start(session, &request), KZ_OK);
        counter.fail_from = 1;
        run = kzt_run_rest(session);
        counter.fail_from = 0;
        assert_int_equal(run.status, KZ_DONE);
        assert_int_equal(run.result.prompt_rows_kept, 0);
        kzt_same(&want, &run);
        kzt_run_free(&run);
    }
    assert_int_equal(kz__keep_bytes(model->keep), 0);
    kzt_run_free(&want);
    kz_session_free(session);
    kz_model_free(model);
    assert_int_equal(counter.blocks, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_speakers),
        cmocka_unit_test(test_instructions),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_references),
        cmocka_unit_test(test_cancelled_first),
        cmocka_unit_test(test_taps_see_all_rows),
        cmocka_unit_test(test_slots_share),
        cmocka_unit_test(test_threads_race),
        cmocka_unit_test(test_the_oldest_leaves),
        cmocka_unit_test(test_bytes_are_bounded),
        cmocka_unit_test(test_the_first_of_many),
        cmocka_unit_test(test_more_voices_than_entries),
        cmocka_unit_test(test_no_memory_for_an_entry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
