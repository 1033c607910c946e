/* Calls on saved voices: facts, names, files. */
#include "base/in_file.h"
#include "base/out_file.h"
#include "base/path.h"
#include "base/sized.h"
#include "model/voice.h"

#include <string.h>

kz_status kz_voice_get_info(const kz_voice *voice, kz_voice_info *info) {
    static const kz__sized shape = KZ__SIZED(kz_voice_info, checksum);
    kz_status status = voice ? kz__sized_check(&shape, info, NULL) : KZ_ERR_USAGE;
    if (!status) kz__sized_give(info, info->size, &voice->info, sizeof voice->info);
    return status;
}

const float *kz_voice_vector(const kz_voice *voice, size_t *length) {
    if (length) *length = voice ? (size_t)voice->info.vector_length : 0;
    return voice ? voice->vector : NULL;
}

const int32_t *kz_voice_codes(const kz_voice *voice, size_t *frames) {
    if (frames) *frames = voice ? voice->info.frames : 0;
    return voice ? voice->codes : NULL;
}

const void *kz_voice_bytes(const kz_voice *voice, size_t *length) {
    if (length) *length = voice ? voice->length : 0;
    return voice ? voice->bytes : NULL;
}

/* ---- files --------------------------------------------------------------------------------- */

kz_status kz_voice_load_memory(const void *bytes, size_t length, const kz_allocator *allocator,
                               kz_voice **voice, char *error, size_t capacity) {
    kz__err err = {""};
    kz__mem mem;
    if (!voice) return KZ_ERR_USAGE;
    *voice = NULL;
    kz_status status = kz__mem_init(&mem, allocator, &err);
    if (!status && !bytes && length) {
        status = kz__fail(&err, KZ_ERR_USAGE, "there are no bytes, but NULL");
    }
    if (!status) status = kz__voice_read(&mem, bytes, length, "memory", voice, &err);
    kz__err_copy(&err, error, capacity);
    return status;
}

kz_status kz_voice_load(const char *path, const kz_allocator *allocator, kz_voice **voice,
                        char *error, size_t capacity) {
    kz__err err = {""};
    kz__mem mem;
    kz__shown shown;
    char *bytes = NULL;
    size_t length = 0;
    if (!voice) return KZ_ERR_USAGE;
    *voice = NULL;
    kz_status status = kz__mem_init(&mem, allocator, &err);
    if (!status && (!path || !path[0])) {
        status = kz__fail(&err, KZ_ERR_USAGE, "loading a voice needs a path");
    }
    if (!status) status = kz__in_file(&mem, path, KZ__VOICE_BYTES, &bytes, &length, &err);
    if (!status) {
        status = kz__voice_read(&mem, bytes, length, kz__show_path(&shown, path), voice, &err);
    }
    kz__free(&mem, bytes);
    kz__err_copy(&err, error, capacity);
    return status;
}

static kz_status save(kz__mem *mem, const kz_voice *voice, const char *path, kz__err *err) {
    kz__out out;
    kz_status status = kz__out_open(&out, mem, path, err);
    if (!status) status = kz__out_write(&out, voice->bytes, voice->length, err);
    if (!status && out.sized) status = kz__out_sync(&out, err);
    if (!status) return kz__out_commit(&out, err);
    kz__out_discard(&out);
    return status;
}

kz_status kz_voice_save(const kz_voice *voice, const char *path, char *error, size_t capacity) {
    kz__err err = {""};
    kz__mem mem;
    kz_status status = KZ_OK;
    if (!voice || !path || !path[0]) {
        status = kz__fail(&err, KZ_ERR_USAGE, "saving needs a voice and a path");
    } else {
        kz__mem_init_like(&mem, &voice->mem);
        status = save(&mem, voice, path, &err);
    }
    kz__err_copy(&err, error, capacity);
    return status;
}

kz_status kz_voice_rename(const kz_voice *voice, const char *given, kz_voice **renamed,
                          char *error, size_t capacity) {
    kz__err err = {""};
    kz__mem mem;
    char name[KZ_VOICE_NAME_MOST + 1] = "";
    kz_status status = KZ_OK;
    if (!renamed) return KZ_ERR_USAGE;
    *renamed = NULL;
    if (!voice) status = kz__fail(&err, KZ_ERR_USAGE, "renaming needs a voice");
    if (!status && given && given[0]) {
        kz__mem_init_like(&mem, &voice->mem);
        status = kz__voice_name(&mem, given, name, &err);
    }
    if (!status) status = kz__voice_renamed(voice, name, renamed, &err);
    kz__err_copy(&err, error, capacity);
    return status;
}
