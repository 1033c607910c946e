/* What stops a talker that does not stop by itself: a bound on frames that grows with the text, and
 * a detector of loops. Both only advise; the frame loop decides and says why it ended.
 */
#ifndef KZ_ENGINE_GUARD_H
#define KZ_ENGINE_GUARD_H

#include <stddef.h>
#include <stdint.h>

/* The frames that a text may take when the caller named no limit:
 *     max(100, 60 + 20 * text_tokens), at most ceiling (the reference's max_new_tokens - 1).
 * Usual speech takes 3 to 5 frames of 80 ms per token, digits and long words up to 7; 20 lets it be
 * three times slower. 60 frames (4.8 s) are for silence at both ends and hesitation; the floor of
 * 8 s is enough for any single word. text_tokens counts the spoken text alone, without template,
 * instruction and reference. */
size_t kz__guard_bound(size_t text_tokens, size_t ceiling);

#define KZ__GUARD_LONGEST 60 /* frames of the longest cycle looked for */
#define KZ__GUARD_CODES 16   /* codes of a frame that are compared, at most */

/* A loop is told by comparing each frame with the one `lag` frames before, for every lag at once.
 * Two scores per lag rise on equality, fall on difference, stay within 0 and a cap:
 *   - all codes: rises while more than 10 of 16 are equal, so some codes of each frame may differ;
 *   - code 0 alone: rises while more than 5 frames of 6 are equal, whatever the other codes do (a
 *     talker may loop while the predictor, which samples, never repeats itself).
 * As long as a score stays above 0, the frames that repeat (the score rises) are counted; the caps
 * are low enough for a word between two pauses to end that. It is a loop once these frames and the
 * first round cover 4 rounds and the usual length of the whole text,
 *     clamp(5 * text_tokens, 75, 200) frames = 6 to 16 s:
 * what a text says again and again by itself fits into that. Silence or a held sound is a cycle of
 * length 1, so it may last about 6 s. */
typedef struct kz__guard_lag {
    int32_t all_score, all_frames;
    int32_t first_score, first_frames;
} kz__guard_lag;

typedef struct kz__guard {
    size_t codes;   /* of a frame, those compared */
    size_t seen;    /* frames so far */
    size_t cover;   /* frames that a loop covers at least */
    int32_t ring[KZ__GUARD_LONGEST][KZ__GUARD_CODES];
    kz__guard_lag lags[KZ__GUARD_LONGEST]; /* [lag - 1] */
} kz__guard;

/* codes_per_frame >= 1; text_tokens as for the bound. */
void kz__guard_init(kz__guard *guard, size_t codes_per_frame, size_t text_tokens);

/* More text came (live text): text_tokens of all so far. */
void kz__guard_set_text(kz__guard *guard, size_t text_tokens);

/* Takes the next frame, codes[codes_per_frame]. Returns the length of the shortest cycle that
 * has become a loop, 0 if there is none. */
size_t kz__guard_push(kz__guard *guard, const int32_t *codes);

#endif
