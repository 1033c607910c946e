/* From a row of logits to a code: the processors of the reference in its order, then a draw that
 * is a pure function of logits and key. Nothing is allocated, nothing is remembered.
 *
 *   1. repetition penalty   l < 0 ? l * penalty : l / penalty, once per distinct id of the history
 *   2. forbid               one id set to -inf (end of speech before the minimum)
 *   3. suppress             a range of ids set to -inf but for one (control ids, not end of speech)
 *   4. temperature          l / temperature, skipped at 1
 *   5. top-k                removes what is strictly below the k-th largest: ties with it stay
 *   6. top-p                ascending by (value, id), p = softmax: removes where the running sum of
 *                           p is <= 1 - top_p; the last one always stays. So of equal values the
 *                           lower ids go first (the reference leaves that to the machine).
 *   7. draw                 argmax of l + Gumbel noise over what is left, ties to the lowest id
 * Temperature 0 is greedy: 1 to 3, then argmax, ties to the lowest id.
 *
 * 1 to 5 are float32 as in the reference, bit for bit. In 6 exp and the sums are double, each p and
 * each sum compared are rounded to float32; the reference's own float32 sums can fall on the other
 * side of the limit when they are within rounding of it.
 */
#ifndef KZ_NN_SAMPLER_H
#define KZ_NN_SAMPLER_H

#include "kazeia.h"

#include <stdbool.h>

/* What makes a draw unique: Philox key = seed, counter = (token, codebook, frame, piece). */
typedef struct kz__draw_key {
    uint64_t seed;
    uint32_t frame;    /* of the piece */
    uint32_t codebook; /* 0 is the talker's */
    uint32_t piece;    /* part of a long text that was split */
} kz__draw_key;

typedef struct kz__sample_rules {
    kz_sampling settings; /* temperature >= 0, top_k >= 0, penalty > 0, window >= 0 */
    /* codes of this codebook so far, oldest first: history[i * history_stride] for
     * i < history_count; the last settings.repetition_window of them count, 0: all */
    const int32_t *history;
    size_t history_count;
    size_t history_stride; /* 16 in a list of frames, 1 in a list of codes */
    size_t suppress_from, suppress_to; /* ids of [from, to) are removed ... */
    int32_t keep;   /* ... but for this one, -1: no exception */
    int32_t forbid; /* removed, -1: none */
} kz__sample_rules;

/* Nothing but the settings: no history, nothing suppressed. */
void kz__sample_rules_init(kz__sample_rules *rules, const kz_sampling *settings);

typedef struct kz__sample_slot {
    float value;
    uint32_t id;
} kz__sample_slot;

/* Applies steps 1 to 6 (1 to 3 when greedy) to logits[count]; removed ids become -inf. scratch
 * holds count slots. False when a logit is NaN or +inf, before or after, or when nothing is left.
 * -inf in the input counts as removed. History entries outside of the row are ignored. */
bool kz__sample_process(const kz__sample_rules *rules, float *logits, size_t count,
                        kz__sample_slot *scratch);

/* Step 7 on processed logits. -1 when nothing is left. */
int32_t kz__sample_draw(const kz__draw_key *key, const float *logits, size_t count);

/* The largest, ties to the lowest id. -1 when nothing is left. */
int32_t kz__sample_argmax(const float *logits, size_t count);

/* All of it: an id in 0..count-1, or -1 where kz__sample_process says false. logits are left
 * processed. */
int32_t kz__sample(const kz__sample_rules *rules, const kz__draw_key *key, float *logits,
                   size_t count, kz__sample_slot *scratch);

#endif
