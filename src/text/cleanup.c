/* The standing clean-up of a user's text. */
#include "text/cleanup.h"

#include "text/unicode.h"
#include "text/utf8.h"

#define ZWNJ 0x200C
#define ZWJ 0x200D
#define TEXT_STYLE 0xFE0E
#define EMOJI_STYLE 0xFE0F
#define KEYCAP 0x20E3
#define BLACK_FLAG 0x1F3F4
#define VIRAMA_CLASS 9

typedef struct range {
    int32_t first, last;
} range;

/* Invisible marks that no script needs for its reading. */
static const range invisible[] = {
    {0x00AD, 0x00AD},   /* soft hyphen */
    {0x034F, 0x034F},   /* combining grapheme joiner */
    {0x061C, 0x061C},   /* Arabic letter mark */
    {0x200B, 0x200B},   /* zero-width space */
    {0x200E, 0x200F},   /* left-to-right, right-to-left mark */
    {0x202A, 0x202E},   /* direction embeddings and overrides */
    {0x2060, 0x206F},   /* word joiner, invisible operators, isolates, deprecated controls */
    {0xFE00, 0xFE0D},   /* variation selectors 1 to 14 */
    {0xFEFF, 0xFEFF},   /* byte-order mark, zero-width no-break space */
    {0xFFF9, 0xFFFB},   /* interlinear annotation */
    {0xE0000, 0xE001F}, /* language tag */
    {0xE0080, 0xE0FFF}, /* variation selectors 17 to 256, and what is reserved for such */
};

/* Scripts in which joiners change how letters are shaped or read. */
static const range joining[] = {
    {0x0600, 0x08FF},   /* Arabic, Syriac, Thaana, N'Ko, Samaritan, Mandaic */
    {0x0900, 0x0DFF},   /* Devanagari to Sinhala */
    {0x1000, 0x109F},   /* Myanmar */
    {0x1780, 0x18AF},   /* Khmer, Mongolian */
    {0x1A20, 0x1AAF},   /* Tai Tham */
    {0x1B00, 0x1C4F},   /* Balinese to Lepcha */
    {0x1CD0, 0x1CFF},   /* Vedic */
    {0xA800, 0xA8FF},   /* Syloti Nagri, Phags-pa, Saurashtra, Devanagari */
    {0xA980, 0xA9FF},   /* Javanese, Myanmar */
    {0xAA60, 0xAAFF},   /* Myanmar, Tai Viet, Meetei Mayek */
    {0xABC0, 0xABFF},   /* Meetei Mayek */
    {0xFB50, 0xFDFF},   /* Arabic forms */
    {0xFE70, 0xFEFC},   /* Arabic forms */
    {0x10A00, 0x10A5F}, /* Kharoshthi */
    {0x10AC0, 0x10AFF}, /* Manichaean */
    {0x10D00, 0x10D3F}, /* Hanifi Rohingya */
    {0x10F30, 0x10FDF}, /* Sogdian, Old Uyghur, Chorasmian */
    {0x11000, 0x11FFF}, /* Brahmi and the Indic scripts behind it */
    {0x1E900, 0x1E95F}, /* Adlam */
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

static bool in(const range *table, size_t count, int32_t c) {
    for (size_t i = 0; i < count && c >= table[i].first; i++) {
        if (c <= table[i].last) return true;
    }
    return false;
}

/* Letters and marks (both are upper or lower in the second pattern's sense) of such a script. */
static bool joins(int32_t c) {
    return in(joining, COUNT(joining), c) && (kz__char_class(c) & (KZ__UPPER | KZ__LOWER));
}

static bool tag(int32_t c) {
    return c >= 0xE0020 && c <= 0xE007F;
}

static bool ends_emoji(int32_t c) {
    return c == EMOJI_STYLE || tag(c) || (c >= 0x1F3FB && c <= 0x1F3FF) || kz__char_pictographic(c);
}

void kz__cleanup_init(kz__cleanup *cleanup, kz__mem *mem) {
    *cleanup = (kz__cleanup){0};
    kz__ints_init(&cleanup->blanks, mem);
}

void kz__cleanup_clear(kz__cleanup *cleanup) {
    kz__ints_clear(&cleanup->blanks);
}

int32_t kz__cleanup_held(const kz__cleanup *cleanup) {
    return cleanup->blanks.count ? cleanup->blanks.data[0] : 0;
}

static int32_t plain_space(int32_t c) {
    if (c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029) return '\n';
    return c > 0x20 && kz__char_white(c) ? ' ' : c;
}

typedef enum verdict { KEEP, DROP, WAIT } verdict;

/* About a character that is not white, from what stands in front of it. */
static verdict judge(int32_t previous, int32_t c) {
    if (c < 0xAD) return KEEP;
    if (in(invisible, COUNT(invisible), c)) return DROP;
    if (c == ZWNJ || c == ZWJ) {
        if (joins(previous)) return kz__char_combining(previous) == VIRAMA_CLASS ? KEEP : WAIT;
        return c == ZWJ && previous && ends_emoji(previous) ? WAIT : DROP;
    }
    if (c == TEXT_STYLE || c == EMOJI_STYLE) {
        if (previous && kz__char_pictographic(previous)) return KEEP;
        bool key = (previous >= '0' && previous <= '9') || previous == '#' || previous == '*';
        return key ? WAIT : DROP;
    }
    if (tag(c)) return previous == BLACK_FLAG || tag(previous) ? KEEP : DROP;
    return KEEP;
}

/* Whether a mark that waited stays in front of next. */
static bool stays(int32_t previous, int32_t waiting, int32_t next) {
    if (waiting == TEXT_STYLE || waiting == EMOJI_STYLE) return next == KEYCAP;
    return joins(previous) ? joins(next) : kz__char_pictographic(next);
}

bool kz__cleanup_push(kz__cleanup *cleanup, int32_t c, kz__ints *out) {
    bool second_half = cleanup->cr && c == '\n';
    cleanup->cr = c == '\r';
    if (second_half) return true;
    c = plain_space(c);
    bool white = kz__char_white(c);
    verdict word = white ? KEEP : judge(cleanup->previous, c);
    if (word == DROP || (word == WAIT && cleanup->waiting)) return true;
    if (word == WAIT) {
        cleanup->waiting = c;
        return true;
    }
    if (cleanup->waiting && stays(cleanup->previous, cleanup->waiting, c)) {
        if (!kz__ints_push(out, cleanup->waiting)) return false;
    }
    cleanup->waiting = 0;
    cleanup->previous = c;
    if (white) return !cleanup->begun || kz__ints_push(&cleanup->blanks, c);
    for (size_t i = 0; i < cleanup->blanks.count; i++) {
        if (!kz__ints_push(out, cleanup->blanks.data[i])) return false;
    }
    cleanup->blanks.count = 0;
    cleanup->begun = true;
    return kz__ints_push(out, c);
}

static kz_status clean(kz__cleanup *cleanup, const char *text, size_t length, char *out,
                       size_t *out_length, kz__ints *some, kz__err *err) {
    size_t at = 0;
    while (at < length) {
        int32_t c = 0;
        int size = kz__utf8_decode(text + at, length - at, &c);
        if (size <= 0 || c == 0) return kz__utf8_fail(text[at], at, err);
        at += (size_t)size;
        some->count = 0;
        if (!kz__cleanup_push(cleanup, c, some)) return kz__fail_memory(err);
        for (size_t i = 0; i < some->count; i++) {
            char bytes[KZ__UTF8_MAX];
            size_t count = kz__utf8_encode(some->data[i], bytes);
            for (size_t k = 0; k < count; k++) {
                out[(*out_length)++] = bytes[k];
            }
        }
    }
    out[*out_length] = 0;
    if (*out_length == 0) {
        return kz__fail(err, KZ_ERR_INPUT, "the text is %s", length == 0 ? "empty" : "blank");
    }
    return KZ_OK;
}

kz_status kz__cleanup_text(kz__mem *mem, const char *text, size_t length, char **out,
                           size_t *out_length, kz__err *err) {
    kz__cleanup cleanup;
    kz__ints some;
    kz_status status = KZ_ERR_MEMORY;
    kz__cleanup_init(&cleanup, mem);
    kz__ints_init(&some, mem);
    *out_length = 0;
    *out = kz__alloc(mem, length < SIZE_MAX ? length + 1 : length); /* it never gets longer */
    if (*out) {
        status = clean(&cleanup, text, length, *out, out_length, &some, err);
    } else {
        status = kz__fail_memory(err);
    }
    if (status != KZ_OK) {
        kz__free(mem, *out);
        *out = NULL;
        *out_length = 0;
    }
    kz__cleanup_clear(&cleanup);
    kz__ints_clear(&some);
    return status;
}
