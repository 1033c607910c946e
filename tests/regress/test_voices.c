/* Voices made from recordings by the library: what is refused and told, progress and cancel, the
 * same bytes each time, where a voice stands in the prompt, and that nothing of the reference is
 * heard. */
#include "harness/encoder.h"
#include "harness/talk.h"
#include "harness/tests.h"
#include "model/voice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RATE = 24000, PER_FRAME = 1920 };

static kz_model *base;
static kz_session *session;
static float *clip; /* ten seconds */

static int open_all(void **state) {
    (void)state;
    base = kzt_open("base-eq", NULL);
    session = kzt_session(base, 2);
    clip = kzt_clip(10 * RATE, 3);
    return 0;
}

static int close_all(void **state) {
    (void)state;
    kz_session_free(session);
    kz_model_free(base);
    free(clip);
    return 0;
}

/* ---- making -------------------------------------------------------------------------------- */

static kz_voice_options with(const char *transcript) {
    kz_voice_options options;
    kz_voice_options_init(&options);
    options.transcript = transcript;
    options.threads = 2;
    return options;
}

static kz_voice *make(size_t samples, const kz_voice_options *options) {
    kz_voice *voice = NULL;
    char error[512] = "";
    kz_status status =
        kz_voice_from_samples(base, clip, samples, RATE, options, &voice, error, sizeof error);
    if (status) fail_msg("%zu samples: %d %s", samples, (int)status, error);
    return voice;
}

static void no_voice(const kz_model *model, const float *samples, size_t count, int rate,
                     const kz_voice_options *options, kz_status want, const char *part) {
    kz_voice *voice = (kz_voice *)1;
    char error[512] = "";
    kz_status status =
        kz_voice_from_samples(model, samples, count, rate, options, &voice, error, sizeof error);
    if (status != want || voice || !strstr(error, part)) {
        fail_msg("%d '%s', wanted %d '%s'", (int)status, error, (int)want, part);
    }
}

static void same_voice(const kz_voice *a, const kz_voice *b) {
    size_t lengths[2] = {0};
    const void *first = kz_voice_bytes(a, &lengths[0]);
    const void *second = kz_voice_bytes(b, &lengths[1]);
    assert_int_equal(lengths[0], lengths[1]);
    assert_memory_equal(first, second, lengths[0]);
}

static char heard[4096];

static void hear(void *user, int level, const char *text) {
    (void)user;
    if (level == 0) strncat(heard, text, sizeof heard - strlen(heard) - 1);
}

static void listen_now(void) {
    heard[0] = 0;
    kz_set_log(hear, NULL);
}

static const char sentence[] =
    "This is what somebody says in ten seconds, at an easy pace, and then goes on a little: one, "
    "two, three, four, and so on to ten.";

static void test_B103_another_rate(void **state) {
    (void)state;
    no_voice(base, clip, 1000, 22050, NULL, KZ_ERR_INPUT, "22050 samples a second");
    no_voice(base, clip, 1000, 22050, NULL, KZ_ERR_INPUT, "takes 24000");
    no_voice(base, clip, 1000, 0, NULL, KZ_ERR_INPUT, "takes 24000");
    no_voice(base, clip, 1000, -24000, NULL, KZ_ERR_INPUT, "takes 24000");
}

static void test_B116_B121_models_of_another_kind(void **state) {
    (void)state;
    kz_model_options codec_only;
    kz_model *custom = kzt_open("custom-eq", NULL);
    kz_model *design = kzt_open("design-eq", NULL);
    kz_model_options_init(&codec_only);
    codec_only.codec_only = 1;
    kz_model *codec = kzt_open("base-eq", &codec_only);
    kz_voice_options options = with(sentence);
    kz_voice *voice = make(RATE * 10, &options);
    no_voice(custom, clip, RATE, RATE, &options, KZ_ERR_MODEL, "custom voice model");
    no_voice(custom, clip, RATE, RATE, &options, KZ_ERR_MODEL, kz_model_speaker(custom, 0, NULL));
    no_voice(design, clip, RATE, RATE, &options, KZ_ERR_MODEL, "voice design model");
    no_voice(codec, clip, RATE, RATE, &options, KZ_ERR_MODEL, "only a codec");
    kz_session *other = kzt_session(custom, 1);
    kz_request request = kzt_request("Hello.");
    request.cloned = voice;
    kzt_refused(other, &request, KZ_ERR_INPUT, "speaks with a Base model; this is a custom voice");
    kz_session_free(other);
    kz_voice_free(voice);
    kz_model_free(codec);
    kz_model_free(design);
    kz_model_free(custom);
}

/* A voice of 0.6B with 1.7B, and the other way round: here models 72 and 88 wide. */
static void test_B120_models_of_another_width(void **state) {
    (void)state;
    kz_model *wide = kzt_open("base-mtp", NULL);
    kz_session *other = kzt_session(wide, 1);
    kz_voice_options options = with(sentence);
    options.name = "ada";
    kz_voice *narrow_voice = make(RATE * 10, &options);
    kz_voice *wide_voice = NULL;
    char error[512] = "";
    assert_int_equal(kz_voice_from_samples(wide, clip, RATE, RATE, NULL, &wide_voice, NULL, 0),
                     KZ_OK);
    kz_request request = kzt_request("Hello.");
    request.cloned = narrow_voice;
    kzt_refused(other, &request, KZ_ERR_INPUT, "the voice 'ada' was made for another model");
    kzt_refused(other, &request, KZ_ERR_INPUT, "is 72, this model's 88");
    request.cloned = wide_voice;
    kzt_refused(session, &request, KZ_ERR_INPUT, "is 88, this model's 72");
    assert_int_equal(kz_voice_fits(narrow_voice, wide, error, sizeof error), KZ_ERR_INPUT);
    kzt_has(error, "clone it again");
    assert_int_equal(kz_voice_fits(wide_voice, wide, error, sizeof error), KZ_OK);
    assert_int_equal(kz_voice_fits(NULL, wide, error, sizeof error), KZ_ERR_USAGE);
    kz_voice_free(wide_voice);
    kz_voice_free(narrow_voice);
    kz_session_free(other);
    kz_model_free(wide);
}

static void test_what_cannot_be_a_voice(void **state) {
    (void)state;
    static char long_text[KZ__VOICE_TRANSCRIPT + 2];
    kz_voice_options o = with(NULL);
    no_voice(base, clip, 0, RATE, &o, KZ_ERR_INPUT, "no samples");
    no_voice(base, NULL, 5, RATE, &o, KZ_ERR_USAGE, "recording");
    no_voice(NULL, clip, 5, RATE, &o, KZ_ERR_USAGE, "model");
    no_voice(base, clip, 300, RATE, &o, KZ_ERR_INPUT, "300 samples");
    assert_int_equal(kz_voice_from_samples(base, clip, RATE, RATE, &o, NULL, NULL, 0),
                     KZ_ERR_USAGE);
    float *bad = malloc(RATE * sizeof *bad);
    memcpy(bad, clip, RATE * sizeof *bad);
    bad[777] = NAN;
    no_voice(base, bad, RATE, RATE, &o, KZ_ERR_INPUT, "sample 777");
    free(bad);
    o.vector_only = 1;
    o.transcript = "Some.";
    no_voice(base, clip, RATE, RATE, &o, KZ_ERR_USAGE, "exclude each other");
    o = with("Some.");
    o.flags = KZ_WHOLE_TEXT;
    no_voice(base, clip, RATE, RATE, &o, KZ_ERR_USAGE, "flags 0x1");
    o = with("Some.");
    o.tail_ms = 5001;
    no_voice(base, clip, RATE, RATE, &o, KZ_ERR_USAGE, "5001 ms");
    o = with("Some.");
    o.threads = 0;
    no_voice(base, clip, RATE, RATE, &o, KZ_ERR_USAGE, "1 to 256");
    o = with("Some\xff.");
    no_voice(base, clip, RATE, RATE, &o, KZ_ERR_INPUT, "the transcript: ");
    memset(long_text, 'a', sizeof long_text - 1);
    o = with(long_text);
    no_voice(base, clip, RATE, RATE, &o, KZ_ERR_INPUT, "65537 bytes, at most 65536");
    o = with("Some.");
    o.name = "a/b";
    no_voice(base, clip, RATE, RATE, &o, KZ_ERR_INPUT, "name of a voice");
    o = with("Some.");
    o.language = "klingon";
    no_voice(base, clip, RATE, RATE, &o, KZ_ERR_INPUT, "klingon");
    o = with("Some.");
    o.consent = "\xC3";
    no_voice(base, clip, RATE, RATE, &o, KZ_ERR_INPUT, "note of consent");
}

/* B105, B106: any length from the shortest on, around hops and frames. */
static void test_B105_B106_any_length(void **state) {
    (void)state;
    static const size_t around[] = {512, 1280, 1536, 1920, 3840, 5760, 19200, RATE};
    for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
        for (size_t n = around[i] - 1; n <= around[i] + 1; n++) {
            kz_voice_options options = with("Hm.");
            kz_voice *voice = NULL;
            size_t frames = 0;
            char error[512] = "";
            options.tail_ms = 0;
            kz_status status =
                kz_voice_from_samples(base, clip, n, RATE, &options, &voice, error, sizeof error);
            if (n < 1280) { /* five hops: the widest look of its convolutions */
                assert_int_equal(status, KZ_ERR_INPUT);
                continue;
            }
            if (status) fail_msg("%zu samples: %s", n, error);
            kz_voice_codes(voice, &frames);
            assert_int_equal(frames, (n + PER_FRAME - 1) / PER_FRAME);
            kz_voice_free(voice);
        }
    }
}

/* B108: what is too long is refused with both numbers, before any work. */
static void test_B108_long_recordings(void **state) {
    (void)state;
    size_t count = 300 * (size_t)RATE;
    float *sound = calloc(count, sizeof *sound);
    assert_non_null(sound);
    no_voice(base, sound, count, RATE, NULL, KZ_ERR_INPUT, "has 300 s, at most 300");
    free(sound);
}

/* ---- what does not fit --------------------------------------------------------------------- */

static void odd(const char *transcript, size_t seconds, const char *part) {
    kz_voice_options options = with(transcript);
    listen_now();
    kz_voice_free(make(seconds * RATE, &options));
    kz_set_log(NULL, NULL);
    if (!part) {
        assert_string_equal(heard, "");
    } else {
        kzt_has(heard, part);
    }
    options.flags = KZ_STRICT;
    if (part) no_voice(base, clip, seconds * RATE, RATE, &options, KZ_ERR_INPUT, part);
    options.flags = KZ_STRICT | KZ_AS_REFERENCE; /* the package looks at nothing */
    if (transcript && strlen(transcript) > 3) kz_voice_free(make(seconds * RATE, &options));
}

static void test_B110_B111_transcripts_that_do_not_fit(void **state) {
    (void)state;
    odd(sentence, 10, NULL);
    odd("Placeholder text", 10, "short for the recording (16 letters in 10.0 s");
    odd(sentence, 3, "long for the recording (");
    odd("说这句话大概需要十秒钟左右的时间，如果慢慢地念的话。", 10, NULL);
    odd("说这句话大概需要十秒钟左右的时间，如果慢慢地念的话。", 2, "long for the recording");
    odd("说话。", 10, "short for the recording");
    odd("Hm.", 1, NULL); /* pauses decide */
}

static void test_B113_without_a_transcript(void **state) {
    (void)state;
    odd(NULL, 3, "no transcript");
    odd(" \r\n", 3, "no transcript");
    odd("", 3, "no transcript");
    kz_voice_options options = with(NULL);
    options.vector_only = 1;
    options.flags = KZ_STRICT;
    listen_now();
    kz_voice *voice = make(3 * RATE, &options);
    kz_set_log(NULL, NULL);
    assert_string_equal(heard, "");
    assert_null(kz_voice_codes(voice, NULL));
    kz_voice_free(voice);
}

static const char *notices_of(kz_voice *voice, const char *text, const char *language,
                              unsigned flags) {
    kz_request request = kzt_request(text);
    request.cloned = voice;
    request.language = language;
    request.flags = flags;
    listen_now();
    kz_status status = kz_session_start(session, &request);
    kz_set_log(NULL, NULL);
    if (flags & KZ_STRICT && heard[0] == 0 && status == KZ_ERR_INPUT) return kz_error(session);
    if (status) fail_msg("%s", kz_error(session));
    return heard;
}

static void test_languages_that_differ(void **state) {
    (void)state;
    kz_voice_options options = with(sentence);
    kz_voice *unsaid = make(10 * RATE, &options);
    options.language = "en";
    kz_voice *english = make(10 * RATE, &options);
    assert_string_equal(notices_of(english, "Hello.", "english", 0), "");
    assert_string_equal(notices_of(english, "Hello.", NULL, 0), "");
    kzt_has(notices_of(english, "Hola.", "spanish", 0), "is in english, the text in spanish");
    kzt_has(notices_of(english, "Hola.", "spanish", KZ_STRICT), "is in english, the text in");
    kzt_has(notices_of(unsaid, "你好。", NULL, 0), "in Latin letters, the text in Chinese letters");
    kzt_has(notices_of(english, "Привет.", NULL, 0), "the text in Cyrillic letters");
    assert_string_equal(notices_of(unsaid, "你好。", NULL, KZ_AS_REFERENCE), "");
    assert_string_equal(notices_of(unsaid, "123", NULL, 0), "");
    kz_voice_free(unsaid);
    kz_voice_free(english);
}

static void test_requests_that_contradict(void **state) {
    (void)state;
    static const float vector[72];
    kz_voice_options options = with(sentence);
    kz_voice *voice = make(10 * RATE, &options);
    kz_request request = kzt_request("Hello.");
    request.cloned = voice;
    request.speaker_vector = vector;
    kzt_refused(session, &request, KZ_ERR_USAGE, "exclude each other");
    request.speaker_vector = NULL;
    request.reference_text = "x";
    kzt_refused(session, &request, KZ_ERR_USAGE, "exclude each other");
    request.reference_text = NULL;
    request.voice = "ada";
    kzt_refused(session, &request, KZ_ERR_USAGE, "exclude each other");
    request.voice = "";
    request.exact_frames = 2;
    kzt_run run = kzt_run_all(session, &request);
    assert_int_equal(run.status, KZ_DONE);
    kzt_run_free(&run);
    kz_voice_free(voice);
}

/* ---- progress ------------------------------------------------------------------------------ */

typedef struct watcher {
    size_t calls, stop_at;
    double last;
} watcher;

static int watch(void *user, double done) {
    watcher *w = user;
    assert_true(done >= w->last && done <= 1);
    w->last = done;
    return ++w->calls == w->stop_at;
}

static void test_progress_and_cancel(void **state) {
    (void)state;
    for (int codes = 0; codes < 2; codes++) {
        watcher w = {0};
        kz_voice_options options = with(codes ? sentence : NULL);
        options.vector_only = !codes;
        options.progress = watch;
        options.user = &w;
        kz_voice_free(make(10 * RATE, &options));
        size_t calls = w.calls;
        assert_true(calls > 8 && w.last == 1);
        for (size_t stop = 1; stop <= calls; stop++) {
            w = (watcher){.stop_at = stop};
            no_voice(base, clip, 10 * RATE, RATE, &options, KZ_ERR_CANCELLED, "");
            assert_int_equal(w.calls, stop);
        }
    }
}

/* ---- the same each time -------------------------------------------------------------------- */

/* B101: a clip's voice is the same bytes in any run, with any threads and kernels. */
static void test_B101_one_clip_one_voice(void **state) {
    (void)state;
    kz_voice_options options = with(sentence);
    options.name = "ada";
    options.language = "en";
    options.consent = "A test.";
    kz_voice *first = make(5 * RATE + 77, &options);
    for (int threads = 1; threads <= 7; threads += 2) {
        options.threads = threads;
        kz_voice *again = make(5 * RATE + 77, &options);
        same_voice(first, again);
        kz_voice_free(again);
    }
    for (size_t i = 0; kz_cpu_level(i); i++) {
        kz_model_options how;
        kz_voice *other = NULL;
        kz_model_options_init(&how);
        how.cpu = kz_cpu_level(i);
        kz_model *model = kzt_open("base-eq", &how);
        assert_int_equal(kz_voice_from_samples(model, clip, 5 * RATE + 77, RATE, &options, &other,
                                               NULL, 0),
                         KZ_OK);
        same_voice(first, other);
        kz_voice_free(other);
        kz_model_free(model);
    }
    kz_voice_free(first);
}

/* B100: silence behind the clip is a part of its codes, as if it had been recorded; not of the
 * vector. */
static void test_B100_silence_behind_the_recording(void **state) {
    (void)state;
    enum { CLIP = 3 * RATE + 5, TAIL = RATE / 2 };
    float *longer = calloc(CLIP + TAIL, sizeof *longer);
    int32_t want[64 * 16];
    size_t frames = 0, count = 0, other = 0;
    assert_non_null(longer);
    memcpy(longer, clip, CLIP * sizeof *longer);
    kz_voice_options options = with("What three seconds hold, more or less.");
    kz_voice *padded = make(CLIP, &options);
    options.flags = KZ_AS_REFERENCE;
    kz_voice *plain = make(CLIP, &options);
    assert_int_equal(kz_encode(base, longer, CLIP + TAIL, RATE, NULL, want, 64, &frames, NULL, 0),
                     KZ_OK);
    const int32_t *codes = kz_voice_codes(padded, &count);
    assert_int_equal(count, frames);
    assert_memory_equal(codes, want, frames * 16 * sizeof *want);
    codes = kz_voice_codes(plain, &count);
    assert_int_equal(kz_encode(base, clip, CLIP, RATE, NULL, want, 64, &frames, NULL, 0), KZ_OK);
    assert_int_equal(count, frames);
    assert_memory_equal(codes, want, frames * 16 * sizeof *want);
    const float *a = kz_voice_vector(padded, &count);
    const float *b = kz_voice_vector(plain, &other);
    assert_int_equal(count, other);
    assert_memory_equal(a, b, count * sizeof *a);
    kz_voice_info info = {.size = sizeof info};
    kz_voice_get_info(padded, &info);
    assert_int_equal(info.tail_ms, 500);
    assert_int_equal(info.samples, CLIP);
    kz_voice_get_info(plain, &info);
    assert_int_equal(info.tail_ms, 0);
    kz_voice_free(padded);
    kz_voice_free(plain);
    free(longer);
}

/* ---- speaking ------------------------------------------------------------------------------ */

/* B098: what is heard is the decoding of reference and new frames together from the border on, to
 * the sample, however it is read. */
static void test_B098_nothing_of_the_reference_is_heard(void **state) {
    (void)state;
    kz_voice_options options = with("A second and a bit of it.");
    kz_voice *voice = make(2 * RATE - 300, &options);
    size_t reference = 0;
    const int32_t *before = kz_voice_codes(voice, &reference);
    for (int packet = 1; packet <= 5; packet += 2) {
        kz_request request = kzt_request("New words.");
        request.cloned = voice;
        request.exact_frames = 12;
        request.packet = packet;
        request.seed = 5;
        kzt_run run = kzt_run_all(session, &request);
        assert_int_equal(run.status, KZ_DONE);
        assert_int_equal(run.count, 12 * PER_FRAME);
        int32_t *both = calloc(reference + 12, 16 * sizeof *both);
        memcpy(both, before, reference * 16 * sizeof *both);
        memcpy(both + reference * 16, run.codes, 12 * 16 * sizeof *both);
        kzt_run whole = kzt_decode(session, both, reference + 12, 0);
        kzt_same_samples(run.samples, run.count, whole.samples + reference * PER_FRAME,
                         whole.count - reference * PER_FRAME);
        free(both);
        kzt_run_free(&whole);
        kzt_run_free(&run);
    }
    kz_voice_free(voice);
}

/* B101: the vector is the codec side of one row, the speaker's; and a voice may go as soon as the
 * session has started. */
static void test_B101_where_the_voice_stands(void **state) {
    (void)state;
    enum { MOST = 64, WIDTH = 72 };
    static float embedded[MOST * WIDTH];
    kz_prompt_row rows[MOST];
    size_t count = 0, prompt = 0, speakers = 0;
    kz_voice_options options = with(NULL);
    options.vector_only = 1;
    kz_voice *voice = make(RATE, &options);
    kz_request request = kzt_request("Hello.");
    request.cloned = voice;
    assert_int_equal(kz_prompt(base, &request, rows, embedded, MOST, &count, &prompt, NULL, 0),
                     KZ_OK);
    const float *vector = kz_voice_vector(voice, NULL);
    for (size_t i = 0; i < prompt; i++) {
        if (rows[i].codec_id != -2) continue;
        assert_string_equal(rows[i].role, "speaker");
        assert_int_equal(i, 6); /* role 3, tags 3 */
        speakers++;
    }
    assert_int_equal(speakers, 1);
    static float other[WIDTH], moved[MOST * WIDTH];
    memcpy(other, vector, sizeof other);
    other[5] += 1;
    request.cloned = NULL;
    request.speaker_vector = other;
    request.speaker_vector_length = WIDTH;
    assert_int_equal(kz_prompt(base, &request, rows, moved, MOST, &count, &prompt, NULL, 0),
                     KZ_OK);
    for (size_t i = 0; i < count * WIDTH; i++) {
        if ((moved[i] != embedded[i]) != (i == 6 * WIDTH + 5)) fail_msg("value %zu", i);
    }
    request.speaker_vector = NULL;
    request.speaker_vector_length = 0;
    request.cloned = voice;
    request.exact_frames = 3;
    kzt_run want = kzt_run_all(session, &request);
    assert_int_equal(kz_session_start(session, &request), KZ_OK);
    kz_voice_free(voice);
    kzt_run got = kzt_run_rest(session);
    kzt_same(&want, &got);
    kzt_run_free(&want);
    kzt_run_free(&got);
}

/* ---- kz_encode ----------------------------------------------------------------------------- */

static void encode_refused(const kz_model *model, size_t count, int rate, size_t capacity,
                           kz_status want, const char *part) {
    static int32_t codes[8 * 16];
    size_t frames = 99;
    char error[512] = "";
    kz_status status = kz_encode(model, clip, count, rate, NULL, codes, capacity, &frames, error,
                                 sizeof error);
    if (status != want || !strstr(error, part)) fail_msg("%d '%s'", (int)status, error);
}

static void test_encode(void **state) {
    (void)state;
    size_t frames = 0;
    watcher w = {0};
    kz_encode_options options;
    kz_encode_options_init(&options);
    options.progress = watch;
    options.user = &w;
    assert_int_equal(kz_encode(base, clip, RATE, RATE, NULL, NULL, 0, &frames, NULL, 0), KZ_OK);
    assert_int_equal(frames, 13);
    encode_refused(base, RATE, RATE, 8, KZ_ERR_USAGE, "makes 13 frames, there is room for 8");
    encode_refused(base, RATE, 16000, 8, KZ_ERR_INPUT, "16000 samples a second");
    encode_refused(base, 0, RATE, 8, KZ_ERR_INPUT, "no samples");
    encode_refused(NULL, RATE, RATE, 8, KZ_ERR_USAGE, "needs a model");
    assert_int_equal(kz_encode(base, clip, 5, RATE, NULL, NULL, 0, NULL, NULL, 0), KZ_ERR_USAGE);
    int32_t *codes = calloc(125 * 16, sizeof *codes);
    assert_int_equal(kz_encode(base, clip, 10 * RATE, RATE, &options, codes, 125, &frames, NULL,
                               0),
                     KZ_OK);
    assert_int_equal(frames, 125);
    assert_true(w.calls > 3 && w.last == 1);
    w = (watcher){.stop_at = 2};
    assert_int_equal(kz_encode(base, clip, 10 * RATE, RATE, &options, codes, 125, &frames, NULL,
                               0),
                     KZ_ERR_CANCELLED);
    assert_int_equal(w.calls, 2);
    free(codes);
    kz_model *custom = kzt_open("custom-eq", NULL); /* kinds that clone nothing encode, too */
    int32_t few[2 * 16];
    assert_int_equal(kz_encode(custom, clip, 2000, RATE, NULL, few, 2, &frames, NULL, 0), KZ_OK);
    assert_int_equal(frames, 2);
    kz_model_free(custom);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_B103_another_rate),
        cmocka_unit_test(test_B116_B121_models_of_another_kind),
        cmocka_unit_test(test_B120_models_of_another_width),
        cmocka_unit_test(test_what_cannot_be_a_voice),
        cmocka_unit_test(test_B105_B106_any_length),
        cmocka_unit_test(test_B108_long_recordings),
        cmocka_unit_test(test_B110_B111_transcripts_that_do_not_fit),
        cmocka_unit_test(test_B113_without_a_transcript),
        cmocka_unit_test(test_languages_that_differ),
        cmocka_unit_test(test_requests_that_contradict),
        cmocka_unit_test(test_progress_and_cancel),
        cmocka_unit_test(test_B101_one_clip_one_voice),
        cmocka_unit_test(test_B100_silence_behind_the_recording),
        cmocka_unit_test(test_B098_nothing_of_the_reference_is_heard),
        cmocka_unit_test(test_B101_where_the_voice_stands),
        cmocka_unit_test(test_encode),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
