/* The code predictor's weights and passes. */
#include "model/code_predictor.h"

static kz_status load_groups(kz__mem *mem, kz__weights *weights, const kz__config *c,
                             kz__dtype type, kz__predictor *p, kz__err *err) {
    p->embeddings = kz__calloc(mem, p->passes, sizeof *p->embeddings);
    p->heads = kz__calloc(mem, p->passes, sizeof *p->heads);
    if (!p->embeddings || !p->heads) return kz__fail_memory(err);
    for (size_t g = 0; g < p->passes; g++) {
        kz_status status =
            kz__bind_rows(weights, &p->embeddings[g], err, c->predictor_vocab, c->talker.width,
                          "talker.code_predictor.model.codec_embedding.%zu.weight", g);
        if (status) return status;
        status = kz__bind_linear(mem, weights, &p->heads[g], type, c->predictor_vocab,
                                 c->predictor.width, false, err,
                                 "talker.code_predictor.lm_head.%zu", g);
        if (status) return status;
    }
    return KZ_OK;
}

kz_status kz__predictor_load(kz__mem *mem, kz__weights *weights, const kz__config *c,
                             const kz__policy *policy, kz__predictor *p, kz__err *err) {
    const kz__dtype *type = policy->type;
    memset(p, 0, sizeof *p);
    p->config = c;
    p->rows = policy->rows;
    p->width = kz__pad16(c->predictor.width);
    p->input_width = kz__pad16(c->talker.width);
    p->passes = c->code_groups - 1;
    p->projects = c->predictor.width != c->talker.width;
    kz_status status = load_groups(mem, weights, c, type[KZ__PREDICTOR_HEADS], p, err);
    if (!status && p->projects) {
        status = kz__bind_linear(mem, weights, &p->projection, type[KZ__PREDICTOR_INPUT],
                                 c->predictor.width, c->talker.width, true, err,
                                 "talker.code_predictor.small_to_mtp_projection");
    }
    if (!status) {
        kz__layer_types types = {type[KZ__PREDICTOR_QKV], type[KZ__PREDICTOR_O],
                                 type[KZ__PREDICTOR_GATE_UP], type[KZ__PREDICTOR_DOWN]};
        status = kz__bind_stack(mem, weights, &p->stack, &c->predictor, &types,
                                "talker.code_predictor.model.", err);
    }
    if (status) kz__predictor_clear(mem, p);
    return status;
}

void kz__predictor_clear(kz__mem *mem, kz__predictor *p) {
    for (size_t g = 0; p->heads && g < p->passes; g++) kz__linear_clear(mem, &p->heads[g]);
    kz__free(mem, p->heads);
    kz__free(mem, p->embeddings);
    p->heads = NULL;
    p->embeddings = NULL;
    kz__linear_clear(mem, &p->projection);
    kz__stack_clear(mem, &p->stack);
}

size_t kz__predictor_scratch(const kz__predictor *p) {
    size_t width = kz__stack_scratch(&p->stack);
    size_t needed = kz__linear_scratch(&p->projection);
    if (needed > width) width = needed;
    for (size_t g = 0; g < p->passes; g++) {
        needed = kz__linear_scratch(&p->heads[g]);
        if (needed > width) width = needed;
    }
    return width;
}

size_t kz__predictor_bytes(const kz__predictor *p) {
    size_t bytes = 0;
    for (size_t g = 0; g < p->passes; g++) bytes += kz__linear_bytes(&p->heads[g]);
    return bytes + p->passes * (kz__stack_bytes(&p->stack) + kz__linear_bytes(&p->projection));
}

kz_status kz__predictor_state_init(kz__predictor_state *state, kz__mem *mem,
                                   const kz__predictor *p, kz__err *err) {
    memset(state, 0, sizeof *state);
    state->mem = mem;
    state->input_width = p->input_width;
    size_t positions = p->passes + 1;
    kz_status status = kz__stack_cache_init(&state->cache, mem, &p->stack, positions, 0,
                                            kz__pad16(positions), err);
    state->inputs = kz__calloc(mem, positions * p->input_width, sizeof(float));
    state->logits = kz__calloc(mem, p->heads[0].panels * 16, sizeof(float));
    if (!status && (!state->inputs || !state->logits)) status = kz__fail_memory(err);
    if (status) kz__predictor_state_clear(state);
    return status;
}

void kz__predictor_state_clear(kz__predictor_state *state) {
    if (!state->mem) return;
    kz__kvcache_clear(&state->cache);
    kz__free(state->mem, state->inputs);
    kz__free(state->mem, state->logits);
    memset(state, 0, sizeof *state);
}

kz_status kz__predictor_work_init(kz__predictor_work *work, kz__mem *mem, const kz__predictor *p,
                                  size_t slots, int threads, kz__err *err) {
    memset(work, 0, sizeof *work);
    work->mem = mem;
    work->predictor = p;
    /* two rows each in the first pass, all rows of one sequence in the oracle */
    work->max_rows = 2 * slots > p->passes + 1 ? 2 * slots : p->passes + 1;
    size_t f = sizeof(float);
    kz_status status =
        kz__stack_work_init(&work->stack, mem, &p->stack, work->max_rows, threads, err);
    work->inputs = kz__calloc(mem, work->max_rows * p->input_width, f);
    work->rows = kz__calloc(mem, work->max_rows * p->width, f);
    work->last = kz__calloc(mem, slots * p->width, f);
    work->logits = kz__calloc(mem, slots * p->heads[0].panels * 16, f);
    if (!status && (!work->inputs || !work->rows || !work->last || !work->logits)) {
        status = kz__fail_memory(err);
    }
    if (status) kz__predictor_work_clear(work);
    return status;
}

void kz__predictor_work_clear(kz__predictor_work *work) {
    if (!work->mem) return;
    kz__stack_work_clear(&work->stack);
    kz__free(work->mem, work->inputs);
    kz__free(work->mem, work->rows);
    kz__free(work->mem, work->last);
    kz__free(work->mem, work->logits);
    memset(work, 0, sizeof *work);
}

float *kz__predictor_input(const kz__predictor_state *state, size_t position) {
    return state->inputs + position * state->input_width;
}

kz_status kz__predictor_code_row(const kz__predictor *p, size_t group, int32_t code, float *row,
                                 kz__err *err) {
    return kz__embedding_row(&p->embeddings[group - 1], p->rows, (size_t)code, row, err);
}

/* Input rows of all sequences, at the predictor's width. */
static void gather(const kz__run *run, kz__predictor_work *work,
                   kz__predictor_state *const *states, size_t count, size_t begin, size_t each) {
    const kz__predictor *p = work->predictor;
    float *to = p->projects ? work->inputs : work->rows;
    for (size_t i = 0; i < count; i++) {
        memcpy(to + i * each * p->input_width, kz__predictor_input(states[i], begin),
               each * p->input_width * sizeof(float));
    }
    if (!p->projects) return;
    kz__linear_run(run, &p->projection, work->inputs, p->input_width, 0, work->rows, p->width,
                   count * each, NULL);
}

/* One run of sequences that stand at the same position, `each` rows of every one. */
static kz_status pass_together(const kz__run *run, kz__predictor_work *work,
                               kz__predictor_state *const *states, size_t count, size_t pass,
                               size_t each, kz__err *err) {
    const kz__predictor *p = work->predictor;
    const kz__linear *head = &p->heads[pass];
    size_t vocab = head->panels * 16;
    kz__span spans[KZ__SLOTS] = {{0}};
    gather(run, work, states, count, pass + 2 - each, each);
    for (size_t i = 0; i < count; i++) {
        spans[i].cache = &states[i]->cache;
        spans[i].rows = each;
    }
    kz_status status = kz__stack_run(run, &work->stack, work->rows, spans, count, err);
    if (status) return status;
    for (size_t i = 0; i < count; i++) {
        memcpy(work->last + i * p->width, work->rows + ((i + 1) * each - 1) * p->width,
               p->width * sizeof(float));
    }
    kz__stack_norm(run, &p->stack, work->last, work->last, count);
    kz__linear_run(run, head, work->last, p->width, 0, work->logits, vocab, count, NULL);
    for (size_t i = 0; i < count; i++) {
        memcpy(states[i]->logits, work->logits + i * vocab, vocab * sizeof(float));
    }
    return KZ_OK;
}

kz_status kz__predictor_pass(const kz__run *run, kz__predictor_work *work,
                             kz__predictor_state *const *states, size_t count, size_t pass,
                             bool oracle, kz__err *err) {
    bool anew = pass == 0 || oracle;
    size_t each = anew ? pass + 2 : 1;
    size_t group = work->max_rows / each;
    for (size_t i = 0; anew && i < count; i++) kz__kvcache_reset(&states[i]->cache);
    for (size_t at = 0; at < count; at += group) {
        size_t together = count - at < group ? count - at : group;
        kz_status status = pass_together(run, work, states + at, together, pass, each, err);
        if (status) return status;
    }
    return KZ_OK;
}
