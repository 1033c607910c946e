/* Structs that begin with their size, as programs of other versions have them: every size that one
 * can have and those that none has, zeros and others behind what the library knows, and behind the
 * struct bytes that are not the library's. */
#include "harness/counting_alloc.h"
#include "harness/talk.h"
#include "harness/tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGER = 40, GUARD = 64, FOREIGN = 0xA5 };

static kz_model *model;
static kz_model *base; /* clones voices */
static kz_voice *voice;
static kz_session *session;
static kz_request usual;
static kz_type stored; /* of the checkpoint */

/* ---- sizes --------------------------------------------------------------------------------- */

/* What a later version adds must not lie in padding, which nobody sets. */
#define NO_PADDING(type, last) \
    assert_int_equal(sizeof(type), offsetof(type, last) + sizeof(((type *)0)->last))

static void test_structs_end_with_their_last_member(void **state) {
    (void)state;
    NO_PADDING(kz_allocator, user);
    NO_PADDING(kz_model_options, decoder);
    NO_PADDING(kz_model_info, prompt_macs_per_row);
    NO_PADDING(kz_convert_options, reserved);
    NO_PADDING(kz_convert_result, reserved);
    NO_PADDING(kz_split_options, allocator);
    NO_PADDING(kz_encode_options, user);
    NO_PADDING(kz_voice_options, user);
    NO_PADDING(kz_voice_info, checksum);
    NO_PADDING(kz_request, cloned);
    NO_PADDING(kz_session_options, cpu);
    NO_PADDING(kz_packet, frames);
    NO_PADDING(kz_batch_options, cpu);
    NO_PADDING(kz_result, cpu);
    NO_PADDING(kz_probe, int8_gops);
}

/* ---- defaults ------------------------------------------------------------------------------ */

typedef void init_fn(void *options, size_t size);

static void init_model(void *o, size_t size) {
    kz_model_options_init_sized(o, size);
}
static void init_convert(void *o, size_t size) {
    kz_convert_options_init_sized(o, size);
}
static void init_split(void *o, size_t size) {
    kz_split_options_init_sized(o, size);
}
static void init_request(void *o, size_t size) {
    kz_request_init_sized(o, size);
}
static void init_encode(void *o, size_t size) {
    kz_encode_options_init_sized(o, size);
}
static void init_voice(void *o, size_t size) {
    kz_voice_options_init_sized(o, size);
}
static void init_session(void *o, size_t size) {
    kz_session_options_init_sized(o, size);
}
static void init_batch(void *o, size_t size) {
    kz_batch_options_init_sized(o, size);
}

typedef kz_status use_fn(const void *options, char error[512]);

static kz_status use_model(const void *o, char error[512]) {
    kz_model *opened = NULL;
    kz_status status = kz_model_open(kzt_checkpoint("custom-eq"), o, &opened, error, 512);
    assert_true((opened != NULL) == (status == KZ_OK));
    kz_model_free(opened);
    return status;
}

static int count_bytes(void *user, uint64_t offset, const void *data, size_t bytes) {
    uint64_t *end = user;
    (void)data;
    if (offset + bytes > *end) *end = offset + bytes;
    return 0;
}

static kz_status use_convert(const void *o, char error[512]) {
    uint64_t end = 0;
    kz_convert_result result = {.size = sizeof result};
    kz_status status = kz_convert(kzt_checkpoint("custom-eq"), o, count_bytes, &end, &result, error,
                                  512);
    if (status) return status;
    assert_int_equal(result.bytes, end);
    assert_int_equal(result.type, stored);
    return KZ_OK;
}

/* Of 401 letters a piece has 400 at most, which is the limit by default. */
static kz_status use_split(const void *o, char error[512]) {
    char text[402];
    kz_piece pieces[4];
    size_t count = 0;
    memset(text, 'a', 401);
    text[200] = ' ';
    text[401] = 0;
    kz_status status = kz_split(text, 401, o, pieces, 4, &count, error, 512);
    if (status) return status;
    assert_int_equal(count, 2);
    assert_int_equal(pieces[0].length, 200);
    return KZ_OK;
}

static kz_status use_request(const void *o, char error[512]) {
    size_t count = 0, prompt = 0;
    kz_status status = kz_session_start(session, o);
    snprintf(error, 512, "%s", status ? kz_error(session) : "");
    char other[512] = "";
    assert_int_equal(kz_prompt(model, o, NULL, NULL, 0, &count, &prompt, other, 512),
                     ((const kz_request *)o)->text ? status : KZ_ERR_USAGE);
    return status;
}

static kz_status use_encode(const void *o, char error[512]) {
    static const float silence[4000];
    int32_t codes[3 * 16];
    size_t frames = 0;
    kz_status status = kz_encode(base, silence, 4000, 24000, o, codes, 3, &frames, error, 512);
    if (!status) assert_int_equal(frames, 3);
    return status;
}

static kz_status use_voice(const void *o, char error[512]) {
    static const float silence[4000];
    kz_voice *made = NULL;
    kz_status status = kz_voice_from_samples(base, silence, 4000, 24000, o, &made, error, 512);
    assert_true((made != NULL) == (status == KZ_OK));
    kz_voice_free(made);
    return status;
}

static kz_status use_session(const void *o, char error[512]) {
    kz_session *made = NULL;
    kz_status status = kz_session_create(model, o, &made, error, 512);
    if (!status) assert_int_equal(kzt_result(made).threads, kz_default_threads());
    kz_session_free(made);
    return status;
}

static kz_status use_batch(const void *o, char error[512]) {
    kz_batch *made = NULL;
    kz_status status = kz_batch_create(model, o, &made, error, 512);
    assert_true((made != NULL) == (status == KZ_OK));
    kz_batch_free(made);
    return status;
}

static kzt_counter counter;

static kz_status use_allocator(const void *o, char error[512]) {
    kz_model_options options;
    kz_model_options_init(&options);
    options.allocator = o;
    size_t before = counter.calls;
    kz_status status = use_model(&options, error);
    if (!status) assert_true(counter.calls > before);
    return status;
}

/* One struct that a call takes. The library's init fills `full` with what an unknown tail means. */
typedef struct taken {
    const char *name;
    size_t full, least;
    init_fn *init; /* NULL: none */
    use_fn *use;
} taken;

static const taken all_taken[] = {
    {"kz_model_options", sizeof(kz_model_options), 16, init_model, use_model},
    {"kz_convert_options", sizeof(kz_convert_options), 16, init_convert, use_convert},
    {"kz_split_options", sizeof(kz_split_options), 16, init_split, use_split},
    {"kz_encode_options", sizeof(kz_encode_options), 32, init_encode, use_encode},
    {"kz_voice_options", sizeof(kz_voice_options), sizeof(kz_voice_options), init_voice, use_voice},
    {"kz_request", sizeof(kz_request), 24, init_request, use_request},
    {"kz_session_options", sizeof(kz_session_options), 16, init_session, use_session},
    {"kz_batch_options", sizeof(kz_batch_options), 16, init_batch, use_batch},
    {"kz_allocator", sizeof(kz_allocator), sizeof(kz_allocator), NULL, use_allocator},
};
enum { TAKEN = sizeof all_taken / sizeof all_taken[0] };

/* The init call of a program with a struct of `size` bytes writes these and no other. */
static void check_init(const taken *t, size_t size, const unsigned char *full) {
    unsigned char *bytes = malloc(size + GUARD);
    assert_non_null(bytes);
    memset(bytes, FOREIGN, size + GUARD);
    t->init(bytes, size);
    bool possible = size >= sizeof size && size % sizeof size == 0;
    for (size_t i = 0; i < size + GUARD; i++) {
        size_t want = i < t->full ? full[i] : 0;
        if (i < sizeof size) want = ((unsigned char *)&size)[i];
        if (!possible || i >= size) want = FOREIGN;
        if (bytes[i] != want) {
            fail_msg("%s of %zu bytes: init left 0x%x in byte %zu, not 0x%zx", t->name, size,
                     bytes[i], i, want);
        }
    }
    free(bytes);
}

static void test_init_fills_what_the_caller_has(void **state) {
    (void)state;
    for (size_t n = 0; n < TAKEN; n++) {
        const taken *t = &all_taken[n];
        if (!t->init) continue;
        unsigned char *full = calloc(1, t->full);
        t->init(full, t->full);
        for (size_t size = 0; size <= t->full + LONGER; size++) check_init(t, size, full);
        free(full);
        t->init(NULL, t->full);
        t->init(&(size_t){0}, (size_t)-8);
    }
}

static void test_the_header_sets_the_size_it_was_compiled_with(void **state) {
    (void)state;
    kz_model_options m;
    kz_convert_options c;
    kz_split_options p;
    kz_encode_options e;
    kz_voice_options v;
    kz_request r;
    kz_session_options s;
    kz_batch_options b;
    kz_encode_options_init(&e);
    kz_voice_options_init(&v);
    kz_model_options_init(&m);
    kz_convert_options_init(&c);
    kz_split_options_init(&p);
    kz_request_init(&r);
    kz_session_options_init(&s);
    kz_batch_options_init(&b);
    const size_t sizes[] = {m.size - sizeof m, c.size - sizeof c, p.size - sizeof p,
                            r.size - sizeof r, s.size - sizeof s, b.size - sizeof b,
                            e.size - sizeof e, v.size - sizeof v};
    for (size_t i = 0; i < 8; i++) assert_int_equal(sizes[i], 0);
    assert_true(!m.codec_path && !m.type && !m.cpu && !m.allocator && !m.codec_only && !m.decoder);
    assert_true(c.threads == KZ_DEFAULT && !c.type && !c.decoder && !c.codec_path && !c.allocator);
    assert_true(!c.compact && !c.reserved);
    assert_true(p.limit == KZ_DEFAULT && p.target == KZ_DEFAULT && !p.whole && !p.language);
    assert_true(s.threads == KZ_DEFAULT && !s.batch && !s.ahead_ms && !s.placement && !s.cpu);
    assert_true(b.threads == KZ_DEFAULT && b.slots == KZ_DEFAULT && !b.placement && !b.cpu);
    assert_true(!r.text && !r.text_length && !r.voice && !r.language && !r.instruct && !r.flags);
    assert_true(!r.seed && r.min_frames == KZ_DEFAULT && r.max_frames == KZ_DEFAULT);
    assert_true(r.exact_frames == KZ_DEFAULT && r.packet == KZ_DEFAULT && !r.piece && !r.reserved);
    assert_true(!r.speaker_vector && !r.reference_codes && !r.reference_text && !r.cloned);
    assert_true(e.threads == KZ_DEFAULT && !e.reserved && !e.progress && !e.user);
    assert_true(v.threads == KZ_DEFAULT && v.tail_ms == KZ_DEFAULT && !v.vector_only && !v.flags);
    assert_true(!v.transcript && !v.name && !v.language && !v.consent && !v.progress && !v.user);
    const kz_sampling *both[] = {&r.talker, &r.predictor};
    for (size_t i = 0; i < 2; i++) {
        assert_true(both[i]->temperature == KZ_DEFAULT && both[i]->top_k == KZ_DEFAULT);
        assert_true(both[i]->top_p == KZ_DEFAULT && both[i]->repetition_penalty == KZ_DEFAULT);
        assert_true(both[i]->repetition_window == KZ_DEFAULT);
    }
}

/* ---- options of any size ------------------------------------------------------------------- */

/* A caller's struct of `size` bytes: the library's as far as it goes, then zeros, then what is not
 * the library's. For free. */
static unsigned char *make(const taken *t, size_t size) {
    unsigned char *bytes = malloc(t->full + size + GUARD);
    kz_allocator allocator = kzt_counting_allocator(&counter);
    assert_non_null(bytes);
    memset(bytes, 0, t->full + size + GUARD);
    if (t->init) t->init(bytes, t->full);
    if (t->use == use_request) memcpy(bytes, &usual, sizeof usual);
    if (t->use == use_allocator) memcpy(bytes, &allocator, sizeof allocator);
    memset(bytes + size, FOREIGN, t->full + GUARD);
    memcpy(bytes, &size, size < sizeof size ? size : sizeof size);
    return bytes;
}

static void check_use(const taken *t, const void *bytes, size_t size, kz_status want,
                      const char *part) {
    char error[512] = "";
    kz_status status = t->use(bytes, error);
    if (status != want) {
        fail_msg("%s of %zu bytes: %d (%s), not %d", t->name, size, (int)status, error, (int)want);
    }
    if (want) kzt_has(error, t->name);
    if (want) kzt_has(error, part);
}

static void test_options_of_any_size(void **state) {
    (void)state;
    for (size_t n = 0; n < TAKEN; n++) {
        const taken *t = &all_taken[n];
        for (size_t size = sizeof size; size <= t->full + LONGER; size++) {
            unsigned char *bytes = make(t, size);
            bool good = size >= t->least && size % sizeof size == 0;
            char part[64];
            snprintf(part, sizeof part, "of %zu bytes: its size is %zu or more", size, t->least);
            check_use(t, bytes, size, good ? KZ_OK : KZ_ERR_USAGE, part);
            free(bytes);
        }
        const size_t none[] = {0, 1, (size_t)-8, 65544};
        for (size_t i = 0; i < 4; i++) {
            unsigned char *bytes = make(t, t->full);
            memcpy(bytes, &none[i], sizeof none[i]);
            check_use(t, bytes, none[i], KZ_ERR_USAGE, "its size is");
            free(bytes);
        }
    }
}

static void test_a_tail_that_is_not_known(void **state) {
    (void)state;
    for (size_t n = 0; n < TAKEN; n++) {
        const taken *t = &all_taken[n];
        size_t size = t->full + LONGER;
        for (size_t at = t->full; at < size; at++) {
            unsigned char *bytes = make(t, size);
            char part[64];
            bytes[at] = at % 2 ? 1 : 0x80;
            snprintf(part, sizeof part, "byte %zu of a %s is not 0", at, t->name);
            check_use(t, bytes, size, KZ_ERR_USAGE, part);
            free(bytes);
        }
    }
}

/* A request that is cut behind any of its members speaks as one with defaults from there on. */
static void test_a_short_request_has_defaults(void **state) {
    (void)state;
    kz_request most = usual;
    most.seed = 11;
    most.flags = KZ_LIVE_TEXT;
    most.talker.temperature = 0.5;
    most.talker.top_k = 7;
    most.predictor.top_k = 3;
    most.predictor.top_p = 0.5;
    most.max_frames = 9;
    most.packet = 3;
    most.piece = 2;
    for (size_t size = 24; size <= sizeof most; size += 8) {
        kz_request want;
        kz_request_init(&want);
        memcpy(&want, &most, size);
        want.size = sizeof want;
        unsigned char *bytes = malloc(size + GUARD);
        memcpy(bytes, &most, size);
        memcpy(bytes, &size, sizeof size);
        memset(bytes + size, FOREIGN, GUARD);
        kz_request *given = (kz_request *)(void *)bytes;
        kzt_run a = kzt_run_all(session, &want);
        kzt_run b = kzt_run_all(session, given);
        assert_int_equal(a.status, KZ_DONE);
        kzt_same(&a, &b);
        assert_int_equal(a.result.seed, size > offsetof(kz_request, seed) ? 11 : 0);
        assert_int_equal(b.result.seed, a.result.seed);
        assert_int_equal(b.result.finish, a.result.finish);
        kzt_run_free(&a);
        kzt_run_free(&b);
        free(bytes);
    }
    most.reserved = 1;
    kzt_refused(session, &most, KZ_ERR_USAGE, "reserved");
}

/* ---- results ------------------------------------------------------------------------------- */

static kz_status fill_info(void *result) {
    return kz_model_get_info(model, result);
}
static kz_status fill_result(void *result) {
    return kz_session_get_result(session, result);
}
static kz_status fill_voice(void *result) {
    return kz_voice_get_info(voice, result);
}
static kz_status fill_probe(void *result) {
    return kz_probe_machine(1, NULL, result);
}
static kz_status fill_convert(void *result) {
    uint64_t end = 0;
    return kz_convert(kzt_checkpoint("custom-eq"), NULL, count_bytes, &end, result, NULL, 0);
}

typedef struct filled {
    const char *name;
    size_t full, least;
    kz_status (*fill)(void *result);
    bool measured; /* other numbers each time */
} filled;

static void check_fill(const filled *f, size_t size, const unsigned char *full) {
    unsigned char *bytes = malloc(size + GUARD);
    assert_non_null(bytes);
    memset(bytes, FOREIGN, size + GUARD);
    memcpy(bytes, &size, sizeof size);
    bool good = size >= f->least && size % sizeof size == 0;
    kz_status status = f->fill(bytes);
    if (status != (good ? KZ_OK : KZ_ERR_USAGE)) {
        fail_msg("%s of %zu bytes: %d", f->name, size, (int)status);
    }
    assert_memory_equal(bytes, &size, sizeof size);
    for (size_t i = sizeof size; i < size + GUARD; i++) {
        unsigned want = i < f->full ? full[i] : 0;
        if (!good || i >= size) want = FOREIGN;
        if (f->measured && good && i < f->full && i < size) continue;
        if (bytes[i] != want) {
            fail_msg("%s of %zu bytes: byte %zu is 0x%x, not 0x%x", f->name, size, i, bytes[i],
                     want);
        }
    }
    free(bytes);
}

static void test_results_of_any_size(void **state) {
    static const filled all[] = {
        {"kz_model_info", sizeof(kz_model_info), 16, fill_info, false},
        {"kz_result", sizeof(kz_result), 24, fill_result, false},
        {"kz_convert_result", sizeof(kz_convert_result), 16, fill_convert, false},
        {"kz_voice_info", sizeof(kz_voice_info), sizeof(kz_voice_info), fill_voice, false},
        {"kz_probe", sizeof(kz_probe), 16, fill_probe, true},
    };
    (void)state;
    kzt_run run = kzt_run_all(session, &usual);
    assert_int_equal(run.status, KZ_DONE);
    for (size_t n = 0; n < sizeof all / sizeof all[0]; n++) {
        const filled *f = &all[n];
        unsigned char *full = calloc(1, f->full);
        memcpy(full, &f->full, sizeof f->full);
        assert_int_equal(f->fill(full), KZ_OK);
        for (size_t size = sizeof size; size <= f->full + LONGER; size++) {
            check_fill(f, size, full);
        }
        const size_t none[] = {0, 1, 65544, (size_t)-8};
        for (size_t i = 0; i < 4; i++) {
            memcpy(full, &none[i], sizeof none[i]);
            assert_int_equal(f->fill(full), KZ_ERR_USAGE);
        }
        if (f->fill != fill_convert) assert_int_equal(f->fill(NULL), KZ_ERR_USAGE);
        free(full);
    }
    kzt_run_free(&run);
    kz_convert_result result = {.size = 12};
    char error[512] = "";
    uint64_t end = 0;
    assert_int_equal(kz_convert(kzt_checkpoint("custom-eq"), NULL, count_bytes, &end, &result,
                                error, sizeof error),
                     KZ_ERR_USAGE);
    kzt_has(error, "kz_convert_result of 12 bytes");
    assert_int_equal(end, 0); /* before anything was written */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_structs_end_with_their_last_member),
        cmocka_unit_test(test_init_fills_what_the_caller_has),
        cmocka_unit_test(test_the_header_sets_the_size_it_was_compiled_with),
        cmocka_unit_test(test_options_of_any_size),
        cmocka_unit_test(test_a_tail_that_is_not_known),
        cmocka_unit_test(test_a_short_request_has_defaults),
        cmocka_unit_test(test_results_of_any_size),
    };
    kz_model_info info = {.size = sizeof info};
    static const float silence[4000];
    model = kzt_open("custom-eq", NULL);
    base = kzt_open("base-eq", NULL);
    if (kz_voice_from_samples(base, silence, 4000, 24000, NULL, &voice, NULL, 0)) return 1;
    session = kzt_session(model, 1);
    if (kz_model_get_info(model, &info)) return 1;
    stored = info.type;
    usual = kzt_request("Any text.");
    usual.max_frames = 4;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    kz_session_free(session);
    kz_voice_free(voice);
    kz_model_free(base);
    kz_model_free(model);
    return failed;
}
