/* Beginnings of the files that people end up with in place of a model file. */
#include "weights/foreign.h"

#include <ctype.h>
#include <string.h>

typedef struct signature {
    const char *begin; /* compared without case where text */
    size_t length;
    const char *phrase;
} signature;

#define HTML_PHRASE "a web page (HTML), not the file itself: the download failed, fetch it again"

static const signature binary[] = {
    {"GGUF", 4, "a GGUF file: Kazeia reads the published safetensors checkpoints"},
    {"PK\x03\x04", 4, "a ZIP or PyTorch archive: Kazeia reads safetensors"},
    {"\x1f\x8b", 2, "a gzip archive: unpack it first"},
};

static const signature text[] = {
    {"version https://git-lfs", 23,
     "a Git LFS pointer, not the file itself: fetch the real one (git lfs pull, or download it)"},
    {"<!doctype", 9, HTML_PHRASE},
    {"<html", 5, HTML_PHRASE},
    {"<head", 5, HTML_PHRASE},
    {"<?xml", 5, "an XML text, not the file itself: the download failed, fetch it again"},
};

static int begins(const unsigned char *bytes, size_t size, const signature *candidate) {
    if (size < candidate->length) return 0;
    for (size_t i = 0; i < candidate->length; i++) {
        if (tolower(bytes[i]) != (unsigned char)candidate->begin[i]) return 0;
    }
    return 1;
}

const char *kz__foreign(const unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++) {
        if (size >= binary[i].length && !memcmp(bytes, binary[i].begin, binary[i].length)) {
            return binary[i].phrase;
        }
    }
    if (size >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3)) {
        bytes += 3;
        size -= 3;
    }
    while (size && (*bytes == ' ' || *bytes == '\n' || *bytes == '\r' || *bytes == '\t')) {
        bytes++;
        size--;
    }
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        if (begins(bytes, size, &text[i])) return text[i].phrase;
    }
    return NULL;
}
