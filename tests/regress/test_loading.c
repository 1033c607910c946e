/* Checkpoints as people have them: without a codec or an encoder, of both width relations, with
 * another rate, with numbers that are not finite. */
#include "harness/ckpt.h"
#include "harness/talk.h"
#include "harness/tests.h"
#include "harness/tmpdir.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char weights[] = "model.safetensors";
static const char codec_weights[] = "speech_tokenizer/model.safetensors";

static char noticed[2048];

static void notice(void *user, int level, const char *text) {
    size_t used = strlen(noticed);
    (void)user;
    if (level == 0) snprintf(noticed + used, sizeof noticed - used, "%s\n", text);
}

static kzt_run short_run(const kz_model *model, kz_request request) {
    kz_session *s = kzt_session(model, 2);
    request.max_frames = KZ_DEFAULT;
    request.exact_frames = 5;
    kzt_run run = kzt_run_all(s, &request);
    assert_int_equal(run.status, KZ_DONE);
    assert_int_equal(run.frames, 5);
    kz_session_free(s);
    return run;
}

/* ---- parts that are missing ---------------------------------------------------------------- */

static void remove_codec(const char *folder) {
    char *from = kzt_path(folder, "speech_tokenizer");
    char *to = kzt_path(folder, "elsewhere");
    assert_int_equal(rename(from, to), 0);
    free(from);
    free(to);
}

static void test_B181_a_codec_from_elsewhere(void **state) {
    (void)state;
    char *folder = kzt_copy_checkpoint("custom-eq");
    kz_request request = kzt_request("Any text.");
    kz_model *complete = kzt_open(folder, NULL);
    kzt_run want = short_run(complete, request);
    kz_model_free(complete);
    remove_codec(folder);

    kz_model *model = kzt_open(folder, NULL); /* good for looking at prompts */
    kz_model_info info = {.size = sizeof info};
    assert_int_equal(kz_model_get_info(model, &info), KZ_OK);
    assert_true(info.has_talker && !info.has_codec);
    size_t count = 0, prompt = 0;
    assert_int_equal(kz_prompt(model, &request, NULL, NULL, 0, &count, &prompt, NULL, 0), KZ_OK);
    kz_session *s = kzt_session(model, 1);
    kzt_refused(s, &request, KZ_ERR_MODEL, "no speech tokenizer: give the folder of one");
    const int32_t codes[16] = {0};
    assert_int_equal(kz_session_start_codes(s, codes, 1, KZ_DEFAULT, 0), KZ_ERR_MODEL);
    kz_session_free(s);
    kz_model_free(model);

    kz_model_options options;
    kz_model_options_init(&options);
    const char *good[] = {"elsewhere", NULL};
    for (size_t i = 0; i < 2; i++) {
        char *path = i == 0 ? kzt_path(folder, good[0]) : kzt_copy_checkpoint("custom-eq");
        options.codec_path = path; /* the codec's folder, or a checkpoint that has one */
        model = kzt_open(folder, &options);
        kzt_run run = short_run(model, request);
        kzt_same(&want, &run);
        kzt_run_free(&run);
        kz_model_free(model);
        if (i == 0) free(path);
        if (i == 1) kzt_tmpdir_remove(path);
    }
    char err[512] = "";
    options.codec_path = folder;
    assert_int_equal(kz_model_open(folder, &options, &model, err, sizeof err), KZ_ERR_MODEL);
    assert_null(model);
    options.codec_path = "/nowhere/at/all";
    assert_int_equal(kz_model_open(folder, &options, &model, err, sizeof err), KZ_ERR_MODEL);
    kzt_has(err, "/nowhere/at/all");
    kzt_run_free(&want);
    kzt_tmpdir_remove(folder);
}

static void test_B181_fine_tuned_and_still_called_base(void **state) {
    (void)state;
    char *folder = kzt_copy_checkpoint("custom-eq");
    kzt_set_json(folder, "config.json", "tts_model_type", json_string("base"));
    noticed[0] = 0;
    kz_set_log(notice, NULL);
    kz_model *model = kzt_open(folder, NULL);
    kz_set_log(NULL, NULL);
    kzt_has(noticed, "taken as custom_voice");
    kz_request request = kzt_request("Any text.");
    request.voice = "ryan";
    kzt_run run = short_run(model, request);
    kzt_run_free(&run);
    kz_model_free(model);
    kzt_tmpdir_remove(folder);
}

static void test_B183_no_speaker_encoder(void **state) {
    (void)state;
    char *folder = kzt_copy_checkpoint("base-eq");
    kz_model *complete = kzt_open(folder, NULL);
    kzt_golden g;
    kzt_golden_load("base-eq-vector", &g);
    kzt_run want = short_run(complete, g.request);
    kz_model_info info = {.size = sizeof info};
    assert_int_equal(kz_model_get_info(complete, &info), KZ_OK);
    assert_true(info.has_speaker_encoder);
    kz_model_free(complete);
    kzt_drop_tensors(folder, weights, "speaker_encoder.");
    noticed[0] = 0;
    kz_set_log(notice, NULL);
    kz_model *model = kzt_open(folder, NULL);
    kz_set_log(NULL, NULL);
    kzt_has(noticed, "not used");
    assert_int_equal(kz_model_get_info(model, &info), KZ_OK);
    assert_false(info.has_speaker_encoder);
    kzt_run run = short_run(model, g.request);
    kzt_same(&want, &run);
    kzt_run_free(&run);
    kzt_run_free(&want);
    kz_model_free(model);
    kzt_golden_free(&g);
    kzt_tmpdir_remove(folder);
}

static void test_B186_both_width_relations(void **state) {
    (void)state;
    const char *names[] = {"custom-eq", "custom-mtp", "design-eq", "design-mtp"};
    for (size_t i = 0; i < 4; i++) {
        kz_model *model = kzt_open(names[i], NULL);
        kzt_run run = short_run(model, kzt_request("Any text."));
        assert_int_equal(run.count, 5 * 1920);
        kzt_run_free(&run);
        kz_model_free(model);
    }
    /* the projection is missing where the widths differ */
    char *folder = kzt_copy_checkpoint("custom-mtp");
    kzt_drop_tensors(folder, weights, "talker.code_predictor.small_to_mtp_projection.weight");
    char err[512] = "";
    kz_model *model = NULL;
    assert_int_equal(kz_model_open(folder, NULL, &model, err, sizeof err), KZ_ERR_MODEL);
    kzt_has(err, "small_to_mtp_projection");
    kzt_tmpdir_remove(folder);
}

/* ---- another rate -------------------------------------------------------------------------- */

/* Makes the codec anew with its last rate doubled: 48 kHz, 3840 samples a frame. */
static void double_rate(const char *folder) {
    char err[256] = "";
    json_t *spec =
        json_load_file(KZT_SOURCE_DIR "/tests/data/ckpt/custom-eq/tensors.json", 0, NULL);
    assert_non_null(spec);
    json_t *files = json_object_get(spec, "files");
    json_t *codec = json_incref(json_array_get(files, 1));
    json_t *tensor = NULL;
    size_t i = 0;
    size_t changed = 0;
    json_array_foreach(json_object_get(codec, "tensors"), i, tensor) {
        const char *name = json_string_value(json_object_get(tensor, "name"));
        if (strcmp(name, "decoder.decoder.4.block.1.conv.weight") != 0) continue;
        json_array_set_new(json_object_get(tensor, "shape"), 2, json_integer(12));
        changed++;
    }
    assert_int_equal(changed, 1);
    json_object_set_new(spec, "copy", json_array());
    json_object_set_new(spec, "files", json_pack("[o]", codec));
    char *folder_of_spec = kzt_tmpdir_make();
    char *text = json_dumps(spec, 0);
    kzt_write_text(folder_of_spec, "tensors.json", text);
    free(text);
    if (kzt_make_checkpoint(folder_of_spec, folder, err, sizeof err)) fail_msg("%s", err);
    json_decref(spec);
    kzt_tmpdir_remove(folder_of_spec);
    const char *config = "speech_tokenizer/config.json";
    kzt_set_json(folder, config, "output_sample_rate", json_integer(48000));
    kzt_set_json(folder, config, "decode_upsample_rate", json_integer(3840));
    kzt_set_json(folder, config, "decoder_config.upsample_rates",
                 json_pack("[i,i,i,i]", 8, 5, 4, 6));
}

static int check_rate(void *user, const kz_packet *packet) {
    size_t *frames = user;
    assert_int_equal(packet->sample_rate, 48000);
    assert_int_equal(packet->count, packet->frames * 3840);
    *frames += packet->frames;
    return 0;
}

static void test_B127_the_rate_comes_from_the_model(void **state) {
    (void)state;
    char *folder = kzt_copy_checkpoint("custom-eq");
    double_rate(folder);
    kz_model *model = kzt_open(folder, NULL);
    kz_model_info info = {.size = sizeof info};
    assert_int_equal(kz_model_get_info(model, &info), KZ_OK);
    assert_int_equal(info.sample_rate, 48000);
    assert_int_equal(info.samples_per_frame, 3840);
    kzt_run run = short_run(model, kzt_request("Any text."));
    assert_int_equal(run.count, 5 * 3840);
    kz_session *s = kzt_session(model, 1);
    size_t frames = 0;
    assert_int_equal(kz_session_start_codes(s, run.codes, 5, 2, 0), KZ_OK);
    assert_int_equal(kz_session_speak(s, check_rate, &frames), KZ_OK);
    assert_int_equal(frames, 5);
    kz_session_free(s);
    kzt_run_free(&run);
    kz_model_free(model);
    kzt_tmpdir_remove(folder);
}

/* ---- numbers that are not finite ----------------------------------------------------------- */

typedef struct planted {
    const char *file, *tensor;
    const char *stage; /* in the reason */
} planted;

static const planted plants[] = {
    {weights, "talker.text_projection.linear_fc2.bias", "talker"},
    {weights, "talker.model.layers.1.mlp.down_proj.weight", "talker"},
    {weights, "talker.model.layers.0.self_attn.v_proj.weight", "talker"},
    {weights, "talker.model.norm.weight", "talker"},
    {weights, "talker.codec_head.weight", "talker's codec head"},
    {weights, "talker.code_predictor.model.layers.0.mlp.up_proj.weight", "code predictor"},
    {weights, "talker.code_predictor.lm_head.14.weight", "code predictor"},
    {codec_weights, "decoder.quantizer.rvq_first.output_proj.weight", "quantizer"},
    {codec_weights, "decoder.pre_conv.conv.bias", "pre_conv"},
    {codec_weights, "decoder.pre_transformer.layers.1.mlp.up_proj.weight", "pre_transformer"},
    {codec_weights, "decoder.upsample.1.1.gamma", "upsample.1"},
    {codec_weights, "decoder.decoder.0.conv.weight", "decoder.0"},
    {codec_weights, "decoder.decoder.2.block.3.conv1.conv.weight", "decoder.2"},
    {codec_weights, "decoder.decoder.4.block.1.conv.bias", "decoder.4"},
    {codec_weights, "decoder.decoder.6.conv.weight", "waveform"},
};

/* Runs into the planted value: told with stage and frame, and no sound of that frame. */
static void fails_with(const char *folder, const planted *p) {
    kz_model *model = kzt_open(folder, NULL);
    kz_session *s = kzt_session(model, 2);
    kz_request request = kzt_request("Any text.");
    request.exact_frames = 4;
    kzt_run run = kzt_run_all(s, &request);
    if (run.status != KZ_ERR_FAILED) fail_msg("%s: status %d", p->tensor, (int)run.status);
    assert_int_equal(run.result.finish, KZ_FINISH_ERROR);
    kzt_has(kz_error(s), p->stage);
    kzt_has(kz_error(s), "not finite");
    kzt_has(kz_error(s), "at frame 0");
    assert_int_equal(run.count, 0);
    kzt_run_free(&run);
    kz_session_free(s);
    kz_model_free(model);
}

/* So no sample that is not finite is ever handed out (B133). */
static void test_B204_B205_not_finite_is_an_error(void **state) {
    (void)state;
    char *folder = kzt_copy_checkpoint("custom-eq");
    for (size_t i = 0; i < sizeof plants / sizeof plants[0]; i++) {
        const planted *p = &plants[i];
        char *path = kzt_path(folder, p->file);
        size_t size = 0;
        char *bytes = kzt_read(path, &size);
        kzt_set_value(folder, p->file, p->tensor, 0, i % 2 ? NAN : INFINITY);
        fails_with(folder, p);
        kzt_write(folder, p->file, bytes, size);
        free(bytes);
        free(path);
    }
    kz_model *model = kzt_open(folder, NULL); /* without them it speaks */
    kzt_run run = short_run(model, kzt_request("Any text."));
    kzt_run_free(&run);
    kz_model_free(model);
    kzt_tmpdir_remove(folder);
}

/* A row of a codebook that only a later frame has. */
static void test_B205_the_frame_is_named(void **state) {
    (void)state;
    char *folder = kzt_copy_checkpoint("custom-eq");
    int32_t codes[20 * 16] = {0};
    for (size_t i = 0; i < 20 * 16; i++) codes[i] = (int32_t)(i * 7 % 100);
    codes[13 * 16 + 5] = 127; /* nobody else draws this row */
    kzt_set_value(folder, codec_weights,
                  "decoder.quantizer.rvq_rest.vq.layers.4._codebook.embedding_sum", 127 * 20,
                  INFINITY);
    kz_model *model = kzt_open(folder, NULL);
    kz_session *s = kzt_session(model, 1);
    assert_int_equal(kz_session_start_codes(s, codes, 20, 1, 0), KZ_OK);
    kzt_run run = kzt_run_rest(s);
    assert_int_equal(run.status, KZ_ERR_FAILED);
    kzt_has(kz_error(s), "at frame 13");
    assert_int_equal(run.count, 13 * 1920);
    kzt_run_free(&run);
    assert_int_equal(kz_session_start_codes(s, codes, 20, 8, 0), KZ_OK);
    run = kzt_run_rest(s);
    assert_int_equal(run.status, KZ_ERR_FAILED);
    kzt_has(kz_error(s), "at frames 8 to 15");
    assert_int_equal(run.count, 8 * 1920);
    kzt_run_free(&run);
    kz_session_free(s);
    kz_model_free(model);
    kzt_tmpdir_remove(folder);
}

/* ---- files that are cut while they are in use ---------------------------------------------- */

/* The run ends with an error that names file and tensor. */
static void fails_to_read(kz_session *s, const char *file, const char *tensor) {
    kz_request request = kzt_request("Any text.");
    request.max_frames = KZ_DEFAULT;
    request.exact_frames = 5;
    kzt_run run = kzt_run_all(s, &request);
    if (run.status != KZ_ERR_MODEL) fail_msg("%s: status %d", tensor, (int)run.status);
    kzt_has(kz_error(s), file);
    kzt_has(kz_error(s), tensor);
    kzt_has(kz_error(s), "cut");
    kzt_run_free(&run);
}

/* A prompt's text and codes, the codes of the first frame, their sum, the codebooks: in the order
 * of the files, so that what is read before it is still there. */
static const planted tables[] = {
    {weights, "talker.model.text_embedding.weight", ""},
    {weights, "talker.model.codec_embedding.weight", ""},
    {weights, "talker.code_predictor.model.codec_embedding.3.weight", ""},
    {weights, "talker.code_predictor.model.codec_embedding.14.weight", ""},
    {codec_weights, "decoder.quantizer.rvq_first.vq.layers.0._codebook.embedding_sum", ""},
    {codec_weights, "decoder.quantizer.rvq_rest.vq.layers.14._codebook.embedding_sum", ""},
};

static void test_cut_folder(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        char *folder = kzt_copy_checkpoint("custom-eq");
        kz_model *model = kzt_open(folder, NULL);
        kz_session *s = kzt_session(model, 2);
        kzt_run run = short_run(model, kzt_request("Any text."));
        kzt_run_free(&run);
        kzt_cut_at(folder, tables[i].file, tables[i].tensor);
        fails_to_read(s, tables[i].file, tables[i].tensor);
        kz_session_free(s);
        kz_model_free(model);
        kzt_tmpdir_remove(folder);
    }
}

/* What was made before is handed out. */
static void test_cut_while_speaking(void **state) {
    (void)state;
    char *folder = kzt_copy_checkpoint("custom-eq");
    char *path = kzt_path(folder, weights);
    kz_model *model = kzt_open(folder, NULL);
    kz_session *s = kzt_session(model, 1);
    kz_request request = kzt_request("Any text.");
    float samples[1920];
    size_t got = 0;
    request.max_frames = KZ_DEFAULT;
    request.exact_frames = 20;
    request.packet = 1;
    assert_int_equal(kz_session_start(s, &request), KZ_OK);
    assert_int_equal(kz_session_read(s, samples, 1920, &got, -1), KZ_OK);
    assert_int_equal(got, 1920);
    assert_int_equal(truncate(path, 0), 0);
    kzt_run run = kzt_run_rest(s);
    assert_int_equal(run.status, KZ_ERR_MODEL);
    kzt_has(kz_error(s), weights);
    assert_true(run.frames >= 1 && run.frames < 20);
    assert_int_equal(run.count, (run.frames - 1) * 1920);
    kzt_run_free(&run);
    kz_session_free(s);
    kz_model_free(model);
    free(path);
    kzt_tmpdir_remove(folder);
}

/* Panels are read through the mapping; they lie before the tables, which are in the order of their
 * names. */
static void test_cut_packed(void **state) {
    (void)state;
    kzt_file file = {0};
    char *folder = kzt_tmpdir_make();
    char *path = kzt_path(folder, "model.kz");
    kzt_pack("custom-eq", KZ_TYPE_STORED, 2, &file);
    kzt_write(folder, "model.kz", file.bytes, file.size);
    kz_model *model = kzt_open(path, NULL);
    kz_session *s = kzt_session(model, 2);
    kzt_run run = short_run(model, kzt_request("Any text."));
    kzt_run_free(&run);
    const char *const cuts[] = {"decoder.quantizer.rvq_rest.vq.layers.9._codebook.embedding_sum",
                                "talker.model.text_embedding.weight"};
    for (size_t i = 0; i < 2; i++) {
        size_t row = kzt_packed_row(&file, cuts[i]);
        assert_int_not_equal(row, 0);
        assert_int_equal(truncate(path, (off_t)kzt_get(file.bytes, row + 160, 8)), 0);
        fails_to_read(s, "model.kz", cuts[i]);
    }
    kz_session_free(s);
    kz_model_free(model);
    kzt_file_free(&file);
    free(path);
    kzt_tmpdir_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_B181_a_codec_from_elsewhere),
        cmocka_unit_test(test_B181_fine_tuned_and_still_called_base),
        cmocka_unit_test(test_B183_no_speaker_encoder),
        cmocka_unit_test(test_B186_both_width_relations),
        cmocka_unit_test(test_B127_the_rate_comes_from_the_model),
        cmocka_unit_test(test_B204_B205_not_finite_is_an_error),
        cmocka_unit_test(test_B205_the_frame_is_named),
        cmocka_unit_test(test_cut_folder),
        cmocka_unit_test(test_cut_while_speaking),
        cmocka_unit_test(test_cut_packed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
