/* What all verbs share: settings, messages, exit codes, the model, text and data output. */
#ifndef KZ_CLI_CLI_H
#define KZ_CLI_CLI_H

#include "base/mem.h"
#include "cli/options.h"
#include "kazeia.h"

#include <jansson.h>
#include <stdio.h>

/* Exit codes of the program. */
enum {
    KZ__EXIT_DONE = 0,
    KZ__EXIT_FAILED = 1,
    KZ__EXIT_USAGE = 2,
    KZ__EXIT_MODEL = 3,
    KZ__EXIT_INPUT = 4,
    KZ__EXIT_OUTPUT = 5,
    KZ__EXIT_GUARD = 6,
    KZ__EXIT_RESOURCE = 7,
    KZ__EXIT_INTERRUPTED = 130
};

typedef struct kz__cli {
    kz__mem mem;
    kz__settings set;
    kz__args args;
    const char *program; /* argv[0] */
    bool terminal;       /* standard error is one: progress is shown */
    bool colour;         /* and NO_COLOR does not forbid it */
    double begun_ms;     /* when the program began */
    double load_ms;
    int ahead_ms;        /* sound that sessions make ahead of their reader */
    json_t *notices;     /* strings: what was told with kz__cli_notice */
    kz_voice *cloned;    /* of --ref-audio, for the whole run */
    const char *about;   /* in front of messages: what they are about; NULL: no more to say */
    char said[512];      /* the last error */
    const char *session_cpu; /* kernel level of sessions and batches; NULL: the model's */
    bool tuned;              /* some of the run is as bench --auto kept it */
    bool told_hidden;        /* that a speaker and a saved voice have the same name */
} kz__cli;

/* A line to type, and what it does (NULL: plain). A list of them ends with line NULL. */
typedef struct kz__example {
    const char *line, *note;
} kz__example;

/* A verb. mask 0: named, not there yet. */
typedef struct kz__verb {
    const char *name;
    uint32_t mask;
    int (*run)(kz__cli *cli);
    const char *arguments; /* for the usage line */
    const char *summary;
    const char *details; /* long help, or NULL; lines that begin with a blank stand as they are */
    const kz__example *examples;
} kz__verb;

typedef struct kz__exit_code {
    int code;
    const char *meaning;
} kz__exit_code;

extern const kz__verb kz__verbs[];           /* ends with name NULL */
extern const kz__exit_code kz__exit_codes[]; /* ends with meaning NULL */
extern const char kz__overview[];
extern const kz__example kz__overview_examples[];

int kz__cmd_say(kz__cli *cli);
int kz__cmd_info(kz__cli *cli);
int kz__cmd_voices(kz__cli *cli);
int kz__cmd_tokenize(kz__cli *cli);
int kz__cmd_prompt(kz__cli *cli);
int kz__cmd_decode(kz__cli *cli);
int kz__cmd_validate(kz__cli *cli);
int kz__cmd_convert(kz__cli *cli);
int kz__cmd_bench(kz__cli *cli);
int kz__cmd_selftest(kz__cli *cli);
int kz__cmd_batch(kz__cli *cli);
int kz__cmd_encode(kz__cli *cli);
int kz__cmd_clone(kz__cli *cli);

/* ---- messages, all on standard error ------------------------------------------------------ */

/* One line of error; returns code. Control characters in it are escaped. */
int kz__cli_fail(kz__cli *cli, int code, const char *format, ...) KZ__PRINTF(3, 4);
/* The sentence of err with the exit code that belongs to status. */
int kz__cli_status(kz__cli *cli, kz_status status, const kz__err *err);
/* A line for people; silent with --quiet. */
void kz__cli_note(kz__cli *cli, const char *format, ...) KZ__PRINTF(2, 3);
/* What is no error but worth telling: a note, and kept for records. */
void kz__cli_notice(kz__cli *cli, const char *text);
/* The progress line, on a terminal only, of runs that take more than a second; format NULL wipes
 * it. */
void kz__cli_progress(kz__cli *cli, const char *format, ...) KZ__PRINTF(2, 3);
/* The same wiping, for a signal handler. */
void kz__cli_progress_wipe(void);

/* ---- model -------------------------------------------------------------------------------- */

/* The file of the voice in the box: where it is installed, seen from the program's own folder; in
 * that folder (build folders have a link to the one in the sources); or in voice/ beside it. Writes
 * the path; false where it is nowhere. */
bool kz__cli_voice_in_the_box(const kz__cli *cli, char *path, size_t capacity);

/* Opens path, or (NULL) the model of --model or the voice in the box, with --codec, --type and
 * --cpu; then settings take what bench --auto kept (tune.h) where the options leave it open.
 * Returns an exit code, the message is written. */
int kz__cli_open_model(kz__cli *cli, const char *path, bool codec_only, kz_model **model,
                       kz_model_info *info);

/* What --type and --decoder say. */
kz_type kz__cli_type(const kz__cli *cli);
kz_decoder kz__cli_decoder(const kz__cli *cli);

/* The same with everything said; no message. */
kz_status kz__cli_load(kz__cli *cli, const char *path, const char *cpu, bool codec_only,
                       kz_model **model, kz_model_info *info, kz__err *err);

/* --placement, as sessions and batches take it. */
kz_placement kz__cli_placement(const kz__cli *cli);

int kz__cli_open_session(kz__cli *cli, const kz_model *model, kz_session **session);

/* Pieces spoken side by side at most, as the options say. */
size_t kz__cli_parallel(const kz__cli *cli);

/* ---- text --------------------------------------------------------------------------------- */

/* True where the text comes from standard input (no words, no --file or "-"). Says so to a
 * terminal. */
bool kz__cli_text_on_stdin(kz__cli *cli);

/* The text of the words, of --file, or of standard input; for kz__free. Returns an exit code. */
int kz__cli_text(kz__cli *cli, char **text, size_t *length);

/* Flags of a request as the options say. */
unsigned kz__settings_flags(const kz__settings *set);
unsigned kz__cli_flags(const kz__cli *cli);

/* bytes with everything that is not printable text escaped as \n, \t or \xNN, and where `exact`
 * the backslash too; for kz__free. NULL when out of memory. */
char *kz__cli_escape(kz__mem *mem, const char *bytes, size_t length, bool exact);

/* ---- data output -------------------------------------------------------------------------- */

/* What a verb prints is collected and written at once at the end, so that a full disk or a reader
 * that has gone is seen. */
typedef struct kz__page {
    FILE *file;
    char *bytes;
    size_t length;
} kz__page;

/* False when out of memory. */
bool kz__page_open(kz__page *page);
/* Closes without writing. */
void kz__page_drop(kz__page *page);
/* Writes to standard output (or error) and closes; returns an exit code, 0 where the reader has
 * gone. */
int kz__page_close(kz__cli *cli, kz__page *page, bool to_error);

/* One line of JSON; takes the reference. Returns an exit code. */
int kz__cli_json(kz__cli *cli, json_t *root, bool to_error);

/* Text as JSON has it; bytes that are no UTF-8 are escaped. */
json_t *kz__json_text(kz__cli *cli, const char *text);

/* A seed as a JSON integer; from 2^63, which those cannot hold, as a string. */
json_t *kz__json_unsigned(uint64_t value);

/* Peak and present memory of this process in bytes, 0 where unknown. */
typedef struct kz__memory {
    uint64_t peak, resident, private_bytes, shared;
} kz__memory;
kz__memory kz__cli_memory(void);
/* Peak counts from here on, where the system can do that. */
void kz__cli_memory_reset(void);

double kz__clock_ms(void);

#endif
