"""Do texts end by themselves, and does what is not said leave the rest alone?

A thousand texts: one word, the sentences of all sets, long ones made of these, in turn by all
speakers. A text that the guard stops, or that takes much longer or shorter than its letters let
expect, is listed.
"""
import shutil

from train.eval import engine, sets
from train.eval.errors import rates_of
from train.eval.heard import progress

SETS = ("everyday", "rare", "typed", "questions", "strays")
TEXTS = 1000
ONE_WORD, LONG = 0.2, 0.2           # of the texts
LONGEST = 400                       # characters
LEAST, MOST, EXTRA = 0.03, 0.16, 1.0    # seconds a letter, and seconds beside


def words(said):
    """One-word texts, as typed: each word once, with capital and full stop."""
    found = {}
    for s in said:
        for word in s.spoken.replace("-", " ").split():
            word = word.strip(".,;:!?«»“”\"'()")
            if word.isalpha():
                found[word.lower()] = sets.Sentence(word.capitalize() + ".", word, s.language)
    return [found[w] for w in sorted(found)]


def long_texts(said, count):
    """Texts of several sentences, growing to LONGEST characters."""
    out, at = [], 0
    for i in range(count):
        size = 100 + (LONGEST - 100) * (i + 1) // count
        parts = []
        while not parts or len(" ".join(s.typed for s in parts + [said[at % len(said)]])) <= size:
            parts.append(said[at % len(said)])
            at += 7                 # no divisor of a set's length: other neighbours each time
        out.append(sets.Sentence(" ".join(s.typed for s in parts),
                                 " ".join(s.spoken for s in parts), said[0].language))
    return out


def texts(languages, count=TEXTS):
    """[Sentence], as many of each language"""
    out = []
    for k, language in enumerate(languages):
        share = count // len(languages) + (k < count % len(languages))
        said = [s for name in SETS for s in sets.load(name, language)]
        single, long_ones = words(said), long_texts(said, int(share * LONG))
        ones = [single[i * len(single) // int(share * ONE_WORD) % len(single)]
                for i in range(int(share * ONE_WORD))]
        rest = share - len(ones) - len(long_ones)
        out += ones + [said[i % len(said)] for i in range(rest)] + long_ones
    return out


def letters(text):
    return sum(c.isalnum() for c in text)


def odd(seconds, text):
    """Whether a text of words takes other than what its letters let expect."""
    n = letters(text)
    return not LEAST * n <= seconds <= MOST * n + EXTRA


def middle(values):
    return sorted(values)[len(values) // 2]


def measure(voice, languages, count=TEXTS, spoken=False):
    said = texts(languages, count)
    items = [engine.item("%04d" % i, s, voice.speakers[i % len(voice.speakers)], i,
                         s.spoken if spoken else s.typed, language=s.language)
             for i, s in enumerate(said)]
    progress("speaking %d texts" % len(items))
    records = voice.speak("ends", items)
    shutil.rmtree(voice.folder + "/ends")
    rows = []
    for item, s in zip(items, said):
        r = records[item["id"]]
        rows.append(dict(text=item["text"], speaker=item["voice"], seconds=r["seconds"],
                         finish=r["finish"], detail=r["finish_detail"],
                         letters=letters(s.spoken), odd=odd(r["seconds"], s.spoken)))
    pace = [r["seconds"] / r["letters"] for r in rows if r["letters"] >= 20]
    stopped = [r for r in rows if r["finish"] != "stop"]
    return {"texts": len(rows), "hours": round(sum(r["seconds"] for r in rows) / 3600, 2),
            "stopped": len(stopped), "odd": sum(r["odd"] for r in rows),
            "seconds a letter": round(middle(pace), 4),
            "listed": stopped + [r for r in rows if r["odd"] and r not in stopped]}


def strays(voice, heard, languages, most):
    """Texts with signs that are not said, and the same texts without them."""
    out = []
    for language in languages:
        said = sets.load("strays", language, most)
        rows = []
        for which in ("typed", "spoken"):
            items = [engine.item("%03d" % i, s, voice.speakers[i % len(voice.speakers)], i,
                                 getattr(s, which), language=language)
                     for i, s in enumerate(said)]
            records = voice.speak("strays-%s-%s" % (language, which), items)
            for item, s in zip(items, said):
                r = records[item["id"]]
                rows.append({"which": which, "text": item["text"], "spoken": s.spoken,
                             "heard": heard(r["hash"], language, r["output"])})
        row = {"language": language, "sentences": len(said), "heard": rows}
        for which, name in (("typed", "with"), ("spoken", "without")):
            row[name] = rates_of([(r["spoken"], r["heard"]) for r in rows if r["which"] == which],
                                 language)
        out.append(row)
    return out
