/* Punctuation of many scripts by what it does to a sentence. */
#ifndef KZ_TEXT_MARKS_H
#define KZ_TEXT_MARKS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum kz__mark {
    KZ__MARK_NONE,
    KZ__MARK_STOP,      /* the full stop of Latin, with its other uses */
    KZ__MARK_CALL,      /* ! ? and the like: end a sentence where white space follows */
    KZ__MARK_DOTS,      /* ellipsis */
    KZ__MARK_FULL,      /* ends a sentence wherever it stands */
    KZ__MARK_SEMICOLON, /* from here to DASH: inside a sentence, the best place to pause first */
    KZ__MARK_COLON,
    KZ__MARK_COMMA,
    KZ__MARK_DASH,
    KZ__MARK_OPEN,  /* brackets and quotes that open */
    KZ__MARK_CLOSE, /* ... that close */
    KZ__MARK_QUOTE  /* quotes that do either, by language; emphasis marks */
} kz__mark;

kz__mark kz__mark_of(int32_t c);

static inline bool kz__mark_ends(kz__mark mark) {
    return mark >= KZ__MARK_STOP && mark <= KZ__MARK_FULL;
}

/* Letters of scripts without blanks between words: ideographs, kana, Bopomofo, Thai, Lao, Khmer,
 * Burmese. */
bool kz__char_unspaced(int32_t c);
/* Characters of East Asia that are about a syllable each: ideographs, kana, Hangul. */
bool kz__char_syllable(int32_t c);
/* Never begins a piece: small kana, lengthening and repetition marks. */
bool kz__char_bound(int32_t c);
bool kz__char_hiragana(int32_t c);
/* Formatting marks and variation selectors: seen through. */
bool kz__char_invisible(int32_t c);

#endif
