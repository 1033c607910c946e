/* Where bytes go: standard output, a device or FIFO (written directly), or a regular file (written
 * beside its name, renamed when complete; links followed). Nothing of an existing file is lost
 * before the new one is whole.
 */
#ifndef KZ_BASE_OUT_FILE_H
#define KZ_BASE_OUT_FILE_H

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct kz__out {
    kz__mem *mem;
    const char *name; /* as given, for messages; lives with the caller */
    char *target;     /* the regular file to replace; NULL: written directly */
    char *temporary;  /* the file beside it until it is renamed */
    int fd;           /* -1: not open */
    bool standard;    /* standard output: not closed */
    bool sized;       /* kz__out_patch works: a file with known positions */
    bool closed;      /* the reader has gone; not an error of ours */
    int64_t start;    /* position in the file of the first byte written */
    uint64_t written;
} kz__out;

/* path "-" (or /dev/stdout) is standard output. Fails with KZ_ERR_OUTPUT, or KZ_ERR_CANCELLED where
 * a signal came while a FIFO waited for its reader. On failure nothing is left open. */
kz_status kz__out_open(kz__out *out, kz__mem *mem, const char *path, kz__err *err);

/* KZ_ERR_CANCELLED and out->closed where the reader has gone, KZ_ERR_OUTPUT for anything else. */
kz_status kz__out_write(kz__out *out, const void *data, size_t length, kz__err *err);

/* Writes over bytes already written; offset counts from the first byte. Only where out->sized. */
kz_status kz__out_patch(kz__out *out, uint64_t offset, const void *data, size_t length,
                        kz__err *err);

/* Says as kz__out_write whether the reader of a pipe has gone, without writing. */
kz_status kz__out_heard(kz__out *out, kz__err *err);

/* A file of nobody else, for what has to wait until it is complete: in folder (NULL or "": /tmp),
 * without a name, gone when it is discarded. */
kz_status kz__out_scratch(kz__out *out, kz__mem *mem, const char *folder, kz__err *err);

/* Writes all that is in a scratch file. */
kz_status kz__out_copy(kz__out *out, const kz__out *scratch, kz__err *err);

/* Has the system write the file to the disk. */
kz_status kz__out_sync(kz__out *out, kz__err *err);

/* Puts the file in its place. The handle is closed in any case. */
kz_status kz__out_commit(kz__out *out, kz__err *err);

/* Closes and removes what was written beside. Takes a handle that is not open. */
void kz__out_discard(kz__out *out);

/* A whole file at once. */
kz_status kz__out_file(kz__mem *mem, const char *path, const void *data, size_t length,
                       kz__err *err);

#endif
