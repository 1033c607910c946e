"""Which character does each phone of a word belong to?

Every letter speaks none, one or two phones, in order; how well a letter and a phone go together is
learnt from all words of a language by aligning and counting in turn (hard EM).
"""
import collections
import math

SILENT, UNSEEN, SECOND = -4.0, -9.0, 2.0           # log probabilities; price of a second phone
ROUNDS = 4


def letters_of(text):
    """Positions of the letters and digits, and these in lower case."""
    at = [i for i, c in enumerate(text) if c.isalnum()]
    return at, [text[i].lower() for i in at]


class Letters:
    """table[letter][phone] is log P(phone | letter); phone None: the letter is silent"""

    def __init__(self, words):
        """words: [(letters, phones)], each pronunciation once"""
        self.table, self.known = {}, {}
        count = self._guess(words)
        for _ in range(ROUNDS):
            self._learn(count)
            count = collections.defaultdict(collections.Counter)
            for letters, phones in words:
                at = self._align(letters, phones)
                for phone, i in zip(phones, at):
                    count[letters[i]][phone] += 1
                for i in set(range(len(letters))) - set(at):
                    count[letters[i]][None] += 1
        self._learn(count)

    @staticmethod
    def _guess(words):
        """Phones near the place where they would be if all took the same time."""
        count = collections.defaultdict(collections.Counter)
        for letters, phones in words:
            for j, phone in enumerate(phones):
                middle = int((j + 0.5) * len(letters) / len(phones))
                for i in (middle - 1, middle, middle + 1):
                    if 0 <= i < len(letters):
                        count[letters[i]][phone] += 1.0 if i == middle else 0.3
            for c in letters:
                count[c][None] += 0.3
        return count

    def _learn(self, count):
        self.table = {c: {p: math.log((n + 0.01) / (sum(of.values()) + 1)) for p, n in of.items()}
                      for c, of in count.items()}

    def align(self, letters, phones):
        """-> for each phone the number of its letter, rising"""
        key = tuple(letters), tuple(phones)
        if key not in self.known:
            self.known[key] = self._align(letters, phones)
        return self.known[key]

    def _align(self, letters, phones):
        n, m = len(letters), len(phones)
        most = max(2, -(-m // n))
        best, back = [0.0] + [-math.inf] * m, []
        for letter in letters:
            says, after, took = self.table.get(letter, {}), [-math.inf] * (m + 1), [0] * (m + 1)
            for j in range(m + 1):
                if best[j] == -math.inf:
                    continue
                score = best[j] + says.get(None, SILENT)
                for k in range(min(most, m - j) + 1):
                    if k == 1:
                        score = best[j] + says.get(phones[j], UNSEEN)
                    elif k > 1:
                        score += says.get(phones[j + k - 1], UNSEEN) - SECOND
                    if score > after[j + k]:
                        after[j + k], took[j + k] = score, k
            best = after
            back.append(took)
        out, j = [0] * m, m
        for i in range(n - 1, -1, -1):
            k = back[i][j]
            out[j - k:j] = [i] * k
            j -= k
        return out


def spread(count, phones):
    """Phones of something whose letters say nothing of its sound, evenly over its characters."""
    return [j * count // phones for j in range(phones)]
