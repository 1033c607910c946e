/* Fuzz target: a byte that picks the verb, then words of a command line, an empty word, and
 * variables NAME=VALUE, all ended by zeros. What is accepted has numbers within their bounds and
 * choices from their lists, and only words that were given; what is refused says why.
 */
#include "cli/args.h"
#include "cli/options.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define WORDS_MAX 64
#define VERBS 11

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char **environment; /* ends with NULL */

static void need(bool holds) {
    if (!holds) abort();
}

static const char *variable(const char *name) {
    size_t length = strlen(name);
    for (char **pair = environment; *pair; pair++) {
        if (!strncmp(*pair, name, length) && (*pair)[length] == '=') return *pair + length + 1;
    }
    return NULL;
}

static bool listed(const char *choices, const char *value) {
    for (const char *at = choices;; at++) {
        size_t length = strcspn(at, "|");
        if (length == strlen(value) && !strncasecmp(at, value, length)) return true;
        at += length;
        if (!*at) return false;
    }
}

static void check_option(const kz__option *o, const void *settings) {
    const char *at = (const char *)settings + o->offset;
    if (o->kind == KZ__INTEGER) {
        int value = *(const int *)(const void *)at;
        need(value >= o->low && value <= o->high);
    } else if (o->kind == KZ__REAL) {
        double value = *(const double *)(const void *)at;
        need(value >= o->low && value <= o->high && !(o->above && value == o->low));
    } else if (o->kind == KZ__CHOICE) {
        const char *value = *(const char *const *)(const void *)at;
        need(value && listed(o->choices, value));
    } else if (o->kind == KZ__TEXT) {
        need(*(const char *const *)(const void *)at != NULL);
    }
    need(o->kind != KZ__LATER);
}

static void check(const kz__args *args, const kz__settings *set, int argc, char **argv) {
    for (size_t i = 0; i < args->options->count; i++) {
        if (args->source[i] != KZ__UNSET) check_option(&args->options->list[i], set);
    }
    need(args->word_count <= (size_t)argc);
    for (size_t i = 0; i < args->word_count; i++) {
        bool given = false;
        for (int k = 0; k < argc; k++) given |= argv[k] == args->words[i];
        need(given);
    }
}

/* Cuts text at its zeros; returns how many words there are before the first empty one. */
static int cut(char *text, size_t size, char **words, char **after) {
    int count = 0;
    size_t at = 0;
    while (at < size && text[at] && count < WORDS_MAX) {
        words[count++] = text + at;
        at += strlen(text + at) + 1;
    }
    words[count] = NULL;
    *after = text + (at < size ? at + 1 : size);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    char *text = malloc(size);
    char *words[WORDS_MAX + 1];
    char *pairs[WORDS_MAX + 1];
    const char *left[WORDS_MAX];
    char *after = NULL;
    kz__settings set;
    kz__args args;
    kz__err err = {""};
    if (!text) return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    int count = cut(text, size - 1, words, &after);
    cut(after, after < text + size ? (size_t)(text + size - after) - 1 : 0, pairs, &after);
    environment = pairs;
    kz__settings_init(&set);
    kz_status status = kz__args_parse(&args, &kz__option_table, 1u << data[0] % VERBS, "say", &set,
                                      count, words, left, variable, &err);
    need(status == KZ_OK || (status == KZ_ERR_USAGE && err.text[0]));
    if (status == KZ_OK) check(&args, &set, count, words);
    free(text);
    return 0;
}
