/* Tokenizers for tests: the published one where its files are at hand, and a small made one. */
#ifndef KZT_TOK_H
#define KZT_TOK_H

#include "text/tokenizer.h"

/* vocab.json and merges.txt of $KAZEIA_TOKENIZER_DIR (default: fallback) with the published control
 * tokens. NULL with a line on standard output where they are absent. Fails the program on errors.
 */
kz__tokenizer *kzt_real_tokenizer(kz__mem *mem, const char *fallback);

/* 256 bytes, random merges over letters of several scripts, two control tokens. The files are made
 * once per call; kzt_small_free releases them. */
typedef struct kzt_small {
    kz__text_file vocab, merges, config;
    char *memory[2];
} kzt_small;
void kzt_small_make(kzt_small *small, uint64_t seed);
void kzt_small_free(kzt_small *small);
kz__tokenizer *kzt_small_tokenizer(kz__mem *mem, uint64_t seed);

/* A generator for tests (xorshift64*), and a number below n. */
uint64_t kzt_random(uint64_t *state);
size_t kzt_below(uint64_t *state, size_t n);

/* A random text of up to max characters that likes the borders of the rules: appends UTF-8 to
 * out[capacity], returns its bytes. No zero byte. */
size_t kzt_random_text(uint64_t *state, size_t max, char *out, size_t capacity);

#endif
