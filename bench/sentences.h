/* Test sentences for benches, and who speaks them: files with "sentences": [{"typed": ...}], as in
 * train/eval; sentence i is spoken by speaker i mod n, or all by one who is named.
 */
#ifndef KZ_BENCH_SENTENCES_H
#define KZ_BENCH_SENTENCES_H

#include <jansson.h>
#include <kazeia.h>
#include <stdbool.h>
#include <string.h>

typedef struct sentences {
    json_t *root, *list;
    size_t count;
    const kz_model *model;
    const char *speaker; /* NULL: all in turn */
} sentences;

/* The first `most` sentences of a file; "" or what is wrong. */
static inline const char *sentences_open(sentences *s, const char *file, size_t most,
                                         const kz_model *model, const char *speaker) {
    s->root = json_load_file(file, 0, NULL);
    s->list = json_object_get(s->root, "sentences");
    s->count = json_array_size(s->list);
    if (s->count > most) s->count = most;
    s->model = model;
    s->speaker = speaker;
    for (size_t i = 0; i < s->count; i++) {
        if (!json_is_string(json_object_get(json_array_get(s->list, i), "typed"))) s->count = 0;
    }
    return s->count ? "" : "no sentences in the file";
}

static inline void sentences_close(sentences *s) {
    json_decref(s->root);
}

/* Text, voice, language and seed of sentence i. */
static inline void sentences_request(const sentences *s, size_t i, kz_request *request) {
    kz_model_info info = {.size = sizeof info};
    kz_model_get_info(s->model, &info);
    kz_request_init(request);
    request->text = json_string_value(json_object_get(json_array_get(s->list, i), "typed"));
    request->text_length = strlen(request->text);
    request->seed = i + 1;
    request->language = json_string_value(json_object_get(s->root, "language"));
    request->voice = s->speaker;
    if (!s->speaker && info.speaker_count) {
        request->voice = kz_model_speaker(s->model, i % info.speaker_count, NULL);
    }
}

#endif
