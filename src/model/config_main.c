/* config.json: kind, ids, talker, code predictor, languages, speakers. */
#include "model/config_reader.h"

#include "base/log.h"
#include "base/path.h"
#include "weights/jsonfile.h"

#include <string.h>

#define MODEL_TYPE "qwen3_tts"
#define CODEC_TYPE "qwen3_tts_tokenizer_12hz"

enum {
    MAX_VOCAB = 1 << 22,
    MAX_CODES = 65536,
    MAX_TEXT_WIDTH = 65536,
    MAX_POSITIONS = 1 << 20,
    CONTROL_IDS = 1024, /* last ids of the codec vocabulary; of them only end of speech is drawn */
    MAX_NAMES = 65536,
    MAX_MEL = 1024,
    MAX_TAPS = 256,
    ENCODER_RATE = 24000 /* of the speaker encoder: Hz */
};

/* ---- what the folder is --------------------------------------------------------------------- */

static void check_type(kz__reader *reader, const kz__section *top) {
    kz__shown shown;
    if (!kz__section_has(top, "model_type")) {
        kz__reader_fail(reader, "model_type is missing, Kazeia speaks " MODEL_TYPE);
        return;
    }
    const char *type = kz__read_string(reader, top, "model_type", NULL);
    if (reader->status != KZ_OK) return;
    kz__show_name(&shown, type);
    if (!strncmp(type, "qwen3_tts_tokenizer", 19)) {
        kz__reader_fail(reader,
                        "this folder holds only the speech tokenizer (%s): give the model's "
                        "folder",
                        shown.text);
    } else if (strcmp(type, MODEL_TYPE)) {
        kz__reader_fail(reader, "this is a %s model, Kazeia speaks " MODEL_TYPE, shown.text);
    }
    const char *codec = kz__read_string(reader, top, "tokenizer_type", CODEC_TYPE);
    if (reader->status == KZ_OK && strcmp(codec, CODEC_TYPE)) {
        kz__reader_fail(reader, "tokenizer_type is '%s', Kazeia speaks " CODEC_TYPE,
                        kz__show_name(&shown, codec));
    }
}

static void read_kind(kz__reader *reader, const kz__section *top, kz__config *config) {
    kz__shown shown;
    const char *kind = kz__read_string(reader, top, "tts_model_type", "");
    const char *size = kz__read_string(reader, top, "tts_model_size", NULL);
    if (reader->status != KZ_OK) return;
    bool speakers = config->speaker_count > 0;
    if (!kind[0]) {
        kind = speakers ? "custom_voice" : config->speaker_encoder.dim ? "base" : "voice_design";
        kz__log(KZ__NOTICE, "'%s': tts_model_type is missing, %s is taken from the contents",
                reader->file, kind);
    } else if (!strcmp(kind, "base") && speakers) {
        kz__log(KZ__NOTICE,
                "'%s': tts_model_type is base but there are speakers: taken as custom_voice",
                reader->file);
        kind = "custom_voice";
    }
    if (!strcmp(kind, "base")) {
        config->kind = KZ_KIND_BASE;
    } else if (!strcmp(kind, "custom_voice")) {
        config->kind = KZ_KIND_CUSTOM_VOICE;
    } else if (!strcmp(kind, "voice_design")) {
        config->kind = KZ_KIND_VOICE_DESIGN;
    } else {
        kz__reader_fail(reader,
                        "tts_model_type is '%s', base, custom_voice or voice_design is needed",
                        kz__show_name(&shown, kind));
        return;
    }
    if (strlen(size) >= sizeof config->size_name) {
        kz__reader_fail(reader, "tts_model_size is '%s', at most %zu bytes are allowed",
                        kz__show_name(&shown, size), sizeof config->size_name - 1);
        return;
    }
    memcpy(config->size_name, size, strlen(size) + 1);
    config->takes_instruct = config->kind == KZ_KIND_VOICE_DESIGN ||
                             (config->kind == KZ_KIND_CUSTOM_VOICE && !strstr("0b6", size));
}

static void notice_contents(const kz__reader *reader, const kz__config *config) {
    const char *problem = NULL;
    if (config->kind == KZ_KIND_CUSTOM_VOICE && !config->speaker_count) {
        problem = "custom_voice but there is no speaker in spk_id";
    } else if (config->kind == KZ_KIND_VOICE_DESIGN && config->speaker_count) {
        problem = "voice_design but there are speakers in spk_id";
    } else if (config->kind == KZ_KIND_BASE && !config->speaker_encoder.dim) {
        problem = "base but there is no speaker_encoder_config";
    }
    if (problem) kz__log(KZ__NOTICE, "'%s': tts_model_type is %s", reader->file, problem);
}

/* ---- talker and predictor ------------------------------------------------------------------- */

static int32_t read_id(kz__reader *reader, const kz__section *section, const char *key,
                       size_t vocab) {
    return (int32_t)kz__read_size(reader, section, key, 0, vocab - 1);
}

/* The window of a stack whose layers are all of one type. */
static void read_window(kz__reader *reader, const kz__section *section, kz__stack_config *stack) {
    bool sliding = kz__read_bool(reader, section, "use_sliding_window", false);
    const json_t *types = json_object_get(section->object, "layer_types");
    if (reader->status != KZ_OK) return;
    if (json_is_array(types)) {
        size_t count = json_array_size(types);
        if (count != stack->layers) {
            kz__reader_fail(reader, "%slayer_types has %zu entries for %zu layers", section->label,
                            count, stack->layers);
        }
        const char *wanted = sliding ? "sliding_attention" : "full_attention";
        for (size_t i = 0; i < count; i++) {
            const char *type = json_string_value(json_array_get(types, i));
            if (type && !strcmp(type, wanted)) continue;
            kz__reader_fail(reader, "%slayer_types must all be '%s' where use_sliding_window is %s",
                            section->label, wanted, sliding ? "true" : "false");
        }
    } else if (types && !json_is_null(types)) {
        kz__reader_fail(reader, "%slayer_types is not a list", section->label);
    }
    if (sliding) stack->window = kz__read_size(reader, section, "sliding_window", 1, MAX_POSITIONS);
}

/* Only the plain rotation; the three sections of a talker cover half a head. */
static void read_rope(kz__reader *reader, const kz__section *section, const char *label,
                      const kz__stack_config *stack) {
    kz__shown shown;
    if (!kz__section_has(section, "rope_scaling")) return;
    kz__section rope = kz__read_section(reader, section, "rope_scaling", label);
    const char *type = kz__read_string(reader, &rope, "type", "default");
    type = kz__read_string(reader, &rope, "rope_type", type);
    if (reader->status != KZ_OK) return;
    if (strcmp(type, "default")) {
        kz__reader_fail(reader, "%srope_type is '%s', only 'default' is supported", label,
                        kz__show_name(&shown, type));
    }
    if (!kz__section_has(&rope, "mrope_section")) return;
    size_t parts[8];
    size_t sum = 0;
    size_t count = kz__read_sizes(reader, &rope, "mrope_section", 8, 0, 1024, parts);
    for (size_t i = 0; i < count; i++) sum += parts[i];
    if (reader->status == KZ_OK && sum != stack->head_dim / 2) {
        kz__reader_fail(reader, "%smrope_section adds up to %zu, half of head_dim is %zu", label,
                        sum, stack->head_dim / 2);
    }
}

static void read_predictor(kz__reader *reader, const kz__section *talker, kz__config *config) {
    kz__section part = kz__read_section(reader, talker, "code_predictor_config",
                                        "talker_config.code_predictor_config.");
    kz__read_stack(reader, &part, &config->predictor);
    config->predictor.qk_norm = true;
    read_window(reader, &part, &config->predictor);
    read_rope(reader, &part, "talker_config.code_predictor_config.rope_scaling.",
              &config->predictor);
    config->predictor_vocab = kz__read_size(reader, &part, "vocab_size", 1, MAX_CODES);
    size_t groups = kz__read_size(reader, &part, "num_code_groups", 2, KZ_PREDICTOR_PASSES + 1);
    if (reader->status == KZ_OK && groups != config->code_groups) {
        kz__reader_fail(reader, "%snum_code_groups is %zu, the talker's is %zu", part.label, groups,
                        config->code_groups);
    }
}

static void read_talker(kz__reader *reader, const kz__section *part, kz__config *config) {
    kz__read_stack(reader, part, &config->talker);
    config->talker.qk_norm = true;
    read_window(reader, part, &config->talker);
    read_rope(reader, part, "talker_config.rope_scaling.", &config->talker);
    config->talker_vocab =
        kz__read_size(reader, part, "vocab_size", CONTROL_IDS + 1, MAX_CODES + CONTROL_IDS);
    config->text_vocab = kz__read_size(reader, part, "text_vocab_size", 1, MAX_VOCAB);
    config->text_width = kz__read_size(reader, part, "text_hidden_size", 1, MAX_TEXT_WIDTH);
    config->code_groups =
        kz__read_size(reader, part, "num_code_groups", 2, KZ_PREDICTOR_PASSES + 1);
    config->max_positions =
        kz__read_size(reader, part, "max_position_embeddings", 1, MAX_POSITIONS);
    size_t vocab = config->talker_vocab;
    config->codec_pad = read_id(reader, part, "codec_pad_id", vocab);
    config->codec_bos = read_id(reader, part, "codec_bos_id", vocab);
    config->codec_eos = read_id(reader, part, "codec_eos_token_id", vocab);
    config->think = read_id(reader, part, "codec_think_id", vocab);
    config->nothink = read_id(reader, part, "codec_nothink_id", vocab);
    config->think_bos = read_id(reader, part, "codec_think_bos_id", vocab);
    config->think_eos = read_id(reader, part, "codec_think_eos_id", vocab);
    if (reader->status == KZ_OK && (size_t)config->codec_eos < vocab - CONTROL_IDS) {
        kz__reader_fail(reader,
                        "talker_config.codec_eos_token_id is %d, which is one of the %zu codes",
                        (int)config->codec_eos, vocab - CONTROL_IDS);
    }
}

static void read_text_ids(kz__reader *reader, const kz__section *top, kz__config *config) {
    size_t vocab = config->text_vocab;
    config->im_start = read_id(reader, top, "im_start_token_id", vocab);
    config->im_end = read_id(reader, top, "im_end_token_id", vocab);
    config->assistant = read_id(reader, top, "assistant_token_id", vocab);
    config->tts_pad = read_id(reader, top, "tts_pad_token_id", vocab);
    config->tts_bos = read_id(reader, top, "tts_bos_token_id", vocab);
    config->tts_eos = read_id(reader, top, "tts_eos_token_id", vocab);
}

/* ---- names ---------------------------------------------------------------------------------- */

/* ASCII only: other letters stay as they are. */
static char *lower_name(kz__mem *mem, kz__reader *reader, const char *name, const char *label) {
    kz__shown shown;
    bool plain = name[0] != 0;
    for (const char *c = name; *c; c++) plain = plain && (unsigned char)*c >= 0x20 && *c != 0x7f;
    if (!plain) {
        kz__reader_fail(reader, "%s has the name '%s', which is empty or has control characters",
                        label, kz__show_name(&shown, name));
        return NULL;
    }
    char *copy = kz__strndup(mem, name, strlen(name));
    if (!copy) {
        reader->status = kz__fail_memory(reader->err);
        return NULL;
    }
    for (char *c = copy; *c; c++) {
        if (*c >= 'A' && *c <= 'Z') *c = (char)(*c - 'A' + 'a');
    }
    return copy;
}

/* Makes room for the names of a map of ids; false where there are none or on failure. */
static bool open_map(kz__mem *mem, kz__reader *reader, const kz__section *part, const char *key,
                     const char *label, size_t size, kz__section *map, void **list) {
    if (reader->status != KZ_OK || !kz__section_has(part, key)) return false;
    *map = kz__read_section(reader, part, key, label);
    size_t count = json_object_size(map->object);
    if (count > MAX_NAMES) {
        kz__reader_fail(reader, "%s%s has %zu names, at most %d are allowed", part->label, key,
                        count, MAX_NAMES);
    }
    if (reader->status != KZ_OK || count == 0) return false;
    *list = kz__calloc(mem, count, size);
    if (!*list) reader->status = kz__fail_memory(reader->err);
    return *list != NULL;
}

/* Refuses a name that is there twice once it is lower case. */
static void check_twice(kz__reader *reader, json_t *seen, const char *name, const char *label) {
    kz__shown shown;
    if (json_object_get(seen, name)) {
        kz__reader_fail(reader, "%s%s is there twice, in other case", label,
                        kz__show_name(&shown, name));
    } else if (json_object_set_new(seen, name, json_true()) != 0 && reader->status == KZ_OK) {
        reader->status = kz__fail_memory(reader->err);
    }
}

static void read_languages(kz__mem *mem, kz__reader *reader, const kz__section *part,
                           kz__config *config) {
    static const char label[] = "talker_config.codec_language_id.";
    kz__section map;
    void *list = NULL;
    const char *name = NULL;
    json_t *value = NULL;
    if (!open_map(mem, reader, part, "codec_language_id", label, sizeof *config->languages, &map,
                  &list)) {
        return;
    }
    config->languages = list;
    json_t *seen = json_object();
    json_object_foreach((json_t *)(uintptr_t)map.object, name, value) {
        kz__named_id *language = &config->languages[config->language_count];
        language->name = lower_name(mem, reader, name, "talker_config.codec_language_id");
        if (!language->name) break;
        config->language_count++;
        check_twice(reader, seen, language->name, label);
        language->id = read_id(reader, &map, name, config->talker_vocab);
        if (reader->status != KZ_OK) break;
    }
    json_decref(seen);
}

static long find_language(const kz__config *config, const char *name) {
    for (size_t i = 0; i < config->language_count; i++) {
        if (!strcmp(config->languages[i].name, name)) return (long)i;
    }
    return -1;
}

/* spk_is_dialect: false, or the name of a language. */
static long read_dialect(kz__mem *mem, kz__reader *reader, const json_t *dialects,
                         const char *speaker, const kz__config *config) {
    kz__shown shown;
    kz__shown shown_dialect;
    const json_t *value = json_object_get(dialects, speaker);
    if (reader->status != KZ_OK || !value || json_is_false(value) || json_is_null(value)) return -1;
    kz__show_name(&shown, speaker);
    if (!json_is_string(value)) {
        kz__reader_fail(reader,
                        "talker_config.spk_is_dialect.%s is neither false nor the name of a "
                        "language",
                        shown.text);
        return -1;
    }
    char *name = lower_name(mem, reader, json_string_value(value), "talker_config.spk_is_dialect");
    if (!name) return -1;
    long index = find_language(config, name);
    if (index < 0) {
        kz__reader_fail(reader,
                        "talker_config.spk_is_dialect.%s is '%s', which is not in "
                        "codec_language_id",
                        shown.text, kz__show_name(&shown_dialect, name));
    }
    kz__free(mem, name);
    return index;
}

static void read_speakers(kz__mem *mem, kz__reader *reader, const kz__section *part,
                          kz__config *config) {
    static const char label[] = "talker_config.spk_id.";
    kz__section map;
    void *list = NULL;
    const char *name = NULL;
    json_t *value = NULL;
    if (!open_map(mem, reader, part, "spk_id", label, sizeof *config->speakers, &map, &list))
        return;
    config->speakers = list;
    const json_t *dialects = NULL;
    if (kz__section_has(part, "spk_is_dialect")) {
        dialects = kz__read_section(reader, part, "spk_is_dialect", label).object;
    }
    json_t *seen = json_object();
    json_object_foreach((json_t *)(uintptr_t)map.object, name, value) {
        kz__speaker_config *speaker = &config->speakers[config->speaker_count];
        speaker->name = lower_name(mem, reader, name, "talker_config.spk_id");
        if (!speaker->name) break;
        config->speaker_count++;
        check_twice(reader, seen, speaker->name, label);
        speaker->id = read_id(reader, &map, name, config->talker_vocab);
        speaker->dialect = read_dialect(mem, reader, dialects, name, config);
        if (reader->status != KZ_OK) break;
    }
    json_decref(seen);
}

/* Missing sizes are those of all published models. */
static void read_encoder_layers(kz__reader *reader, const kz__section *part,
                                kz__speaker_encoder_config *e) {
    static const kz__speaker_encoder_config published = {
        .layers = 5, .channels = {512, 512, 512, 512, 1536}, .taps = {5, 3, 3, 3, 1},
        .dilations = {1, 2, 3, 4, 1}};
    const struct {
        const char *key;
        size_t high, *sizes;
        const size_t *absent;
    } lists[] = {{"enc_channels", MAX_TEXT_WIDTH, e->channels, published.channels},
                 {"enc_kernel_sizes", MAX_TAPS, e->taps, published.taps},
                 {"enc_dilations", MAX_TAPS, e->dilations, published.dilations}};
    for (size_t i = 0; i < 3 && reader->status == KZ_OK; i++) {
        size_t count = published.layers;
        if (kz__section_has(part, lists[i].key)) {
            count = kz__read_sizes(reader, part, lists[i].key, KZ__MAX_STAGES, 1, lists[i].high,
                                   lists[i].sizes);
        } else {
            memcpy(lists[i].sizes, lists[i].absent, sizeof published.channels);
        }
        if (i == 0) e->layers = count;
        if (reader->status == KZ_OK && (count < 3 || count != e->layers)) {
            kz__reader_fail(reader, "%s%s has %zu numbers, %zu are needed", part->label,
                            lists[i].key, count, i == 0 ? (size_t)3 : e->layers);
        }
    }
}

static void check_encoder_layers(kz__reader *reader, const kz__section *part,
                                 const kz__speaker_encoder_config *e) {
    size_t sum = 0;
    for (size_t i = 1; i + 1 < e->layers; i++) {
        sum += e->channels[i];
        if (e->channels[i] == e->channels[0] && e->channels[i] % e->scale == 0) continue;
        kz__reader_fail(reader,
                        "%senc_channels has %zu after %zu: all but the last must be equal and "
                        "divide by enc_res2net_scale, %zu",
                        part->label, e->channels[i], e->channels[0], e->scale);
        return;
    }
    if (e->channels[e->layers - 1] == sum) return;
    kz__reader_fail(reader, "%senc_channels ends with %zu, the blocks before have %zu together",
                    part->label, e->channels[e->layers - 1], sum);
}

static size_t read_encoder_size(kz__reader *reader, const kz__section *part, const char *key,
                                size_t absent, size_t high) {
    return kz__section_has(part, key) ? kz__read_size(reader, part, key, 1, high) : absent;
}

/* The speaker vector is a row of the prompt. */
static void read_speaker_encoder(kz__reader *reader, const kz__section *top, kz__config *config) {
    if (reader->status != KZ_OK || !kz__section_has(top, "speaker_encoder_config")) return;
    kz__section part =
        kz__read_section(reader, top, "speaker_encoder_config", "speaker_encoder_config.");
    kz__speaker_encoder_config e = {0};
    e.dim = kz__read_size(reader, &part, "enc_dim", 1, MAX_TEXT_WIDTH);
    e.sample_rate = ENCODER_RATE;
    if (kz__section_has(&part, "sample_rate")) {
        e.sample_rate = kz__read_size(reader, &part, "sample_rate", ENCODER_RATE, ENCODER_RATE);
    }
    e.mel_dim = read_encoder_size(reader, &part, "mel_dim", 128, MAX_MEL);
    e.scale = read_encoder_size(reader, &part, "enc_res2net_scale", 8, MAX_TEXT_WIDTH);
    e.squeeze = read_encoder_size(reader, &part, "enc_se_channels", 128, MAX_TEXT_WIDTH);
    e.attention = read_encoder_size(reader, &part, "enc_attention_channels", 128, MAX_TEXT_WIDTH);
    read_encoder_layers(reader, &part, &e);
    if (reader->status != KZ_OK) return;
    check_encoder_layers(reader, &part, &e);
    if (e.dim != config->talker.width) {
        kz__reader_fail(reader,
                        "speaker_encoder_config.enc_dim is %zu, the talker's hidden_size is %zu",
                        e.dim, config->talker.width);
    }
    config->speaker_encoder = e;
}

/* ---- the whole ------------------------------------------------------------------------------ */

kz_status kz__config_from_main(kz__mem *mem, const json_t *root, const char *path,
                               kz__config *config, kz__err *err) {
    kz__shown shown;
    kz__reader reader = {kz__show_path(&shown, path), err, KZ_OK};
    kz__section top = {root, ""};
    check_type(&reader, &top);
    kz__section talker = kz__read_section(&reader, &top, "talker_config", "talker_config.");
    read_talker(&reader, &talker, config);
    read_predictor(&reader, &talker, config);
    read_text_ids(&reader, &top, config);
    read_languages(mem, &reader, &talker, config);
    read_speakers(mem, &reader, &talker, config);
    read_speaker_encoder(&reader, &top, config);
    read_kind(&reader, &top, config);
    if (reader.status != KZ_OK) return reader.status;
    notice_contents(&reader, config);
    config->reference_swaps_pattern =
        kz__config_swaps_pattern(json_string_value(json_object_get(root, "transformers_version")));
    config->has_talker = true;
    return KZ_OK;
}

static kz_status load_main(kz__mem *mem, const char *folder, kz__config *config, kz__err *err) {
    json_t *root = NULL;
    char *path = kz__path_join(mem, folder, "config.json");
    if (!path) return kz__fail_memory(err);
    kz_status status = kz__json_load(path, &root, err);
    if (status == KZ_OK) status = kz__config_from_main(mem, root, path, config, err);
    json_decref(root);
    kz__free(mem, path);
    return status;
}

static kz_status load_generation(kz__mem *mem, const char *folder, kz__config *config,
                                 kz__err *err) {
    json_t *root = NULL;
    kz__config_default_generation(config);
    char *path = kz__path_join(mem, folder, "generation_config.json");
    if (!path) return kz__fail_memory(err);
    kz_status status = KZ_OK;
    if (kz__path_look(path) != KZ__PATH_MISSING) {
        status = kz__json_load(path, &root, err);
        if (status == KZ_OK) status = kz__config_from_generation(root, path, config, err);
    }
    json_decref(root);
    kz__free(mem, path);
    return status;
}

kz_status kz__config_load(kz__mem *mem, const char *folder, kz__config *config, kz__err *err) {
    memset(config, 0, sizeof *config);
    kz_status status = load_main(mem, folder, config, err);
    if (status == KZ_OK) status = load_generation(mem, folder, config, err);
    if (status != KZ_OK) kz__config_clear(mem, config);
    return status;
}

/* The JSON of a packed file and what it is called, for json_decref and kz__free. */
static kz_status read_packed(kz__packed *packed, const char *name, bool optional, json_t **root,
                             char **path, kz__err *err) {
    const char *data = NULL;
    size_t size = 0;
    *root = NULL;
    kz_status status = kz__packed_file(packed, name, optional, path, &data, &size, err);
    if (status == KZ_OK && data) status = kz__json_parse(data, size, *path, root, err);
    return status;
}

kz_status kz__config_from_packed(kz__mem *mem, kz__packed *packed, kz__config *config,
                                 kz__err *err) {
    json_t *root = NULL;
    char *path = NULL;
    memset(config, 0, sizeof *config);
    kz_status status = read_packed(packed, KZ__CONFIG_FILE, false, &root, &path, err);
    if (status == KZ_OK) status = kz__config_from_main(mem, root, path, config, err);
    json_decref(root);
    kz__free(mem, path);
    if (status == KZ_OK) {
        kz__config_default_generation(config);
        status = read_packed(packed, KZ__GENERATION_FILE, true, &root, &path, err);
        if (status == KZ_OK && root) status = kz__config_from_generation(root, path, config, err);
        json_decref(root);
        kz__free(mem, path);
    }
    if (status != KZ_OK) kz__config_clear(mem, config);
    return status;
}

kz_status kz__config_codec_from_packed(kz__mem *mem, kz__packed *packed, kz__config *config,
                                       kz__err *err) {
    json_t *root = NULL;
    char *path = NULL;
    memset(&config->codec, 0, sizeof config->codec);
    kz_status status = read_packed(packed, KZ__CODEC_FILE, false, &root, &path, err);
    if (status == KZ_OK) status = kz__config_from_codec(root, path, config, err);
    json_decref(root);
    kz__free(mem, path);
    return status;
}

void kz__config_clear(kz__mem *mem, kz__config *config) {
    for (size_t i = 0; i < config->language_count; i++) kz__free(mem, config->languages[i].name);
    for (size_t i = 0; i < config->speaker_count; i++) kz__free(mem, config->speakers[i].name);
    kz__free(mem, config->languages);
    kz__free(mem, config->speakers);
    memset(config, 0, sizeof *config);
}
