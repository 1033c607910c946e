/* kazeia bench: speed of a model, with the probe of the machine before and after. What is measured
 * is in the files of bench.h. */
#include "cli/bench.h"

#include "common/interrupt.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES_DEFAULT 100
#define REPEAT_DEFAULT 3
#define STUDY_FRAMES 16
#define STUDY_REPEAT 2
#define AUTO_REPEAT 4 /* what is kept is used for long */

static const char default_text[] =
    "The old lighthouse keeper climbed the narrow stairs every evening to light the lamp that "
    "guided the fishing boats safely home.";

static int find_path(kz__bench *b, char *box, size_t capacity) {
    const kz__cli *cli = b->cli;
    if (cli->args.word_count > 1) {
        return kz__cli_fail(b->cli, KZ__EXIT_USAGE, "bench takes one model, %zu were given (a "
                            "text goes with --text)", cli->args.word_count);
    }
    bool twice = cli->args.word_count == 1 &&
                 kz__args_source(&cli->args, "model") == KZ__FROM_LINE;
    if (twice) return kz__cli_fail(b->cli, KZ__EXIT_USAGE, "the model is given twice");
    b->path = cli->args.word_count == 1 ? cli->args.words[0] : cli->set.model;
    if (b->path) return KZ__EXIT_DONE;
    b->path = box;
    if (kz__cli_voice_in_the_box(cli, box, capacity)) return KZ__EXIT_DONE;
    return kz__cli_fail(b->cli, KZ__EXIT_MODEL, "no model: name one, or set KAZEIA_MODEL");
}

/* "1,2,4" */
static int read_batches(kz__bench *b) {
    const char *text = b->cli->set.batch;
    bool good = true;
    for (const char *at = text; at && good;) {
        char *end = NULL;
        long streams = *at >= '0' && *at <= '9' ? strtol(at, &end, 10) : 0;
        good = streams >= 1 && streams <= KZ__BENCH_STREAMS && (*end == ',' || !*end) &&
               b->batch_count < KZ__BENCH_SIZES;
        if (good) b->batches[b->batch_count++].streams = (int)streams;
        at = good && *end ? end + 1 : NULL;
    }
    if (good) return KZ__EXIT_DONE;
    return kz__cli_fail(b->cli, KZ__EXIT_USAGE, "--batch is '%s'; up to %d numbers from 1 to %d "
                        "with commas between them are allowed", text, KZ__BENCH_SIZES,
                        KZ__BENCH_STREAMS);
}

static int check_machine(kz__bench *b) {
    const char *cpu = b->cli->set.cpu;
    bool known = !cpu;
    for (size_t i = 0; !known && kz_cpu_level(i); i++) known = !strcmp(cpu, kz_cpu_level(i));
    if (!known) {
        return kz__cli_fail(b->cli, KZ__EXIT_USAGE, "kernel level \"%s\" cannot be used here "
                            "('kazeia info' lists those that can)", cpu);
    }
    return KZ__EXIT_DONE;
}

static int measure(kz__bench *b) {
    int code = KZ__EXIT_DONE;
    b->list[0].level = b->cli->set.cpu;
    b->list[1].level = b->cli->set.alternate;
    b->count = b->cli->set.alternate ? 2 : 1;
    for (size_t i = 0; i < b->count && code == KZ__EXIT_DONE; i++) {
        code = kz__bench_open(b, &b->list[i]);
    }
    if (code == KZ__EXIT_DONE) code = kz__bench_runs(b);
    b->memory = kz__cli_memory(); /* before batches and the probe take their own */
    if (code == KZ__EXIT_DONE) code = kz__bench_batches(b);
    if (code == KZ__EXIT_DONE) code = kz__bench_long(b);
    return code;
}

/* Probe, work, probe; then what was found. */
static int run(kz__bench *b) {
    bool study = b->cli->set.study || b->cli->set.tune_auto;
    if (study) return kz__bench_study(b, b->cli->set.tune_auto);
    kz_status status = kz__bench_probe(b, &b->before);
    if (status < 0) return kz__cli_status(b->cli, status, NULL);
    kz__cli_memory_reset();
    int code = measure(b);
    if (code != KZ__EXIT_DONE) return code;
    status = kz__bench_probe(b, &b->after);
    kz__cli_progress(b->cli, NULL);
    if (status < 0) return kz__cli_status(b->cli, status, NULL);
    b->best = kz__bench_probes(&b->before, &b->after);
    return kz__bench_show(b);
}

int kz__cmd_bench(kz__cli *cli) {
    static kz__bench b;
    static char box[2 * PATH_MAX]; /* b points to it */
    const kz__settings *set = &cli->set;
    bool study = set->study || set->tune_auto;
    b.cli = cli;
    b.frames = set->frames > 0 ? set->frames : study ? STUDY_FRAMES : FRAMES_DEFAULT;
    b.repeat = set->tune_auto ? AUTO_REPEAT : set->study ? STUDY_REPEAT : REPEAT_DEFAULT;
    if (set->repeat > 0) b.repeat = set->repeat;
    b.threads = set->threads > 0 ? set->threads : kz_default_threads();
    b.text = set->text ? set->text : default_text;
    int code = find_path(&b, box, sizeof box);
    if (code == KZ__EXIT_DONE) code = read_batches(&b);
    if (code == KZ__EXIT_DONE) code = check_machine(&b);
    if (code != KZ__EXIT_DONE) return code;
    b.samples = kz__calloc(&cli->mem, KZ__BENCH_SAMPLES, sizeof *b.samples);
    if (!b.samples) return kz__cli_status(cli, KZ_ERR_MEMORY, NULL);
    kz__interrupt_install();
    code = run(&b);
    kz__cli_progress(cli, NULL);
    kz__bench_close(&b);
    return code;
}
