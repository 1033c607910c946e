#!/usr/bin/env python3
"""Makes tests/data/speaker: speaker vectors, and what passes between the parts of the speaker encoder.

usage: make_speaker.py --data tests/data --work DIR

The clips are a formula, which tests/golden/test_speaker.c computes too, in doubles without libm.
With i from 0, integers modulo 2^64, mix() the last steps of splitmix64, and a triangle
tri(p) = |p / 2^31 - 1| * 2 - 1 of a 32-bit phase p:
    bend  = tri(i * 7919 * 32 mod 2^32)
    phase = phase + pitch + floor(pitch * bend / 4)             (32 bits)
    voice = phase / 2^31 - 1
    noise = (mix(seed + (i + 1) * 0x9E3779B97F4A7C15) >> 40) / 2^23 - 1
    loud  = tri(i * 1000003 / 4 mod 2^32), 0 where that is below 0
    x     = voice * loud + noise * ((1 - loud) / 8)
    low   = (1.93 * low1 - 0.9409 * low2) + x                   (each resonator's last two values)
    high  = (1.2 * high1 - 0.9025 * high2) + x
    y     = (low / 32 + high / 8) * level
    pcm   = floor(y * 32768 + 0.5), held in -32768..32767
"""
import argparse
import json
import math
import os

import numpy as np

import ckpt

MASK = (1 << 64) - 1
# samples, level, pitch (2^32 times its share of the rate), seed: the shortest, a frame's borders,
# silence, a few bits, clipped
CLIPS = [(1280, 0.5, 21474836, 1), (1281, 0.1, 35791394, 2), (1535, 1.0, 17895697, 3),
         (2560, 0.02, 28633115, 4), (6000, 0.0, 21474836, 5), (12001, 0.0005, 39370533, 6),
         (24000, 0.3, 17895697, 7), (30003, 8.0, 25053976, 8), (48000, 0.1, 32212254, 9),
         (72000, 0.7, 21474836, 10)]


def triangle(phase):
    return abs(phase / 2147483648.0 - 1) * 2 - 1


def mix(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def clip(count, level, pitch, seed):
    phase, low1, low2, high1, high2 = 0, 0.0, 0.0, 0.0, 0.0
    pcm = np.zeros(count, np.float32)
    for i in range(count):
        bend = triangle(i * 7919 * 32 & 0xFFFFFFFF)
        phase = (phase + pitch + math.floor(pitch * bend / 4)) & 0xFFFFFFFF
        voice = phase / 2147483648.0 - 1
        noise = (mix((seed + (i + 1) * 0x9E3779B97F4A7C15) & MASK) >> 40) / 8388608.0 - 1
        loud = triangle(i * 1000003 // 4 & 0xFFFFFFFF)
        loud = loud if loud > 0 else 0.0
        x = voice * loud + noise * ((1 - loud) / 8)
        low1, low2 = (1.93 * low1 - 0.9409 * low2) + x, low1
        high1, high2 = (1.2 * high1 - 0.9025 * high2) + x, high1
        y = (low1 / 32 + high1 / 8) * level
        pcm[i] = min(max(math.floor(y * 32768 + 0.5), -32768), 32767) / 32768
    return pcm


def watch(encoder):
    """-> (dict of the last run's stages as [time, channels], hooks)"""
    got, hooks = {}, []

    def hook(name, module, on_input=False):
        def keep(_module, args, out):
            x = args[0] if on_input else out
            got[name] = x.detach().numpy()[0].T.copy()
        hooks.append(module.register_forward_hook(keep))

    hook("mel", encoder.blocks[0], True)
    for i, block in enumerate(encoder.blocks):
        hook("blocks.%d" % i, block)
    hook("mfa", encoder.mfa)
    hook("attention", encoder.asp.conv)
    hook("asp", encoder.asp)
    return got, hooks


def make(checkpoint, work, out):
    from official import Official
    path = os.path.join(work, checkpoint)
    official = Official(path)
    got, _hooks = watch(official.model.speaker_encoder)
    kept = {}
    for spec in CLIPS:
        vector = official.model.extract_speaker_embedding(audio=clip(*spec), sr=24000)
        got["vector"] = vector.numpy()[None]
        for name, x in got.items():
            rows = [0] if len(x) == 1 else [0, len(x) // 2, len(x) - 1]
            kept.setdefault(name, []).append(x[rows])
    for name, arrays in kept.items():
        np.save(os.path.join(out, "%s-%s.npy" % (checkpoint, name)),
                np.stack(arrays).astype(np.float32))
    return sorted(kept)


def main():
    ap = argparse.ArgumentParser(description="speaker vectors from the official package")
    ap.add_argument("--data", required=True, help="tests/data")
    ap.add_argument("--work", required=True, help="scratch folder for the checkpoints' weights")
    a = ap.parse_args()
    out = os.path.join(a.data, "speaker")
    os.makedirs(out, exist_ok=True)
    names = ("base-eq", "base-mtp")
    for name in names:
        ckpt.write_weights(os.path.join(a.data, "ckpt", name), os.path.join(a.work, name))
        stages = make(name, a.work, out)
    with open(os.path.join(out, "clips.json"), "w") as f:
        json.dump({"checkpoints": names, "stages": stages, "clips": CLIPS}, f)
        f.write("\n")


if __name__ == "__main__":
    main()
