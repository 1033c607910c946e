/* Ranges of the Unicode blocks; letters that are not in them belong to no script here. */
#include "text/script.h"

#include "text/unicode.h"
#include "text/utf8.h"

static const struct {
    int32_t first, last;
    kz__script script;
} ranges[] = {
    {0x41, 0x24F, KZ__SCRIPT_LATIN},       {0x370, 0x3FF, KZ__SCRIPT_GREEK},
    {0x400, 0x52F, KZ__SCRIPT_CYRILLIC},   {0x590, 0x5FF, KZ__SCRIPT_HEBREW},
    {0x600, 0x77F, KZ__SCRIPT_ARABIC},     {0x900, 0xDFF, KZ__SCRIPT_INDIC},
    {0xE00, 0xE7F, KZ__SCRIPT_THAI},       {0x1100, 0x11FF, KZ__SCRIPT_HANGUL},
    {0x1E00, 0x1EFF, KZ__SCRIPT_LATIN},    {0x1F00, 0x1FFF, KZ__SCRIPT_GREEK},
    {0x3041, 0x30FF, KZ__SCRIPT_KANA},     {0x3130, 0x318F, KZ__SCRIPT_HANGUL},
    {0x3400, 0x9FFF, KZ__SCRIPT_HAN},      {0xAC00, 0xD7A3, KZ__SCRIPT_HANGUL},
    {0xF900, 0xFAFF, KZ__SCRIPT_HAN},      {0xFF66, 0xFF9F, KZ__SCRIPT_KANA},
    {0x20000, 0x3FFFF, KZ__SCRIPT_HAN},
};

static kz__script script_of(int32_t c) {
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        if (c < ranges[i].first) break;
        if (c <= ranges[i].last) return ranges[i].script;
    }
    return KZ__SCRIPT_NONE;
}

kz__script kz__script_of(const char *text, size_t length) {
    size_t counts[KZ__SCRIPTS] = {0};
    for (size_t at = 0; at < length;) {
        int32_t c = 0;
        int bytes = kz__utf8_decode(text + at, length - at, &c);
        if (bytes <= 0) break;
        at += (size_t)bytes;
        if (!(kz__char_class(c) & KZ__LETTER)) continue;
        kz__script script = script_of(c);
        counts[script] += script >= KZ__SCRIPT_HAN ? 3 : 1;
    }
    if (counts[KZ__SCRIPT_KANA]) {
        counts[KZ__SCRIPT_KANA] += counts[KZ__SCRIPT_HAN];
        counts[KZ__SCRIPT_HAN] = 0;
    }
    kz__script most = KZ__SCRIPT_NONE;
    counts[most] = 0;
    for (int s = 1; s < KZ__SCRIPTS; s++) {
        if (counts[s] > counts[most]) most = (kz__script)s;
    }
    return most;
}

const char *kz__script_name(kz__script script) {
    static const char *const names[KZ__SCRIPTS] = {
        [KZ__SCRIPT_NONE] = "no", [KZ__SCRIPT_LATIN] = "Latin", [KZ__SCRIPT_GREEK] = "Greek",
        [KZ__SCRIPT_CYRILLIC] = "Cyrillic", [KZ__SCRIPT_HEBREW] = "Hebrew",
        [KZ__SCRIPT_ARABIC] = "Arabic", [KZ__SCRIPT_INDIC] = "Indic", [KZ__SCRIPT_THAI] = "Thai",
        [KZ__SCRIPT_HAN] = "Chinese", [KZ__SCRIPT_KANA] = "Japanese",
        [KZ__SCRIPT_HANGUL] = "Korean"};
    return names[script];
}
