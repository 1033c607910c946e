/* Paragraphs, and pieces made of sentences: those without anything to say join a neighbour, long
 * ones are cut, short ones are put together. */
#include "text/split.h"

#include "text/abbreviations.h"
#include "text/marks.h"
#include "text/sentences.h"
#include "text/unicode.h"
#include "text/utf8.h"

#define DEFAULT_LIMIT 400
#define COLUMNS_MAX 100000 /* where the length of lines stops to matter */
#define KEYCAP 0x20E3

void kz__pieces_init(kz__pieces *pieces, kz__mem *mem) {
    *pieces = (kz__pieces){.mem = mem};
}

void kz__pieces_clear(kz__pieces *pieces) {
    kz__free(pieces->mem, pieces->data);
    kz__pieces_init(pieces, pieces->mem);
}

static bool push(kz__pieces *pieces, kz_piece piece) {
    if (pieces->count == pieces->capacity) {
        size_t larger = 2 * pieces->capacity + 16;
        size_t bytes = 0;
        if (!kz__mul(larger, sizeof piece, &bytes)) return false;
        kz_piece *grown = kz__grow(pieces->mem, pieces->data, bytes);
        if (!grown) return false;
        pieces->data = grown;
        pieces->capacity = larger;
    }
    pieces->data[pieces->count++] = piece;
    return true;
}

/* ---- measuring ------------------------------------------------------------------------------ */

/* A stretch of text without white space at its ends; empty where there was nothing else. */
typedef struct part {
    size_t begin, end;
    size_t length; /* as kz_split_options counts */
    bool speakable; /* a letter or a digit is in it */
} part;

static size_t length_of(int32_t c) {
    if (kz__glyph_accent(c)) return 0;
    return kz__char_syllable(c) ? 3 : 1;
}

static part measure(const char *text, size_t begin, size_t end) {
    part p = {begin, begin, 0, false};
    size_t length = 0;
    size_t signs = 0;
    bool digit = false;
    for (kz__glyph g = kz__glyph_behind_blanks(text, begin, end); g.c;
         g = kz__glyph_at(text, g.end, end)) {
        if (length == 0) p.begin = g.begin;
        length += length_of(g.c);
        if (kz__char_white(g.c)) continue;
        p.length = length;
        p.end = g.end;
        if (g.c == KEYCAP && digit) signs--;
        digit = kz__glyph_digit(g.c);
        signs += digit || kz__glyph_letter(g.c);
    }
    if (p.length == 0) p.end = p.begin;
    p.speakable = signs > 0;
    /* Joiners and variation selectors belong to what stands in front of them. */
    while (p.length > 0 && p.end < end) {
        int32_t c = 0;
        int size = kz__utf8_decode(text + p.end, end - p.end, &c);
        if (!kz__char_invisible(c)) break;
        p.end += (size_t)size;
    }
    return p;
}

size_t kz__text_length(const char *text, size_t length) {
    return kz__utf8_check(text, length, NULL) ? 0 : measure(text, 0, length).length;
}

/* ---- pieces --------------------------------------------------------------------------------- */

typedef struct splitter {
    const char *text;
    kz__pieces *pieces;
    size_t limit, target;
    int language;
    part piece;        /* being put together, where `open` */
    bool open;
    bool closed_line;  /* no sentence may join it: its line stands for itself */
    bool full;         /* nothing may join it */
    kz_boundary after; /* what follows it so far */
    part lead;         /* without anything to say, in front of the piece that comes */
    bool led;
} splitter;

static bool flush(splitter *s, kz_boundary after) {
    if (!s->open) return true;
    s->open = false;
    kz_piece piece = {s->piece.begin, s->piece.end - s->piece.begin, after};
    return push(s->pieces, piece);
}

/* b follows a; true where both fit into `most`. */
static bool join(const char *text, part *a, const part *b, size_t most) {
    size_t length = a->length + b->length;
    for (kz__glyph g = kz__glyph_at(text, a->end, b->begin); g.c && length <= most;
         g = kz__glyph_at(text, g.end, b->begin)) {
        length += length_of(g.c);
    }
    if (length > most) return false;
    a->length = length;
    a->end = b->end;
    a->speakable = a->speakable || b->speakable;
    return true;
}

static void add_silent(splitter *s, const part *p) {
    if (s->open) {
        s->full = s->full || !join(s->text, &s->piece, p, s->limit);
    } else if (!s->led || !join(s->text, &s->lead, p, s->limit)) {
        s->lead = *p;
        s->led = true;
    }
}

static bool add(splitter *s, part p, kz_boundary after, bool line) {
    if (p.begin == p.end) return true;
    if (!p.speakable) {
        add_silent(s, &p);
        return true;
    }
    if (s->led && join(s->text, &s->lead, &p, s->limit)) p = s->lead;
    s->led = false;
    bool alone = !s->open || s->closed_line || s->full;
    if (alone || !join(s->text, &s->piece, &p, s->target)) {
        if (!flush(s, s->after)) return false;
        s->piece = p;
        s->open = true;
        s->full = false;
    }
    s->after = after;
    s->closed_line = line;
    return true;
}

/* ---- cuts inside a sentence ------------------------------------------------------------------ */

/* From best to worst. */
typedef enum rank {
    AT_SEMICOLON, /* and what would end a sentence elsewhere */
    AT_COLON,
    AT_COMMA,
    AT_DASH,
    AT_BLANK,
    AT_KANA,    /* hiragana in front, something else behind: mostly between two words */
    AT_LETTER,  /* between letters of scripts without blanks */
    AT_TIGHT,   /* a blank behind an abbreviation or a number */
    RANKS
} rank;

typedef struct cut {
    size_t at;
    size_t length; /* of the text up to it */
} cut;

static bool katakana(int32_t c) {
    return c >= 0x30A1 && c <= 0x30FF;
}

/* Between two letters without a blank. */
static rank rank_of_letters(int32_t c, int32_t next) {
    bool free = kz__char_unspaced(c) && kz__char_unspaced(next) && !kz__char_bound(next) &&
                kz__glyph_letter(next) && !(c >= 0xE40 && c <= 0xE44);
    if (!free || (katakana(c) && katakana(next))) return RANKS;
    return kz__char_hiragana(c) && !kz__char_hiragana(next) ? AT_KANA : AT_LETTER;
}

static rank rank_of_blank(int32_t previous, int32_t next) {
    kz__mark mark = kz__mark_of(next);
    bool tied = mark == KZ__MARK_CLOSE || (mark >= KZ__MARK_STOP && mark <= KZ__MARK_DASH) ||
                kz__char_white(next) || next == '%' || next == '-' || next == 0xBB ||
                kz__mark_of(previous) == KZ__MARK_OPEN || previous == 0xAB || !previous || !next;
    bool digit = kz__glyph_digit(previous);
    if (tied || (digit && kz__glyph_digit(next))) return RANKS;
    return previous == '.' || digit ? AT_TIGHT : AT_BLANK;
}

/* Behind a mark (next: what follows it and the closing quotes behind it). */
static rank rank_of_mark(int32_t c, int32_t previous, int32_t next) {
    kz__mark mark = kz__mark_of(c);
    kz__mark behind = kz__mark_of(next);
    bool blank = kz__char_white(next);
    bool wide = c >= 0x80;
    bool numbers = kz__glyph_digit(previous) && kz__glyph_digit(next);
    if (!next || behind == KZ__MARK_CLOSE || (behind >= KZ__MARK_STOP && behind <= KZ__MARK_DASH)) {
        return RANKS;
    }
    switch (mark) {
    case KZ__MARK_CALL: return blank ? AT_SEMICOLON : RANKS;
    case KZ__MARK_FULL: return AT_SEMICOLON;
    case KZ__MARK_DOTS: return blank || kz__char_unspaced(next) ? AT_COMMA : RANKS;
    case KZ__MARK_SEMICOLON: return blank || (wide && !numbers) ? AT_SEMICOLON : RANKS;
    case KZ__MARK_COLON: return blank || (wide && !numbers) ? AT_COLON : RANKS;
    case KZ__MARK_COMMA: return blank || (wide && !numbers) ? AT_COMMA : RANKS;
    case KZ__MARK_DASH:
        if (c < 0x2014) return blank && kz__char_white(previous) ? AT_DASH : RANKS;
        return numbers ? RANKS : AT_DASH;
    default: return RANKS;
    }
}

/* How good it is to cut behind g and the closing quotes that follow; here->at says where that is,
 * here->length how much longer than up to g. */
static rank rank_behind(const splitter *s, kz__glyph g, int32_t previous, size_t end, cut *here) {
    kz__glyph next = kz__glyph_at(s->text, g.end, end);
    *here = (cut){g.end, 0};
    if (kz__char_white(g.c)) return rank_of_blank(previous, next.c);
    if (g.c == '-') {
        return kz__char_white(previous) && kz__char_white(next.c) ? AT_DASH : RANKS;
    }
    if (kz__mark_of(g.c) == KZ__MARK_NONE) return rank_of_letters(g.c, next.c);
    for (int n = 0; n < 4; n++) {
        kz__mark mark = kz__mark_of(next.c);
        bool closes = mark == KZ__MARK_CLOSE || next.c == '"' || next.c == '\'';
        if (!closes) break;
        *here = (cut){next.end, here->length + length_of(next.c)};
        next = kz__glyph_at(s->text, next.end, end);
    }
    return rank_of_mark(g.c, previous, next.c);
}

/* The best cut with at most `window` in front of it; past that the first one at all. */
static cut find_cut(const splitter *s, size_t begin, size_t end, size_t window) {
    cut best[RANKS] = {{0, 0}};
    cut early = {0, 0};
    size_t length = 0;
    int32_t previous = 0;
    for (kz__glyph g = kz__glyph_at(s->text, begin, end); g.c;
         g = kz__glyph_at(s->text, g.end, end)) {
        cut here;
        rank r = rank_behind(s, g, previous, end, &here);
        length += length_of(g.c);
        previous = g.c;
        if (length > window) {
            for (int i = 0; i < RANKS; i++) {
                if (best[i].at) return best[i];
            }
            if (early.at) return early;
        }
        if (r == RANKS) continue;
        here.length += length;
        if (length > window) return here;
        if (here.length > window) continue;
        if (3 * here.length >= window) {
            best[r] = here;
        } else {
            early = here;
        }
    }
    return (cut){end, length};
}

/* A sentence that is too long, in parts of about equal length. */
static bool add_cut(splitter *s, part p, kz_boundary after, bool line) {
    size_t begin = p.begin;
    size_t left = p.length;
    while (left > s->limit) {
        size_t parts = (left + s->limit - 1) / s->limit;
        size_t window = left / parts + s->limit / 4;
        if (window > s->limit) window = s->limit;
        cut c = find_cut(s, begin, p.end, window);
        if (c.at >= p.end) break;
        if (!add(s, measure(s->text, begin, c.at), KZ_BOUNDARY_INNER, false)) return false;
        left -= c.length < left ? c.length : left;
        begin = c.at;
        for (kz__glyph g = kz__glyph_at(s->text, begin, p.end); left > 0 && kz__char_white(g.c);
             g = kz__glyph_at(s->text, begin, p.end)) {
            begin = g.end;
            left--;
        }
    }
    return add(s, measure(s->text, begin, p.end), after, line);
}

/* ---- paragraphs ------------------------------------------------------------------------------ */

static bool add_paragraph(splitter *s, size_t begin, size_t end, size_t columns) {
    kz__sentences sentences;
    kz__sentences_begin(&sentences, s->text, begin, end, s->language, columns);
    size_t from = 0;
    size_t to = 0;
    bool line = false;
    while (kz__sentences_next(&sentences, &from, &to, &line)) {
        part p = measure(s->text, from, to);
        bool long_one = p.speakable && p.length > s->limit;
        bool done = long_one ? add_cut(s, p, KZ_BOUNDARY_SENTENCE, line)
                             : add(s, p, KZ_BOUNDARY_SENTENCE, line);
        if (!done) return false;
    }
    s->led = false;
    return flush(s, KZ_BOUNDARY_PARAGRAPH);
}

/* The end of the line that begins at i, and where the next one begins. */
static size_t end_of_line(const char *text, size_t i, size_t end, bool *blank, size_t *next) {
    *blank = true;
    for (kz__glyph g = kz__glyph_at(text, i, end); g.c; g = kz__glyph_at(text, g.end, end)) {
        if (kz__glyph_line(g.c)) {
            *next = g.end;
            return g.begin;
        }
        *blank = *blank && kz__char_white(g.c);
    }
    *next = end;
    return end;
}

static bool add_text(splitter *s, size_t length) {
    size_t begin = 0;
    size_t columns = 0;
    size_t last = 0; /* end of the paragraph so far */
    bool open = false;
    for (size_t i = 0; i < length;) {
        bool blank = true;
        size_t next = length;
        size_t end = end_of_line(s->text, i, length, &blank, &next);
        if (blank) {
            if (open && !add_paragraph(s, begin, last, columns)) return false;
            open = false;
        } else {
            size_t wide = kz__sentences_columns(s->text, i, end, COLUMNS_MAX);
            if (!open || wide > columns) columns = wide;
            if (!open) begin = i;
            open = true;
            last = end;
        }
        i = next;
    }
    return !open || add_paragraph(s, begin, last, columns);
}

kz_status kz__split(const char *text, size_t length, const kz_split_options *options,
                    kz__pieces *pieces, kz__err *err) {
    int limit = options->limit == KZ_DEFAULT ? DEFAULT_LIMIT : options->limit;
    int target = options->target == KZ_DEFAULT ? limit / 2 : options->target;
    if (limit < 0 || target < 0) {
        return kz__fail(err, KZ_ERR_USAGE, "limit and target of a split are 0 or more, not %d and "
                        "%d", limit, target);
    }
    kz_status status = kz__utf8_check(text, length, err);
    if (status) return status;
    splitter s = {.text = text, .pieces = pieces};
    s.limit = limit > 0 ? (size_t)limit : SIZE_MAX;
    s.target = (size_t)target < s.limit ? (size_t)target : s.limit;
    s.language = kz__abbreviations_language(options->language);
    size_t first = pieces->count;
    part all = measure(text, 0, options->whole && limit > 0 ? length : 0);
    bool done = false;
    if (all.length > 0 && all.length <= s.limit) {
        kz_piece piece = {all.begin, all.end - all.begin, KZ_BOUNDARY_END};
        done = push(pieces, piece);
    } else {
        done = add_text(&s, length);
    }
    if (!done) return kz__fail_memory(err);
    if (pieces->count > first) pieces->data[pieces->count - 1].after = KZ_BOUNDARY_END;
    return KZ_OK;
}
