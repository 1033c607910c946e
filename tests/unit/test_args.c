/* The command line's parser, with the program's own table. */
#include "cli/args.h"
#include "cli/options.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WORDS 12

typedef struct variable_pair {
    const char *name, *value;
} variable_pair;

static const variable_pair *environment;

static const char *variable(const char *name) {
    for (const variable_pair *p = environment; p && p->name; p++) {
        if (!strcmp(p->name, name)) return p->value;
    }
    return NULL;
}

typedef struct parsed {
    kz__settings set;
    kz__args args;
    kz__err err;
    const char *words[WORDS];
    kz_status status;
} parsed;

static void parse(parsed *p, uint32_t verb, const char *const *words, const variable_pair *env) {
    char *argv[WORDS];
    int argc = 0;
    memset(p, 0, sizeof *p);
    kz__settings_init(&p->set);
    while (words[argc]) {
        argv[argc] = (char *)(uintptr_t)words[argc];
        argc++;
    }
    environment = env;
    p->status = kz__args_parse(&p->args, &kz__option_table, verb, "say", &p->set, argc, argv,
                               p->words, variable, &p->err);
}

/* Each line must be refused, with these words in the sentence. */
static void test_B226_refused_lines(void **state) {
    (void)state;
    const struct {
        uint32_t verb;
        const char *words[5];
        const char *says;
    } table[] = {
        {KZ__SAY, {"--temprature", "1", NULL}, "did you mean '--temperature'"},
        {KZ__SAY, {"--temp=1", NULL}, "did you mean '--temperature'"},
        {KZ__SAY, {"--max-frame", "3", NULL}, "did you mean '--max-frames'"},
        {KZ__SAY, {"--outptu=x", NULL}, "did you mean '--output'"},
        {KZ__SAY, {"--out-file=x.wav", NULL}, "did you mean '--output'"},
        {KZ__SAY, {"--out_file", "x.wav", NULL}, "did you mean '--output'"},
        {KZ__SAY, {"--MAX-FRAMES=2", NULL}, "did you mean '--max-frames'"},
        {KZ__SAY, {"--no-greedy", NULL}, "did you mean '--greedy'"},
        {KZ__SAY, {"--zzzzzz", NULL}, "'kazeia say --help' lists them"},
        {KZ__SAY, {"-z", NULL}, "unknown option '-z'"},
        {KZ__SAY, {"-5", NULL}, "goes after '--'"},
        {KZ__SAY, {"-o", NULL}, "needs a value"},
        {KZ__SAY, {"--output", "--json", NULL}, "needs a value"},
        {KZ__SAY, {"-o", "-q", NULL}, "needs a value"},
        {KZ__SAY, {"--json=1", NULL}, "takes no value"},
        {KZ__SAY, {"-qx", NULL}, "takes no value"},
        {KZ__SAY, {"--temperature", "warm", NULL}, "from 0 to 100"},
        {KZ__SAY, {"--temperature", "-0.1", NULL}, "from 0 to 100"},
        {KZ__SAY, {"--temperature", "1.5x", NULL}, "a number"},
        {KZ__SAY, {"--voice=", NULL}, "--voice is empty"},
        {KZ__SAY, {"-o", "", NULL}, "-o (--output) is empty"},
        {KZ__SAY, {"--temperature", "nan", NULL}, "a number"},
        {KZ__SAY, {"--temperature", "inf", NULL}, "a number"},
        {KZ__SAY, {"--temperature=-inf", NULL}, "a number"},
        {KZ__SAY, {"--temperature", "infinity", NULL}, "a number"},
        {KZ__SAY, {"--temperature", " 1", NULL}, "a number"},
        {KZ__SAY, {"--temperature", "1,5", NULL}, "a number"},
        {KZ__SAY, {"--temperature", "1e", NULL}, "a number"},
        {KZ__SAY, {"--temperature", "0x1", NULL}, "a number"},
        {KZ__SAY, {"--temperature=", NULL}, "a number"},
        {KZ__SAY, {"--temperature", "1e999", NULL}, "a number"},
        {KZ__SAY, {"--top-p", "0", NULL}, "above 0 and up to 1"},
        {KZ__SAY, {"--top-p", "1.01", NULL}, "above 0 and up to 1"},
        {KZ__SAY, {"--top-k", "5.5", NULL}, "a whole number"},
        {KZ__SAY, {"--top-k", "-1", NULL}, "from 0"},
        {KZ__SAY, {"--top-k", "99999999999999999999", NULL}, "a whole number"},
        {KZ__SAY, {"--max-frames", "0", NULL}, "from 1"},
        {KZ__SAY, {"--max-frames", "2147483648", NULL}, "to 1000000"},
        {KZ__SAY, {"--max-frames", "4294967297", NULL}, "to 1000000"},
        {KZ__SAY, {"--max-frames", "0x10", NULL}, "a whole number"},
        {KZ__SAY, {"--max-frames", "1e3", NULL}, "a whole number"},
        {KZ__SAY, {"--max-frames", "3x", NULL}, "a whole number"},
        {KZ__SAY, {"--max-frames", "", NULL}, "a whole number"},
        {KZ__SAY, {"--max-frames", " ", NULL}, "a whole number"},
        {KZ__SAY, {"--max-frames", "3 ", NULL}, "a whole number"},
        {KZ__SAY, {"--threads", "0", NULL}, "from 1 to 256"},
        {KZ__SAY, {"--seed", "0x5", NULL}, "whole number"},
        {KZ__SAY, {"--seed", "1e3", NULL}, "whole number"},
        {KZ__SAY, {"--seed=", NULL}, "whole number"},
        {KZ__SAY, {"--seed", "18446744073709551616", NULL}, "18446744073709551615"},
        {KZ__SAY, {"--seed", "-2", NULL}, "-1 for a drawn one"},
        {KZ__SAY, {"--seed", "1 ", NULL}, "whole number"},
        {KZ__SAY, {"--bits", "8", NULL}, "16|24|32f"},
        {KZ__SAY, {"--format", "aac", NULL}, "wav|raw|flac|ogg|opus|mp3"},
        {KZ__SAY, {"--type", "q5", NULL}, "f32|bf16|q8|q4"},
        {KZ__SAY, {"--decoder", "int4", NULL}, "direct|winograd|int8"},
        {KZ__SAY, {"--rate", "2", NULL}, "not available in this version"},
        {KZ__SAY, {"--normalize", NULL}, "not available in this version"},
        {KZ__SAY, {"--greedy", "--temperature", "1", NULL}, "contradict"},
        {KZ__SAY, {"--frames", "5", "--max-frames=9", NULL}, "contradict"},
        {KZ__SAY, {"--whole-text", "--live_text", NULL}, "contradict"},
        {KZ__SAY, {"-q", "--verbose", NULL}, "contradict"},
        {KZ__TOKENIZE, {"--frames", "5", NULL}, "does not take --frames"},
        {KZ__INFO, {"-o", "x.wav", NULL}, "does not take -o"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        parsed p;
        parse(&p, table[i].verb, table[i].words, NULL);
        if (p.status != KZ_ERR_USAGE || !strstr(p.err.text, table[i].says)) {
            fail_msg("line %zu (%s): status %d, \"%s\"", i, table[i].words[0], (int)p.status,
                     p.err.text);
        }
    }
}

static void test_forms_of_an_option(void **state) {
    (void)state;
    const char *const forms[][4] = {{"--max-frames", "12", NULL}, {"--max-frames=12", NULL},
                                    {"--max_frames", "12", NULL}, {"--max_frames=12", NULL},
                                    {"--max-frames=3", "--max-frames=12", NULL}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        parsed p;
        parse(&p, KZ__SAY, forms[i], NULL);
        assert_int_equal(p.status, KZ_OK);
        assert_int_equal(p.set.max_frames, 12);
        assert_int_equal(p.args.word_count, 0);
        assert_int_equal(kz__args_source(&p.args, "max-frames"), KZ__FROM_LINE);
    }
    const char *const short_forms[][4] = {{"-t", "3", NULL}, {"-t3", NULL}, {"-t=3", NULL}};
    for (size_t i = 0; i < sizeof short_forms / sizeof *short_forms; i++) {
        parsed p;
        parse(&p, KZ__SAY, short_forms[i], NULL);
        assert_int_equal(p.status, KZ_OK);
        assert_int_equal(p.set.threads, 3);
    }
}

static void test_words_and_end_of_options(void **state) {
    (void)state;
    parsed p;
    const char *const words[] = {"Hello", "-o", "-", "there", "--", "--json", "-x", NULL};
    parse(&p, KZ__SAY, words, NULL);
    assert_int_equal(p.status, KZ_OK);
    assert_int_equal(p.args.word_count, 4);
    assert_string_equal(p.args.words[0], "Hello");
    assert_string_equal(p.args.words[2], "--json");
    assert_string_equal(p.args.words[3], "-x");
    assert_string_equal(p.set.output, "-");
    assert_false(p.set.json);
    const char *const attached[] = {"--instruct=--loud", "-", NULL};
    parse(&p, KZ__SAY, attached, NULL);
    assert_string_equal(p.set.instruct, "--loud");
    assert_int_equal(p.args.word_count, 1);
}

static void test_seeds(void **state) {
    (void)state;
    parsed p;
    const char *const most[] = {"--seed", "18446744073709551615", NULL};
    parse(&p, KZ__SAY, most, NULL);
    assert_int_equal(p.status, KZ_OK);
    assert_true(p.set.seed.given);
    assert_true(p.set.seed.value == UINT64_MAX);
    const char *const drawn[] = {"--seed", "-1", NULL};
    parse(&p, KZ__SAY, drawn, NULL);
    assert_int_equal(p.status, KZ_OK);
    assert_false(p.set.seed.given);
    const char *const zero[] = {"--seed=0", NULL};
    parse(&p, KZ__SAY, zero, NULL);
    assert_true(p.set.seed.given);
    assert_true(p.set.seed.value == 0);
}

/* Every option with a twin: KZTTS_ loses against KAZEIA_, which loses against the line. */
static void test_B062_precedence(void **state) {
    (void)state;
    const struct {
        const char *option, *twin, *old;
    } table[] = {{"temperature", "KAZEIA_TEMPERATURE", "KZTTS_TEMP"},
                 {"top-k", "KAZEIA_TOP_K", "KZTTS_TOPK"},
                 {"top-p", "KAZEIA_TOP_P", "KZTTS_TOPP"},
                 {"repetition-penalty", "KAZEIA_REPETITION_PENALTY", "KZTTS_REPP"},
                 {"cp-temperature", "KAZEIA_CP_TEMPERATURE", "KZTTS_CP_TEMP"},
                 {"cp-top-k", "KAZEIA_CP_TOP_K", "KZTTS_CP_TOPK"},
                 {"cp-top-p", "KAZEIA_CP_TOP_P", "KZTTS_CP_TOPP"},
                 {"cp-repetition-penalty", "KAZEIA_CP_REPETITION_PENALTY", "KZTTS_CP_REPP"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const kz__option *o = NULL;
        for (size_t j = 0; j < kz__option_table.count; j++) {
            if (!strcmp(kz__option_table.list[j].name, table[i].option)) {
                o = &kz__option_table.list[j];
            }
        }
        assert_non_null(o);
        bool whole = o->kind == KZ__INTEGER;
        const variable_pair old_only[] = {{table[i].old, whole ? "3" : "0.25"}, {NULL, NULL}};
        const variable_pair both[] = {{table[i].old, whole ? "3" : "0.25"},
                                      {table[i].twin, whole ? "5" : "0.5"}, {NULL, NULL}};
        char line[64];
        snprintf(line, sizeof line, "--%s=%s", table[i].option, whole ? "7" : "0.75");
        const char *const nothing[] = {NULL};
        const char *const words[] = {line, NULL};
        const struct {
            const char *const *words;
            const variable_pair *env;
            double want;
            kz__source source;
        } cases[] = {{nothing, NULL, KZ_DEFAULT, KZ__UNSET},
                     {nothing, old_only, whole ? 3 : 0.25, KZ__FROM_OLD},
                     {nothing, both, whole ? 5 : 0.5, KZ__FROM_VARIABLE},
                     {words, both, whole ? 7 : 0.75, KZ__FROM_LINE}};
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            parsed p;
            parse(&p, KZ__SAY, cases[c].words, cases[c].env);
            assert_int_equal(p.status, KZ_OK);
            const char *at = (const char *)&p.set + o->offset;
            double got = whole ? *(const int *)(const void *)at
                               : *(const double *)(const void *)at;
            if (got != cases[c].want) {
                fail_msg("%s, case %zu: %g, not %g", o->name, c, got, cases[c].want);
            }
            assert_int_equal(kz__args_source(&p.args, o->name), cases[c].source);
        }
    }
}

static void test_variables_of_flags(void **state) {
    (void)state;
    parsed p;
    const char *const nothing[] = {NULL};
    const variable_pair cache_off[] = {{"KZTTS_CP_CACHE", "0"}, {NULL, NULL}};
    parse(&p, KZ__SAY, nothing, cache_off);
    assert_true(p.set.cp_oracle);
    const variable_pair cache_on[] = {{"KZTTS_CP_CACHE", "1"}, {NULL, NULL}};
    parse(&p, KZ__SAY, nothing, cache_on);
    assert_int_equal(p.status, KZ_OK);
    assert_false(p.set.cp_oracle);
    const variable_pair stronger[] = {{"KZTTS_CP_CACHE", "0"}, {"KAZEIA_CP_ORACLE", "no"},
                                      {NULL, NULL}};
    parse(&p, KZ__SAY, nothing, stronger);
    assert_false(p.set.cp_oracle);
    const variable_pair profile[] = {{"KZTTS_CP_PROFILE", "1"}, {NULL, NULL}};
    parse(&p, KZ__SAY, nothing, profile);
    assert_true(p.set.profile);
    const variable_pair empty[] = {{"KAZEIA_GREEDY", ""}, {"KAZEIA_TOP_K", ""}, {NULL, NULL}};
    parse(&p, KZ__SAY, nothing, empty);
    assert_int_equal(p.status, KZ_OK);
    assert_false(p.set.greedy);
}

static void test_damaged_variables_are_named(void **state) {
    (void)state;
    parsed p;
    const char *const nothing[] = {NULL};
    const variable_pair bad[] = {{"KAZEIA_TOP_K", "many"}, {NULL, NULL}};
    parse(&p, KZ__SAY, nothing, bad);
    assert_int_equal(p.status, KZ_ERR_USAGE);
    assert_non_null(strstr(p.err.text, "KAZEIA_TOP_K"));
    /* A verb that does not take the option does not look. */
    parse(&p, KZ__TOKENIZE, nothing, bad);
    assert_int_equal(p.status, KZ_OK);
    /* Nor does one whose line has spoken. */
    const char *const line[] = {"--top-k=4", NULL};
    parse(&p, KZ__SAY, line, bad);
    assert_int_equal(p.status, KZ_OK);
    assert_int_equal(p.set.top_k, 4);
}

/* A value of the option's kind, and its variable's name. */
static void sample_of(const kz__option *o, char value[64], char name[64]) {
    snprintf(value, 64, "x");
    if (o->kind == KZ__FLAG) snprintf(value, 64, "yes");
    if (o->kind == KZ__SEED) snprintf(value, 64, "5");
    if (o->kind == KZ__CHOICE) {
        snprintf(value, 64, "%.*s", (int)strcspn(o->choices, "|"), o->choices);
    }
    if (o->kind == KZ__INTEGER) snprintf(value, 64, "%.0f", o->low + 1);
    if (o->kind == KZ__REAL) snprintf(value, 64, "%g", (o->low + o->high) / 2);
    size_t used = (size_t)snprintf(name, 64, "KAZEIA_");
    for (const char *c = o->name; *c; c++) {
        name[used++] = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
    }
    name[used] = 0;
}

/* One verb that takes the option. */
static uint32_t verb_of(const kz__option *o) {
    return o->verbs & (0u - o->verbs);
}

/* Each twin does what its option does, and a bad value in it is told by its name. */
static void test_every_twin(void **state) {
    (void)state;
    size_t count = 0;
    for (size_t i = 0; i < kz__option_table.count; i++) {
        const kz__option *o = &kz__option_table.list[i];
        char value[64];
        char name[64];
        char line[128];
        if (!o->variable) continue;
        sample_of(o, value, name);
        snprintf(line, sizeof line, o->kind == KZ__FLAG ? "--%s" : "--%s=%s", o->name, value);
        const variable_pair set[] = {{name, value}, {NULL, NULL}};
        const variable_pair bad[] = {{name, "?"}, {NULL, NULL}};
        const char *const nothing[] = {NULL};
        const char *const words[] = {line, NULL};
        parsed by_variable;
        parsed by_line;
        parse(&by_variable, verb_of(o), nothing, set);
        parse(&by_line, verb_of(o), words, NULL);
        if (by_variable.status != KZ_OK || by_line.status != KZ_OK) {
            fail_msg("%s=%s: %s%s", name, value, by_variable.err.text, by_line.err.text);
        }
        assert_int_equal(kz__args_source(&by_variable.args, o->name), KZ__FROM_VARIABLE);
        const char *there = (const char *)&by_variable.set + o->offset;
        if (o->kind == KZ__TEXT || o->kind == KZ__CHOICE) {
            assert_string_equal(*(const char *const *)(const void *)there, value);
            memcpy((char *)&by_line.set + o->offset, there, sizeof words[0]);
        }
        assert_memory_equal(&by_variable.set, &by_line.set, sizeof by_line.set);
        if (o->kind != KZ__TEXT) {
            parse(&by_variable, verb_of(o), nothing, bad);
            assert_int_equal(by_variable.status, KZ_ERR_USAGE);
            if (strncmp(by_variable.err.text, name, strlen(name)) != 0) {
                fail_msg("%s=?: %s", name, by_variable.err.text);
            }
        }
        count++;
    }
    assert_in_range(count, 40, kz__option_table.count);
}

/* The line silences a variable that contradicts it; two variables stay an error. */
static void test_contradictions_with_variables(void **state) {
    (void)state;
    parsed p;
    const variable_pair frames[] = {{"KAZEIA_FRAMES", "5"}, {NULL, NULL}};
    const char *const line[] = {"--max-frames", "9", NULL};
    parse(&p, KZ__SAY, line, frames);
    assert_int_equal(p.status, KZ_OK);
    assert_int_equal(p.set.max_frames, 9);
    assert_int_equal(p.set.frames, KZ_DEFAULT);
    const variable_pair two[] = {{"KAZEIA_FRAMES", "5"}, {"KAZEIA_MAX_FRAMES", "9"}, {NULL, NULL}};
    const char *const nothing[] = {NULL};
    parse(&p, KZ__SAY, nothing, two);
    assert_int_equal(p.status, KZ_ERR_USAGE);
    assert_string_equal(p.err.text, "KAZEIA_FRAMES and KAZEIA_MAX_FRAMES contradict each other");
    const variable_pair old[] = {{"KAZEIA_GREEDY", "1"}, {"KZTTS_TEMP", "1"}, {NULL, NULL}};
    parse(&p, KZ__SAY, nothing, old);
    assert_string_equal(p.err.text, "KAZEIA_GREEDY and KZTTS_TEMP contradict each other");
    const variable_pair off[] = {{"KAZEIA_LIVE_TEXT", "0"}, {"KAZEIA_WHOLE_TEXT", "1"},
                                 {NULL, NULL}};
    parse(&p, KZ__SAY, nothing, off);
    assert_int_equal(p.status, KZ_OK);
}

/* A name is there once for each verb, with one letter and one place in the settings. */
static void entries_fit(const kz__option *a, const kz__option *b) {
    if (strcmp(a->name, b->name) != 0) {
        if (a->letter) assert_int_not_equal(a->letter, b->letter);
        return;
    }
    assert_int_equal(a->verbs & b->verbs, 0);
    assert_int_equal(a->letter, b->letter);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->offset, b->offset);
    assert_int_equal(a->variable, b->variable);
}

/* Every option that tunes has a twin; text, files, help and what `bench` is asked to measure have
 * none. Conflicts name options that have one entry. */
static void test_the_table_itself(void **state) {
    (void)state;
    static const char *const no_twin[] = {
        "instruct", "output", "file",  "codes",   "dump",  "npy",   "text",
        "help",     "codec",  "batch", "minutes", "study", "auto",  "alternate", "resume",
        "ref-audio", "ref-text", "name", "consent", "replace", "vector-only", "compact",
    };
    const kz__options *t = &kz__option_table;
    assert_in_range(t->count, 1, KZ__OPTIONS_MAX);
    for (size_t i = 0; i < t->count; i++) {
        for (size_t j = i + 1; j < t->count; j++) entries_fit(&t->list[i], &t->list[j]);
        assert_non_null(t->list[i].help);
        assert_int_not_equal(t->list[i].verbs, 0);
        bool twin = t->list[i].kind != KZ__LATER;
        for (size_t k = 0; k < sizeof no_twin / sizeof *no_twin; k++) {
            twin = twin && strcmp(t->list[i].name, no_twin[k]) != 0;
        }
        if (twin != t->list[i].variable) fail_msg("the twin of --%s", t->list[i].name);
        bool needs = t->list[i].kind != KZ__FLAG && t->list[i].kind != KZ__LATER;
        if (needs) assert_non_null(t->list[i].value);
        if (t->list[i].kind == KZ__CHOICE) assert_non_null(t->list[i].choices);
        bool number = t->list[i].kind == KZ__INTEGER || t->list[i].kind == KZ__REAL;
        if (number) assert_true(t->list[i].high > t->list[i].low);
    }
    for (size_t i = 0; i < t->conflict_count; i++) {
        int found = 0;
        for (size_t j = 0; j < t->count; j++) {
            found += !strcmp(t->list[j].name, t->conflicts[i].first);
            found += !strcmp(t->list[j].name, t->conflicts[i].second);
        }
        assert_int_equal(found, 2);
    }
}

/* Where verbs mean different things by a name, each has its own entry. */
static void test_one_name_for_several_verbs(void **state) {
    (void)state;
    static const struct {
        uint32_t verb;
        const char *value;
    } verbs[] = {{KZ__SAY, "FILE"}, {KZ__BATCH, "FOLDER"}, {KZ__CONVERT, "FILE"}};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        parsed p;
        char wanted[64];
        const char *const good[] = {"-o", "there", "--output", "here", NULL};
        const char *const bad[] = {"-o", NULL};
        parse(&p, verbs[i].verb, good, NULL);
        assert_int_equal(p.status, KZ_OK);
        assert_string_equal(p.set.output, "here");
        assert_int_equal(kz__args_source(&p.args, "output"), KZ__FROM_LINE);
        parse(&p, verbs[i].verb, bad, NULL);
        assert_int_equal(p.status, KZ_ERR_USAGE);
        snprintf(wanted, sizeof wanted, "--output=%s", verbs[i].value);
        assert_non_null(strstr(p.err.text, wanted));
    }
}

static void test_distance(void **state) {
    (void)state;
    assert_int_equal(kz__args_distance("kitten", "sitting"), 3);
    assert_int_equal(kz__args_distance("say", "sya"), 1);
    assert_int_equal(kz__args_distance("", "abc"), 3);
    assert_int_equal(kz__args_distance("max_frames", "max-frames"), 0);
    assert_int_equal(kz__args_distance("same", "same"), 0);
    assert_int_equal(kz__args_distance("SAY", "say"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_B226_refused_lines),
        cmocka_unit_test(test_forms_of_an_option),
        cmocka_unit_test(test_words_and_end_of_options),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_B062_precedence),
        cmocka_unit_test(test_variables_of_flags),
        cmocka_unit_test(test_damaged_variables_are_named),
        cmocka_unit_test(test_every_twin),
        cmocka_unit_test(test_contradictions_with_variables),
        cmocka_unit_test(test_the_table_itself),
        cmocka_unit_test(test_one_name_for_several_verbs),
        cmocka_unit_test(test_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
