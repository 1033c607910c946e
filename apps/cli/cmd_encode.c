/* kazeia encode: a recording to codes. */
#include "cli/recording.h"

#include "base/out_file.h"
#include "common/codes.h"
#include "common/interrupt.h"

#include <string.h>

typedef struct encoding {
    kz__cli *cli;
    const char *path;  /* of the output; "-": standard output */
    kz_model_info info;
    kz__recording recording;
    int32_t *codes; /* [frames][codes_per_frame] */
    size_t frames;
    kz__out out;
    double ms;
} encoding;

static int tell(void *user, double done) {
    kz__cli_progress(user, "encoding: %.0f %%", 100 * done);
    return kz__interrupted();
}

static kz_status run(encoding *e, const kz_model *model, kz__err *err) {
    const kz__recording *r = &e->recording;
    kz_encode_options options;
    size_t values = 0;
    kz_encode_options_init(&options);
    options.threads = e->cli->set.threads;
    options.progress = tell;
    options.user = e->cli;
    kz_status status = kz_encode(model, r->samples, r->count, e->info.sample_rate, &options, NULL,
                                 0, &e->frames, err->text, sizeof err->text);
    if (status != KZ_OK) return status;
    if (kz__mul(e->frames, (size_t)e->info.codes_per_frame, &values)) {
        e->codes = kz__calloc(&e->cli->mem, values, sizeof *e->codes);
    }
    if (!e->codes) return kz__fail_memory(err);
    double start = kz__clock_ms();
    status = kz_encode(model, r->samples, r->count, e->info.sample_rate, &options, e->codes,
                       e->frames, &e->frames, err->text, sizeof err->text);
    e->ms = kz__clock_ms() - start;
    return status;
}

static kz_status write_codes(encoding *e, kz__err *err) {
    bool standard = e->out.standard;
    unsigned char *bytes = NULL;
    size_t length = 0;
    kz_status status = kz__codes_format(&e->cli->mem, standard ? "codes.txt" : e->path, e->codes,
                                        e->frames, (size_t)e->info.codes_per_frame, &bytes,
                                        &length, err);
    if (status == KZ_OK) status = kz__out_write(&e->out, bytes, length, err);
    if (status == KZ_OK) status = kz__out_commit(&e->out, err);
    kz__free(&e->cli->mem, bytes);
    return e->out.closed ? KZ_OK : status; /* a reader that has gone has what it wanted */
}

static int show(const encoding *e) {
    kz__cli *cli = e->cli;
    bool standard = !strcmp(e->path, "-");
    double seconds = (double)e->frames * e->info.samples_per_frame / e->info.sample_rate;
    if (!cli->set.json) {
        if (!standard) {
            kz__cli_note(cli, "'%s': %zu frames of %.2f s", e->path, e->frames,
                         e->recording.info.seconds);
        }
        return KZ__EXIT_DONE;
    }
    json_t *root = json_pack("{s:o, s:I, s:i, s:f}", "file", kz__json_text(cli, e->path),
                             "frames", (json_int_t)e->frames, "codes_per_frame",
                             e->info.codes_per_frame, "codes_seconds", seconds);
    json_t *more = kz__recording_json(cli, &e->recording);
    json_t *rest = json_pack("{s:O, s:f, s:f, s:f, s:s}", "notices", cli->notices, "load_ms",
                             cli->load_ms, "read_ms", e->recording.read_ms, "encode_ms", e->ms,
                             "cpu", e->info.cpu);
    if (root && more) json_object_update(root, more);
    if (root && rest) json_object_update(root, rest);
    json_decref(more);
    json_decref(rest);
    return kz__cli_json(cli, root, standard);
}

static int check_usage(encoding *e) {
    kz__cli *cli = e->cli;
    if (cli->args.word_count != 1) {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "encode takes one recording, %zu were given",
                            cli->args.word_count);
    }
    if (cli->set.output && strcmp(e->path, "-") != 0 && !kz__codes_known(e->path)) {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "codes are written to .npy or .txt; '%s' is "
                            "neither", e->path);
    }
    return kz__recording_plan(cli, cli->args.words[0]);
}

/* The output is opened when the recording is known to be good, and before the work. */
static int encode(encoding *e, const kz_model *model) {
    static const float sample = 0;
    kz__cli *cli = e->cli;
    kz__err err = {""};
    size_t frames = 0;
    kz_status status = kz_encode(model, &sample, 1, e->info.sample_rate, NULL, NULL, 0, &frames,
                                 err.text, sizeof err.text); /* is there an encoder? */
    if (status != KZ_OK) return kz__cli_status(cli, status, &err);
    int code = kz__recording_read(cli, cli->args.words[0], e->info.sample_rate, &e->recording);
    if (code != KZ__EXIT_DONE) return code;
    kz__interrupt_install();
    status = kz__out_open(&e->out, &cli->mem, e->path, &err);
    if (status != KZ_OK) return kz__cli_status(cli, status, &err);
    status = run(e, model, &err);
    kz__cli_progress(cli, NULL);
    if (status == KZ_OK) {
        status = write_codes(e, &err);
    }
    if (status == KZ_OK) return show(e);
    kz__out_discard(&e->out);
    return kz__cli_status(cli, status, &err);
}

int kz__cmd_encode(kz__cli *cli) {
    encoding e;
    kz_model *model = NULL;
    memset(&e, 0, sizeof e);
    e.cli = cli;
    e.out.fd = -1;
    e.path = cli->set.output ? cli->set.output : "-";
    int code = check_usage(&e);
    if (code == KZ__EXIT_DONE) code = kz__cli_open_model(cli, NULL, true, &model, &e.info);
    if (code == KZ__EXIT_DONE) code = encode(&e, model);
    kz__recording_free(&e.recording);
    kz__free(&cli->mem, e.codes);
    kz_model_free(model);
    return code;
}
