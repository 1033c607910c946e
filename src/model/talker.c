/* The talker's weights and step. */
#include "model/talker.h"

kz_status kz__talker_load(kz__mem *mem, kz__weights *weights, const kz__config *c,
                          const kz__policy *policy, kz__talker *talker, kz__err *err) {
    memset(talker, 0, sizeof *talker);
    talker->config = c;
    talker->rows = policy->rows;
    const kz__dtype *type = policy->type;
    talker->width = kz__pad16(c->talker.width);
    size_t text[2] = {c->text_vocab, c->text_width};
    size_t codec[2] = {c->talker_vocab, c->talker.width};
    kz_status status = kz__bind(weights, &talker->text_embedding, err, 2, text,
                                "talker.model.text_embedding.weight");
    if (!status) {
        status = kz__bind(weights, &talker->codec_embedding, err, 2, codec,
                          "talker.model.codec_embedding.weight");
    }
    if (!status) {
        status = kz__bind_linear(mem, weights, &talker->fc1, type[KZ__TEXT_PROJECTION],
                                 c->text_width, c->text_width, true, err,
                                 "talker.text_projection.linear_fc1");
    }
    if (!status) {
        status = kz__bind_linear(mem, weights, &talker->fc2, type[KZ__TEXT_PROJECTION],
                                 c->talker.width, c->text_width, true, err,
                                 "talker.text_projection.linear_fc2");
    }
    if (!status) {
        kz__layer_types types = {type[KZ__TALKER_QKV], type[KZ__TALKER_O],
                                 type[KZ__TALKER_GATE_UP], type[KZ__TALKER_DOWN]};
        status = kz__bind_stack(mem, weights, &talker->stack, &c->talker, &types, "talker.model.",
                                err);
    }
    if (!status) {
        status = kz__bind_linear(mem, weights, &talker->head, type[KZ__TALKER_HEAD],
                                 c->talker_vocab, c->talker.width, false, err, "talker.codec_head");
    }
    if (status) kz__talker_clear(mem, talker);
    return status;
}

void kz__talker_clear(kz__mem *mem, kz__talker *talker) {
    kz__linear_clear(mem, &talker->fc1);
    kz__linear_clear(mem, &talker->fc2);
    kz__linear_clear(mem, &talker->head);
    kz__stack_clear(mem, &talker->stack);
}

size_t kz__talker_scratch(const kz__talker *talker) {
    const kz__linear *linears[] = {&talker->fc1, &talker->fc2, &talker->head};
    size_t width = kz__stack_scratch(&talker->stack);
    for (size_t i = 0; i < sizeof linears / sizeof linears[0]; i++) {
        size_t needed = kz__linear_scratch(linears[i]);
        if (needed > width) width = needed;
    }
    return width;
}

size_t kz__talker_bytes(const kz__talker *talker) {
    return kz__linear_bytes(&talker->fc1) + kz__linear_bytes(&talker->fc2) +
           kz__stack_bytes(&talker->stack) + kz__linear_bytes(&talker->head);
}

kz_status kz__talker_state_init(kz__talker_state *state, kz__mem *mem, const kz__talker *talker,
                                int threads, kz__err *err) {
    memset(state, 0, sizeof *state);
    state->mem = mem;
    state->talker = talker;
    size_t text = kz__pad16(talker->config->text_width);
    size_t f = sizeof(float);
    kz_status status =
        kz__stack_state_init(&state->stack, mem, &talker->stack, KZ__TALKER_ROWS,
                             talker->config->max_positions, 32, threads, err);
    state->rows = kz__calloc(mem, KZ__TALKER_ROWS * talker->width, f);
    state->hidden = kz__calloc(mem, talker->width, f);
    state->logits = kz__calloc(mem, kz__pad16(talker->config->talker_vocab), f);
    state->text = kz__calloc(mem, KZ__TALKER_ROWS * text, f);
    state->text_hidden = kz__calloc(mem, KZ__TALKER_ROWS * text, f);
    if (!status && (!state->rows || !state->hidden || !state->logits || !state->text ||
                    !state->text_hidden)) {
        status = kz__fail_memory(err);
    }
    if (status) kz__talker_state_clear(state);
    return status;
}

void kz__talker_state_clear(kz__talker_state *state) {
    if (!state->mem) return;
    kz__stack_state_clear(&state->stack);
    kz__free(state->mem, state->rows);
    kz__free(state->mem, state->hidden);
    kz__free(state->mem, state->logits);
    kz__free(state->mem, state->text);
    kz__free(state->mem, state->text_hidden);
    memset(state, 0, sizeof *state);
}

void kz__talker_text_rows(const kz__run *run, kz__talker_state *state, const int32_t *ids,
                          size_t count, float *out) {
    const kz__talker *talker = state->talker;
    size_t text = kz__pad16(talker->config->text_width);
    for (size_t i = 0; i < count; i++) {
        kz__embedding_row(&talker->text_embedding, talker->rows, (size_t)ids[i],
                          state->text + i * text);
    }
    kz__after silu = {0};
    silu.kind = KZ__SILU;
    kz__linear_run(run, &talker->fc1, state->text, text, 0, state->text_hidden, text, count, &silu);
    kz__linear_run(run, &talker->fc2, state->text_hidden, text, 0, out, talker->width, count, NULL);
}

void kz__talker_codec_row(const kz__talker *talker, int32_t id, float *row) {
    kz__embedding_row(&talker->codec_embedding, talker->rows, (size_t)id, row);
}

kz_status kz__talker_run(const kz__run *run, kz__talker_state *state, size_t rows, bool last,
                         kz__err *err) {
    const kz__talker *talker = state->talker;
    kz_status status = kz__stack_run(run, &state->stack, state->rows, rows,
                                     last ? state->hidden : NULL, rows - 1, err);
    if (status || !last) return status;
    kz__linear_run(run, &talker->head, state->hidden, talker->width, 0, state->logits,
                   talker->head.panels * 16, 1, NULL);
    return KZ_OK;
}
