/* Data on standard output, JSON, escaping, and what the system tells about this process. */
#include "cli/cli.h"

#include "base/out_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

bool kz__page_open(kz__page *page) {
    memset(page, 0, sizeof *page);
    page->file = open_memstream(&page->bytes, &page->length);
    return page->file != NULL;
}

void kz__page_drop(kz__page *page) {
    fclose(page->file);
    free(page->bytes);
}

static kz_status write_standard(kz__cli *cli, const char *bytes, size_t length, kz__err *err) {
    kz__out out;
    kz_status status = kz__out_open(&out, &cli->mem, "-", err);
    if (status == KZ_OK) status = kz__out_write(&out, bytes, length, err);
    if (status != KZ_OK && out.closed) status = KZ_OK;
    kz__out_discard(&out);
    return status;
}

int kz__page_close(kz__cli *cli, kz__page *page, bool to_error) {
    kz__err err = {""};
    bool whole = !ferror(page->file);
    whole = fclose(page->file) == 0 && whole;
    kz_status status = whole ? KZ_OK : KZ_ERR_MEMORY;
    if (whole && to_error) {
        fwrite(page->bytes, 1, page->length, stderr);
    } else if (whole) {
        status = write_standard(cli, page->bytes, page->length, &err);
    }
    free(page->bytes);
    return status == KZ_OK ? KZ__EXIT_DONE : kz__cli_status(cli, status, &err);
}

int kz__cli_json(kz__cli *cli, json_t *root, bool to_error) {
    kz__page page;
    char *text = root ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(root);
    if (!text || !kz__page_open(&page)) {
        free(text);
        return kz__cli_status(cli, KZ_ERR_MEMORY, NULL);
    }
    fprintf(page.file, "%s\n", text);
    free(text);
    return kz__page_close(cli, &page, to_error);
}

json_t *kz__json_unsigned(uint64_t value) {
    if (value <= INT64_MAX) return json_integer((json_int_t)value);
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return json_string(text);
}

/* ---- escaping ----------------------------------------------------------------------------- */

/* Length of the UTF-8 character at text, 0 where there is none or it is a control character. */
static size_t printable(const unsigned char *text, size_t left) {
    unsigned char c = text[0];
    if (c < 0x80) return c >= 0x20 && c != 0x7f;
    size_t need = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
    if (c < 0xc2 || c > 0xf4 || need > left) return 0;
    for (size_t i = 1; i < need; i++) {
        if ((text[i] & 0xc0) != 0x80) return 0;
    }
    bool overlong = (c == 0xe0 && text[1] < 0xa0) || (c == 0xf0 && text[1] < 0x90);
    bool outside = (c == 0xed && text[1] >= 0xa0) || (c == 0xf4 && text[1] >= 0x90);
    bool control = c == 0xc2 && text[1] < 0xa0;
    return overlong || outside || control ? 0 : need;
}

char *kz__cli_escape(kz__mem *mem, const char *bytes, size_t length, bool exact) {
    const unsigned char *in = (const unsigned char *)bytes;
    size_t capacity = 0;
    if (!kz__mul(length, 4, &capacity)) return NULL;
    char *out = kz__alloc(mem, capacity + 1);
    if (!out) return NULL;
    size_t used = 0;
    for (size_t i = 0; i < length;) {
        size_t whole = printable(in + i, length - i);
        if (whole == 0 || (exact && in[i] == '\\')) {
            const char *name = in[i] == '\n' ? "\\n" : in[i] == '\t' ? "\\t" : "\\\\";
            bool named = in[i] == '\n' || in[i] == '\t' || in[i] == '\\';
            used += (size_t)(named ? snprintf(out + used, 5, "%s", name)
                                   : snprintf(out + used, 5, "\\x%02X", in[i]));
            i++;
            continue;
        }
        memcpy(out + used, in + i, whole);
        used += whole;
        i += whole;
    }
    out[used] = 0;
    return out;
}

/* ---- this process ------------------------------------------------------------------------- */

double kz__clock_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

kz__memory kz__cli_memory(void) {
    kz__memory memory = {0, 0, 0, 0};
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0) memory.peak = (uint64_t)usage.ru_maxrss * 1024;
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    while (status && fgets(line, sizeof line, status)) {
        unsigned long long kib = 0;
        if (sscanf(line, "VmHWM: %llu", &kib) == 1) memory.peak = kib * 1024;
        if (sscanf(line, "VmRSS: %llu", &kib) == 1) memory.resident = kib * 1024;
        if (sscanf(line, "RssAnon: %llu", &kib) == 1) memory.private_bytes = kib * 1024;
    }
    if (status) fclose(status);
    if (memory.resident > memory.private_bytes) {
        memory.shared = memory.resident - memory.private_bytes;
    }
    return memory;
}

void kz__cli_memory_reset(void) {
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (!file) return;
    fputs("5\n", file);
    fclose(file);
}
