/* Speaks standard input while it arrives, as from another program that writes word by word: raw
 * float32 samples to standard output.
 *
 *     live_text MODEL < TEXT > SAMPLES
 */
#include <kazeia.h>

#include <stdio.h>
#include <string.h>

/* Writes what can be said with the text so far. KZ_NEED_TEXT: more is wanted; KZ_DONE: all said. */
static kz_status say(kz_session *session) {
    float samples[1920];
    size_t count = 0;
    kz_status status;
    while ((status = kz_session_read(session, samples, 1920, &count, -1)) == KZ_OK) {
        if (fwrite(samples, sizeof samples[0], count, stdout) != count || fflush(stdout) != 0) {
            fprintf(stderr, "the samples could not be written\n");
            return KZ_ERR_OUTPUT;
        }
    }
    return status;
}

static kz_status speak_input(kz_session *session) {
    char text[64];
    kz_request request;
    kz_request_init(&request);
    request.flags = KZ_LIVE_TEXT; /* without: nothing is said before the text is finished */
    request.text = NULL;          /* it comes with kz_session_append */
    request.seed = 7;
    kz_status status = kz_session_start(session, &request);
    while (status == KZ_OK && fgets(text, sizeof text, stdin)) {
        status = kz_session_append(session, text, strlen(text));
        if (status == KZ_OK) status = say(session);
        if (status == KZ_DONE) return KZ_OK; /* ended before the text did */
        if (status == KZ_NEED_TEXT) status = KZ_OK;
    }
    if (status == KZ_OK) status = kz_session_finish_text(session);
    if (status == KZ_OK) status = say(session);
    return status == KZ_DONE ? KZ_OK : status;
}

int main(int argc, char **argv) {
    char error[512];
    kz_model *model = NULL;
    kz_session *session = NULL;
    if (argc != 2) {
        fprintf(stderr, "usage: live_text MODEL < TEXT > SAMPLES\n");
        return 1;
    }
    kz_status status = kz_model_open(argv[1], NULL, &model, error, sizeof error);
    if (status == KZ_OK) status = kz_session_create(model, NULL, &session, error, sizeof error);
    if (status != KZ_OK) {
        fprintf(stderr, "%s\n", error);
    } else {
        status = speak_input(session);
        if (status != KZ_OK) fprintf(stderr, "%s\n", kz_error(session));
    }
    kz_session_free(session);
    kz_model_free(model);
    return status != KZ_OK;
}
