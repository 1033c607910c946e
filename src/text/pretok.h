/* Cuts text into the pieces that byte-pair encoding works on: the split patterns of the tokenizer
 * as a machine with constant state that sees each character once.
 *
 * Native pattern:
 *   (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|
 *   \s*[\r\n]+|\s+(?!\S)|\s+
 * Second pattern, U = [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}], W = [\p{Ll}\p{Lm}\p{Lo}\p{M}]:
 *   [^\r\n\p{L}\p{N}]?U*W+|[^\r\n\p{L}\p{N}]?U+W*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|
 *   \s*[\r\n]+|\s+(?!\S)|\s+
 */
#ifndef KZ_TEXT_PRETOK_H
#define KZ_TEXT_PRETOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct kz__pretok {
    bool second; /* which pattern */
    int state;
    size_t length; /* bytes of the piece in progress */
    size_t mark;   /* white run: bytes through its last line end; word of the second pattern: bytes
                      through the last character that may end it. 0: none */
    size_t last;   /* bytes of the last character */
    int32_t c;     /* the last character */
} kz__pretok;

#define KZ__PIECES 4 /* most pieces that one call completes */

void kz__pretok_init(kz__pretok *pretok, bool second);

/* Takes the next character (normalised, of so many bytes in UTF-8). Returns the number of pieces
 * that are complete now, their bytes in order in pieces. */
size_t kz__pretok_push(kz__pretok *pretok, int32_t c, size_t bytes, size_t pieces[KZ__PIECES]);

/* The text ends here: completes all pieces; the machine is new again. */
size_t kz__pretok_end(kz__pretok *pretok, size_t pieces[KZ__PIECES]);

/* True where white character c would cut exactly as the end of the text would. */
bool kz__pretok_cuts(const kz__pretok *pretok, int32_t c);

#endif
