/* Chunk after chunk: four bytes of name, four of size, content, one byte of padding where the size
 * is odd. Nothing but sizes is read; what a chunk holds is the decoder's business. */
#include "common/audio_wav.h"

#include <string.h>

#define CHUNKS_MOST 10000

/* Programs that cannot go back write sizes near these: 2 GiB or 4 GiB less a header. */
#define OPEN_FROM 0x7ffff000u

static uint32_t size_of(const unsigned char *p, bool big) {
    return big ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
               : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static void put_size(unsigned char *p, bool big, uint32_t size) {
    for (unsigned i = 0; i < 4; i++) p[big ? 3 - i : i] = (unsigned char)(size >> 8 * i & 0xff);
}

static bool name_like(const unsigned char *name) {
    for (size_t i = 0; i < 4; i++) {
        if (name[i] < ' ' || name[i] > '~') return false;
    }
    return true;
}

/* Whether all from `at` to the end is chunks. */
static bool chunks_follow(kz__audio_source *source, uint64_t at, bool big) {
    unsigned char head[8];
    for (int i = 0; i < CHUNKS_MOST; i++) {
        if (at == source->length) return true;
        if (kz__audio_source_read(source, at, head, 8) < 8 || !name_like(head)) return false;
        uint64_t size = size_of(head + 4, big);
        if (size > source->length - at - 8) return false;
        at += 8 + size;
        if ((size & 1) && at < source->length) at++;
    }
    return false;
}

static kz_status data_chunk(kz__audio_source *source, uint64_t at, bool big, uint32_t size,
                            kz__audio_wav *wav, kz__err *err) {
    uint64_t first = at + 8;
    wav->there = source->length - first;
    if (size > wav->there && size < OPEN_FROM) wav->promised = size;
    bool streamed = size == 0 ? !chunks_follow(source, first, big) : size >= OPEN_FROM;
    if (streamed && wav->there > UINT32_MAX) {
        return kz__fail(err, KZ_ERR_INPUT,
                        "'%s' holds %llu bytes of sound, and its header says none or 4 GiB: WAV of "
                        "that length is RF64 or W64", source->name,
                        (unsigned long long)wav->there);
    }
    if (size == 0 && streamed) {
        unsigned char true_size[4];
        put_size(true_size, big, (uint32_t)wav->there);
        kz__audio_source_patch(source, at + 4, true_size);
    }
    return KZ_OK;
}

kz_status kz__audio_wav_sizes(kz__audio_source *source, kz__audio_wav *wav, kz__err *err) {
    unsigned char head[12];
    memset(wav, 0, sizeof *wav);
    size_t got = kz__audio_source_read(source, 0, head, 12);
    bool big = got >= 4 && head[3] == 'X';
    uint64_t at = 12;
    for (int i = 0; i < CHUNKS_MOST; i++) {
        if (kz__audio_source_read(source, at, head, 8) < 8) {
            return kz__fail(err, KZ_ERR_INPUT,
                            "'%s' is a WAV file without a data chunk in its %llu bytes: it has no "
                            "sound, or is cut short", source->name,
                            (unsigned long long)source->length);
        }
        uint32_t size = size_of(head + 4, big);
        if (!memcmp(head, "data", 4)) return data_chunk(source, at, big, size, wav, err);
        at += 8 + (uint64_t)size + (size & 1);
    }
    return KZ_OK;
}
