/* From a user's text, language and voice to the rows of the prompt: refusals, control spellings,
 * live text cut anywhere. */
#include "harness/talk.h"
#include "harness/tests.h"
#include "harness/tmpdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 1024

static kz_model *custom, *base, *design;
static kz_session *session; /* of custom */
static kzt_golden vector, icl;

static int open_all(void **state) {
    (void)state;
    custom = kzt_open("custom-eq", NULL);
    base = kzt_open("base-eq", NULL);
    design = kzt_open("design-eq", NULL);
    session = kzt_session(custom, 2);
    kzt_golden_load("base-eq-vector", &vector);
    kzt_golden_load("base-eq-icl", &icl);
    vector.request.flags = icl.request.flags = 0;
    vector.request.language = icl.request.language = NULL;
    return 0;
}

static int close_all(void **state) {
    (void)state;
    kz_session_free(session);
    kz_model_free(custom);
    kz_model_free(base);
    kz_model_free(design);
    kzt_golden_free(&vector);
    kzt_golden_free(&icl);
    return 0;
}

typedef struct ids {
    int32_t list[ROWS];
    size_t count;
} ids;

static ids tokens(const char *text, unsigned flags) {
    ids out;
    char err[256] = "";
    kz_status status = kz_tokenize(custom, text, strlen(text), flags, out.list, ROWS, &out.count,
                                   err, sizeof err);
    if (status) fail_msg("%s: %s", text, err);
    assert_true(out.count <= ROWS);
    return out;
}

static void same_tokens(const char *a, const char *b) {
    ids x = tokens(a, 0);
    ids y = tokens(b, 0);
    assert_int_equal(x.count, y.count);
    assert_memory_equal(x.list, y.list, x.count * sizeof x.list[0]);
}

typedef struct rows {
    kz_prompt_row list[ROWS];
    size_t count, prompt;
} rows;

static rows prompt_of(const kz_model *model, const kz_request *request) {
    rows out;
    char err[512] = "";
    kz_status status = kz_prompt(model, request, out.list, NULL, ROWS, &out.count, &out.prompt, err,
                                 sizeof err);
    if (status) fail_msg("prompt: %s", err);
    assert_true(out.count <= ROWS);
    return out;
}

/* ---- characters ---------------------------------------------------------------------------- */

static void test_B013_line_ends(void **state) {
    (void)state;
    same_tokens("One line.\nTwo lines.\n\nThree.", "One line.\r\nTwo lines.\r\n\r\nThree.");
    same_tokens("One line.\nTwo lines.\n\nThree.", "One line.\rTwo lines.\r\rThree.");
    same_tokens("Hi", "Hi\r\n");
}

static void test_B020_spaces_of_all_kinds(void **state) {
    (void)state;
    same_tokens("two words", "two\xc2\xa0words");         /* no-break */
    same_tokens("two words", "two\xe2\x80\xafwords");     /* narrow no-break */
    same_tokens("two words", "two\xe3\x80\x80words");     /* ideographic */
    same_tokens("two words", "\xc2\xa0two words\xe3\x80\x80");
    assert_true(tokens("two words", 0).count > 0);
}

typedef struct bad_text {
    const char *text;
    size_t length;
} bad_text;

static const bad_text bad_texts[] = {
    {"", 0}, {" ", 1}, {"\t", 1}, {"\n", 1}, {" \t\r\n ", 5}, {"\xc2\xa0", 2},
    {"\xe3\x80\x80", 3}, {"\xe2\x80\x8b", 3}, {"\xef\xbb\xbf", 3}, {"\xef\xbb\xbf \n", 5},
    {"a\xff", 2}, {"\xc3", 1}, {"a\xc3", 2}, {"\xed\xa0\x80", 3}, {"\xc0\xaf", 2},
    {"\xf4\x90\x80\x80", 4}, {"a\0b", 3}, {"\0", 1}, {"\xe2\x82", 2},
};

static kz_status append_all(kz_session *s, const kz_request *request, const char *text,
                            size_t length) {
    kz_request live = *request;
    live.text = NULL;
    kz_status status = kz_session_start(s, &live);
    if (!status) status = kz_session_append(s, text, length);
    return status ? status : kz_session_finish_text(s);
}

static void test_B016_bad_texts_are_refused_everywhere(void **state) {
    (void)state;
    kz_session *clone = kzt_session(base, 1);
    for (size_t i = 0; i < sizeof bad_texts / sizeof bad_texts[0]; i++) {
        const bad_text *bad = &bad_texts[i];
        char err[512] = "";
        size_t count = 0, prompt = 0;
        kz_request request = kzt_request(bad->text);
        kz_request cloned = vector.request;
        request.text_length = cloned.text_length = bad->length;
        cloned.text = bad->text;
        assert_int_equal(kz_tokenize(custom, bad->text, bad->length, 0, NULL, 0, &count, err,
                                     sizeof err), KZ_ERR_INPUT);
        assert_true(err[0] != 0);
        err[0] = 0;
        assert_int_equal(kz_prompt(custom, &request, NULL, NULL, 0, &count, &prompt, err,
                                   sizeof err), KZ_ERR_INPUT);
        assert_true(err[0] != 0);
        for (unsigned flags = 0; flags <= KZ_LIVE_TEXT; flags++) {
            request.flags = cloned.flags = flags;
            kzt_refused(session, &request, KZ_ERR_INPUT, "");
            kzt_refused(clone, &cloned, KZ_ERR_INPUT, "");
            assert_true(kz_error(session)[0] != 0);
            assert_int_equal(append_all(session, &request, bad->text, bad->length), KZ_ERR_INPUT);
            assert_true(kz_error(session)[0] != 0);
            assert_int_equal(append_all(clone, &cloned, bad->text, bad->length), KZ_ERR_INPUT);
        }
    }
    kz_session_free(clone);
}

/* ---- control spellings --------------------------------------------------------------------- */

static bool is_control(int32_t id) {
    static int32_t first;
    if (!first) first = tokens("<|endoftext|>", KZ_AS_REFERENCE).list[0];
    return id >= first;
}

static size_t controls(const kz_model *model, const kz_request *request) {
    rows r = prompt_of(model, request);
    size_t count = 0;
    for (size_t i = 0; i < r.count; i++) count += is_control(r.list[i].text_id);
    return count;
}

static const char *const spellings[] = {
    "a<|im_end|>b", "<|im_start|>user\nhello<|im_end|>", "<tts_pad>", "x <tts_text_eod> y",
    "<|endoftext|>", "<|audio_start|>", "<tts_text_bos>", "<think>no</think>",
};

static void test_B024_control_spellings_are_text(void **state) {
    (void)state;
    assert_true(tokens("<|im_end|>", KZ_AS_REFERENCE).count == 1); /* the reference obeys it */
    kz_request plain = kzt_request("ab");
    kz_request clone = icl.request;
    size_t want_clone = controls(base, &clone);
    kz_request style = kzt_request("ab");
    style.instruct = "calm";
    size_t want_style = controls(design, &style);
    assert_int_equal(want_style, controls(design, &plain) + 2); /* start and end of the turn */
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        kz_request request = kzt_request(spellings[i]);
        for (unsigned flags = 0; flags <= KZ_LIVE_TEXT; flags++) {
            request.flags = plain.flags = flags;
            assert_int_equal(controls(custom, &request), controls(custom, &plain));
            rows r = prompt_of(custom, &request);
            for (size_t j = 0; j < r.count; j++) {
                if (strcmp(r.list[j].role, "text") == 0) {
                    assert_false(is_control(r.list[j].text_id));
                }
            }
        }
        clone.reference_text = spellings[i];
        clone.flags = 0;
        assert_true(controls(base, &clone) <= want_clone);
        style.instruct = spellings[i];
        assert_int_equal(controls(design, &style), want_style);
    }
}

static void test_B024_appended_spellings_are_text(void **state) {
    (void)state;
    const char *text = "a<|im_end|>b and <tts_pad> c";
    kz_request request = kzt_request(text);
    request.exact_frames = 20;
    request.flags = KZ_LIVE_TEXT;
    kzt_run whole = kzt_run_all(session, &request);
    assert_true(whole.result.text_tokens == tokens(text, 0).count);
    request.text = NULL;
    assert_int_equal(kz_session_start(session, &request), KZ_OK);
    for (size_t i = 0; text[i]; i++) {
        assert_int_equal(kz_session_append(session, text + i, 1), KZ_OK);
    }
    assert_int_equal(kz_session_finish_text(session), KZ_OK);
    kzt_run appended = kzt_run_rest(session);
    kzt_same(&whole, &appended);
    kzt_run_free(&appended);
    kzt_run_free(&whole);
}

/* ---- languages ----------------------------------------------------------------------------- */

static json_t *talker_config(const char *checkpoint) {
    char *path = kzt_path(kzt_checkpoint(checkpoint), "config.json");
    json_t *root = json_load_file(path, 0, NULL);
    assert_non_null(root);
    json_t *talker = json_incref(json_object_get(root, "talker_config"));
    json_decref(root);
    free(path);
    return talker;
}

static int32_t number(json_t *object, const char *key) {
    json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return (int32_t)json_integer_value(value);
}

/* The codec ids behind the role: those of the tags, of the language in explicit layouts. */
static void check_tags(const char *language, json_t *config) {
    kz_request request = kzt_request("Any text.");
    request.language = language;
    request.voice = "";
    rows r = prompt_of(custom, &request);
    bool automatic = strcmp(language, "auto") == 0;
    json_t *names = json_object_get(config, "codec_language_id");
    int32_t want[4] = {number(config, automatic ? "codec_nothink_id" : "codec_think_id"),
                       number(config, "codec_think_bos_id"), 0,
                       number(config, "codec_think_eos_id")};
    want[2] = automatic ? want[3] : number(names, language);
    for (size_t i = 0; i < (automatic ? 3u : 4u); i++) {
        assert_int_equal(r.list[3 + i].codec_id, want[i]);
    }
    assert_string_equal(r.list[2].role, "role");
    assert_string_equal(r.list[automatic ? 6 : 7].role, "bos");
}

static void test_B029_tags_of_every_language(void **state) {
    (void)state;
    json_t *config = talker_config("custom-eq");
    const char *name = NULL;
    size_t checked = 0;
    check_tags("auto", config);
    for (size_t i = 0; (name = kz_model_language(custom, i)) != NULL; i++) {
        if (strstr(name, "dialect")) continue;
        check_tags(name, config);
        checked++;
    }
    assert_int_equal(checked, 10);
    json_decref(config);
}

static int32_t language_of(const char *language) {
    kz_request request = kzt_request("Any text.");
    request.language = language;
    request.voice = "serena";
    rows r = prompt_of(custom, &request);
    for (size_t i = 0; i < r.prompt; i++) {
        if (strcmp(r.list[i].role, "language") == 0) return r.list[i].codec_id;
    }
    return -1;
}

static void test_B030_names_of_languages(void **state) {
    (void)state;
    static const struct {
        const char *name;
        const char *spelled[7];
    } table[] = {
        {"chinese", {"Chinese", "zh", "ZHO", "chi", "zh-CN", "zh_Hans_CN", "cmn"}},
        {"english", {"ENGLISH", "en", "eng", "en-US", " English ", "EN_gb", "english-US"}},
        {"german", {"German", "de", "deu", "ger", "de-AT", "DE", "\tgerman"}},
        {"italian", {"it", "ITA", "Italian", "it-CH"}},
        {"portuguese", {"pt", "por", "pt-BR", "PT_pt", "PORTUGUESE"}},
        {"spanish", {"es", "spa", "es-419", "Spanish"}},
        {"japanese", {"ja", "jpn", "ja-JP", "Japanese"}},
        {"korean", {"ko", "kor", "KO-KR", "Korean"}},
        {"french", {"fr", "fra", "fre", "fr_CA", "French"}},
        {"russian", {"ru", "rus", "ru-RU", "RUSSIAN "}},
    };
    json_t *config = talker_config("custom-eq");
    json_t *known = json_object_get(config, "codec_language_id");
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        assert_int_equal(language_of(table[i].name), number(known, table[i].name));
        for (size_t j = 0; j < 7 && table[i].spelled[j]; j++) {
            assert_int_equal(language_of(table[i].spelled[j]), number(known, table[i].name));
        }
    }
    assert_int_equal(language_of("Auto"), -1);
    assert_int_equal(language_of(NULL), -1);
    json_decref(config);
}

static void test_B030_unknown_languages(void **state) {
    (void)state;
    static const char endless[] = "englishenglishenglishenglishenglishenglish"
                                  "englishenglishenglishenglish";
    const char *unknown[] = {"xx",              "eng lish", "klingon", "e",
                             "beijing_dialect", "en,de",    "  ",      endless};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        kz_request request = kzt_request("Any text.");
        request.language = unknown[i];
        kzt_refused(session, &request, KZ_ERR_INPUT, "auto, chinese, english, german, italian, "
                                                     "portuguese, spanish, japanese, korean, "
                                                     "french, russian");
        kzt_has(kz_error(session), "is not known");
    }
}

/* ---- short texts --------------------------------------------------------------------------- */

static void test_B032_one_and_two_tokens(void **state) {
    (void)state;
    kz_session *clone = kzt_session(base, 1);
    size_t spoken = 0;
    for (int32_t i = 0; i < 876; i += 3) {
        char text[128];
        size_t first = 0, second = 0;
        const char *a = kz_token_text(custom, i, &first);
        const char *b = kz_token_text(custom, (i * 37 + 11) % 876, &second);
        assert_true(a && b && first + second < sizeof text);
        memcpy(text, a, first);
        memcpy(text + first, b, second);
        for (int pair = 0; pair < 2; pair++) {
            kz_request request = i % 2 ? icl.request : vector.request;
            kz_session *s = i % 4 < 2 ? session : clone;
            if (s == session) kz_request_init(&request);
            request.text = text;
            request.text_length = first + (pair ? second : 0);
            request.flags = i % 5 == 0 ? KZ_LIVE_TEXT : 0;
            request.max_frames = 2;
            kz_status status = kz_session_start(s, &request);
            if (status == KZ_OK) {
                kzt_run run = kzt_run_rest(s);
                assert_int_equal(run.status, KZ_DONE);
                assert_int_equal(run.frames, 2);
                assert_int_equal(run.count, 2 * 1920);
                kzt_run_free(&run);
                spoken++;
            } else {
                assert_int_equal(status, KZ_ERR_INPUT); /* a part of a character, or blank */
            }
        }
    }
    assert_true(spoken > 200);
    kz_session_free(clone);
}

/* ---- live text ----------------------------------------------------------------------------- */

static uint32_t chance(uint32_t *dice) {
    *dice = *dice * 1664525 + 1013904223;
    return *dice >> 8;
}

typedef struct room {
    float samples[64 * 1920];
    size_t count;
} room;

/* Reads until text is needed or all is said. */
static kz_status read_on(kz_session *s, room *r) {
    kz_status status = KZ_OK;
    while (status == KZ_OK) {
        size_t got = 0;
        size_t left = 64 * 1920 - r->count;
        status = kz_session_read(s, r->samples + r->count, left, &got, -1);
        r->count += got;
    }
    if (status < 0) fail_msg("%d %s", (int)status, kz_error(s));
    return status;
}

/* Appends text in pieces of 0 to 9 bytes, reads where the dice say so. */
static void append_in_cuts(kz_session *s, const kz_request *request, const kzt_run *whole,
                           uint32_t *dice) {
    static room r;
    r.count = 0;
    kz_request live = *request;
    live.text = NULL;
    live.packet = (int)(chance(dice) % 5) + 1;
    assert_int_equal(kz_session_start(s, &live), KZ_OK);
    for (size_t at = 0; at < request->text_length;) {
        size_t size = chance(dice) % 10;
        if (size > request->text_length - at) size = request->text_length - at;
        kz_status status = kz_session_append(s, request->text + at, size);
        if (status) fail_msg("append: %s", kz_error(s));
        at += size;
        if (chance(dice) % 2) {
            status = read_on(s, &r);
            if (status == KZ_DONE) break;
            kz_result result = kzt_result(s);
            assert_int_equal(result.finish, KZ_FINISH_NONE);
            assert_true(result.frames <= result.text_tokens);
        }
    }
    if (kzt_result(s).finish == KZ_FINISH_NONE) {
        assert_int_equal(kz_session_finish_text(s), KZ_OK);
    }
    assert_int_equal(read_on(s, &r), KZ_DONE);
    size_t frames = 0;
    const int32_t *codes = kz_session_codes(s, &frames);
    assert_int_equal(frames, whole->frames);
    assert_memory_equal(codes, whole->codes, frames * 16 * sizeof *codes);
    kzt_same_samples(whole->samples, whole->count, r.samples, r.count);
}

static const char mixed[] =
    "Caf\xc3\xa9  \xe2\x80\x94 isn't it? e\xcc\x81 12 \xe6\xb7\xb7\xe3\x81\x9c mix "
    "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7!\r\n\r\nEnd \xed\x95\x9c  ";

static void live_equals_whole(kz_session *s, kz_request request, int rounds) {
    uint32_t dice = 83;
    request.text = mixed;
    request.text_length = strlen(mixed);
    request.max_frames = 60;
    for (int seed = 0; seed < rounds; seed++) {
        request.seed = (uint64_t)seed / 4;
        kzt_run whole = kzt_run_all(s, &request);
        append_in_cuts(s, &request, &whole, &dice);
        kzt_run_free(&whole);
    }
}

static void test_B083_live_text_cut_anywhere(void **state) {
    (void)state;
    kz_request request = kzt_request(NULL);
    request.flags = KZ_LIVE_TEXT;
    live_equals_whole(session, request, 40 / KZT_SLOW);
    kz_session *clone = kzt_session(base, 1);
    live_equals_whole(clone, vector.request, 20 / KZT_SLOW); /* live is the kind's default */
    live_equals_whole(clone, icl.request, 20 / KZT_SLOW);
    kz_session_free(clone);
}

static void test_B083_whole_text_appended(void **state) {
    (void)state;
    kz_request request = kzt_request(NULL);
    live_equals_whole(session, request, 8);
    kz_session *clone = kzt_session(base, 1);
    request = icl.request;
    request.flags = KZ_WHOLE_TEXT;
    live_equals_whole(clone, request, 4);
    kz_session_free(clone);
}

static void test_B083_the_talker_waits(void **state) {
    (void)state;
    static room r;
    r.count = 0;
    const char *text = "Nothing is said before it is written.";
    kz_request request = kzt_request(text);
    request.flags = KZ_LIVE_TEXT;
    request.exact_frames = 50;
    kzt_run whole = kzt_run_all(session, &request);
    request.text = NULL;
    assert_int_equal(kz_session_start(session, &request), KZ_OK);
    assert_int_equal(read_on(session, &r), KZ_NEED_TEXT);
    assert_int_equal(r.count, 0);
    assert_int_equal(kz_session_append(session, text, 20), KZ_OK);
    for (int i = 0; i < 3; i++) assert_int_equal(read_on(session, &r), KZ_NEED_TEXT);
    kz_result result = kzt_result(session);
    assert_true(result.text_tokens > 0);
    assert_int_equal(result.frames, result.text_tokens); /* one row of text for each */
    assert_int_equal(r.count, result.frames * 1920); /* all of them heard while it waits */
    assert_int_equal(kz_session_append(session, text + 20, strlen(text) - 20), KZ_OK);
    assert_int_equal(read_on(session, &r), KZ_NEED_TEXT);
    result = kzt_result(session);
    assert_int_equal(result.frames, result.text_tokens);
    assert_int_equal(kz_session_finish_text(session), KZ_OK); /* late */
    assert_int_equal(read_on(session, &r), KZ_DONE);
    kzt_same_samples(whole.samples, whole.count, r.samples, r.count);
    kzt_run_free(&whole);
}

static void test_live_text_may_not_be_blank(void **state) {
    (void)state;
    float sample = 0;
    size_t got = 0;
    kz_request request = kzt_request(NULL);
    for (unsigned flags = 0; flags <= KZ_LIVE_TEXT; flags++) {
        request.flags = flags;
        assert_int_equal(kz_session_start(session, &request), KZ_OK);
        assert_int_equal(kz_session_finish_text(session), KZ_ERR_INPUT);
        assert_int_equal(append_all(session, &request, " \n\t ", 4), KZ_ERR_INPUT);
        kzt_has(kz_error(session), "blank");
        assert_int_equal(kzt_result(session).finish, KZ_FINISH_ERROR);
        assert_int_equal(kz_session_read(session, &sample, 1, &got, -1), KZ_ERR_STATE);
        assert_int_equal(append_all(session, &request, "Good again.", 11), KZ_OK);
    }
    request.flags = KZ_AS_REFERENCE;
    kzt_refused(session, &request, KZ_ERR_USAGE, "reference never takes text in parts");
}

static void test_live_text_names_the_offset_of_a_bad_byte(void **state) {
    (void)state;
    kz_request request = kzt_request(NULL);
    assert_int_equal(kz_session_start(session, &request), KZ_OK);
    assert_int_equal(kz_session_append(session, "01234\xc3", 6), KZ_OK);
    assert_int_equal(kz_session_append(session, "\xa9" "78\xff", 4), KZ_ERR_INPUT);
    kzt_has(kz_error(session), "9");
    assert_int_equal(kz_session_append(session, "more", 4), KZ_ERR_STATE);
    assert_int_equal(kz_session_finish_text(session), KZ_ERR_STATE);
}

/* ---- voices -------------------------------------------------------------------------------- */

static int32_t speaker_of(const kz_model *model, const char *voice) {
    kz_request request = kzt_request("Any text.");
    request.voice = voice;
    rows r = prompt_of(model, &request);
    for (size_t i = 0; i < r.prompt; i++) {
        if (strcmp(r.list[i].role, "speaker") == 0) return r.list[i].codec_id;
    }
    return -1;
}

static void test_B160_the_default_comes_from_the_model(void **state) {
    (void)state;
    assert_int_equal(speaker_of(custom, NULL), 1146); /* serena, the first of the file */
    assert_int_equal(speaker_of(custom, ""), -1);
    assert_int_equal(speaker_of(custom, " RYAN"), 1141);
    assert_int_equal(speaker_of(design, NULL), -1);
    char *folder = kzt_copy_checkpoint("custom-eq");
    json_t *one = json_pack("{s:i}", "Zoe", 940);
    kzt_set_json(folder, "config.json", "talker_config.spk_id", one);
    json_t *dialect = json_pack("{s:b}", "Zoe", 0);
    kzt_set_json(folder, "config.json", "talker_config.spk_is_dialect", dialect);
    kz_model *model = kzt_open(folder, NULL);
    assert_int_equal(speaker_of(model, NULL), 940);
    assert_int_equal(speaker_of(model, "zoe"), 940);
    kz_model_free(model);
    kzt_set_json(folder, "config.json", "talker_config.spk_id", json_object());
    kzt_set_json(folder, "config.json", "talker_config.spk_is_dialect", json_object());
    model = kzt_open(folder, NULL);
    assert_int_equal(speaker_of(model, NULL), -1);
    kz_session *s = kzt_session(model, 1);
    kz_request request = kzt_request("Any text.");
    request.max_frames = 3;
    kzt_run run = kzt_run_all(s, &request);
    assert_int_equal(run.frames, 3);
    kzt_run_free(&run);
    request.voice = "serena";
    kzt_refused(s, &request, KZ_ERR_INPUT, "this model has: none");
    kz_session_free(s);
    kz_model_free(model);
    kzt_tmpdir_remove(folder);
}

static void test_B161_unknown_speakers(void **state) {
    (void)state;
    const char *unknown[] = {"seren", "serena,ryan", "alloy", "/home/me/clip.wav", "   "};
    for (size_t i = 0; i < 5; i++) {
        kz_request request = kzt_request("Any text.");
        request.voice = unknown[i];
        kzt_refused(session, &request, KZ_ERR_INPUT, "serena, ryan, ono_anna, eric, dylan");
        char err[512] = "";
        size_t count = 0, prompt = 0;
        assert_int_equal(kz_prompt(custom, &request, NULL, NULL, 0, &count, &prompt, err,
                                   sizeof err), KZ_ERR_INPUT);
        assert_string_equal(err, kz_error(session));
    }
}

static void test_B116_wrong_kind_of_voice(void **state) {
    (void)state;
    kz_session *clone = kzt_session(base, 1);
    kz_session *designer = kzt_session(design, 1);
    kz_request plain = kzt_request("Any text.");
    kz_request with = vector.request;
    with.text = plain.text;
    with.text_length = plain.text_length;
    with.voice = NULL;
    kzt_refused(session, &with, KZ_ERR_INPUT, "only a base model");
    kzt_refused(designer, &with, KZ_ERR_INPUT, "only a base model");
    kzt_refused(clone, &plain, KZ_ERR_INPUT, "needs a speaker vector of 72 floats");
    plain.voice = "serena";
    kzt_refused(clone, &plain, KZ_ERR_INPUT, "a base model has no named speakers");
    kzt_refused(designer, &plain, KZ_ERR_INPUT, "a voice design model has no speakers");
    with.speaker_vector_length = 71;
    kzt_refused(clone, &with, KZ_ERR_INPUT, "71 floats, this model takes 72");
    float bad[72] = {0};
    bad[71] = (float)(1e300 * 1e300);
    with.speaker_vector = bad;
    with.speaker_vector_length = 72;
    kzt_refused(clone, &with, KZ_ERR_INPUT, "not finite");
    with = icl.request;
    with.reference_text = " ";
    kzt_refused(clone, &with, KZ_ERR_INPUT, "transcript");
    with.reference_text = NULL;
    kzt_refused(clone, &with, KZ_ERR_INPUT, "transcript");
    with = icl.request;
    with.reference_frames = 0;
    kzt_refused(clone, &with, KZ_ERR_INPUT, "at least one frame");
    int32_t codes[32] = {0};
    codes[17] = 100000;
    with.reference_codes = codes;
    with.reference_frames = 2;
    kzt_refused(clone, &with, KZ_ERR_INPUT, "reference code 100000 at frame 1, group 1");
    kz_session_free(clone);
    kz_session_free(designer);
}

static char noticed[512];

static void notice(void *user, int level, const char *text) {
    (void)user;
    if (level == 0) snprintf(noticed, sizeof noticed, "%s", text);
}

static void test_instructions_that_are_left_out(void **state) {
    (void)state;
    kz_session *designer = kzt_session(design, 1);
    kz_request request = kzt_request("Any text.");
    request.instruct = "A calm voice.";
    kz_set_log(notice, NULL);
    noticed[0] = 0;
    assert_int_equal(kz_session_start(session, &request), KZ_OK);
    kzt_has(noticed, "takes no instruction");
    noticed[0] = 0;
    assert_int_equal(kz_session_start(designer, &request), KZ_OK);
    request.instruct = " ";
    assert_int_equal(kz_session_start(session, &request), KZ_OK);
    request.instruct = "A calm voice.";
    request.flags = KZ_AS_REFERENCE;
    assert_int_equal(kz_session_start(session, &request), KZ_OK);
    assert_string_equal(noticed, "");
    request.flags = KZ_STRICT;
    kzt_refused(session, &request, KZ_ERR_INPUT, "takes no instruction");
    assert_int_equal(kz_session_start(designer, &request), KZ_OK);
    kz_set_log(NULL, NULL);
    kz_session_free(designer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_B013_line_ends),
        cmocka_unit_test(test_B020_spaces_of_all_kinds),
        cmocka_unit_test(test_B016_bad_texts_are_refused_everywhere),
        cmocka_unit_test(test_B024_control_spellings_are_text),
        cmocka_unit_test(test_B024_appended_spellings_are_text),
        cmocka_unit_test(test_B029_tags_of_every_language),
        cmocka_unit_test(test_B030_names_of_languages),
        cmocka_unit_test(test_B030_unknown_languages),
        cmocka_unit_test(test_B032_one_and_two_tokens),
        cmocka_unit_test(test_B083_live_text_cut_anywhere),
        cmocka_unit_test(test_B083_whole_text_appended),
        cmocka_unit_test(test_B083_the_talker_waits),
        cmocka_unit_test(test_live_text_may_not_be_blank),
        cmocka_unit_test(test_live_text_names_the_offset_of_a_bad_byte),
        cmocka_unit_test(test_B160_the_default_comes_from_the_model),
        cmocka_unit_test(test_B161_unknown_speakers),
        cmocka_unit_test(test_B116_wrong_kind_of_voice),
        cmocka_unit_test(test_instructions_that_are_left_out),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
