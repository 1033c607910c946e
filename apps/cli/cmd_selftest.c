/* kazeia selftest: every kernel against the scalar reference; then a fixed greedy run of a model at
 * each kernel level, whose stages and samples must hash as the scalar level's do. */
#include "cli/cli.h"

#include "audio/pcm.h"
#include "common/interrupt.h"

#include <limits.h>
#include <openssl/evp.h>
#include <string.h>

#define FRAMES_DEFAULT 12
#define STAGES_MAX 1024
#define SAMPLES 15360
#define VECTOR_MAX 4096
#define LEVELS_MAX 16
#define SAMPLES_STAGE "samples"

typedef struct stage {
    char *name;
    EVP_MD_CTX *digest;
    unsigned char hash[32];
} stage;

/* Digests of one run, in the order in which the stages came first. */
typedef struct digests {
    kz__mem *mem;
    stage list[STAGES_MAX];
    size_t count;
    bool failed; /* out of memory, or too many stages */
} digests;

typedef struct tally {
    kz__cli *cli;
    kz__page page;
    json_t *kernels, *levels;
    size_t kernel_count, kernel_failures;
    bool level_failed;
} tally;

/* ---- kernels ------------------------------------------------------------------------------ */

static void report_kernel(void *user, const char *name, int equal) {
    tally *t = user;
    t->kernel_count++;
    if (!equal) t->kernel_failures++;
    kz__cli_progress(t->cli, "%s", name);
    if (!equal || t->cli->set.verbose) {
        fprintf(t->page.file, "%-40s %s\n", name, equal ? "equal" : "DIFFERS");
    }
    json_object_set_new(t->kernels, name, json_boolean(equal));
}

/* ---- stages ------------------------------------------------------------------------------- */

static stage *find_stage(digests *d, const char *name) {
    for (size_t i = 0; i < d->count; i++) {
        if (!strcmp(d->list[i].name, name)) return &d->list[i];
    }
    if (d->count == STAGES_MAX) return NULL;
    stage *s = &d->list[d->count];
    memset(s, 0, sizeof *s);
    s->name = kz__strndup(d->mem, name, strlen(name));
    s->digest = EVP_MD_CTX_new();
    d->count++;
    if (!s->name || !s->digest || !EVP_DigestInit_ex(s->digest, EVP_sha256(), NULL)) return NULL;
    return s;
}

static void add_values(digests *d, const char *name, const float *data, size_t count) {
    unsigned char bytes[4 * 1024];
    stage *s = find_stage(d, name);
    d->failed = d->failed || !s;
    while (!d->failed && count > 0) {
        size_t take = count < 1024 ? count : 1024;
        kz__pcm_write_f32(data, take, bytes);
        EVP_DigestUpdate(s->digest, bytes, 4 * take);
        data += take;
        count -= take;
    }
}

static void tap(void *user, const char *name, long frame, const float *data, const size_t *shape,
                int rank) {
    size_t count = 1;
    (void)frame;
    for (int i = 0; i < rank; i++) count *= shape[i];
    add_values(user, name, data, count);
}

static void end_digests(digests *d) {
    for (size_t i = 0; i < d->count; i++) {
        unsigned length = 0;
        unsigned char hash[EVP_MAX_MD_SIZE] = {0};
        if (d->list[i].digest) EVP_DigestFinal_ex(d->list[i].digest, hash, &length);
        memcpy(d->list[i].hash, hash, sizeof d->list[i].hash);
        EVP_MD_CTX_free(d->list[i].digest);
        d->list[i].digest = NULL;
    }
}

static void free_digests(digests *d) {
    end_digests(d);
    for (size_t i = 0; i < d->count; i++) kz__free(d->mem, d->list[i].name);
    d->count = 0;
}

/* ---- one run ------------------------------------------------------------------------------ */

static kz_status run(kz__cli *cli, kz_session *session, const kz_model_info *info,
                     digests *d) {
    static const char text[] = "One voice, the same bits everywhere.";
    static float samples[SAMPLES];
    static float vector[VECTOR_MAX];
    kz_request request;
    kz_request_init(&request);
    request.text = text;
    request.text_length = sizeof text - 1;
    request.talker.temperature = 0;
    request.predictor.temperature = 0;
    request.exact_frames = cli->set.frames > 0 ? cli->set.frames : FRAMES_DEFAULT;
    size_t length = (size_t)info->speaker_vector_length;
    if (length > 0 && length <= VECTOR_MAX) {
        for (size_t i = 0; i < length; i++) vector[i] = (float)((int)(i * 7 % 13) - 6) / 13.0f;
        request.speaker_vector = vector;
        request.speaker_vector_length = length;
    }
    kz_session_set_tap(session, tap, d);
    kz_status status = kz_session_start(session, &request);
    while (status == KZ_OK || status == KZ_TIMEOUT) {
        size_t count = 0;
        if (kz__interrupted()) return KZ_ERR_CANCELLED;
        status = kz_session_read(session, samples, SAMPLES, &count, 100);
        if (count > 0) add_values(d, SAMPLES_STAGE, samples, count);
    }
    return status;
}

static int run_level(kz__cli *cli, const char *path, const char *level, digests *d) {
    kz_model *model = NULL;
    kz_model_info info;
    kz_session *session = NULL;
    kz__err err = {""};
    kz__cli_progress(cli, "%s at level %s", path, level);
    kz_status status = kz__cli_load(cli, path, level, false, &model, &info, &err);
    if (status != KZ_OK) return kz__cli_status(cli, status, &err);
    int code = kz__cli_open_session(cli, model, &session);
    if (code == KZ__EXIT_DONE) {
        status = run(cli, session, &info, d);
        if (status < 0) {
            snprintf(err.text, sizeof err.text, "%s", kz_error(session));
            code = kz__cli_status(cli, status, &err);
        } else if (d->failed) {
            code = kz__cli_status(cli, KZ_ERR_MEMORY, NULL);
        }
    }
    end_digests(d);
    kz_session_free(session);
    kz_model_free(model);
    return code;
}

/* The first stage whose digest differs, or NULL. */
static const char *first_difference(const digests *a, const digests *b) {
    size_t count = a->count < b->count ? a->count : b->count;
    for (size_t i = 0; i < count; i++) {
        const stage *x = &a->list[i];
        const stage *y = &b->list[i];
        if (strcmp(x->name, y->name) != 0 || memcmp(x->hash, y->hash, sizeof x->hash) != 0) {
            return x->name;
        }
    }
    if (a->count == b->count) return NULL;
    return a->count > b->count ? a->list[count].name : b->list[count].name;
}

static const stage *samples_of(const digests *d) {
    for (size_t i = 0; i < d->count; i++) {
        if (!strcmp(d->list[i].name, SAMPLES_STAGE)) return &d->list[i];
    }
    return NULL;
}

static void report_level(tally *t, const char *level, const digests *d, const char *differs) {
    char hex[65] = "";
    const stage *s = samples_of(d);
    for (unsigned i = 0; s && i < 32; i++) snprintf(hex + 2 * i, 3, "%02x", s->hash[i]);
    fprintf(t->page.file, "model at %-12s %zu stages, samples %.16s  %s%s\n", level, d->count, hex,
            differs ? "DIFFERS first in " : "equal", differs ? differs : "");
    json_object_set_new(t->levels, level,
                        json_pack("{s:s, s:b, s:s?}", "hash", hex, "equal", differs == NULL,
                                  "first_difference", differs));
    if (differs) t->level_failed = true;
}

static int test_model(kz__cli *cli, const char *path, tally *t) {
    static digests scalar;
    static digests other;
    int code = KZ__EXIT_DONE;
    scalar.mem = &cli->mem;
    other.mem = &cli->mem;
    for (size_t i = 0; code == KZ__EXIT_DONE && i < LEVELS_MAX && kz_cpu_level(i); i++) {
        digests *d = i == 0 ? &scalar : &other;
        code = run_level(cli, path, kz_cpu_level(i), d);
        if (code == KZ__EXIT_DONE) {
            report_level(t, kz_cpu_level(i), d, i == 0 ? NULL : first_difference(&scalar, d));
        }
        free_digests(&other);
        if (cli->set.cpu && !strcmp(cli->set.cpu, kz_cpu_level(i))) break;
    }
    free_digests(&scalar);
    return code;
}

/* ---- the verb ----------------------------------------------------------------------------- */

static int show(tally *t, int code) {
    bool equal = t->kernel_failures == 0 && !t->level_failed && code == KZ__EXIT_DONE;
    kz__cli_progress(t->cli, NULL);
    fprintf(t->page.file, "kernels       %zu compared, %zu differ\n", t->kernel_count,
            t->kernel_failures);
    fprintf(t->page.file, "%s\n", equal ? "all equal" : "FAILED");
    if (code != KZ__EXIT_DONE) {
        kz__page_close(t->cli, &t->page, false);
        json_decref(t->kernels);
        json_decref(t->levels);
        return code;
    }
    int shown = KZ__EXIT_DONE;
    if (t->cli->set.json) {
        kz__page_drop(&t->page);
        shown = kz__cli_json(t->cli, json_pack("{s:b, s:o, s:o}", "all_equal", equal, "kernels",
                                               t->kernels, "levels", t->levels), false);
    } else {
        shown = kz__page_close(t->cli, &t->page, false);
        json_decref(t->kernels);
        json_decref(t->levels);
    }
    return equal ? shown : KZ__EXIT_FAILED;
}

int kz__cmd_selftest(kz__cli *cli) {
    char box[2 * PATH_MAX];
    tally t;
    memset(&t, 0, sizeof t);
    t.cli = cli;
    if (cli->args.word_count > 1) {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "selftest takes one model, %zu were given",
                            cli->args.word_count);
    }
    const char *path = cli->args.word_count == 1 ? cli->args.words[0] : box;
    if (path == box && !kz__cli_voice_in_the_box(cli, box, sizeof box)) {
        kz__cli_note(cli, "the voice in the box was not found: kernels only");
        path = NULL;
    }
    t.kernels = json_object();
    t.levels = json_object();
    if (!t.kernels || !t.levels || !kz__page_open(&t.page)) {
        return kz__cli_status(cli, KZ_ERR_MEMORY, NULL);
    }
    kz__interrupt_install();
    int code = KZ__EXIT_DONE;
    kz_status status = kz_selftest_kernels(report_kernel, &t);
    if (status < 0 && t.kernel_failures == 0) code = kz__cli_status(cli, status, NULL);
    if (code == KZ__EXIT_DONE && path) code = test_model(cli, path, &t);
    return show(&t, code);
}
