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

static kz__path_kind look_inside(kz__mem *mem, const char *folder, const char *name) {
    char *path = kz__path_join(mem, folder, name);
    if (!path) return KZ__PATH_MISSING;
    kz__path_kind kind = kz__path_look(path);
    kz__free(mem, path);
    return kind;
}

static kz_status fail_file(const char *path, kz__err *err) {
    kz__shown shown;
    kz__mapfile map;
    kz__show_path(&shown, path);
    if (kz__mapfile_open(&map, path, err) != KZ_OK) return KZ_ERR_MODEL;
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

/* The plain name in refs/main, or an empty string. */
static void read_main(kz__mem *mem, const char *root, char name[128]) {
    kz__mapfile map;
    name[0] = 0;
    char *path = kz__path_join(mem, root, "refs/main");
    if (!path) return;
    kz_status status = kz__mapfile_open(&map, path, NULL);
    kz__free(mem, path);
    if (status != KZ_OK) return;
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
}

/* Newest first; equal times: the greater name, so that the choice does not depend on the folder's
 * order. */
static bool newer(const struct stat *a, const char *a_name, const struct stat *b,
                  const char *b_name) {
    if (a->st_mtim.tv_sec != b->st_mtim.tv_sec) return a->st_mtim.tv_sec > b->st_mtim.tv_sec;
    if (a->st_mtim.tv_nsec != b->st_mtim.tv_nsec) return a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
    return strcmp(a_name, b_name) > 0;
}

/* The newest snapshot with a config.json; *best stays NULL where there is none. */
static kz_status newest_snapshot(kz__mem *mem, const char *snapshots, char **best, kz__err *err) {
    struct stat best_info;
    DIR *folder = opendir(snapshots);
    if (!folder) return kz__path_fail(err, snapshots, errno);
    struct dirent *item = NULL;
    kz_status status = KZ_OK;
    memset(&best_info, 0, sizeof best_info);
    while (status == KZ_OK && (item = readdir(folder))) {
        struct stat info;
        if (item->d_name[0] == '.') continue;
        char *path = kz__path_join(mem, snapshots, item->d_name);
        if (!path) {
            status = kz__fail_memory(err);
        } else if (stat(path, &info) == 0 &&
                   look_inside(mem, path, "config.json") != KZ__PATH_MISSING &&
                   (!*best || newer(&info, path, &best_info, *best))) {
            kz__free(mem, *best);
            *best = path;
            best_info = info;
        } else {
            kz__free(mem, path);
        }
    }
    closedir(folder);
    return status;
}

/* root holds `snapshots`. */
static kz_status locate_repository(kz__mem *mem, const char *root, char **folder, kz__err *err) {
    kz__shown shown;
    char name[128];
    char *snapshots = kz__path_join(mem, root, "snapshots");
    if (!snapshots) return kz__fail_memory(err);
    read_main(mem, root, name);
    char *wanted = name[0] ? kz__path_join(mem, snapshots, name) : NULL;
    if (wanted && kz__path_look(wanted) == KZ__PATH_FOLDER) {
        kz__free(mem, snapshots);
        *folder = wanted;
        return KZ_OK;
    }
    kz__free(mem, wanted);
    kz_status status = newest_snapshot(mem, snapshots, folder, err);
    kz__free(mem, snapshots);
    if (status != KZ_OK) return status;
    if (!*folder) {
        return kz__fail(err, KZ_ERR_MODEL,
                        "the cache folder '%s' holds no snapshot with a config.json: fetch the "
                        "model "
                        "again",
                        kz__show_path(&shown, root));
    }
    if (name[0]) {
        kz__log(KZ__NOTICE, "refs/main names a snapshot that is not there, '%s' is taken instead",
                kz__show_path(&shown, *folder));
    }
    return KZ_OK;
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
    kz_status status = KZ_OK;
    if (look_inside(mem, path, "config.json") == KZ__PATH_MISSING &&
        look_inside(mem, path, "snapshots") == KZ__PATH_FOLDER) {
        status = locate_repository(mem, path, folder, err);
    } else {
        *folder = kz__strndup(mem, path, strlen(path));
        if (!*folder) status = kz__fail_memory(err);
    }
    if (status == KZ_OK) status = check_folder(mem, *folder, err);
    if (status != KZ_OK) {
        kz__free(mem, *folder);
        *folder = NULL;
    }
    return status;
}
