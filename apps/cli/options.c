/* Order in this table is order in the help. */
#include "cli/options.h"

#include "base/pool.h"

#include <stddef.h>
#include <string.h>

#define AT(member) offsetof(kz__settings, member)
#define SAY KZ__SAY
#define FILES (KZ__SAY | KZ__DECODE | KZ__BATCH)
#define SOUND (KZ__SAY | KZ__DECODE)
#define SPOKEN (KZ__SAY | KZ__BATCH | KZ__ITEM)
#define REQUEST (SPOKEN | KZ__PROMPT)
#define ONE_GO (KZ__SAY | KZ__PROMPT | KZ__BATCH)
#define TEXTS (KZ__SAY | KZ__PROMPT | KZ__TOKENIZE)
#define RUNS (KZ__SAY | KZ__DECODE | KZ__VALIDATE | KZ__BENCH | KZ__SELFTEST | KZ__BATCH)
#define MODELS KZ__ALL_VERBS
#define VOICE_USERS (KZ__SAY | KZ__BATCH | KZ__PROMPT | KZ__VOICES | KZ__CLONE)
#define FRAMES_MAX 1e6

static const kz__option list[] = {
    {.name = "model", .letter = 'm', .kind = KZ__TEXT, .offset = AT(model), .value = "PATH",
     .verbs = TEXTS | KZ__DECODE | KZ__VOICES | KZ__BENCH | KZ__BATCH | KZ__ENCODE | KZ__CLONE,
     .variable = true,
     .help = "checkpoint folder, packed file or Hugging Face cache folder\n(default: the voice in "
             "the box)"},
    {.name = "codec", .kind = KZ__TEXT, .offset = AT(codec), .value = "PATH", .verbs = MODELS,
     .help = "speech tokenizer folder, for checkpoints without one"},
    {.name = "type", .kind = KZ__CHOICE, .offset = AT(type), .value = "TYPE", .variable = true,
     .verbs = (RUNS | KZ__INFO | KZ__PROMPT | KZ__CONVERT) & ~(unsigned)KZ__DECODE,
     .choices = "f32|bf16|q8|q4",
     .help = "weights in use: f32, bf16, q8 or q4 (default: as\nstored)"},
    {.name = "decoder", .kind = KZ__CHOICE, .offset = AT(decoder), .value = "HOW",
     .verbs = RUNS | KZ__INFO | KZ__CONVERT, .choices = "direct|winograd|int8", .variable = true,
     .help = "arithmetic of the codec decoder, each with samples of\nits own: winograd (default), "
             "direct (as the sums are\nwritten) or int8 (coarse)"},
    {.name = "voice", .letter = 'v', .kind = KZ__TEXT, .offset = AT(voice), .value = "VOICE",
     .verbs = REQUEST, .variable = true,
     .help = "speaker of the model, saved voice, or file of one\n('kazeia voices' lists them)"},
    {.name = "voices-dir", .kind = KZ__TEXT, .offset = AT(voices_dir), .value = "DIR",
     .verbs = VOICE_USERS, .variable = true,
     .help = "folder of the saved voices (default:\n~/.local/share/kazeia/voices, or kazeia/voices "
             "in\n$XDG_DATA_HOME)"},
    {.name = "language", .letter = 'l', .kind = KZ__TEXT, .offset = AT(language),
     .value = "NAME", .verbs = REQUEST, .variable = true,
     .help = "name or ISO 639 code, a region is ignored (default: auto)"},
    {.name = "language", .letter = 'l', .kind = KZ__TEXT, .offset = AT(language),
     .value = "NAME", .verbs = KZ__CLONE, .variable = true,
     .help = "of the recording: a name or ISO 639 code (default: not\nknown)"},
    {.name = "instruct", .letter = 'i', .kind = KZ__TEXT, .offset = AT(instruct),
     .value = "TEXT", .verbs = REQUEST, .help = "style, for models that take it"},
    {.name = "name", .kind = KZ__TEXT, .offset = AT(name), .value = "NAME", .verbs = KZ__CLONE,
     .help = "of the voice: it is saved under it, or has it in the file\nof --output"},
    {.name = "name", .kind = KZ__TEXT, .offset = AT(name), .value = "NAME", .verbs = KZ__VOICES,
     .help = "import: saved under this name (default: the voice's own,\nelse that of the file)"},
    {.name = "replace", .kind = KZ__FLAG, .offset = AT(replace), .verbs = KZ__CLONE,
     .help = "a saved voice of that name is replaced"},
    {.name = "replace", .kind = KZ__FLAG, .offset = AT(replace), .verbs = KZ__VOICES,
     .help = "import, export: a voice or file of that name is replaced"},
    {.name = "ref-audio", .kind = KZ__TEXT, .offset = AT(ref_audio), .value = "FILE",
     .verbs = ONE_GO,
     .help = "speaks with the voice of a recording, made for this run\n(Base models)"},
    {.name = "ref-text", .kind = KZ__TEXT, .offset = AT(ref_text), .value = "TEXT",
     .verbs = ONE_GO | KZ__CLONE,
     .help = "what is said in the recording, word for word; without it\nthe voice is less like it"},
    {.name = "vector-only", .kind = KZ__FLAG, .offset = AT(vector_only), .verbs = KZ__CLONE,
     .help = "no transcript is wanted: the speaker vector alone"},
    {.name = "consent", .kind = KZ__TEXT, .offset = AT(consent), .value = "TEXT",
     .verbs = KZ__CLONE,
     .help = "a note kept in the voice: whose it is, and what it may be\nused for"},
    {.name = "trim", .kind = KZ__FLAG, .offset = AT(trim), .verbs = ONE_GO | KZ__CLONE | KZ__ENCODE,
     .variable = true, .help = "silence at both ends of the recording is left out"},
    {.name = "tail", .kind = KZ__INTEGER, .offset = AT(tail), .value = "MS",
     .verbs = ONE_GO | KZ__CLONE, .low = 0, .high = 5000, .variable = true,
     .help = "silence put behind the recording, against echoes of its\nend (default: 500; 0 with "
             "--as-reference)"},
    {.name = "rate", .kind = KZ__LATER, .value = "X", .verbs = SAY, .help = ""},
    {.name = "normalize", .kind = KZ__LATER, .verbs = SAY, .help = ""},
    {.name = "file", .letter = 'f', .kind = KZ__TEXT, .offset = AT(file), .value = "FILE",
     .verbs = TEXTS, .help = "text from a file; '-' is standard input"},
    {.name = "file", .letter = 'f', .kind = KZ__TEXT, .offset = AT(file), .value = "FILE",
     .verbs = KZ__CLONE, .help = "the transcript from a file; '-' is standard input"},
    {.name = "lines", .kind = KZ__FLAG, .offset = AT(lines), .verbs = SAY, .variable = true,
     .help = "each line is a piece of its own, spoken as it comes"},
    {.name = "split", .kind = KZ__CHOICE, .offset = AT(split), .value = "HOW", .verbs = SPOKEN,
     .choices = "auto|off", .variable = true,
     .help = "auto (default): a text longer than suits the model is\nspoken in pieces, each with "
             "the limits below; off: whole"},
    {.name = "pause", .kind = KZ__TEXT, .offset = AT(pause), .value = "S[,P]", .verbs = SPOKEN,
     .variable = true,
     .help = "seconds between its sentences and paragraphs (default:\n0.2,0.6; P is 3 S where "
             "it is left out)"},
    {.name = "parallel", .kind = KZ__INTEGER, .offset = AT(parallel), .value = "N",
     .verbs = KZ__SAY | KZ__BATCH, .low = 1, .high = 16, .variable = true,
     .help = "pieces spoken side by side, 1 to 16; faster, takes more\nmemory, never changes the "
             "samples (default: 4)"},
    {.name = "strict", .kind = KZ__FLAG, .offset = AT(strict), .variable = true,
     .verbs = TEXTS | KZ__CLONE | KZ__ENCODE,
     .help = "notices about input that does not fit become errors"},
    {.name = "strict", .kind = KZ__FLAG, .offset = AT(strict), .variable = true,
     .verbs = KZ__BATCH | KZ__ITEM,
     .help = "notices about input that does not fit become errors, and\nthe first failure ends the "
             "batch"},
    {.name = "output", .letter = 'o', .kind = KZ__TEXT, .offset = AT(output), .value = "FILE",
     .verbs = SOUND,
     .help = "sound: .wav .raw .flac .ogg .opus or .mp3; '-' is standard\noutput; without it a "
             "terminal plays, anything else gets WAV"},
    {.name = "output", .letter = 'o', .kind = KZ__TEXT, .offset = AT(output), .value = "FOLDER",
     .verbs = KZ__BATCH, .help = "where the files go (default: the current folder)"},
    {.name = "output", .letter = 'o', .kind = KZ__TEXT, .offset = AT(output), .value = "FILE",
     .verbs = KZ__CONVERT, .help = "the packed file, as a rule NAME.kz"},
    {.name = "output", .letter = 'o', .kind = KZ__TEXT, .offset = AT(output), .value = "FILE",
     .verbs = KZ__ENCODE,
     .help = "codes: .npy, or .txt with a frame per line (default: that\nto standard output)"},
    {.name = "output", .letter = 'o', .kind = KZ__TEXT, .offset = AT(output), .value = "FILE",
     .verbs = KZ__CLONE, .help = "the voice as a file, NAME.kzv; '-' is standard output"},
    {.name = "output", .letter = 'o', .kind = KZ__TEXT, .offset = AT(output), .value = "FILE",
     .verbs = KZ__VOICES,
     .help = "export: the file to write (default: NAME.kzv); '-' is\nstandard output"},
    {.name = "format", .kind = KZ__CHOICE, .offset = AT(format), .value = "FORMAT",
     .verbs = FILES, .choices = "wav|raw|flac|ogg|opus|mp3", .variable = true,
     .help = "wav, raw, flac, ogg, opus or mp3, whatever the name of the\nfile says"},
    {.name = "bits", .kind = KZ__CHOICE, .offset = AT(bits), .value = "BITS", .verbs = FILES,
     .choices = "16|24|32f", .variable = true,
     .help = "sample format: 16 (default), 24 (also flac) or 32f (wav and\nraw alone)"},
    {.name = "seed", .kind = KZ__SEED, .offset = AT(seed), .value = "N",
     .verbs = SPOKEN | KZ__BENCH, .variable = true,
     .help = "0 to 2^64-1; -1 (default): drawn, and shown by --verbose,\n--stats and --json"},
    {.name = "temperature", .kind = KZ__REAL, .offset = AT(temperature), .value = "X",
     .verbs = SPOKEN, .low = 0, .high = 100, .variable = true, .old = "KZTTS_TEMP",
     .help = "0 is greedy (default of this and the next four: the\n"
             "model's generation_config.json)"},
    {.name = "top-k", .kind = KZ__INTEGER, .offset = AT(top_k), .value = "N", .verbs = SPOKEN,
     .low = 0, .high = 1e6, .variable = true, .old = "KZTTS_TOPK", .help = "0 is off"},
    {.name = "top-p", .kind = KZ__REAL, .offset = AT(top_p), .value = "X", .verbs = SPOKEN,
     .low = 0, .high = 1, .above = true, .variable = true, .old = "KZTTS_TOPP",
     .help = "1 is off"},
    {.name = "repetition-penalty", .kind = KZ__REAL, .offset = AT(repetition_penalty),
     .value = "X", .verbs = SPOKEN, .low = 0, .high = 100, .above = true, .variable = true,
     .old = "KZTTS_REPP", .help = "1 is off"},
    {.name = "repetition-window", .kind = KZ__INTEGER, .offset = AT(repetition_window),
     .value = "N", .verbs = SPOKEN, .low = 0, .high = FRAMES_MAX, .variable = true,
     .help = "last codes looked at; 0: the whole utterance"},
    {.name = "cp-temperature", .kind = KZ__REAL, .offset = AT(cp_temperature), .value = "X",
     .verbs = SPOKEN, .low = 0, .high = 100, .variable = true, .old = "KZTTS_CP_TEMP",
     .help = "as --temperature, for the code predictor; so the others"},
    {.name = "cp-top-k", .kind = KZ__INTEGER, .offset = AT(cp_top_k), .value = "N",
     .verbs = SPOKEN, .low = 0, .high = 1e6, .variable = true, .old = "KZTTS_CP_TOPK",
     .help = "as --top-k"},
    {.name = "cp-top-p", .kind = KZ__REAL, .offset = AT(cp_top_p), .value = "X", .verbs = SPOKEN,
     .low = 0, .high = 1, .above = true, .variable = true, .old = "KZTTS_CP_TOPP",
     .help = "as --top-p"},
    {.name = "cp-repetition-penalty", .kind = KZ__REAL, .offset = AT(cp_repetition_penalty),
     .value = "X", .verbs = SPOKEN, .low = 0, .high = 100, .above = true, .variable = true,
     .old = "KZTTS_CP_REPP", .help = "counts codes of the same codebook (default: 1, off)"},
    {.name = "cp-repetition-window", .kind = KZ__INTEGER, .offset = AT(cp_repetition_window),
     .value = "N", .verbs = SPOKEN, .low = 0, .high = FRAMES_MAX, .variable = true,
     .help = "as --repetition-window"},
    {.name = "greedy", .kind = KZ__FLAG, .offset = AT(greedy), .verbs = SPOKEN | KZ__BENCH,
     .variable = true, .help = "no sampling in either"},
    {.name = "max-frames", .kind = KZ__INTEGER, .offset = AT(max_frames), .value = "N",
     .verbs = SPOKEN, .low = 1, .high = FRAMES_MAX, .variable = true,
     .help = "at most N frames of 80 ms, in each piece (default: the\n"
             "reference's limit and a bound that grows with the text)"},
    {.name = "min-frames", .kind = KZ__INTEGER, .offset = AT(min_frames), .value = "N",
     .verbs = SPOKEN, .low = 0, .high = FRAMES_MAX, .variable = true,
     .help = "end of speech is not drawn before N frames (default: 2)"},
    {.name = "frames", .kind = KZ__INTEGER, .offset = AT(frames), .value = "N",
     .verbs = SPOKEN | KZ__BENCH | KZ__SELFTEST, .low = 1, .high = FRAMES_MAX, .variable = true,
     .help = "exactly N frames"},
    {.name = "packet", .kind = KZ__INTEGER, .offset = AT(packet), .value = "N",
     .verbs = SOUND | KZ__BENCH | KZ__BATCH | KZ__ITEM, .low = 1, .high = 1000, .variable = true,
     .help = "frames decoded together; never changes the samples"},
    {.name = "threads", .letter = 't', .kind = KZ__INTEGER, .offset = AT(threads), .value = "N",
     .verbs = RUNS | KZ__CONVERT | KZ__ENCODE | KZ__CLONE, .low = 1, .high = KZ__THREADS_MAX,
     .variable = true,
     .help = "never changes the samples (default: all processors that\nthis process may use)"},
    {.name = "cpu", .kind = KZ__TEXT, .offset = AT(cpu), .value = "LEVEL",
     .verbs = RUNS | KZ__INFO | KZ__PROMPT | KZ__ENCODE | KZ__CLONE, .variable = true,
     .help = "highest kernel level ('kazeia info' lists them); never\nchanges the samples"},
    {.name = "placement", .kind = KZ__CHOICE, .offset = AT(placement), .value = "HOW",
     .verbs = SOUND | KZ__BENCH | KZ__BATCH, .choices = "free|strict", .variable = true,
     .help = "how work goes to threads: free (default), to whoever is\nready; strict, always the "
             "same share; never changes the\nsamples"},
    {.name = "tune", .kind = KZ__CHOICE, .offset = AT(tune), .value = "HOW",
     .verbs = FILES | KZ__INFO, .choices = "on|off", .variable = true,
     .help = "on (default): --threads, --cpu and --placement that are\nnot given are as 'kazeia "
             "bench --auto' found them best"},
    {.name = "cp-oracle", .kind = KZ__FLAG, .offset = AT(cp_oracle),
     .verbs = SPOKEN | KZ__VALIDATE | KZ__BENCH, .variable = true, .old = "KZTTS_CP_CACHE",
     .old_inverted = true,
     .help = "code predictor without its cache: slow, never changes the\nsamples"},
    {.name = "whole-text", .kind = KZ__FLAG, .offset = AT(whole_text), .verbs = REQUEST,
     .variable = true, .help = "the text is in the prompt as a whole"},
    {.name = "live-text", .kind = KZ__FLAG, .offset = AT(live_text), .verbs = REQUEST,
     .variable = true,
     .help = "the text comes along with the frames; standard input is\nspoken as it arrives"},
    {.name = "as-reference", .kind = KZ__FLAG, .offset = AT(as_reference),
     .verbs = TEXTS | KZ__DECODE | KZ__BATCH | KZ__ITEM | KZ__CLONE, .variable = true,
     .help = "every quirk of the official package, for comparisons"},
    {.name = "codes", .kind = KZ__TEXT, .offset = AT(codes), .value = "FILE", .verbs = SAY,
     .help = "writes the codes too: .npy, or .txt with a frame per line"},
    {.name = "dump", .kind = KZ__TEXT, .offset = AT(dump), .value = "DIR",
     .verbs = SOUND | KZ__VALIDATE,
     .help = "every stage's values as .npy, all rows of a stage in one\nfile, and index.csv"},
    {.name = "resume", .kind = KZ__FLAG, .offset = AT(resume), .verbs = KZ__BATCH,
     .help = "items whose file is there already are skipped"},
    {.name = "compact", .kind = KZ__FLAG, .offset = AT(compact), .verbs = KZ__CONVERT,
     .help = "the speech tokenizer as stored: a smaller file that opens\nmore slowly"},
    {.name = "npy", .kind = KZ__TEXT, .offset = AT(npy), .value = "FILE", .verbs = KZ__PROMPT,
     .help = "writes the embedding rows as float32"},
    {.name = "text", .kind = KZ__TEXT, .offset = AT(text), .value = "TEXT",
     .verbs = KZ__BENCH, .help = "text to speak (default: a sentence of 21 words)"},
    {.name = "repeat", .kind = KZ__INTEGER, .offset = AT(repeat), .value = "N",
     .verbs = KZ__BENCH, .low = 1, .high = 1000, .variable = true,
     .help = "runs; the best and the median are shown (default: 3)"},
    {.name = "alternate", .kind = KZ__TEXT, .offset = AT(alternate), .value = "LEVEL",
     .verbs = KZ__BENCH, .help = "a second series at this kernel level, run by run in turn"},
    {.name = "batch", .kind = KZ__TEXT, .offset = AT(batch), .value = "N,N,...",
     .verbs = KZ__BENCH,
     .help = "so many utterances spoken together as well, 1 to 16, as\nin 1,2,4,8,16 (default: "
             "none)"},
    {.name = "minutes", .kind = KZ__INTEGER, .offset = AT(minutes), .value = "N",
     .verbs = KZ__BENCH, .low = 2, .high = 600,
     .help = "a long text of N minutes as well: whether the last\nminute takes longer than the "
             "first"},
    {.name = "study", .kind = KZ__FLAG, .offset = AT(study), .verbs = KZ__BENCH,
     .help = "every kernel level, format, thread count, placement, with\nhashes; exit code 1 "
             "where bits differ that must not"},
    {.name = "auto", .kind = KZ__FLAG, .offset = AT(tune_auto), .verbs = KZ__BENCH,
     .help = "the same over levels, threads and placement only, and\nkeeps the best for 'say' "
             "and others on this machine"},
    {.name = "stats", .kind = KZ__FLAG, .offset = AT(stats), .verbs = SOUND, .variable = true,
     .help = "a record of the run, for people, on standard error"},
    {.name = "json", .kind = KZ__FLAG, .offset = AT(json), .verbs = KZ__ALL_VERBS,
     .variable = true, .help = "the result for programs"},
    {.name = "profile", .kind = KZ__FLAG, .offset = AT(profile), .verbs = SAY | KZ__BENCH,
     .variable = true, .old = "KZTTS_CP_PROFILE",
     .help = "time per stage and per pass of the code predictor"},
    {.name = "hash", .kind = KZ__FLAG, .offset = AT(hash), .verbs = FILES, .variable = true,
     .help = "SHA-256 of the float samples, and the number of the\narithmetic"},
    {.name = "quiet", .letter = 'q', .kind = KZ__FLAG, .offset = AT(quiet),
     .verbs = KZ__ALL_VERBS, .variable = true, .help = "errors only"},
    {.name = "verbose", .kind = KZ__FLAG, .offset = AT(verbose),
     .verbs = RUNS | KZ__PROMPT, .variable = true,
     .help = "text as it is tokenized, voice, language, limits in use"},
    {.name = "help", .kind = KZ__FLAG, .offset = AT(help), .verbs = KZ__ALL_VERBS,
     .help = "this with examples and variables; -h is short"},
};

static const kz__conflict conflicts[] = {
    {"greedy", "temperature"}, {"greedy", "cp-temperature"}, {"frames", "max-frames"},
    {"frames", "min-frames"},  {"whole-text", "live-text"},  {"quiet", "verbose"},
    {"lines", "live-text"},    {"lines", "dump"},        {"lines", "split"},
    {"lines", "pause"},        {"live-text", "split"},   {"live-text", "pause"},
    {"live-text", "parallel"},
    {"study", "auto"},         {"study", "alternate"},   {"study", "batch"},
    {"study", "minutes"},      {"auto", "alternate"},    {"auto", "batch"},
    {"auto", "minutes"},       {"auto", "threads"},      {"auto", "placement"},
    {"study", "threads"},      {"study", "placement"},   {"study", "cp-oracle"},
    {"auto", "cp-oracle"},     {"study", "type"},        {"study", "profile"},
    {"auto", "profile"},       {"ref-audio", "voice"},   {"vector-only", "ref-text"},
};

const kz__options kz__option_table = {list, sizeof list / sizeof *list, conflicts,
                                      sizeof conflicts / sizeof *conflicts};

void kz__settings_init(kz__settings *s) {
    memset(s, 0, sizeof *s);
    s->temperature = KZ_DEFAULT;
    s->top_k = KZ_DEFAULT;
    s->top_p = KZ_DEFAULT;
    s->repetition_penalty = KZ_DEFAULT;
    s->repetition_window = KZ_DEFAULT;
    s->cp_temperature = KZ_DEFAULT;
    s->cp_top_k = KZ_DEFAULT;
    s->cp_top_p = KZ_DEFAULT;
    s->cp_repetition_penalty = KZ_DEFAULT;
    s->cp_repetition_window = KZ_DEFAULT;
    s->max_frames = KZ_DEFAULT;
    s->min_frames = KZ_DEFAULT;
    s->frames = KZ_DEFAULT;
    s->packet = KZ_DEFAULT;
    s->threads = KZ_DEFAULT;
    s->parallel = KZ_DEFAULT;
    s->repeat = KZ_DEFAULT;
    s->minutes = KZ_DEFAULT;
    s->tail = KZ_DEFAULT;
}
