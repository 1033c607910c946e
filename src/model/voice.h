/* A saved voice: what a recording became, as the bytes of its file and as values. A voice is made
 * by writing the file's bytes and reading them, so one that was just made and one that was loaded
 * are the same. The form is described in docs/FORMATS.md.
 */
#ifndef KZ_MODEL_VOICE_H
#define KZ_MODEL_VOICE_H

#include "base/mem.h"

#define KZ__VOICE_MAJOR 1
#define KZ__VOICE_MINOR 0
#define KZ__VOICE_BYTES ((size_t)4 << 20)      /* of a file at most */
#define KZ__VOICE_TRANSCRIPT ((size_t)1 << 16) /* these four: bytes of a text at most */
#define KZ__VOICE_CONSENT ((size_t)4096)
#define KZ__VOICE_LANGUAGE ((size_t)64)
#define KZ__VOICE_LABEL ((size_t)32) /* model, version */

struct kz_voice {
    kz__mem mem;
    unsigned char *bytes; /* the file */
    size_t length;
    kz_voice_info info;
    float *vector;  /* [info.vector_length] */
    int32_t *codes; /* [info.frames][info.codes_per_frame]; NULL: none */
};

/* What a voice is made of. Texts that are NULL or empty are left out. */
typedef struct kz__voice_parts {
    kz_voice_info info; /* numbers and texts, but for the checksum */
    const float *vector;
    const int32_t *codes;
} kz__voice_parts;

/* Writes the file's bytes and reads them. The parts are checked as those of a file are. */
kz_status kz__voice_make(const kz__mem *like, const kz__voice_parts *parts, kz_voice **voice,
                         kz__err *err);
/* From a file's bytes, which are copied. name is for sentences. */
kz_status kz__voice_read(const kz__mem *like, const void *bytes, size_t length, const char *name,
                         kz_voice **voice, kz__err *err);
/* The same file with another name in it; "": none. */
kz_status kz__voice_renamed(const kz_voice *voice, const char *name, kz_voice **renamed,
                            kz__err *err);

/* A name in its kept form (normalisation form C), or KZ_ERR_INPUT. */
kz_status kz__voice_name(kz__mem *mem, const char *given, char name[KZ_VOICE_NAME_MOST + 1],
                         kz__err *err);

#endif
