/* JSON by jansson, which checks UTF-8, nesting (2048) and the range of numbers. */
#include "weights/jsonfile.h"

#include "base/mapfile.h"
#include "base/path.h"
#include "weights/foreign.h"

/* The parser leaves no text where its first allocation failed. */
kz_status kz__json_fail(const json_error_t *error, const char *file, kz__err *err) {
    kz__shown reason;
    if (!error->text[0] || json_error_code(error) == json_error_out_of_memory) {
        return kz__fail_memory(err);
    }
    return kz__fail(err, KZ_ERR_MODEL, "'%s' is not valid JSON: line %d: %s", file, error->line,
                    kz__show_name(&reason, error->text));
}

kz_status kz__json_parse(const void *bytes, size_t size, const char *path, json_t **root,
                         kz__err *err) {
    kz__shown shown;
    *root = NULL;
    kz__show_path(&shown, path);
    if (size == 0) return kz__fail(err, KZ_ERR_MODEL, "'%s' is empty", shown.text);
    if (size > KZ__JSON_MAX) {
        return kz__fail(err, KZ_ERR_MODEL, "'%s' has %zu bytes, at most %zu are read", shown.text,
                        size, KZ__JSON_MAX);
    }
    const char *foreign = kz__foreign(bytes, size);
    if (foreign) return kz__fail(err, KZ_ERR_MODEL, "'%s' is %s", shown.text, foreign);
    json_error_t error;
    json_t *value = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &error);
    if (!value) {
        return kz__json_fail(&error, shown.text, err);
    }
    if (!json_is_object(value)) {
        json_decref(value);
        return kz__fail(err, KZ_ERR_MODEL, "'%s' holds no JSON object", shown.text);
    }
    *root = value;
    return KZ_OK;
}

kz_status kz__json_load(const char *path, json_t **root, kz__err *err) {
    kz__mapfile file;
    *root = NULL;
    kz_status status = kz__mapfile_open(&file, path, err);
    if (status != KZ_OK) return status;
    status = kz__json_parse(file.data, file.size, path, root, err);
    kz__mapfile_close(&file);
    return status;
}
