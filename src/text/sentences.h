/* The sentences of one paragraph. The rules are in split.h. */
#ifndef KZ_TEXT_SENTENCES_H
#define KZ_TEXT_SENTENCES_H

#include "text/glyph.h"

typedef struct kz__sentences {
    const char *text;
    size_t begin, end; /* of the paragraph */
    int language;      /* of the abbreviations, -1: any */
    size_t columns;    /* of its longest line; wide characters are two */
    size_t at;         /* where the next sentence begins */
    size_t line;       /* where the present line begins */
    size_t depth;      /* open brackets */
    size_t opened;     /* where the outermost one is */
    bool quoted;       /* an odd number of " so far */
    bool casual;       /* written without capitals */
} kz__sentences;

void kz__sentences_begin(kz__sentences *s, const char *text, size_t begin, size_t end,
                         int language, size_t columns);

/* The next one is [*begin, *end); the sentences cover the paragraph without gaps. *line: it ends
 * with its line instead of a mark. False where there are no more. */
bool kz__sentences_next(kz__sentences *s, size_t *begin, size_t *end, bool *line);

/* Columns of a line on a screen without the blanks at its ends, counted up to `most` only. */
size_t kz__sentences_columns(const char *text, size_t begin, size_t end, size_t most);

#endif
