/* kazeia convert: a checkpoint folder becomes one packed file. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "cli/record.h"

#include "common/interrupt.h"
#include "base/out_file.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct target {
    kz__cli *cli;
    kz__out out;
    uint64_t shown; /* MiB on the progress line */
    bool interrupted;
    kz_status status; /* of the write that failed */
    kz__err err;
} target;

/* A kz_write_fn: block after block, then the header again. */
static int take(void *user, uint64_t offset, const void *data, size_t bytes) {
    target *t = user;
    t->interrupted = kz__interrupted();
    if (t->interrupted) return 1;
    t->status = offset == t->out.written ? kz__out_write(&t->out, data, bytes, &t->err)
                                         : kz__out_patch(&t->out, offset, data, bytes, &t->err);
    uint64_t mib = t->out.written >> 20;
    if (t->status == KZ_OK && mib != t->shown) {
        kz__cli_progress(t->cli, "%" PRIu64 " MiB", mib);
        t->shown = mib;
    }
    return t->status != KZ_OK;
}

static int show(kz__cli *cli, const kz_convert_result *result, double ms) {
    if (!cli->set.json) {
        kz__cli_note(cli, "'%s': %.1f MiB, %s weights, %.1f s", cli->set.output,
                     (double)result->bytes / 1048576.0, kz__type_name(result->type), ms / 1e3);
        return KZ__EXIT_DONE;
    }
    return kz__cli_json(cli, json_pack("{s:o, s:I, s:I, s:s, s:i, s:f}", "file",
                                       kz__json_text(cli, cli->set.output), "bytes",
                                       (json_int_t)result->bytes, "entries",
                                       (json_int_t)result->entries, "type",
                                       kz__type_name(result->type), "arithmetic", kz_arithmetic(),
                                       "ms", ms), false);
}

static int convert(target *t, const char *path, kz_convert_result *result) {
    kz__cli *cli = t->cli;
    kz__err err = {""};
    kz_convert_options options;
    kz_convert_options_init(&options);
    options.codec_path = cli->set.codec;
    options.type = kz__cli_type(cli);
    options.decoder = kz__cli_decoder(cli);
    options.threads = cli->set.threads;
    options.compact = cli->set.compact;
    kz_status status = kz_convert(path, &options, take, t, result, err.text, sizeof err.text);
    kz__cli_progress(cli, "writing ...");
    if (status == KZ_OK) status = kz__out_sync(&t->out, &err);
    kz__cli_progress(cli, NULL);
    if (t->interrupted || kz__interrupted()) {
        return kz__cli_fail(cli, KZ__EXIT_INTERRUPTED, "interrupted");
    }
    if (t->status != KZ_OK) return kz__cli_status(cli, t->status, &t->err);
    if (status == KZ_OK) status = kz__out_commit(&t->out, &err);
    return status == KZ_OK ? KZ__EXIT_DONE : kz__cli_status(cli, status, &err);
}

/* Whether the clean path lies below the folder. */
static bool is_below(const char *path, const char *folder) {
    char clean[PATH_MAX];
    if (!folder || !realpath(folder, clean)) return false;
    size_t length = strlen(clean);
    return !strncmp(path, clean, length) && path[length] == '/';
}

/* Whether an output that is there already is one of the files that are to be read: in a folder of
 * the model, by its name or behind a link, and no packed file. */
static bool is_input(const char *output, const char *model, const char *codec) {
    char end[PATH_MAX];
    char name[PATH_MAX];
    if (!realpath(output, end)) return false;
    size_t length = strlen(end);
    if (length > 3 && !strcasecmp(end + length - 3, ".kz")) return false;
    const char *slash = strrchr(output, '/');
    int before = slash ? (int)(slash - output) + 1 : 0;
    char folder[PATH_MAX];
    snprintf(name, sizeof name, "%.*s.", before, output);
    if (!realpath(name, folder)) return false;
    snprintf(name, sizeof name, "%.*s/", PATH_MAX - 2, folder);
    return is_below(end, model) || is_below(end, codec) || is_below(name, model) ||
           is_below(name, codec);
}

static int check_usage(kz__cli *cli) {
    const char *output = cli->set.output;
    if (cli->args.word_count != 1) {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "convert takes one model, %zu were given",
                            cli->args.word_count);
    }
    if (!output) {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "convert needs a file to write: -o FILE.kz");
    }
    if (!*cli->args.words[0]) {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "the name of the model is empty");
    }
    if (!is_input(output, cli->args.words[0], cli->set.codec)) return KZ__EXIT_DONE;
    return kz__cli_fail(cli, KZ__EXIT_USAGE, "'%s' is a file of the model itself; a packed file "
                        "has another name, as a rule one that ends in .kz", output);
}

int kz__cmd_convert(kz__cli *cli) {
    static target t;
    kz__err err = {""};
    kz_convert_result result = {.size = sizeof result};
    t.cli = cli;
    int usage = check_usage(cli);
    if (usage != KZ__EXIT_DONE) return usage;
    kz__interrupt_install();
    kz_status status = kz__out_open(&t.out, &cli->mem, cli->set.output, &err);
    if (status != KZ_OK) return kz__cli_status(cli, status, &err);
    if (!t.out.temporary) {
        kz__out_discard(&t.out);
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "a packed file cannot be written to '%s': its "
                            "first page is written last; give the name of a file", t.out.name);
    }
    double start = kz__clock_ms();
    int code = convert(&t, cli->args.words[0], &result);
    kz__out_discard(&t.out);
    return code == KZ__EXIT_DONE ? show(cli, &result, kz__clock_ms() - start) : code;
}
