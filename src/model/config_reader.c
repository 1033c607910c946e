/* Reads with ranges, and the block of keys that all transformer stacks share. */
#include "model/config_reader.h"

#include "base/path.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Limits far above any known model. With those of the other files they keep every product that a
 * tensor or a cache needs (vocabulary * width, width * width * kernel, layers * heads * head_dim *
 * positions) under 2^48 elements; no build with a narrower size_t is offered. */
_Static_assert(SIZE_MAX / 64 >= (uint64_t)1 << 48, "sizes of a model need 64 bits");
enum {
    MAX_WIDTH = 65536,
    MAX_LAYERS = 512,
    MAX_HEADS = 1024,
    MAX_HEAD_DIM = 1024
};

void kz__reader_fail(kz__reader *reader, const char *format, ...) {
    if (reader->status != KZ_OK) return;
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    reader->status = kz__fail(reader->err, KZ_ERR_MODEL, "'%s': %s", reader->file, text);
}

/* What a value is, for "is ...". */
static const char *describe(const json_t *value, char text[128]) {
    kz__shown shown;
    if (!value) return "missing";
    switch (json_typeof(value)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "a list";
    case JSON_TRUE: return "true";
    case JSON_FALSE: return "false";
    case JSON_NULL: return "null";
    case JSON_INTEGER:
        snprintf(text, 128, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        return text;
    case JSON_REAL: snprintf(text, 128, "%g", json_real_value(value)); return text;
    case JSON_STRING: break;
    }
    snprintf(text, 128, "'%s'", kz__show_name(&shown, json_string_value(value)));
    return text;
}

static const json_t *get(const kz__reader *reader, const kz__section *section, const char *key) {
    return reader->status == KZ_OK ? json_object_get(section->object, key) : NULL;
}

/* "FILE: LABELKEY is GOT, WANTED" */
static void fail_value(kz__reader *reader, const kz__section *section, const char *key,
                       const json_t *value, const char *wanted) {
    char text[128];
    kz__reader_fail(reader, "%s%s is %s, %s", section->label, key, describe(value, text), wanted);
}

bool kz__section_has(const kz__section *section, const char *key) {
    const json_t *value = json_object_get(section->object, key);
    return value && !json_is_null(value);
}

kz__section kz__read_section(kz__reader *reader, const kz__section *parent, const char *key,
                             const char *label) {
    const json_t *value = get(reader, parent, key);
    if (!json_is_object(value)) fail_value(reader, parent, key, value, "an object is needed");
    kz__section section = {value, label};
    return section;
}

/* Whole numbers may be written as reals: 10000.0. */
static bool whole(const json_t *value, double *number) {
    if (!json_is_number(value)) return false;
    *number = json_number_value(value);
    if (!(*number > -9007199254740992.0 && *number < 9007199254740992.0)) return false;
    return (double)(int64_t)*number == *number;
}

static size_t check_size(kz__reader *reader, const kz__section *section, const char *key,
                         const json_t *value, size_t low, size_t high) {
    double number = 0;
    if (whole(value, &number) && number >= (double)low && number <= (double)high) {
        return (size_t)number;
    }
    char wanted[96];
    snprintf(wanted, sizeof wanted, "a whole number from %zu to %zu is needed", low, high);
    fail_value(reader, section, key, value, wanted);
    return low;
}

size_t kz__read_size(kz__reader *reader, const kz__section *section, const char *key, size_t low,
                     size_t high) {
    if (reader->status != KZ_OK) return low;
    return check_size(reader, section, key, get(reader, section, key), low, high);
}

double kz__read_real(kz__reader *reader, const kz__section *section, const char *key, double low,
                     double high) {
    const json_t *value = get(reader, section, key);
    if (reader->status != KZ_OK) return low;
    double number = json_is_number(value) ? json_number_value(value) : low - 1;
    if (number >= low && number <= high) return number;
    char wanted[96];
    snprintf(wanted, sizeof wanted, "a number from %g to %g is needed", low, high);
    fail_value(reader, section, key, value, wanted);
    return low;
}

bool kz__read_bool(kz__reader *reader, const kz__section *section, const char *key, bool absent) {
    const json_t *value = get(reader, section, key);
    if (!value || json_is_null(value)) return absent;
    if (!json_is_boolean(value)) fail_value(reader, section, key, value, "true or false is needed");
    return json_is_true(value);
}

const char *kz__read_string(kz__reader *reader, const kz__section *section, const char *key,
                            const char *absent) {
    const json_t *value = get(reader, section, key);
    if (reader->status != KZ_OK) return "";
    if (absent && (!value || json_is_null(value))) return absent;
    if (json_is_string(value)) return json_string_value(value);
    fail_value(reader, section, key, value, "a string is needed");
    return "";
}

size_t kz__read_sizes(kz__reader *reader, const kz__section *section, const char *key,
                      size_t capacity, size_t low, size_t high, size_t *sizes) {
    const json_t *value = get(reader, section, key);
    if (reader->status != KZ_OK) return 0;
    size_t count = json_array_size(value);
    if (!json_is_array(value)) {
        fail_value(reader, section, key, value, "a list of whole numbers is needed");
        return 0;
    }
    if (count < 1 || count > capacity) {
        kz__reader_fail(reader, "%s%s has %zu numbers, 1 to %zu are allowed", section->label, key,
                        count, capacity);
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        sizes[i] = check_size(reader, section, key, json_array_get(value, i), low, high);
    }
    return count;
}

void kz__need_string(kz__reader *reader, const kz__section *section, const char *key,
                     const char *wanted) {
    const char *got = kz__read_string(reader, section, key, wanted);
    if (!strcmp(got, wanted)) return;
    kz__shown shown;
    kz__reader_fail(reader, "%s%s is '%s', only '%s' is supported", section->label, key,
                    kz__show_name(&shown, got), wanted);
}

void kz__read_stack(kz__reader *reader, const kz__section *section, kz__stack_config *stack) {
    stack->width = kz__read_size(reader, section, "hidden_size", 1, MAX_WIDTH);
    stack->intermediate = kz__read_size(reader, section, "intermediate_size", 1, MAX_WIDTH);
    stack->layers = kz__read_size(reader, section, "num_hidden_layers", 1, MAX_LAYERS);
    stack->heads = kz__read_size(reader, section, "num_attention_heads", 1, MAX_HEADS);
    stack->kv_heads = kz__read_size(reader, section, "num_key_value_heads", 1, MAX_HEADS);
    stack->head_dim = kz__read_size(reader, section, "head_dim", 2, MAX_HEAD_DIM);
    const char *eps = stack->plain ? "norm_eps" : "rms_norm_eps";
    stack->norm_eps = (float)kz__read_real(reader, section, eps, 1e-12, 0.1);
    stack->rope_theta = kz__read_real(reader, section, "rope_theta", 1.0, 1e12);
    kz__need_string(reader, section, "hidden_act", stack->plain ? "gelu" : "silu");
    if (kz__read_bool(reader, section, "attention_bias", false)) {
        kz__reader_fail(reader, "%sattention_bias is true, which is not supported", section->label);
    }
    if (reader->status != KZ_OK) return;
    if (stack->heads % stack->kv_heads) {
        kz__reader_fail(reader,
                        "%snum_attention_heads is %zu, no multiple of num_key_value_heads %zu",
                        section->label, stack->heads, stack->kv_heads);
    }
    if (stack->head_dim % 2) {
        kz__reader_fail(reader, "%shead_dim is %zu, an even number is needed", section->label,
                        stack->head_dim);
    }
    if (stack->heads * stack->head_dim > MAX_WIDTH) {
        kz__reader_fail(reader, "%snum_attention_heads * head_dim is %zu, at most %d is allowed",
                        section->label, stack->heads * stack->head_dim, MAX_WIDTH);
    }
}
