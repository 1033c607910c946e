/* kazeia clone: a voice from a recording, among the saved voices or in a file of one's own. */
#include "cli/cloning.h"
#include "cli/saved.h"

#include "base/out_file.h"
#include "common/interrupt.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

typedef struct clone {
    kz__cli *cli;
    kz__cloning cloning;
    kz_model_info info;
    kz_voice *voice;
    kz__store store;
    char *file;    /* where it was saved; for kz__free, "-": standard output */
    kz__out out;   /* with --output */
} clone;

/* ---- before the work ---------------------------------------------------------------------- */

static bool is_voice_file(const char *path) {
    size_t length = strlen(path);
    return length > 4 && !strcasecmp(path + length - 4, ".kzv");
}

static int check_usage(clone *c) {
    kz__cli *cli = c->cli;
    const kz__settings *set = &cli->set;
    if (cli->args.word_count != 1) {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "clone takes one recording, %zu were given",
                            cli->args.word_count);
    }
    if (!set->name && !set->output) {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "where does the voice go? --name NAME puts it "
                            "among the saved voices, -o FILE.kzv into a file");
    }
    if (set->output && strcmp(set->output, "-") != 0 && !is_voice_file(set->output)) {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "a voice is written to a file whose name ends in "
                            ".kzv; '%s' does not", set->output);
    }
    if (set->output && !strcmp(set->output, "-") && isatty(STDOUT_FILENO)) {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "a voice is not written to a terminal");
    }
    if (set->file && (set->ref_text || set->vector_only)) {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "%s", set->ref_text
                                ? "the transcript is given twice, with --ref-text and with --file"
                                : "--vector-only and --file contradict each other");
    }
    bool twice = set->file && !strcmp(set->file, "-") && !strcmp(cli->args.words[0], "-");
    if (!twice) return KZ__EXIT_DONE;
    return kz__cli_fail(cli, KZ__EXIT_USAGE, "standard input cannot be the recording and the "
                        "transcript");
}

/* Whether the name is free. */
static int look_for_name(clone *c) {
    kz__cli *cli = c->cli;
    const kz__settings *set = &cli->set;
    kz__err err = {""};
    if (set->output) return KZ__EXIT_DONE;
    kz_status status = kz__saved_open(cli, &c->store, &err);
    if (status == KZ_OK && !set->replace) {
        status = kz__store_check_free(&c->store, set->name, &err);
    }
    return status == KZ_OK ? KZ__EXIT_DONE : kz__cli_status(cli, status, &err);
}

/* ---- after it ----------------------------------------------------------------------------- */

static int open_output(clone *c) {
    kz__err err = {""};
    if (!c->cli->set.output) return KZ__EXIT_DONE;
    kz__interrupt_install();
    kz_status status = kz__out_open(&c->out, &c->cli->mem, c->cli->set.output, &err);
    return status == KZ_OK ? KZ__EXIT_DONE : kz__cli_status(c->cli, status, &err);
}

static kz_status write_output(clone *c, kz__err *err) {
    size_t length = 0;
    const void *bytes = kz_voice_bytes(c->voice, &length);
    kz_status status = kz__out_write(&c->out, bytes, length, err);
    if (status == KZ_OK && c->out.sized) status = kz__out_sync(&c->out, err);
    if (status == KZ_OK) status = kz__out_commit(&c->out, err);
    if (c->out.closed) status = KZ_OK;
    c->file = kz__strndup(&c->cli->mem, c->cli->set.output, strlen(c->cli->set.output));
    return status == KZ_OK && !c->file ? kz__fail_memory(err) : status;
}

static int save(clone *c) {
    kz__err err = {""};
    if (kz__interrupted()) return kz__cli_status(c->cli, KZ_ERR_CANCELLED, &err);
    kz_status status = c->cli->set.output
                           ? write_output(c, &err)
                           : kz__store_save(&c->store, c->voice, c->cli->set.replace, &c->file,
                                            &err);
    return status == KZ_OK ? KZ__EXIT_DONE : kz__cli_status(c->cli, status, &err);
}

static json_t *record(const clone *c, const kz_voice_info *v) {
    const kz__cloning *k = &c->cloning;
    char checksum[24];
    snprintf(checksum, sizeof checksum, "%016" PRIx64, v->checksum);
    json_t *root = json_pack(
        "{s:s, s:o, s:I, s:f, s:s, s:s, s:s, s:b, s:s, s:s, s:i, s:i, s:O, s:f, s:f, s:f,"
        " s:s}",
        "name", v->name, "file", kz__json_text(c->cli, c->file), "frames", (json_int_t)v->frames,
        "codes_seconds", (double)v->frames * v->samples_per_frame / v->sample_rate, "language",
        v->language, "transcript", v->transcript, "consent", v->consent, "vector_only",
        v->frames == 0, "checksum", checksum, "made_with", v->made_with, "vector_length",
        v->vector_length, "tail_ms", v->tail_ms, "notices", c->cli->notices, "load_ms",
        c->cli->load_ms, "read_ms", k->recording.read_ms, "voice_ms", k->voice_ms, "cpu",
        c->info.cpu);
    json_t *more = kz__recording_json(c->cli, &k->recording);
    if (root && more) json_object_update(root, more);
    json_decref(more);
    return root;
}

/* As the line to type has it: in quotes where a shell would read something else. */
static const char *quote(const char *word) {
    return word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                             "-_./+,:@")] ? "'" : "";
}

/* What was made, and how it is used. */
static void tell(const clone *c, const kz_voice_info *v) {
    kz__cli *cli = c->cli;
    const char *use = cli->set.output ? c->file : v->name;
    bool given = kz__args_source(&cli->args, "model") == KZ__FROM_LINE;
    const char *model = given ? cli->set.model : "";
    kz__cli_note(cli, "saved %s%s%s%s (%.1f s%s); to use it: kazeia say %s%s%s%s%s-v %s%s%s TEXT",
                 v->name[0] ? "'" : "", v->name, v->name[0] ? "' in " : "", c->file,
                 c->cloning.recording.info.seconds, v->frames ? "" : ", speaker vector alone",
                 given ? "-m " : "", quote(model), model, quote(model), given ? " " : "",
                 quote(use), use, quote(use));
}

static int show(const clone *c) {
    kz__cli *cli = c->cli;
    kz_voice_info v;
    v.size = sizeof v;
    kz_voice_get_info(c->voice, &v);
    bool standard = !strcmp(c->file, "-");
    if (!standard) tell(c, &v);
    return cli->set.json ? kz__cli_json(cli, record(c, &v), standard) : KZ__EXIT_DONE;
}

/* ---- the verb ----------------------------------------------------------------------------- */

static int make(clone *c) {
    kz__cli *cli = c->cli;
    const kz__settings *set = &cli->set;
    kz_model *model = NULL;
    kz__cli_text_on_stdin(cli);
    int code = kz__cloning_begin(&c->cloning, cli, cli->args.words[0], set->ref_text, set->file);
    c->cloning.options.name = set->name;
    c->cloning.options.language = set->language;
    c->cloning.options.consent = set->consent;
    if (code == KZ__EXIT_DONE) code = look_for_name(c);
    if (code == KZ__EXIT_DONE) code = kz__cli_open_model(cli, NULL, false, &model, &c->info);
    if (code == KZ__EXIT_DONE) code = kz__cloning_check(&c->cloning, model, &c->info);
    if (code == KZ__EXIT_DONE) code = kz__cloning_read(&c->cloning, &c->info);
    if (code == KZ__EXIT_DONE) code = open_output(c);
    if (code == KZ__EXIT_DONE) code = kz__cloning_run(&c->cloning, model, &c->info, &c->voice);
    kz_model_free(model);
    return code;
}

int kz__cmd_clone(kz__cli *cli) {
    clone c;
    memset(&c, 0, sizeof c);
    c.cli = cli;
    c.out.fd = -1;
    int code = check_usage(&c);
    if (code == KZ__EXIT_DONE) code = make(&c);
    if (code == KZ__EXIT_DONE) code = save(&c);
    if (code == KZ__EXIT_DONE) code = show(&c);
    kz__out_discard(&c.out);
    kz__cloning_end(&c.cloning);
    kz__store_close(&c.store);
    kz_voice_free(c.voice);
    kz__free(&cli->mem, c.file);
    return code;
}
