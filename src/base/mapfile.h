/* Read-only mapping of a regular file, shared with the page cache; the file stays open as well. */
#ifndef KZ_BASE_MAPFILE_H
#define KZ_BASE_MAPFILE_H

#include "base/status.h"

#include <stdint.h>

typedef struct kz__mapfile {
    const unsigned char *data; /* never NULL while open */
    size_t size;               /* may be 0 */
    int descriptor;            /* -1: not a file but bytes of the caller's */
} kz__mapfile;

/* Maps the whole file. With *file empty: KZ_ERR_MODEL where it is not a regular file that can be
 * read, KZ_ERR_MEMORY where there is no room for the mapping. The mapping stays valid when the path
 * is removed; it does not when the file is cut. */
kz_status kz__mapfile_open(kz__mapfile *file, const char *path, kz__err *err);

/* Reads the bytes from `offset` on without touching the mapping; any thread. Returns how many there
 * were: fewer where the file ends (*error 0) or cannot be read (*error is the errno). */
size_t kz__mapfile_read(const kz__mapfile *file, uint64_t offset, void *buffer, size_t bytes,
                        int *error);

/* False where the file is shorter now than what is mapped of it; any thread. */
bool kz__mapfile_whole(const kz__mapfile *file);

/* Asks for large pages where the system has the file in such: they are read faster. From a page's
 * border on. */
void kz__mapfile_large(const unsigned char *from, size_t bytes);

/* The pages leave this process's memory (they stay in the system's) until they are read again. */
void kz__mapfile_forget(const unsigned char *from, size_t bytes);

/* Takes an empty (zeroed) one. */
void kz__mapfile_close(kz__mapfile *file);

#endif
