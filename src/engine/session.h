/* What kz_session is: one utterance's request, states and output. Session code is split by the way
 * of the data: request.c (text and options to ids), generate.c (the frame loop), render.c (codes to
 * packets of sound), session.c (life of a session, pull and push), pipeline.c (all that on a thread
 * of its own, ahead of the caller).
 */
#ifndef KZ_ENGINE_SESSION_H
#define KZ_ENGINE_SESSION_H

#include "engine/guard.h"
#include "engine/pipeline.h"
#include "engine/work.h"
#include "model/prompt.h"
#include "nn/sampler.h"
#include "text/textstream.h"

/* Stands in for talker and code predictor in tests: fills codes of frame `frame` and returns 0, or
 * returns 1 at the end of speech, or a negative value to fail. */
typedef int kz__script_fn(void *user, size_t frame, int32_t *codes);

typedef enum kz__phase {
    KZ__IDLE,
    KZ__TEXT,    /* waiting for the text that the prompt needs */
    KZ__PREFILL, /* the prompt's rows are being run */
    KZ__SPEAK,   /* frames are being made */
    KZ__DRAIN,   /* no more frames; those made are being decoded */
    KZ__ENDED
} kz__phase;

/* The request in the engine's terms. Owned arrays. */
typedef struct kz__utterance {
    unsigned flags;
    uint64_t seed;
    uint32_t piece;
    kz_sampling talker, predictor;
    size_t min_frames, max_frames, exact_frames, packet; /* 0: not given */
    bool user_limit; /* max_frames was given */
    bool live, text_done;
    kz__ints instruct, text;  /* text: transcript of the reference first */
    size_t reference_text_count;
    int32_t role[3];
    int32_t language, speaker;
    float *speaker_vector;
    int32_t *reference_codes;
    size_t reference_frames;
} kz__utterance;

struct kz_session {
    kz__mem mem;
    const kz_model *model;
    kz__work own;    /* of a session that is in no batch */
    kz__work *work;  /* own, or the batch's */
    kz_batch *batch; /* NULL: none */
    bool held;       /* left out of the batch's steps */
    kz__pipeline *ahead; /* NULL: the caller's thread computes */
    kz__err err;  /* of what computes, whoever that is */
    kz__err said; /* ... of the last call: kz_error */
    atomic_bool cancel;
    bool over;    /* the caller was told how the utterance ended */

    kz__talker_state talker;
    kz__predictor_state predictor;
    kz__codec_state *codec;

    kz__phase phase;
    kz__utterance request;
    kz__textstream *stream; /* live text */
    kz__prompt prompt;
    kz__guard guard;

    size_t prompt_at, reference_at; /* rows, and reference frames in them, that were run */
    bool logits_ready;    /* of the next frame */
    kz_status step;       /* what the last step came to */
    size_t bound;         /* frames at most, whoever set it */
    int32_t *codes;       /* [code_capacity][codes per frame], made so far */
    size_t frames, code_capacity;

    size_t decoded;       /* frames given to the decoder, the reference's included */
    size_t packet_frames; /* frames of the next packet */
    kz_status failure;    /* told when the frames made before it are decoded */
    kz__err failure_text;
    bool flush;           /* decode what is there, a packet need not be full */
    float *samples;       /* of the decoder's last call */
    size_t sample_begin, sample_end;
    uint64_t samples_out;

    kz_result result;
    char detail[96];
    double started, first_audio; /* the second < 0: none yet */
    double busy;                 /* time spent on this utterance */

    kz_tap_fn tap;
    void *tap_user;
    long tap_frame;
    kz__script_fn *script;
    void *script_user;
};

/* Replaces talker and code predictor until set to NULL; for tests. */
void kz__session_set_script(kz_session *session, kz__script_fn *script, void *user);

/* session.c: takes note of what a step came to. */
void kz__session_settle(kz_session *session);
/* One step: decodes a packet that is full, or makes a frame (or a piece of the prompt) where
 * `frame` allows. KZ_OK (samples may be there now), KZ_TIMEOUT where a frame would have been next,
 * KZ_NEED_TEXT, KZ_DONE, or an error with its sentence in session->err. */
kz_status kz__session_advance(kz_session *session, bool frame);

/* request.c: copies the caller's request, of whatever version, with defaults for what it lacks. */
kz_status kz__request_take(const kz_request *given, kz_request *request, kz__err *err);
/* Checks a request and fills session->request. */
kz_status kz__utterance_fill(kz_session *session, const kz_request *request);
void kz__utterance_clear(kz__mem *mem, kz__utterance *utterance);
/* The rows once enough text is there. */
kz_status kz__utterance_prompt(const kz_model *model, kz__mem *mem, const kz__utterance *u,
                               kz__prompt *prompt, kz__err *err);
/* Whether the text that is there fits the model and the limits: else an error with both numbers. */
kz_status kz__utterance_fits(kz_session *session);
bool kz__utterance_ready(const kz__utterance *u);

/* generate.c: makes the prompt; phase is KZ__PREFILL then. */
kz_status kz__generate_begin(kz_session *session);
/* One step of sessions in phase KZ__PREFILL or KZ__SPEAK, at most work->slots of them: a piece of
 * the prompt or a frame each. session->step is KZ_OK, KZ_NEED_TEXT, KZ_DONE (phase is KZ__DRAIN
 * then), or an error with its sentence in session->err. */
void kz__generate_step(kz__work *work, kz_session *const *sessions, size_t count);
/* Embeds `count` rows (<= KZ__TALKER_ROWS) from prompt row `first` on; rows of the reference count
 * from *reference. */
kz_status kz__generate_embed(kz__work *work, const kz__utterance *u, const kz__prompt *prompt,
                             size_t first, size_t count, size_t *reference, float *rows,
                             kz__err *err);
/* Ends the making of frames. */
void kz__generate_finish(kz_session *session, kz_finish finish, const char *format, ...)
    KZ__PRINTF(3, 4);

/* render.c */
kz_status kz__render_begin(kz_session *session);
/* Frames that wait for the decoder. */
size_t kz__render_pending(const kz_session *session);
/* True if the next packet can be decoded now. */
bool kz__render_ready(const kz_session *session);
/* Decodes up to KZ__DECODER_FRAMES of them into session->samples. */
kz_status kz__render(kz_session *session);

#endif
