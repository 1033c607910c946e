/* kazeia voices: the speakers that a model names and the saved voices; one of these shown, removed,
 * written to a file, taken from files. */
#include "cli/saved.h"

#include "base/in_file.h"
#include "base/out_file.h"
#include "base/path.h"
#include "common/interrupt.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MOST ((size_t)1 << 23) /* more than any voice has: the library says what is wrong */

static double seconds_of(const kz_voice_info *info) {
    return info->sample_rate > 0 ? (double)info->samples / info->sample_rate : 0;
}

static kz_voice_info info_of(const kz_voice *voice) {
    kz_voice_info info = {.size = sizeof info};
    kz_voice_get_info(voice, &info);
    return info;
}

/* Text as JSON has it; bytes that are no UTF-8 are escaped. */
static json_t *text_json(kz__cli *cli, const char *text) {
    json_t *value = json_string(text);
    if (value) return value;
    char *escaped = kz__cli_escape(&cli->mem, text, strlen(text), true);
    value = json_string(escaped ? escaped : "");
    kz__free(&cli->mem, escaped);
    return value;
}

static void put_text(kz__cli *cli, FILE *out, const char *label, const char *text) {
    char *escaped = kz__cli_escape(&cli->mem, text, strlen(text), false);
    fprintf(out, "%-14s%s\n", label, escaped ? escaped : text);
    kz__free(&cli->mem, escaped);
}

/* Whether it fits goes into the object; model NULL: nothing does. */
static void add_fits(json_t *object, const kz_voice *voice, const kz_model *model) {
    kz__err err = {""};
    if (!model) return;
    bool fits = kz_voice_fits(voice, model, err.text, sizeof err.text) == KZ_OK;
    json_object_set_new(object, "fits", json_boolean(fits));
    if (!fits) json_object_set_new(object, "why", json_string(err.text));
}

/* ---- list --------------------------------------------------------------------------------- */

typedef struct listing {
    kz__cli *cli;
    kz_model *model; /* NULL: there is none */
    kz_model_info info;
    kz__store store;
    kz__stored *saved;
    size_t count;
} listing;

/* A model that was named has to be there; without, the voice in the box may be missing. */
static int open_model(listing *l) {
    char box[2 * PATH_MAX];
    if (!l->cli->set.model && !kz__cli_voice_in_the_box(l->cli, box, sizeof box)) {
        kz__cli_note(l->cli, "the voice in the box was not found: its speakers are left out");
        return KZ__EXIT_DONE;
    }
    return kz__cli_open_model(l->cli, NULL, false, &l->model, &l->info);
}

static int open_saved(listing *l) {
    kz__err err = {""};
    kz_status status = kz__saved_open(l->cli, &l->store, &err);
    if (status == KZ_ERR_USAGE) { /* those of the model are known all the same */
        kz__cli_note(l->cli, "%s", err.text);
        return KZ__EXIT_DONE;
    }
    if (status == KZ_OK) status = kz__store_list(&l->store, &l->saved, &l->count, &err);
    return status == KZ_OK ? KZ__EXIT_DONE : kz__cli_status(l->cli, status, &err);
}

static json_t *saved_json(const listing *l, const kz__stored *stored) {
    kz__err err = {""};
    kz_voice *voice = NULL;
    json_t *object = json_pack("{s:o, s:o}", "name", text_json(l->cli, stored->name), "file",
                               text_json(l->cli, stored->path));
    if (kz_voice_load(stored->path, NULL, &voice, err.text, sizeof err.text) != KZ_OK) {
        json_object_set_new(object, "problem", text_json(l->cli, err.text));
        return object;
    }
    kz_voice_info info = info_of(voice);
    add_fits(object, voice, l->model);
    json_object_set_new(object, "seconds", json_real(seconds_of(&info)));
    json_object_set_new(object, "language", json_string(info.language));
    json_object_set_new(object, "with_transcript", json_boolean(info.frames > 0));
    kz_voice_free(voice);
    return object;
}

static int list_json(const listing *l) {
    json_t *voices = json_array();
    json_t *languages = json_array();
    json_t *saved = json_array();
    for (size_t i = 0; i < l->info.language_count; i++) {
        json_array_append_new(languages, json_string(kz_model_language(l->model, i)));
    }
    for (size_t i = 0; i < l->info.speaker_count; i++) {
        const char *dialect = NULL;
        const char *name = kz_model_speaker(l->model, i, &dialect);
        json_array_append_new(voices, json_pack("{s:s, s:s?}", "name", name ? name : "", "dialect",
                                                dialect));
    }
    for (size_t i = 0; i < l->count; i++) {
        json_array_append_new(saved, saved_json(l, &l->saved[i]));
    }
    return kz__cli_json(l->cli, json_pack("{s:o, s:o, s:o}", "voices", voices, "languages",
                                          languages, "saved", saved), false);
}

/* Behind the name. That none fits the voice in the box goes without saying. */
static void put_saved(const listing *l, FILE *out, const kz__stored *stored) {
    kz__err err = {""};
    kz_voice *voice = NULL;
    if (kz_voice_load(stored->path, NULL, &voice, err.text, sizeof err.text) != KZ_OK) {
        char *escaped = kz__cli_escape(&l->cli->mem, err.text, strlen(err.text), false);
        fprintf(out, "saved, damaged: %s", escaped ? escaped : "");
        kz__free(&l->cli->mem, escaped);
        return;
    }
    kz_voice_info info = info_of(voice);
    fprintf(out, "saved, %.1f s%s%s, %s transcript", seconds_of(&info),
            info.language[0] ? " of " : "", info.language, info.frames ? "with" : "without");
    if (l->cli->set.model &&
        kz_voice_fits(voice, l->model, err.text, sizeof err.text) != KZ_OK) {
        fprintf(out, "; not for this model: %s", err.text);
    }
    kz_voice_free(voice);
}

static int list_lines(const listing *l) {
    kz__page page;
    if (l->model && l->info.speaker_count == 0) {
        kz__cli_note(l->cli, "this model names no speakers");
    }
    if (!kz__page_open(&page)) return kz__cli_status(l->cli, KZ_ERR_MEMORY, NULL);
    for (size_t i = 0; i < l->info.speaker_count; i++) {
        const char *dialect = NULL;
        const char *name = kz_model_speaker(l->model, i, &dialect);
        fprintf(page.file, "%s%s%s\n", name, dialect ? "\t" : "", dialect ? dialect : "");
    }
    for (size_t i = 0; i < l->count; i++) {
        const char *name = l->saved[i].name;
        char *escaped = kz__cli_escape(&l->cli->mem, name, strlen(name), false);
        fprintf(page.file, "%s\t", escaped ? escaped : "");
        kz__free(&l->cli->mem, escaped);
        put_saved(l, page.file, &l->saved[i]);
        fputc('\n', page.file);
    }
    return kz__page_close(l->cli, &page, false);
}

static int list(kz__cli *cli, const char **names, size_t count) {
    listing l = {.cli = cli};
    (void)names;
    (void)count;
    int code = open_model(&l);
    if (code == KZ__EXIT_DONE) code = open_saved(&l);
    if (code == KZ__EXIT_DONE) code = cli->set.json ? list_json(&l) : list_lines(&l);
    kz__store_list_free(&l.store, l.saved, l.count);
    kz__store_close(&l.store);
    kz_model_free(l.model);
    return code;
}

/* ---- show --------------------------------------------------------------------------------- */

static int show_json(kz__cli *cli, const kz_voice *voice, const kz_model *model, const char *path) {
    kz_voice_info i = info_of(voice);
    char checksum[24];
    snprintf(checksum, sizeof checksum, "%016" PRIx64, i.checksum);
    json_t *root = json_pack(
        "{s:s, s:o, s:s, s:s, s:s, s:s, s:s, s:f, s:I, s:I, s:i}", "name", i.name, "file",
        text_json(cli, path), "language", i.language, "transcript", i.transcript, "consent",
        i.consent, "made_with", i.made_with, "version", i.version, "seconds", seconds_of(&i),
        "samples", (json_int_t)i.samples, "frames", (json_int_t)i.frames, "tail_ms", i.tail_ms);
    json_t *more = json_pack("{s:b, s:i, s:i, s:i, s:i, s:i, s:s}", "with_transcript",
                             i.frames > 0, "vector_length", i.vector_length, "sample_rate",
                             i.sample_rate, "samples_per_frame", i.samples_per_frame,
                             "codes_per_frame", i.codes_per_frame, "codebook_size",
                             i.codebook_size, "checksum", checksum);
    if (root && more) json_object_update(root, more);
    json_decref(more);
    if (root) add_fits(root, voice, model);
    return kz__cli_json(cli, root, false);
}

static int show_lines(kz__cli *cli, const kz_voice *voice, const kz_model *model,
                      const char *path) {
    kz_voice_info i = info_of(voice);
    kz__err err = {""};
    kz__page page;
    if (!kz__page_open(&page)) return kz__cli_status(cli, KZ_ERR_MEMORY, NULL);
    FILE *out = page.file;
    put_text(cli, out, "name", i.name[0] ? i.name : "none");
    put_text(cli, out, "file", path);
    fprintf(out, "recording     %.2f s\n", seconds_of(&i));
    put_text(cli, out, "language", i.language[0] ? i.language : "not told");
    put_text(cli, out, "transcript", i.frames ? i.transcript : "none: the speaker vector alone");
    if (i.frames) {
        fprintf(out, "codes         %zu frames, %d ms of silence at their end\n", i.frames,
                i.tail_ms);
    }
    put_text(cli, out, "consent", i.consent[0] ? i.consent : "no note");
    fprintf(out, "made with     a model of size %s, Kazeia %s\n",
            i.made_with[0] ? i.made_with : "unknown", i.version);
    fprintf(out, "for           models of width %d, %d Hz, %d samples and %d codes of %d a frame\n",
            i.vector_length, i.sample_rate, i.samples_per_frame, i.codes_per_frame,
            i.codebook_size);
    fprintf(out, "checksum      %016" PRIx64 "\n", i.checksum);
    if (model) {
        bool fits = kz_voice_fits(voice, model, err.text, sizeof err.text) == KZ_OK;
        fprintf(out, "fits          %s%s\n", fits ? "yes" : "no: ", err.text);
    }
    return kz__page_close(cli, &page, false);
}

static int show(kz__cli *cli, const char **names, size_t count) {
    kz_voice *voice = NULL;
    kz_model *model = NULL;
    kz_model_info info;
    char *path = NULL;
    (void)count;
    int code = kz__saved_load(cli, names[0], &voice, &path);
    if (code == KZ__EXIT_DONE && cli->set.model) {
        code = kz__cli_open_model(cli, NULL, false, &model, &info);
    }
    if (code == KZ__EXIT_DONE) {
        code = cli->set.json ? show_json(cli, voice, model, path)
                             : show_lines(cli, voice, model, path);
    }
    kz__free(&cli->mem, path);
    kz_voice_free(voice);
    kz_model_free(model);
    return code;
}

/* ---- remove ------------------------------------------------------------------------------- */

static int missing(kz__cli *cli, const char *name) {
    return kz__cli_fail(cli, KZ__EXIT_INPUT, "there is no saved voice '%.100s', so nothing is "
                        "removed; 'kazeia voices' lists them", name);
}

/* All have to be there before the first goes. */
static kz_status check_there(const kz__store *store, const char **names, size_t count,
                             const char **gone, kz__err *err) {
    kz_status status = KZ_OK;
    for (size_t i = 0; i < count && status == KZ_OK && !*gone; i++) {
        char *path = NULL;
        status = kz__store_find(store, names[i], &path, err);
        if (status == KZ_OK && !path) *gone = names[i];
        kz__free(store->mem, path);
    }
    return status;
}

static int drop(kz__cli *cli, const char **names, size_t count) {
    kz__err err = {""};
    kz__store store = {0};
    const char *gone = NULL;
    kz_status status = kz__saved_open(cli, &store, &err);
    if (status == KZ_OK) status = check_there(&store, names, count, &gone, &err);
    int code = gone ? missing(cli, gone) : KZ__EXIT_DONE;
    json_t *removed = json_array();
    for (size_t i = 0; i < count && status == KZ_OK && !gone; i++) {
        status = kz__store_remove(&store, names[i], &err);
        if (status == KZ_OK) json_array_append_new(removed, text_json(cli, names[i]));
    }
    kz__store_close(&store);
    if (status != KZ_OK) code = kz__cli_status(cli, status, &err);
    if (code == KZ__EXIT_DONE && cli->set.json) {
        return kz__cli_json(cli, json_pack("{s:o}", "removed", removed), false);
    }
    json_decref(removed);
    return code;
}

/* ---- export ------------------------------------------------------------------------------- */

/* A regular file that would be lost. */
static bool is_there(const char *path) {
    struct stat info;
    return strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static int check_target(kz__cli *cli, const char *target) {
    kz__shown shown;
    if (!strcmp(target, "-") && isatty(STDOUT_FILENO)) {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "the file of a voice is nothing to be read on a "
                            "terminal; give another --output");
    }
    if (!strcmp(target, "-") && cli->set.json) {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "--json and the voice cannot both go to standard "
                            "output");
    }
    if (cli->set.replace || !is_there(target)) return KZ__EXIT_DONE;
    return kz__cli_fail(cli, KZ__EXIT_USAGE, "'%s' is there already: --replace puts the voice in "
                        "its place", kz__show_path(&shown, target));
}

/* As written to `file`. */
static int tell_place(kz__cli *cli, const char *name, const char *file) {
    kz__cli_note(cli, "'%.100s' is in '%s'", name, file);
    if (!cli->set.json) return KZ__EXIT_DONE;
    return kz__cli_json(cli, json_pack("{s:o, s:o}", "name", text_json(cli, name), "file",
                                       text_json(cli, file)), false);
}

/* With the name under which it is known here. */
static kz_status named(kz_voice **voice, const char *name, kz__err *err) {
    kz_voice *renamed = NULL;
    if (!strcmp(info_of(*voice).name, name)) return KZ_OK;
    kz_status status = kz_voice_rename(*voice, name, &renamed, err->text, sizeof err->text);
    if (status != KZ_OK) return status;
    kz_voice_free(*voice);
    *voice = renamed;
    return KZ_OK;
}

/* The last part of path without ".kzv"; for kz__free. NULL when out of memory. */
static char *stem_of(kz__cli *cli, const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    if (length > 4 && !strcasecmp(name + length - 4, ".kzv")) length -= 4;
    return kz__strndup(&cli->mem, name, length);
}

/* A signal leaves nothing beside the file. A reader of standard output may keep it waiting: there
 * is nothing to be left, so a signal ends it at once. */
static int write_out(kz__cli *cli, kz_voice *voice, const char *target) {
    kz__err err = {""};
    if (strcmp(target, "-") != 0) kz__interrupt_install();
    kz_status status = kz_voice_save(voice, target, err.text, sizeof err.text);
    return status == KZ_OK ? KZ__EXIT_DONE : kz__cli_status(cli, status, &err);
}

static int give(kz__cli *cli, const char **names, size_t count) {
    kz_voice *voice = NULL;
    kz__err err = {""};
    char *path = NULL;
    char file[300];
    (void)count;
    int code = kz__saved_load(cli, names[0], &voice, &path);
    char *name = code == KZ__EXIT_DONE ? stem_of(cli, path) : NULL;
    kz_status status = name || code != KZ__EXIT_DONE ? KZ_OK : KZ_ERR_MEMORY;
    if (name) status = named(&voice, name, &err);
    if (status != KZ_OK) code = kz__cli_status(cli, status, &err);
    const char *target = cli->set.output;
    snprintf(file, sizeof file, "%s.kzv", name ? name : "");
    if (!target) target = file;
    if (code == KZ__EXIT_DONE) code = check_target(cli, target);
    if (code == KZ__EXIT_DONE) code = write_out(cli, voice, target);
    if (code == KZ__EXIT_DONE && strcmp(target, "-") != 0) code = tell_place(cli, name, target);
    kz__free(&cli->mem, name);
    kz__free(&cli->mem, path);
    kz_voice_free(voice);
    return code;
}

/* ---- import ------------------------------------------------------------------------------- */

/* A name of its own, that of --name, or that of the file. */
static kz_status name_import(kz__cli *cli, const char *path, kz_voice **voice, kz__err *err) {
    const char *given = cli->set.name;
    if (given) return named(voice, given, err);
    if (info_of(*voice).name[0]) return KZ_OK;
    if (!strcmp(path, "-")) {
        return kz__fail(err, KZ_ERR_USAGE, "the voice has no name: give it one with --name NAME");
    }
    char *stem = stem_of(cli, path);
    kz_status status = stem ? named(voice, stem, err) : kz__fail_memory(err);
    kz__free(&cli->mem, stem);
    return status;
}

static kz_status read_import(kz__cli *cli, const char *path, kz_voice **voice, kz__err *err) {
    char *bytes = NULL;
    size_t length = 0;
    if (strcmp(path, "-") != 0) {
        return kz_voice_load(path, NULL, voice, err->text, sizeof err->text);
    }
    kz_status status = kz__in_file(&cli->mem, path, FILE_MOST, &bytes, &length, err);
    if (status != KZ_OK) return status;
    status = kz_voice_load_memory(bytes, length, NULL, voice, err->text, sizeof err->text);
    kz__free(&cli->mem, bytes);
    return status;
}

/* All are whole, named and free to be saved before the first is. */
static kz_status take_in(kz__cli *cli, const kz__store *store, const char **files, size_t count,
                         kz_voice **voices, json_t *saved, kz__err *err) {
    kz_status status = KZ_OK;
    for (size_t i = 0; i < count && status == KZ_OK; i++) {
        status = read_import(cli, files[i], &voices[i], err);
        if (status == KZ_OK) status = name_import(cli, files[i], &voices[i], err);
        if (status == KZ_OK && !cli->set.replace) {
            status = kz__store_check_free(store, info_of(voices[i]).name, err);
        }
    }
    kz__interrupt_install(); /* what is begun is done, and leaves nothing beside */
    for (size_t i = 0; i < count && status == KZ_OK; i++) {
        char *path = NULL;
        const char *name = info_of(voices[i]).name;
        status = kz__store_save(store, voices[i], cli->set.replace, &path, err);
        if (status != KZ_OK) break;
        kz__cli_note(cli, "'%s' is in '%s'", name, path);
        json_array_append_new(saved, json_pack("{s:s, s:o}", "name", name, "file",
                                               text_json(cli, path)));
        kz__free(&cli->mem, path);
    }
    return status;
}

static int import(kz__cli *cli, const char **files, size_t count) {
    kz__err err = {""};
    kz__store store = {0};
    if (cli->set.name && count > 1) {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "--name is for one voice, %zu files were given",
                            count);
    }
    json_t *saved = json_array();
    kz_voice **voices = kz__calloc(&cli->mem, count, sizeof(kz_voice *));
    kz_status status = voices ? kz__saved_open(cli, &store, &err) : KZ_ERR_MEMORY;
    if (status == KZ_OK) status = take_in(cli, &store, files, count, voices, saved, &err);
    int code = status == KZ_OK ? KZ__EXIT_DONE : kz__cli_status(cli, status, &err);
    for (size_t i = 0; voices && i < count; i++) kz_voice_free(voices[i]);
    kz__free(&cli->mem, voices);
    kz__store_close(&store);
    if (code == KZ__EXIT_DONE && cli->set.json) {
        return kz__cli_json(cli, json_pack("{s:o}", "saved", saved), false);
    }
    json_decref(saved);
    return code;
}

/* ---- the verb ----------------------------------------------------------------------------- */

typedef struct action {
    const char *name;
    int (*run)(kz__cli *cli, const char **words, size_t count);
    size_t least, most; /* words behind it; most 0: as many as there are */
    const char *takes;
    bool names, replaces, writes; /* takes --name, --replace, --output */
} action;

#define MANY ((size_t)-1)
static const action actions[] = {
    {"list", list, 0, 0, "no more words", false, false, false},
    {"show", show, 1, 1, "one NAME or FILE", false, false, false},
    {"remove", drop, 1, MANY, "NAME...", false, false, false},
    {"export", give, 1, 1, "one NAME", false, true, true},
    {"import", import, 1, MANY, "FILE...", true, true, false},
};

static int check_options(kz__cli *cli, const action *a) {
    const char *wrong = NULL;
    if (cli->set.output && !a->writes) wrong = "--output";
    if (cli->set.replace && !a->replaces) wrong = "--replace";
    if (cli->set.name && !a->names) wrong = "--name";
    if (!wrong) return KZ__EXIT_DONE;
    return kz__cli_fail(cli, KZ__EXIT_USAGE, "'voices %s' takes no %s", a->name, wrong);
}

int kz__cmd_voices(kz__cli *cli) {
    const char *what = cli->args.word_count > 0 ? cli->args.words[0] : "list";
    size_t count = cli->args.word_count > 0 ? cli->args.word_count - 1 : 0;
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        const action *a = &actions[i];
        if (strcmp(what, a->name) != 0) continue;
        if (count < a->least || count > a->most) {
            return kz__cli_fail(cli, KZ__EXIT_USAGE, "'voices %s' takes %s, %zu were given",
                                a->name, a->takes, count);
        }
        int code = check_options(cli, a);
        return code == KZ__EXIT_DONE ? a->run(cli, cli->args.words + 1, count) : code;
    }
    return kz__cli_fail(cli, KZ__EXIT_USAGE, "'voices' takes list, show, remove, export or import, "
                        "not '%.100s'", what);
}
