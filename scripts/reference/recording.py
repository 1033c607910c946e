"""A recording from a formula: voiced and noisy stretches that sweep like speech, 24 kHz mono."""
import os

import numpy as np

RATE = 24000


def make(folder, name, seconds, pitch, seed):
    """Keeps int16 samples in folder -> (file name, the samples as float32, divided by 32768)."""
    n = int(seconds * RATE)
    t = np.arange(n) / RATE
    rng = np.random.default_rng(seed)
    f0 = pitch * (1 + 0.2 * np.sin(2 * np.pi * 0.9 * t) + 0.05 * np.sin(2 * np.pi * 5.3 * t))
    phase = 2 * np.pi * np.cumsum(f0) / RATE
    formants = (500 + 250 * np.sin(2 * np.pi * 1.3 * t), 1500 + 700 * np.sin(2 * np.pi * 0.7 * t),
                2600 + 300 * np.sin(2 * np.pi * 1.9 * t))
    voiced = np.zeros(n)
    for k in range(1, 30):
        gain = sum(np.exp(-(((k * f0 - f) / 160) ** 2)) for f in formants) + 0.02
        voiced += gain * np.sin(k * phase) / np.sqrt(k)
    syllable = np.clip(np.sin(2 * np.pi * 2.3 * t) + 0.4, 0, 1)
    noise = rng.standard_normal(n) * np.clip(-np.sin(2 * np.pi * 2.3 * t), 0, 1)
    x = voiced * syllable * 0.3 + noise * 0.08
    x *= 0.1 / np.sqrt(np.mean(x * x))
    pcm = np.round(np.clip(x, -1, 1) * 32767).astype(np.int16)
    np.save(os.path.join(folder, "recording-%s.npy" % name), pcm)
    return "recording-%s.npy" % name, pcm.astype(np.float32) / 32768
