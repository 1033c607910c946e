/* The control tokens of tokenizer_config.json. */
#include "text/vocab.h"

#include "text/utf8.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

void kz__specials_clear(kz__specials *specials) {
    for (size_t i = 0; i < specials->count; i++) {
        kz__free(specials->mem, specials->list[i].text);
    }
    kz__free(specials->mem, specials->list);
    *specials = (kz__specials){.mem = specials->mem};
}

static int longest_first(const void *a, const void *b) {
    const kz__special *x = a;
    const kz__special *y = b;
    if (x->length != y->length) return x->length < y->length ? 1 : -1;
    int order = memcmp(x->text, y->text, x->length);
    return order ? order : (x->id > y->id) - (x->id < y->id);
}

static bool parse_id(const char *key, int32_t *id) {
    int32_t value = 0;
    if (!*key || strlen(key) > 7) return false;
    for (; *key; key++) {
        if (*key < '0' || *key > '9') return false;
        value = value * 10 + (*key - '0');
    }
    *id = value;
    return value < KZ__TOKEN_LIMIT;
}

static kz_status add(kz__specials *specials, const kz__bpe *bpe, const char *name, const char *key,
                     const json_t *entry, kz__err *err) {
    static const char *const options[] = {"lstrip", "rstrip", "single_word", "normalized"};
    kz__special *special = &specials->list[specials->count];
    const json_t *content = json_object_get(entry, "content");
    size_t length = json_string_length(content);
    if (!parse_id(key, &special->id)) {
        return kz__fail(err, KZ_ERR_MODEL, "%s: \"%.40s\" is no token id", name, key);
    }
    if (!json_is_string(content) || length == 0) {
        return kz__fail(err, KZ_ERR_MODEL, "%s: added token %s has no content", name, key);
    }
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (json_is_true(json_object_get(entry, options[i]))) {
            return kz__fail(err, KZ_ERR_MODEL, "%s: added token %s has %s, which is not supported",
                            name, key, options[i]);
        }
    }
    const char *text = json_string_value(content);
    if ((size_t)special->id < bpe->count && bpe->tokens[special->id].length) {
        kz__bpe_token token = bpe->tokens[special->id];
        if (token.length != length || memcmp(bpe->bytes + token.offset, text, length)) {
            return kz__fail(err, KZ_ERR_MODEL, "%s: added token %s has an id of vocab.json", name,
                            key);
        }
    }
    special->length = length;
    special->text = kz__strndup(specials->mem, text, length);
    if (!special->text) return kz__fail_memory(err);
    specials->count++;
    return KZ_OK;
}

static kz_status check(const kz__specials *specials, const char *name, kz__err *err) {
    for (size_t i = 1; i < specials->count; i++) {
        const kz__special *a = &specials->list[i - 1];
        const kz__special *b = &specials->list[i];
        if (a->length == b->length && !memcmp(a->text, b->text, a->length)) {
            return kz__fail(err, KZ_ERR_MODEL, "%s: \"%.40s\" is added twice (ids %d and %d)", name,
                            a->text, (int)a->id, (int)b->id);
        }
    }
    return KZ_OK;
}

static kz_status read_tokens(kz__specials *specials, const kz__bpe *bpe, const char *name,
                             const json_t *root, kz__err *err) {
    static const char *const options[] = {"add_prefix_space", "add_bos_token", "add_eos_token"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (json_is_true(json_object_get(root, options[i]))) {
            return kz__fail(err, KZ_ERR_MODEL, "%s: %s is not supported", name, options[i]);
        }
    }
    json_t *tokens = json_object_get(root, "added_tokens_decoder");
    if (!json_is_object(tokens) || json_object_size(tokens) == 0) {
        return kz__fail(err, KZ_ERR_MODEL, "%s: added_tokens_decoder is missing", name);
    }
    specials->list = kz__calloc(specials->mem, json_object_size(tokens), sizeof *specials->list);
    if (!specials->list) return kz__fail_memory(err);
    const char *key = NULL;
    json_t *entry = NULL;
    json_object_foreach(tokens, key, entry) {
        kz_status status = add(specials, bpe, name, key, entry, err);
        if (status != KZ_OK) return status;
    }
    qsort(specials->list, specials->count, sizeof *specials->list, longest_first);
    return check(specials, name, err);
}

kz_status kz__specials_parse(kz__specials *specials, const kz__bpe *bpe,
                             const kz__text_file *config, kz__err *err) {
    json_error_t reason;
    json_t *root = json_loadb(config->data, config->size, JSON_REJECT_DUPLICATES, &reason);
    if (!root) {
        return kz__fail(err, KZ_ERR_MODEL, "%s is not JSON: %s (line %d)", config->name,
                        reason.text, reason.line);
    }
    kz_status status = KZ_OK;
    if (json_is_object(root)) {
        status = read_tokens(specials, bpe, config->name, root, err);
    } else {
        status = kz__fail(err, KZ_ERR_MODEL, "%s is no JSON object", config->name);
    }
    json_decref(root);
    return status;
}
