"""The number words of both languages against num2words, an independent library.

usage: python3 -m train.tests.test_numbers
Differences in writing that are not heard are taken away on both sides: hyphens and commas. English
scales are compared without "and", which num2words puts elsewhere; our own rule is tested by hand.
"""
import random
import re
import unittest

import num2words

from train.corpus import numbers_en, numbers_fr


def heard(s):
    return s.replace("-", " ").replace(",", "").split()


def without_and(s):
    return [w for w in heard(s) if w != "and"]


def sample():
    """All up to 2,500, borders, and random numbers of every length."""
    r = random.Random(5)
    border = [10 ** k + d for k in range(3, 12) for d in (-1, 0, 1)]
    return list(range(2501)) + border + [r.randrange(10 ** r.randint(4, 12)) for _ in range(3000)]


class Numbers(unittest.TestCase):
    def test_english(self):
        for n in sample():
            ours, theirs = numbers_en.cardinal(n), num2words.num2words(n, lang="en")
            self.assertEqual(without_and(ours), without_and(theirs), n)
            ours, theirs = numbers_en.ordinal(n), num2words.num2words(n, lang="en", to="ordinal")
            self.assertEqual(without_and(ours), without_and(theirs), n)

    def test_english_and(self):
        for n in range(1000):
            theirs = num2words.num2words(n, lang="en")
            self.assertEqual(heard(numbers_en.cardinal(n)), heard(theirs))
        self.assertEqual(numbers_en.cardinal(2005), "two thousand and five")
        self.assertEqual(numbers_en.cardinal(1100), "one thousand one hundred")

    def test_french(self):
        for n in sample():
            ours, theirs = numbers_fr.cardinal(n), num2words.num2words(n, lang="fr")
            self.assertEqual(heard(ours), heard(theirs), n)

    def test_french_ordinals(self):
        # num2words keeps a plural s that grammar takes away: quatre-vingtsième, centsième.
        for n in list(range(1, 1000)) + [10000, 21000, 10 ** 6]:
            ours, theirs = numbers_fr.ordinal(n), num2words.num2words(n, lang="fr", to="ordinal")
            theirs = re.sub("(vingt|cent|million)sième", r"\1ième", theirs)
            self.assertEqual(heard(ours), heard(theirs), n)

    def test_years(self):
        for n in list(range(1100, 2000)) + list(range(2010, 2100)):
            theirs = num2words.num2words(n, lang="en", to="year")
            self.assertEqual(without_and(numbers_en.year(n)), without_and(theirs), n)

    def test_decimals_and_signs(self):
        self.assertEqual(numbers_en.decimal("-3.05"), "minus three point zero five")
        self.assertEqual(numbers_en.decimal("1,250.5"),
                         "one thousand two hundred and fifty point five")
        self.assertEqual(numbers_fr.decimal("-3,05"), "moins trois virgule zéro cinq")
        self.assertEqual(numbers_fr.decimal("1 250,5"), "mille deux cent cinquante virgule cinq")
        self.assertEqual(numbers_fr.cardinal(81, True), "quatre-vingt-une")
        for n in (10 ** 15, -10 ** 15):
            self.assertRaises(ValueError, numbers_en.cardinal, n)
            self.assertRaises(ValueError, numbers_fr.cardinal, n)


if __name__ == "__main__":
    unittest.main()
