/* The code predictor's weights and passes. */
#include "model/code_predictor.h"

static kz_status load_groups(kz__mem *mem, kz__weights *weights, const kz__config *c,
                             kz__dtype type, kz__predictor *p, kz__err *err) {
    size_t shape[2] = {c->predictor_vocab, c->talker.width};
    p->embeddings = kz__calloc(mem, p->passes, sizeof *p->embeddings);
    p->heads = kz__calloc(mem, p->passes, sizeof *p->heads);
    if (!p->embeddings || !p->heads) return kz__fail_memory(err);
    for (size_t g = 0; g < p->passes; g++) {
        kz_status status = kz__bind(weights, &p->embeddings[g], err, 2, shape,
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
                                   const kz__predictor *p, int threads, kz__err *err) {
    memset(state, 0, sizeof *state);
    state->mem = mem;
    state->predictor = p;
    size_t positions = p->passes + 1;
    size_t f = sizeof(float);
    kz_status status = kz__stack_state_init(&state->stack, mem, &p->stack, positions, positions,
                                            kz__pad16(positions), threads, err);
    state->inputs = kz__calloc(mem, positions * p->input_width, f);
    state->rows = kz__calloc(mem, positions * p->width, f);
    state->hidden = kz__calloc(mem, p->width, f);
    state->logits = kz__calloc(mem, kz__pad16(p->config->predictor_vocab), f);
    if (!status && (!state->inputs || !state->rows || !state->hidden || !state->logits)) {
        status = kz__fail_memory(err);
    }
    if (status) kz__predictor_state_clear(state);
    return status;
}

void kz__predictor_state_clear(kz__predictor_state *state) {
    if (!state->mem) return;
    kz__stack_state_clear(&state->stack);
    kz__free(state->mem, state->inputs);
    kz__free(state->mem, state->rows);
    kz__free(state->mem, state->hidden);
    kz__free(state->mem, state->logits);
    memset(state, 0, sizeof *state);
}

float *kz__predictor_input(const kz__predictor_state *state, size_t position) {
    return state->inputs + position * state->predictor->input_width;
}

void kz__predictor_code_row(const kz__predictor *p, size_t group, int32_t code, float *row) {
    kz__embedding_row(&p->embeddings[group - 1], p->rows, (size_t)code, row);
}

kz_status kz__predictor_pass(const kz__run *run, kz__predictor_state *state, size_t pass,
                             bool oracle, kz__err *err) {
    const kz__predictor *p = state->predictor;
    size_t end = pass + 2;
    if (pass == 0 || oracle) kz__stack_state_reset(&state->stack);
    size_t begin = state->stack.cache.length;
    size_t rows = end - begin;
    const float *inputs = kz__predictor_input(state, begin);
    if (p->projects) {
        kz__linear_run(run, &p->projection, inputs, p->input_width, 0, state->rows, p->width, rows,
                       NULL);
    } else {
        memcpy(state->rows, inputs, rows * p->width * sizeof(float));
    }
    kz_status status =
        kz__stack_run(run, &state->stack, state->rows, rows, state->hidden, rows - 1, err);
    if (status) return status;
    kz__linear_run(run, &p->heads[pass], state->hidden, p->width, 0, state->logits,
                   p->heads[pass].panels * 16, 1, NULL);
    return KZ_OK;
}
