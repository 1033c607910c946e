/* What kind of model a config.json describes, and the rules that depend on its strings. */
#include "model/config.h"

#include "harness/json_file.h"
#include "harness/loading.h"
#include "harness/tmpdir.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#define TINY KZT_SOURCE_DIR "/tests/data/config/tiny.json"
#define TC "talker_config."
#define CP "talker_config.code_predictor_config."

static void load_good(const char *folder, kz__config *config) {
    kz__err err = {""};
    if (kz__config_load(&kzt_mem, folder, config, &err) != KZ_OK) fail_msg("%s", err.text);
}

/* The tiny model's config.json with one value changed. */
static void write_mutated(const char *folder, const char *path, const char *value) {
    json_t *root = kzt_read_json(TINY);
    kzt_mutate(root, path, value);
    kzt_write_json(folder, "config.json", root);
    json_decref(root);
}

/* ---- kinds ---------------------------------------------------------------------------------- */

typedef struct kind_row {
    const char *type, *size, *speakers, *encoder; /* JSON text or NULL: removed */
    kz_kind kind;
    bool takes_instruct;
    size_t vector;
    const char *notice; /* NULL: none */
} kind_row;

static void run_kinds(const char *folder, const kind_row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        json_t *root = kzt_read_json(TINY);
        kzt_mutate(root, "tts_model_type", rows[i].type);
        kzt_mutate(root, "tts_model_size", rows[i].size);
        kzt_mutate(root, TC "spk_id", rows[i].speakers);
        if (rows[i].encoder) kzt_mutate(root, "speaker_encoder_config", rows[i].encoder);
        kzt_write_json(folder, "config.json", root);
        json_decref(root);
        kzt_notices[0] = 0;
        kz__config c;
        load_good(folder, &c);
        if (c.kind != rows[i].kind || c.takes_instruct != rows[i].takes_instruct ||
            c.speaker_encoder.dim != rows[i].vector) {
            fail_msg("row %zu: kind %d, instruct %d, vector %zu", i, (int)c.kind, c.takes_instruct,
                     c.speaker_encoder.dim);
        }
        if (!rows[i].notice ? kzt_notices[0] != 0 : !strstr(kzt_notices, rows[i].notice)) {
            fail_msg("row %zu: notice '%s'", i, kzt_notices);
        }
        kz__config_clear(&kzt_mem, &c);
    }
}

#define ADA "{\"ada\":1016}"
#define ENCODER "{\"enc_dim\":256,\"sample_rate\":24000}"

/* Which sizes drop the instruct: those that are a part of "0b6". */
static void test_takes_instruct(void **state) {
    static const kind_row rows[] = {
        {"\"custom_voice\"", "\"0b6\"", ADA, NULL, KZ_KIND_CUSTOM_VOICE, false, 0, NULL},
        {"\"custom_voice\"", "\"b6\"", ADA, NULL, KZ_KIND_CUSTOM_VOICE, false, 0, NULL},
        {"\"custom_voice\"", "\"0\"", ADA, NULL, KZ_KIND_CUSTOM_VOICE, false, 0, NULL},
        {"\"custom_voice\"", "\"\"", ADA, NULL, KZ_KIND_CUSTOM_VOICE, false, 0, NULL},
        {"\"custom_voice\"", "\"0b66\"", ADA, NULL, KZ_KIND_CUSTOM_VOICE, true, 0, NULL},
        {"\"custom_voice\"", "\"1b7\"", ADA, NULL, KZ_KIND_CUSTOM_VOICE, true, 0, NULL},
        {"\"voice_design\"", "\"0b6\"", "{}", NULL, KZ_KIND_VOICE_DESIGN, true, 0, NULL},
        {"\"base\"", "\"1b7\"", "{}", ENCODER, KZ_KIND_BASE, false, 256, NULL},
    };
    run_kinds(*state, rows, sizeof rows / sizeof *rows);
}

/* B181: the type of a fine-tuned model does not fit its contents. */
static void test_B181_type_and_contents(void **state) {
    static const kind_row rows[] = {
        {"\"base\"", "\"1b7\"", ADA, NULL, KZ_KIND_CUSTOM_VOICE, true, 0, "taken as custom_voice"},
        {"\"base\"", "\"1b7\"", ADA, ENCODER, KZ_KIND_CUSTOM_VOICE, true, 256,
         "taken as custom_voice"},
        {"\"base\"", "\"1b7\"", "{}", NULL, KZ_KIND_BASE, false, 0, "no speaker_encoder_config"},
        {"\"custom_voice\"", "\"1b7\"", "{}", NULL, KZ_KIND_CUSTOM_VOICE, true, 0, "no speaker"},
        {"\"voice_design\"", "\"1b7\"", ADA, NULL, KZ_KIND_VOICE_DESIGN, true, 0,
         "there are speakers"},
        {NULL, "\"1b7\"", ADA, NULL, KZ_KIND_CUSTOM_VOICE, true, 0, "tts_model_type is missing"},
        {NULL, "\"1b7\"", "{}", ENCODER, KZ_KIND_BASE, false, 256, "base is taken"},
        {NULL, "\"1b7\"", "{}", NULL, KZ_KIND_VOICE_DESIGN, true, 0, "voice_design is taken"},
    };
    run_kinds(*state, rows, sizeof rows / sizeof *rows);
}

/* B183: what the official training script writes: a custom_voice whose encoder is left in the file
 * or not. */
static void test_B183_no_speaker_encoder(void **state) {
    static const kind_row rows[] = {
        {"\"custom_voice\"", "\"1b7\"", "{\"mine\":1000}", ENCODER, KZ_KIND_CUSTOM_VOICE, true, 256,
         NULL},
        {"\"custom_voice\"", "\"1b7\"", "{\"mine\":1000}", NULL, KZ_KIND_CUSTOM_VOICE, true, 0,
         NULL},
        {"\"custom_voice\"", "\"1b7\"", "{\"mine\":1000}", "null", KZ_KIND_CUSTOM_VOICE, true, 0,
         NULL},
    };
    run_kinds(*state, rows, sizeof rows / sizeof *rows);
}

/* B186: talker and predictor of equal and of different width. */
static void test_B186_both_width_relations(void **state) {
    const char *folder = *state;
    kz__config c;
    write_mutated(folder, CP "hidden_size", "256");
    load_good(folder, &c);
    assert_int_equal(c.predictor.width, c.talker.width);
    kz__config_clear(&kzt_mem, &c);
    write_mutated(folder, CP "hidden_size", "512");
    load_good(folder, &c);
    assert_int_equal(c.predictor.width, 512);
    kz__config_clear(&kzt_mem, &c);
}

/* The rule of the reference's transformers for a local folder; expected values follow from how
 * Python's packaging orders versions. */
static void test_pattern_rule(void **state) {
    const char *folder = *state;
    static const struct {
        const char *version;
        bool swaps;
    } rows[] = {
        {"\"4.57.3\"", true},
        {"\"4.57.2\"", false},
        {"\"4.57.1\"", false},
        {"\"4.57\"", false},
        {"\"4.57.10\"", true},
        {"\"4.58.0\"", true},
        {"\"4.58.0.dev0\"", true},
        {"\"4.57.3.dev0\"", true},
        {"\"4.57.2.dev0\"", false},
        {"\"4.57.2rc1\"", false},
        {"\"4.57.2.post1\"", true},
        {"\"4.57.2+local\"", true},
        {"\"4.57.2.0\"", false},
        {"\"4.57.2.1\"", true},
        {"\"5.0.0\"", false},
        {"\"5.0.0rc1\"", true},
        {"\"5.0.0.dev0\"", true},
        {"\"5.0\"", false},
        {"\"5.1.0\"", false},
        {"\"10.0\"", false},
        {"\"4.9.0\"", false},
        {"\"v4.57.1\"", false},
        {"\"\"", true},
        {"null", true},
        {NULL, true},
        {"\"4\"", false},
        {"\"4.57.2-1\"", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kz__config c;
        write_mutated(folder, "transformers_version", rows[i].version);
        load_good(folder, &c);
        if (c.reference_swaps_pattern != rows[i].swaps) fail_msg("%s", rows[i].version);
        kz__config_clear(&kzt_mem, &c);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, kzt_loading_begin, kzt_loading_end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_takes_instruct),
        TEST(test_B181_type_and_contents),
        TEST(test_B183_no_speaker_encoder),
        TEST(test_B186_both_width_relations),
        TEST(test_pattern_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
