/* Every member is fetched with its type checked; a sentence names the member. */
#include "common/golden.h"

#include "base/in_file.h"
#include "common/npy.h"

#include <jansson.h>
#include <string.h>

#define JSON_MAX ((size_t)1 << 26)
#define FRAMES_MAX 1000000

typedef struct reader {
    const char *path;
    kz__golden *golden;
    size_t per_frame;
    int entries;
    kz__err *err;
} reader;

static kz_status bad(const reader *r, const char *key, const char *wanted) {
    return kz__fail(r->err, KZ_ERR_INPUT, "%s: \"%s\" must be %s", r->path, key, wanted);
}

/* A string member, or NULL where it is absent or null. */
static kz_status get_text(const reader *r, const json_t *object, const char *key, char **text,
                          size_t *length) {
    const json_t *value = json_object_get(object, key);
    if (!value || json_is_null(value)) return KZ_OK;
    if (!json_is_string(value)) return bad(r, key, "a string");
    size_t bytes = json_string_length(value);
    if (!length && strlen(json_string_value(value)) != bytes) {
        return bad(r, key, "a string without NUL");
    }
    *text = kz__strndup(r->golden->mem, json_string_value(value), bytes);
    if (!*text) return kz__fail_memory(r->err);
    if (length) *length = bytes;
    return KZ_OK;
}

static kz_status get_flag(const reader *r, const json_t *object, const char *key, int *flag) {
    const json_t *value = json_object_get(object, key);
    if (!value || json_is_null(value)) return KZ_OK;
    if (!json_is_boolean(value)) return bad(r, key, "true or false");
    *flag = json_is_true(value);
    return KZ_OK;
}

static kz_status get_count(const reader *r, const json_t *object, const char *key, int *count) {
    const json_t *value = json_object_get(object, key);
    if (!value || json_is_null(value)) return KZ_OK;
    if (!json_is_integer(value) || json_integer_value(value) < 1 ||
        json_integer_value(value) > FRAMES_MAX) {
        return bad(r, key, "a whole number from 1 to 1000000");
    }
    *count = (int)json_integer_value(value);
    return KZ_OK;
}

/* The path of a file named in the JSON. */
static kz_status sibling(const reader *r, const char *key, const char *name, char **path) {
    bool inside = name[0] && name[0] != '/' && !strstr(name, "..");
    if (!inside) return bad(r, key, "a file in or below the folder of this one");
    const char *slash = strrchr(r->path, '/');
    size_t folder = slash ? (size_t)(slash - r->path) + 1 : 0;
    *path = kz__alloc(r->golden->mem, folder + strlen(name) + 1);
    if (!*path) return kz__fail_memory(r->err);
    memcpy(*path, r->path, folder);
    strcpy(*path + folder, name);
    return KZ_OK;
}

static kz_status read_rows(const reader *r, const char *key, const json_t *rows,
                           kz__codes *codes) {
    size_t frames = json_array_size(rows);
    size_t count = 0;
    if (!kz__mul(frames, r->per_frame, &count)) return kz__fail_memory(r->err);
    codes->per_frame = r->per_frame;
    codes->values = kz__calloc(r->golden->mem, count, sizeof *codes->values);
    if (!codes->values) return kz__fail_memory(r->err);
    for (size_t f = 0; f < frames; f++) {
        const json_t *row = json_array_get(rows, f);
        if (!json_is_array(row) || json_array_size(row) != r->per_frame) {
            return kz__fail(r->err, KZ_ERR_INPUT, "%s: frame %zu of \"%s\" must be %zu integers",
                            r->path, f, key, r->per_frame);
        }
        for (size_t k = 0; k < r->per_frame; k++) {
            const json_t *code = json_array_get(row, k);
            json_int_t value = json_is_integer(code) ? json_integer_value(code) : -1;
            if (value < 0 || value >= r->entries) {
                return kz__fail(r->err, KZ_ERR_INPUT, "%s: frame %zu, codebook %zu of \"%s\" must "
                                "be an integer from 0 to %d", r->path, f, k, key, r->entries - 1);
            }
            codes->values[f * r->per_frame + k] = (int32_t)value;
        }
    }
    codes->frames = frames;
    return KZ_OK;
}

static kz_status get_codes(const reader *r, const json_t *root, const char *key,
                           kz__codes *codes) {
    const json_t *value = json_object_get(root, key);
    if (!value || json_is_null(value)) return KZ_OK;
    if (json_is_array(value)) return read_rows(r, key, value, codes);
    if (!json_is_string(value)) return bad(r, key, "an array of frames or the name of a file");
    char *path = NULL;
    kz_status status = sibling(r, key, json_string_value(value), &path);
    if (status != KZ_OK) return status;
    status = kz__codes_read(r->golden->mem, path, r->per_frame, r->entries, codes, r->err);
    kz__free(r->golden->mem, path);
    return status;
}

static kz_status copy_vector(const reader *r, const char *path, const char *bytes,
                             size_t length) {
    kz__npy npy;
    kz_status status = kz__npy_parse(bytes, length, path, &npy, r->err);
    if (status != KZ_OK) return status;
    if (npy.kind != 'f' || npy.count == 0) {
        return kz__fail(r->err, KZ_ERR_INPUT, "%s must hold float32 values", path);
    }
    float *vector = kz__calloc(r->golden->mem, npy.count, sizeof *vector);
    if (!vector) return kz__fail_memory(r->err);
    for (size_t i = 0; i < npy.count; i++) vector[i] = kz__npy_float(&npy, i);
    r->golden->speaker_vector = vector;
    r->golden->speaker_vector_length = npy.count;
    return KZ_OK;
}

static kz_status get_vector(const reader *r, const json_t *root) {
    static const char key[] = "speaker_vector";
    const json_t *value = json_object_get(root, key);
    if (!value || json_is_null(value)) return KZ_OK;
    if (!json_is_string(value)) return bad(r, key, "the name of a file");
    char *path = NULL;
    char *bytes = NULL;
    size_t length = 0;
    kz_status status = sibling(r, key, json_string_value(value), &path);
    if (status == KZ_OK) {
        status = kz__in_file(r->golden->mem, path, JSON_MAX, &bytes, &length, r->err);
    }
    if (status == KZ_OK) status = copy_vector(r, path, bytes, length);
    kz__free(r->golden->mem, bytes);
    kz__free(r->golden->mem, path);
    return status;
}

static kz_status read_request(const reader *r, const json_t *request) {
    kz__golden *g = r->golden;
    if (!json_is_object(request)) return bad(r, "request", "an object");
    kz_status status = get_text(r, request, "text", &g->text, &g->text_length);
    if (status == KZ_OK && !g->text) status = bad(r, "text", "a string");
    if (status == KZ_OK) status = get_text(r, request, "language", &g->language, NULL);
    if (status == KZ_OK) status = get_text(r, request, "voice", &g->voice, NULL);
    if (status == KZ_OK) status = get_text(r, request, "instruct", &g->instruct, NULL);
    if (status == KZ_OK) status = get_text(r, request, "reference_text", &g->reference_text, NULL);
    if (status == KZ_OK) status = get_flag(r, request, "live_text", &g->live_text);
    if (status == KZ_OK) status = get_flag(r, request, "as_reference", &g->as_reference);
    if (status == KZ_OK) status = get_count(r, request, "max_frames", &g->max_frames);
    return status;
}

static kz_status read_root(const reader *r, const json_t *root) {
    kz__golden *g = r->golden;
    const json_t *format = json_object_get(root, "format");
    const json_t *version = json_object_get(root, "version");
    if (!json_is_string(format) || strcmp(json_string_value(format), "kazeia-golden") != 0) {
        return kz__fail(r->err, KZ_ERR_INPUT, "%s is not a golden run: \"format\" must be "
                        "\"kazeia-golden\"", r->path);
    }
    if (!json_is_integer(version) || json_integer_value(version) != 1) {
        return bad(r, "version", "1; a newer program may read this file");
    }
    kz_status status = read_request(r, json_object_get(root, "request"));
    if (status == KZ_OK) status = get_text(r, root, "checkpoint", &g->checkpoint, NULL);
    if (status == KZ_OK) status = get_text(r, root, "finish", &g->finish, NULL);
    if (status == KZ_OK) status = get_codes(r, root, "codes", &g->codes);
    if (status == KZ_OK && g->codes.frames == 0) {
        status = bad(r, "codes", "at least one frame, or the name of a file");
    }
    if (status == KZ_OK) status = get_codes(r, root, "reference_codes", &g->reference_codes);
    if (status == KZ_OK) status = get_vector(r, root);
    return status;
}

kz_status kz__golden_parse(kz__mem *mem, const char *bytes, size_t length, const char *path,
                           size_t per_frame, int entries, kz__golden *golden, kz__err *err) {
    memset(golden, 0, sizeof *golden);
    golden->mem = mem;
    golden->live_text = -1;
    reader r = {path, golden, per_frame, entries, err};
    json_error_t why;
    kz_status status = KZ_OK;
    json_t *root = json_loadb(bytes, length, JSON_ALLOW_NUL, &why);
    if (!root) {
        status = kz__fail(err, KZ_ERR_INPUT, "%s is not JSON: line %d: %s", path, why.line,
                          why.text);
    } else {
        status = read_root(&r, root);
    }
    json_decref(root);
    if (status != KZ_OK) kz__golden_free(golden);
    return status;
}

kz_status kz__golden_read(kz__mem *mem, const char *path, size_t per_frame, int entries,
                          kz__golden *golden, kz__err *err) {
    char *bytes = NULL;
    size_t length = 0;
    memset(golden, 0, sizeof *golden);
    kz_status status = kz__in_file(mem, path, JSON_MAX, &bytes, &length, err);
    if (status != KZ_OK) return status;
    status = kz__golden_parse(mem, bytes, length, path, per_frame, entries, golden, err);
    kz__free(mem, bytes);
    return status;
}

void kz__golden_free(kz__golden *golden) {
    kz__mem *mem = golden->mem;
    if (!mem) return;
    char *texts[] = {golden->checkpoint, golden->text,     golden->language,      golden->voice,
                     golden->instruct,   golden->finish, golden->reference_text};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) kz__free(mem, texts[i]);
    kz__free(mem, golden->codes.values);
    kz__free(mem, golden->reference_codes.values);
    kz__free(mem, golden->speaker_vector);
    memset(golden, 0, sizeof *golden);
}

void kz__golden_request(const kz__golden *golden, kz_request *request) {
    kz_request_init(request);
    request->text = golden->text;
    request->text_length = golden->text_length;
    request->voice = golden->voice ? golden->voice : ""; /* no speaker at all */
    request->language = golden->language;
    request->instruct = golden->instruct;
    request->reference_text = golden->reference_text;
    request->speaker_vector = golden->speaker_vector;
    request->speaker_vector_length = golden->speaker_vector_length;
    request->reference_codes = golden->reference_codes.values;
    request->reference_frames = golden->reference_codes.frames;
    request->talker.temperature = 0;
    request->predictor.temperature = 0;
    if (golden->live_text == 1) request->flags |= KZ_LIVE_TEXT;
    if (golden->live_text == 0) request->flags |= KZ_WHOLE_TEXT;
    if (golden->as_reference) request->flags |= KZ_AS_REFERENCE;
    /* One frame more than recorded where the run ended by itself: a missed end shows. */
    bool stopped = golden->finish && !strcmp(golden->finish, "stop");
    int recorded = (int)golden->codes.frames + (stopped ? 1 : 0);
    request->max_frames = golden->max_frames > 0 ? golden->max_frames : recorded;
}
