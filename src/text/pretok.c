/* The split patterns as a machine. A state says what the characters since the last cut are; a
 * character either extends them, or cuts and is looked at again from the state after the cut.
 */
#include "text/pretok.h"

#include "text/unicode.h"

enum {
    START = 0,
    WORD,   /* native: optional prefix, letters */
    QUOTE,  /* native: apostrophe and r, v or l */
    UPPER,  /* second: optional prefix, characters of U */
    LOWER,  /* second: ... followed by characters of W, the first not of U */
    BLANK,  /* one white character, no line end */
    BLANKS, /* white run: more than one character, or a line end */
    SIGN,   /* one character that is no letter, number or white */
    SIGNS,  /* optional space, such characters */
    TAIL    /* ... followed by line ends (second: also slashes) */
};

typedef struct cuts {
    size_t *pieces;
    size_t count;
} cuts;

void kz__pretok_init(kz__pretok *pretok, bool second) {
    *pretok = (kz__pretok){0};
    pretok->second = second;
}

/* Completes a piece of so many bytes; none if 0. */
static void cut(kz__pretok *p, size_t bytes, cuts *out) {
    if (bytes) out->pieces[out->count++] = bytes;
    p->length -= bytes;
    p->mark = 0;
    if (p->length == 0) p->state = START;
}

static bool starts_word(const kz__pretok *p, unsigned class) {
    return class & (p->second ? KZ__UPPER | KZ__LOWER : KZ__LETTER);
}

static void enter_word(kz__pretok *p, unsigned class) {
    if (!p->second) {
        p->state = WORD;
    } else if (class & KZ__UPPER) {
        p->state = UPPER;
        p->mark = class & KZ__LOWER ? p->length : 0;
    } else {
        p->state = LOWER;
    }
}

/* Second pattern: a word cannot end in a character of U alone where one of W came before; those
 * behind the last of W are a word of their own. */
static void cut_upper(kz__pretok *p, cuts *out) {
    cut(p, p->mark, out);
    cut(p, p->length, out);
}

/* A white run in front of a character that is not white: through its last line end; then all but
 * the last blank; the last blank may belong to what follows. */
static void cut_blanks(kz__pretok *p, cuts *out) {
    size_t last = p->last;
    cut(p, p->mark, out);
    if (p->length == 0) return;
    cut(p, p->length - last, out);
    p->state = BLANK;
}

/* Letters of a contraction: 's 't 'm 'd are complete with one, 're 've 'll need two. */
static bool contraction_one(int32_t c) {
    return c == 's' || c == 'S' || c == 't' || c == 'T' || c == 'm' || c == 'M' || c == 'd' ||
           c == 'D' || c == 0x17F; /* long s folds to s */
}

static bool contraction_two(int32_t c, int32_t next) {
    bool e = next == 'e' || next == 'E';
    if (c == 'r' || c == 'R' || c == 'v' || c == 'V') return e;
    return (c == 'l' || c == 'L') && (next == 'l' || next == 'L');
}

static bool contraction_opens(int32_t c) {
    return c == 'r' || c == 'R' || c == 'v' || c == 'V' || c == 'l' || c == 'L';
}

static void begin(kz__pretok *p, int32_t c, unsigned class, size_t bytes, cuts *out) {
    p->length = bytes;
    p->mark = 0;
    if (class & KZ__NUMBER) {
        cut(p, bytes, out);
    } else if (starts_word(p, class)) {
        enter_word(p, class);
    } else if (class & KZ__LINE) {
        p->state = BLANKS;
        p->mark = bytes;
    } else {
        p->state = class & KZ__WHITE ? BLANK : SIGN;
    }
    p->c = c;
    p->last = bytes;
}

/* BLANK or SIGN and the character behind it. True where it was taken. */
static bool follow_one(kz__pretok *p, int32_t c, unsigned class, size_t bytes, cuts *out) {
    bool sign = p->state == SIGN;
    bool other = !(class & (KZ__LETTER | KZ__NUMBER | KZ__WHITE));
    if (starts_word(p, class)) {
        p->length += bytes;
        if (!p->second && sign && p->c == '\'' && contraction_one(c)) {
            cut(p, p->length, out);
        } else if (!p->second && sign && p->c == '\'' && contraction_opens(c)) {
            p->state = QUOTE;
        } else {
            enter_word(p, class);
        }
        return true;
    }
    if (other && (sign || p->c == ' ')) {
        p->state = SIGNS;
    } else if (sign && (class & KZ__LINE)) {
        p->state = TAIL;
    } else if (!sign && (class & KZ__WHITE)) {
        p->state = BLANKS;
        p->mark = class & KZ__LINE ? p->length + bytes : 0;
    } else {
        cut(p, p->length, out);
        return false;
    }
    p->length += bytes;
    return true;
}

/* Any other state and the character behind it. */
static bool follow_run(kz__pretok *p, int32_t c, unsigned class, size_t bytes, cuts *out) {
    bool other = !(class & (KZ__LETTER | KZ__NUMBER | KZ__WHITE));
    bool takes = false;
    switch (p->state) {
    case WORD: takes = class & KZ__LETTER; break;
    case UPPER: takes = class & (KZ__UPPER | KZ__LOWER); break;
    case LOWER: takes = class & KZ__LOWER; break;
    case BLANKS: takes = class & KZ__WHITE; break;
    case SIGNS: takes = other || (class & KZ__LINE); break;
    default: takes = (class & KZ__LINE) || (p->second && c == '/'); break;
    }
    if (!takes) {
        if (p->state == UPPER) {
            cut_upper(p, out);
        } else if (p->state == BLANKS) {
            cut_blanks(p, out);
        } else {
            cut(p, p->length, out);
        }
        return false;
    }
    p->length += bytes;
    if (p->state == UPPER && !(class & KZ__UPPER)) p->state = LOWER;
    if (p->state == UPPER && (class & KZ__LOWER)) p->mark = p->length;
    if (p->state == BLANKS && (class & KZ__LINE)) p->mark = p->length;
    if (p->state == SIGNS && (class & KZ__LINE)) p->state = TAIL;
    return true;
}

size_t kz__pretok_push(kz__pretok *pretok, int32_t c, size_t bytes, size_t pieces[KZ__PIECES]) {
    cuts out = {pieces, 0};
    unsigned class = kz__char_class(c);
    bool taken = false;
    while (!taken) {
        switch (pretok->state) {
        case START:
            begin(pretok, c, class, bytes, &out);
            taken = true;
            break;
        case BLANK:
        case SIGN: taken = follow_one(pretok, c, class, bytes, &out); break;
        case QUOTE:
            if (contraction_two(pretok->c, c)) {
                pretok->length += bytes;
                cut(pretok, pretok->length, &out);
                taken = true;
            } else {
                pretok->state = WORD;
            }
            break;
        default: taken = follow_run(pretok, c, class, bytes, &out); break;
        }
    }
    pretok->c = c;
    pretok->last = bytes;
    return out.count;
}

size_t kz__pretok_end(kz__pretok *pretok, size_t pieces[KZ__PIECES]) {
    cuts out = {pieces, 0};
    if (pretok->state == UPPER || pretok->state == BLANKS) cut(pretok, pretok->mark, &out);
    if (pretok->length) cut(pretok, pretok->length, &out);
    return out.count;
}

bool kz__pretok_cuts(const kz__pretok *pretok, int32_t c) {
    switch (pretok->state) {
    case SIGN:
    case SIGNS:
    case TAIL: return !(kz__char_class(c) & KZ__LINE);
    case BLANK:
    case BLANKS: return false;
    default: return true;
    }
}
