/* The code predictor: codes 1..15 of a frame, one pass each, over a cache that starts empty every
 * frame.
 *
 *     position 0: the talker's hidden state     position 1: C(c0)    position j: embedding j-2 of
 *     code j-1
 *     pass p (0..14) runs up to position p + 1 and gives the logits of code p + 1 by head p
 * Inputs have the talker's width; small_to_mtp_projection brings them to the predictor's where they
 * differ. Source: Qwen3TTSTalkerCodePredictorModelForConditionalGeneration.
 */
#ifndef KZ_MODEL_CODE_PREDICTOR_H
#define KZ_MODEL_CODE_PREDICTOR_H

#include "model/names.h"
#include "model/quant_policy.h"

typedef struct kz__predictor {
    const kz__config *config;
    kz__dtype rows; /* what embedding rows are rounded to */
    size_t width, input_width; /* floats per row, padded: own, talker's */
    size_t passes;             /* code_groups - 1 */
    kz__rows *embeddings;      /* [passes], each [vocab, talker width] */
    bool projects;
    kz__linear projection;
    kz__stack stack;
    kz__linear *heads; /* [passes] */
} kz__predictor;

kz_status kz__predictor_load(kz__mem *mem, kz__weights *weights, const kz__config *config,
                             const kz__policy *policy, kz__predictor *predictor, kz__err *err);
void kz__predictor_clear(kz__mem *mem, kz__predictor *predictor);
/* The width of scratch that its products need (kz__linear_scratch). */
size_t kz__predictor_scratch(const kz__predictor *predictor);
/* Bytes of weights that a frame reads. */
size_t kz__predictor_bytes(const kz__predictor *predictor);

/* One sequence: the inputs of its frame and what has been computed of them. */
typedef struct kz__predictor_state {
    kz__mem *mem;
    size_t input_width;
    kz__kvcache cache;
    float *inputs; /* [passes + 1][input_width] */
    float *logits; /* [pad16(vocab)] */
} kz__predictor_state;

/* Scratch of passes, shared by the sequences that are run together. */
typedef struct kz__predictor_work {
    kz__mem *mem;
    const kz__predictor *predictor;
    kz__stack_work stack;
    size_t max_rows;
    float *inputs;        /* [max_rows][input_width] */
    float *rows;          /* [max_rows][width] */
    float *last, *logits; /* [slots][width], [slots][pad16(vocab)] */
} kz__predictor_work;

kz_status kz__predictor_state_init(kz__predictor_state *state, kz__mem *mem,
                                   const kz__predictor *predictor, kz__err *err);
void kz__predictor_state_clear(kz__predictor_state *state);
/* slots: sequences in a pass at most. */
kz_status kz__predictor_work_init(kz__predictor_work *work, kz__mem *mem,
                                  const kz__predictor *predictor, size_t slots, int threads,
                                  kz__err *err);
void kz__predictor_work_clear(kz__predictor_work *work);

/* Row of input `position`, to be filled before the pass that first needs it. */
float *kz__predictor_input(const kz__predictor_state *state, size_t position);
/* Embedding of code `code` of group `group` (1..passes): row[input_width]. */
kz_status kz__predictor_code_row(const kz__predictor *predictor, size_t group, int32_t code,
                                 float *row, kz__err *err);

/* Logits of code pass + 1 of each state into its logits. oracle: all positions are computed again,
 * without the cache of the passes before; the same bits. */
kz_status kz__predictor_pass(const kz__run *run, kz__predictor_work *work,
                             kz__predictor_state *const *states, size_t count, size_t pass,
                             bool oracle, kz__err *err);

#endif
