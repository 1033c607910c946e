/* kazeia decode: a file of codes to sound. */
#include "cli/record.h"

#include "common/codes.h"
#include "common/interrupt.h"

#include <string.h>

static int decode(kz__cli *cli, kz__sound *sound, const kz_model_info *info, kz_session *session,
                  const kz__codes *codes, kz__record *record) {
    kz__interrupt_install();
    int code = kz__sound_open(sound, info, session);
    if (code != KZ__EXIT_DONE) return code;
    kz_status status = kz_session_start_codes(session, codes->values, codes->frames,
                                              cli->set.packet, kz__cli_flags(cli));
    if (status != KZ_OK) {
        kz__err err;
        snprintf(err.text, sizeof err.text, "%s", kz_error(session));
        return kz__cli_status(cli, status, &err);
    }
    code = kz__sound_run(sound, session, NULL);
    kz__record_add(record, session);
    return code;
}

int kz__cmd_decode(kz__cli *cli) {
    kz__sound sound;
    kz__record record;
    kz_model_info info;
    kz_model *model = NULL;
    kz_session *session = NULL;
    kz__codes codes;
    kz__err err = {""};
    memset(&record, 0, sizeof record);
    if (cli->args.word_count != 1) {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "decode takes one file of codes, %zu were given",
                            cli->args.word_count);
    }
    int code = kz__sound_plan(&sound, cli);
    if (code == KZ__EXIT_DONE) code = kz__cli_open_model(cli, NULL, true, &model, &info);
    if (code != KZ__EXIT_DONE) return code;
    kz_status status = kz__codes_read(&cli->mem, cli->args.words[0], (size_t)info.codes_per_frame,
                                      info.codebook_size, &codes, &err);
    code = status == KZ_OK ? kz__cli_open_session(cli, model, &session)
                           : kz__cli_status(cli, status, &err);
    if (code == KZ__EXIT_DONE) code = decode(cli, &sound, &info, session, &codes, &record);
    code = kz__sound_close(&sound, code);
    int shown = KZ__EXIT_DONE;
    if (record.pieces > 0 && !sound.reader_gone) {
        shown = kz__record_show(cli, &record, &sound, &info);
    }
    kz__free(&cli->mem, codes.values);
    kz_session_free(session);
    kz_model_free(model);
    return code == KZ__EXIT_DONE ? shown : code;
}
