/* Names to voices. */
#include "cli/saved.h"

#include "base/path.h"

#include <string.h>
#include <strings.h>

kz_status kz__saved_open(kz__cli *cli, kz__store *store, kz__err *err) {
    return kz__store_open(store, &cli->mem, cli->set.voices_dir, err);
}

static bool ends_so(const char *name) {
    size_t length = strlen(name);
    return length >= 4 && !strcasecmp(name + length - 4, ".kzv");
}

bool kz__saved_is_file(const char *name) {
    return strchr(name, '/') || ends_so(name);
}

/* *path NULL: there is none of that name. */
static kz_status find(kz__cli *cli, const char *name, char **path, kz__err *err) {
    kz__store store = {0};
    *path = NULL;
    kz_status status = kz__saved_open(cli, &store, err);
    if (status == KZ_OK) status = kz__store_find(&store, name, path, err);
    kz__store_close(&store);
    return status;
}

static int load(kz__cli *cli, const char *path, kz_voice **voice) {
    kz__err err = {""};
    kz_status status = kz_voice_load(path, NULL, voice, err.text, sizeof err.text);
    return status == KZ_OK ? KZ__EXIT_DONE : kz__cli_status(cli, status, &err);
}

int kz__saved_load(kz__cli *cli, const char *name, kz_voice **voice, char **path) {
    kz__err err = {""};
    char *found = NULL;
    kz_status status = KZ_OK;
    *voice = NULL;
    if (path) *path = NULL;
    if (kz__saved_is_file(name)) {
        found = kz__strndup(&cli->mem, name, strlen(name));
        if (!found) status = KZ_ERR_MEMORY;
    } else {
        status = find(cli, name, &found, &err);
    }
    if (status != KZ_OK) return kz__cli_status(cli, status, &err);
    if (!found) {
        return kz__cli_fail(cli, KZ__EXIT_INPUT, "there is no saved voice '%.100s'; 'kazeia "
                            "voices' lists them", name);
    }
    int code = load(cli, found, voice);
    if (code == KZ__EXIT_DONE && path) {
        *path = found;
    } else {
        kz__free(&cli->mem, found);
    }
    return code;
}

/* ---- --voice ------------------------------------------------------------------------------ */

static void append(char *list, size_t capacity, const char *name) {
    size_t length = strlen(list);
    if (length + strlen(name) + 8 < capacity) {
        snprintf(list + length, capacity - length, "%s%s", length ? ", " : "", name);
    } else if (length >= 3 && list[length - 1] != '.') {
        snprintf(list + length, capacity - length, " ...");
    }
}

/* Saved voices that speak with this model, as a list; "" where there are none. */
static void list_fitting(kz__cli *cli, const kz_model *model, char *list, size_t capacity) {
    kz__store store = {0};
    kz__stored *stored = NULL;
    size_t count = 0;
    list[0] = 0;
    if (kz__saved_open(cli, &store, NULL) == KZ_OK) {
        kz__store_list(&store, &stored, &count, NULL);
    }
    for (size_t i = 0; i < count; i++) {
        kz_voice *voice = NULL;
        if (kz_voice_load(stored[i].path, NULL, &voice, NULL, 0) != KZ_OK) continue;
        if (kz_voice_fits(voice, model, NULL, 0) == KZ_OK) append(list, capacity, stored[i].name);
        kz_voice_free(voice);
    }
    kz__store_list_free(&store, stored, count);
    kz__store_close(&store);
}

/* A base model without a voice. */
static int need_voice(kz__cli *cli, const kz_model *model, const char *name) {
    char list[256];
    list_fitting(cli, model, list, sizeof list);
    return kz__cli_fail(cli, KZ__EXIT_INPUT, "%s%.100s%sthis is a base model: it speaks with the "
                        "voice of a recording (%s%s); 'kazeia clone' saves one, --ref-audio takes "
                        "one for this time", name ? "there is no saved voice '" : "",
                        name ? name : "", name ? "', and " : "",
                        list[0] ? "saved ones that fit: " : "no saved one fits it", list);
}

/* A voice for a model that has voices of its own (B116). */
static int refuse_kind(kz__cli *cli, const kz_model *model, const kz_model_info *info,
                       const char *name) {
    char list[256] = "";
    kz__shown shown;
    for (size_t i = 0; i < info->speaker_count; i++) {
        append(list, sizeof list, kz_model_speaker(model, i, NULL));
    }
    bool design = info->kind == KZ_KIND_VOICE_DESIGN;
    return kz__cli_fail(cli, KZ__EXIT_INPUT, "'%s' is a %s, and those are for base models; this is "
                        "a %s%s", kz__show_path(&shown, name),
                        kz__saved_is_file(name) ? "file" : "saved voice",
                        design ? "voice design model, which takes a description of the voice "
                                 "(--instruct)"
                               : "custom voice model, which has speakers of its own: ", list);
}

static bool is_speaker(const kz_model *model, const kz_model_info *info, const char *name) {
    name += strspn(name, " \t");
    size_t length = strlen(name);
    while (length > 0 && strchr(" \t", name[length - 1])) length--;
    for (size_t i = 0; i < info->speaker_count; i++) {
        const char *speaker = kz_model_speaker(model, i, NULL);
        if (strlen(speaker) == length && !strncasecmp(speaker, name, length)) return true;
    }
    return false;
}

/* Told once: a batch may name it a thousand times. */
static void tell_hidden(kz__cli *cli, const char *name, const char *path) {
    if (cli->told_hidden) return;
    cli->told_hidden = true;
    kz__cli_note(cli, "note: '%.100s' is the model's speaker; the saved voice of that name is "
                 "meant by its file: --voice '%s'", name, path);
}

/* A file, or a voice of the store. */
static int take(kz__cli *cli, const kz_model *model, const kz_model_info *info, const char *name,
                const char *path, kz__chosen *chosen) {
    kz__err err = {""};
    if (info->kind != KZ_KIND_BASE) return refuse_kind(cli, model, info, name);
    int code = load(cli, path, &chosen->cloned);
    if (code == KZ__EXIT_INPUT && !ends_so(path)) {
        kz__cli_note(cli, "a recording is given with --ref-audio FILE");
    }
    if (code != KZ__EXIT_DONE) return code;
    kz_status status = kz_voice_fits(chosen->cloned, model, err.text, sizeof err.text);
    if (status == KZ_OK) return KZ__EXIT_DONE;
    kz_voice_free(chosen->cloned);
    chosen->cloned = NULL;
    return kz__cli_status(cli, status, &err);
}

int kz__saved_choose(kz__cli *cli, const kz_model *model, const kz_model_info *info,
                     const char *name, kz__chosen *chosen) {
    bool base = info->kind == KZ_KIND_BASE;
    kz__err err = {""};
    char *path = NULL;
    *chosen = (kz__chosen){NULL, NULL};
    if (!name || !name[0]) {
        chosen->speaker = name;
        return base ? need_voice(cli, model, NULL) : KZ__EXIT_DONE;
    }
    if (kz__saved_is_file(name)) return take(cli, model, info, name, name, chosen);
    bool speaker = is_speaker(model, info, name);
    kz_status status = find(cli, name, &path, &err);
    int code = KZ__EXIT_DONE;
    if (speaker || (!base && !path)) {
        chosen->speaker = name;
        if (path) tell_hidden(cli, name, path);
    } else if (status != KZ_OK) {
        code = kz__cli_status(cli, status, &err);
    } else if (path) {
        code = take(cli, model, info, name, path, chosen);
    } else {
        code = need_voice(cli, model, name);
    }
    kz__free(&cli->mem, path);
    return code;
}
