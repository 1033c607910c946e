/* Opening and running the codec encoder in tests. */
#include "harness/encoder.h"

#include "harness/golden.h"
#include "harness/tests.h"

#include <stdlib.h>

void kzt_encoder_open(kzt_encoder *e, const char *checkpoint, int threads, kz__level level) {
    kz__err err = {""};
    memset(e, 0, sizeof *e);
    e->model = kzt_open(checkpoint, NULL);
    assert_int_equal(kz__mem_init(&e->mem, NULL, &err), KZ_OK);
    kz_status status = kz__model_load_encoder(e->model, &e->mem, &e->encoder, &err);
    if (status) fail_msg("%s: %s", checkpoint, err.text);
    assert_int_equal(kz__pool_create(&e->mem, threads, &e->pool, &err), KZ_OK);
    status = kz__encoder_state_create(&e->mem, &e->encoder, threads, &e->state, &err);
    if (status) fail_msg("%s: %s", checkpoint, err.text);
    kz__kernels_fill(&e->kernels, level);
    e->run = (kz__run){&e->kernels, e->pool, NULL};
}

void kzt_encoder_close(kzt_encoder *e) {
    kz__encoder_state_free(e->state);
    kz__codec_encoder_clear(&e->mem, &e->encoder);
    kz__pool_destroy(e->pool);
    assert_int_equal(atomic_load(&e->mem.current), 0);
    kz_model_free(e->model);
}

int32_t *kzt_encode(kzt_encoder *e, const float *samples, size_t count, size_t chunk,
                    size_t *frames) {
    const kz__encoder_config *c = e->encoder.config;
    size_t all = kz__codec_encoder_frames(c, count);
    int32_t *codes = calloc(all * c->quantizers + 1, sizeof *codes);
    kz__err err = {""};
    kz_status status = KZ_OK;
    assert_non_null(codes);
    *frames = 0;
    kz__encoder_state_reset(e->state);
    for (size_t at = 0; !status && at < count;) {
        size_t now = chunk && chunk < count - at ? chunk : count - at;
        size_t made = 0;
        status = kz__codec_encoder_push(&e->run, e->state, samples + at, now,
                                        codes + *frames * c->quantizers, &made, &err);
        at += now;
        *frames += made;
        if (!status) assert_int_equal(*frames, at / c->samples_per_frame);
    }
    size_t made = 0;
    if (!status) {
        status = kz__codec_encoder_finish(&e->run, e->state, codes + *frames * c->quantizers, &made,
                                          &err);
    }
    if (status) fail_msg("encoding %zu samples: %s", count, err.text);
    *frames += made;
    assert_int_equal(*frames, all);
    return codes;
}
