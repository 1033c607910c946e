/* Where a sentence ends: marks, what stands behind them, and what a full stop belongs to. */
#include "text/sentences.h"

#include "text/abbreviations.h"
#include "text/marks.h"
#include "text/unicode.h"
#include "text/utf8.h"

#include <string.h>

#define BRACKET_BYTES 400 /* a bracket that is open for longer was never meant to be closed */
#define NARROW 40         /* columns: text is not wrapped at less */
#define WORD_MAX 20       /* characters of an abbreviation, more than enough */

static kz__glyph at(const kz__sentences *s, size_t i) {
    return kz__glyph_at(s->text, i, s->end);
}

static kz__glyph before(const kz__sentences *s, size_t i) {
    return kz__glyph_before(s->text, i, s->begin);
}

/* The first letter, digit or other sign behind what may stand in front of a sentence. */
static kz__glyph first_sign(const kz__sentences *s, size_t i) {
    kz__glyph g = at(s, i);
    while (g.c) {
        kz__mark mark = kz__mark_of(g.c);
        bool skipped = mark == KZ__MARK_OPEN || mark == KZ__MARK_QUOTE || mark == KZ__MARK_DASH ||
                       g.c == '-' || kz__char_white(g.c);
        if (!skipped) break;
        g = at(s, g.end);
    }
    return g;
}

/* ---- words in front of a full stop ---------------------------------------------------------- */

/* Letters with inner full stops, as "e.g": lower case, UTF-8. */
typedef struct word {
    char text[WORD_MAX * KZ__UTF8_MAX];
    size_t length;
    size_t letters, longest; /* all, and of its longest part between stops */
    size_t begin;
    bool capital, dotted;
    bool endless; /* too long to be one: the rest is not set */
} word;

static word word_before(const kz__sentences *s, size_t stop) {
    word w = {.begin = stop};
    int32_t reversed[WORD_MAX];
    size_t count = 0;
    size_t part = 0;
    for (kz__glyph g = before(s, stop); g.c; g = before(s, g.begin)) {
        bool dot = g.c == '.' && part > 0 && kz__glyph_letter(before(s, g.begin).c);
        if (!dot && !kz__glyph_letter(g.c) && !kz__glyph_accent(g.c)) break;
        if (count == WORD_MAX) {
            w.endless = true;
            return w;
        }
        w.dotted = w.dotted || dot;
        part = dot ? 0 : part + kz__glyph_letter(g.c);
        w.letters += !dot && kz__glyph_letter(g.c);
        if (part > w.longest) w.longest = part;
        reversed[count++] = g.c;
        w.begin = g.begin;
    }
    w.capital = count > 0 && kz__glyph_capital(reversed[count - 1]);
    while (count > 0) {
        char bytes[KZ__UTF8_MAX];
        size_t size = kz__utf8_encode(kz__char_lower(reversed[--count]), bytes);
        memcpy(w.text + w.length, bytes, size);
        w.length += size;
    }
    return w;
}

/* A small or capital word from here on, in lower case. */
static size_t word_behind(const kz__sentences *s, size_t i, char *out) {
    size_t length = 0;
    kz__glyph g = at(s, i);
    for (size_t n = 0; n < WORD_MAX && kz__glyph_letter(g.c); n++) {
        char bytes[KZ__UTF8_MAX];
        size_t size = kz__utf8_encode(kz__char_lower(g.c), bytes);
        memcpy(out + length, bytes, size);
        length += size;
        g = at(s, g.end);
    }
    return length;
}

/* Digits, or a Roman number of more than an I. */
static bool number_begins(const kz__sentences *s, kz__glyph g) {
    if (kz__glyph_digit(g.c)) return true;
    kz__glyph first = g;
    size_t count = 0;
    while (g.c && g.c < 0x80 && strchr("IVXLC", (int)g.c) && count < 8) {
        count++;
        g = at(s, g.end);
    }
    return count > 0 && !kz__glyph_letter(g.c) && (count > 1 || first.c != 'I');
}

/* "x. y" where the stop is that of y: the two as one word; 0 where there is none such. */
static size_t spaced_pair(const kz__sentences *s, const word *w, char *out) {
    if (w->letters != 1 || !kz__char_white(before(s, w->begin).c)) return 0;
    kz__glyph stop = kz__glyph_before_blanks(s->text, w->begin, s->begin);
    if (stop.c != '.') return 0;
    word first = word_before(s, stop.begin);
    if (first.endless || first.letters != 1) return 0;
    memcpy(out, first.text, first.length);
    out[first.length] = '.';
    memcpy(out + first.length + 1, w->text, w->length);
    return first.length + 1 + w->length;
}

/* A single capital is an initial, but for units: "5 V.", "20 \302\260C.". */
static bool is_initial(const kz__sentences *s, const word *w, bool numbered) {
    if (w->letters != 1 || !w->capital || numbered) return false;
    int32_t c = before(s, w->begin).c;
    kz__mark mark = kz__mark_of(c);
    return !c || kz__char_white(c) || c == '-' || c == '.' || mark == KZ__MARK_OPEN ||
           mark == KZ__MARK_QUOTE;
}

static bool word_ends(const kz__sentences *s, size_t stop, kz__glyph next) {
    word w = word_before(s, stop);
    bool small = kz__glyph_small(next.c);
    if (w.endless) return true;
    bool fresh = !small && !kz__glyph_digit(next.c); /* what may begin a sentence after "etc." */
    char pair[2 * WORD_MAX * KZ__UTF8_MAX + 1];
    size_t pair_length = spaced_pair(s, &w, pair);
    if (pair_length) {
        unsigned flags = kz__abbreviation(s->language, pair, pair_length, false);
        return (flags & KZ__ABBR_END) && fresh;
    }
    int32_t behind_number = kz__glyph_before_blanks(s->text, w.begin, s->begin).c;
    bool numbered = kz__glyph_digit(behind_number);
    if (is_initial(s, &w, numbered)) return false;
    if (w.letters == 1 && w.capital && numbered) return fresh;
    unsigned flags = kz__abbreviation(s->language, w.text, w.length, w.capital);
    if (flags & KZ__ABBR_NEVER) return false;
    if (flags & KZ__ABBR_UNIT) return numbered && fresh;
    if (flags & KZ__ABBR_END) return fresh;
    if (flags & KZ__ABBR_NUMBER) return !small && !number_begins(s, next);
    if (w.dotted && w.longest <= 2) return false;
    return !small || w.letters > 2;
}

/* A number in front: of a list, an ordinal, a date; or the last word of a sentence. */
static bool number_ends(const kz__sentences *s, size_t stop, kz__glyph next) {
    size_t digits = 0;
    size_t begin = stop;
    kz__glyph g = before(s, stop);
    while (kz__glyph_digit(g.c) && digits < 4) {
        digits++;
        begin = g.begin;
        g = before(s, g.begin);
    }
    if (kz__glyph_small(next.c)) return false;
    bool pure = !g.c || kz__char_white(g.c) || kz__mark_of(g.c) == KZ__MARK_OPEN;
    if (!pure || digits > 3) return true;
    if (kz__glyph_behind_blanks(s->text, s->line, s->end).begin == begin) return false;
    if (digits > 2) return true;
    if (kz__glyph_digit(next.c)) return false;
    char name[WORD_MAX * KZ__UTF8_MAX];
    size_t length = word_behind(s, next.begin, name);
    if (kz__abbreviations_ordinals(s->language)) return kz__abbreviations_starter(name, length);
    return s->language >= 0 || !kz__abbreviations_after_ordinal(name, length);
}

static bool stop_ends(const kz__sentences *s, size_t stop, kz__glyph next) {
    int32_t c = before(s, stop).c;
    if (!c) return false;
    if (kz__glyph_digit(c)) return number_ends(s, stop, next);
    if (kz__glyph_letter(c) || kz__glyph_accent(c)) return word_ends(s, stop, next);
    return true;
}

/* ---- marks ---------------------------------------------------------------------------------- */

static void track(kz__sentences *s, kz__glyph g) {
    bool open = g.c == '(' || g.c == '[' || g.c == 0xFF08;
    bool close = g.c == ')' || g.c == ']' || g.c == 0xFF09;
    if (g.c == '"') s->quoted = !s->quoted;
    if (close && s->depth > 0) s->depth--;
    if (!open) return;
    int32_t eyes = before(s, g.begin).c;
    if (eyes == ':' || eyes == ';' || eyes == '=') return; /* a face, not a bracket */
    if (s->depth++ == 0) s->opened = g.begin;
}

/* A run of marks that end sentences. */
typedef struct marks {
    size_t begin, end;
    size_t stops, calls, dots, full;
} marks;

static marks run_of(const kz__sentences *s, kz__glyph g) {
    marks run = {.begin = g.begin, .end = g.begin};
    for (;; g = at(s, g.end)) {
        kz__mark mark = kz__mark_of(g.c);
        if (!g.c || !kz__mark_ends(mark)) return run;
        run.stops += mark == KZ__MARK_STOP;
        run.calls += mark == KZ__MARK_CALL;
        run.dots += mark == KZ__MARK_DOTS;
        run.full += mark == KZ__MARK_FULL;
        run.end = g.end;
    }
}

/* Whether a quote right behind a mark closes: where no blank follows the mark by custom, what opens
 * can stand there too. */
static bool quote_closes(const kz__sentences *s, kz__glyph quote, bool full) {
    if (!full) return true;
    if (quote.c == '"' || quote.c == 0xFF02) return s->quoted;
    return quote.c == 0xBB || quote.c == 0x203A;
}

/* Behind the closing brackets and quotes that belong to the sentence. s follows them. */
static size_t behind_closers(kz__sentences *s, size_t i, bool full) {
    for (;;) {
        kz__glyph g = at(s, i);
        kz__mark mark = kz__mark_of(g.c);
        bool closes = mark == KZ__MARK_CLOSE ||
                      (mark == KZ__MARK_QUOTE && quote_closes(s, g, full));
        if (!g.c || !closes) break;
        track(s, g);
        i = g.end;
    }
    /* The French leave a blank in front of theirs. */
    kz__glyph g = kz__glyph_behind_blanks(s->text, i, s->end);
    if (g.c != 0xBB && g.c != 0x203A) return i;
    int32_t c = at(s, g.end).c;
    kz__mark mark = kz__mark_of(c);
    bool closes = !c || kz__char_white(c) || (mark >= KZ__MARK_STOP && mark <= KZ__MARK_DASH);
    return closes ? g.end : i;
}

/* Text goes on right behind the marks. */
static bool ends_without_blank(const kz__sentences *s, const marks *run, kz__glyph next,
                               bool closed) {
    kz__mark mark = kz__mark_of(next.c);
    bool quoting = next.c == 0x3068 || next.c == 0x3063; /* Japanese "to" and "tte": he said */
    if (closed && quoting) return false;
    if (mark >= KZ__MARK_SEMICOLON && mark <= KZ__MARK_DASH) return false;
    if (mark == KZ__MARK_CLOSE) return false;
    if (run->full) return true;
    if (!kz__char_unspaced(next.c)) return false;
    if (run->calls) return true;
    bool single = run->stops == 1 && !run->dots;
    return single && !kz__glyph_digit(before(s, run->begin).c) && stop_ends(s, run->begin, next);
}

static bool ends_with_blank(const kz__sentences *s, const marks *run, size_t i, bool closed) {
    kz__glyph next = kz__glyph_behind_blanks(s->text, i, s->end);
    if (!next.c) return true;
    kz__mark mark = kz__mark_of(next.c);
    if (mark >= KZ__MARK_SEMICOLON && mark <= KZ__MARK_COMMA) return false;
    if (mark == KZ__MARK_CLOSE) return false;
    if (run->full) return true;
    next = first_sign(s, next.begin);
    bool small = kz__glyph_small(next.c);
    if (small && (closed || !s->casual)) return false;
    if (run->calls) return true;
    if (run->dots || run->stops > 1) return !small && !kz__glyph_digit(next.c);
    return closed || stop_ends(s, run->begin, next);
}

/* Decides at the first mark of a run; s->at is behind the sentence, or behind the marks. */
static bool sentence_ends(kz__sentences *s, kz__glyph g) {
    marks run = run_of(s, g);
    size_t depth = s->depth;
    bool quoted = s->quoted;
    size_t i = behind_closers(s, run.end, run.full > 0);
    kz__glyph next = at(s, i);
    bool inside = s->depth > 0 && i - s->opened < BRACKET_BYTES;
    bool ends = !next.c;
    if (!ends && !inside && kz__char_white(next.c)) {
        ends = ends_with_blank(s, &run, i, i > run.end);
    } else if (!ends && !inside) {
        ends = ends_without_blank(s, &run, next, i > run.end);
    }
    s->at = ends ? i : run.end;
    s->depth = ends ? 0 : depth; /* the closers are seen again where it goes on */
    if (!ends) s->quoted = quoted;
    return ends;
}

/* ---- lines ---------------------------------------------------------------------------------- */

size_t kz__sentences_columns(const char *text, size_t begin, size_t end, size_t most) {
    size_t columns = 0;
    size_t seen = 0;
    for (kz__glyph g = kz__glyph_behind_blanks(text, begin, end); g.c && columns < most;
         g = kz__glyph_at(text, g.end, end)) {
        if (!kz__glyph_accent(g.c)) columns += kz__char_syllable(g.c) ? 2 : 1;
        if (!kz__char_white(g.c)) seen = columns;
    }
    return seen;
}

/* A blank and something behind it. */
static bool followed(const kz__sentences *s, size_t i) {
    return kz__char_white(at(s, i).c) && kz__glyph_behind_blanks(s->text, i, s->end).c;
}

/* "- ", "3. ", "a) ", "# ": the sign of an item or heading. */
static bool item_begins(const kz__sentences *s, kz__glyph g) {
    bool bullet = g.c == '-' || g.c == '*' || g.c == '+' || g.c == '>' || g.c == 0x2022 ||
                  g.c == 0x2023 || g.c == 0x25AA || g.c == 0x25CF || g.c == 0xB7 ||
                  kz__mark_of(g.c) == KZ__MARK_DASH;
    if (g.c == '#') return true;
    if (bullet) return followed(s, g.end);
    bool digit = kz__glyph_digit(g.c);
    bool letter = kz__glyph_letter(g.c);
    for (size_t n = 0; n < 3 && digit && kz__glyph_digit(g.c); n++) g = at(s, g.end);
    if (letter) g = at(s, g.end);
    bool sign = g.c == ')' || (digit && g.c == '.');
    return (digit || letter) && sign && followed(s, g.end);
}

static size_t end_of_word(const kz__sentences *s, kz__glyph g) {
    if (kz__char_unspaced(g.c)) return g.end;
    size_t end = g.end;
    for (size_t n = 0; n < NARROW && g.c && !kz__char_white(g.c); n++) {
        end = g.end;
        g = at(s, g.end);
    }
    return end;
}

/* Whether the line that ends at i, in a sentence that began at `start`, ends the sentence. */
static bool line_ends(const kz__sentences *s, size_t start, size_t i) {
    kz__glyph last = kz__glyph_before_blanks(s->text, i, start);
    kz__glyph next = kz__glyph_behind_blanks(s->text, i, s->end);
    if (!last.c || !next.c) return false;
    if (item_begins(s, next)) return true;
    if (kz__glyph_behind_blanks(s->text, s->line, s->end).c == '#') return true;
    kz__mark mark = kz__mark_of(last.c);
    bool goes_on = mark == KZ__MARK_COMMA || mark == KZ__MARK_SEMICOLON || mark == KZ__MARK_DASH ||
                   mark == KZ__MARK_OPEN || kz__mark_ends(mark) || last.c == '-';
    if (goes_on || s->depth > 0 || kz__glyph_small(first_sign(s, next.begin).c)) return false;
    if (s->columns < NARROW) return true;
    size_t columns = kz__sentences_columns(s->text, s->line, i, s->columns) + 1 +
                     kz__sentences_columns(s->text, next.begin, end_of_word(s, next), s->columns);
    return columns <= s->columns - s->columns / 4;
}

/* ---- the paragraph -------------------------------------------------------------------------- */

void kz__sentences_begin(kz__sentences *s, const char *text, size_t begin, size_t end,
                         int language, size_t columns) {
    *s = (kz__sentences){.text = text, .begin = begin, .end = end, .language = language,
                         .columns = columns, .at = begin, .line = begin};
    kz__glyph g = at(s, begin);
    while (g.c && !kz__glyph_letter(g.c)) g = at(s, g.end);
    s->casual = kz__glyph_small(g.c);
}

bool kz__sentences_next(kz__sentences *s, size_t *begin, size_t *end, bool *line) {
    *begin = s->at;
    *line = false;
    if (s->at >= s->end) return false;
    while (s->at < s->end) {
        kz__glyph g = at(s, s->at);
        s->at = g.end;
        if (!g.c) break;
        if (kz__glyph_line(g.c)) {
            *line = line_ends(s, *begin, g.begin);
            s->line = s->at;
            if (*line) break;
        } else if (kz__mark_ends(kz__mark_of(g.c))) {
            if (sentence_ends(s, g)) break;
        } else {
            track(s, g);
        }
    }
    *end = s->at;
    return true;
}
