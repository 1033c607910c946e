/* The life of a session: states made once, an utterance started, appended to, read, cancelled.
 * Every way to take sound is the same loop: make frames until a packet is full, decode it, hand it
 * out. The caller's thread runs it, or one that is ahead of the caller (pipeline.c); then a call
 * that needs more than samples holds that thread. */
#include "engine/batch.h"

#include "base/clock.h"
#include "base/fpenv.h"
#include "base/sized.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- life ---------------------------------------------------------------------------------- */

static kz_status make_states(kz_session *s) {
    const kz_model *m = s->model;
    kz_status status = KZ_OK;
    if (m->has_talker) {
        status = kz__talker_state_init(&s->talker, &s->mem, &m->talker, &s->err);
        if (!status) {
            status = kz__predictor_state_init(&s->predictor, &s->mem, &m->predictor, &s->err);
        }
    }
    if (!status && m->has_codec) {
        status = kz__codec_state_create(&s->mem, &m->decoder, s->work->threads, &s->codec, &s->err);
        s->samples = kz__calloc(&s->mem, KZ__DECODER_FRAMES * m->config.codec.samples_per_frame,
                                sizeof(float));
        if (!status && !s->samples) status = kz__fail_memory(&s->err);
    }
    return status;
}

#define AHEAD_MOST 600000 /* ms */

/* The queue is whole frames, at least one. */
static kz_status run_ahead(kz_session *s, const kz_session_options *options) {
    const kz__codec_config *c = &s->model->config.codec;
    int ms = options->ahead_ms;
    if (ms < 0 || ms > AHEAD_MOST) {
        return kz__fail(&s->err, KZ_ERR_USAGE, "ahead_ms is %d, allowed are 0 (off) to %d", ms,
                        AHEAD_MOST);
    }
    if (ms == 0 || !s->model->has_codec) return KZ_OK;
    if (s->batch) {
        return kz__fail(&s->err, KZ_ERR_USAGE, "sessions of a batch do not run ahead");
    }
    size_t frames = (size_t)ms * c->sample_rate / 1000 / c->samples_per_frame;
    size_t samples = (frames ? frames : 1) * c->samples_per_frame;
    return kz__pipeline_create(s, samples, &s->ahead, &s->err);
}

/* Threads and scratch: the batch's, or the session's own. */
static kz_status find_work(kz_session *s, const kz_session_options *options) {
    if (!options->batch) {
        const kz__work_options work = {1, options->threads, options->placement, options->cpu};
        s->work = &s->own;
        return kz__work_init(&s->own, &s->mem, s->model, &work, &s->err);
    }
    if (options->batch->model != s->model) {
        return kz__fail(&s->err, KZ_ERR_USAGE, "the batch belongs to another model");
    }
    s->work = &options->batch->work;
    return kz__batch_join(options->batch, s, &s->err);
}

kz_status kz_session_create(const kz_model *model, const kz_session_options *given,
                            kz_session **session, char *error, size_t capacity) {
    static const kz__sized shape = KZ__SIZED(kz_session_options, threads);
    kz_session_options options;
    kz__err err = {""};
    kz__mem boot;
    kz_session *s = NULL;
    if (!session) return KZ_ERR_USAGE;
    *session = NULL;
    kz_session_options_init(&options);
    kz_status status = given ? kz__sized_take(&shape, given, &options, &err) : KZ_OK;
    if (!status && !model) status = kz__fail(&err, KZ_ERR_USAGE, "a session needs a model");
    if (!status) {
        kz__mem_init_like(&boot, &model->mem);
        s = kz__calloc(&boot, 1, sizeof *s);
        if (!s) status = kz__fail_memory(&err);
    }
    if (status) {
        kz__err_copy(&err, error, capacity);
        return status;
    }
    kz__mem_init_like(&s->mem, &model->mem);
    atomic_init(&s->cancel, false);
    s->model = model;
    status = find_work(s, &options);
    if (!status) status = make_states(s);
    if (!status) status = run_ahead(s, &options);
    if (status) {
        kz__err_copy(&s->err, error, capacity);
        kz_session_free(s);
        return status;
    }
    *session = s;
    return KZ_OK;
}

static void drop_utterance(kz_session *s) {
    kz__prompt_clear(&s->mem, &s->prompt);
    kz__textstream_close(s->stream);
    s->stream = NULL;
    kz__utterance_clear(&s->mem, &s->request);
    kz__free(&s->mem, s->codes);
    s->codes = NULL;
    s->code_capacity = s->frames = 0;
    s->phase = KZ__IDLE;
}

void kz_session_free(kz_session *s) {
    if (!s) return;
    kz__pipeline_free(s->ahead);
    drop_utterance(s);
    if (s->batch) kz__batch_leave(s->batch, s);
    kz__work_clear(&s->own);
    kz__talker_state_clear(&s->talker);
    kz__predictor_state_clear(&s->predictor);
    kz__codec_state_free(s->codec);
    kz__free(&s->mem, s->samples);
    kz__mem last;
    kz__mem_init_like(&last, &s->mem);
    kz__free(&last, s);
}

const char *kz_error(const kz_session *s) {
    return s ? s->said.text : "";
}

/* How a call of the caller ends. */
static kz_status say(kz_session *s, kz_status status) {
    if (status < 0) s->said = s->err;
    return status;
}

void kz__session_set_script(kz_session *s, kz__script_fn *script, void *user) {
    kz__pipeline_hold(s->ahead);
    s->script = script;
    s->script_user = user;
    kz__pipeline_release(s->ahead);
}

/* ---- looking inside ------------------------------------------------------------------------ */

static void tap_decoder(void *user, const char *stage, const float *x, size_t ld, size_t rows,
                        size_t width, size_t first, size_t frames) {
    kz_session *s = user;
    char name[48];
    size_t per_frame = rows / frames;
    snprintf(name, sizeof name, "decoder.%s", stage);
    if (strncmp(stage, "decoder.", 8) == 0) snprintf(name, sizeof name, "%s", stage);
    size_t shape[2] = {1, width};
    for (size_t r = 0; r < rows; r++) {
        long frame = s->tap_frame + (long)(first + r / per_frame);
        s->tap(s->tap_user, name, frame, x + r * ld, shape, 2);
    }
}

void kz_session_set_tap(kz_session *s, kz_tap_fn fn, void *user) {
    kz__pipeline_hold(s->ahead);
    s->tap = fn;
    s->tap_user = user;
    if (s->codec) kz__codec_state_set_tap(s->codec, fn ? tap_decoder : NULL, s);
    kz__pipeline_release(s->ahead);
}

/* ---- start --------------------------------------------------------------------------------- */

static kz_status fail_utterance(kz_session *s, kz_status status) {
    s->result.finish =
        status == KZ_ERR_CANCELLED ? KZ_FINISH_CANCELLED : KZ_FINISH_ERROR;
    s->phase = KZ__ENDED;
    return status;
}

/* Holds the session until it has begun. */
static void begin(kz_session *s) {
    kz__pipeline_hold(s->ahead);
    drop_utterance(s);
    s->err.text[0] = s->said.text[0] = 0;
    s->over = false;
    s->detail[0] = 0;
    memset(&s->result, 0, sizeof s->result);
    atomic_store(&s->cancel, false);
    s->samples_out = 0;
    s->sample_begin = s->sample_end = 0;
    s->failure = KZ_OK;
    s->logits_ready = false;
    s->step = KZ_OK;
    s->first_audio = -1;
    s->started = kz__now_ms();
    s->busy = 0;
}

static kz_status begun(kz_session *s, kz_status status) {
    if (status) {
        drop_utterance(s);
        fail_utterance(s, status);
        s->over = true;
    }
    kz__pipeline_reset(s->ahead, status ? KZ_ERR_STATE : KZ_OK);
    kz__pipeline_release(s->ahead);
    return say(s, status);
}

/* Time inside a call that prepares. */
static void account_setup(kz_session *s, double begun) {
    double spent = kz__now_ms() - begun;
    s->busy += spent;
    s->result.setup_ms += spent;
}

static kz_status need_codec(kz_session *s) {
    if (s->model->has_codec) return KZ_OK;
    return kz__fail(&s->err, KZ_ERR_MODEL,
                    "this model has no speech tokenizer: give the folder of one (--codec, "
                    "codec_path)");
}

static kz_status reserve_codes(kz_session *s, size_t frames) {
    size_t bytes = 0;
    s->code_capacity = frames + 1;
    if (!kz__mul(s->code_capacity, s->model->config.codec.quantizers * sizeof *s->codes, &bytes)) {
        return kz__fail_memory(&s->err);
    }
    s->codes = kz__alloc(&s->mem, bytes);
    return s->codes ? KZ_OK : kz__fail_memory(&s->err);
}

static kz_status start(kz_session *s, const kz_request *request) {
    const kz__config *c = &s->model->config;
    kz_status status = KZ_OK;
    if (!s->model->has_talker) {
        return kz__fail(&s->err, KZ_ERR_MODEL, "only a codec was opened, it cannot speak text");
    }
    status = need_codec(s);
    if (!status) status = kz__utterance_fill(s, request);
    if (status) return status;
    size_t most = c->max_new_tokens;
    if (s->request.user_limit) most = s->request.max_frames;
    if (s->request.exact_frames) most = s->request.exact_frames;
    status = reserve_codes(s, most);
    if (!status) status = kz__render_begin(s);
    s->phase = KZ__TEXT;
    s->result.seed = request->seed;
    if (!status && kz__utterance_ready(&s->request)) status = kz__generate_begin(s);
    return status;
}

kz_status kz_session_start(kz_session *s, const kz_request *given) {
    kz_request request;
    if (!s) return KZ_ERR_USAGE;
    begin(s);
    kz__fpenv saved = kz__fpenv_set();
    kz_status status = kz__request_take(given, &request, &s->err);
    if (!status) status = start(s, &request);
    kz__fpenv_restore(saved);
    account_setup(s, s->started);
    return begun(s, status);
}

static kz_status start_codes(kz_session *s, const int32_t *codes, size_t frames, int packet,
                             unsigned flags) {
    size_t groups = s->model->config.codec.quantizers;
    kz_status status = need_codec(s);
    if (status) return status;
    if (!codes || frames == 0) {
        return kz__fail(&s->err, KZ_ERR_INPUT, "there are no codes to decode");
    }
    if (packet != KZ_DEFAULT && packet < 1) {
        return kz__fail(&s->err, KZ_ERR_USAGE, "a packet is 1 frame or more");
    }
    for (size_t i = 0; i < frames * groups; i++) {
        if (codes[i] >= 0 && (size_t)codes[i] < s->model->config.codec.codebook_size) continue;
        return kz__fail(&s->err, KZ_ERR_INPUT,
                        "code %d of frame %zu, codebook %zu: allowed are 0 to %zu", codes[i],
                        i / groups, i % groups, s->model->config.codec.codebook_size - 1);
    }
    status = reserve_codes(s, frames);
    if (status) return status;
    memcpy(s->codes, codes, frames * groups * sizeof *codes);
    s->frames = frames;
    s->result.frames = frames;
    s->request.flags = flags;
    s->request.packet = packet == KZ_DEFAULT ? KZ__DECODER_FRAMES : (size_t)packet;
    status = kz__render_begin(s);
    kz__generate_finish(s, KZ_FINISH_STOP, "%s", "");
    return status;
}

kz_status kz_session_start_codes(kz_session *s, const int32_t *codes, size_t frames, int packet,
                                 unsigned flags) {
    if (!s) return KZ_ERR_USAGE;
    begin(s);
    kz__fpenv saved = kz__fpenv_set();
    kz_status status = start_codes(s, codes, frames, packet, flags);
    kz__fpenv_restore(saved);
    account_setup(s, s->started);
    return begun(s, status);
}

/* ---- live text ----------------------------------------------------------------------------- */

/* Text came in (status), while the session is held since `begun_ms`. */
static kz_status text_came(kz_session *s, kz_status status, double begun_ms) {
    s->step = KZ_OK; /* what waited for text may go on */
    if (!status) status = kz__utterance_fits(s);
    if (!status && s->phase == KZ__TEXT && kz__utterance_ready(&s->request)) {
        status = kz__generate_begin(s);
    }
    account_setup(s, begun_ms);
    if (status) {
        fail_utterance(s, status);
        s->over = true;
        kz__pipeline_reset(s->ahead, KZ_ERR_STATE);
    }
    kz__pipeline_resume(s->ahead);
    kz__pipeline_release(s->ahead);
    return say(s, status);
}

/* Holds the session where text may come. */
static kz_status check_live(kz_session *s) {
    if (!s) return KZ_ERR_USAGE;
    s->said.text[0] = 0;
    if (s->stream && !s->request.text_done && !s->over) {
        kz__pipeline_hold(s->ahead);
        return KZ_OK;
    }
    return kz__fail(&s->said, KZ_ERR_STATE, "text can be appended only after a start without text, "
                                            "until it is finished");
}

kz_status kz_session_append(kz_session *s, const char *text, size_t length) {
    if (s && length && !text) return kz__fail(&s->said, KZ_ERR_USAGE, "text is NULL");
    kz_status status = check_live(s);
    if (status) return status;
    double begun_ms = kz__now_ms();
    status = kz__textstream_push(s->stream, text, length, &s->request.text, &s->err);
    return text_came(s, status, begun_ms);
}

kz_status kz_session_finish_text(kz_session *s) {
    kz_status status = check_live(s);
    if (status) return status;
    double begun_ms = kz__now_ms();
    status = kz__textstream_finish(s->stream, &s->request.text, &s->err);
    s->request.text_done = true;
    return text_came(s, status, begun_ms);
}

/* ---- computing ----------------------------------------------------------------------------- */

/* No frame comes after this one; those made are heard first, then the error is told. */
static void frame_failed(kz_session *s, kz_status status) {
    s->failure = status;
    s->failure_text = s->err;
    s->result.finish = KZ_FINISH_ERROR;
    s->phase = KZ__DRAIN;
}

static kz_status drained(kz_session *s) {
    if (!s->failure) {
        s->phase = KZ__ENDED;
        return KZ_DONE;
    }
    s->err = s->failure_text;
    return fail_utterance(s, s->failure);
}

void kz__session_settle(kz_session *s) {
    if (s->step < 0) frame_failed(s, s->step);
    /* what is there is heard while the text is waited for */
    if (s->step == KZ_NEED_TEXT && kz__render_pending(s)) s->flush = true;
}

static kz_status step(kz_session *s, bool frame) {
    if (kz__render_ready(s)) {
        kz_status status = kz__render(s);
        return status ? fail_utterance(s, status) : KZ_OK;
    }
    if (s->phase == KZ__DRAIN) return drained(s);
    if (s->phase == KZ__TEXT || s->step == KZ_NEED_TEXT) return KZ_NEED_TEXT;
    if (!frame) return KZ_TIMEOUT;
    bool guard = kz__mem_guard(&s->mem, true);
    kz__generate_step(s->work, &s, 1);
    kz__mem_guard(&s->mem, guard);
    kz__session_settle(s);
    return KZ_OK;
}

kz_status kz__session_advance(kz_session *s, bool frame) {
    double begun_ms = kz__now_ms();
    kz_status status = step(s, frame);
    s->busy += kz__now_ms() - begun_ms;
    return status;
}

/* ---- reading ------------------------------------------------------------------------------- */

/* The next samples, made on this thread; the answers of kz__pipeline_take. Frames of a batch are
 * made elsewhere. */
static kz_status take_here(kz_session *s, double deadline, const float **samples, size_t *count) {
    kz_status status = KZ_OK;
    bool frame = !s->batch;
    kz__fpenv saved = kz__fpenv_set();
    while (!status && s->sample_begin == s->sample_end && !atomic_load(&s->cancel)) {
        status = kz__session_advance(s, frame);
        if (deadline >= 0 && kz__now_ms() >= deadline) frame = false;
    }
    kz__fpenv_restore(saved);
    if (atomic_load(&s->cancel)) return KZ_ERR_CANCELLED;
    *samples = s->samples + s->sample_begin;
    *count = s->sample_end - s->sample_begin;
    return status;
}

/* Stops what runs; s->err says why. */
static kz_status stop(kz_session *s, const char *why) {
    kz__pipeline_hold(s->ahead);
    kz__fail(&s->err, KZ_ERR_CANCELLED, "%s", why);
    fail_utterance(s, KZ_ERR_CANCELLED);
    s->sample_begin = s->sample_end;
    kz__pipeline_reset(s->ahead, KZ_ERR_STATE);
    kz__pipeline_release(s->ahead);
    s->over = true;
    return say(s, KZ_ERR_CANCELLED);
}

/* The next samples, which stay where they are until took(); or how the utterance ended, an error
 * only once. */
static kz_status take(kz_session *s, double deadline, const float **samples, size_t *count) {
    if (s->started == 0) return kz__fail(&s->said, KZ_ERR_STATE, "nothing was started");
    if (s->over) {
        kz_finish finish = s->result.finish;
        return finish == KZ_FINISH_ERROR || finish == KZ_FINISH_CANCELLED ? KZ_ERR_STATE : KZ_DONE;
    }
    s->said.text[0] = 0;
    kz_status status = s->ahead ? kz__pipeline_take(s->ahead, deadline, samples, count)
                                : take_here(s, deadline, samples, count);
    if (status == KZ_ERR_CANCELLED) return stop(s, "cancelled");
    if (status == KZ_OK && s->first_audio < 0) s->first_audio = kz__now_ms() - s->started;
    s->over = status < 0 || status == KZ_DONE;
    return say(s, status);
}

static void took(kz_session *s, size_t count) {
    if (s->ahead) {
        kz__pipeline_took(s->ahead, count);
    } else {
        s->sample_begin += count;
    }
}

kz_status kz_session_read(kz_session *s, float *samples, size_t capacity, size_t *count,
                          int timeout_ms) {
    if (count) *count = 0;
    if (!s) return KZ_ERR_USAGE;
    if (!samples || !count || capacity == 0) {
        return kz__fail(&s->said, KZ_ERR_USAGE,
                        "a read needs room for samples and for their count");
    }
    const float *from = NULL;
    size_t have = 0;
    double deadline = timeout_ms < 0 ? -1 : kz__now_ms() + timeout_ms;
    kz_status status = take(s, deadline, &from, &have);
    if (status) return status;
    if (have > capacity) have = capacity;
    memcpy(samples, from, have * sizeof *samples);
    s->samples_out += have;
    took(s, have);
    *count = have;
    return KZ_OK;
}

kz_status kz_session_speak(kz_session *s, kz_sink_fn sink, void *user) {
    if (!s) return KZ_ERR_USAGE;
    if (!sink) return kz__fail(&s->said, KZ_ERR_USAGE, "speak needs a sink");
    size_t per_frame = s->model->config.codec.samples_per_frame;
    size_t most = KZ__DECODER_FRAMES * per_frame;
    for (;;) {
        kz_packet packet = {0};
        kz_status status = take(s, -1, &packet.samples, &packet.count);
        if (status == KZ_DONE) return KZ_OK;
        if (status) return status;
        if (packet.count > most) packet.count = most;
        packet.sample_rate = (int)s->model->config.codec.sample_rate;
        packet.channels = 1;
        packet.sample_offset = s->samples_out;
        packet.first_frame = s->samples_out / per_frame;
        s->samples_out += packet.count;
        packet.frames = (size_t)((s->samples_out - 1) / per_frame - packet.first_frame + 1);
        int answer = sink(user, &packet);
        took(s, packet.count);
        if (answer != 0) return stop(s, "the sink said stop");
    }
}

void kz_session_cancel(kz_session *s) {
    if (!s) return;
    atomic_store(&s->cancel, true);
    kz__pipeline_wake(s->ahead);
}

/* ---- results ------------------------------------------------------------------------------- */

kz_status kz_session_get_result(const kz_session *s, kz_result *result) {
    static const kz__sized shape = KZ__SIZED(kz_result, samples);
    kz_status status = s ? kz__sized_check(&shape, result, NULL) : KZ_ERR_USAGE;
    if (status) return status;
    kz__pipeline_hold(s->ahead);
    kz_result full = s->result;
    full.samples = s->samples_out;
    full.finish_detail = s->detail;
    full.text_tokens = s->request.text.count - s->request.reference_text_count;
    full.first_audio_ms = s->first_audio;
    full.total_ms = s->busy;
    full.session_bytes_peak = atomic_load(&s->mem.peak);
    full.threads = s->work->threads;
    full.cpu = kz__level_name(s->work->kernels.level);
    kz__pipeline_release(s->ahead);
    kz__sized_give(result, result->size, &full, sizeof full);
    return KZ_OK;
}

const int32_t *kz_session_codes(const kz_session *s, size_t *frames) {
    if (frames) *frames = 0;
    if (!s) return NULL;
    kz__pipeline_hold(s->ahead);
    if (frames) *frames = s->frames;
    const int32_t *codes = s->codes;
    kz__pipeline_release(s->ahead);
    return codes;
}
