"""Bands, voicing and pitch -> sound, so that the sound is a function of the codes.

A source-filter model on the frame grid: every 80 ms frame holds a whole number of pitch periods
and starts with a pulse, the noise repeats every 40 ms. So nothing is left to chance or to the
past, and plain regression can teach the decoder. Inside a frame the pitch may glide.
"""
import wave

import numpy as np

from train.audio.envelope import BANDS, NFFT, POINTS, RATE, interpolation, mel
from train.teacher.utterance import STEPS

FRAME, HOP = 1920, 120              # samples of a frame and of a step
GAIN, NOISE_LOOP = 1.5 / 32768, 960
GLIDES = (-0.16, 0.0, 0.16)         # relative change of the pitch from start to end of a frame
FEWEST, MOST = 5, 28                # periods in a frame: 62.5 to 350 Hz
# The teacher sings: its pitch spans ten semitones. What is nearer to the middle is also easier to
# learn, as there are fewer kinds of frames.
CALM, MIDDLE = 0.7, {"ada": 225.0, "max": 92.0}     # exponent; Hz
STICK = 0.62                        # periods that the pitch must move before the count does

_bins = np.arange(NFFT // 2 + 1) * RATE / NFFT
TO_BINS = interpolation(mel(np.clip(_bins, 60, 8000)), POINTS)
STRENGTH_TO_BINS = interpolation(_bins, np.array([500, 1500, 3000, 5000, 7000.0]))
ROLL_OFF = np.where(_bins > 8000, -(_bins - 8000) / 1000, 0).astype(np.float32)
_window = np.sin(np.pi * (np.arange(2 * HOP) + 0.5) / (2 * HOP)) ** 2


def _noise_spectra():
    sign = np.sign(np.random.RandomState(0).randn(NOISE_LOOP)).astype(np.float32)
    x = np.tile(sign, 3 * FRAME // NOISE_LOOP)
    pieces = [x[FRAME + (i - 1) * HOP:FRAME + (i + 1) * HOP] * _window for i in range(STEPS)]
    return np.fft.rfft(np.stack(pieces), NFFT).astype(np.complex64)


NOISE = _noise_spectra()


def calmed(u):
    """The pitch of an utterance, nearer to the middle of its speaker's"""
    middle = MIDDLE.get(u.voice.partition("-")[0])
    if middle is None:
        return u.f0
    return np.where(u.f0 > 0, middle * (np.maximum(u.f0, 1) / middle) ** CALM, 0)


def contour(u):
    """-> periods [T], glide [T] (index into GLIDES): whole periods of every frame, held through
    unvoiced frames, and how the pitch moves inside it"""
    rows = calmed(u).reshape(-1, STEPS)
    n = len(rows)
    periods, glide = np.zeros(n, int), np.full(n, GLIDES.index(0.0))
    last = first = None
    for t, row in enumerate(rows):
        at = np.nonzero(row > 0)[0]
        if len(at) >= 3:
            mean = row[at].mean() * FRAME / RATE
            if last is None or abs(mean - last) >= STICK:
                last = int(np.clip(np.round(mean), FEWEST, MOST))
                first = t if first is None else first
            if len(at) >= 8:
                slope = np.polyfit(at / STEPS, row[at], 1)[0] / row[at].mean()
                glide[t] = np.abs(np.array(GLIDES) - slope).argmin()
        periods[t] = last or 0
    if first is not None:
        periods[:first] = periods[first]
    return np.maximum(periods, FEWEST), glide


def pulses(periods, glide):
    """Samples of the pulses of one frame, on the 8 kHz grid; the first is 0."""
    s, k = GLIDES[glide], np.arange(periods) / periods
    if s:
        # phase(t) = t + s (t^2 - t) / 2 for t in 0..1, solved for t
        b = 1 - s / 2
        k = (-b + np.sqrt(b * b + 2 * s * k)) / s
    return np.round(k * FRAME / 3).astype(int) * 3


def beats(u, rate=2000):
    """[T, rate * 80 ms]: the pulses of the voiced steps as soft bumps"""
    t = (np.arange(FRAME * rate // RATE) + 0.5) * RATE / rate
    voiced = (u.f0 > 0).reshape(-1, STEPS)
    out = np.zeros((u.frames(), len(t)), np.float32)
    for row, periods, glide, on in zip(out, *contour(u), voiced):
        for at in pulses(periods, glide):
            if on[at // HOP]:
                row += np.exp(-0.5 * ((t - at) / (0.7 * RATE / rate)) ** 2)
    return out


def minimum_phase(log_magnitude):
    c = np.fft.irfft(log_magnitude, NFFT, axis=-1)
    c[..., 1:NFFT // 2] *= 2
    c[..., NFFT // 2 + 1:] = 0
    return np.exp(np.fft.rfft(c, NFFT, axis=-1)).astype(np.complex64)


def render(u):
    """Utterance with bands and strengths -> sound, float32, 24 kHz, whole frames"""
    n = u.frames()
    periods, glide = contour(u)
    voiced = u.f0 > 0
    h = minimum_phase(u.bands @ TO_BINS + ROLL_OFF)
    s = np.clip(u.strengths @ STRENGTH_TO_BINS, 0, 1) * voiced[:, None]
    y = np.zeros(n * FRAME + NFFT + 2 * HOP, np.float32)
    noise = np.fft.irfft(NOISE[np.arange(n * STEPS) % STEPS] * h * (1 - s), NFFT).astype(np.float32)
    for i in range(n * STEPS):
        y[i * HOP:i * HOP + NFFT] += noise[i]
    for t in range(n):
        at = t * FRAME + pulses(periods[t], glide[t])
        at = at[voiced[at // HOP]]
        if len(at):
            i = at // HOP
            scale = np.sqrt(FRAME / periods[t])
            for a, p in zip(at, np.fft.irfft(h[i] * s[i] * scale, NFFT).astype(np.float32)):
                y[HOP + a:HOP + a + NFFT] += p
    return np.clip(y[HOP:HOP + n * FRAME] * GAIN, -1, 1)


def write_wav(path, y, rate=RATE):
    with wave.open(path, "wb") as f:
        f.setnchannels(1)
        f.setsampwidth(2)
        f.setframerate(rate)
        f.writeframes((np.clip(y, -1, 1) * 32767).astype("<i2").tobytes())


assert TO_BINS.shape[0] == BANDS
