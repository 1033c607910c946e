/* Codes to packets of sound. With reference codes the decoder is primed with them: it takes over
 * what the model knows of them, decodes the rest, and nobody hears it. The official package decodes
 * in pieces of 300 frames, each from scratch after 25 frames that it repeats, and cuts the
 * reference by a proportion of all samples; with KZ_AS_REFERENCE so does this. */
#include "base/clock.h"
#include "engine/primed.h"
#include "engine/session.h"

#define REFERENCE_CHUNK 300
#define REFERENCE_CONTEXT 25

static bool as_reference(const kz_session *s) {
    return (s->request.flags & KZ_AS_REFERENCE) != 0;
}

/* Codes of frame `index` of reference and utterance together. */
static const int32_t *codes_at(const kz_session *s, size_t index) {
    size_t groups = s->model->config.codec.quantizers;
    size_t reference = s->request.reference_frames;
    if (index < reference) return s->request.reference_codes + index * groups;
    return s->codes + (index - reference) * groups;
}

static kz_status check_codes(kz_session *s, const int32_t *codes, size_t index) {
    const kz__codec_config *c = &s->model->config.codec;
    for (size_t q = 0; q < c->quantizers; q++) {
        if (codes[q] >= 0 && (size_t)codes[q] < c->codebook_size) continue;
        return kz__fail(&s->err, KZ_ERR_INPUT,
                        "code %d of frame %zu, codebook %zu: allowed are 0 to %zu", codes[q], index,
                        q, c->codebook_size - 1);
    }
    return KZ_OK;
}

/* Adds to the decoder's reason where it happened; frames of the reference count for themselves. */
static kz_status name_frames(kz_session *s, kz_status status, size_t first, size_t count) {
    size_t reference = s->request.reference_frames;
    bool inside = first < reference;
    size_t from = inside ? first : first - reference;
    const char *of = inside ? " of the reference" : "";
    kz__err why = s->err;
    if (count == 1) return kz__fail(&s->err, status, "%.400s at frame %zu%s", why.text, from, of);
    return kz__fail(&s->err, status, "%.400s at frames %zu to %zu%s", why.text, from,
                    from + count - 1, of);
}

/* Decodes frames first..first+count-1 (no border inside) into session->samples; silent: their sound
 * is not made. */
static kz_status decode(kz_session *s, size_t first, size_t count, bool silent) {
    size_t groups = s->model->config.codec.quantizers;
    int32_t codes[KZ__DECODER_FRAMES * 64];
    for (size_t i = 0; i < count; i++) {
        const int32_t *frame = codes_at(s, first + i);
        kz_status status = check_codes(s, frame, first + i);
        if (status) return status;
        memcpy(codes + i * groups, frame, groups * sizeof *codes);
    }
    s->tap_frame = (long)first;
    kz_status status =
        silent ? kz__codec_skip(&s->work->run, s->codec, codes, count, &s->err)
               : kz__codec_decode(&s->work->run, s->codec, codes, count, s->samples, &s->err);
    return status ? name_frames(s, status, first, count) : KZ_OK;
}

/* Takes the decoder over frames at..border-1, which nobody hears; a tap wants to see all stages. */
static kz_status pass_over(kz_session *s, size_t at, size_t border) {
    size_t reach = s->tap ? border : kz__codec_reach(s->codec);
    while (at < border && !atomic_load(&s->cancel)) {
        size_t count = border - at;
        bool silent = count > reach;
        if (silent) count -= reach;
        if (count > KZ__DECODER_FRAMES) count = KZ__DECODER_FRAMES;
        kz_status status = decode(s, at, count, silent);
        if (status) return status;
        at += count;
    }
    return KZ_OK;
}

/* Starts anew in front of frame `border`, after the context that the package repeats. */
static kz_status renew(kz_session *s, size_t border) {
    kz__codec_state_reset(s->codec);
    return pass_over(s, border > REFERENCE_CONTEXT ? border - REFERENCE_CONTEXT : 0, border);
}

/* Goes to the end of the reference, from what the model knows of it. Cancelled, it stops anywhere:
 * nothing is decoded then. */
static kz_status prime(kz_session *s) {
    const kz__utterance *u = &s->request;
    const kz__primed_codes codes = {u->reference_codes, u->reference_frames,
                                    s->model->config.codec.quantizers};
    bool all = (u->flags & KZ_ALL_ROWS) != 0;
    size_t known = 0;
    if (!all && !s->tap) known = kz__primed_fetch(s->model->keep, &codes, s->codec);
    kz_status status = pass_over(s, known, codes.frames);
    s->decoded = codes.frames;
    if (status || all || known == codes.frames || atomic_load(&s->cancel)) return status;
    kz__primed_keep(s->model->keep, &codes, s->codec);
    return KZ_OK;
}

/* The next frames, at most `most`; *count says how many. */
static kz_status decode_next(kz_session *s, size_t most, size_t *count) {
    if (most > KZ__DECODER_FRAMES) most = KZ__DECODER_FRAMES;
    if (as_reference(s)) {
        size_t into = s->decoded % REFERENCE_CHUNK;
        if (s->decoded && into == 0) {
            kz_status status = renew(s, s->decoded);
            if (status) return status;
        }
        if (most > REFERENCE_CHUNK - into) most = REFERENCE_CHUNK - into;
    }
    kz_status status = decode(s, s->decoded, most, false);
    if (status) return status;
    s->decoded += most;
    *count = most;
    return KZ_OK;
}

/* A ramp: the first sound after one frame, then packets that pay for their overhead. */
static size_t next_packet(const kz_session *s, size_t previous) {
    if (s->request.packet) return s->request.packet;
    if (previous == 0) return 1;
    return previous < KZ__DECODER_FRAMES ? 2 * previous : KZ__DECODER_FRAMES;
}

static bool proportional(const kz_session *s) {
    return as_reference(s) && s->request.reference_frames > 0;
}

kz_status kz__render_begin(kz_session *s) {
    s->decoded = 0;
    s->flush = false;
    s->sample_begin = s->sample_end = 0;
    s->packet_frames = next_packet(s, 0);
    kz__codec_state_reset(s->codec);
    /* the package's cut is known at the end only */
    return s->request.reference_frames && !proportional(s) ? prime(s) : KZ_OK;
}

size_t kz__render_pending(const kz_session *s) {
    return s->request.reference_frames + s->frames - s->decoded;
}

bool kz__render_ready(const kz_session *s) {
    size_t pending = kz__render_pending(s);
    if (pending == 0) return false;
    if (s->phase == KZ__DRAIN) return true;
    if (proportional(s)) return false;
    return s->flush || pending >= s->packet_frames;
}

/* trunc(reference / total * samples) in double, as the package has it; else exact. */
static size_t cut_of(const kz_session *s) {
    size_t samples = s->model->config.codec.samples_per_frame;
    size_t reference = s->request.reference_frames;
    if (!proportional(s)) return reference * samples;
    size_t total = reference + s->frames;
    double part = (double)reference / (double)total;
    return (size_t)(part * (double)(total * samples));
}

kz_status kz__render(kz_session *s) {
    double start = kz__now_ms();
    size_t samples = s->model->config.codec.samples_per_frame;
    size_t before = s->decoded;
    size_t most = kz__render_pending(s);
    if (most > s->packet_frames) most = s->packet_frames;
    size_t count = 0;
    kz_status status = decode_next(s, most, &count);
    s->result.decoder_ms += kz__now_ms() - start;
    if (status) return status;
    size_t cut = cut_of(s);
    s->sample_begin = cut > before * samples ? cut - before * samples : 0;
    s->sample_end = count * samples;
    if (s->sample_begin > s->sample_end) s->sample_begin = s->sample_end;
    s->packet_frames -= count < s->packet_frames ? count : s->packet_frames;
    if (s->packet_frames == 0) s->packet_frames = next_packet(s, count);
    s->flush = s->flush && kz__render_pending(s) > 0;
    return KZ_OK;
}
