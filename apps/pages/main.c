/* kazeia_pages TEMPLATE OUTPUT: copies the template and puts the parts in. The build runs it. */
#include "pages/pages.h"

#include "base/in_file.h"
#include "base/out_file.h"

#include <stdlib.h>
#include <string.h>

#define TEMPLATE_MAX ((size_t)1 << 20)

static const struct {
    const char *line; /* of the template */
    void (*print)(FILE *out);
} parts[] = {
    {"@man-title@", kz__man_title},
    {"@man-overview@", kz__man_overview},
    {"@man-verbs@", kz__man_verbs},
    {"@man-options@", kz__man_options},
    {"@man-variables@", kz__man_variables},
    {"@man-exit-codes@", kz__man_exit_codes},
    {"@man-examples@", kz__man_examples},
    {"@bash-tables@", kz__bash_tables},
    {"@zsh-verbs@", kz__zsh_verbs},
    {"@zsh-arguments@", kz__zsh_arguments},
    {"@fish-commands@", kz__fish_commands},
    {"@examples@", kz__plain_examples},
};

/* False where the line asks for a part that is not there. */
static bool print_line(const char *line, size_t length, FILE *out) {
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strlen(parts[i].line) == length && !memcmp(parts[i].line, line, length)) {
            parts[i].print(out);
            return true;
        }
    }
    fprintf(out, "%.*s\n", (int)length, line);
    return length < 2 || line[0] != '@' || line[length - 1] != '@';
}

static bool print_page(const char *text, FILE *out) {
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (!print_line(text, length, out)) {
            fprintf(stderr, "kazeia_pages: there is no part %.*s\n", (int)length, text);
            return false;
        }
        text += length + (text[length] == '\n');
    }
    return true;
}

static int make(kz__mem *mem, const char *template, const char *output) {
    kz__page page;
    kz__err err = {"out of memory"};
    char *text = NULL;
    size_t length = 0;
    kz_status status = kz__in_file(mem, template, TEMPLATE_MAX, &text, &length, &err);
    bool whole = status == KZ_OK && kz__page_open(&page);
    if (whole) {
        whole = print_page(text, page.file);
        err.text[0] = 0;
        fflush(page.file);
        if (whole) whole = kz__out_file(mem, output, page.bytes, page.length, &err) == KZ_OK;
        kz__page_drop(&page);
    }
    if (!whole && err.text[0]) fprintf(stderr, "kazeia_pages: %s\n", err.text);
    kz__free(mem, text);
    return whole ? 0 : 1;
}

int main(int argc, char **argv) {
    static kz__mem mem;
    if (argc != 3) {
        fprintf(stderr, "usage: kazeia_pages TEMPLATE OUTPUT\n");
        return 2;
    }
    if (kz__mem_init(&mem, NULL, NULL) != KZ_OK) return 1;
    return make(&mem, argv[1], argv[2]);
}
