"""A sentence as the talker's training sees it: its tokens, and what each of them stands for."""
import dataclasses

import numpy as np

from train.model import layout

NOTHING = layout.PHONES             # "no phone here"
OF_TOKEN, OF_WORD = 3, 12           # phones of a token and of a word that the helpers must name
DROPPED, DROP = 0.5, 0.1            # share of sentences in other spellings; merges left out there


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

    def __call__(self, text, vary):
        """vary: some sentences are cut into tokens in other ways than when speaking"""
        if vary and self.rng.rand() < DROPPED:
            ids = self.tok.encode_dropped(text, lambda: self.rng.rand() < DROP)
        else:
            ids = self.tok.encode(text)
        token = np.array(self.tok.token_of(text, ids))
        return Reading(ids, token, self._ends(text, token, len(ids)))

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
