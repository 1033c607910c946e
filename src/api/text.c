/* Calls on text: token ids, pieces of a long text, and the prompt row by row. */
#include "base/fpenv.h"
#include "base/sized.h"
#include "engine/session.h"
#include "text/split.h"

kz_status kz_tokenize(const kz_model *model, const char *text, size_t length, unsigned flags,
                      int32_t *ids, size_t capacity, size_t *count, char *error,
                      size_t error_capacity) {
    kz__err err = {""};
    kz__mem mem;
    kz__ints list;
    if (!count) return KZ_ERR_USAGE;
    *count = 0;
    if (!model || !model->tokenizer || (!text && length) || (!ids && capacity)) {
        kz__fail(&err, KZ_ERR_USAGE, "tokenizing needs a model with a tokenizer, and a text");
        kz__err_copy(&err, error, error_capacity);
        return KZ_ERR_USAGE;
    }
    kz__mem_init_like(&mem, &model->mem);
    kz__ints_init(&list, &mem);
    kz_status status = kz__model_encode(model, &mem, text, length, flags, &list, &err);
    if (!status) {
        *count = list.count;
        for (size_t i = 0; i < list.count && i < capacity; i++) ids[i] = list.data[i];
    }
    kz__ints_clear(&list);
    kz__err_copy(&err, error, error_capacity);
    return status;
}

const char *kz_token_text(const kz_model *model, int32_t id, size_t *length) {
    const char *bytes = NULL;
    size_t found = 0;
    if (length) *length = 0;
    if (!model || !model->tokenizer) return NULL;
    if (!kz__tokenizer_token(model->tokenizer, id, &bytes, &found)) return NULL;
    if (length) *length = found;
    return bytes;
}

kz_status kz_split(const char *text, size_t length, const kz_split_options *given,
                   kz_piece *pieces, size_t capacity, size_t *count, char *error,
                   size_t error_capacity) {
    static const kz__sized shape = KZ__SIZED(kz_split_options, limit);
    kz__err err = {""};
    kz__mem mem;
    kz__pieces list;
    kz_split_options options;
    if (!count) return KZ_ERR_USAGE;
    *count = 0;
    kz_split_options_init(&options);
    kz_status status = given ? kz__sized_take(&shape, given, &options, &err) : KZ_OK;
    if (!status && ((!text && length) || (!pieces && capacity))) {
        status = kz__fail(&err, KZ_ERR_USAGE, "splitting needs a text, and room for the pieces");
    }
    if (!status) status = kz__mem_init(&mem, options.allocator, &err);
    if (!status) {
        kz__pieces_init(&list, &mem);
        status = kz__split(text, length, &options, &list, &err);
        if (!status) *count = list.count;
        for (size_t i = 0; pieces && i < *count && i < capacity; i++) pieces[i] = list.data[i];
        kz__pieces_clear(&list);
    }
    kz__err_copy(&err, error, error_capacity);
    return status;
}

/* The rows of the prefill, then the text side of the frames that follow. */
typedef struct listing {
    kz__prompt all; /* rows of the prefill and trailing rows */
    size_t prefill;
} listing;

static kz_status list_rows(kz_session *s, listing *list) {
    const kz__config *c = &s->model->config;
    const kz__utterance *u = &s->request;
    kz_status status = kz__utterance_prompt(s->model, &s->mem, u, &s->prompt, &s->err);
    if (status) return status;
    const kz__prompt *p = &s->prompt;
    size_t rest = p->eos_used ? 0 : u->text.count - p->text_used;
    list->prefill = p->count;
    list->all.rows = kz__calloc(&s->mem, p->count + rest + 1, sizeof *list->all.rows);
    if (!list->all.rows) return kz__fail_memory(&s->err);
    memcpy(list->all.rows, p->rows, p->count * sizeof *p->rows);
    list->all.count = p->count;
    for (size_t i = 0; i <= rest; i++) {
        kz_prompt_row *row = &list->all.rows[list->all.count++];
        row->text_id = i < rest ? u->text.data[p->text_used + i]
                                : p->eos_used ? c->tts_pad : c->tts_eos;
        row->codec_id = KZ__ROW_NONE;
        row->role = i < rest ? "text" : p->eos_used ? "pad" : "eos";
    }
    return KZ_OK;
}

static kz_status embed_rows(kz_session *s, const listing *list, float *embeddings, size_t count) {
    size_t width = s->model->config.talker.width;
    size_t reference = 0;
    for (size_t at = 0; at < count; at += KZ__TALKER_ROWS) {
        size_t rows = count - at < KZ__TALKER_ROWS ? count - at : KZ__TALKER_ROWS;
        float *embedded = s->work->talker.rows;
        kz_status status = kz__generate_embed(s->work, &s->request, &list->all, at, rows,
                                              &reference, embedded, &s->err);
        if (status) return status;
        for (size_t r = 0; r < rows; r++) {
            memcpy(embeddings + (at + r) * width, embedded + r * s->model->talker.width,
                   width * sizeof *embeddings);
        }
    }
    return KZ_OK;
}

static kz_status list_prompt(kz_session *s, const kz_request *given, kz_prompt_row *rows,
                             float *embeddings, size_t capacity, size_t *count, size_t *prompt) {
    listing list = {0};
    kz_request request;
    kz_status status = kz__request_take(given, &request, &s->err);
    if (!status && !request.text) {
        status = kz__fail(&s->err, KZ_ERR_USAGE, "a prompt needs a request with its text");
    }
    if (!status) status = kz__utterance_fill(s, &request);
    if (!status) status = list_rows(s, &list);
    if (!status) {
        *count = list.all.count;
        *prompt = list.prefill;
        size_t shown = list.all.count < capacity ? list.all.count : capacity;
        if (rows) memcpy(rows, list.all.rows, shown * sizeof *rows);
        if (embeddings) status = embed_rows(s, &list, embeddings, shown);
    }
    kz__prompt_clear(&s->mem, &list.all);
    return status;
}

kz_status kz_prompt(const kz_model *model, const kz_request *request, kz_prompt_row *rows,
                    float *embeddings, size_t capacity, size_t *count, size_t *prompt, char *error,
                    size_t error_capacity) {
    if (!count || !prompt) return KZ_ERR_USAGE;
    *count = *prompt = 0;
    kz_session_options options;
    kz_session_options_init(&options);
    options.threads = 1;
    kz_session *s = NULL;
    kz_status status = kz_session_create(model, &options, &s, error, error_capacity);
    if (status) return status;
    kz__fpenv saved = kz__fpenv_set();
    if (!model->has_talker) {
        status = kz__fail(&s->err, KZ_ERR_MODEL, "only a codec was opened, it has no prompt");
    } else {
        status = list_prompt(s, request, rows, embeddings, capacity, count, prompt);
    }
    kz__fpenv_restore(saved);
    kz__err_copy(&s->err, error, error_capacity);
    kz_session_free(s);
    return status;
}
