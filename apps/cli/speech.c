/* Settings to requests; long texts to pieces. */
#include "cli/speech.h"

#include "cli/cloning.h"
#include "cli/record.h"
#include "common/codes.h"

#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PAUSE_MAX 60.0
#define PAUSE "0.2,0.6"

/* ---- the settings ------------------------------------------------------------------------- */

static bool draw_seed(uint64_t *seed) {
    unsigned char bytes[8];
    if (RAND_bytes(bytes, sizeof bytes) != 1) return false;
    *seed = 0;
    for (size_t i = 0; i < sizeof bytes; i++) *seed = *seed << 8 | bytes[i];
    *seed >>= 11; /* 53 bits */
    return true;
}

/* "S[,P]" */
static bool read_pause(kz__speech *s, const char *text) {
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

int kz__speech_plan(kz__speech *s, kz__cli *cli, const kz__settings *set) {
    memset(s, 0, sizeof *s);
    s->set = set;
    if (set->min_frames > 0 && set->max_frames > 0 && set->min_frames > set->max_frames) {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "--min-frames %d is more than --max-frames %d",
                            set->min_frames, set->max_frames);
    }
    if (!read_pause(s, set->pause ? set->pause : PAUSE)) {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "the pause is '%s'; seconds from 0 to %.0f, "
                            "one number or two with a comma between them, are allowed",
                            set->pause, PAUSE_MAX);
    }
    s->seed = set->seed.value;
    if (!set->seed.given && !draw_seed(&s->seed)) {
        return kz__cli_fail(cli, KZ__EXIT_RESOURCE, "no random seed can be drawn; give --seed");
    }
    return KZ__EXIT_DONE;
}

int kz__speech_voice(kz__speech *s, kz__cli *cli, const kz_model *model,
                     const kz_model_info *info) {
    if (s->set->ref_audio) {
        int code = kz__cloning_of_options(cli, model, info);
        s->made = cli->cloned;
        return code;
    }
    return kz__saved_choose(cli, model, info, s->set->voice, &s->voice);
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

static void fill_request(const kz__speech *s, kz_request *r) {
    const kz__settings *set = s->set;
    kz_request_init(r);
    r->voice = s->voice.speaker;
    r->cloned = s->made ? s->made : s->voice.cloned;
    r->language = set->language;
    r->instruct = set->instruct;
    r->flags = kz__settings_flags(set);
    r->seed = s->seed;
    fill_sampling(set, r);
    r->min_frames = set->min_frames;
    r->max_frames = set->max_frames;
    if (set->frames > 0) r->exact_frames = set->frames;
    r->packet = set->packet;
}

/* ---- pieces ------------------------------------------------------------------------------- */

/* About nine hours of speech: what is longer is a file by mistake, or a book, whose parts one wants
 * apart. */
#define TEXT_MOST ((size_t)500000)

static int split(kz__speech *s, kz__cli *cli, const kz_model_info *info) {
    kz_split_options options;
    kz__err err = {""};
    kz_split_options_init(&options);
    options.limit = info->text_limit;
    options.whole = 1;
    options.language = s->set->language;
    kz_status status = kz_split(s->text, s->length, &options, NULL, 0, &s->count, err.text,
                                sizeof err.text);
    if (status == KZ_OK) {
        s->pieces = kz__calloc(&cli->mem, s->count, sizeof *s->pieces);
        if (!s->pieces) status = KZ_ERR_MEMORY;
    }
    if (status == KZ_OK) {
        status = kz_split(s->text, s->length, &options, s->pieces, s->count, &s->count, err.text,
                          sizeof err.text);
    }
    return status == KZ_OK ? KZ__EXIT_DONE : kz__cli_status(cli, status, &err);
}

bool kz__is_blank(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (!strchr(" \t\r\n\v\f", text[i]) || !text[i]) return false;
    }
    return true;
}

/* Texts that suit the model as they are stay whole; so does what is compared with the reference,
 * what is dumped, which has one row of frames, and what arrives while it is spoken. */
int kz__speech_cut(kz__speech *s, kz__cli *cli, const kz_model_info *info, const char *text,
                   size_t length) {
    const kz__settings *set = s->set;
    bool off = set->split && !strcasecmp(set->split, "off");
    s->text = text;
    s->length = length;
    s->count = 1;
    if (off || set->as_reference || set->dump || set->live_text || set->lines || !text ||
        kz__is_blank(text, length)) {
        return KZ__EXIT_DONE;
    }
    if (length > TEXT_MOST) {
        return kz__cli_fail(cli, KZ__EXIT_INPUT,
                            "the text has %zu bytes, at most %zu are spoken in one go: give it in "
                            "parts", length, TEXT_MOST);
    }
    int code = split(s, cli, info);
    if (code != KZ__EXIT_DONE || s->count > 0) return code;
    return kz__cli_fail(cli, KZ__EXIT_INPUT, "the text has no letter and no digit: there is "
                        "nothing to speak");
}

static double pause_after(const kz__speech *s, kz_boundary boundary) {
    if (boundary == KZ_BOUNDARY_PARAGRAPH) return s->paragraph_pause;
    return boundary == KZ_BOUNDARY_INNER ? s->pause / 2 : s->pause;
}

bool kz__speech_next(kz__speech *s, kz__part *part) {
    if (s->given == s->count) return false;
    size_t i = s->given++;
    fill_request(s, &part->request);
    part->request.text = s->text;
    part->request.text_length = s->length;
    part->request.piece = (uint32_t)i;
    part->number = i;
    part->count = s->count;
    part->joined = i > 0;
    if (s->pieces) {
        part->request.text = s->text + s->pieces[i].offset;
        part->request.text_length = s->pieces[i].length;
        part->offset = s->pieces[i].offset;
        if (i > 0) part->pause = pause_after(s, s->pieces[i - 1].after);
    }
    if (s->count > 1) {
        snprintf(part->label, sizeof part->label, "piece %zu of %zu, ", i + 1, s->count);
    }
    return true;
}

void kz__speech_free(kz__speech *s, kz__cli *cli) {
    kz__free(&cli->mem, s->pieces);
    s->pieces = NULL;
    s->count = s->given = 0;
    kz_voice_free(s->voice.cloned);
    s->voice.cloned = NULL;
}

/* ---- what --verbose tells ----------------------------------------------------------------- */

static void show_text(kz__mem *mem, const kz_model *model, const kz_request *r) {
    size_t count = 0;
    if (!r->text || kz_tokenize(model, r->text, r->text_length, r->flags, NULL, 0, &count, NULL,
                                0) != KZ_OK) {
        return;
    }
    int32_t *ids = kz__calloc(mem, count, sizeof *ids);
    kz__page page;
    if (ids && kz__page_open(&page)) {
        kz_tokenize(model, r->text, r->text_length, r->flags, ids, count, &count, NULL, 0);
        for (size_t i = 0; i < count; i++) {
            size_t length = 0;
            const char *piece = kz_token_text(model, ids[i], &length);
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

static void show_voice(const kz_request *r) {
    kz_voice_info info = {.size = sizeof info};
    if (!r->cloned) {
        fprintf(stderr, "voice         %s\n", r->voice ? r->voice : "as the model has it");
        return;
    }
    kz_voice_get_info(r->cloned, &info);
    fprintf(stderr, "voice         %s, made from a recording of %.1f s, %s\n",
            info.name[0] ? info.name : "without a name", (double)info.samples / info.sample_rate,
            info.frames ? "with its transcript" : "without a transcript (speaker vector alone)");
}

void kz__speech_show(kz__cli *cli, const kz_model *model, const kz_model_info *info,
                     const kz__part *part, const kz_session *session) {
    const kz_request *r = &part->request;
    kz_result result;
    memset(&result, 0, sizeof result);
    result.size = sizeof result;
    kz_session_get_result(session, &result);
    kz__cli_progress(cli, NULL);
    show_text(&cli->mem, model, r);
    if (r->piece > 0) return; /* the rest is as it was */
    show_voice(r);
    fprintf(stderr, "language      %s\n", r->language ? r->language : "auto");
    if (r->instruct) fprintf(stderr, "instruct      \"%s\"\n", r->instruct);
    fprintf(stderr, "seed          %llu\n", (unsigned long long)r->seed);
    int limit = r->exact_frames > 0 ? r->exact_frames : r->max_frames;
    if (result.max_frames > 0) limit = result.max_frames;
    if (limit > 0) {
        fprintf(stderr, "limits        at most %d frames", limit);
    } else {
        fprintf(stderr, "limits        a number of frames that grows with the text");
    }
    fprintf(stderr, ", end of speech not before %d\n",
            r->min_frames == KZ_DEFAULT ? 2 : r->min_frames);
    fprintf(stderr, "run           %d threads, %s, %s weights\n", result.threads, info->cpu,
            kz__type_name(info->type));
    if (!strcmp(info->cpu, "scalar")) {
        fprintf(stderr, "              without fast kernels for this processor: this will be "
                        "slow\n");
    }
}
