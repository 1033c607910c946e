"""What must hold for every line of the corpus.

usage: python3 -m train.tests.test_corpus WORK      (after train.corpus.make)
"""
import json
import os
import re
import sys
import unittest

from train.corpus import sentence

WORK = sys.argv.pop() if len(sys.argv) > 1 else "build/voice"
HERE = os.path.dirname(os.path.abspath(__file__))
SAID = {"english": re.compile(r"[A-Za-zÀ-ÿ ,.;:!?…'’-]+"),
        "french": re.compile(r"[A-Za-zÀ-ÿŒœ ,.;:!?…'-]+")}


def rows(name):
    with open(os.path.join(WORK, "corpus", name + ".jsonl"), encoding="utf-8") as f:
        return [sentence.load(line) for line in f]


def letters(text):
    return re.sub(r"[\W_]", "", text.lower())


class Corpus(unittest.TestCase):
    def line(self, tokens, language):
        typed, said = sentence.typed(tokens), sentence.spoken(tokens)
        self.assertTrue(0 < len(typed) <= 250, typed)
        self.assertEqual(typed.split(" "), [t for t, _ in tokens])
        self.assertRegex(said, "^%s$" % SAID[language].pattern, typed)
        self.assertEqual(len(said.split()), len(sentence.owners(tokens)), typed)
        self.assertTrue(any(c.isalpha() for c in said), typed)
        return typed

    def check(self, language):
        seen, kinds = set(), set()
        for row in rows(language):
            typed = self.line(row["tokens"], language)
            self.assertNotIn(typed, seen)
            seen.add(typed)
            kinds.add(row["kind"])
        self.assertEqual(len(kinds), 6)
        for row in rows(language + "-common"):
            self.line(row["tokens"], language)
            self.assertEqual(row["kind"], "common")

    def test_english(self):
        self.check("english")

    def test_french(self):
        self.check("french")

    def test_held_out(self):
        for language, start in (("english", "en_"), ("french", "fr_")):
            tests = set()
            for name in os.listdir(os.path.join(HERE, "..", "eval")):
                if name.startswith(start) and name.endswith(".json"):
                    with open(os.path.join(HERE, "..", "eval", name), encoding="utf-8") as f:
                        for r in json.load(f)["sentences"]:
                            tests.add(letters(r["typed"]))
                            tests.add(letters(r.get("spoken", r["typed"])))
            self.assertGreater(len(tests), 60)
            for row in rows(language):
                for text in (sentence.typed(row["tokens"]), sentence.spoken(row["tokens"])):
                    self.assertNotIn(letters(text), tests, text)


if __name__ == "__main__":
    unittest.main()
