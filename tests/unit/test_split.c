/* The splitter: tables by hand (a bar in a text is where it must be cut, and nowhere else), and
 * properties of any text. */
#include "harness/failing_alloc.h"
#include "harness/tests.h"
#include "text/cleanup.h"
#include "text/split.h"
#include "text/unicode.h"
#include "text/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PIECES_MAX 4096

typedef struct result {
    kz_piece list[PIECES_MAX];
    size_t count;
} result;

static kz__mem mem;
static result r;

static int setup(void **state) {
    (void)state;
    return kz__mem_init(&mem, NULL, NULL) != KZ_OK;
}

static int teardown(void **state) {
    (void)state;
    return (int)atomic_load(&mem.current);
}

static kz_split_options options_of(int limit, int target, const char *language) {
    kz_split_options o;
    kz_split_options_init(&o);
    o.limit = limit;
    o.target = target;
    o.language = language;
    return o;
}

static void split(const char *text, size_t length, const kz_split_options *o) {
    char err[256] = "";
    if (kz_split(text, length, o, r.list, PIECES_MAX, &r.count, err, sizeof err) != KZ_OK) {
        fail_msg("%s", err);
    }
    assert_true(r.count <= PIECES_MAX);
}

/* The text again with a bar between pieces, in front of what the next one begins with. */
static void show(const char *text, size_t length, char *out) {
    size_t from = 0;
    for (size_t i = 0; i < r.count; i++) {
        size_t to = i + 1 < r.count ? r.list[i].offset + r.list[i].length : length;
        memcpy(out, text + from, to - from);
        out += to - from;
        if (i + 1 < r.count) *out++ = '|';
        from = to;
    }
    *out = 0;
}

/* marked: a text with bars. */
static void check_cuts(const char *marked, const kz_split_options *o) {
    char text[2048];
    char shown[4096] = "";
    size_t length = 0;
    for (const char *c = marked; *c; c++) {
        if (*c != '|') text[length++] = *c;
    }
    split(text, length, o);
    show(text, length, shown);
    assert_string_equal(shown, marked);
}

static void check_table(const char *const *table, size_t count, const char *language) {
    kz_split_options any = options_of(0, 0, NULL);
    kz_split_options named = options_of(0, 0, language);
    for (size_t i = 0; i < count; i++) {
        check_cuts(table[i], &any);
        if (language) check_cuts(table[i], &named);
    }
}

#define TABLE(table, language) check_table(table, sizeof(table) / sizeof *(table), language)

/* ---- languages ------------------------------------------------------------------------------ */

static void test_english(void **state) {
    (void)state;
    static const char *const table[] = {
        "One.",
        "One.| Two!| Three?| Four",
        "Mr. Smith and Mrs. Jones met Dr. Brown.| They ate.",
        "MR. SMITH CAME.| HE LEFT.",
        "St. Paul's is old.| Mt. Etna is older.",
        "Use nuts, e.g. almonds, i.e. seeds.| Stir.",
        "E.g. This one.",
        "It was 5 p.m. when he came.| It was 6 p.m.| He left.",
        "Bread, milk, etc. are there.| Bread, milk, etc.| Then more.",
        "Gen. Lee vs. Capt. Kirk.| The gen. was good.",
        "He sat.| She stood.| We met Sen. Smith.",
        "See No. 5 on p. 12, vol. II, fig. 3.| No.| I won't.",
        "She has a Ph.D. in art.| He likes art.| See art. 7.",
        "Acme Inc. Chairman Bob spoke.",
        "The inc.| It rose.",
        "On Jan. 5 it rained.| It is Mr. X.",
        "J. R. R. Tolkien wrote.| So did J.K. Rowling and George R. R. Martin.",
        "She lives in the U.S. with him.| Washington, D.C. is far.",
        "It costs 5 V.| Then it stops.",
        ("It was 20 \xC2\xB0"
         "C.| Then it rained."),
        "She was 1999.| Then 2000.",
        "\"Really?\" he asked.| \"Yes.\"| \"No.\"| She left.",
        "He said 'Go.'| She went.",
        "(He came. She left.)| They met.",
        "Wait... what?| He left...| She stayed.| And then ... nothing.",
        "Well\xE2\x80\xA6 no.| Well\xE2\x80\xA6| No.",
        "What?!| No way!!!| Yes.",
        "Is it?\xE2\x80\x94 he said.",
        "\xE2\x80\x9CHello.\xE2\x80\x9D|\xC2\xA0She waved.",
        "Yahoo! is old.| Node.js is new.| Then v1.2.3.| Done.",
        "**Bold.**| Then plain.",
        "hello there.| how are you?| i met mr. smith.| ok bye",
        "Great! :) Next.",
    };
    TABLE(table, "en");
}

static void test_german(void **state) {
    (void)state;
    static const char *const table[] = {
        "Er kam am 3. Oktober.| Sie kam am 12. Mai im 19. Jahrhundert.",
        "Hr. M\u00fcller und Fr. Dr. Meier sind da.| Wir auch.",
        "Das ist z.B. gut, d.h. sehr gut.| Ja.",
        "Das ist z. B. Obst, d. h. etwas S\u00fc\u00dfes.| Ja.",
        "Das ist i. d. R. Peter.| Ja.",
        "\u00c4pfel, Birnen usw. sind da.| Birnen usw.| Das alles kostet Geld.",
        "Vgl. Abb. 3 und Nr. 5 auf S. 12.| Die Abb.| Danach.",
        "\u201eKomm.\u201c|\u00a0Sie ging.| \u201eWohin?\u201c fragte er.",
        "\u00bbKomm.\u00ab| \u00bbWohin?\u00ab| Sie ging.",
        "Es dauert 5 Min.| Dann ist Schluss.",
        "Caesar starb 44 v. Chr. in Rom.| Ja.",
        "Es waren ca. 5 Mio. Euro inkl. Steuern.| Ja.",
        "GmbH bzw. AG.| Die St. Anna Kirche.",
    };
    TABLE(table, "de");
    static const char *const named[] = {"Sie war die 2. Frau im 3. Wagen.| Ja."};
    kz_split_options o = options_of(0, 0, "de-AT");
    check_cuts(named[0], &o);
    o.language = "en";
    check_cuts("He was 25.| Then he left.| Oktober was 3.| Oktober", &o);
}

static void test_french(void **state) {
    (void)state;
    static const char *const table[] = {
        "M. Dupont et Mme. Curie sont l\u00e0.| MM. les d\u00e9put\u00e9s aussi.",
        "Mlle. Rose arrive.| Mgr. Paul part.",
        "\u00ab Oui. \u00bb| Il part\u00a0!| \u00ab Non ! \u00bb dit-il.",
        "\u00ab\u00a0Bonjour.\u00a0\u00bb| \u00ab\u00a0Salut.\u00a0\u00bb",
        "Pommes, poires, etc.| Puis plus rien.",
        "Voir chap. 3, p. 12, cf. Dupont.| C'est ce qu'il est.| Il l'est.",
        "Vraiment ?| Oui !| C'est 3,5 % : beaucoup.",
        "J.-P. Dupont habite av. Foch.| Oui.",
    };
    TABLE(table, "fr");
}

static void test_spanish(void **state) {
    (void)state;
    static const char *const table[] = {
        "El Sr. Garc\u00eda y la Sra. L\u00f3pez vieron al Dr. Ruiz.| Bien.",
        "Frutas, p.ej. peras.| Frutas, p. ej. Peras.| Ya.",
        "\u00bfQu\u00e9?| \u00a1Hola!| \u00bfY t\u00fa?, dijo \u00e9l.",
        "Vive en EE. UU. desde 1990.| Va a EE.UU. cada a\u00f1o.| Ya.",
        "Gracias a Ud. por todo.| V\u00e9ase la p\u00e1g. 5 y el art. 7.| Ya.",
        "Av. Libertador y Gral. Paz.| Ya.",
    };
    TABLE(table, "es");
}

static void test_italian(void **state) {
    (void)state;
    static const char *const table[] = {
        "Il sig. Rossi e la dott.ssa Bianchi.| L'avv. Verdi c'era.",
        "Il Prof. Neri, cfr. Dante, a pag. 5.| Bene.",
        "Mele, pere, ecc. sono qui.| Mele, ecc.| Poi basta.",
        "S.p.A. Fiat.| Nel 44 a.C. Cesare mor\u00ec.",
    };
    TABLE(table, "it");
}

static void test_portuguese(void **state) {
    (void)state;
    static const char *const table[] = {
        "O Sr. Silva e a Sra. Dra. Souza.| A Profa. Lima veio.",
        "V. Exa. chegou.| Ver p\u00e1g. 5, art. 7, n. 3.| Sim.",
        "Av. Paulista, etc. e tal.| Cia. Ltda. Brasil.",
        "O s\u00e9c. 20 foi longo.| Sim.",
    };
    TABLE(table, "pt");
}

static void test_russian(void **state) {
    (void)state;
    static const char *const table[] = {
        "\u0412 2020 \u0433.| \u041e\u043d \u0443\u0435\u0445\u0430\u043b \u0432 \u0433. "
        "\u041c\u043e\u0441\u043a\u0432\u0430.| \u0414\u0430.",
        "\u0421\u0442\u043e\u043b\u044b, \u0441\u0442\u0443\u043b\u044c\u044f \u0438 \u0442."
        "\u0434.|"
        " \u041f\u043e\u0442\u043e\u043c \u0432\u0441\u0451.",
        "\u0421\u0442\u043e\u043b\u044b \u0438 \u0442. \u0434.| \u041f\u043e\u0442\u043e\u043c "
        "\u0432\u0441\u0451.| \u0422. \u0435. \u0414\u0430.",
        "\u042d\u0442\u043e \u0410. \u0421. \u041f\u0443\u0448\u043a\u0438\u043d, \u0443\u043b. "
        "\u041c\u0438\u0440\u0430, \u0434. 5.| \u0414\u0430.",
        "\u00ab\u041f\u0440\u0438\u0432\u0435\u0442!\u00bb \u2014 \u0441\u043a\u0430\u0437\u0430"
        "\u043b \u043e\u043d.| \u2014 \u0414\u0430.| \u2014 \u041d\u0435\u0442.",
        "\u041e\u043d \u2014 \u044d\u0442\u043e \u044f.| \u042f \u0437\u043d\u0430\u044e.",
        "\u0421\u0442\u043e\u0438\u0442 5 \u0440\u0443\u0431.| \u0414\u043e\u0440\u043e\u0433\u043e"
        ".",
    };
    TABLE(table, "ru");
}

static void test_chinese(void **state) {
    (void)state;
    static const char *const table[] = {
        "\u4eca\u5929\u5f88\u597d\u3002|\u4f60\u5462\uff1f|\u597d\uff01|\u8d70",
        "\u4ef7\u683c\u662f3.14\u5143\uff1b\u771f\u7684\u5417\uff1f|\u662f\u7684\u3002",
        "\u201c\u4f60\u597d\uff01\u201d|\u4ed6\u8bf4\u3002|\u201c\u6765\u5427\u3002\u201d",
        "\u6211\u2026\u2026\u4e0d\u77e5\u9053\u3002|\u597d\uff01\uff01\uff1f|\u597d",
        "\uff08\u4ed6\u6765\u4e86\u3002\u5979\u8d70\u4e86\u3002\uff09|\u597d\u3002",
        "Hello.|\u4f60\u597d!|\u518d\u89c1",
        "\u6211\u7528Vue.js\u5199\u3002|\u597d\uff61|\u597d",
        "\u4ed6\u8bf4\"\u597d\u3002\"|\u7136\u540e\u3002|\"\u8d70\u3002\"",
    };
    TABLE(table, "zh");
}

static void test_japanese(void **state) {
    (void)state;
    static const char *const table[] = {
        "\u4eca\u65e5\u306f\u6674\u308c\u3067\u3059\u3002|\u660e\u65e5\u306f\uff1f|\u96e8\u3002",
        ("\u300c\u306f\u3044\u3002\u300d\u3068\u8a00\u3063\u305f\u3002|\u300c\u3044\u3044\u3048"
         "\u3002\u300d"),
        "\u7b2c\uff13\uff0e\uff11\u7ae0\u3067\u3059\uff0e|\u6b21\u3067\u3059\uff01|\u3048",
    };
    TABLE(table, "ja");
}

static void test_korean(void **state) {
    (void)state;
    static const char *const table[] = {
        "\uc548\ub155\ud558\uc138\uc694.| \uc798 \uc9c0\ub0c8\uc5b4\uc694?| \ub124!| 3.5\ub3c4"
        "\uc785\ub2c8\ub2e4.",
        "\"\ub124.\"| \uadf8\uac00 \ub9d0\ud588\ub2e4.",
    };
    TABLE(table, "ko");
}

static void test_other_scripts(void **state) {
    (void)state;
    static const char *const table[] = {
        "\u0645\u0631\u062d\u0628\u0627\u061f| \u0646\u0639\u0645\u06d4| \u0644\u0627",
        "\u092f\u0939 \u0939\u0948\u0964| \u0935\u0939 \u0939\u0948\u0965| \u0939\u093e\u0901",
        "\u0532\u0561\u0580\u0565\u0582\u0589| \u0531\u0575\u0578",
        "\u1230\u120b\u121d\u1362| \u12a0\u12ce",
    };
    TABLE(table, NULL);
}

/* ---- rows of the cases ----------------------------------------------------------------------- */

static void test_B007_decimals_stay_whole(void **state) {
    (void)state;
    static const char *const table[] = {
        "It is 36.6 degrees and pi is 3.14159.| Then e is 2.718.",
        "Version 1.2.3 on 192.168.0.1:8080 at 10.30.| Then 10:30.",
        "See https://example.com/a.b?c=d.e!f or me@mail.example.org.| Then .5 or 5.",
        "Kosten: 1.234,56 Euro.| Am 3.10.2020 war es.",
    };
    TABLE(table, NULL);
}

static void test_B008_numbers_with_separators(void **state) {
    (void)state;
    static const char *const table[] = {
        "It is 8,848.86 m (29,031.7 ft) high.| It grows.",
        "They are 1 000 000.5 and 1'234.5.| Done.",
    };
    TABLE(table, NULL);
    kz_split_options o = options_of(12, 0, NULL);
    check_cuts("He paid| 1,234,567.89 1 000 000| or", &o);
}

static void test_B010_abbreviations_and_initials(void **state) {
    (void)state;
    kz_split_options o = options_of(0, 0, NULL);
    check_cuts("Dr. J. Watson of the U.S. Army came to St. Mary's, cf. the plan, i.e. early.| "
               "Prof. S. Holmes, e.g. with Mr. Lestrade vs. Mrs. Hudson, was there.| They met.",
               &o);
    assert_int_equal(r.count, 3);
}

static void test_B012_paragraphs_are_boundaries(void **state) {
    (void)state;
    kz_split_options o = options_of(400, 400, NULL);
    static const char *const texts[] = {
        "A heading|\n\nA sentence.", "A heading|\n\n\n \t\n\nA sentence.",
        "A heading.|\n\nA sentence.", "A heading|\r\n\r\nA sentence.", "A heading|\r\rA sentence.",
        ("A heading|\xE2\x80\xA9\xC2\xA0\xE2\x80\xA9"
         "A sentence."),
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check_cuts(texts[i], &o);
        assert_int_equal(r.count, 2);
        assert_int_equal(r.list[0].after, KZ_BOUNDARY_PARAGRAPH);
        assert_int_equal(r.list[1].after, KZ_BOUNDARY_END);
    }
}

static void test_B012_lines(void **state) {
    (void)state;
    static const char *const table[] = {
        /* wrapped at a column: the sentence goes on */
        ("The quick brown fox jumps over the lazy dog and then\nMr. Fox visits the great city that"
         " we call\nLondon, where he stays.| He likes it, because of\nAnn."),
        "Hello my\nfriend",
        "He met Dr.\nSmith",
        "Roses are red,\nViolets are blue",
        /* headings, verses, lists */
        "Chapter One|\nIt was a dark and stormy night, and the rain fell in torrents.",
        "Roses are red|\nViolets are blue",
        "# A heading|\nand what is under it",
        "We need:|\n- milk|\n- eggs|\n* 5 nuts",
        "Do this:|\n1. Mix it|\n2. Bake it.|\n10) Eat it",
        "\u6625\u7720\u4e0d\u89c9\u6653|\n\u5904\u5904\u95fb\u557c\u9e1f",
    };
    TABLE(table, NULL);
    /* a line of its own joins nothing */
    kz_split_options o = options_of(400, 400, NULL);
    check_cuts("Milk|\nEggs|\nBread. Butter.", &o);
    assert_int_equal(r.list[0].after, KZ_BOUNDARY_SENTENCE);
}

static void test_B018_nothing_unspeakable(void **state) {
    (void)state;
    static const char *const table[] = {
        "Done! \U0001F600|\n\n\U0001F680\U0001F680\n\nBye",
        "\U0001F600 Hello.| Next. \U0001F468\u200D\U0001F469\u200D\U0001F467",
        "One. ... !!!| \U0001F1E9\U0001F1EA Two. 1\uFE0F\u20E3",
        "One.|\n\n***\n\n\u2764\uFE0F\n\n---\n\nTwo.",
    };
    TABLE(table, NULL);
    kz_split_options o = options_of(0, 0, NULL);
    static const char *const none[] = {"", " \n\t ", "\U0001F600\U0001F600", "... --- !!!",
                                       "#\uFE0F\u20E3 5\uFE0F\u20E3 9\u20E3", "\u200B\uFEFF",
                                       ("\U0001F468\u200D\U0001F469\u200D\U0001F467\n\n"
                                        "\u2764\uFE0F")};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        split(none[i], strlen(none[i]), &o);
        assert_int_equal(r.count, 0);
    }
    split("One.\n\n***", 9, &o);
    assert_int_equal(r.count, 1);
    assert_int_equal(r.list[0].length, 4);
    assert_int_equal(r.list[0].after, KZ_BOUNDARY_END);
}

/* ---- lengths --------------------------------------------------------------------------------- */

static void test_long_sentences(void **state) {
    (void)state;
    kz_split_options o = options_of(30, 0, NULL);
    static const char *const table[] = {
        "One two three four;| five six, seven eight nine ten",
        "One two three, four five six,| seven eight nine ten eleven",
        "One two three four five six| seven eight nine ten",
        "He met with his old friend| Mr. Smith in the old town",
        "It was about one hundred and| 1 000 000 000 000 000 000 000",
        "Il dit \u00ab\u00a0bonjour\u00a0\u00bb et part| tout de suite, voyons !",
        "averyveryveryverylongwordwithoutablank,| and more",
        "\u4eca\u5929\u5929\u6c14\u5f88\u597d\uff0c|\u6211\u4eec\u53bb\u516c\u56ed\u73a9\u5427",
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) check_cuts(table[i], &o);
    assert_int_equal(r.list[0].after, KZ_BOUNDARY_INNER);
}

static void test_targets(void **state) {
    (void)state;
    kz_split_options o = options_of(40, 21, NULL);
    check_cuts("Yes. No. Why not? Ok.| It is quite long now.| Yes. No.|\n\nYes. No.", &o);
    o.target = 1000; /* never beyond the limit */
    check_cuts("One two three four five six.| Seven eight. Nine.", &o);
    o.target = 0;
    check_cuts("Yes.| No.", &o);
    o.target = 40;
    o.whole = 1;
    check_cuts("Yes.\n\nNo. \U0001F600 \n\n\U0001F600", &o);
    assert_int_equal(r.count, 1);
    check_cuts("\U0001F600", &o);
    assert_int_equal(r.count, 1);
    check_cuts("Yes.|\n\nNo. And this is more than forty letters.", &o);
}

static void test_calls(void **state) {
    (void)state;
    char err[256] = "";
    size_t count = 9;
    kz_piece one;
    kz_split_options o = options_of(0, 0, NULL);
    assert_int_equal(kz_split("It. Is. Ok.", 11, &o, NULL, 0, &count, NULL, 0), KZ_OK);
    assert_int_equal(count, 3);
    assert_int_equal(kz_split("It. Is. Ok.", 11, &o, &one, 1, &count, err, sizeof err), KZ_OK);
    assert_int_equal(count, 3);
    assert_int_equal(one.length, 3);
    assert_int_equal(kz_split("Yes. No.", 8, NULL, NULL, 0, &count, NULL, 0), KZ_OK);
    assert_int_equal(count, 1);
    assert_int_equal(kz_split(NULL, 0, NULL, NULL, 0, &count, NULL, 0), KZ_OK);
    assert_int_equal(count, 0);
    assert_int_equal(kz_split("a\xFF", 2, &o, NULL, 0, &count, err, sizeof err), KZ_ERR_INPUT);
    assert_non_null(strstr(err, "offset 1"));
    assert_int_equal(kz_split("a\0b", 3, &o, NULL, 0, &count, err, sizeof err), KZ_ERR_INPUT);
    assert_int_equal(kz_split("a", 1, &o, NULL, 0, NULL, err, sizeof err), KZ_ERR_USAGE);
    assert_int_equal(kz_split(NULL, 1, &o, NULL, 0, &count, err, sizeof err), KZ_ERR_USAGE);
    assert_int_equal(kz_split("a", 1, &o, NULL, 2, &count, err, sizeof err), KZ_ERR_USAGE);
    o.limit = -5;
    assert_int_equal(kz_split("a", 1, &o, NULL, 0, &count, err, sizeof err), KZ_ERR_USAGE);
    o = options_of(0, 0, NULL);
    o.size = 4;
    assert_int_equal(kz_split("a", 1, &o, NULL, 0, &count, err, sizeof err), KZ_ERR_USAGE);
}

static void test_memory_runs_out(void **state) {
    (void)state;
    kz_split_options o = options_of(4, 0, NULL);
    o.allocator = kzt_failing_allocator();
    char text[400];
    for (size_t i = 0; i < sizeof text; i++) text[i] = "Ab. "[i % 4];
    kz_status status = KZ_ERR_MEMORY;
    long n = 0;
    for (; status == KZ_ERR_MEMORY && n < 50; n++) {
        size_t count = 7;
        kzt_fail_after(n);
        status = kz_split(text, sizeof text, &o, NULL, 0, &count, NULL, 0);
        assert_int_equal(count, status == KZ_OK ? 100 : 0);
    }
    assert_int_equal(status, KZ_OK);
    assert_in_range(n, 3, 20);
}

/* ---- properties ------------------------------------------------------------------------------ */

static uint32_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static bool speakable(const char *text, size_t length) {
    size_t signs = 0;
    bool digit = false;
    for (size_t i = 0; i < length;) {
        int32_t c = 0;
        i += (size_t)kz__utf8_decode(text + i, length - i, &c);
        if (c == 0xFE0F) continue;
        signs -= c == 0x20E3 && digit; /* a keycap */
        digit = (kz__char_class(c) & KZ__NUMBER) != 0;
        signs += (kz__char_class(c) & (KZ__LETTER | KZ__NUMBER)) != 0;
    }
    return signs > 0;
}

static bool word_byte(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Two line ends with nothing that is seen between them. */
static bool has_empty_line(const char *text, size_t length) {
    bool line = false;
    for (size_t i = 0; i < length;) {
        int32_t c = 0;
        i += (size_t)kz__utf8_decode(text + i, length - i, &c);
        if (c == '\r' && i < length && text[i] == '\n') i++;
        if (c == '\n' || c == '\r' || c == 0x2028) {
            if (line) return true;
            line = true;
        } else if (!kz__char_white(c) && c != 0xAD && c != 0x200B && c != 0xFEFF) {
            line = false;
        }
    }
    return false;
}

static void check_piece(const char *text, size_t length, size_t i) {
    const kz_piece *p = &r.list[i];
    size_t from = i ? r.list[i - 1].offset + r.list[i - 1].length : 0;
    assert_true(p->offset >= from);
    assert_true(p->length > 0 && p->length <= length && p->offset <= length - p->length);
    size_t gap = p->offset - from;
    assert_false(speakable(text + from, gap));
    assert_true(speakable(text + p->offset, p->length));
    assert_false(has_empty_line(text + p->offset, p->length));
    assert_false(strchr(" \t\n\r", text[p->offset]));
    assert_false(strchr(" \t\n\r", text[p->offset + p->length - 1]));
    if (i == 0) return;
    if (gap == 0) assert_false(word_byte(text[from - 1]) && word_byte(text[from]));
    bool paragraph = r.list[i - 1].after == KZ_BOUNDARY_PARAGRAPH;
    assert_true(paragraph == has_empty_line(text + from, gap));
    assert_int_not_equal(r.list[i - 1].after, KZ_BOUNDARY_END);
}

/* Cleaning the pieces and splitting the clean text are the same. */
static void check_clean(const char *text, const kz_split_options *o) {
    static result raw;
    raw = r;
    char *clean = NULL;
    size_t length = 0;
    if (kz__cleanup_text(&mem, text, strlen(text), &clean, &length, NULL) != KZ_OK) return;
    split(clean, length, o);
    if (r.count != raw.count) fail_msg("%zu pieces, clean %zu: '%s'", raw.count, r.count, text);
    for (size_t i = 0; i < r.count; i++) {
        char *piece = NULL;
        size_t bytes = 0;
        if (r.list[i].after != raw.list[i].after) fail_msg("piece %zu of '%s'", i, text);
        assert_int_equal(kz__cleanup_text(&mem, text + raw.list[i].offset, raw.list[i].length,
                                          &piece, &bytes, NULL), KZ_OK);
        if (bytes != r.list[i].length || memcmp(piece, clean + r.list[i].offset, bytes) != 0) {
            fail_msg("'%s' is not '%.*s'", piece, (int)r.list[i].length, clean + r.list[i].offset);
        }
        kz__free(&mem, piece);
    }
    kz__free(&mem, clean);
}

static void test_B008_pieces_join_to_the_text(void **state) {
    (void)state;
    static const char *const bits[] = {
        " ", " ", " ", ". ", ", ", "! ", "? ", "\n", "\n\n", "\r\n", "\r\n \r\n", "; ", ": ", " - ",
        "\u2014", "... ", "\u2026", "(", ")", "\"", "\u201c", "\u201d", "\u00ab ", " \u00bb", "Mr.",
        "e.g.", "J. ", "3.14", "1,234.5", "a", "I", "word", "Hello", "antidisestablishmentarianism",
        "\u3002", "\uff01", "\uff0c", "\u4eca\u5929", "\u3042\u3044\u3046", "\u30ab\u30bf\u30ab",
        "\uc548\ub155", "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35", "\u0431\u0443\u043a\u0432\u0430",
        "\U0001F600", "\u2764\uFE0F", "7\uFE0F\u20E3 ", "\u200B", "\u00AD", "\uFEFF", "\u00A0",
        "\u2028", "e\u0301", "***", "- ", "1. ", "# ", "\u061f ", "\u0964 ", "http://a.b/c?d=e "};
    uint64_t seed = 7;
    for (int round = 0; round < 20000; round++) {
        char text[1024] = "";
        size_t count = next_random(&seed) % 60;
        for (size_t i = 0; i < count; i++) {
            strcat(text, bits[next_random(&seed) % (sizeof bits / sizeof *bits)]);
        }
        size_t length = strlen(text);
        static const int limits[] = {0, 10, 25, 60, 400};
        kz_split_options o = options_of(limits[next_random(&seed) % 5],
                                        (int)(next_random(&seed) % 80), NULL);
        split(text, length, &o);
        for (size_t i = 0; i < r.count; i++) check_piece(text, length, i);
        size_t end = r.count ? r.list[r.count - 1].offset + r.list[r.count - 1].length : 0;
        if (r.count) assert_int_equal(r.list[r.count - 1].after, KZ_BOUNDARY_END);
        assert_false(speakable(text + end, length - end));
        check_clean(text, &o);
    }
}

/* Where every word fits, no piece is longer than the limit. */
static void test_limits_are_kept(void **state) {
    (void)state;
    static const char *const words[] = {"one", "three,", "seven", "Mr.", "twelve.", "Two!", "(six",
                                        "no)", "and;", "-", "\u00fcber", "... so"};
    uint64_t seed = 11;
    for (int round = 0; round < 500; round++) {
        char text[2048] = "";
        for (size_t i = 0; i < 200; i++) {
            strcat(text, words[next_random(&seed) % (sizeof words / sizeof *words)]);
            strcat(text, " ");
        }
        int limit = 20 + (int)(next_random(&seed) % 100);
        kz_split_options o = options_of(limit, KZ_DEFAULT, NULL);
        split(text, strlen(text), &o);
        for (size_t i = 0; i < r.count; i++) {
            size_t characters = 0;
            for (size_t k = 0; k < r.list[i].length; k++) {
                characters += (text[r.list[i].offset + k] & 0xC0) != 0x80;
            }
            assert_in_range(characters, 1, limit);
        }
    }
}

/* B040: nothing of a long text is left out. */
static void test_B040_long_text_is_covered(void **state) {
    (void)state;
    static char text[60000];
    size_t length = 0;
    for (int i = 0; length < 50000; i++) {
        length += (size_t)sprintf(text + length, "Sentence number %d is here, and it is short.%s",
                                  i, i % 7 == 6 ? "\n\n" : " ");
    }
    kz_split_options o = options_of(160, KZ_DEFAULT, NULL);
    split(text, length, &o);
    size_t spoken = 0;
    for (size_t i = 0; i < r.count; i++) {
        check_piece(text, length, i);
        for (size_t k = 0; k < r.list[i].length; k++) {
            spoken += !strchr(" \n", text[r.list[i].offset + k]);
        }
    }
    size_t wanted = 0;
    for (size_t k = 0; k < length; k++) wanted += !strchr(" \n", text[k]);
    assert_int_equal(spoken, wanted);
}

#define MOST (((size_t)1 << 20) / KZT_SLOW)

static double seconds_for(const char *bit, size_t bytes) {
    char *text = malloc(bytes + 64);
    assert_non_null(text);
    size_t length = 0;
    while (length < bytes) {
        strcpy(text + length, bit);
        length += strlen(bit);
    }
    kz_split_options o = options_of(160, KZ_DEFAULT, NULL);
    size_t count = 0;
    clock_t start = clock();
    assert_int_equal(kz_split(text, length, &o, NULL, 0, &count, NULL, 0), KZ_OK);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    free(text);
    return seconds;
}

static void test_linear_time(void **state) {
    (void)state;
    static const char *const bits[] = {
        "a", "A sentence of words. ", ".", ". ", "a. ", "A. ", "( ", "(a. ", "\"", "1.", "1. ", " ",
        "\n", "a\n", "A\n", "\u200B", ".\u200B", "a\u200B.", "\u3002", "\u4eca", "e\u0301", "!? ",
        "\u00bb ", ". \u00bb", ", ", "a, ", "- ", "\U0001F600", "...", "... ", "x.y. ", "\u0301"};
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        double quarter = seconds_for(bits[i], MOST / 4);
        double whole = seconds_for(bits[i], MOST);
        /* 4 for linear, 16 for quadratic time; what is short cannot be told apart from noise */
        if (whole > 9 * quarter + 0.25) {
            fail_msg("%zu bytes of '%s': %.3f s, a quarter of it: %.3f s", MOST, bits[i], whole,
                     quarter);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_english),
        cmocka_unit_test(test_german),
        cmocka_unit_test(test_french),
        cmocka_unit_test(test_spanish),
        cmocka_unit_test(test_italian),
        cmocka_unit_test(test_portuguese),
        cmocka_unit_test(test_russian),
        cmocka_unit_test(test_chinese),
        cmocka_unit_test(test_japanese),
        cmocka_unit_test(test_korean),
        cmocka_unit_test(test_other_scripts),
        cmocka_unit_test(test_B007_decimals_stay_whole),
        cmocka_unit_test(test_B008_numbers_with_separators),
        cmocka_unit_test(test_B010_abbreviations_and_initials),
        cmocka_unit_test(test_B012_paragraphs_are_boundaries),
        cmocka_unit_test(test_B012_lines),
        cmocka_unit_test(test_B018_nothing_unspeakable),
        cmocka_unit_test(test_long_sentences),
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_B008_pieces_join_to_the_text),
        cmocka_unit_test(test_limits_are_kept),
        cmocka_unit_test(test_B040_long_text_is_covered),
        cmocka_unit_test(test_linear_time),
    };
    return cmocka_run_group_tests_name("split", tests, setup, teardown);
}
