"""Natural English: the examples and definitions of WordNet 3.0 (Debian: wordnet-base)."""
import re

FOLDER = "/usr/share/wordnet"
CLEAN = re.compile(r"^[A-Za-z][A-Za-z ,'\-]*[.!?]?$")


def clean(s):
    """A sentence of plain words, or None."""
    s = re.sub(r"\s+", " ", s.replace("`", "'").replace(";", ",").replace("--", ", ")).strip()
    if not CLEAN.match(s) or "''" in s or s.count("'") > 2 or " -" in s or "- " in s or " '" in s:
        return None
    if any(w.isupper() and len(w) > 1 for w in s.split()):
        return None
    s = s[0].upper() + s[1:]
    return s if s[-1] in ".?!" else s.rstrip(",") + "."


def keep(raw, least, most, chars):
    """Clean sentences of `least` to `most` words, each once, in their order."""
    out = {}
    for s in raw:
        s = clean(s)
        if s and least <= len(s.split()) <= most and len(s) <= chars:
            out.setdefault(s.lower(), s)
    return list(out.values())


def read(folder=FOLDER):
    """-> examples, definitions, words"""
    examples, glosses, lemmas = [], [], set()
    for part in ("noun", "verb", "adj", "adv"):
        with open("%s/data.%s" % (folder, part), errors="replace") as f:
            for line in f:
                if "|" not in line or line[0] == " ":
                    continue
                head, tail = line.split("|", 1)
                lemmas.update(w for w in head.split()[4::2] if re.fullmatch("[a-z]{2,14}", w))
                examples += re.findall(r'"([^"]+)"', tail)
                text = re.sub(r"\([^)]*\)", "", tail.split('"')[0]).strip(" ;\n")
                glosses += [g.strip() for g in text.split(";")]
    return keep(examples, 2, 24, 140), keep(glosses, 3, 20, 120), sorted(lemmas)
