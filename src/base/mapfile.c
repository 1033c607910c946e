/* Mapping by mmap. Opening does not block, so that a FIFO in place of a file is refused at once. */
#if defined(__linux__)
#define _DEFAULT_SOURCE /* madvise */
#endif
#include "base/mapfile.h"

#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const unsigned char nothing[1] = {0};

static kz_status map(kz__mapfile *file, const char *path, kz__err *err) {
    kz__shown shown;
    struct stat info;
    if (fstat(file->descriptor, &info) != 0) return kz__path_fail(err, path, errno);
    if (S_ISDIR(info.st_mode)) {
        return kz__fail(err, KZ_ERR_MODEL, "'%s' is a folder, a file was expected",
                        kz__show_path(&shown, path));
    }
    if (!S_ISREG(info.st_mode)) {
        return kz__fail(err, KZ_ERR_MODEL, "'%s' is not a regular file",
                        kz__show_path(&shown, path));
    }
    if (info.st_size == 0) {
        file->data = nothing;
        return KZ_OK;
    }
    if (info.st_size < 0 || (uintmax_t)info.st_size > SIZE_MAX) {
        return kz__fail(err, KZ_ERR_MODEL, "'%s' is too large for this system: %jd bytes",
                        kz__show_path(&shown, path), (intmax_t)info.st_size);
    }
    void *data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file->descriptor, 0);
    if (data == MAP_FAILED) return kz__path_fail(err, path, errno);
    file->data = data;
    file->size = (size_t)info.st_size;
    return KZ_OK;
}

kz_status kz__mapfile_open(kz__mapfile *file, const char *path, kz__err *err) {
    file->data = NULL;
    file->size = 0;
    file->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->descriptor < 0) return kz__path_fail(err, path, errno);
    kz_status status = map(file, path, err);
    if (status != KZ_OK) close(file->descriptor);
    return status;
}

void kz__mapfile_close(kz__mapfile *file) {
    if (file->data && file->descriptor >= 0) {
        if (file->size) munmap((void *)(uintptr_t)file->data, file->size);
        close(file->descriptor);
    }
    file->data = NULL;
    file->size = 0;
}

size_t kz__mapfile_read(const kz__mapfile *file, uint64_t offset, void *buffer, size_t bytes,
                        int *error) {
    size_t got = 0;
    *error = 0;
    if (file->descriptor < 0) {
        if (offset < file->size) got = (size_t)(file->size - offset);
        if (got > bytes) got = bytes;
        memcpy(buffer, file->data + (got ? offset : 0), got);
        return got;
    }
    while (got < bytes) {
        ssize_t here = pread(file->descriptor, (char *)buffer + got, bytes - got,
                             (off_t)(offset + got));
        if (here > 0) {
            got += (size_t)here;
        } else if (here == 0 || errno != EINTR) {
            *error = here < 0 ? errno : 0;
            break;
        }
    }
    return got;
}

bool kz__mapfile_whole(const kz__mapfile *file) {
    struct stat info;
    if (file->descriptor < 0) return true;
    return fstat(file->descriptor, &info) == 0 && info.st_size >= 0 &&
           (uintmax_t)info.st_size >= file->size;
}

#if defined(__linux__)
/* The pages that hold the bytes, which the system is told something about. */
static void advise(const unsigned char *from, size_t bytes, int advice) {
    size_t before = (uintptr_t)from % (size_t)sysconf(_SC_PAGESIZE);
    (void)madvise((void *)((uintptr_t)from - before), bytes + before, advice);
}
#endif

void kz__mapfile_large(const unsigned char *from, size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    advise(from, bytes, MADV_HUGEPAGE);
#else
    (void)from;
    (void)bytes;
#endif
}

void kz__mapfile_forget(const unsigned char *from, size_t bytes) {
#if defined(__linux__)
    advise(from, bytes, MADV_DONTNEED);
#else
    (void)from;
    (void)bytes;
#endif
}
