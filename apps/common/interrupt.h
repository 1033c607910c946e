/* Ctrl-C, SIGTERM and a terminal that closes: the first is noted, so that the program can end its
 * file; the second kills. Also switches SIGPIPE and SIGXFSZ off: a reader that has gone and a file
 * that has reached its limit are seen by the write. */
#ifndef KZ_COMMON_INTERRUPT_H
#define KZ_COMMON_INTERRUPT_H

#include <stdbool.h>

void kz__interrupt_ignore_writes(void);
/* Until kz__interrupt_install, which goes in front of the first output, a signal calls `leaving`
 * and ends the program at once with this exit code. */
void kz__interrupt_early(void (*leaving)(void), int exit_code);
void kz__interrupt_install(void);
bool kz__interrupted(void);

/* Waits until fd can be read (true) or a signal came (false). timeout_ms -1: without end; false
 * when it ran out. */
bool kz__interrupt_wait(int fd, int timeout_ms);

#endif
