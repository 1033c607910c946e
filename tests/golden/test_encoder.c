/* The codec encoder against the official package: codes of clips and recordings, every stage, and
 * the sound that the decoder makes of the codes. */
#include "harness/encoder.h"
#include "harness/talk.h"
#include "harness/tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DATA KZT_SOURCE_DIR "/tests/data/encoder/"

static const char *const forms[] = {"eq", "mtp"};

typedef struct form {
    json_t *root, *clips;
    kzt_encoder encoder;
} form;

static void read_form(form *f, const char *name) {
    char path[256];
    json_error_t error;
    snprintf(path, sizeof path, DATA "%s.json", name);
    f->root = json_load_file(path, 0, &error);
    if (!f->root) fail_msg("%s: %s", path, error.text);
    f->clips = json_object_get(f->root, "clips");
    assert_true(json_array_size(f->clips) > 0);
}

static const char *checkpoint_of(const form *f) {
    return json_string_value(json_object_get(f->root, "checkpoint"));
}

static void open_form(form *f, const char *name) {
    read_form(f, name);
    kzt_encoder_open(&f->encoder, checkpoint_of(f), 2, kz__kernels_best());
}

static void close_form(form *f) {
    kzt_encoder_close(&f->encoder);
    json_decref(f->root);
}

static size_t size_of(json_t *object, const char *key) {
    json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return (size_t)json_integer_value(value);
}

/* The number of frames that differ. */
static size_t differing(json_t *want, const int32_t *codes, size_t frames) {
    size_t count = 0;
    assert_int_equal(json_array_size(want), frames);
    for (size_t t = 0; t < frames; t++) {
        json_t *row = json_array_get(want, t);
        bool equal = json_array_size(row) == 16;
        for (size_t q = 0; q < 16; q++) {
            equal = equal && codes[t * 16 + q] == json_integer_value(json_array_get(row, q));
        }
        count += !equal;
    }
    return count;
}

/* Of one sample, of a frame and one sample more or less, of more than 250 positions. */
static void compare_clips(form *f, const char *what) {
    for (size_t c = 0; c < json_array_size(f->clips); c++) {
        json_t *clip = json_array_get(f->clips, c);
        size_t samples = size_of(clip, "samples");
        size_t frames = 0;
        float *x = kzt_clip(samples, size_of(clip, "seed"));
        int32_t *codes = kzt_encode(&f->encoder, x, samples, 0, &frames);
        size_t wrong = differing(json_object_get(clip, "codes"), codes, frames);
        printf("  %-11s %6zu samples: %3zu of %3zu frames equal, smallest gap %.1e\n", what,
               samples, frames - wrong, frames, json_real_value(json_object_get(clip, "gap")));
        assert_int_equal(wrong, 0);
        free(codes);
        free(x);
    }
}

static void test_codes_of_clips(void **state) {
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        form f;
        open_form(&f, forms[i]);
        compare_clips(&f, forms[i]);
        close_form(&f);
    }
}

/* A packed file holds the encoder, whatever the type of the language model's weights. */
static void test_packed(void **state) {
    (void)state;
    static const kz_type types[] = {KZ_TYPE_STORED, KZ_TYPE_Q4};
    for (size_t i = 0; i < 2; i++) {
        for (size_t t = 0; t < 2; t++) {
            form f;
            char what[24];
            read_form(&f, forms[i]);
            kzt_packed packed = kzt_pack_to_disk(checkpoint_of(&f), types[t]);
            kzt_encoder_open(&f.encoder, packed.path, 2, kz__kernels_best());
            snprintf(what, sizeof what, "%s packed", forms[i]);
            compare_clips(&f, what);
            close_form(&f);
            kzt_packed_drop(&packed);
        }
    }
}

/* Recordings of the golden runs whose codes the package put into a prompt. */
static void test_codes_of_recordings(void **state) {
    (void)state;
    char names[KZT_MAX_CASES][64];
    size_t count = kzt_golden_list(names);
    size_t compared = 0;
    for (size_t i = 0; i < count; i++) {
        kzt_golden g;
        kzt_golden_load(names[i], &g);
        const char *file = json_string_value(json_object_get(g.root, "recording"));
        if (file && g.request.reference_codes) {
            char path[640];
            char err[256] = "";
            kzt_npy pcm;
            kzt_encoder e;
            size_t frames = 0;
            snprintf(path, sizeof path, "%s/%s", g.folder, file);
            if (kzt_npy_read_as(path, 'i', 2, &pcm, err, sizeof err)) fail_msg("%s", err);
            float *x = malloc(pcm.count * sizeof *x);
            assert_non_null(x);
            for (size_t s = 0; s < pcm.count; s++) {
                x[s] = (float)((int16_t *)pcm.data)[s] / 32768.0f;
            }
            kzt_encoder_open(&e, g.checkpoint, 1, kz__kernels_best());
            int32_t *codes = kzt_encode(&e, x, pcm.count, 4096, &frames);
            assert_int_equal(frames, g.request.reference_frames);
            assert_memory_equal(codes, g.request.reference_codes, frames * 16 * sizeof *codes);
            printf("  %-20s %2zu frames equal\n", names[i], frames);
            compared++;
            kzt_encoder_close(&e);
            kzt_npy_free(&pcm);
            free(codes);
            free(x);
        }
        kzt_golden_free(&g);
    }
    assert_true(compared >= 4);
}

/* ---- stages -------------------------------------------------------------------------------- */

typedef struct stage {
    const char *name, *file;
    json_t *rows;
    size_t count, seen; /* rows in all, that have come */
    size_t compared;
    kzt_npy want;
    double worst, largest;
} stage;

typedef struct stages {
    stage list[32];
    size_t count;
} stages;

static void compare_rows(void *user, const char *name, const float *x, size_t ld, size_t rows,
                         size_t width) {
    stages *all = user;
    stage *s = NULL;
    for (size_t i = 0; i < all->count; i++) {
        if (strcmp(all->list[i].name, name) == 0) s = &all->list[i];
    }
    if (!s) fail_msg("no stage %s", name);
    assert_int_equal(s->want.shape[1], width);
    for (size_t i = 0; i < json_array_size(s->rows); i++) {
        size_t row = (size_t)json_integer_value(json_array_get(s->rows, i));
        if (row < s->seen || row >= s->seen + rows) continue;
        for (size_t k = 0; k < width; k++) {
            double want = (double)((float *)s->want.data)[i * width + k];
            double error = fabs((double)x[(row - s->seen) * ld + k] - want);
            if (!(error <= s->worst)) s->worst = error; /* NaN too */
            if (fabs(want) > s->largest) s->largest = fabs(want);
        }
        s->compared++;
    }
    s->seen += rows;
}

static void load_stages(json_t *clip, stages *all) {
    json_t *list = json_object_get(clip, "stages");
    memset(all, 0, sizeof *all);
    all->count = json_array_size(list);
    assert_in_range(all->count, 10, 32);
    for (size_t i = 0; i < all->count; i++) {
        json_t *entry = json_array_get(list, i);
        stage *s = &all->list[i];
        char path[256];
        char err[256] = "";
        s->name = json_string_value(json_object_get(entry, "name"));
        s->rows = json_object_get(entry, "rows");
        s->count = size_of(entry, "count");
        snprintf(path, sizeof path, DATA "%s", json_string_value(json_object_get(entry, "file")));
        if (kzt_npy_read_as(path, 'f', 4, &s->want, err, sizeof err)) fail_msg("%s", err);
        assert_int_equal(s->want.shape[0], json_array_size(s->rows));
    }
}

static json_t *staged_clip(const form *f) {
    for (size_t c = 0; c < json_array_size(f->clips); c++) {
        json_t *clip = json_array_get(f->clips, c);
        if (json_object_get(clip, "stages")) return clip;
    }
    fail_msg("no clip has stages");
    return NULL;
}

/* A clip that ends inside a frame: every stage, its first and last rows among those compared. */
static void test_stages(void **state) {
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        form f;
        stages all;
        open_form(&f, forms[i]);
        json_t *clip = staged_clip(&f);
        load_stages(clip, &all);
        size_t samples = size_of(clip, "samples");
        size_t frames = 0;
        float *x = kzt_clip(samples, size_of(clip, "seed"));
        kz__encoder_state_set_tap(f.encoder.state, compare_rows, &all);
        free(kzt_encode(&f.encoder, x, samples, 0, &frames));
        for (size_t s = 0; s < all.count; s++) {
            stage *at = &all.list[s];
            printf("  %-4s %-20s error %.1e of values up to %.2g\n", forms[i], at->name, at->worst,
                   at->largest);
            assert_int_equal(at->seen, at->count);
            assert_int_equal(at->compared, at->want.shape[0]);
            assert_true(at->largest > 0);
            assert_true(at->worst <= 2e-6 * at->largest);
            kzt_npy_free(&at->want);
        }
        free(x);
        close_form(&f);
    }
}

/* ---- and back ------------------------------------------------------------------------------ */

static double snr(const float *got, const kzt_npy *want, size_t thin) {
    double signal = 0;
    double noise = 0;
    for (size_t i = 0; i < want->count; i++) {
        double w = (double)((float *)want->data)[i];
        double d = (double)got[i * thin] - w;
        signal += w * w;
        noise += d * d;
    }
    return 10 * log10(signal / noise);
}

static double clip_snr(const float *clip, const float *again, size_t count) {
    double signal = 0;
    double noise = 0;
    for (size_t i = 0; i < count; i++) {
        double d = (double)clip[i] - (double)again[i];
        signal += (double)clip[i] * (double)clip[i];
        noise += d * d;
    }
    return 10 * log10(signal / noise);
}

/* What the decoder makes of the encoder's codes is what the package's decoder makes of its own. */
static void test_sound_of_codes(void **state) {
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        form f;
        open_form(&f, forms[i]);
        json_t *clip = staged_clip(&f);
        size_t samples = size_of(clip, "samples");
        size_t frames = 0;
        size_t made = 0;
        char path[256];
        char err[256] = "";
        kzt_npy want;
        snprintf(path, sizeof path, DATA "%s", json_string_value(json_object_get(clip, "sound")));
        if (kzt_npy_read_as(path, 'f', 4, &want, err, sizeof err)) fail_msg("%s", err);
        float *x = kzt_clip(samples, size_of(clip, "seed"));
        int32_t *codes = kzt_encode(&f.encoder, x, samples, 0, &frames);
        for (int decoder = KZ_DECODER_DEFAULT; decoder <= KZ_DECODER_DIRECT; decoder++) {
            kz_model_options options;
            float *sound = NULL;
            kz_model_options_init(&options);
            options.decoder = (kz_decoder)decoder;
            kz_model *model = kzt_open(checkpoint_of(&f), &options);
            kz_session *session = kzt_session(model, 2);
            assert_int_equal(kz_session_start_codes(session, codes, frames, 8, 0), KZ_OK);
            assert_int_equal(kzt_drain(session, &sound, &made), KZ_DONE);
            assert_int_equal(made, size_of(clip, "samples_of_codes"));
            double level = snr(sound, &want, size_of(clip, "thin"));
            printf("  %-4s decoder %d: %zu samples, %.1f dB\n", forms[i], decoder, made, level);
            assert_true(level >= 100);
            free(sound);
            kz_session_free(session);
            kz_model_free(model);
        }
        kzt_npy_free(&want);
        free(codes);
        free(x);
        close_form(&f);
    }
}

/* kz_encode and back, against what is lost by the package's own way there and back: the clips are
 * strange and the weights random, so that little of them is left, but it is the same little. */
static void test_there_and_back(void **state) {
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        form f;
        size_t compared = 0;
        open_form(&f, forms[i]);
        kz_session *session = kzt_session(f.encoder.model, 2);
        for (size_t c = 0; c < json_array_size(f.clips); c++) {
            json_t *clip = json_array_get(f.clips, c);
            json_t *want = json_object_get(clip, "snr");
            if (!want) continue; /* one sample has none worth the name */
            size_t samples = size_of(clip, "samples");
            size_t frames = 0;
            size_t made = 0;
            char err[256] = "";
            float *x = kzt_clip(samples, size_of(clip, "seed"));
            float *sound = NULL;
            size_t room = samples / 1920 + 1;
            int32_t *codes = calloc(room * 16, sizeof *codes);
            assert_non_null(codes);
            kz_status status = kz_encode(f.encoder.model, x, samples, 24000, NULL, codes, room,
                                         &frames, err, sizeof err);
            if (status) fail_msg("%s", err);
            assert_int_equal(kz_session_start_codes(session, codes, frames, 8, 0), KZ_OK);
            assert_int_equal(kzt_drain(session, &sound, &made), KZ_DONE);
            assert_true(made >= samples);
            double level = clip_snr(x, sound, samples);
            printf("  %-4s %6zu samples: %.3f dB, the package's %.3f\n", forms[i], samples, level,
                   json_real_value(want));
            assert_true(fabs(level - json_real_value(want)) <= 0.1);
            compared++;
            free(sound);
            free(codes);
            free(x);
        }
        assert_true(compared >= 6);
        kz_session_free(session);
        close_form(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codes_of_clips), cmocka_unit_test(test_packed),
        cmocka_unit_test(test_codes_of_recordings),
        cmocka_unit_test(test_stages), cmocka_unit_test(test_sound_of_codes),
        cmocka_unit_test(test_there_and_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
