/* kazeia bench --study and --auto: the same utterance in every variant, in rounds so that all see
 * the same machine; hashes of codes and samples beside the times. */
#include "cli/bench.h"
#include "cli/tune.h"

#include "common/interrupt.h"

#include <limits.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#define HOPELESS 8      /* times the baseline's time: one run is enough */
#define LARGE 100000000 /* values: levels without vectors would take minutes */

typedef struct study {
    kz__bench *b;
    bool automatic;
    kz__variant list[KZ__VARIANTS];
    size_t count;
    kz_model_info info; /* of the model that was opened last */
    char size_name[32]; /* which outlives it */
    bool left_out;      /* levels without vectors */
    char skipped[256];  /* formats that this file cannot give */
} study;

/* ---- a run -------------------------------------------------------------------------------- */

static void to_hex(EVP_MD_CTX *digest, char hex[65]) {
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    hex[0] = 0;
    if (!digest || !EVP_DigestFinal_ex(digest, bytes, &length)) return;
    for (unsigned i = 0; i < length && i < 32; i++) snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
}

static void hash_codes(const kz_session *session, int width, char hex[65]) {
    size_t frames = 0;
    const int32_t *codes = kz_session_codes(session, &frames);
    EVP_MD_CTX *digest = EVP_MD_CTX_new();
    if (digest && EVP_DigestInit_ex(digest, EVP_sha256(), NULL)) {
        EVP_DigestUpdate(digest, codes, frames * (size_t)width * sizeof *codes);
    }
    to_hex(digest, hex);
    EVP_MD_CTX_free(digest);
}

/* Bits may not change from run to run either: a hash that does is one that differs. */
static void keep_hash(char kept[65], const char now[65]) {
    if (!kept[0]) {
        memcpy(kept, now, 65);
    } else if (strcmp(kept, now) != 0) {
        snprintf(kept, 65, "not the same in two runs");
    }
}

static kz_status speak(study *s, kz_session *session, int frames, unsigned flags,
                       void *digest) {
    kz_request request;
    kz__bench_request(s->b, &s->info, s->b->text, frames, flags | KZ_ALL_ROWS, &request);
    kz_status status = kz_session_start(session, &request);
    return status < 0 ? status : kz__bench_drain(s->b, session, digest);
}

static void keep_times(const study *s, kz__variant *v, const kz_result *r) {
    double frames = (double)r->frames;
    double rtf = r->total_ms / (1e3 * (double)r->samples / s->info.sample_rate);
    if (v->rtf > 0 && rtf >= v->rtf) return;
    v->rtf = rtf;
    v->prefill_ms = r->prefill_ms;
    v->talker_ms = r->talker_ms / frames;
    v->predictor_ms = r->predictor_ms / frames;
    v->decoder_ms = r->decoder_ms / frames;
}

static kz_status run_variant(study *s, const kz_model *model, kz__variant *v, kz__err *err) {
    kz_session_options options;
    kz_session *session = NULL;
    kz_result result;
    char samples[65], codes[65];
    kz_session_options_init(&options);
    options.threads = v->threads;
    options.placement = v->placement;
    options.cpu = v->cpu;
    kz_status status = kz_session_create(model, &options, &session, err->text, sizeof err->text);
    if (status < 0) return status;
    unsigned flags = v->oracle ? KZ_CP_ORACLE : 0;
    EVP_MD_CTX *digest = EVP_MD_CTX_new();
    bool good = digest && EVP_DigestInit_ex(digest, EVP_sha256(), NULL);
    status = good ? speak(s, session, 1, flags, NULL) : KZ_ERR_MEMORY; /* memory is touched */
    if (status >= 0) status = speak(s, session, s->b->frames, flags, digest);
    if (status >= 0) {
        kz__bench_result(session, &result);
        keep_times(s, v, &result);
        hash_codes(session, s->info.codes_per_frame, codes);
        to_hex(digest, samples);
        keep_hash(v->codes, codes);
        keep_hash(v->samples, samples);
    } else {
        snprintf(err->text, sizeof err->text, "%s", kz_error(session));
    }
    EVP_MD_CTX_free(digest);
    kz_session_free(session);
    return status;
}

/* ---- a format ----------------------------------------------------------------------------- */

static kz_status run_rounds(study *s, const kz_model *model, size_t first, kz__err *err) {
    kz_status status = KZ_OK;
    for (int r = 0; r < s->b->repeat; r++) {
        for (size_t i = first; i < s->count && status >= 0; i++) {
            kz__variant *v = &s->list[i];
            if (r > 0 && v->rtf > HOPELESS * s->list[first].rtf) continue;
            kz__cli_progress(s->b->cli, "%s: %zu of %zu, round %d of %d", kz__type_name(v->type),
                             i - first + 1, s->count - first, r + 1, s->b->repeat);
            status = run_variant(s, model, v, err);
        }
    }
    return status;
}

/* Opens the model with weights of a format (NULL: as stored) and runs its variants. A format that
 * the file cannot give, or that is the one already run, is passed over. */
static int run_format(study *s, const char *type) {
    kz__cli *cli = s->b->cli;
    kz_model *model = NULL;
    kz__err err = {""};
    size_t first = s->count;
    const char *wanted = cli->set.type;
    if (!s->automatic) cli->set.type = type;
    kz_status status = kz__cli_load(cli, s->b->path, cli->set.cpu, false, &model, &s->info, &err);
    cli->set.type = wanted;
    if (status != KZ_OK && type && !s->automatic && status != KZ_ERR_MEMORY) {
        size_t used = strlen(s->skipped);
        snprintf(s->skipped + used, sizeof s->skipped - used, "%s%s", used ? ", " : "", type);
        return KZ__EXIT_DONE;
    }
    if (status != KZ_OK) return kz__cli_status(cli, status, &err);
    snprintf(s->size_name, sizeof s->size_name, "%s", s->info.size_name);
    s->info.size_name = s->size_name;
    bool done = false;
    for (size_t i = 0; i < s->count; i++) done = done || s->list[i].type == s->info.type;
    if (!done) {
        bool slow = s->info.parameters < LARGE;
        s->left_out = !slow || s->automatic;
        s->count = kz__variants_list(s->list, s->count, s->info.type, s->info.cpu, s->b->threads,
                                     s->automatic, slow && !s->automatic);
        status = run_rounds(s, model, first, &err);
    }
    kz_model_free(model);
    return status < 0 ? kz__cli_status(cli, status, &err) : KZ__EXIT_DONE;
}

/* ---- results ------------------------------------------------------------------------------ */

static void show_variant(FILE *out, const kz__variant *v) {
    fprintf(out, "%-5s %-10s %7d %-7s %-6s %8.2f %7.3f %7.3f %7.3f %7.4f  %-5s %.12s%s%s\n",
            kz__type_name(v->type), v->cpu, v->threads, v->oracle ? "oracle" : "cache",
            kz__placement_name(v->placement), v->prefill_ms, v->talker_ms, v->predictor_ms,
            v->decoder_ms, v->rtf, v->codes_equal ? "equal" : "OTHER", v->samples,
            v->samples_equal ? "" : " OTHER", v->best ? "  best" : "");
}

static void show_table(FILE *out, const study *s) {
    const kz__bench *b = s->b;
    fprintf(out, "%-22s %s, %d frames, the best of %d runs\n", "model", b->path, b->frames,
            b->repeat);
    kz__probes_lines(out, b);
    fprintf(out, "\n%-5s %-10s %7s %-7s %-6s %8s %7s %7s %7s %7s  %-5s %s\n", "type", "level",
            "threads", "cp", "place", "prefill", "talker", "predict", "decoder", "rtf", "codes",
            "samples");
    for (size_t i = 0; i < s->count; i++) show_variant(out, &s->list[i]);
    fprintf(out, "prefill in ms, the others in ms a frame; codes and samples beside those of the "
            "first line\nof the same type, which is what runs without options\n");
    if (s->left_out) {
        fprintf(out, "levels without vectors (scalar, fma) were left out\n");
    }
    if (s->skipped[0]) fprintf(out, "not with this file: %s\n", s->skipped);
    const kz__variant *base = s->list;
    for (const kz__variant *v = s->list; v != s->list + s->count; v++) {
        if (v->type != base->type) base = v;
        if (!v->best) continue;
        fprintf(out, "best %-17s %s, %d thread%s, %s, %s: %.2f times as fast as without "
                "options\n",
                kz__type_name(v->type), v->cpu, v->threads, v->threads == 1 ? "" : "s",
                v->oracle ? "oracle" : "cache", kz__placement_name(v->placement),
                base->rtf / v->rtf);
    }
}

static json_t *variant_json(const kz__variant *v) {
    return json_pack("{s:s, s:s, s:i, s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:s, s:b, s:b, s:b}",
                     "type", kz__type_name(v->type), "cpu", v->cpu, "threads", v->threads,
                     "predictor", v->oracle ? "oracle" : "cache", "placement",
                     kz__placement_name(v->placement), "rtf", v->rtf, "prefill_ms", v->prefill_ms,
                     "talker_ms", v->talker_ms, "code_predictor_ms", v->predictor_ms, "decoder_ms",
                     v->decoder_ms, "hash", v->samples, "codes_equal", v->codes_equal,
                     "samples_equal", v->samples_equal, "best", v->best);
}

static int show(study *s, size_t different, const kz__variant *chosen, const char *file) {
    const kz__bench *b = s->b;
    kz__cli_progress(b->cli, NULL);
    if (b->cli->set.json) {
        json_t *list = json_array();
        for (size_t i = 0; i < s->count; i++) {
            json_array_append_new(list, variant_json(&s->list[i]));
        }
        json_t *root = json_pack("{s:s, s:i, s:i, s:o, s:o, s:o, s:b}", "model", b->path, "frames",
                                 b->frames, "repeat", b->repeat, "probe_before",
                                 kz__probes_json(b, &b->before), "probe_after",
                                 kz__probes_json(b, &b->after), "variants", list, "equal",
                                 different == 0);
        if (root && chosen) {
            json_object_set_new(root, "chosen", variant_json(chosen));
            json_object_set_new(root, "kept_in", json_string(file));
        }
        return kz__cli_json(b->cli, root, false);
    }
    kz__page page;
    if (!kz__page_open(&page)) return kz__cli_status(b->cli, KZ_ERR_MEMORY, NULL);
    show_table(page.file, s);
    if (chosen) {
        fprintf(page.file, "kept                   %s, %d thread%s, %s placement, in %s\n",
                chosen->cpu, chosen->threads, chosen->threads == 1 ? "" : "s",
                kz__placement_name(chosen->placement), file);
    }
    return kz__page_close(b->cli, &page, false);
}

/* ---- the whole ---------------------------------------------------------------------------- */

static int run_all(study *s) {
    static const char *const types[] = {NULL, "q8", "q4"};
    kz__bench *b = s->b;
    kz_status status = kz__bench_probe(b, &b->before);
    int code = status < 0 ? kz__cli_status(b->cli, status, NULL) : KZ__EXIT_DONE;
    size_t formats = s->automatic ? 1 : sizeof types / sizeof *types;
    for (size_t i = 0; i < formats && code == KZ__EXIT_DONE; i++) code = run_format(s, types[i]);
    if (code != KZ__EXIT_DONE) return code;
    status = kz__bench_probe(b, &b->after);
    return status < 0 ? kz__cli_status(b->cli, status, NULL) : KZ__EXIT_DONE;
}

static int keep(study *s, const kz__variant *chosen, char *file, size_t capacity) {
    kz__err err = {""};
    const kz__choice choice = {chosen->threads, chosen->cpu, chosen->placement, chosen->rtf};
    kz_status status = kz__tune_keep(s->b->cli, &s->info, &choice, &err);
    if (status != KZ_OK) return kz__cli_status(s->b->cli, status, &err);
    kz__tune_file(file, capacity);
    return KZ__EXIT_DONE;
}

int kz__bench_study(kz__bench *b, bool automatic) {
    static study s;
    char file[PATH_MAX + 32] = "";
    s.b = b;
    s.automatic = automatic;
    b->cli->set.cp_oracle = false; /* a variant says that itself */
    int code = run_all(&s);
    if (code != KZ__EXIT_DONE) return code;
    size_t different = kz__variants_judge(s.list, s.count);
    const kz__variant *chosen = NULL;
    if (automatic && different == 0) {
        chosen = kz__variants_choose(s.list, s.count);
        code = keep(&s, chosen, file, sizeof file);
        if (code != KZ__EXIT_DONE) return code;
    }
    code = show(&s, different, chosen, file);
    if (different == 0) return code;
    return kz__cli_fail(b->cli, KZ__EXIT_FAILED, "%zu of %zu variants differ from those they must "
                        "equal bit for bit: 'kazeia selftest' looks for the kernel; please report "
                        "it", different, s.count);
}
