/* JSON files of a model: size limit, no duplicate keys, an object at the top. */
#ifndef KZ_WEIGHTS_JSONFILE_H
#define KZ_WEIGHTS_JSONFILE_H

#include "base/status.h"

#include <jansson.h>

#define KZ__JSON_MAX ((size_t)16 << 20) /* bytes; the published ones have under 6000 */

/* Parses size bytes; path is for the sentence. *root is a new reference or NULL. */
kz_status kz__json_parse(const void *bytes, size_t size, const char *path, json_t **root,
                         kz__err *err);
/* The sentence for a failed json_load: file is its shown path. */
kz_status kz__json_fail(const json_error_t *error, const char *file, kz__err *err);
/* kz__json_parse for a file. */
kz_status kz__json_load(const char *path, json_t **root, kz__err *err);

#endif
