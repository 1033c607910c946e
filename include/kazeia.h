/* Kazeia: text to speech with the Qwen3-TTS 12 Hz models. The library's one header.
 *
 * A kz_model is a checkpoint in memory: immutable, shared by any number of threads. A kz_session
 * speaks one utterance at a time and belongs to one thread at a time; it can be used again and
 * again. Sound is mono float32 in [-1, 1] at the model's rate (24 kHz), frames are 80 ms.
 *
 * Every call returns a kz_status: 0 is success, negative is an error, positive is a state.
 * The reason of an error is kz_error(session), or the text buffer of calls that make a handle.
 * The library never prints, never exits and reads no environment variable.
 *
 * Structs of options and results carry their size first and grow at their end, so that a program
 * runs with a library that is newer, or older, than the header it was compiled with:
 * - Options (kz_model_options, kz_convert_options, kz_split_options, kz_encode_options,
 *   kz_voice_options, kz_request, kz_session_options, kz_batch_options) are made by their init
 *   call, which sets their size and all defaults. What a shorter, older struct lacks has its
 *   default; what a longer, newer one has beyond the library's own must be zero. Another size or
 *   tail is KZ_ERR_USAGE. kz_allocator is taken in the same way; it has no init call, set its size
 *   to sizeof.
 * - Results (kz_model_info, kz_convert_result, kz_voice_info, kz_result, kz_probe): set their size
 *   to sizeof. They are filled as far as they go, with zeros in what the library does not know.
 * - kz_packet is made by the library alone and grows at its end.
 * - kz_piece, kz_prompt_row and kz_sampling stand in arrays or in other structs: they never change.
 *
 * What a call is given stays the caller's and is not used after the call, unless it says so. What a
 * call returns stays the library's, unless there is a free call for it.
 */
#ifndef KAZEIA_H
#define KAZEIA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KZ_VERSION_MAJOR 0
#define KZ_VERSION_MINOR 1
#define KZ_VERSION_PATCH 0

/* The number in the shared library's name: programs run with any later library of the same one. */
#define KZ_ABI 0

#if defined(__GNUC__)
#define KZ_API __attribute__((visibility("default")))
#else
#define KZ_API
#endif

/* ---- status ------------------------------------------------------------------------------ */

typedef enum kz_status {
    KZ_OK = 0,
    KZ_DONE = 1,      /* the utterance is complete, nothing more to read */
    KZ_NEED_TEXT = 2, /* live text: the talker waits for kz_session_append or _finish_text */
    KZ_TIMEOUT = 3,   /* nothing was ready within the time given */

    KZ_ERR_FAILED = -1,    /* computation failed: a non-finite value, an internal error */
    KZ_ERR_USAGE = -2,     /* wrong call or option value */
    KZ_ERR_MODEL = -3,     /* model missing, damaged or not supported */
    KZ_ERR_INPUT = -4,     /* text, voice, language or codes that cannot be used */
    KZ_ERR_OUTPUT = -5,    /* output could not be written (the sink said stop with an error) */
    KZ_ERR_MEMORY = -7,    /* out of memory, or no thread could be made */
    KZ_ERR_CANCELLED = -8, /* kz_session_cancel, or the sink said stop */
    KZ_ERR_STATE = -9      /* call not allowed now, e.g. read without start */
} kz_status;

/* A short English text for a code; never NULL. Any thread. */
KZ_API const char *kz_status_text(kz_status code);

/* ---- library ----------------------------------------------------------------------------- */

/* "0.1.0". Any thread. */
KZ_API const char *kz_version(void);

/* The number of the arithmetic: raised whenever samples change for equal inputs. Any thread. */
KZ_API int kz_arithmetic(void);

/* One line: kernel levels compiled in, the best one usable here, formats, arithmetic number. Any
 * thread. */
KZ_API const char *kz_features(void);

/* Names of kernel levels from slowest to fastest that this build and machine can use, NULL after
 * the last. kz_cpu_level(0) is "scalar". Any thread. */
KZ_API const char *kz_cpu_level(size_t index);

/* Processors that affinity and container quota leave to this process, 1 to 256. Any thread. */
KZ_API int kz_default_threads(void);

/* Log hook of the process: level 0 notice (something about the input worth telling), 1 debug.
 * Called on the thread that noticed, text is valid during the call. NULL switches off (the
 * default). Not concurrent: set it before other calls. */
typedef void (*kz_log_fn)(void *user, int level, const char *text);
KZ_API void kz_set_log(kz_log_fn fn, void *user);

/* Memory for Kazeia's own objects. alloc returns size bytes aligned to `alignment` (a power of two,
 * at most 4096), or NULL, which becomes KZ_ERR_MEMORY; release gets what alloc returned. Both are
 * called from any thread. Functions and user must outlive the objects; the struct is copied. */
typedef struct kz_allocator {
    size_t size;
    void *(*alloc)(void *user, size_t bytes, size_t alignment);
    void (*release)(void *user, void *ptr);
    void *user;
} kz_allocator;

/* ---- model ------------------------------------------------------------------------------- */

typedef struct kz_model kz_model;

typedef enum kz_type {
    KZ_TYPE_STORED = 0,
    KZ_TYPE_F32 = 1,
    KZ_TYPE_BF16 = 2,
    KZ_TYPE_Q8 = 3, /* 8 bits: blocks of 32 weights with a scale */
    KZ_TYPE_Q4 = 4  /* 4 bits, and 8 where those cost too much */
} kz_type;
/* How the codec decoder computes. Each has samples of its own. */
typedef enum kz_decoder {
    KZ_DECODER_DEFAULT = 0,  /* Winograd, on every machine */
    KZ_DECODER_DIRECT = 1,   /* sums as they are written */
    KZ_DECODER_WINOGRAD = 2, /* equal to rounding, in fewer multiplications */
    KZ_DECODER_INT8 = 3      /* large products in 8 bits, the rest as KZ_DECODER_WINOGRAD: coarse */
} kz_decoder;
typedef enum kz_kind {
    KZ_KIND_BASE = 0,
    KZ_KIND_CUSTOM_VOICE = 1,
    KZ_KIND_VOICE_DESIGN = 2
} kz_kind;

typedef struct kz_model_options {
    size_t size;
    const char *codec_path;        /* speech tokenizer folder; NULL: inside the model */
    kz_type type;                  /* weights in use, but for the codec decoder */
    const char *cpu;               /* highest kernel level, NULL: the best */
    const kz_allocator *allocator; /* NULL: malloc; copied */
    int codec_only;                /* 1: only the codec decoder is loaded (decode) */
    kz_decoder decoder;            /* arithmetic of the codec decoder */
} kz_model_options;

/* Sets the size and all defaults. Any thread. Callers in C and C++ write the second form; the first
 * is what the library has, for other languages: size is that of the caller's struct. So for every
 * init call below. */
KZ_API void kz_model_options_init_sized(kz_model_options *options, size_t size);
static inline void kz_model_options_init(kz_model_options *options) {
    kz_model_options_init_sized(options, sizeof *options);
}

/* Opens a checkpoint folder, a Hugging Face cache folder (snapshot or repository root), or a packed
 * file (kz_convert), which has its own codec and one weight type, and whose checksums are compared.
 * On failure *model is NULL and error (capacity bytes, may be NULL) holds one sentence.
 * options may be NULL. Any thread. Free with kz_model_free, which takes NULL, when nobody uses the
 * model any more; sessions and batches made from it must be freed first. */
KZ_API kz_status kz_model_open(const char *path, const kz_model_options *options, kz_model **model,
                               char *error, size_t capacity);
KZ_API void kz_model_free(kz_model *model);

typedef struct kz_model_info {
    size_t size;
    kz_kind kind;
    const char *size_name;    /* "0b6", "1b7", ... as in config.json */
    int sample_rate;          /* Hz */
    int samples_per_frame;    /* 1920 */
    int codes_per_frame;      /* 16 */
    int codebook_size;        /* entries of each codebook that the codec knows */
    int talker_layers, talker_width, predictor_layers, predictor_width;
    int speaker_vector_length; /* floats of a speaker vector; 0 where the kind takes none */
    int max_positions;         /* prompt rows + frames */
    int takes_instruct;        /* 1 where instruct changes the prompt */
    int default_live_text;     /* the reference's text layout for this kind */
    size_t speaker_count, language_count;
    kz_type type;             /* weights in use */
    const char *cpu;          /* kernel level in use */
    uint64_t parameters;      /* values of the tensors in use */
    uint64_t mapped_bytes;    /* weight files, shared with the page cache */
    uint64_t panel_bytes;     /* private: packed weights */
    uint64_t session_bytes;   /* private: one session before its first frame */
    uint64_t frame_bytes;     /* private: added per prompt row and frame (key-value cache) */
    int has_codec, has_talker;
    int has_speaker_encoder;  /* a Base model whose encoder for recordings is there */
    uint64_t decoder_macs_per_frame; /* multiply-adds of the codec decoder, attention left out */
    uint64_t lm_bytes_per_frame;     /* weights that talker and code predictor read for a frame */
    int text_limit; /* length of a text that this model speaks well in one go, as kz_split counts */
    kz_decoder decoder; /* arithmetic in use, never KZ_DECODER_DEFAULT */
    uint64_t prefix_bytes; /* private, at most, as they come: prompt rows that sessions have run and
                              share (by voice and instruction), and decoder states behind their
                              reference codes; not in the other numbers */
    int packed;            /* 1: a packed file; the next three are 0 for a folder */
    int packed_major, packed_minor; /* version of its form */
    int packed_arithmetic;          /* number of the arithmetic of the build that wrote it */
    uint64_t prompt_macs_per_row; /* multiply-adds of a row of the prompt, attention left out */
} kz_model_info;

/* Fills info (its `size` set by the caller); strings live as long as the model. Any thread. */
KZ_API kz_status kz_model_get_info(const kz_model *model, kz_model_info *info);

/* Speakers and languages as the model names them; NULL past the end. dialect (may be NULL) gets the
 * language the speaker implies for Chinese and auto, or NULL. Any thread. */
KZ_API const char *kz_model_speaker(const kz_model *model, size_t index, const char **dialect);
KZ_API const char *kz_model_language(const kz_model *model, size_t index);

/* ---- packed files ------------------------------------------------------------------------ */

typedef struct kz_convert_options {
    size_t size;
    const char *codec_path; /* these three as of a model */
    kz_type type;
    kz_decoder decoder;
    int threads; /* 1 to 256; KZ_DEFAULT: kz_default_threads(); never changes a byte */
    const kz_allocator *allocator; /* of working memory; NULL: malloc */
    int compact;  /* 1: the speech tokenizer as stored, to be made ready at each opening */
    int reserved; /* 0 */
} kz_convert_options;

typedef struct kz_convert_result {
    size_t size;
    uint64_t bytes;  /* of the file */
    size_t entries;  /* of its table of contents */
    kz_type type;    /* weights in it */
    int reserved;    /* 0 */
} kz_convert_result;

KZ_API void kz_convert_options_init_sized(kz_convert_options *options, size_t size);
static inline void kz_convert_options_init(kz_convert_options *options) {
    kz_convert_options_init_sized(options, sizeof *options);
}

/* Takes `bytes` bytes that belong at `offset` of the file; data is valid during the call. 0: go on,
 * else stop. */
typedef int (*kz_write_fn)(void *user, uint64_t offset, const void *data, size_t bytes);

/* Packs a checkpoint folder into one file: configuration, tokenizer, and all weights as the kernels
 * read them, of a Base model also of the encoders that recordings go through. kz_model_open of that
 * file gives the samples of the folder opened with the same type and decoder, compact or not. The
 * bytes are the same on any machine. write is called on this thread, block after block, at the end
 * once more for the header, which is zeros until then: what is cut short is no packed file. One
 * matrix at a time is in memory. options and result (its `size` set by the caller) may be NULL.
 * KZ_ERR_OUTPUT where write said stop. Any thread. */
KZ_API kz_status kz_convert(const char *path, const kz_convert_options *options, kz_write_fn write,
                            void *user, kz_convert_result *result, char *error, size_t capacity);

/* ---- text -------------------------------------------------------------------------------- */

/* Flags of a request and of the calls on text. */
enum {
    KZ_WHOLE_TEXT = 1,   /* the reference's non_streaming_mode true */
    KZ_LIVE_TEXT = 2,    /* ... false: one text row per frame; neither: as the model kind */
    KZ_AS_REFERENCE = 4, /* every quirk of the official package on a local folder */
    KZ_STRICT = 8,       /* notices about input become errors */
    KZ_CP_ORACLE = 16,   /* code predictor without its cache; same samples, slow */
    KZ_ALL_ROWS = 32     /* prompt rows and reference codes are run, not taken from what the model
                            remembers of earlier utterances, nor remembered; same samples */
};

/* Token ids of text as the prompt holds them (after the standing clean-up, or untouched with
 * KZ_AS_REFERENCE). ids may be NULL with capacity 0 to ask for the count; *count is the full count
 * in any case. piece(i) of the tokens is had with kz_token_text. Any thread. */
KZ_API kz_status kz_tokenize(const kz_model *model, const char *text, size_t length, unsigned flags,
                             int32_t *ids, size_t capacity, size_t *count, char *error,
                             size_t error_capacity);

/* The bytes of a token (not always whole UTF-8); NULL where the id has none. Lives with
 * the model. Any thread. */
KZ_API const char *kz_token_text(const kz_model *model, int32_t id, size_t *length);

/* What a piece of a long text is followed by. */
typedef enum kz_boundary {
    KZ_BOUNDARY_END = 0,       /* the end of the text */
    KZ_BOUNDARY_SENTENCE = 1,  /* the next sentence, or a line that stands for itself */
    KZ_BOUNDARY_PARAGRAPH = 2, /* an empty line */
    KZ_BOUNDARY_INNER = 3      /* the rest of a sentence that is longer than the limit */
} kz_boundary;

/* The bytes to speak, without white space at their ends. Pieces follow each other; what lies
 * between two (in front of the first, behind the last) is white space, or has no letter and no
 * digit. */
typedef struct kz_piece {
    size_t offset, length;
    kz_boundary after;
} kz_piece;

/* Lengths count characters, those of Chinese, Japanese and Korean (about a syllable each) three
 * times, marks on letters and invisible ones not at all. */
typedef struct kz_split_options {
    size_t size;
    int limit;  /* longest piece; sentences beyond are cut at ; : , - or a blank, never inside a
                   word or number. 0: none; KZ_DEFAULT: 400. kz_model_info.text_limit is a model's
                   own */
    int target; /* sentences of a paragraph are joined up to this. 0: never; KZ_DEFAULT: half the
                   limit */
    int whole;  /* 1: a text within the limit is one piece, whatever is in it */
    const char *language;          /* name or ISO code: abbreviations that only it has; NULL: any */
    const kz_allocator *allocator; /* of working memory; NULL: malloc */
} kz_split_options;

KZ_API void kz_split_options_init_sized(kz_split_options *options, size_t size);
static inline void kz_split_options_init(kz_split_options *options) {
    kz_split_options_init_sized(options, sizeof *options);
}

/* Cuts a long text into pieces to be spoken one after the other, each as a request of its own.
 * text is UTF-8 as the user wrote it. options may be NULL. pieces may be NULL with capacity 0 to
 * ask for the count; *count is the full count in any case, 0 where nothing can be spoken. Pure, in
 * linear time. Any thread. */
KZ_API kz_status kz_split(const char *text, size_t length, const kz_split_options *options,
                          kz_piece *pieces, size_t capacity, size_t *count, char *error,
                          size_t error_capacity);

/* ---- recordings and voices --------------------------------------------------------------- */

/* Recordings are mono float32 samples in [-1, 1] at the model's rate; libkazeia-audio
 * (kazeia-audio.h) makes such samples of files and memory in any format and rate. */

/* How far a long call is: `done` of the work, from 0 to 1, told now and then on the thread that
 * called. 0: go on, else the call stops with KZ_ERR_CANCELLED. */
typedef int (*kz_progress_fn)(void *user, double done);

typedef struct kz_encode_options {
    size_t size;
    int threads;  /* 1 to 256; KZ_DEFAULT: kz_default_threads(); never changes a code */
    int reserved; /* 0 */
    kz_progress_fn progress; /* these two may be NULL */
    void *user;
} kz_encode_options;
KZ_API void kz_encode_options_init_sized(kz_encode_options *options, size_t size);
static inline void kz_encode_options_init(kz_encode_options *options) {
    kz_encode_options_init_sized(options, sizeof *options);
}

/* Sound to codes, what kz_session_start_codes turns back into sound: a frame for each
 * samples_per_frame samples, the last one filled up. codes: [*frames][codes_per_frame], room for
 * `capacity` frames, which must be enough (else KZ_ERR_USAGE, nothing is computed); NULL with
 * capacity 0 asks for *frames alone. options may be NULL. KZ_ERR_INPUT: no samples, one that is not
 * finite, another rate than the model's, or a longer clip than the encoder has positions for;
 * KZ_ERR_MODEL: no encoder in the model's files. The encoder is loaded for the call. Any thread.
 * Source: Qwen3TTSTokenizer.encode. */
KZ_API kz_status kz_encode(const kz_model *model, const float *samples, size_t count,
                           int sample_rate, const kz_encode_options *options, int32_t *codes,
                           size_t capacity, size_t *frames, char *error, size_t error_capacity);

/* A voice made from a recording: the speaker vector and, where its transcript was given, the codes
 * of the recording, which the model then goes on from (in-context cloning). Immutable: any number
 * of threads may use it. It needs no model to live on, and speaks with every Base model that it
 * fits. */
typedef struct kz_voice kz_voice;

#define KZ_VOICE_NAME_MOST 64 /* bytes of a voice's name */

typedef struct kz_voice_options {
    size_t size;
    const char *transcript; /* what is said in the recording. NULL or blank: the speaker vector
                               alone is taken, and a notice tells so */
    int vector_only;        /* 1: that is wanted: no notice, and no transcript may be given */
    unsigned flags; /* KZ_STRICT; KZ_AS_REFERENCE: as the official package, without silence behind
                       the recording and without a look at the transcript */
    int tail_ms;    /* silence (0 to 5000 ms) put behind the recording before it becomes codes, so
                       that no half-said sound goes on in the next utterance; KZ_DEFAULT: 500, or 0
                       with KZ_AS_REFERENCE */
    int threads;    /* 1 to 256; KZ_DEFAULT: kz_default_threads(); never changes a voice */
    const char *name;     /* these may be NULL: none. name: see kz_voice_rename */
    const char *language; /* of the recording: a name or ISO code that the model knows */
    const char *consent;  /* a note: whose voice this is, and what it may be used for */
    kz_progress_fn progress; /* these two may be NULL */
    void *user;
} kz_voice_options;
KZ_API void kz_voice_options_init_sized(kz_voice_options *options, size_t size);
static inline void kz_voice_options_init(kz_voice_options *options) {
    kz_voice_options_init_sized(options, sizeof *options);
}

/* Makes a voice with a Base model. samples are at sample_rate, which must be the model's (else
 * KZ_ERR_INPUT with both). options may be NULL. The voice's memory comes from the model's
 * allocator, some 75 MB a minute of the recording while it is made; more than 300 s of it are
 * KZ_ERR_INPUT. On failure *voice is NULL and error (capacity bytes, may be NULL) holds one
 * sentence: KZ_ERR_MODEL where the model is of another kind or has no encoder, KZ_ERR_INPUT for a
 * recording or text that cannot be used, KZ_ERR_CANCELLED where progress said stop. Notices
 * (KZ_STRICT: KZ_ERR_INPUT): no transcript; one that is too long or too short for the recording.
 * Any thread.
 * Free with kz_voice_free, which takes NULL, when no call uses the voice any more.
 * Source: Qwen3TTSModel.create_voice_clone_prompt. */
KZ_API kz_status kz_voice_from_samples(const kz_model *model, const float *samples, size_t count,
                                       int sample_rate, const kz_voice_options *options,
                                       kz_voice **voice, char *error, size_t capacity);
KZ_API void kz_voice_free(kz_voice *voice);

typedef struct kz_voice_info {
    size_t size;
    /* UTF-8, "" where there is none; they live as long as the voice */
    const char *name, *language, *transcript, *consent;
    const char *made_with;   /* size_name of the model that it was made with */
    const char *version;     /* kz_version() of the library that made it */
    int vector_length;       /* floats of the speaker vector: the model's talker_width */
    int sample_rate;         /* Hz, these four as of the model */
    int samples_per_frame;
    int codes_per_frame;
    int codebook_size;
    int tail_ms;             /* silence behind the recording, in its codes */
    size_t frames;           /* of codes; 0: the speaker vector alone */
    uint64_t samples;        /* of the recording */
    uint64_t checksum;       /* of what the voice sounds like (vector, codes, transcript): equal for
                                voices that differ in name and notes alone */
} kz_voice_info;
/* Fills info (its `size` set by the caller). Any thread. */
KZ_API kz_status kz_voice_get_info(const kz_voice *voice, kz_voice_info *info);

/* The speaker vector, [*length]; and the codes, [*frames][codes_per_frame], NULL where there are
 * none. They live with the voice; length and frames may be NULL. Any thread. */
KZ_API const float *kz_voice_vector(const kz_voice *voice, size_t *length);
KZ_API const int32_t *kz_voice_codes(const kz_voice *voice, size_t *frames);

/* Whether the voice can speak with this model: else KZ_ERR_INPUT and a sentence. Any thread. */
KZ_API kz_status kz_voice_fits(const kz_voice *voice, const kz_model *model, char *error,
                               size_t capacity);

/* A copy of another name. A name has 1 to KZ_VOICE_NAME_MOST bytes of UTF-8: no '/', no backslash,
 * no control characters, no '.' in front, no blanks at its ends, and it does not end in ".kzv"
 * (else KZ_ERR_INPUT); it is kept in normalisation form C. NULL or "": none. The memory comes from
 * the allocator of the first. Any thread. */
KZ_API kz_status kz_voice_rename(const kz_voice *voice, const char *name, kz_voice **renamed,
                                 char *error, size_t capacity);

/* A voice as a file (.kzv, docs/FORMATS.md): its bytes, which live with the voice; written to a
 * path; and taken from a path or memory, in whole and with all checksums compared. A file of that
 * path is replaced when the new one is whole and on the disk: KZ_ERR_OUTPUT leaves it as it was.
 * Loading: KZ_ERR_INPUT for what is no voice, is cut, changed, or of a newer major version.
 * allocator may be NULL (malloc); it is copied. Any thread. */
KZ_API const void *kz_voice_bytes(const kz_voice *voice, size_t *length);
KZ_API kz_status kz_voice_save(const kz_voice *voice, const char *path, char *error,
                               size_t capacity);
KZ_API kz_status kz_voice_load(const char *path, const kz_allocator *allocator, kz_voice **voice,
                               char *error, size_t capacity);
KZ_API kz_status kz_voice_load_memory(const void *bytes, size_t length,
                                      const kz_allocator *allocator, kz_voice **voice,
                                      char *error, size_t capacity);

/* ---- request ----------------------------------------------------------------------------- */

/* Values below are "as the model's generation_config.json" where they hold KZ_DEFAULT. */
#define KZ_DEFAULT (-1)

typedef struct kz_sampling {
    double temperature;        /* 0 is greedy */
    int top_k;                 /* 0 is off */
    double top_p;              /* 1 is off */
    double repetition_penalty; /* 1 is off */
    int repetition_window;     /* last codes looked at; 0 is the whole utterance */
} kz_sampling;

typedef struct kz_request {
    size_t size;
    const char *text; /* UTF-8; NULL: text comes with kz_session_append */
    size_t text_length;
    const char *voice;    /* speaker of the model; NULL: none, or the first where one is needed */
    const char *language; /* name or ISO code, NULL: auto */
    const char *instruct; /* style, NULL: none */
    unsigned flags;
    uint64_t seed;
    kz_sampling talker, predictor;
    int min_frames;   /* end of speech is not drawn before; KZ_DEFAULT: 2 */
    int max_frames;   /* KZ_DEFAULT: the reference's limit and the text-scaled bound */
    int exact_frames; /* > 0: exactly so many, end of speech never drawn */
    int packet;       /* frames decoded together; KZ_DEFAULT: 1, then growing */
    /* Base models: a speaker vector, and for in-context cloning codes with their transcript. */
    const float *speaker_vector;
    size_t speaker_vector_length;
    const int32_t *reference_codes; /* [reference_frames][16] */
    size_t reference_frames;
    const char *reference_text;
    uint32_t piece; /* number of the piece of a long text: draws depend on it and the seed */
    uint32_t reserved; /* 0 */
    const kz_voice *cloned; /* in place of the five members of the Base models above; with another
                               model, or one that it does not fit: KZ_ERR_INPUT. NULL: none */
} kz_request;

KZ_API void kz_request_init_sized(kz_request *request, size_t size);
static inline void kz_request_init(kz_request *request) {
    kz_request_init_sized(request, sizeof *request);
}

/* One row of the prompt (or of the text that follows, one row per frame). */
typedef struct kz_prompt_row {
    int32_t text_id;   /* -1: no text part */
    int32_t codec_id;  /* -1: none, -2: speaker vector, -3: frame of the reference */
    const char *role;  /* "instruct", "role", "tag", "speaker", "bos", "text", "reference" */
} kz_prompt_row;

/* The rows that a request makes: first `*prompt` rows of the prefill, then the trailing text rows.
 * rows and embeddings ([count][talker width], prefill rows and trailing text side; may be NULL) are
 * filled up to capacity rows. *count and *prompt are always set. Any thread. */
KZ_API kz_status kz_prompt(const kz_model *model, const kz_request *request, kz_prompt_row *rows,
                           float *embeddings, size_t capacity, size_t *count, size_t *prompt,
                           char *error, size_t error_capacity);

/* ---- session ----------------------------------------------------------------------------- */

typedef struct kz_session kz_session;
typedef struct kz_batch kz_batch;

/* How work is handed to the threads. Never changes the samples. */
typedef enum kz_placement {
    KZ_PLACEMENT_DEFAULT = 0, /* free */
    KZ_PLACEMENT_FREE = 1,    /* whoever is ready takes the next piece */
    KZ_PLACEMENT_STRICT = 2   /* a thread takes the same share each time, so that its core reads the
                                 same weights again */
} kz_placement;

typedef struct kz_session_options {
    size_t size;
    int threads; /* compute threads, 1 to 256, the caller's included; KZ_DEFAULT:
                    kz_default_threads() */
    kz_batch *batch; /* made in this batch (see below), whose threads, placement and level it uses
                        and not those of this struct; NULL: on its own */
    int ahead_ms;    /* > 0: runs ahead of its reader on a thread of its own, by so much sound at
                        most (whole frames, at least one; up to 600000): a reader that is busy
                        elsewhere does not stop the making of frames. Same samples. 0: the caller's
                        thread computes. Not in a batch */
    kz_placement placement;
    const char *cpu; /* kernel level as in kz_model_options; NULL: the model's */
} kz_session_options;

KZ_API void kz_session_options_init_sized(kz_session_options *options, size_t size);
static inline void kz_session_options_init(kz_session_options *options) {
    kz_session_options_init_sized(options, sizeof *options);
}

/* Makes a session with its own threads and state. On failure *session is NULL and error (capacity
 * bytes, may be NULL) holds one sentence. options may be NULL. The model must outlive it. Any
 * thread; in a batch, the batch's. kz_session_free takes NULL, also while an utterance runs, but
 * not while another thread is in a call on the session. */
KZ_API kz_status kz_session_create(const kz_model *model, const kz_session_options *options,
                                   kz_session **session, char *error, size_t capacity);
KZ_API void kz_session_free(kz_session *session);

/* Reason of the last failed call on this handle, "" if none. Valid until the next call. One thread
 * per handle. */
KZ_API const char *kz_error(const kz_session *session);

/* Begins an utterance: checks everything, builds the prompt. What request points to is copied.
 * A running utterance is dropped. KZ_ERR_USAGE for values out of range, KZ_ERR_INPUT for a text,
 * voice or language that the model cannot speak, KZ_ERR_MODEL where only a codec was opened. One
 * thread per handle. */
KZ_API kz_status kz_session_start(kz_session *session, const kz_request *request);

/* Begins decoding of given codes: [frames][codes_per_frame], each in 0..codebook_size-1 (else
 * KZ_ERR_INPUT), which are copied. packet as in a request. flags: KZ_AS_REFERENCE renews the
 * decoder every 300 frames, as the reference does. One thread per handle. */
KZ_API kz_status kz_session_start_codes(kz_session *session, const int32_t *codes, size_t frames,
                                        int packet, unsigned flags);

/* Live text: more text (copied), and its end. Only after a start with text NULL and before the end,
 * else KZ_ERR_STATE. A UTF-8 character may be cut between two calls. One thread per handle. */
KZ_API kz_status kz_session_append(kz_session *session, const char *text, size_t length);
KZ_API kz_status kz_session_finish_text(kz_session *session);

/* Pull: computes as needed and copies up to capacity samples, *count of them. KZ_OK with samples,
 * KZ_DONE at the end, KZ_NEED_TEXT, or KZ_TIMEOUT when timeout_ms (-1: none) ran out between two
 * frames before a packet was complete; a call makes at least one frame, so 0 polls. A failure is
 * told after the samples made before it, a cancel at once. A session that runs ahead computes
 * elsewhere: KZ_TIMEOUT then means that no sample was there in time. One thread per handle. */
KZ_API kz_status kz_session_read(kz_session *session, float *samples, size_t capacity,
                                 size_t *count, int timeout_ms);

/* One stretch of sound, for a sink. */
typedef struct kz_packet {
    const float *samples; /* [count], in [-1, 1]; valid during the call */
    size_t count;
    int sample_rate;        /* Hz */
    int channels;           /* 1 */
    uint64_t sample_offset; /* of the first one, from the utterance's begin */
    uint64_t first_frame;   /* these two: frames that the samples belong to, in part or whole */
    size_t frames;
} kz_packet;
typedef int (*kz_sink_fn)(void *user, const kz_packet *packet); /* 0: go on, else stop */

/* Push: calls sink on this thread with each packet until the end (KZ_OK), until more text is needed
 * (KZ_NEED_TEXT), or until the sink or a cancel stops it (KZ_ERR_CANCELLED). One thread per
 * handle. */
KZ_API kz_status kz_session_speak(kz_session *session, kz_sink_fn sink, void *user);

/* Stops the utterance within one frame: the call that reads or speaks returns KZ_ERR_CANCELLED. Any
 * thread while the session exists, idempotent. The session can be started again. */
KZ_API void kz_session_cancel(kz_session *session);

/* A batch makes frames of up to 16 sessions together, with one reading of the weights for all. Each
 * session is started, given text, read and cancelled as ever, joins and leaves at any frame, and
 * has the samples of its lone run; but its frames are made by kz_batch_step, and a read only
 * decodes what is there (KZ_TIMEOUT: nothing yet). A batch and its sessions belong to one thread at
 * a time. */
typedef struct kz_batch_options {
    size_t size;
    int threads; /* as of a session */
    int slots;   /* sessions at most, 1 to 16; KZ_DEFAULT: 16 */
    kz_placement placement; /* these two as of a session */
    const char *cpu;
} kz_batch_options;
KZ_API void kz_batch_options_init_sized(kz_batch_options *options, size_t size);
static inline void kz_batch_options_init(kz_batch_options *options) {
    kz_batch_options_init_sized(options, sizeof *options);
}
/* As kz_session_create. Any thread. */
KZ_API kz_status kz_batch_create(const kz_model *model, const kz_batch_options *options,
                                 kz_batch **batch, char *error, size_t capacity);
/* Takes NULL. Its sessions must be freed first. The batch's thread. */
KZ_API void kz_batch_free(kz_batch *batch);

/* One frame (or a piece of the prompt) of every session that has started and not ended. KZ_OK with
 * *advanced of them (may be NULL), KZ_DONE where none has anything to do (all ended, or waiting for
 * text). A session that fails tells it in its next read. The batch's thread. */
KZ_API kz_status kz_batch_step(kz_batch *batch, size_t *advanced);

/* held 1: kz_batch_step leaves this session out until it is called with 0, so that another one
 * comes first. Changes no sample; a start does not end it. Nothing for a session on its own. The
 * batch's thread. */
KZ_API void kz_session_hold(kz_session *session, int held);

typedef enum kz_finish {
    KZ_FINISH_NONE = 0,  /* still running, or never started */
    KZ_FINISH_STOP = 1,  /* end of speech, or all codes decoded */
    KZ_FINISH_LENGTH = 2, /* a limit that the request set */
    KZ_FINISH_GUARD = 3, /* a limit nobody set, or a runaway that was detected */
    KZ_FINISH_CANCELLED = 4,
    KZ_FINISH_ERROR = 5
} kz_finish;
/* "stop", "length", ...; never NULL. Any thread. */
KZ_API const char *kz_finish_text(kz_finish finish);

#define KZ_PREDICTOR_PASSES 15

typedef struct kz_result {
    size_t size;
    uint64_t frames, samples; /* made so far */
    kz_finish finish;
    const char *finish_detail; /* which limit, which cycle; "" if nothing to tell; lives until the
                                  next call on the session */
    uint64_t seed;
    size_t prompt_rows, text_tokens;
    size_t prompt_rows_kept; /* of these, not run: an earlier utterance of any session of the model
                                began with them too */
    /* totals; they do not overlap, and add up to total_ms but for a few microseconds a frame */
    double prefill_ms, talker_ms, predictor_ms, decoder_ms, sampler_ms;
    double setup_ms; /* checking, tokenizing, building the prompt, preparing states */
    double copy_ms;  /* gathering embeddings, moving rows and samples */
    double first_audio_ms;  /* from start to the first samples handed out */
    double total_ms;        /* time inside calls since the start, the caller's own excluded; running
                               ahead: of the thread that computes, its waits excluded */
    double predictor_pass_ms[KZ_PREDICTOR_PASSES]; /* totals per pass */
    uint64_t session_bytes_peak; /* private memory of this session */
    int threads;
    int max_frames; /* the bound in use */
    const char *cpu; /* kernel level of the session; lives as long as the library */
} kz_result;
/* Fills result (its `size` set by the caller). One thread per handle. */
KZ_API kz_status kz_session_get_result(const kz_session *session, kz_result *result);

/* The samples as 16-bit integers: each times 32768, rounded to nearest with ties to even, and held
 * within -32768..32767, so that 1.0 gives 32767; a sample that is no number gives 0. samples and
 * out must not overlap. Any thread. */
KZ_API kz_status kz_int16(const float *samples, size_t count, int16_t *out);

/* The codes made so far: [*frames][codes_per_frame], valid until the next call on the session; may
 * be NULL where *frames is 0. One thread per handle. */
KZ_API const int32_t *kz_session_codes(const kz_session *session, size_t *frames);

/* Every stage's intermediate values, called on the thread that computes: the caller's, or its own
 * where the session runs ahead. name is like "talker.layer.03", "decoder.1"; shape has `rank`
 * sizes, rows first. frame counts from 0, in the decoder with the frames of a reference in front;
 * the prefill is frame -1. data and shape are valid during the call. NULL switches off. Set it
 * between start calls. One thread per handle. */
typedef void (*kz_tap_fn)(void *user, const char *name, long frame, const float *data,
                          const size_t *shape, int rank);
KZ_API void kz_session_set_tap(kz_session *session, kz_tap_fn fn, void *user);

/* ---- this machine ------------------------------------------------------------------------ */

typedef struct kz_probe {
    size_t size;
    double fma_gflops;      /* f32 fused multiply-adds, two operations each */
    double read_gbps;       /* streaming reads from memory, 10^9 bytes a second */
    double int8_gops;       /* the level's own 8-bit dot products, two operations a multiply-add */
} kz_probe;
/* Measures for half a second or so with so many threads (1 to 256) at a kernel level (NULL: best)
 * and fills probe (its `size` set by the caller). KZ_ERR_USAGE for a level that this machine does
 * not have (kz_cpu_level lists them). Any thread. */
KZ_API kz_status kz_probe_machine(int threads, const char *cpu, kz_probe *probe);

/* Checks every kernel of this machine against the scalar reference; report is called for each with
 * "level/kernel" and 1 if equal, on this thread; it may be NULL. Returns KZ_ERR_FAILED if any
 * differs. Any thread. */
typedef void (*kz_selftest_fn)(void *user, const char *name, int equal);
KZ_API kz_status kz_selftest_kernels(kz_selftest_fn report, void *user);

#ifdef __cplusplus
}
#endif
#endif
