/* Text to token ids while the text arrives, cut anywhere. All ids handed out, in order, are those
 * of the whole text, whatever the cuts; what a later byte could still change is held back, and no
 * more: a word goes out when the blank or the first letter of the next one is there. Memory is
 * bounded by what is held back, time is linear in the text (n log n within a piece).
 *
 *   bytes -> characters -> clean-up -> normalisation form C -> pieces -> byte pairs -> ids
 */
#ifndef KZ_TEXT_TEXTSTREAM_H
#define KZ_TEXT_TEXTSTREAM_H

#include "text/bpe.h"

/* Flags of text calls. */
enum {
    KZ__TEXT_SECOND = 1,   /* the second split pattern (pretok.h), else the native one */
    KZ__TEXT_SPECIALS = 2, /* spellings of control tokens count (whole texts only) */
    KZ__TEXT_AS_IS = 4     /* streams: no clean-up */
};

typedef struct kz__textstream kz__textstream;

/* bpe must outlive the stream. */
kz_status kz__textstream_open(const kz__bpe *bpe, kz__mem *mem, unsigned flags,
                              kz__textstream **stream, kz__err *err);
/* Takes NULL. */
void kz__textstream_close(kz__textstream *stream);

/* Takes bytes and appends the ids that became certain. KZ_ERR_INPUT with the offset in the whole
 * stream for invalid UTF-8 and for a zero byte. After a failure only close is allowed; ids of text
 * in front of the fault may have been appended. */
kz_status kz__textstream_push(kz__textstream *stream, const char *bytes, size_t length,
                              kz__ints *ids, kz__err *err);

/* The text ends: appends the rest, and the stream is new again. KZ_ERR_INPUT where it ends inside a
 * character and, with clean-up, where it was blank. */
kz_status kz__textstream_finish(kz__textstream *stream, kz__ints *ids, kz__err *err);

#endif
