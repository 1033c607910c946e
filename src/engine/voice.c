/* A recording becomes a voice: speaker vector, codes, and what says which models they are for. */
#include "engine/voice.h"

#include "base/log.h"
#include "base/sized.h"
#include "engine/encode.h"
#include "engine/speaker.h"
#include "model/prompt.h"
#include "text/script.h"
#include "text/split.h"
#include "text/utf8.h"

#include <stdio.h>
#include <strings.h>

/* A second of speech in any script, as kz_split counts letters: quick talkers say some 22, slow
 * ones with pauses 8. Below so many seconds a pause decides. */
#define FASTEST 30.0
#define SLOWEST 5.0
#define PAUSES_BELOW 2.0

#define TAIL_MS 500 /* as other engines put behind recordings against echoes of their end */
#define TAIL_MOST 5000

/* 5 to 15 s make a voice, and memory grows with what is longer. */
#define RECORDING_SECONDS 300

#define VECTOR_SHARE 0.15 /* of the time that a voice takes */

bool kz__is_blank_text(const char *text) {
    return !text || text[strspn(text, " \t\r\n")] == 0;
}

/* ---- what does not fit ---------------------------------------------------------------------- */

kz_status kz__notice(bool strict, const char *text, kz__err *err) {
    if (strict) return kz__fail(err, KZ_ERR_INPUT, "%s", text);
    kz__log(KZ__NOTICE, "%s", text);
    return KZ_OK;
}

bool kz__pace_odd(const char *transcript, double seconds, char notice[KZ__NOTICE_BYTES]) {
    size_t letters = kz__text_length(transcript, strlen(transcript));
    double pace = (double)letters / seconds;
    if (pace <= FASTEST && (pace >= SLOWEST || seconds < PAUSES_BELOW)) return false;
    snprintf(notice, KZ__NOTICE_BYTES,
             "the transcript is %s for the recording (%zu letters in %.1f s; speech has %.0f to "
             "%.0f a second): if it is not what is said there, the voice goes astray",
             pace > FASTEST ? "long" : "short", letters, seconds, SLOWEST, FASTEST);
    return true;
}

bool kz__language_odd(const kz_voice *voice, const char *language, const char *text, size_t length,
                      char notice[KZ__NOTICE_BYTES]) {
    const kz_voice_info *i = &voice->info;
    const char *mine = i->language;
    const char *theirs = language ? language : "";
    if (!mine[0] || !theirs[0]) {
        kz__script a = kz__script_of(i->transcript, strlen(i->transcript));
        kz__script b = kz__script_of(text, length);
        if (!a || !b) return false;
        mine = kz__script_name(a);
        theirs = kz__script_name(b);
    }
    if (!strcasecmp(mine, theirs)) return false;
    snprintf(notice, KZ__NOTICE_BYTES,
             "the voice's recording is in %s%s, the text in %s%s: an accent, or another voice, may "
             "be heard", mine, i->language[0] && language ? "" : " letters", theirs,
             i->language[0] && language ? "" : " letters");
    return true;
}

/* ---- which model ---------------------------------------------------------------------------- */

static const char *kind_name(kz_kind kind) {
    return kind == KZ_KIND_BASE ? "base" : kind == KZ_KIND_CUSTOM_VOICE ? "custom voice"
                                                                       : "voice design";
}

/* What speaks with a model of another kind. */
static kz_status other_kind(const kz_model *m, kz_status status, const char *what, kz__err *err) {
    char list[200] = "";
    const kz__config *c = &m->config;
    if (!m->has_talker) {
        return kz__fail(err, status, "%s a Base model, here only a codec was opened", what);
    }
    for (size_t i = 0; i < c->speaker_count; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : ": ", c->speakers[i].name);
    }
    return kz__fail(err, status, "%s a Base model; this is a %s model, which %s%s", what,
                    kind_name(c->kind),
                    c->kind == KZ_KIND_VOICE_DESIGN ? "takes a description of the voice (instruct)"
                                                    : "has speakers of its own", list);
}

static kz_status misfit(const kz_voice *v, const char *what, int has, size_t wants, kz__err *err) {
    const kz_voice_info *i = &v->info;
    return kz__fail(err, KZ_ERR_INPUT,
                    "the voice%s%s%s was made for another model%s%s: its %s is %d, this model's "
                    "%zu; clone it again with this one", i->name[0] ? " '" : "", i->name,
                    i->name[0] ? "'" : "", i->made_with[0] ? ", of size " : "", i->made_with, what,
                    has, wants);
}

kz_status kz__voice_fits(const kz_voice *v, const kz_model *m, kz__err *err) {
    const kz_voice_info *i = &v->info;
    const kz__config *c = &m->config;
    if (!m->has_talker || c->kind != KZ_KIND_BASE) {
        return other_kind(m, KZ_ERR_INPUT, "a voice made from a recording speaks with", err);
    }
    if ((size_t)i->vector_length != c->talker.width) {
        return misfit(v, "speaker vector's length", i->vector_length, c->talker.width, err);
    }
    if (!i->frames || !m->has_codec) return KZ_OK;
    if ((size_t)i->codes_per_frame != c->code_groups) {
        return misfit(v, "number of codes a frame", i->codes_per_frame, c->code_groups, err);
    }
    if ((size_t)i->codebook_size != c->codec.codebook_size) {
        return misfit(v, "codebooks' size", i->codebook_size, c->codec.codebook_size, err);
    }
    if ((size_t)i->samples_per_frame != c->codec.samples_per_frame) {
        return misfit(v, "number of samples a frame", i->samples_per_frame,
                      c->codec.samples_per_frame, err);
    }
    return KZ_OK;
}

kz_status kz_voice_fits(const kz_voice *voice, const kz_model *model, char *error,
                        size_t capacity) {
    kz__err err = {""};
    kz_status status = voice && model ? kz__voice_fits(voice, model, &err) : KZ_ERR_USAGE;
    kz__err_copy(&err, error, capacity);
    return status;
}

/* ---- making --------------------------------------------------------------------------------- */

typedef struct making {
    const kz_model *model;
    const float *samples;
    size_t count;
    kz_voice_options options;
    bool with_codes;
    kz__mem mem;
    float *vector;
    size_t stages; /* of the speaker encoder that are done */
    int32_t *codes;
    char name[KZ_VOICE_NAME_MOST + 1];
    kz__voice_parts parts;
    kz__err *err;
} making;

static kz_status check_options(making *k) {
    kz_voice_options *o = &k->options;
    if (o->flags & ~(unsigned)(KZ_STRICT | KZ_AS_REFERENCE)) {
        return kz__fail(k->err, KZ_ERR_USAGE, "flags 0x%x: a voice takes KZ_STRICT and "
                        "KZ_AS_REFERENCE", o->flags);
    }
    if (o->tail_ms == KZ_DEFAULT) o->tail_ms = o->flags & KZ_AS_REFERENCE ? 0 : TAIL_MS;
    if (o->tail_ms < 0 || o->tail_ms > TAIL_MOST) {
        return kz__fail(k->err, KZ_ERR_USAGE, "silence of %d ms behind a recording, allowed are 0 "
                        "to %d", o->tail_ms, TAIL_MOST);
    }
    if (o->threads == KZ_DEFAULT) o->threads = kz_default_threads();
    if (o->threads < 1 || o->threads > KZ__THREADS_MAX) {
        return kz__fail(k->err, KZ_ERR_USAGE, "%d threads, allowed are 1 to %d", o->threads,
                        KZ__THREADS_MAX);
    }
    k->with_codes = !kz__is_blank_text(o->transcript);
    if (!o->vector_only || !k->with_codes) return KZ_OK;
    return kz__fail(k->err, KZ_ERR_USAGE, "a transcript and the speaker vector alone exclude each "
                                          "other");
}

static kz_status check_model(making *k) {
    const kz_model *m = k->model;
    if (!m->has_talker || m->config.kind != KZ_KIND_BASE) {
        return other_kind(m, KZ_ERR_MODEL, "voices are made from recordings with", k->err);
    }
    if (!m->has_codec) {
        return kz__fail(k->err, KZ_ERR_MODEL, "this model has no speech tokenizer: give the folder "
                                              "of one (--codec, codec_path)");
    }
    return KZ_OK;
}

static kz_status check_text(making *k, const char *what, const char *text, size_t most) {
    kz__err why = {""};
    if (!text) return KZ_OK;
    if (strlen(text) > most) {
        return kz__fail(k->err, KZ_ERR_INPUT, "the %s has %zu bytes, at most %zu are allowed", what,
                        strlen(text), most);
    }
    if (!kz__utf8_check(text, strlen(text), &why)) return KZ_OK;
    return kz__fail(k->err, KZ_ERR_INPUT, "the %s: %.300s", what, why.text);
}

/* The model's name of the recording's language; NULL for auto. */
static kz_status find_language(making *k, const char **name) {
    const kz__config *c = &k->model->config;
    int32_t speaker = 0;
    int32_t id = -1;
    kz_status status = kz__prompt_voice(c, NULL, k->options.language, &speaker, &id, k->err);
    for (size_t i = 0; !status && i < c->language_count; i++) {
        if (c->languages[i].id == id) *name = c->languages[i].name;
    }
    return status;
}

static kz_status check_texts(making *k) {
    const kz_voice_options *o = &k->options;
    kz_voice_info *i = &k->parts.info;
    bool strict = o->flags & KZ_STRICT;
    char notice[KZ__NOTICE_BYTES];
    kz_status status = check_text(k, "transcript", o->transcript, KZ__VOICE_TRANSCRIPT);
    if (!status) status = check_text(k, "note of consent", o->consent, KZ__VOICE_CONSENT);
    if (!status && o->name && o->name[0]) {
        status = kz__voice_name(&k->mem, o->name, k->name, k->err);
    }
    if (!status) status = find_language(k, &i->language);
    if (status) return status;
    i->name = k->name;
    i->consent = o->consent;
    if (!k->with_codes) {
        if (o->vector_only) return KZ_OK;
        return kz__notice(strict, "there is no transcript of the recording: its sound alone makes "
                          "the voice (the speaker vector), which is less like it", k->err);
    }
    i->transcript = o->transcript;
    double seconds = (double)k->count / (double)k->model->config.codec.sample_rate;
    if (o->flags & KZ_AS_REFERENCE || !kz__pace_odd(o->transcript, seconds, notice)) return KZ_OK;
    return kz__notice(strict, notice, k->err);
}

static kz_status check_recording(making *k, int sample_rate) {
    kz_status status = kz__recording_check(k->model, k->count, sample_rate, k->err);
    if (status || k->count / (size_t)sample_rate < RECORDING_SECONDS) return status;
    return kz__fail(k->err, KZ_ERR_INPUT,
                    "the recording has %.0f s, at most %d make a voice, and 5 to 15 are best: take "
                    "a part of it", (double)k->count / sample_rate, RECORDING_SECONDS);
}

static void describe(making *k) {
    const kz__config *c = &k->model->config;
    kz_voice_info *i = &k->parts.info;
    i->made_with = c->size_name;
    i->version = kz_version();
    i->vector_length = (int)c->talker.width;
    i->sample_rate = (int)c->codec.sample_rate;
    i->samples_per_frame = (int)c->codec.samples_per_frame;
    i->codes_per_frame = (int)c->code_groups;
    i->codebook_size = (int)c->codec.codebook_size;
    i->tail_ms = k->with_codes ? k->options.tail_ms : 0;
    i->samples = k->count;
}

static kz_status tell(making *k, double done) {
    if (!k->options.progress || !k->options.progress(k->options.user, done)) return KZ_OK;
    return kz__fail(k->err, KZ_ERR_CANCELLED, "making the voice was cancelled");
}

static int tell_stage(void *user, const char *stage, const float *x, size_t ld, size_t rows,
                      size_t width) {
    making *k = user;
    size_t of = kz__speaker_encoder_stages(&k->model->speaker_encoder);
    double share = k->with_codes ? VECTOR_SHARE : 1;
    (void)stage, (void)x, (void)ld, (void)rows, (void)width;
    return tell(k, share * (double)++k->stages / (double)of) != KZ_OK;
}

static int tell_frames(void *user, size_t frames, size_t of) {
    making *k = user;
    return tell(k, VECTOR_SHARE + (1 - VECTOR_SHARE) * (double)frames / (double)of) != KZ_OK;
}

static kz_status make_vector(making *k) {
    const kz__config *c = &k->model->config;
    k->vector = kz__calloc(&k->mem, c->talker.width, sizeof *k->vector);
    if (!k->vector) return kz__fail_memory(k->err);
    k->parts.vector = k->vector;
    kz_status status = tell(k, 0);
    if (status) return status;
    return kz__speaker_vector(k->model, k->samples, k->count, c->codec.sample_rate,
                              k->options.threads, tell_stage, k, k->vector, k->err);
}

static kz_status make_codes(making *k, kz__encoding *e) {
    size_t groups = k->model->config.code_groups;
    k->parts.info.frames = e->frames;
    k->codes = kz__calloc(&k->mem, e->frames, groups * sizeof *k->codes);
    if (!k->codes) return kz__fail_memory(k->err);
    k->parts.codes = k->codes;
    return kz__encoding_run(e, k->options.threads, tell_frames, k, k->codes, k->err);
}

/* The encoder is opened first: where there is none, nothing is computed in vain. */
static kz_status compute(making *k) {
    kz__encoding e = {0};
    size_t rate = k->model->config.codec.sample_rate;
    kz_status status = KZ_OK;
    if (k->with_codes) {
        size_t silence = (size_t)k->options.tail_ms * rate / 1000;
        status = kz__encoding_begin(&e, k->model, k->samples, k->count, silence, k->err);
    }
    if (!status) status = make_vector(k);
    if (!status && k->with_codes) status = make_codes(k, &e);
    if (k->with_codes) kz__encoding_end(&e);
    return status;
}

static kz_status make(making *k, int sample_rate, kz_voice **voice) {
    kz_status status = check_options(k);
    if (!status) status = check_model(k);
    if (!status) status = check_recording(k, sample_rate);
    if (!status) status = check_texts(k);
    if (status) return status;
    describe(k);
    status = compute(k);
    return status ? status : kz__voice_make(&k->model->mem, &k->parts, voice, k->err);
}

kz_status kz_voice_from_samples(const kz_model *model, const float *samples, size_t count,
                                int sample_rate, const kz_voice_options *given, kz_voice **voice,
                                char *error, size_t capacity) {
    static const kz__sized shape = KZ__SIZED(kz_voice_options, user);
    kz__err err = {""};
    making k = {.model = model, .samples = samples, .count = count, .err = &err};
    if (!voice) return KZ_ERR_USAGE;
    *voice = NULL;
    kz_voice_options_init(&k.options);
    kz_status status = given ? kz__sized_take(&shape, given, &k.options, &err) : KZ_OK;
    if (!status && (!model || (!samples && count))) {
        status = kz__fail(&err, KZ_ERR_USAGE, "making a voice needs a model and a recording");
    }
    if (!status) {
        kz__mem_init_like(&k.mem, &model->mem);
        status = make(&k, sample_rate, voice);
        kz__free(&k.mem, k.vector);
        kz__free(&k.mem, k.codes);
    }
    kz__err_copy(&err, error, capacity);
    return status;
}
