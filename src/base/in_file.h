/* Reading input whole, with a limit that is an error and never a cut. */
#ifndef KZ_BASE_IN_FILE_H
#define KZ_BASE_IN_FILE_H

#include "base/mem.h"

/* Reads path ("-": standard input) to its end; *data (length + 1 bytes, the last one zero) is the
 * caller's, for kz__free. KZ_ERR_INPUT where it cannot be read or is longer than limit. */
kz_status kz__in_file(kz__mem *mem, const char *path, size_t limit, char **data, size_t *length,
                      kz__err *err);

/* The same from an open descriptor, which stays open; name is for sentences. */
kz_status kz__in_descriptor(kz__mem *mem, int fd, const char *name, size_t limit, char **data,
                            size_t *length, kz__err *err);

#endif
