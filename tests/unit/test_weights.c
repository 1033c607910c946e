/* Opening model folders: the voice in the box, and everything that can be wrong with one. Damaged
 * copies have the real headers; their data are zeros that take no room on the disk.
 */
#include "weights/weights.h"

#include "harness/failing_alloc.h"
#include "harness/golden.h"
#include "harness/loading.h"
#include "harness/tests.h"
#include "harness/tmpdir.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *small; /* the folder of the small checkpoint */

static kz__weights *open_good(const char *folder) {
    kz__weights *weights = NULL;
    kz__err err = {""};
    if (kz__weights_open(&kzt_mem, folder, &weights, &err) != KZ_OK) fail_msg("%s", err.text);
    return weights;
}

/* ---- fixtures ------------------------------------------------------------------------------ */

/* Header of a safetensors file, read with no help from the code under test. */
static json_t *read_header(const char *path, size_t *file_size) {
    char *bytes = kzt_read(path, file_size);
    uint64_t length = 0;
    for (int i = 7; i >= 0; i--) length = length << 8 | (unsigned char)bytes[i];
    assert_true(length < *file_size);
    json_t *header = json_loadb(bytes + 8, (size_t)length, 0, NULL);
    assert_non_null(header);
    free(bytes);
    json_object_del(header, "__metadata__");
    return header;
}

static size_t data_bytes(const json_t *header) {
    const char *name = NULL;
    json_t *value = NULL;
    json_int_t most = 0;
    json_object_foreach((json_t *)(uintptr_t)header, name, value) {
        json_int_t end =
            json_integer_value(json_array_get(json_object_get(value, "data_offsets"), 1));
        if (end > most) most = end;
    }
    return (size_t)most;
}

/* Writes header and zeros; cut bytes are missing at the end (negative: too many). */
static void write_weights(const char *folder, const char *name, const json_t *header, long cut) {
    char *text = json_dumps(header, JSON_COMPACT);
    assert_non_null(text);
    size_t length = strlen(text);
    unsigned char *bytes = malloc(8 + length);
    assert_non_null(bytes);
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)((uint64_t)length >> (8 * i));
    memcpy(bytes + 8, text, length);
    size_t size = (size_t)((long)(8 + length + data_bytes(header)) - cut);
    kzt_write_sparse(folder, name, bytes, size < 8 + length ? size : 8 + length, size);
    free(bytes);
    free(text);
}

/* A header entry: F32 unless said otherwise. */
static void put(json_t *header, const char *name, const char *type, size_t begin, size_t end,
                const char *shape) {
    char text[300];
    snprintf(text, sizeof text, "{\"dtype\":\"%s\",\"shape\":%s,\"data_offsets\":[%zu,%zu]}", type,
             shape, begin, end);
    json_t *value = json_loads(text, 0, NULL);
    assert_non_null(value);
    json_object_set_new(header, name, value);
}

/* Two shards of two tensors each, and their index. */
static void write_shards(const char *folder) {
    json_t *one = json_object();
    json_t *two = json_object();
    put(one, "a.weight", "F32", 0, 24, "[2,3]");
    put(one, "b.weight", "BF16", 24, 32, "[4]");
    put(two, "c.weight", "F16", 0, 4, "[2]");
    put(two, "d.weight", "F32", 4, 8, "[1]");
    write_weights(folder, "model-00001-of-00002.safetensors", one, 0);
    write_weights(folder, "model-00002-of-00002.safetensors", two, 0);
    kzt_write_text(folder, "model.safetensors.index.json",
                   "{\"metadata\":{\"total_size\":40},\"weight_map\":{"
                   "\"a.weight\":\"model-00001-of-00002.safetensors\","
                   "\"b.weight\":\"model-00001-of-00002.safetensors\","
                   "\"c.weight\":\"model-00002-of-00002.safetensors\","
                   "\"d.weight\":\"model-00002-of-00002.safetensors\"}}");
    json_decref(one);
    json_decref(two);
}

/* ---- good models --------------------------------------------------------------------------- */

static void need(kz__weights *w, const char *name, int rank, size_t a, size_t b, size_t c) {
    size_t shape[3] = {a, b, c};
    kz__tensor tensor;
    kz__err err = {""};
    if (kz__weights_need(w, name, rank, shape, &tensor, &err) != KZ_OK) fail_msg("%s", err.text);
    assert_string_equal(tensor.name, name);
    assert_int_equal(tensor.rank, rank);
    assert_int_equal(tensor.shape[0], a);
    assert_true(kz__weights_has(w, name));
}

static void need_layer(kz__weights *w, const char *prefix, size_t hidden, size_t inter, size_t q,
                       size_t kv, size_t head_dim) {
    const struct {
        const char *name;
        int rank;
        size_t rows, columns;
    } parts[] = {
        {"input_layernorm.weight", 1, hidden, 0},
        {"post_attention_layernorm.weight", 1, hidden, 0},
        {"self_attn.q_proj.weight", 2, q, hidden},
        {"self_attn.k_proj.weight", 2, kv, hidden},
        {"self_attn.v_proj.weight", 2, kv, hidden},
        {"self_attn.o_proj.weight", 2, hidden, q},
        {"self_attn.q_norm.weight", 1, head_dim, 0},
        {"self_attn.k_norm.weight", 1, head_dim, 0},
        {"mlp.gate_proj.weight", 2, inter, hidden},
        {"mlp.up_proj.weight", 2, inter, hidden},
        {"mlp.down_proj.weight", 2, hidden, inter},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s%s", prefix, parts[i].name);
        need(w, name, parts[i].rank, parts[i].rows, parts[i].columns, 0);
    }
}

/* The inventory of the published layout with the numbers of the small checkpoint; nothing is left
 * over. */
static void test_inventory(void **state) {
    (void)state;
    kz__weights *w = open_good(small);
    char name[128];
    need(w, "talker.model.text_embedding.weight", 2, 922, 64, 0);
    need(w, "talker.model.codec_embedding.weight", 2, 1152, 96, 0);
    need(w, "talker.text_projection.linear_fc1.weight", 2, 64, 64, 0);
    need(w, "talker.text_projection.linear_fc1.bias", 1, 64, 0, 0);
    need(w, "talker.text_projection.linear_fc2.weight", 2, 96, 64, 0);
    need(w, "talker.text_projection.linear_fc2.bias", 1, 96, 0, 0);
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "talker.model.layers.%d.", i);
        need_layer(w, name, 96, 160, 4 * 32, 2 * 32, 32);
    }
    need(w, "talker.model.norm.weight", 1, 96, 0, 0);
    need(w, "talker.codec_head.weight", 2, 1152, 96, 0);
    need(w, "talker.code_predictor.small_to_mtp_projection.weight", 2, 64, 96, 0);
    need(w, "talker.code_predictor.small_to_mtp_projection.bias", 1, 64, 0, 0);
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "talker.code_predictor.model.layers.%d.", i);
        need_layer(w, name, 64, 104, 4 * 32, 2 * 32, 32);
    }
    need(w, "talker.code_predictor.model.norm.weight", 1, 64, 0, 0);
    for (int g = 0; g < 15; g++) {
        const char *left = kz__weights_unused(w, "talker.code_predictor.", (size_t)(2 * (14 - g)));
        assert_non_null(left);
        snprintf(name, sizeof name, "talker.code_predictor.model.codec_embedding.%d.weight", g);
        need(w, name, 2, 128, 96, 0);
        snprintf(name, sizeof name, "talker.code_predictor.lm_head.%d.weight", g);
        need(w, name, 2, 128, 64, 0);
    }
    assert_null(kz__weights_unused(w, "", 0));
    struct stat info;
    char *file = kzt_path(small, "model.safetensors");
    assert_int_equal(stat(file, &info), 0);
    free(file);
    assert_int_equal(kz__weights_mapped(w), info.st_size);
    assert_false(kz__weights_has(w, "talker.model.norm"));
    assert_false(kz__weights_has(w, ""));
    kz__weights_close(w);
}

/* Values are those in the file: the first and last bytes of its data. */
static void test_values(void **state) {
    const char *folder = *state;
    static const unsigned char bytes[] =
        "\x6a\0\0\0\0\0\0\0"
        "{\"x\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[0,4]},"
        "\"y\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[4,8]}}"
        "\x80\x3f\x20\xc0\0\0\x20\x3f";
    unsigned char copy[sizeof bytes];
    memcpy(copy, bytes, sizeof bytes);
    copy[0] = (unsigned char)(sizeof bytes - 1 - 8 - 8);
    kzt_write(folder, "model.safetensors", copy, sizeof bytes - 1);
    kz__weights *w = open_good(folder);
    size_t shape[1] = {2};
    kz__tensor tensor;
    assert_int_equal(kz__weights_need(w, "x", 1, shape, &tensor, NULL), KZ_OK);
    assert_true(kz__tensor_at(&tensor, 0) == 1.0f);
    assert_true(kz__tensor_at(&tensor, 1) == -2.5f);
    assert_string_equal(kz__weights_unused(w, "", 0), "y");
    assert_null(kz__weights_unused(w, "", 1));
    assert_int_equal(kz__weights_need(w, "y", 0, shape, &tensor, NULL), KZ_OK);
    assert_true(kz__tensor_at(&tensor, 0) == 0.625f);
    kz__weights_close(w);
    kz__weights_close(NULL);
}

/* ---- tensors ------------------------------------------------------------------------------- */

/* Asks for every tensor of header; exactly one is refused, and the sentence is as wanted. */
static void expect_one_refused(const char *folder, const json_t *header, const char *tensor,
                               const char *text) {
    kz__weights *w = open_good(folder);
    const char *name = NULL;
    json_t *value = NULL;
    size_t refused = 0;
    kz__err err = {""};
    json_object_foreach((json_t *)(uintptr_t)header, name, value) {
        json_t *sizes = json_object_get(value, "shape");
        size_t shape[4] = {0};
        kz__tensor view;
        for (size_t i = 0; i < json_array_size(sizes); i++) {
            shape[i] = (size_t)json_integer_value(json_array_get(sizes, i));
        }
        refused +=
            kz__weights_need(w, name, (int)json_array_size(sizes), shape, &view, &err) != KZ_OK;
    }
    kz__weights_close(w);
    if (refused != 1) fail_msg("%zu tensors refused, not 1: %s", refused, tensor);
    char quoted[160];
    snprintf(quoted, sizeof quoted, "tensor '%s'", tensor);
    kzt_expect_text(err.text, quoted, text, "model.safetensors");
}

/* Another shape with as many elements. */
static json_t *other_shape(const json_t *value) {
    json_t *sizes = json_deep_copy(json_object_get(value, "shape"));
    json_array_append_new(sizes, json_integer(1));
    return sizes;
}

/* B184: each tensor renamed, of another shape, of another type, one at a time. */
static void damage_each(const char *folder, const char *source) {
    size_t size = 0;
    json_t *header = read_header(source, &size);
    const char *name = NULL;
    json_t *value = NULL;
    size_t at = 0;
    json_object_foreach(header, name, value) {
        if (at++ % KZT_SLOW) continue;
        json_t *changed = json_deep_copy(header);
        char renamed[160];
        snprintf(renamed, sizeof renamed, "%s_", name);
        json_object_set(changed, renamed, value);
        json_object_del(changed, name);
        write_weights(folder, "model.safetensors", changed, 0);
        expect_one_refused(folder, header, name, "is missing");
        json_object_del(changed, renamed);

        json_t *copy = json_deep_copy(value);
        json_object_set_new(copy, "shape", other_shape(value));
        json_object_set(changed, name, copy);
        write_weights(folder, "model.safetensors", changed, 0);
        expect_one_refused(folder, header, name, ", 1], wanted [");
        json_object_set(copy, "shape", json_object_get(value, "shape"));
        const char *type = json_string_value(json_object_get(value, "dtype"));
        json_object_set_new(copy, "dtype", json_string(strcmp(type, "F32") ? "I16" : "I32"));
        write_weights(folder, "model.safetensors", changed, 0);
        expect_one_refused(folder, header, name, "wanted F32, BF16 or F16");
        json_decref(copy);
        json_decref(changed);
    }
    json_decref(header);
}

static void test_B184_each_talker_tensor(void **state) {
    char *file = kzt_path(small, "model.safetensors");
    damage_each(*state, file);
    free(file);
}

static void test_B184_each_codec_tensor(void **state) {
    char *file = kzt_path(small, "speech_tokenizer/model.safetensors");
    damage_each(*state, file);
    free(file);
}

static void test_shape_sentence(void **state) {
    const char *folder = *state;
    json_t *header = json_object();
    put(header, "m.weight", "F32", 0, 24, "[2,3]");
    write_weights(folder, "model.safetensors", header, 0);
    kz__weights *w = open_good(folder);
    kz__tensor tensor;
    kz__err err = {""};
    const size_t shape[2] = {3, 2};
    assert_int_equal(kz__weights_need(w, "m.weight", 2, shape, &tensor, &err), KZ_ERR_MODEL);
    kzt_expect_text(err.text, "tensor 'm.weight'", "has shape [2, 3], wanted [3, 2]", "model.safe");
    assert_int_equal(kz__weights_need(w, "m.weight", 1, shape, &tensor, &err), KZ_ERR_MODEL);
    kzt_expect_text(err.text, "has shape [2, 3], wanted [3]", "", "");
    assert_string_equal(kz__weights_unused(w, "m.", 0), "m.weight");
    assert_null(kz__weights_unused(w, "n.", 0));
    kz__weights_close(w);
    json_decref(header);
}

/* B187: the sentence shows what was expected and what is there. */
static void test_B187_name_prefix(void **state) {
    const char *folder = *state;
    static const struct {
        const char *stored, *wanted, *text;
    } rows[] = {
        {"model.talker.model.norm.weight", "talker.model.norm.weight",
         "found 'model.talker.model.norm.weight'"},
        {"model.norm.weight", "talker.model.norm.weight", "found 'model.norm.weight'"},
        {"weight", "talker.model.norm.weight", "is missing"},
        {"x.anorm.weight", "norm.weight", "is missing"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *header = json_object();
        put(header, rows[i].stored, "F32", 0, 4, "[1]");
        write_weights(folder, "model.safetensors", header, 0);
        kz__weights *w = open_good(folder);
        kz__tensor tensor;
        kz__err err = {""};
        const size_t shape[1] = {1};
        assert_int_equal(kz__weights_need(w, rows[i].wanted, 1, shape, &tensor, &err),
                         KZ_ERR_MODEL);
        kzt_expect_text(err.text, rows[i].wanted, rows[i].text, "is missing");
        if (i >= 2 && strstr(err.text, "found")) fail_msg("no hint belongs here: %s", err.text);
        kz__weights_close(w);
        json_decref(header);
    }
}

/* ---- files --------------------------------------------------------------------------------- */

/* B189, B190, B198: the rules of the header reach through to the folder. */
static void test_B189_folder_with_damaged_file(void **state) {
    const char *folder = *state;
    json_t *header = json_object();
    put(header, "m.weight", "F32", 0, 24, "[2,3]");
    kzt_expect_no_weights(folder, "no model.safetensors", "model.safetensors.index.json", folder);
    write_weights(folder, "model.safetensors", header, 1);
    kzt_expect_no_weights(folder, "/model.safetensors'", "truncated", "the header needs");
    write_weights(folder, "model.safetensors", header, 20);
    kzt_expect_no_weights(folder, "/model.safetensors'", "truncated", "the header needs");
    write_weights(folder, "model.safetensors", header, 50);
    kzt_expect_no_weights(folder, "/model.safetensors'", "truncated", "the header needs");
    kzt_write_text(folder, "model.safetensors", "");
    kzt_expect_no_weights(folder, "/model.safetensors'", "is empty", "");
    json_decref(header);
}

static void test_B190_trailing_bytes(void **state) {
    const char *folder = *state;
    json_t *header = json_object();
    put(header, "m.weight", "F32", 0, 24, "[2,3]");
    write_weights(folder, "model.safetensors", header, -1);
    kzt_expect_no_weights(folder, "/model.safetensors'", "1 bytes after its last tensor", "");
    write_weights(folder, "model.safetensors", header, -1048576);
    kzt_expect_no_weights(folder, "/model.safetensors'", "1048576 bytes after its last tensor", "");
    json_decref(header);
}

static void test_B198_pointer_files(void **state) {
    const char *folder = *state;
    static const char pointer[] = "version https://git-lfs.github.com/spec/v1\n"
                                  "oid sha256:836b7b357f5ea43e889936a3709af68d\nsize 682293092\n";
    kzt_write_text(folder, "model.safetensors", pointer);
    kzt_expect_no_weights(folder, "/model.safetensors'", "pointer", "fetch the real one");
    kzt_write_text(folder, "model.safetensors", "<!doctype html><p>404");
    kzt_expect_no_weights(folder, "/model.safetensors'", "web page", "fetch it again");
    kzt_unlink(folder, "model.safetensors");
    kzt_write_text(folder, "model.safetensors.index.json", pointer);
    kzt_expect_no_weights(folder, "index.json'", "pointer", "fetch the real one");
}

static void test_not_a_file(void **state) {
    const char *folder = *state;
    kzt_write_text(folder, "model.safetensors/inner", "");
    kzt_expect_no_weights(folder, "/model.safetensors'", "is a folder", "");
    char *absent = kzt_path(folder, "absent");
    kzt_expect_no_weights(absent, "there is no", "absent", "");
    free(absent);
    char *fifo = kzt_path(folder, "fifo/model.safetensors");
    kzt_write_text(folder, "fifo/x", "");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    fifo[strlen(fifo) - strlen("/model.safetensors")] = 0;
    kzt_expect_no_weights(fifo, "/model.safetensors'", "not a regular file", "");
    free(fifo);
}

/* ---- shards -------------------------------------------------------------------------------- */

static void test_sharded(void **state) {
    const char *folder = *state;
    write_shards(folder);
    kz__weights *w = open_good(folder);
    need(w, "a.weight", 2, 2, 3, 0);
    need(w, "c.weight", 1, 2, 0, 0);
    assert_string_equal(kz__weights_unused(w, "", 0), "b.weight");
    assert_string_equal(kz__weights_unused(w, "", 1), "d.weight");
    assert_string_equal(kzt_notices, "");
    kz__err err = {""};
    kz__tensor tensor;
    const size_t shape[1] = {3};
    assert_int_equal(kz__weights_need(w, "d.weight", 1, shape, &tensor, &err), KZ_ERR_MODEL);
    kzt_expect_text(err.text, "model-00002-of-00002.safetensors", "d.weight", "[1], wanted [3]");
    assert_int_equal(kz__weights_need(w, "e.weight", 1, shape, &tensor, &err), KZ_ERR_MODEL);
    kzt_expect_text(err.text, "model.safetensors.index.json", "e.weight", "is missing");
    kz__weights_close(w);
}

/* B188: every shard is checked before use. */
static void test_B188_truncated_shard(void **state) {
    const char *folder = *state;
    static const long cuts[] = {1, 4, 8, 30, 80};
    for (size_t i = 0; i < 5; i++) {
        json_t *two = json_object();
        write_shards(folder);
        put(two, "c.weight", "F16", 0, 4, "[2]");
        put(two, "d.weight", "F32", 4, 8, "[1]");
        write_weights(folder, "model-00002-of-00002.safetensors", two, cuts[i]);
        kzt_expect_no_weights(folder, "model-00002-of-00002.safetensors'", "truncated",
                              "header needs");
        json_decref(two);
    }
    write_shards(folder);
    kzt_unlink(folder, "model-00001-of-00002.safetensors");
    kzt_expect_no_weights(folder, "there is no", "model-00001-of-00002.safetensors", "");
}

static void test_B188_index_and_shards_differ(void **state) {
    const char *folder = *state;
    static const char one[] = "model-00001-of-00002.safetensors";
    static const char two[] = "model-00002-of-00002.safetensors";
    static const struct {
        const char *map, *first, *second;
    } rows[] = {
        {"\"a.weight\":1,\"b.weight\":1,\"c.weight\":2,\"d.weight\":2,\"e.weight\":2", "e.weight",
         "it is not"},
        {"\"a.weight\":1,\"b.weight\":1,\"c.weight\":2", "does not list", "d.weight"},
        {"\"a.weight\":1,\"b.weight\":2,\"c.weight\":2,\"d.weight\":2", "b.weight", "it is not"},
        {"", "empty weight_map", ""},
        {"\"a.weight\":3", "a.weight", "../w.safetensors"},
        {"\"a.weight\":4", "a.weight", "(no text)"},
        {"\"a.weight\":5", "a.weight", "pytorch_model.bin"},
        {"\"a.weight\":1,\"a.weight\":1", "not valid JSON", "duplicate"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1000];
        size_t used = (size_t)snprintf(text, sizeof text, "{\"weight_map\":{");
        for (const char *c = rows[i].map; *c; c++) {
            bool number = *c >= '1' && *c <= '5' && c[-1] == ':';
            const char *file = *c == '1'   ? one
                               : *c == '2' ? two
                               : *c == '3' ? "../w.safetensors"
                                           : "pytorch_model.bin";
            if (number && *c != '4') {
                used += (size_t)snprintf(text + used, sizeof text - used, "\"%s\"", file);
            } else {
                text[used++] = *c;
            }
        }
        snprintf(text + used, sizeof text - used, "}}");
        write_shards(folder);
        kzt_write_text(folder, "model.safetensors.index.json", text);
        kzt_expect_no_weights(folder, "model.safetensors.index.json'", rows[i].first,
                              rows[i].second);
    }
    kzt_write_text(folder, "model.safetensors.index.json",
                   "{\"weight_map\":{\"a.weight\":\"sub/w.safetensors\"}}");
    kzt_expect_no_weights(folder, "index.json'", "a.weight", "sub/w.safetensors");
    kzt_write_text(folder, "model.safetensors.index.json", "{\"weights\":{}}");
    kzt_expect_no_weights(folder, "index.json'", "weight_map", "");
    kzt_write_text(folder, "model.safetensors.index.json", "[]");
    kzt_expect_no_weights(folder, "index.json'", "object", "");
}

static void test_B188_tensor_in_two_shards(void **state) {
    const char *folder = *state;
    json_t *two = json_object();
    write_shards(folder);
    put(two, "a.weight", "F32", 0, 24, "[2,3]");
    put(two, "c.weight", "F16", 24, 28, "[2]");
    put(two, "d.weight", "F32", 28, 32, "[1]");
    write_weights(folder, "model-00002-of-00002.safetensors", two, 0);
    kzt_expect_no_weights(folder, "a.weight", "two files", "index.json'");
    json_decref(two);
}

static void test_total_size_notice(void **state) {
    const char *folder = *state;
    write_shards(folder);
    kzt_write_text(folder, "model.safetensors.index.json",
                   "{\"metadata\":{\"total_size\":39},\"weight_map\":{"
                   "\"a.weight\":\"model-00001-of-00002.safetensors\","
                   "\"b.weight\":\"model-00001-of-00002.safetensors\","
                   "\"c.weight\":\"model-00002-of-00002.safetensors\","
                   "\"d.weight\":\"model-00002-of-00002.safetensors\"}}");
    kz__weights_close(open_good(folder));
    kzt_expect_text(kzt_notices, "total_size is 39", "40 bytes", "");
}

/* The single file wins, as in the reference. */
static void test_single_file_first(void **state) {
    const char *folder = *state;
    json_t *header = json_object();
    write_shards(folder);
    put(header, "m.weight", "F32", 0, 24, "[2,3]");
    write_weights(folder, "model.safetensors", header, 0);
    kz__weights *w = open_good(folder);
    assert_true(kz__weights_has(w, "m.weight"));
    assert_false(kz__weights_has(w, "a.weight"));
    kz__weights_close(w);
    json_decref(header);
}

/* ---- memory -------------------------------------------------------------------------------- */

/* Each allocation fails in turn: an error, nothing leaks. */
static void test_each_allocation_fails(void **state) {
    const char *folder = *state;
    kz__mem limited;
    kz__mem_init(&limited, kzt_failing_allocator(), NULL);
    write_shards(folder);
    kz_status status = KZ_ERR_MEMORY;
    for (long n = 0; status != KZ_OK; n++) {
        kz__weights *weights = NULL;
        kz__err err = {""};
        kzt_fail_after(n);
        status = kz__weights_open(&limited, folder, &weights, &err);
        if (status != KZ_OK) {
            assert_int_equal(status, KZ_ERR_MEMORY);
            assert_string_equal(err.text, "out of memory");
        }
        kz__weights_close(weights);
        assert_int_equal(atomic_load(&limited.current), 0);
    }
}

static int find_small(void **state) {
    (void)state;
    small = kzt_checkpoint("small");
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, kzt_loading_begin, kzt_loading_end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_inventory),
        TEST(test_values),
        TEST(test_B184_each_talker_tensor),
        TEST(test_B184_each_codec_tensor),
        TEST(test_shape_sentence),
        TEST(test_B187_name_prefix),
        TEST(test_B189_folder_with_damaged_file),
        TEST(test_B190_trailing_bytes),
        TEST(test_B198_pointer_files),
        TEST(test_not_a_file),
        TEST(test_sharded),
        TEST(test_B188_truncated_shard),
        TEST(test_B188_index_and_shards_differ),
        TEST(test_B188_tensor_in_two_shards),
        TEST(test_total_size_notice),
        TEST(test_single_file_first),
        TEST(test_each_allocation_fails),
    };
    return cmocka_run_group_tests(tests, find_small, NULL);
}
