"""The history of a talker that misread some phones.

A phone is named ahead in three groups of the codes before it is spoken, so a talker trained on true
histories only copies it from one to the next, and its first guess, the worst, is what it says.
Here some phones are wrong where they are first named, and from there on for a while or to the end.
The target stays true, so the talker learns to read again, and to go on after a slip.
"""
import numpy as np

from train.codes import VOWEL
from train.model import layout

NAMED = [layout.INDEX[name] for name in ("third", "after", "next")]
SPOKEN = [layout.INDEX[name] for name in ("unit0", "unit1", "now")]
MENDED = (0.4, 0.25, 0.2, 0.15)     # share wrong in "third" only, to "after", to "next", when spoken
NEIGHBOUR = 0.2                     # share that is the phone before or behind


def phones_of(codes):
    """-> [P] phones in order, [T, UNITS] the number of the one in each unit; two of one kind in a
    row are taken for one"""
    units = codes[:, SPOKEN].reshape(-1)
    change = np.append(False, units[1:] != units[:-1])
    at = np.cumsum(change)
    return units[np.append(0, np.flatnonzero(change))], at.reshape(-1, layout.UNITS)


def others(phones, rng):
    """[P] for each phone another vowel or consonant of the sentence, or one beside it; silence and
    gaps stay"""
    out = phones.copy()
    for kind in (0, 1):
        its = np.flatnonzero(VOWEL[phones] == kind)
        if len(its):
            out[its] = phones[rng.choice(its, size=len(its))]
    beside = np.clip(np.arange(len(phones)) + rng.choice((-1, 1), size=len(phones)), 0,
                     len(phones) - 1)
    slip = (rng.rand(len(phones)) < NEIGHBOUR) & (VOWEL[phones] >= 0)
    return np.where(slip, phones[beside], out)


def misread(codes, share, rng):
    """codes [T, 16] -> a copy in which a share of the phones were misread"""
    out, (phones, at) = codes.copy(), phones_of(codes)
    wrong = others(phones, rng)
    until = rng.choice(len(MENDED), size=len(phones), p=MENDED)
    until[rng.rand(len(phones)) >= share] = -1
    for stage, group in enumerate(NAMED):
        j = np.minimum(at[:, -1] + len(NAMED) - stage, len(phones) - 1)
        hit = (until[j] >= stage) & (out[:, group] == phones[j])   # else what comes is not named
        out[hit, group] = wrong[j[hit]]
    out[:, SPOKEN] = np.where(until[at] >= len(NAMED), wrong[at], out[:, SPOKEN])
    return out
