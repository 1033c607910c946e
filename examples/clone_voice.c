/* Makes a voice of a recording, saves it, loads it again and speaks with it. The recording is raw
 * float32 samples, mono, 24 kHz (libkazeia-audio makes such of any file); the sound, in the same
 * form, goes to standard output.
 *
 *     clone_voice MODEL RECORDING TRANSCRIPT VOICE.kzv TEXT
 *
 * MODEL is a Base model, TRANSCRIPT what the recording says, word by word.
 */
#include <kazeia.h>

#include <stdio.h>
#include <string.h>

enum { MOST = 60 * 24000 }; /* samples: a minute */

static int fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    return 1;
}

/* Called now and then while the voice is made; anything but 0 would stop it. */
static int show(void *file, double done) {
    fprintf((FILE *)file, "\r%3.0f %%", 100 * done);
    return 0;
}

static kz_status make_voice(const kz_model *model, const char *path, const char *transcript,
                            kz_voice **voice, char *error, size_t capacity) {
    static float samples[MOST];
    FILE *file = fopen(path, "rb");
    size_t count = file ? fread(samples, sizeof samples[0], MOST, file) : 0;
    kz_voice_options options;
    kz_voice_options_init(&options);
    options.transcript = transcript;
    options.name = "example";
    options.consent = "My own voice.";
    options.progress = show;
    options.user = stderr;
    if (!file) {
        snprintf(error, capacity, "'%s' cannot be read", path);
        return KZ_ERR_INPUT;
    }
    fclose(file);
    return kz_voice_from_samples(model, samples, count, 24000, &options, voice, error, capacity);
}

/* Gets each packet of sound as soon as it is made. */
static int write_packet(void *file, const kz_packet *packet) {
    return fwrite(packet->samples, sizeof(float), packet->count, (FILE *)file) != packet->count;
}

static int say(kz_session *session, const kz_voice *voice, const char *text) {
    kz_request request;
    kz_request_init(&request);
    request.text = text;
    request.text_length = strlen(text);
    request.cloned = voice;
    request.seed = 7;
    if (kz_session_start(session, &request) != KZ_OK ||
        kz_session_speak(session, write_packet, stdout) != KZ_OK) {
        return fail("speaking", kz_error(session));
    }
    return 0;
}

int main(int argc, char **argv) {
    char error[512] = "";
    kz_model *model = NULL;
    kz_voice *made = NULL;
    kz_voice *voice = NULL;
    kz_session *session = NULL;
    if (argc != 6) return fail("usage", "clone_voice MODEL RECORDING TRANSCRIPT VOICE.kzv TEXT");
    kz_status status = kz_model_open(argv[1], NULL, &model, error, sizeof error);
    if (status == KZ_OK) status = make_voice(model, argv[2], argv[3], &made, error, sizeof error);
    if (status == KZ_OK) status = kz_voice_save(made, argv[4], error, sizeof error);
    if (status == KZ_OK) status = kz_voice_load(argv[4], NULL, &voice, error, sizeof error);
    if (status == KZ_OK) status = kz_session_create(model, NULL, &session, error, sizeof error);
    int code = status == KZ_OK ? say(session, voice, argv[5]) : fail(argv[1], error);
    kz_session_free(session);
    kz_voice_free(voice);
    kz_voice_free(made);
    kz_model_free(model);
    return code;
}
