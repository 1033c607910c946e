/* What a file is by its first bytes: sound that may be read, and what people take for it. */
#ifndef KZ_COMMON_AUDIO_KIND_H
#define KZ_COMMON_AUDIO_KIND_H

#include "common/audio_source.h"

typedef enum kz__audio_class {
    KZ__AUDIO_SOUND = 0, /* libsndfile is asked to read it */
    KZ__AUDIO_FOREIGN,   /* holds sound, of a kind that is not read here */
    KZ__AUDIO_NO_SOUND,
    KZ__AUDIO_UNKNOWN
} kz__audio_class;

typedef struct kz__audio_kind {
    kz__audio_class class;
    const char *name; /* "FLAC"; with an article where it is no sound: "a GIF picture" */
} kz__audio_kind;

kz__audio_kind kz__audio_kind_of(kz__audio_source *source);

/* The sentence for all but KZ__AUDIO_SOUND: what it is and what to do. Always an error. */
kz_status kz__audio_kind_refuse(const kz__audio_kind *kind, kz__audio_source *source,
                                kz__err *err);

#endif
