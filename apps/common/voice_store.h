/* Saved voices by name: a folder of files NAME.kzv. The file's name is the voice's, whatever stands
 * inside, so that one copied there by hand is found. Names are compared in normalisation form C;
 * the case of ASCII letters does not matter.
 */
#ifndef KZ_COMMON_VOICE_STORE_H
#define KZ_COMMON_VOICE_STORE_H

#include "base/mem.h"

typedef struct kz__store {
    kz__mem *mem;
    char *folder;
} kz__store;

/* folder NULL: $XDG_DATA_HOME/kazeia/voices, else $HOME/.local/share/kazeia/voices (KZ_ERR_USAGE
 * where neither is an absolute path). Nothing is made; a folder that is not there has no voices. */
kz_status kz__store_open(kz__store *store, kz__mem *mem, const char *folder, kz__err *err);
void kz__store_close(kz__store *store);

typedef struct kz__stored {
    char *name;
    char *path; /* the file may be damaged: loading it tells */
} kz__stored;

/* All by name. KZ_ERR_INPUT where the folder cannot be read. */
kz_status kz__store_list(const kz__store *store, kz__stored **list, size_t *count, kz__err *err);
void kz__store_list_free(const kz__store *store, kz__stored *list, size_t count);

/* The file of that name, for kz__free; NULL where there is none. */
kz_status kz__store_find(const kz__store *store, const char *name, char **path, kz__err *err);

/* KZ_ERR_USAGE, and the sentence that says --replace, where there is a voice of that name. */
kz_status kz__store_check_free(const kz__store *store, const char *name, kz__err *err);

/* Saves under the voice's own name (KZ_ERR_USAGE: it has none); folders that are missing are made,
 * for their owner alone. One of the same name stays (KZ_ERR_USAGE) unless `replace`; it is whole
 * until the new one is. *path, for kz__free: where it is. */
kz_status kz__store_save(const kz__store *store, const kz_voice *voice, bool replace, char **path,
                         kz__err *err);

/* KZ_ERR_INPUT: there is none of that name. */
kz_status kz__store_remove(const kz__store *store, const char *name, kz__err *err);

#endif
