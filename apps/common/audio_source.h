/* The bytes of a recording, wherever they are: a file that is read in place, a descriptor, memory.
 * What is no regular file (a pipe, a device) is read to its end first, since the formats want to go
 * back and forth. A few bytes can be shown other than they are: sizes in headers that were never
 * filled in.
 */
#ifndef KZ_COMMON_AUDIO_SOURCE_H
#define KZ_COMMON_AUDIO_SOURCE_H

#include "base/mem.h"

#include <stdint.h>

#define KZ__AUDIO_PIPE_MOST ((size_t)1 << 30) /* bytes read from what is no regular file */

typedef struct kz__audio_source {
    kz__mem *mem;
    const char *name;           /* for sentences */
    const unsigned char *bytes; /* NULL: read from fd */
    char *owned;                /* bytes that go with the source, or NULL */
    int fd;
    bool close_fd;
    uint64_t base; /* of the recording in the file */
    uint64_t length;
    int failure; /* errno of the first read that failed */
    bool patched;
    uint64_t patch_at;
    unsigned char patch[4];
} kz__audio_source;

/* name lives with the caller. On failure there is nothing to close. KZ_ERR_INPUT where it cannot be
 * read, is a folder, is empty, or is a pipe of more than KZ__AUDIO_PIPE_MOST bytes. */
kz_status kz__audio_source_path(kz__audio_source *source, kz__mem *mem, const char *path,
                                kz__err *err);
kz_status kz__audio_source_descriptor(kz__audio_source *source, kz__mem *mem, int fd,
                                      const char *name, kz__err *err);
kz_status kz__audio_source_memory(kz__audio_source *source, const void *bytes, size_t length,
                                  const char *name, kz__err *err);
void kz__audio_source_close(kz__audio_source *source);

/* Up to count bytes from `at`: fewer only at the end, or where reading fails. */
size_t kz__audio_source_read(kz__audio_source *source, uint64_t at, void *bytes, size_t count);

/* The four bytes at `at` are these from now on. One place at most. */
void kz__audio_source_patch(kz__audio_source *source, uint64_t at, const unsigned char bytes[4]);

#endif
