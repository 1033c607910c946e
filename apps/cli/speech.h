/* A text as the settings want it spoken: whole or cut into pieces, each a part for the chorus. */
#ifndef KZ_CLI_SPEECH_H
#define KZ_CLI_SPEECH_H

#include "cli/chorus.h"
#include "cli/saved.h"

typedef struct kz__speech {
    const kz__settings *set;
    uint64_t seed;
    double pause, paragraph_pause;
    kz__chosen voice;
    const kz_voice *made; /* in its place with --ref-audio: cli->cloned */
    const char *text; /* the caller's; NULL: live text */
    size_t length;
    kz_piece *pieces; /* NULL: one part, the whole text */
    size_t count, given;
} kz__speech;

/* Checks what the settings say together, and draws a seed where none is given. Exit code. */
int kz__speech_plan(kz__speech *speech, kz__cli *cli, const kz__settings *set);

/* Finds the voice that the settings name. Exit code. */
int kz__speech_voice(kz__speech *speech, kz__cli *cli, const kz_model *model,
                     const kz_model_info *info);

/* Sets the text, and cuts it where the settings let that be. Exit code. */
int kz__speech_cut(kz__speech *speech, kz__cli *cli, const kz_model_info *info, const char *text,
                   size_t length);

/* The next part of it: all but the sound and whom it belongs to. False at the end. */
bool kz__speech_next(kz__speech *speech, kz__part *part);

void kz__speech_free(kz__speech *speech, kz__cli *cli);

bool kz__is_blank(const char *text, size_t length);

/* What --verbose tells about a part that was begun. */
void kz__speech_show(kz__cli *cli, const kz_model *model, const kz_model_info *info,
                     const kz__part *part, const kz_session *session);

#endif
