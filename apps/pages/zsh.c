/* The tables as specifications of zsh's _arguments and _describe. All stand in single quotes. */
#include "pages/pages.h"

#include <string.h>

/* A text in single quotes; `special` needs a backslash there. */
static void put_quoted(FILE *out, const char *text, const char *special) {
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", out);
            continue;
        }
        if (strchr(special, *text)) fputc('\\', out);
        fputc(*text == '\n' ? ' ' : *text, out);
    }
}

void kz__zsh_verbs(FILE *out) {
    for (const kz__verb *v = kz__verbs; v->name; v++) {
        if (!v->mask) continue;
        fprintf(out, "    '%s:", v->name);
        put_quoted(out, v->summary, ":\\");
        fputs("'\n", out);
    }
}

static void put_names(FILE *out, const kz__option *o) {
    if (o->letter) fprintf(out, "-%c ", o->letter);
    fprintf(out, "--%s", o->name);
}

/* The options that make no sense beside this one: its other spelling, and what contradicts it. */
static void put_exclusions(FILE *out, const kz__option *o, uint32_t verb) {
    fputs("'(", out);
    put_names(out, o);
    for (size_t i = 0; i < kz__option_table.conflict_count; i++) {
        const kz__conflict *c = &kz__option_table.conflicts[i];
        const char *other = NULL;
        if (!strcmp(c->first, o->name)) other = c->second;
        if (!strcmp(c->second, o->name)) other = c->first;
        const kz__option *option = other ? kz__args_find(&kz__option_table, verb, other) : NULL;
        if (!option) continue;
        fputc(' ', out);
        put_names(out, option);
    }
    fputs(")'", out);
}

static void put_action(FILE *out, kz__fill fill) {
    static const char *const actions[] = {" ", "_files", "_path_files -/", "", "_kazeia_voices",
                                          "_kazeia_saved", "_kazeia_languages", "_kazeia_levels"};
    fputs(actions[fill], out);
}

static void put_option(FILE *out, const kz__option *o, uint32_t verb) {
    fputs("        ", out);
    put_exclusions(out, o, verb);
    bool takes = o->kind != KZ__FLAG;
    if (o->letter) {
        fprintf(out, "{-%c%s,--%s%s}", o->letter, takes ? "+" : "", o->name, takes ? "=" : "");
    } else {
        fprintf(out, "--%s%s", o->name, takes ? "=" : "");
    }
    fputs("'[", out);
    put_quoted(out, o->help, "[]:\\");
    fputc(']', out);
    if (takes) {
        fprintf(out, ":%s:", o->value);
        if (o->kind == KZ__CHOICE) {
            fputc('(', out);
            kz__print_choices(out, o->choices, " ");
            fputc(')', out);
        } else {
            put_action(out, kz__fill_of_option(o));
        }
    }
    fputs("' \\\n", out);
}

static void put_argument(FILE *out, const kz__argument *argument) {
    fprintf(out, "        '%s:%s:", argument->repeated ? "*" : "", argument->word);
    if (argument->fill == KZ__FILL_WORDS) {
        fputc('(', out);
        kz__print_choices(out, argument->word, " ");
        fputc(')', out);
    } else {
        put_action(out, argument->fill);
    }
    fputs("' \\\n", out);
}

void kz__zsh_arguments(FILE *out) {
    kz__argument argument;
    for (const kz__verb *v = kz__verbs; v->name; v++) {
        const kz__option *o = NULL;
        if (!v->mask) continue;
        fprintf(out, "    %s)\n      _arguments -s -S \\\n", v->name);
        for (size_t at = 0; (o = kz__next_option(v->mask, &at));) put_option(out, o, v->mask);
        for (size_t i = 0; kz__argument_of(v, i, &argument); i++) put_argument(out, &argument);
        fputs("        '-h[short help]'\n      ;;\n", out);
    }
}
