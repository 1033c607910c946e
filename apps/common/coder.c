/* libsndfile writes through callbacks into a kz__out. It does not pass on why a write failed, and
 * leaks where one did: so the first failure is kept here, and what the library writes after it is
 * taken and goes nowhere. */
#include "common/coder.h"

#ifdef KZ_HAVE_SNDFILE

#include "audio/pcm.h"

#include <sndfile.h>
#include <string.h>

#define PIECE 1024

/* Numbers of libsndfile 1.1, which headers of older versions lack. */
#define OPUS 0x0064
#define MPEG 0x230000
#define MPEG_LAYER_III 0x0082
#define SET_BITRATE_MODE 0x1305
#define VARIABLE 2

typedef struct form {
    int major, minor;
    double level; /* what SFC_SET_COMPRESSION_LEVEL takes: 0 is most bits, 1 is fewest */
} form;

/* FLAC -8; Vorbis quality 5; Opus 64 kbit/s (level 0 is 256, 1 is 6); LAME -V 2. The defaults are
 * 36 kbit/s for Opus and, for MP3, a constant 32 kbit/s, whose frames have no room for the tag that
 * tells players the exact length. */
static const form forms[KZ__FORMATS] = {
    [KZ__FORMAT_FLAC] = {SF_FORMAT_FLAC, SF_FORMAT_PCM_16, 1.0},
    [KZ__FORMAT_OGG] = {SF_FORMAT_OGG, SF_FORMAT_VORBIS, 0.5},
    [KZ__FORMAT_OPUS] = {SF_FORMAT_OGG, OPUS, 0.768},
    [KZ__FORMAT_MP3] = {MPEG, MPEG_LAYER_III, 0.2},
};

#define PAGE_MOST 65307 /* bytes of a page of Ogg */

typedef struct page {
    uint64_t at;
    size_t length;
    unsigned char bytes[PAGE_MOST];
} page;

struct kz__coder {
    SNDFILE *file;
    kz__out *out;
    kz__format format;
    kz__bits bits;
    int rate;
    sf_count_t at;    /* where the next byte goes */
    sf_count_t length;
    uint64_t samples;
    kz_status status; /* of the output: the first failure */
    kz__err err;
    page last;        /* of Opus: the page that was written last */
};

/* ---- what the library can ----------------------------------------------------------------- */

/* Whether a list of the library's has it: sf_format_check knows formats that a build lacks. */
static bool listed(int count_command, int command, int wanted) {
    int count = 0;
    sf_command(NULL, count_command, &count, (int)sizeof count);
    for (int i = 0; i < count; i++) {
        SF_FORMAT_INFO info;
        memset(&info, 0, sizeof info);
        info.format = i;
        if (sf_command(NULL, command, &info, (int)sizeof info) == 0 && info.format == wanted) {
            return true;
        }
    }
    return false;
}

bool kz__coder_there(kz__format format) {
    const form *f = &forms[format];
    SF_INFO info;
    memset(&info, 0, sizeof info);
    info.samplerate = 24000;
    info.channels = 1;
    info.format = f->major | f->minor;
    return f->major && listed(SFC_GET_FORMAT_MAJOR_COUNT, SFC_GET_FORMAT_MAJOR, f->major) &&
           listed(SFC_GET_FORMAT_SUBTYPE_COUNT, SFC_GET_FORMAT_SUBTYPE, f->minor) &&
           sf_format_check(&info);
}

const char *kz__coder_library(void) {
    return sf_version_string();
}

/* ---- callbacks ---------------------------------------------------------------------------- */

static sf_count_t get_length(void *user) {
    const kz__coder *coder = user;
    return coder->length;
}

static sf_count_t seek(sf_count_t offset, int whence, void *user) {
    kz__coder *coder = user;
    sf_count_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? coder->at : coder->length;
    if (from + offset < 0 || from + offset > coder->length) return -1;
    coder->at = from + offset;
    return coder->at;
}

static sf_count_t tell(void *user) {
    const kz__coder *coder = user;
    return coder->at;
}

/* Encoders do not read. */
static sf_count_t read_nothing(void *bytes, sf_count_t count, void *user) {
    (void)bytes;
    (void)count;
    (void)user;
    return 0;
}

/* Pages come as a header and a body, or more parts. */
static void keep_page(page *last, const void *bytes, size_t count, uint64_t at) {
    if (count >= 4 && !memcmp(bytes, "OggS", 4)) {
        last->at = at;
        last->length = 0;
    }
    if (count > PAGE_MOST - last->length) return;
    memcpy(last->bytes + last->length, bytes, count);
    last->length += count;
}

static sf_count_t write_bytes(const void *bytes, sf_count_t count, void *user) {
    kz__coder *coder = user;
    sf_count_t left = coder->length - coder->at;
    sf_count_t old = left < count ? left : count;
    if (coder->status == KZ_OK && old > 0) {
        coder->status = kz__out_patch(coder->out, (uint64_t)coder->at, bytes, (size_t)old,
                                      &coder->err);
    }
    if (coder->status == KZ_OK && count > old) {
        coder->status = kz__out_write(coder->out, (const unsigned char *)bytes + old,
                                      (size_t)(count - old), &coder->err);
    }
    if (coder->format == KZ__FORMAT_OPUS) {
        keep_page(&coder->last, bytes, (size_t)count, (uint64_t)coder->at);
    }
    coder->at += count;
    if (coder->at > coder->length) coder->length = coder->at;
    return count;
}

/* ---- writing ------------------------------------------------------------------------------ */

/* number: the library's error. sf_error_number prints where it is none of its own. */
static kz_status refused(const kz__coder *coder, int number, kz__err *err) {
    if (coder->status != KZ_OK) return kz__fail(err, coder->status, "%s", coder->err.text);
    const char *reason = number > 0 ? sf_error_number(number) : "the encoder fails";
    return kz__fail(err, KZ_ERR_OUTPUT, "cannot write '%s' as %s: %s", coder->out->name,
                    kz__format_name(coder->format), reason);
}

kz_status kz__coder_open(kz__coder **coder, kz__out *out, kz__format format, kz__bits bits,
                         int rate, kz__err *err) {
    const form *f = &forms[format];
    kz__coder *c = kz__calloc(out->mem, 1, sizeof *c);
    *coder = NULL;
    if (!c) return kz__fail_memory(err);
    c->out = out;
    c->format = format;
    c->bits = bits;
    c->rate = rate;
    SF_VIRTUAL_IO io = {get_length, seek, read_nothing, write_bytes, tell};
    SF_INFO info;
    memset(&info, 0, sizeof info);
    info.samplerate = rate;
    info.channels = 1;
    info.format = f->major | f->minor;
    if (format == KZ__FORMAT_FLAC && bits == KZ__BITS_24) {
        info.format = f->major | SF_FORMAT_PCM_24;
    }
    c->file = sf_open_virtual(&io, SFM_WRITE, &info, c);
    if (!c->file) {
        kz_status status = refused(c, sf_error(NULL), err);
        kz__coder_drop(c);
        return status;
    }
    double level = f->level;
    int mode = VARIABLE;
    if (format == KZ__FORMAT_MP3) {
        sf_command(c->file, SET_BITRATE_MODE, &mode, (int)sizeof mode);
    }
    sf_command(c->file, SFC_SET_COMPRESSION_LEVEL, &level, (int)sizeof level);
    *coder = c;
    return KZ_OK;
}

/* The library takes integers of 32 bits, whose upper ones count. */
static sf_count_t put_integers(kz__coder *coder, const float *samples, size_t count) {
    int values[PIECE];
    for (size_t i = 0; i < count; i++) {
        values[i] = coder->bits == KZ__BITS_16 ? kz__pcm_i16(samples[i]) * 65536
                                               : kz__pcm_i24(samples[i]) * 256;
    }
    return sf_write_int(coder->file, values, (sf_count_t)count);
}

static sf_count_t put_reals(kz__coder *coder, const float *samples, size_t count) {
    float values[PIECE];
    for (size_t i = 0; i < count; i++) {
        float x = samples[i] == samples[i] ? samples[i] : 0;
        values[i] = x > 1 ? 1 : x < -1 ? -1 : x;
    }
    return sf_write_float(coder->file, values, (sf_count_t)count);
}

kz_status kz__coder_write(kz__coder *coder, const float *samples, size_t count, kz__err *err) {
    while (count > 0) {
        size_t take = count < PIECE ? count : PIECE;
        sf_count_t done = coder->format == KZ__FORMAT_FLAC ? put_integers(coder, samples, take)
                                                           : put_reals(coder, samples, take);
        if (coder->status != KZ_OK || done != (sf_count_t)take) {
            return refused(coder, sf_error(coder->file), err);
        }
        coder->samples += take;
        samples += take;
        count -= take;
    }
    return KZ_OK;
}

/* ---- the end of Opus ---------------------------------------------------------------------- */

/* The encoder is 6.5 ms behind. To push the end out, libsndfile (1.2) gives it the last packet of
 * 20 ms once more, as one of 10 ms or less, and that change of size costs the last 5 ms: they can
 * come out silent. It does not where the last packet holds 3.5 to 13.5 ms of sound: then that one,
 * filled up to 20 ms, is enough. So silence is appended up to there, and taken off again where the
 * last page says how long the sound is. The true end lies in the last packet in any case. */
static size_t opus_padding(uint64_t samples, int rate) {
    size_t packet = (size_t)rate / 50;
    size_t low = packet / 5;
    size_t high = packet * 27 / 40;
    size_t rest = (size_t)(samples % packet);
    if (rest >= low && rest <= high) return 0;
    return rest < low ? low - rest : packet - rest + low;
}

static kz_status pad_opus(kz__coder *coder, size_t count, kz__err *err) {
    static const float silence[PIECE];
    while (count > 0) {
        size_t take = count < PIECE ? count : PIECE;
        kz_status status = kz__coder_write(coder, silence, take, err);
        if (status != KZ_OK) return status;
        count -= take;
    }
    return KZ_OK;
}

/* CRC-32 as Ogg has it: not reflected, from 0, its own bytes counting as 0. */
static uint32_t page_checksum(const page *p) {
    uint32_t crc = 0;
    for (size_t i = 0; i < p->length; i++) {
        uint32_t byte = i >= 22 && i < 26 ? 0 : p->bytes[i];
        crc ^= byte << 24;
        for (int bit = 0; bit < 8; bit++) crc = crc << 1 ^ (crc >> 31 ? 0x04c11db7u : 0);
    }
    return crc;
}

/* Takes `padding` samples off the position (bytes 6 to 13, counted at 48 kHz) in the last page,
 * which has the mark of an end (4) in byte 5. */
static kz_status shorten_opus(kz__coder *coder, size_t padding, kz__err *err) {
    page *p = &coder->last;
    if (p->length < 27 || !(p->bytes[5] & 4)) return refused(coder, 0, err);
    uint64_t position = 0;
    for (size_t i = 14; i-- > 6;) position = position << 8 | p->bytes[i];
    position -= padding * (48000 / (size_t)coder->rate);
    for (size_t i = 6; i < 14; i++) p->bytes[i] = (unsigned char)(position >> 8 * (i - 6) & 0xff);
    uint32_t crc = page_checksum(p);
    for (size_t i = 22; i < 26; i++) p->bytes[i] = (unsigned char)(crc >> 8 * (i - 22) & 0xff);
    return kz__out_patch(coder->out, p->at, p->bytes, 26, err);
}

/* ---- closing ------------------------------------------------------------------------------ */

kz_status kz__coder_finish(kz__coder *coder, kz__err *err) {
    /* With the first sample the library writes the header; what it leaves without one is no file,
     * but for Ogg. */
    bool opus = coder->format == KZ__FORMAT_OPUS;
    size_t padding = opus ? opus_padding(coder->samples, coder->rate) : 0;
    kz_status status = KZ_OK;
    if (coder->samples == 0 && !opus && coder->format != KZ__FORMAT_OGG) {
        status = kz__fail(err, KZ_ERR_OUTPUT, "cannot write '%s': the sound is empty, and %s holds "
                          "one sample or more", coder->out->name, kz__format_name(coder->format));
    }
    if (status == KZ_OK) status = pad_opus(coder, padding, err);
    int failure = sf_close(coder->file);
    coder->file = NULL;
    bool bad = failure || coder->status != KZ_OK;
    if (status == KZ_OK && bad) status = refused(coder, failure, err);
    if (status == KZ_OK && padding > 0) status = shorten_opus(coder, padding, err);
    kz__coder_drop(coder);
    return status;
}

void kz__coder_drop(kz__coder *coder) {
    if (!coder) return;
    if (coder->status == KZ_OK) coder->status = KZ_ERR_CANCELLED; /* what is left is not written */
    if (coder->file) sf_close(coder->file);
    kz__free(coder->out->mem, coder);
}

#else

bool kz__coder_there(kz__format format) {
    (void)format;
    return false;
}

const char *kz__coder_library(void) {
    return NULL;
}

kz_status kz__coder_open(kz__coder **coder, kz__out *out, kz__format format, kz__bits bits,
                         int rate, kz__err *err) {
    (void)bits;
    (void)rate;
    *coder = NULL;
    return kz__fail(err, KZ_ERR_OUTPUT, "cannot write '%s' as %s: this build is without libsndfile",
                    out->name, kz__format_name(format));
}

kz_status kz__coder_write(kz__coder *coder, const float *samples, size_t count, kz__err *err) {
    (void)coder;
    (void)samples;
    (void)count;
    return kz__fail(err, KZ_ERR_STATE, "no coder is open");
}

kz_status kz__coder_finish(kz__coder *coder, kz__err *err) {
    (void)coder;
    return kz__fail(err, KZ_ERR_STATE, "no coder is open");
}

void kz__coder_drop(kz__coder *coder) {
    (void)coder;
}

#endif
