/* kazeia batch: a line of JSON to a file of sound and a record, many side by side. An item is read
 * when there is a place for it, begins with its first piece, and is over with its last. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "cli/cloning.h"
#include "cli/item.h"
#include "cli/lines.h"

#include "common/interrupt.h"
#include "common/seen.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_MOST ((size_t)1 << 20)

typedef struct batch {
    kz__cli *cli;
    kz_model *model;
    kz_model_info info;
    kz__lines lines;
    kz__seen seen;
    const char *folder;  /* NULL: none was given */
    char base[PATH_MAX]; /* absolute, of the folder or the current one */
    kz__item *current;   /* some of its parts are still to be given */
    size_t items, skipped, failed;
    double seconds;
    int code;            /* of the first failure */
    bool deaf;           /* records cannot be written: nothing more is begun */
} batch;

/* ---- records ------------------------------------------------------------------------------ */

static void write_record(batch *b, json_t *root, const char *what) {
    int code = kz__cli_json(b->cli, root, false);
    if (code == KZ__EXIT_DONE) return;
    if (!b->deaf) kz__cli_note(b->cli, "that was the record of %s; nothing more is begun", what);
    b->deaf = true;
    if (b->code == KZ__EXIT_DONE) b->code = code;
}

/* What all records begin with. */
static json_t *record_of(size_t line, const kz__item *item) {
    json_t *root = json_pack("{s:I}", "line", (json_int_t)line);
    if (root && item && item->id) json_object_set(root, "id", item->id);
    if (root && item && item->output) {
        json_t *output = json_string(item->output);
        json_object_set_new(root, "output", output ? output : json_null());
    }
    return root;
}

/* The message is written. */
static void tell_failure(batch *b, size_t line, const kz__item *item, int code) {
    const char *why = code == KZ__EXIT_INTERRUPTED ? "interrupted" : b->cli->said;
    json_t *root = record_of(line, item);
    json_t *error = json_string(why);
    if (!error) error = json_string("a reason that is no UTF-8");
    if (root) json_object_set_new(root, "error", error);
    if (root) json_object_set_new(root, "code", json_integer(code));
    if (code != KZ__EXIT_INTERRUPTED) b->failed++;
    if (b->code == KZ__EXIT_DONE) b->code = code;
    write_record(b, root, "a failure");
}

static void tell_done(batch *b, const kz__item *item, int code) {
    const kz__record *r = &item->record;
    const kz__sound *sound = &item->sound;
    double rate = b->info.sample_rate;
    double seconds = (double)sound->samples / rate;
    json_t *root = record_of(item->line, item);
    json_t *more = json_pack("{s:I, s:I, s:f, s:s, s:s, s:o, s:I, s:f, s:i}", "frames",
                             (json_int_t)r->sum.frames, "samples", (json_int_t)sound->samples,
                             "seconds", seconds, "finish", kz_finish_text(r->finish),
                             "finish_detail", r->detail, "seed", kz__json_unsigned(r->sum.seed),
                             "pieces", (json_int_t)r->pieces, "total_ms", r->sum.total_ms,
                             "code", code);
    if (root && more) json_object_update(root, more);
    json_decref(more);
    if (root && sound->hash[0]) {
        json_object_set_new(root, "hash", json_string(sound->hash));
        json_object_set_new(root, "arithmetic", json_integer(kz_arithmetic()));
    }
    b->seconds += seconds;
    if (code != KZ__EXIT_DONE) b->failed++;
    if (b->code == KZ__EXIT_DONE) b->code = code;
    write_record(b, root, item->output);
}

static void tell_skipped(batch *b, const kz__item *item) {
    json_t *root = record_of(item->line, item);
    if (root) json_object_set_new(root, "skipped", json_true());
    b->skipped++;
    write_record(b, root, item->output);
}

/* ---- items -------------------------------------------------------------------------------- */

/* Folders of path behind its first `known` bytes. */
static int make_folders(kz__cli *cli, char *path, size_t known) {
    for (char *at = path + known; *at; at++) {
        if (*at != '/' || at == path) continue;
        *at = 0;
        int made = mkdir(path, 0777);
        int reason = errno;
        struct stat info;
        bool there = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
        if (made != 0 && !there) {
            kz__cli_fail(cli, KZ__EXIT_OUTPUT, "cannot make the folder '%s': %s", path,
                         strerror(reason));
        }
        *at = '/';
        if (made != 0 && !there) return KZ__EXIT_OUTPUT;
    }
    return KZ__EXIT_DONE;
}

static int open_item(batch *b, kz__item *item) {
    kz__cli *cli = b->cli;
    int code = kz__item_text(item, cli);
    if (code == KZ__EXIT_DONE) code = kz__speech_voice(&item->speech, cli, b->model, &b->info);
    if (code == KZ__EXIT_DONE) {
        code = kz__speech_cut(&item->speech, cli, &b->info, item->text, item->length);
    }
    if (code != KZ__EXIT_DONE) return code;
    item->sound.joins = item->speech.count > 1;
    code = make_folders(cli, item->output, b->folder ? strlen(b->folder) : 0);
    return code == KZ__EXIT_DONE ? kz__sound_open(&item->sound, &b->info) : code;
}

/* Refuses a path that another line has named, and passes over what is there with --resume. *go: it
 * is to be spoken. */
static int claim_output(batch *b, kz__item *item, bool *go) {
    struct stat info;
    *go = false;
    kz_status status = kz__seen_add(&b->seen, item->target);
    if (status == KZ_ERR_MEMORY) return kz__cli_status(b->cli, status, NULL);
    if (status != KZ_OK) {
        return kz__cli_fail(b->cli, KZ__EXIT_INPUT, "an earlier line writes '%s' already",
                            item->output);
    }
    bool there = stat(item->output, &info) == 0 && S_ISREG(info.st_mode);
    *go = !there || !b->cli->set.resume;
    return KZ__EXIT_DONE;
}

static void close_item(batch *b, kz__item *item, int code) {
    b->cli->about = item->about;
    if (code == KZ__EXIT_DONE) code = kz__record_finish(b->cli, &item->record, code);
    bool good = code == KZ__EXIT_DONE || code == KZ__EXIT_GUARD; /* the sound is kept */
    int closed = kz__sound_close(&item->sound, good ? KZ__EXIT_DONE : code);
    if (closed != KZ__EXIT_DONE) code = closed;
    b->cli->about = NULL;
    if (closed == KZ__EXIT_DONE && good) {
        tell_done(b, item, code);
    } else {
        tell_failure(b, item->line, item, code);
    }
    if (b->current == item) b->current = NULL;
    kz__item_free(item, b->cli);
}

/* Begins the item of a line; b->current where there is something to speak. */
static void take_line(batch *b, const char *line, size_t length) {
    kz__item *item = kz__calloc(&b->cli->mem, 1, sizeof *item);
    bool go = false;
    b->items++;
    if (!item) {
        int code = kz__cli_status(b->cli, KZ_ERR_MEMORY, NULL);
        tell_failure(b, b->lines.number, NULL, code);
        return;
    }
    int code = kz__item_read(item, b->cli, b->lines.number, line, length, b->folder, b->base);
    b->cli->about = item->about;
    if (code == KZ__EXIT_DONE) code = claim_output(b, item, &go);
    if (code == KZ__EXIT_DONE && go) code = open_item(b, item);
    b->cli->about = NULL;
    if (code == KZ__EXIT_DONE && go) {
        b->current = item;
    } else if (code != KZ__EXIT_DONE) {
        kz__sound_close(&item->sound, code);
        tell_failure(b, item->line, item, code);
        kz__item_free(item, b->cli);
    } else {
        tell_skipped(b, item);
        kz__item_free(item, b->cli);
    }
}

static void refuse_long_line(batch *b) {
    char about[40];
    snprintf(about, sizeof about, "line %zu: ", b->lines.number);
    b->items++;
    b->cli->about = about;
    int code = kz__cli_fail(b->cli, KZ__EXIT_INPUT, "longer than the %zu bytes allowed; a long "
                            "text can be given as 'file'", LINE_MOST);
    b->cli->about = NULL;
    tell_failure(b, b->lines.number, NULL, code);
}

/* ---- parts -------------------------------------------------------------------------------- */

static bool stopped(const batch *b) {
    return b->deaf || (b->cli->set.strict && b->code != KZ__EXIT_DONE);
}

/* After a line that gave nothing, whoever speaks goes on first. */
static kz__coming next_item(batch *b, bool wait) {
    const char *line = NULL;
    size_t length = 0;
    while (!b->current) {
        if (kz__interrupted()) return KZ__PART_LATER;
        if (stopped(b)) return KZ__PART_NONE;
        kz__line got = kz__lines_next(&b->lines, wait, &line, &length);
        if (got == KZ__LINE_LATER) return KZ__PART_LATER;
        if (got == KZ__LINE_NONE) return KZ__PART_NONE;
        if (got == KZ__LINE_LONG) {
            refuse_long_line(b);
        } else if (!kz__is_blank(line, length)) {
            take_line(b, line, length);
        }
        if (!b->current && !wait) return KZ__PART_LATER;
    }
    return KZ__PART_HERE;
}

static kz__coming next_part(void *user, kz__part *part, bool wait) {
    batch *b = user;
    kz__coming coming = next_item(b, wait);
    if (coming != KZ__PART_HERE) return coming;
    kz__item *item = b->current;
    char label[sizeof part->label];
    kz__speech_next(&item->speech, part);
    snprintf(label, sizeof label, "line %zu, %.40s", item->line, part->label);
    memcpy(part->label, label, sizeof label);
    part->sound = &item->sound;
    part->about = item->about;
    part->user = item;
    if (part->number + 1 == part->count) b->current = NULL;
    return KZ__PART_HERE;
}

static void part_begun(void *user, const kz__part *part, const kz_session *session) {
    const batch *b = user;
    const kz__item *item = part->user;
    if (!b->cli->set.verbose) return;
    if (part->number == 0) kz__cli_note(b->cli, "to '%s'", item->output);
    kz__speech_show(b->cli, b->model, &b->info, part, session);
}

static void part_over(void *user, const kz__part *part, int code, const kz_result *result,
                      const int32_t *codes, size_t frames) {
    batch *b = user;
    kz__item *item = part->user;
    (void)codes;
    (void)frames;
    if (result) kz__record_add(&item->record, result);
    bool failed = code != KZ__EXIT_DONE || item->sound.reader_gone;
    if (failed && code != KZ__EXIT_INTERRUPTED && part->count > 1) {
        b->cli->about = item->about;
        kz__cli_note(b->cli, "that was in piece %zu of %zu, at byte %zu of the text",
                     part->number + 1, part->count, part->offset);
        b->cli->about = NULL;
    }
    if (failed || part->number + 1 == part->count) close_item(b, item, code);
}

/* ---- the verb ----------------------------------------------------------------------------- */

static int open_lines(batch *b) {
    kz__cli *cli = b->cli;
    const char *path = cli->args.word_count > 0 ? cli->args.words[0] : "-";
    kz__lines lines = {.cli = cli, .fd = STDIN_FILENO, .most = LINE_MOST};
    b->lines = lines;
    if (cli->args.word_count > 1) {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "batch takes one file of lines, %zu were given",
                            cli->args.word_count);
    }
    if (!strcmp(path, "-")) {
        if (isatty(STDIN_FILENO)) {
            kz__cli_note(cli, "waiting for lines like {\"text\": \"Hello\"}; Ctrl-D on an empty "
                         "line ends them");
        }
        return KZ__EXIT_DONE;
    }
    struct stat info;
    b->lines.fd = open(path, O_RDONLY);
    if (b->lines.fd < 0) {
        return kz__cli_fail(cli, KZ__EXIT_INPUT, "cannot read '%s': %s", path, strerror(errno));
    }
    if (fstat(b->lines.fd, &info) == 0 && S_ISDIR(info.st_mode)) {
        return kz__cli_fail(cli, KZ__EXIT_INPUT, "cannot read '%s': it is a folder", path);
    }
    return KZ__EXIT_DONE;
}

/* The folder is made where only itself is missing. */
static int open_folder(batch *b) {
    const char *folder = b->cli->set.output;
    b->folder = folder;
    if (folder && !strcmp(folder, "-")) {
        return kz__cli_fail(b->cli, KZ__EXIT_USAGE, "--output is the folder for the files of a "
                            "batch; standard output gets the records");
    }
    struct stat info;
    if (folder && stat(folder, &info) != 0 && mkdir(folder, 0777) != 0) {
        return kz__cli_fail(b->cli, KZ__EXIT_OUTPUT, "cannot make the folder '%s': %s", folder,
                            strerror(errno));
    }
    const char *place = folder ? folder : ".";
    if (stat(place, &info) == 0 && !S_ISDIR(info.st_mode)) {
        return kz__cli_fail(b->cli, KZ__EXIT_OUTPUT, "'%s' is no folder", folder);
    }
    if (!realpath(place, b->base) || (folder && access(place, W_OK | X_OK) != 0)) {
        return kz__cli_fail(b->cli, KZ__EXIT_OUTPUT, "cannot write into the folder '%s': %s",
                            place, strerror(errno));
    }
    return KZ__EXIT_DONE;
}

static int speak(batch *b) {
    kz__chorus *chorus = NULL;
    kz__parts parts = {next_part, part_begun, part_over, b};
    int code = kz__cli_open_model(b->cli, NULL, false, &b->model, &b->info);
    if (code == KZ__EXIT_DONE) code = kz__cloning_of_options(b->cli, b->model, &b->info);
    if (code == KZ__EXIT_DONE) {
        code = kz__chorus_open(&chorus, b->cli, b->model, &b->info, kz__cli_parallel(b->cli),
                               &parts);
    }
    kz__interrupt_install();
    if (code == KZ__EXIT_DONE) code = kz__chorus_run(chorus);
    kz__chorus_free(chorus);
    kz_model_free(b->model);
    if (code == KZ__EXIT_DONE) code = b->lines.code;
    return code == KZ__EXIT_DONE ? b->code : code;
}

static void tell_all(const batch *b) {
    size_t done = b->items - b->skipped - b->failed;
    kz__cli_note(b->cli, "%zu of %zu done, %zu skipped, %zu failed; %.1f s of sound", done,
                 b->items, b->skipped, b->failed, b->seconds);
}

int kz__cmd_batch(kz__cli *cli) {
    batch b;
    kz__speech defaults;
    kz__format format = KZ__FORMAT_WAV;
    memset(&b, 0, sizeof b);
    b.cli = cli;
    b.seen.mem = &cli->mem;
    bool standard = cli->args.word_count == 0 || !strcmp(cli->args.words[0], "-");
    int code = kz__cloning_check_options(cli, standard);
    if (code == KZ__EXIT_DONE) code = kz__speech_plan(&defaults, cli, &cli->set);
    if (code == KZ__EXIT_DONE) code = kz__sound_default_format(cli, &format);
    if (code == KZ__EXIT_DONE) code = open_lines(&b);
    if (code == KZ__EXIT_DONE) code = open_folder(&b);
    if (code == KZ__EXIT_DONE) {
        code = speak(&b);
        if (b.items > 0) tell_all(&b);
    }
    if (b.lines.fd > STDIN_FILENO) close(b.lines.fd);
    kz__free(&cli->mem, b.lines.bytes);
    kz__seen_free(&b.seen);
    return code;
}
