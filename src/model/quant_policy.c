/* The table. Measured by bench/bench_quality.c. */
#include "model/quant_policy.h"

static const struct {
    const char *name;
    kz__dtype q8, q4;
} parts[KZ__PARTS] = {
    [KZ__TALKER_QKV] = {"talker qkv", KZ__Q8, KZ__Q4},
    [KZ__TALKER_O] = {"talker o", KZ__Q8, KZ__Q4},
    [KZ__TALKER_GATE_UP] = {"talker gate/up", KZ__Q8, KZ__Q4},
    [KZ__TALKER_DOWN] = {"talker down", KZ__Q8, KZ__Q4},
    [KZ__TALKER_HEAD] = {"talker head", KZ__Q8, KZ__Q8},
    [KZ__TEXT_PROJECTION] = {"text projection", KZ__Q8, KZ__Q8},
    [KZ__PREDICTOR_QKV] = {"predictor qkv", KZ__Q8, KZ__Q4},
    [KZ__PREDICTOR_O] = {"predictor o", KZ__Q8, KZ__Q4},
    [KZ__PREDICTOR_GATE_UP] = {"predictor gate/up", KZ__Q8, KZ__Q4},
    [KZ__PREDICTOR_DOWN] = {"predictor down", KZ__Q8, KZ__Q4},
    [KZ__PREDICTOR_HEADS] = {"predictor heads", KZ__Q8, KZ__Q8},
    [KZ__PREDICTOR_INPUT] = {"predictor input", KZ__Q8, KZ__Q8},
};

kz__policy kz__policy_of(kz_type format) {
    kz__policy policy = {{KZ__OTHER}, KZ__OTHER};
    if (format == KZ_TYPE_F32) policy.rows = KZ__F32;
    if (format == KZ_TYPE_BF16) policy.rows = KZ__BF16;
    for (int p = 0; p < KZ__PARTS; p++) {
        policy.type[p] = format == KZ_TYPE_Q8   ? parts[p].q8
                         : format == KZ_TYPE_Q4 ? parts[p].q4
                                                : policy.rows;
    }
    return policy;
}

const char *kz__part_name(kz__part part) {
    return parts[part].name;
}
