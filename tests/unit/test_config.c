/* Reading a model's JSON files: a tiny model, the published numbers, and one mutation at a
 * time. */
#include "harness/config_files.h"
#include "harness/failing_alloc.h"
#include "harness/json_file.h"
#include "harness/loading.h"
#include "harness/tmpdir.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PUBLISHED KZT_SOURCE_DIR "/tests/data/config"
#define TINY PUBLISHED "/tiny.json"

/* ---- good models --------------------------------------------------------------------------- */

static void test_tiny(void **state) {
    const char *folder = *state;
    kz__config c;
    kzt_write_mutated(folder, MAIN, NULL, NULL);
    kzt_load_good(folder, &c);
    assert_true(c.has_talker);
    assert_int_equal(c.kind, KZ_KIND_CUSTOM_VOICE);
    assert_string_equal(c.size_name, "tiny");
    assert_true(c.takes_instruct);
    assert_true(c.reference_swaps_pattern);
    assert_int_equal(c.im_start, 539);
    assert_int_equal(c.im_end, 540);
    assert_int_equal(c.assistant, 513);
    assert_int_equal(c.tts_pad, 541);
    assert_int_equal(c.tts_bos, 542);
    assert_int_equal(c.tts_eos, 543);
    assert_int_equal(c.text_vocab, 544);
    assert_int_equal(c.text_width, 256);
    assert_int_equal(c.code_groups, 16);
    assert_int_equal(c.talker_vocab, 1088);
    assert_int_equal(c.predictor_vocab, 64);
    assert_int_equal(c.max_positions, 32768);
    assert_int_equal(c.talker.width, 256);
    assert_int_equal(c.talker.intermediate, 768);
    assert_int_equal(c.talker.layers, 5);
    assert_int_equal(c.talker.heads, 8);
    assert_int_equal(c.talker.kv_heads, 4);
    assert_int_equal(c.talker.head_dim, 32);
    assert_true(c.talker.norm_eps == 1e-6f && c.talker.rope_theta == 10000.0);
    assert_true(c.talker.qk_norm && !c.talker.layer_scale && c.talker.window == 0);
    assert_int_equal(c.predictor.width, 128);
    assert_int_equal(c.predictor.intermediate, 384);
    assert_int_equal(c.predictor.layers, 2);
    assert_int_equal(c.predictor.heads, 4);
    assert_int_equal(c.predictor.kv_heads, 2);
    assert_true(c.predictor.qk_norm && c.predictor.window == 0);
    assert_int_equal(c.codec_pad, 164);
    assert_int_equal(c.codec_bos, 165);
    assert_int_equal(c.codec_eos, 166);
    assert_int_equal(c.think, 170);
    assert_int_equal(c.nothink, 171);
    assert_int_equal(c.think_bos, 172);
    assert_int_equal(c.think_eos, 173);
    assert_int_equal(c.language_count, 1);
    assert_string_equal(c.languages[0].name, "english");
    assert_int_equal(c.languages[0].id, 66);
    assert_int_equal(c.speaker_count, 1);
    assert_string_equal(c.speakers[0].name, "ada");
    assert_int_equal(c.speakers[0].id, 1016);
    assert_int_equal(c.speakers[0].dialect, -1);
    assert_int_equal(c.speaker_encoder.dim, 0);
    assert_int_equal(c.codec.codebook_size, 64);
    assert_int_equal(c.codec.codebook_dim, 256);
    assert_int_equal(c.codec.latent_dim, 256);
    assert_int_equal(c.codec.decoder_dim, 256);
    assert_int_equal(c.codec.stack.width, 256);
    assert_int_equal(c.codec.stack.heads, 4);
    assert_int_equal(c.codec.stack.window, 8);
    assert_true(c.codec.stack.norm_eps == 1e-5f);
    assert_true(c.codec.stack.layer_scale && !c.codec.stack.qk_norm);
    assert_string_equal(kzt_notices, "");
    kz__config_clear(&kzt_mem, &c);
}

static void copy_published(const char *folder, const char *name) {
    const char *const pairs[3][2] = {{name, "config.json"},
                                     {"generation.json", "generation_config.json"},
                                     {"codec.json", "codec/config.json"}};
    for (int i = 0; i < 3; i++) {
        char *path = kzt_path(PUBLISHED, pairs[i][0]);
        char *text = kzt_read(path, NULL);
        kzt_write_text(folder, pairs[i][1], text);
        free(text);
        free(path);
    }
}

static void test_published_custom_voice(void **state) {
    const char *folder = *state;
    kz__config c;
    copy_published(folder, "1.7b-customvoice.json");
    kzt_load_good(folder, &c);
    assert_int_equal(c.kind, KZ_KIND_CUSTOM_VOICE);
    assert_string_equal(c.size_name, "1b7");
    assert_true(c.takes_instruct);
    assert_int_equal(c.talker.width, 2048);
    assert_int_equal(c.talker.layers, 28);
    assert_int_equal(c.predictor.width, 1024);
    assert_int_equal(c.text_vocab, 151936);
    assert_int_equal(c.talker_vocab, 3072);
    assert_int_equal(c.codec_eos, 2150);
    assert_int_equal(c.language_count, 12);
    assert_int_equal(c.speaker_count, 9);
    assert_string_equal(c.speakers[0].name, "serena");
    assert_int_equal(c.speakers[0].id, 3066);
    assert_int_equal(c.speakers[0].dialect, -1);
    assert_string_equal(c.speakers[7].name, "eric");
    assert_string_equal(c.languages[c.speakers[7].dialect].name, "sichuan_dialect");
    assert_int_equal(c.languages[c.speakers[7].dialect].id, 2062);
    assert_string_equal(c.languages[c.speakers[8].dialect].name, "beijing_dialect");
    assert_true(c.sample_talker.temperature == 0.9 && c.sample_talker.top_k == 50);
    assert_true(c.sample_talker.top_p == 1.0 && c.sample_talker.repetition_penalty == 1.05);
    assert_int_equal(c.sample_talker.repetition_window, 0);
    assert_true(c.sample_predictor.temperature == 0.9 && c.sample_predictor.top_k == 50);
    assert_true(c.sample_predictor.repetition_penalty == 1.0);
    assert_int_equal(c.max_new_tokens, 8192);
    assert_int_equal(c.codec.quantizers, 16);
    assert_int_equal(c.codec.semantic_quantizers, 1);
    assert_int_equal(c.codec.codebook_size, 2048);
    assert_int_equal(c.codec.decoder_dim, 1536);
    assert_int_equal(c.codec.stack.window, 72);
    assert_int_equal(c.codec.stack.layers, 8);
    assert_int_equal(c.codec.upsample_rate_count, 4);
    assert_int_equal(c.codec.upsample_rates[0], 8);
    assert_int_equal(c.codec.upsample_rates[3], 3);
    assert_int_equal(c.codec.upsampling_ratio_count, 2);
    assert_int_equal(c.codec.sample_rate, 24000);
    assert_int_equal(c.codec.samples_per_frame, 1920);
    assert_int_equal(c.codec.encoder.quantizers, 16);
    assert_int_equal(c.codec.encoder.filters, 64);
    assert_int_equal(c.codec.encoder.rates[0], 4);
    assert_int_equal(c.codec.encoder.rates[3], 8);
    assert_int_equal(c.codec.encoder.samples_per_frame, 1920);
    assert_int_equal(c.codec.encoder.stack.window, 0);
    assert_true(c.codec.encoder.stack.plain && c.codec.encoder.stack.norm_eps == 1e-5f);
    assert_string_equal(kzt_notices, "");
    kz__config_clear(&kzt_mem, &c);
}

static void test_published_base(void **state) {
    const char *folder = *state;
    kz__config c;
    copy_published(folder, "0.6b-base.json");
    kzt_load_good(folder, &c);
    assert_int_equal(c.kind, KZ_KIND_BASE);
    assert_false(c.takes_instruct);
    assert_int_equal(c.speaker_encoder.dim, 1024);
    assert_int_equal(c.speaker_encoder.sample_rate, 24000);
    assert_int_equal(c.speaker_encoder.mel_dim, 128); /* from here on defaults of the package */
    assert_int_equal(c.speaker_encoder.layers, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(c.speaker_encoder.channels[i], i < 4 ? 512 : 1536);
        assert_int_equal(c.speaker_encoder.taps[i], i == 0 ? 5 : i < 4 ? 3 : 1);
        assert_int_equal(c.speaker_encoder.dilations[i], i % 4 == 0 ? 1 : i + 1);
    }
    assert_int_equal(c.speaker_encoder.scale, 8);
    assert_int_equal(c.speaker_encoder.squeeze, 128);
    assert_int_equal(c.speaker_encoder.attention, 128);
    assert_int_equal(c.talker.width, 1024);
    assert_int_equal(c.talker.heads * c.talker.head_dim, 2048);
    assert_int_equal(c.language_count, 10);
    assert_int_equal(c.speaker_count, 0);
    assert_string_equal(kzt_notices, "");
    kz__config_clear(&kzt_mem, &c);
}

/* ---- the folder is something else ----------------------------------------------------------- */

/* B185: one line that says what it is and what was expected. */
static void test_B185_other_architecture(void **state) {
    static const kzt_row rows[] = {
        {MAIN, "model_type", "\"llama\"", "this is a llama model", "Kazeia speaks qwen3_tts"},
        {MAIN, "model_type", "\"qwen3_tts_tokenizer_12hz\"", "only the speech tokenizer",
         "give the model's folder"},
        {MAIN, "model_type", NULL, "model_type is missing", "qwen3_tts"},
        {MAIN, "model_type", "7", "model_type is 7", "a string"},
        {MAIN, "model_type", "\"a\\nb\"", "this is a a?b model", ""},
        {MAIN, "tokenizer_type", "\"qwen3_tts_tokenizer_25hz\"", "qwen3_tts_tokenizer_25hz",
         "qwen3_tts_tokenizer_12hz"},
        {MAIN, "tokenizer_type", NULL, NULL, NULL},
        {CODEC, "model_type", "\"qwen3_tts_tokenizer_25hz\"", "qwen3_tts_tokenizer_25hz",
         "qwen3_tts_tokenizer_12hz"},
        {CODEC, "model_type", "\"qwen3_tts\"", "not a speech tokenizer",
         "give the speech tokenizer's folder"},
        {CODEC, "model_type", NULL, "model_type is missing", ""},
    };
    RUN(*state, rows);
}

static void test_B198_config_is_no_json(void **state) {
    const char *folder = *state;
    static const struct {
        const char *text, *first, *second;
    } texts[] = {
        {"", "is empty", ""},
        {"version https://git-lfs.github.com/spec/v1\n", "pointer", "fetch the real one"},
        {"<html>", "web page", "fetch it again"},
        {"{\"model_type\":\"qwen3_tts\"", "not valid JSON", "line 1"},
        {"[]", "no JSON object", ""},
        {"{\"a\":1,\"a\":2}", "not valid JSON", "duplicate"},
        {"{\"rms_norm_eps\":NaN}", "not valid JSON", "NaN"},
        {"{\"rms_norm_eps\":1e999}", "not valid JSON", "overflow"},
        {"{} x", "not valid JSON", ""},
    };
    for (int file = 0; file < 3; file++) {
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
            kz__config config;
            kz__err err = {""};
            kzt_write_mutated(folder, MAIN, NULL, NULL);
            kzt_write_text(folder, kzt_config_names[file], texts[i].text);
            assert_int_equal(kzt_load(folder, &config, &err), KZ_ERR_MODEL);
            kzt_expect_text(err.text, texts[i].first, texts[i].second, "");
            kzt_expect_text(err.text, kzt_config_names[file], "", "");
        }
    }
}

static void test_too_large_file(void **state) {
    const char *folder = *state;
    kz__config config;
    kz__err err = {""};
    kzt_write_mutated(folder, MAIN, NULL, NULL);
    kzt_write_sparse(folder, "config.json", "{", 1, ((size_t)16 << 20) + 1);
    assert_int_equal(kzt_load(folder, &config, &err), KZ_ERR_MODEL);
    kzt_expect_text(err.text, "16777217 bytes", "at most 16777216", "");
}

/* B180, B181: files that are not there. */
static void test_B180_missing_files(void **state) {
    const char *folder = *state;
    kz__config config;
    kz__err err = {""};
    kzt_write_mutated(folder, MAIN, NULL, NULL);
    kzt_unlink(folder, "codec/config.json");
    assert_int_equal(kzt_load(folder, &config, &err), KZ_ERR_MODEL);
    kzt_expect_text(err.text, "codec/config.json", "give the speech tokenizer's folder", "");
    kzt_write_mutated(folder, MAIN, NULL, NULL);
    kzt_unlink(folder, "config.json");
    assert_int_equal(kzt_load(folder, &config, &err), KZ_ERR_MODEL);
    kzt_expect_text(err.text, "there is no", "/config.json", "");
}

/* The reference's own fallbacks, in a file that lacks a key and without the file. */
static void test_generation_fallbacks(void **state) {
    const char *folder = *state;
    kz__config c;
    kzt_write_mutated(folder, MAIN, NULL, NULL);
    for (int round = 0; round < 3; round++) {
        if (round == 0) {
            kzt_unlink(folder, "generation_config.json");
        } else {
            kzt_write_text(folder, "generation_config.json",
                           round == 1 ? "{}" : "{\"temperature\":null,\"max_new_tokens\":null}");
        }
        kzt_load_good(folder, &c);
        assert_int_equal(c.max_new_tokens, 2048);
        assert_true(c.sample_talker.temperature == 0.9 && c.sample_talker.top_k == 50);
        assert_true(c.sample_talker.top_p == 1.0);
        assert_true(c.sample_talker.repetition_penalty == 1.05);
        assert_true(c.sample_predictor.temperature == 0.9 && c.sample_predictor.top_k == 50);
        assert_true(c.sample_predictor.top_p == 1.0);
        assert_true(c.sample_predictor.repetition_penalty == 1.0);
        kz__config_clear(&kzt_mem, &c);
    }
    kzt_write_text(folder, "generation_config.json",
                   "{\"do_sample\":false,\"subtalker_dosample\":true,\"temperature\":0.5,"
                   "\"top_k\":7.0,\"top_p\":0.25,\"repetition_penalty\":1.5,"
                   "\"subtalker_temperature\":0.75,\"subtalker_top_k\":0,\"subtalker_top_p\":0.5,"
                   "\"max_new_tokens\":9}");
    kzt_load_good(folder, &c);
    assert_true(c.sample_talker.temperature == 0.0 && c.sample_talker.top_k == 7);
    assert_true(c.sample_talker.top_p == 0.25 && c.sample_talker.repetition_penalty == 1.5);
    assert_true(c.sample_predictor.temperature == 0.75 && c.sample_predictor.top_k == 0);
    assert_true(c.sample_predictor.top_p == 0.5);
    assert_int_equal(c.max_new_tokens, 9);
    kz__config_clear(&kzt_mem, &c);
    kzt_write_text(folder, "generation_config.json", "{\"subtalker_dosample\":false}");
    kzt_load_good(folder, &c);
    assert_true(c.sample_talker.temperature == 0.9 && c.sample_predictor.temperature == 0.0);
    kz__config_clear(&kzt_mem, &c);
}

/* ---- ranges and relations ------------------------------------------------------------------- */

#define TC "talker_config."
#define CP "talker_config.code_predictor_config."
#define DC "decoder_config."
#define EC "encoder_config."

static void test_main_rows(void **state) {
    static const kzt_row rows[] = {
        {MAIN, "talker_config", NULL, "talker_config is missing", "an object"},
        {MAIN, "talker_config", "[]", "talker_config is a list", "an object"},
        {MAIN, "talker_config.code_predictor_config", NULL, "code_predictor_config is missing", ""},
        {MAIN, TC "hidden_size", NULL, TC "hidden_size is missing", "from 1 to"},
        {MAIN, TC "hidden_size", "null", TC "hidden_size is null", ""},
        {MAIN, TC "hidden_size", "-256", TC "hidden_size is -256", "from 1 to 65536"},
        {MAIN, TC "hidden_size", "0", TC "hidden_size is 0", ""},
        {MAIN, TC "hidden_size", "256.5", TC "hidden_size is 256.5", "whole number"},
        {MAIN, TC "hidden_size", "256.0", NULL, NULL},
        {MAIN, TC "hidden_size", "1e30", TC "hidden_size is 1e+30", "to 65536"},
        {MAIN, TC "hidden_size", "9007199254740993", TC "hidden_size is 9007199254740993", ""},
        {MAIN, TC "hidden_size", "\"256\"", TC "hidden_size is '256'", ""},
        {MAIN, TC "hidden_size", "true", TC "hidden_size is true", ""},
        {MAIN, TC "hidden_size", "100000", TC "hidden_size is 100000", "65536"},
        {MAIN, TC "intermediate_size", "1000000", TC "intermediate_size is 1000000", ""},
        {MAIN, TC "num_hidden_layers", "0", TC "num_hidden_layers is 0", "from 1 to 512"},
        {MAIN, TC "num_hidden_layers", "513", TC "num_hidden_layers is 513", "512"},
        {MAIN, TC "num_attention_heads", "1025", TC "num_attention_heads is 1025", "1024"},
        {MAIN, TC "num_key_value_heads", "3", "num_attention_heads is 8", "num_key_value_heads 3"},
        {MAIN, TC "num_key_value_heads", NULL, TC "num_key_value_heads is missing", ""},
        {MAIN, TC "num_key_value_heads", "16", "no multiple of num_key_value_heads 16", ""},
        {MAIN, TC "head_dim", "33", TC "head_dim is 33", "even"},
        {MAIN, TC "head_dim", "1026", TC "head_dim is 1026", "1024"},
        {MAIN, TC "head_dim", NULL, TC "head_dim is missing", ""},
        {MAIN, TC "head_dim", "64", "mrope_section adds up to 16", "half of head_dim is 32"},
        {MAIN, TC "num_attention_heads", "4", NULL, NULL},
        {MAIN, CP "head_dim", "1024", NULL, NULL},
        {MAIN, CP "num_attention_heads", "1024", NULL, NULL},
        {MAIN, TC "rope_scaling.mrope_section", "[6,5,6]", "mrope_section adds up to 17", "16"},
        {MAIN, TC "rope_scaling.mrope_section", "[]", "mrope_section has 0 numbers", ""},
        {MAIN, TC "rope_scaling.mrope_section", "[-1,17]", "mrope_section is -1", ""},
        {MAIN, TC "rope_scaling.mrope_section", NULL, NULL, NULL},
        {MAIN, TC "rope_scaling", "null", NULL, NULL},
        {MAIN, TC "rope_scaling", "3", "rope_scaling is 3", "object"},
        {MAIN, TC "rope_scaling.rope_type", "\"yarn\"", "rope_type is 'yarn'", "default"},
        {MAIN, CP "rope_scaling", "{\"rope_type\":\"linear\",\"factor\":2}",
         CP "rope_scaling.rope_type is 'linear'", "default"},
        {MAIN, TC "hidden_act", "\"gelu\"", TC "hidden_act is 'gelu'", "'silu'"},
        {MAIN, TC "hidden_act", NULL, NULL, NULL},
        {MAIN, TC "attention_bias", "true", TC "attention_bias is true", "not supported"},
        {MAIN, TC "attention_bias", "0", TC "attention_bias is 0", "true or false"},
        {MAIN, TC "attention_bias", NULL, NULL, NULL},
        {MAIN, CP "attention_bias", "true", CP "attention_bias is true", ""},
        {MAIN, TC "rms_norm_eps", "-1e-6", TC "rms_norm_eps is -1e-06", "from 1e-12"},
        {MAIN, TC "rms_norm_eps", "0", TC "rms_norm_eps is 0", ""},
        {MAIN, TC "rms_norm_eps", "1", TC "rms_norm_eps is 1", "0.1"},
        {MAIN, TC "rms_norm_eps", "\"NaN\"", TC "rms_norm_eps is 'NaN'", ""},
        {MAIN, TC "rms_norm_eps", NULL, TC "rms_norm_eps is missing", ""},
        {MAIN, TC "rope_theta", "0", TC "rope_theta is 0", ""},
        {MAIN, TC "rope_theta", "1e300", TC "rope_theta is 1e+300", ""},
        {MAIN, TC "rope_theta", NULL, TC "rope_theta is missing", ""},
        {MAIN, CP "rope_theta", NULL, CP "rope_theta is missing", ""},
        {MAIN, CP "hidden_act", "\"relu\"", CP "hidden_act is 'relu'", ""},
        {MAIN, CP "num_code_groups", "15", CP "num_code_groups is 15", "the talker's is 16"},
        {MAIN, TC "num_code_groups", "32", TC "num_code_groups is 32", "from 2 to 16"},
        {MAIN, TC "num_code_groups", "1", TC "num_code_groups is 1", ""},
        {MAIN, CP "vocab_size", "0", CP "vocab_size is 0", ""},
        {MAIN, CP "vocab_size", "65", "codebook_size is 64", "vocab_size 65"},
        {MAIN, CP "vocab_size", "63", NULL, NULL},
        {MAIN, TC "vocab_size", "1024", TC "vocab_size is 1024", "from 1025"},
        {MAIN, TC "text_vocab_size", "5000000", TC "text_vocab_size is 5000000", "4194304"},
        {MAIN, TC "text_vocab_size", "543", "tts_eos_token_id is 543", "from 0 to 542"},
        {MAIN, TC "text_hidden_size", "0", TC "text_hidden_size is 0", ""},
        {MAIN, TC "max_position_embeddings", "0", TC "max_position_embeddings is 0", ""},
        {MAIN, TC "max_position_embeddings", "2000000", TC "max_position_embeddings is 2000000",
         "1048576"},
        {MAIN, "im_start_token_id", "544", "im_start_token_id is 544", "from 0 to 543"},
        {MAIN, "im_end_token_id", "-1", "im_end_token_id is -1", ""},
        {MAIN, "assistant_token_id", NULL, "assistant_token_id is missing", ""},
        {MAIN, "tts_pad_token_id", "1e9", "tts_pad_token_id is 1e+09", ""},
        {MAIN, "tts_bos_token_id", NULL, "tts_bos_token_id is missing", ""},
        {MAIN, TC "codec_pad_id", "1088", TC "codec_pad_id is 1088", "from 0 to 1087"},
        {MAIN, TC "codec_bos_id", NULL, TC "codec_bos_id is missing", ""},
        {MAIN, TC "codec_eos_token_id", "63", TC "codec_eos_token_id is 63", "one of the 64 codes"},
        {MAIN, TC "codec_eos_token_id", "64", NULL, NULL},
        {MAIN, TC "codec_think_id", "2154", TC "codec_think_id is 2154", ""},
        {MAIN, TC "codec_nothink_id", "[]", TC "codec_nothink_id is a list", ""},
        {MAIN, TC "codec_think_bos_id", "{}", TC "codec_think_bos_id is an object", ""},
        {MAIN, TC "codec_think_eos_id", "-5", TC "codec_think_eos_id is -5", ""},
        {MAIN, "tts_model_size", NULL, "tts_model_size is missing", ""},
        {MAIN, "tts_model_size", "\"0123456789012345678901234567890x\"", "tts_model_size", "31"},
        {MAIN, "tts_model_type", "\"voice_clone\"", "tts_model_type is 'voice_clone'",
         "base, custom_voice or voice_design"},
    };
    RUN(*state, rows);
}

/* Each of both is allowed, their product is not. */
static void test_attention_width(void **state) {
    const char *folder = *state;
    kz__config c;
    kz__err err = {""};
    kzt_write_mutated(folder, MAIN, NULL, NULL);
    json_t *root = kzt_read_json(TINY);
    kzt_mutate(root, CP "head_dim", "1024");
    kzt_mutate(root, CP "num_attention_heads", "64");
    kzt_write_json(folder, "config.json", root);
    kzt_load_good(folder, &c);
    kz__config_clear(&kzt_mem, &c);
    kzt_mutate(root, CP "num_attention_heads", "66");
    kzt_write_json(folder, "config.json", root);
    json_decref(root);
    assert_int_equal(kzt_load(folder, &c, &err), KZ_ERR_MODEL);
    kzt_expect_text(err.text, CP "num_attention_heads * head_dim is 67584", "65536", "");
}

static void test_windows(void **state) {
    static const kzt_row rows[] = {
        {MAIN, TC "use_sliding_window", "true", TC "sliding_window is null", "whole number"},
        {MAIN, TC "use_sliding_window", "1", TC "use_sliding_window is 1", "true or false"},
        {MAIN, TC "sliding_window", "4096", NULL, NULL},
        {MAIN, CP "use_sliding_window", "true", CP "layer_types", "sliding_attention"},
        {MAIN, CP "layer_types", "[\"full_attention\",\"sliding_attention\"]", CP "layer_types",
         "full_attention"},
        {MAIN, CP "layer_types", "[\"full_attention\"]", CP "layer_types has 1 entries",
         "2 layers"},
        {MAIN, CP "layer_types", "4", CP "layer_types is not a list", ""},
        {MAIN, CP "layer_types", NULL, NULL, NULL},
        {CODEC, DC "sliding_window", "null", DC "sliding_window is null", ""},
        {CODEC, DC "sliding_window", "0", DC "sliding_window is 0", "from 1"},
        {CODEC, DC "sliding_window", NULL, DC "sliding_window is missing", ""},
    };
    RUN(*state, rows);
    const char *folder = *state;
    kz__config c;
    kzt_write_mutated(folder, MAIN, TC "sliding_window", "100");
    kzt_load_good(folder, &c);
    assert_int_equal(c.talker.window, 0);
    kz__config_clear(&kzt_mem, &c);
    json_t *root = kzt_read_json(TINY);
    kzt_mutate(root, TC "sliding_window", "100");
    kzt_mutate(root, TC "use_sliding_window", "true");
    kzt_write_json(folder, "config.json", root);
    json_decref(root);
    kzt_load_good(folder, &c);
    assert_int_equal(c.talker.window, 100);
    assert_int_equal(c.predictor.window, 0);
    kz__config_clear(&kzt_mem, &c);
}

static void test_codec_rows(void **state) {
    static const kzt_row rows[] = {
        {CODEC, "decoder_config", NULL, "decoder_config is missing", ""},
        {CODEC, "encoder_config", NULL, NULL, NULL},
        {CODEC, DC "codebook_dim", "255", DC "codebook_dim is 255", "even"},
        {CODEC, DC "codebook_size", "63", DC "codebook_size is 63", "vocab_size 64"},
        {CODEC, DC "codebook_size", "65", NULL, NULL},
        {CODEC, DC "codebook_size", "0", DC "codebook_size is 0", ""},
        {CODEC, DC "codebook_size", "100000", DC "codebook_size is 100000", "65536"},
        {CODEC, DC "num_quantizers", "15", DC "num_quantizers is 15", "num_code_groups is 16"},
        {CODEC, DC "num_quantizers", "65", DC "num_quantizers is 65", "64"},
        {CODEC, DC "num_semantic_quantizers", "16", "num_semantic_quantizers is 16",
         "less than num_quantizers 16"},
        {CODEC, DC "num_semantic_quantizers", "0", "num_semantic_quantizers is 0", ""},
        {CODEC, DC "latent_dim", "0", DC "latent_dim is 0", ""},
        {CODEC, DC "decoder_dim", "264", DC "decoder_dim is 264", "divisible by 16"},
        {CODEC, DC "decoder_dim", "1099511627776", DC "decoder_dim is 1099511627776", "65536"},
        {CODEC, DC "hidden_size", NULL, DC "hidden_size is missing", ""},
        {CODEC, DC "head_dim", "65", DC "head_dim is 65", "even"},
        {CODEC, DC "attention_bias", "true", DC "attention_bias is true", ""},
        {CODEC, DC "hidden_act", "\"gelu\"", DC "hidden_act is 'gelu'", ""},
        {CODEC, DC "rms_norm_eps", "-1", DC "rms_norm_eps is -1", ""},
        {CODEC, DC "upsample_rates", "[8,5,4]", "decode_upsample_rate is 1920", "is 640"},
        {CODEC, DC "upsample_rates", "[8,5,4,3,1,1,1,1,1]", DC "upsample_rates has 9 numbers",
         "1 to 8"},
        {CODEC, DC "upsample_rates", "[]", DC "upsample_rates has 0 numbers", ""},
        {CODEC, DC "upsample_rates", "[8,5,0,3]", DC "upsample_rates is 0", ""},
        {CODEC, DC "upsample_rates", "[8,5,4,\"3\"]", DC "upsample_rates is '3'", ""},
        {CODEC, DC "upsample_rates", "[256,256,256,256,256,256,256,256]", "decode_upsample_rate",
         ""},
        {CODEC, DC "upsample_rates", "8", DC "upsample_rates is 8", "a list"},
        {CODEC, DC "upsampling_ratios", "[2,3]", "decode_upsample_rate is 1920", "is 2880"},
        {CODEC, "decode_upsample_rate", "1921", "decode_upsample_rate is 1921", "is 1920"},
        {CODEC, "decode_upsample_rate", NULL, "decode_upsample_rate is missing", ""},
        {CODEC, "decode_upsample_rate", "10000000", "decode_upsample_rate is 10000000", "1048576"},
        {CODEC, "output_sample_rate", NULL, "output_sample_rate is missing", ""},
        {CODEC, "output_sample_rate", "0", "output_sample_rate is 0", ""},
    };
    RUN(*state, rows);
    /* the first code of a frame: more than the codec has */
    const char *folder = *state;
    kz__config c;
    kz__err err = {""};
    json_t *root = kzt_read_json(TINY);
    kzt_mutate(root, TC "vocab_size", "1089");
    kzt_write_mutated(folder, CODEC, NULL, NULL);
    kzt_write_json(folder, "config.json", root);
    json_decref(root);
    assert_int_equal(kzt_load(folder, &c, &err), KZ_ERR_MODEL);
    kzt_expect_text(err.text, "codebook_size is 64", "codes up to 64", "");
}

/* The decoder does without its encoder: whoever wants to encode is told. */
static void test_encoder_rows(void **state) {
    static const kzt_row rows[] = {
        {CODEC, "encoder_config", "null", "encoder_config is null", "an object"},
        {CODEC, "encoder_config", NULL, "encoder_config is missing", ""},
        {CODEC, "encoder_config", "7", "encoder_config is 7", "an object"},
        {CODEC, "encoder_valid_num_quantizers", "15", "encoder_valid_num_quantizers is 15",
         "num_quantizers 16"},
        {CODEC, "encoder_valid_num_quantizers", "65", "encoder_valid_num_quantizers is 65", "64"},
        {CODEC, "encode_downsample_rate", "960", "encode_downsample_rate is 960", "is 1920"},
        {CODEC, "input_sample_rate", "999", "input_sample_rate is 999", "from 1000"},
        {CODEC, EC "upsampling_ratios", "[8,6,5]", "encode_downsample_rate is 1920", "is 480"},
        {CODEC, EC "upsampling_ratios", "[256,256,256,256,256,256,256,256]",
         "encode_downsample_rate", ""},
        {CODEC, EC "upsampling_ratios", "[8,6,5,0]", EC "upsampling_ratios is 0", ""},
        {CODEC, EC "upsampling_ratios", "[4,5,6,8]", NULL, NULL},
        {CODEC, EC "num_filters", "0", EC "num_filters is 0", ""},
        {CODEC, EC "num_filters", "4098", EC "num_filters is 4098", "at most 4096"},
        {CODEC, EC "num_filters", "5", EC "num_filters is 5", "compress 2"},
        {CODEC, EC "kernel_size", "65", EC "kernel_size is 65", "64"},
        {CODEC, EC "residual_kernel_size", NULL, EC "residual_kernel_size is missing", ""},
        {CODEC, EC "last_kernel_size", "\"3\"", EC "last_kernel_size is '3'", ""},
        {CODEC, EC "audio_channels", "2", EC "audio_channels is 2", "from 1 to 1"},
        {CODEC, EC "audio_channels", NULL, NULL, NULL},
        {CODEC, EC "num_residual_layers", "2", EC "num_residual_layers is 2", "from 1 to 1"},
        {CODEC, EC "pad_mode", "\"reflect\"", EC "pad_mode is 'reflect'", "'constant'"},
        {CODEC, EC "use_causal_conv", "false", EC "use_causal_conv is false", ""},
        {CODEC, EC "use_conv_shortcut", "true", EC "use_conv_shortcut is true", ""},
        {CODEC, EC "hidden_act", "\"silu\"", EC "hidden_act is 'silu'", "'gelu'"},
        {CODEC, EC "norm_eps", NULL, EC "norm_eps is missing", ""},
        {CODEC, EC "head_dim", "15", EC "head_dim is 15", "even"},
        {CODEC, EC "attention_bias", "true", EC "attention_bias is true", ""},
        {CODEC, EC "max_position_embeddings", "0", EC "max_position_embeddings is 0", ""},
        {CODEC, EC "codebook_size", "65", EC "codebook_size is 65", "decoder's 64"},
        {CODEC, EC "codebook_size", "32", NULL, NULL},
        {CODEC, EC "vector_quantization_hidden_dimension", "17",
         EC "vector_quantization_hidden_dimension is 17", "from 16 to 16"},
        {CODEC, EC "vector_quantization_hidden_dimension", NULL, NULL, NULL},
        {CODEC, EC "num_semantic_quantizers", "16", EC "num_semantic_quantizers is 16",
         "encoder_valid_num_quantizers 16"},
        {CODEC, EC "sliding_window", "null", NULL, NULL}, /* nobody reads it */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kz__config c;
        kzt_write_mutated(*state, rows[i].file, rows[i].path, rows[i].value);
        kzt_load_good(*state, &c);
        const kz__encoder_config *e = &c.codec.encoder;
        if ((e->quantizers == 0) != (rows[i].first != NULL)) {
            fail_msg("%s: %s", rows[i].path, e->quantizers ? "can be used" : e->problem.text);
        }
        if (rows[i].first) {
            kzt_expect_text(e->problem.text, rows[i].first, rows[i].second, "codec/config.json");
        }
        kz__config_clear(&kzt_mem, &c);
    }
}

static void test_generation_rows(void **state) {
    static const kzt_row rows[] = {
        {GENERATION, "temperature", "-0.1", "temperature is -0.1", "from 0"},
        {GENERATION, "temperature", "0", NULL, NULL},
        {GENERATION, "temperature", "\"hot\"", "temperature is 'hot'", "a number"},
        {GENERATION, "top_k", "-1", "top_k is -1", ""},
        {GENERATION, "top_k", "2147483648", "top_k is 2147483648", "2147483647"},
        {GENERATION, "top_p", "1.5", "top_p is 1.5", "to 1"},
        {GENERATION, "repetition_penalty", "0", "repetition_penalty is 0", ""},
        {GENERATION, "do_sample", "1", "do_sample is 1", "true or false"},
        {GENERATION, "subtalker_temperature", "1e9", "subtalker_temperature is 1e+09", ""},
        {GENERATION, "subtalker_top_k", "2.5", "subtalker_top_k is 2.5", ""},
        {GENERATION, "subtalker_top_p", "-1", "subtalker_top_p is -1", ""},
        {GENERATION, "subtalker_dosample", "\"yes\"", "subtalker_dosample is 'yes'", ""},
        {GENERATION, "max_new_tokens", "0", "max_new_tokens is 0", "from 1"},
    };
    RUN(*state, rows);
}

static void test_speaker_encoder_rows(void **state) {
    static const kzt_row rows[] = {
        {MAIN, "speaker_encoder_config", "{\"enc_dim\":128}",
         "speaker_encoder_config.enc_dim is 128", "hidden_size is 256"},
        {MAIN, "speaker_encoder_config", "{}", "speaker_encoder_config.enc_dim is missing", ""},
        {MAIN, "speaker_encoder_config", "3", "speaker_encoder_config is 3", "object"},
        {MAIN, "speaker_encoder_config", "{\"enc_dim\":256,\"sample_rate\":16000}",
         "speaker_encoder_config.sample_rate is 16000", "24000"},
        {MAIN, "speaker_encoder_config", "{\"enc_dim\":256,\"mel_dim\":0}",
         "speaker_encoder_config.mel_dim is 0", "from 1"},
        {MAIN, "speaker_encoder_config", "{\"enc_dim\":256,\"enc_res2net_scale\":7}",
         "enc_channels has 512", "enc_res2net_scale, 7"},
        {MAIN, "speaker_encoder_config", "{\"enc_dim\":256,\"enc_res2net_scale\":0}",
         "enc_res2net_scale is 0", "from 1"},
        {MAIN, "speaker_encoder_config", "{\"enc_dim\":256,\"enc_channels\":[8,8]}",
         "enc_channels has 2 numbers", "3 are needed"},
        {MAIN, "speaker_encoder_config", "{\"enc_dim\":256,\"enc_channels\":[8,8,8,8],"
         "\"enc_kernel_sizes\":[5,3,3,1],\"enc_dilations\":[1,2,3,1]}",
         "enc_channels ends with 8", "16 together"},
        {MAIN, "speaker_encoder_config", "{\"enc_dim\":256,\"enc_channels\":[8,16,16,16,48]}",
         "enc_channels has 16 after 8", "equal"},
        {MAIN, "speaker_encoder_config", "{\"enc_dim\":256,\"enc_kernel_sizes\":[5,3,3,1]}",
         "enc_kernel_sizes has 4 numbers", "5 are needed"},
        {MAIN, "speaker_encoder_config", "{\"enc_dim\":256,\"enc_dilations\":[1,2,3,4,1000]}",
         "enc_dilations is 1000", "256"},
        {MAIN, "speaker_encoder_config", "{\"enc_dim\":256,\"enc_dilations\":3}",
         "enc_dilations is 3", "list"},
    };
    RUN(*state, rows);
}

/* B127: the rate is the codec's own. */
static void test_B127_sample_rate(void **state) {
    const char *folder = *state;
    kz__config c;
    kzt_write_mutated(folder, CODEC, "output_sample_rate", "48000");
    kzt_load_good(folder, &c);
    assert_int_equal(c.codec.sample_rate, 48000);
    assert_int_equal(c.codec.samples_per_frame, 1920);
    kz__config_clear(&kzt_mem, &c);
}

/* The codec alone: nothing of a talker is compared. */
static void test_codec_only(void **state) {
    const char *folder = *state;
    kz__config c;
    kz__err err = {""};
    kzt_write_mutated(folder, CODEC, DC "codebook_size", "17");
    char *codec = kzt_path(folder, "codec");
    memset(&c, 0, sizeof c);
    assert_int_equal(kz__config_load_codec(&kzt_mem, codec, &c, &err), KZ_OK);
    assert_int_equal(c.codec.codebook_size, 17);
    assert_false(c.has_talker);
    kz__config_clear(&kzt_mem, &c);
    free(codec);
    codec = kzt_path(folder, "absent");
    assert_int_equal(kz__config_load_codec(&kzt_mem, codec, &c, &err), KZ_ERR_MODEL);
    kzt_expect_text(err.text, "/absent'", "give the speech tokenizer's folder", "");
    free(codec);
}

/* ---- names ---------------------------------------------------------------------------------- */

static void test_name_rows(void **state) {
    static const kzt_row rows[] = {
        {MAIN, TC "codec_language_id", "[]", TC "codec_language_id is a list", "object"},
        {MAIN, TC "codec_language_id", "{\"english\":1088}", "codec_language_id.english is 1088",
         "from 0 to 1087"},
        {MAIN, TC "codec_language_id", "{\"English\":1,\"english\":2}",
         "codec_language_id.english is there twice", ""},
        {MAIN, TC "codec_language_id", "{\"\":1}", "codec_language_id", "empty"},
        {MAIN, TC "codec_language_id", "{\"a\\u0007\":1}", "'a?'", "control characters"},
        {MAIN, TC "codec_language_id", NULL, NULL, NULL},
        {MAIN, TC "codec_language_id", "{}", NULL, NULL},
        {MAIN, TC "spk_id", "{\"ada\":1088}", "spk_id.ada is 1088", ""},
        {MAIN, TC "spk_id", "{\"ada\":\"1\"}", "spk_id.ada is '1'", ""},
        {MAIN, TC "spk_id", "{\"ada\":1,\"ADA\":2}", "spk_id.ada is there twice", ""},
        {MAIN, TC "spk_id", "7", TC "spk_id is 7", "object"},
        {MAIN, TC "spk_is_dialect", "{\"ada\":\"klingon\"}", "spk_is_dialect.ada is 'klingon'",
         "not in codec_language_id"},
        {MAIN, TC "spk_is_dialect", "{\"ada\":true}", "spk_is_dialect.ada", "neither false"},
        {MAIN, TC "spk_is_dialect", "{\"ada\":3}", "spk_is_dialect.ada", "neither false"},
        {MAIN, TC "spk_is_dialect", "[1]", TC "spk_is_dialect is a list", "object"},
        {MAIN, TC "spk_is_dialect", "{}", NULL, NULL},
        {MAIN, TC "spk_is_dialect", NULL, NULL, NULL},
        {MAIN, TC "spk_is_dialect", "{\"eve\":\"klingon\"}", NULL, NULL},
    };
    RUN(*state, rows);
    const char *folder = *state;
    kz__config c;
    kzt_write_mutated(folder, MAIN, TC "spk_id", "{\"Zo\xc3\xab\":5,\"ADA\":7}");
    kzt_load_good(folder, &c);
    assert_int_equal(c.speaker_count, 2);
    assert_string_equal(c.speakers[0].name, "zo\xc3\xab");
    assert_int_equal(c.speakers[0].id, 5);
    assert_string_equal(c.speakers[1].name, "ada");
    kz__config_clear(&kzt_mem, &c);
    kzt_write_mutated(folder, MAIN, TC "spk_is_dialect", "{\"ada\":\"English\"}");
    kzt_load_good(folder, &c);
    assert_int_equal(c.speakers[0].dialect, 0);
    kz__config_clear(&kzt_mem, &c);
}

/* ---- memory --------------------------------------------------------------------------------- */

static long json_left;

static void *json_limited(size_t bytes) {
    return json_left-- > 0 ? malloc(bytes) : NULL;
}

/* Each allocation fails in turn: an error, nothing leaks. */
static void test_each_allocation_fails(void **state) {
    const char *folder = *state;
    kz__mem limited;
    kz__mem_init(&limited, kzt_failing_allocator(), NULL);
    copy_published(folder, "1.7b-customvoice.json");
    kz_status status = KZ_ERR_MEMORY;
    for (long n = 0; status != KZ_OK; n++) {
        kz__config c;
        kz__err err = {""};
        kzt_fail_after(n);
        status = kz__config_load(&limited, folder, &c, &err);
        if (status != KZ_OK) {
            assert_int_equal(status, KZ_ERR_MEMORY);
            assert_string_equal(err.text, "out of memory");
        }
        kz__config_clear(&limited, &c);
        assert_int_equal(atomic_load(&limited.current), 0);
    }
}

/* The same for the JSON parser's own allocations, whose failure it does not always report as such.
 */
static void test_each_json_allocation_fails(void **state) {
    const char *folder = *state;
    copy_published(folder, "1.7b-customvoice.json");
    char *codec = kzt_path(folder, "codec");
    bool enough = false;
    for (long n = 0; !enough; n++) {
        kz__config c;
        kz__err err = {""};
        json_left = n;
        json_set_alloc_funcs(json_limited, free);
        kz_status status = kz__config_load(&kzt_mem, folder, &c, &err);
        if (status == KZ_OK) status = kz__config_load_codec(&kzt_mem, codec, &c, &err);
        json_set_alloc_funcs(malloc, free);
        enough = json_left >= 0;
        assert_int_equal(status == KZ_OK, enough);
        if (n == 0) assert_int_equal(status, KZ_ERR_MEMORY);
        if (status != KZ_OK) assert_true(strlen(err.text) > 10);
        kz__config_clear(&kzt_mem, &c);
        assert_int_equal(atomic_load(&kzt_mem.current), 0);
    }
    free(codec);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, kzt_loading_begin, kzt_loading_end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_tiny),
        TEST(test_published_custom_voice),
        TEST(test_published_base),
        TEST(test_B185_other_architecture),
        TEST(test_B198_config_is_no_json),
        TEST(test_too_large_file),
        TEST(test_B180_missing_files),
        TEST(test_generation_fallbacks),
        TEST(test_main_rows),
        TEST(test_attention_width),
        TEST(test_windows),
        TEST(test_codec_rows),
        TEST(test_encoder_rows),
        TEST(test_generation_rows),
        TEST(test_speaker_encoder_rows),
        TEST(test_B127_sample_rate),
        TEST(test_codec_only),
        TEST(test_name_rows),
        TEST(test_each_allocation_fails),
        TEST(test_each_json_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
