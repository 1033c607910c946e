/* Saved voices in the program: the folder of them, and whom --voice names. */
#ifndef KZ_CLI_SAVED_H
#define KZ_CLI_SAVED_H

#include "cli/cli.h"
#include "common/voice_store.h"

/* The folder of --voices-dir, or the one of this user. */
kz_status kz__saved_open(kz__cli *cli, kz__store *store, kz__err *err);

/* True where a name means the file of a voice: it has a '/', or ends in ".kzv". */
bool kz__saved_is_file(const char *name);

/* The voice of a name or file; *path (may be NULL), for kz__free: where it was. Exit code. */
int kz__saved_load(kz__cli *cli, const char *name, kz_voice **voice, char **path);

/* Speaks with a request: at most one of them. */
typedef struct kz__chosen {
    const char *speaker; /* of the model */
    kz_voice *cloned;    /* for kz_voice_free, when what speaks with it has begun */
} kz__chosen;

/* Whom `name` (NULL: none was given) means with this model: a file, a speaker, whom no saved voice
 * hides, or a saved voice; read now, so that a changed file counts. Speakers that are not known are
 * left to the library. Exit code. */
int kz__saved_choose(kz__cli *cli, const kz_model *model, const kz_model_info *info,
                     const char *name, kz__chosen *chosen);

#endif
