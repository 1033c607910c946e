/* What the text front end asks about a character. Categories and decompositions are utf8proc's.
 *
 * Known differences from the official tokenizer, all in characters newer than one of the two knows
 * (with utf8proc 2.8, Unicode 15.0): its split pattern knows Unicode 16 (letters and digits of 15.1
 * and 16), its normaliser Unicode 9 (the order of adjacent marks added since, and the one
 * composition added since, U+11935 U+11930).
 */
#ifndef KZ_TEXT_UNICODE_H
#define KZ_TEXT_UNICODE_H

#include <stdbool.h>
#include <stdint.h>

/* Classes of the split patterns, as a set of bits. */
enum {
    KZ__LETTER = 1, /* \p{L} */
    KZ__NUMBER = 2, /* \p{N} */
    KZ__WHITE = 4,  /* \s: White_Space */
    KZ__LINE = 8,   /* CR or LF, white too */
    KZ__UPPER = 16, /* Lu Lt Lm Lo M: may stand in the upper part of a word of the second pattern */
    KZ__LOWER = 32  /* Ll Lm Lo M: ... in its lower part */
};
unsigned kz__char_class(int32_t c);

bool kz__char_white(int32_t c);        /* White_Space */
bool kz__char_pictographic(int32_t c); /* Extended_Pictographic */
int32_t kz__char_lower(int32_t c);     /* simple lower case */
int kz__char_combining(int32_t c);     /* canonical combining class */

/* Normalisation form C can be cut in front of c: nothing before it changes through it. */
bool kz__char_starts(int32_t c);
/* ... and behind c as well: nothing that follows changes it (given that it starts). Says no for
 * characters where yes would be possible but is of no use. */
bool kz__char_inert(int32_t c);

#endif
