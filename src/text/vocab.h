/* Reads the tokenizer's files into tables. What is not as it should be is KZ_ERR_MODEL with the
 * file's name and the byte or line.
 */
#ifndef KZ_TEXT_VOCAB_H
#define KZ_TEXT_VOCAB_H

#include "text/bpe.h"

/* A file in memory. */
typedef struct kz__text_file {
    const char *name; /* for sentences */
    const char *data;
    size_t size;
} kz__text_file;

/* A control token: a literal that prompts spell, never made by a merge. */
typedef struct kz__special {
    int32_t id;
    char *text;
    size_t length;
} kz__special;

typedef struct kz__specials {
    kz__mem *mem;
    kz__special *list; /* longest literal first */
    size_t count;
} kz__specials;

/* vocab.json: one flat object, token spelled in the printable byte alphabet -> id; ids are unique
 * and below KZ__TOKEN_LIMIT, every single byte has one.
 * merges.txt: a pair a line, lowest rank first; a first line "#version: ..." and empty lines are
 * skipped. Parts are single bytes or made by earlier lines, no token is made twice.
 * bpe->mem is set, the rest zero. On failure the caller still calls kz__bpe_clear. */
kz_status kz__bpe_parse(kz__bpe *bpe, const kz__text_file *vocab, const kz__text_file *merges,
                        kz__err *err);

/* tokenizer_config.json: its added tokens. Same rules of ownership. */
kz_status kz__specials_parse(kz__specials *specials, const kz__bpe *bpe,
                             const kz__text_file *config, kz__err *err);
void kz__specials_clear(kz__specials *specials);

#endif
