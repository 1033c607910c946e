/* Grows by doubling, since pipes do not tell their length. */
#include "base/in_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

kz_status kz__in_descriptor(kz__mem *mem, int fd, const char *name, size_t limit, char **data,
                            size_t *length, kz__err *err) {
    size_t capacity = 0;
    size_t used = 0;
    char *bytes = NULL;
    for (;;) {
        if (capacity - used < 2) {
            size_t larger = capacity ? 2 * capacity : 65536;
            char *grown = kz__grow(mem, bytes, larger);
            if (!grown) {
                kz__free(mem, bytes);
                return kz__fail_memory(err);
            }
            bytes = grown;
            capacity = larger;
        }
        ssize_t got = read(fd, bytes + used, capacity - used - 1);
        if (got < 0 && errno == EINTR) continue;
        if (got == 0) break;
        if (got > 0) used += (size_t)got;
        if (got < 0 || used > limit) {
            kz__free(mem, bytes);
            if (got < 0) {
                return kz__fail(err, KZ_ERR_INPUT, "cannot read '%s': %s", name, strerror(errno));
            }
            return kz__fail(err, KZ_ERR_INPUT, "'%s' is longer than the %zu bytes allowed",
                            name, limit);
        }
    }
    bytes[used] = 0;
    *data = bytes;
    *length = used;
    return KZ_OK;
}

kz_status kz__in_file(kz__mem *mem, const char *path, size_t limit, char **data, size_t *length,
                      kz__err *err) {
    if (!strcmp(path, "-")) {
        return kz__in_descriptor(mem, STDIN_FILENO, "standard input", limit, data, length, err);
    }
    int fd = open(path, O_RDONLY);
    if (fd < 0) {
        return kz__fail(err, KZ_ERR_INPUT, "cannot read '%s': %s", path, strerror(errno));
    }
    kz_status status = kz__in_descriptor(mem, fd, path, limit, data, length, err);
    close(fd);
    return status;
}
