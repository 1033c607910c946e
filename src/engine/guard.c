/* The bound is arithmetic; the detector is two clipped sums per lag over a ring of frames. */
#include "engine/guard.h"

#include <stdbool.h>
#include <string.h>

enum {
    BOUND_FLOOR = 100,
    BOUND_BASE = 60,
    BOUND_PER_TOKEN = 20,
    COVER_FLOOR = 75,
    COVER_CEILING = 200,
    COVER_PER_TOKEN = 5,
    ROUNDS = 4,
    /* all codes: + 16 per equal code, - 10 per code; the cap is lost in 5 frames without any */
    ALL_GAIN = 16,
    ALL_LOSS = 10,
    ALL_CAP_FRAMES = 5,
    /* code 0: + 1 or - 5; the cap is lost in 3 differences */
    FIRST_GAIN = 1,
    FIRST_LOSS = 5,
    FIRST_CAP = 15
};

size_t kz__guard_bound(size_t text_tokens, size_t ceiling) {
    size_t bound = ceiling;
    if (text_tokens < (SIZE_MAX - BOUND_BASE) / BOUND_PER_TOKEN) {
        bound = BOUND_BASE + BOUND_PER_TOKEN * text_tokens;
    }
    if (bound < BOUND_FLOOR) {
        bound = BOUND_FLOOR;
    }
    return bound < ceiling ? bound : ceiling;
}

void kz__guard_set_text(kz__guard *guard, size_t text_tokens) {
    guard->cover = COVER_CEILING;
    if (text_tokens < COVER_CEILING / COVER_PER_TOKEN) {
        guard->cover = COVER_PER_TOKEN * text_tokens;
    }
    if (guard->cover < COVER_FLOOR) {
        guard->cover = COVER_FLOOR;
    }
}

void kz__guard_init(kz__guard *guard, size_t codes_per_frame, size_t text_tokens) {
    memset(guard, 0, sizeof *guard);
    guard->codes = codes_per_frame < KZ__GUARD_CODES ? codes_per_frame : KZ__GUARD_CODES;
    kz__guard_set_text(guard, text_tokens);
}

/* Adds step to a score and, if it rises, one frame to its stretch; both start over at 0. */
static void advance(int32_t *score, int32_t *frames, int32_t step, int32_t cap) {
    *score += step;
    *frames += step > 0;
    if (*score <= 0) {
        *score = 0;
        *frames = 0;
    } else if (*score > cap) {
        *score = cap;
    }
}

static bool is_loop(const kz__guard *guard, size_t lag) {
    const kz__guard_lag *state = &guard->lags[lag - 1];
    int32_t frames = state->all_frames;
    if (state->first_frames > frames) {
        frames = state->first_frames;
    }
    size_t covered = (size_t)frames + lag;
    return frames > 0 && covered >= guard->cover && covered >= ROUNDS * lag;
}

size_t kz__guard_push(kz__guard *guard, const int32_t *codes) {
    size_t cycle = 0;
    int32_t all_cap = ALL_CAP_FRAMES * ALL_LOSS * (int32_t)guard->codes;
    for (size_t lag = 1; lag <= KZ__GUARD_LONGEST && lag <= guard->seen; lag++) {
        const int32_t *before = guard->ring[(guard->seen - lag) % KZ__GUARD_LONGEST];
        int32_t equal = 0;
        for (size_t i = 0; i < guard->codes; i++) {
            equal += codes[i] == before[i];
        }
        kz__guard_lag *state = &guard->lags[lag - 1];
        advance(&state->all_score, &state->all_frames,
                ALL_GAIN * equal - ALL_LOSS * (int32_t)guard->codes, all_cap);
        advance(&state->first_score, &state->first_frames,
                codes[0] == before[0] ? FIRST_GAIN : -FIRST_LOSS, FIRST_CAP);
        if (cycle == 0 && is_loop(guard, lag)) {
            cycle = lag;
        }
    }
    memcpy(guard->ring[guard->seen % KZ__GUARD_LONGEST], codes, guard->codes * sizeof *codes);
    guard->seen++;
    return cycle;
}
