/* The prompt as ids: which text id and which codec id each row is the sum of.
 *
 *     [instruct rows]  role x3  tags (+ tts_pad)  [speaker (+ tts_pad)]  codec_pad (+ tts_bos)
 *     body
 * Bodies: A live text, B whole text, and with reference codes C live, D whole (the letters of the
 * functions). Source: Qwen3TTSForConditionalGeneration.generate.
 */
#ifndef KZ_MODEL_PROMPT_H
#define KZ_MODEL_PROMPT_H

#include "model/config.h"

enum { KZ__ROW_NONE = -1, KZ__ROW_SPEAKER = -2, KZ__ROW_REFERENCE = -3 };

/* What a prompt is made of. Ids are those of the wrapped strings, cut to role and text. */
typedef struct kz__prompt_parts {
    const int32_t *instruct;
    size_t instruct_count;
    int32_t role[3];
    const int32_t *text; /* with reference frames: those of their transcript come first */
    size_t text_count;
    size_t transcript_count; /* of these, the transcript's */
    size_t reference_frames; /* 0: no in-context cloning */
    bool live;
    int32_t language; /* codec id, -1: auto */
    int32_t speaker;  /* codec id, KZ__ROW_SPEAKER for a vector, KZ__ROW_NONE */
} kz__prompt_parts;

typedef struct kz__prompt {
    kz_prompt_row *rows;
    size_t count;
    size_t fixed;       /* rows in front that do not depend on the text to speak */
    size_t text_used;   /* text ids that are in the rows */
    bool eos_used;      /* the end of the text is in the rows too */
} kz__prompt;

/* Text ids that must be there before the rows can be made, unless the text is complete. */
size_t kz__prompt_text_needed(const kz__prompt_parts *parts);

/* rows are allocated from mem; reference rows count their frames from 0 in order. */
kz_status kz__prompt_build(kz__mem *mem, const kz__config *config, const kz__prompt_parts *parts,
                           kz__prompt *prompt, kz__err *err);
void kz__prompt_clear(kz__mem *mem, kz__prompt *prompt);

/* Resolves a language (name or ISO 639 code in any case, region ignored; NULL or "auto": -1) and a
 * speaker (NULL: the first where the kind takes speakers, "": none). Unknown names are KZ_ERR_INPUT
 * with the list. A dialect speaker changes the language of Chinese and auto. */
kz_status kz__prompt_voice(const kz__config *config, const char *voice, const char *language,
                           int32_t *speaker_id, int32_t *language_id, kz__err *err);

#endif
