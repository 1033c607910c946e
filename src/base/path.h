/* Paths: joining, what is there, and how they and other foreign names are shown in a sentence. */
#ifndef KZ_BASE_PATH_H
#define KZ_BASE_PATH_H

#include "base/mem.h"

/* Room for a shown text; longer ones keep their end behind "...". */
typedef struct kz__shown {
    char text[168];
} kz__shown;

/* Text as a sentence may hold it: control bytes become '?', at most 160 bytes of a path (its end)
 * and 100 of a name (its end). Both return shown->text. */
const char *kz__show_path(kz__shown *shown, const char *path);
const char *kz__show_name(kz__shown *shown, const char *name);

typedef enum kz__path_kind {
    KZ__PATH_FILE, /* a regular file, links followed */
    KZ__PATH_FOLDER,
    KZ__PATH_OTHER,   /* device, FIFO, socket */
    KZ__PATH_MISSING, /* nothing of that name */
    KZ__PATH_BROKEN   /* a link that leads nowhere, a loop of links, or no permission */
} kz__path_kind;

kz__path_kind kz__path_look(const char *path);

/* KZ_ERR_MODEL (KZ_ERR_MEMORY where memory was missing) with the sentence for a path that could not
 * be opened; error is the errno of the try. */
kz_status kz__path_fail(kz__err *err, const char *path, int error);
/* The same after kz__path_look said KZ__PATH_MISSING or KZ__PATH_BROKEN. */
kz_status kz__path_fail_look(kz__err *err, const char *path);

/* folder/name, to be freed with kz__free; NULL when out of memory. */
char *kz__path_join(kz__mem *mem, const char *folder, const char *name);

#endif
