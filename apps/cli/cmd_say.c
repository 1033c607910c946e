/* kazeia say: text to sound. One utterance, one per piece of a long text, or one per line with
 * --lines; text whole, or as it arrives on standard input with --live-text. */
#include "cli/record.h"

#include "common/codes.h"
#include "common/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* A pause in a pipe, or a player, of up to so long does not stop the making of sound. */
#define AHEAD_MS 5000

#define PAUSE_MAX 60.0
#define PAUSE "0.2,0.6"

typedef struct say {
    kz__cli *cli;
    kz_model *model;
    kz_model_info info;
    kz_session *session;
    kz__sound sound;
    kz__record record;
    uint64_t seed;
    uint32_t piece;    /* number of the one that is spoken, in a long text */
    double pause, paragraph_pause;
    kz__out codes_out; /* open where --codes is given */
    int32_t *codes;
    size_t frames, frames_capacity;
} say;

/* ---- the request -------------------------------------------------------------------------- */

static bool draw_seed(uint64_t *seed) {
    unsigned char bytes[8];
    if (RAND_bytes(bytes, sizeof bytes) != 1) return false;
    *seed = 0;
    for (size_t i = 0; i < sizeof bytes; i++) *seed = *seed << 8 | bytes[i];
    *seed >>= 11; /* 53 bits */
    return true;
}

static void fill_sampling(const kz__settings *set, kz_request *r) {
    r->talker.temperature = set->greedy ? 0 : set->temperature;
    r->talker.top_k = set->top_k;
    r->talker.top_p = set->top_p;
    r->talker.repetition_penalty = set->repetition_penalty;
    r->talker.repetition_window = set->repetition_window;
    r->predictor.temperature = set->greedy ? 0 : set->cp_temperature;
    r->predictor.top_k = set->cp_top_k;
    r->predictor.top_p = set->cp_top_p;
    r->predictor.repetition_penalty = set->cp_repetition_penalty;
    r->predictor.repetition_window = set->cp_repetition_window;
}

static void fill_request(const say *s, kz_request *r) {
    const kz__settings *set = &s->cli->set;
    kz_request_init(r);
    r->voice = set->voice;
    r->language = set->language;
    r->instruct = set->instruct;
    r->flags = kz__cli_flags(s->cli);
    r->seed = s->seed;
    r->piece = s->piece;
    fill_sampling(set, r);
    r->min_frames = set->min_frames;
    r->max_frames = set->max_frames;
    if (set->frames > 0) r->exact_frames = set->frames;
    r->packet = set->packet;
}

/* ---- what --verbose tells ----------------------------------------------------------------- */

static void show_text(const say *s, const kz_request *r) {
    kz__mem *mem = &s->cli->mem;
    size_t count = 0;
    if (!r->text || kz_tokenize(s->model, r->text, r->text_length, r->flags, NULL, 0, &count, NULL,
                                0) != KZ_OK) {
        return;
    }
    int32_t *ids = kz__calloc(mem, count, sizeof *ids);
    kz__page page;
    if (ids && kz__page_open(&page)) {
        kz_tokenize(s->model, r->text, r->text_length, r->flags, ids, count, &count, NULL, 0);
        for (size_t i = 0; i < count; i++) {
            size_t length = 0;
            const char *piece = kz_token_text(s->model, ids[i], &length);
            if (piece) fwrite(piece, 1, length, page.file);
        }
        fflush(page.file);
        char *escaped = kz__cli_escape(mem, page.bytes, page.length, true);
        if (escaped) fprintf(stderr, "text          \"%s\" (%zu tokens)\n", escaped, count);
        kz__free(mem, escaped);
        kz__page_drop(&page);
    }
    kz__free(mem, ids);
}

static void show_request(const say *s, const kz_request *r) {
    kz_result result;
    memset(&result, 0, sizeof result);
    result.size = sizeof result;
    kz_session_get_result(s->session, &result);
    kz__cli_progress(s->cli, NULL);
    show_text(s, r);
    if (r->piece > 0) return; /* the rest is as it was */
    fprintf(stderr, "voice         %s\n", r->voice ? r->voice : "as the model has it");
    fprintf(stderr, "language      %s\n", r->language ? r->language : "auto");
    if (r->instruct) fprintf(stderr, "instruct      \"%s\"\n", r->instruct);
    fprintf(stderr, "seed          %llu\n", (unsigned long long)s->seed);
    int limit = r->exact_frames > 0 ? r->exact_frames : r->max_frames;
    if (result.max_frames > 0) limit = result.max_frames;
    if (limit > 0) {
        fprintf(stderr, "limits        at most %d frames", limit);
    } else {
        fprintf(stderr, "limits        a number of frames that grows with the text");
    }
    fprintf(stderr, ", end of speech not before %d\n",
            r->min_frames == KZ_DEFAULT ? 2 : r->min_frames);
    fprintf(stderr, "run           %d threads, %s, %s weights\n", result.threads, s->info.cpu,
            kz__type_name(s->info.type));
    if (!strcmp(s->info.cpu, "scalar")) {
        fprintf(stderr, "              without fast kernels for this processor: this will be "
                        "slow\n");
    }
}

/* ---- one piece ---------------------------------------------------------------------------- */

static int keep_codes(say *s) {
    size_t frames = 0;
    const int32_t *codes = kz_session_codes(s->session, &frames);
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

/* text NULL: it comes with live. */
static int speak(say *s, const char *text, size_t length, kz__live *live) {
    kz_request request;
    fill_request(s, &request);
    request.text = text;
    request.text_length = length;
    kz_status status = kz_session_start(s->session, &request);
    if (status != KZ_OK) {
        kz__err err;
        snprintf(err.text, sizeof err.text, "%s", kz_error(s->session));
        return kz__cli_status(s->cli, status, &err);
    }
    if (s->cli->set.verbose) show_request(s, &request);
    int code = kz__sound_run(&s->sound, s->session, live);
    kz__record_add(&s->record, s->session);
    int kept = keep_codes(s);
    return code == KZ__EXIT_DONE ? kept : code;
}

/* ---- a long text -------------------------------------------------------------------------- */

/* "S[,P]" */
static bool read_pause(say *s, const char *text) {
    char *end = NULL;
    if (!*text || text[strspn(text, "0123456789.,")]) return false;
    s->pause = strtod(text, &end);
    s->paragraph_pause = 3 * s->pause;
    bool first = end != text;
    if (first && *end == ',') {
        const char *second = end + 1;
        s->paragraph_pause = strtod(second, &end);
        first = end != second;
    }
    return first && !*end && s->pause <= PAUSE_MAX && s->paragraph_pause <= PAUSE_MAX;
}

/* About nine hours of speech: what is longer is a file by mistake, or a book, whose parts one wants
 * apart. */
#define TEXT_MOST ((size_t)500000)

static int split(say *s, const char *text, size_t length, kz_piece **pieces, size_t *count) {
    kz_split_options options;
    kz__err err = {""};
    kz_split_options_init(&options);
    options.limit = s->info.text_limit;
    options.whole = 1;
    options.language = s->cli->set.language;
    kz_status status = kz_split(text, length, &options, NULL, 0, count, err.text, sizeof err.text);
    if (status == KZ_OK) {
        *pieces = kz__calloc(&s->cli->mem, *count, sizeof **pieces);
        if (!*pieces) status = KZ_ERR_MEMORY;
    }
    if (status == KZ_OK) {
        status = kz_split(text, length, &options, *pieces, *count, count, err.text,
                          sizeof err.text);
    }
    return status == KZ_OK ? KZ__EXIT_DONE : kz__cli_status(s->cli, status, &err);
}

static double pause_after(const say *s, kz_boundary boundary) {
    if (boundary == KZ_BOUNDARY_PARAGRAPH) return s->paragraph_pause;
    return boundary == KZ_BOUNDARY_INNER ? s->pause / 2 : s->pause;
}

static int speak_pieces(say *s, const char *text, const kz_piece *pieces, size_t count) {
    int code = KZ__EXIT_DONE;
    kz__sound *sound = &s->sound;
    sound->joins = count > 1;
    for (size_t i = 0; i < count; i++) {
        if (count > 1) {
            snprintf(sound->part, sizeof sound->part, "piece %zu of %zu, ", i + 1, count);
        }
        s->piece = (uint32_t)i;
        code = speak(s, text + pieces[i].offset, pieces[i].length, NULL);
        if (code != KZ__EXIT_DONE && code != KZ__EXIT_INTERRUPTED && count > 1) {
            kz__cli_note(s->cli, "that was in piece %zu of %zu, at byte %zu of the text", i + 1,
                         count, pieces[i].offset);
        }
        if (code != KZ__EXIT_DONE || sound->reader_gone || i + 1 == count) break;
        code = kz__sound_pause(sound, pause_after(s, pieces[i].after));
        if (code != KZ__EXIT_DONE || sound->reader_gone) break;
    }
    return code;
}

static bool is_blank(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (!strchr(" \t\r\n\v\f", text[i]) || !text[i]) return false;
    }
    return true;
}

/* Texts that suit the model as they are stay whole; so does what is compared with the reference,
 * and what is dumped, which has one row of frames. */
static int speak_long(say *s, const char *text, size_t length) {
    const kz__settings *set = &s->cli->set;
    bool off = set->split && !strcasecmp(set->split, "off");
    if (off || set->as_reference || set->dump || is_blank(text, length)) {
        return speak(s, text, length, NULL);
    }
    if (length > TEXT_MOST) {
        return kz__cli_fail(s->cli, KZ__EXIT_INPUT,
                            "the text has %zu bytes, at most %zu are spoken in one go: give it in "
                            "parts", length, TEXT_MOST);
    }
    kz_piece *pieces = NULL;
    size_t count = 0;
    int code = split(s, text, length, &pieces, &count);
    if (code == KZ__EXIT_DONE && count == 0) {
        code = kz__cli_fail(s->cli, KZ__EXIT_INPUT, "the text has no letter and no digit: there is "
                            "nothing to speak");
    }
    if (code == KZ__EXIT_DONE) code = speak_pieces(s, text, pieces, count);
    kz__free(&s->cli->mem, pieces);
    return code;
}

/* ---- lines -------------------------------------------------------------------------------- */

typedef struct lines {
    int fd;        /* -1: all is in bytes */
    char *bytes;
    size_t begin, end, capacity;
} lines;

/* Reads more; false at the end, on a signal, and with *code on a failure. */
static bool more_bytes(say *s, lines *l, int *code) {
    if (l->fd < 0 || !kz__interrupt_wait(l->fd, -1)) return false;
    if (l->begin > 0) {
        memmove(l->bytes, l->bytes + l->begin, l->end - l->begin);
        l->end -= l->begin;
        l->begin = 0;
    }
    if (l->capacity - l->end < 4096) {
        size_t larger = 2 * l->capacity + 8192;
        char *grown = kz__grow(&s->cli->mem, l->bytes, larger);
        if (!grown) {
            *code = kz__cli_status(s->cli, KZ_ERR_MEMORY, NULL);
            return false;
        }
        l->bytes = grown;
        l->capacity = larger;
    }
    ssize_t got = read(l->fd, l->bytes + l->end, l->capacity - l->end);
    if (got < 0 && errno != EINTR) {
        *code = kz__cli_fail(s->cli, KZ__EXIT_INPUT, "cannot read the text: %s", strerror(errno));
    }
    if (got > 0) l->end += (size_t)got;
    return got > 0 || (got < 0 && errno == EINTR);
}

static bool next_line(say *s, lines *l, const char **line, size_t *length, int *code) {
    size_t looked = 0;
    for (;;) {
        const char *start = l->bytes + l->begin;
        size_t have = l->end - l->begin;
        const char *stop = have > looked ? memchr(start + looked, '\n', have - looked) : NULL;
        if (stop) {
            *line = start;
            *length = (size_t)(stop - start);
            l->begin += *length + 1;
            return true;
        }
        looked = have;
        if (more_bytes(s, l, code)) continue;
        *line = l->bytes + l->begin;
        *length = l->end - l->begin;
        l->begin = l->end;
        return *length > 0 && *code == KZ__EXIT_DONE && !kz__interrupted();
    }
}

static int speak_lines(say *s, lines *l) {
    int code = KZ__EXIT_DONE;
    bool any = false;
    const char *line = NULL;
    size_t length = 0;
    while (code == KZ__EXIT_DONE && !s->sound.reader_gone &&
           next_line(s, l, &line, &length, &code)) {
        if (is_blank(line, length)) continue;
        any = true;
        code = speak(s, line, length, NULL);
    }
    if (kz__interrupted()) return KZ__EXIT_INTERRUPTED;
    if (code == KZ__EXIT_DONE && !any) {
        return kz__cli_fail(s->cli, KZ__EXIT_INPUT, "the text is empty");
    }
    return code;
}

/* ---- the verb ----------------------------------------------------------------------------- */

static int check_usage(say *s) {
    const kz__settings *set = &s->cli->set;
    size_t length = set->voice ? strlen(set->voice) : 0;
    if (length > 4 && !strcasecmp(set->voice + length - 4, ".kzv")) {
        return kz__cli_fail(s->cli, KZ__EXIT_USAGE, "saved voices (.kzv) are not available in "
                            "this version; 'kazeia voices' lists the model's speakers");
    }
    if (set->codes && !kz__codes_known(set->codes)) {
        return kz__cli_fail(s->cli, KZ__EXIT_USAGE, "codes are written to .npy or .txt; '%s' is "
                            "neither", set->codes);
    }
    if (set->min_frames > 0 && set->max_frames > 0 && set->min_frames > set->max_frames) {
        return kz__cli_fail(s->cli, KZ__EXIT_USAGE, "--min-frames %d is more than --max-frames "
                            "%d", set->min_frames, set->max_frames);
    }
    if (!read_pause(s, set->pause ? set->pause : PAUSE)) {
        return kz__cli_fail(s->cli, KZ__EXIT_USAGE, "--pause is '%s'; seconds from 0 to %.0f, one "
                            "number or two with a comma between them, are allowed", set->pause,
                            PAUSE_MAX);
    }
    if (set->file && s->cli->args.word_count > 0) {
        return kz__cli_fail(s->cli, KZ__EXIT_USAGE, "text is given twice, as arguments and with "
                            "--file");
    }
    s->seed = set->seed.value;
    if (!set->seed.given && !draw_seed(&s->seed)) {
        return kz__cli_fail(s->cli, KZ__EXIT_RESOURCE, "no random seed can be drawn; give --seed");
    }
    return kz__sound_plan(&s->sound, s->cli);
}

static int open_all(say *s) {
    kz__err err = {""};
    int code = kz__cli_open_model(s->cli, NULL, false, &s->model, &s->info);
    if (code == KZ__EXIT_DONE) code = kz__cli_need_voice(s->cli, &s->info);
    s->cli->ahead_ms = AHEAD_MS;
    if (code == KZ__EXIT_DONE) code = kz__cli_open_session(s->cli, s->model, &s->session);
    if (code != KZ__EXIT_DONE) return code;
    kz__interrupt_install();
    code = kz__sound_open(&s->sound, &s->info, s->session);
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

static int speak_text(say *s, char *text, size_t length, bool on_stdin) {
    const kz__settings *set = &s->cli->set;
    if (set->lines) {
        lines l = {on_stdin ? STDIN_FILENO : -1, text, 0, length, length};
        int code = speak_lines(s, &l);
        kz__free(&s->cli->mem, l.bytes);
        return code;
    }
    kz__live live = {false};
    bool whole = !text || set->live_text;
    int code = whole ? speak(s, text, length, text ? NULL : &live) : speak_long(s, text, length);
    kz__free(&s->cli->mem, text);
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
    kz_session_free(s->session);
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
    if (code == KZ__EXIT_DONE) code = open_all(&s);
    if (code == KZ__EXIT_DONE) {
        code = speak_text(&s, text, length, on_stdin);
    } else {
        kz__free(&cli->mem, text);
    }
    return end(&s, code);
}
