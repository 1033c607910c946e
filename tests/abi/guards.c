/* A program of any version of the header with a library of any other: no call writes behind the
 * caller's structs, and each says what the library knows. guards MODEL BASE_FOLDER
 *
 * scripts/abi compiles it with these headers and with some whose structs are longer; KZ_HAVE_AUDIO
 * says that the library of recordings is there.
 */
#include <kazeia.h>
#ifdef KZ_HAVE_AUDIO
#include <kazeia-audio.h>
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 64, FOREIGN = 0x5A };

static int bad;

static void check(int good, const char *what) {
    if (good) return;
    printf("guards: %s\n", what);
    bad = 1;
}

/* A struct of so many bytes, all foreign, and a guard behind them. */
static void *make(size_t bytes) {
    unsigned char *made = (unsigned char *)malloc(bytes + GUARD);
    if (!made) exit(1);
    memset(made, FOREIGN, bytes + GUARD);
    return made;
}

static void *make_result(size_t bytes) {
    void *made = make(bytes);
    memcpy(made, &bytes, sizeof bytes);
    return made;
}

static void behind(const void *made, size_t bytes, const char *what) {
    const unsigned char *at = (const unsigned char *)made;
    size_t size = 0;
    memcpy(&size, made, sizeof size);
    int untouched = size == bytes;
    for (size_t i = 0; i < GUARD; i++) untouched = untouched && at[bytes + i] == FOREIGN;
    check(untouched, what);
}

static void *allocate(void *user, size_t bytes, size_t alignment) {
    char *block = (char *)malloc(bytes + alignment + sizeof(void *));
    if (!block) return NULL;
    char *given = block + sizeof(void *);
    given += alignment - (uintptr_t)given % alignment;
    memcpy(given - sizeof(void *), &block, sizeof block);
    ++*(size_t *)user;
    return given;
}

static void release(void *user, void *block) {
    char *start = NULL;
    memcpy(&start, (char *)block - sizeof(void *), sizeof start);
    --*(size_t *)user;
    free(start);
}

static int write_nothing(void *user, uint64_t offset, const void *data, size_t bytes) {
    (void)data;
    *(uint64_t *)user = offset + bytes;
    return 0;
}

static int listen(void *user, const kz_packet *packet) {
    *(size_t *)user += packet->count;
    return packet->sample_rate != 24000 || packet->channels != 1 || packet->frames == 0;
}

static void speak(const kz_model *model, const kz_session_options *how) {
    char error[512] = "";
    const char *text = "Yes.";
    size_t heard = 0;
    kz_session *session = NULL;
    kz_request *request = (kz_request *)make(sizeof *request);
    kz_result *result = (kz_result *)make_result(sizeof *result);
    kz_request_init(request);
    behind(request, sizeof *request, "kz_request_init");
    request->text = text;
    request->text_length = strlen(text);
    check(kz_session_create(model, how, &session, error, sizeof error) == KZ_OK, error);
    check(kz_session_start(session, request) == KZ_OK, kz_error(session));
    check(kz_session_speak(session, listen, &heard) == KZ_OK, kz_error(session));
    check(kz_session_get_result(session, result) == KZ_OK, "kz_session_get_result");
    behind(result, sizeof *result, "kz_session_get_result");
    check(result->samples == heard && result->cpu != NULL, "what a kz_result says");
    kz_session_free(session);
    free(request);
    free(result);
}

static void convert(const char *path) {
    char error[512] = "";
    uint64_t end = 0;
    kz_convert_options *options = (kz_convert_options *)make(sizeof *options);
    kz_convert_result *result = (kz_convert_result *)make_result(sizeof *result);
    kz_convert_options_init(options);
    behind(options, sizeof *options, "kz_convert_options_init");
    check(kz_convert(path, options, write_nothing, &end, result, error, sizeof error) == KZ_OK,
          error);
    behind(result, sizeof *result, "kz_convert");
    check(result->bytes > 4096 && end == 4096, "what a kz_convert_result says");
    free(options);
    free(result);
}

static void ask(const kz_model *model) {
    size_t count = 0;
    kz_model_info *info = (kz_model_info *)make_result(sizeof *info);
    kz_probe *probe = (kz_probe *)make_result(sizeof *probe);
    kz_split_options *split = (kz_split_options *)make(sizeof *split);
    check(kz_model_get_info(model, info) == KZ_OK, "kz_model_get_info");
    behind(info, sizeof *info, "kz_model_get_info");
    check(info->sample_rate == 24000 && info->prompt_macs_per_row > 0, "what a kz_model_info says");
    check(kz_probe_machine(1, NULL, probe) == KZ_OK, "kz_probe_machine");
    behind(probe, sizeof *probe, "kz_probe_machine");
    kz_split_options_init(split);
    behind(split, sizeof *split, "kz_split_options_init");
    check(kz_split("One. Two.", 9, split, NULL, 0, &count, NULL, 0) == KZ_OK, "kz_split");
    free(info);
    free(probe);
    free(split);
}

enum { RECORDED = 24000 };

static void record(float *samples) {
    for (int i = 0; i < RECORDED; i++) samples[i] = (float)(i % 160 - 80) / 160;
}

static void encode(const kz_model *model, const float *samples, size_t frames) {
    char error[512] = "";
    size_t counted = 0;
    kz_encode_options *options = (kz_encode_options *)make(sizeof *options);
    kz_encode_options_init(options);
    behind(options, sizeof *options, "kz_encode_options_init");
    check(kz_encode(model, samples, RECORDED, 24000, options, NULL, 0, &counted, error,
                    sizeof error) == KZ_OK,
          error);
    check(counted == frames, "frames of kz_encode");
    free(options);
}

static void clone(const char *path) {
    char error[512] = "";
    static float samples[RECORDED];
    kz_model *model = NULL;
    kz_voice *voice = NULL;
    kz_voice_options *options = (kz_voice_options *)make(sizeof *options);
    kz_voice_info *info = (kz_voice_info *)make_result(sizeof *info);
    record(samples);
    kz_voice_options_init(options);
    behind(options, sizeof *options, "kz_voice_options_init");
    options->transcript = "A buzz.";
    options->tail_ms = 0;
    if (kz_model_open(path, NULL, &model, error, sizeof error) != KZ_OK ||
        kz_voice_from_samples(model, samples, RECORDED, 24000, options, &voice, error,
                              sizeof error) != KZ_OK) {
        check(0, error);
        exit(1);
    }
    check(kz_voice_get_info(voice, info) == KZ_OK, "kz_voice_get_info");
    behind(info, sizeof *info, "kz_voice_get_info");
    check(info->samples == RECORDED && info->frames == 13 && info->vector_length > 0 &&
              !strcmp(info->transcript, "A buzz."),
          "what a kz_voice_info says");
    encode(model, samples, info->frames);
    kz_voice_free(voice);
    kz_model_free(model);
    free(options);
    free(info);
}

/* The second library: of samples at another rate, one in two. */
static void read_recording(void) {
#ifdef KZ_HAVE_AUDIO
    char error[512] = "";
    static float samples[RECORDED];
    kz_audio *audio = NULL;
    kz_audio_options *options = (kz_audio_options *)make(sizeof *options);
    kz_audio_info *info = (kz_audio_info *)make_result(sizeof *info);
    record(samples);
    kz_audio_options_init(options);
    behind(options, sizeof *options, "kz_audio_options_init");
    check(options->rate == KZ_DEFAULT && options->allocator == NULL, "defaults of recordings");
    if (kz_audio_read_samples(samples, RECORDED, 1, 48000, NULL, options, &audio, error,
                              sizeof error) != KZ_OK) {
        check(0, error);
        exit(1);
    }
    check(kz_audio_get_info(audio, info) == KZ_OK, "kz_audio_get_info");
    behind(info, sizeof *info, "kz_audio_get_info");
    size_t count = 0;
    check(kz_audio_samples(audio, &count) != NULL && count == RECORDED / 2 &&
              info->source_frames == RECORDED && info->rate == 24000 && info->channels == 1 &&
              info->notices == 1,
          "what a kz_audio_info says");
    kz_audio_free(audio);
    free(options);
    free(info);
#endif
}

int main(int argc, char **argv) {
    char error[512] = "";
    size_t blocks = 0;
    kz_model *model = NULL;
    kz_batch *batch = NULL;
    kz_allocator allocator;
    kz_model_options *options = (kz_model_options *)make(sizeof *options);
    kz_session_options *how = (kz_session_options *)make(sizeof *how);
    kz_batch_options *many = (kz_batch_options *)make(sizeof *many);
    memset(&allocator, 0, sizeof allocator);
    allocator.size = sizeof allocator;
    allocator.alloc = allocate;
    allocator.release = release;
    allocator.user = &blocks;
    kz_model_options_init(options);
    behind(options, sizeof *options, "kz_model_options_init");
    options->allocator = &allocator;
    if (kz_model_open(argc > 1 ? argv[1] : "", options, &model, error, sizeof error) != KZ_OK) {
        printf("guards: %s\n", error);
        return 1;
    }
    check(blocks > 0, "the allocator is not used");
    kz_session_options_init(how);
    behind(how, sizeof *how, "kz_session_options_init");
    speak(model, how);
    kz_batch_options_init(many);
    behind(many, sizeof *many, "kz_batch_options_init");
    check(kz_batch_create(model, many, &batch, error, sizeof error) == KZ_OK, error);
    kz_batch_free(batch);
    ask(model);
    convert(argc > 2 ? argv[2] : "");
    clone(argc > 2 ? argv[2] : "");
    read_recording();
    kz_model_free(model);
    free(options);
    free(how);
    free(many);
    return bad;
}
