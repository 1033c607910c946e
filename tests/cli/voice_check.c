/* Voices and models through the library and the harness alone, for tests of the program:
 *
 *     voice_check checkpoint NAME
 *     voice_check alter PACKED ENTRY OFFSET HEX FILE
 *     voice_check make MODEL NAME TRANSCRIPT PITCH FILE
 *     voice_check say MODEL FILE SEED FRAMES TEXT
 *
 * checkpoint: makes one of tests/data/ckpt where it is not made yet, and prints its folder.
 * alter: a copy of a packed file with other bytes at an offset of what an entry holds; its
 * checksums fit.
 * make: a voice from two seconds of a buzz of PITCH Hz; "" for none of NAME and TRANSCRIPT.
 * say prints the SHA-256 of the float samples of an utterance with the voice of that file. */
#include "harness/golden.h"
#include "harness/packed.h"
#include "kazeia.h"

#include <math.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS 2

static int fail(const char *what) {
    fprintf(stderr, "voice_check: %s\n", what);
    return 1;
}

static kz_model *open_model(const char *path, kz_model_info *info) {
    char error[512] = "";
    kz_model *model = NULL;
    memset(info, 0, sizeof *info);
    info->size = sizeof *info;
    if (kz_model_open(path, NULL, &model, error, sizeof error) != KZ_OK) fail(error);
    if (model) kz_model_get_info(model, info);
    return model;
}

/* ---- alter -------------------------------------------------------------------------------- */

static int read_whole(const char *path, kzt_file *file) {
    unsigned char block[1 << 16];
    size_t got;
    FILE *in = fopen(path, "rb");
    if (!in) return fail("cannot read the file");
    while ((got = fread(block, 1, sizeof block, in)) > 0) {
        kzt_file_take(file, file->size, block, got);
    }
    fclose(in);
    return 0;
}

static int alter(char **word) {
    kzt_file file = {0};
    size_t at = strtoull(word[2], NULL, 10);
    size_t bytes = strlen(word[3]) / 2;
    if (read_whole(word[0], &file) != 0) return 1;
    size_t row = kzt_packed_row(&file, word[1]);
    if (!row) return fail("there is no such entry");
    if (at + bytes > kzt_get(file.bytes, row + 168, 8)) return fail("beyond the entry");
    at += (size_t)kzt_get(file.bytes, row + 160, 8);
    for (size_t i = 0; i < bytes; i++) {
        char digits[3] = {word[3][2 * i], word[3][2 * i + 1], 0};
        file.bytes[at + i] = (unsigned char)strtoul(digits, NULL, 16);
    }
    kzt_packed_seal_entry(&file, row);
    FILE *out = fopen(word[4], "wb");
    bool good = out && fwrite(file.bytes, 1, file.size, out) == file.size;
    if (out && fclose(out) != 0) good = false;
    kzt_file_free(&file);
    return good ? 0 : fail("cannot write the file");
}

/* ---- make --------------------------------------------------------------------------------- */

static int make_voice(char **word) {
    char error[512] = "";
    kz_model_info info;
    kz_voice_options options;
    kz_voice *voice = NULL;
    double pitch = atof(word[3]);
    kz_model *model = open_model(word[0], &info);
    if (!model) return 1;
    size_t count = SECONDS * (size_t)info.sample_rate;
    float *samples = calloc(count, sizeof *samples);
    for (size_t i = 0; samples && i < count; i++) {
        double phase = 6.283185307179586 * pitch * (double)i / info.sample_rate;
        samples[i] = (float)(0.4 * sin(phase) + 0.2 * sin(2 * phase) + 0.1 * sin(5 * phase));
    }
    kz_voice_options_init(&options);
    options.name = word[1];
    options.transcript = word[2];
    options.vector_only = !word[2][0];
    kz_status status = kz_voice_from_samples(model, samples, count, info.sample_rate, &options,
                                             &voice, error, sizeof error);
    if (status == KZ_OK) status = kz_voice_save(voice, word[4], error, sizeof error);
    kz_voice_free(voice);
    kz_model_free(model);
    free(samples);
    return status == KZ_OK ? 0 : fail(error);
}

/* ---- say ---------------------------------------------------------------------------------- */

static kz_status speak(kz_session *session, EVP_MD_CTX *digest) {
    float buffer[4096];
    kz_status status = KZ_OK;
    while (status == KZ_OK) {
        size_t count = 0;
        status = kz_session_read(session, buffer, 4096, &count, -1);
        EVP_DigestUpdate(digest, buffer, count * sizeof *buffer);
    }
    return status;
}

static int say(char **word) {
    char error[512] = "";
    kz_model_info info;
    kz_request request;
    kz_session *session = NULL;
    kz_voice *voice = NULL;
    unsigned char hash[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    kz_model *model = open_model(word[0], &info);
    if (!model) return 1;
    if (kz_voice_load(word[1], NULL, &voice, error, sizeof error) != KZ_OK) return fail(error);
    if (kz_session_create(model, NULL, &session, error, sizeof error) != KZ_OK) return fail(error);
    kz_request_init(&request);
    request.text = word[4];
    request.text_length = strlen(word[4]);
    request.seed = strtoull(word[2], NULL, 10);
    request.exact_frames = atoi(word[3]);
    request.cloned = voice;
    EVP_MD_CTX *digest = EVP_MD_CTX_new();
    EVP_DigestInit_ex(digest, EVP_sha256(), NULL);
    kz_status status = kz_session_start(session, &request);
    kz_voice_free(voice); /* a request is copied when it starts */
    if (status == KZ_OK) status = speak(session, digest);
    if (status != KZ_DONE) return fail(kz_error(session));
    EVP_DigestFinal_ex(digest, hash, &length);
    for (unsigned i = 0; i < length; i++) printf("%02x", hash[i]);
    putchar('\n');
    EVP_MD_CTX_free(digest);
    kz_session_free(session);
    kz_model_free(model);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 7 && !strcmp(argv[1], "alter")) return alter(argv + 2);
    if (argc == 7 && !strcmp(argv[1], "make")) return make_voice(argv + 2);
    if (argc == 7 && !strcmp(argv[1], "say")) return say(argv + 2);
    if (argc == 3 && !strcmp(argv[1], "checkpoint")) return puts(kzt_checkpoint(argv[2])) < 0;
    return fail("checkpoint NAME, alter PACKED ENTRY OFFSET HEX FILE, make MODEL NAME TRANSCRIPT "
                "PITCH FILE, or say MODEL FILE SEED FRAMES TEXT");
}
