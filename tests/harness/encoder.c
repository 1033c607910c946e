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

/* Of 16 bits, -32768 to 32767. */
static int64_t triangle(int64_t x) {
    x &= 0xffff;
    return x < 32768 ? 2 * x - 32768 : 98303 - 2 * x;
}

/* Divided by 2^bits and rounded down. */
static int64_t shifted(int64_t x, int bits) {
    int64_t by = (int64_t)1 << bits;
    return (x - ((x % by + by) % by)) / by;
}

static int64_t noise_at(uint64_t i) {
    uint32_t z = (uint32_t)i * 0x9e3779b1u;
    z = (z ^ (z >> 15)) * 0x85ebca77u;
    z = (z ^ (z >> 13)) * 0xc2b2ae3du;
    return (int64_t)((z ^ (z >> 16)) >> 16) - 32768;
}

float *kzt_clip(size_t samples, uint64_t seed) {
    float *x = malloc((samples + 1) * sizeof *x);
    assert_non_null(x);
    int64_t phase = 0;
    for (size_t i = 0; i < samples; i++) {
        int64_t n = (int64_t)i;
        int64_t loud = 32768 + triangle(n * 11 + (int64_t)seed * 9000);
        phase += 400 + 60 * (int64_t)seed + 2 * shifted(triangle(n * 5), 8);
        int64_t value = shifted(triangle(phase) * loud, 18) +
                        shifted(noise_at(i + seed * 7919) * (65535 - loud), 20);
        x[i] = (float)value / 32768.0f;
    }
    return x;
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
