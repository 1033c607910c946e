/* Strict UTF-8. The range of the second byte depends on the first; all later ones are 80..BF. */
#include "text/utf8.h"

#include <stdbool.h>

/* Bytes of the character that `first` begins, and the range of its second byte; 0 if it begins
 * none. */
static int expect(unsigned first, unsigned *low, unsigned *high) {
    *low = 0x80;
    *high = 0xBF;
    if (first < 0x80) return 1;
    if (first < 0xC2 || first > 0xF4) return 0;
    if (first < 0xE0) return 2;
    if (first == 0xE0) *low = 0xA0;
    if (first == 0xED) *high = 0x9F;
    if (first < 0xF0) return 3;
    if (first == 0xF0) *low = 0x90;
    if (first == 0xF4) *high = 0x8F;
    return 4;
}

int kz__utf8_decode(const char *bytes, size_t length, int32_t *character) {
    const unsigned char *s = (const unsigned char *)bytes;
    unsigned low = 0;
    unsigned high = 0;
    int size = expect(s[0], &low, &high);
    if (size == 0) return KZ__UTF8_BAD;
    if (size == 1) {
        *character = s[0];
        return 1;
    }
    int32_t value = s[0] & (0xFF >> (size + 1));
    for (int i = 1; i < size; i++) {
        if ((size_t)i == length) return KZ__UTF8_CUT;
        if (s[i] < low || s[i] > high) return KZ__UTF8_BAD;
        value = value << 6 | (s[i] & 0x3F);
        low = 0x80;
        high = 0xBF;
    }
    *character = value;
    return size;
}

size_t kz__utf8_encode(int32_t character, char bytes[KZ__UTF8_MAX]) {
    unsigned c = (unsigned)character;
    if (c < 0x80) {
        bytes[0] = (char)c;
        return 1;
    }
    size_t size = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = size; i-- > 1;) {
        bytes[i] = (char)(0x80 | (c & 0x3F));
        c >>= 6;
    }
    bytes[0] = (char)(((0xF00u >> size) & 0xFFu) | c);
    return size;
}

kz_status kz__utf8_fail(int32_t byte, unsigned long long offset, kz__err *err) {
    unsigned value = (unsigned)byte & 0xFFu;
    if (value == 0) {
        return kz__fail(err, KZ_ERR_INPUT, "the text has a zero byte at byte offset %llu, as "
                        "UTF-16 has; it must be UTF-8", offset);
    }
    bool mark = offset == 0 && value >= 0xFE; /* the first byte of U+FEFF */
    return kz__fail(err, KZ_ERR_INPUT,
                    "the text is not valid UTF-8 at byte offset %llu (byte 0x%02X)%s", offset,
                    value,
                    mark ? ": it begins with the mark of UTF-16; it must be UTF-8" : "");
}

kz_status kz__utf8_check(const char *text, size_t length, kz__err *err) {
    size_t at = 0;
    while (at < length) {
        int32_t c = 0;
        int size = kz__utf8_decode(text + at, length - at, &c);
        if (size <= 0 || c == 0) return kz__utf8_fail(text[at], at, err);
        at += (size_t)size;
    }
    return KZ_OK;
}
