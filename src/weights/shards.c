/* The index of a sharded model. */
#include "weights/shards.h"

#include "base/path.h"
#include "weights/jsonfile.h"

#include <string.h>

static bool plain_name(const char *name) {
    static const char ending[] = ".safetensors";
    size_t length = strlen(name);
    size_t end = sizeof ending - 1;
    if (length <= end || length > 255 || strcmp(name + length - end, ending)) return false;
    return !strchr(name, '/') && !strchr(name, '\\') && name[0] != '.';
}

static kz_status collect(kz__shards *shards, const char *path, json_t *seen, kz__err *err) {
    kz__shown shown;
    kz__shown shown_name;
    kz__shown shown_file;
    const char *tensor = NULL;
    json_t *value = NULL;
    kz__show_path(&shown, path);
    json_object_foreach(shards->weight_map, tensor, value) {
        const char *file = json_string_value(value);
        if (!file || !plain_name(file)) {
            return kz__fail(err, KZ_ERR_MODEL,
                            "'%s': tensor '%s' is mapped to '%s', which is not the name of a "
                            ".safetensors file",
                            shown.text, kz__show_name(&shown_name, tensor),
                            kz__show_name(&shown_file, file ? file : "(no text)"));
        }
        if (json_object_get(seen, file)) continue;
        if (shards->count == KZ__MAX_SHARDS) {
            return kz__fail(err, KZ_ERR_MODEL, "'%s' names more than %d files", shown.text,
                            KZ__MAX_SHARDS);
        }
        if (json_object_set_new(seen, file, json_true()) != 0) return kz__fail_memory(err);
        shards->files[shards->count++] = file;
    }
    if (shards->count == 0) {
        return kz__fail(err, KZ_ERR_MODEL, "'%s' has an empty weight_map", shown.text);
    }
    return KZ_OK;
}

kz_status kz__shards_parse(const void *bytes, size_t size, const char *path, kz__shards *shards,
                           kz__err *err) {
    kz__shown shown;
    memset(shards, 0, sizeof *shards);
    kz_status status = kz__json_parse(bytes, size, path, &shards->root, err);
    if (status != KZ_OK) return status;
    shards->weight_map = json_object_get(shards->root, "weight_map");
    if (!json_is_object(shards->weight_map)) {
        kz__shards_clear(shards);
        return kz__fail(err, KZ_ERR_MODEL, "'%s' has no weight_map", kz__show_path(&shown, path));
    }
    json_t *seen = json_object();
    status = seen ? collect(shards, path, seen, err) : kz__fail_memory(err);
    json_decref(seen);
    if (status != KZ_OK) kz__shards_clear(shards);
    return status;
}

const char *kz__shards_file(const kz__shards *shards, const char *tensor) {
    return json_string_value(json_object_get(shards->weight_map, tensor));
}

void kz__shards_clear(kz__shards *shards) {
    json_decref(shards->root);
    memset(shards, 0, sizeof *shards);
}
