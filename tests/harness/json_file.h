/* JSON files as fixtures: read, change one value, write. Everything fails the test itself. */
#ifndef KZT_HARNESS_JSON_FILE_H
#define KZT_HARNESS_JSON_FILE_H

#include <jansson.h>

json_t *kzt_read_json(const char *path);
void kzt_write_json(const char *folder, const char *name, const json_t *root);
/* Sets the value at a dotted path ("talker_config.hidden_size") to JSON text, or removes it (NULL).
 */
void kzt_mutate(json_t *root, const char *path, const char *value);

#endif
