/* Voices made with a model, and whether one speaks with another. */
#ifndef KZ_ENGINE_VOICE_H
#define KZ_ENGINE_VOICE_H

#include "engine/model.h"
#include "model/voice.h"

/* NULL, or nothing but white space: not given. */
bool kz__is_blank_text(const char *text);

/* Room for a notice. */
#define KZ__NOTICE_BYTES 256

/* Whether nobody can have said the transcript in so many seconds: then it most likely is another
 * text, and `notice` tells so. */
bool kz__pace_odd(const char *transcript, double seconds, char notice[KZ__NOTICE_BYTES]);

/* Whether voice and text differ in language, or (where those are not told) in their letters.
 * language is that of the text as the model names it, NULL for auto. */
bool kz__language_odd(const kz_voice *voice, const char *language, const char *text, size_t length,
                      char notice[KZ__NOTICE_BYTES]);

/* What does not fit but can be done: told, or (strict) KZ_ERR_INPUT. */
kz_status kz__notice(bool strict, const char *text, kz__err *err);

/* KZ_ERR_INPUT where the model cannot speak with the voice. */
kz_status kz__voice_fits(const kz_voice *voice, const kz_model *model, kz__err *err);

#endif
