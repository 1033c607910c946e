/* The talker's weights and step. */
#include "model/talker.h"

kz_status kz__talker_load(kz__mem *mem, kz__weights *weights, const kz__config *c,
                          const kz__policy *policy, kz__talker *talker, kz__err *err) {
    memset(talker, 0, sizeof *talker);
    talker->config = c;
    talker->rows = policy->rows;
    const kz__dtype *type = policy->type;
    talker->width = kz__pad16(c->talker.width);
    kz_status status = kz__bind_rows(weights, &talker->text_embedding, err, c->text_vocab,
                                     c->text_width, "talker.model.text_embedding.weight");
    if (!status) {
        status = kz__bind_rows(weights, &talker->codec_embedding, err, c->talker_vocab,
                               c->talker.width, "talker.model.codec_embedding.weight");
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
                                kz__err *err) {
    memset(state, 0, sizeof *state);
    state->mem = mem;
    kz_status status = kz__stack_cache_init(&state->cache, mem, &talker->stack,
                                            talker->config->max_positions, 0, 32, err);
    state->hidden = kz__calloc(mem, talker->width, sizeof(float));
    state->logits = kz__calloc(mem, talker->head.panels * 16, sizeof(float));
    if (!status && (!state->hidden || !state->logits)) status = kz__fail_memory(err);
    if (status) kz__talker_state_clear(state);
    return status;
}

void kz__talker_state_clear(kz__talker_state *state) {
    if (!state->mem) return;
    kz__kvcache_clear(&state->cache);
    kz__free(state->mem, state->hidden);
    kz__free(state->mem, state->logits);
    memset(state, 0, sizeof *state);
}

kz_status kz__talker_work_init(kz__talker_work *work, kz__mem *mem, const kz__talker *talker,
                               int threads, kz__err *err) {
    memset(work, 0, sizeof *work);
    work->mem = mem;
    work->talker = talker;
    size_t text = kz__pad16(talker->config->text_width);
    size_t f = sizeof(float);
    kz_status status =
        kz__stack_work_init(&work->stack, mem, &talker->stack, KZ__TALKER_ROWS, threads, err);
    work->rows = kz__calloc(mem, KZ__TALKER_ROWS * talker->width, f);
    work->last = kz__calloc(mem, KZ__SLOTS * talker->width, f);
    work->logits = kz__calloc(mem, KZ__SLOTS * talker->head.panels * 16, f);
    work->text = kz__calloc(mem, KZ__TALKER_ROWS * text, f);
    work->text_hidden = kz__calloc(mem, KZ__TALKER_ROWS * text, f);
    work->pad = kz__calloc(mem, talker->width, f);
    if (!status && (!work->rows || !work->last || !work->logits || !work->text ||
                    !work->text_hidden || !work->pad)) {
        status = kz__fail_memory(err);
    }
    if (status) kz__talker_work_clear(work);
    return status;
}

void kz__talker_work_clear(kz__talker_work *work) {
    if (!work->mem) return;
    kz__stack_work_clear(&work->stack);
    kz__free(work->mem, work->rows);
    kz__free(work->mem, work->last);
    kz__free(work->mem, work->logits);
    kz__free(work->mem, work->text);
    kz__free(work->mem, work->text_hidden);
    kz__free(work->mem, work->pad);
    memset(work, 0, sizeof *work);
}

static kz_status project(const kz__run *run, kz__talker_work *work, const int32_t *ids,
                         size_t count, float *out, kz__err *err) {
    const kz__talker *talker = work->talker;
    size_t text = kz__pad16(talker->config->text_width);
    for (size_t i = 0; i < count; i++) {
        kz_status status = kz__embedding_row(&talker->text_embedding, talker->rows, (size_t)ids[i],
                                             work->text + i * text, err);
        if (status) return status;
    }
    kz__after silu = {0};
    silu.kind = KZ__SILU;
    kz__linear_run(run, &talker->fc1, work->text, text, 0, work->text_hidden, text, count, &silu);
    kz__linear_run(run, &talker->fc2, work->text_hidden, text, 0, out, talker->width, count, NULL);
    return KZ_OK;
}

kz_status kz__talker_text_rows(const kz__run *run, kz__talker_work *work, const int32_t *ids,
                               size_t count, float *out, kz__err *err) {
    size_t width = work->talker->width;
    size_t pads = 0;
    while (pads < count && ids[pads] == work->talker->config->tts_pad) pads++;
    if (pads < count) return project(run, work, ids, count, out, err);
    if (count && !work->pad_known) {
        kz_status status = project(run, work, ids, 1, work->pad, err);
        if (status) return status;
        work->pad_known = true;
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(out + i * width, work->pad, width * sizeof *out);
    }
    return KZ_OK;
}

kz_status kz__talker_codec_row(const kz__talker *talker, int32_t id, float *row, kz__err *err) {
    return kz__embedding_row(&talker->codec_embedding, talker->rows, (size_t)id, row, err);
}

/* Hidden state and logits of the turns that ask for them, all in one product. */
static void finish_turns(const kz__run *run, kz__talker_work *work, const kz__talker_turn *turns,
                         size_t count) {
    const kz__talker *talker = work->talker;
    size_t vocab = talker->head.panels * 16;
    size_t row = 0;
    size_t asked = 0;
    for (size_t i = 0; i < count; i++) {
        row += turns[i].rows;
        if (!turns[i].last) continue;
        memcpy(work->last + asked++ * talker->width, work->rows + (row - 1) * talker->width,
               talker->width * sizeof(float));
    }
    if (asked == 0) return;
    kz__stack_norm(run, &talker->stack, work->last, work->last, asked);
    kz__linear_run(run, &talker->head, work->last, talker->width, 0, work->logits, vocab, asked,
                   NULL);
    asked = 0;
    for (size_t i = 0; i < count; i++) {
        if (!turns[i].last) continue;
        memcpy(turns[i].state->hidden, work->last + asked * talker->width,
               talker->width * sizeof(float));
        memcpy(turns[i].state->logits, work->logits + asked * vocab, vocab * sizeof(float));
        asked++;
    }
}

kz_status kz__talker_run(const kz__run *run, kz__talker_work *work, const kz__talker_turn *turns,
                         size_t count, kz__err *err) {
    kz__span spans[KZ__SLOTS] = {{0}};
    for (size_t i = 0; i < count; i++) {
        spans[i].cache = &turns[i].state->cache;
        spans[i].rows = turns[i].rows;
    }
    kz_status status = kz__stack_run(run, &work->stack, work->rows, spans, count, err);
    if (!status) finish_turns(run, work, turns, count);
    return status;
}
