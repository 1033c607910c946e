/* Sound of a session to where the options say: a file, standard output or the loudspeaker; hashed
 * on the way. Shared by `say` and `decode`. */
#ifndef KZ_CLI_SOUND_H
#define KZ_CLI_SOUND_H

#include "cli/cli.h"
#include "common/dump.h"
#include "common/player.h"
#include "common/wav_out.h"

#define KZ__RAMP 120 /* samples: 5 ms at 24 kHz */

typedef struct kz__sound {
    kz__cli *cli;
    const char *path;  /* NULL: the loudspeaker */
    bool on_stdout;    /* data and JSON then go to standard error */
    bool raw;
    kz__bits bits;
    bool open;         /* wav is */
    kz__wav wav;
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
    double shown_ms;   /* when progress was shown last */
} kz__sound;

/* Text that arrives on standard input while the session speaks. */
typedef struct kz__live {
    bool ended;
} kz__live;

/* Reads the options and checks names and terminals, before anything is loaded. Exit code. */
int kz__sound_plan(kz__sound *sound, kz__cli *cli);

/* Opens the output, the dump (its tap is set on session) and the hash. Exit code. */
int kz__sound_open(kz__sound *sound, const kz_model_info *info, kz_session *session);

/* Pulls one utterance that was started. live may be NULL. Exit code; 0 with reader_gone where
 * nobody takes the sound any more. */
int kz__sound_run(kz__sound *sound, kz_session *session, kz__live *live);

/* Between two pieces (`joins` is set before the first): so many seconds of silence, after a ramp
 * down over the last KZ__RAMP samples and before one up over the first of the next piece, so that
 * joins do not click. Nothing gets shorter. Exit code. */
int kz__sound_pause(kz__sound *sound, double seconds);

/* Ends the output: what was made is kept, also after an error (code). Returns code, or that of a
 * failure of its own. Takes a sound that was only planned. */
int kz__sound_close(kz__sound *sound, int code);

#endif
