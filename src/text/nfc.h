/* Unicode normalisation form C, character by character. Holds back from the last character that a
 * later one could still change; cost is linear whatever the text is.
 */
#ifndef KZ_TEXT_NFC_H
#define KZ_TEXT_NFC_H

#include "text/ints.h"

typedef struct kz__nfc {
    kz__ints held;  /* canonical decomposition of what is held back */
    kz__ints order; /* scratch of the canonical ordering */
} kz__nfc;

void kz__nfc_init(kz__nfc *nfc, kz__mem *mem);
void kz__nfc_clear(kz__nfc *nfc);

/* Takes one character, appends what became final to out. */
kz_status kz__nfc_push(kz__nfc *nfc, int32_t c, kz__ints *out, kz__err *err);

/* Appends what is held back: the text ends here, or goes on with a character that starts. */
kz_status kz__nfc_flush(kz__nfc *nfc, kz__ints *out, kz__err *err);

#endif
