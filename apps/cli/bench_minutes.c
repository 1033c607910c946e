/* One long text, spoken in pieces as `say` does: whether the last minute of sound costs more than
 * the first, in time or in memory. */
#include "cli/bench.h"

#include "common/interrupt.h"

#include <string.h>

#define LETTERS_A_SECOND 16.0

static const char *const sentences[] = {
    "The road to the harbour was empty that morning, and the shops were still closed.",
    "A cat sat on the wall and watched the water.",
    "Nobody had told the old captain that the ferry would not come before noon.",
    ("He waited, as he had waited for so many ships, with his hands in his pockets and his eyes on "
     "the line between the sea and the sky."),
    "Then the bell rang twice.",
    "Two boys came running down the hill, one with a letter, the other with a loaf of bread.",
};

#define SENTENCES (sizeof sentences / sizeof sentences[0])

/* A text of about so many letters; for kz__free. */
static char *make_text(kz__mem *mem, size_t letters, size_t *length) {
    char *text = kz__alloc(mem, letters + 1024);
    *length = 0;
    for (size_t i = 0; text && *length < letters; i++) {
        *length += (size_t)snprintf(text + *length, 512, "%s%s", sentences[i % SENTENCES],
                                    i % SENTENCES == SENTENCES - 1 ? "\n\n" : " ");
    }
    return text;
}

/* Sound so far and the time it took, and where the minutes begin. */
typedef struct course {
    kz__bench *b;
    uint64_t samples, per_minute;
    double begun, now; /* of the last samples */
    double minute_began;
    size_t minute;
} course;

/* Splits the time of a packet where a minute ends inside it. */
static void advance(course *c, size_t count) {
    double now = kz__clock_ms();
    double each = count ? (now - c->now) / (double)count : 0;
    uint64_t end = c->samples + count;
    while (c->minute < c->b->minute_count && end >= (c->minute + 1) * c->per_minute) {
        double at = c->now + each * (double)((c->minute + 1) * c->per_minute - c->samples);
        c->b->minutes[c->minute] = (at - c->minute_began) / 60e3;
        c->minute_began = at;
        uint64_t bytes = kz__cli_memory().private_bytes;
        if (c->minute == 0) c->b->minutes_private[0] = bytes;
        c->b->minutes_private[1] = bytes;
        c->minute++;
        kz__cli_progress(c->b->cli, "minute %zu of %zu", c->minute, c->b->minute_count);
    }
    c->samples = end;
    c->now = now;
}

static kz_status speak_piece(course *c, const char *text, const kz_piece *piece, uint32_t number) {
    kz__bench *b = c->b;
    kz__series *s = &b->list[0];
    kz_request request;
    int frames = (int)((double)piece->length / LETTERS_A_SECOND * (double)s->info.sample_rate /
                       (double)s->info.samples_per_frame);
    kz__bench_request(b, &s->info, text, frames > 4 ? frames : 4, 0, &request);
    request.text = text + piece->offset;
    request.text_length = piece->length;
    request.piece = number;
    kz_status status = kz_session_start(s->session, &request);
    while ((status == KZ_OK || status == KZ_TIMEOUT) && c->minute < b->minute_count) {
        size_t count = 0;
        if (kz__interrupted()) return KZ_ERR_CANCELLED;
        status = kz_session_read(s->session, b->samples, KZ__BENCH_SAMPLES, &count, 100);
        advance(c, count);
    }
    return status;
}

static kz_status speak_text(kz__bench *b, const char *text, size_t length, kz__err *err) {
    kz_split_options options;
    size_t count = 0;
    kz_split_options_init(&options);
    options.limit = b->list[0].info.text_limit;
    options.whole = 1;
    kz_status status = kz_split(text, length, &options, NULL, 0, &count, err->text,
                                sizeof err->text);
    kz_piece *pieces = kz__calloc(&b->cli->mem, count, sizeof *pieces);
    if (!pieces) return KZ_ERR_MEMORY;
    if (status >= 0) {
        status = kz_split(text, length, &options, pieces, count, &count, err->text,
                          sizeof err->text);
    }
    course c = {.b = b, .per_minute = 60 * (uint64_t)b->list[0].info.sample_rate};
    c.begun = c.now = c.minute_began = kz__clock_ms();
    for (size_t i = 0; status >= 0 && c.minute < b->minute_count; i++) {
        status = speak_piece(&c, text, &pieces[i % count], (uint32_t)i);
        if (status < 0) snprintf(err->text, sizeof err->text, "%s", kz_error(b->list[0].session));
    }
    kz__free(&b->cli->mem, pieces);
    return status;
}

int kz__bench_long(kz__bench *b) {
    kz__err err = {""};
    if (b->cli->set.minutes <= 0) return KZ__EXIT_DONE;
    size_t count = (size_t)b->cli->set.minutes;
    size_t length = 0;
    b->minutes = kz__calloc(&b->cli->mem, count, sizeof *b->minutes);
    char *text = make_text(&b->cli->mem, (size_t)(60 * LETTERS_A_SECOND * 1.1) * count, &length);
    kz_status status = b->minutes && text ? KZ_OK : KZ_ERR_MEMORY;
    b->minute_count = count;
    if (status >= 0) status = speak_text(b, text, length, &err);
    kz__free(&b->cli->mem, text);
    return status < 0 ? kz__cli_status(b->cli, status, &err) : KZ__EXIT_DONE;
}
