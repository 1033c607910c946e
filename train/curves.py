"""Pictures: curves of training logs, the spectrogram of a sound; without a plot library.

usage: python3 -m train.curves OUT.png LOG.jsonl...     python3 -m train.curves OUT.png SOUND.wav
"""
import json
import sys
import wave

import numpy as np

from train import png

WIDTH, HEIGHT, EDGE, COLUMNS = 300, 170, 30, 4
COLOURS = {"train": (190, 190, 190), "valid": (20, 90, 200)}


def read(path):
    with open(path) as f:
        return [json.loads(line) for line in f]


def names(rows):
    """Figures in the order in which they come, without their "train." or "valid." """
    return list(dict.fromkeys(k.partition(".")[2] for row in rows for k in row if "." in k))


def panel(image, x, y, rows, name):
    """One figure over the minutes: grey as trained, blue as validated."""
    left, right, top, bottom = x + EDGE, x + WIDTH - 12, y + 24, y + HEIGHT - 24
    curves = {k: [(r["minutes"], r[k + "." + name]) for r in rows
                  if np.isfinite(r.get(k + "." + name, np.nan))] for k in COLOURS}
    points = [p for c in curves.values() for p in c]
    if not points:
        return
    low, high = min(v for _, v in points), max(v for _, v in points)
    span, end = (high - low) or 1.0, max(t for t, _ in points) or 1.0
    png.line(image, [left, left, right], [top, bottom, bottom], (120, 120, 120))
    png.write(image, left, y + 8, name)
    png.write(image, x + 2, top, "%.3g" % high, scale=1)
    png.write(image, x + 2, bottom - 5, "%.3g" % low, scale=1)
    png.write(image, right - 40, bottom + 6, "%.0f min" % end, scale=1)
    for kind, colour in COLOURS.items():
        t, v = np.array(curves[kind]).reshape(-1, 2).T
        png.line(image, left + t / end * (right - left), bottom - (v - low) / span * (bottom - top),
                 colour)


def plot(paths, out):
    panels = [(read(p), p) for p in paths]
    cells = [(rows, name) for rows, _ in panels for name in names(rows)]
    image = png.blank(WIDTH * COLUMNS, HEIGHT * -(-len(cells) // COLUMNS))
    for i, (rows, name) in enumerate(cells):
        panel(image, i % COLUMNS * WIDTH, i // COLUMNS * HEIGHT, rows, name)
    png.save(out, image)


def spectrogram(path, out, size=1024, step=120, top=8000, height=256):
    """Upwards 0 to `top` Hz, a pixel to the right is 5 ms; the scale spans 70 dB."""
    with wave.open(path, "rb") as f:
        rate, y = f.getframerate(), np.frombuffer(f.readframes(f.getnframes()), "<i2") / 32768
    y = np.concatenate([np.zeros(size // 2), y, np.zeros(size // 2)])
    at = np.arange(0, len(y) - size + 1, step)
    power = np.abs(np.fft.rfft(y[at[:, None] + np.arange(size)] * np.hanning(size))) ** 2
    db = 10 * np.log10(power + 1e-9)
    bins = np.linspace(0, top * size / rate, height).round().astype(int)
    level = np.clip((db[:, bins] - db.max()) / 70 + 1, 0, 1).T[::-1]
    dark = np.array([(255, 255, 255), (250, 200, 120), (200, 60, 80), (60, 10, 90), (0, 0, 20)])
    image = np.stack([np.interp(level, np.linspace(0, 1, len(dark)), dark[:, c])
                      for c in range(3)], -1)
    png.save(out, image)


if __name__ == "__main__":
    if sys.argv[2].endswith(".wav"):
        spectrogram(sys.argv[2], sys.argv[1])
    else:
        plot(sys.argv[2:], sys.argv[1])
