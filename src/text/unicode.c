/* Character classes over utf8proc. */
#include "text/unicode.h"

#include <utf8proc.h>

bool kz__char_white(int32_t c) {
    if (c < 0x80) return (c >= 0x09 && c <= 0x0D) || c == 0x20;
    if (c < 0x2000) return c == 0x85 || c == 0xA0 || c == 0x1680;
    return c <= 0x200A || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

unsigned kz__char_class(int32_t c) {
    if (kz__char_white(c)) {
        return c == '\n' || c == '\r' ? KZ__WHITE | KZ__LINE : KZ__WHITE;
    }
    switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LT: return KZ__LETTER | KZ__UPPER;
    case UTF8PROC_CATEGORY_LL: return KZ__LETTER | KZ__LOWER;
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO: return KZ__LETTER | KZ__UPPER | KZ__LOWER;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME: return KZ__UPPER | KZ__LOWER;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO: return KZ__NUMBER;
    default: return 0;
    }
}

bool kz__char_pictographic(int32_t c) {
    return utf8proc_get_property(c)->boundclass == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
}

int32_t kz__char_lower(int32_t c) {
    return utf8proc_tolower(c);
}

int kz__char_combining(int32_t c) {
    return utf8proc_get_property(c)->combining_class;
}

/* All that composes with something in front of it is a mark, a Hangul vowel or final consonant, or
 * the one vowel sign of Kirat Rai that does although it is a letter (Unicode 16). */
bool kz__char_starts(int32_t c) {
    if (c < 0x300) return true;
    if ((c >= 0x1160 && c <= 0x11FF) || c == 0x16D67) return false;
    switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME: return false;
    default: return true;
    }
}

static bool ideograph(int32_t c) {
    return (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x4E00 && c <= 0x9FFF) ||
           (c >= 0x20000 && c <= 0x3FFFF);
}

bool kz__char_inert(int32_t c) {
    if (kz__char_white(c) || ideograph(c)) return true;
    switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
    case UTF8PROC_CATEGORY_SC:
    case UTF8PROC_CATEGORY_CC: return true;
    default: return false;
    }
}
