/* The frame loop: prompt -> talker -> 16 codes, until end of speech, a limit, a loop, or a cancel.
 *
 *     prefill all prompt rows -> hidden, logits
 *     loop:  c0 = sample(logits);  end of speech or limit: stop
 *            c1..c15 = predictor(hidden, c0), one pass each
 *            row = C(c0) + sum of the other codes' embeddings + next text row (tts_pad after the
 *            text)
 *            hidden, logits = talker(row)
 */
#include "base/clock.h"
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

/* Adds the time since the last lap to a total. Laps follow each other, so totals do not overlap. */
static void lap(kz_session *s, double *total) {
    double now = kz__now_ms();
    *total += now - s->mark;
    s->mark = now;
}

static void tap(kz_session *s, const char *name, const float *data, size_t rows, size_t width) {
    if (!s->tap) return;
    size_t shape[2] = {rows, width};
    s->tap(s->tap_user, name, s->tap_frame, data, shape, 2);
}


static kz_status finite(kz_session *s, const float *x, size_t n, const char *stage) {
    if (s->run.kernels->finite(x, n)) return KZ_OK;
    return kz__fail(&s->err, KZ_ERR_FAILED, "the %s gave a value that is not finite at frame %zu",
                    stage, s->frames);
}

/* ---- prompt -------------------------------------------------------------------------------- */

void kz__generate_embed(const kz__run *run, kz__talker_state *talker, const kz_model *model,
                        const kz__utterance *u, const kz__prompt *prompt, size_t first,
                        size_t count, size_t *reference, float *rows) {
    int32_t ids[KZ__TALKER_ROWS] = {0};
    for (size_t i = 0; i < count; i++) ids[i] = prompt->rows[first + i].text_id;
    kz__talker_text_rows(run, talker, ids, count, rows);
    for (size_t i = 0; i < count; i++) {
        kz__prompt_row_add(model, u, &prompt->rows[first + i], reference,
                           rows + i * model->talker.width);
    }
}

static kz_status prefill(kz_session *s) {
    size_t reference = 0;
    kz_status status = KZ_OK;
    s->mark = kz__now_ms();
    s->tap_frame = -1;
    for (size_t at = 0; !status && at < s->prompt.count; at += KZ__TALKER_ROWS) {
        size_t count = s->prompt.count - at;
        if (count > KZ__TALKER_ROWS) count = KZ__TALKER_ROWS;
        kz__generate_embed(&s->run, &s->talker, s->model, &s->request, &s->prompt, at, count,
                           &reference, s->talker.rows);
        for (size_t r = 0; r < count; r++) {
            tap(s, "prompt", s->talker.rows + r * s->model->talker.width, 1,
                s->model->config.talker.width);
        }
        status = kz__talker_run(&s->run, &s->talker, count, at + count == s->prompt.count, &s->err);
        if (atomic_load(&s->cancel)) break;
    }
    s->logits_ready = true;
    lap(s, &s->result.prefill_ms);
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

kz_status kz__generate_begin(kz_session *s) {
    const kz__config *c = &s->model->config;
    const kz__utterance *u = &s->request;
    kz_status status = kz__utterance_prompt(s->model, &s->mem, u, &s->prompt, &s->err);
    if (status) return status;
    s->result.prompt_rows = s->prompt.count;
    if (s->prompt.count + 2 > c->max_positions) {
        return kz__fail(&s->err, KZ_ERR_INPUT,
                        "the prompt has %zu rows, the model has %zu positions: shorten the text",
                        s->prompt.count, c->max_positions);
    }
    kz__guard_init(&s->guard, c->code_groups, u->text.count - u->reference_text_count);
    s->phase = KZ__SPEAK;
    s->bound = frame_bound(s);
    s->result.max_frames = (int)s->bound;
    if (s->script) return KZ_OK;
    kz__stack_state_reset(&s->talker.stack);
    return prefill(s);
}

/* ---- a frame ------------------------------------------------------------------------------- */

/* The sum of a frame's code embeddings and the next text row; false while that text is not
 * there. */
static bool feed(kz_session *s) {
    const kz_model *m = s->model;
    const kz__config *c = &m->config;
    const kz__utterance *u = &s->request;
    size_t at = s->prompt.text_used + s->frames - 1;
    int32_t id = c->tts_pad;
    if (!s->prompt.eos_used && at < u->text.count) {
        id = u->text.data[at];
    } else if (!s->prompt.eos_used && !u->text_done) {
        return false;
    } else if (!s->prompt.eos_used && at == u->text.count) {
        id = c->tts_eos;
    }
    const int32_t *codes = s->codes + (s->frames - 1) * c->code_groups;
    float *row = s->talker.rows;
    float *part = s->talker.hidden; /* free until the next step */
    float *text = s->talker.rows + m->talker.width;
    kz__talker_codec_row(&m->talker, codes[0], row);
    for (size_t g = 1; g < c->code_groups; g++) {
        kz__predictor_code_row(&m->predictor, g, codes[g], part);
        s->run.kernels->add(row, row, part, m->talker.width);
    }
    lap(s, &s->result.copy_ms);
    kz__talker_text_rows(&s->run, &s->talker, &id, 1, text);
    s->run.kernels->add(row, row, text, m->talker.width);
    return true;
}

static kz_status advance(kz_session *s) {
    if (!feed(s)) return KZ_NEED_TEXT;
    s->tap_frame = (long)s->frames;
    tap(s, "talker.input", s->talker.rows, 1, s->model->config.talker.width);
    kz_status status = kz__talker_run(&s->run, &s->talker, 1, true, &s->err);
    s->logits_ready = true;
    lap(s, &s->result.talker_ms);
    return status;
}

static int32_t draw(kz_session *s, const kz__sample_rules *rules, size_t codebook, float *logits,
                    size_t count) {
    kz__draw_key key = {0};
    key.seed = s->request.seed;
    key.frame = (uint32_t)s->frames;
    key.codebook = (uint32_t)codebook;
    key.piece = s->request.piece;
    int32_t code = kz__sample(rules, &key, logits, count, s->slots);
    lap(s, &s->result.sampler_ms);
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
    tap(s, "talker.hidden", s->talker.hidden, 1, c->talker.width);
    tap(s, "talker.logits", s->talker.logits, 1, c->talker_vocab);
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

/* One pass: the logits of code pass + 1, and its draw. */
static kz_status draw_pass(kz_session *s, size_t pass, int32_t *code) {
    const kz__config *c = &s->model->config;
    bool oracle = (s->request.flags & KZ_CP_ORACLE) != 0;
    kz_status status = kz__predictor_pass(&s->run, &s->predictor, pass, oracle, &s->err);
    if (!status) status = finite(s, s->predictor.logits, c->predictor_vocab, "code predictor");
    if (status) return status;
    double before = s->mark;
    lap(s, &s->result.predictor_ms);
    if (pass < KZ_PREDICTOR_PASSES) s->result.predictor_pass_ms[pass] += s->mark - before;
    if (s->tap) {
        char name[40];
        snprintf(name, sizeof name, "predictor.logits.%02zu", pass);
        tap(s, name, s->predictor.logits, 1, c->predictor_vocab);
    }
    kz__sample_rules rules;
    kz__sample_rules_init(&rules, &s->request.predictor);
    set_history(s, &rules, pass + 1);
    *code = draw(s, &rules, pass + 1, s->predictor.logits, c->predictor_vocab);
    if (*code >= 0) return KZ_OK;
    return kz__fail(&s->err, KZ_ERR_FAILED,
                    "no code is left to draw from the code predictor at frame %zu", s->frames);
}

static kz_status draw_rest(kz_session *s, int32_t *codes) {
    const kz_model *m = s->model;
    memcpy(kz__predictor_input(&s->predictor, 0), s->talker.hidden,
           m->talker.width * sizeof(float));
    kz__talker_codec_row(&m->talker, codes[0], kz__predictor_input(&s->predictor, 1));
    lap(s, &s->result.copy_ms);
    for (size_t pass = 0; pass < m->predictor.passes; pass++) {
        kz_status status = draw_pass(s, pass, &codes[pass + 1]);
        if (status) return status;
        if (pass + 1 == m->predictor.passes) break;
        kz__predictor_code_row(&m->predictor, pass + 1, codes[pass + 1],
                               kz__predictor_input(&s->predictor, pass + 2));
        lap(s, &s->result.copy_ms);
    }
    return KZ_OK;
}

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

kz_status kz__generate_frame(kz_session *s) {
    const kz__config *c = &s->model->config;
    s->bound = frame_bound(s);
    s->result.max_frames = (int)s->bound;
    s->mark = kz__now_ms();
    int32_t *codes = s->codes + s->frames * c->code_groups;
    kz_status status = KZ_OK;
    if (s->script) {
        status = scripted(s, codes);
    } else {
        if (s->frames && s->frames == s->request.exact_frames) {
            ended(s, -1);
            return KZ_DONE;
        }
        if (!s->logits_ready) status = advance(s);
        if (!status) status = draw_first(s, &codes[0]);
    }
    if (status) return status;
    if (ended(s, codes[0])) return KZ_DONE;
    if (!s->script) status = draw_rest(s, codes);
    if (status) return status;
    s->frames++;
    s->result.frames = s->frames;
    s->logits_ready = false;
    kz__guard_set_text(&s->guard, s->request.text.count - s->request.reference_text_count);
    size_t cycle = kz__guard_push(&s->guard, codes);
    if (cycle && !s->request.exact_frames) {
        kz__generate_finish(s, KZ_FINISH_GUARD, "a loop of %zu frame%s", cycle,
                            cycle == 1 ? "" : "s");
        return KZ_DONE;
    }
    return KZ_OK;
}
