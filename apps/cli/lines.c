/* A buffer that is filled when it holds no line end. */
#include "cli/lines.h"

#include "common/interrupt.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static bool make_room(kz__lines *l) {
    if (l->begin > 0) {
        memmove(l->bytes, l->bytes + l->begin, l->end - l->begin);
        l->end -= l->begin;
        l->begin = 0;
    }
    if (l->capacity - l->end >= 4096) return true;
    size_t larger = 2 * l->capacity + 8192;
    char *grown = kz__grow(&l->cli->mem, l->bytes, larger);
    if (!grown) {
        l->code = kz__cli_status(l->cli, KZ_ERR_MEMORY, NULL);
        return false;
    }
    l->bytes = grown;
    l->capacity = larger;
    return true;
}

/* Reads more, or learns that there is no more. False where nothing came for now. */
static bool read_more(kz__lines *l, bool wait) {
    if (l->fd < 0 || l->code) {
        l->ended = true;
        return true;
    }
    if (!kz__interrupt_wait(l->fd, wait ? -1 : 0)) return false;
    if (!make_room(l)) return true;
    ssize_t got = read(l->fd, l->bytes + l->end, l->capacity - l->end);
    if (got < 0 && errno == EINTR) return true;
    if (got < 0) {
        l->code = kz__cli_fail(l->cli, KZ__EXIT_INPUT, "cannot read the text: %s", strerror(errno));
    }
    if (got > 0) l->end += (size_t)got;
    l->ended = got <= 0;
    return true;
}

kz__line kz__lines_next(kz__lines *l, bool wait, const char **line, size_t *length) {
    size_t looked = 0;
    for (;;) {
        const char *start = l->bytes + l->begin;
        size_t have = l->end - l->begin;
        const char *stop = have > looked ? memchr(start + looked, '\n', have - looked) : NULL;
        bool last = l->ended && !l->code && have + l->skipped > 0;
        if (stop || last) {
            size_t bytes = stop ? (size_t)(stop - start) : have;
            bool large = l->most && bytes + l->skipped > l->most;
            l->begin += bytes + (stop != NULL);
            l->skipped = 0;
            l->number++;
            *line = start;
            *length = bytes;
            return large ? KZ__LINE_LONG : KZ__LINE_HERE;
        }
        if (l->ended || l->code) return KZ__LINE_NONE;
        if (l->most && have + l->skipped > l->most) { /* its bytes are of no use */
            l->skipped += have;
            l->begin = l->end = have = 0;
        }
        looked = have;
        if (!read_more(l, wait)) return KZ__LINE_LATER;
    }
}
