/* The verbs' bits, the settings that options fill, and the table of all options. */
#ifndef KZ_CLI_OPTIONS_H
#define KZ_CLI_OPTIONS_H

#include "cli/args.h"

enum {
    KZ__SAY = 1,
    KZ__INFO = 2,
    KZ__VOICES = 4,
    KZ__TOKENIZE = 8,
    KZ__PROMPT = 16,
    KZ__DECODE = 32,
    KZ__VALIDATE = 64,
    KZ__BENCH = 128,
    KZ__SELFTEST = 256,
    KZ__CONVERT = 512,
    KZ__BATCH = 1024,
    KZ__ENCODE = 2048,
    KZ__CLONE = 4096,
    KZ__ALL_VERBS = 8191,
    KZ__ITEM = 1 << 30 /* no verb: a field of an item of a batch */
};

/* Numbers hold KZ_DEFAULT and strings NULL where nothing was said. */
typedef struct kz__settings {
    const char *model, *codec, *type, *decoder, *cpu;
    const char *voice, *voices_dir, *language, *instruct;
    const char *ref_audio, *ref_text, *name, *consent;
    const char *split, *pause;
    const char *output, *format, *bits, *codes, *dump, *file, *npy, *text, *alternate;
    const char *placement, *tune, *batch;
    kz__seed seed;
    double temperature, top_p, repetition_penalty;
    double cp_temperature, cp_top_p, cp_repetition_penalty;
    int top_k, repetition_window, cp_top_k, cp_repetition_window;
    int max_frames, min_frames, frames, packet, threads, parallel, repeat, minutes, tail;
    bool greedy, cp_oracle, whole_text, live_text, as_reference, strict, lines, resume, compact;
    bool trim, vector_only, replace;
    bool stats, json, profile, hash, quiet, verbose, help, study, tune_auto;
} kz__settings;

void kz__settings_init(kz__settings *settings);

extern const kz__options kz__option_table;

#endif
