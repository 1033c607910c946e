/* The codec encoder is loaded for each recording, has an account of memory and a pool of its own,
 * and leaves nothing behind. */
#include "engine/encode.h"

#include "base/fpenv.h"
#include "base/pool.h"
#include "base/sized.h"

kz_status kz__recording_check(const kz_model *m, size_t count, int sample_rate, kz__err *err) {
    size_t wanted = m->has_codec ? m->config.codec.sample_rate
                                 : m->config.speaker_encoder.sample_rate;
    if (wanted && (sample_rate < 0 || (size_t)sample_rate != wanted)) {
        return kz__fail(err, KZ_ERR_INPUT,
                        "the recording has %d samples a second, the model takes %zu: resample it",
                        sample_rate, wanted);
    }
    return count ? KZ_OK : kz__fail(err, KZ_ERR_INPUT, "the recording has no samples");
}

kz_status kz__encoding_begin(kz__encoding *e, const kz_model *model, const float *samples,
                             size_t count, size_t silence, kz__err *err) {
    const kz__encoder_config *c = &model->config.codec.encoder;
    size_t all = 0;
    memset(e, 0, sizeof *e);
    e->model = model;
    e->samples = samples;
    e->count = count;
    e->silence = silence;
    kz__mem_init_like(&e->mem, &model->mem);
    kz__fpenv saved = kz__fpenv_set();
    kz_status status = kz__model_load_encoder(model, &e->mem, &e->encoder, err);
    kz__fpenv_restore(saved);
    if (status) return status;
    if (!kz__add(count, silence, &all)) return kz__fail_memory(err);
    e->frames = kz__codec_encoder_frames(c, all);
    return kz__codec_encoder_check(c, all, err);
}

kz_status kz__encoding_run(kz__encoding *e, int threads, kz__encoder_watch *watch, void *user,
                           int32_t *codes, kz__err *err) {
    kz__run run = {&e->model->kernels, NULL, NULL};
    kz__encoder_state *state = NULL;
    kz_status status = kz__pool_create(&e->mem, threads, &run.pool, err);
    if (status) return status;
    kz__fpenv saved = kz__fpenv_set();
    status = kz__encoder_state_create(&e->mem, &e->encoder, threads, &state, err);
    if (!status) {
        status = kz__codec_encode(&run, state, e->samples, e->count, e->silence, watch, user,
                                  codes, err);
    }
    kz__fpenv_restore(saved);
    kz__encoder_state_free(state);
    kz__pool_destroy(run.pool);
    return status;
}

void kz__encoding_end(kz__encoding *e) {
    kz__codec_encoder_clear(&e->mem, &e->encoder);
}

/* ---- kz_encode ----------------------------------------------------------------------------- */

static int tell(void *user, size_t frames, size_t of) {
    const kz_encode_options *options = user;
    return options->progress(options->user, (double)frames / (double)of);
}

/* The count alone needs no weights. */
static kz_status count_frames(const kz_model *m, size_t count, size_t *frames, kz__err *err) {
    const kz__encoder_config *c = &m->config.codec.encoder;
    kz_status status = kz__codec_encoder_check(c, count, err);
    if (!status) *frames = kz__codec_encoder_frames(c, count);
    return status;
}

typedef struct recording {
    const float *samples;
    size_t count;
    int rate;
} recording;

static kz_status encode(const kz_model *m, const recording *r, kz_encode_options *options,
                        int32_t *codes, size_t capacity, size_t *frames, kz__err *err) {
    kz__encoding e;
    kz_status status = kz__recording_check(m, r->count, r->rate, err);
    if (status) return status;
    if (!codes && m->config.codec.encoder.quantizers) {
        return count_frames(m, r->count, frames, err);
    }
    status = kz__encoding_begin(&e, m, r->samples, r->count, 0, err);
    if (!status) {
        *frames = e.frames;
        if (capacity < e.frames) {
            status = kz__fail(err, KZ_ERR_USAGE, "the recording makes %zu frames, there is room "
                              "for %zu", e.frames, capacity);
        }
    }
    if (!status) {
        status = kz__encoding_run(&e, options->threads, options->progress ? tell : NULL, options,
                                  codes, err);
    }
    kz__encoding_end(&e);
    return status;
}

static kz_status take_options(const kz_encode_options *given, kz_encode_options *options,
                              kz__err *err) {
    static const kz__sized shape = KZ__SIZED(kz_encode_options, user);
    kz_encode_options_init(options);
    kz_status status = given ? kz__sized_take(&shape, given, options, err) : KZ_OK;
    if (status) return status;
    if (options->threads == KZ_DEFAULT) options->threads = kz_default_threads();
    if (options->threads < 1 || options->threads > KZ__THREADS_MAX || options->reserved) {
        return kz__fail(err, KZ_ERR_USAGE, "%d threads, reserved %d: allowed are 1 to %d, and 0",
                        options->threads, options->reserved, KZ__THREADS_MAX);
    }
    return KZ_OK;
}

kz_status kz_encode(const kz_model *model, const float *samples, size_t count, int sample_rate,
                    const kz_encode_options *given, int32_t *codes, size_t capacity,
                    size_t *frames, char *error, size_t error_capacity) {
    kz__err err = {""};
    kz_encode_options options;
    if (!frames) return KZ_ERR_USAGE;
    *frames = 0;
    kz_status status = take_options(given, &options, &err);
    if (!status && (!model || (!samples && count) || (!codes && capacity))) {
        status = kz__fail(&err, KZ_ERR_USAGE, "encoding needs a model, a recording, and room for "
                                              "the codes");
    } else if (!status) {
        const recording given_one = {samples, count, sample_rate};
        status = encode(model, &given_one, &options, codes, capacity, frames, &err);
    }
    kz__err_copy(&err, error, error_capacity);
    return status;
}
