/* libsndfile reads a source through callbacks. What it cannot know (sizes left open, a file that is
 * cut short) is looked at here, before and after. */
#include "common/audio_file.h"

#include "common/audio_kind.h"
#include "common/audio_wav.h"

#include <sndfile.h>
#include <stdio.h>
#include <string.h>

/* Numbers of libsndfile 1.1, which headers of older versions lack. */
#define MPEG 0x230000

typedef struct reader {
    kz__audio_source *source;
    sf_count_t at;
} reader;

static sf_count_t get_length(void *user) {
    const reader *r = user;
    return (sf_count_t)r->source->length;
}

static sf_count_t seek(sf_count_t offset, int whence, void *user) {
    reader *r = user;
    sf_count_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? r->at : get_length(user);
    if ((offset > 0 && from > INT64_MAX - offset) || from + offset < 0) return -1;
    r->at = from + offset;
    return r->at;
}

static sf_count_t tell(void *user) {
    const reader *r = user;
    return r->at;
}

static sf_count_t read_bytes(void *bytes, sf_count_t count, void *user) {
    reader *r = user;
    if (count <= 0) return 0;
    size_t got = kz__audio_source_read(r->source, (uint64_t)r->at, bytes, (size_t)count);
    r->at += (sf_count_t)got;
    return (sf_count_t)got;
}

static sf_count_t write_nothing(const void *bytes, sf_count_t count, void *user) {
    (void)bytes;
    (void)count;
    (void)user;
    return 0;
}

static kz_status cannot_read(const kz__audio_source *source, kz__err *err) {
    return kz__fail(err, KZ_ERR_INPUT, "cannot read '%s': %s", source->name,
                    strerror(source->failure));
}

static kz_status refused(const kz__audio_source *source, const kz__audio_kind *kind, int number,
                         kz__err *err) {
    if (source->failure) return cannot_read(source, err);
    const char *reason = number > 0 ? sf_error_number(number) : "it has no sound that is known";
    size_t length = strcspn(reason, "\n");
    if (length > 0 && reason[length - 1] == '.') length--;
    return kz__fail(err, KZ_ERR_INPUT,
                    "'%s' is %s by its first bytes, but damaged, cut short in its header, or of a "
                    "form that is not read (%.*s): ffmpeg -i INPUT recording.wav may mend it",
                    source->name, kind->name, (int)length, reason);
}

/* "WAV, Signed 16 bit PCM"; of the 8-bit ones the level that counts as full is lower. */
static void describe(kz__audio_intake *intake, const kz__audio_kind *kind, SNDFILE *file,
                     int format) {
    SF_FORMAT_INFO info;
    memset(&info, 0, sizeof info);
    info.format = format & SF_FORMAT_SUBMASK;
    bool named = sf_command(file, SFC_GET_FORMAT_INFO, &info, (int)sizeof info) == 0 && info.name;
    snprintf(intake->audio->format, sizeof intake->audio->format, "%s, %s", kind->name,
             named ? info.name : "of a form without a name");
    bool coarse = info.format == SF_FORMAT_PCM_S8 || info.format == SF_FORMAT_PCM_U8;
    intake->level.full_scale = coarse ? 127.0f / 128 : 32767.0f / 32768;
}

/* Frames until there are no more. */
static kz_status read_frames(kz__audio_intake *intake, SNDFILE *file, size_t channels,
                             kz__err *err) {
    kz__mem *mem = &intake->audio->mem;
    float *block = kz__alloc(mem, KZ__AUDIO_BLOCK * sizeof *block);
    kz_status status = block ? KZ_OK : kz__fail_memory(err);
    size_t most = KZ__AUDIO_BLOCK / channels;
    while (status == KZ_OK) {
        sf_count_t got = sf_readf_float(file, block, (sf_count_t)most);
        if (got <= 0) break;
        status = kz__audio_intake_push(intake, block, (size_t)got, err);
    }
    kz__free(mem, block);
    return status;
}

/* Where a file ends before its header says so. The decoders of MP3 and ADPCM guess lengths. */
static void note_missing(kz__audio_intake *intake, const kz__audio_wav *wav, double promised) {
    double rate = (double)intake->audio->info.source_rate;
    double there = (double)intake->level.frames;
    if (wav->promised) promised = there * ((double)wav->promised / (double)wav->there);
    if (there >= promised * (wav->promised ? 1 : 0.98)) return;
    kz__audio_note(intake->audio,
                   "'%s' is cut short or damaged: %.2f s of the %.2f s in its header can be read",
                   intake->name, there / rate, promised / rate);
}

static kz_status decode(kz__audio_intake *intake, kz__audio_source *source,
                        const kz__audio_kind *kind, const kz__audio_wav *wav, kz__err *err) {
    reader r = {source, 0};
    SF_VIRTUAL_IO io = {get_length, seek, read_bytes, write_nothing, tell};
    SF_INFO info;
    memset(&info, 0, sizeof info);
    SNDFILE *file = sf_open_virtual(&io, SFM_READ, &info, &r);
    if (!file) return refused(source, kind, sf_error(NULL), err);
    describe(intake, kind, file, info.format);
    bool known = info.frames > 0 && info.frames < INT64_MAX / 2;
    uint64_t frames = known ? (uint64_t)info.frames : 0;
    bool exact = (info.format & SF_FORMAT_TYPEMASK) != MPEG;
    kz_status status = kz__audio_intake_open(intake, info.samplerate, info.channels,
                                             exact ? frames : 0, err);
    if (status == KZ_OK) status = read_frames(intake, file, (size_t)info.channels, err);
    if (status == KZ_OK && source->failure) status = cannot_read(source, err);
    if (status == KZ_OK && intake->level.frames == 0 && frames > 0) {
        status = refused(source, kind, sf_error(file), err);
    }
    if (status == KZ_OK) note_missing(intake, wav, (double)frames);
    sf_close(file);
    return status;
}

kz_status kz__audio_decode(kz__audio_intake *intake, kz__audio_source *source, kz__err *err) {
    kz__audio_kind kind = kz__audio_kind_of(source);
    kz__audio_wav wav = {0, 0};
    if (source->failure) return cannot_read(source, err);
    if (kind.class != KZ__AUDIO_SOUND) return kz__audio_kind_refuse(&kind, source, err);
    if (!strcmp(kind.name, "WAV")) {
        kz_status status = kz__audio_wav_sizes(source, &wav, err);
        if (status != KZ_OK) return status;
    }
    return decode(intake, source, &kind, &wav, err);
}
