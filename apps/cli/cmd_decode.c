/* kazeia decode: a file of codes to sound. */
#include "cli/chorus.h"
#include "cli/record.h"

#include "common/codes.h"
#include "common/interrupt.h"

#include <string.h>

typedef struct decoding {
    kz__cli *cli;
    kz__sound sound;
    kz__record record;
    kz__codes codes;
    bool given;
    int code;
} decoding;

static kz__coming next_part(void *user, kz__part *part, bool wait) {
    decoding *d = user;
    (void)wait;
    if (d->given) return KZ__PART_NONE;
    d->given = true;
    part->sound = &d->sound;
    part->codes = d->codes.values;
    part->frames = d->codes.frames;
    part->request.packet = d->cli->set.packet;
    part->request.flags = kz__cli_flags(d->cli);
    return KZ__PART_HERE;
}

static void part_over(void *user, const kz__part *part, int code, const kz_result *result,
                      const int32_t *codes, size_t frames) {
    decoding *d = user;
    (void)part;
    (void)codes;
    (void)frames;
    d->code = code;
    if (result) kz__record_add(&d->record, result);
}

static int decode(decoding *d, const kz_model *model, const kz_model_info *info) {
    kz__chorus *chorus = NULL;
    kz__parts parts = {next_part, NULL, part_over, d};
    int code = kz__chorus_open(&chorus, d->cli, model, info, 1, &parts);
    kz__interrupt_install();
    if (code == KZ__EXIT_DONE) code = kz__sound_open(&d->sound, info);
    if (code == KZ__EXIT_DONE) code = kz__chorus_run(chorus);
    kz__chorus_free(chorus);
    return code == KZ__EXIT_DONE ? d->code : code;
}

int kz__cmd_decode(kz__cli *cli) {
    decoding d;
    kz_model_info info;
    kz_model *model = NULL;
    kz__err err = {""};
    memset(&d, 0, sizeof d);
    d.cli = cli;
    if (cli->args.word_count != 1) {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "decode takes one file of codes, %zu were given",
                            cli->args.word_count);
    }
    int code = kz__sound_plan(&d.sound, cli);
    if (code == KZ__EXIT_DONE) code = kz__cli_open_model(cli, NULL, true, &model, &info);
    if (code != KZ__EXIT_DONE) return code;
    kz_status status = kz__codes_read(&cli->mem, cli->args.words[0], (size_t)info.codes_per_frame,
                                      info.codebook_size, &d.codes, &err);
    code = status == KZ_OK ? decode(&d, model, &info) : kz__cli_status(cli, status, &err);
    code = kz__sound_close(&d.sound, code);
    int shown = KZ__EXIT_DONE;
    if (d.record.pieces > 0 && !d.sound.reader_gone) {
        shown = kz__record_show(cli, &d.record, &d.sound, &info);
    }
    kz__free(&cli->mem, d.codes.values);
    kz_model_free(model);
    return code == KZ__EXIT_DONE ? shown : code;
}
