/* Speaks a text into a WAV file of 16-bit samples.
 *
 *     say_wav MODEL TEXT OUTPUT.wav
 */
#include <kazeia.h>

#include <stdio.h>
#include <string.h>

static int fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    return 1;
}

/* A number of `bytes` bytes, the lowest one first. */
static void put(FILE *file, unsigned long value, int bytes) {
    for (int i = 0; i < bytes; i++) fputc((int)(value >> 8 * i & 0xff), file);
}

static void put_header(FILE *file, unsigned long samples, unsigned long rate) {
    fputs("RIFF", file);
    put(file, 36 + 2 * samples, 4);
    fputs("WAVEfmt ", file);
    put(file, 16, 4);
    put(file, 1, 2); /* integers */
    put(file, 1, 2); /* channel */
    put(file, rate, 4);
    put(file, 2 * rate, 4); /* bytes a second */
    put(file, 2, 2);        /* bytes of a sample, bits */
    put(file, 16, 2);
    fputs("data", file);
    put(file, 2 * samples, 4);
}

/* Called with each packet as soon as it is made. 0: go on. */
static int write_packet(void *user, const kz_packet *packet) {
    FILE *file = (FILE *)user;
    for (size_t i = 0; i < packet->count; i++) {
        int16_t sample = 0;
        kz_int16(&packet->samples[i], 1, &sample);
        put(file, (unsigned long)sample, 2);
    }
    return ferror(file);
}

static int say(const kz_model *model, kz_session *session, const char *text, const char *path) {
    kz_model_info info;
    kz_result result;
    kz_request request;
    info.size = sizeof info;
    result.size = sizeof result;
    kz_request_init(&request);
    request.text = text;
    request.text_length = strlen(text);
    request.seed = 7; /* the same text and seed give the same sound, bit for bit */
    if (kz_model_get_info(model, &info) != KZ_OK) return fail("model", "has no description");
    if (kz_session_start(session, &request) != KZ_OK) return fail(text, kz_error(session));
    FILE *file = fopen(path, "wb");
    if (!file) return fail(path, "cannot be written");
    put_header(file, 0, (unsigned long)info.sample_rate);
    kz_status status = kz_session_speak(session, write_packet, file);
    if (status == KZ_OK) status = kz_session_get_result(session, &result);
    rewind(file); /* the length is known now */
    put_header(file, status == KZ_OK ? (unsigned long)result.samples : 0,
               (unsigned long)info.sample_rate);
    int bad = ferror(file);
    if (fclose(file) != 0 || bad) return fail(path, "could not be written");
    return status == KZ_OK ? 0 : fail("speaking", kz_error(session));
}

int main(int argc, char **argv) {
    char error[512];
    kz_model *model = NULL;
    kz_session *session = NULL;
    if (argc != 4) return fail("usage", "say_wav MODEL TEXT OUTPUT.wav");
    kz_status status = kz_model_open(argv[1], NULL, &model, error, sizeof error);
    if (status == KZ_OK) status = kz_session_create(model, NULL, &session, error, sizeof error);
    int code = status == KZ_OK ? say(model, session, argv[2], argv[3]) : fail(argv[1], error);
    kz_session_free(session);
    kz_model_free(model);
    return code;
}
