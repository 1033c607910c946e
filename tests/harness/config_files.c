/* The files are those of a tiny model of named speakers, tests/data/config/tiny*.json. */
#include "harness/config_files.h"

#include "harness/json_file.h"
#include "harness/loading.h"
#include "harness/tmpdir.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>

#define TINY KZT_SOURCE_DIR "/tests/data/config/tiny"

const char *const kzt_config_names[3] = {"config.json", "generation_config.json",
                                         "codec/config.json"};

void kzt_write_mutated(const char *folder, kzt_which file, const char *path, const char *value) {
    static const char *const sources[] = {TINY ".json", TINY "-generation.json",
                                          TINY "-codec.json"};
    for (int i = 0; i < 3; i++) {
        json_t *root = kzt_read_json(sources[i]);
        if (i == (int)file && path) kzt_mutate(root, path, value);
        kzt_write_json(folder, kzt_config_names[i], root);
        json_decref(root);
    }
}

kz_status kzt_load(const char *folder, kz__config *config, kz__err *err) {
    char *codec = kzt_path(folder, "codec");
    kz_status status = kz__config_load(&kzt_mem, folder, config, err);
    if (status == KZ_OK) {
        status = kz__config_load_codec(&kzt_mem, codec, config, err);
        if (status != KZ_OK) {
            assert_int_equal(config->codec.quantizers, 0);
            assert_true(config->has_talker);
            kz__config_clear(&kzt_mem, config);
        }
    }
    free(codec);
    if (status != KZ_OK) {
        assert_false(config->has_talker);
        assert_null(config->languages);
        assert_int_equal(atomic_load(&kzt_mem.current), 0);
    }
    return status;
}

void kzt_load_good(const char *folder, kz__config *config) {
    kz__err err = {""};
    if (kzt_load(folder, config, &err) != KZ_OK) fail_msg("%s", err.text);
}

void kzt_run_rows(const char *folder, const kzt_row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        kz__config config;
        kz__err err = {""};
        kzt_write_mutated(folder, rows[i].file, rows[i].path, rows[i].value);
        kz_status status = kzt_load(folder, &config, &err);
        const char *shown = rows[i].value ? rows[i].value : "removed";
        if (!rows[i].first) {
            if (status != KZ_OK) fail_msg("%s = %s: %s", rows[i].path, shown, err.text);
            kz__config_clear(&kzt_mem, &config);
            continue;
        }
        if (status != KZ_ERR_MODEL) fail_msg("%s = %s: loads", rows[i].path, shown);
        kzt_expect_text(err.text, rows[i].first, rows[i].second, "");
        kzt_expect_text(err.text, kzt_config_names[rows[i].file], "'", "");
    }
}
