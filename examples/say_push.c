/* Speaks a text: a callback gets each packet as soon as it is made, and writes raw float32 samples
 * to standard output. Once it has heard enough it cancels, as a stop button on another thread
 * would.
 *
 *     say_push MODEL TEXT [SECONDS] > SAMPLES
 */
#include <kazeia.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct listener {
    kz_session *session;
    double enough; /* seconds */
    double heard;
} listener;

/* Called on the thread of kz_session_speak; the samples are valid until it returns. */
static int listen(void *user, const kz_packet *packet) {
    listener *l = (listener *)user;
    size_t count = packet->count * (size_t)packet->channels;
    if (fwrite(packet->samples, sizeof packet->samples[0], count, stdout) != count) return 1;
    l->heard += (double)packet->count / packet->sample_rate;
    fprintf(stderr, "frame %llu: %lu samples\n", (unsigned long long)packet->first_frame,
            (unsigned long)packet->count);
    if (l->heard >= l->enough) kz_session_cancel(l->session); /* from any thread, at any time */
    return 0; /* go on; anything else stops too */
}

static int say(kz_session *session, const char *text, double enough) {
    listener l = {session, enough, 0};
    kz_request request;
    kz_request_init(&request);
    request.text = text;
    request.text_length = strlen(text);
    request.packet = 1; /* a frame of 80 ms a packet, for the shortest delay */
    request.seed = 7;   /* the same text and seed give the same sound, bit for bit */
    kz_status status = kz_session_start(session, &request);
    if (status == KZ_OK) status = kz_session_speak(session, listen, &l);
    if (status != KZ_OK && status != KZ_ERR_CANCELLED) {
        fprintf(stderr, "%s\n", kz_error(session));
        return 1;
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "the samples could not be written\n");
        return 1;
    }
    fprintf(stderr, "%.2f s%s\n", l.heard, status == KZ_ERR_CANCELLED ? ", cancelled" : "");
    return 0;
}

int main(int argc, char **argv) {
    char error[512];
    kz_model *model = NULL;
    kz_session *session = NULL;
    int code = 1;
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: say_push MODEL TEXT [SECONDS] > SAMPLES\n");
        return 1;
    }
    if (kz_model_open(argv[1], NULL, &model, error, sizeof error) == KZ_OK &&
        kz_session_create(model, NULL, &session, error, sizeof error) == KZ_OK) {
        code = say(session, argv[2], argc > 3 ? atof(argv[3]) : 1e9);
    } else {
        fprintf(stderr, "%s\n", error);
    }
    kz_session_free(session);
    kz_model_free(model);
    return code;
}
