/* The tokenizer against published vectors, PCRE2's reading of the split patterns, utf8proc's
 * normalisation, a naive byte-pair encoder, and a corpus of the official stack.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "harness/tests.h"
#include "harness/tok.h"
#include "text/nfc.h"
#include "text/pretok.h"
#include "text/unicode.h"
#include "text/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <pcre2.h>
#include <pthread.h>
#include <time.h>
#include <utf8proc.h>

#define TEXT_MAX 2048
#define MIB ((size_t)1 << 20)
#define MONGOLIAN_SEPARATOR 0x180E

static kz__mem mem;
static kz__tokenizer *real;
static kz__tokenizer *small;

static int setup(void **state) {
    (void)state;
    kz__mem_init(&mem, NULL, NULL);
    real = kzt_real_tokenizer(&mem, KZT_SOURCE_DIR "/../shared/data/qwen3-tokenizer");
    small = kzt_small_tokenizer(&mem, 7);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    kz__tokenizer_free(real);
    kz__tokenizer_free(small);
    return (int)atomic_load(&mem.current);
}

static void encode(const kz__tokenizer *tokenizer, const char *text, size_t length, unsigned flags,
                   kz__ints *ids) {
    kz__err err = {{0}};
    ids->count = 0;
    if (kz__tokenizer_encode(tokenizer, text, length, flags, ids, &err) != KZ_OK) {
        fail_msg("%s", err.text);
    }
}

static void expect_ids(const char *text, size_t length, unsigned flags, const int32_t *expected,
                       size_t count) {
    kz__ints ids;
    kz__ints_init(&ids, &mem);
    encode(real, text, length, flags, &ids);
    size_t same = 0;
    while (same < count && same < ids.count && ids.data[same] == expected[same]) {
        same++;
    }
    if (same < count || ids.count != count) {
        fail_msg("\"%.*s\" (flags %u): %zu ids, %zu wanted; number %zu is %d, wanted %d",
                 (int)length, text, flags, ids.count, count, same,
                 same < ids.count ? (int)ids.data[same] : -1,
                 same < count ? (int)expected[same] : -1);
    }
    kz__ints_clear(&ids);
}

/* ---- published vectors ------------------------------------------------------------------- */

typedef struct vector {
    const char *text;
    unsigned flags;
    int32_t ids[20]; /* zero behind the last; no vector has the id 0 but as its last */
    size_t count;
} vector;

static const vector vectors[] = {
    {"Hello, world.", 0, {9707, 11, 1879, 13}, 4},
    {"The quick brown fox jumps over the lazy dog.",
     0,
     {785, 3974, 13876, 38835, 34208, 916, 279, 15678, 5562, 13},
     10},
    {"今天天气很好，我们去公园散步吧。",
     0,
     {100644, 104307, 101243, 3837, 97639, 85336, 102077, 111261, 100003, 1773},
     10},
    {"こんにちは、世界。今日はいい天気ですね。",
     0,
     {89015, 5373, 99489, 1773, 133165, 126224, 35727, 94121, 128797, 1773},
     10},
    {"안녕하세요, 오늘 날씨가 정말 좋네요.",
     0,
     {126246, 144370, 91145, 11, 133857, 37195, 254, 135562, 19969, 134247, 125953, 138078, 13},
     13},
    {"Съешь же ещё", 0, {19311, 33594, 131260, 128346, 134413}, 5},
    {"don't stop", 0, {15007, 944, 2936}, 3},
    {"two  spaces  inside", 0, {19789, 220, 12621, 220, 4766}, 5},
    {"   \t  \n  ", 0, {262, 38320, 256}, 3},
    {"cafe\xCC\x81", 0, {924, 58858}, 2},
    {"\xE2\x91\xA0", 0, {48312, 254}, 2},
    {"I love this 😀🎉 so much!", 0, {40, 2948, 419, 90316, 144841, 773, 1753, 0}, 8},
    {"iPhone iPad eBay macOS", 0, {44740, 22271, 29906, 67178}, 4},
    {"iPhone iPad eBay macOS", KZ__TEXT_SECOND, {72, 6939, 600, 13731, 384, 22587, 8978, 3126}, 8},
    {"<|im_start|>assistant\nHello.<|im_end|>\n<|im_start|>assistant\n",
     KZ__TEXT_SPECIALS,
     {151644, 77091, 198, 9707, 13, 151645, 198, 151644, 77091, 198},
     10},
    {"<|im_start|>user\nSpeak slowly.<|im_end|>\n",
     KZ__TEXT_SPECIALS,
     {151644, 872, 198, 95845, 13970, 13, 151645, 198},
     8},
};

static void test_B192_published_vectors(void **state) {
    (void)state;
    if (!real) skip();
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        const vector *v = &vectors[i];
        expect_ids(v->text, strlen(v->text), v->flags, v->ids, v->count);
    }
    assert_int_equal(kz__tokenizer_count(real), 151676);
    assert_int_equal(kz__tokenizer_special(real, "<tts_text_eod>"), 151673);
    assert_int_equal(kz__tokenizer_special(real, "<tts_text_eo>"), -1);
    assert_true(kz__tokenizer_is_special(real, 151644));
    assert_false(kz__tokenizer_is_special(real, 9707));
}

static void expect_array(const char *text, size_t length, unsigned flags, const json_t *array) {
    int32_t ids[4096];
    size_t count = json_array_size(array);
    assert_true(count <= sizeof ids / sizeof *ids);
    for (size_t i = 0; i < count; i++) {
        ids[i] = (int32_t)json_integer_value(json_array_get(array, i));
    }
    expect_ids(text, length, flags, ids, count);
}

/* One unit repeated: the number of ids and their hash, FNV-1a over little-endian 32-bit words. */
static void expect_run(const json_t *run, const char *pattern, unsigned flags) {
    const char *unit = json_string_value(json_object_get(run, "unit"));
    size_t repeat = (size_t)json_integer_value(json_object_get(run, "repeat"));
    const json_t *expected = json_object_get(run, pattern);
    size_t length = strlen(unit);
    char *text = malloc(repeat * length);
    kz__ints ids;
    kz__ints_init(&ids, &mem);
    assert_non_null(text);
    for (size_t i = 0; i < repeat; i++) {
        memcpy(text + i * length, unit, length);
    }
    encode(real, text, repeat * length, flags, &ids);
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i < ids.count; i++) {
        for (int shift = 0; shift < 32; shift += 8) {
            hash = (hash ^ ((uint32_t)ids.data[i] >> shift & 0xFF)) * 0x100000001B3u;
        }
    }
    char hex[17];
    snprintf(hex, sizeof hex, "%016llx", (unsigned long long)hash);
    assert_int_equal(ids.count, json_integer_value(json_object_get(expected, "count")));
    assert_string_equal(hex, json_string_value(json_object_get(expected, "fnv1a64")));
    kz__ints_clear(&ids);
    free(text);
}

/* The corpus with the official tokenizer's ids, which recognises control tokens. A line is a text,
 * its ids with the native pattern, and those with the second one where they differ. NULL without
 * the published tokenizer. */
static json_t *corpus(void) {
    json_error_t reason;
    if (!real) return NULL;
    json_t *root = json_load_file(KZT_SOURCE_DIR "/tests/data/tokenizer/corpus.json", 0, &reason);
    if (!root) fail_msg("corpus.json: %s", reason.text);
    return root;
}

static void test_B192_lines_of_the_official_stack(void **state) {
    (void)state;
    json_t *root = corpus();
    if (!root) skip();
    const json_t *lines = json_object_get(root, "lines");
    assert_true(json_array_size(lines) >= 2000);
    for (size_t i = 0; i < json_array_size(lines); i++) {
        const json_t *line = json_array_get(lines, i);
        const json_t *text = json_array_get(line, 0);
        const json_t *native = json_array_get(line, 1);
        const json_t *second = json_array_size(line) > 2 ? json_array_get(line, 2) : native;
        const char *bytes = json_string_value(text);
        size_t length = json_string_length(text);
        assert_non_null(bytes);
        expect_array(bytes, length, KZ__TEXT_SPECIALS, native);
        expect_array(bytes, length, KZ__TEXT_SPECIALS | KZ__TEXT_SECOND, second);
    }
    printf("%zu lines with two patterns each: 0 differ\n", json_array_size(lines));
    json_decref(root);
}

static void test_B022_runs_of_the_official_stack(void **state) {
    (void)state;
    json_t *root = corpus();
    if (!root) skip();
    const json_t *runs = json_object_get(root, "runs");
    assert_true(json_array_size(runs) > 0);
    for (size_t i = 0; i < json_array_size(runs); i++) {
        expect_run(json_array_get(runs, i), "native", 0);
        expect_run(json_array_get(runs, i), "second", KZ__TEXT_SECOND);
    }
    json_decref(root);
}

/* ---- split patterns: PCRE2 is the oracle ------------------------------------------------- */

static const char native_pattern[] =
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}|"
    " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
static const char second_pattern[] =
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+|"
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*|"
    "\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

static pcre2_code *compile(const char *pattern) {
    int code = 0;
    PCRE2_SIZE at = 0;
    pcre2_code *re = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
                                   PCRE2_UTF | PCRE2_UCP, &code, &at, NULL);
    assert_non_null(re);
    return re;
}

static bool matches(const pcre2_code *re, pcre2_match_data *data, int32_t c) {
    char bytes[KZ__UTF8_MAX];
    size_t length = kz__utf8_encode(c, bytes);
    return pcre2_match(re, (PCRE2_SPTR)bytes, length, 0, PCRE2_ANCHORED, data, NULL) > 0;
}

/* The two libraries know different versions of Unicode: characters that they classify otherwise
 * must be unknown (Cn) to one of them. PCRE2 10.42 knows Unicode 14, utf8proc 2.8 knows 15.0:
 *   letters  1123F-11240 11F02 11F04-11F10 11F12-11F33 1342F 13441-13446 1B132 1B155 1DF25-1DF2A
 *            1E030-1E06D 1E4D0-1E4EB 2B739 31350-323AF
 *   numbers  11F50-11F59 1D2C0-1D2D3 1E4F0-1E4F9
 *   marks    CF3 ECE 10EFD-10EFF 11241 11F00-11F01 11F03 11F34-11F3A 11F3E-11F42 13440 13447-13455
 *            1E08F 1E4EC-1E4EF
 * One more: PCRE2's \\s takes U+180E, which has not been White_Space since Unicode 6.3. */
static void test_classes_equal_those_of_pcre2(void **state) {
    (void)state;
    static const struct {
        const char *pattern;
        unsigned bit;
    } classes[] = {{"\\p{L}", KZ__LETTER},
                   {"\\p{N}", KZ__NUMBER},
                   {"\\s", KZ__WHITE},
                   {"[\\r\\n]", KZ__LINE},
                   {"[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]", KZ__UPPER},
                   {"[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]", KZ__LOWER}};
    pcre2_code *unknown = compile("\\p{Cn}");
    pcre2_match_data *data = pcre2_match_data_create(4, NULL);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        pcre2_code *re = compile(classes[i].pattern);
        pcre2_jit_compile(re, PCRE2_JIT_COMPLETE);
        for (int32_t c = 1; c < 0x110000; c++) {
            if (c == 0xD800) c = 0xE000;
            bool mine = kz__char_class(c) & classes[i].bit;
            if (matches(re, data, c) == mine || matches(unknown, data, c)) continue;
            if (c == MONGOLIAN_SEPARATOR && classes[i].bit == KZ__WHITE) continue;
            bool older = utf8proc_category(c) == UTF8PROC_CATEGORY_CN;
            if (!older) fail_msg("%s: U+%04X", classes[i].pattern, (unsigned)c);
        }
        pcre2_code_free(re);
    }
    pcre2_match_data_free(data);
    pcre2_code_free(unknown);
}

/* Pieces of text one by one against the pattern's matches. */
static void compare_pieces(const pcre2_code *re, pcre2_match_data *data, bool second,
                           const char *text, size_t length) {
    kz__pretok pretok;
    kz__pretok_init(&pretok, second);
    size_t ends[TEXT_MAX + KZ__PIECES];
    size_t count = 0;
    size_t end = 0;
    size_t at = 0;
    size_t pieces[KZ__PIECES];
    while (at <= length) {
        int32_t c = 0;
        int bytes = at < length ? kz__utf8_decode(text + at, length - at, &c) : 1;
        size_t cuts = at < length ? kz__pretok_push(&pretok, c, (size_t)bytes, pieces)
                                  : kz__pretok_end(&pretok, pieces);
        assert_true(cuts <= KZ__PIECES);
        for (size_t i = 0; i < cuts; i++) {
            ends[count++] = end += pieces[i];
        }
        at += (size_t)bytes;
    }
    assert_int_equal(end, length);
    size_t from = 0;
    for (size_t i = 0; i < count; i++) {
        int found = pcre2_match(re, (PCRE2_SPTR)text, length, from, PCRE2_ANCHORED, data, NULL);
        size_t to = found > 0 ? pcre2_get_ovector_pointer(data)[1] : 0;
        if (to != ends[i]) {
            fail_msg("\"%.*s\": a piece at %zu ends at %zu, the pattern says %zu", (int)length,
                     text, from, ends[i], to);
        }
        from = to;
    }
}

/* Says no where a character is unknown (Cn) to utf8proc. */
static bool known(const char *text, size_t length) {
    for (size_t at = 0; at < length;) {
        int32_t c = 0;
        at += (size_t)kz__utf8_decode(text + at, length - at, &c);
        if (utf8proc_category(c) == UTF8PROC_CATEGORY_CN) return false;
    }
    return true;
}

static void compare_random(const char *pattern, bool second, uint64_t random) {
    pcre2_code *re = compile(pattern);
    pcre2_code *unknown = compile("\\p{Cn}|\\x{180E}");
    pcre2_match_data *data = pcre2_match_data_create(4, NULL);
    char text[TEXT_MAX];
    size_t compared = 0;
    for (int i = 0; i < 40000; i++) {
        size_t length = kzt_random_text(&random, i % 20 ? 12 : 200, text, sizeof text);
        /* Texts with characters that one of the libraries may not know say nothing, see above. */
        if (pcre2_match(unknown, (PCRE2_SPTR)text, length, 0, 0, data, NULL) > 0) continue;
        if (!known(text, length)) continue;
        compare_pieces(re, data, second, text, length);
        compared++;
    }
    assert_true(compared > 10000);
    pcre2_match_data_free(data);
    pcre2_code_free(unknown);
    pcre2_code_free(re);
}

static void test_native_pattern_equals_pcre2(void **state) {
    (void)state;
    compare_random(native_pattern, false, 11);
}

static void test_second_pattern_equals_pcre2(void **state) {
    (void)state;
    compare_random(second_pattern, true, 12);
}

/* All texts of up to six characters of one kind each: every border of the rules. */
static void test_all_short_texts_equal_pcre2(void **state) {
    (void)state;
    static const char *const kinds[] = {
        "a", "A", "\xE4\xBD\xA0", "\xCC\x81", "7", " ", "\t", "\n", "!", "'", "l", "/"};
    enum { KINDS = sizeof kinds / sizeof *kinds, LENGTH = 5 };
    pcre2_code *patterns[2] = {compile(native_pattern), compile(second_pattern)};
    pcre2_match_data *data = pcre2_match_data_create(4, NULL);
    pcre2_jit_compile(patterns[0], PCRE2_JIT_COMPLETE);
    pcre2_jit_compile(patterns[1], PCRE2_JIT_COMPLETE);
    size_t total = 1;
    for (int i = 0; i < LENGTH; i++) {
        total *= KINDS;
    }
    for (size_t n = 0; n < total; n++) {
        char text[LENGTH * KZ__UTF8_MAX + 1];
        size_t length = 0;
        for (size_t k = 0, rest = n; k < LENGTH; k++, rest /= KINDS) {
            const char *kind = kinds[rest % KINDS];
            memcpy(text + length, kind, strlen(kind));
            length += strlen(kind);
        }
        compare_pieces(patterns[0], data, false, text, length);
        compare_pieces(patterns[1], data, true, text, length);
    }
    pcre2_match_data_free(data);
    pcre2_code_free(patterns[0]);
    pcre2_code_free(patterns[1]);
}

/* ---- normalisation: utf8proc's whole-text call is the oracle ----------------------------- */

static size_t normalise(const char *text, size_t length, char *out) {
    kz__nfc nfc;
    kz__ints characters;
    kz__nfc_init(&nfc, &mem);
    kz__ints_init(&characters, &mem);
    for (size_t at = 0; at < length;) {
        int32_t c = 0;
        at += (size_t)kz__utf8_decode(text + at, length - at, &c);
        assert_int_equal(kz__nfc_push(&nfc, c, &characters, NULL), KZ_OK);
    }
    assert_int_equal(kz__nfc_flush(&nfc, &characters, NULL), KZ_OK);
    size_t end = 0;
    for (size_t i = 0; i < characters.count; i++) {
        end += kz__utf8_encode(characters.data[i], out + end);
    }
    kz__nfc_clear(&nfc);
    kz__ints_clear(&characters);
    return end;
}

static void compare_nfc(const char *text, size_t length) {
    static char out[TEXT_MAX * 4];
    utf8proc_uint8_t *expected = NULL;
    utf8proc_ssize_t size = utf8proc_map((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)length,
                                         &expected, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    assert_true(size >= 0);
    assert_int_equal(normalise(text, length, out), size);
    if (size) assert_memory_equal(out, expected, (size_t)size);
    free(expected);
}

static void test_normalisation_equals_utf8proc(void **state) {
    (void)state;
    uint64_t random = 13;
    char text[TEXT_MAX];
    for (int32_t c = 1; c < 0x110000; c++) {
        if (c == 0xD800) c = 0xE000;
        size_t length = kz__utf8_encode(c, text);
        length += kz__utf8_encode(0x338, text + length);
        length += kz__utf8_encode(0x334, text + length);
        length += kz__utf8_encode(c, text + length);
        compare_nfc(text, length);
    }
    for (int i = 0; i < 30000; i++) {
        compare_nfc(text, kzt_random_text(&random, i % 20 ? 12 : 200, text, sizeof text));
    }
}

/* The rule that cuts normalisation, against all compositions there are. */
static void test_no_composition_crosses_a_start(void **state) {
    (void)state;
    size_t compositions = 0;
    for (int32_t c = 1; c < 0x110000; c++) {
        utf8proc_int32_t parts[8];
        int boundary = 0;
        if (c == 0xD800) c = 0xE000;
        utf8proc_ssize_t count =
            utf8proc_decompose_char(c, parts, 8, UTF8PROC_DECOMPOSE, &boundary);
        assert_true(count >= 1 && count <= 4);
        if (kz__char_starts(c)) assert_int_equal(kz__char_combining(parts[0]), 0);
        if (kz__char_starts(c) && !kz__char_starts(parts[0])) fail_msg("U+%04X", (unsigned)c);
        for (utf8proc_ssize_t i = 1; i < count; i++) {
            utf8proc_int32_t two[2] = {parts[i - 1], parts[i]};
            if (utf8proc_normalize_utf32(two, 2, UTF8PROC_COMPOSE | UTF8PROC_STABLE) != 1) continue;
            compositions++;
            if (kz__char_starts(parts[i])) fail_msg("U+%04X starts", (unsigned)parts[i]);
            if (kz__char_inert(parts[0])) fail_msg("U+%04X is inert", (unsigned)parts[0]);
        }
    }
    assert_true(compositions > 11172); /* the Hangul syllables alone */
}

/* ---- byte pairs: the naive algorithm is the oracle --------------------------------------- */

/* Follows the sentence of the rule: of all adjacent pairs the one of the lowest rank, the leftmost
 * of these; ranks are looked up by going through the table's slots. */
static size_t naive(const kz__bpe *bpe, const char *bytes, size_t length, int32_t *ids) {
    size_t count = length;
    for (size_t i = 0; i < length; i++) {
        ids[i] = bpe->symbols[(unsigned char)bytes[i]];
    }
    for (;;) {
        uint32_t best = UINT32_MAX;
        size_t where = 0;
        for (size_t i = 0; i + 1 < count; i++) {
            for (size_t k = 0; k <= bpe->mask; k++) {
                const kz__bpe_slot *slot = &bpe->slots[k];
                if (slot->right < 0 || slot->left != ids[i] || slot->right != ids[i + 1]) continue;
                if (slot->rank < best) {
                    best = slot->rank;
                    where = i;
                }
            }
        }
        if (best == UINT32_MAX) return count;
        ids[where] = bpe->merged[best];
        memmove(ids + where + 1, ids + where + 2, (count - where - 2) * sizeof *ids);
        count--;
    }
}

static void test_merging_equals_the_naive_rule(void **state) {
    (void)state;
    uint64_t random = 14;
    kz__bpe_scratch scratch;
    kz__ints ids;
    kz__bpe_scratch_init(&scratch, &mem);
    kz__ints_init(&ids, &mem);
    size_t merged = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        kz__tokenizer *tokenizer = kzt_small_tokenizer(&mem, seed);
        const kz__bpe *bpe = kz__tokenizer_bpe(tokenizer);
        for (int i = 0; i < 150; i++) {
            char bytes[60];
            int32_t expected[60];
            size_t length = 1 + kzt_below(&random, sizeof bytes);
            for (size_t k = 0; k < length; k++) {
                bytes[k] = "aabbccdee s't\n.!/"[kzt_below(&random, i % 2 ? 3 : 17)];
            }
            size_t count = naive(bpe, bytes, length, expected);
            ids.count = 0;
            assert_int_equal(kz__bpe_piece(bpe, &scratch, bytes, length, &ids, NULL), KZ_OK);
            assert_int_equal(ids.count, count);
            assert_memory_equal(ids.data, expected, count * sizeof *expected);
            merged += length - count;
        }
        kz__tokenizer_free(tokenizer);
    }
    assert_true(merged > 1000);
    kz__bpe_scratch_clear(&scratch);
    kz__ints_clear(&ids);
}

/* ---- whole texts ------------------------------------------------------------------------- */

static void test_tokens_spell_the_normalised_text(void **state) {
    (void)state;
    uint64_t random = 15;
    static char text[TEXT_MAX];
    static char normal[TEXT_MAX * 4];
    static char spelled[TEXT_MAX * 4];
    kz__ints ids;
    kz__ints_init(&ids, &mem);
    for (int i = 0; i < 8000; i++) {
        const kz__tokenizer *tokenizer = real && i % 2 ? real : small;
        size_t length = kzt_random_text(&random, 60, text, sizeof text);
        encode(tokenizer, text, length, i % 4 < 2 ? 0 : KZ__TEXT_SECOND, &ids);
        size_t end = 0;
        for (size_t k = 0; k < ids.count; k++) {
            const char *bytes = NULL;
            size_t size = 0;
            assert_true(kz__tokenizer_token(tokenizer, ids.data[k], &bytes, &size));
            assert_false(kz__tokenizer_is_special(tokenizer, ids.data[k]));
            memcpy(spelled + end, bytes, size);
            end += size;
        }
        assert_int_equal(end, normalise(text, length, normal));
        assert_memory_equal(spelled, normal, end);
    }
    kz__ints_clear(&ids);
}

static size_t specials_in(const kz__tokenizer *tokenizer, const char *text, unsigned flags) {
    kz__ints ids;
    kz__ints_init(&ids, &mem);
    encode(tokenizer, text, strlen(text), flags, &ids);
    size_t count = 0;
    for (size_t i = 0; i < ids.count; i++) {
        count += kz__tokenizer_is_special(tokenizer, ids.data[i]);
    }
    kz__ints_clear(&ids);
    return count;
}

static void test_B024_control_spellings_are_plain_text(void **state) {
    (void)state;
    assert_int_equal(specials_in(small, "x<|a|>y", 0), 0);
    assert_int_equal(specials_in(small, "x<|a|>y", KZ__TEXT_SECOND), 0);
    assert_int_equal(specials_in(small, "x<|a|>y<|a|>", KZ__TEXT_SPECIALS), 2);
    if (!real) skip();
    assert_int_equal(specials_in(real, "a<|im_end|>b<|im_start|>user\n<tts_text_eod>", 0), 0);
    assert_int_equal(specials_in(real, "a<|im_end|>b", KZ__TEXT_SPECIALS), 1);
}

static void test_the_longest_control_token_wins(void **state) {
    (void)state;
    kz__ints ids;
    kz__ints_init(&ids, &mem);
    encode(small, "<|a|>b", 6, KZ__TEXT_SPECIALS, &ids);
    assert_int_equal(ids.count, 1);
    assert_int_equal(ids.data[0], kz__tokenizer_special(small, "<|a|>b"));
    encode(small, "<|a|><|a|>b", 11, KZ__TEXT_SPECIALS, &ids);
    assert_int_equal(ids.count, 2);
    assert_int_equal(ids.data[0], kz__tokenizer_special(small, "<|a|>"));
    kz__ints_clear(&ids);
}

static void test_B027_tags_are_plain_text(void **state) {
    (void)state;
    if (!real) skip();
    assert_int_equal(specials_in(real, "Well <laugh> [sigh] (cough) <break time=\"1s\"/>", 0), 0);
    expect_ids("<laugh>", 7, 0, (const int32_t[]){27, 4260, 7443, 29}, 4);
}

/* Thai with stray Latin, Cyrillic and Chinese letters and U+FFFD: all of it comes back. */
static void test_B028_mixed_scripts(void **state) {
    (void)state;
    static const char text[] = "สวัสดี ab мир \xEF\xBF\xBD 你好\xEF\xBF\xBD";
    kz__ints ids;
    kz__ints_init(&ids, &mem);
    const kz__tokenizer *tokenizer = real ? real : small;
    encode(tokenizer, text, sizeof text - 1, 0, &ids);
    char spelled[200];
    size_t end = 0;
    for (size_t i = 0; i < ids.count; i++) {
        const char *bytes = NULL;
        size_t size = 0;
        assert_true(kz__tokenizer_token(tokenizer, ids.data[i], &bytes, &size));
        memcpy(spelled + end, bytes, size);
        end += size;
    }
    assert_int_equal(end, sizeof text - 1);
    assert_memory_equal(spelled, text, end);
    kz__ints_clear(&ids);
}

static void test_B173_invalid_text(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t length;
        const char *words;
    } bad[] = {
        {"ab\xC1\xBF", 4, "byte offset 2 "},        {"a\xE0\x9F\xBF", 4, "byte offset 1 "},
        {"a\xF0\x8F\xBF\xBF", 5, "byte offset 1 "}, {"\xED\xBF\xBF", 3, "byte offset 0 "},
        {"\xF4\x90\x80\x80", 4, "byte offset 0 "},  {"\xF5\x80\x80\x80", 4, "byte offset 0 "},
        {"abc\xF0\x9F\x98", 6, "byte offset 3 "},   {"\xBF", 1, "byte offset 0 "},
        {"a\0", 2, "zero byte at byte offset 1"},
    };
    kz__ints ids;
    kz__ints_init(&ids, &mem);
    kz__ints_push(&ids, 5);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kz__err err = {{0}};
        assert_int_equal(kz__tokenizer_encode(small, bad[i].text, bad[i].length, 0, &ids, &err),
                         KZ_ERR_INPUT);
        if (!strstr(err.text, bad[i].words)) fail_msg("%s", err.text);
        assert_int_equal(ids.count, 1);
    }
    assert_int_equal(kz__tokenizer_encode(small, "", 0, 0, &ids, NULL), KZ_OK);
    assert_int_equal(ids.count, 1);
    kz__ints_clear(&ids);
}

/* ---- long runs --------------------------------------------------------------------------- */

typedef struct long_run {
    const kz__tokenizer *tokenizer;
    const char *unit;
    size_t bytes;
    unsigned flags;
    double seconds;
    kz_status status;
} long_run;

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *encode_long(void *argument) {
    long_run *run = argument;
    size_t unit = strlen(run->unit);
    size_t length = run->bytes / unit * unit;
    char *text = malloc(length);
    kz__ints ids;
    kz__ints_init(&ids, &mem);
    for (size_t at = 0; at < length; at += unit) {
        memcpy(text + at, run->unit, unit);
    }
    double start = cpu_seconds();
    run->status = kz__tokenizer_encode(run->tokenizer, text, length, run->flags, &ids, NULL);
    run->seconds = cpu_seconds() - start;
    if (ids.count == 0) run->status = KZ_ERR_FAILED;
    kz__ints_clear(&ids);
    free(text);
    return NULL;
}

static void encode_on_small_stack(long_run *run) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    assert_int_equal(pthread_attr_setstacksize(&attributes, 256 * 1024), 0);
    assert_int_equal(pthread_create(&thread, &attributes, encode_long, run), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    assert_int_equal(run->status, KZ_OK);
}

static void test_B022_long_runs(void **state) {
    (void)state;
    /* One class each; marks in an order that has to be sorted; words that backtrack in the pattern.
     */
    static const char *const units[] = {"a",
                                        "A",
                                        " ",
                                        ".",
                                        "\n",
                                        "\xE4\xBD\xA0",
                                        "7",
                                        "'",
                                        "\t \n",
                                        "\xCC\x81\xCC\xA7",
                                        "Aa",
                                        "\xE1\x84\x80\xE1\x85\xA1",
                                        "<|",
                                        "\xF0\x9F\x98\x80",
                                        "ab ",
                                        "/",
                                        "\xC7\x85\xCC\x81"};
    const size_t size = MIB / KZT_SLOW;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        for (unsigned flags = 0; flags < 4; flags += 3) {
            const kz__tokenizer *tokenizer = real ? real : small;
            long_run part = {tokenizer, units[i], size / 8, flags, 0, KZ_OK};
            long_run full = {tokenizer, units[i], size, flags, 0, KZ_OK};
            encode_on_small_stack(&part);
            encode_on_small_stack(&full);
            double most = 24 * part.seconds + 0.1 * KZT_SLOW;
            if (full.seconds > 1.0 * KZT_SLOW || full.seconds > most) {
                fail_msg("\"%s\" (flags %u): %zu bytes took %.3f s, an eighth %.3f s", units[i],
                         flags, size, full.seconds, part.seconds);
            }
        }
    }
}

static void test_loading_is_fast(void **state) {
    (void)state;
    if (!real) skip();
    double start = cpu_seconds();
    kz__tokenizer *again =
        kzt_real_tokenizer(&mem, KZT_SOURCE_DIR "/../shared/data/qwen3-tokenizer");
    double seconds = cpu_seconds() - start;
    kz__tokenizer_free(again);
    if (seconds > 0.3 * KZT_SLOW) fail_msg("%.3f s", seconds);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_B192_published_vectors),
        cmocka_unit_test(test_B192_lines_of_the_official_stack),
        cmocka_unit_test(test_B022_runs_of_the_official_stack),
        cmocka_unit_test(test_classes_equal_those_of_pcre2),
        cmocka_unit_test(test_native_pattern_equals_pcre2),
        cmocka_unit_test(test_second_pattern_equals_pcre2),
        cmocka_unit_test(test_all_short_texts_equal_pcre2),
        cmocka_unit_test(test_normalisation_equals_utf8proc),
        cmocka_unit_test(test_no_composition_crosses_a_start),
        cmocka_unit_test(test_merging_equals_the_naive_rule),
        cmocka_unit_test(test_tokens_spell_the_normalised_text),
        cmocka_unit_test(test_B024_control_spellings_are_plain_text),
        cmocka_unit_test(test_the_longest_control_token_wins),
        cmocka_unit_test(test_B027_tags_are_plain_text),
        cmocka_unit_test(test_B028_mixed_scripts),
        cmocka_unit_test(test_B173_invalid_text),
        cmocka_unit_test(test_B022_long_runs),
        cmocka_unit_test(test_loading_is_fast),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
