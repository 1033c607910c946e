/* kazeia: finds the verb, reads its options, runs it. */
#include "cli/recording.h"

#include "common/coder.h"
#include "common/interrupt.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void show_exit_codes(FILE *out) {
    fprintf(out, "\nExit codes:\n");
    for (const kz__exit_code *e = kz__exit_codes; e->meaning; e++) {
        fprintf(out, "%5d  %s\n", e->code, e->meaning);
    }
}

/* Notes stand in a column of their own. */
static void show_examples(const kz__example *list, FILE *out) {
    int width = 0;
    for (const kz__example *e = list; e->line; e++) {
        int length = e->note ? (int)strlen(e->line) : 0;
        if (length > width) width = length;
    }
    fprintf(out, "\nExample%s:\n", list[1].line ? "s" : "");
    for (const kz__example *e = list; e->line; e++) {
        fprintf(out, "  %-*s%s%s\n", e->note ? width : 0, e->line, e->note ? "   " : "",
                e->note ? e->note : "");
    }
}

static void show_verbs(FILE *out) {
    fprintf(out, "usage: kazeia VERB [OPTIONS] [ARGS]\n\n");
    for (const kz__verb *v = kz__verbs; v->name; v++) {
        if (v->mask) fprintf(out, "  %-10s%s\n", v->name, v->summary);
    }
    fprintf(out, "\n'kazeia help VERB' tells more; 'kazeia --version' what this is.\n");
}

static void show_overview(FILE *out) {
    fprintf(out, "kazeia speaks texts with Qwen3-TTS 12 Hz models, on the CPU.\n\n");
    show_verbs(out);
    show_examples(kz__overview_examples, out);
    fprintf(out, "\n%s", kz__overview);
    show_exit_codes(out);
}

static void show_help(const kz__verb *v, bool full, FILE *out) {
    fprintf(out, "usage: kazeia %s [OPTIONS] %s\n%s%s\n\n", v->name, v->arguments,
            full ? "\n" : "", v->summary);
    kz__args_help(&kz__option_table, v->mask, out);
    if (!full) return;
    if (v->details) fprintf(out, "\n%s", v->details);
    show_examples(v->examples, out);
    kz__args_variables(&kz__option_table, v->mask, out);
    show_exit_codes(out);
}

static int show_page(kz__cli *cli, const kz__verb *verb, bool full) {
    kz__page page;
    if (!kz__page_open(&page)) return kz__cli_status(cli, KZ_ERR_MEMORY, NULL);
    if (verb) {
        show_help(verb, full, page.file);
    } else if (full) {
        show_overview(page.file);
    } else {
        show_verbs(page.file);
    }
    return kz__page_close(cli, &page, false);
}

static int show_version(kz__cli *cli) {
    kz__page page;
    size_t count = 0;
    if (!kz__page_open(&page)) return kz__cli_status(cli, KZ_ERR_MEMORY, NULL);
    while (kz_cpu_level(count)) count++;
    char formats[KZ__FORMAT_LIST];
    kz__format_list(formats, 0);
    const char *library = kz__coder_library();
    char reads[160];
    kz__recording_libraries(reads, sizeof reads);
    fprintf(page.file, "kazeia %s\n%s\ncpu level in use: %s\nsound files: %s (%s)\n"
            "recordings: %s%s\n", kz_version(), kz_features(),
            count ? kz_cpu_level(count - 1) : "none", formats,
            library ? library : "without libsndfile", reads[0] ? "read with " : "not read (without "
            "libsndfile or libsoxr)", reads);
    return kz__page_close(cli, &page, false);
}

static const kz__verb *find_verb(const char *name) {
    for (const kz__verb *v = kz__verbs; v->name; v++) {
        if (!strcmp(v->name, name)) return v;
    }
    return NULL;
}

static int unknown_verb(kz__cli *cli, const char *name) {
    const kz__verb *best = NULL;
    size_t best_distance = 0;
    for (const kz__verb *v = kz__verbs; v->name; v++) {
        size_t distance = 0;
        bool near = v->mask && kz__args_near(name, v->name, &distance);
        if (!near || (best && distance >= best_distance)) continue;
        best = v;
        best_distance = distance;
    }
    if (best) {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "'%s' is no verb; did you mean '%s'? (To speak a "
                            "text: kazeia say TEXT)", name, best->name);
    }
    return kz__cli_fail(cli, KZ__EXIT_USAGE, "'%s' is no verb; to speak a text: kazeia say TEXT "
                        "('kazeia help' lists the verbs)", name);
}

static int not_there_yet(kz__cli *cli, const kz__verb *verb) {
    return kz__cli_fail(cli, KZ__EXIT_USAGE, "'%s' (%s) is not available in this version",
                        verb->name, verb->summary);
}

/* -h or --help among the options: 1 short, 2 long, 0 none. */
static int wants_help(int argc, char **argv) {
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (!strcmp(argv[i], "--help")) return 2;
        if (!strcmp(argv[i], "-h")) return 1;
    }
    return 0;
}

static const char *variable(const char *name) {
    return getenv(name);
}

static void hear_library(void *user, int level, const char *text) {
    kz__cli *cli = user;
    if (level <= 0) {
        kz__cli_notice(cli, text);
    } else if (cli->set.verbose) {
        kz__cli_note(cli, "%s", text);
    }
}

static int run_verb(kz__cli *cli, const kz__verb *verb, int argc, char **argv) {
    kz__err err = {""};
    int help = wants_help(argc, argv);
    if (!verb->mask) return not_there_yet(cli, verb);
    if (help) return show_page(cli, verb, help == 2);
    const char **words = kz__calloc(&cli->mem, (size_t)argc + 1, sizeof *words);
    if (!words) return kz__cli_status(cli, KZ_ERR_MEMORY, NULL);
    kz_status status = kz__args_parse(&cli->args, &kz__option_table, verb->mask, verb->name,
                                      &cli->set, argc, argv, words, variable, &err);
    cli->notices = json_array();
    kz_set_log(hear_library, cli);
    int code = status == KZ_OK ? verb->run(cli) : kz__cli_status(cli, status, &err);
    kz_set_log(NULL, NULL);
    json_decref(cli->notices);
    kz_voice_free(cli->cloned);
    kz__free(&cli->mem, words);
    return code;
}

static int run_help(kz__cli *cli, int argc, char **argv) {
    if (argc == 0) return show_page(cli, NULL, true);
    const kz__verb *verb = find_verb(argv[0]);
    if (!verb) return unknown_verb(cli, argv[0]);
    return verb->mask ? show_page(cli, verb, true) : not_there_yet(cli, verb);
}

static int option_without_verb(kz__cli *cli, const char *word) {
    char name[64];
    size_t distance = 0;
    snprintf(name, sizeof name, "%s", word + strspn(word, "-"));
    name[strcspn(name, "=")] = 0;
    const char *meant = NULL;
    if (kz__args_near(name, "help", &distance)) meant = "--help";
    if (kz__args_near(name, "version", &distance) || !strcmp(word, "-V")) meant = "--version";
    if (meant && !kz__args_find(&kz__option_table, KZ__ALL_VERBS, name)) {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "unknown option '%s'; did you mean '%s'?", word,
                            meant);
    }
    return kz__cli_fail(cli, KZ__EXIT_USAGE, "'%s' comes after the verb, as in: kazeia say %s",
                        word, word);
}

static int dispatch(kz__cli *cli, int argc, char **argv) {
    if (argc < 2) {
        show_verbs(stderr);
        return KZ__EXIT_USAGE;
    }
    const char *first = argv[1];
    if (!strcmp(first, "--version")) return show_version(cli);
    if (!strcmp(first, "-h")) return show_page(cli, NULL, false);
    if (!strcmp(first, "--help")) return show_page(cli, NULL, true);
    if (!strcmp(first, "help")) return run_help(cli, argc - 2, argv + 2);
    if (first[0] == '-') return option_without_verb(cli, first);
    const kz__verb *verb = find_verb(first);
    return verb ? run_verb(cli, verb, argc - 2, argv + 2) : unknown_verb(cli, first);
}

/* Whoever starts the program with one of the three closed gets a place there that refuses, so that
 * no file that is opened later takes the number and has messages or text in it. */
static void fill_closed(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) >= 0) continue;
        if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) return;
    }
}

int main(int argc, char **argv) {
    static kz__cli cli;
    const char *no_colour = getenv("NO_COLOR");
    cli.begun_ms = kz__clock_ms();
    fill_closed();
    kz__interrupt_ignore_writes();
    kz__interrupt_early(kz__cli_progress_wipe, KZ__EXIT_INTERRUPTED);
    if (kz__mem_init(&cli.mem, NULL, NULL) != KZ_OK) return KZ__EXIT_FAILED;
    kz__settings_init(&cli.set);
    cli.program = argc > 0 ? argv[0] : "kazeia";
    cli.terminal = isatty(STDERR_FILENO);
    cli.colour = cli.terminal && !(no_colour && *no_colour);
    return dispatch(&cli, argc, argv);
}
