/* What is installed beside the program for its reader: the man page, and completions for bash, zsh
 * and fish. The fixed part of each is a template, NAME.in; a line "@part@" of it stands for what
 * one of the functions below prints from the tables of the command line, so that no page disagrees
 * with the program.
 */
#ifndef KZ_PAGES_PAGES_H
#define KZ_PAGES_PAGES_H

#include "cli/cli.h"

/* man.c */
void kz__man_title(FILE *out);
void kz__man_overview(FILE *out);
void kz__man_verbs(FILE *out);
void kz__man_options(FILE *out);
void kz__man_variables(FILE *out);
void kz__man_exit_codes(FILE *out);
void kz__man_examples(FILE *out);

/* bash.c: functions of bash that hold the tables */
void kz__bash_tables(FILE *out);

/* zsh.c: the list of verbs; branches of a "case" with the specifications of each verb */
void kz__zsh_verbs(FILE *out);
void kz__zsh_arguments(FILE *out);

/* fish.c: commands "complete", and a list of options */
void kz__fish_commands(FILE *out);

/* examples.c: every example as it is typed, one a line, for tests */
void kz__plain_examples(FILE *out);

/* ---- what the pages read from the tables: tables.c ---------------------------------------- */

/* What can stand for a value or an argument. */
typedef enum kz__fill {
    KZ__FILL_NOTHING, /* free text, numbers */
    KZ__FILL_FILES,   /* folders too: a model may be one */
    KZ__FILL_FOLDERS,
    KZ__FILL_WORDS,     /* a list that the table holds */
    KZ__FILL_VOICES,    /* these four the program tells; voices also as files */
    KZ__FILL_SAVED,
    KZ__FILL_LANGUAGES,
    KZ__FILL_LEVELS
} kz__fill;

kz__fill kz__fill_of_option(const kz__option *option);

/* Arguments of a verb, as its usage line has them: "MODEL GOLDEN" is two, "[list|show]" is one that
 * is one of these words. */
typedef struct kz__argument {
    char word[48];   /* or words, with '|' in between */
    bool repeated; /* "TEXT..." */
    kz__fill fill;
} kz__argument;

/* False behind the last. */
bool kz__argument_of(const kz__verb *verb, size_t index, kz__argument *argument);

/* The next option from *at on that a verb of `verbs` takes and that is there already; NULL behind
 * the last. *at begins with 0. */
const kz__option *kz__next_option(uint32_t verbs, size_t *at);

/* True where another entry of the table has the same name. */
bool kz__has_namesake(const kz__option *option);

/* "a|b" as words with `between` in between. */
void kz__print_choices(FILE *out, const char *choices, const char *between);

#endif
