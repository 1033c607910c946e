#!/usr/bin/env python3
"""Makes tests/data/tokenizer/corpus.json: texts with the official tokenizer's ids.

usage: make_tokenizer.py --tokenizer DIR --data tests/data --work DIR

Both pre-tokenizer patterns with the published vocabulary: "native", and "second", the one that the
package takes for a local folder. runs: one character repeated up to a MiB of UTF-8, with the
number of ids and their hash (FNV-1a 64 over the ids as little-endian 32-bit words).
"""
import argparse
import json
import os
import random
import shutil
import time
import unicodedata

import words
from tinytok import ADDED, write

LIMIT = 1 << 20


def make_folder(src, out):
    """The published vocabulary with its added tokens, as a folder that the package could load."""
    with open(os.path.join(src, "vocab.json"), encoding="utf-8") as f:
        first = len(json.load(f))
    write(out, {}, [], {t: first + i for i, t in enumerate(ADDED)})
    for name in ("vocab.json", "merges.txt"):
        shutil.copyfile(os.path.join(src, name), os.path.join(out, name))
    with open(os.path.join(out, "config.json"), "w") as f:
        json.dump({"model_type": "qwen3_tts", "transformers_version": "4.57.3"}, f)


def sentences(rng):
    for subjects, verbs, objects, ends, join in words.LISTS.values():
        for _ in range(110):
            s = join.join((rng.choice(subjects), rng.choice(verbs), rng.choice(objects)))
            yield s + rng.choice(ends)


def categories():
    """Two samples of every general category, old enough for any table, in several places."""
    samples = {}
    for cp in [*range(1, 0xD800), *range(0xE000, 0x3400 + 0x20000)]:
        c = chr(cp)
        old = unicodedata.ucd_3_2_0.category(c)
        if old == unicodedata.category(c):
            samples.setdefault(old, []).append(c)
    samples["Cn"] = ["\u0378", "\uffff"]
    rng = random.Random(3)
    for name in sorted(samples):
        for c in [samples[name][0], rng.choice(samples[name]), rng.choice(samples[name])]:
            yield from (c, "a%sb" % c, " %s" % c, "A%s%s z" % (c, c), "1%s\n" % c,
                        "%s/%sX" % (c, c))


def spaces():
    kinds = [" ", "\t", "\n", "\r", "\r\n", "\v", "\f", "\x85", "\xa0", "\u1680", "\u2003",
             "\u2028", "\u2029", "\u202f", "\u3000", "\u200b", "\ufeff", "\u180e"]
    for k in kinds:
        yield from (k, k * 2, k * 5, "a" + k + "b", "a" + k * 3 + "b", " " + k + "x", k + " x",
                    "x" + k + "\n", "x." + k + "\n" + k + "y")
    rng = random.Random(4)
    kinds += ["a", "B", "1", ".", "中"]
    for _ in range(150):
        yield "".join(rng.choice(kinds) for _ in range(rng.randint(2, 12)))


def normal_forms():
    bases = ["é", "ñ", "Å", "ồ", "ǖ", "한글", "Ω", "Å", "ﬁ", "ſ", "が", "ガ", "क़", "ਖ਼", "שׁ", "Ё", "й"]
    for b in bases:
        yield from (b, unicodedata.normalize("NFD", b), "x" + unicodedata.normalize("NFD", b) + "y")
    yield from ("a\u0301\u0323", "a\u0323\u0301", "q\u0307\u0323", "\u0301a", " \u0301", "e" + "\u0301" * 12,
                "\u1100\u1161\u11a8", "\uac00\u11a8", "\u212b", "\u2126", "\uf900", "\u0958", "\u0344")


def mixtures(rng):
    """Random characters of many kinds side by side, and random joins of everything above."""
    pool = list("aZéßΩжЯ中の한ก्ा١9²Ⅷ '\u2019.,!?/\\-_#<|>\n\r\t \u0301\u0300ǅʰªﬁ😀\u200d\ufe0f€+=~^`\"()[]{}:;@&*%$\u00a0\u3000")
    for _ in range(450):
        yield "".join(rng.choice(pool) for _ in range(rng.randint(1, 16)))
    pool = list("aaAAbB中ʰǅß\u0301ก็क्'1 .-/\n")
    for _ in range(300):
        yield "".join(rng.choice(pool) for _ in range(rng.randint(3, 14)))
    parts = [*words.MIXED_CASE, *words.CONTRACTIONS, *words.NUMBERS, *words.EMOJI, *words.ADDED,
             *words.OTHER]
    for _ in range(250):
        yield rng.choice(("", " ", "", "\n", "-")).join(rng.choice(parts) for _ in range(rng.randint(2, 5)))


def corpus():
    rng = random.Random(2)
    lines = [*sentences(rng), *words.OTHER]
    for group in (words.MIXED_CASE, words.CONTRACTIONS, words.NUMBERS, words.CODE, words.EMOJI,
                  words.ADDED):
        for w in group:
            lines += [w, "x " + w + " y"]
    lines += [*categories(), *spaces(), *normal_forms(), *mixtures(rng)]
    lines += ["<|im_start|>assistant\n%s<|im_end|>\n<|im_start|>assistant\n" % s
              for s in lines[:60:7] + words.CODE[:6] + ["", "\n", " ", "\nx", "x\n", "<|im_end|>"]]
    return list(dict.fromkeys(lines))


def fnv(ids):
    h = 0xCBF29CE484222325
    for i in ids:
        for b in int(i).to_bytes(4, "little"):
            h = ((h ^ b) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return "%016x" % h


def run_entry(unit, tokenizers):
    entry = {"unit": unit, "repeat": LIMIT // len(unit.encode())}
    for name, tok in tokenizers.items():
        start = time.time()
        ids = tok(unit * entry["repeat"])["input_ids"]
        entry[name] = {"count": len(ids), "fnv1a64": fnv(ids), "first": ids[0], "last": ids[-1]}
        print("run of %r, %s: %d ids, %.0f s" % (unit, name, len(ids), time.time() - start), flush=True)
    return entry


def main():
    ap = argparse.ArgumentParser()
    for name in ("--tokenizer", "--data", "--work"):
        ap.add_argument(name, required=True)
    a = ap.parse_args()
    from transformers import Qwen2TokenizerFast
    folder = os.path.join(a.work, "tokenizer")
    make_folder(a.tokenizer, folder)
    toks = {"native": Qwen2TokenizerFast.from_pretrained(folder),
            "second": Qwen2TokenizerFast.from_pretrained(folder, fix_mistral_regex=True)}
    rows, differ = [], 0
    for text in corpus():
        native, second = (t(text)["input_ids"] for t in toks.values())
        differ += native != second
        rows.append([text, native] + ([second] if second != native else []))
    runs = [run_entry(u, toks) for u in ("a", " ", ".", "\n", "中", "A", "1", "aB", "\u0301")]
    out = os.path.join(a.data, "tokenizer")
    os.makedirs(out, exist_ok=True)

    def compact(x):
        return json.dumps(x, ensure_ascii=False, separators=(",", ":")).replace("\x7f", "\\u007f")

    with open(os.path.join(out, "corpus.json"), "w", encoding="utf-8", newline="\n") as f:
        f.write('{"format":"kazeia-tokenizer","version":1,\n"runs":[\n')
        f.write(",\n".join(map(compact, runs)) + '],\n"lines":[\n')
        f.write(",\n".join(map(compact, rows)) + "]}\n")
    print("%d lines, %d differ between the patterns" % (len(rows), differ))


if __name__ == "__main__":
    main()
