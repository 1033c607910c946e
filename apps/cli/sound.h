/* Sound to where the options say: a file, standard output or the loudspeaker; hashed on the way.
 * chorus.h says where it comes from. */
#ifndef KZ_CLI_SOUND_H
#define KZ_CLI_SOUND_H

#include "cli/cli.h"
#include "common/dump.h"
#include "common/player.h"
#include "common/sound_file.h"

#define KZ__RAMP 120 /* samples: 5 ms at 24 kHz */

typedef struct kz__sound {
    kz__cli *cli;
    const char *path;  /* NULL: the loudspeaker */
    bool on_stdout;    /* data and JSON then go to standard error */
    kz__format format;
    kz__bits bits;
    bool open;         /* file is */
    kz__sound_file file;
    kz__player *player;
    kz__dump *dump;
    void *digest;      /* EVP_MD_CTX, or NULL */
    char hash[65];     /* after closing: SHA-256 in hex, "" without --hash */
    float *buffer;
    int rate;
    uint64_t samples;  /* written, pauses included */
    uint64_t silence;  /* samples of pauses */
    bool joins;        /* pieces are joined: see kz__sound_pause */
    float tail[KZ__RAMP]; /* held back while joining: what a ramp down may yet change */
    size_t tail_count;
    size_t ramp_left;  /* samples that a ramp up still has */
    char part[64];     /* in front of the progress: which piece; "" where there is one */
    bool reader_gone;
    bool whole;        /* a file is put in its place only when it is complete */
    bool listened;     /* somebody may hear it while it is made: a loudspeaker or a pipe */
    double begun_ms;   /* when the first samples left */
    double stall_ms;   /* how long a listener who began then has waited since, in all */
    double shown_ms;   /* when progress was shown last */
} kz__sound;

/* Reads the options and checks names and terminals, before anything is loaded. Exit code. */
int kz__sound_plan(kz__sound *sound, kz__cli *cli);

/* The same for a file of its own: path, which is never standard output. */
int kz__sound_plan_file(kz__sound *sound, kz__cli *cli, const char *path);

/* The format of files whose name says none: of standard output, and of a batch. The options are
 * checked against each other. Exit code. */
int kz__sound_default_format(kz__cli *cli, kz__format *format);

/* Opens the output, the dump and the hash. Exit code. */
int kz__sound_open(kz__sound *sound, const kz_model_info *info);

/* Samples of a piece, which may be changed. False where the run must end: *code is its exit code,
 * 0 with reader_gone where nobody takes the sound any more. */
bool kz__sound_pass(kz__sound *sound, float *samples, size_t count, int *code);

/* False while a listener takes nothing more, so that passing would wait. */
bool kz__sound_ready(kz__sound *sound);

/* Samples to pass at once: few where a listener must not be waited for. At most those that
 * sound->buffer holds. */
size_t kz__sound_portion(const kz__sound *sound);

/* Seconds of sound that a listener who began with the first sample has not heard yet. */
double kz__sound_lead(const kz__sound *sound);

/* Between two pieces (`joins` is set before the first): so many seconds of silence, after a ramp
 * down over the last KZ__RAMP samples and before one up over the first of the next piece, so that
 * joins do not click. Nothing gets shorter. Exit code. */
int kz__sound_pause(kz__sound *sound, double seconds);

/* Ends the output: what was made is kept, also after an error (code). Returns code, or that of a
 * failure of its own. Takes a sound that was only planned. */
int kz__sound_close(kz__sound *sound, int code);

#endif
