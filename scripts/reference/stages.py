"""Intermediates of a run, stage by stage, as npy files named in golden.json under "stages"."""
import os

import numpy as np

STEPS = 4       # the last prompt row and the first frames


def keep(folder, name, array, **more):
    os.makedirs(os.path.join(folder, "stages"), exist_ok=True)
    file = "stages/%s.npy" % name
    np.save(os.path.join(folder, file), np.ascontiguousarray(array, np.float32))
    return {"name": name, "file": file, **more}


class Talker:
    """Hooks on the talker's layers: the last row of each of the first steps."""

    def __init__(self, official, wanted):
        self.model = official.model.talker.model if "stages" in wanted else None
        self.rows, self.hooks = [], []

    def __enter__(self):
        if self.model is not None:
            for part in [*self.model.layers, self.model.norm]:
                self.hooks.append(part.register_forward_hook(self.hook))
        return self

    def __exit__(self, *_):
        for h in self.hooks:
            h.remove()

    def hook(self, _module, _args, out):
        out = out[0] if isinstance(out, tuple) else out
        if len(self.rows) < STEPS * (len(self.model.layers) + 1):
            self.rows.append(out.numpy()[0, -1].copy())

    def save(self, run, folder):
        rows = np.stack(self.rows).reshape(STEPS, len(self.model.layers) + 1, -1)
        return [keep(folder, "talker_layers", rows),
                keep(folder, "talker_logits", run["talker_logits"]),
                keep(folder, "predictor_logits", run["predictor_logits"])]


def codec(official, codes, folder):
    """Decoder stages [channels, time]; from decoder.1 on only the first and the last frame,
    [2, channels, time of a frame]."""
    decoder, got, hooks = official.codec.model.decoder, {}, []

    def watch(name, module, time_first=False):
        def hook(_module, _args, out):
            out = out.last_hidden_state if hasattr(out, "last_hidden_state") else out
            x = out.numpy()[0]
            got[name] = (x.T if time_first else x).copy()
        hooks.append(module.register_forward_hook(hook))

    watch("pre_conv", decoder.pre_conv)
    watch("pre_transformer", decoder.pre_transformer, True)
    for i, blocks in enumerate(decoder.upsample):
        watch("upsample.%d" % i, blocks[1])
    for i, block in enumerate(decoder.decoder):
        watch("decoder.%d" % i, block)
    transposed = codes.T[None].astype(np.int64)
    import torch
    got["quantizer"] = decoder.quantizer.decode(torch.from_numpy(transposed))[0].numpy()
    official.sound_of(codes)
    for h in hooks:
        h.remove()
    out = []
    for name in sorted(got):
        x, frames = got[name], list(range(len(codes)))
        if name.startswith("decoder.") and name != "decoder.0":
            frames = [0, len(codes) - 1]
            step = x.shape[1] // len(codes)
            x = np.stack([x[:, f * step:(f + 1) * step] for f in frames])
        out.append(keep(folder, name, x, frames=frames if len(frames) == 2 else None))
    return out
