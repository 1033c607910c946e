/* The file is JSON: {"version": 1, "choices": [...]}, a choice for each processor, number of
 * processors, version of the program and model. What does not look like that is left alone when it
 * is read, and replaced when something is kept. */
#include "cli/tune.h"

#include "base/pool.h"
#include "cli/record.h"
#include "base/in_file.h"
#include "base/out_file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_VERSION 1
#define FILE_MAX ((size_t)1 << 20)
#define CHOICES_MAX 64

/* ---- the machine -------------------------------------------------------------------------- */

/* "model name" of /proc/cpuinfo, or what ARM has in its place. */
static void processor_name(char *name, size_t capacity) {
    static const char *const fields[] = {"model name", "CPU implementer", "CPU part"};
    char line[256];
    size_t used = 0;
    unsigned seen = 0;
    FILE *file = fopen("/proc/cpuinfo", "r");
    name[0] = 0;
    while (file && fgets(line, sizeof line, file)) {
        const char *value = strchr(line, ':');
        if (!value) continue;
        value += 1 + strspn(value + 1, " \t");
        for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++) {
            if ((seen >> i & 1) || strncmp(line, fields[i], strlen(fields[i])) != 0) continue;
            seen |= 1u << i;
            int wrote = snprintf(name + used, capacity - used, "%s%.*s", used ? " " : "",
                                 (int)strcspn(value, "\r\n"), value);
            if (wrote > 0 && (size_t)wrote < capacity - used) used += (size_t)wrote;
        }
    }
    if (file) fclose(file);
    if (!name[0]) snprintf(name, capacity, "unknown");
}

/* A codec alone takes what was kept for any model. */
static json_t *key_of(const kz_model_info *info) {
    char name[256];
    processor_name(name, sizeof name);
    json_t *key = json_pack("{s:s, s:I, s:s, s:i}", "processor", name, "processors",
                            (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "program", kz_version(),
                            "arithmetic", kz_arithmetic());
    if (!key || !info->has_talker) return key;
    json_t *model = json_pack("{s:s, s:I, s:s}", "model", info->size_name ? info->size_name : "",
                              "parameters", (json_int_t)info->parameters, "type",
                              kz__type_name(info->type));
    json_object_update(key, model);
    json_decref(model);
    return key;
}

/* Whether a choice of the file is for this key. */
static bool is_for(const json_t *choice, json_t *key) {
    const char *name = NULL;
    json_t *value = NULL;
    json_object_foreach(key, name, value) {
        if (!json_equal(json_object_get(choice, name), value)) return false;
    }
    return true;
}

/* ---- the file ----------------------------------------------------------------------------- */

static bool cache_folder(char *path, size_t capacity) {
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int length = -1;
    if (cache && cache[0] == '/') {
        length = snprintf(path, capacity, "%s", cache);
    } else if (home && home[0] == '/') {
        length = snprintf(path, capacity, "%s/.cache", home);
    }
    return length > 0 && (size_t)length < capacity;
}

bool kz__tune_file(char *path, size_t capacity) {
    char folder[PATH_MAX];
    if (!cache_folder(folder, sizeof folder)) return false;
    int length = snprintf(path, capacity, "%s/kazeia/tune.json", folder);
    return length > 0 && (size_t)length < capacity;
}

/* The choices of the file; NULL with a reason where it cannot be read, with "" where it is not
 * there. */
static json_t *read_choices(kz__cli *cli, const char *path, kz__err *why) {
    char *text = NULL;
    size_t length = 0;
    struct stat st;
    why->text[0] = 0;
    if (stat(path, &st) != 0) return NULL;
    if (!S_ISREG(st.st_mode)) {
        kz__fail(why, KZ_ERR_INPUT, "%.300s is no file", path);
        return NULL;
    }
    if (kz__in_file(&cli->mem, path, FILE_MAX, &text, &length, why) != KZ_OK) return NULL;
    json_error_t error;
    json_t *root = json_loadb(text, length, 0, &error);
    kz__free(&cli->mem, text);
    json_t *choices = json_object_get(root, "choices");
    bool good = json_integer_value(json_object_get(root, "version")) == FILE_VERSION &&
                json_is_array(choices);
    if (good) json_incref(choices);
    json_decref(root);
    if (good) return choices;
    kz__fail(why, KZ_ERR_INPUT, "%.300s does not look like what bench --auto writes", path);
    return NULL;
}

static bool read_choice(const json_t *found, kz__choice *choice) {
    const char *cpu = json_string_value(json_object_get(found, "cpu"));
    const char *placement = json_string_value(json_object_get(found, "placement"));
    json_int_t threads = json_integer_value(json_object_get(found, "threads"));
    memset(choice, 0, sizeof *choice);
    for (size_t i = 0; cpu && kz_cpu_level(i); i++) {
        if (!strcmp(cpu, kz_cpu_level(i))) choice->cpu = kz_cpu_level(i);
    }
    if (!choice->cpu || !placement || threads < 1 || threads > KZ__THREADS_MAX) return false;
    if (strcmp(placement, "free") != 0 && strcmp(placement, "strict") != 0) return false;
    choice->threads = (int)threads;
    choice->placement = strcmp(placement, "strict") ? KZ_PLACEMENT_FREE : KZ_PLACEMENT_STRICT;
    choice->rtf = json_number_value(json_object_get(found, "rtf"));
    return true;
}

bool kz__tune_find(kz__cli *cli, const kz_model_info *info, kz__choice *choice, kz__err *why) {
    char path[PATH_MAX + 32];
    kz__err reason = {""};
    bool found = false;
    json_t *choices = NULL;
    json_t *key = key_of(info);
    if (kz__tune_file(path, sizeof path)) choices = read_choices(cli, path, &reason);
    for (size_t i = json_array_size(choices); !found && i-- > 0;) { /* the latest first */
        const json_t *one = json_array_get(choices, i);
        if (!key || !is_for(one, key)) continue;
        found = read_choice(one, choice);
        if (!found) kz__fail(&reason, KZ_ERR_INPUT, "%.300s holds a choice that is damaged", path);
        break;
    }
    if (choices && !found && !reason.text[0]) {
        kz__fail(&reason, KZ_ERR_INPUT, "%.300s has nothing for this machine, version and model",
                 path);
    }
    if (why) *why = reason;
    json_decref(choices);
    json_decref(key);
    return found;
}

static kz_status make_folders(kz__err *err) {
    char folder[PATH_MAX];
    char inner[PATH_MAX + 16];
    if (!cache_folder(folder, sizeof folder)) {
        return kz__fail(err, KZ_ERR_OUTPUT, "the choice cannot be kept: neither XDG_CACHE_HOME nor "
                        "HOME names a folder");
    }
    snprintf(inner, sizeof inner, "%s/kazeia", folder);
    if (mkdir(folder, 0700) != 0 && errno != EEXIST) {
        return kz__fail(err, KZ_ERR_OUTPUT, "cannot make the folder %.300s: %s", folder,
                        strerror(errno));
    }
    if (mkdir(inner, 0700) != 0 && errno != EEXIST) {
        return kz__fail(err, KZ_ERR_OUTPUT, "cannot make the folder %.300s: %s", inner,
                        strerror(errno));
    }
    return KZ_OK;
}

/* The choices without that of the key, with the new one at the end; the oldest go. */
static json_t *replaced(json_t *choices, json_t *key, const kz__choice *choice) {
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(choices); i++) {
        json_t *one = json_array_get(choices, i);
        if (!is_for(one, key)) json_array_append(list, one);
    }
    while (json_array_size(list) >= CHOICES_MAX) json_array_remove(list, 0);
    json_t *own = json_pack("{s:i, s:s, s:s, s:f}", "threads", choice->threads, "cpu", choice->cpu,
                            "placement", kz__placement_name(choice->placement), "rtf",
                            choice->rtf);
    json_object_update(own, key);
    json_array_append_new(list, own);
    return list;
}

kz_status kz__tune_keep(kz__cli *cli, const kz_model_info *info, const kz__choice *choice,
                        kz__err *err) {
    char path[PATH_MAX + 32];
    kz__err why = {""};
    kz_status status = make_folders(err);
    if (status) return status;
    if (!kz__tune_file(path, sizeof path)) return kz__fail(err, KZ_ERR_OUTPUT, "name too long");
    json_t *choices = read_choices(cli, path, &why);
    json_t *key = key_of(info);
    json_t *root = key ? json_pack("{s:i, s:o}", "version", FILE_VERSION, "choices",
                                   replaced(choices, key, choice))
                       : NULL;
    char *text = root ? json_dumps(root, JSON_INDENT(1)) : NULL;
    status = text ? kz__out_file(&cli->mem, path, text, strlen(text), err) : kz__fail_memory(err);
    free(text);
    json_decref(root);
    json_decref(key);
    json_decref(choices);
    return status;
}

/* ---- in use ------------------------------------------------------------------------------- */

void kz__tune_apply(kz__cli *cli, kz_model_info *info) {
    kz__settings *set = &cli->set;
    kz__choice choice;
    kz__err why = {""};
    uint32_t takes = KZ__SAY | KZ__DECODE | KZ__BATCH;
    bool off = set->tune && !strcasecmp(set->tune, "off");
    if (off || !(cli->args.verb & takes)) return;
    if (set->threads != KZ_DEFAULT && set->cpu && set->placement) return;
    if (!kz__tune_find(cli, info, &choice, &why)) {
        if (set->verbose && why.text[0]) kz__cli_note(cli, "not tuned: %s", why.text);
        return;
    }
    if (set->threads == KZ_DEFAULT) {
        int most = kz_default_threads();
        set->threads = choice.threads < most ? choice.threads : most;
    }
    if (!set->cpu && strcmp(choice.cpu, info->cpu) != 0) {
        cli->session_cpu = choice.cpu;
        info->cpu = choice.cpu;
    }
    if (!set->placement) set->placement = kz__placement_name(choice.placement);
    cli->tuned = true;
    if (set->verbose) {
        kz__cli_note(cli, "tuned, as bench --auto found best here: %d threads, %s, %s placement",
                     set->threads, info->cpu, set->placement);
    }
}
