/* A voice from a recording, as the options say: for `clone`, and for --ref-audio. */
#ifndef KZ_CLI_CLONING_H
#define KZ_CLI_CLONING_H

#include "cli/recording.h"

typedef struct kz__cloning {
    kz__cli *cli;
    const char *path;       /* of the recording */
    char *transcript;       /* NULL: none; for kz__free */
    kz_voice_options options;
    kz__recording recording;
    double voice_ms;        /* that making the voice took */
} kz__cloning;

/* Checks what can be checked before anything is loaded, and reads the transcript: text, or where
 * that is NULL the file ("-": standard input), or where that is NULL none. Exit code. The cloning
 * is for kz__cloning_end in any case. */
int kz__cloning_begin(kz__cloning *cloning, kz__cli *cli, const char *path, const char *text,
                      const char *file);

/* Whether a voice can be made with this model, called as options.name says, before the recording
 * is read. Exit code. */
int kz__cloning_check(kz__cloning *cloning, const kz_model *model, const kz_model_info *info);

/* Reads the recording. Exit code. */
int kz__cloning_read(kz__cloning *cloning, const kz_model_info *info);

/* Makes the voice, for kz_voice_free. Ctrl-C: 130. Exit code. */
int kz__cloning_run(kz__cloning *cloning, const kz_model *model, const kz_model_info *info,
                    kz_voice **voice);

void kz__cloning_end(kz__cloning *cloning);

/* Of --ref-audio: what contradicts it, and what cannot be without it. taken: standard input has
 * another use. Exit code. */
int kz__cloning_check_options(kz__cli *cli, bool taken);

/* Makes cli->cloned where --ref-audio is given and it is not there yet. Exit code. */
int kz__cloning_of_options(kz__cli *cli, const kz_model *model, const kz_model_info *info);

#endif
