/* Speaks a text and pulls the sound in pieces of any size: raw float32 samples to a file. The
 * session runs up to two seconds ahead, on a thread of its own, of the one that writes them.
 *
 *     say_pull MODEL TEXT OUTPUT
 */
#include <kazeia.h>

#include <stdio.h>
#include <string.h>

static int fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    return 1;
}

/* Reads until the utterance is over; returns the status that ended it. */
static kz_status pull(kz_session *session, FILE *output) {
    float samples[4800];
    size_t count = 0;
    kz_status status = kz_session_read(session, samples, 4800, &count, -1);
    while (status == KZ_OK && fwrite(samples, sizeof samples[0], count, output) == count) {
        status = kz_session_read(session, samples, 4800, &count, -1);
    }
    return status;
}

static int say(kz_session *session, const char *text, const char *path) {
    kz_request request;
    kz_result result;
    kz_request_init(&request);
    request.text = text;
    request.text_length = strlen(text);
    request.language = "english";
    request.seed = 7; /* the same text and seed give the same sound, bit for bit */
    if (kz_session_start(session, &request) != KZ_OK) return fail(text, kz_error(session));
    FILE *output = fopen(path, "wb");
    if (!output) return fail(path, "cannot be written");
    kz_status status = pull(session, output);
    if (fclose(output) != 0 || status == KZ_OK) return fail(path, "could not be written");
    if (status != KZ_DONE) return fail("speaking", kz_error(session));
    result.size = sizeof result;
    if (kz_session_get_result(session, &result) != KZ_OK) return fail("result", "not there");
    printf("%llu samples, ended by %s %s\n", (unsigned long long)result.samples,
           kz_finish_text(result.finish), result.finish_detail);
    return 0;
}

int main(int argc, char **argv) {
    char error[512];
    kz_model *model = NULL;
    kz_session *session = NULL;
    kz_session_options options;
    if (argc != 4) return fail("usage", "say_pull MODEL TEXT OUTPUT");
    kz_session_options_init(&options);
    options.ahead_ms = 2000;
    kz_status status = kz_model_open(argv[1], NULL, &model, error, sizeof error);
    if (status == KZ_OK) status = kz_session_create(model, &options, &session, error, sizeof error);
    int code = status == KZ_OK ? say(session, argv[2], argv[3]) : fail(argv[1], error);
    kz_session_free(session);
    kz_model_free(model);
    return code;
}
