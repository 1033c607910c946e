/* The handler writes into a pipe as well, so that no signal is missed between looking and
 * waiting. */
#include "common/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
#define NUMBERS (sizeof numbers / sizeof *numbers)

static volatile sig_atomic_t seen;
static int wake[2] = {-1, -1};
static void (*before_leaving)(void);
static int leaving_code;

static void leave(int number) {
    (void)number;
    before_leaving();
    _exit(leaving_code);
}

static void on_signal(int number) {
    int saved = errno;
    struct sigaction standard;
    memset(&standard, 0, sizeof standard);
    standard.sa_handler = SIG_DFL;
    for (size_t i = 0; i < NUMBERS; i++) sigaction(numbers[i], &standard, NULL);
    seen = number;
    if (wake[1] >= 0) {
        ssize_t ignored = write(wake[1], "", 1);
        (void)ignored;
    }
    errno = saved;
}

void kz__interrupt_ignore_writes(void) {
    struct sigaction ignore;
    memset(&ignore, 0, sizeof ignore);
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGXFSZ, &ignore, NULL);
}

/* A program started in the background by a shell has SIGINT ignored, and it stays so. */
static void catch_all(void (*handler)(int number)) {
    struct sigaction old;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < NUMBERS; i++) {
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN) continue;
        sigaction(numbers[i], &action, NULL);
    }
}

void kz__interrupt_early(void (*leaving)(void), int exit_code) {
    before_leaving = leaving;
    leaving_code = exit_code;
    catch_all(leave);
}

void kz__interrupt_install(void) {
    if (wake[0] < 0 && pipe(wake) == 0) {
        for (int i = 0; i < 2; i++) {
            fcntl(wake[i], F_SETFD, FD_CLOEXEC);
            fcntl(wake[i], F_SETFL, O_NONBLOCK);
        }
    }
    catch_all(on_signal);
}

bool kz__interrupted(void) {
    return seen != 0;
}

bool kz__interrupt_wait(int fd, int timeout_ms) {
    struct pollfd fds[2] = {{fd, POLLIN, 0}, {wake[0], POLLIN, 0}};
    for (;;) {
        if (seen) return false;
        int ready = poll(fds, wake[0] >= 0 ? 2 : 1, timeout_ms);
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return false;
        if (fds[0].revents) return true;
    }
}
