/* Lines of a text in memory or of a descriptor, one at a time; memory grows with the longest line
 * only. */
#ifndef KZ_CLI_LINES_H
#define KZ_CLI_LINES_H

#include "cli/cli.h"

typedef struct kz__lines {
    kz__cli *cli;
    int fd;           /* -1: all is in bytes */
    char *bytes;      /* its own, for kz__free */
    size_t begin, end, capacity;
    size_t most;      /* bytes of a line; 0: no limit */
    size_t number;    /* of the last line, from 1 */
    size_t skipped;   /* bytes of a line beyond the limit that were dropped already */
    bool ended;
    int code;         /* of a failure; the message is written */
} kz__lines;

typedef enum kz__line {
    KZ__LINE_HERE,
    KZ__LINE_LONG,  /* longer than `most`: passed over */
    KZ__LINE_LATER, /* none yet; or a signal came */
    KZ__LINE_NONE   /* the end, or a failure */
} kz__line;

/* The next line, without its end; valid until the next call. Where there is none yet it waits if
 * `wait`. */
kz__line kz__lines_next(kz__lines *lines, bool wait, const char **line, size_t *length);

#endif
