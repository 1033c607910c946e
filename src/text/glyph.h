/* Visible characters of a text in valid UTF-8, forwards and backwards; invisible ones are seen
 * through, CR LF is one. */
#ifndef KZ_TEXT_GLYPH_H
#define KZ_TEXT_GLYPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct kz__glyph {
    int32_t c; /* 0: there is none, begin and end are where the search ended */
    size_t begin, end;
} kz__glyph;

/* The first one at or behind `at`. */
kz__glyph kz__glyph_at(const char *text, size_t at, size_t end);
/* The same that is no white space either. */
kz__glyph kz__glyph_behind_blanks(const char *text, size_t at, size_t end);
/* The last one in front of `at`. */
kz__glyph kz__glyph_before(const char *text, size_t at, size_t begin);
kz__glyph kz__glyph_before_blanks(const char *text, size_t at, size_t begin);

bool kz__glyph_letter(int32_t c);
bool kz__glyph_digit(int32_t c);
bool kz__glyph_small(int32_t c);   /* a small letter */
bool kz__glyph_capital(int32_t c); /* a capital letter */
bool kz__glyph_accent(int32_t c);  /* a mark on the letter in front */
bool kz__glyph_line(int32_t c);    /* what the clean-up makes a line end of */

#endif
