/* Which script a text is written in, as far as it tells that two texts are not of one language. */
#ifndef KZ_TEXT_SCRIPT_H
#define KZ_TEXT_SCRIPT_H

#include <stddef.h>

typedef enum kz__script {
    KZ__SCRIPT_NONE, /* no letters, or of none of these */
    KZ__SCRIPT_LATIN,
    KZ__SCRIPT_GREEK,
    KZ__SCRIPT_CYRILLIC,
    KZ__SCRIPT_HEBREW,
    KZ__SCRIPT_ARABIC,
    KZ__SCRIPT_INDIC,
    KZ__SCRIPT_THAI,
    KZ__SCRIPT_HAN,    /* Chinese */
    KZ__SCRIPT_KANA,   /* Japanese: where there are kana, Han counts for them */
    KZ__SCRIPT_HANGUL, /* Korean */
    KZ__SCRIPTS
} kz__script;

/* That of most letters; a Han character counts as three. text is valid UTF-8. */
kz__script kz__script_of(const char *text, size_t length);
/* "Latin", "Chinese", ... */
const char *kz__script_name(kz__script script);

#endif
