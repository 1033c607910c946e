"""Spectra for losses and for measuring, in PyTorch."""
import numpy as np
import torch

from train.model.layout import RATE

SIZES = (256, 512, 1024, 2048)      # windows of the spectral losses; a quarter is the step
# Keeps silence from counting. At 0.003 four fifths of what h, t, k and p are made of did not count
# either, and words were misheard for it.
FLOOR = 5e-4


def magnitude(x, size):
    s = torch.stft(x, size, size // 4, window=torch.hann_window(size), return_complex=True)
    return torch.sqrt(s.real ** 2 + s.imag ** 2 + 1e-7) / size ** 0.5


def emphasis(x):
    """Lifts the high frequencies: what consonants are made of is weak."""
    return x[:, 1:] - 0.9 * x[:, :-1]


def distance(made, real, size):
    """Of spectra, logarithmic and linear."""
    a, b = magnitude(made, size), magnitude(real, size)
    return (torch.log(a + FLOOR) - torch.log(b + FLOOR)).abs().mean() + 10 * (a - b).abs().mean()


def sound_loss(made, real, sizes):
    a, b = emphasis(made), emphasis(real)
    time = 40 * (a - b).abs().mean() + 10 * (made - real).abs().mean()
    return time + sum(distance(a, b, s) for s in sizes)


def mel_bank(size=1024, bands=80):
    f = np.linspace(0, RATE / 2, size // 2 + 1)
    top = 2595 * np.log10(1 + RATE / 2 / 700)
    p = 700 * (10 ** (np.linspace(0, top, bands + 2) / 2595) - 1)
    rise = (f[None] - p[:-2, None]) / np.diff(p)[:-1, None]
    fall = (p[2:, None] - f[None]) / np.diff(p)[1:, None]
    w = np.maximum(0, np.minimum(rise, fall))
    return torch.tensor(w / np.maximum(w.sum(1, keepdims=True), 1e-9)).float()


def log_mel(x, bank):
    return torch.log(torch.clamp(bank @ magnitude(x, 1024), min=2e-4))
