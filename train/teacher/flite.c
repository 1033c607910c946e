/* The English teacher: lines of text on stdin -> flite's parameter tracks and phones with times.
 *
 * usage: flite OUT VOICE < LINES          VOICE: slt (a woman) or rms (a man)
 * libflite calls mlsa_resynthesis() to turn parameters into samples. Defined here, it keeps the
 * smoothed tracks instead: pitch, 25 mel-cepstra and 5 strengths of voicing every 5 ms. */
#include "record.h"
#include <flite/cst_cg.h>
#include <flite/flite.h>
#include <stdlib.h>

enum { MAX_PHONES = 4096, PITCH_AND_CEPSTRA = 26, STRENGTHS = 5 };

cst_voice *register_cmu_us_slt(const char *dir);
cst_voice *register_cmu_us_rms(const char *dir);
cst_track *cst_track_copy(const cst_track *track);

static cst_track *kept, *kept_strengths;

cst_wave *mlsa_resynthesis(const cst_track *t, const cst_track *strengths, cst_cg_db *db,
                           cst_audio_streaming_info *a, int mlsa_speed)
{
    (void)a;
    (void)mlsa_speed;
    kept = cst_track_copy(t);
    kept_strengths = strengths ? cst_track_copy(strengths) : NULL;
    cst_wave *w = new_wave();
    cst_wave_resize(w, 16, 1);
    w->sample_rate = db->sample_rate;
    return w;
}

/* Number of the blank-separated word of the text that a segment belongs to, -1 for pauses. */
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
        p->end = item_feat_float(s, "end");
        p->word = word_of(s);
        p->stress = ffeature_int(s, "R:SylStructure.parent.stress");
    }
    return n;
}

/* Pitch and cepstra, and the strengths behind them, in one table. */
static float *join_tracks(int frames)
{
    const int n = PITCH_AND_CEPSTRA + STRENGTHS;
    float *out = malloc(sizeof(float) * (size_t)n * (size_t)frames);
    for (int i = 0; out && i < frames; i++) {
        memcpy(out + i * n, kept->frames[i], sizeof(float) * PITCH_AND_CEPSTRA);
        memcpy(out + i * n + PITCH_AND_CEPSTRA, kept_strengths->frames[i],
               sizeof(float) * STRENGTHS);
    }
    return out;
}

static int speak(const char *line, cst_voice *voice, FILE *f)
{
    static struct phone phones[MAX_PHONES];
    kept = kept_strengths = NULL;
    cst_utterance *u = flite_synth_text(line, voice);
    int ok = u && kept && kept_strengths && kept->num_channels >= PITCH_AND_CEPSTRA
             && kept_strengths->num_channels == STRENGTHS
             && kept_strengths->num_frames >= kept->num_frames;
    if (ok) {
        float *tracks = join_tracks(kept->num_frames);
        struct record r = { line, kept->num_frames, PITCH_AND_CEPSTRA + STRENGTHS,
                            read_phones(u, phones), tracks, phones };
        ok = tracks && record_write(f, &r);
        free(tracks);
    }
    delete_utterance(u);
    delete_track(kept);
    delete_track(kept_strengths);
    return ok;
}

int main(int argc, char **argv)
{
    char line[8192];
    FILE *f = argc == 3 ? fopen(argv[1], "wb") : NULL;
    if (!f || (strcmp(argv[2], "slt") && strcmp(argv[2], "rms"))) {
        fprintf(stderr, "usage: flite OUT slt|rms < LINES\n");
        return 2;
    }
    flite_init();
    cst_voice *voice = argv[2][0] == 's' ? register_cmu_us_slt(NULL) : register_cmu_us_rms(NULL);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        if (!speak(line, voice, f)) {
            fprintf(stderr, "flite: cannot speak: %s\n", line);
            return 1;
        }
    }
    return fclose(f) ? 1 : 0;
}
