/* kazeia validate: replays a recorded run greedily and compares the codes, one for one. */
#include "cli/cli.h"

#include "common/dump.h"
#include "common/golden.h"
#include "common/interrupt.h"

#include <inttypes.h>
#include <string.h>

#define CODES_MAX 64 /* codebooks counted apart */
#define SAMPLES 15360

typedef struct comparison {
    size_t frames, wanted_frames;
    size_t width;
    size_t equal, total;
    size_t per_codebook[CODES_MAX]; /* equal */
    bool differs;
    size_t frame, codebook; /* of the first difference */
    int32_t got, wanted;    /* -1: no such frame */
} comparison;

static void note_difference(comparison *c, size_t frame, size_t codebook, int32_t got,
                            int32_t wanted) {
    if (c->differs) return;
    c->differs = true;
    c->frame = frame;
    c->codebook = codebook;
    c->got = got;
    c->wanted = wanted;
}

static void compare(const int32_t *got, size_t got_frames, const kz__codes *wanted,
                    comparison *c) {
    memset(c, 0, sizeof *c);
    c->width = wanted->per_frame;
    c->frames = got_frames;
    c->wanted_frames = wanted->frames;
    c->total = wanted->frames * c->width;
    size_t common = got_frames < wanted->frames ? got_frames : wanted->frames;
    for (size_t i = 0; i < common * c->width; i++) {
        size_t codebook = i % c->width;
        if (got[i] == wanted->values[i]) {
            c->equal++;
            if (codebook < CODES_MAX) c->per_codebook[codebook]++;
        } else {
            note_difference(c, i / c->width, codebook, got[i], wanted->values[i]);
        }
    }
    if (got_frames < wanted->frames) {
        note_difference(c, common, 0, -1, wanted->values[common * c->width]);
    } else if (got_frames > wanted->frames) {
        note_difference(c, common, 0, got[common * c->width], -1);
    }
}

static int show_lines(kz__cli *cli, const comparison *c, const kz_result *result,
                      const kz__golden *golden) {
    kz__page page;
    if (!kz__page_open(&page)) return kz__cli_status(cli, KZ_ERR_MEMORY, NULL);
    fprintf(page.file, "codes equal   %zu / %zu\n", c->equal, c->total);
    fprintf(page.file, "frames        %zu, recorded %zu\n", c->frames, c->wanted_frames);
    fprintf(page.file, "finish        %s%s%s\n", kz_finish_text(result->finish),
            golden->finish ? ", recorded " : "", golden->finish ? golden->finish : "");
    if (!c->differs) {
        fprintf(page.file, "all equal\n");
        return kz__page_close(cli, &page, false);
    }
    fprintf(page.file, "first         frame %zu, codebook %zu: ", c->frame, c->codebook);
    if (c->got < 0) {
        fprintf(page.file, "the run had ended");
    } else {
        fprintf(page.file, "got %" PRId32, c->got);
    }
    if (c->wanted < 0) {
        fprintf(page.file, ", the recorded run had ended\n");
    } else {
        fprintf(page.file, ", recorded %" PRId32 "\n", c->wanted);
    }
    fprintf(page.file, "per codebook ");
    for (size_t k = 0; k < c->width && k < CODES_MAX; k++) {
        fprintf(page.file, " %zu", c->per_codebook[k]);
    }
    fprintf(page.file, " of %zu\n", c->wanted_frames);
    return kz__page_close(cli, &page, false);
}

static int show_json(kz__cli *cli, const comparison *c, const kz_result *result) {
    json_t *books = json_array();
    for (size_t k = 0; k < c->width && k < CODES_MAX; k++) {
        json_array_append_new(books, json_integer((json_int_t)c->per_codebook[k]));
    }
    json_t *first = json_null();
    if (c->differs) {
        first = json_pack("{s:I, s:I, s:i, s:i}", "frame", (json_int_t)c->frame, "codebook",
                          (json_int_t)c->codebook, "got", (int)c->got, "recorded",
                          (int)c->wanted);
    }
    return kz__cli_json(cli, json_pack("{s:b, s:I, s:I, s:I, s:I, s:s, s:o, s:o}", "all_equal",
                                       !c->differs, "equal", (json_int_t)c->equal, "total",
                                       (json_int_t)c->total, "frames", (json_int_t)c->frames,
                                       "recorded_frames", (json_int_t)c->wanted_frames, "finish",
                                       kz_finish_text(result->finish), "first_difference", first,
                                       "equal_per_codebook", books), false);
}

/* Runs to the end; the sound itself is not looked at. */
static kz_status run(kz__cli *cli, kz_session *session) {
    static float samples[SAMPLES];
    kz_status status = KZ_OK;
    while (status == KZ_OK || status == KZ_TIMEOUT) {
        size_t count = 0;
        size_t frames = 0;
        if (kz__interrupted()) return KZ_ERR_CANCELLED;
        status = kz_session_read(session, samples, SAMPLES, &count, 100);
        if (cli->terminal) {
            kz_session_codes(session, &frames);
            kz__cli_progress(cli, "%zu frames", frames);
        }
    }
    return status;
}

static int replay(kz__cli *cli, const kz_model *model, const kz__golden *golden) {
    kz_session *session = NULL;
    kz__dump *dump = NULL;
    kz_request request;
    kz__err err = {""};
    int code = kz__cli_open_session(cli, model, &session);
    if (code != KZ__EXIT_DONE) return code;
    kz__interrupt_install();
    kz_status status = KZ_OK;
    if (cli->set.dump) status = kz__dump_open(&dump, &cli->mem, cli->set.dump, &err);
    if (dump) kz_session_set_tap(session, kz__dump_tap, dump);
    kz__golden_request(golden, &request);
    request.flags |= kz__cli_flags(cli);
    if (status == KZ_OK) {
        status = kz_session_start(session, &request);
        if (status == KZ_OK) status = run(cli, session);
        if (status < 0) snprintf(err.text, sizeof err.text, "%s", kz_error(session));
    }
    kz__cli_progress(cli, NULL);
    kz_status dumped = kz__dump_close(dump, status >= 0 ? &err : NULL);
    if (status >= 0 && dumped != KZ_OK) status = dumped;
    if (status >= 0) {
        comparison c;
        kz_result result;
        size_t frames = 0;
        memset(&result, 0, sizeof result);
        result.size = sizeof result;
        kz_session_get_result(session, &result);
        const int32_t *codes = kz_session_codes(session, &frames);
        compare(codes, frames, &golden->codes, &c);
        code = cli->set.json ? show_json(cli, &c, &result) : show_lines(cli, &c, &result, golden);
        if (code == KZ__EXIT_DONE && c.differs) code = KZ__EXIT_FAILED;
    } else {
        code = kz__cli_status(cli, status, &err);
    }
    kz_session_free(session);
    return code;
}

int kz__cmd_validate(kz__cli *cli) {
    kz_model *model = NULL;
    kz_model_info info;
    kz__golden golden;
    kz__err err = {""};
    if (cli->args.word_count != 2) {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "validate takes a model and a golden run: "
                            "kazeia validate MODEL GOLDEN.json");
    }
    int code = kz__cli_open_model(cli, cli->args.words[0], false, &model, &info);
    if (code != KZ__EXIT_DONE) return code;
    kz_status status = kz__golden_read(&cli->mem, cli->args.words[1],
                                       (size_t)info.codes_per_frame, info.codebook_size, &golden,
                                       &err);
    code = status == KZ_OK ? replay(cli, model, &golden) : kz__cli_status(cli, status, &err);
    kz__golden_free(&golden);
    kz_model_free(model);
    return code;
}
