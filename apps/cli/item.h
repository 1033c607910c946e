/* An item of a batch: one line of JSON, read into settings over those of the command line. */
#ifndef KZ_CLI_ITEM_H
#define KZ_CLI_ITEM_H

#include "cli/record.h"
#include "cli/speech.h"

typedef struct kz__item {
    size_t line;
    json_t *root;        /* its strings are in use */
    json_t *id;          /* or NULL; of the root */
    const char *text;    /* of the root, or `loaded`; NULL before kz__item_text */
    size_t length;
    char *loaded;        /* text of a file */
    char *output;        /* path to write */
    char *target;        /* the same with nothing left to the folder that is current */
    kz__settings set;
    kz__args args;
    char pause[40];      /* where it came as a number */
    char about[160];     /* in front of messages */
    kz__speech speech;
    kz__sound sound;
    kz__record record;
} kz__item;

/* Reads a line. folder: of --output, NULL where none was given; base: its absolute path, or that of
 * the current folder. Exit code; the message is written. The item is for kz__item_free in any
 * case. */
int kz__item_read(kz__item *item, kz__cli *cli, size_t line, const char *bytes, size_t length,
                  const char *folder, const char *base);

/* Its text, from the file if it has one. Exit code. */
int kz__item_text(kz__item *item, kz__cli *cli);

void kz__item_free(kz__item *item, kz__cli *cli);

#endif
