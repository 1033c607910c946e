/* Pieces of text (or codes) spoken side by side, with one reading of the weights for all, and heard
 * in order. Pieces of one output make a strand; the first of a strand that is not over is due: its
 * sound is passed on while it is made. Those behind it run ahead; when such a one is complete only
 * its codes are kept, to be decoded when it is due, and its place is free for the next. A bounded
 * number of pieces is begun, so memory does not grow with the text.
 *
 * With one place this is the plain loop: a piece is begun, pulled to its end, and the next comes.
 * How many places there are changes no sample.
 */
#ifndef KZ_CLI_CHORUS_H
#define KZ_CLI_CHORUS_H

#include "cli/sound.h"

#define KZ__CHORUS_MOST 16

/* Text that arrives on standard input while it is spoken; only with one place. */
typedef struct kz__live {
    bool ended;
} kz__live;

typedef struct kz__part {
    kz__sound *sound;     /* its strand: parts with the same sound, in the order of their coming */
    kz_request request;   /* what it points to is copied when the part begins */
    const int32_t *codes; /* [frames]: decoded, instead of a request; live until it is over */
    size_t frames;
    kz__live *live;       /* or NULL */
    size_t number, count; /* from 0, and of how many */
    size_t offset;        /* bytes of the text in front of it */
    bool joined;          /* `pause` seconds of silence, and ramps, come in front of it */
    double pause;
    char label[64];       /* in front of the progress */
    const char *about;    /* in front of messages, or NULL; lives with the strand */
    void *user;
} kz__part;

typedef enum kz__coming { KZ__PART_HERE, KZ__PART_LATER, KZ__PART_NONE } kz__coming;

typedef struct kz__parts {
    /* The next part. Where none is there yet it waits if `wait`, else says so at once. */
    kz__coming (*next)(void *user, kz__part *part, bool wait);
    /* It was begun. May be NULL. */
    void (*begun)(void *user, const kz__part *part, const kz_session *session);
    /* It is over: heard to its end, failed (code, the message is written), or interrupted. result
     * NULL: it never began. codes are its own. After a code, or where the reader has gone, the
     * rest of its strand is dropped without a word: do not give more of it. */
    void (*over)(void *user, const kz__part *part, int code, const kz_result *result,
                 const int32_t *codes, size_t frames);
    void *user;
} kz__parts;

typedef struct kz__chorus kz__chorus;

/* places: 1 to KZ__CHORUS_MOST. Exit code. */
int kz__chorus_open(kz__chorus **chorus, kz__cli *cli, const kz_model *model,
                    const kz_model_info *info, size_t places, const kz__parts *parts);

/* Until there are no more parts (0), or a signal came (130). Other codes are failures of its
 * own. */
int kz__chorus_run(kz__chorus *chorus);

/* Takes NULL. */
void kz__chorus_free(kz__chorus *chorus);

#endif
