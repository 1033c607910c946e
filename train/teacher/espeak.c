/* The French reader: lines of text on stdin -> espeak-ng's phones, each with its word.
 *
 * usage: espeak OUT < LINES
 * How phones sound and how long they last, kokoro.py decides. */
#include "record.h"
#include <espeak-ng/speak_lib.h>

enum { MAX_PHONES = 4096, FASTEST = 450 };

static struct phone phones[MAX_PHONES];
static int n_phones, word_now;
static const char *line_now;

/* Number of the blank-separated word that holds character `at` (from 1) of the line. */
static int word_at(int at)
{
    int word = 0, inside = 0, chars = 0;
    for (const unsigned char *p = (const unsigned char *)line_now; *p && chars < at; p++) {
        if ((*p & 0xC0) == 0x80) {
            continue;
        }
        chars++;
        if (*p == ' ') {
            word += inside;
            inside = 0;
        } else {
            inside = 1;
        }
    }
    return word;
}

static int take(short *wave, int n, espeak_EVENT *e)
{
    (void)wave;
    (void)n;
    for (; e->type != espeakEVENT_LIST_TERMINATED; e++) {
        if (e->type == espeakEVENT_WORD) {
            word_now = word_at(e->text_position);
        } else if (e->type == espeakEVENT_PHONEME && n_phones < MAX_PHONES) {
            struct phone *p = &phones[n_phones++];
            memset(p, 0, sizeof *p);
            memcpy(p->name, e->id.string, sizeof p->name);
            p->word = word_now;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    char line[8192];
    FILE *f = argc == 2 ? fopen(argv[1], "wb") : NULL;
    int rate =
        espeak_Initialize(AUDIO_OUTPUT_SYNCHRONOUS, 0, NULL, espeakINITIALIZE_PHONEME_EVENTS);
    if (!f || rate <= 0 || espeak_SetVoiceByName("fr") != EE_OK) {
        fprintf(stderr, "usage: espeak OUT < LINES\n");
        return 2;
    }
    espeak_SetParameter(espeakRATE, FASTEST, 0);
    espeak_SetSynthCallback(take);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        line_now = line;
        n_phones = word_now = 0;
        if (espeak_Synth(line, strlen(line) + 1, 0, POS_CHARACTER, 0, espeakCHARS_UTF8, NULL, NULL)
            != EE_OK) {
            fprintf(stderr, "espeak: cannot speak: %s\n", line);
            return 1;
        }
        if (!record_write(f, line, phones, n_phones)) {
            perror(argv[1]);
            return 1;
        }
    }
    espeak_Terminate();
    return fclose(f) ? 1 : 0;
}
