/* The talker's weights and step. */
#include "model/talker.h"

kz_status kz__talker_load(kz__mem *mem, kz__weights *weights, const kz__config *c, kz__dtype type,
                          kz__talker *talker, kz__err *err) {
    memset(talker, 0, sizeof *talker);
    talker->config = c;
    talker->type = type;
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
        status = kz__bind_linear(mem, weights, &talker->fc1, type, c->text_width, c->text_width,
                                 true, err, "talker.text_projection.linear_fc1");
    }
    if (!status) {
        status = kz__bind_linear(mem, weights, &talker->fc2, type, c->talker.width, c->text_width,
                                 true, err, "talker.text_projection.linear_fc2");
    }
    if (!status) {
        status = kz__bind_stack(mem, weights, &talker->stack, &c->talker, type, "talker.model.",
                                err);
    }
    if (!status) {
        status = kz__bind_linear(mem, weights, &talker->head, type, c->talker_vocab,
                                 c->talker.width, false, err, "talker.codec_head");
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
        kz__embedding_row(&talker->text_embedding, talker->type, (size_t)ids[i],
                          state->text + i * text);
    }
    kz__after silu = {0};
    silu.kind = KZ__SILU;
    kz__linear_run(run, &talker->fc1, state->text, text, 0, state->text_hidden, text, count, &silu);
    kz__linear_run(run, &talker->fc2, state->text_hidden, text, 0, out, talker->width, count, NULL);
}

void kz__talker_codec_row(const kz__talker *talker, int32_t id, float *row) {
    kz__embedding_row(&talker->codec_embedding, talker->type, (size_t)id, row);
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
