/* The standing clean-up of a user's text, character by character:
 *   line ends (CR LF, CR, U+0085, U+2028, U+2029) become LF,
 *   spaces of any kind (Zs: no-break, narrow no-break, ideographic, em ...) become U+0020,
 *   invisible formatting marks go (table in cleanup.c), but
 *     zero-width joiner and non-joiner stay between letters of scripts that use them, and behind a
 *     virama; the joiner stays between emoji,
 *     variation selectors 15 and 16 stay behind an emoji, and between 0-9 # * and U+20E3 (keycaps),
 *     tag characters stay behind a flag,
 *   white space at both ends goes.
 * All else stays, U+FFFD and control characters too.
 */
#ifndef KZ_TEXT_CLEANUP_H
#define KZ_TEXT_CLEANUP_H

#include "text/ints.h"

typedef struct kz__cleanup {
    kz__ints blanks;  /* held back: white space that is dropped if nothing follows */
    int32_t waiting;  /* held back: a mark that the next character decides about; 0: none */
    int32_t previous; /* last character that was let through or is held; 0: none */
    bool begun;       /* something visible has been let through */
    bool cr;          /* the last character was CR */
} kz__cleanup;

void kz__cleanup_init(kz__cleanup *cleanup, kz__mem *mem);
void kz__cleanup_clear(kz__cleanup *cleanup);

/* Takes one character, appends what became certain to out; at the end of the text nothing more is
 * to come. False when out of memory. */
bool kz__cleanup_push(kz__cleanup *cleanup, int32_t c, kz__ints *out);

/* The white character that a run of held ones begins with; 0 where none is held. */
int32_t kz__cleanup_held(const kz__cleanup *cleanup);

/* The whole at once: *out is text of *out_length bytes, zero-terminated, to be freed with kz__free.
 * KZ_ERR_INPUT for invalid UTF-8, a zero byte, and where nothing is left. */
kz_status kz__cleanup_text(kz__mem *mem, const char *text, size_t length, char **out,
                           size_t *out_length, kz__err *err);

#endif
