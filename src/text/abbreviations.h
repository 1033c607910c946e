/* Abbreviations with a full stop, of the ten languages that the published models speak. Chinese,
 * Japanese and Korean have none of their own. */
#ifndef KZ_TEXT_ABBREVIATIONS_H
#define KZ_TEXT_ABBREVIATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a word with a full stop behind it does. 0: nothing is known about it. */
enum {
    KZ__ABBR_NEVER = 1,  /* never ends a sentence: titles, "e.g." */
    KZ__ABBR_NUMBER = 2, /* does not in front of a number: "No. 5", "p. 12" */
    KZ__ABBR_END = 4,    /* may, where a capital follows: "etc." */
    KZ__ABBR_UNIT = 8,   /* may behind a number, where a capital follows ("5 min."); else never */
    KZ__ABBR_CAPITAL = 16, /* counts only with a capital: a word of its own otherwise */
    KZ__ABBR_OWN = 32    /* counts only where its language is named: a word in another */
};

#define KZ__ABBR_BYTES 24 /* of the longest word, more than enough */

/* The index of a language by name or ISO 639 code, a region is ignored; -1: not known, or NULL. */
int kz__abbreviations_language(const char *name);

/* Flags of a word in lower case, UTF-8, without its last full stop (inner ones are part of it).
 * capital: it begins with one in the text. */
unsigned kz__abbreviation(int language, const char *word, size_t length, bool capital);

/* Languages where a number with a full stop is an ordinal ("3. Oktober"). */
bool kz__abbreviations_ordinals(int language);
/* There: a word in lower case that begins a sentence rather than follows an ordinal. */
bool kz__abbreviations_starter(const char *word, size_t length);
/* A word in lower case that follows an ordinal in German, and is none in other languages. */
bool kz__abbreviations_after_ordinal(const char *word, size_t length);

#endif
