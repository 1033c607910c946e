"""A sentence as the talker's training sees it: its tokens, and what each of them stands for."""
import dataclasses
import unicodedata

import numpy as np

from train.model import layout

NOTHING = layout.PHONES             # "no phone here"
OF_TOKEN, OF_WORD = 3, 12           # phones of a token and of a word that the helpers must name
DROPPED, DROP = 0.5, 0.1            # share of sentences in other spellings; merges left out there
STRAY, MOST_STRAYS = 0.05, 4        # share of sentences with signs of other scripts; most of them
SCRIPTS = ((0x1F300, 0x1F64F, 3), (0x1F680, 0x1F6FF, 1), (0x1F900, 0x1FAFF, 1), (0x2190, 0x27BF, 3),
           (0x2010, 0x205E, 1), (0x370, 0x3FF, 1), (0x400, 0x4FF, 1), (0x5D0, 0x5EA, 1),
           (0x620, 0x64A, 1), (0x900, 0x970, 1), (0xE00, 0xE50, 1), (0x3041, 0x30FF, 1),
           (0x4E00, 0x9FFF, 2), (0xAC00, 0xD7A3, 1))   # first, last, how often


@dataclasses.dataclass
class Reading:
    ids: list
    token: np.ndarray               # [characters] the token in which each begins
    end: np.ndarray                 # [tokens] last token with letters of the token's word

    def at(self, character):
        """token of a character; those beyond the end belong to the last"""
        return self.token[np.minimum(character, len(self.token) - 1)]


class Reader:
    def __init__(self, tok, rng):
        self.tok, self.rng = tok, rng

    def strays(self):
        """Signs of one script, which no voice says"""
        share = np.array([n for _, _, n in SCRIPTS]) / sum(n for _, _, n in SCRIPTS)
        first, last, _ = SCRIPTS[self.rng.choice(len(SCRIPTS), p=share)]
        signs = [chr(self.rng.randint(first, last + 1))
                 for _ in range(self.rng.randint(1, MOST_STRAYS + 1))]
        return unicodedata.normalize("NFC", "".join(signs))

    def mixed(self, text):
        """-> the text with strays between two words or at an end; the places of its own characters
        in that"""
        blanks = [0] + [i + 1 for i, c in enumerate(text) if c == " "] + [len(text)]
        at = blanks[self.rng.randint(len(blanks))]
        signs = " " + self.strays() if at == len(text) else self.strays() + " "
        own = np.arange(len(text))
        return text[:at] + signs + text[at:], np.where(own < at, own, own + len(signs))

    def __call__(self, text, vary):
        """vary: some sentences are cut into tokens in other ways than when speaking, and some have
        signs in them that are not said. Characters are those of the text without these."""
        own = np.arange(len(text))
        if vary and self.rng.rand() < STRAY:
            text, own = self.mixed(text)
        if vary and self.rng.rand() < DROPPED:
            ids = self.tok.encode_dropped(text, lambda: self.rng.rand() < DROP)
        else:
            ids = self.tok.encode(text)
        token = np.array(self.tok.token_of(text, ids))
        return Reading(ids, token[own], self._ends(text, token, len(ids)))

    @staticmethod
    def _ends(text, token, count):
        end, at = np.arange(count), 0
        for word in text.split(" "):
            spoken = [i for i, c in enumerate(word) if c.isalnum()] or [len(word) - 1]
            if word:
                own = token[max(0, at - 1):at + len(word)]
                end[own[0]:own[-1] + 1] = token[at + spoken[-1]]
            at += len(word) + 1
        return end


def spelling(reading, phones, letters):
    """-> phones of each token [tokens, OF_TOKEN]; tokens that end words and the words' phones
    [words], [words, OF_WORD]"""
    count = len(reading.ids)
    by_token, by_word = np.full((count, OF_TOKEN), NOTHING), {}
    fill = np.zeros(count, int)
    for phone, token in zip(phones, reading.at(letters)):
        by_word.setdefault(reading.end[token], []).append(phone)
        if fill[token] < OF_TOKEN:
            by_token[token, fill[token]] = phone
            fill[token] += 1
    words = np.full((len(by_word), OF_WORD), NOTHING)
    for row, said in zip(words, by_word.values()):
        row[:len(said)] = said[:OF_WORD]
    return by_token, np.array(list(by_word), int), words
