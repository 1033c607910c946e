/* The header is written twice: with open sizes before the first sample, with true ones at the end
 * where the output can be patched. */
#include "common/wav_out.h"

#include "audio/pcm.h"

#include <string.h>

#define FORMAT_PCM 1u
#define FORMAT_FLOAT 3u
#define OPEN_SIZE 0xffffffffu

static const unsigned sample_bytes[] = {2, 3, 4};

static unsigned char *put_tag(unsigned char *at, const char *tag) {
    memcpy(at, tag, 4);
    return at + 4;
}

static unsigned char *put_u16(unsigned char *at, uint32_t value) {
    at[0] = (unsigned char)(value & 0xff);
    at[1] = (unsigned char)(value >> 8 & 0xff);
    return at + 2;
}

static unsigned char *put_u32(unsigned char *at, uint32_t value) {
    return put_u16(put_u16(at, value & 0xffff), value >> 16);
}

size_t kz__wav_header(unsigned char header[KZ__WAV_HEADER_MAX], kz__bits bits, int rate,
                      uint64_t samples) {
    bool real = bits == KZ__BITS_32F;
    uint32_t width = sample_bytes[bits];
    uint32_t length = real ? 58 : 44;
    /* Checked without multiplying: samples may be UINT64_MAX. */
    bool open = samples > (OPEN_SIZE - 1 - length) / width;
    uint32_t data = open ? OPEN_SIZE : (uint32_t)samples * width;
    uint32_t riff = open ? OPEN_SIZE : length - 8 + data + (data & 1);
    unsigned char *at = put_u32(put_tag(header, "RIFF"), riff);
    at = put_tag(put_tag(at, "WAVE"), "fmt ");
    at = put_u32(at, real ? 18 : 16);
    at = put_u16(at, real ? FORMAT_FLOAT : FORMAT_PCM);
    at = put_u16(at, 1);
    at = put_u32(at, (uint32_t)rate);
    at = put_u32(at, (uint32_t)rate * width);
    at = put_u16(at, width);
    at = put_u16(at, 8 * width);
    if (real) {
        at = put_u16(at, 0);
        at = put_u32(put_tag(at, "fact"), 4);
        at = put_u32(at, open ? OPEN_SIZE : (uint32_t)samples);
    }
    put_u32(put_tag(at, "data"), data);
    return length;
}

void kz__wav_begin(kz__wav *wav, kz__out *out, bool raw, kz__bits bits, int rate) {
    memset(wav, 0, sizeof *wav);
    wav->out = out;
    wav->bits = bits;
    wav->raw = raw;
    wav->rate = rate;
}

static kz_status put_header(kz__wav *wav, kz__err *err) {
    if (wav->raw || wav->out->written > 0) return KZ_OK;
    unsigned char header[KZ__WAV_HEADER_MAX];
    size_t length = kz__wav_header(header, wav->bits, wav->rate, UINT64_MAX);
    return kz__out_write(wav->out, header, length, err);
}

kz_status kz__wav_write(kz__wav *wav, const float *samples, size_t count, kz__err *err) {
    if (count == 0) return KZ_OK;
    kz_status status = put_header(wav, err);
    if (status != KZ_OK) return status;
    size_t need = 0;
    if (!kz__mul(count, sample_bytes[wav->bits], &need)) return kz__fail_memory(err);
    if (need > wav->capacity) {
        unsigned char *larger = kz__alloc(wav->out->mem, need);
        if (!larger) return kz__fail_memory(err);
        kz__free(wav->out->mem, wav->bytes);
        wav->bytes = larger;
        wav->capacity = need;
    }
    switch (wav->bits) {
    case KZ__BITS_16: kz__pcm_write_i16(samples, count, wav->bytes); break;
    case KZ__BITS_24: kz__pcm_write_i24(samples, count, wav->bytes); break;
    case KZ__BITS_32F: kz__pcm_write_f32(samples, count, wav->bytes); break;
    }
    status = kz__out_write(wav->out, wav->bytes, need, err);
    if (status == KZ_OK) wav->samples += count;
    return status;
}

kz_status kz__wav_finish(kz__wav *wav, kz__err *err) {
    kz_status status = put_header(wav, err);
    if (status != KZ_OK || wav->raw || !wav->out->sized) return status;
    if (wav->samples * sample_bytes[wav->bits] % 2) status = kz__out_write(wav->out, "", 1, err);
    if (status != KZ_OK) return status;
    unsigned char header[KZ__WAV_HEADER_MAX];
    size_t length = kz__wav_header(header, wav->bits, wav->rate, wav->samples);
    return kz__out_patch(wav->out, 0, header, length, err);
}

void kz__wav_free(kz__wav *wav) {
    if (wav->out) kz__free(wav->out->mem, wav->bytes);
    wav->bytes = NULL;
    wav->capacity = 0;
}
