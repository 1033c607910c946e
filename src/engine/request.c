/* A request becomes ids: text and instruction through the tokenizer, names through the config,
 * options checked against their ranges. */
#include "base/sized.h"
#include "engine/session.h"
#include "engine/voice.h"
#include "text/cleanup.h"

#include <stdarg.h>
#include <stdio.h>

/* What does not fit the model but can be left out: told, or refused where the caller is strict. */
static kz_status notice(kz_session *s, const kz_request *r, const char *text) {
    return kz__notice(r->flags & KZ_STRICT, text, &s->err);
}

kz_status kz__request_take(const kz_request *given, kz_request *request, kz__err *err) {
    static const kz__sized shape = KZ__SIZED(kz_request, text_length);
    kz_request_init(request);
    kz_status status = kz__sized_take(&shape, given, request, err);
    if (!status && request->reserved) {
        status = kz__fail(err, KZ_ERR_USAGE, "reserved of a kz_request is %u, it must be 0",
                          request->reserved);
    }
    return status;
}

/* ---- options ------------------------------------------------------------------------------- */

static kz_status fill_sampling(kz_session *s, const char *who, const kz_sampling *given,
                               const kz_sampling *model, kz_sampling *out) {
    *out = *given;
    if (given->temperature == KZ_DEFAULT) out->temperature = model->temperature;
    if (given->top_k == KZ_DEFAULT) out->top_k = model->top_k;
    if (given->top_p == KZ_DEFAULT) out->top_p = model->top_p;
    if (given->repetition_penalty == KZ_DEFAULT) {
        out->repetition_penalty = model->repetition_penalty;
    }
    if (given->repetition_window == KZ_DEFAULT) out->repetition_window = model->repetition_window;
    const char *what = NULL;
    if (!(out->temperature >= 0 && out->temperature <= 100)) what = "temperature is 0 to 100";
    if (out->top_k < 0) what = "top-k is 0 (off) or more";
    if (!(out->top_p > 0 && out->top_p <= 1)) what = "top-p is above 0 and at most 1";
    if (!(out->repetition_penalty > 0 && out->repetition_penalty <= 100)) {
        what = "repetition penalty is above 0 and at most 100";
    }
    if (out->repetition_window < 0) what = "repetition window is 0 (whole utterance) or more";
    if (what) return kz__fail(&s->err, KZ_ERR_USAGE, "%s: %s", who, what);
    return KZ_OK;
}

static kz_status check_flags(kz_session *s, unsigned flags) {
    const unsigned known =
        KZ_WHOLE_TEXT | KZ_LIVE_TEXT | KZ_AS_REFERENCE | KZ_STRICT | KZ_CP_ORACLE | KZ_ALL_ROWS;
    if (flags & ~known) {
        return kz__fail(&s->err, KZ_ERR_USAGE, "flags 0x%x are not known, these are: 0x%x",
                        flags & ~known, known);
    }
    if ((flags & KZ_WHOLE_TEXT) && (flags & KZ_LIVE_TEXT)) {
        return kz__fail(&s->err, KZ_ERR_USAGE, "whole text and live text exclude each other");
    }
    return KZ_OK;
}

static bool bad_count(int value) {
    return value != KZ_DEFAULT && (value < 0 || value > 1000000);
}

static kz_status fill_limits(kz_session *s, const kz_request *r, kz__utterance *u) {
    if (bad_count(r->min_frames) || bad_count(r->max_frames) || bad_count(r->exact_frames) ||
        bad_count(r->packet) || r->packet == 0) {
        return kz__fail(&s->err, KZ_ERR_USAGE, "frame limits are 0 to 1000000, a packet is 1 to "
                                               "1000000 frames");
    }
    u->exact_frames = r->exact_frames > 0 ? (size_t)r->exact_frames : 0;
    u->user_limit = r->max_frames != KZ_DEFAULT;
    u->max_frames = u->user_limit ? (size_t)r->max_frames : 0;
    u->min_frames = r->min_frames == KZ_DEFAULT ? 2 : (size_t)r->min_frames;
    u->packet = r->packet == KZ_DEFAULT ? 0 : (size_t)r->packet;
    if (u->exact_frames && (u->user_limit || r->min_frames != KZ_DEFAULT)) {
        return kz__fail(&s->err, KZ_ERR_USAGE,
                        "an exact number of frames goes without the lowest and the highest one");
    }
    if (u->user_limit && r->min_frames != KZ_DEFAULT && u->min_frames > u->max_frames) {
        return kz__fail(&s->err, KZ_ERR_USAGE, "at least %zu and at most %zu frames contradict",
                        u->min_frames, u->max_frames);
    }
    size_t wanted = u->exact_frames ? u->exact_frames : u->max_frames;
    if (wanted >= s->model->config.max_positions) {
        return kz__fail(&s->err, KZ_ERR_USAGE,
                        "%zu frames are asked for, the model has %zu positions",
                        wanted, s->model->config.max_positions);
    }
    return KZ_OK;
}

/* ---- text ---------------------------------------------------------------------------------- */

/* Ids of a piece of the template, where control tokens count. Appends. */
static kz_status encode_template(const kz_model *m, const char *text, kz__ints *ids,
                                 kz__err *err) {
    return kz__tokenizer_encode(m->tokenizer, text, strlen(text), KZ__TEXT_SPECIALS, ids, err);
}

static unsigned reference_flags(const kz_model *m) {
    return KZ__TEXT_SPECIALS | (m->config.reference_swaps_pattern ? KZ__TEXT_SECOND : 0u);
}

kz_status kz__model_encode(const kz_model *m, kz__mem *mem, const char *text, size_t length,
                           unsigned flags, kz__ints *ids, kz__err *err) {
    if (flags & KZ_AS_REFERENCE) {
        return kz__tokenizer_encode(m->tokenizer, text, length, reference_flags(m), ids, err);
    }
    char *clean = NULL;
    size_t clean_length = 0;
    kz_status status = kz__cleanup_text(mem, text, length, &clean, &clean_length, err);
    if (status) return status;
    status = kz__tokenizer_encode(m->tokenizer, clean, clean_length, 0, ids, err);
    kz__free(mem, clean);
    return status;
}

/* before + text + after as the official package tokenizes them: all in one. */
static kz_status encode_wrapped(const kz_model *m, kz__mem *mem, const char *before,
                                const char *text, size_t length, const char *after, kz__ints *ids,
                                kz__err *err) {
    size_t first = strlen(before);
    size_t last = strlen(after);
    size_t total = 0;
    if (!kz__add(length, first + last, &total)) return kz__fail_memory(err);
    char *all = kz__alloc(mem, total + 1);
    if (!all) return kz__fail_memory(err);
    memcpy(all, before, first);
    if (length) memcpy(all + first, text, length);
    memcpy(all + first + length, after, last);
    kz_status status = kz__tokenizer_encode(m->tokenizer, all, total, reference_flags(m), ids, err);
    kz__free(mem, all);
    return status;
}

/* Appends the ids of a text in the assistant's turn; role gets the three ids in front of it. The
 * official package cuts by position, which this repeats with KZ_AS_REFERENCE. */
static kz_status encode_turn(kz_session *s, const char *text, size_t length, unsigned flags,
                             const char *after, size_t after_ids, int32_t role[3], kz__ints *ids) {
    const kz_model *m = s->model;
    kz__ints whole;
    kz__ints_init(&whole, &s->mem);
    const char *before = "<|im_start|>assistant\n";
    kz_status status = KZ_OK;
    if (flags & KZ_AS_REFERENCE) {
        status = encode_wrapped(m, &s->mem, before, text, length, after, &whole, &s->err);
    } else {
        status = encode_template(m, before, &whole, &s->err);
        if (!status && whole.count != 3) {
            status = kz__fail(&s->err, KZ_ERR_MODEL,
                              "the tokenizer makes %zu ids of the assistant's turn, wanted 3",
                              whole.count);
        }
        if (!status) status = kz__model_encode(m, &s->mem, text, length, flags, &whole, &s->err);
        after_ids = 0;
    }
    for (size_t i = 0; !status && i < 3 && i < whole.count; i++) role[i] = whole.data[i];
    for (size_t i = 3; !status && i + after_ids < whole.count; i++) {
        if (!kz__ints_push(ids, whole.data[i])) status = kz__fail_memory(&s->err);
    }
    kz__ints_clear(&whole);
    return status;
}

static kz_status fill_instruct(kz_session *s, const kz_request *r, kz__utterance *u) {
    const kz_model *m = s->model;
    if (kz__is_blank_text(r->instruct)) return KZ_OK;
    if (!m->config.takes_instruct) {
        if (r->flags & KZ_AS_REFERENCE) return KZ_OK;
        return notice(s, r, "this model takes no instruction: the one given has no effect");
    }
    const char *before = "<|im_start|>user\n";
    const char *after = "<|im_end|>\n";
    size_t length = strlen(r->instruct);
    if (r->flags & KZ_AS_REFERENCE) {
        return encode_wrapped(m, &s->mem, before, r->instruct, length, after, &u->instruct,
                              &s->err);
    }
    kz_status status = encode_template(m, before, &u->instruct, &s->err);
    if (!status) {
        status = kz__model_encode(m, &s->mem, r->instruct, length, r->flags, &u->instruct,
                                  &s->err);
    }
    return status ? status : encode_template(m, after, &u->instruct, &s->err);
}

static kz_status fill_text(kz_session *s, const kz_request *r, kz__utterance *u) {
    int32_t ignored[3];
    kz_status status = KZ_OK;
    const char *said = u->reference_frames ? r->reference_text : NULL;
    if (said) {
        status = encode_turn(s, said, strlen(said), r->flags, "<|im_end|>\n", 2, ignored,
                             &u->text);
        u->reference_text_count = u->text.count;
    }
    if (status) return status;
    if (!r->text) {
        if (r->flags & KZ_AS_REFERENCE) {
            return kz__fail(&s->err, KZ_ERR_USAGE,
                            "the reference never takes text in parts: give it "
                                                   "whole, or do without its quirks");
        }
        status = kz__textstream_open(kz__tokenizer_bpe(s->model->tokenizer), &s->mem, 0, &s->stream,
                                     &s->err);
        kz__ints role;
        kz__ints_init(&role, &s->mem);
        if (!status) {
            status = encode_template(s->model, "<|im_start|>assistant\n", &role, &s->err);
        }
        if (!status && role.count != 3) {
            status = kz__fail(&s->err, KZ_ERR_MODEL, "the assistant's turn is not 3 ids");
        }
        for (size_t i = 0; !status && i < 3; i++) u->role[i] = role.data[i];
        kz__ints_clear(&role);
        return status;
    }
    if (r->text_length == 0) return kz__fail(&s->err, KZ_ERR_INPUT, "the text is empty");
    u->text_done = true;
    return encode_turn(s, r->text, r->text_length, r->flags, "<|im_end|>\n<|im_start|>assistant\n",
                       5, u->role, &u->text);
}

kz_status kz__utterance_fits(kz_session *s) {
    const kz__config *c = &s->model->config;
    const kz__utterance *u = &s->request;
    size_t tokens = u->text.count - u->reference_text_count;
    size_t limit = c->max_new_tokens > 1 ? c->max_new_tokens - 1 : 1;
    if (u->user_limit || u->exact_frames) limit = c->max_positions;
    if (tokens > limit) {
        return kz__fail(&s->err, KZ_ERR_INPUT,
                        "the text has %zu tokens, at most %zu frames can be spoken in one go: give "
                        "it in parts", tokens, limit);
    }
    size_t rows = u->text.count + u->instruct.count + u->reference_frames + 16;
    if (rows > c->max_positions) {
        return kz__fail(&s->err, KZ_ERR_INPUT,
                        "text, instruction and reference take %zu rows, the model has %zu "
                        "positions", rows, c->max_positions);
    }
    return KZ_OK;
}

/* ---- voice --------------------------------------------------------------------------------- */

static kz_status copy_codes(kz_session *s, const kz_request *r, kz__utterance *u) {
    const kz_model *m = s->model;
    size_t groups = m->config.code_groups;
    size_t count = 0;
    if (!kz__mul(r->reference_frames, groups * sizeof(int32_t), &count)) {
        return kz__fail_memory(&s->err);
    }
    for (size_t i = 0; i < r->reference_frames * groups; i++) {
        int32_t code = r->reference_codes[i];
        if (code < 0 || (size_t)code >= m->config.predictor_vocab) {
            return kz__fail(&s->err, KZ_ERR_INPUT,
                            "reference code %d at frame %zu, group %zu: allowed are 0 to %zu", code,
                            i / groups, i % groups, m->config.predictor_vocab - 1);
        }
    }
    u->reference_codes = kz__alloc(&s->mem, count);
    if (!u->reference_codes) return kz__fail_memory(&s->err);
    memcpy(u->reference_codes, r->reference_codes, count);
    u->reference_frames = r->reference_frames;
    return KZ_OK;
}

/* A voice had this look when it was made. */
static kz_status check_pace(kz_session *s, const kz_request *r) {
    const kz__codec_config *codec = &s->model->config.codec;
    char text[KZ__NOTICE_BYTES];
    if (!s->model->has_codec || r->cloned || (r->flags & KZ_AS_REFERENCE)) return KZ_OK;
    double seconds = (double)r->reference_frames * (double)codec->samples_per_frame /
                     (double)codec->sample_rate;
    return kz__pace_odd(r->reference_text, seconds, text) ? notice(s, r, text) : KZ_OK;
}

static kz_status fill_clone(kz_session *s, const kz_request *r, kz__utterance *u) {
    const kz__config *c = &s->model->config;
    if (c->kind != KZ_KIND_BASE) {
        if (!r->speaker_vector && !r->reference_codes) return KZ_OK;
        return kz__fail(&s->err, KZ_ERR_INPUT,
                        "only a base model speaks with a speaker vector or reference codes");
    }
    if (!r->speaker_vector) {
        return kz__fail(&s->err, KZ_ERR_INPUT, "a base model needs a speaker vector of %zu floats",
                        c->talker.width);
    }
    if (r->speaker_vector_length != c->talker.width) {
        return kz__fail(&s->err, KZ_ERR_INPUT,
                        "the speaker vector has %zu floats, this model takes "
                                               "%zu", r->speaker_vector_length, c->talker.width);
    }
    if (!s->work->run.kernels->finite(r->speaker_vector, c->talker.width)) {
        return kz__fail(&s->err, KZ_ERR_INPUT, "the speaker vector has a value that is not finite");
    }
    u->speaker_vector = kz__calloc(&s->mem, s->model->talker.width, sizeof(float));
    if (!u->speaker_vector) return kz__fail_memory(&s->err);
    memcpy(u->speaker_vector, r->speaker_vector, c->talker.width * sizeof(float));
    u->speaker = KZ__ROW_SPEAKER;
    if (!r->reference_codes) return KZ_OK;
    if (!r->reference_frames || kz__is_blank_text(r->reference_text)) {
        return kz__fail(&s->err, KZ_ERR_INPUT,
                        "reference codes need at least one frame and their transcript");
    }
    kz_status status = copy_codes(s, r, u);
    return status ? status : check_pace(s, r);
}

static kz_status fill_voice(kz_session *s, const kz_request *r, kz__utterance *u) {
    const kz__config *c = &s->model->config;
    kz_status status =
        kz__prompt_voice(c, r->voice, r->language, &u->speaker, &u->language, &s->err);
    if (!status) status = fill_clone(s, r, u);
    if (status) return status;
    u->live = c->kind == KZ_KIND_BASE;
    if (r->flags & KZ_WHOLE_TEXT) u->live = false;
    if (r->flags & KZ_LIVE_TEXT) u->live = true;
    return KZ_OK;
}

/* A cloned voice stands for the members that are its parts. */
static kz_status take_cloned(kz_session *s, kz_request *r) {
    const kz_voice *voice = r->cloned;
    if (!voice) return KZ_OK;
    if (r->speaker_vector || r->reference_codes || r->reference_text || r->speaker_vector_length ||
        r->reference_frames) {
        return kz__fail(&s->err, KZ_ERR_USAGE,
                        "a cloned voice, and a speaker vector or a reference beside it, exclude "
                        "each other");
    }
    if (r->voice && r->voice[0]) {
        return kz__fail(&s->err, KZ_ERR_USAGE,
                        "a cloned voice and the voice \"%.40s\" exclude each other", r->voice);
    }
    kz_status status = kz__voice_fits(voice, s->model, &s->err);
    if (status) return status;
    r->speaker_vector = voice->vector;
    r->speaker_vector_length = (size_t)voice->info.vector_length;
    r->reference_codes = voice->codes;
    r->reference_frames = voice->info.frames;
    r->reference_text = voice->codes ? voice->info.transcript : NULL;
    return KZ_OK;
}

/* Told once for a text, with its first piece. */
static kz_status check_language(kz_session *s, const kz_request *r) {
    const kz__config *c = &s->model->config;
    const char *language = NULL;
    char text[KZ__NOTICE_BYTES];
    if (!r->cloned || r->piece || (r->flags & KZ_AS_REFERENCE)) return KZ_OK;
    for (size_t i = 0; i < c->language_count; i++) {
        if (c->languages[i].id == s->request.language) language = c->languages[i].name;
    }
    bool odd = kz__language_odd(r->cloned, language, r->text ? r->text : "",
                                r->text ? r->text_length : 0, text);
    return odd ? notice(s, r, text) : KZ_OK;
}

kz_status kz__utterance_fill(kz_session *s, const kz_request *given) {
    const kz__config *c = &s->model->config;
    kz__utterance *u = &s->request;
    kz_request copy = *given;
    const kz_request *r = &copy;
    u->flags = r->flags;
    u->seed = r->seed;
    u->piece = r->piece;
    kz__ints_init(&u->instruct, &s->mem);
    kz__ints_init(&u->text, &s->mem);
    kz_status status = check_flags(s, r->flags);
    if (!status) status = take_cloned(s, &copy);
    if (!status) status = fill_sampling(s, "talker", &r->talker, &c->sample_talker, &u->talker);
    if (!status) {
        status = fill_sampling(s, "code predictor", &r->predictor, &c->sample_predictor,
                               &u->predictor);
    }
    if (!status) status = fill_limits(s, r, u);
    if (!status) status = fill_voice(s, r, u);
    if (!status) status = fill_instruct(s, r, u);
    if (!status) status = fill_text(s, r, u);
    if (!status) status = check_language(s, r);
    if (!status) status = kz__utterance_fits(s);
    return status;
}

void kz__utterance_clear(kz__mem *mem, kz__utterance *u) {
    if (u->instruct.mem) kz__ints_clear(&u->instruct);
    if (u->text.mem) kz__ints_clear(&u->text);
    kz__free(mem, u->speaker_vector);
    kz__free(mem, u->reference_codes);
    memset(u, 0, sizeof *u);
}

/* ---- prompt -------------------------------------------------------------------------------- */

static kz__prompt_parts parts_of(const kz__utterance *u) {
    kz__prompt_parts p = {0};
    p.instruct = u->instruct.data;
    p.instruct_count = u->instruct.count;
    memcpy(p.role, u->role, sizeof p.role);
    p.text = u->text.data;
    p.text_count = u->text.count;
    p.transcript_count = u->reference_text_count;
    p.reference_frames = u->reference_frames;
    p.live = u->live;
    p.language = u->language;
    p.speaker = u->speaker;
    return p;
}

bool kz__utterance_ready(const kz__utterance *u) {
    kz__prompt_parts p = parts_of(u);
    return u->text_done || u->text.count >= kz__prompt_text_needed(&p);
}

kz_status kz__utterance_prompt(const kz_model *m, kz__mem *mem, const kz__utterance *u,
                               kz__prompt *prompt, kz__err *err) {
    kz__prompt_parts p = parts_of(u);
    kz_status status = kz__prompt_build(mem, &m->config, &p, prompt, err);
    for (size_t i = 0; !status && i < prompt->count; i++) {
        int32_t id = prompt->rows[i].text_id;
        if (id >= 0 && (size_t)id >= m->config.text_vocab) {
            status = kz__fail(err, KZ_ERR_MODEL,
                              "token %d is outside of the text vocabulary of %zu",
                              id, m->config.text_vocab);
        }
    }
    return status;
}
