/* Cuts a long text into pieces that are spoken one after the other (kz_split).
 *
 *     text -> paragraphs (empty lines) -> sentences -> pieces
 *
 * A sentence ends at a mark of its script with the closing quotes and brackets behind it. A full
 * stop needs white space behind it and a capital, a digit or a letter without case in front, and is
 * none after an abbreviation, an initial, an ordinal or the number of a list. Nothing ends inside
 * brackets. A paragraph that begins with a small letter is taken as written without capitals.
 * A line is a sentence of its own where the next is an item of a list, or where it ends without a
 * mark although the next word had room (headings, verses); in text that is wrapped at a column,
 * and where a small letter or behind a comma the sentence goes on, it is not.
 *
 * Sentences without a letter or digit (emoji, rules) join a neighbour of their paragraph, or fall
 * into the gap between pieces. Invisible marks are seen through, so that the text may come as the
 * user wrote it: what the clean-up does to a piece changes no boundary.
 */
#ifndef KZ_TEXT_SPLIT_H
#define KZ_TEXT_SPLIT_H

#include "base/mem.h"

typedef struct kz__pieces {
    kz__mem *mem;
    kz_piece *data;
    size_t count, capacity;
} kz__pieces;

void kz__pieces_init(kz__pieces *pieces, kz__mem *mem);
void kz__pieces_clear(kz__pieces *pieces);

/* Appends the pieces of text. KZ_ERR_INPUT for invalid UTF-8 and zero bytes. */
kz_status kz__split(const char *text, size_t length, const kz_split_options *options,
                    kz__pieces *pieces, kz__err *err);

/* Length of a text as kz_split_options counts it; 0 for invalid UTF-8. */
size_t kz__text_length(const char *text, size_t length);

#endif
