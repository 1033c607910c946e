/* JSON fixtures by jansson. */
#include "harness/json_file.h"

#include "harness/tmpdir.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void kzt_mutate(json_t *root, const char *path, const char *value) {
    char key[128];
    json_t *object = root;
    const char *dot = NULL;
    while ((dot = strchr(path, '.'))) {
        snprintf(key, sizeof key, "%.*s", (int)(dot - path), path);
        object = json_object_get(object, key);
        assert_true(json_is_object(object));
        path = dot + 1;
    }
    if (value) {
        json_error_t error;
        json_t *parsed = json_loads(value, JSON_DECODE_ANY, &error);
        if (!parsed) fail_msg("mutation %s: %s", value, error.text);
        json_object_set_new(object, path, parsed);
    } else {
        if (!json_object_get(object, path)) fail_msg("nothing to remove: %s", path);
        json_object_del(object, path);
    }
}

json_t *kzt_read_json(const char *path) {
    char *text = kzt_read(path, NULL);
    json_t *root = json_loads(text, 0, NULL);
    assert_non_null(root);
    free(text);
    return root;
}

void kzt_write_json(const char *folder, const char *name, const json_t *root) {
    char *text = json_dumps(root, JSON_INDENT(1));
    assert_non_null(text);
    kzt_write_text(folder, name, text);
    free(text);
}
