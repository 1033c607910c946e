/* Opening follows the name to its end, asks what is there, and decides: direct or beside. */
#include "base/out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MAX 40

static kz_status fail(const kz__out *out, const char *what, kz__err *err) {
    return kz__fail(err, KZ_ERR_OUTPUT, "cannot %s '%s': %s", what, out->name, strerror(errno));
}

/* folder of `path`, the slash included, then `rest`. */
static char *beside(kz__mem *mem, const char *path, const char *rest) {
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    size_t length = strlen(rest);
    char *joined = kz__alloc(mem, folder + length + 1);
    if (!joined) return NULL;
    memcpy(joined, path, folder);
    memcpy(joined + folder, rest, length + 1);
    return joined;
}

/* Follows symbolic links by hand, since the last one may name a file that is not there yet. */
static char *follow(kz__mem *mem, const char *path, kz__err *err) {
    char *current = kz__strndup(mem, path, strlen(path));
    for (int i = 0; current && i < LINKS_MAX; i++) {
        struct stat info;
        if (lstat(current, &info) != 0 || !S_ISLNK(info.st_mode)) return current;
        char link[PATH_MAX];
        ssize_t length = readlink(current, link, sizeof link - 1);
        if (length < 0) return current;
        link[length] = 0;
        char *next = link[0] == '/' ? kz__strndup(mem, link, (size_t)length)
                                    : beside(mem, current, link);
        kz__free(mem, current);
        current = next;
    }
    kz__free(mem, current);
    if (!current) {
        kz__fail_memory(err);
    } else {
        kz__fail(err, KZ_ERR_OUTPUT, "cannot write '%s': too many links", path);
    }
    return NULL;
}

static void use_standard(kz__out *out) {
    struct stat info;
    out->fd = STDOUT_FILENO;
    out->standard = true;
    int flags = fcntl(out->fd, F_GETFL);
    off_t start = lseek(out->fd, 0, SEEK_CUR);
    bool regular = fstat(out->fd, &info) == 0 && S_ISREG(info.st_mode);
    out->sized = regular && start >= 0 && flags >= 0 && !(flags & O_APPEND);
    out->start = out->sized ? (int64_t)start : 0;
}

static mode_t wanted_mode(const struct stat *old) {
    if (old) return old->st_mode & 07777;
    mode_t mask = umask(022);
    umask(mask);
    return 0666 & ~mask;
}

static kz_status open_beside(kz__out *out, const struct stat *old, kz__err *err) {
    out->target = follow(out->mem, out->name, err);
    if (!out->target) return KZ_ERR_OUTPUT;
    if (old && access(out->target, W_OK) != 0) return fail(out, "write", err);
    out->temporary = beside(out->mem, out->target, ".kazeia-XXXXXX");
    if (!out->temporary) return kz__fail_memory(err);
    out->fd = mkstemp(out->temporary);
    if (out->fd < 0) {
        kz__free(out->mem, out->temporary);
        out->temporary = NULL;
        return fail(out, "write", err);
    }
    /* File systems without modes refuse this; the file is as good without. */
    (void)fchmod(out->fd, wanted_mode(old));
    out->sized = true;
    return KZ_OK;
}

static kz_status open_direct(kz__out *out, kz__err *err) {
    out->fd = open(out->name, O_WRONLY | O_NOCTTY);
    if (out->fd >= 0) return KZ_OK;
    if (errno == EINTR) return kz__fail(err, KZ_ERR_CANCELLED, "interrupted");
    return fail(out, "write", err);
}

kz_status kz__out_open(kz__out *out, kz__mem *mem, const char *path, kz__err *err) {
    memset(out, 0, sizeof *out);
    out->mem = mem;
    out->name = path;
    out->fd = -1;
    if (!strcmp(path, "-") || !strcmp(path, "/dev/stdout")) {
        out->name = "standard output";
        use_standard(out);
        return KZ_OK;
    }
    struct stat info;
    bool there = stat(path, &info) == 0;
    kz_status status = KZ_OK;
    if (!there && errno != ENOENT) {
        status = fail(out, "write", err);
    } else if (there && S_ISDIR(info.st_mode)) {
        status = kz__fail(err, KZ_ERR_OUTPUT, "cannot write '%s': it is a folder", path);
    } else if (there && !S_ISREG(info.st_mode)) {
        status = open_direct(out, err);
    } else {
        status = open_beside(out, there ? &info : NULL, err);
    }
    if (status != KZ_OK) kz__out_discard(out);
    return status;
}

static kz_status left(kz__out *out, kz__err *err) {
    out->closed = true;
    return kz__fail(err, KZ_ERR_CANCELLED, "the reader of '%s' has gone", out->name);
}

kz_status kz__out_write(kz__out *out, const void *data, size_t length, kz__err *err) {
    const unsigned char *bytes = data;
    while (length > 0) {
        ssize_t done = write(out->fd, bytes, length);
        if (done < 0) {
            if (errno == EINTR) continue;
            return errno == EPIPE ? left(out, err) : fail(out, "write", err);
        }
        bytes += done;
        length -= (size_t)done;
        out->written += (uint64_t)done;
    }
    return KZ_OK;
}

kz_status kz__out_patch(kz__out *out, uint64_t offset, const void *data, size_t length,
                        kz__err *err) {
    const unsigned char *bytes = data;
    off_t at = (off_t)(out->start + (int64_t)offset);
    while (length > 0) {
        ssize_t done = pwrite(out->fd, bytes, length, at);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return fail(out, "write", err);
        bytes += done;
        at += done;
        length -= (size_t)done;
    }
    return KZ_OK;
}

kz_status kz__out_heard(kz__out *out, kz__err *err) {
    struct pollfd fd = {out->fd, 0, 0};
    bool gone = poll(&fd, 1, 0) > 0 && fd.revents & (POLLERR | POLLHUP);
    return gone ? left(out, err) : KZ_OK;
}

kz_status kz__out_scratch(kz__out *out, kz__mem *mem, const char *folder, kz__err *err) {
    static const char name[] = "kazeia-XXXXXX";
    if (!folder || !*folder) folder = "/tmp";
    memset(out, 0, sizeof *out);
    out->mem = mem;
    out->fd = -1;
    size_t length = strlen(folder) + 1 + sizeof name;
    char *path = kz__alloc(mem, length);
    if (!path) return kz__fail_memory(err);
    snprintf(path, length, "%s/%s", folder, name);
    out->name = out->target = path; /* nothing is renamed to it: there is no temporary */
    out->fd = mkstemp(path);
    if (out->fd < 0) {
        kz_status status = fail(out, "write", err);
        kz__out_discard(out);
        return status;
    }
    unlink(path);
    out->sized = true;
    return KZ_OK;
}

kz_status kz__out_copy(kz__out *out, const kz__out *scratch, kz__err *err) {
    unsigned char bytes[1 << 14];
    uint64_t at = 0;
    while (at < scratch->written) {
        ssize_t got = pread(scratch->fd, bytes, sizeof bytes, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return fail(scratch, "read", err);
        kz_status status = kz__out_write(out, bytes, (size_t)got, err);
        if (status != KZ_OK) return status;
        at += (uint64_t)got;
    }
    return KZ_OK;
}

kz_status kz__out_sync(kz__out *out, kz__err *err) {
    while (fsync(out->fd) != 0) {
        if (errno != EINTR) return fail(out, "write", err);
    }
    return KZ_OK;
}

static void release(kz__out *out) {
    kz__free(out->mem, out->temporary);
    kz__free(out->mem, out->target);
    out->temporary = NULL;
    out->target = NULL;
    out->fd = -1;
}

kz_status kz__out_commit(kz__out *out, kz__err *err) {
    kz_status status = KZ_OK;
    if (out->fd >= 0 && !out->standard && close(out->fd) != 0 && errno != EINTR) {
        status = fail(out, "write", err);
    }
    out->fd = -1;
    if (out->temporary && status == KZ_OK && rename(out->temporary, out->target) != 0) {
        status = fail(out, "write", err);
    }
    if (out->temporary && status != KZ_OK) unlink(out->temporary);
    release(out);
    return status;
}

void kz__out_discard(kz__out *out) {
    if (!out->mem) return;
    if (out->fd >= 0 && !out->standard) close(out->fd);
    if (out->temporary) unlink(out->temporary);
    release(out);
}

kz_status kz__out_file(kz__mem *mem, const char *path, const void *data, size_t length,
                       kz__err *err) {
    kz__out out;
    kz_status status = kz__out_open(&out, mem, path, err);
    if (status != KZ_OK) return status;
    status = kz__out_write(&out, data, length, err);
    if (status != KZ_OK) {
        kz__out_discard(&out);
        return status;
    }
    return kz__out_commit(&out, err);
}
