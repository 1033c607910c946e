#!/usr/bin/env python3
"""Makes tests/data/encoder: what the package's codec encoder makes of clips from a formula.

usage: make_encoder.py --data tests/data --work DIR [--only FORM]
"""
import argparse
import json
import os

import numpy as np

import ckpt

RATE, FRAME = 24000, 1920
CHECKPOINTS = {"eq": "base-eq", "mtp": "base-mtp"}
# samples, seed; the longest has more than 250 positions of the transformer
CLIPS = [(1, 1), (100, 2), (1919, 3), (1920, 4), (1921, 5), (12000, 6), (79200, 7), (312000, 8)]
STAGED = 79200      # this clip's stages are kept, and the sound of its codes
THIN = 41           # one sample of so many is kept of that sound
NEAR = 2e-5         # gaps of squared distances below this are told


def clip(samples, seed):
    """int16 samples, in integers alone (kzt_clip() in tests/harness/clip.c is the same):
    a triangle whose pitch and loudness wander, and noise where it is low."""
    u32 = np.uint64(0xFFFFFFFF)
    i = np.arange(samples, dtype=np.uint64) + np.uint64(seed * 7919)
    z = (i * np.uint64(0x9E3779B1)) & u32
    z = ((z ^ (z >> np.uint64(15))) * np.uint64(0x85EBCA77)) & u32
    z = ((z ^ (z >> np.uint64(13))) * np.uint64(0xC2B2AE3D)) & u32
    noise = ((z ^ (z >> np.uint64(16))) >> np.uint64(16)).astype(np.int64) - 32768

    def triangle(x):                                 # of 16 bits, -32768..32767
        x = x & 0xFFFF
        return np.where(x < 32768, 2 * x - 32768, 98303 - 2 * x)

    n = np.arange(samples, dtype=np.int64)
    sweep = triangle(n * 5) >> 8                     # -128..127
    phase = np.cumsum(400 + 60 * seed + 2 * sweep) if samples else n
    loud = 32768 + triangle(n * 11 + seed * 9000)    # 0..65535
    x = (triangle(phase) * loud >> 18) + (noise * (65535 - loud) >> 20)
    return x.astype(np.int16)


def rows_kept(count):
    """The first and the last rows of a stage, and some between."""
    wanted = {0, 1, 2, count // 3, count // 2, count - 3, count - 2, count - 1}
    return sorted(r for r in wanted if 0 <= r < count)


class Watch:
    """Outputs of the encoder's stages, [time, channels]."""

    def __init__(self, encoder):
        q = encoder.quantizer
        parts = {"encoder_transformer": encoder.encoder_transformer,
                 "downsample": encoder.downsample,
                 "semantic": q.semantic_residual_vector_quantizer.input_proj,
                 "acoustic": q.acoustic_residual_vector_quantizer.input_proj}
        for i, layer in enumerate(encoder.encoder.layers):
            if type(layer).__name__ != "ELU":
                parts["encoder.%d" % i] = layer
        self.got, self.hooks = {}, []
        for name, part in parts.items():
            self.hooks.append(part.register_forward_hook(self.hook(name)))

    def hook(self, name):
        def keep(_module, _args, out):
            if hasattr(out, "last_hidden_state"):
                self.got[name] = out.last_hidden_state.numpy()[0].copy()
            else:
                self.got[name] = out.numpy()[0].T.copy()
        return keep

    def remove(self):
        for h in self.hooks:
            h.remove()


class Gaps:
    """For each level the gap of squared distances between the best two entries, frame by frame."""

    def __enter__(self):
        from transformers.models.mimi.modeling_mimi import MimiEuclideanCodebook
        self.book, self.real, self.gaps = MimiEuclideanCodebook, MimiEuclideanCodebook.quantize, []
        self.book.quantize = lambda book, rows: self.quantize(book, rows)
        return self

    def __exit__(self, *_):
        self.book.quantize = self.real

    def quantize(self, book, rows):
        import torch
        d = torch.cdist(rows.double(), book.embed.double()) ** 2
        best = d.topk(3, largest=False).values      # the two dead entries tie exactly
        gap = best[:, 1:] - best[:, :1]
        self.gaps.append(torch.where(gap[:, 0] > 0, gap[:, 0], gap[:, 1]).numpy())
        return self.real(book, rows)

    def table(self):
        return np.stack(self.gaps[:16], 1)          # [frames, levels]


def save(folder, name, array):
    np.save(os.path.join(folder, name), np.ascontiguousarray(array, np.float32))
    return name


def staged(official, folder, form, watch, codes):
    """-> what golden.json says of the stages and of the sound of the codes."""
    stages = []
    for name, x in watch.got.items():
        rows = rows_kept(len(x))
        file = save(folder, "%s-%s.npy" % (form, name.replace("_", "-")), x[rows])
        stages.append({"name": name, "count": len(x), "rows": rows, "file": file})
    sound = official.sound_of(codes)
    return {"stages": stages, "thin": THIN, "samples_of_codes": len(sound),
            "sound": save(folder, form + "-sound.npy", sound[::THIN])}


def snr_db(sound, again):
    """Of the clip, in the sound that the package makes of its codes."""
    x, y = sound.astype(np.float64), again[:len(sound)].astype(np.float64)
    return float(10 * np.log10(np.sum(x * x) / np.sum((x - y) ** 2)))


def make(form, official, folder):
    clips = []
    for samples, seed in CLIPS:
        sound = clip(samples, seed).astype(np.float32) / 32768
        watch = Watch(official.codec.model.encoder)
        with Gaps() as gaps:
            codes = official.codec.encode(sound, sr=RATE).audio_codes[0].numpy().astype(np.int32)
        watch.remove()
        table = gaps.table()
        assert codes.shape == (-(-samples // FRAME), 16), codes.shape
        near = [[int(t), int(q), float("%.2g" % table[t, q])]
                for t, q in np.argwhere(table[:len(codes)] < NEAR)]
        print("%s: %6d samples, %3d frames, rms %.3f, smallest gap %.2g%s" % (
            form, samples, len(codes), np.sqrt(np.mean(sound * sound)), table.min(),
            "".join(", frame %d level %d: %g" % tuple(n) for n in near)), flush=True)
        entry = {"samples": samples, "seed": seed, "gap": float("%.3g" % table.min())}
        if samples > 1:
            entry["snr"] = round(snr_db(sound, official.sound_of(codes)), 4)
        if samples == STAGED:
            entry.update(staged(official, folder, form, watch, codes))
        entry["codes"] = codes.tolist()
        clips.append(entry)
    body = ",\n".join(json.dumps(c, separators=(",", ":")).replace("],[", "],\n[") for c in clips)
    with open(os.path.join(folder, form + ".json"), "w", encoding="utf-8") as f:
        f.write('{"checkpoint":"%s","clips":[\n%s]}\n' % (CHECKPOINTS[form], body))


def main():
    ap = argparse.ArgumentParser(description="reference data of the codec encoder")
    ap.add_argument("--data", required=True, help="tests/data")
    ap.add_argument("--work", required=True, help="scratch folder for the checkpoints' weights")
    ap.add_argument("--only", choices=CHECKPOINTS)
    a = ap.parse_args()
    from official import Official
    folder = os.path.join(a.data, "encoder")
    os.makedirs(folder, exist_ok=True)
    for form, name in CHECKPOINTS.items():
        if a.only in (None, form):
            path = os.path.join(a.work, name)
            ckpt.write_weights(os.path.join(a.data, "ckpt", name), path)
            make(form, Official(path), folder)


if __name__ == "__main__":
    main()
