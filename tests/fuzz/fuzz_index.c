/* Fuzz target: the index of a sharded model. What is accepted names plain files only. */
#include "weights/shards.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    kz__shards shards;
    kz__err err;
    if (kz__shards_parse(data, size, "fuzz.index.json", &shards, &err) != KZ_OK) return 0;
    const char *name = NULL;
    json_t *value = NULL;
    if (shards.count == 0 || shards.count > KZ__MAX_SHARDS) abort();
    json_object_foreach(shards.weight_map, name, value) {
        const char *file = kz__shards_file(&shards, name);
        bool listed = false;
        if (!file || strchr(file, '/') || file[0] == '.' || strlen(file) > 255) abort();
        for (size_t i = 0; i < shards.count; i++) listed = listed || !strcmp(shards.files[i], file);
        if (!listed) abort();
    }
    kz__shards_clear(&shards);
    return 0;
}
