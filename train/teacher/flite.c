/* The English reader: lines of text on stdin -> flite's phones, each with its word and stress.
 *
 * usage: flite OUT < LINES
 * How phones sound and how long they last, kokoro.py decides, so the steps of the voice that would
 * are taken out. */
#include "record.h"
#include <flite/flite.h>

enum { MAX_PHONES = 4096 };

cst_voice *register_cmu_us_slt(const char *dir);

static cst_utterance *nothing(cst_utterance *u)
{
    return u;
}

static int word_of(const cst_item *segment)
{
    const cst_item *word = item_parent(item_parent(item_as(segment, "SylStructure")));
    const cst_item *token = word ? item_parent(item_as(word, "Token")) : NULL;
    int n = -1;
    for (; token; token = item_prev(token)) {
        n++;
    }
    return n;
}

static int read_phones(cst_utterance *u, struct phone *phones)
{
    int n = 0;
    for (cst_item *s = relation_head(utt_relation(u, "Segment")); s && n < MAX_PHONES;
         s = item_next(s)) {
        struct phone *p = &phones[n++];
        memset(p, 0, sizeof *p);
        strncpy(p->name, item_name(s), sizeof p->name - 1);
        p->word = word_of(s);
        p->stress = ffeature_int(s, "R:SylStructure.parent.stress");
    }
    return n;
}

int main(int argc, char **argv)
{
    static struct phone phones[MAX_PHONES];
    char line[8192];
    FILE *f = argc == 2 ? fopen(argv[1], "wb") : NULL;
    if (!f) {
        fprintf(stderr, "usage: flite OUT < LINES\n");
        return 2;
    }
    flite_init();
    cst_voice *voice = register_cmu_us_slt(NULL);
    const char *const steps[] = { "duration_model_func", "f0_model_func", "wave_synth_func" };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        feat_set(voice->features, steps[i], uttfunc_val(nothing));
    }
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        cst_utterance *u = flite_synth_text(line, voice);
        if (!u || !record_write(f, line, phones, read_phones(u, phones))) {
            fprintf(stderr, "flite: cannot read: %s\n", line);
            return 1;
        }
        delete_utterance(u);
    }
    return fclose(f) ? 1 : 0;
}
