/* Rows of the prompt. */
#include "model/prompt.h"

#include <string.h>

typedef struct builder {
    kz__prompt *prompt;
    const kz__config *config;
} builder;

static void add(const builder *b, int32_t text, int32_t codec, const char *role) {
    kz_prompt_row *row = &b->prompt->rows[b->prompt->count++];
    row->text_id = text;
    row->codec_id = codec;
    row->role = role;
}

static void add_header(const builder *b, const kz__prompt_parts *p) {
    const kz__config *c = b->config;
    for (size_t i = 0; i < p->instruct_count; i++) {
        add(b, p->instruct[i], KZ__ROW_NONE, "instruct");
    }
    for (size_t i = 0; i < 3; i++) add(b, p->role[i], KZ__ROW_NONE, "role");
    if (p->language < 0) {
        add(b, c->tts_pad, c->nothink, "tag");
        add(b, c->tts_pad, c->think_bos, "tag");
    } else {
        add(b, c->tts_pad, c->think, "tag");
        add(b, c->tts_pad, c->think_bos, "tag");
        add(b, c->tts_pad, p->language, "language");
    }
    add(b, c->tts_pad, c->think_eos, "tag");
    if (p->speaker != KZ__ROW_NONE) add(b, c->tts_pad, p->speaker, "speaker");
    add(b, c->tts_bos, c->codec_pad, "bos");
}

/* A: one text id in the prompt, the rest comes a row per frame. */
static void body_live(const builder *b, const kz__prompt_parts *p) {
    const kz__config *c = b->config;
    if (p->text_count) {
        add(b, p->text[0], c->codec_bos, "text");
        b->prompt->text_used = 1;
    } else {
        /* what follows an empty text in the wrapped string */
        add(b, c->im_end, c->codec_bos, "text");
    }
}

/* B: all text ids in the prompt. */
static void body_whole(const builder *b, const kz__prompt_parts *p) {
    const kz__config *c = b->config;
    for (size_t i = 0; i < p->text_count; i++) add(b, p->text[i], c->codec_pad, "text");
    add(b, c->tts_eos, c->codec_pad, "eos");
    add(b, c->tts_pad, c->codec_bos, "bos");
    b->prompt->text_used = p->text_count;
    b->prompt->eos_used = true;
}

/* The i-th of the text ids, end of text; tts_pad after that. */
static int32_t text_at(const builder *b, const kz__prompt_parts *p, size_t i) {
    if (i < p->text_count) return p->text[i];
    return i == p->text_count ? b->config->tts_eos : b->config->tts_pad;
}

/* C: text and reference frames side by side. */
static void body_reference_live(const builder *b, const kz__prompt_parts *p) {
    size_t frames = p->reference_frames + 1;
    for (size_t i = 0; i < frames; i++) {
        add(b, text_at(b, p, i), i == 0 ? b->config->codec_bos : KZ__ROW_REFERENCE,
            i == 0 ? "bos" : "reference");
    }
    b->prompt->eos_used = frames > p->text_count;
    b->prompt->text_used = frames < p->text_count ? frames : p->text_count;
}

/* D: text first, then the reference frames. */
static void body_reference_whole(const builder *b, const kz__prompt_parts *p) {
    const kz__config *c = b->config;
    size_t texts = p->text_count + 1;
    for (size_t i = 0; i < texts; i++) add(b, text_at(b, p, i), c->codec_pad, "text");
    add(b, c->tts_pad, c->codec_bos, "bos");
    for (size_t i = 0; i < p->reference_frames; i++) {
        add(b, c->tts_pad, KZ__ROW_REFERENCE, "reference");
    }
    b->prompt->text_used = p->text_count;
    b->prompt->eos_used = true;
}

size_t kz__prompt_text_needed(const kz__prompt_parts *p) {
    if (!p->live) return SIZE_MAX;
    return p->reference_frames + 1;
}

kz_status kz__prompt_build(kz__mem *mem, const kz__config *config, const kz__prompt_parts *p,
                           kz__prompt *prompt, kz__err *err) {
    memset(prompt, 0, sizeof *prompt);
    size_t most = 16 + p->instruct_count + p->text_count + p->reference_frames;
    prompt->rows = kz__calloc(mem, most, sizeof *prompt->rows);
    if (!prompt->rows) return kz__fail_memory(err);
    builder b = {prompt, config};
    add_header(&b, p);
    size_t header = prompt->count;
    if (p->reference_frames) {
        if (p->live) {
            body_reference_live(&b, p);
        } else {
            body_reference_whole(&b, p);
        }
    } else if (p->live) {
        body_live(&b, p);
    } else {
        body_whole(&b, p);
    }
    /* cppcheck-suppress duplicateExpression; the builder has added rows */
    size_t body = prompt->count - header;
    prompt->fixed = header + (body < p->transcript_count ? body : p->transcript_count);
    return KZ_OK;
}

void kz__prompt_clear(kz__mem *mem, kz__prompt *prompt) {
    kz__free(mem, prompt->rows);
    memset(prompt, 0, sizeof *prompt);
}
