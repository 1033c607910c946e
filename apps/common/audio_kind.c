/* One table of magic bytes; what one place does not settle (a container's content, MPEG audio,
 * text) is looked at in its own function. */
#include "common/audio_kind.h"

#include <stdio.h>
#include <string.h>

#define HEAD 512

typedef struct magic {
    size_t at;
    size_t length;
    const char *bytes;
    size_t then_at; /* a second place; then NULL: none */
    const char *then;
    kz__audio_kind kind;
} magic;

#define SOUND(name) {KZ__AUDIO_SOUND, name}
#define FOREIGN(name) {KZ__AUDIO_FOREIGN, name}
#define OTHER(name) {KZ__AUDIO_NO_SOUND, name}

/* The first that fits; a longer one stands in front of its beginning. */
static const magic table[] = {
    {0, 4, "RIFF", 8, "WAVE", SOUND("WAV")},
    {0, 4, "RIFX", 8, "WAVE", SOUND("WAV")},
    {0, 4, "RF64", 8, "WAVE", SOUND("RF64")},
    {0, 8, "riff\x2e\x91\xcf\x11", 0, NULL, SOUND("W64")},
    {0, 4, "FORM", 8, "AIFF", SOUND("AIFF")},
    {0, 4, "FORM", 8, "AIFC", SOUND("AIFC")},
    {0, 4, "caff", 0, NULL, SOUND("CAF")},
    {0, 4, ".snd", 0, NULL, SOUND("AU")},
    {0, 4, "dns.", 0, NULL, SOUND("AU")},
    {0, 4, "fLaC", 0, NULL, SOUND("FLAC")},
    {0, 4, "OggS", 28, "\177FLAC", FOREIGN("FLAC in an Ogg container")},
    {0, 4, "OggS", 28, "Speex   ", FOREIGN("Speex sound")},
    {0, 4, "OggS", 28, "\200theora", FOREIGN("an Ogg video")},
    {0, 4, "OggS", 28, "fishead", FOREIGN("an Ogg video")},
    {0, 4, "OggS", 0, NULL, SOUND("Ogg")},
    {4, 4, "ftyp", 8, "M4A", FOREIGN("M4A (AAC or ALAC sound in an MP4 container)")},
    {4, 4, "ftyp", 8, "M4B", FOREIGN("M4B (AAC sound in an MP4 container)")},
    {4, 4, "ftyp", 8, "qt  ", FOREIGN("a QuickTime video (MOV)")},
    {4, 4, "ftyp", 8, "3g", FOREIGN("a 3GP recording")},
    {4, 4, "ftyp", 8, "hei", OTHER("a HEIC picture")},
    {4, 4, "ftyp", 8, "avif", OTHER("an AVIF picture")},
    {4, 4, "ftyp", 8, "mif1", OTHER("a HEIF picture")},
    {4, 4, "ftyp", 0, NULL, FOREIGN("an MP4 video or AAC sound in an MP4 container")},
    {0, 4, "\x1a\x45\xdf\xa3", 0, NULL, FOREIGN("a Matroska video or sound file (MKV, MKA)")},
    {0, 4, "RIFF", 8, "AVI ", FOREIGN("an AVI video")},
    {0, 4, "RIFF", 8, "WEBP", OTHER("a WebP picture")},
    {0, 4, "RIFF", 8, "RMID", OTHER("a MIDI file, notes without sound")},
    {0, 4, "RIFF", 8, "sfbk", OTHER("a SoundFont")},
    {0, 4, "ADIF", 0, NULL, FOREIGN("AAC sound")},
    {0, 8, "\x30\x26\xb2\x75\x8e\x66\xcf\x11", 0, NULL, FOREIGN("WMA sound or WMV video (ASF)")},
    {0, 5, "#!AMR", 0, NULL, FOREIGN("AMR sound")},
    {0, 6, "#!SILK", 0, NULL, FOREIGN("SILK sound")},
    {1, 6, "#!SILK", 0, NULL, FOREIGN("SILK sound")},
    {0, 3, "FLV", 0, NULL, FOREIGN("a Flash video (FLV)")},
    {0, 4, "\0\0\1\xba", 0, NULL, FOREIGN("an MPEG video")},
    {0, 4, "\0\0\1\xb3", 0, NULL, FOREIGN("an MPEG video")},
    {0, 4, "wvpk", 0, NULL, FOREIGN("WavPack sound")},
    {0, 4, "MAC ", 0, NULL, FOREIGN("Monkey's Audio sound (APE)")},
    {0, 4, "TTA1", 0, NULL, FOREIGN("True Audio sound (TTA)")},
    {0, 4, "MPCK", 0, NULL, FOREIGN("Musepack sound")},
    {0, 4, "DSD ", 0, NULL, FOREIGN("DSD sound (DSF)")},
    {0, 4, "FRM8", 0, NULL, FOREIGN("DSD sound (DSDIFF)")},
    {0, 2, "\x0b\x77", 0, NULL, FOREIGN("AC-3 sound")},
    {0, 4, ".RMF", 0, NULL, FOREIGN("a RealMedia file")},
    {0, 19, "Creative Voice File", 0, NULL, FOREIGN("Creative Voice sound (VOC)")},
    {0, 4, "MThd", 0, NULL, OTHER("a MIDI file, notes without sound")},
    {0, 4, "GIF8", 0, NULL, OTHER("a GIF picture")},
    {0, 4, "\x89PNG", 0, NULL, OTHER("a PNG picture")},
    {0, 3, "\xff\xd8\xff", 0, NULL, OTHER("a JPEG picture")},
    {0, 4, "II*\0", 0, NULL, OTHER("a TIFF picture")},
    {0, 4, "MM\0*", 0, NULL, OTHER("a TIFF picture")},
    {0, 4, "%PDF", 0, NULL, OTHER("a PDF document")},
    {0, 4, "PK\3\4", 0, NULL, OTHER("a ZIP archive: unpack it first")},
    {0, 2, "\x1f\x8b", 0, NULL, OTHER("a gzip archive: unpack it first")},
    {0, 6, "7z\xbc\xaf\x27\x1c", 0, NULL, OTHER("a 7z archive: unpack it first")},
    {0, 4, "Rar!", 0, NULL, OTHER("a RAR archive: unpack it first")},
    {0, 6, "\xfd" "7zXZ\0", 0, NULL, OTHER("an XZ archive: unpack it first")},
    {0, 4, "\x7f" "ELF", 0, NULL, OTHER("a program")},
    {0, 2, "MZ", 0, NULL, OTHER("a Windows program")},
    {0, 7, "\x89KAZEIA", 0, NULL, OTHER("a packed model")},
    {0, 4, "\x89KZV", 0, NULL, OTHER("a saved voice: 'kazeia say --voice' takes it")},
    {0, 6, "\x93NUMPY", 0, NULL, OTHER("a NumPy array")},
    {0, 15, "version https:/", 0, NULL, OTHER("a Git LFS pointer in place of the file: fetch it")},
    {0, 5, "<?xml", 0, NULL, OTHER("an XML text")},
    {0, 1, "{", 0, NULL, OTHER("a JSON text")},
};

static bool lies_at(const unsigned char *head, size_t length, size_t at, const char *bytes,
                    size_t count) {
    return at + count <= length && !memcmp(head + at, bytes, count);
}

/* MPEG layers II and III, or AAC: what follows twelve (eleven) set bits. */
static bool mpeg(const unsigned char *head, size_t length, kz__audio_kind *kind) {
    if (length < 4 || head[0] != 0xff || (head[1] & 0xe0) != 0xe0) return false;
    unsigned version = head[1] >> 3 & 3;
    unsigned layer = head[1] >> 1 & 3;
    if ((head[1] & 0xf6) == 0xf0) {
        *kind = (kz__audio_kind)FOREIGN("AAC sound");
        return true;
    }
    bool header = version != 1 && head[2] >> 4 != 15 && (head[2] >> 2 & 3) != 3;
    if (!header || (layer != 1 && layer != 2)) return false;
    *kind = (kz__audio_kind)SOUND(layer == 1 ? "MP3" : "MP2");
    return true;
}

static bool transport_stream(const unsigned char *head, size_t length) {
    return length > 376 && head[0] == 0x47 && head[188] == 0x47 && head[376] == 0x47;
}

static bool text(const unsigned char *head, size_t length) {
    for (size_t i = 0; i < length; i++) {
        bool blank = head[i] == '\n' || head[i] == '\r' || head[i] == '\t' || head[i] == '\f';
        if ((head[i] < ' ' && !blank) || head[i] == 0x7f) return false;
    }
    return true;
}

static kz__audio_kind kind_of(const unsigned char *head, size_t length) {
    kz__audio_kind kind = {KZ__AUDIO_UNKNOWN, "of no kind that is known here"};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const magic *m = &table[i];
        if (!lies_at(head, length, m->at, m->bytes, m->length)) continue;
        if (!m->then || lies_at(head, length, m->then_at, m->then, strlen(m->then))) {
            return m->kind;
        }
    }
    if (mpeg(head, length, &kind)) return kind;
    if (transport_stream(head, length)) {
        return (kz__audio_kind)FOREIGN("an MPEG transport stream, a video");
    }
    if (lies_at(head, length, 0, "<!", 2) || lies_at(head, length, 0, "<html", 5)) {
        return (kz__audio_kind)OTHER("a web page, which a download may have brought instead");
    }
    if (text(head, length)) return (kz__audio_kind)OTHER("a text");
    return kind;
}

/* A Matroska file says what it is for among its first elements. */
static bool webm(const unsigned char *head, size_t length) {
    for (size_t i = 4; i + 4 <= length && i < 64; i++) {
        if (!memcmp(head + i, "webm", 4)) return true;
    }
    return false;
}

kz__audio_kind kz__audio_kind_of(kz__audio_source *source) {
    unsigned char head[HEAD];
    size_t length = kz__audio_source_read(source, 0, head, sizeof head);
    if (!lies_at(head, length, 0, "ID3", 3) || length < 10) {
        kz__audio_kind kind = kind_of(head, length);
        if (lies_at(head, length, 0, "\x1a\x45\xdf\xa3", 4) && webm(head, length)) {
            kind.name = "a WebM video or sound file";
        }
        return kind;
    }
    /* Tags in front of the sound; their length is in 7 bits of each byte. */
    uint64_t tags = 10;
    for (size_t i = 0; i < 4; i++) tags += (uint64_t)(head[6 + i] & 0x7f) << (21 - 7 * i);
    length = kz__audio_source_read(source, tags, head, sizeof head);
    kz__audio_kind kind = kind_of(head, length);
    /* Padding may follow the tags: the decoder looks further than this. */
    return kind.class == KZ__AUDIO_FOREIGN ? kind : (kz__audio_kind)SOUND("MP3");
}

kz_status kz__audio_kind_refuse(const kz__audio_kind *kind, kz__audio_source *source,
                                kz__err *err) {
    if (kind->class == KZ__AUDIO_FOREIGN) {
        return kz__fail(err, KZ_ERR_INPUT,
                        "'%s' is %s, which is not read here: convert it to WAV first, with: "
                        "ffmpeg -i INPUT recording.wav", source->name, kind->name);
    }
    if (kind->class == KZ__AUDIO_NO_SOUND) {
        return kz__fail(err, KZ_ERR_INPUT, "'%s' is no recording, but %s", source->name,
                        kind->name);
    }
    unsigned char head[8];
    char bytes[3 * sizeof head + 1] = "";
    size_t length = kz__audio_source_read(source, 0, head, sizeof head);
    for (size_t i = 0; i < length; i++) snprintf(bytes + 3 * i, 4, " %02x", head[i]);
    return kz__fail(err, KZ_ERR_INPUT,
                    "'%s' is no sound file of a kind that is known here (its %llu bytes begin with"
                    "%s): WAV, FLAC, Ogg Vorbis, Opus or MP3 is wanted", source->name,
                    (unsigned long long)source->length, bytes);
}
