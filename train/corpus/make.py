"""The corpus: sentences as typed and in words, with fixed seeds.

usage: python3 -m train.corpus.make WORK [SHARE]     SHARE of the full size, 1 by default
Writes WORK/corpus/english.jsonl and french.jsonl (lines: sentence.py), and english-common.jsonl and
french-common.jsonl, lists of common words for lessons in spelling. Each is written once: a file that
is there already is left alone. Sentences of the test sets train/eval/*.json are kept out.
"""
import glob
import json
import os
import random
import sys
import time

from train.corpus import common, littre, looks, names, sentence, wordnet, written_en, written_fr
from train.corpus.sentence import behind, plain, spoken, typed

HERE = os.path.dirname(os.path.abspath(__file__))
LONGEST = 250                       # characters of a text, as typed
CHANGED = {"natural": 0.25, "meaning": 0.2, "template": 0.25, "long": 0.25, "words": 0.2,
           "one": 0.15}             # share of sentences whose look is changed
SIZES = {"natural": 26000, "meaning": 14000, "template": 22000, "long": 8000, "words": 9000,
         "one": 3000}
COMMON = 40000                      # lists of common words
SPEAKERS = ("ada", "max")


def key(text):
    return "".join(c for c in text.lower() if c.isalnum())


def held_out():
    """Keys of everything in the test sets, as typed and in words."""
    out = set()
    for path in glob.glob(os.path.join(HERE, "..", "eval", "*_*.json")):
        with open(path, encoding="utf-8") as f:
            for row in json.load(f)["sentences"]:
                out.update((key(row["typed"]), key(row.get("spoken", row["typed"]))))
    return out


def data(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        if name.endswith(".json"):
            return {k: v.split(" | ") for k, v in json.load(f).items()}
        return f.read().split("\n")[:-1]


class English:
    name = "english"

    def __init__(self, r):
        self.natural, self.meaning, self.lemmas = wordnet.read()
        first, last = names.read("en_US")
        lists = dict(data("words_en.json"), name=first)
        lists["name"] = first + [a + " " + b for a, b in zip(r.choices(first, k=2000),
                                                             r.choices(last, k=2000))]
        self.names = first + last
        self.templates, self.short = data("templates_en.txt"), written_en.SHORT
        self.slots = written_en.slots(r, lists)
        self.joins = (" ", " ", ", ", " and ")

    def tokens(self, text):
        return self.said(plain(text))

    def said(self, tokens):
        """Hyphens are not said, and flite would stumble over them."""
        return [(t, s.replace("-", " ")) for t, s in tokens]


class French:
    name = "french"

    def __init__(self, r):
        everything = littre.keep(2, 24, 140)
        r.shuffle(everything)
        half = len(everything) * 2 // 3
        self.natural, self.meaning = everything[:half], everything[half:]
        self.lemmas, first, last = littre.words()
        common, family = names.read("fr_FR")
        lists = data("words_fr.json")
        lists["name"] = common + [a + " " + b for a, b in zip(r.choices(common, k=2000),
                                                              r.choices(family, k=2000))]
        self.names = first + last + common + family
        self.templates, self.short = data("templates_fr.txt"), written_fr.SHORT
        self.slots = written_fr.slots(r, lists)
        self.joins = (" ", " ", ", ", " et ")

    def tokens(self, text):
        """A mark that stands alone is said by the word before it."""
        out = []
        for t in text.split():
            if t in sentence.STOPS and out:
                out = behind(out, "", t) + [(t, "")]
            else:
                out.append((t, t))
        return out

    def said(self, tokens):
        return tokens


def joined(lang, r):
    """Two or more sentences up to LONGEST characters."""
    limit, out = r.randint(120, LONGEST), []
    while True:
        tokens = lang.tokens(r.choice(lang.natural))
        if out and len(typed(out + tokens)) > limit:
            return out
        out += tokens


def word_list(lang, r):
    words = [r.choice(lang.lemmas if r.random() < 0.75 else lang.names)
             for _ in range(r.randint(1, 5))]
    return sentence.capital(plain(r.choice(lang.joins).join(words) + r.choice(".....!?")))


def one_word(lang, r):
    word = r.choice(lang.lemmas if r.random() < 0.8 else lang.names).capitalize()
    mark = r.choice((".", ".", "", "!", "?"))
    if mark in "!?" and mark and lang.name == "french":
        return [(word, word + mark), (mark, "")]
    return [(word + mark, word + (mark or "."))]


def makers(lang, r):
    """kind -> function -> tokens"""
    pools = {"natural": r.sample(lang.natural, len(lang.natural)),
             "meaning": r.sample(lang.meaning, len(lang.meaning))}
    out = {k: (lambda p=p: lang.tokens(p.pop()) if p else None) for k, p in pools.items()}
    out["template"] = lambda: lang.said(sentence.capital(
        sentence.fill(r.choice(lang.templates), lang.slots, lang.short)))
    out["long"] = lambda: joined(lang, r)
    out["words"] = lambda: word_list(lang, r)
    out["one"] = lambda: one_word(lang, r)
    return out


def rows(lang, share, r):
    """Yields the lines of a language; every text once."""
    made, tests = makers(lang, r), held_out()
    seen = set()
    for kind, size in SIZES.items():
        count = failures = 0
        while count < size * share and failures < 2000:
            tokens = made[kind]()
            if tokens is None:
                break
            tokens = looks.change(tokens, lang.name, r, CHANGED[kind])
            text = typed(tokens)
            if text in seen or len(text) > LONGEST or key(text) in tests \
                    or key(spoken(tokens)) in tests or not spoken(tokens):
                failures += 1
                continue
            seen.add(text)
            count, failures = count + 1, 0
            yield {"kind": kind, "speaker": r.choice(SPEAKERS), "tokens": tokens}


def common_words(lang, share, r):
    """Yields lines of lists of common words."""
    words, weights = common.words(lang.name)
    for _ in range(int(COMMON * share)):
        text = r.choice(lang.joins).join(r.choices(words, weights, k=r.randint(4, 10)))
        yield {"kind": "common", "speaker": r.choice(SPEAKERS),
               "tokens": looks.change(sentence.capital(lang.tokens(text + r.choice(("", ".", "?")))),
                                      lang.name, r, CHANGED["words"])}


def write(path, ids, make):
    """make(): the lines"""
    if os.path.exists(path):
        print("corpus: %s is there" % path)
        return
    start, out = time.time(), make()
    with open(path + ".part", "w", encoding="utf-8") as f:
        for i, row in enumerate(out):
            f.write(sentence.dump(dict(id="%s%06d" % (ids, i), **row)) + "\n")
    os.rename(path + ".part", path)
    print("corpus: %s, %d sentences, %.0f s" % (path, len(out), time.time() - start))


def shuffled(rows, r):
    out = list(rows)
    r.shuffle(out)
    return out


def main(work, share=1.0):
    folder = os.path.join(work, "corpus")
    os.makedirs(folder, exist_ok=True)
    for lang in (English, French):
        path, ids = os.path.join(folder, lang.name), lang.name[:2]

        def natural():
            r = random.Random(7)
            return shuffled(rows(lang(r), share, r), r)

        def lists():
            r = random.Random(8)
            return list(common_words(lang(r), share, r))
        write(path + ".jsonl", ids, natural)
        write(path + "-common.jsonl", ids + "c", lists)


if __name__ == "__main__":
    main(sys.argv[1], *map(float, sys.argv[2:]))
