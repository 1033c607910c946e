/* Parts of the man page, in the man(7) macros of roff. Text is filled by the reader's program: a
 * sentence begins a line, and a line ends before column 80. */
#include "pages/pages.h"

#include <ctype.h>
#include <string.h>

#define LINE_MAX_LENGTH 78

/* ---- text --------------------------------------------------------------------------------- */

typedef struct filler {
    FILE *out;
    int column; /* 0: at the beginning of a line */
} filler;

static const char *escape(char c) {
    switch (c) {
    case '\\': return "\\e";
    case '-': return "\\-";
    case '\'': return "\\(aq";
    case '`': return "\\(ga";
    case '^': return "\\(ha";
    case '~': return "\\(ti";
    case '"': return "\\(dq";
    default: return NULL;
    }
}

/* As it would be typed: no character becomes a typographic one. */
static void put_literal(FILE *out, const char *text, size_t length) {
    if (length > 0 && text[0] == '.') fputs("\\&", out);
    for (size_t i = 0; i < length; i++) {
        const char *code = escape(text[i]);
        if (code) {
            fputs(code, out);
        } else {
            fputc(text[i], out);
        }
    }
}

/* The length of the option that begins at text ("-x", "--name"), or 0. */
static size_t option_length(const char *text, size_t length, char before) {
    size_t dashes = 0;
    while (dashes < length && text[dashes] == '-') dashes++;
    bool begins = dashes > 0 && dashes < length && isalpha((unsigned char)text[dashes]) &&
                  !isalnum((unsigned char)before);
    if (!begins) return 0;
    size_t end = dashes;
    while (end < length && (isalnum((unsigned char)text[end]) || text[end] == '-')) end++;
    return end;
}

/* A word of running text: options are bold and not parted at the end of a line, hyphens inside
 * words stay hyphens. */
static void put_word_text(FILE *out, const char *word, size_t length) {
    if (word[0] == '-' || (word[0] == '(' && word[1] == '-')) fputs("\\%", out);
    if (word[0] == '.') fputs("\\&", out);
    for (size_t i = 0; i < length; i++) {
        char before = i > 0 ? word[i - 1] : ' ';
        size_t option = word[i] == '-' ? option_length(word + i, length - i, before) : 0;
        if (option > 0) {
            fputs("\\fB", out);
            put_literal(out, word + i, option);
            fputs("\\fR", out);
            i += option - 1;
        } else if (word[i] == '-' && isalpha((unsigned char)before)) {
            fputc('-', out);
        } else {
            put_literal(out, word + i, 1);
        }
    }
}

static void put_word(filler *f, const char *word, size_t length) {
    char bytes[512];
    FILE *buffer = fmemopen(bytes, sizeof bytes, "w");
    if (!buffer) return;
    put_word_text(buffer, word, length);
    int width = (int)ftell(buffer);
    fclose(buffer);
    if (f->column > 0 && f->column + 1 + width > LINE_MAX_LENGTH) {
        fputc('\n', f->out);
        f->column = 0;
    }
    if (f->column > 0) f->column += fprintf(f->out, " ");
    fwrite(bytes, 1, (size_t)width, f->out);
    f->column += width;
    if (strchr(".!?", word[length - 1])) {
        fputc('\n', f->out);
        f->column = 0;
    }
}

static void end_line(filler *f) {
    if (f->column > 0) fputc('\n', f->out);
    f->column = 0;
}

static void put_words(filler *f, const char *text, size_t length) {
    for (size_t i = 0; i < length;) {
        size_t word = i;
        while (i < length && !strchr(" \n", text[i])) i++;
        if (i > word) put_word(f, text + word, i - word);
        if (i < length) i++;
    }
}

/* Paragraphs of the help: filled, but for lines that begin with a blank. */
static void put_paragraphs(FILE *out, const char *text) {
    filler f = {out, 0};
    bool literal = false;
    for (; *text; text += *text ? 1 : 0) {
        size_t length = strcspn(text, "\n");
        bool as_it_is = text[0] == ' ';
        if (as_it_is != literal) {
            end_line(&f);
            fputs(as_it_is ? ".PP\n.RS 4\n.EX\n" : ".EE\n.RE\n", out);
            literal = as_it_is;
        }
        if (as_it_is) {
            size_t blanks = strspn(text, " ");
            put_literal(out, text + blanks, length - blanks);
            fputc('\n', out);
        } else if (length == 0) {
            end_line(&f);
            fputs(".PP\n", out);
        } else {
            put_words(&f, text, length);
        }
        text += length;
        if (!*text) break;
    }
    end_line(&f);
    if (literal) fputs(".EE\n.RE\n", out);
}

static void put_text(FILE *out, const char *text) {
    filler f = {out, 0};
    put_words(&f, text, strlen(text));
    end_line(&f);
}

/* "what a model is" -> "What a model is." */
static void put_sentence(FILE *out, const char *text, char end) {
    char sentence[1024];
    snprintf(sentence, sizeof sentence, "%s%c", text, end);
    sentence[0] = (char)toupper((unsigned char)sentence[0]);
    char *last = sentence + strlen(sentence) - 1;
    if (last > sentence && last[-1] == '?') *last = 0;
    put_text(out, sentence);
}

/* ---- the parts ---------------------------------------------------------------------------- */

void kz__man_title(FILE *out) {
    fprintf(out, ".TH KAZEIA 1 %s \"Kazeia %s\" \"User Commands\"\n", KZ_RELEASE_DATE,
            kz_version());
}

void kz__man_overview(FILE *out) {
    put_paragraphs(out, kz__overview);
}

static void put_bold_option(FILE *out, const char *dashes, const char *name) {
    fputs("\\fB", out);
    put_literal(out, dashes, strlen(dashes));
    put_literal(out, name, strlen(name));
    fputs("\\fR", out);
}

static void put_option_names(filler *f, uint32_t verb) {
    const kz__option *o = NULL;
    char name[64];
    put_words(f, "Options:", 8);
    for (size_t at = 0; (o = kz__next_option(verb, &at));) {
        size_t probe = at;
        bool last = !kz__next_option(verb, &probe);
        int length = o->letter ? snprintf(name, sizeof name, "-%c, ", o->letter) : 0;
        length += snprintf(name + length, sizeof name - (size_t)length, "--%s%s", o->name,
                           last ? "." : ",");
        put_words(f, name, (size_t)length);
    }
    end_line(f);
}

void kz__man_verbs(FILE *out) {
    filler f = {out, 0};
    for (const kz__verb *v = kz__verbs; v->name; v++) {
        if (!v->mask) continue;
        fprintf(out, ".SS \"kazeia %s [OPTIONS] %s\"\n", v->name, v->arguments);
        put_sentence(out, v->summary, '.');
        if (v->details) {
            fputs(".PP\n", out);
            put_paragraphs(out, v->details);
        }
        fputs(".PP\n", out);
        put_option_names(&f, v->mask);
    }
}

static void put_limits(FILE *out, const kz__option *o) {
    char text[160];
    if (o->kind != KZ__INTEGER && o->kind != KZ__REAL) return;
    snprintf(text, sizeof text, "Allowed: %s %.10g %s %.10g.", o->above ? "above" : "from", o->low,
             o->above ? "and up to" : "to", o->high);
    put_text(out, text);
}

static void put_verbs_of(FILE *out, const kz__option *o) {
    char text[256];
    size_t used = (size_t)snprintf(text, sizeof text, "Verbs: ");
    bool all = (o->verbs & KZ__ALL_VERBS) == KZ__ALL_VERBS;
    if (all) used += (size_t)snprintf(text + used, sizeof text - used, "all, ");
    for (const kz__verb *v = kz__verbs; !all && v->name; v++) {
        if (!(o->verbs & v->mask)) continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s, ", v->name);
    }
    strcpy(text + used - 2, ".");
    put_text(out, text);
}

/* A sentence, but for one that begins with a value that is typed so. */
static void put_help(FILE *out, const kz__option *o) {
    size_t word = strcspn(o->help, " ");
    for (const char *at = o->choices; at && *at; at += *at == '|') {
        size_t length = strcspn(at, "|");
        if (length == word && !memcmp(at, o->help, word)) {
            put_text(out, o->help);
            return;
        }
        at += length;
    }
    put_sentence(out, o->help, '.');
}

static void put_option(FILE *out, const kz__option *o) {
    const char letter[] = {o->letter, 0};
    fputs(".TP\n", out);
    if (o->letter) {
        put_bold_option(out, "-", letter);
        fputs(", ", out);
    }
    put_bold_option(out, "--", o->name);
    if (o->value) {
        fputs(" \\fI", out);
        put_literal(out, o->value, strlen(o->value));
        fputs("\\fR", out);
    }
    fputc('\n', out);
    put_help(out, o);
    if (o->kind == KZ__CHOICE) {
        fputs("Allowed: ", out);
        kz__print_choices(out, o->choices, ", ");
        fputs(".\n", out);
    }
    put_limits(out, o);
    put_verbs_of(out, o);
}

void kz__man_options(FILE *out) {
    const kz__option *o = NULL;
    for (size_t at = 0; (o = kz__next_option(KZ__ALL_VERBS, &at));) put_option(out, o);
}

/* A column of names, without the space between paragraphs. */
void kz__man_variables(FILE *out) {
    const kz__option *o = NULL;
    const char *last = "";
    char name[KZ__VARIABLE_MAX];
    fputs(".PD 0\n", out);
    for (size_t at = 0; (o = kz__next_option(KZ__ALL_VERBS, &at));) {
        bool again = !strcmp(o->name, last); /* entries of one name stand together */
        last = o->name;
        if (again || !(o->variable || o->old)) continue;
        kz__args_variable(o, name);
        fprintf(out, ".TP 32\n.B %s\n", name);
        put_bold_option(out, "--", o->name);
        if (o->old) fprintf(out, " (also %s%s)", o->old, o->old_inverted ? "=0" : "");
        fputc('\n', out);
    }
    fputs(".PD\n", out);
}

void kz__man_exit_codes(FILE *out) {
    for (const kz__exit_code *e = kz__exit_codes; e->meaning; e++) {
        fprintf(out, ".TP\n.B %d\n", e->code);
        put_sentence(out, e->meaning, '.');
    }
}

static void put_examples(const kz__example *list, FILE *out) {
    for (const kz__example *e = list; e->line; e++) {
        if (e > list) fputs(".PP\n", out);
        if (e->note) put_sentence(out, e->note, ':');
        fputs(".RS 4\n.EX\n", out);
        put_literal(out, e->line, strlen(e->line));
        fputs("\n.EE\n.RE\n", out);
    }
}

void kz__man_examples(FILE *out) {
    put_examples(kz__overview_examples, out);
    for (const kz__verb *v = kz__verbs; v->name; v++) {
        if (!v->mask) continue;
        fprintf(out, ".SS %s\n", v->name);
        put_examples(v->examples, out);
    }
}
