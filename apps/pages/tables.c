/* What the pages read from the tables. */
#include "pages/pages.h"

#include <ctype.h>
#include <string.h>

typedef struct kz__meaning {
    const char *word;
    kz__fill fill;
} kz__meaning;

/* Names of values, as the help has them; what is not here is free. */
static const kz__meaning meanings[] = {
    {"AUDIO", KZ__FILL_FILES},   {"CODES", KZ__FILL_FILES},   {"DIR", KZ__FILL_FOLDERS},
    {"FILE", KZ__FILL_FILES},    {"FOLDER", KZ__FILL_FOLDERS}, {"GOLDEN", KZ__FILL_FILES},
    {"LEVEL", KZ__FILL_LEVELS},  {"MODEL", KZ__FILL_FILES},    {"PATH", KZ__FILL_FILES},
    {"VOICE", KZ__FILL_SAVED},
    /* options whose value has too common a name */
    {"voice", KZ__FILL_VOICES},  {"language", KZ__FILL_LANGUAGES},
};

static kz__fill meaning_of(const char *word) {
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        if (!strcmp(meanings[i].word, word)) return meanings[i].fill;
    }
    return KZ__FILL_NOTHING;
}

kz__fill kz__fill_of_option(const kz__option *option) {
    if (option->kind == KZ__CHOICE) return KZ__FILL_WORDS;
    if (option->kind != KZ__TEXT) return KZ__FILL_NOTHING;
    kz__fill fill = meaning_of(option->name);
    return fill == KZ__FILL_NOTHING ? meaning_of(option->value) : fill;
}

bool kz__argument_of(const kz__verb *verb, size_t index, kz__argument *argument) {
    const char *at = verb->arguments;
    for (size_t i = 0; i < index; i++) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    if (!*at) return false;
    memset(argument, 0, sizeof *argument);
    for (size_t length = 0; *at && *at != ' '; at++) {
        argument->repeated = argument->repeated || *at == '.';
        bool part = isalpha((unsigned char)*at) || *at == '|';
        if (part && length + 1 < sizeof argument->word) argument->word[length++] = *at;
    }
    bool literal = islower((unsigned char)argument->word[0]);
    argument->fill = literal ? KZ__FILL_WORDS : meaning_of(argument->word);
    return true;
}

const kz__option *kz__next_option(uint32_t verbs, size_t *at) {
    while (*at < kz__option_table.count) {
        const kz__option *option = &kz__option_table.list[(*at)++];
        if (option->verbs & verbs && option->kind != KZ__LATER) return option;
    }
    return NULL;
}

bool kz__has_namesake(const kz__option *option) {
    size_t at = 0;
    const kz__option *other = NULL;
    while ((other = kz__next_option(KZ__ALL_VERBS, &at))) {
        if (other != option && !strcmp(other->name, option->name)) return true;
    }
    return false;
}

void kz__print_choices(FILE *out, const char *choices, const char *between) {
    while (*choices) {
        size_t length = strcspn(choices, "|");
        fprintf(out, "%.*s", (int)length, choices);
        choices += length;
        if (*choices) {
            fputs(between, out);
            choices++;
        }
    }
}
