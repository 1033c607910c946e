/* The bound against scripts of known pace; the loop detector against loops of every length with
 * noise, made-up speech and the codes of a trained voice.
 */
#include "base/rng.h"
#include "engine/guard.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include <cmocka.h>

enum { CODES = 16, NO_LIMIT = 8191, SECONDS_10 = 125 };

/* ---- the bound ------------------------------------------------------------------------------ */

static void test_B034_short_texts_have_short_bounds(void **state) {
    (void)state;
    for (size_t tokens = 0; tokens <= 3; tokens++) {
        size_t bound = kz__guard_bound(tokens, NO_LIMIT);
        assert_in_range(bound, 60, SECONDS_10);
    }
    size_t before = 0;
    for (size_t tokens = 0; tokens < 1000; tokens++) {
        size_t bound = kz__guard_bound(tokens, NO_LIMIT);
        assert_true(bound >= before);
        before = bound;
    }
}

static void test_B034_floor_and_ceiling(void **state) {
    (void)state;
    assert_int_equal(kz__guard_bound(0, NO_LIMIT), kz__guard_bound(1, NO_LIMIT));
    assert_int_equal(kz__guard_bound(100000, NO_LIMIT), NO_LIMIT);
    assert_int_equal(kz__guard_bound(SIZE_MAX, NO_LIMIT), NO_LIMIT);
    assert_int_equal(kz__guard_bound(SIZE_MAX / 20, SIZE_MAX), SIZE_MAX);
    assert_int_equal(kz__guard_bound(1, 63), 63);
    assert_int_equal(kz__guard_bound(50, 63), 63);
    assert_int_equal(kz__guard_bound(0, 0), 0);
}

/* Three times slower than usual (5 frames a token at most), a second of silence at both ends. */
static void test_B043_slow_speech_finishes(void **state) {
    (void)state;
    for (size_t tokens = 1; tokens < 400; tokens++) {
        size_t frames = 13 + 3 * 5 * tokens + 13;
        assert_true(frames <= kz__guard_bound(tokens, NO_LIMIT));
    }
}

/* ---- loops ---------------------------------------------------------------------------------- */

static uint32_t draw(uint32_t run, uint32_t frame, uint32_t code, uint32_t use) {
    uint32_t words[4] = {frame, code, use, 0};
    const uint32_t key[2] = {run, 2024};
    kz__philox(words, key, words);
    return words[0];
}

static bool chance(double p, uint32_t run, uint32_t frame, uint32_t code, uint32_t use) {
    return kz__rng_unit(draw(run, frame, code, use)) < p;
}

/* Speech as far as equality goes: code 0 lasts for some frames, the finer codes rarely. */
static void speech_frame(uint32_t run, uint32_t frame, int32_t *codes) {
    for (uint32_t i = 0; i < CODES; i++) {
        double stay = i == 0 ? 0.5 : 0.3 / i;
        if (frame == 0 || !chance(stay, run, frame, i, 0)) {
            uint32_t alphabet = i < 2 ? 40 : 400;
            codes[i] = (int32_t)(draw(run, frame, i, 1) % alphabet);
        }
    }
}

/* Frames until the guard reports within a limit; 0 if it doesn't. Its cycle goes to *cycle. */
typedef void (*frame_fn)(void *user, uint32_t frame, int32_t *codes);

static size_t frames_until_loop(frame_fn make, void *user, size_t text_tokens, size_t limit,
                                size_t *cycle) {
    kz__guard guard;
    kz__guard_init(&guard, CODES, text_tokens);
    int32_t codes[CODES] = {0};
    for (uint32_t frame = 0; frame < limit; frame++) {
        make(user, frame, codes);
        *cycle = kz__guard_push(&guard, codes);
        if (*cycle > 0) {
            return frame + 1;
        }
    }
    return 0;
}

/* speech up to `start`, then a cycle of distinct frames, each code replaced at random */
typedef struct loop_script {
    uint32_t run;
    uint32_t start;
    uint32_t cycle;
    double noise_first, noise_rest;
} loop_script;

static void loop_frame(void *user, uint32_t frame, int32_t *codes) {
    const loop_script *script = user;
    if (frame < script->start) {
        speech_frame(script->run, frame, codes);
        return;
    }
    uint32_t place = (frame - script->start) % script->cycle;
    for (uint32_t i = 0; i < CODES; i++) {
        bool changed =
            chance(i == 0 ? script->noise_first : script->noise_rest, script->run, frame, i, 2);
        uint32_t source = changed ? frame + 100000 : place;
        codes[i] = (int32_t)(draw(script->run, source, i, 3) % 2048);
    }
}

static size_t usual_cover(size_t cycle) {
    return 4 * cycle > 75 ? 4 * cycle : 75;
}

static void test_B058_cycles_of_1_to_60(void **state) {
    (void)state;
    for (uint32_t cycle = 1; cycle <= 60; cycle++) {
        for (uint32_t start = 0; start <= 130; start += 65) {
            loop_script script = {.run = cycle, .start = start, .cycle = cycle};
            size_t found = 0;
            size_t frames = frames_until_loop(loop_frame, &script, 10, 2000, &found);
            assert_int_equal(found, cycle);
            assert_in_range(frames, start + usual_cover(cycle) - 2, start + usual_cover(cycle));
        }
    }
}

/* A change of a code spoils two comparisons, so 8 % of changes are 15 % of differences. */
static void test_B058_cycles_with_noise(void **state) {
    (void)state;
    for (uint32_t cycle = 1; cycle <= 60; cycle++) {
        const double noise[][2] = {{0.02, 0.02}, {0.08, 0.08}, {0.15, 0.15}, {0.5, 0.08}};
        for (size_t i = 0; i < sizeof noise / sizeof noise[0]; i++) {
            loop_script script = {.run = 1000 + cycle,
                                  .start = 50,
                                  .cycle = cycle,
                                  .noise_first = noise[i][0],
                                  .noise_rest = noise[i][1]};
            size_t found = 0;
            size_t frames = frames_until_loop(loop_frame, &script, 10, 2000, &found);
            assert_true(frames > 0);
            assert_int_equal(found % cycle, 0);
            assert_true(frames <= 50 + 2 * usual_cover(cycle) + 60);
        }
    }
}

/* The talker loops, the predictor draws something else each time. */
static void test_B033_only_code_0_repeats(void **state) {
    (void)state;
    const uint32_t cycles[] = {1, 2, 3, 5, 8, 13, 30, 60};
    for (size_t i = 0; i < sizeof cycles / sizeof cycles[0]; i++) {
        loop_script script = {.run = 31, .start = 40, .cycle = cycles[i], .noise_rest = 1};
        size_t found = 0;
        size_t frames = frames_until_loop(loop_frame, &script, 10, 2000, &found);
        assert_int_equal(found, cycles[i]);
        assert_in_range(frames, 41, 40 + usual_cover(cycles[i]));
        script.noise_first = 0.04;
        frames = frames_until_loop(loop_frame, &script, 10, 2000, &found);
        assert_true(frames > 0);
        assert_true(frames <= 40 + 3 * usual_cover(cycles[i]));
    }
}

static void natural_frame(void *user, uint32_t frame, int32_t *codes) {
    speech_frame(*(uint32_t *)user, frame, codes);
}

static void test_B058_speech_passes(void **state) {
    (void)state;
    for (uint32_t run = 0; run < 20; run++) {
        size_t found = 0;
        assert_int_equal(frames_until_loop(natural_frame, &run, 0, 4000, &found), 0);
    }
}

/* a second of speech, then `held` equal frames, again and again */
static void held_frame(void *user, uint32_t frame, int32_t *codes) {
    const loop_script *script = user;
    uint32_t round = 13 + script->start;
    if (frame % round < 13) {
        speech_frame(script->run, frame, codes);
        return;
    }
    for (uint32_t i = 0; i < CODES; i++) {
        bool changed = chance(script->noise_rest, script->run, frame, i, 2) && i > 0;
        codes[i] = changed ? (int32_t)(draw(script->run, frame, i, 3) % 2048) : 1500;
    }
}

static void test_B058_held_sounds_and_pauses_pass(void **state) {
    (void)state;
    for (uint32_t held = 5; held <= 65; held += 5) { /* up to 5.2 s */
        for (uint32_t noisy = 0; noisy < 2; noisy++) {
            loop_script script = {.run = held, .start = held, .noise_rest = noisy * 0.5};
            size_t found = 0;
            /* three times: held sounds at equal distances would be a loop in the end */
            size_t limit = 3 * (held + 13);
            assert_int_equal(frames_until_loop(held_frame, &script, 0, limit, &found), 0);
        }
    }
}

/* A phrase said three times to the frame, and a short word for as long as a text of its length
 * takes, are no loops. */
static void test_B058_repeats_of_the_text_pass(void **state) {
    (void)state;
    for (uint32_t cycle = 10; cycle <= 60; cycle += 5) {
        loop_script script = {.run = 5, .start = 20, .cycle = cycle};
        size_t found = 0;
        size_t limit = 20 + 3 * cycle;
        assert_int_equal(frames_until_loop(loop_frame, &script, 40, limit, &found), 0);
    }
    for (size_t tokens = 1; tokens <= 40; tokens++) {
        loop_script script = {.run = 6, .start = 0, .cycle = 5};
        size_t found = 0;
        assert_int_equal(frames_until_loop(loop_frame, &script, tokens, 5 * tokens - 1, &found), 0);
    }
}

static void test_loops_end_within_16_seconds_of_long_texts(void **state) {
    (void)state;
    const size_t texts[] = {40, 1000, SIZE_MAX};
    for (size_t i = 0; i < 3; i++) {
        loop_script script = {.run = 5, .start = 100, .cycle = 9};
        size_t found = 0;
        size_t frames = frames_until_loop(loop_frame, &script, texts[i], 2000, &found);
        assert_in_range(frames, 101, 300);
        assert_int_equal(found, 9);
    }
}

static void test_live_text_grows(void **state) {
    (void)state;
    kz__guard guard;
    kz__guard_init(&guard, CODES, 1);
    kz__guard_set_text(&guard, 30);
    int32_t codes[CODES] = {3, 4, 5};
    for (int i = 1; i < 150; i++) {
        assert_int_equal(kz__guard_push(&guard, codes), 0);
    }
    assert_int_equal(kz__guard_push(&guard, codes), 1);
}

/* Other widths: few codes, and more than are compared. */
static void test_other_widths(void **state) {
    (void)state;
    const size_t widths[] = {1, 4, 32};
    for (size_t i = 0; i < 3; i++) {
        kz__guard guard;
        kz__guard_init(&guard, widths[i], 0);
        size_t found = 0;
        int32_t frame = 0;
        while (found == 0 && frame < 200) {
            int32_t codes[32];
            for (int32_t j = 0; j < 32; j++) {
                codes[j] = j < 16 ? frame % 7 : frame;
            }
            found = kz__guard_push(&guard, codes);
            frame++;
        }
        assert_int_equal(found, 7);
        assert_int_equal(frame, 75);
    }
}

/* ---- a trained voice ------------------------------------------------------------------------ */

typedef struct spoken {
    const char *text;
    size_t tokens, frames;
    int32_t codes[300][CODES];
} spoken;

static void read_spoken(json_t *item, spoken *out) {
    json_t *rows = json_object_get(item, "codes");
    out->text = json_string_value(json_object_get(item, "text"));
    out->tokens = (size_t)json_integer_value(json_object_get(item, "tokens"));
    out->frames = json_array_size(rows);
    assert_in_range(out->frames, 10, 300);
    for (size_t i = 0; i < out->frames; i++) {
        json_t *row = json_array_get(rows, i);
        assert_int_equal(json_array_size(row), CODES);
        for (size_t j = 0; j < CODES; j++) {
            out->codes[i][j] = (int32_t)json_integer_value(json_array_get(row, j));
        }
    }
}

static json_t *read_voice(void) {
    json_error_t error;
    json_t *items = json_load_file(KZT_SOURCE_DIR "/tests/data/guard/natural.json", 0, &error);
    assert_non_null(items);
    assert_true(json_array_size(items) >= 10);
    return items;
}

/* Says it so many times; the cycle found or 0. */
static size_t push_spoken(kz__guard *guard, const spoken *item, size_t times) {
    size_t found = 0;
    for (size_t i = 0; i < times * item->frames && found == 0; i++) {
        found = kz__guard_push(guard, item->codes[i % item->frames]);
    }
    return found;
}

static int32_t longest_stretch(const kz__guard *guard) {
    int32_t longest = 0;
    for (size_t i = 0; i < KZ__GUARD_LONGEST; i++) {
        const kz__guard_lag *lag = &guard->lags[i];
        longest = lag->all_frames > longest ? lag->all_frames : longest;
        longest = lag->first_frames > longest ? lag->first_frames : longest;
    }
    return longest;
}

/* Texts that repeat a word do make cycles (of 3 frames, for one), ordinary sentences don't; both
 * end long before they are a loop. */
static void test_B058_a_trained_voice_passes(void **state) {
    (void)state;
    static spoken item;
    json_t *items = read_voice();
    for (size_t i = 0; i < json_array_size(items); i++) {
        read_spoken(json_array_get(items, i), &item);
        kz__guard guard;
        kz__guard_init(&guard, CODES, item.tokens);
        int32_t longest = 0;
        for (size_t j = 0; j < item.frames; j++) {
            assert_int_equal(kz__guard_push(&guard, item.codes[j]), 0);
            int32_t stretch = longest_stretch(&guard);
            longest = stretch > longest ? stretch : longest;
        }
        print_message("%2d of %3zu frames repeat: %s\n", longest, item.frames, item.text);
        assert_true(longest < (i < 4 ? 10 : 60));
        assert_true(item.frames <= kz__guard_bound(item.tokens, NO_LIMIT) / 3);
    }
    json_decref(items);
}

/* What it said, three times to the frame, passes; more often it is a loop. */
static void test_B058_a_trained_voice_in_a_loop(void **state) {
    (void)state;
    static spoken item;
    json_t *items = read_voice();
    for (size_t i = 0; i < json_array_size(items); i++) {
        read_spoken(json_array_get(items, i), &item);
        kz__guard guard;
        kz__guard_init(&guard, CODES, 3 * item.tokens);
        assert_int_equal(push_spoken(&guard, &item, 3), 0);
        kz__guard_init(&guard, CODES, item.tokens);
        size_t found = push_spoken(&guard, &item, 10);
        if (i < 4) { /* the others have shorter cycles inside */
            assert_int_equal(found, item.frames);
        }
        assert_true(found > 0 || item.frames > KZ__GUARD_LONGEST);
    }
    json_decref(items);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_B034_short_texts_have_short_bounds),
        cmocka_unit_test(test_B034_floor_and_ceiling),
        cmocka_unit_test(test_B043_slow_speech_finishes),
        cmocka_unit_test(test_B058_cycles_of_1_to_60),
        cmocka_unit_test(test_B058_cycles_with_noise),
        cmocka_unit_test(test_B033_only_code_0_repeats),
        cmocka_unit_test(test_B058_speech_passes),
        cmocka_unit_test(test_B058_held_sounds_and_pauses_pass),
        cmocka_unit_test(test_B058_repeats_of_the_text_pass),
        cmocka_unit_test(test_loops_end_within_16_seconds_of_long_texts),
        cmocka_unit_test(test_live_text_grows),
        cmocka_unit_test(test_other_widths),
        cmocka_unit_test(test_B058_a_trained_voice_passes),
        cmocka_unit_test(test_B058_a_trained_voice_in_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
