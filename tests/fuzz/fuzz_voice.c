/* Fuzz target: a saved voice, whose length and checksum are made right first, so that what lies
 * behind them is reached. What is accepted is as its facts say, comes back through its bytes and
 * takes another name.
 */
#include "harness/voice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds) {
    if (!holds) abort();
}

static void check_text(const char *text, size_t most) {
    need(text && strlen(text) <= most);
}

static void check(const kz_voice *v) {
    kz_voice_info i = {.size = sizeof i};
    size_t count = 0;
    need(kz_voice_get_info(v, &i) == KZ_OK);
    const float *vector = kz_voice_vector(v, &count);
    need(count > 0 && count == (size_t)i.vector_length);
    for (size_t k = 0; k < count; k++) need(isfinite(vector[k]));
    const int32_t *codes = kz_voice_codes(v, &count);
    need(count == i.frames && !codes == !count && !i.transcript[0] == !count);
    for (size_t k = 0; k < count * (size_t)i.codes_per_frame; k++) {
        need(codes[k] >= 0 && codes[k] < i.codebook_size);
    }
    check_text(i.name, KZ_VOICE_NAME_MOST);
    check_text(i.language, KZ__VOICE_LANGUAGE);
    check_text(i.transcript, KZ__VOICE_TRANSCRIPT);
    check_text(i.consent, KZ__VOICE_CONSENT);
    check_text(i.made_with, KZ__VOICE_LABEL);
    check_text(i.version, KZ__VOICE_LABEL);
}

static void take_another_name(const kz_voice *v) {
    kz_voice *renamed = NULL;
    kz_voice_info before = {.size = sizeof before};
    kz_voice_info after = {.size = sizeof after};
    need(kz_voice_rename(v, "another", &renamed, NULL, 0) == KZ_OK || v->length > 4000000);
    if (!renamed) return;
    kz_voice_get_info(v, &before);
    kz_voice_get_info(renamed, &after);
    need(!strcmp(after.name, "another") && before.checksum == after.checksum);
    check(renamed);
    kz_voice_free(renamed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    unsigned char *bytes = malloc(size + 1);
    kz_voice *voice = NULL;
    char error[512] = "";
    if (!bytes) return 0;
    memcpy(bytes, data, size);
    kzt_voice_seal(bytes, size);
    kz_status status = kz_voice_load_memory(bytes, size, NULL, &voice, error, sizeof error);
    need((status == KZ_OK) == (voice != NULL));
    if (voice) {
        check(voice);
        take_another_name(voice);
    } else {
        need(status == KZ_ERR_INPUT && error[0]);
    }
    kz_voice_free(voice);
    free(bytes);
    return 0;
}
