"""Natural French: definitions and examples of Littré's dictionary (Debian: stardict-xmlittre), and
the words of the spelling dictionary (hunspell-fr-classical), which also says what is modern French.
"""
import gzip
import re
import subprocess

DICTIONARY = "/usr/share/stardict/dic/XMLittre.dict.dz"
WORDS = "/usr/share/hunspell/fr.dic"
LETTER = "A-Za-zàâäçéèêëîïôöùûüÿœæÀÂÇÉÈÊËÎÏÔÙÛŒ"
CLEAN = re.compile("^[%s][%s ,;'!?-]*[.!?]?$" % (LETTER, LETTER))
LIGATURE = re.compile(r"\b([BCSMNV]?)oe(uf|ur|uvre|il|illet|u|ud|uvrer)(s|x)?\b", re.IGNORECASE)
ODD = re.compile(r"\b(Voy|Terme|Fig|Nom|Synonyme|Locution|Absolument|Substantivement|Id|Ibid)\b")


def sentences(path=DICTIONARY):
    """Sentences of the numbered senses, without the quotations of authors."""
    with gzip.open(path, "rt", encoding="utf-8") as f:
        text = re.sub(r"<span[^>]*>.*?</span>", "", f.read())
    for line in re.findall(r"(?m)^<b>\d+°</b>(.*)$", text):
        line = re.sub(r"<i>.*?</i>|\([^)]*\)|<[^>]*>", " ", line)
        for s in re.split(r"(?<=[.!?]) +(?=[A-ZÀÂÇÉÈÊÎÔ])", line):
            yield re.sub(r"\s+", " ", s).strip()


def clean(s):
    """A sentence of plain words with French spacing of the marks, or None."""
    if not CLEAN.match(s) or ODD.search(s) or " -" in s or "- " in s or " '" in s or "' " in s:
        return None
    if any(w.isupper() and len(w) > 1 for w in s.split()):
        return None
    s = LIGATURE.sub(lambda m: m.group(1) + "œ" + m.group(2) + (m.group(3) or ""), s)
    s = re.sub(r" ?([;!?])", r" \1", s.rstrip(".,; ") + ("" if s[-1] in "!?" else "."))
    return s[0].upper() + s[1:]


def misspelt(words):
    """Those that the French spelling dictionary does not know."""
    text = "\n".join(sorted(words)) + "\n"
    run = subprocess.run(["hunspell", "-d", "fr", "-i", "utf-8", "-l"], input=text, text=True,
                         capture_output=True, check=True)
    return set(run.stdout.split())


def pieces(s):
    return re.findall("[%s]+" % LETTER, s)


def keep(least, most, chars):
    """Clean sentences in modern spelling, each once, in their order."""
    out = {}
    for s in sentences():
        s = clean(s)
        if s and least <= len(s.split()) <= most and len(s) <= chars:
            out.setdefault(s.lower(), s)
    bad = misspelt({w for s in out.values() for w in pieces(s) if len(w) > 1})
    return [s for s in out.values() if not bad.intersection(pieces(s))]


def words():
    """-> words (nouns, adjectives, adverbs, verbs in the infinitive), first names, family names"""
    plain, first, last = set(), set(), set()
    with open(WORDS, encoding="utf-8") as f:
        for line in f:
            word, _, tags = line.strip().partition(" ")
            word = word.split("/")[0]
            if not re.fullmatch("[%s]{2,16}" % LETTER, word):
                continue
            if re.search("po:(nom|adj|adv|v[123])", tags) and word.islower():
                plain.add(word)
            elif "po:prn" in tags:
                first.add(word)
            elif "po:patr" in tags:
                last.add(word)
    return sorted(plain), sorted(first), sorted(last)
