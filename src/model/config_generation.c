/* generation_config.json, and the rule that reads transformers_version. */
#include "model/config_reader.h"

#include "base/path.h"

#include <limits.h>
#include <string.h>

void kz__config_default_generation(kz__config *config) {
    const kz_sampling talker = {0.9, 50, 1.0, 1.05, 0};
    const kz_sampling predictor = {0.9, 50, 1.0, 1.0, 0};
    config->sample_talker = talker;
    config->sample_predictor = predictor;
    config->max_new_tokens = 2048;
}

static void real(kz__reader *reader, const kz__section *top, const char *key, double low,
                 double high, double *value) {
    if (kz__section_has(top, key)) *value = kz__read_real(reader, top, key, low, high);
}

static void count(kz__reader *reader, const kz__section *top, const char *key, int *value) {
    if (kz__section_has(top, key)) *value = (int)kz__read_size(reader, top, key, 0, INT_MAX);
}

/* A key that is absent or null keeps the fallback. */
kz_status kz__config_from_generation(const json_t *root, const char *path, kz__config *config,
                                     kz__err *err) {
    kz__shown shown;
    kz__reader reader = {kz__show_path(&shown, path), err, KZ_OK};
    kz__section top = {root, ""};
    kz_sampling *talker = &config->sample_talker;
    kz_sampling *predictor = &config->sample_predictor;
    kz__config_default_generation(config);
    real(&reader, &top, "temperature", 0, 1000, &talker->temperature);
    count(&reader, &top, "top_k", &talker->top_k);
    real(&reader, &top, "top_p", 0, 1, &talker->top_p);
    real(&reader, &top, "repetition_penalty", 0.01, 100, &talker->repetition_penalty);
    real(&reader, &top, "subtalker_temperature", 0, 1000, &predictor->temperature);
    count(&reader, &top, "subtalker_top_k", &predictor->top_k);
    real(&reader, &top, "subtalker_top_p", 0, 1, &predictor->top_p);
    if (!kz__read_bool(&reader, &top, "do_sample", true)) talker->temperature = 0;
    if (!kz__read_bool(&reader, &top, "subtalker_dosample", true)) predictor->temperature = 0;
    if (kz__section_has(&top, "max_new_tokens")) {
        config->max_new_tokens = kz__read_size(&reader, &top, "max_new_tokens", 1, INT_MAX);
    }
    return reader.status;
}

/* ---- transformers_version ------------------------------------------------------------------ */

/* A version as Python orders it: three numbers, then what follows them (-1: before the release,
 * such as dev, a, rc; 1: after it, such as post or a local part or a fourth number). */
typedef struct version {
    long part[3];
    int rest;
} version;

static bool parse_version(const char *text, version *v) {
    memset(v, 0, sizeof *v);
    if (*text == 'v') text++;
    if (*text < '0' || *text > '9') return false;
    for (int i = 0; *text >= '0' && *text <= '9'; i++) {
        long number = 0;
        for (; *text >= '0' && *text <= '9'; text++) {
            if (number < 1000000) number = number * 10 + (*text - '0');
        }
        if (i < 3) {
            v->part[i] = number;
        } else if (number > 0) {
            v->rest = 1;
        }
        if (*text == '.' && text[1] >= '0' && text[1] <= '9') text++;
    }
    if (v->rest || !*text) return true;
    bool minus = *text == '-';
    if (*text == '.' || *text == '-' || *text == '_') text++;
    bool after = *text == '+' || !strncmp(text, "post", 4) || (*text == 'r' && text[1] != 'c') ||
                 (minus && *text >= '0' && *text <= '9');
    v->rest = after ? 1 : -1;
    return true;
}

static int compare(const version *v, long major, long minor, long patch) {
    const long other[3] = {major, minor, patch};
    for (int i = 0; i < 3; i++) {
        if (v->part[i] != other[i]) return v->part[i] < other[i] ? -1 : 1;
    }
    return v->rest;
}

bool kz__config_swaps_pattern(const char *transformers_version) {
    version v;
    if (!transformers_version || !parse_version(transformers_version, &v)) return true;
    return compare(&v, 4, 57, 2) > 0 && compare(&v, 5, 0, 0) < 0;
}
