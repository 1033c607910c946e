/* Calls on sound that is there already. */
#include "audio/pcm.h"
#include "kazeia.h"

kz_status kz_int16(const float *samples, size_t count, int16_t *out) {
    if (count && (!samples || !out)) return KZ_ERR_USAGE;
    for (size_t i = 0; i < count; i++) out[i] = kz__pcm_i16(samples[i]);
    return KZ_OK;
}
