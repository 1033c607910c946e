/* Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef KZ_TEXT_UTF8_H
#define KZ_TEXT_UTF8_H

#include "base/status.h"

#define KZ__UTF8_MAX 4 /* bytes of the longest character */

enum { KZ__UTF8_CUT = 0, KZ__UTF8_BAD = -1 };

/* Decodes the first character of length > 0 bytes. Returns its bytes, KZ__UTF8_CUT where the bytes
 * end inside a character that is good so far, or KZ__UTF8_BAD. */
int kz__utf8_decode(const char *bytes, size_t length, int32_t *character);

/* Writes a valid character, returns its bytes. */
size_t kz__utf8_encode(int32_t character, char bytes[KZ__UTF8_MAX]);

/* KZ_ERR_INPUT with the offset for invalid bytes and for a zero byte. */
kz_status kz__utf8_check(const char *text, size_t length, kz__err *err);

/* The sentences of that check, for those who decode by themselves. */
kz_status kz__utf8_fail(int32_t byte, unsigned long long offset, kz__err *err);

#endif
