/* The record that both readers write, one for each line of text that they read:
 *
 *   int32 x 3   mark, phones, bytes of the text
 *   the text
 *   per phone   name[8], number of its blank-separated word in the text (-1: a pause), stress
 *
 * Numbers have the machine's byte order: the files are made and read on one machine. */
#ifndef TRAIN_RECORD_H
#define TRAIN_RECORD_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define RECORD_MARK 0x5452434B

struct phone {
    char name[8];
    int32_t word, stress;
};

static int record_write(FILE *f, const char *text, const struct phone *phones, int n)
{
    int32_t head[3] = { RECORD_MARK, n, (int32_t)strlen(text) };
    int ok = fwrite(head, sizeof head, 1, f) == 1;
    ok = ok && fwrite(text, 1, (size_t)head[2], f) == (size_t)head[2];
    return ok && fwrite(phones, sizeof(struct phone), (size_t)n, f) == (size_t)n;
}

#endif
