/* The verbs and their long help, what help says beyond them, and the exit codes. The man page and
 * the completions are made from here too (apps/pages). */
#include "cli/cli.h"

#define LATER(verb, what) {verb, 0, NULL, "", what, NULL, NULL}
#define EXAMPLES(...) (const kz__example[]){__VA_ARGS__, {NULL, NULL}}

const kz__verb kz__verbs[] = {
    {"say", KZ__SAY, kz__cmd_say, "[TEXT...]", "speaks a text",
     "The text is in the arguments (joined by blanks), in --file, or on standard input.\n"
     "Several lines are one text; --lines makes each a piece of its own. A long text is spoken\n"
     "sentence by sentence, short ones together; an empty line ends a paragraph. Its pieces are\n"
     "made side by side (--parallel) and heard in order.\n\n"
     "Into a pipe WAV and raw sound leave as they are made; FLAC (lossless), Ogg Vorbis, Opus\n"
     "and MP3 (about 60 kbit/s) when they are complete.\n",
     EXAMPLES({"kazeia say Hello there", "to the loudspeaker"},
              {"kazeia say -o hello.wav Hello there", "to a file"},
              {"fortune | kazeia say | aplay", "WAV to a pipe"},
              {"kazeia say -o hello.mp3 Hello there", "or .flac, .ogg, .opus"},
              {"kazeia say -f story.txt --bits 24 -o story.wav --stats", NULL},
              {"kazeia say --seed 7 --hash --json -o x.wav Again", "the same samples each time"},
              {"kazeia say -f book.txt --parallel 8 -o book.wav", "faster, with more memory"},
              {"some-program | kazeia say --live-text", "spoken while it is written"},
              {"kazeia say -o x.wav -- -5 degrees", "a text that begins with '-'"})},
    {"batch", KZ__BATCH, kz__cmd_batch, "[FILE]", "many texts to files, side by side",
     "FILE (or standard input) has an object of JSON in each line:\n"
     "  {\"text\": \"Hello there.\"}\n"
     "  {\"id\": \"greet\", \"text\": \"Hello.\", \"seed\": 7, \"output\": \"a/b.wav\"}\n"
     "  {\"file\": \"story.txt\", \"voice\": \"ada\", \"temperature\": 0.7}\n\n"
     "Fields: text or file; output (default: the id, or the number of the line, with .wav or what\n"
     "--format says); id; voice, language, instruct, split, pause, strict, seed, temperature,\n"
     "top_k, top_p, repetition_penalty, repetition_window, the same five with cp_, greedy,\n"
     "max_frames, min_frames, frames, packet, cp_oracle, whole_text, live_text, as_reference: as\n"
     "the options.\n"
     "An option of the command line is the default of all items. null counts as absent; a seed\n"
     "above 2^63-1 is a string. A text file, or the file of a voice, is read when the turn of its\n"
     "line has come.\n\n"
     "output is a path below the folder of --output (without that option: below the current\n"
     "folder, or absolute); folders in it are made. A file appears when it is complete, and\n"
     "replaces an older one; --resume skips items whose file is there. Two lines with the same\n"
     "output: the second is refused.\n\n"
     "Each item that is over has a line of JSON on standard output: line, id, output, frames,\n"
     "samples, seconds, finish, finish_detail, seed, pieces, total_ms, code (0; 6 where the\n"
     "guard stopped it, its sound is kept), with --hash also hash and arithmetic. A failure:\n"
     "line, id, output, error, code. A skipped one: line, id, output, skipped. Records come in\n"
     "the order in which items end.\n\n"
     "The samples are those of 'kazeia say' with the same text, options and seed, whatever else\n"
     "is in the batch. --seed N counts for each item; without it, and without a field seed, each\n"
     "draws its own, and the record tells it.\n\n"
     "A line that is bad does not stop the others (but with --strict). The exit code is 0 where\n"
     "all was done, else that of the first failure.\n",
     EXAMPLES({"kazeia batch lines.jsonl -o sounds > records.jsonl", NULL},
              {"kazeia batch lines.jsonl -o sounds --resume --parallel 8 --seed 1", NULL},
              {"kazeia batch lines.jsonl -o sounds --format opus", NULL},
              {"some-program | kazeia batch -o sounds --hash", NULL})},
    {"info", KZ__INFO, kz__cmd_info, "[MODEL]", "what a model is; without one: this machine",
     NULL,
     EXAMPLES({"kazeia info", "kernel levels, threads"},
              {"kazeia info MODEL --json", "speakers, languages, memory plan"})},
    {"voices", KZ__VOICES, kz__cmd_voices, "[list|show|remove|export|import] [VOICE...]",
     "speakers of a model, and saved voices",
     "A saved voice is a file NAME.kzv in the folder of --voices-dir; 'kazeia clone' makes one of\n"
     "a recording. One that was copied there by hand is a saved voice too. Case does not matter.\n"
     "The words that come first:\n"
     "  list            speakers with their dialects, and saved voices (the default)\n"
     "  show VOICE      all that a saved voice, or the file of one, holds\n"
     "  remove NAME...  nothing goes where one is missing\n"
     "  export NAME     writes it to a file of its own\n"
     "  import FILE...  saves voices from files; '-' is standard input\n\n"
     "With --model both list and show tell whether a voice fits that model.\n",
     EXAMPLES({"kazeia voices", "those of the voice in the box, and the saved ones"},
              {"kazeia voices -m MODEL", NULL},
              {"kazeia voices show eva", NULL},
              {"kazeia voices show eva.kzv --json", "a file needs no place among the saved"},
              {"kazeia voices export eva -o eva-copy.kzv", "to take elsewhere"},
              {"kazeia voices import eva-copy.kzv --name eva2", NULL},
              {"kazeia voices remove eva2", NULL})},
    {"tokenize", KZ__TOKENIZE, kz__cmd_tokenize, "[TEXT...]", "token ids and pieces of a text",
     "One token a line: id, tab, piece with unprintable bytes escaped.\n",
     EXAMPLES({"kazeia tokenize Hello there", NULL},
              {"kazeia tokenize --as-reference -f text.txt --json", NULL})},
    {"prompt", KZ__PROMPT, kz__cmd_prompt, "[TEXT...]", "the rows that a request becomes",
     "Columns: row, part (prompt, or trailing: one row a frame), role, text id, codec id\n"
     "(\"vector\": the speaker's; \"frame\": of the reference), piece.\n",
     EXAMPLES({"kazeia prompt -v ada Hello", NULL},
              {"kazeia prompt --npy rows.npy Hello", NULL})},
    {"decode", KZ__DECODE, kz__cmd_decode, "CODES", "codes to sound",
     "CODES is a .npy file [frames, 16] of any integer type, or text with a frame a line.\n",
     EXAMPLES({"kazeia say --codes hello.npy -o hello.wav Hello", NULL},
              {"kazeia decode hello.npy -o again.wav", NULL},
              {"kazeia decode hello.npy -o again.opus", NULL})},
    {"encode", KZ__ENCODE, kz__cmd_encode, "AUDIO", "a recording to codes",
     "AUDIO is a recording of any rate: WAV, AIFF, FLAC, Ogg Vorbis, Opus, MP3 and more; '-' is\n"
     "standard input. The codes, 16 a frame of 80 ms, are what 'kazeia decode' reads.\n",
     EXAMPLES({"kazeia encode -m MODEL recording.wav -o recording.npy", NULL},
              {"kazeia decode -m MODEL recording.npy -o again.wav", NULL},
              {"kazeia encode -m MODEL recording.wav | kazeia decode -m MODEL - -o again.wav",
               NULL})},
    {"clone", KZ__CLONE, kz__cmd_clone, "AUDIO", "a saved voice from a recording",
     "AUDIO is a recording of any rate: WAV, AIFF, FLAC, Ogg Vorbis, Opus, MP3 and more; '-' is\n"
     "standard input. Good ones are 5 to 15 seconds of one speaker in whole sentences, without\n"
     "music, noise or echo; --ref-text is what is said there, word for word. The model is a Base\n"
     "model (--model or KAZEIA_MODEL); the voice then speaks with any Base model of its size.\n\n"
     "Without a transcript only the speaker vector is taken, which is less like the speaker.\n"
     "Clone only voices whose owners agree; --consent keeps a note of it in the voice.\n",
     EXAMPLES({"kazeia clone recording.wav -m BASE --ref-text \"What is said there.\" --name anna",
               NULL},
              {"kazeia say -m BASE -v anna Hello there", "that voice"},
              {"kazeia clone recording.wav -m BASE -f said.txt -o anna.kzv", "to a file"},
              {"kazeia say -m BASE -v anna.kzv Hello there", NULL},
              {"kazeia clone recording.wav -m BASE --vector-only --name quick", NULL})},
    {"validate", KZ__VALIDATE, kz__cmd_validate, "MODEL GOLDEN",
     "replays a recorded run, compares the codes",
     "Exit code 0 only if all codes are equal, 1 where one differs.\n",
     EXAMPLES({"kazeia validate MODEL run.json", NULL})},
    {"convert", KZ__CONVERT, kz__cmd_convert, "MODEL", "packs a model folder into one file",
     "The packed file holds all that is needed to speak and, of a Base model, to clone a voice:\n"
     "configuration, tokenizer, weights as the kernels read them. It is ready at once, its memory\n"
     "is shared between processes, and every part is under a checksum. Any other verb takes it in\n"
     "place of a folder, with the samples that the folder gives with the same --type. Its bytes\n"
     "are the same on any machine.\n",
     EXAMPLES({"kazeia convert MODEL -o model.kz", "weights as they are stored"},
              {"kazeia convert MODEL --type q4 -o small.kz", "4 bits: the smallest and fastest"},
              {"kazeia convert MODEL --type q8 --compact -o smaller.kz", "for small models"},
              {"kazeia say -m small.kz Hello there", NULL},
              {"kazeia info small.kz", "what it is; whether it is whole"})},
    {"bench", KZ__BENCH, kz__cmd_bench, "[MODEL]", "speed, with the probe of the machine",
     "Times are milliseconds per frame of 80 ms (prefill_ms and ttfa_ms, the time to the first\n"
     "sound: in all; ttfa_cold_ms: on a session that has yet to be made; ttfa_warm_ms: of another\n"
     "text after it, what both prompts begin with being there). The decoder is timed alone as\n"
     "well, over 32 frames in packets of 1 and of 8. Rates and their shares of the probe are\n"
     "those of the best times; the probe is taken before and after, so that a machine that\n"
     "changed is seen.\n\n"
     "--study runs every kernel level, weight format (as stored, q8, q4), thread count, placement\n"
     "and the code predictor's oracle, with hashes of codes and samples: within a format all must\n"
     "be equal, else the exit code is 1. --auto compares levels, threads and placement of one\n"
     "format, and keeps the best for this machine and model; 'say', 'batch' and 'decode' take it\n"
     "where --threads, --cpu and --placement are not given ('kazeia info' tells, --tune off\n"
     "forbids it). Neither ever changes a sample, and --auto chooses no format.\n",
     EXAMPLES({"kazeia bench", NULL},
              {"kazeia bench MODEL --frames 50 --repeat 5 -t 2 --json", NULL},
              {"kazeia bench MODEL --cpu avx2 --alternate avx512", NULL},
              {"kazeia bench MODEL --batch 1,2,4,8,16", "many utterances at once"},
              {"kazeia bench MODEL --minutes 10", "does a long text slow down?"},
              {"kazeia bench MODEL --study", "what is best here, with equal bits"},
              {"kazeia bench MODEL --type q4 --auto", "and keep it"})},
    {"selftest", KZ__SELFTEST, kz__cmd_selftest, "[MODEL]",
     "kernels and a model against what is known",
     "Every kernel of this machine against the scalar reference; then a greedy run of a model at\n"
     "each kernel level. The stages of the voice in the box are held against known hashes, those\n"
     "of any other model against the scalar level; the first stage that is bad is named.\n"
     "Exit code 0 only if every kernel, stage and sample is equal bit for bit.\n",
     EXAMPLES({"kazeia selftest", NULL},
              {"kazeia selftest MODEL --frames 2", NULL})},
    LATER("serve", "a server"),
    LATER("pull", "downloads a model"),
    LATER("list", "models that are there"),
    LATER("verify", "checks a model's files"),
    LATER("book", "a long text"),
    {NULL, 0, NULL, NULL, NULL, NULL, NULL},
};

const char kz__overview[] =
    "The model is --model, else KAZEIA_MODEL, else the voice in the box. Every option that\n"
    "tunes has a variable KAZEIA_NAME. NO_COLOR is obeyed. Options given twice count with\n"
    "their last value.\n";

const kz__example kz__overview_examples[] = {
    {"kazeia say Hello there", NULL},
    {"kazeia say -o hello.wav -v ada --seed 1 Hello there", NULL},
    {"echo Hello | kazeia say > hello.wav", NULL},
    {NULL, NULL},
};

const kz__exit_code kz__exit_codes[] = {
    {KZ__EXIT_DONE, "done; also when the reader of a pipe has gone"},
    {KZ__EXIT_FAILED, "failure; codes or kernels that differ"},
    {KZ__EXIT_USAGE, "usage"},
    {KZ__EXIT_MODEL, "model missing, damaged or not supported"},
    {KZ__EXIT_INPUT, "bad input: text, audio, voice"},
    {KZ__EXIT_OUTPUT, "output could not be written"},
    {KZ__EXIT_GUARD, "stopped by the guard"},
    {KZ__EXIT_RESOURCE, "resource: memory, device"},
    {KZ__EXIT_INTERRUPTED, "interrupted"},
    {0, NULL},
};
