"""What a teacher said -> codes, as model/layout.py describes them."""
import numpy as np

from train.audio import render
from train.model import layout
from train.teacher import phones as ph

STEPS = render.STEPS                # of 5 ms in a frame
SLOT = STEPS // layout.SLOTS        # of 5 ms in a slot
_STRESSED = {p: len(ph.PHONES) + i for i, p in
             enumerate(p for p, vowel in enumerate(ph.IS_VOWEL) if vowel)}
assert len(ph.PHONES) + len(_STRESSED) <= layout.PHONES
assert (render.FEWEST, render.MOST) == layout.PERIODS and len(render.GLIDES) == layout.GLIDES


def symbols(u):
    """[P] the ids that stand in codes: vowels with stress are phones of their own"""
    return np.array([_STRESSED.get(int(p), int(p)) if s else int(p)
                     for p, s in zip(u.phone, u.stress)])


def slots(u):
    """[8 T] for each slot of 10 ms the number of its phone; every phone gets at least one"""
    total = render.frames_of(u) * layout.SLOTS
    out, at = np.full(total, len(u.end) - 1), 0
    for i, end in enumerate(u.end):
        stop = min(max(at + 1, int(round(end / SLOT))), total)
        out[at:stop] = i
        at = stop
    return out


def energies(u):
    """[8 T] mean loudness of each slot"""
    return render.pad(u.energy, render.frames_of(u) * STEPS).reshape(-1, SLOT).mean(1)


class Loudness:
    """Mean loudness of each phone of one voice, from some of its utterances."""

    def __init__(self, utterances):
        total, count = np.zeros(layout.PHONES), np.zeros(layout.PHONES)
        for u in utterances:
            ids = symbols(u)[slots(u)]
            np.add.at(total, ids, energies(u))
            np.add.at(count, ids, 1)
        self.mean = total / np.maximum(count, 1)
        self.mean[count == 0] = total.sum() / count.sum()

    def codes(self, u, ids):
        """ids [T, 8]: the phones of the slots"""
        spoken = (ids != layout.SILENCE).astype(np.float32)
        gain = (energies(u).reshape(ids.shape) - self.mean[ids]) * spoken
        step = gain.sum(1) / np.maximum(spoken.sum(1), 1) / layout.LOUD_STEP
        return np.clip(np.floor(step + layout.QUIET), 0, layout.LOUD - 1)


def encode(u, loudness, speaker, language):
    """-> codes [T, 16], and for each frame the number of the phone in its last slot"""
    number = slots(u)
    grid = number.reshape(-1, layout.SLOTS)
    ids = np.append(symbols(u), [layout.SILENCE] * 2)
    last, stop = grid[:, -1], np.zeros(len(u.end), int)
    stop[number] = np.arange(len(number)) + 1      # the last assignment wins
    out = np.zeros((len(grid), layout.COUNT), np.uint8)

    def put(name, value):
        out[:, layout.INDEX[name]] = value
    hold = stop[last] - layout.SLOTS * (np.arange(len(grid)) + 1)
    near = hold < layout.HOLD - 1                  # else what comes need not be known yet
    put("now", ids[last])
    put("hold", np.clip(hold, 0, layout.HOLD - 1))
    put("next", np.where(near, ids[last + 1], layout.SILENCE))
    put("after", np.where(near, ids[last + 2], layout.SILENCE))
    for i in range(layout.SLOTS - 1):
        put("slot%d" % i, ids[grid[:, i]])
    periods, glide = render.contour(u.f0)
    put("pitch", periods - layout.PERIODS[0])
    put("glide", glide)
    put("loud", loudness.codes(u, ids[grid]))
    put("voice", layout.voice_code(speaker, language))
    return out, last
