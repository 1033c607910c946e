/* Visible characters of a text, one by one. */
#include "text/glyph.h"

#include "text/marks.h"
#include "text/unicode.h"
#include "text/utf8.h"

kz__glyph kz__glyph_at(const char *text, size_t at, size_t end) {
    kz__glyph g = {0, at, at};
    while (g.end < end) {
        int32_t c = (unsigned char)text[g.end];
        g.begin = g.end;
        g.end += c < 0x80 ? 1 : (size_t)kz__utf8_decode(text + g.end, end - g.end, &c);
        if (c >= 0x80 && kz__char_invisible(c)) continue;
        if (c == '\r' && g.end < end && text[g.end] == '\n') {
            c = '\n';
            g.end++;
        }
        g.c = c;
        return g;
    }
    g.begin = g.end;
    return g;
}

kz__glyph kz__glyph_behind_blanks(const char *text, size_t at, size_t end) {
    kz__glyph g = kz__glyph_at(text, at, end);
    while (g.c && kz__char_white(g.c)) g = kz__glyph_at(text, g.end, end);
    return g;
}

kz__glyph kz__glyph_before(const char *text, size_t at, size_t begin) {
    kz__glyph g = {0, at, at};
    while (g.begin > begin) {
        int32_t c = 0;
        g.end = g.begin;
        do g.begin--;
        while (g.begin > begin && ((unsigned char)text[g.begin] & 0xC0) == 0x80);
        kz__utf8_decode(text + g.begin, g.end - g.begin, &c);
        if (c >= 0x80 && kz__char_invisible(c)) continue;
        g.c = c;
        return g;
    }
    g.end = g.begin;
    return g;
}

kz__glyph kz__glyph_before_blanks(const char *text, size_t at, size_t begin) {
    kz__glyph g = kz__glyph_before(text, at, begin);
    while (g.c && kz__char_white(g.c)) g = kz__glyph_before(text, g.begin, begin);
    return g;
}

bool kz__glyph_letter(int32_t c) {
    if (c < 0x80) return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return (kz__char_class(c) & KZ__LETTER) != 0;
}

bool kz__glyph_digit(int32_t c) {
    if (c < 0x80) return c >= '0' && c <= '9';
    return (kz__char_class(c) & KZ__NUMBER) != 0;
}

bool kz__glyph_small(int32_t c) {
    if (c < 0x80) return c >= 'a' && c <= 'z';
    return (kz__char_class(c) & (KZ__LETTER | KZ__UPPER | KZ__LOWER)) == (KZ__LETTER | KZ__LOWER);
}

bool kz__glyph_capital(int32_t c) {
    if (c < 0x80) return c >= 'A' && c <= 'Z';
    return (kz__char_class(c) & (KZ__LETTER | KZ__UPPER | KZ__LOWER)) == (KZ__LETTER | KZ__UPPER);
}

bool kz__glyph_accent(int32_t c) {
    if (c < 0x300) return false;
    return (kz__char_class(c) & (KZ__LETTER | KZ__UPPER | KZ__LOWER)) == (KZ__UPPER | KZ__LOWER);
}

bool kz__glyph_line(int32_t c) {
    return c == '\n' || c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029;
}
