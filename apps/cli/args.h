/* The command line, read by a table of options. From the same table come the parsing, the twin
 * variables, the help, the nearest spelling and the list of verbs that take an option.
 *
 * `--name value`, `--name=value`, `-n value` and `-nvalue` are the same; '_' in a name counts as
 * '-'. A value that begins with '-' and is no number needs the form with '='. "--" ends the
 * options. An option given twice counts with its last value. An option beats its KAZEIA_ variable,
 * which beats the old KZTTS_ one; an empty variable counts as absent.
 */
#ifndef KZ_CLI_ARGS_H
#define KZ_CLI_ARGS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum kz__option_kind {
    KZ__FLAG,    /* bool */
    KZ__TEXT,    /* const char * */
    KZ__CHOICE,  /* const char *, one of `choices` */
    KZ__INTEGER, /* int */
    KZ__REAL,    /* double */
    KZ__SEED,    /* kz__seed */
    KZ__LATER    /* named, not there yet */
} kz__option_kind;

typedef struct kz__seed {
    bool given; /* false: draw one */
    uint64_t value;
} kz__seed;

/* One name may have several entries, for verbs that mean different things by it. */
typedef struct kz__option {
    const char *name;
    char letter;         /* 0: none */
    kz__option_kind kind;
    size_t offset;       /* of the value in the settings */
    uint32_t verbs;      /* bits of the verbs that take it */
    const char *value;   /* what help calls the value; NULL for flags */
    const char *help;    /* lines separated by '\n' */
    const char *choices; /* "a|b" */
    double low, high;    /* of numbers */
    bool above;          /* low itself is not allowed */
    bool variable;       /* has a twin KAZEIA_NAME */
    const char *old;     /* KZTTS_ twin, or NULL */
    bool old_inverted;   /* the old flag says the opposite */
} kz__option;

/* Two options that contradict each other. */
typedef struct kz__conflict {
    const char *first, *second;
} kz__conflict;

typedef struct kz__options {
    const kz__option *list;
    size_t count;
    const kz__conflict *conflicts;
    size_t conflict_count;
} kz__options;

typedef enum kz__source {
    KZ__UNSET = 0,
    KZ__FROM_OLD = 1,
    KZ__FROM_VARIABLE = 2,
    KZ__FROM_LINE = 3,
    KZ__FROM_ITEM = 4 /* kz__args_override */
} kz__source;

#define KZ__OPTIONS_MAX 96

typedef struct kz__args {
    const kz__options *options;
    const char *verb_name;
    uint32_t verb; /* its bit */
    unsigned char source[KZ__OPTIONS_MAX];
    const char **words; /* the arguments that are no options */
    size_t word_count;
} kz__args;

/* Reads argv[0..argc-1] (what follows the verb) and the variables into settings, which hold the
 * defaults. words has room for argc pointers. variable is getenv, or a test's own. KZ_ERR_USAGE
 * with a sentence. */
kz_status kz__args_parse(kz__args *args, const kz__options *options, uint32_t verb,
                         const char *verb_name, void *settings, int argc, char **argv,
                         const char **words, const char *(*variable)(const char *name),
                         kz__err *err);

/* Where the value of an option came from. */
kz__source kz__args_source(const kz__args *args, const char *name);

/* The option of that name, '_' as '-', that `verb` takes; or NULL. */
const kz__option *kz__args_find(const kz__options *options, uint32_t verb, const char *name);

/* One more value over what args has given settings: both are copies that belong to one item. origin
 * names it in messages. */
kz_status kz__args_override(kz__args *args, const kz__option *option, const char *origin,
                            const char *text, void *settings, kz__err *err);

/* After the last of them: what they contradict goes back to its value in `blank`; two of them that
 * contradict each other are an error. */
kz_status kz__args_settle(kz__args *args, void *settings, const void *blank, kz__err *err);

/* The name of the option's twin. */
#define KZ__VARIABLE_MAX 64
void kz__args_variable(const kz__option *option, char name[KZ__VARIABLE_MAX]);

/* The options of a verb; the variables that stand for them. */
void kz__args_help(const kz__options *options, uint32_t verb, FILE *out);
void kz__args_variables(const kz__options *options, uint32_t verb, FILE *out);

/* Edit distance with neighbours swapped as one step; '_' equals '-', case does not matter. */
size_t kz__args_distance(const char *a, const char *b);

/* True where typed may be meant as known: few edits, or the same three letters at the beginning. */
bool kz__args_near(const char *typed, const char *known, size_t *distance);

#endif
