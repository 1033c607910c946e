/* Speaks a text; a callback gets each packet as soon as it is made and may say stop.
 *
 *     say_push MODEL TEXT [SECONDS]
 */
#include <kazeia.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct listener {
    double most;  /* seconds that it wants to hear */
    double heard;
    float loudest;
} listener;

/* Called on the thread of kz_session_speak; the samples are valid until it returns. */
static int listen(void *user, const kz_packet *packet) {
    listener *l = (listener *)user;
    size_t i;
    for (i = 0; i < packet->count; i++) {
        float x = packet->samples[i] < 0 ? -packet->samples[i] : packet->samples[i];
        if (x > l->loudest) l->loudest = x;
    }
    l->heard += (double)packet->count / packet->sample_rate;
    printf("frame %llu: %lu samples\n", (unsigned long long)packet->first_frame,
           (unsigned long)packet->count);
    return l->heard >= l->most; /* 0: go on */
}

static int say(kz_session *session, const char *text, double most) {
    listener l = {0, 0, 0};
    kz_request request;
    kz_status status;
    l.most = most;
    kz_request_init(&request);
    request.text = text;
    request.text_length = strlen(text);
    status = kz_session_start(session, &request);
    if (status == KZ_OK) status = kz_session_speak(session, listen, &l);
    if (status != KZ_OK && status != KZ_ERR_CANCELLED) {
        fprintf(stderr, "%s\n", kz_error(session));
        return 1;
    }
    printf("%.2f s, at most %.3f loud%s\n", l.heard, (double)l.loudest,
           status == KZ_ERR_CANCELLED ? ", stopped" : "");
    return 0;
}

int main(int argc, char **argv) {
    char error[512];
    kz_model *model = NULL;
    kz_session *session = NULL;
    int code = 1;
    if (argc < 3) {
        fprintf(stderr, "usage: say_push MODEL TEXT [SECONDS]\n");
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
