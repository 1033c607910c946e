/* Codes to sound, with the codec alone: a frame of codes per line on standard input, raw float32
 * samples on standard output.
 *
 *     decode_codes MODEL < CODES > SAMPLES
 */
#include <kazeia.h>

#include <stdio.h>
#include <stdlib.h>

/* All numbers of standard input; NULL where there is no memory. */
static int32_t *read_codes(size_t *count) {
    size_t capacity = 1024;
    int32_t *codes = (int32_t *)malloc(capacity * sizeof *codes);
    long code;
    *count = 0;
    if (!codes) return NULL;
    while (scanf("%ld", &code) == 1) {
        if (*count == capacity) {
            int32_t *more = (int32_t *)realloc(codes, 2 * capacity * sizeof *codes);
            if (!more) break;
            codes = more;
            capacity *= 2;
        }
        codes[(*count)++] = (int32_t)code;
    }
    return codes;
}

static int decode(const kz_model *model, kz_session *session) {
    kz_model_info info;
    size_t count = 0;
    float samples[4096];
    kz_status status;
    int32_t *codes = read_codes(&count);
    info.size = sizeof info;
    kz_model_get_info(model, &info);
    status = kz_session_start_codes(session, codes, count / (size_t)info.codes_per_frame,
                                    KZ_DEFAULT, 0);
    free(codes); /* they were copied */
    while (status == KZ_OK) {
        status = kz_session_read(session, samples, 4096, &count, -1);
        if (status == KZ_OK) fwrite(samples, sizeof samples[0], count, stdout);
    }
    if (status != KZ_DONE) fprintf(stderr, "%s\n", kz_error(session));
    return status != KZ_DONE;
}

int main(int argc, char **argv) {
    char error[512];
    kz_model_options options;
    kz_model *model = NULL;
    kz_session *session = NULL;
    int code = 1;
    if (argc != 2) {
        fprintf(stderr, "usage: decode_codes MODEL < CODES > SAMPLES\n");
        return 1;
    }
    kz_model_options_init(&options);
    options.codec_only = 1;
    if (kz_model_open(argv[1], &options, &model, error, sizeof error) == KZ_OK &&
        kz_session_create(model, NULL, &session, error, sizeof error) == KZ_OK) {
        code = decode(model, session);
    } else {
        fprintf(stderr, "%s\n", error);
    }
    kz_session_free(session);
    kz_model_free(model);
    return code;
}
