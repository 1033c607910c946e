"""How periodic a sound is in five bands: the strengths of voicing.

Below 2 kHz the waveform is compared with what lies a period later; above, where a gliding pitch
soon shifts the waves against each other, its envelope is.
"""
import numpy as np
from scipy.signal import butter, hilbert, sosfiltfilt

EDGES = ((60, 1000), (1000, 2000), (2000, 4000), (4000, 6000), (6000, 8000))
WAVES = 2                           # bands whose waveform is compared
WINDOW = 0.01                       # seconds
SEARCH = np.linspace(-0.06, 0.06, 17)   # the period is sought around the one that is told
CHANCE = 0.3                        # correlation that noise reaches by that search
CHUNK = 400


def pieces(x, at, length):
    """[len(at), length] samples from each of the starts; x is long enough"""
    return np.lib.stride_tricks.sliding_window_view(x, length)[at]


def correlation(y, start, period, n):
    """[len(start)]: the best of the lags around the period, 0 for what noise reaches"""
    def piece(at):
        x = pieces(y, at, n)
        return x - x.mean(1, keepdims=True)
    a, best = piece(start), np.zeros(len(start))
    for lag in SEARCH:
        b = piece(start + np.round(period * (1 + lag)).astype(int))
        best = np.maximum(best, (a * b).sum(1) / np.sqrt((a * a).sum(1) * (b * b).sum(1) + 1e-9))
    return np.clip((best - CHANCE) / (1 - CHANCE), 0, 1)


def strengths(x, rate, f0, centre):
    """[N, 5]: around the samples `centre` [N], how alike neighbouring periods are, 0 to 1; 0 where f0 is 0"""
    out = np.zeros((len(f0), len(EDGES)), np.float32)
    voiced = np.nonzero(f0 > 0)[0]
    if not len(voiced):
        return out
    n = int(WINDOW * rate)
    period = rate / f0[voiced]
    pad = n + int(1.1 * period.max())
    start = (centre[voiced] - period / 2).astype(int) + pad - n // 2
    for k, edges in enumerate(EDGES):
        y = sosfiltfilt(butter(4, edges, "band", fs=rate, output="sos"), x)
        y = np.abs(hilbert(y)) if k >= WAVES else y
        y = np.concatenate([np.zeros(pad), y, np.zeros(2 * pad)])
        for i in range(0, len(voiced), CHUNK):
            z = slice(i, i + CHUNK)
            out[voiced[z], k] = correlation(y, start[z], period[z], n)
    return out
