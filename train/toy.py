"""Made-up data in the form of the real: words of few letters, a phone for each letter, and sound
that is a function of the codes. Small enough to train in seconds; used by the tests."""
import os
import shutil

import numpy as np

from train.dataset import TALKER, Writer, decoder_kinds
from train.model import layout, tokenizer

WORDS = "the cat sat on a mat it's été 42 no! dogs ran, yes?".split()
FEATURES = 4
LENGTH = 3                          # units of a letter


def sentence(rng):
    """-> text, codes, reads, phones, letters"""
    text = " ".join(rng.choice(WORDS, rng.randint(2, 6)))
    letters = [i for i, c in enumerate(text) if c.isalnum()]
    phones = [1 + ord(text[i]) % (layout.PHONES - 1) for i in letters]
    units = np.repeat(np.arange(len(phones)), LENGTH)
    units = np.concatenate([units, np.full(-len(units) % layout.UNITS, len(phones) - 1)])
    grid = units.reshape(-1, layout.UNITS)
    said = np.array(phones + [layout.SILENCE] * 3)
    codes = np.zeros((len(grid), layout.COUNT), np.int64)
    codes[:, layout.INDEX["now"]] = said[grid[:, -1]]
    codes[:, layout.INDEX["next"]] = said[grid[:, -1] + 1]
    codes[:, layout.INDEX["after"]] = said[grid[:, -1] + 2]
    codes[:, layout.INDEX["third"]] = said[grid[:, -1] + 3]
    for i in range(layout.UNITS - 1):
        codes[:, layout.INDEX["unit%d" % i]] = said[grid[:, i]]
    codes[:, layout.INDEX["pitch"]] = rng.randint(4, 8)
    codes[:, layout.INDEX["voice"]] = rng.randint(4)
    return text, codes, np.array(letters)[grid[:, -1]], phones, letters


def sound(codes):
    """Each unit hums at a pitch of its phone."""
    names = [layout.INDEX["unit%d" % i] for i in range(layout.UNITS - 1)] + [layout.INDEX["now"]]
    phones = np.repeat(codes[:, names].reshape(-1), layout.FRAME // layout.UNITS)
    t = np.arange(len(phones)) / layout.RATE
    return 0.3 * np.sin(2 * np.pi * 100 * (phones % 20 + 1) * t)


def write(work, count=64, seed=0):
    rng, lines = np.random.RandomState(seed), []
    for name, n in (("", count), ("-valid", 8)):
        with Writer(os.path.join(work, "talker" + name), TALKER) as talker, \
                Writer(os.path.join(work, "decoder" + name), decoder_kinds(FEATURES)) as decoder:
            for _ in range(n):
                text, codes, reads, phones, letters = sentence(rng)
                lines.append(text)
                talker.add(text=np.frombuffer(text.encode(), np.uint8), codes=codes, reads=reads,
                           phones=phones, letters=letters)
                low = np.repeat(codes[:, :FEATURES] / layout.PHONES, 4, 0)
                decoder.add(codes=codes, audio=sound(codes), low=low)
    shutil.copytree(os.path.join(work, "talker"), os.path.join(work, "spelling"))
    tokenizer.Tokenizer(tokenizer.learn(lines, 20)).save(os.path.join(work, "tokenizer"))
