/* The tables as functions of bash. */
#include "pages/pages.h"

#include <string.h>

static void print_verbs(FILE *out) {
    fputs("_kazeia_verbs='", out);
    for (const kz__verb *v = kz__verbs; v->name; v++) {
        if (v->mask) fprintf(out, "%s ", v->name);
    }
    fputs("'\n", out);
}

static void print_options(FILE *out) {
    fputs("\n# _kazeia_options VERB: its options\n_kazeia_options() {\n    case $1 in\n", out);
    for (const kz__verb *v = kz__verbs; v->name; v++) {
        const kz__option *o = NULL;
        if (!v->mask) continue;
        fprintf(out, "    %s) echo '-h", v->name);
        for (size_t at = 0; (o = kz__next_option(v->mask, &at));) {
            if (o->letter) fprintf(out, " -%c", o->letter);
            fprintf(out, " --%s", o->name);
        }
        fputs("' ;;\n", out);
    }
    fputs("    esac\n}\n", out);
}

static void print_fill(FILE *out, kz__fill fill) {
    static const char *const names[] = {"nothing", "files", "folders", "", "voices", "saved",
                                        "languages", "levels"};
    fputs(names[fill], out);
}

/* A pattern for "VERB OPTION"; the verb counts where another one means something else by it. */
static void print_pattern(FILE *out, const kz__option *o, const char *verb, bool more) {
    fprintf(out, "%s%s' --%s'", more ? " | " : "", verb, o->name);
    if (o->letter) fprintf(out, " | %s' -%c'", verb, o->letter);
}

static void print_patterns(FILE *out, const kz__option *o) {
    bool more = false;
    if (!kz__has_namesake(o)) {
        print_pattern(out, o, "*", false);
        return;
    }
    for (const kz__verb *v = kz__verbs; v->name; v++) {
        if (!(v->mask & o->verbs)) continue;
        print_pattern(out, o, v->name, more);
        more = true;
    }
}

static void print_values(FILE *out) {
    const kz__option *o = NULL;
    fputs("\n# _kazeia_value VERB OPTION: what its value can be; fails where it takes none\n"
          "_kazeia_value() {\n    case \"$1 $2\" in\n", out);
    for (size_t at = 0; (o = kz__next_option(KZ__ALL_VERBS, &at));) {
        if (o->kind == KZ__FLAG) continue;
        fputs("    ", out);
        print_patterns(out, o);
        fputs(") echo '", out);
        print_fill(out, kz__fill_of_option(o));
        if (o->kind == KZ__CHOICE) kz__print_choices(out, o->choices, " ");
        fputs("' ;;\n", out);
    }
    fputs("    *) return 1 ;;\n    esac\n}\n", out);
}

static void print_arguments(FILE *out) {
    kz__argument argument;
    fputs("\n# _kazeia_argument VERB NUMBER: what that argument can be\n"
          "_kazeia_argument() {\n    case $1$2 in\n", out);
    for (const kz__verb *v = kz__verbs; v->name; v++) {
        for (size_t i = 0; v->mask && kz__argument_of(v, i, &argument); i++) {
            if (argument.fill == KZ__FILL_NOTHING) continue;
            fprintf(out, "    %s%zu) echo '", v->name, i + 1);
            print_fill(out, argument.fill);
            if (argument.fill == KZ__FILL_WORDS) kz__print_choices(out, argument.word, " ");
            fputs("' ;;\n", out);
        }
    }
    fputs("    help1) echo \"$_kazeia_verbs\" ;;\n    esac\n}\n", out);
}

void kz__bash_tables(FILE *out) {
    print_verbs(out);
    print_options(out);
    print_values(out);
    print_arguments(out);
}
