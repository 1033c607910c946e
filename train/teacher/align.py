"""Where the phones of the neural teacher really end.

Its lengths are in steps of 25 ms, and its sound need not keep to them. Its pitch and loudness, two
values a unit, show most borders between voiced and unvoiced, loud and quiet: every phone gets a
normal distribution of them, and each border moves to where these fit best, near where it was.
"""
import numpy as np

from train.teacher.phones import PHONES

REACH, SPREAD = 7, 2.0              # half units: how far a border may move, and how far it likes to
ROUNDS, LEAST = 4, 30               # of fitting; values that a phone needs for its own distribution


def features(hz, loudness):
    """[n, 3]: loudness, how it rises, voice (-1 or 1, soft)"""
    voice = hz[hz > 60]
    middle = 0.55 * np.median(voice) if len(voice) else 60
    rise = np.gradient(loudness)
    return np.stack([loudness, rise, np.tanh((hz - middle) / (0.3 * middle))], 1)


def labels(parts, n):
    """[[who, end]] -> number of the part of each half unit"""
    ends = np.array([e for _, e in parts])
    return np.minimum(np.searchsorted(ends, np.arange(n), "right"), len(parts) - 1)


def fit(items):
    """[(ids of the parts' phones, parts, features)] -> means and variances [phones, 3]"""
    x = np.concatenate([f for _, _, f in items])
    y = np.concatenate([np.array(ids)[labels(parts, len(f))] for ids, parts, f in items])
    mean, var = np.tile(x.mean(0), (len(PHONES), 1)), np.tile(x.var(0), (len(PHONES), 1))
    for p in range(len(PHONES)):
        rows = x[y == p]
        if len(rows) >= LEAST:
            mean[p], var[p] = rows.mean(0), rows.var(0) + 0.05
    return mean, var


def refine(ids, parts, f, table):
    """Moves the inner ends of parts (in half units); every part keeps at least one half unit."""
    mean, var = table[0][ids], table[1][ids]
    score = -0.5 * (((f[None] - mean[:, None]) ** 2 / var[:, None])
                    + np.log(var)[:, None]).sum(2)
    total = np.concatenate([np.zeros((len(ids), 1)), np.cumsum(score, 1)], 1)
    moves = np.arange(-REACH, REACH + 1)
    best, where, back = np.array([0.0]), np.array([0]), []
    for k, (_, end) in enumerate(parts):
        last = k == len(parts) - 1
        room = k + 1, len(f) - len(parts) + k + 1
        place = np.array([end]) if last else np.clip(end + moves, *room)
        worth = np.zeros(1) if last else -0.5 * (moves / SPREAD) ** 2
        gain = best[None] + total[k][place][:, None] - total[k][where][None]
        gain = np.where(place[:, None] > where[None], gain, -1e18)
        back.append((gain.argmax(1), place))
        best, where = gain.max(1) + worth, place
    out, at = [], 0
    for k in range(len(parts) - 1, -1, -1):
        choice, place = back[k]
        out.append([parts[k][0], int(place[at])])
        at = choice[at]
    return out[::-1]


def learn(items):
    """Fits and moves in turn -> the table for refine()"""
    start, table = [p for _, p, _ in items], fit(items)
    for _ in range(ROUNDS):
        moved = [refine(ids, p, f, table) for (ids, _, f), p in zip(items, start)]
        table = fit([(ids, p, f) for (ids, _, f), p in zip(items, moved)])
    return table
