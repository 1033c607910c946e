/* The determinism contract as a matrix: for a model, a weight format and a seed, one hash whatever
 * the kernel level, threads, packets, cache or neighbours. Prints the table that `make determinism`
 * shows.
 *     invariance_test_matrix [TEST]      TEST: a pattern, for emulators
 */
#include "harness/encoder.h"
#include "harness/golden.h"
#include "harness/talk.h"
#include "harness/tests.h"
#include "harness/tmpdir.h"

#include "base/fpenv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES 20
#define VOICE_FRAMES 5 /* the voice in the box is ten times as large: emulators take minutes */
#define SEED 20260101

/* What every machine gets with arithmetic 2; a new number needs new hashes. */
static const struct {
    const char *checkpoint;
    kz_type type;
    kz_decoder decoder;
    const char *hash;
} known[] = {
    {"custom-eq", KZ_TYPE_STORED, KZ_DECODER_DEFAULT,
     "d62fbf85e5fc386cf87dcdb8f945f2bba9b0a68a910f76a5bc7731ae32ad0211"},
    {"custom-mtp", KZ_TYPE_STORED, KZ_DECODER_DEFAULT,
     "dcb9600edb749a874153b567e37ec6b8d15036f2c523a7c9b0dc7acf8e50286b"},
#define KNOWN_SOUND(hex) {"voice.kz", KZ_TYPE_STORED, KZ_DECODER_DEFAULT, hex},
#include "invariance/voice.def" /* made by scripts/known_hashes.sh */
    {"small", KZ_TYPE_STORED, KZ_DECODER_DEFAULT,
     "000239e954f833d26cccc88e2476dab952150b2b2d947db2dec9fa5ef87904bb"},
    {"small", KZ_TYPE_Q8, KZ_DECODER_DEFAULT,
     "5d1bfb352ba51705ef9aafec3fbada7871a3074d9d5ccd4fe0f35dc5a098942b"},
    {"small", KZ_TYPE_Q4, KZ_DECODER_DEFAULT,
     "5934e56250055b60806aa13d71f5c1d89e2475097f3072cc3f73ace1f88c74ad"},
    {"small", KZ_TYPE_STORED, KZ_DECODER_INT8,
     "05d5bd70f7d1556e4bd90c4284b72b1c84dbb76e2a17332a654c3b610149e9a1"},
    {"base-eq", KZ_TYPE_STORED, KZ_DECODER_DEFAULT,
     "130f2043b0b63118eb682781c30a8c9b6f63cec6c02058037951e52fc150516e"},
    {"base-mtp", KZ_TYPE_STORED, KZ_DECODER_DEFAULT,
     "0bbe98576ddc429a38521a5b3128c03350be7ce3c7a98570822b77052c0234b1"},
    {"custom-eq", KZ_TYPE_Q4, KZ_DECODER_DEFAULT,
     "712611438d28dd2d7b9e10d0616223e6f3543cb01f10328672ecbdbed2740087"},
    {"custom-eq", KZ_TYPE_Q8, KZ_DECODER_DEFAULT,
     "c395aefdf5483012e69d633598954ed34e65316323f03f9467c4674bc9eb1f26"},
    {"custom-mtp", KZ_TYPE_Q4, KZ_DECODER_DEFAULT,
     "545dfce84f1b42272219de34cadda56a60ec1e7dfcb2eca2a932a849c9868ce4"},
    {"custom-mtp", KZ_TYPE_Q8, KZ_DECODER_DEFAULT,
     "6e39c58c22310a9e5f0af08cc4ad09f79376dcbbb6475af3186ae2974a4275f1"},
    {"custom-eq", KZ_TYPE_STORED, KZ_DECODER_DIRECT,
     "da3c22e72f473d6c0b6e3978da19616cc5d5c9e355ef51f04af3dd0966d34438"},
    {"custom-mtp", KZ_TYPE_STORED, KZ_DECODER_DIRECT,
     "829bb88642f7b09867e417de88faf293c80b5f24c8289c568a753bd5c5a2e343"},
    {"custom-eq", KZ_TYPE_STORED, KZ_DECODER_INT8,
     "6502f3b24c77ac5307291e6e2439ccb8940ec32c6e3fd0134c8d750080a30916"},
    {"custom-mtp", KZ_TYPE_STORED, KZ_DECODER_INT8,
     "4891b5e5f40e839c8d1714bb07a8e243c245833a94127d56f50d20975283af86"},
};

/* Of voices made from a clip: their sound's checksum. */
static const struct {
    const char *checkpoint;
    uint64_t checksum;
} known_voices[] = {
    {"base-eq", UINT64_C(0x76819ef64b152509)},
    {"base-mtp", UINT64_C(0xcb179c43ae47f00d)},
};

typedef struct row {
    const char *cpu; /* NULL: best */
    int threads, packet;
    unsigned flags;
    int ftz; /* the caller flushes subnormals to zero */
    int ahead_ms;
} row;

static int frames_of(const kz_model *model) {
    kz_model_info info = {.size = sizeof info};
    assert_int_equal(kz_model_get_info(model, &info), KZ_OK);
    return info.parameters > 4000000 ? VOICE_FRAMES : FRAMES;
}

/* Of Base models: made from a clip by a formula. NULL: the model has speakers of its own. */
static kz_voice *cloned;

static void clone(const char *checkpoint) {
    float *clip = kzt_clip(2 * 24000 + 77, 6);
    kz_model *model = kzt_open(checkpoint, NULL);
    kz_voice_options options;
    kz_voice_info info = {.size = sizeof info};
    kz_voice_options_init(&options);
    options.transcript = "The words of two seconds.";
    assert_int_equal(kz_voice_from_samples(model, clip, 2 * 24000 + 77, 24000, &options, &cloned,
                                           NULL, 0),
                     KZ_OK);
    assert_int_equal(kz_voice_get_info(cloned, &info), KZ_OK);
    printf("%-10s voice %016llx\n", checkpoint, (unsigned long long)info.checksum);
    for (size_t i = 0; i < sizeof known_voices / sizeof known_voices[0]; i++) {
        if (strcmp(known_voices[i].checkpoint, checkpoint) != 0) continue;
        assert_int_equal(info.checksum, known_voices[i].checksum);
    }
    kz_model_free(model);
    free(clip);
}

static void fill(kz_request *r, const row *w, uint64_t seed, int frames) {
    kz_request_init(r);
    r->text = "The same words, the same sound.";
    r->text_length = strlen(r->text);
    r->seed = seed;
    r->exact_frames = frames;
    r->packet = w->packet;
    r->flags = w->flags;
    r->cloned = cloned;
}

static void hash_run(kz_session *session, const row *w, int frames, char hex[65]) {
    kz_request request;
    float *samples = NULL;
    size_t count = 0;
    fill(&request, w, SEED, frames);
    kz__fpenv saved = kz__fpenv_set();
#if defined(__x86_64__)
    if (w->ftz) _mm_setcsr(_mm_getcsr() | 0x8040); /* flush to zero, denormals are zero */
#elif defined(__aarch64__)
    if (w->ftz) __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)1 << 24));
#endif
    kz_status status = kzt_speak(session, &request, &samples, &count);
    kz__fpenv_restore(saved);
    if (status != KZ_DONE) fail_msg("%s", kz_error(session));
    assert_int_equal(count, (size_t)frames * 1920);
    kzt_sha256(samples, count * sizeof *samples, hex);
    free(samples);
}

static const char *const decoder_names[] = {"default", "direct", "winograd", "int8"};
static const char *const type_names[] = {"stored", "f32", "bf16", "q8", "q4"};

static void run_row(const char *checkpoint, kz_type type, kz_decoder decoder, const row *w,
                    char want[65]) {
    kz_model_options options;
    char hex[65];
    kz_model_options_init(&options);
    options.cpu = w->cpu;
    options.type = type;
    options.decoder = decoder;
    kz_model *model = kzt_open(checkpoint, &options);
    kz_session_options how;
    kz_session *session = NULL;
    kz_session_options_init(&how);
    how.threads = w->threads;
    how.ahead_ms = w->ahead_ms;
    assert_int_equal(kz_session_create(model, &how, &session, NULL, 0), KZ_OK);
    hash_run(session, w, frames_of(model), hex);
    const char *name = strrchr(checkpoint, '/');
    printf("%-10s %-6s %-8s %-10s threads %d packet %-4d %-7s %-5s %-5s %s\n",
           name ? name + 1 : checkpoint, type_names[type], decoder_names[decoder],
           w->cpu ? w->cpu : "best", w->threads, w->packet,
           w->flags & KZ_CP_ORACLE ? "oracle" : "cache", w->ftz ? "ftz" : "",
           w->ahead_ms ? "ahead" : "", hex);
    if (!want[0]) strcpy(want, hex);
    assert_string_equal(hex, want);
    kz_session_free(session);
    kz_model_free(model);
}

/* Sessions of one model, each with its own placement and kernel level. */
static void placed(const char *checkpoint, kz_type type, kz_decoder decoder,
                   const char want[65]) {
    kz_model_options options;
    kz_model_options_init(&options);
    options.type = type;
    options.decoder = decoder;
    kz_model *model = kzt_open(checkpoint, &options);
    for (int i = 0; i < 6; i++) {
        static const char *const cpus[] = {NULL, "scalar", NULL, NULL, NULL, NULL};
        char hex[65], err[512] = "";
        row w = {cpus[i], 1 + i % 3, 4, i == 4 ? KZ_CP_ORACLE : 0, 0, 0};
        kz_session *session = NULL;
        kz_session_options how;
        kz_session_options_init(&how);
        how.threads = w.threads;
        how.placement = i ? KZ_PLACEMENT_STRICT : KZ_PLACEMENT_FREE;
        how.cpu = w.cpu;
        if (kz_session_create(model, &how, &session, err, sizeof err)) fail_msg("%s", err);
        hash_run(session, &w, frames_of(model), hex);
        kz_result result = {.size = sizeof result};
        assert_int_equal(kz_session_get_result(session, &result), KZ_OK);
        printf("%-10s %-6s %-10s threads %d placement %-6s %20s\n", checkpoint,
               type_names[type], result.cpu, w.threads, i ? "strict" : "free", hex);
        assert_string_equal(hex, want);
        if (w.cpu) assert_string_equal(result.cpu, w.cpu);
        kz_session_free(session);
    }
    kz_session_options wrong;
    kz_session *none = NULL;
    kz_session_options_init(&wrong);
    wrong.placement = (kz_placement)3;
    assert_int_equal(kz_session_create(model, &wrong, &none, NULL, 0), KZ_ERR_USAGE);
    wrong.placement = KZ_PLACEMENT_DEFAULT;
    wrong.cpu = "mmx";
    assert_int_equal(kz_session_create(model, &wrong, &none, NULL, 0), KZ_ERR_USAGE);
    assert_null(none);
    kz_model_free(model);
}

/* Two sessions of one model, read in turn a few samples at a time. */
static void interleaved(const char *checkpoint, kz_type type, kz_decoder decoder,
                        const char want[65]) {
    kz_model_options options;
    kz_model_options_init(&options);
    options.type = type;
    options.decoder = decoder;
    kz_model *model = kzt_open(checkpoint, &options);
    kz_session *sessions[2];
    float *samples[2];
    size_t counts[2] = {0, 0};
    int done[2] = {0, 0};
    row w = {NULL, 2, 3, 0, 0, 0};
    for (int i = 0; i < 2; i++) {
        kz_request request;
        sessions[i] = kzt_session(model, i + 1);
        samples[i] = calloc(FRAMES * 1920, sizeof(float));
        fill(&request, &w, i ? 5 : SEED, FRAMES);
        assert_int_equal(kz_session_start(sessions[i], &request), KZ_OK);
    }
    while (!done[0] || !done[1]) {
        for (int i = 0; i < 2; i++) {
            if (done[i]) continue;
            size_t got = 0;
            size_t room = FRAMES * 1920 - counts[i];
            kz_status status = kz_session_read(sessions[i], samples[i] + counts[i],
                                               room < 777 ? room + (room == 0) : 777, &got, -1);
            counts[i] += got;
            done[i] = status == KZ_DONE;
            assert_true(status == KZ_OK || status == KZ_DONE);
        }
    }
    char hex[65], other[65];
    kzt_sha256(samples[0], counts[0] * sizeof(float), hex);
    kzt_sha256(samples[1], counts[1] * sizeof(float), other);
    printf("%-10s %-6s %-8s two sessions in turn %41s\n", checkpoint, type_names[type],
           decoder_names[decoder], hex);
    assert_string_equal(hex, want);
    assert_string_not_equal(other, want);
    for (int i = 0; i < 2; i++) {
        kz_session_free(sessions[i]);
        free(samples[i]);
    }
    kz_model_free(model);
}

/* The same from a packed file, on the first and the last level. */
static void packed(const char *checkpoint, kz_type type, const char want[65]) {
    const row rows[] = {{kz_cpu_level(0), 1, 8, 0, 0, 0}, {NULL, 2, KZ_DEFAULT, 0, 0, 0}};
    char *folder = kzt_tmpdir_make();
    char *path = kzt_path(folder, "packed.kz");
    kzt_file file = {0};
    kzt_pack(checkpoint, type, 2, &file);
    kzt_write(folder, "packed.kz", file.bytes, file.size);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char expected[65];
        memcpy(expected, want, sizeof expected);
        run_row(path, type, KZ_DECODER_DEFAULT, &rows[i], expected);
    }
    kzt_file_free(&file);
    free(path);
    kzt_tmpdir_remove(folder);
}

static void matrix(const char *checkpoint, kz_type type, kz_decoder decoder) {
    char want[65] = "";
    const row rows[] = {
        {NULL, 1, 1, 0, 0, 0},   {NULL, 2, 1, 0, 0, 0}, {NULL, 3, 1, 0, 0, 0},
        {NULL, 7, 1, 0, 0, 0},   {NULL, 1, 2, 0, 0, 0}, {NULL, 2, 5, 0, 0, 0},
        {NULL, 2, 1000, 0, 0, 0}, {NULL, 2, KZ_DEFAULT, 0, 0, 0}, {NULL, 1, 1, KZ_CP_ORACLE, 0, 0},
        {NULL, 3, 5, KZ_CP_ORACLE, 0, 0}, {NULL, 2, 2, 0, 1, 0},
        {NULL, 2, KZ_DEFAULT, 0, 0, 400}, {NULL, 1, 3, 0, 1, 5000},
    };
    if (!strncmp(checkpoint, "base", 4)) clone(checkpoint);
    size_t step = KZT_SLOW > 1 && strchr(checkpoint, '/') ? 3 : 1; /* the voice is large */
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i += step) {
        run_row(checkpoint, type, decoder, &rows[i], want);
    }
    for (size_t i = 0; kz_cpu_level(i); i++) {
        const row levels[] = {{kz_cpu_level(i), 1, 8, 0, 0, 0},
                              {kz_cpu_level(i), 2, 3, KZ_CP_ORACLE, 1, 0}};
        for (size_t j = 0; j < 2; j += step) run_row(checkpoint, type, decoder, &levels[j], want);
    }
    if (!strchr(checkpoint, '/')) interleaved(checkpoint, type, decoder, want);
    if (!strchr(checkpoint, '/')) placed(checkpoint, type, decoder, want);
    const char *name = strrchr(checkpoint, '/') ? strrchr(checkpoint, '/') + 1 : checkpoint;
    bool folder = name == checkpoint; /* the voice is a packed file itself */
    if (folder && decoder == KZ_DECODER_DEFAULT) packed(checkpoint, type, want);
    assert_int_equal(kz_arithmetic(), 2);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].checkpoint, name) != 0 || known[i].type != type ||
            known[i].decoder != decoder) {
            continue;
        }
        assert_string_equal(want, known[i].hash);
    }
    kz_voice_free(cloned);
    cloned = NULL;
}

static void test_equal_widths(void **state) {
    (void)state;
    matrix("custom-eq", KZ_TYPE_STORED, KZ_DECODER_DEFAULT);
}

static void test_projection(void **state) {
    (void)state;
    matrix("custom-mtp", KZ_TYPE_STORED, KZ_DECODER_DEFAULT);
}

static void test_cloned_voices(void **state) {
    (void)state;
    matrix("base-eq", KZ_TYPE_STORED, KZ_DECODER_DEFAULT);
    matrix("base-mtp", KZ_TYPE_STORED, KZ_DECODER_DEFAULT);
}

static void test_voice(void **state) {
    (void)state;
    matrix(KZT_SOURCE_DIR "/voice/voice.kz", KZ_TYPE_STORED, KZ_DECODER_DEFAULT);
}

/* Widths of whole blocks, as real models have them. */
static void test_whole_blocks(void **state) {
    (void)state;
    matrix("small", KZ_TYPE_STORED, KZ_DECODER_DEFAULT);
    matrix("small", KZ_TYPE_Q8, KZ_DECODER_DEFAULT);
    matrix("small", KZ_TYPE_Q4, KZ_DECODER_DEFAULT);
    matrix("small", KZ_TYPE_STORED, KZ_DECODER_INT8);
}

static void test_eight_bits(void **state) {
    (void)state;
    matrix("custom-mtp", KZ_TYPE_Q8, KZ_DECODER_DEFAULT);
    matrix("custom-eq", KZ_TYPE_Q8, KZ_DECODER_DEFAULT);
}

static void test_four_bits(void **state) {
    (void)state;
    matrix("custom-mtp", KZ_TYPE_Q4, KZ_DECODER_DEFAULT);
    matrix("custom-eq", KZ_TYPE_Q4, KZ_DECODER_DEFAULT);
}

/* The other ways of the decoder; the default's name is only a name. */
static void test_decoders(void **state) {
    (void)state;
    matrix("custom-eq", KZ_TYPE_STORED, KZ_DECODER_DIRECT);
    matrix("custom-mtp", KZ_TYPE_STORED, KZ_DECODER_DIRECT);
    matrix("custom-eq", KZ_TYPE_STORED, KZ_DECODER_INT8);
    matrix("custom-mtp", KZ_TYPE_STORED, KZ_DECODER_INT8);
    row w = {NULL, 2, 3, 0, 0, 0};
    char want[65] = "";
    run_row("custom-eq", KZ_TYPE_STORED, KZ_DECODER_DEFAULT, &w, want);
    run_row("custom-eq", KZ_TYPE_STORED, KZ_DECODER_WINOGRAD, &w, want);
}

/* bf16 weights have the bits of f32 on the same values. */
static void test_formats(void **state) {
    char want[65] = "";
    (void)state;
    for (int type = KZ_TYPE_STORED; type <= KZ_TYPE_BF16; type++) {
        kz_model_options options;
        char hex[65];
        row w = {NULL, 2, 4, 0, 0, 0};
        kz_model_options_init(&options);
        options.type = (kz_type)type;
        kz_model *model = kzt_open("custom-mtp", &options);
        kz_session *session = kzt_session(model, 2);
        hash_run(session, &w, FRAMES, hex);
        printf("custom-mtp   type %d %s\n", type, hex);
        if (!want[0]) strcpy(want, hex);
        assert_string_equal(hex, want);
        kz_session_free(session);
        kz_model_free(model);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_widths), cmocka_unit_test(test_projection),
        cmocka_unit_test(test_cloned_voices),
        cmocka_unit_test(test_voice), cmocka_unit_test(test_whole_blocks),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_eight_bits), cmocka_unit_test(test_four_bits),
        cmocka_unit_test(test_decoders)};
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
