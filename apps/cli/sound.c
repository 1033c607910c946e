/* One way for all outputs: ramps at joins, hash, file or device. */
#include "cli/sound.h"

#include "audio/pcm.h"
#include "common/interrupt.h"

#include <openssl/evp.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_SAMPLES 15360
#define PORTION 1024 /* samples that a pipe takes when it says that it takes any */
#define PROGRESS_MS 100.0

/* ---- what the options say ----------------------------------------------------------------- */

/* Standard output, devices and FIFOs have no ending to go by: WAV. */
static bool without_ending(const char *path) {
    struct stat info;
    if (!strcmp(path, "-")) return true;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

static kz__bits wanted_bits(const kz__cli *cli) {
    const char *bits = cli->set.bits;
    if (!bits || bits[0] == '1') return KZ__BITS_16;
    return bits[0] == '2' ? KZ__BITS_24 : KZ__BITS_32F;
}

/* --format, else the ending, else KAZEIA_FORMAT (`variable`: it counts). *source: who said so. */
static int choose_format(kz__cli *cli, const char *path, bool variable, kz__format *format,
                         kz__source *source) {
    char list[KZ__FORMAT_LIST];
    const char *given = cli->set.format;
    *source = given ? kz__args_source(&cli->args, "format") : KZ__UNSET;
    *format = KZ__FORMAT_WAV;
    kz__format_list(list, 0);
    bool line = *source == KZ__FROM_LINE;
    if (!line && kz__format_of_path(path, format)) {
        *source = KZ__FROM_LINE;
    } else if (line || (given && variable)) {
        kz__format_named(given, format);
    } else if (without_ending(path)) {
        *source = KZ__UNSET;
    } else {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "the ending of '%s' says no format that can be "
                            "written: %s; or give --format", path, list);
    }
    if (kz__format_there(*format)) return KZ__EXIT_DONE;
    return kz__cli_fail(cli, KZ__EXIT_USAGE, "this build cannot write .%s (%s); it writes: %s",
                        kz__format_name(*format), kz__coder_library() ? kz__coder_library()
                        : "it is without libsndfile", list);
}

/* Of a format and bits that contradict each other, the variable does not count beside an option.
 * fixed: the file has been named for itself, and the bits are those of all files. */
static int choose(kz__cli *cli, const char *path, bool fixed, kz__format *format,
                  kz__bits *bits) {
    kz__source source = KZ__UNSET;
    kz__source bits_source = kz__args_source(&cli->args, "bits");
    int code = choose_format(cli, path, true, format, &source);
    *bits = wanted_bits(cli);
    bool fits = !cli->set.bits || kz__format_takes_bits(*format, *bits);
    if (code == KZ__EXIT_DONE && !fits && source < bits_source) {
        code = choose_format(cli, path, false, format, &source);
        fits = kz__format_takes_bits(*format, *bits);
    }
    if (code != KZ__EXIT_DONE || fits) return code;
    *bits = KZ__BITS_16;
    if (fixed || source > bits_source) return code;
    return kz__cli_fail(cli, KZ__EXIT_USAGE, "--bits %s and the format %s contradict each other: "
                        "wav and raw have 16, 24 or 32f, flac 16 or 24, the others none",
                        cli->set.bits, kz__format_name(*format));
}

int kz__sound_default_format(kz__cli *cli, kz__format *format) {
    kz__bits bits = KZ__BITS_16;
    return choose(cli, "-", false, format, &bits);
}

static void plan(kz__sound *sound, kz__cli *cli, const char *path) {
    memset(sound, 0, sizeof *sound);
    sound->cli = cli;
    sound->path = path;
}

int kz__sound_plan_file(kz__sound *sound, kz__cli *cli, const char *path) {
    plan(sound, cli, path);
    sound->whole = true;
    return choose(cli, path, true, &sound->format, &sound->bits);
}

int kz__sound_plan(kz__sound *sound, kz__cli *cli) {
    plan(sound, cli, cli->set.output);
    bool terminal = isatty(STDOUT_FILENO);
    if (!sound->path && terminal) return KZ__EXIT_DONE;
    if (!sound->path) sound->path = "-";
    sound->on_stdout = !strcmp(sound->path, "-") || !strcmp(sound->path, "/dev/stdout");
    if (sound->on_stdout) sound->path = "-";
    if (sound->on_stdout && terminal) {
        return kz__cli_fail(cli, KZ__EXIT_USAGE, "sound is not written to a terminal; give "
                            "--output FILE, or leave it out to hear it");
    }
    struct stat info;
    if (stat(sound->path, &info) == 0 && S_ISDIR(info.st_mode)) {
        return kz__cli_fail(cli, KZ__EXIT_OUTPUT, "cannot write '%s': it is a folder", sound->path);
    }
    return choose(cli, sound->path, false, &sound->format, &sound->bits);
}

/* ---- opening ------------------------------------------------------------------------------ */

static int open_player(kz__sound *sound) {
    kz__err err = {""};
    kz_status status = kz__player_open(&sound->player, &sound->cli->mem, sound->rate, &err);
    sound->listened = true;
    if (status == KZ_OK) return KZ__EXIT_DONE;
    return kz__cli_fail(sound->cli, KZ__EXIT_RESOURCE, "%s; write a file with -o FILE.wav",
                        err.text);
}

static int open_file(kz__sound *sound) {
    kz__err err = {""};
    kz_status status = kz__sound_file_open(&sound->file, &sound->cli->mem, sound->path,
                                           sound->format, sound->bits, sound->rate, &err);
    if (status != KZ_OK) return kz__cli_status(sound->cli, status, &err);
    sound->open = true;
    struct stat info;
    int fd = sound->file.out.fd;
    bool pipe = fstat(fd, &info) == 0 && (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode));
    sound->listened = pipe && kz__format_streams(sound->format);
    if (isatty(fd)) {
        return kz__cli_fail(sound->cli, KZ__EXIT_USAGE, "sound is not written to a terminal");
    }
    return KZ__EXIT_DONE;
}

int kz__sound_open(kz__sound *sound, const kz_model_info *info) {
    kz__cli *cli = sound->cli;
    kz__err err = {""};
    sound->rate = info->sample_rate;
    sound->buffer = kz__calloc(&cli->mem, BUFFER_SAMPLES, sizeof *sound->buffer);
    if (!sound->buffer) return kz__cli_status(cli, KZ_ERR_MEMORY, NULL);
    if (cli->set.hash) {
        sound->digest = EVP_MD_CTX_new();
        if (!sound->digest || !EVP_DigestInit_ex(sound->digest, EVP_sha256(), NULL)) {
            return kz__cli_fail(cli, KZ__EXIT_FAILED, "SHA-256 is not to be had");
        }
    }
    if (cli->set.dump) {
        kz_status status = kz__dump_open(&sound->dump, &cli->mem, cli->set.dump, &err);
        if (status != KZ_OK) return kz__cli_status(cli, status, &err);
    }
    return sound->path ? open_file(sound) : open_player(sound);
}

/* ---- running ------------------------------------------------------------------------------ */

static void hash_samples(kz__sound *sound, const float *samples, size_t count) {
    unsigned char bytes[4 * 1024];
    while (sound->digest && count > 0) {
        size_t take = count < 1024 ? count : 1024;
        kz__pcm_write_f32(samples, take, bytes);
        EVP_DigestUpdate(sound->digest, bytes, 4 * take);
        samples += take;
        count -= take;
    }
}

static void show_progress(kz__sound *sound) {
    double now = kz__clock_ms();
    if (now - sound->shown_ms < PROGRESS_MS) return;
    sound->shown_ms = now;
    kz__cli_progress(sound->cli, "%s%.1f s of sound", sound->part,
                     (double)sound->samples / sound->rate);
}

double kz__sound_lead(const kz__sound *sound) {
    double heard = kz__clock_ms() - sound->begun_ms - sound->stall_ms;
    return sound->samples ? (double)sound->samples / sound->rate - heard / 1e3 : 0;
}

/* A listener who has nothing left waits until the next samples come. */
static void note_stall(kz__sound *sound) {
    double lead = kz__sound_lead(sound);
    if (sound->samples == 0) sound->begun_ms = kz__clock_ms();
    if (lead < 0) sound->stall_ms -= 1e3 * lead;
}

bool kz__sound_ready(kz__sound *sound) {
    if (sound->player) return kz__player_ready(sound->player);
    if (!sound->listened) return true;
    struct pollfd fd = {sound->file.out.fd, POLLOUT, 0};
    return poll(&fd, 1, 0) != 0; /* also where the reader has gone: the write will tell */
}

size_t kz__sound_portion(const kz__sound *sound) {
    return sound->listened ? PORTION : BUFFER_SAMPLES;
}

/* False where the run must end; *code says how. */
static bool put(kz__sound *sound, const float *samples, size_t count, int *code) {
    kz__err err = {""};
    hash_samples(sound, samples, count);
    note_stall(sound);
    kz_status status = sound->path ? kz__sound_file_write(&sound->file, samples, count, &err)
                                   : kz__player_write(sound->player, samples, count,
                                                      kz__interrupted, &err);
    if (status == KZ_OK) {
        sound->samples += count;
        show_progress(sound);
        return true;
    }
    if (!sound->path && status == KZ_ERR_CANCELLED) {
        *code = KZ__EXIT_INTERRUPTED;
        return false;
    }
    sound->reader_gone = sound->path && sound->file.out.closed;
    *code = sound->reader_gone ? KZ__EXIT_DONE : kz__cli_status(sound->cli, status, &err);
    return false;
}

/* ---- joins -------------------------------------------------------------------------------- */

/* Holds the last samples back where pieces are joined; changes samples by the ramp up. */
bool kz__sound_pass(kz__sound *sound, float *samples, size_t count, int *code) {
    if (!sound->joins) return put(sound, samples, count, code);
    for (size_t i = 0; i < count && sound->ramp_left > 0; i++) {
        samples[i] *= 1 - ((float)sound->ramp_left - 0.5f) / KZ__RAMP;
        sound->ramp_left--;
    }
    size_t total = sound->tail_count + count;
    size_t out = total > KZ__RAMP ? total - KZ__RAMP : 0;
    size_t old = out < sound->tail_count ? out : sound->tail_count;
    size_t fresh = out - old;
    if (old > 0 && !put(sound, sound->tail, old, code)) return false;
    if (fresh > 0 && !put(sound, samples, fresh, code)) return false;
    sound->tail_count -= old;
    memmove(sound->tail, sound->tail + old, sound->tail_count * sizeof *samples);
    memcpy(sound->tail + sound->tail_count, samples + fresh, (count - fresh) * sizeof *samples);
    sound->tail_count += count - fresh;
    return true;
}

static bool put_tail(kz__sound *sound, int *code) {
    size_t count = sound->tail_count;
    sound->tail_count = 0;
    return count == 0 || put(sound, sound->tail, count, code);
}

int kz__sound_pause(kz__sound *sound, double seconds) {
    int code = KZ__EXIT_DONE;
    size_t left = (size_t)(seconds * sound->rate + 0.5);
    for (size_t i = 0; i < sound->tail_count; i++) {
        sound->tail[sound->tail_count - 1 - i] *= ((float)i + 0.5f) / KZ__RAMP;
    }
    if (!put_tail(sound, &code)) return code;
    memset(sound->buffer, 0, BUFFER_SAMPLES * sizeof *sound->buffer);
    while (left > 0) {
        size_t count = left < BUFFER_SAMPLES ? left : BUFFER_SAMPLES;
        if (!put(sound, sound->buffer, count, &code)) return code;
        sound->silence += count;
        left -= count;
    }
    sound->ramp_left = KZ__RAMP;
    return code;
}

/* ---- closing ------------------------------------------------------------------------------ */

static void end_hash(kz__sound *sound) {
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    if (sound->digest && EVP_DigestFinal_ex(sound->digest, bytes, &length)) {
        for (unsigned i = 0; i < length && i < 32; i++) {
            snprintf(sound->hash + 2 * i, 3, "%02x", bytes[i]);
        }
    }
    EVP_MD_CTX_free(sound->digest);
    sound->digest = NULL;
}

static int close_file(kz__sound *sound, int code) {
    kz__err err = {""};
    bool part = sound->samples > 0 && code != KZ__EXIT_OUTPUT && !sound->whole;
    bool keep = code == KZ__EXIT_DONE || part;
    if (!keep || sound->reader_gone) {
        kz__sound_file_discard(&sound->file);
        return code;
    }
    kz_status status = kz__sound_file_commit(&sound->file, &err);
    if (status == KZ_OK || sound->file.out.closed) return code;
    return kz__cli_status(sound->cli, status, &err);
}

int kz__sound_close(kz__sound *sound, int code) {
    kz__err err = {""};
    kz_status status = KZ_OK;
    if (!sound->cli) return code;
    int tail = KZ__EXIT_DONE;
    if (!sound->reader_gone && code != KZ__EXIT_OUTPUT) put_tail(sound, &tail);
    if (code == KZ__EXIT_DONE) code = tail;
    if (sound->player) {
        kz__cli_progress(sound->cli, "playing");
        status = kz__player_close(sound->player, kz__interrupted, &err);
        sound->player = NULL;
    }
    kz__cli_progress(sound->cli, NULL);
    if (status != KZ_OK && code == KZ__EXIT_DONE) code = kz__cli_status(sound->cli, status, &err);
    if (kz__interrupted() && code == KZ__EXIT_DONE) code = KZ__EXIT_INTERRUPTED;
    if (sound->open) code = close_file(sound, code);
    sound->open = false;
    status = kz__dump_close(sound->dump, &err);
    sound->dump = NULL;
    if (status != KZ_OK && code == KZ__EXIT_DONE) code = kz__cli_status(sound->cli, status, &err);
    kz__free(&sound->cli->mem, sound->buffer);
    end_hash(sound);
    sound->buffer = NULL;
    return code;
}
