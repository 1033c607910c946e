/* Talks with sessions for tests of behaviour: scripts in place of talker and predictor, whole runs
 * to compare, and checkpoints with something changed. */
#ifndef KZT_TALK_H
#define KZT_TALK_H

#include "engine/session.h"
#include "harness/golden.h"
#include "harness/packed.h"

#include <jansson.h>

/* ---- scripts ------------------------------------------------------------------------------- */

#define KZT_NEVER ((size_t)-1)

/* What a scripted talker does. Codes are drawn from `seed`, frame by frame; with a cycle the frames
 * repeat after so many. */
typedef struct kzt_script {
    uint32_t seed;
    size_t end;        /* end of speech at this frame, or KZT_NEVER */
    size_t fail;       /* failure at this frame, or KZT_NEVER */
    size_t cycle;      /* 0: none */
    size_t codebook;   /* codes below this */
    unsigned delay_ms; /* per frame */
    kz_session *cancel; /* cancelled while frame `cancel_at` is made */
    size_t cancel_at;
    size_t calls;      /* frames asked for */
} kzt_script;

/* Neither ends nor fails; codes fit the session's codec. */
kzt_script kzt_script_make(const kz_session *session, uint32_t seed);
/* A kz__script_fn for a kzt_script. */
int kzt_script_run(void *user, size_t frame, int32_t *codes);

/* ---- runs ---------------------------------------------------------------------------------- */

typedef struct kzt_run {
    kz_status status; /* that ended it; KZ_DONE where well */
    float *samples;
    size_t count;
    int32_t *codes;
    size_t frames;
    kz_result result;
} kzt_run;

/* A request for text with everything else as it is by default. */
kz_request kzt_request(const char *text);
kz_result kzt_result(const kz_session *session);
/* Starts the request and reads to the end; a start that fails fails the test. */
kzt_run kzt_run_all(kz_session *session, const kz_request *request);
/* Reads to the end what was started. */
kzt_run kzt_run_rest(kz_session *session);
/* Offline decoding of codes, 8 frames a packet. */
kzt_run kzt_decode(kz_session *session, const int32_t *codes, size_t frames, unsigned flags);
void kzt_run_free(kzt_run *run);
/* Fails the test unless codes and samples are the same bits. */
void kzt_same(const kzt_run *a, const kzt_run *b);
void kzt_same_samples(const float *a, size_t count_a, const float *b, size_t count_b);
/* Fails the test unless the text has the part. */
void kzt_has(const char *text, const char *part);
/* Fails the test unless the request is refused so, with `part` in the reason. */
void kzt_refused(kz_session *session, const kz_request *request, kz_status status,
                 const char *part);

/* ---- packed files -------------------------------------------------------------------------- */

/* A folder packed into *file (zeroed before); a tiny checkpoint's name or a path. */
void kzt_pack(const char *checkpoint, kz_type type, int threads, kzt_file *file);

/* The same on disk, in a folder of its own. */
typedef struct kzt_packed {
    kzt_file file;
    char *folder, *path; /* path: folder/model.kz */
} kzt_packed;

kzt_packed kzt_pack_to_disk(const char *checkpoint, kz_type type);
kzt_packed kzt_pack_compact(const char *checkpoint, kz_type type);
void kzt_packed_drop(kzt_packed *packed);

/* ---- changed checkpoints ------------------------------------------------------------------- */

/* A copy of a tiny checkpoint in a new folder, for kzt_tmpdir_remove. */
char *kzt_copy_checkpoint(const char *name);
/* Sets a value of folder/file by its dotted path ("talker_config.max_position_embeddings"); takes
 * the value over. NULL removes it. */
void kzt_set_json(const char *folder, const char *file, const char *path, json_t *value);
/* Overwrites value `index` of a tensor (F32 or BF16) in folder/file. */
void kzt_set_value(const char *folder, const char *file, const char *tensor, size_t index,
                   float value);
/* Cuts folder/file where the tensor begins. */
void kzt_cut_at(const char *folder, const char *file, const char *tensor);
/* Writes folder/file without the tensors whose name begins with `prefix`. */
void kzt_drop_tensors(const char *folder, const char *file, const char *prefix);

#endif
