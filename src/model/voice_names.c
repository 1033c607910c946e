/* Names of speakers and languages as a user may write them. */
#include "model/prompt.h"

#include <stdio.h>
#include <string.h>

/* ISO 639-1, 639-2/T and where it differs 639-2/B, of the languages that the models know. */
static const struct {
    const char *code, *name;
} codes[] = {
    {"zh", "chinese"},    {"zho", "chinese"},    {"chi", "chinese"},  {"cmn", "chinese"},
    {"en", "english"},    {"eng", "english"},    {"de", "german"},    {"deu", "german"},
    {"ger", "german"},    {"it", "italian"},     {"ita", "italian"},  {"pt", "portuguese"},
    {"por", "portuguese"}, {"es", "spanish"},    {"spa", "spanish"},  {"ja", "japanese"},
    {"jpn", "japanese"},  {"ko", "korean"},      {"kor", "korean"},   {"fr", "french"},
    {"fra", "french"},    {"fre", "french"},     {"ru", "russian"},   {"rus", "russian"},
};

#define NAME_BYTES 64

/* Lower case, blanks at both ends dropped; false where it does not fit. */
static bool normalise(const char *text, char name[NAME_BYTES]) {
    while (*text == ' ' || *text == '\t') text++;
    size_t length = strlen(text);
    while (length && (text[length - 1] == ' ' || text[length - 1] == '\t')) length--;
    if (length >= NAME_BYTES) return false;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        name[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    name[length] = 0;
    return true;
}

static bool is_dialect(const char *name) {
    return strstr(name, "dialect") != NULL;
}

static void append(char *list, size_t capacity, const char *name) {
    size_t length = strlen(list);
    snprintf(list + length, capacity - length, "%s%s", length ? ", " : "", name);
}

static const kz__named_id *find_language(const kz__config *c, const char *name) {
    for (size_t i = 0; i < c->language_count; i++) {
        if (!is_dialect(c->languages[i].name) && strcmp(c->languages[i].name, name) == 0) {
            return &c->languages[i];
        }
    }
    return NULL;
}

static kz_status resolve_language(const kz__config *c, const char *language, char *name,
                                  int32_t *id, kz__err *err) {
    *id = -1;
    bool fits = normalise(language, name);
    if (fits && strcmp(name, "auto") == 0) return KZ_OK;
    const kz__named_id *found = fits ? find_language(c, name) : NULL;
    if (fits && !found) {
        char code[NAME_BYTES];
        snprintf(code, sizeof code, "%s", name);
        code[strcspn(code, "-_")] = 0;
        found = find_language(c, code);
        for (size_t i = 0; !found && i < sizeof codes / sizeof codes[0]; i++) {
            if (strcmp(codes[i].code, code) == 0) found = find_language(c, codes[i].name);
        }
    }
    if (found) {
        snprintf(name, NAME_BYTES, "%s", found->name);
        *id = found->id;
        return KZ_OK;
    }
    char list[320] = "auto";
    for (size_t i = 0; i < c->language_count; i++) {
        if (!is_dialect(c->languages[i].name)) append(list, sizeof list, c->languages[i].name);
    }
    return kz__fail(err, KZ_ERR_INPUT, "language \"%.40s\" is not known; this model has: %s",
                    language, list);
}

static kz_status unknown_speaker(const kz__config *c, const char *voice, kz__err *err) {
    if (c->kind == KZ_KIND_VOICE_DESIGN) {
        return kz__fail(err, KZ_ERR_INPUT,
                        "voice \"%.40s\" cannot be used: a voice design model has no speakers, it "
                        "takes a description of the voice (instruct)", voice);
    }
    if (c->kind == KZ_KIND_BASE) {
        return kz__fail(err, KZ_ERR_INPUT,
                        "voice \"%.40s\" cannot be used: a base model has no named speakers, it "
                        "speaks with a speaker vector", voice);
    }
    char list[320] = "";
    for (size_t i = 0; i < c->speaker_count; i++) append(list, sizeof list, c->speakers[i].name);
    return kz__fail(err, KZ_ERR_INPUT, "voice \"%.40s\" is not known; this model has: %s", voice,
                    list[0] ? list : "none");
}

kz_status kz__prompt_voice(const kz__config *c, const char *voice, const char *language,
                           int32_t *speaker_id, int32_t *language_id, kz__err *err) {
    char name[NAME_BYTES] = "auto";
    *speaker_id = KZ__ROW_NONE;
    *language_id = -1;
    if (language && language[0]) {
        kz_status status = resolve_language(c, language, name, language_id, err);
        if (status) return status;
    }
    const kz__speaker_config *speaker = NULL;
    bool takes = c->kind == KZ_KIND_CUSTOM_VOICE;
    if (!voice) {
        if (takes && c->speaker_count) speaker = &c->speakers[0];
    } else if (voice[0]) {
        char wanted[NAME_BYTES];
        bool fits = normalise(voice, wanted);
        for (size_t i = 0; takes && fits && i < c->speaker_count; i++) {
            if (strcmp(c->speakers[i].name, wanted) == 0) speaker = &c->speakers[i];
        }
        if (!speaker) return unknown_speaker(c, voice, err);
    }
    if (!speaker) return KZ_OK;
    *speaker_id = speaker->id;
    bool follows = strcmp(name, "auto") == 0 || strcmp(name, "chinese") == 0;
    if (speaker->dialect >= 0 && follows) *language_id = c->languages[speaker->dialect].id;
    return KZ_OK;
}
