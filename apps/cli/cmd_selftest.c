/* kazeia selftest: every kernel against the scalar reference; then a fixed greedy run of a model at
 * each kernel level. The stages of the voice in the box are held against known hashes, those of any
 * other model against the scalar level. */
#include "cli/known.h"

#include "cli/cli.h"
#include "common/interrupt.h"

#include <limits.h>
#include <string.h>

#define SAMPLES 15360
#define VECTOR_MAX 4096
#define LEVELS_MAX 16

typedef struct tally {
    kz__cli *cli;
    kz__page page;
    json_t *kernels, *levels, *stages;
    size_t kernel_count, kernel_failures;
    bool level_failed;
    char mark[65];             /* of the model; "" before it is known */
    bool known;                /* held against the known hashes, else against the scalar level */
    kz__stage_hash *wanted;    /* the scalar level's; names are in `scalar` */
    size_t wanted_count;
    kz__stages scalar;
} tally;

/* ---- kernels ------------------------------------------------------------------------------ */

static void report_kernel(void *user, const char *name, int equal) {
    tally *t = user;
    t->kernel_count++;
    if (!equal) t->kernel_failures++;
    kz__cli_progress(t->cli, "%s", name);
    if (!equal || t->cli->set.verbose) {
        fprintf(t->page.file, "%-40s %s\n", name, equal ? "equal" : "DIFFERS");
    }
    json_object_set_new(t->kernels, name, json_boolean(equal));
}

/* ---- one run ------------------------------------------------------------------------------ */

static int frames_wanted(const kz__cli *cli) {
    return cli->set.frames > 0 ? cli->set.frames : KZ__KNOWN_FRAMES;
}

static kz_status run(kz__cli *cli, kz_session *session, const kz_model_info *info,
                     kz__stages *stages) {
    static const char text[] = "One voice, the same bits everywhere.";
    static float samples[SAMPLES];
    static float vector[VECTOR_MAX];
    kz_request request;
    kz_request_init(&request);
    request.text = text;
    request.text_length = sizeof text - 1;
    request.talker.temperature = 0;
    request.predictor.temperature = 0;
    request.exact_frames = frames_wanted(cli);
    size_t length = (size_t)info->speaker_vector_length;
    if (length > 0 && length <= VECTOR_MAX) {
        for (size_t i = 0; i < length; i++) vector[i] = (float)((int)(i * 7 % 13) - 6) / 13.0f;
        request.speaker_vector = vector;
        request.speaker_vector_length = length;
    }
    kz_session_set_tap(session, kz__stages_tap, stages);
    kz_status status = kz_session_start(session, &request);
    uint64_t heard = 0;
    while (status == KZ_OK || status == KZ_TIMEOUT) {
        size_t count = 0;
        if (kz__interrupted()) return KZ_ERR_CANCELLED;
        status = kz_session_read(session, samples, SAMPLES, &count, 100);
        kz__stages_samples(stages, heard, (size_t)info->samples_per_frame, samples, count);
        heard += count;
    }
    size_t frames = 0;
    const int32_t *codes = kz_session_codes(session, &frames);
    if (codes) kz__stages_codes(stages, codes, frames, (size_t)info->codes_per_frame);
    return status;
}

/* Runs at a level. *failed gets the sentence of a run that did not come to its end: its stages tell
 * where. */
static int run_level(tally *t, const char *path, const char *level, kz__stages *stages,
                     kz__err *failed) {
    kz__cli *cli = t->cli;
    kz_model *model = NULL;
    kz_model_info info;
    kz_session *session = NULL;
    kz__err err = {""};
    kz__cli_progress(cli, "%s at level %s", path, level);
    kz_status status = kz__cli_load(cli, path, level, false, &model, &info, &err);
    if (status != KZ_OK) return kz__cli_status(cli, status, &err);
    if (!t->mark[0]) kz__known_mark(model, &info, t->mark);
    int code = kz__cli_open_session(cli, model, &session);
    if (code == KZ__EXIT_DONE) {
        status = run(cli, session, &info, stages);
        if (status == KZ_ERR_FAILED) {
            snprintf(failed->text, sizeof failed->text, "%s", kz_error(session));
        } else if (status == KZ_ERR_CANCELLED) {
            code = kz__cli_fail(cli, KZ__EXIT_INTERRUPTED, "interrupted");
        } else if (status < 0) {
            snprintf(err.text, sizeof err.text, "%s", kz_error(session));
            code = kz__cli_status(cli, status, &err);
        }
        if (stages->failed) code = kz__cli_status(cli, KZ_ERR_MEMORY, NULL);
    }
    kz__stages_end(stages);
    kz_session_free(session);
    kz_model_free(model);
    return code;
}

/* ---- against what ------------------------------------------------------------------------- */

/* After the first run, whose mark tells what the model is. */
static int decide(tally *t) {
    const kz__known *voice = &kz__known_voice;
    kz__cli *cli = t->cli;
    const char *why = NULL;
    bool is_voice = kz__known_is_voice(t->mark);
    if (is_voice && frames_wanted(cli) != KZ__KNOWN_FRAMES) why = "they are of 8 frames";
    if (is_voice && kz_arithmetic() != voice->arithmetic) why = "they are of another arithmetic";
    t->known = is_voice && !why;
    if (why) {
        fprintf(t->page.file, "the known hashes (arithmetic %d, this build: %d) do not apply, %s: "
                "compared with the scalar level\n", voice->arithmetic, kz_arithmetic(), why);
    }
    if (t->known) {
        t->wanted_count = voice->count;
        return KZ__EXIT_DONE;
    }
    t->wanted = kz__calloc(&cli->mem, t->scalar.count + 1, sizeof *t->wanted);
    if (!t->wanted) return kz__cli_status(cli, KZ_ERR_MEMORY, NULL);
    t->wanted_count = t->scalar.count;
    for (size_t i = 0; i < t->wanted_count; i++) {
        t->wanted[i] = kz__stage_short(&t->scalar.list[i]);
    }
    return KZ__EXIT_DONE;
}

static void hex_of(const kz__stage *s, int which, char hex[65]) {
    hex[0] = 0;
    for (unsigned i = 0; s && i < 32; i++) snprintf(hex + 2 * i, 3, "%02x", s->hashes[which][i]);
}

static void report_level(tally *t, const char *level, const kz__stages *stages,
                         const kz__err *failed) {
    const kz__stage_hash *wanted = t->known ? kz__known_voice.stages : t->wanted;
    bool later = false;
    const char *differs = kz__stages_differ(stages, wanted, t->wanted_count, &later);
    bool bad = differs || failed->text[0];
    char hex[65];
    hex_of(kz__stages_find(stages, KZ__STAGE_SAMPLES), 1, hex);
    fprintf(t->page.file, "model at %-12s %zu stages, samples %.16s  ", level, stages->count,
            hex[0] ? hex : "none");
    if (differs) {
        fprintf(t->page.file, "DIFFERS first in %s%s", differs,
                later ? ", after the first frame" : "");
    } else if (!bad) {
        fprintf(t->page.file, "%s", t->known ? "equal to the known hashes" : "equal");
    }
    fprintf(t->page.file, "%s%s\n", differs && failed->text[0] ? "; " : "", failed->text);
    json_object_set_new(t->levels, level,
                        json_pack("{s:s, s:b, s:s?, s:s}", "hash", hex, "equal", !bad,
                                  "first_difference", differs, "failed", failed->text));
    if (bad) t->level_failed = true;
}

static void keep_stages(tally *t, const kz__stages *stages) {
    json_array_clear(t->stages);
    for (size_t i = 0; i < stages->count; i++) {
        char first[65];
        char all[65];
        hex_of(&stages->list[i], 0, first);
        hex_of(&stages->list[i], 1, all);
        json_array_append_new(t->stages, json_pack("{s:s, s:s, s:s}", "name",
                                                   stages->list[i].name, "first_frame", first,
                                                   "all_frames", all));
    }
}

static int test_model(tally *t, const char *path) {
    static kz__stages other;
    kz__cli *cli = t->cli;
    int code = KZ__EXIT_DONE;
    for (size_t i = 0; code == KZ__EXIT_DONE && i < LEVELS_MAX && kz_cpu_level(i); i++) {
        kz__stages *stages = i == 0 ? &t->scalar : &other;
        kz__err failed = {""};
        kz__stages_init(stages, &cli->mem);
        code = run_level(t, path, kz_cpu_level(i), stages, &failed);
        if (code == KZ__EXIT_DONE && i == 0) code = decide(t);
        if (code == KZ__EXIT_DONE) {
            report_level(t, kz_cpu_level(i), stages, &failed);
            keep_stages(t, stages);
        }
        if (i > 0) kz__stages_free(&other);
        if (cli->set.cpu && !strcmp(cli->set.cpu, kz_cpu_level(i))) break;
    }
    return code;
}

/* ---- the verb ----------------------------------------------------------------------------- */

static int show_lines(tally *t, bool equal) {
    fprintf(t->page.file, "kernels       %zu compared, %zu differ\n", t->kernel_count,
            t->kernel_failures);
    fprintf(t->page.file, "%s\n", equal ? "all equal" : "FAILED");
    return kz__page_close(t->cli, &t->page, false);
}

static int show_json(tally *t, bool equal) {
    kz__page_drop(&t->page);
    return kz__cli_json(t->cli, json_pack("{s:b, s:i, s:s, s:b, s:O, s:O, s:O}", "all_equal",
                                          equal, "arithmetic", kz_arithmetic(), "mark", t->mark,
                                          "known", t->known, "kernels", t->kernels, "levels",
                                          t->levels, "stages", t->stages), false);
}

static int show(tally *t, int code) {
    bool equal = t->kernel_failures == 0 && !t->level_failed;
    kz__cli_progress(t->cli, NULL);
    if (code != KZ__EXIT_DONE) {
        kz__page_drop(&t->page);
        return code;
    }
    int shown = t->cli->set.json ? show_json(t, equal) : show_lines(t, equal);
    return equal ? shown : KZ__EXIT_FAILED;
}

int kz__cmd_selftest(kz__cli *cli) {
    static tally t;
    char box[2 * PATH_MAX];
    t.cli = cli;
    if (cli->args.word_count > 1) {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "selftest takes one model, %zu were given",
                            cli->args.word_count);
    }
    const char *path = cli->args.word_count == 1 ? cli->args.words[0] : box;
    if (path == box && !kz__cli_voice_in_the_box(cli, box, sizeof box)) {
        kz__cli_note(cli, "the voice in the box was not found: kernels only");
        path = NULL;
    }
    t.kernels = json_object();
    t.levels = json_object();
    t.stages = json_array();
    if (!t.kernels || !t.levels || !t.stages || !kz__page_open(&t.page)) {
        return kz__cli_status(cli, KZ_ERR_MEMORY, NULL);
    }
    kz__interrupt_install();
    int code = KZ__EXIT_DONE;
    kz_status status = KZ_OK;
    bool scalar = cli->set.cpu && !strcmp(cli->set.cpu, kz_cpu_level(0)); /* nothing to compare */
    if (!scalar) status = kz_selftest_kernels(report_kernel, &t);
    if (status < 0 && t.kernel_failures == 0) code = kz__cli_status(cli, status, NULL);
    if (code == KZ__EXIT_DONE && path) code = test_model(&t, path);
    code = show(&t, code);
    kz__stages_free(&t.scalar);
    kz__free(&cli->mem, t.wanted);
    json_decref(t.kernels);
    json_decref(t.levels);
    json_decref(t.stages);
    return code;
}
