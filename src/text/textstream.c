/* The text pipeline: each stage takes a character and gives what became certain to the next. */
#include "text/textstream.h"

#include "text/cleanup.h"
#include "text/nfc.h"
#include "text/pretok.h"
#include "text/utf8.h"

#include <string.h>

#define FIRST_CAPACITY 256

struct kz__textstream {
    const kz__bpe *bpe;
    kz__mem *mem;
    unsigned flags;
    bool failed;
    unsigned long long offset; /* bytes taken, those in cut excluded */
    char cut[KZ__UTF8_MAX];    /* beginning of a character */
    size_t cut_length;
    kz__cleanup cleanup;
    kz__ints cleaned; /* characters on their way from stage to stage */
    kz__nfc nfc;
    kz__ints normal;
    kz__pretok pretok;
    char *piece; /* bytes of the pieces that are not complete */
    size_t piece_first, piece_end, piece_capacity;
    kz__bpe_scratch scratch;
};

kz_status kz__textstream_open(const kz__bpe *bpe, kz__mem *mem, unsigned flags,
                              kz__textstream **stream, kz__err *err) {
    kz__textstream *s = kz__calloc(mem, 1, sizeof *s);
    *stream = s;
    if (!s) return kz__fail_memory(err);
    s->bpe = bpe;
    s->mem = mem;
    s->flags = flags;
    kz__cleanup_init(&s->cleanup, mem);
    kz__ints_init(&s->cleaned, mem);
    kz__nfc_init(&s->nfc, mem);
    kz__ints_init(&s->normal, mem);
    kz__pretok_init(&s->pretok, flags & KZ__TEXT_SECOND);
    kz__bpe_scratch_init(&s->scratch, mem);
    return KZ_OK;
}

void kz__textstream_close(kz__textstream *stream) {
    if (!stream) return;
    kz__cleanup_clear(&stream->cleanup);
    kz__ints_clear(&stream->cleaned);
    kz__nfc_clear(&stream->nfc);
    kz__ints_clear(&stream->normal);
    kz__bpe_scratch_clear(&stream->scratch);
    kz__free(stream->mem, stream->piece);
    kz__free(stream->mem, stream);
}

/* ---- pieces -> ids ----------------------------------------------------------------------- */

/* Room for one more character. What is complete is dropped when it is half of the buffer or more,
 * so that each byte is moved a bounded number of times. */
static bool piece_room(kz__textstream *s) {
    if (s->piece_capacity - s->piece_end >= KZ__UTF8_MAX) return true;
    size_t held = s->piece_end - s->piece_first;
    if (s->piece_capacity && s->piece_first >= s->piece_capacity / 2) {
        memmove(s->piece, s->piece + s->piece_first, held);
    } else {
        size_t capacity = FIRST_CAPACITY;
        if (s->piece_capacity && !kz__mul(s->piece_capacity, 2, &capacity)) return false;
        char *piece = kz__alloc(s->mem, capacity);
        if (!piece) return false;
        if (held) memcpy(piece, s->piece + s->piece_first, held);
        kz__free(s->mem, s->piece);
        s->piece = piece;
        s->piece_capacity = capacity;
    }
    s->piece_first = 0;
    s->piece_end = held;
    return true;
}

static kz_status encode(kz__textstream *s, const size_t *pieces, size_t count, kz__ints *ids,
                        kz__err *err) {
    for (size_t i = 0; i < count; i++) {
        kz_status status =
            kz__bpe_piece(s->bpe, &s->scratch, s->piece + s->piece_first, pieces[i], ids, err);
        if (status != KZ_OK) return status;
        s->piece_first += pieces[i];
    }
    return KZ_OK;
}

static kz_status cut(kz__textstream *s, kz__ints *ids, kz__err *err) {
    size_t pieces[KZ__PIECES];
    size_t count = kz__pretok_end(&s->pretok, pieces);
    return encode(s, pieces, count, ids, err);
}

/* ---- normalised characters -> pieces ----------------------------------------------------- */

static kz_status split(kz__textstream *s, kz__ints *ids, kz__err *err) {
    size_t pieces[KZ__PIECES];
    for (size_t i = 0; i < s->normal.count; i++) {
        int32_t c = s->normal.data[i];
        if (!piece_room(s)) return kz__fail_memory(err);
        size_t bytes = kz__utf8_encode(c, s->piece + s->piece_end);
        s->piece_end += bytes;
        size_t count = kz__pretok_push(&s->pretok, c, bytes, pieces);
        kz_status status = encode(s, pieces, count, ids, err);
        if (status != KZ_OK) return status;
    }
    s->normal.count = 0;
    return KZ_OK;
}

static kz_status flush(kz__textstream *s, kz__ints *ids, kz__err *err) {
    kz_status status = kz__nfc_flush(&s->nfc, &s->normal, err);
    return status == KZ_OK ? split(s, ids, err) : status;
}

/* ---- characters -> normalised characters ------------------------------------------------- */

/* A white character is held by the clean-up: either it follows, or the text ends. The word in front
 * goes out where both would cut alike. */
static kz_status release(kz__textstream *s, int32_t white, kz__ints *ids, kz__err *err) {
    kz_status status = flush(s, ids, err);
    if (status == KZ_OK && kz__pretok_cuts(&s->pretok, white)) status = cut(s, ids, err);
    return status;
}

static kz_status take(kz__textstream *s, int32_t c, kz__ints *ids, kz__err *err) {
    int32_t before = kz__cleanup_held(&s->cleanup);
    bool good = s->flags & KZ__TEXT_AS_IS ? kz__ints_push(&s->cleaned, c)
                                          : kz__cleanup_push(&s->cleanup, c, &s->cleaned);
    if (!good) return kz__fail_memory(err);
    kz_status status = KZ_OK;
    for (size_t i = 0; i < s->cleaned.count && status == KZ_OK; i++) {
        status = kz__nfc_push(&s->nfc, s->cleaned.data[i], &s->normal, err);
        if (status == KZ_OK) status = split(s, ids, err);
    }
    s->cleaned.count = 0;
    int32_t held = kz__cleanup_held(&s->cleanup);
    if (status == KZ_OK && held && !before) status = release(s, held, ids, err);
    return status;
}

/* ---- bytes -> characters ----------------------------------------------------------------- */

static kz_status take_bytes(kz__textstream *s, const char *bytes, size_t length, kz__ints *ids,
                            kz__err *err) {
    size_t at = 0;
    while (at < length) {
        const char *from = bytes + at;
        size_t size = length - at;
        if (s->cut_length) {
            s->cut[s->cut_length++] = bytes[at++];
            from = s->cut;
            size = s->cut_length;
        }
        int32_t c = 0;
        int taken = kz__utf8_decode(from, size, &c);
        if (taken == KZ__UTF8_CUT) {
            if (!s->cut_length) {
                memcpy(s->cut, from, size);
                s->cut_length = size;
                at = length;
            }
            continue;
        }
        if (taken == KZ__UTF8_BAD || c == 0) return kz__utf8_fail(from[0], s->offset, err);
        if (!s->cut_length) at += (size_t)taken;
        s->cut_length = 0;
        s->offset += (unsigned)taken;
        kz_status status = take(s, c, ids, err);
        if (status != KZ_OK) return status;
    }
    return KZ_OK;
}

kz_status kz__textstream_push(kz__textstream *stream, const char *bytes, size_t length,
                              kz__ints *ids, kz__err *err) {
    if (stream->failed) return kz__fail(err, KZ_ERR_STATE, "the text has failed before");
    kz_status status = take_bytes(stream, bytes, length, ids, err);
    stream->failed = status != KZ_OK;
    return status;
}

static kz_status finish(kz__textstream *s, kz__ints *ids, kz__err *err) {
    if (s->cut_length) return kz__utf8_fail(s->cut[0], s->offset, err);
    kz_status status = flush(s, ids, err);
    if (status == KZ_OK) status = cut(s, ids, err);
    if (status == KZ_OK && !(s->flags & KZ__TEXT_AS_IS) && !s->cleanup.begun) {
        status = kz__fail(err, KZ_ERR_INPUT, "the text is %s", s->offset == 0 ? "empty" : "blank");
    }
    kz__cleanup_clear(&s->cleanup);
    kz__cleanup_init(&s->cleanup, s->mem);
    s->offset = 0;
    return status;
}

kz_status kz__textstream_finish(kz__textstream *stream, kz__ints *ids, kz__err *err) {
    if (stream->failed) return kz__fail(err, KZ_ERR_STATE, "the text has failed before");
    kz_status status = finish(stream, ids, err);
    stream->failed = status != KZ_OK;
    return status;
}
