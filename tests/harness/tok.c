/* Tokenizers and texts for tests. */
#include "harness/tok.h"

#include "text/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const control[] = {"<|endoftext|>",
                                      "<|im_start|>",
                                      "<|im_end|>",
                                      "<|object_ref_start|>",
                                      "<|object_ref_end|>",
                                      "<|box_start|>",
                                      "<|box_end|>",
                                      "<|quad_start|>",
                                      "<|quad_end|>",
                                      "<|vision_start|>",
                                      "<|vision_end|>",
                                      "<|vision_pad|>",
                                      "<|image_pad|>",
                                      "<|video_pad|>",
                                      "<tool_call>",
                                      "</tool_call>",
                                      "<|fim_prefix|>",
                                      "<|fim_middle|>",
                                      "<|fim_suffix|>",
                                      "<|fim_pad|>",
                                      "<|repo_name|>",
                                      "<|file_sep|>",
                                      "<tool_response>",
                                      "</tool_response>",
                                      "<think>",
                                      "</think>",
                                      "<|audio_start|>",
                                      "<|audio_end|>",
                                      "<tts_pad>",
                                      "<tts_text_bos>",
                                      "<tts_text_eod>",
                                      "<tts_text_bos_single>",
                                      "<|audio_pad|>"};

static void stop(const char *what) {
    printf("test data: %s\n", what);
    exit(1);
}

static char *read_all(const char *folder, const char *name, size_t *size) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    long end = ftell(file);
    rewind(file);
    char *data = malloc(end > 0 ? (size_t)end : 1);
    if (end < 0 || !data) stop("a file has no size");
    *size = fread(data, 1, (size_t)end, file);
    fclose(file);
    return data;
}

static void config_write(char *out, size_t capacity, int first, size_t count) {
    size_t at = (size_t)snprintf(out, capacity, "{\"added_tokens_decoder\": {");
    for (size_t i = 0; i < count; i++) {
        at += (size_t)snprintf(
            out + at, capacity - at,
            "%s\"%d\": {\"content\": \"%s\", \"lstrip\": false, \"special\": true}", i ? ", " : "",
            first + (int)i, control[i]);
    }
    snprintf(out + at, capacity - at, "}}");
}

kz__tokenizer *kzt_real_tokenizer(kz__mem *mem, const char *fallback) {
    const char *folder = getenv("KAZEIA_TOKENIZER_DIR");
    if (!folder) folder = fallback;
    kz__text_file vocab = {"vocab.json", NULL, 0};
    kz__text_file merges = {"merges.txt", NULL, 0};
    char *a = read_all(folder, "vocab.json", &vocab.size);
    char *b = read_all(folder, "merges.txt", &merges.size);
    if (!a || !b) {
        printf("skipped: the published tokenizer is not in %s (KAZEIA_TOKENIZER_DIR)\n", folder);
        free(a);
        free(b);
        return NULL;
    }
    vocab.data = a;
    merges.data = b;
    char text[8192];
    config_write(text, sizeof text, 151643, sizeof control / sizeof *control);
    kz__text_file config = {"tokenizer_config.json", text, strlen(text)};
    kz__tokenizer *tokenizer = NULL;
    kz__err err;
    kz_status status = kz__tokenizer_make(mem, &vocab, &merges, &config, &tokenizer, &err);
    free(a);
    free(b);
    if (status != KZ_OK) stop(err.text);
    return tokenizer;
}

/* ---- small ------------------------------------------------------------------------------- */

#define SMALL_TOKENS 1400
#define SMALL_BYTES 24

typedef struct token {
    unsigned char bytes[SMALL_BYTES];
    size_t length;
} token;

uint64_t kzt_random(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545F4914F6CDD1Du;
}

size_t kzt_below(uint64_t *state, size_t n) {
    return (size_t)(kzt_random(state) >> 11) % n;
}

/* The published alphabet, written here on its own: printable ones stand for themselves. */
static size_t spell(const token *t, char *out) {
    size_t at = 0;
    for (size_t i = 0; i < t->length; i++) {
        int b = t->bytes[i];
        int c = b;
        if (b <= 0x20) c = 0x100 + b;
        if (b >= 0x7F && b <= 0xA0) c = 0x100 + b - 0x7F + 0x21;
        if (b == 0xAD) c = 0x143;
        at += kz__utf8_encode(c, out + at);
    }
    return at;
}

static bool known(const token *tokens, size_t count, const token *t) {
    for (size_t i = 0; i < count; i++) {
        if (tokens[i].length == t->length && !memcmp(tokens[i].bytes, t->bytes, t->length)) {
            return true;
        }
    }
    return false;
}

/* Mostly bytes that texts have: few letters, blank, line end, and the bytes of other scripts. */
static size_t pick(uint64_t *seed, size_t count) {
    static const char likely[] = "aabbccdee sst''\n\n  .!?//";
    size_t kind = kzt_below(seed, 4);
    if (kind == 0) return (unsigned char)likely[kzt_below(seed, sizeof likely - 1)];
    if (kind == 1) return 0x80 + kzt_below(seed, 0x75);
    return count > 256 ? 256 + kzt_below(seed, count - 256) : 'a';
}

static char *write_vocab(const token *tokens, size_t count, size_t *size) {
    char *out = malloc(count * (SMALL_BYTES * 4 + 32));
    if (!out) stop("no memory");
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        out[at++] = i ? ',' : '{';
        out[at++] = '"';
        char spelled[SMALL_BYTES * 2];
        size_t length = spell(&tokens[i], spelled);
        for (size_t k = 0; k < length; k++) {
            if (spelled[k] == '"' || spelled[k] == '\\') out[at++] = '\\';
            out[at++] = spelled[k];
        }
        at += (size_t)sprintf(out + at, "\":%zu", i);
    }
    out[at++] = '}';
    *size = at;
    return out;
}

void kzt_small_make(kzt_small *small, uint64_t seed) {
    static const char config[] = "{\"added_tokens_decoder\": {\"1400\": {\"content\": \"<|a|>\"},"
                                 "\"1401\": {\"content\": \"<|a|>b\"}}}";
    token *tokens = calloc(SMALL_TOKENS, sizeof *tokens);
    char *merges = malloc(SMALL_TOKENS * (SMALL_BYTES * 2 + 4));
    if (!tokens || !merges) stop("no memory");
    size_t at = 0;
    size_t count = 256;
    for (size_t i = 0; i < 256; i++) {
        tokens[i] = (token){{(unsigned char)i}, 1};
    }
    while (count < SMALL_TOKENS) {
        const token *a = &tokens[pick(&seed, count)];
        const token *b = &tokens[pick(&seed, count)];
        token *joined = &tokens[count];
        if (a->length + b->length > SMALL_BYTES) continue;
        joined->length = a->length + b->length;
        memcpy(joined->bytes, a->bytes, a->length);
        memcpy(joined->bytes + a->length, b->bytes, b->length);
        if (known(tokens, count, joined)) continue;
        at += spell(a, merges + at);
        merges[at++] = ' ';
        at += spell(b, merges + at);
        merges[at++] = '\n';
        count++;
    }
    size_t size = 0;
    small->memory[0] = write_vocab(tokens, count, &size);
    small->memory[1] = merges;
    small->vocab = (kz__text_file){"vocab.json", small->memory[0], size};
    small->merges = (kz__text_file){"merges.txt", merges, at};
    small->config = (kz__text_file){"tokenizer_config.json", config, sizeof config - 1};
    free(tokens);
}

void kzt_small_free(kzt_small *small) {
    free(small->memory[0]);
    free(small->memory[1]);
}

kz__tokenizer *kzt_small_tokenizer(kz__mem *mem, uint64_t seed) {
    kzt_small small;
    kz__tokenizer *tokenizer = NULL;
    kz__err err;
    kzt_small_make(&small, seed);
    if (kz__tokenizer_make(mem, &small.vocab, &small.merges, &small.config, &tokenizer, &err)) {
        stop(err.text);
    }
    kzt_small_free(&small);
    return tokenizer;
}

/* ---- texts ------------------------------------------------------------------------------- */

static int32_t random_character(uint64_t *state) {
    static const int32_t picked[] = {
        ' ',     ' ',     ' ',     '\n',    '\n',    '\r',   '\t',   '\'',   '\'',   '/',
        '.',     '!',     '<',     '=',     '1',     '9',    'a',    'b',    's',    't',
        'l',     'l',     'r',     'v',     'e',     'm',    'd',    'S',    'T',    'L',
        'R',     'E',     'V',     'D',     'M',     0x17F,  0x301,  0x316,  0x334,  0x327,
        0x338,   0xC9,    0x1C5,   0x2B0,   0xA0,    0x85,   0x2028, 0x3000, 0x2003, 0x1680,
        0x200B,  0x200C,  0x200D,  0xAD,    0xFEFF,  0xFE0F, 0x20E3, 0x4F60, 0x597D, 0x304B,
        0x3099,  0x1100,  0x1161,  0x11A8,  0xAC00,  0xAC01, 0x627,  0x64E,  0x633,  0x928,
        0x94D,   0x9C7,   0x9BE,   0xE01,   0xE31,   0x21D0, 0x226E, 0x2126, 0x212B, 0x1F600,
        0x1F468, 0x1F3FB, 0x1F3F4, 0xE0067, 0xE007F, 0xFFFD, 0x2460, 0x378};
    size_t kind = kzt_below(state, 10);
    if (kind < 7) return picked[kzt_below(state, sizeof picked / sizeof *picked)];
    if (kind == 7) return 0x300 + (int32_t)kzt_below(state, 0x70);
    int32_t c = 1 + (int32_t)kzt_below(state, kind == 8 ? 0x33FF : 0x10FFFF);
    return c >= 0xD800 && c < 0xE000 ? c - 0x1000 : c;
}

size_t kzt_random_text(uint64_t *state, size_t max, char *out, size_t capacity) {
    static const char *const words[] = {"don't", " I'll",  "WE'VE", "iPhone", "HTTPServer",
                                        "\r\n",  "  \n ",  "你好",  "한국",   "мир",
                                        "<|a|>", "<|a|>b", "a/\n/"};
    size_t count = 1 + kzt_below(state, max);
    size_t at = 0;
    for (size_t i = 0; i < count && at + 16 < capacity; i++) {
        if (kzt_below(state, 12) == 0) {
            const char *word = words[kzt_below(state, sizeof words / sizeof *words)];
            memcpy(out + at, word, strlen(word));
            at += strlen(word);
        } else if (kzt_below(state, 8) == 0) {
            int32_t c = random_character(state);
            for (size_t k = kzt_below(state, 3); k < 4 && at + 16 < capacity; k++) {
                at += kz__utf8_encode(c, out + at);
            }
        } else {
            at += kz__utf8_encode(random_character(state), out + at);
        }
    }
    return at;
}
