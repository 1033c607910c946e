/* Regular files are read with pread, so that a descriptor's position stays where it is. */
#include "common/audio_source.h"

#include "base/in_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static kz_status not_empty(const kz__audio_source *source, kz__err *err) {
    if (source->length > 0) return KZ_OK;
    return kz__fail(err, KZ_ERR_INPUT, "'%s' is empty (0 bytes), no recording", source->name);
}

/* Everything that a pipe or device gives. */
static kz_status take_all(kz__audio_source *source, kz__err *err) {
    size_t length = 0;
    kz_status status = kz__in_descriptor(source->mem, source->fd, source->name,
                                         KZ__AUDIO_PIPE_MOST, &source->owned, &length, err);
    if (status != KZ_OK) return status;
    source->bytes = (const unsigned char *)source->owned;
    source->length = length;
    return KZ_OK;
}

static kz_status look(kz__audio_source *source, kz__err *err) {
    struct stat info;
    if (fstat(source->fd, &info)) {
        return kz__fail(err, KZ_ERR_INPUT, "cannot read '%s': %s", source->name, strerror(errno));
    }
    if (S_ISDIR(info.st_mode)) {
        return kz__fail(err, KZ_ERR_INPUT, "'%s' is a folder: a recording is one file in it",
                        source->name);
    }
    if (!S_ISREG(info.st_mode)) return take_all(source, err);
    off_t at = lseek(source->fd, 0, SEEK_CUR);
    if (at < 0) at = 0;
    source->base = (uint64_t)at;
    source->length = info.st_size > at ? (uint64_t)(info.st_size - at) : 0;
    return KZ_OK;
}

static kz_status start(kz__audio_source *source, kz__err *err) {
    kz_status status = look(source, err);
    if (status == KZ_OK) status = not_empty(source, err);
    if (status != KZ_OK) kz__audio_source_close(source);
    return status;
}

kz_status kz__audio_source_path(kz__audio_source *source, kz__mem *mem, const char *path,
                                kz__err *err) {
    *source = (kz__audio_source){.mem = mem, .name = path, .close_fd = true};
    source->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (source->fd < 0) {
        return kz__fail(err, KZ_ERR_INPUT, "cannot read '%s': %s", path, strerror(errno));
    }
    return start(source, err);
}

kz_status kz__audio_source_descriptor(kz__audio_source *source, kz__mem *mem, int fd,
                                      const char *name, kz__err *err) {
    *source = (kz__audio_source){.mem = mem, .name = name, .fd = fd};
    return start(source, err);
}

kz_status kz__audio_source_memory(kz__audio_source *source, const void *bytes, size_t length,
                                  const char *name, kz__err *err) {
    *source = (kz__audio_source){.name = name, .bytes = bytes, .length = length};
    return not_empty(source, err);
}

void kz__audio_source_close(kz__audio_source *source) {
    if (source->close_fd) close(source->fd);
    if (source->owned) kz__free(source->mem, source->owned);
}

static size_t from_file(kz__audio_source *source, uint64_t at, unsigned char *bytes,
                        size_t count) {
    size_t done = 0;
    while (done < count) {
        ssize_t got = pread(source->fd, bytes + done, count - done,
                            (off_t)(source->base + at + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && !source->failure) source->failure = errno;
        if (got <= 0) break;
        done += (size_t)got;
    }
    return done;
}

size_t kz__audio_source_read(kz__audio_source *source, uint64_t at, void *bytes, size_t count) {
    unsigned char *out = bytes;
    if (at >= source->length) return 0;
    if (count > source->length - at) count = (size_t)(source->length - at);
    if (source->bytes) {
        memcpy(out, source->bytes + at, count);
    } else {
        count = from_file(source, at, out, count);
    }
    for (size_t i = 0; source->patched && i < 4; i++) {
        uint64_t place = source->patch_at + i;
        if (place >= at && place - at < count) out[place - at] = source->patch[i];
    }
    return count;
}

void kz__audio_source_patch(kz__audio_source *source, uint64_t at, const unsigned char bytes[4]) {
    source->patched = true;
    source->patch_at = at;
    memcpy(source->patch, bytes, 4);
}
