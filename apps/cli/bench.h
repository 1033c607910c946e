/* What the files of `bench` share: a model that is measured, its runs, and the probe beside them.
 * bench_run measures utterances, bench_batch and bench_minutes what many and long ones cost,
 * bench_study compares variants, bench_show prints, cmd_bench is the verb. */
#ifndef KZ_CLI_BENCH_H
#define KZ_CLI_BENCH_H

#include "cli/record.h"

#define KZ__BENCH_VECTOR 4096
#define KZ__BENCH_SAMPLES 15360
#define KZ__BENCH_STREAMS 16  /* in a batch at most */
#define KZ__BENCH_SIZES 16    /* of batches, at most */

/* Per frame where that makes sense; names in bench_run.c. */
typedef enum kz__measure {
    KZ__RTF,
    KZ__TTFA,
    KZ__PREFILL,
    KZ__TALKER,
    KZ__PREDICTOR,
    KZ__SAMPLER,
    KZ__DECODER,
    KZ__DECODER_1,
    KZ__DECODER_8,
    KZ__TTFA_COLD,
    KZ__TTFA_WARM,
    KZ__MEASURES
} kz__measure;

extern const char *const kz__measure_names[KZ__MEASURES];

/* One model at one kernel level. */
typedef struct kz__series {
    const char *level; /* wanted; NULL: the best */
    kz_model *model;
    kz_model_info info;
    kz_session *session;
    double load_ms;
    kz_result last;    /* of the utterance that is timed */
    size_t warm_kept;  /* prompt rows of the warm utterance that were there */
    double *runs[KZ__MEASURES]; /* [repeat] */
    double best[KZ__MEASURES], median[KZ__MEASURES];
} kz__series;

/* What the machine does with 1 thread and with as many as the runs use. */
typedef struct kz__probes {
    kz_probe one, all;
} kz__probes;

typedef struct kz__batch_run {
    int streams;
    double rtf;        /* seconds of work for a second of one stream's sound */
    double step_ms;    /* a frame of all of them */
} kz__batch_run;

typedef struct kz__bench {
    kz__cli *cli;
    const char *path;
    const char *text;
    int frames, repeat, threads;
    kz__series list[2];
    size_t count;
    kz__memory memory;
    kz__probes before, after, best;
    kz__batch_run batches[KZ__BENCH_SIZES];
    size_t batch_count;
    double *minutes;   /* [minute_count], the rtf of each minute of sound */
    size_t minute_count;
    uint64_t minutes_private[2]; /* private bytes after the first and after the last */
    float *samples;    /* [KZ__BENCH_SAMPLES] */
    float vector[KZ__BENCH_VECTOR];
} kz__bench;

/* ---- bench_run.c: each returns an exit code, the message is written, or a status ------------ */

/* Measures the machine. */
kz_status kz__bench_probe(kz__bench *b, kz__probes *probes);
/* The best of both. */
kz__probes kz__bench_probes(const kz__probes *before, const kz__probes *after);

/* A request of `frames` frames as the options say; flags are added. */
void kz__bench_request(kz__bench *b, const kz_model_info *info, const char *text, int frames,
                       unsigned flags, kz_request *request);
/* Takes and drops the sound of an utterance; digest (an EVP_MD_CTX, NULL: none) gets it. */
kz_status kz__bench_drain(kz__bench *b, kz_session *session, void *digest);
void kz__bench_result(const kz_session *session, kz_result *result);

int kz__bench_open(kz__bench *b, kz__series *s);
int kz__bench_runs(kz__bench *b);
void kz__bench_close(kz__bench *b);

/* ---- the others ---------------------------------------------------------------------------- */

int kz__bench_batches(kz__bench *b);
int kz__bench_long(kz__bench *b);
/* --study, or (automatic) --auto. */
int kz__bench_study(kz__bench *b, bool automatic);

/* ---- bench_variants.c: what a study compares ------------------------------------------------ */

/* One way to run a model of one weight format. All of a format must have the same bits. */
typedef struct kz__variant {
    kz_type type; /* weights in use */
    const char *cpu;
    int threads;
    bool oracle; /* the code predictor without its cache */
    kz_placement placement;
    double rtf, prefill_ms, talker_ms, predictor_ms, decoder_ms; /* of the fastest run */
    char samples[65], codes[65]; /* SHA-256 in hex */
    bool codes_equal, samples_equal; /* to the baseline's: the first one of the format */
    bool best;                       /* the fastest of the format */
} kz__variant;

#define KZ__VARIANTS 512

/* Appends the variants of a format. First the baseline: the best level, all threads, cache, free.
 * all: every level, thread count and placement with every other; else one change at a time, and the
 * oracle. slow: the levels without vectors too, where there are others. Returns the new count. */
size_t kz__variants_list(kz__variant *list, size_t count, kz_type type, const char *highest,
                         int threads, bool all, bool slow);

/* Compares hashes and finds the best; how many differ from their baseline. */
size_t kz__variants_judge(kz__variant *list, size_t count);

/* The variant to keep of `count` of one format: the best, or the baseline (the first) where the
 * best gains too little to be told from noise. */
const kz__variant *kz__variants_choose(const kz__variant *list, size_t count);

/* ---- bench_show.c --------------------------------------------------------------------------- */

json_t *kz__probes_json(const kz__bench *b, const kz__probes *probes);
void kz__probes_lines(FILE *out, const kz__bench *b);
int kz__bench_show(kz__bench *b);

#endif
