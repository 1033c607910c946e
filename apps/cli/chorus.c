/* A round: fill free places, make a frame of every part (kz_batch_step), keep the codes of those
 * that are complete, hear those that are due. With one place there is no batch: hearing makes the
 * frames. */
#include "cli/chorus.h"

#include "cli/pace.h"
#include "common/interrupt.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define READ_TIMEOUT_MS 50
/* Parts begun and not over, per place: those beyond the places are kept as codes. */
#define WINDOW 4

typedef struct ticket {
    kz__part part;
    int place;       /* -1: none */
    bool turn;       /* it is due, and was told so */
    int32_t *codes;  /* kept: [frames]; the ticket's own */
    size_t frames;
    kz_result made;  /* of the session that made them */
    char detail[96];
    kz_status failure; /* it could not begin */
    kz__err err;
} ticket;

struct kz__chorus {
    kz__cli *cli;
    const kz_model *model;
    const kz_model_info *info;
    kz__parts parts;
    kz_batch *batch; /* NULL: one place */
    size_t places;
    kz_session *sessions[KZ__CHORUS_MOST]; /* made when first needed */
    bool taken[KZ__CHORUS_MOST];
    ticket *tickets; /* [places * WINDOW], in the order of their coming */
    size_t count;
    bool dry;        /* no more parts come */
    bool sounded;    /* a first packet has left: others may join */
    kz__pace pace;
};

/* ---- places ------------------------------------------------------------------------------- */

static kz_session *session_of(const kz__chorus *c, const ticket *t) {
    return t->place < 0 ? NULL : c->sessions[t->place];
}

static kz_result result_of(const kz_session *session) {
    kz_result result;
    memset(&result, 0, sizeof result);
    result.size = sizeof result;
    kz_session_get_result(session, &result);
    return result;
}

static kz_status make_session(kz__chorus *c, size_t place, kz__err *err) {
    kz_session_options options;
    kz_session_options_init(&options);
    options.threads = c->cli->set.threads;
    options.batch = c->batch;
    if (!c->batch) options.ahead_ms = c->cli->ahead_ms;
    return kz_session_create(c->model, &options, &c->sessions[place], err->text, sizeof err->text);
}

/* A free place with a session, or -1. Where there is no memory for one more, those that are there
 * have to do. */
static int free_place(kz__chorus *c, int *code) {
    for (size_t i = 0; i < c->places; i++) {
        kz__err err = {""};
        if (c->taken[i]) continue;
        kz_status status = c->sessions[i] ? KZ_OK : make_session(c, i, &err);
        if (status == KZ_OK) return (int)i;
        if (i == 0) {
            *code = kz__cli_status(c->cli, status, &err);
        } else {
            c->places = i;
        }
        return -1;
    }
    return -1;
}

static void leave(kz__chorus *c, ticket *t) {
    if (t->place >= 0) c->taken[t->place] = false;
    t->place = -1;
}

static bool is_due(const kz__chorus *c, size_t index) {
    for (size_t i = 0; i < index; i++) {
        if (c->tickets[i].part.sound == c->tickets[index].part.sound) return false;
    }
    return true;
}

/* ---- beginning ---------------------------------------------------------------------------- */

static void begin(kz__chorus *c, ticket *t, int place) {
    kz_session *session = c->sessions[place];
    const kz_request *request = &t->part.request;
    const int32_t *codes = t->codes ? t->codes : t->part.codes;
    t->place = place;
    c->taken[place] = true;
    kz_session_set_tap(session, t->part.sound->dump ? kz__dump_tap : NULL, t->part.sound->dump);
    kz_session_hold(session, 0);
    c->cli->about = t->part.about;
    t->failure = codes ? kz_session_start_codes(session, codes,
                                                t->codes ? t->frames : t->part.frames,
                                                request->packet, request->flags)
                       : kz_session_start(session, request);
    if (t->failure) {
        snprintf(t->err.text, sizeof t->err.text, "%s", kz_error(session));
        leave(c, t);
    } else if (!codes && c->parts.begun) {
        c->parts.begun(c->parts.user, &t->part, session);
    }
    c->cli->about = NULL;
}

/* A part that is due and kept goes first: the place of the one before it has become free. */
static int fill(kz__chorus *c) {
    int code = KZ__EXIT_DONE;
    for (size_t i = 0; i < c->count; i++) {
        ticket *t = &c->tickets[i];
        if (t->place >= 0 || t->failure || !is_due(c, i)) continue;
        int place = free_place(c, &code);
        if (place >= 0) begin(c, t, place);
    }
    while (!c->dry && c->count < c->places * WINDOW && (c->sounded || c->count == 0)) {
        int place = free_place(c, &code);
        if (place < 0) break;
        ticket *t = &c->tickets[c->count];
        memset(t, 0, sizeof *t);
        t->place = -1;
        kz__coming coming = c->parts.next(c->parts.user, &t->part, c->count == 0);
        c->dry = coming == KZ__PART_NONE;
        if (coming != KZ__PART_HERE) break;
        c->count++;
        begin(c, t, place);
    }
    return code;
}

/* ---- making ------------------------------------------------------------------------------- */

/* Who waits in this round. */
static void pace(kz__chorus *c) {
    const ticket *first = &c->tickets[0];
    kz__sound *sound = first->part.sound;
    double frame_ms = 1e3 * c->info->samples_per_frame / c->info->sample_rate;
    bool heard = sound->listened && sound->samples > 0 && first->place >= 0;
    kz_result made = result_of(session_of(c, first));
    if (heard && made.finish == KZ_FINISH_NONE && kz__sound_ready(sound)) {
        kz__pace_round(&c->pace, kz__clock_ms(), made.frames, frame_ms, kz__sound_lead(sound));
    } else {
        kz__pace_free_round(&c->pace);
    }
    for (size_t i = 0; i < c->count; i++) {
        if (c->tickets[i].place < 0) continue;
        kz_session_hold(session_of(c, &c->tickets[i]), c->pace.alone && i > 0);
    }
}

/* Complete and not due: the codes are enough. One that failed stays where it is, to tell its
 * reason when it is due. */
static void keep(kz__chorus *c, ticket *t) {
    kz_session *session = session_of(c, t);
    t->made = result_of(session);
    bool complete = t->made.finish == KZ_FINISH_STOP || t->made.finish == KZ_FINISH_LENGTH ||
                    t->made.finish == KZ_FINISH_GUARD;
    if (!complete || t->made.frames == 0) return;
    const int32_t *codes = kz_session_codes(session, &t->frames);
    size_t bytes = t->frames * (size_t)c->info->codes_per_frame * sizeof *codes;
    t->codes = kz__alloc(&c->cli->mem, bytes);
    if (!t->codes) return; /* it keeps its place */
    memcpy(t->codes, codes, bytes);
    snprintf(t->detail, sizeof t->detail, "%s", t->made.finish_detail);
    leave(c, t);
}

/* KZ_DONE where nothing is to be made. */
static kz_status make_frames(kz__chorus *c) {
    size_t advanced = 0;
    if (!c->batch) return KZ_DONE;
    pace(c);
    kz_status status = kz_batch_step(c->batch, &advanced);
    for (size_t i = 1; i < c->count; i++) {
        ticket *t = &c->tickets[i];
        if (t->place >= 0 && !t->codes && !is_due(c, i)) keep(c, t);
    }
    return status;
}

/* ---- ending ------------------------------------------------------------------------------- */

/* Brings the session to its end, so that its result says `cancelled`. */
static void cancel(kz_session *session, kz__sound *sound) {
    kz_status status = KZ_OK;
    kz_session_cancel(session);
    for (int i = 0; status == KZ_OK && i < 16; i++) {
        size_t count = 0;
        status = kz_session_read(session, sound->buffer, kz__sound_portion(sound), &count, 0);
    }
}

static void drop(kz__chorus *c, size_t index) {
    ticket *t = &c->tickets[index];
    if (t->place >= 0) kz_session_cancel(session_of(c, t)); /* no more steps */
    leave(c, t);
    kz__free(&c->cli->mem, t->codes);
    memmove(t, t + 1, (c->count - index - 1) * sizeof *t);
    c->count--;
}

/* Of the making and, where codes were kept, of the decoding. */
static kz_result whole_result(const kz__chorus *c, const ticket *t) {
    kz_result r;
    memset(&r, 0, sizeof r);
    if (t->place >= 0) r = result_of(session_of(c, t));
    if (!t->codes) return r;
    kz_result sum = t->made;
    sum.finish_detail = t->detail;
    sum.samples = r.samples;
    sum.decoder_ms += r.decoder_ms;
    sum.setup_ms += r.setup_ms;
    sum.copy_ms += r.copy_ms;
    sum.total_ms += r.total_ms;
    if (r.finish == KZ_FINISH_ERROR || r.finish == KZ_FINISH_CANCELLED) sum.finish = r.finish;
    return sum;
}

static void end(kz__chorus *c, size_t index, int code) {
    ticket *t = &c->tickets[index];
    kz__sound *sound = t->part.sound;
    kz_result result = whole_result(c, t);
    const int32_t *codes = t->codes;
    size_t frames = t->frames;
    if (!codes && t->place >= 0) codes = kz_session_codes(session_of(c, t), &frames);
    bool began = t->place >= 0 || t->codes;
    bool on = code == KZ__EXIT_DONE && !sound->reader_gone;
    c->parts.over(c->parts.user, &t->part, code, began ? &result : NULL, codes, frames);
    drop(c, index);
    for (size_t i = index; !on && i < c->count;) {
        if (c->tickets[i].part.sound == sound) {
            drop(c, i);
        } else {
            i++;
        }
    }
}

/* ---- hearing ------------------------------------------------------------------------------ */

static kz_status feed(kz_session *session, kz__live *live) {
    char piece[4096];
    if (!kz__interrupt_wait(STDIN_FILENO, 0)) return KZ_OK;
    ssize_t got = read(STDIN_FILENO, piece, sizeof piece);
    if (got < 0 && errno == EINTR) return KZ_OK;
    if (got > 0) return kz_session_append(session, piece, (size_t)got);
    live->ended = true;
    return kz_session_finish_text(session);
}

/* A part's turn: silence in front of it, its name in the progress. */
static int take_turn(kz__chorus *c, ticket *t) {
    int code = KZ__EXIT_DONE;
    if (t->turn) return code;
    t->turn = true;
    kz__pace_turn(&c->pace);
    memcpy(t->part.sound->part, t->part.label, sizeof t->part.label);
    if (t->part.joined) code = kz__sound_pause(t->part.sound, t->part.pause);
    return code;
}

static int session_failed(kz__chorus *c, const kz_session *session, kz_status status) {
    kz__err err;
    snprintf(err.text, sizeof err.text, "%s", kz_error(session));
    return kz__cli_status(c->cli, status, &err);
}

/* Reads what is there. True where the part is over, with its code. With `wait` a listener who takes
 * nothing is waited for. */
static bool pull(kz__chorus *c, ticket *t, bool wait, int *code) {
    kz_session *session = session_of(c, t);
    kz__sound *sound = t->part.sound;
    kz__live *live = t->part.live;
    kz_status status = KZ_OK;
    do {
        if (!wait && !kz__sound_ready(sound)) return false;
        size_t count = 0;
        if (live && !live->ended) status = feed(session, live);
        if (status >= 0) {
            status = kz_session_read(session, sound->buffer, kz__sound_portion(sound), &count,
                                     READ_TIMEOUT_MS);
        }
        if (count > 0 && !kz__sound_pass(sound, sound->buffer, count, code)) {
            cancel(session, sound);
            return true;
        }
        c->sounded = c->sounded || count > 0;
    } while (status == KZ_OK && !kz__interrupted());
    if (status == KZ_NEED_TEXT && live && !live->ended) {
        kz__interrupt_wait(STDIN_FILENO, -1);
        return false;
    }
    if (status == KZ_NEED_TEXT) status = KZ_ERR_STATE;
    if (status < 0) *code = session_failed(c, session, status);
    return status < 0 || status == KZ_DONE;
}

/* What is due in every strand. */
static void hear(kz__chorus *c, bool wait) {
    for (size_t i = 0; i < c->count && !kz__interrupted();) {
        ticket *t = &c->tickets[i];
        bool kept = t->place < 0 && !t->failure; /* its place comes with the next round */
        if (kept || !is_due(c, i)) {
            i++;
            continue;
        }
        c->cli->about = t->part.about;
        int code = take_turn(c, t);
        bool over = code != KZ__EXIT_DONE || t->part.sound->reader_gone;
        if (!over && t->failure) {
            code = kz__cli_status(c->cli, t->failure, &t->err);
            over = true;
        }
        if (!over) over = pull(c, t, wait, &code);
        c->cli->about = NULL;
        if (over) {
            end(c, i, code);
            c->sounded = true;
            i = 0;
        } else {
            i++;
        }
    }
}

static int interrupt(kz__chorus *c) {
    while (c->count > 0) {
        ticket *t = &c->tickets[0];
        if (t->place >= 0) cancel(session_of(c, t), t->part.sound);
        if (t->place < 0) t->made.finish = KZ_FINISH_CANCELLED;
        end(c, 0, KZ__EXIT_INTERRUPTED);
    }
    return KZ__EXIT_INTERRUPTED;
}

/* ---- all of it ---------------------------------------------------------------------------- */

int kz__chorus_run(kz__chorus *c) {
    for (;;) {
        if (kz__interrupted()) return interrupt(c);
        int code = fill(c);
        if (code != KZ__EXIT_DONE) return code;
        if (c->count == 0 && c->dry) return KZ__EXIT_DONE;
        if (c->count == 0) continue; /* a signal, or a wait that gave nothing */
        bool idle = make_frames(c) == KZ_DONE;
        hear(c, !c->batch || (idle && !c->pace.alone));
    }
}

int kz__chorus_open(kz__chorus **chorus, kz__cli *cli, const kz_model *model,
                    const kz_model_info *info, size_t places, const kz__parts *parts) {
    kz__err err = {""};
    kz__chorus *c = kz__calloc(&cli->mem, 1, sizeof *c);
    *chorus = c;
    if (!c) return kz__cli_status(cli, KZ_ERR_MEMORY, NULL);
    c->cli = cli;
    c->model = model;
    c->info = info;
    c->parts = *parts;
    c->places = places;
    c->tickets = kz__calloc(&cli->mem, places * WINDOW, sizeof *c->tickets);
    if (!c->tickets) return kz__cli_status(cli, KZ_ERR_MEMORY, NULL);
    if (places == 1) return KZ__EXIT_DONE;
    kz_batch_options options;
    kz_batch_options_init(&options);
    options.threads = cli->set.threads;
    options.slots = (int)places;
    kz_status status = kz_batch_create(model, &options, &c->batch, err.text, sizeof err.text);
    return status == KZ_OK ? KZ__EXIT_DONE : kz__cli_status(cli, status, &err);
}

void kz__chorus_free(kz__chorus *c) {
    if (!c) return;
    for (size_t i = 0; i < KZ__CHORUS_MOST; i++) kz_session_free(c->sessions[i]);
    kz_batch_free(c->batch);
    for (size_t i = 0; i < c->count; i++) kz__free(&c->cli->mem, c->tickets[i].codes);
    kz__free(&c->cli->mem, c->tickets);
    kz__free(&c->cli->mem, c);
}
