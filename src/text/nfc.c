/* Normalisation form C: decompose, order the marks, compose. utf8proc decomposes and composes; the
 * ordering is done here by counting, since utf8proc's takes quadratic time on long runs of marks.
 */
#include "text/nfc.h"

#include "text/unicode.h"

#include <string.h>
#include <utf8proc.h>

#define DECOMPOSED_MAX 32 /* characters; no canonical decomposition has more than 4 */

void kz__nfc_init(kz__nfc *nfc, kz__mem *mem) {
    kz__ints_init(&nfc->held, mem);
    kz__ints_init(&nfc->order, mem);
}

void kz__nfc_clear(kz__nfc *nfc) {
    kz__ints_clear(&nfc->held);
    kz__ints_clear(&nfc->order);
}

/* Stable sort of marks[0..count) by combining class, by way of a copy in nfc->order. */
static bool sort_marks(kz__nfc *nfc, int32_t *marks, size_t count) {
    size_t at[257];
    memset(at, 0, sizeof at);
    nfc->order.count = 0;
    for (size_t i = 0; i < count; i++) {
        at[kz__char_combining(marks[i]) + 1]++;
        if (!kz__ints_push(&nfc->order, marks[i])) return false;
    }
    for (size_t i = 1; i < 257; i++) {
        at[i] += at[i - 1];
    }
    for (size_t i = 0; i < count; i++) {
        int32_t c = nfc->order.data[i];
        marks[at[kz__char_combining(c)]++] = c;
    }
    return true;
}

/* Canonical ordering: each run of characters with a class above 0 that is not in order
 * is sorted. */
static bool order(kz__nfc *nfc) {
    int32_t *held = nfc->held.data;
    size_t count = nfc->held.count;
    size_t first = 0;
    while (first < count) {
        int last = 0;
        bool sorted = true;
        size_t end = first;
        for (; end < count; end++) {
            int class = kz__char_combining(held[end]);
            if (class == 0) break;
            sorted = sorted && class >= last;
            last = class;
        }
        if (!sorted && !sort_marks(nfc, held + first, end - first)) return false;
        first = end + 1;
    }
    return true;
}

kz_status kz__nfc_flush(kz__nfc *nfc, kz__ints *out, kz__err *err) {
    kz__ints *held = &nfc->held;
    size_t count = held->count;
    if (count > 1) {
        if (!order(nfc)) return kz__fail_memory(err);
        utf8proc_ssize_t composed = utf8proc_normalize_utf32(held->data, (utf8proc_ssize_t)count,
                                                             UTF8PROC_COMPOSE | UTF8PROC_STABLE);
        if (composed < 0) {
            return kz__fail(err, KZ_ERR_FAILED, "the text could not be normalised: %s",
                            utf8proc_errmsg(composed));
        }
        count = (size_t)composed;
    }
    for (size_t i = 0; i < count; i++) {
        if (!kz__ints_push(out, held->data[i])) return kz__fail_memory(err);
    }
    held->count = 0;
    return KZ_OK;
}

kz_status kz__nfc_push(kz__nfc *nfc, int32_t c, kz__ints *out, kz__err *err) {
    if (nfc->held.count && kz__char_starts(c)) {
        kz_status status = kz__nfc_flush(nfc, out, err);
        if (status != KZ_OK) return status;
    }
    utf8proc_int32_t parts[DECOMPOSED_MAX];
    int boundary = 0;
    utf8proc_ssize_t count =
        c < 0x80 ? 1
                 : utf8proc_decompose_char(c, parts, DECOMPOSED_MAX, UTF8PROC_DECOMPOSE, &boundary);
    if (count < 1 || count > DECOMPOSED_MAX) {
        return kz__fail(err, KZ_ERR_FAILED, "U+%04X could not be normalised", (unsigned)c);
    }
    if (c < 0x80) parts[0] = c;
    for (utf8proc_ssize_t i = 0; i < count; i++) {
        if (!kz__ints_push(&nfc->held, parts[i])) return kz__fail_memory(err);
    }
    if (nfc->held.count == 1 && kz__char_inert(c)) return kz__nfc_flush(nfc, out, err);
    return KZ_OK;
}
