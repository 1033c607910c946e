/* The talker: one step per 80 ms frame, from a row of the prompt (or the sum of a frame's code
 * embeddings and a text row) to the hidden state of the frame and the logits of its first code.
 *
 *     T(id) = fc2(silu(fc1(text_embedding[id])))      every text-side vector
 *     C(id) = codec_embedding[id]
 *     hidden = norm(stack(rows));  logits = codec_head hidden      of the last row
 * Source: Qwen3TTSTalkerForConditionalGeneration.
 */
#ifndef KZ_MODEL_TALKER_H
#define KZ_MODEL_TALKER_H

#include "model/names.h"
#include "model/quant_policy.h"

typedef struct kz__talker {
    const kz__config *config;
    kz__dtype rows; /* what embedding rows are rounded to */
    size_t width; /* floats per row, padded */
    kz__rows text_embedding, codec_embedding;
    kz__linear fc1, fc2, head;
    kz__stack stack;
} kz__talker;

kz_status kz__talker_load(kz__mem *mem, kz__weights *weights, const kz__config *config,
                          const kz__policy *policy, kz__talker *talker, kz__err *err);
void kz__talker_clear(kz__mem *mem, kz__talker *talker);
/* The width of scratch that its products need (kz__linear_scratch). */
size_t kz__talker_scratch(const kz__talker *talker);
/* Bytes of weights that a frame reads. */
size_t kz__talker_bytes(const kz__talker *talker);

/* Rows that the talker takes at once; longer prompts go in pieces, which changes nothing. */
#define KZ__TALKER_ROWS 96

/* One sequence: what a run adds to and leaves behind. */
typedef struct kz__talker_state {
    kz__mem *mem;
    kz__kvcache cache;
    float *hidden; /* [width]: after the final norm, last row */
    float *logits; /* [pad16(vocab)] */
} kz__talker_state;

/* Scratch of runs, shared by the sequences that are run together. */
typedef struct kz__talker_work {
    kz__mem *mem;
    const kz__talker *talker;
    kz__stack_work stack;
    float *rows;               /* [KZ__TALKER_ROWS][width]: input, changed by a run */
    float *last, *logits;      /* [KZ__SLOTS][width], [KZ__SLOTS][pad16(vocab)] */
    float *text, *text_hidden; /* [KZ__TALKER_ROWS][pad16(text_width)] */
    float *pad;                /* [width]: T(tts_pad), which follows every text; once it is known */
    bool pad_known;
} kz__talker_work;

kz_status kz__talker_state_init(kz__talker_state *state, kz__mem *mem, const kz__talker *talker,
                                kz__err *err);
void kz__talker_state_clear(kz__talker_state *state);
kz_status kz__talker_work_init(kz__talker_work *work, kz__mem *mem, const kz__talker *talker,
                               int threads, kz__err *err);
void kz__talker_work_clear(kz__talker_work *work);

/* T(id) of count <= KZ__TALKER_ROWS ids: out[count][width]. ids must be inside the text
 * vocabulary. Behind a text, where all ids are tts_pad, nothing is multiplied. */
kz_status kz__talker_text_rows(const kz__run *run, kz__talker_work *work, const int32_t *ids,
                               size_t count, float *out, kz__err *err);
/* C(id): row[width]. */
kz_status kz__talker_codec_row(const kz__talker *talker, int32_t id, float *row, kz__err *err);

/* Rows of one sequence in a run; `last` asks for hidden and logits of the last of them. */
typedef struct kz__talker_turn {
    kz__talker_state *state;
    size_t rows;
    bool last;
} kz__talker_turn;

/* Runs work->rows, which are the turns' rows one turn after the other. */
kz_status kz__talker_run(const kz__run *run, kz__talker_work *work, const kz__talker_turn *turns,
                         size_t count, kz__err *err);

#endif
