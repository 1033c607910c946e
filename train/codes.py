"""What a teacher said -> codes, as model/layout.py describes them."""
import numpy as np

from train.audio import render
from train.model import layout
from train.teacher import phones as ph
from train.teacher.utterance import STEPS, UNITS

_STRESSED = {p: len(ph.PHONES) + i for i, p in
             enumerate(p for p, vowel in enumerate(ph.IS_VOWEL) if vowel)}
assert len(ph.PHONES) + len(_STRESSED) <= layout.PHONES
PLAIN = np.full(layout.PHONES, -1)  # of each id: the phone without stress, -1 where there is none
PLAIN[:len(ph.PHONES)] = np.arange(len(ph.PHONES))
PLAIN[list(_STRESSED.values())] = list(_STRESSED)
VOWEL = np.full(layout.PHONES, -1)  # of each id: 1 vowel, 0 consonant, -1 neither
VOWEL[:len(ph.PHONES)] = np.where(ph.SAID, ph.IS_VOWEL, -1)
VOWEL[list(_STRESSED.values())] = 1
assert (render.FEWEST, render.MOST) == layout.PERIODS and len(render.GLIDES) == layout.GLIDES
assert UNITS == layout.UNITS


def symbols(u):
    """[P] the ids that stand in codes: vowels with stress are phones of their own"""
    return np.array([_STRESSED.get(int(p), int(p)) if s else int(p)
                     for p, s in zip(u.phone, u.stress)])


def loudness(u):
    """[T, 3]: code of the mean loudness of each unit"""
    low, high, steps = layout.LOUD
    place = (np.arange(len(u.energy)) + 0.5) * layout.UNITS / STEPS
    unit = place.astype(int)
    mean = np.bincount(unit, u.energy) / np.bincount(unit)
    return np.clip((mean - low) / (high - low) * steps, 0, steps - 1).astype(int) \
        .reshape(-1, layout.UNITS)


def encode(u, speaker, language):
    """-> codes [T, 16], and for each frame the number of the phone in its last unit"""
    grid = u.at().reshape(-1, layout.UNITS)
    ids = np.append(symbols(u), [layout.SILENCE] * 3)
    last = grid[:, -1]
    out = np.zeros((len(grid), layout.COUNT), np.uint8)

    def put(name, value):
        out[:, layout.INDEX[name]] = value
    hold = u.end[last] - layout.UNITS * (np.arange(len(grid)) + 1)
    near = hold < layout.HOLD - 1                  # else what comes need not be known yet
    put("now", ids[last])
    put("hold", np.clip(hold, 0, layout.HOLD - 1))
    for k, name in enumerate(("next", "after", "third")):
        put(name, np.where(near, ids[last + 1 + k], layout.SILENCE))
    for i in range(layout.UNITS - 1):
        put("unit%d" % i, ids[grid[:, i]])
    periods, glide = render.contour(u)
    put("pitch", periods - layout.PERIODS[0])
    put("glide", glide)
    for i, value in enumerate(loudness(u).T):
        put("loud%d" % i, value)
    put("voice", layout.voice_code(speaker, language))
    return out, last
