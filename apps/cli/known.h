/* What is known of the voice in the box: the hashes of a fixed greedy run, stage by stage. */
#ifndef KZ_CLI_KNOWN_H
#define KZ_CLI_KNOWN_H

#include "cli/stages.h"

#define KZ__KNOWN_FRAMES 8

typedef struct kz__known {
    int arithmetic; /* of the build that made the hashes */
    const kz__stage_hash *stages;
    size_t count;
} kz__known;

extern const kz__known kz__known_voice;

/* What tells a model by its files, damaged weights or not: SHA-256 of its configurations and
 * tokenizer files, with the number of its values and the bytes of its weight files; 64 digits, or
 * "" where a file cannot be read. */
void kz__known_mark(kz__mem *mem, const char *folder, const kz_model_info *info, char mark[65]);

/* True where the mark is that of the voice in the box. */
bool kz__known_is_voice(const char *mark);

#endif
