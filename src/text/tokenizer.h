/* The tokenizer of a checkpoint: its three files, text -> ids, id -> bytes. Immutable once open;
 * any number of threads. For text that arrives in parts see textstream.h.
 *
 * A control token cuts the text: ids("<a>" + x + "<b>") are a, ids(x), b. A prompt is therefore
 * built of the ids of its control tokens and of what stands between them, encoded without
 * KZ__TEXT_SPECIALS where a user wrote it.
 */
#ifndef KZ_TEXT_TOKENIZER_H
#define KZ_TEXT_TOKENIZER_H

#include "text/textstream.h"
#include "text/vocab.h"

typedef struct kz__tokenizer kz__tokenizer;

/* Reads vocab.json, merges.txt and tokenizer_config.json of a folder. */
kz_status kz__tokenizer_open(kz__mem *mem, const char *folder, kz__tokenizer **tokenizer,
                             kz__err *err);
/* The same from memory, which is not kept. */
kz_status kz__tokenizer_make(kz__mem *mem, const kz__text_file *vocab, const kz__text_file *merges,
                             const kz__text_file *config, kz__tokenizer **tokenizer, kz__err *err);
/* Takes NULL. */
void kz__tokenizer_free(kz__tokenizer *tokenizer);

/* Appends the ids of text as it is (no clean-up). flags: KZ__TEXT_SECOND, KZ__TEXT_SPECIALS.
 * KZ_ERR_INPUT with the offset for invalid UTF-8 and for a zero byte; out is then as before.
 * Working memory comes from out's. */
kz_status kz__tokenizer_encode(const kz__tokenizer *tokenizer, const char *text, size_t length,
                               unsigned flags, kz__ints *out, kz__err *err);

/* The bytes of a token (not always whole characters); false where no token has this id. */
bool kz__tokenizer_token(const kz__tokenizer *tokenizer, int32_t id, const char **bytes,
                         size_t *length);

/* Highest id + 1; a text embedding needs at least so many rows. */
size_t kz__tokenizer_count(const kz__tokenizer *tokenizer);

/* The id of a control token by its literal, -1 if there is none; and whether an id is one. */
int32_t kz__tokenizer_special(const kz__tokenizer *tokenizer, const char *literal);
bool kz__tokenizer_is_special(const kz__tokenizer *tokenizer, int32_t id);

/* For kz__textstream_open. */
const kz__bpe *kz__tokenizer_bpe(const kz__tokenizer *tokenizer);

#endif
