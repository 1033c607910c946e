/* What a voice may be called: a name is also the name of its file. */
#include "model/voice.h"

#include "text/nfc.h"
#include "text/unicode.h"
#include "text/utf8.h"

#include <string.h>
#include <strings.h>

#define ENDING ".kzv"

static const char *fault(const char *name, size_t length) {
    size_t ending = sizeof ENDING - 1;
    int32_t c = 0;
    int32_t last = 0;
    for (size_t at = 0; at < length;) {
        int bytes = kz__utf8_decode(name + at, length - at, &c);
        if (bytes <= 0) return "is not UTF-8";
        if (c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029) {
            return "has a control character";
        }
        if (c == '/' || c == '\\') return "has a part of a path";
        if (at == 0 && c == '.') return "begins with '.'";
        if (at == 0 && kz__char_white(c)) return "begins with a blank";
        at += (size_t)bytes;
        last = c;
    }
    if (kz__char_white(last)) return "ends with a blank";
    if (length >= ending && !strcasecmp(name + length - ending, ENDING)) {
        return "ends in \"" ENDING "\", as files do";
    }
    return NULL;
}

static kz_status compose(kz__mem *mem, const char *text, kz__ints *out, kz__err *err) {
    kz__nfc nfc;
    size_t length = strlen(text);
    kz_status status = KZ_OK;
    kz__nfc_init(&nfc, mem);
    for (size_t at = 0; at < length && !status;) {
        int32_t c = 0;
        int bytes = kz__utf8_decode(text + at, length - at, &c);
        at += (size_t)bytes;
        status = kz__nfc_push(&nfc, c, out, err);
    }
    if (!status) status = kz__nfc_flush(&nfc, out, err);
    kz__nfc_clear(&nfc);
    return status;
}

static kz_status too_long(size_t length, kz__err *err) {
    return kz__fail(err, KZ_ERR_INPUT, "a voice's name has 1 to %d bytes, not %zu",
                    KZ_VOICE_NAME_MOST, length);
}

kz_status kz__voice_name(kz__mem *mem, const char *given, char name[KZ_VOICE_NAME_MOST + 1],
                         kz__err *err) {
    kz__ints characters;
    size_t length = strlen(given);
    size_t at = 0;
    name[0] = 0;
    if (length == 0 || length > 4 * KZ_VOICE_NAME_MOST) return too_long(length, err);
    const char *problem = fault(given, length);
    if (problem) {
        return kz__fail(err, KZ_ERR_INPUT, "the name of a voice %s; letters, digits, blanks and "
                        "signs other than / and \\ are allowed", problem);
    }
    kz__ints_init(&characters, mem);
    kz_status status = compose(mem, given, &characters, err);
    for (size_t i = 0; i < characters.count && !status; i++) {
        char bytes[KZ__UTF8_MAX];
        size_t count = kz__utf8_encode(characters.data[i], bytes);
        if (at + count > KZ_VOICE_NAME_MOST) {
            status = too_long(length, err);
        } else {
            memcpy(name + at, bytes, count);
            at += count;
        }
    }
    name[status ? 0 : at] = 0;
    kz__ints_clear(&characters);
    return status;
}
