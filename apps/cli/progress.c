/* A line that comes before its time is kept, and an alarm shows it when the time is there: what
 * computes for long without a word, such as loading, is seen as well. */
#include "cli/cli.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#define AFTER_MS 1000.0
#define WIPE "\r\033[K"

static char kept[256];
static volatile sig_atomic_t shown; /* a line is on the screen */

static void put(const char *text) {
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
}

static void on_alarm(int number) {
    int saved = errno;
    (void)number;
    shown = 1;
    put(kept);
    errno = saved;
}

static void show_later(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_alarm;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGALRM, &action, NULL) == 0) alarm(1);
}

void kz__cli_progress_wipe(void) {
    if (shown) put(WIPE);
    shown = 0;
}

void kz__cli_progress(kz__cli *cli, const char *format, ...) {
    if (!cli->terminal || cli->set.quiet) return;
    alarm(0);
    if (!format) {
        kz__cli_progress_wipe();
        return;
    }
    va_list args;
    va_start(args, format);
    memcpy(kept, WIPE, sizeof WIPE);
    vsnprintf(kept + strlen(WIPE), sizeof kept - strlen(WIPE), format, args);
    va_end(args);
    if (kz__clock_ms() - cli->begun_ms < AFTER_MS) {
        show_later();
    } else {
        on_alarm(0);
    }
}
