/* kazeia say: text to sound. One utterance, the pieces of a long text side by side, or one per line
 * with --lines; text whole, or as it arrives on standard input with --live-text. */
#include "cli/cloning.h"
#include "cli/lines.h"
#include "cli/record.h"
#include "cli/speech.h"

#include "common/codes.h"
#include "common/interrupt.h"

#include <string.h>
#include <unistd.h>

/* A pause in a pipe, or a player, of up to so long does not stop the making of sound. */
#define AHEAD_MS 5000

typedef struct say {
    kz__cli *cli;
    kz_model *model;
    kz_model_info info;
    kz__chorus *chorus;
    kz__sound sound;
    kz__record record;
    kz__speech speech;
    kz__lines lines;   /* --lines */
    bool any;          /* one that is not blank was there */
    kz__live live;
    int code;          /* of the first part that failed */
    kz__out codes_out; /* open where --codes is given */
    int32_t *codes;
    size_t frames, frames_capacity;
} say;

/* ---- parts -------------------------------------------------------------------------------- */

static kz__coming next_line(say *s, bool wait) {
    const char *line = NULL;
    size_t length = 0;
    for (;;) {
        kz__line got = kz__lines_next(&s->lines, wait, &line, &length);
        if (got == KZ__LINE_LATER) return KZ__PART_LATER;
        if (got != KZ__LINE_HERE) return KZ__PART_NONE;
        if (!kz__is_blank(line, length)) break;
    }
    s->any = true;
    s->speech.given = 0;
    kz__speech_cut(&s->speech, s->cli, &s->info, line, length);
    return KZ__PART_HERE;
}

static kz__coming next_part(void *user, kz__part *part, bool wait) {
    say *s = user;
    if (s->code != KZ__EXIT_DONE || s->sound.reader_gone) return KZ__PART_NONE;
    if (s->cli->set.lines) {
        kz__coming coming = next_line(s, wait);
        if (coming != KZ__PART_HERE) return coming;
    }
    if (!kz__speech_next(&s->speech, part)) return KZ__PART_NONE;
    if (!s->speech.text) part->live = &s->live;
    part->sound = &s->sound;
    return KZ__PART_HERE;
}

static void part_begun(void *user, const kz__part *part, const kz_session *session) {
    const say *s = user;
    if (s->cli->set.verbose) kz__speech_show(s->cli, s->model, &s->info, part, session);
}

static int keep_codes(say *s, const int32_t *codes, size_t frames) {
    size_t width = (size_t)s->info.codes_per_frame;
    if (s->codes_out.fd < 0 || !codes) return KZ__EXIT_DONE;
    if (s->frames + frames > s->frames_capacity) {
        size_t larger = 2 * (s->frames + frames);
        size_t bytes = 0;
        int32_t *grown = NULL;
        if (kz__mul(larger, width * sizeof *codes, &bytes)) {
            grown = kz__grow(&s->cli->mem, s->codes, bytes);
        }
        if (!grown) return kz__cli_status(s->cli, KZ_ERR_MEMORY, NULL);
        s->codes = grown;
        s->frames_capacity = larger;
    }
    memcpy(s->codes + s->frames * width, codes, frames * width * sizeof *codes);
    s->frames += frames;
    return KZ__EXIT_DONE;
}

static void part_over(void *user, const kz__part *part, int code, const kz_result *result,
                      const int32_t *codes, size_t frames) {
    say *s = user;
    if (result) {
        kz__record_add(&s->record, result);
        int kept = keep_codes(s, codes, frames);
        if (code == KZ__EXIT_DONE) code = kept;
    }
    if (code != KZ__EXIT_DONE && code != KZ__EXIT_INTERRUPTED && part->count > 1) {
        kz__cli_note(s->cli, "that was in piece %zu of %zu, at byte %zu of the text",
                     part->number + 1, part->count, part->offset);
    }
    if (code == KZ__EXIT_RESOURCE && part->count > 1 && kz__cli_parallel(s->cli) > 1) {
        kz__cli_note(s->cli, "fewer pieces at a time take less memory: --parallel 1");
    }
    if (s->code == KZ__EXIT_DONE) s->code = code;
}

/* ---- the verb ----------------------------------------------------------------------------- */

static int check_usage(say *s) {
    const kz__settings *set = &s->cli->set;
    if (set->codes && !kz__codes_known(set->codes)) {
        return kz__cli_fail(s->cli, KZ__EXIT_USAGE, "codes are written to .npy or .txt; '%s' is "
                            "neither", set->codes);
    }
    if (set->file && s->cli->args.word_count > 0) {
        return kz__cli_fail(s->cli, KZ__EXIT_USAGE, "text is given twice, as arguments and with "
                            "--file");
    }
    bool standard = set->file ? !strcmp(set->file, "-") : s->cli->args.word_count == 0;
    int code = kz__cloning_check_options(s->cli, standard);
    if (code == KZ__EXIT_DONE) code = kz__speech_plan(&s->speech, s->cli, set);
    return code == KZ__EXIT_DONE ? kz__sound_plan(&s->sound, s->cli) : code;
}

/* As many as there is something for. */
static size_t places(const say *s) {
    size_t most = kz__cli_parallel(s->cli);
    if (s->cli->set.lines) return most;
    return s->speech.count < most ? s->speech.count : most;
}

static int open_all(say *s, const char *text, size_t length) {
    kz__err err = {""};
    kz__parts parts = {next_part, part_begun, part_over, s};
    int code = kz__cli_open_model(s->cli, NULL, false, &s->model, &s->info);
    if (code == KZ__EXIT_DONE) code = kz__speech_voice(&s->speech, s->cli, s->model, &s->info);
    if (code != KZ__EXIT_DONE) return code;
    code = kz__speech_cut(&s->speech, s->cli, &s->info, text, length);
    if (code != KZ__EXIT_DONE) return code;
    s->sound.joins = s->speech.count > 1;
    s->cli->ahead_ms = AHEAD_MS;
    code = kz__chorus_open(&s->chorus, s->cli, s->model, &s->info, places(s), &parts);
    if (code != KZ__EXIT_DONE) return code;
    kz__interrupt_install();
    code = kz__sound_open(&s->sound, &s->info);
    if (code != KZ__EXIT_DONE || !s->cli->set.codes) return code;
    kz_status status = kz__out_open(&s->codes_out, &s->cli->mem, s->cli->set.codes, &err);
    return status == KZ_OK ? code : kz__cli_status(s->cli, status, &err);
}

static int write_codes(say *s, int code) {
    if (s->codes_out.fd < 0) return code;
    if (s->frames == 0) {
        kz__out_discard(&s->codes_out);
        return code;
    }
    kz__err err = {""};
    unsigned char *bytes = NULL;
    size_t length = 0;
    kz_status status = kz__codes_format(&s->cli->mem, s->cli->set.codes, s->codes, s->frames,
                                        (size_t)s->info.codes_per_frame, &bytes, &length, &err);
    if (status == KZ_OK) status = kz__out_write(&s->codes_out, bytes, length, &err);
    if (status == KZ_OK) {
        status = kz__out_commit(&s->codes_out, &err);
    } else {
        kz__out_discard(&s->codes_out);
    }
    kz__free(&s->cli->mem, bytes);
    if (status == KZ_OK) return code;
    int failed = kz__cli_status(s->cli, status, &err);
    return code == KZ__EXIT_DONE ? failed : code;
}

static int speak(say *s) {
    int code = kz__chorus_run(s->chorus);
    if (code == KZ__EXIT_DONE) code = s->code;
    if (code == KZ__EXIT_DONE) code = s->lines.code;
    if (code == KZ__EXIT_DONE && s->cli->set.lines && !s->any) {
        code = kz__cli_fail(s->cli, KZ__EXIT_INPUT, "the text is %s",
                            s->lines.number > 0 ? "blank" : "empty");
    }
    return code;
}

static int end(say *s, int code) {
    bool started = s->record.pieces > 0 && !s->sound.reader_gone;
    if (started) code = kz__record_finish(s->cli, &s->record, code);
    code = write_codes(s, code);
    code = kz__sound_close(&s->sound, code);
    int shown = KZ__EXIT_DONE;
    if (started) shown = kz__record_show(s->cli, &s->record, &s->sound, &s->info);
    kz__free(&s->cli->mem, s->codes);
    kz__free(&s->cli->mem, s->lines.bytes);
    kz__speech_free(&s->speech, s->cli);
    kz__chorus_free(s->chorus);
    kz_model_free(s->model);
    return code == KZ__EXIT_DONE ? shown : code;
}

int kz__cmd_say(kz__cli *cli) {
    say s;
    memset(&s, 0, sizeof s);
    s.cli = cli;
    s.codes_out.fd = -1;
    int code = check_usage(&s);
    if (code != KZ__EXIT_DONE) return code;
    char *text = NULL;
    size_t length = 0;
    bool streaming = cli->set.lines || cli->set.live_text;
    bool on_stdin = streaming && kz__cli_text_on_stdin(cli);
    if (!on_stdin) code = kz__cli_text(cli, &text, &length);
    if (cli->set.lines) {
        kz__lines lines = {.cli = cli, .fd = on_stdin ? STDIN_FILENO : -1, .bytes = text,
                           .end = length, .capacity = length};
        s.lines = lines;
        text = NULL;
    }
    if (code == KZ__EXIT_DONE) code = open_all(&s, text, length);
    if (code == KZ__EXIT_DONE) code = speak(&s);
    code = end(&s, code);
    kz__free(&cli->mem, text);
    return code;
}
