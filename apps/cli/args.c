/* The line first, then the variables of what the line left open, then contradictions. */
#include "cli/args.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAME_MAX_LENGTH 48

typedef struct parser {
    kz__args *args;
    void *settings;
    kz__err *err;
} parser;

/* ---- names -------------------------------------------------------------------------------- */

static char plain(char c) {
    return c == '_' ? '-' : c;
}

static bool same_name(const char *typed, size_t length, const char *name) {
    if (strlen(name) != length) return false;
    for (size_t i = 0; i < length; i++) {
        if (plain(typed[i]) != plain(name[i])) return false;
    }
    return true;
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* As letters count where a spelling is looked for. */
static char likely(char c) {
    return (char)tolower((unsigned char)plain(c));
}

size_t kz__args_distance(const char *a, const char *b) {
    size_t rows[3][NAME_MAX_LENGTH + 1];
    size_t la = strlen(a);
    size_t lb = strlen(b);
    if (la > NAME_MAX_LENGTH || lb > NAME_MAX_LENGTH) return NAME_MAX_LENGTH;
    for (size_t j = 0; j <= lb; j++) rows[0][j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t *now = rows[i % 3];
        const size_t *last = rows[(i + 2) % 3];
        const size_t *before = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            size_t change = likely(a[i - 1]) != likely(b[j - 1]);
            now[j] = least(last[j - 1] + change, least(last[j], now[j - 1]) + 1);
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) now[j] = least(now[j], before[j - 2] + 1);
        }
    }
    return rows[la % 3][lb];
}

bool kz__args_near(const char *typed, const char *known, size_t *distance) {
    size_t length = strlen(typed);
    *distance = kz__args_distance(typed, known);
    size_t same = 0; /* letters that both begin with */
    while (typed[same] && likely(typed[same]) == known[same]) same++;
    if (same >= 3 && same == length && known[same]) *distance = 1;
    return same >= 3 || *distance <= (length < 4 ? 1 : 1 + length / 4);
}

/* What the verb takes comes before what others take under the same name. */
static const kz__option *find_long(const parser *p, const char *name, size_t length) {
    const kz__option *found = NULL;
    for (size_t i = 0; i < p->args->options->count; i++) {
        const kz__option *o = &p->args->options->list[i];
        if (!same_name(name, length, o->name)) continue;
        if (o->verbs & p->args->verb) return o;
        if (!found) found = o;
    }
    return found;
}

static const kz__option *find_letter(const parser *p, char letter) {
    const kz__option *found = NULL;
    for (size_t i = 0; i < p->args->options->count; i++) {
        const kz__option *o = &p->args->options->list[i];
        if (o->letter != letter) continue;
        if (o->verbs & p->args->verb) return o;
        if (!found) found = o;
    }
    return found;
}

static kz_status unknown_long(const parser *p, const char *name, size_t length) {
    char typed[NAME_MAX_LENGTH + 1];
    snprintf(typed, sizeof typed, "%.*s", (int)least(length, NAME_MAX_LENGTH), name);
    const kz__option *best = NULL;
    size_t best_distance = 0;
    for (size_t i = 0; i < p->args->options->count; i++) {
        const kz__option *o = &p->args->options->list[i];
        size_t distance = 0;
        if (!(o->verbs & p->args->verb) || !kz__args_near(typed, o->name, &distance)) continue;
        if (best && distance >= best_distance) continue;
        best = o;
        best_distance = distance;
    }
    if (best) {
        return kz__fail(p->err, KZ_ERR_USAGE, "unknown option '--%s'; did you mean '--%s'?",
                        typed, best->name);
    }
    return kz__fail(p->err, KZ_ERR_USAGE, "unknown option '--%s'; 'kazeia %s --help' lists them",
                    typed, p->args->verb_name);
}

/* ---- values ------------------------------------------------------------------------------- */

/* A whole number without anything around it. */
static bool read_whole(const char *text, int64_t *value) {
    const char *digits = text[0] == '-' || text[0] == '+' ? text + 1 : text;
    if (!*digits || digits[strspn(digits, "0123456789")]) return false;
    errno = 0;
    *value = strtoll(text, NULL, 10);
    return errno == 0;
}

static bool read_seed(const char *text, kz__seed *seed) {
    seed->given = strcmp(text, "-1") != 0;
    seed->value = 0;
    if (!seed->given) return true;
    if (!*text || text[strspn(text, "0123456789")]) return false;
    errno = 0;
    unsigned long long value = strtoull(text, NULL, 10);
    seed->value = value;
    return errno == 0 && value <= UINT64_MAX;
}

static bool read_real(const char *text, double *value) {
    char *end = NULL;
    if (!*text || text[strspn(text, "0123456789+-.eE")]) return false;
    errno = 0;
    *value = strtod(text, &end);
    return !*end && (errno == 0 || *value == 0);
}

static bool read_flag(const char *text, bool *value) {
    static const char *const yes[] = {"1", "true", "yes", "on"};
    static const char *const no[] = {"0", "false", "no", "off"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        if (!strcasecmp(text, yes[i])) {
            *value = true;
            return true;
        }
        if (!strcasecmp(text, no[i])) {
            *value = false;
            return true;
        }
    }
    return false;
}

/* The entry of "a|b|c" that equals text without regard to case, or NULL. */
static const char *in_list(const char *list, const char *text, size_t *length) {
    size_t wanted = strlen(text);
    while (list && *list) {
        *length = strcspn(list, "|");
        if (*length == wanted && !strncasecmp(list, text, wanted)) return list;
        list += *length + (list[*length] == '|');
    }
    return NULL;
}

static kz_status wrong(const parser *p, const char *origin, const char *text, const char *wanted) {
    return kz__fail(p->err, KZ_ERR_USAGE, "%s is '%s'; %s", origin, text, wanted);
}

static kz_status set_number(const parser *p, const kz__option *o, const char *origin,
                            const char *text, void *place) {
    char wanted[96];
    int64_t whole = 0;
    double value = 0;
    bool good = false;
    if (o->kind == KZ__INTEGER) {
        good = read_whole(text, &whole);
        value = (double)whole;
    } else {
        good = read_real(text, &value);
    }
    good = good && value <= o->high && (o->above ? value > o->low : value >= o->low);
    if (!good) {
        const char *what = o->kind == KZ__INTEGER ? "a whole number" : "a number";
        snprintf(wanted, sizeof wanted, "%s %s %.10g %s %.10g is allowed", what,
                 o->above ? "above" : "from", o->low, o->above ? "and up to" : "to", o->high);
        return wrong(p, origin, text, wanted);
    }
    if (o->kind == KZ__INTEGER) {
        *(int *)place = (int)whole;
    } else {
        *(double *)place = value;
    }
    return KZ_OK;
}

static kz_status set_choice(const parser *p, const kz__option *o, const char *origin,
                            const char *text, const char **place) {
    char wanted[160];
    size_t length = 0;
    const char *entry = in_list(o->choices, text, &length);
    if (!entry) {
        snprintf(wanted, sizeof wanted, "allowed: %s", o->choices);
        return wrong(p, origin, text, wanted);
    }
    *place = text;
    return KZ_OK;
}

/* text NULL: a flag on the line. */
static kz_status set_value(const parser *p, const kz__option *o, const char *origin,
                           const char *text, bool invert) {
    void *place = (char *)p->settings + o->offset;
    switch (o->kind) {
    case KZ__FLAG: {
        bool value = true;
        if (text && !read_flag(text, &value)) {
            return wrong(p, origin, text, "1 or 0 (also true, false, yes, no, on, off) is allowed");
        }
        *(bool *)place = value != invert;
        return KZ_OK;
    }
    case KZ__TEXT:
        if (!*text && strcmp(o->value, "TEXT") != 0) { /* texts are judged elsewhere */
            return kz__fail(p->err, KZ_ERR_USAGE, "%s is empty; it needs a value (%s)", origin,
                            o->value);
        }
        *(const char **)place = text;
        return KZ_OK;
    case KZ__CHOICE: return set_choice(p, o, origin, text, place);
    case KZ__INTEGER:
    case KZ__REAL: return set_number(p, o, origin, text, place);
    case KZ__SEED:
        if (read_seed(text, place)) return KZ_OK;
        return wrong(p, origin, text, "a whole number from 0 to 18446744073709551615, or -1 for a "
                     "drawn one, is allowed");
    case KZ__LATER: break;
    }
    return kz__fail(p->err, KZ_ERR_USAGE, "%s is not available in this version", origin);
}

/* ---- the line ----------------------------------------------------------------------------- */

/* "-", numbers and everything that does not begin with '-' can be the value of an option. */
static bool can_be_value(const char *text) {
    if (text[0] != '-' || !text[1]) return true;
    return isdigit((unsigned char)text[1]) || (text[1] == '.' && text[2]);
}

static kz_status take_option(const parser *p, const kz__option *o, const char *origin,
                             const char *attached, int argc, char **argv, int *at) {
    if (!(o->verbs & p->args->verb)) {
        return kz__fail(p->err, KZ_ERR_USAGE, "'%s' does not take %s", p->args->verb_name, origin);
    }
    const char *value = attached;
    if (o->kind == KZ__FLAG) {
        if (attached) return kz__fail(p->err, KZ_ERR_USAGE, "%s takes no value", origin);
    } else if (o->kind != KZ__LATER && !attached) {
        if (*at + 1 >= argc || !can_be_value(argv[*at + 1])) {
            return kz__fail(p->err, KZ_ERR_USAGE, "%s needs a value: --%s=%s", origin, o->name,
                            o->value);
        }
        value = argv[++*at];
    }
    kz_status status = set_value(p, o, origin, value, false);
    if (status == KZ_OK) p->args->source[o - p->args->options->list] = KZ__FROM_LINE;
    return status;
}

static kz_status take_long(const parser *p, int argc, char **argv, int *at) {
    const char *name = argv[*at] + 2;
    size_t length = strcspn(name, "=");
    const kz__option *o = find_long(p, name, length);
    if (!o) return unknown_long(p, name, length);
    char origin[NAME_MAX_LENGTH + 8];
    snprintf(origin, sizeof origin, "--%s", o->name);
    return take_option(p, o, origin, name[length] ? name + length + 1 : NULL, argc, argv, at);
}

static kz_status take_short(const parser *p, int argc, char **argv, int *at) {
    const char *word = argv[*at];
    const kz__option *o = find_letter(p, word[1]);
    if (!o) {
        return kz__fail(p->err, KZ_ERR_USAGE, "unknown option '%s'; 'kazeia %s -h' lists them "
                        "(a text that begins with '-' goes after '--')", word,
                        p->args->verb_name);
    }
    char origin[NAME_MAX_LENGTH + 16];
    snprintf(origin, sizeof origin, "-%c (--%s)", o->letter, o->name);
    const char *attached = word[2] ? word + 2 : NULL;
    if (attached && *attached == '=') attached++;
    return take_option(p, o, origin, attached, argc, argv, at);
}

static kz_status read_line(const parser *p, int argc, char **argv) {
    bool ended = false;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        kz_status status = KZ_OK;
        if (ended || word[0] != '-' || !word[1]) {
            p->args->words[p->args->word_count++] = word;
        } else if (!strcmp(word, "--")) {
            ended = true;
        } else if (word[1] == '-') {
            status = take_long(p, argc, argv, &i);
        } else {
            status = take_short(p, argc, argv, &i);
        }
        if (status != KZ_OK) return status;
    }
    return KZ_OK;
}

/* ---- variables and contradictions --------------------------------------------------------- */

void kz__args_variable(const kz__option *o, char name[KZ__VARIABLE_MAX]) {
    size_t used = (size_t)snprintf(name, KZ__VARIABLE_MAX, "KAZEIA_");
    for (const char *c = o->name; *c; c++) {
        name[used++] = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
    }
    name[used] = 0;
}

static const kz__option *partner(const kz__args *args, const kz__conflict *c,
                                 const kz__option *o) {
    const char *other = NULL;
    if (!strcmp(c->first, o->name)) other = c->second;
    if (!strcmp(c->second, o->name)) other = c->first;
    for (size_t i = 0; other && i < args->options->count; i++) {
        if (!strcmp(args->options->list[i].name, other)) return &args->options->list[i];
    }
    return NULL;
}

/* The line says something that this option contradicts: its variable does not count. */
static bool overruled(const kz__args *args, const kz__option *o) {
    for (size_t i = 0; i < args->options->conflict_count; i++) {
        const kz__option *other = partner(args, &args->options->conflicts[i], o);
        if (other && args->source[other - args->options->list] == KZ__FROM_LINE) return true;
    }
    return false;
}

static kz_status read_variables(const parser *p, const char *(*variable)(const char *name)) {
    for (size_t i = 0; i < p->args->options->count; i++) {
        const kz__option *o = &p->args->options->list[i];
        bool taken = o->verbs & p->args->verb && p->args->source[i] == KZ__UNSET;
        if (!taken || overruled(p->args, o)) continue;
        char name[KZ__VARIABLE_MAX];
        kz__args_variable(o, name);
        const char *text = o->variable ? variable(name) : NULL;
        if (text && *text) {
            kz_status status = set_value(p, o, name, text, false);
            if (status != KZ_OK) return status;
            p->args->source[i] = KZ__FROM_VARIABLE;
            continue;
        }
        text = o->old ? variable(o->old) : NULL;
        if (!text || !*text) continue;
        kz_status status = set_value(p, o, o->old, text, o->old_inverted);
        if (status != KZ_OK) return status;
        p->args->source[i] = KZ__FROM_OLD;
    }
    return KZ_OK;
}

static bool in_use(const parser *p, const kz__option *o) {
    if (p->args->source[o - p->args->options->list] == KZ__UNSET) return false;
    /* A variable may say no to a flag. */
    return o->kind != KZ__FLAG || *(const bool *)((const char *)p->settings + o->offset);
}

/* What a message calls an option that is in use: the variable that set it, or its name. */
static void origin_of(const kz__args *args, const kz__option *o,
                      char name[NAME_MAX_LENGTH + 16]) {
    unsigned char source = args->source[o - args->options->list];
    if (source == KZ__FROM_VARIABLE) {
        kz__args_variable(o, name);
    } else {
        bool old = source == KZ__FROM_OLD;
        snprintf(name, NAME_MAX_LENGTH + 16, "%s%s", old ? "" : "--", old ? o->old : o->name);
    }
}

static kz_status find_conflicts(const parser *p) {
    for (size_t i = 0; i < p->args->options->conflict_count; i++) {
        const kz__conflict *c = &p->args->options->conflicts[i];
        const kz__option *first = find_long(p, c->first, strlen(c->first));
        const kz__option *second = find_long(p, c->second, strlen(c->second));
        if (!first || !second || !in_use(p, first) || !in_use(p, second)) continue;
        char names[2][NAME_MAX_LENGTH + 16];
        origin_of(p->args, first, names[0]);
        origin_of(p->args, second, names[1]);
        return kz__fail(p->err, KZ_ERR_USAGE, "%s and %s contradict each other", names[0],
                        names[1]);
    }
    return KZ_OK;
}

kz_status kz__args_parse(kz__args *args, const kz__options *options, uint32_t verb,
                         const char *verb_name, void *settings, int argc, char **argv,
                         const char **words, const char *(*variable)(const char *name),
                         kz__err *err) {
    memset(args, 0, sizeof *args);
    args->options = options;
    args->verb = verb;
    args->verb_name = verb_name;
    args->words = words;
    parser p = {args, settings, err};
    if (options->count > KZ__OPTIONS_MAX) {
        return kz__fail(err, KZ_ERR_FAILED, "the table of options is too long");
    }
    kz_status status = read_line(&p, argc, argv);
    if (status == KZ_OK) status = read_variables(&p, variable);
    if (status == KZ_OK) status = find_conflicts(&p);
    return status;
}

kz__source kz__args_source(const kz__args *args, const char *name) {
    for (size_t i = 0; i < args->options->count; i++) {
        const kz__option *o = &args->options->list[i];
        if (o->verbs & args->verb && !strcmp(o->name, name)) return (kz__source)args->source[i];
    }
    return KZ__UNSET;
}

/* ---- items -------------------------------------------------------------------------------- */

const kz__option *kz__args_find(const kz__options *options, uint32_t verb, const char *name) {
    for (size_t i = 0; i < options->count; i++) {
        const kz__option *o = &options->list[i];
        if (o->verbs & verb && same_name(name, strlen(name), o->name)) return o;
    }
    return NULL;
}

kz_status kz__args_override(kz__args *args, const kz__option *option, const char *origin,
                            const char *text, void *settings, kz__err *err) {
    parser p = {args, settings, err};
    kz_status status = set_value(&p, option, origin, text, false);
    if (status == KZ_OK) args->source[option - args->options->list] = KZ__FROM_ITEM;
    return status;
}

static size_t value_bytes(const kz__option *o) {
    switch (o->kind) {
    case KZ__FLAG: return sizeof(bool);
    case KZ__TEXT:
    case KZ__CHOICE: return sizeof(const char *);
    case KZ__INTEGER: return sizeof(int);
    case KZ__REAL: return sizeof(double);
    case KZ__SEED: return sizeof(kz__seed);
    case KZ__LATER: break;
    }
    return 0;
}

kz_status kz__args_settle(kz__args *args, void *settings, const void *blank, kz__err *err) {
    parser p = {args, settings, err};
    for (size_t i = 0; i < args->options->count; i++) {
        const kz__option *o = &args->options->list[i];
        if (args->source[i] != KZ__FROM_ITEM || !in_use(&p, o)) continue;
        for (size_t k = 0; k < args->options->conflict_count; k++) {
            const kz__option *other = partner(args, &args->options->conflicts[k], o);
            size_t at = other ? (size_t)(other - args->options->list) : 0;
            if (!other || args->source[at] == KZ__FROM_ITEM) continue;
            memcpy((char *)settings + other->offset, (const char *)blank + other->offset,
                   value_bytes(other));
            args->source[at] = KZ__UNSET;
        }
    }
    return find_conflicts(&p);
}

/* ---- help --------------------------------------------------------------------------------- */

#define HELP_COLUMN 33

static void help_option(const kz__option *o, FILE *out) {
    int used = o->letter ? fprintf(out, "  -%c, --%s", o->letter, o->name)
                         : fprintf(out, "      --%s", o->name);
    if (o->value) used += fprintf(out, " %s", o->value);
    const char *at = o->help;
    fprintf(out, "%*s", used < HELP_COLUMN - 1 ? HELP_COLUMN - used : 2, "");
    for (;;) {
        size_t length = strcspn(at, "\n");
        fprintf(out, "%.*s\n", (int)length, at);
        if (!at[length]) break;
        at += length + 1;
        fprintf(out, "%*s", HELP_COLUMN, "");
    }
}

void kz__args_help(const kz__options *options, uint32_t verb, FILE *out) {
    for (size_t i = 0; i < options->count; i++) {
        const kz__option *o = &options->list[i];
        if (o->verbs & verb && o->kind != KZ__LATER) help_option(o, out);
    }
}

void kz__args_variables(const kz__options *options, uint32_t verb, FILE *out) {
    fprintf(out, "\nVariables that stand for options (an option beats KAZEIA_, which beats "
                 "KZTTS_):\n");
    for (size_t i = 0; i < options->count; i++) {
        const kz__option *o = &options->list[i];
        if (!(o->verbs & verb) || o->kind == KZ__LATER || !(o->variable || o->old)) continue;
        char name[KZ__VARIABLE_MAX];
        kz__args_variable(o, name);
        fprintf(out, "  %-30s--%s", name, o->name);
        if (o->old) fprintf(out, "  (also %s%s)", o->old, o->old_inverted ? "=0" : "");
        fprintf(out, "\n");
    }
}
