/* Abbreviations with a full stop: form: table. */
#include "text/abbreviations.h"

#include <string.h>
#include <strings.h>

#define NEVER KZ__ABBR_NEVER
#define NUMBER KZ__ABBR_NUMBER
#define END KZ__ABBR_END
#define UNIT KZ__ABBR_UNIT
#define CAPITAL KZ__ABBR_CAPITAL
#define OWN KZ__ABBR_OWN

typedef struct entry {
    const char *word;
    unsigned flags;
} entry;

static const entry english[] = {
    {"mr", NEVER}, {"mrs", NEVER}, {"ms", NEVER | CAPITAL}, {"mx", NEVER | CAPITAL},
    {"messrs", NEVER}, {"dr", NEVER}, {"prof", NEVER}, {"st", NEVER}, {"ste", NEVER},
    {"rev", NEVER | CAPITAL}, {"fr", NEVER | CAPITAL}, {"hon", NEVER | CAPITAL}, {"jr", NEVER},
    {"sr", NEVER}, {"gen", NEVER | CAPITAL}, {"col", NEVER | CAPITAL}, {"maj", NEVER | CAPITAL},
    {"capt", NEVER}, {"cpt", NEVER}, {"cmdr", NEVER}, {"lt", NEVER}, {"sgt", NEVER}, {"cpl", NEVER},
    {"pvt", NEVER}, {"adm", NEVER | CAPITAL}, {"gov", NEVER | CAPITAL}, {"sen", NEVER | CAPITAL},
    {"rep", NEVER | CAPITAL}, {"pres", NEVER | CAPITAL}, {"supt", NEVER}, {"mt", NEVER | CAPITAL},
    {"ft", NEVER | CAPITAL}, {"vs", NEVER}, {"v", NEVER}, {"viz", NEVER}, {"cf", NEVER},
    {"al", NEVER | OWN}, {"etc", END}, {"inc", NEVER | CAPITAL}, {"ltd", NEVER},
    {"corp", NEVER | CAPITAL}, {"co", NEVER | CAPITAL}, {"bros", NEVER}, {"dept", NEVER},
    {"univ", NEVER}, {"assn", NEVER}, {"ave", NEVER | CAPITAL}, {"blvd", NEVER},
    {"rd", NEVER | CAPITAL}, {"hwy", NEVER}, {"approx", NEVER}, {"est", NUMBER}, {"esp", NEVER},
    {"incl", NEVER}, {"ca", NUMBER}, {"c", NUMBER}, {"no", NUMBER}, {"nos", NUMBER}, {"p", NUMBER},
    {"pp", NUMBER}, {"vol", NUMBER}, {"vols", NUMBER}, {"ch", NUMBER}, {"chap", NUMBER},
    {"sec", NUMBER}, {"fig", NUMBER}, {"figs", NUMBER}, {"eq", NUMBER}, {"ed", NUMBER},
    {"ext", NUMBER}, {"tel", NUMBER}, {"art", NUMBER}, {"jan", NUMBER | CAPITAL},
    {"feb", NUMBER | CAPITAL}, {"mar", NUMBER | CAPITAL}, {"apr", NUMBER | CAPITAL},
    {"jun", NUMBER | CAPITAL}, {"jul", NUMBER | CAPITAL}, {"aug", NUMBER | CAPITAL},
    {"sep", NUMBER | CAPITAL}, {"sept", NUMBER | CAPITAL}, {"oct", NUMBER | CAPITAL},
    {"nov", NUMBER | CAPITAL}, {"dec", NUMBER | CAPITAL}, {"a.m", END}, {"p.m", END},
    {"i.e", NEVER}, {"e.g", NEVER}, {"ph.d", NEVER},
};

static const entry german[] = {
    {"hr", NEVER | CAPITAL}, {"hrn", NEVER}, {"fr", NEVER | CAPITAL}, {"frl", NEVER},
    {"dipl", NEVER},
    {"ing", NEVER | CAPITAL}, {"mag", NEVER | CAPITAL | OWN}, {"fa", NEVER | CAPITAL},
    {"nr", NEVER}, {"bzw", NEVER}, {"vgl", NEVER}, {"evtl", NEVER}, {"ggf", NEVER}, {"ggfs", NEVER},
    {"inkl", NEVER}, {"exkl", NEVER}, {"zzgl", NEVER}, {"abzgl", NEVER}, {"bspw", NEVER},
    {"sog", NEVER | OWN}, {"geb", NEVER}, {"gest", NEVER}, {"verh", NEVER}, {"allg", NEVER},
    {"urspr", NEVER}, {"gem", NEVER | OWN}, {"hrsg", NEVER}, {"st", NEVER}, {"mio", NEVER},
    {"mrd", NEVER}, {"tsd", NEVER}, {"min", UNIT}, {"sek", UNIT}, {"std", UNIT}, {"jh", END},
    {"jhd", END}, {"jhdt", END}, {"chr", END}, {"usw", END}, {"usf", END}, {"etc", END},
    {"dgl", END}, {"u.s.w", END}, {"u.s.f", END}, {"ca", NEVER}, {"abb", NUMBER}, {"abs", NUMBER},
    {"aufl", NUMBER}, {"bd", NUMBER}, {"kap", NUMBER}, {"str", NUMBER}, {"tel", NUMBER},
    {"max", NUMBER}, {"s", NUMBER}, {"z", NEVER}, {"d", NEVER}, {"zt", NEVER | OWN},
    {"okt", NUMBER}, {"dez", NUMBER},
};

static const entry french[] = {
    {"mm", NEVER | CAPITAL}, {"mme", NEVER}, {"mmes", NEVER}, {"mlle", NEVER}, {"mlles", NEVER},
    {"mgr", NEVER}, {"me", NEVER | CAPITAL | OWN}, {"pr", NEVER | CAPITAL}, {"dr", NEVER},
    {"st", NEVER}, {"ste", NEVER}, {"etc", END}, {"env", NEVER}, {"cf", NEVER}, {"av", NEVER},
    {"bd", NEVER | CAPITAL}, {"boul", NEVER}, {"chap", NUMBER}, {"art", NUMBER}, {"fig", NUMBER},
    {"vol", NUMBER}, {"t", NUMBER}, {"p", NUMBER}, {"pp", NUMBER}, {"n", NUMBER}, {"no", NUMBER},
    {"tél", NUMBER}, {"éd", NUMBER}, {"ex", NEVER | OWN}, {"p.ex", NEVER}, {"apr", NEVER | OWN},
    {"janv", NUMBER}, {"févr", NUMBER}, {"juil", NUMBER}, {"déc", NUMBER},
};

static const entry spanish[] = {
    {"sr", NEVER}, {"sra", NEVER}, {"srta", NEVER}, {"sres", NEVER}, {"sras", NEVER}, {"dr", NEVER},
    {"dra", NEVER}, {"dres", NEVER}, {"dña", NEVER}, {"ud", END}, {"uds", END}, {"vd", END},
    {"vds", END}, {"lic", NEVER | CAPITAL}, {"ing", NEVER | CAPITAL}, {"arq", NEVER},
    {"gral", NEVER | CAPITAL}, {"sto", NEVER | CAPITAL}, {"sta", NEVER | CAPITAL},
    {"prof", NEVER}, {"profa", NEVER}, {"ej", NEVER}, {"p.ej", NEVER}, {"etc", END},
    {"aprox", NEVER}, {"av", NEVER}, {"avda", NEVER}, {"dpto", NEVER}, {"cía", NEVER},
    {"ee", NEVER | CAPITAL},
    {"uu", END | CAPITAL}, {"pág", NUMBER}, {"págs", NUMBER}, {"núm", NUMBER}, {"art", NUMBER},
    {"cap", NUMBER}, {"vol", NUMBER}, {"tel", NUMBER}, {"tfno", NUMBER}, {"min", UNIT},
    {"seg", UNIT}, {"ee.uu", END},
};

static const entry italian[] = {
    {"sig", NEVER}, {"sigg", NEVER}, {"sig.ra", NEVER}, {"sig.na", NEVER}, {"dott", NEVER},
    {"dott.ssa", NEVER}, {"dr", NEVER}, {"dr.ssa", NEVER}, {"prof", NEVER}, {"prof.ssa", NEVER},
    {"avv", NEVER}, {"ing", NEVER | CAPITAL}, {"arch", NEVER | CAPITAL}, {"geom", NEVER},
    {"rag", NEVER | CAPITAL}, {"on", NEVER | CAPITAL | OWN}, {"mons", NEVER}, {"ecc", END},
    {"etc", END}, {"es", NEVER | OWN}, {"p.es", NEVER}, {"cfr", NEVER}, {"pag", NUMBER},
    {"pagg", NUMBER}, {"art", NUMBER}, {"cap", NUMBER}, {"vol", NUMBER}, {"fig", NUMBER},
    {"tel", NUMBER}, {"n", NUMBER}, {"nn", NUMBER}, {"ca", NUMBER}, {"min", UNIT}, {"sec", UNIT},
    {"spett", NEVER}, {"gent", NEVER | CAPITAL},
};

static const entry portuguese[] = {
    {"sr", NEVER}, {"sra", NEVER}, {"srta", NEVER}, {"srs", NEVER}, {"sras", NEVER}, {"dr", NEVER},
    {"dra", NEVER}, {"drs", NEVER}, {"prof", NEVER}, {"profa", NEVER}, {"exmo", NEVER},
    {"exma", NEVER}, {"ilmo", NEVER}, {"ilma", NEVER}, {"eng", NEVER | CAPITAL},
    {"arq", NEVER | CAPITAL}, {"ex", NEVER | OWN}, {"p.ex", NEVER}, {"etc", END}, {"aprox", NEVER},
    {"av", NEVER}, {"cia", NEVER | CAPITAL}, {"ltda", NEVER}, {"pág", NUMBER}, {"págs", NUMBER},
    {"núm", NUMBER}, {"art", NUMBER}, {"cap", NUMBER}, {"vol", NUMBER}, {"tel", NUMBER},
    {"séc", NUMBER}, {"min", UNIT}, {"seg", UNIT},
};

static const entry russian[] = {
    {"г", UNIT}, {"гг", UNIT}, {"ул", NEVER}, {"пр", NEVER}, {"просп", NEVER}, {"пл", NEVER},
    {"пер", NEVER}, {"наб", NEVER}, {"д", NUMBER}, {"кв", NUMBER}, {"корп", NUMBER},
    {"стр", NUMBER}, {"с", NUMBER}, {"рис", NUMBER}, {"табл", NUMBER}, {"гл", NUMBER},
    {"т", NUMBER}, {"п", NUMBER},
    {"ст", NUMBER}, {"тел", NUMBER}, {"им", NEVER}, {"проф", NEVER}, {"акад", NEVER}, {"св", NEVER},
    {"см", UNIT}, {"напр", NEVER}, {"ок", NEVER}, {"гос", NEVER}, {"обл", NEVER}, {"ред", NEVER},
    {"изд", NEVER}, {"англ", NEVER}, {"лат", NEVER}, {"нем", NEVER | OWN}, {"др", END},
    {"т.д", END}, {"т.п", END}, {"т.е", NEVER}, {"т.к", NEVER}, {"т.н", NEVER},
    {"т.ч", NEVER}, {"н.э", END}, {"тыс", NEVER}, {"млн", NEVER}, {"млрд", NEVER}, {"руб", UNIT},
    {"коп", UNIT}, {"чел", UNIT}, {"мин", UNIT}, {"сек", UNIT}, {"ч", UNIT}, {"км", UNIT},
    {"кг", UNIT}, {"в", UNIT}, {"вв", UNIT}, {"долл", UNIT},
};

typedef struct tongue {
    const char *code, *name;
    const entry *list;
    size_t count;
} tongue;

#define LIST(list) list, sizeof list / sizeof *list
static const tongue tongues[] = {
    {"en", "english", LIST(english)},   {"de", "german", LIST(german)},
    {"fr", "french", LIST(french)},     {"es", "spanish", LIST(spanish)},
    {"it", "italian", LIST(italian)},   {"pt", "portuguese", LIST(portuguese)},
    {"ru", "russian", LIST(russian)},   {"zh", "chinese", NULL, 0},
    {"ja", "japanese", NULL, 0},        {"ko", "korean", NULL, 0},
};
#define TONGUES (sizeof tongues / sizeof *tongues)

int kz__abbreviations_language(const char *name) {
    if (!name) return -1;
    for (size_t i = 0; i < TONGUES; i++) {
        if (!strcasecmp(name, tongues[i].name)) return (int)i;
        if (strncasecmp(name, tongues[i].code, 2) != 0) continue;
        if (!name[2] || name[2] == '-' || name[2] == '_') return (int)i;
    }
    return -1;
}

static unsigned find(const tongue *l, const char *word, size_t length, bool capital, bool own) {
    for (size_t i = 0; i < l->count; i++) {
        const entry *e = &l->list[i];
        if (e->word[0] != word[0] || strlen(e->word) != length) continue;
        if (memcmp(e->word, word, length) != 0) continue;
        if ((e->flags & CAPITAL && !capital) || (e->flags & OWN && !own)) continue;
        return e->flags;
    }
    return 0;
}

/* The named language has the first word; elsewhere the most careful answer counts. */
unsigned kz__abbreviation(int language, const char *word, size_t length, bool capital) {
    unsigned flags = 0;
    if (length == 0) return 0;
    if (language >= 0) flags = find(&tongues[language], word, length, capital, true);
    for (size_t i = 0; !(flags && language >= 0) && i < TONGUES; i++) {
        flags |= find(&tongues[i], word, length, capital, false);
    }
    if (flags & NEVER) return NEVER;
    return flags & (NUMBER | END | UNIT);
}

bool kz__abbreviations_ordinals(int language) {
    return language >= 0 && !strcmp(tongues[language].code, "de");
}

static bool listed(const char *const *words, size_t count, const char *word, size_t length) {
    for (size_t i = 0; i < count; i++) {
        if (strlen(words[i]) == length && !memcmp(words[i], word, length)) return true;
    }
    return false;
}

bool kz__abbreviations_starter(const char *word, size_t length) {
    static const char *const words[] = {
        "der", "die", "das", "ein", "eine", "er", "sie", "es", "wir", "ich", "ihr", "du", "man",
        "und", "aber", "oder", "dann", "danach", "doch", "da", "so", "wenn", "als", "in", "im",
        "am", "auf", "bei", "mit", "nach", "von", "zu", "auch", "nur", "noch", "jetzt", "hier",
        "dort", "dies", "diese", "dieser", "ja", "nein", "was", "wer", "wie", "wo", "warum"};
    return listed(words, sizeof words / sizeof *words, word, length);
}

bool kz__abbreviations_after_ordinal(const char *word, size_t length) {
    static const char *const words[] = {
        "januar", "jänner", "februar", "märz", "april", "mai", "juni", "juli", "august",
        "september", "oktober", "november", "dezember", "jahrhundert", "jahrhunderts",
        "jahrtausend", "jh", "kapitel", "auflage", "klasse", "stock", "platz", "mal", "tag",
        "runde", "spieltag", "lebensjahr", "geburtstag", "januars", "weltkrieg"};
    return listed(words, sizeof words / sizeof *words, word, length);
}
