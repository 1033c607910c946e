/* Paths over POSIX calls. Every legal byte sequence is a path; only what is shown is cleaned. */
#include "base/path.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SHOWN_PATH = 160,
    SHOWN_NAME = 100
};

static const char *show(kz__shown *shown, const char *text, size_t limit) {
    size_t length = strlen(text);
    size_t at = 0;
    char *out = shown->text;
    if (length > limit) {
        at = length - limit;
        while (((unsigned char)text[at] & 0xc0) == 0x80) at++; /* not inside a character */
        memcpy(out, "...", 3);
        out += 3;
    }
    for (; text[at]; at++) {
        unsigned char c = (unsigned char)text[at];
        *out++ = (c < 0x20 || c == 0x7f) ? '?' : text[at];
    }
    *out = 0;
    return shown->text;
}

const char *kz__show_path(kz__shown *shown, const char *path) {
    return show(shown, path, SHOWN_PATH);
}

const char *kz__show_name(kz__shown *shown, const char *name) {
    return show(shown, name, SHOWN_NAME);
}

kz__path_kind kz__path_look(const char *path) {
    struct stat info;
    if (stat(path, &info) == 0) {
        if (S_ISREG(info.st_mode)) return KZ__PATH_FILE;
        return S_ISDIR(info.st_mode) ? KZ__PATH_FOLDER : KZ__PATH_OTHER;
    }
    if (errno != ENOENT && errno != ENOTDIR) return KZ__PATH_BROKEN;
    return lstat(path, &info) == 0 ? KZ__PATH_BROKEN : KZ__PATH_MISSING;
}

kz_status kz__path_fail(kz__err *err, const char *path, int error) {
    kz__shown shown;
    kz__shown shown_target;
    char target[1024];
    kz__show_path(&shown, path);
    ssize_t length = readlink(path, target, sizeof target - 1);
    if ((error == ENOENT || error == ENOTDIR) && length > 0) {
        target[length] = 0;
        return kz__fail(err, KZ_ERR_MODEL,
                        "'%s' is a link to '%s', and nothing is there: fetch the file again",
                        shown.text, kz__show_name(&shown_target, target));
    }
    if (error == ENOENT || error == ENOTDIR) {
        return kz__fail(err, KZ_ERR_MODEL, "there is no '%s'", shown.text);
    }
    if (error == ELOOP) {
        return kz__fail(err, KZ_ERR_MODEL, "'%s' is a link that leads back to itself", shown.text);
    }
    if (error == ENOMEM) {
        return kz__fail(err, KZ_ERR_MEMORY, "out of memory: '%s' cannot be opened", shown.text);
    }
    char reason[128] = "unknown reason";
    strerror_r(error, reason, sizeof reason);
    /* What the process has run out of is no fault of the model. */
    bool resource = error == ENOMEM || error == EMFILE || error == ENFILE;
    return kz__fail(err, resource ? KZ_ERR_MEMORY : KZ_ERR_MODEL, "'%s' cannot be opened: %s",
                    shown.text, reason);
}

kz_status kz__path_fail_look(kz__err *err, const char *path) {
    struct stat info;
    int error = stat(path, &info) == 0 ? EIO : errno;
    return kz__path_fail(err, path, error);
}

char *kz__path_join(kz__mem *mem, const char *folder, const char *name) {
    size_t folder_length = strlen(folder);
    size_t name_length = strlen(name);
    char *path = kz__alloc(mem, folder_length + name_length + 2);
    if (!path) return NULL;
    memcpy(path, folder, folder_length);
    if (folder_length && folder[folder_length - 1] != '/') path[folder_length++] = '/';
    memcpy(path + folder_length, name, name_length + 1);
    return path;
}
