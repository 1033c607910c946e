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

/* What tells a model from others, whatever its weights are: SHA-256 of its sizes, speakers,
 * languages, and the tokens of a text; 64 digits, or "" where it has no tokens. */
void kz__known_mark(const kz_model *model, const kz_model_info *info, char mark[65]);

/* True where the mark is that of the voice in the box. */
bool kz__known_is_voice(const char *mark);

#endif
