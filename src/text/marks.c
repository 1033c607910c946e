/* Punctuation of many scripts: form: table. */
#include "text/marks.h"

#include <stddef.h>

typedef struct entry {
    int32_t c;
    kz__mark mark;
} entry;

/* Sorted by character. */
static const entry marks[] = {
    {0xA1, KZ__MARK_OPEN},        /* inverted exclamation mark */
    {0xAB, KZ__MARK_QUOTE},       /* left guillemet: closes in German */
    {0xBB, KZ__MARK_QUOTE},       /* right guillemet */
    {0xBF, KZ__MARK_OPEN},        /* inverted question mark */
    {0x37E, KZ__MARK_CALL},       /* Greek question mark */
    {0x387, KZ__MARK_SEMICOLON},  /* Greek ano teleia */
    {0x589, KZ__MARK_FULL},       /* Armenian full stop */
    {0x60C, KZ__MARK_COMMA},      /* Arabic comma */
    {0x61B, KZ__MARK_SEMICOLON},  /* Arabic semicolon */
    {0x61F, KZ__MARK_FULL},       /* Arabic question mark */
    {0x6D4, KZ__MARK_FULL},       /* Urdu full stop */
    {0x700, KZ__MARK_FULL},       /* Syriac end of paragraph */
    {0x701, KZ__MARK_FULL},       /* Syriac full stops */
    {0x702, KZ__MARK_FULL},
    {0x964, KZ__MARK_FULL},       /* danda */
    {0x965, KZ__MARK_FULL},       /* double danda */
    {0xF0D, KZ__MARK_FULL},       /* Tibetan shad */
    {0xF0E, KZ__MARK_FULL},
    {0x104A, KZ__MARK_COMMA},     /* Burmese little section */
    {0x104B, KZ__MARK_FULL},      /* Burmese section */
    {0x1362, KZ__MARK_FULL},      /* Ethiopic full stop */
    {0x1363, KZ__MARK_COMMA},     /* Ethiopic comma */
    {0x1364, KZ__MARK_SEMICOLON}, /* Ethiopic semicolon */
    {0x1367, KZ__MARK_FULL},      /* Ethiopic question mark */
    {0x17D4, KZ__MARK_FULL},      /* Khmer khan */
    {0x17D5, KZ__MARK_FULL},
    {0x1802, KZ__MARK_COMMA},     /* Mongolian comma */
    {0x1803, KZ__MARK_FULL},      /* Mongolian full stop */
    {0x2012, KZ__MARK_DASH},      /* figure dash, en dash, em dash, bar */
    {0x2013, KZ__MARK_DASH},
    {0x2014, KZ__MARK_DASH},
    {0x2015, KZ__MARK_DASH},
    {0x2018, KZ__MARK_QUOTE},     /* left single quote: closes in German */
    {0x2019, KZ__MARK_CLOSE},
    {0x201A, KZ__MARK_OPEN},
    {0x201B, KZ__MARK_OPEN},
    {0x201C, KZ__MARK_QUOTE},     /* left double quote: closes in German */
    {0x201D, KZ__MARK_CLOSE},
    {0x201E, KZ__MARK_OPEN},
    {0x201F, KZ__MARK_OPEN},
    {0x2025, KZ__MARK_DOTS},
    {0x2026, KZ__MARK_DOTS},
    {0x2033, KZ__MARK_CLOSE},     /* double prime */
    {0x2039, KZ__MARK_QUOTE},     /* single guillemets */
    {0x203A, KZ__MARK_QUOTE},
    {0x203C, KZ__MARK_CALL},      /* double marks in one character */
    {0x203D, KZ__MARK_CALL},
    {0x2047, KZ__MARK_CALL},
    {0x2048, KZ__MARK_CALL},
    {0x2049, KZ__MARK_CALL},
    {0x22EF, KZ__MARK_DOTS},      /* centred dots */
    {0x3001, KZ__MARK_COMMA},     /* ideographic comma */
    {0x3002, KZ__MARK_FULL},      /* ideographic full stop */
    {0x3008, KZ__MARK_OPEN},
    {0x3009, KZ__MARK_CLOSE},
    {0x300A, KZ__MARK_OPEN},
    {0x300B, KZ__MARK_CLOSE},
    {0x300C, KZ__MARK_OPEN},
    {0x300D, KZ__MARK_CLOSE},
    {0x300E, KZ__MARK_OPEN},
    {0x300F, KZ__MARK_CLOSE},
    {0x3010, KZ__MARK_OPEN},
    {0x3011, KZ__MARK_CLOSE},
    {0x3014, KZ__MARK_OPEN},
    {0x3015, KZ__MARK_CLOSE},
    {0x3016, KZ__MARK_OPEN},
    {0x3017, KZ__MARK_CLOSE},
    {0x301D, KZ__MARK_OPEN},
    {0x301E, KZ__MARK_CLOSE},
    {0x301F, KZ__MARK_CLOSE},
    {0xA4FF, KZ__MARK_FULL},      /* Lisu full stop */
    {0xFE12, KZ__MARK_FULL},      /* forms for vertical text */
    {0xFE15, KZ__MARK_FULL},
    {0xFE16, KZ__MARK_FULL},
    {0xFE50, KZ__MARK_COMMA},     /* small forms */
    {0xFE52, KZ__MARK_STOP},
    {0xFE54, KZ__MARK_SEMICOLON},
    {0xFE55, KZ__MARK_COLON},
    {0xFE56, KZ__MARK_FULL},
    {0xFE57, KZ__MARK_FULL},
    {0xFF01, KZ__MARK_FULL},      /* full-width exclamation mark */
    {0xFF02, KZ__MARK_QUOTE},
    {0xFF08, KZ__MARK_OPEN},
    {0xFF09, KZ__MARK_CLOSE},
    {0xFF0C, KZ__MARK_COMMA},
    {0xFF0E, KZ__MARK_STOP},      /* full-width full stop */
    {0xFF1A, KZ__MARK_COLON},
    {0xFF1B, KZ__MARK_SEMICOLON},
    {0xFF1F, KZ__MARK_FULL},      /* full-width question mark */
    {0xFF3B, KZ__MARK_OPEN},
    {0xFF3D, KZ__MARK_CLOSE},
    {0xFF5B, KZ__MARK_OPEN},
    {0xFF5D, KZ__MARK_CLOSE},
    {0xFF61, KZ__MARK_FULL},      /* half-width ideographic full stop */
    {0xFF62, KZ__MARK_OPEN},
    {0xFF63, KZ__MARK_CLOSE},
    {0xFF64, KZ__MARK_COMMA},
};

static kz__mark ascii(int32_t c) {
    switch (c) {
    case '.': return KZ__MARK_STOP;
    case '!':
    case '?': return KZ__MARK_CALL;
    case ';': return KZ__MARK_SEMICOLON;
    case ':': return KZ__MARK_COLON;
    case ',': return KZ__MARK_COMMA;
    case '(':
    case '[':
    case '{': return KZ__MARK_OPEN;
    case ')':
    case ']':
    case '}': return KZ__MARK_CLOSE;
    case '"':
    case '\'':
    case '*':
    case '_': return KZ__MARK_QUOTE;
    default: return KZ__MARK_NONE;
    }
}

kz__mark kz__mark_of(int32_t c) {
    if (c < 0x80) return ascii(c);
    size_t low = 0;
    size_t high = sizeof marks / sizeof *marks;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (marks[middle].c == c) return marks[middle].mark;
        if (marks[middle].c < c) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return KZ__MARK_NONE;
}

static bool ideograph(int32_t c) {
    return c == 0x3005 || c == 0x3007 || (c >= 0x3400 && c <= 0x4DBF) ||
           (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) ||
           (c >= 0x20000 && c <= 0x3FFFF);
}

static bool kana(int32_t c) {
    return (c >= 0x3041 && c <= 0x30FF && c != 0x30A0 && c != 0x30FB) ||
           (c >= 0x3105 && c <= 0x312F) || (c >= 0x31F0 && c <= 0x31FF) ||
           (c >= 0xFF66 && c <= 0xFF9F);
}

bool kz__char_unspaced(int32_t c) {
    if (c < 0xE00) return false;
    return ideograph(c) || kana(c) || (c <= 0xEFF) || (c >= 0x1000 && c <= 0x109F) ||
           (c >= 0x1780 && c <= 0x17FF);
}

bool kz__char_syllable(int32_t c) {
    return c >= 0x3000 && (ideograph(c) || kana(c) || (c >= 0xAC00 && c <= 0xD7A3));
}

bool kz__char_hiragana(int32_t c) {
    return c >= 0x3041 && c <= 0x309F;
}

bool kz__char_bound(int32_t c) {
    static const int32_t small[] = {0x3005, 0x3041, 0x3043, 0x3045, 0x3047, 0x3049, 0x3063, 0x3083,
                                    0x3085, 0x3087, 0x308E, 0x309D, 0x309E, 0x30A1, 0x30A3, 0x30A5,
                                    0x30A7, 0x30A9, 0x30C3, 0x30E3, 0x30E5, 0x30E7, 0x30EE, 0x30FC,
                                    0x30FD, 0x30FE};
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        if (small[i] == c) return true;
    }
    return c == 0xFF70 || c == 0xFF9E || c == 0xFF9F || (c >= 0x31F0 && c <= 0x31FF);
}

bool kz__char_invisible(int32_t c) {
    if (c < 0x300) return c == 0xAD;
    return c == 0x34F || c == 0x61C || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) ||
           (c >= 0xFE00 && c <= 0xFE0F) || c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB) ||
           (c >= 0xE0000 && c <= 0xE0FFF);
}
