"""How periodic a sound is in five bands, every 5 ms: what flite calls strengths of voicing."""
import numpy as np
from scipy.signal import butter, sosfiltfilt

EDGES = ((60, 1000), (1000, 2000), (2000, 4000), (4000, 6000), (6000, 8000))
WINDOW = 0.02                       # seconds on both sides of a period
CHUNK = 400


def pieces(x, at, length):
    """[len(at), length] samples from each of the starts; x is long enough"""
    return np.lib.stride_tricks.sliding_window_view(x, length)[at]


def strengths(x, rate, f0):
    """[N, 5]: share of amplitude that repeats after one period; 0 where f0 is 0"""
    out = np.zeros((len(f0), len(EDGES)), np.float32)
    voiced = np.nonzero(f0 > 0)[0]
    if not len(voiced):
        return out
    n = int(WINDOW * rate)
    period = np.round(rate / f0[voiced]).astype(int)
    pad = n + period.max()
    start = ((voiced + 0.5) * 0.005 * rate).astype(int) + pad - n // 2 - period // 2
    for k, edges in enumerate(EDGES):
        y = sosfiltfilt(butter(4, edges, "band", fs=rate, output="sos"), x)
        y = np.concatenate([np.zeros(pad), y, np.zeros(2 * pad)])
        for i in range(0, len(voiced), CHUNK):
            z = slice(i, i + CHUNK)
            a, b = pieces(y, start[z], n), pieces(y, start[z] + period[z], n)
            r = (a * b).sum(1) / np.sqrt((a * a).sum(1) * (b * b).sum(1) + 1e-9)
            r = np.clip(r, 0, 1)
            tone, noise = np.sqrt(r), np.sqrt(1 - r)
            out[voiced[z], k] = tone / (tone + noise)
    return out
