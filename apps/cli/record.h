/* The record of a run: sums over its pieces, and how it is shown (--stats, --profile, --hash,
 * --json). */
#ifndef KZ_CLI_RECORD_H
#define KZ_CLI_RECORD_H

#include "cli/sound.h"

typedef struct kz__record {
    kz_result sum;     /* times and counts added up; the rest as the last piece says */
    size_t pieces;
    kz_finish finish;  /* the worst of the pieces */
    size_t worst;      /* which one that is, from 1 */
    char detail[256];
} kz__record;

/* Adds what a piece has come to. */
void kz__record_add(kz__record *record, const kz_result *piece);

/* Tells on standard error when a limit ended the run; returns code, or 6 for the guard. */
int kz__record_finish(kz__cli *cli, const kz__record *record, int code);

/* Shows what was asked for, when the sound is closed. Returns an exit code. */
int kz__record_show(kz__cli *cli, const kz__record *record, const kz__sound *sound,
                    const kz_model_info *info);

const char *kz__type_name(kz_type type);
const char *kz__decoder_name(kz_decoder decoder);

#endif
