/* Speaks two texts at the same time: one model, and a session for each thread. Raw float32 samples
 * to two files; each has the sound of its lone run.
 *
 *     two_threads MODEL TEXT OUTPUT TEXT OUTPUT
 */
#include <kazeia.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef struct speaker {
    const kz_model *model; /* shared: it never changes */
    const char *text, *path;
    pthread_t thread;
    char error[512]; /* "" if all went well */
} speaker;

static int write_packet(void *file, const kz_packet *packet) {
    return fwrite(packet->samples, sizeof packet->samples[0], packet->count, (FILE *)file) !=
           packet->count;
}

static void say(speaker *s, kz_session *session) {
    kz_request request;
    kz_request_init(&request);
    request.text = s->text;
    request.text_length = strlen(s->text);
    request.seed = 7;
    FILE *file = fopen(s->path, "wb");
    if (!file) {
        snprintf(s->error, sizeof s->error, "%s cannot be written", s->path);
        return;
    }
    kz_status status = kz_session_start(session, &request);
    if (status == KZ_OK) status = kz_session_speak(session, write_packet, file);
    if (status != KZ_OK) snprintf(s->error, sizeof s->error, "%s", kz_error(session));
    if (fclose(file) != 0) snprintf(s->error, sizeof s->error, "%s is not complete", s->path);
}

static void *run(void *arg) {
    speaker *s = (speaker *)arg;
    kz_session *session = NULL;
    kz_session_options options;
    kz_session_options_init(&options);
    options.threads = (kz_default_threads() + 1) / 2; /* half the processors for each */
    if (kz_session_create(s->model, &options, &session, s->error, sizeof s->error) == KZ_OK) {
        say(s, session);
    }
    kz_session_free(session);
    return NULL;
}

int main(int argc, char **argv) {
    char error[512];
    kz_model *model = NULL;
    speaker speakers[2];
    int failed = 0, started = 0;
    if (argc != 6) {
        fprintf(stderr, "usage: two_threads MODEL TEXT OUTPUT TEXT OUTPUT\n");
        return 1;
    }
    if (kz_model_open(argv[1], NULL, &model, error, sizeof error) != KZ_OK) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    for (; started < 2 && !failed; started += !failed) {
        speaker *s = &speakers[started];
        memset(s, 0, sizeof *s);
        s->model = model;
        s->text = argv[2 + 2 * started];
        s->path = argv[3 + 2 * started];
        failed = pthread_create(&s->thread, NULL, run, s) != 0;
        if (failed) fprintf(stderr, "no thread could be made\n");
    }
    for (int i = 0; i < started; i++) {
        pthread_join(speakers[i].thread, NULL);
        if (!speakers[i].error[0]) continue;
        fprintf(stderr, "%s\n", speakers[i].error);
        failed = 1;
    }
    kz_model_free(model); /* after its sessions */
    return failed;
}
