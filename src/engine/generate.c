/* The frame loop: prompt -> talker -> 16 codes, until end of speech, a limit, a loop, or a cancel.
 * One session or a batch of them, in step: a lone session is a batch of one.
 *
 *     prefill the prompt rows, a piece a step -> hidden, logits
 *     loop:  c0 = sample(logits);  end of speech or limit: stop
 *            c1..c15 = predictor(hidden, c0), one pass each
 *            row = C(c0) + sum of the other codes' embeddings + next text row (tts_pad after the
 *            text)
 *            hidden, logits = talker(row)
 */
#include "base/clock.h"
#include "engine/prefix.h"
#include "engine/session.h"

#include <stdarg.h>
#include <stdio.h>

void kz__generate_finish(kz_session *s, kz_finish finish, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(s->detail, sizeof s->detail, format, args);
    va_end(args);
    s->result.finish = finish;
    s->phase = KZ__DRAIN;
}

/* Time since the last lap. Laps follow each other, so totals do not overlap; what sessions do
 * together is shared out among them. */
static double lap(kz__work *w, size_t sessions) {
    double now = kz__now_ms();
    double spent = (now - w->mark) / (double)sessions;
    w->mark = now;
    return spent;
}

static void tap(kz_session *s, const char *name, const float *data, size_t width) {
    size_t shape[2] = {1, width};
    if (s->tap) s->tap(s->tap_user, name, s->tap_frame, data, shape, 2);
}

/* Each row of a layer's output belongs to the session that brought it. */
static void tap_layer(void *user, size_t layer, const float *h, size_t ldh, size_t rows,
                      size_t width) {
    kz__work *w = user;
    char name[40];
    snprintf(name, sizeof name, "talker.layer.%02zu", layer);
    for (size_t r = 0; r < rows; r++) tap(w->owners[r], name, h + r * ldh, width);
}

static kz_status finite(kz_session *s, const float *x, size_t n, const char *stage) {
    if (s->work->run.kernels->finite(x, n)) return KZ_OK;
    return kz__fail(&s->err, KZ_ERR_FAILED, "the %s gave a value that is not finite at frame %zu",
                    stage, s->frames);
}

/* ---- prompt -------------------------------------------------------------------------------- */

/* row += the embeddings of a frame's first `groups` codes, which are summed first; group 0 is the
 * talker's. type: what they are rounded to. */
static kz_status add_codes(kz__work *w, kz__dtype type, const int32_t *codes, size_t groups,
                           float *row, kz__err *err) {
    const kz_model *m = w->model;
    float *sum = w->talker.last; /* free until the run */
    float *part = w->talker.last + m->talker.width;
    size_t code = (size_t)codes[0];
    kz_status status = kz__embedding_row(&m->talker.codec_embedding, type, code, sum, err);
    for (size_t g = 1; !status && g < groups; g++) {
        code = (size_t)codes[g];
        status = kz__embedding_row(&m->predictor.embeddings[g - 1], type, code, part, err);
        if (!status) w->run.kernels->add(sum, sum, part, m->talker.width);
    }
    if (!status) w->run.kernels->add(row, row, sum, m->talker.width);
    return status;
}

/* What a row of the prompt has beside its text, as stored. */
static kz_status add_codec_side(kz__work *w, const kz__utterance *u, int32_t id,
                                size_t *reference, float *row, kz__err *err) {
    const kz__config *c = &w->model->config;
    if (id == KZ__ROW_NONE) return KZ_OK;
    if (id == KZ__ROW_SPEAKER) {
        for (size_t i = 0; i < c->talker.width; i++) row[i] += u->speaker_vector[i];
        return KZ_OK;
    }
    if (id != KZ__ROW_REFERENCE) return add_codes(w, KZ__OTHER, &id, 1, row, err);
    const int32_t *codes = u->reference_codes + (*reference)++ * c->code_groups;
    return add_codes(w, KZ__OTHER, codes, c->code_groups, row, err);
}

kz_status kz__generate_embed(kz__work *w, const kz__utterance *u, const kz__prompt *prompt,
                             size_t first, size_t count, size_t *reference, float *rows,
                             kz__err *err) {
    int32_t ids[KZ__TALKER_ROWS] = {0};
    for (size_t i = 0; i < count; i++) ids[i] = prompt->rows[first + i].text_id;
    kz_status status = kz__talker_text_rows(&w->run, &w->talker, ids, count, rows, err);
    for (size_t i = 0; !status && i < count; i++) {
        status = add_codec_side(w, u, prompt->rows[first + i].codec_id, reference,
                                rows + i * w->model->talker.width, err);
    }
    return status;
}

/* The bound in force now: what the request says, or one that grows with the text. */
static size_t frame_bound(const kz_session *s) {
    const kz__config *c = &s->model->config;
    const kz__utterance *u = &s->request;
    size_t room = c->max_positions - s->prompt.count - 1;
    size_t bound = u->exact_frames;
    if (!bound && u->user_limit) bound = u->max_frames;
    if (!bound && !u->user_limit) {
        size_t ceiling = c->max_new_tokens > 1 ? c->max_new_tokens - 1 : 1;
        bound = kz__guard_bound(u->text.count - u->reference_text_count, ceiling);
    }
    return bound < room ? bound : room;
}

/* The rows that every utterance of this voice begins with. The last row of a prompt is run in any
 * case, for its logits. */
static kz__prefix_rows voice_rows(const kz_session *s) {
    const kz__utterance *u = &s->request;
    kz__prefix_rows rows = {0};
    rows.rows = s->prompt.rows;
    rows.count = s->prompt.fixed < s->prompt.count ? s->prompt.fixed : s->prompt.count - 1;
    rows.vector = u->speaker_vector;
    rows.width = u->speaker_vector ? s->model->config.talker.width : 0;
    rows.codes = u->reference_codes;
    rows.groups = s->model->config.code_groups;
    return rows;
}

/* Takes over what the model knows of these rows; a tap wants to see all of them. */
static void fetch_rows(kz_session *s) {
    kz__prefix_rows rows = voice_rows(s);
    s->prompt_at = s->reference_at = 0;
    kz__kvcache_reset(&s->talker.cache);
    if (s->tap || s->script || (s->request.flags & KZ_ALL_ROWS)) return;
    s->prompt_at = kz__prefix_fetch(s->model->keep, &rows, &s->talker.cache);
    for (size_t i = 0; i < s->prompt_at; i++) {
        s->reference_at += rows.rows[i].codec_id == KZ__ROW_REFERENCE;
    }
}

/* Remembers what was run, when the first sound has left. */
static void keep_rows(kz_session *s) {
    kz__prefix_rows rows = voice_rows(s);
    if (s->frames != 1 || s->script || (s->request.flags & KZ_ALL_ROWS)) return;
    if (s->result.prompt_rows_kept == rows.count) return;
    kz__prefix_keep(s->model->keep, &rows, &s->talker.cache);
    s->result.copy_ms += lap(s->work, 1);
}

kz_status kz__generate_begin(kz_session *s) {
    const kz__config *c = &s->model->config;
    const kz__utterance *u = &s->request;
    s->prompt_at = 0;
    kz_status status = kz__utterance_prompt(s->model, &s->mem, u, &s->prompt, &s->err);
    if (status) return status;
    s->result.prompt_rows = s->prompt.count;
    if (s->prompt.count + 2 > c->max_positions) {
        return kz__fail(&s->err, KZ_ERR_INPUT,
                        "the prompt has %zu rows, the model has %zu positions: shorten the text",
                        s->prompt.count, c->max_positions);
    }
    kz__guard_init(&s->guard, c->code_groups, u->text.count - u->reference_text_count);
    s->bound = frame_bound(s);
    s->result.max_frames = (int)s->bound;
    fetch_rows(s);
    s->result.prompt_rows_kept = s->prompt_at;
    s->phase = s->script ? KZ__SPEAK : KZ__PREFILL;
    return KZ_OK;
}

/* ---- the talker's rows --------------------------------------------------------------------- */

/* The text id of the row that follows frame s->frames - 1; false while that text is not there. */
static bool next_text(const kz_session *s, int32_t *id) {
    const kz__config *c = &s->model->config;
    const kz__utterance *u = &s->request;
    size_t at = s->prompt.text_used + s->frames - 1;
    *id = c->tts_pad;
    if (s->prompt.eos_used) return true;
    if (at < u->text.count) {
        *id = u->text.data[at];
    } else if (!u->text_done) {
        return false;
    } else if (at == u->text.count) {
        *id = c->tts_eos;
    }
    return true;
}

/* The rows of a step, and whose they are. */
typedef struct lineup {
    kz__talker_turn turns[KZ__SLOTS];
    kz_session *sessions[KZ__SLOTS];
    size_t count, rows;
} lineup;

static float *join(kz__work *w, lineup *l, kz_session *s, size_t rows, bool last) {
    float *at = w->talker.rows + l->rows * w->model->talker.width;
    s->step = kz__kvcache_reserve(&s->talker.cache, rows, &s->err);
    if (s->step) return NULL;
    l->sessions[l->count] = s;
    l->turns[l->count].state = &s->talker;
    l->turns[l->count].rows = rows;
    l->turns[l->count].last = last;
    l->count++;
    for (size_t r = 0; r < rows; r++) w->owners[l->rows++] = s;
    if (s->tap) w->talker.stack.tap = tap_layer;
    return at;
}

/* A row each of the sessions that speak and whose text is there: text and the last frame's codes.
 */
static void line_up_frames(kz__work *w, lineup *l, kz_session *const *sessions, size_t count) {
    const kz__config *c = &w->model->config;
    kz__dtype type = w->model->talker.rows;
    int32_t ids[KZ__SLOTS] = {0};
    size_t first = l->count;
    kz__err err = {""};
    for (size_t i = 0; i < count; i++) {
        kz_session *s = sessions[i];
        if (s->phase != KZ__SPEAK || s->step || s->script || s->logits_ready) continue;
        if (!next_text(s, &ids[l->count - first])) {
            s->step = KZ_NEED_TEXT;
            continue;
        }
        join(w, l, s, 1, true);
    }
    if (l->count == first) return;
    kz_status status = kz__talker_text_rows(&w->run, &w->talker, ids, l->count - first,
                                            w->talker.rows, &err);
    double text_ms = lap(w, l->count - first);
    for (size_t i = first; i < l->count; i++) {
        kz_session *s = l->sessions[i];
        float *row = w->talker.rows + i * w->model->talker.width;
        const int32_t *codes = s->codes + (s->frames - 1) * c->code_groups;
        if (status) s->err = err;
        s->step = status ? status
                         : add_codes(w, type, codes, c->code_groups, row, &s->err);
        s->tap_frame = (long)s->frames;
        tap(s, "talker.input", row, c->talker.width);
    }
    double spent = lap(w, l->count - first);
    for (size_t i = first; i < l->count; i++) {
        l->sessions[i]->result.talker_ms += text_ms;
        l->sessions[i]->result.copy_ms += spent;
    }
}

/* The next piece of the prompt of those that have not spoken yet, as far as there is room. */
static void line_up_prompts(kz__work *w, lineup *l, kz_session *const *sessions, size_t count) {
    for (size_t i = 0; i < count; i++) {
        kz_session *s = sessions[i];
        if (s->phase != KZ__PREFILL || s->step || l->rows == KZ__TALKER_ROWS) continue;
        size_t rows = s->prompt.count - s->prompt_at;
        if (rows > KZ__TALKER_ROWS - l->rows) rows = KZ__TALKER_ROWS - l->rows;
        float *at = join(w, l, s, rows, s->prompt_at + rows == s->prompt.count);
        if (!at) continue;
        s->step = kz__generate_embed(w, &s->request, &s->prompt, s->prompt_at, rows,
                                     &s->reference_at, at, &s->err);
        s->prompt_at += rows;
        s->tap_frame = -1;
        for (size_t r = 0; r < rows; r++) {
            tap(s, "prompt", at + r * w->model->talker.width, w->model->config.talker.width);
        }
    }
}

/* One run of the talker for all who need logits; the rows of those that failed mean nothing. */
static void run_talker(kz__work *w, kz_session *const *sessions, size_t count) {
    lineup l = {0};
    kz__err err = {""};
    w->talker.stack.tap = NULL;
    w->talker.stack.tap_user = w;
    line_up_frames(w, &l, sessions, count);
    line_up_prompts(w, &l, sessions, count);
    if (l.count == 0) return;
    kz_status status = kz__talker_run(&w->run, &w->talker, l.turns, l.count, &err);
    double spent = lap(w, l.count);
    for (size_t i = 0; i < l.count; i++) {
        kz_session *s = l.sessions[i];
        bool prompt = s->phase == KZ__PREFILL;
        *(prompt ? &s->result.prefill_ms : &s->result.talker_ms) += spent;
        s->logits_ready = l.turns[i].last;
        if (s->step) continue;
        s->step = status;
        if (status) s->err = err;
        if (!status && prompt && l.turns[i].last) s->phase = KZ__SPEAK;
    }
}

/* ---- draws --------------------------------------------------------------------------------- */

static int32_t draw(kz_session *s, const kz__sample_rules *rules, size_t codebook, float *logits,
                    size_t count) {
    kz__draw_key key = {0};
    key.seed = s->request.seed;
    key.frame = (uint32_t)s->frames;
    key.codebook = (uint32_t)codebook;
    key.piece = s->request.piece;
    int32_t code = kz__sample(rules, &key, logits, count, s->work->draws);
    s->result.sampler_ms += lap(s->work, 1);
    return code;
}

/* History: the codes of one codebook, as they stand in s->codes. */
static void set_history(const kz_session *s, kz__sample_rules *rules, size_t codebook) {
    rules->history = s->codes + codebook;
    rules->history_count = s->frames;
    rules->history_stride = s->model->config.code_groups;
}

static kz_status draw_first(kz_session *s, int32_t *code) {
    const kz__config *c = &s->model->config;
    const kz__utterance *u = &s->request;
    kz_status status = finite(s, s->talker.hidden, c->talker.width, "talker");
    if (!status) status = finite(s, s->talker.logits, c->talker_vocab, "talker's codec head");
    if (status) return status;
    tap(s, "talker.hidden", s->talker.hidden, c->talker.width);
    tap(s, "talker.logits", s->talker.logits, c->talker_vocab);
    kz__sample_rules rules;
    kz__sample_rules_init(&rules, &u->talker);
    set_history(s, &rules, 0);
    rules.suppress_from = c->talker_vocab - 1024;
    rules.suppress_to = c->talker_vocab;
    rules.keep = c->codec_eos;
    if (s->frames < u->min_frames || u->exact_frames) rules.forbid = c->codec_eos;
    *code = draw(s, &rules, 0, s->talker.logits, c->talker_vocab);
    if (*code >= 0) return KZ_OK;
    return kz__fail(&s->err, KZ_ERR_FAILED, "no code is left to draw from the talker at frame %zu",
                    s->frames);
}

/* Code pass + 1 from its logits, and its embedding as the input of the next pass. */
static kz_status draw_pass(kz_session *s, size_t pass) {
    const kz_model *m = s->model;
    const kz__config *c = &m->config;
    int32_t *code = s->codes + s->frames * c->code_groups + pass + 1;
    kz_status status = finite(s, s->predictor.logits, c->predictor_vocab, "code predictor");
    if (status) return status;
    if (s->tap) {
        char name[40];
        snprintf(name, sizeof name, "predictor.logits.%02zu", pass);
        tap(s, name, s->predictor.logits, c->predictor_vocab);
    }
    kz__sample_rules rules;
    kz__sample_rules_init(&rules, &s->request.predictor);
    set_history(s, &rules, pass + 1);
    *code = draw(s, &rules, pass + 1, s->predictor.logits, c->predictor_vocab);
    if (*code < 0) {
        return kz__fail(&s->err, KZ_ERR_FAILED,
                        "no code is left to draw from the code predictor at frame %zu", s->frames);
    }
    if (pass + 1 < m->predictor.passes) {
        status = kz__predictor_code_row(&m->predictor, pass + 1, *code,
                                        kz__predictor_input(&s->predictor, pass + 2), &s->err);
        s->result.copy_ms += lap(s->work, 1);
    }
    return status;
}

/* One pass of the predictor for those of the sessions whose oracle flag is so. */
static void run_pass(kz__work *w, kz_session *const *sessions, size_t count, size_t pass,
                     bool oracle) {
    kz__predictor_state *states[KZ__SLOTS];
    kz_session *those[KZ__SLOTS];
    kz__err err = {""};
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (sessions[i]->step) continue;
        if (((sessions[i]->request.flags & KZ_CP_ORACLE) != 0) != oracle) continue;
        those[n] = sessions[i];
        states[n++] = &sessions[i]->predictor;
    }
    if (n == 0) return;
    kz_status status = kz__predictor_pass(&w->run, &w->predictor, states, n, pass, oracle, &err);
    double spent = lap(w, n);
    for (size_t i = 0; i < n; i++) {
        kz_session *s = those[i];
        s->result.predictor_ms += spent;
        if (pass < KZ_PREDICTOR_PASSES) s->result.predictor_pass_ms[pass] += spent;
        s->step = status;
        if (status) s->err = err;
        if (!status) s->step = draw_pass(s, pass);
    }
}

/* Codes 1..15 of all sessions, pass after pass. */
static void run_predictor(kz__work *w, kz_session *const *sessions, size_t count) {
    const kz_model *m = w->model;
    for (size_t i = 0; i < count; i++) {
        kz_session *s = sessions[i];
        const int32_t *codes = s->codes + s->frames * m->config.code_groups;
        memcpy(kz__predictor_input(&s->predictor, 0), s->talker.hidden,
               m->talker.width * sizeof(float));
        s->step = kz__talker_codec_row(&m->talker, codes[0], kz__predictor_input(&s->predictor, 1),
                                       &s->err);
        s->result.copy_ms += lap(w, 1);
    }
    for (size_t pass = 0; pass < m->predictor.passes; pass++) {
        run_pass(w, sessions, count, pass, false);
        run_pass(w, sessions, count, pass, true);
    }
}

/* ---- a step -------------------------------------------------------------------------------- */

/* Ends the utterance where c0 or the limits say so. */
static bool ended(kz_session *s, int32_t code) {
    const kz__utterance *u = &s->request;
    if (code == s->model->config.codec_eos) {
        kz__generate_finish(s, KZ_FINISH_STOP, "%s", "");
        return true;
    }
    if (s->frames < s->bound) return false;
    bool user = u->exact_frames == s->bound || (u->user_limit && u->max_frames == s->bound);
    kz__generate_finish(s, user ? KZ_FINISH_LENGTH : KZ_FINISH_GUARD,
                        user ? "limit of %zu frames" : "%zu frames without an end of speech",
                        s->bound);
    return true;
}

static kz_status scripted(kz_session *s, int32_t *codes) {
    int answer = s->script(s->script_user, s->frames, codes);
    if (answer < 0) {
        return kz__fail(&s->err, KZ_ERR_FAILED, "the script failed at frame %zu", s->frames);
    }
    if (answer > 0) codes[0] = s->model->config.codec_eos;
    return KZ_OK;
}

/* An exact number of frames needs no talker behind the last one. */
static void begin_step(kz_session *s) {
    s->step = KZ_OK;
    if (s->phase != KZ__SPEAK) return;
    keep_rows(s);
    s->bound = frame_bound(s);
    s->result.max_frames = (int)s->bound;
    if (s->script || s->frames == 0 || s->frames != s->request.exact_frames) return;
    ended(s, -1);
    s->step = KZ_DONE;
}

/* The first code; true where the frame goes on to the predictor. */
static bool begin_frame(kz_session *s) {
    int32_t *codes = s->codes + s->frames * s->model->config.code_groups;
    if (s->step || s->phase != KZ__SPEAK) return false;
    if (!s->script && !s->logits_ready) return false;
    s->step = s->script ? scripted(s, codes) : draw_first(s, codes);
    if (!s->step && ended(s, codes[0])) s->step = KZ_DONE;
    return s->step == KZ_OK;
}

static void end_frame(kz_session *s) {
    const int32_t *codes = s->codes + s->frames * s->model->config.code_groups;
    if (s->step) return;
    s->frames++;
    s->result.frames = s->frames;
    s->logits_ready = false;
    kz__guard_set_text(&s->guard, s->request.text.count - s->request.reference_text_count);
    size_t cycle = kz__guard_push(&s->guard, codes);
    if (!cycle || s->request.exact_frames) return;
    kz__generate_finish(s, KZ_FINISH_GUARD, "a loop of %zu frame%s", cycle, cycle == 1 ? "" : "s");
    s->step = KZ_DONE;
}

void kz__generate_step(kz__work *w, kz_session *const *sessions, size_t count) {
    kz_session *frames[KZ__SLOTS]; /* those that make a frame */
    kz_session *spoken[KZ__SLOTS]; /* ... by talker and predictor */
    size_t made = 0;
    size_t n = 0;
    w->mark = kz__now_ms();
    for (size_t i = 0; i < count; i++) begin_step(sessions[i]);
    run_talker(w, sessions, count);
    for (size_t i = 0; i < count; i++) {
        if (!begin_frame(sessions[i])) continue;
        frames[made++] = sessions[i];
        if (!sessions[i]->script) spoken[n++] = sessions[i];
    }
    if (n) run_predictor(w, spoken, n);
    for (size_t i = 0; i < made; i++) end_frame(frames[i]);
}
