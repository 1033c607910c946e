/* The tables as commands of fish. */
#include "pages/pages.h"

#include <string.h>

/* A text in single quotes. */
static void put_quoted(FILE *out, const char *text) {
    fputc('\'', out);
    for (; *text; text++) {
        if (strchr("'\\", *text)) fputc('\\', out);
        fputc(*text == '\n' ? ' ' : *text, out);
    }
    fputc('\'', out);
}

static void put_verbs(FILE *out) {
    for (const kz__verb *v = kz__verbs; v->name; v++) {
        if (!v->mask) continue;
        fprintf(out, "complete -c kazeia -n __kazeia_first -a %s -d ", v->name);
        put_quoted(out, v->summary);
        fputs("\ncomplete -c kazeia -n '__kazeia_argument help 1' -a ", out);
        fprintf(out, "%s -d ", v->name);
        put_quoted(out, v->summary);
        fputc('\n', out);
    }
}

/* Options whose next word is their value, whatever the verb. */
static void put_valued(FILE *out) {
    const kz__option *o = NULL;
    fputs("set -g __kazeia_valued", out);
    for (size_t at = 0; (o = kz__next_option(KZ__ALL_VERBS, &at));) {
        if (o->kind == KZ__FLAG) continue;
        if (o->letter) fprintf(out, " -%c", o->letter);
        fprintf(out, " --%s", o->name);
    }
    fputc('\n', out);
}

/* What follows "complete -c kazeia -n ..." for a value or an argument. */
static void put_fill(FILE *out, kz__fill fill) {
    switch (fill) {
    case KZ__FILL_NOTHING:
    case KZ__FILL_WORDS: break;
    case KZ__FILL_FILES: fputs(" -F", out); break;
    case KZ__FILL_FOLDERS: fputs(" -x -a '(__fish_complete_directories)'", out); break;
    case KZ__FILL_VOICES: fputs(" -x -a '(__kazeia_voices)'", out); break;
    case KZ__FILL_SAVED: fputs(" -F -a '(__kazeia_saved)'", out); break;
    case KZ__FILL_LANGUAGES: fputs(" -x -a 'auto (__kazeia_languages)'", out); break;
    case KZ__FILL_LEVELS: fputs(" -x -a '(__kazeia_tell levels info)'", out); break;
    }
}

static void put_option(FILE *out, const kz__option *o) {
    fputs("complete -c kazeia -n '__kazeia_verb", out);
    for (const kz__verb *v = kz__verbs; v->name; v++) {
        if (o->verbs & v->mask) fprintf(out, " %s", v->name);
    }
    fputc('\'', out);
    if (o->letter) fprintf(out, " -s %c", o->letter);
    fprintf(out, " -l %s", o->name);
    if (o->kind == KZ__CHOICE) {
        fputs(" -x -a '", out);
        kz__print_choices(out, o->choices, " ");
        fputc('\'', out);
    } else if (o->kind != KZ__FLAG) {
        kz__fill fill = kz__fill_of_option(o);
        fputs(fill == KZ__FILL_NOTHING ? " -x" : fill == KZ__FILL_FILES ? " -r" : "", out);
        put_fill(out, fill);
    }
    fputs(" -d ", out);
    put_quoted(out, o->help);
    fputc('\n', out);
}

static void put_arguments(FILE *out, const kz__verb *v) {
    kz__argument argument;
    for (size_t i = 0; kz__argument_of(v, i, &argument); i++) {
        if (argument.fill == KZ__FILL_NOTHING) continue;
        fprintf(out, "complete -c kazeia -n '__kazeia_argument %s %zu'", v->name, i + 1);
        put_fill(out, argument.fill);
        if (argument.fill == KZ__FILL_WORDS) {
            fputs(" -a '", out);
            kz__print_choices(out, argument.word, " ");
            fputc('\'', out);
        }
        fputc('\n', out);
    }
}

void kz__fish_commands(FILE *out) {
    const kz__option *o = NULL;
    put_valued(out);
    put_verbs(out);
    for (const kz__verb *v = kz__verbs; v->name; v++) {
        if (v->mask) put_arguments(out, v);
    }
    for (size_t at = 0; (o = kz__next_option(KZ__ALL_VERBS, &at));) put_option(out, o);
}
