/* All examples of the help, one a line. */
#include "pages/pages.h"

static void print_list(const kz__example *list, FILE *out) {
    for (; list->line; list++) fprintf(out, "%s\n", list->line);
}

void kz__plain_examples(FILE *out) {
    print_list(kz__overview_examples, out);
    for (const kz__verb *v = kz__verbs; v->name; v++) {
        if (v->examples) print_list(v->examples, out);
    }
}
