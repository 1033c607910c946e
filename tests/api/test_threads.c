/* Many threads: the pool, sessions side by side, cancels from elsewhere. Run it under the thread
 * sanitizer. */
#include "base/pool.h"
#include "harness/encoder.h"
#include "harness/talk.h"
#include "harness/tests.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void pause_ms(long ms) {
    struct timespec pause = {0, ms * 1000000};
    nanosleep(&pause, NULL);
}

/* ---- pool ---------------------------------------------------------------------------------- */

typedef struct tally {
    unsigned *items; /* times that each was done; no two threads have one in common */
    atomic_int wrong;
    int threads;
} tally;

static void count_items(void *arg, size_t begin, size_t end, int thread) {
    tally *t = arg;
    if (thread < 0 || thread >= t->threads || begin >= end) atomic_fetch_add(&t->wrong, 1);
    for (size_t i = begin; i < end; i++) t->items[i]++;
}

static void stress(int threads, int rounds, kz_placement placement) {
    kz__mem mem;
    kz__pool *pool = NULL;
    kz__mem_init(&mem, NULL, NULL);
    assert_int_equal(kz__pool_create(&mem, threads, &pool, NULL), KZ_OK);
    assert_int_equal(kz__pool_threads(pool), threads);
    kz__pool_place(pool, placement);
    tally t = {.items = calloc(1000, sizeof(unsigned)), .threads = threads};
    assert_non_null(t.items);
    unsigned want[1000] = {0};
    for (int round = 0; round < rounds; round++) {
        size_t items = (size_t)(round * 7919) % 1000;
        size_t grain = (size_t)round % 17; /* 0 counts as 1 */
        kz__pool_for(pool, items, grain, count_items, &t);
        for (size_t i = 0; i < items; i++) want[i]++;
        if (round % 50 == 49) pause_ms(1); /* workers fall asleep */
    }
    assert_memory_equal(t.items, want, sizeof want);
    assert_int_equal(t.wrong, 0);
    kz__pool_destroy(pool);
    free(t.items);
    assert_int_equal(atomic_load(&mem.current), 0);
}

static void test_pool(void **state) {
    (void)state;
    for (int threads = 1; threads <= 9; threads += 2) stress(threads, 2000, KZ_PLACEMENT_FREE);
    for (int round = 0; round < 50; round++) {
        stress(4, round % 3, KZ_PLACEMENT_DEFAULT); /* made and gone at once */
    }
    kz__pool_destroy(NULL);
}

/* Which thread computed an item. */
static void sign_items(void *arg, size_t begin, size_t end, int thread) {
    int *items = arg;
    pause_ms(1); /* time for the others to come */
    for (size_t i = begin; i < end; i++) items[i] = thread + 1;
}

/* Every share as a whole and by its own thread, or by the caller where that one is late. */
static void test_strict_pool(void **state) {
    enum { ITEMS = 103, THREADS = 4 };
    kz__mem mem;
    kz__pool *pool = NULL;
    int own = 0;
    (void)state;
    for (int threads = 1; threads <= 5; threads += 2) stress(threads, 500, KZ_PLACEMENT_STRICT);
    kz__mem_init(&mem, NULL, NULL);
    assert_int_equal(kz__pool_create(&mem, THREADS, &pool, NULL), KZ_OK);
    kz__pool_place(pool, KZ_PLACEMENT_STRICT);
    for (int round = 0; round < 100; round++) {
        int items[ITEMS] = {0};
        kz__pool_for(pool, ITEMS, 1, sign_items, items);
        for (int t = 0; t < THREADS; t++) {
            int begin = ITEMS * t / THREADS;
            int end = ITEMS * (t + 1) / THREADS;
            assert_true(items[begin] == t + 1 || items[begin] == 1);
            own += t > 0 && items[begin] == t + 1;
            for (int i = begin; i < end; i++) assert_int_equal(items[i], items[begin]);
        }
    }
    assert_true(own > 0);
    kz__pool_destroy(pool);
}

static void *stress_main(void *arg) {
    (void)arg;
    stress(3, 500, KZ_PLACEMENT_FREE);
    stress(3, 500, KZ_PLACEMENT_STRICT);
    return NULL;
}

static void test_pools_side_by_side(void **state) {
    pthread_t threads[3];
    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, stress_main, NULL), 0);
    }
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
}

/* ---- sessions side by side ----------------------------------------------------------------- */

typedef struct job {
    const kz_model *model;
    kz_request request;
    int threads;
    long delay_ms;
    int seeds; /* > 0: so many runs, each with another seed; the last one is kept */
    kzt_run run;
} job;

static void *speak(void *arg) {
    job *j = arg;
    pause_ms(j->delay_ms);
    kz_session *s = kzt_session(j->model, j->threads);
    for (int i = 0; i < j->seeds; i++) {
        kz_request other = j->request;
        other.seed = (uint64_t)time(NULL) + (uint64_t)i;
        kzt_run run = kzt_run_all(s, &other);
        kzt_run_free(&run);
    }
    j->run = kzt_run_all(s, &j->request);
    kz_session_free(s);
    return NULL;
}

static const char *const texts[] = {"Alone or not, it is the same.", "A neighbour.",
                                    "Somebody else, who has a little more to say.", "Yes."};

static job make_job(const kz_model *model, int index, bool equal) {
    job j = {.model = model, .threads = 1 + index % 2, .delay_ms = 4 * index};
    j.request = kzt_request(texts[equal ? 0 : index % 4]);
    j.request.seed = equal ? 64 : (uint64_t)(64 + index);
    j.request.exact_frames = equal ? 20 : 14 + index;
    j.request.packet = 1 + index;
    return j;
}

static void side_by_side(const kz_model *model, int count, bool equal) {
    job jobs[8];
    pthread_t threads[8];
    kzt_run lone[8];
    for (int i = 0; i < count; i++) {
        jobs[i] = make_job(model, i, equal);
        speak(&jobs[i]);
        lone[i] = jobs[i].run;
    }
    for (int i = 0; i < count; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, speak, &jobs[i]), 0);
    }
    for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < count; i++) {
        assert_int_equal(jobs[i].run.status, KZ_DONE);
        kzt_same(&lone[i], &jobs[i].run);
        if (equal) kzt_same(&lone[0], &jobs[i].run);
    }
    for (int i = 0; i < count; i++) {
        kzt_run_free(&lone[i]);
        kzt_run_free(&jobs[i].run);
    }
}

static void test_B064_neighbours_change_nothing(void **state) {
    (void)state;
    kz_model *model = kzt_open("custom-eq", NULL);
    const int counts[] = {2, 4, 8};
    for (size_t i = 0; i < 3; i++) {
        side_by_side(model, counts[i], true);
        side_by_side(model, counts[i], false);
    }
    kz_model_free(model);
}

static void test_B066_seeded_beside_unseeded(void **state) {
    (void)state;
    kz_model *model = kzt_open("custom-eq", NULL);
    job seeded = make_job(model, 0, true);
    speak(&seeded);
    kzt_run lone = seeded.run;
    job other = make_job(model, 1, false);
    other.seeds = 4;
    other.delay_ms = 0;
    pthread_t threads[2];
    assert_int_equal(pthread_create(&threads[0], NULL, speak, &other), 0);
    assert_int_equal(pthread_create(&threads[1], NULL, speak, &seeded), 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    kzt_same(&lone, &seeded.run);
    kzt_run_free(&lone);
    kzt_run_free(&seeded.run);
    kzt_run_free(&other.run);
    kz_model_free(model);
}

/* ---- calls of any thread ------------------------------------------------------------------- */

typedef struct asking {
    const kz_model *model;
    atomic_bool stop;
    atomic_size_t rounds;
} asking;

static void *ask(void *arg) {
    asking *a = arg;
    while (!atomic_load(&a->stop)) {
        kz_model_info info = {.size = sizeof info};
        size_t count = 0, prompt = 0;
        int32_t ids[16];
        kz_request request = kzt_request("Asked meanwhile.");
        bool good = kz_model_get_info(a->model, &info) == KZ_OK;
        good = good && kz_tokenize(a->model, "Asked.", 6, 0, ids, 16, &count, NULL, 0) == KZ_OK;
        good = good && kz_prompt(a->model, &request, NULL, NULL, 0, &count, &prompt, NULL, 0) ==
                           KZ_OK;
        good = good && kz_model_speaker(a->model, 0, NULL);
        good = good && kz_token_text(a->model, ids[0], &count);
        if (!good) abort();
        atomic_fetch_add(&a->rounds, 1);
    }
    return NULL;
}

static void test_questions_while_it_speaks(void **state) {
    (void)state;
    kz_model *model = kzt_open("custom-eq", NULL);
    asking a = {.model = model};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, ask, &a), 0);
    job j = make_job(model, 1, true);
    speak(&j);
    while (atomic_load(&a.rounds) < 3) pause_ms(1);
    atomic_store(&a.stop, true);
    pthread_join(thread, NULL);
    assert_int_equal(j.run.status, KZ_DONE);
    kzt_run_free(&j.run);
    kz_model_free(model);
}

static void *cancel_often(void *arg) {
    for (int i = 0; i < 5; i++) {
        pause_ms(2);
        kz_session_cancel(arg);
    }
    return NULL;
}

static void test_cancel_from_another_thread(void **state) {
    (void)state;
    kz_model *model = kzt_open("custom-eq", NULL);
    kz_session *s = kzt_session(model, 3);
    for (int round = 0; round < 10; round++) {
        pthread_t thread;
        kz_request request = kzt_request("To be stopped from elsewhere.");
        request.exact_frames = 2000;
        assert_int_equal(kz_session_start(s, &request), KZ_OK);
        assert_int_equal(pthread_create(&thread, NULL, cancel_often, s), 0);
        kzt_run run = kzt_run_rest(s);
        assert_int_equal(run.status, KZ_ERR_CANCELLED);
        pthread_join(thread, NULL);
        kzt_run_free(&run);
        request.exact_frames = 3;
        run = kzt_run_all(s, &request);
        assert_int_equal(run.status, KZ_DONE);
        kzt_run_free(&run);
    }
    kz_session_free(s);
    kz_model_free(model);
}

/* ---- voices side by side ------------------------------------------------------------------- */

enum { CLIP = 2 * 24000 };

typedef struct cloner {
    const kz_model *model;
    const float *clip;
    const kz_voice *shared; /* spoken with by all */
    kz_voice *made;
    kzt_run run;
} cloner;

static void *clone(void *arg) {
    cloner *c = arg;
    kz_voice_options options;
    kz_voice_options_init(&options);
    options.transcript = "What two seconds can hold.";
    options.threads = 2;
    if (kz_voice_from_samples(c->model, c->clip, CLIP, 24000, &options, &c->made, NULL, 0)) {
        return NULL;
    }
    kz_session *s = kzt_session(c->model, 1);
    kz_request request = kzt_request("Words.");
    request.cloned = c->shared ? c->shared : c->made;
    request.exact_frames = 4;
    c->run = kzt_run_all(s, &request);
    kz_session_free(s);
    return NULL;
}

/* Making voices with one model, and speaking with one voice, from three threads at once. */
static void test_voices_side_by_side(void **state) {
    (void)state;
    kz_model *model = kzt_open("base-eq", NULL);
    float *clip = kzt_clip(CLIP, 2);
    cloner first = {.model = model, .clip = clip};
    cloner others[3];
    pthread_t threads[3];
    size_t length = 0, other = 0;
    clone(&first);
    assert_non_null(first.made);
    const void *bytes = kz_voice_bytes(first.made, &length);
    for (int i = 0; i < 3; i++) {
        others[i] = (cloner){.model = model, .clip = clip, .shared = first.made};
        assert_int_equal(pthread_create(&threads[i], NULL, clone, &others[i]), 0);
    }
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 3; i++) {
        assert_non_null(others[i].made);
        const void *made = kz_voice_bytes(others[i].made, &other);
        assert_int_equal(other, length);
        assert_memory_equal(made, bytes, length);
        kzt_same(&first.run, &others[i].run);
        kzt_run_free(&others[i].run);
        kz_voice_free(others[i].made);
    }
    kzt_run_free(&first.run);
    kz_voice_free(first.made);
    kz_model_free(model);
    free(clip);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pool), cmocka_unit_test(test_strict_pool),
        cmocka_unit_test(test_pools_side_by_side),
        cmocka_unit_test(test_B064_neighbours_change_nothing),
        cmocka_unit_test(test_B066_seeded_beside_unseeded),
        cmocka_unit_test(test_questions_while_it_speaks),
        cmocka_unit_test(test_cancel_from_another_thread),
        cmocka_unit_test(test_voices_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
