/* From what the user gave to the folder with config.json. */
#include "base/log.h"
#include "base/mapfile.h"
#include "base/path.h"
#include "weights/foreign.h"
#include "weights/weights.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static bool ends_with(const char *text, const char *end) {
    size_t a = strlen(text);
    size_t b = strlen(end);
    return a >= b && !strcmp(text + a - b, end);
}

static kz_status look_inside(kz__mem *mem, const char *folder, const char *name,
                             kz__path_kind *kind, kz__err *err) {
    char *path = kz__path_join(mem, folder, name);
    if (!path) return kz__fail_memory(err);
    *kind = kz__path_look(path);
    kz__free(mem, path);
    return KZ_OK;
}

static kz_status fail_file(const char *path, kz__err *err) {
    kz__shown shown;
    kz__mapfile map;
    kz__show_path(&shown, path);
    kz_status status = kz__mapfile_open(&map, path, err);
    if (status != KZ_OK) return status;
    const char *foreign = kz__foreign(map.data, map.size);
    kz__mapfile_close(&map);
    if (foreign) return kz__fail(err, KZ_ERR_MODEL, "'%s' is %s", shown.text, foreign);
    if (ends_with(path, ".safetensors") || ends_with(path, ".json")) {
        return kz__fail(err, KZ_ERR_MODEL, "'%s' is a file: give the folder that holds it",
                        shown.text);
    }
    return kz__fail(err, KZ_ERR_MODEL,
                    "'%s' is a file, not a model folder (with config.json and model.safetensors)",
                    shown.text);
}

/* The plain name in refs/main, or an empty string where there is none. */
static kz_status read_main(kz__mem *mem, const char *root, char name[128], kz__err *err) {
    kz__mapfile map;
    name[0] = 0;
    char *path = kz__path_join(mem, root, "refs/main");
    if (!path) return kz__fail_memory(err);
    kz_status status = kz__mapfile_open(&map, path, NULL);
    kz__free(mem, path);
    if (status == KZ_ERR_MEMORY) return kz__fail_memory(err);
    if (status != KZ_OK) return KZ_OK;
    size_t length = 0;
    while (length < map.size && length < 127 && map.data[length] > ' ' && map.data[length] != '/') {
        length++;
    }
    bool plain = length && (length == map.size || map.data[length] <= ' ') && map.data[0] != '.';
    if (plain) {
        memcpy(name, map.data, length);
        name[length] = 0;
    }
    kz__mapfile_close(&map);
    return KZ_OK;
}

/* Newest first; equal times: the greater name, so that the choice does not depend on the folder's
 * order. */
static bool newer(const struct stat *a, const char *a_name, const struct stat *b,
                  const char *b_name) {
    if (a->st_mtim.tv_sec != b->st_mtim.tv_sec) return a->st_mtim.tv_sec > b->st_mtim.tv_sec;
    if (a->st_mtim.tv_nsec != b->st_mtim.tv_nsec) return a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
    return strcmp(a_name, b_name) > 0;
}

typedef struct candidate {
    char *path; /* NULL: none yet */
    struct stat info;
} candidate;

/* Takes snapshots/name for *best where it is newer and has a config.json. */
static kz_status consider(kz__mem *mem, const char *snapshots, const char *name, candidate *best,
                          kz__err *err) {
    candidate next = {kz__path_join(mem, snapshots, name), {0}};
    kz__path_kind kind = KZ__PATH_MISSING;
    if (!next.path) return kz__fail_memory(err);
    kz_status status = look_inside(mem, next.path, "config.json", &kind, err);
    bool taken = status == KZ_OK && kind != KZ__PATH_MISSING && stat(next.path, &next.info) == 0 &&
                 (!best->path || newer(&next.info, next.path, &best->info, best->path));
    kz__free(mem, taken ? best->path : next.path);
    if (taken) *best = next;
    return status;
}

/* The newest snapshot with a config.json; *path is NULL where there is none. */
static kz_status newest_snapshot(kz__mem *mem, const char *snapshots, char **path, kz__err *err) {
    candidate best = {NULL, {0}};
    DIR *folder = opendir(snapshots);
    if (!folder) return kz__path_fail(err, snapshots, errno);
    struct dirent *item = NULL;
    kz_status status = KZ_OK;
    while (status == KZ_OK && (item = readdir(folder))) {
        if (item->d_name[0] != '.') status = consider(mem, snapshots, item->d_name, &best, err);
    }
    closedir(folder);
    *path = best.path;
    return status;
}

/* The snapshot that refs/main names; *path is NULL where there is none. */
static kz_status main_snapshot(kz__mem *mem, const char *snapshots, const char *name, char **path,
                               kz__err *err) {
    if (!name[0]) return KZ_OK;
    *path = kz__path_join(mem, snapshots, name);
    if (!*path) return kz__fail_memory(err);
    if (kz__path_look(*path) == KZ__PATH_FOLDER) return KZ_OK;
    kz__free(mem, *path);
    *path = NULL;
    return KZ_OK;
}

/* root holds `snapshots`. *folder may be set on failure too. */
static kz_status locate_repository(kz__mem *mem, const char *root, char **folder, kz__err *err) {
    kz__shown shown;
    char name[128];
    char *snapshots = kz__path_join(mem, root, "snapshots");
    if (!snapshots) return kz__fail_memory(err);
    kz_status status = read_main(mem, root, name, err);
    if (status == KZ_OK) status = main_snapshot(mem, snapshots, name, folder, err);
    if (status == KZ_OK && !*folder) {
        status = newest_snapshot(mem, snapshots, folder, err);
        if (status == KZ_OK && *folder && name[0]) {
            kz__log(KZ__NOTICE,
                    "refs/main names a snapshot that is not there, '%s' is taken instead",
                    kz__show_path(&shown, *folder));
        }
    }
    kz__free(mem, snapshots);
    if (status == KZ_OK && !*folder) {
        status = kz__fail(err, KZ_ERR_MODEL,
                          "the cache folder '%s' holds no snapshot with a config.json: fetch the "
                          "model again",
                          kz__show_path(&shown, root));
    }
    return status;
}

/* A name in the folder that explains why it is no checkpoint: a cached model or a GGUF file. */
static bool find_hint(const char *path, const char *begin, const char *end, char name[256]) {
    DIR *folder = opendir(path);
    if (!folder) return false;
    struct dirent *item = NULL;
    name[0] = 0;
    while ((item = readdir(folder))) {
        if (strncmp(item->d_name, begin, strlen(begin)) || !ends_with(item->d_name, end)) continue;
        if (name[0] && strcmp(item->d_name, name) > 0) continue;
        if (strlen(item->d_name) < 256) memcpy(name, item->d_name, strlen(item->d_name) + 1);
    }
    closedir(folder);
    return name[0] != 0;
}

static kz_status fail_folder(const char *path, kz__err *err) {
    kz__shown shown;
    kz__shown hint;
    char name[256];
    kz__show_path(&shown, path);
    if (find_hint(path, "models--", "", name)) {
        return kz__fail(err, KZ_ERR_MODEL,
                        "'%s' is a cache of several models: give one of its folders, such as '%s'",
                        shown.text, kz__show_name(&hint, name));
    }
    if (find_hint(path, "", ".gguf", name)) {
        return kz__fail(err, KZ_ERR_MODEL,
                        "the folder '%s' has no config.json but a GGUF file, '%s': Kazeia reads "
                        "the "
                        "published safetensors checkpoints",
                        shown.text, kz__show_name(&hint, name));
    }
    return kz__fail(err, KZ_ERR_MODEL, "the folder '%s' has no config.json", shown.text);
}

static kz_status check_folder(kz__mem *mem, const char *folder, kz__err *err) {
    kz__shown shown;
    char *path = kz__path_join(mem, folder, "config.json");
    if (!path) return kz__fail_memory(err);
    kz_status status = KZ_OK;
    switch (kz__path_look(path)) {
    case KZ__PATH_FILE: break;
    case KZ__PATH_MISSING: status = fail_folder(folder, err); break;
    case KZ__PATH_BROKEN: status = kz__path_fail_look(err, path); break;
    case KZ__PATH_FOLDER:
    case KZ__PATH_OTHER:
        status =
            kz__fail(err, KZ_ERR_MODEL, "'%s' is not a regular file", kz__show_path(&shown, path));
        break;
    }
    kz__free(mem, path);
    return status;
}

kz_status kz__locate_checkpoint(kz__mem *mem, const char *path, char **folder, kz__err *err) {
    kz__shown shown;
    *folder = NULL;
    if (!path || !path[0]) return kz__fail(err, KZ_ERR_MODEL, "the path of the model is empty");
    switch (kz__path_look(path)) {
    case KZ__PATH_MISSING:
    case KZ__PATH_BROKEN: return kz__path_fail_look(err, path);
    case KZ__PATH_FILE: return fail_file(path, err);
    case KZ__PATH_OTHER:
        return kz__fail(err, KZ_ERR_MODEL, "'%s' is neither a folder nor a file",
                        kz__show_path(&shown, path));
    case KZ__PATH_FOLDER: break;
    }
    kz__path_kind config = KZ__PATH_MISSING;
    kz__path_kind snapshots = KZ__PATH_MISSING;
    kz_status status = look_inside(mem, path, "config.json", &config, err);
    if (status == KZ_OK) status = look_inside(mem, path, "snapshots", &snapshots, err);
    if (status != KZ_OK) return status;
    if (config == KZ__PATH_MISSING && snapshots == KZ__PATH_FOLDER) {
        status = locate_repository(mem, path, folder, err);
    } else {
        *folder = kz__strndup(mem, path, strlen(path));
        if (!*folder) status = kz__fail_memory(err);
    }
    if (status == KZ_OK && *folder) status = check_folder(mem, *folder, err);
    if (status != KZ_OK) {
        kz__free(mem, *folder);
        *folder = NULL;
    }
    return status;
}
