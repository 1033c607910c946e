/* The record that both programs write, one for each line of text that they read:
 *
 *   int32 x 5   mark, frames, channels, phones, bytes of the text
 *   the text; frames * channels float32 (one frame every 5 ms)
 *   per phone   name[8], end in seconds (float32), number of its word in the text, stress (int32)
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
    float end;
    int32_t word, stress;
};

struct record {
    const char *text;
    int32_t frames, channels, n_phones;
    const float *tracks;
    const struct phone *phones;
};

static int record_write(FILE *f, const struct record *r)
{
    int32_t head[5] = { RECORD_MARK, r->frames, r->channels, r->n_phones,
                        (int32_t)strlen(r->text) };
    size_t values = (size_t)r->frames * (size_t)r->channels;
    size_t n = (size_t)r->n_phones;
    int ok = fwrite(head, sizeof head, 1, f) == 1;
    ok = ok && fwrite(r->text, 1, (size_t)head[4], f) == (size_t)head[4];
    ok = ok && fwrite(r->tracks, sizeof(float), values, f) == values;
    return ok && fwrite(r->phones, sizeof(struct phone), n, f) == n;
}

#endif
