/* Fields are the options that have the bit KZ__ITEM, and a few of their own. */
#include "cli/item.h"

#include "base/in_file.h"

#include <string.h>

#define FILE_MOST ((size_t)1 << 26)
#define NAME_MOST 200

static const char *const own_fields[] = {"text", "file", "output", "id"};

/* ---- fields ------------------------------------------------------------------------------- */

static int unknown_field(kz__cli *cli, const char *name) {
    const char *best = NULL;
    char shown[64];
    size_t best_distance = 0;
    size_t own = sizeof own_fields / sizeof *own_fields;
    for (size_t i = 0; i < own + kz__option_table.count; i++) {
        const kz__option *o = i < own ? NULL : &kz__option_table.list[i - own];
        const char *known = o ? o->name : own_fields[i];
        size_t distance = 0;
        if (o && !(o->verbs & KZ__ITEM)) continue;
        if (!kz__args_near(name, known, &distance)) continue;
        if (best && distance >= best_distance) continue;
        best = known;
        best_distance = distance;
    }
    const kz__option *whole = kz__args_find(&kz__option_table, KZ__BATCH, name);
    if (whole) {
        return kz__cli_fail(cli, KZ__EXIT_INPUT, "field '%.80s' belongs to the batch as a whole: "
                            "give --%s on the command line", name, whole->name);
    }
    if (!best) {
        return kz__cli_fail(cli, KZ__EXIT_INPUT, "unknown field '%.80s'; 'kazeia batch --help' "
                            "lists them", name);
    }
    snprintf(shown, sizeof shown, "%s", best);
    for (char *c = shown; *c; c++) {
        if (*c == '-') *c = '_';
    }
    return kz__cli_fail(cli, KZ__EXIT_INPUT, "unknown field '%.80s'; did you mean '%s'?", name,
                        shown);
}

static const char *kind_of(const json_t *value) {
    switch (json_typeof(value)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "a list";
    case JSON_STRING: return "a string";
    case JSON_INTEGER: return "a whole number";
    case JSON_REAL: return "a number with a point";
    case JSON_TRUE: return "true";
    case JSON_FALSE: return "false";
    case JSON_NULL: break;
    }
    return "null";
}

static int wrong_kind(kz__cli *cli, const char *name, const json_t *value, const char *wanted) {
    return kz__cli_fail(cli, KZ__EXIT_INPUT, "field '%s' is %s; %s is allowed", name,
                        kind_of(value), wanted);
}

/* The value as it would stand on the command line, or NULL with *wanted. */
static const char *as_text(const kz__option *o, const json_t *value, char *text, size_t capacity,
                           const char **wanted) {
    bool number = json_is_integer(value) || (json_is_real(value) && o->kind != KZ__INTEGER);
    switch (o->kind) {
    case KZ__FLAG:
        *wanted = "true or false";
        if (!json_is_boolean(value)) return NULL;
        return json_is_true(value) ? "1" : "0";
    case KZ__TEXT:
    case KZ__CHOICE:
        *wanted = "a string";
        if (json_is_string(value)) return json_string_value(value);
        if (!number || strcmp(o->name, "pause") != 0) return NULL;
        break;
    case KZ__INTEGER:
    case KZ__REAL:
        *wanted = o->kind == KZ__INTEGER ? "a whole number" : "a number";
        if (!number) return NULL;
        break;
    case KZ__SEED:
        *wanted = "a whole number, or a string with one";
        if (json_is_string(value)) return json_string_value(value);
        if (!json_is_integer(value)) return NULL;
        break;
    case KZ__LATER: return NULL;
    }
    if (json_is_integer(value)) {
        snprintf(text, capacity, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    } else {
        snprintf(text, capacity, "%.17g", json_real_value(value));
    }
    return text;
}

static int take_option(kz__item *item, kz__cli *cli, const char *name, const json_t *value) {
    const kz__option *o = kz__args_find(&kz__option_table, KZ__ITEM, name);
    kz__err err = {""};
    char text[sizeof item->pause];
    char origin[64];
    const char *wanted = "";
    if (!o) return unknown_field(cli, name);
    const char *given = as_text(o, value, text, sizeof text, &wanted);
    if (!given) return wrong_kind(cli, name, value, wanted);
    if (given == text && o->kind == KZ__TEXT) {
        memcpy(item->pause, text, sizeof text);
        given = item->pause;
    }
    snprintf(origin, sizeof origin, "field '%.48s'", name);
    kz_status status = kz__args_override(&item->args, o, origin, given, &item->set, &err);
    if (status == KZ_OK) return KZ__EXIT_DONE;
    return kz__cli_fail(cli, KZ__EXIT_INPUT, "%s", err.text);
}

static int take_fields(kz__item *item, kz__cli *cli) {
    kz__settings blank;
    kz__err err = {""};
    const char *name = NULL;
    json_t *value = NULL;
    json_object_foreach(item->root, name, value) {
        bool own = false;
        for (size_t i = 0; i < sizeof own_fields / sizeof *own_fields; i++) {
            own = own || !strcmp(name, own_fields[i]);
        }
        if (own || json_is_null(value)) continue;
        int code = take_option(item, cli, name, value);
        if (code != KZ__EXIT_DONE) return code;
    }
    kz__settings_init(&blank);
    if (kz__args_settle(&item->args, &item->set, &blank, &err) == KZ_OK) return KZ__EXIT_DONE;
    return kz__cli_fail(cli, KZ__EXIT_INPUT, "%s", err.text);
}

/* A string of the root, or NULL where the field is not there. */
static int take_string(kz__item *item, kz__cli *cli, const char *name, const char **text) {
    const json_t *value = json_object_get(item->root, name);
    *text = NULL;
    if (!value || json_is_null(value)) return KZ__EXIT_DONE;
    if (!json_is_string(value)) return wrong_kind(cli, name, value, "a string");
    *text = json_string_value(value);
    return KZ__EXIT_DONE;
}

/* ---- the output --------------------------------------------------------------------------- */

/* path without "." and doubled slashes. False where it leads upward or names no file. */
static bool clean_path(const char *path, char *clean) {
    size_t used = 0;
    bool file = false;
    if (*path == '/') clean[used++] = '/';
    for (const char *at = path; *at;) {
        size_t length = strcspn(at, "/");
        if (length == 2 && at[0] == '.' && at[1] == '.') return false;
        file = length > 1 || (length == 1 && *at != '.');
        if (file && used > 0 && clean[used - 1] != '/') clean[used++] = '/';
        memcpy(clean + used, at, file ? length : 0);
        used += file ? length : 0;
        at += length;
        if (*at != '/') continue;
        at++;
        file = false; /* what ends with a slash is a folder */
    }
    clean[used] = 0;
    return file;
}

static char *join(kz__mem *mem, const char *folder, const char *rest) {
    size_t length = (folder ? strlen(folder) : 0) + strlen(rest) + 2;
    char *joined = kz__alloc(mem, length);
    bool slash = folder && *folder && folder[strlen(folder) - 1] != '/';
    if (joined) snprintf(joined, length, "%s%s%s", folder ? folder : "", slash ? "/" : "", rest);
    return joined;
}

/* From the field, the id or the number of the line. */
static int name_output(kz__item *item, kz__cli *cli, char *name, size_t capacity,
                       const char **path) {
    kz__format format = KZ__FORMAT_WAV;
    int code = take_string(item, cli, "output", path);
    if (code != KZ__EXIT_DONE || *path) return code;
    name[0] = 0;
    code = kz__sound_default_format(cli, &format);
    if (code != KZ__EXIT_DONE) return code;
    const char *ending = kz__format_name(format);
    *path = name;
    if (json_is_integer(item->id)) {
        snprintf(name, capacity, "%" JSON_INTEGER_FORMAT ".%s", json_integer_value(item->id),
                 ending);
        return code;
    }
    if (!item->id) {
        snprintf(name, capacity, "%06zu.%s", item->line, ending);
        return code;
    }
    const char *id = json_string_value(item->id);
    bool plain = *id && *id != '.' && !strchr(id, '/') && strlen(id) <= NAME_MOST;
    for (const char *c = id; *c; c++) plain = plain && (unsigned char)*c >= 32 && *c != 127;
    if (!plain) {
        return kz__cli_fail(cli, KZ__EXIT_INPUT, "the id '%.80s' cannot be the name of a file; "
                            "give 'output'", id);
    }
    snprintf(name, capacity, "%s.%s", id, ending);
    return code;
}

static int plan_output(kz__item *item, kz__cli *cli, const char *folder, const char *base) {
    char name[NAME_MOST + 16];
    const char *path = NULL;
    int code = name_output(item, cli, name, sizeof name, &path);
    if (code != KZ__EXIT_DONE) return code;
    char *clean = kz__alloc(&cli->mem, strlen(path) + 1);
    if (!clean) return kz__cli_status(cli, KZ_ERR_MEMORY, NULL);
    bool absolute = *path == '/';
    if (!clean_path(path, clean)) {
        code = kz__cli_fail(cli, KZ__EXIT_INPUT, "output '%.200s' is no file below the folder",
                            path);
    } else if (absolute && folder) {
        code = kz__cli_fail(cli, KZ__EXIT_INPUT, "output '%.200s' is absolute; below the folder of "
                            "--output only relative paths are allowed", path);
    } else {
        item->output = join(&cli->mem, absolute ? NULL : folder, clean);
        item->target = join(&cli->mem, absolute ? NULL : base, clean);
        if (!item->output || !item->target) code = kz__cli_status(cli, KZ_ERR_MEMORY, NULL);
    }
    kz__free(&cli->mem, clean);
    return code == KZ__EXIT_DONE ? kz__sound_plan_file(&item->sound, cli, item->output) : code;
}

/* ---- a line ------------------------------------------------------------------------------- */

static int parse(kz__item *item, kz__cli *cli, const char *bytes, size_t length) {
    static const char mark[] = "\xef\xbb\xbf"; /* of the byte order, in front of the first line */
    json_error_t error;
    if (item->line == 1 && length > 3 && !memcmp(bytes, mark, 3)) {
        bytes += 3;
        length -= 3;
    }
    item->root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &error);
    if (!item->root && json_error_code(&error) == json_error_numeric_overflow) {
        return kz__cli_fail(cli, KZ__EXIT_INPUT, "%s (byte %d); a seed as large as that is given "
                            "as a string", error.text, error.position);
    }
    if (!item->root) {
        return kz__cli_fail(cli, KZ__EXIT_INPUT, "not JSON: %s (byte %d)", error.text,
                            error.position);
    }
    if (json_is_object(item->root)) return KZ__EXIT_DONE;
    return kz__cli_fail(cli, KZ__EXIT_INPUT, "%s; an object like {\"text\": \"Hello\"} is allowed",
                        kind_of(item->root));
}

static int take_id(kz__item *item, kz__cli *cli) {
    json_t *id = json_object_get(item->root, "id");
    if (!id || json_is_null(id)) return KZ__EXIT_DONE;
    if (!json_is_string(id) && !json_is_integer(id)) {
        return wrong_kind(cli, "id", id, "a string or a whole number");
    }
    item->id = id;
    if (json_is_string(id)) {
        snprintf(item->about, sizeof item->about, "line %zu ('%.80s'): ", item->line,
                 json_string_value(id));
    } else {
        snprintf(item->about, sizeof item->about, "line %zu (%" JSON_INTEGER_FORMAT "): ",
                 item->line, json_integer_value(id));
    }
    return KZ__EXIT_DONE;
}

static int check_text(kz__item *item, kz__cli *cli) {
    const char *file = NULL;
    int code = take_string(item, cli, "text", &item->text);
    if (code == KZ__EXIT_DONE) code = take_string(item, cli, "file", &file);
    if (code != KZ__EXIT_DONE) return code;
    if (!item->text == !file) {
        return kz__cli_fail(cli, KZ__EXIT_INPUT, item->text
                                ? "both 'text' and 'file' are there; one is allowed"
                                : "there is no 'text' and no 'file'");
    }
    return KZ__EXIT_DONE;
}

int kz__item_read(kz__item *item, kz__cli *cli, size_t line, const char *bytes, size_t length,
                  const char *folder, const char *base) {
    memset(item, 0, sizeof *item);
    item->line = line;
    item->set = cli->set;
    item->args = cli->args;
    snprintf(item->about, sizeof item->about, "line %zu: ", line);
    cli->about = item->about;
    int code = parse(item, cli, bytes, length);
    if (code == KZ__EXIT_DONE) code = take_id(item, cli);
    if (code == KZ__EXIT_DONE) code = take_fields(item, cli);
    if (code == KZ__EXIT_DONE) code = check_text(item, cli);
    if (code == KZ__EXIT_DONE) code = kz__speech_plan(&item->speech, cli, &item->set);
    if (code == KZ__EXIT_DONE) code = plan_output(item, cli, folder, base);
    cli->about = NULL;
    return code == KZ__EXIT_USAGE ? KZ__EXIT_INPUT : code;
}

int kz__item_text(kz__item *item, kz__cli *cli) {
    kz__err err = {""};
    if (item->text) {
        item->length = json_string_length(json_object_get(item->root, "text"));
        return KZ__EXIT_DONE;
    }
    const char *path = json_string_value(json_object_get(item->root, "file"));
    kz_status status = !strcmp(path, "-")
                           ? kz__fail(&err, KZ_ERR_INPUT, "a file '-' cannot be one of many")
                           : kz__in_file(&cli->mem, path, FILE_MOST, &item->loaded, &item->length,
                                         &err);
    item->text = item->loaded;
    return status == KZ_OK ? KZ__EXIT_DONE : kz__cli_status(cli, status, &err);
}

void kz__item_free(kz__item *item, kz__cli *cli) {
    json_decref(item->root);
    kz__speech_free(&item->speech, cli);
    kz__free(&cli->mem, item->loaded);
    kz__free(&cli->mem, item->output);
    kz__free(&cli->mem, item->target);
    kz__free(&cli->mem, item);
}
