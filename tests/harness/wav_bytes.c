#include "harness/wav_bytes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer {
    unsigned char *bytes;
    size_t length;
    bool big;
} writer;

static void put(writer *w, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++) {
        unsigned from = w->big ? bytes - 1 - i : i;
        w->bytes[w->length++] = (unsigned char)(value >> 8 * from & 0xff);
    }
}

static void put_name(writer *w, const char *name) {
    memcpy(w->bytes + w->length, name, 4);
    w->length += 4;
}

static unsigned tag_of(const kzt_wav *wav) {
    switch (wav->code) {
    case KZT_WAV_INTEGER: return 1;
    case KZT_WAV_FLOAT: return 3;
    case KZT_WAV_ALAW: return 6;
    case KZT_WAV_ULAW: return 7;
    }
    return 0;
}

static void put_format(writer *w, const kzt_wav *wav) {
    static const unsigned char rest[14] = {0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b,
                                           0x71};
    unsigned frame = (unsigned)(wav->channels * wav->bits / 8);
    bool extensible = wav->format_bytes == 40;
    put_name(w, "fmt ");
    put(w, wav->format_bytes, 4);
    put(w, extensible ? 0xfffe : tag_of(wav), 2);
    put(w, (unsigned)wav->channels, 2);
    put(w, (unsigned)wav->rate, 4);
    put(w, (unsigned)wav->rate * frame, 4);
    put(w, frame, 2);
    put(w, (unsigned)wav->bits, 2);
    if (wav->format_bytes >= 18) put(w, extensible ? 22 : 0, 2);
    if (!extensible) return;
    put(w, (unsigned)wav->bits, 2);
    put(w, 0, 4);
    put(w, tag_of(wav), 2);
    memcpy(w->bytes + w->length, rest, 14);
    w->length += 14;
}

static void put_list(writer *w, size_t bytes) {
    if (bytes == 0) return;
    put_name(w, "LIST");
    put(w, bytes, 4);
    for (size_t i = 0; i < bytes + (bytes & 1); i++) {
        w->bytes[w->length++] = (unsigned char)(i < 4 ? "INFO"[i] : 0);
    }
}

static void put_sample(writer *w, const kzt_wav *wav, double value) {
    double scale = ldexp(1, wav->bits - 1);
    float single = (float)value;
    uint32_t bits32 = 0;
    uint64_t bits64 = 0;
    memcpy(&bits32, &single, 4);
    memcpy(&bits64, &value, 8);
    if (wav->code == KZT_WAV_FLOAT) {
        put(w, wav->bits == 64 ? bits64 : bits32, (unsigned)wav->bits / 8);
    } else if (wav->code == KZT_WAV_INTEGER) {
        double level = nearbyint(value * scale);
        level = level > scale - 1 ? scale - 1 : level < -scale ? -scale : level;
        if (wav->bits == 8) level += 128;
        put(w, (uint64_t)(int64_t)level, (unsigned)wav->bits / 8);
    } else {
        put(w, (uint64_t)value, 1);
    }
}

unsigned char *kzt_wav_bytes(const kzt_wav *wav, const double *samples, size_t frames,
                             size_t *length) {
    size_t count = frames * (size_t)wav->channels;
    size_t data = count * (size_t)wav->bits / 8;
    writer w = {malloc(data + wav->list_bytes + wav->tail_bytes + 256), 0, wav->big};
    if (!w.bytes) abort();
    put_name(&w, wav->big ? "RIFX" : wav->rf64 ? "RF64" : "RIFF");
    put(&w, 0, 4);
    put_name(&w, "WAVE");
    size_t ds64 = w.length + 8;
    if (wav->rf64) {
        put_name(&w, "ds64");
        put(&w, 28, 4);
        put(&w, 0, 8);
        put(&w, data, 8);
        put(&w, frames, 8);
        put(&w, 0, 4);
    }
    put_format(&w, wav);
    put_list(&w, wav->list_bytes);
    if (!wav->no_data) {
        put_name(&w, "data");
        put(&w, wav->other_data_size ? wav->data_size : wav->rf64 ? 0xffffffffu : data, 4);
        for (size_t i = 0; i < count; i++) put_sample(&w, wav, samples[i]);
        if (data & 1) w.bytes[w.length++] = 0;
    }
    put_list(&w, wav->tail_bytes);
    *length = w.length;
    w.length = 4;
    put(&w, wav->other_riff_size ? wav->riff_size : wav->rf64 ? 0xffffffffu : *length - 8, 4);
    w.length = ds64;
    if (wav->rf64) put(&w, *length - 8, 8);
    return w.bytes;
}
