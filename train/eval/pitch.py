"""Pitch and loudness of a sound every 10 ms, by a tracker that knows nothing of codes or teachers.

YIN: the difference between a piece of sound and itself, a lag later, divided by its mean over the
shorter lags; the first dip that is deep enough is the period. Pitches that differ from their
neighbours' by half an octave or more are slips and are left out.
"""
import numpy as np
from scipy.signal import resample_poly

RATE, HOP, WINDOW = 8000, 80, 320   # samples: the window is 40 ms
LOWEST, HIGHEST = 60, 400           # Hz
DEPTH = 0.15                        # of a dip
QUIET = 10 ** (-35 / 20)            # of the loudest: below it nothing is voiced
SLIP = 2 ** 0.5


def pieces(y):
    """[N, WINDOW + longest lag] around each step of 10 ms"""
    longest = RATE // LOWEST
    size = WINDOW + longest
    y = np.pad(y, (size // 2, size))
    at = np.arange(0, len(y) - size - size // 2, HOP)
    return np.lib.stride_tricks.sliding_window_view(y, size)[at]


def differences(x):
    """[N, lags]: sum over the window of (x[i] - x[i + lag])^2"""
    lags = x.shape[1] - WINDOW
    size = 1 << (x.shape[1] + WINDOW).bit_length()
    head = np.fft.rfft(x[:, :WINDOW], size)
    product = np.fft.irfft(np.conj(head) * np.fft.rfft(x, size), size)[:, :lags]
    power = np.concatenate([np.zeros((len(x), 1)), np.cumsum(x * x, 1)], 1)
    later = power[:, WINDOW:WINDOW + lags] - power[:, :lags]
    return np.maximum(power[:, WINDOW:WINDOW + 1] + later - 2 * product, 0)


def periods(d):
    """[N] lag of the first deep dip, between samples; 0: none"""
    count, lags = d.shape
    mean = np.cumsum(d[:, 1:], 1) / np.arange(1, lags)
    ratio = np.concatenate([np.ones((count, 1)), d[:, 1:] / (mean + 1e-12)], 1)
    out, first = np.zeros(count), RATE // HIGHEST
    for i, row in enumerate(ratio):
        inner = row[first:-1]
        dip = (inner < DEPTH) & (inner <= row[first - 1:-2]) & (inner < row[first + 1:])
        at = np.nonzero(dip)[0]
        if len(at):
            k = at[0] + first
            a, b, c = row[k - 1:k + 2]
            out[i] = k + 0.5 * (a - c) / (a - 2 * b + c)
    return out


def loudness(y, rate):
    """[N] amplitude every 10 ms"""
    hop = rate // 100
    n = len(y) // hop
    return np.sqrt((np.asarray(y[:n * hop], float).reshape(n, hop) ** 2).mean(1))


def slips(f0):
    """Whether a voiced step lies far from the median of its voiced neighbours."""
    at = np.nonzero(f0 > 0)[0]
    out = np.zeros(len(f0), bool)
    for place, i in enumerate(at):
        near = np.median(f0[at[max(0, place - 7):place + 8]])
        out[i] = max(near / f0[i], f0[i] / near) >= SLIP
    return out


def track(y, rate):
    """-> Hz [N], 0 where unvoiced; amplitude [N]"""
    x = pieces(resample_poly(np.asarray(y, float), RATE, rate))
    loud = loudness(y, rate)
    n = min(len(x), len(loud))
    period = periods(differences(x[:n]))
    f0 = np.where(period > 0, RATE / np.maximum(period, 1), 0)
    f0[loud[:n] < QUIET * loud.max(initial=1e-9)] = 0
    f0[slips(f0)] = 0
    return f0, loud[:n]
