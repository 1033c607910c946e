/* Every search reads the folder: it is small, and other programs may change it at any time. */
#include "common/voice_store.h"

#include "base/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utf8proc.h>

#define ENDING ".kzv"
#define ENDING_BYTES (sizeof ENDING - 1)
#define NAME_BYTES 255 /* of a file's name at most */

/* ---- the folder --------------------------------------------------------------------------- */

kz_status kz__store_open(kz__store *store, kz__mem *mem, const char *folder, kz__err *err) {
    const char *data = getenv("XDG_DATA_HOME");
    const char *home = getenv("HOME");
    store->mem = mem;
    if (folder) {
        store->folder = kz__strndup(mem, folder, strlen(folder));
    } else if (data && data[0] == '/') {
        store->folder = kz__path_join(mem, data, "kazeia/voices");
    } else if (home && home[0] == '/') {
        store->folder = kz__path_join(mem, home, ".local/share/kazeia/voices");
    } else {
        store->folder = NULL;
        return kz__fail(err, KZ_ERR_USAGE, "saved voices have no place: neither XDG_DATA_HOME nor "
                        "HOME names a folder; give one with --voices-dir DIR");
    }
    return store->folder ? KZ_OK : kz__fail_memory(err);
}

void kz__store_close(kz__store *store) {
    if (store->mem) kz__free(store->mem, store->folder);
    memset(store, 0, sizeof *store);
}

static kz_status fail(kz_status status, const char *what, const char *path, int reason,
                      kz__err *err) {
    kz__shown shown;
    return kz__fail(err, status, "cannot %s '%s': %s", what, kz__show_path(&shown, path),
                    strerror(reason));
}

/* The folder and those that it is in. */
static kz_status make_folders(const kz__store *store, kz__err *err) {
    char *path = kz__strndup(store->mem, store->folder, strlen(store->folder));
    if (!path) return kz__fail_memory(err);
    int reason = 0;
    for (char *at = path; *at;) {
        at += strspn(at, "/");
        at += strcspn(at, "/");
        char end = *at;
        *at = 0;
        reason = mkdir(path, 0700) == 0 ? 0 : errno;
        *at = end;
    }
    kz__free(store->mem, path);
    if (kz__path_look(store->folder) == KZ__PATH_FOLDER) return KZ_OK;
    return fail(KZ_ERR_OUTPUT, "make the folder", store->folder, reason ? reason : ENOTDIR, err);
}

/* One program saves at a time; the lock goes with the descriptor. Where the file system has no
 * locks, saving goes on without. */
static kz_status lock(const kz__store *store, int *fd, kz__err *err) {
    *fd = open(store->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*fd < 0) return fail(KZ_ERR_OUTPUT, "save in", store->folder, errno, err);
    int result = -1;
    do {
        result = flock(*fd, LOCK_EX);
    } while (result != 0 && errno == EINTR);
    return KZ_OK;
}

/* ---- names -------------------------------------------------------------------------------- */

/* What names are compared by; for kz__free, NULL when out of memory. What is no UTF-8 stays. */
static char *key_of(kz__mem *mem, const char *name) {
    utf8proc_uint8_t *composed = NULL;
    utf8proc_ssize_t length = utf8proc_map((const utf8proc_uint8_t *)name, 0, &composed,
                                           UTF8PROC_NULLTERM | UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    const char *text = length < 0 ? name : (const char *)composed;
    char *key = kz__strndup(mem, text, strlen(text));
    free(composed);
    for (char *c = key; key && *c; c++) {
        if (*c >= 'A' && *c <= 'Z') *c = (char)(*c - 'A' + 'a');
    }
    return key;
}

static char *path_of(const kz__store *store, const char *name) {
    char file[NAME_BYTES + sizeof ENDING];
    snprintf(file, sizeof file, "%s" ENDING, name);
    return kz__path_join(store->mem, store->folder, file);
}

static int compare(const void *a, const void *b) {
    const kz__stored *left = a;
    const kz__stored *right = b;
    int order = strcasecmp(left->name, right->name);
    return order ? order : strcmp(left->name, right->name);
}

/* Bytes of the voice's name in that of a file; 0: it is none. Hidden files are those of a saving
 * that is under way, or was killed. */
static size_t name_length(const char *file) {
    size_t length = strlen(file);
    if (file[0] == '.' || length <= ENDING_BYTES) return 0;
    length -= ENDING_BYTES;
    return strcasecmp(file + length, ENDING) ? 0 : length;
}

/* ---- listing ------------------------------------------------------------------------------ */

typedef struct listing {
    kz__stored *list;
    size_t count, capacity;
} listing;

static bool add(const kz__store *store, listing *l, const char *file, size_t length) {
    char *path = kz__path_join(store->mem, store->folder, file);
    kz__path_kind kind = path ? kz__path_look(path) : KZ__PATH_FILE;
    if (path && kind != KZ__PATH_FILE && kind != KZ__PATH_BROKEN) {
        kz__free(store->mem, path);
        return true;
    }
    char *name = kz__strndup(store->mem, file, length);
    bool room = l->count < l->capacity;
    if (!room) {
        size_t larger = 2 * l->capacity + 16;
        kz__stored *grown = kz__grow(store->mem, l->list, larger * sizeof *grown);
        room = grown;
        l->list = grown ? grown : l->list;
        l->capacity = grown ? larger : l->capacity;
    }
    if (path && name && room) {
        l->list[l->count++] = (kz__stored){name, path};
        return true;
    }
    kz__free(store->mem, path);
    kz__free(store->mem, name);
    return false;
}

void kz__store_list_free(const kz__store *store, kz__stored *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        kz__free(store->mem, list[i].name);
        kz__free(store->mem, list[i].path);
    }
    if (store->mem) kz__free(store->mem, list);
}

kz_status kz__store_list(const kz__store *store, kz__stored **list, size_t *count, kz__err *err) {
    listing l = {NULL, 0, 0};
    *list = NULL;
    *count = 0;
    DIR *folder = opendir(store->folder);
    if (!folder && errno == ENOENT) return KZ_OK;
    if (!folder) return fail(KZ_ERR_INPUT, "read the saved voices in", store->folder, errno, err);
    kz_status status = KZ_OK;
    const struct dirent *entry = NULL;
    while (status == KZ_OK && (errno = 0, entry = readdir(folder))) {
        size_t length = name_length(entry->d_name);
        if (length && !add(store, &l, entry->d_name, length)) status = kz__fail_memory(err);
    }
    if (status == KZ_OK && errno) {
        status = fail(KZ_ERR_INPUT, "read the saved voices in", store->folder, errno, err);
    }
    closedir(folder);
    if (status != KZ_OK) {
        kz__store_list_free(store, l.list, l.count);
        return status;
    }
    if (l.count > 0) qsort(l.list, l.count, sizeof *l.list, compare);
    *list = l.list;
    *count = l.count;
    return KZ_OK;
}

/* ---- finding ------------------------------------------------------------------------------ */

/* Of several that differ in case or form alone the one that is spelt so, else the first. */
static kz_status search(const kz__store *store, const char *name, const kz__stored *list,
                        size_t count, size_t *found) {
    char *key = key_of(store->mem, name);
    kz_status status = key ? KZ_OK : KZ_ERR_MEMORY;
    *found = count;
    for (size_t i = 0; i < count && status == KZ_OK; i++) {
        char *other = key_of(store->mem, list[i].name);
        if (!other) status = KZ_ERR_MEMORY;
        bool exact = !strcmp(name, list[i].name);
        if (other && !strcmp(key, other) && (exact || *found == count)) *found = i;
        kz__free(store->mem, other);
    }
    kz__free(store->mem, key);
    return status;
}

kz_status kz__store_find(const kz__store *store, const char *name, char **path, kz__err *err) {
    kz__stored *list = NULL;
    size_t count = 0;
    size_t found = 0;
    *path = NULL;
    if (strlen(name) > NAME_BYTES) return KZ_OK;
    kz_status status = kz__store_list(store, &list, &count, err);
    if (status != KZ_OK) return status;
    status = search(store, name, list, count, &found);
    if (status == KZ_OK && found < count) {
        *path = list[found].path;
        list[found].path = NULL;
    }
    kz__store_list_free(store, list, count);
    return status == KZ_OK ? KZ_OK : kz__fail_memory(err);
}

/* ---- changing ----------------------------------------------------------------------------- */

/* The old file gets the new voice, then the new spelling of its name. */
static kz_status put(const kz_voice *voice, const char *old, const char *path, kz__err *err) {
    kz__path_kind kind = kz__path_look(path);
    kz__shown shown;
    if (kind == KZ__PATH_FOLDER || kind == KZ__PATH_OTHER) {
        return kz__fail(err, KZ_ERR_OUTPUT, "cannot save the voice: '%s' is there and no file",
                        kz__show_path(&shown, path));
    }
    kz_status status = kz_voice_save(voice, old ? old : path, err->text, sizeof err->text);
    if (status == KZ_OK && old && strcmp(old, path) != 0 && rename(old, path) != 0) {
        status = fail(KZ_ERR_OUTPUT, "rename", old, errno, err);
    }
    return status;
}

kz_status kz__store_check_free(const kz__store *store, const char *name, kz__err *err) {
    char *there = NULL;
    kz__shown shown;
    kz_status status = kz__store_find(store, name, &there, err);
    if (status == KZ_OK && there) {
        status = kz__fail(err, KZ_ERR_USAGE, "there is a voice '%s' already ('%s'): give "
                          "--replace, or another name", name, kz__show_path(&shown, there));
    }
    kz__free(store->mem, there);
    return status == KZ_ERR_INPUT ? KZ_ERR_OUTPUT : status; /* nothing can be saved there */
}

static kz_status save(const kz__store *store, const kz_voice *voice, const char *name, bool replace,
                      const char *path, kz__err *err) {
    char *old = NULL;
    kz_status status = replace ? KZ_OK : kz__store_check_free(store, name, err);
    if (status == KZ_OK) status = kz__store_find(store, name, &old, err);
    if (status == KZ_OK) status = put(voice, old, path, err);
    kz__free(store->mem, old);
    return status;
}

kz_status kz__store_save(const kz__store *store, const kz_voice *voice, bool replace, char **path,
                         kz__err *err) {
    kz_voice_info info = {.size = sizeof info};
    kz__err unheard;
    int fd = -1;
    *path = NULL;
    if (!err) err = &unheard;
    kz_voice_get_info(voice, &info);
    if (!info.name[0]) {
        return kz__fail(err, KZ_ERR_USAGE, "the voice has no name to be saved under: give one with "
                        "--name NAME");
    }
    char *target = path_of(store, info.name);
    kz_status status = target ? make_folders(store, err) : kz__fail_memory(err);
    if (status == KZ_OK) status = lock(store, &fd, err);
    if (status == KZ_OK) status = save(store, voice, info.name, replace, target, err);
    if (fd >= 0) close(fd);
    if (status == KZ_OK) {
        *path = target;
    } else {
        kz__free(store->mem, target);
    }
    return status;
}

kz_status kz__store_remove(const kz__store *store, const char *name, kz__err *err) {
    char *path = NULL;
    kz__shown shown;
    kz_status status = kz__store_find(store, name, &path, err);
    if (status != KZ_OK) return status;
    if (!path) {
        return kz__fail(err, KZ_ERR_INPUT, "there is no saved voice '%s'; 'kazeia voices' lists "
                        "them", kz__show_name(&shown, name));
    }
    if (unlink(path) != 0) status = fail(KZ_ERR_OUTPUT, "remove", path, errno, err);
    kz__free(store->mem, path);
    return status;
}
