"""Spectral envelopes in one form: log amplitude at 40 points of the mel scale, 60 to 8000 Hz.

Amplitudes are those of a filter that white noise or pulses of power 1 pass, at 24 kHz and on the
scale of 16-bit samples.
"""
import numpy as np

RATE, NFFT, BANDS = 24000, 1024, 40
FLOOR, KNEE = 2.2, 0.7


def mel(f):
    return 2595 * np.log10(1 + f / 700)


POINTS = np.linspace(mel(60), mel(8000), BANDS)
HZ = 700 * (10 ** (POINTS / 2595) - 1)


def interpolation(x, points):
    """[len(points), len(x)]: values at points -> values at x, linear, flat outside"""
    out = np.zeros((len(points), len(x)), np.float32)
    for k, v in enumerate(x):
        u = np.interp(v, points, np.arange(len(points)))
        i = int(min(u, len(points) - 2))
        out[i, k], out[i + 1, k] = 1 - (u - i), u - i
    return out


def settle(x):
    """A soft floor under the bands, and below a knee a steep fall: silence is silent."""
    x = np.logaddexp(x, FLOOR)
    knee = FLOOR + KNEE
    return np.where(x < knee, knee - 3 * (knee - x), x).astype(np.float32)


# ---- measured from sound --------------------------------------------------------------------

SIZE = 1024                         # bins of the analysis: SIZE / 2 + 1
UNVOICED_F0 = 240.0                 # width of smoothing where there is no pitch
CHUNK = 400                         # frames at a time
SHARPEN = -0.09                     # gives back what the smoothing takes (Morise's q1)


def smooth_over(power, width, hz_per_bin):
    """Mean of power [N, bins] over a band of width [N] Hz around every bin; ends are mirrored."""
    n, bins = power.shape
    pad = int(np.ceil(width.max() / hz_per_bin)) + 2
    p = np.concatenate([power[:, pad:0:-1], power, power[:, -2:-pad - 2:-1]], 1)
    total = np.concatenate([np.zeros((n, 1)), np.cumsum(p, 1)], 1)
    middle = np.arange(bins)[None] + pad + 0.5
    half = (width / hz_per_bin / 2)[:, None]

    def upto(x):
        i = x.astype(int)
        at = np.take_along_axis(total, i, 1)
        return at + (x - i) * (np.take_along_axis(total, i + 1, 1) - at)
    return (upto(middle + half) - upto(middle - half)) / (2 * half)


def power_spectra(x, rate, f0, centre):
    """Windows of three periods, normalised so that white noise keeps its variance."""
    length = int(3 * rate / f0.min()) // 2 * 2 + 1
    t = np.arange(length) - length // 2
    padded = np.concatenate([np.zeros(length, x.dtype), x, np.zeros(length, x.dtype)])
    pieces = padded[(centre + length)[:, None] + t[None]]
    span = 1.5 * rate / f0[:, None]
    w = np.where(np.abs(t)[None] < span, 0.5 + 0.5 * np.cos(np.pi * t[None] / span), 0)
    pieces = pieces * w
    pieces -= w * (pieces.sum(1) / w.sum(1))[:, None]
    return np.abs(np.fft.rfft(pieces, SIZE)) ** 2 / (w ** 2).sum(1)[:, None]


def lifter(power, f0, rate):
    """Removes the ripple of the pitch from a smoothed power spectrum; -> log power"""
    q = np.arange(SIZE // 2 + 1) / rate
    x = np.pi * f0[:, None] * q[None]
    window = np.sinc(x / np.pi) * (1 - 2 * SHARPEN + 2 * SHARPEN * np.cos(2 * x))
    c = np.fft.irfft(np.log(power + 1e-3), SIZE)
    half = c[:, :SIZE // 2 + 1] * window
    c = np.concatenate([half, half[:, -2:0:-1]], 1)
    return np.fft.rfft(c, SIZE).real


def from_sound(x, rate, f0, centre):
    """Sound -> bands [N, 40] around the samples `centre` [N], with windows and smoothing that follow the pitch (CheapTrick:
    Morise 2015), so that the harmonics do not show in the envelope."""
    to_bands = interpolation(HZ, np.arange(SIZE // 2 + 1) * rate / SIZE)
    low = 3.0 * rate / (SIZE - 2)                  # the window must fit
    out = np.zeros((len(f0), BANDS), np.float32)
    for a in range(0, len(f0), CHUNK):
        z = slice(a, a + CHUNK)
        f = np.maximum(np.where(f0[z] > 0, f0[z], UNVOICED_F0), low)
        p = power_spectra(x, rate, f, centre[z])
        p = smooth_over(p, 2 * f / 3, rate / SIZE)
        out[z] = lifter(p, f, rate) @ to_bands
    return settle(0.5 * (out + np.log(RATE / rate)))
