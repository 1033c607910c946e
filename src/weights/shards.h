/* `model.safetensors.index.json`: which tensor is in which file of a sharded model. */
#ifndef KZ_WEIGHTS_SHARDS_H
#define KZ_WEIGHTS_SHARDS_H

#include "base/mem.h"

#include <jansson.h>

#define KZ__MAX_SHARDS 256

typedef struct kz__shards {
    json_t *root;
    json_t *weight_map;                /* tensor name -> file name; borrowed from root */
    const char *files[KZ__MAX_SHARDS]; /* distinct, in order of appearance; borrowed from root */
    size_t count;                      /* at least 1 */
} kz__shards;

/* Parses the index. File names are plain names of `.safetensors` files, without a folder. path is
 * for the sentence. On failure *shards is empty. */
kz_status kz__shards_parse(const void *bytes, size_t size, const char *path, kz__shards *shards,
                           kz__err *err);
/* The file of a tensor, or NULL. */
const char *kz__shards_file(const kz__shards *shards, const char *tensor);
/* Takes an empty (zeroed) one. */
void kz__shards_clear(kz__shards *shards);

#endif
