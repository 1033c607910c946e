"""More of one utterance for the decoder, without asking the teacher: it begins one or two units
later, so that every phone lies elsewhere on the frame grid, and its pitch is another.
"""
import dataclasses

import numpy as np

from train.teacher.utterance import STEPS, UNITS

PITCHES = (0.88, 1.14)              # range of the factor


def later(u, units):
    """The utterance with as many units of silence more before it, and behind it up to a frame."""
    units_in_all = -(-(int(u.end[-1]) + units) // UNITS) * UNITS
    steps, before = units_in_all * STEPS // UNITS, round(units * STEPS / UNITS)
    end = u.end + units
    end[-1] = units_in_all

    def moved(x):
        if x is None:
            return None
        x = np.concatenate([np.repeat(x[:1], before, 0), x])[:steps]
        return np.concatenate([x, np.repeat(x[-1:], steps - len(x), 0)])
    return dataclasses.replace(u, end=end, **{
        name: moved(getattr(u, name)) for name in ("f0", "energy", "bands", "strengths")})


def variants(u, rng):
    """yields the utterance and the others"""
    yield u
    for units in range(1, UNITS):
        moved = later(u, units)
        yield dataclasses.replace(moved, f0=moved.f0 * rng.uniform(*PITCHES))
