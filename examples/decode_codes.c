/* Codes to sound, with the codec alone: a frame of codes per line on standard input, raw float32
 * samples on standard output.
 *
 *     decode_codes MODEL < CODES > SAMPLES
 */
#include <kazeia.h>

#include <stdio.h>
#include <stdlib.h>

static int fail(const char *why) {
    fprintf(stderr, "%s\n", why);
    return 1;
}

/* All numbers of standard input, for free; NULL where there is no memory. */
static int32_t *read_codes(size_t *count) {
    size_t capacity = 1024;
    int32_t *codes = (int32_t *)malloc(capacity * sizeof *codes);
    long code;
    *count = 0;
    if (!codes) return NULL;
    while (scanf("%ld", &code) == 1) {
        if (*count == capacity) {
            int32_t *more = (int32_t *)realloc(codes, 2 * capacity * sizeof *codes);
            if (!more) free(codes);
            codes = more;
            if (!more) break;
            capacity *= 2;
        }
        codes[(*count)++] = (int32_t)code;
    }
    return codes;
}

static int decode(kz_session *session, size_t codes_per_frame) {
    float samples[4096];
    size_t count = 0;
    int32_t *codes = read_codes(&count);
    if (!codes) return fail("out of memory");
    if (!feof(stdin) || count % codes_per_frame != 0) {
        free(codes);
        return fail("the codes are not whole frames of numbers");
    }
    kz_status status = kz_session_start_codes(session, codes, count / codes_per_frame, KZ_DEFAULT,
                                              0);
    free(codes); /* they were copied */
    while (status == KZ_OK) {
        status = kz_session_read(session, samples, 4096, &count, -1);
        if (status == KZ_OK && fwrite(samples, sizeof samples[0], count, stdout) != count) {
            return fail("the samples could not be written");
        }
    }
    if (status != KZ_DONE) return fail(kz_error(session));
    return fflush(stdout) == 0 ? 0 : fail("the samples could not be written");
}

int main(int argc, char **argv) {
    char error[512] = "the model has no description";
    kz_model *model = NULL;
    kz_session *session = NULL;
    kz_model_options options;
    kz_model_info info;
    if (argc != 2) return fail("usage: decode_codes MODEL < CODES > SAMPLES");
    kz_model_options_init(&options);
    options.codec_only = 1;
    info.size = sizeof info;
    kz_status status = kz_model_open(argv[1], &options, &model, error, sizeof error);
    if (status == KZ_OK) status = kz_session_create(model, NULL, &session, error, sizeof error);
    if (status == KZ_OK) status = kz_model_get_info(model, &info);
    int code = status == KZ_OK ? decode(session, (size_t)info.codes_per_frame) : fail(error);
    kz_session_free(session);
    kz_model_free(model);
    return code;
}
