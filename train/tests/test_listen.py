"""What a recogniser writes and what was said must come to the same words, and errors must count.

usage: python3 -m train.tests.test_listen
"""
import unittest

from train.eval import listen

SAME = {
    "english": [("My number is five five five, one two three four.", "My number is 555-1234"),
                ("It starts at nine thirty.", "It starts at 9:30."),
                ("It costs two thousand dollars.", "It costs $2,000."),
                ("The third of October", "the 3rd of October"),
                ("Her birthday is on the third of October.", "Her birthday is on 3 October."),
                ("seven point five percent", "7.5%"), ("It's Mister Jones.", "It’s Mr. Jones"),
                ("three hundred and twelve people", "312 people"),
                ("a well known fact", "a well-known fact")],
    "french": [("Il est dix-huit heures trente.", "Il est 18h30"), ("vingt minutes", "20 minutes"),
               ("sept virgule cinq pour cent", "7,5 %"), ("une sœur", "une soeur"),
               ("quatre-vingt-onze euros", "91 €"), ("L'été", "l’été")],
}
RATES = [("a b c d", "a b c d", 0), ("a b c d", "a x c d", 25), ("a b c d", "a b c", 25),
         ("a b c d", "a b c d e", 25), ("a b", "", 100)]


class Listen(unittest.TestCase):
    def test_same(self):
        for language, pairs in SAME.items():
            for said, heard in pairs:
                self.assertEqual(listen.normal(said, language), listen.normal(heard, language))

    def test_rates(self):
        for said, heard, want in RATES:
            self.assertEqual(listen.rates([(said, heard)], "english")[0], want)


if __name__ == "__main__":
    unittest.main()
