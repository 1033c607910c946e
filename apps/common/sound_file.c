/* Encoded sound waits in a file without a name, not in memory: memory does not grow with the
 * length of the sound, and an hour of FLAC is a hundred megabytes. */
#include "common/sound_file.h"

#include <stdlib.h>
#include <string.h>

static kz_status refuse_rate(kz__format format, int rate, kz__err *err) {
    char list[KZ__FORMAT_LIST];
    kz__format_list(list, rate);
    return kz__fail(err, KZ_ERR_USAGE, "the model's sound has %d Hz, which .%s cannot hold; what "
                    "can: %s", rate, kz__format_name(format), list);
}

static kz_status open_coder(kz__sound_file *file, kz__format format, kz__bits bits, int rate,
                            kz__err *err) {
    kz__out *out = &file->out;
    if (!out->sized) {
        kz_status status = kz__out_scratch(&file->scratch, out->mem, getenv("TMPDIR"), err);
        if (status != KZ_OK) return status;
        out = &file->scratch;
    }
    return kz__coder_open(&file->coder, out, format, bits, rate, err);
}

kz_status kz__sound_file_open(kz__sound_file *file, kz__mem *mem, const char *path,
                              kz__format format, kz__bits bits, int rate, kz__err *err) {
    memset(file, 0, sizeof *file);
    if (!kz__format_takes_rate(format, rate)) return refuse_rate(format, rate, err);
    kz_status status = kz__out_open(&file->out, mem, path, err);
    if (status != KZ_OK) return status;
    if (kz__format_streams(format)) {
        kz__wav_begin(&file->wav, &file->out, format == KZ__FORMAT_RAW, bits, rate);
        return KZ_OK;
    }
    status = open_coder(file, format, bits, rate, err);
    if (status != KZ_OK) kz__sound_file_discard(file);
    return status;
}

kz_status kz__sound_file_write(kz__sound_file *file, const float *samples, size_t count,
                               kz__err *err) {
    if (!file->coder) return kz__wav_write(&file->wav, samples, count, err);
    if (file->scratch.mem) {
        kz_status status = kz__out_heard(&file->out, err);
        if (status != KZ_OK) return status;
    }
    return kz__coder_write(file->coder, samples, count, err);
}

static kz_status finish(kz__sound_file *file, kz__err *err) {
    if (!file->coder) return kz__wav_finish(&file->wav, err);
    kz_status status = kz__coder_finish(file->coder, err);
    file->coder = NULL;
    if (status != KZ_OK || !file->scratch.mem) return status;
    return kz__out_copy(&file->out, &file->scratch, err);
}

/* All but the output. */
static void release(kz__sound_file *file) {
    kz__coder_drop(file->coder);
    file->coder = NULL;
    kz__wav_free(&file->wav);
    kz__out_discard(&file->scratch);
}

kz_status kz__sound_file_commit(kz__sound_file *file, kz__err *err) {
    kz_status status = finish(file, err);
    if (status != KZ_OK) {
        kz__sound_file_discard(file);
        return status;
    }
    release(file);
    return kz__out_commit(&file->out, err);
}

void kz__sound_file_discard(kz__sound_file *file) {
    release(file);
    kz__out_discard(&file->out);
}
