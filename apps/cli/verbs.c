/* The verbs and their long help. */
#include "cli/cli.h"

#define LATER(verb, what) {verb, 0, NULL, "", what, NULL}

const kz__verb kz__verbs[] = {
    {"say", KZ__SAY, kz__cmd_say, "[TEXT...]", "speaks a text",
     "The text is in the arguments (joined by blanks), in --file, or on standard input.\n"
     "Several lines are one text; --lines makes each a piece of its own. A long text is spoken\n"
     "sentence by sentence, short ones together; an empty line ends a paragraph. Its pieces are\n"
     "made side by side (--parallel) and heard in order.\n\n"
     "Into a pipe WAV and raw sound leave as they are made; FLAC (lossless), Ogg Vorbis, Opus\n"
     "and MP3 (about 60 kbit/s) when they are complete.\n\n"
     "Examples:\n"
     "  kazeia say Hello there                        to the loudspeaker\n"
     "  kazeia say -o hello.wav Hello there           to a file\n"
     "  fortune | kazeia say | aplay                  WAV to a pipe\n"
     "  kazeia say -o hello.mp3 Hello there           or .flac, .ogg, .opus\n"
     "  kazeia say -f story.txt --bits 24 -o story.wav --stats\n"
     "  kazeia say --seed 7 --hash --json -o x.wav Again   the same samples each time\n"
     "  kazeia say -f book.txt --parallel 8 -o book.wav   faster, with more memory\n"
     "  some-program | kazeia say --live-text         spoken while it is written\n"
     "  kazeia say -o x.wav -- -5 degrees             a text that begins with '-'\n"},
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
     "above 2^63-1 is a string.\n\n"
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
     "all was done, else that of the first failure.\n\n"
     "Examples:\n"
     "  kazeia batch lines.jsonl -o sounds > records.jsonl\n"
     "  kazeia batch lines.jsonl -o sounds --resume --parallel 8 --seed 1\n"
     "  kazeia batch lines.jsonl -o sounds --format opus\n"
     "  some-program | kazeia batch -o sounds --hash\n"},
    {"info", KZ__INFO, kz__cmd_info, "[MODEL]", "what a model is; without one: this machine",
     "Examples:\n"
     "  kazeia info                kernel levels, threads\n"
     "  kazeia info voice --json   speakers, languages, memory plan\n"},
    {"voices", KZ__VOICES, kz__cmd_voices, "[list]", "speakers of a model, and their dialects",
     "Example:\n  kazeia voices -m MODEL\n"},
    {"tokenize", KZ__TOKENIZE, kz__cmd_tokenize, "[TEXT...]", "token ids and pieces of a text",
     "One token a line: id, tab, piece with unprintable bytes escaped.\n\n"
     "Examples:\n"
     "  kazeia tokenize Hello there\n"
     "  kazeia tokenize --as-reference -f text.txt --json\n"},
    {"prompt", KZ__PROMPT, kz__cmd_prompt, "[TEXT...]", "the rows that a request becomes",
     "Columns: row, part (prompt, or trailing: one row a frame), role, text id, codec id\n"
     "(\"vector\": the speaker's; \"frame\": of the reference), piece.\n\n"
     "Examples:\n"
     "  kazeia prompt -v ada Hello\n"
     "  kazeia prompt --npy rows.npy Hello\n"},
    {"decode", KZ__DECODE, kz__cmd_decode, "CODES", "codes to sound",
     "CODES is a .npy file [frames, 16] of any integer type, or text with a frame a line.\n\n"
     "Examples:\n"
     "  kazeia say --codes hello.npy -o hello.wav Hello\n"
     "  kazeia decode hello.npy -o again.wav\n"
     "  kazeia decode hello.npy -o again.opus\n"},
    {"validate", KZ__VALIDATE, kz__cmd_validate, "MODEL GOLDEN",
     "replays a recorded run, compares the codes",
     "Exit code 0 only if all codes are equal, 1 where one differs.\n\n"
     "Example:\n  kazeia validate MODEL run.json\n"},
    {"convert", KZ__CONVERT, kz__cmd_convert, "MODEL", "packs a model folder into one file",
     "The packed file holds all that is needed to speak: configuration, tokenizer, weights as the\n"
     "kernels read them. It is ready at once, its memory is shared between processes, and every\n"
     "part is under a checksum. Any other verb takes it in place of a folder, with the samples\n"
     "that the folder gives with the same --type. Its bytes are the same on any machine.\n\n"
     "Examples:\n"
     "  kazeia convert MODEL -o model.kz               weights as they are stored\n"
     "  kazeia convert MODEL --type q4 -o small.kz     4 bits: the smallest and fastest\n"
     "  kazeia say -m small.kz Hello there\n"
     "  kazeia info small.kz                           what it is; whether it is whole\n"},
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
     "forbids it). Neither ever changes a sample, and --auto chooses no format.\n\n"
     "Examples:\n"
     "  kazeia bench\n"
     "  kazeia bench MODEL --frames 50 --repeat 5 -t 2 --json\n"
     "  kazeia bench MODEL --cpu avx2 --alternate avx512\n"
     "  kazeia bench MODEL --batch 1,2,4,8,16     many utterances at once\n"
     "  kazeia bench MODEL --minutes 10           does a long text slow down?\n"
     "  kazeia bench MODEL --study                what is best here, with equal bits\n"
     "  kazeia bench MODEL --type q4 --auto       and keep it\n"},
    {"selftest", KZ__SELFTEST, kz__cmd_selftest, "[MODEL]",
     "kernels and a model against what is known",
     "Every kernel of this machine against the scalar reference; then a greedy run of a model at\n"
     "each kernel level. The stages of the voice in the box are held against known hashes, those\n"
     "of any other model against the scalar level; the first stage that is bad is named.\n"
     "Exit code 0 only if every kernel, stage and sample is equal bit for bit.\n\n"
     "Examples:\n  kazeia selftest\n  kazeia selftest MODEL --frames 2\n"},
    LATER("encode", "sound to codes"),
    LATER("clone", "a saved voice from a recording"),
    LATER("serve", "a server"),
    LATER("pull", "downloads a model"),
    LATER("list", "models that are there"),
    LATER("verify", "checks a model's files"),
    LATER("book", "a long text"),
    {NULL, 0, NULL, NULL, NULL, NULL},
};
