/* Typed reads from a JSON object with a range each. The first failure is kept with its sentence;
 * later reads return their lowest value and do nothing, so that a caller reads straight on and asks
 * once.
 */
#ifndef KZ_MODEL_CONFIG_READER_H
#define KZ_MODEL_CONFIG_READER_H

#include "model/config.h"

#include <jansson.h>

typedef struct kz__reader {
    const char *file; /* shown path */
    kz__err *err;
    kz_status status;
} kz__reader;

/* An object of the file; label is its path in front of a key ("talker_config."), "" at the top. */
typedef struct kz__section {
    const json_t *object;
    const char *label;
} kz__section;

/* Keeps a failure that another check found: "FILE: LABEL.KEY ..." is written by the caller's
 * format. */
void kz__reader_fail(kz__reader *reader, const char *format, ...) KZ__PRINTF(2, 3);

bool kz__section_has(const kz__section *section, const char *key); /* there and not null */
kz__section kz__read_section(kz__reader *reader, const kz__section *parent, const char *key,
                             const char *label);
size_t kz__read_size(kz__reader *reader, const kz__section *section, const char *key, size_t low,
                     size_t high);
double kz__read_real(kz__reader *reader, const kz__section *section, const char *key, double low,
                     double high);
bool kz__read_bool(kz__reader *reader, const kz__section *section, const char *key, bool absent);
/* Borrowed from the JSON; "" after a failure. absent NULL: the key is needed. */
const char *kz__read_string(kz__reader *reader, const kz__section *section, const char *key,
                            const char *absent);
/* 1 to capacity whole numbers in low..high. Returns their count. */
size_t kz__read_sizes(kz__reader *reader, const kz__section *section, const char *key,
                      size_t capacity, size_t low, size_t high, size_t *sizes);

/* The text under key, where it is there, is what is supported. */
void kz__need_string(kz__reader *reader, const kz__section *section, const char *key,
                     const char *wanted);

/* The keys that every stack of transformer layers has: sizes, heads, eps, theta, act, bias. plain
 * is set before. */
void kz__read_stack(kz__reader *reader, const kz__section *section, kz__stack_config *stack);

/* Pieces of kz__config_load and kz__config_load_codec that take parsed files; path is for the
 * sentence. config is zeroed before the first. They leave what they made in config also on failure.
 */
kz_status kz__config_from_main(kz__mem *mem, const json_t *root, const char *path,
                               kz__config *config, kz__err *err);
void kz__config_default_generation(kz__config *config);
kz_status kz__config_from_generation(const json_t *root, const char *path, kz__config *config,
                                     kz__err *err);
kz_status kz__config_from_codec(const json_t *root, const char *path, kz__config *config,
                                kz__err *err);

/* encoder_config into codec->encoder; the decoder's part has been read. What is wrong with it is
 * kept there for those who want to encode: the decoder does without. */
void kz__config_read_encoder(const char *file, const kz__section *top, kz__codec_config *codec);

/* True where the package (transformers 4.57.3) swaps the pre-tokenizer pattern for a local folder
 * whose config.json names this version (NULL: none). */
bool kz__config_swaps_pattern(const char *transformers_version);

#endif
