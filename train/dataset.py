"""Many examples of arrays of different lengths in few files, read through a mapping.

FOLDER/NAME.bin holds the arrays of that name behind each other, FOLDER/index.npz where each begins.
An example that lacks an array has an empty one. Examples of the two models:

    talker    text    bytes of the sentence as typed, in NFC
              codes   [T, 16]
              reads   [T] for each frame the character of the text that its last phone belongs to
              phones  [P] what is said, without pauses
              letters [P] the character each of these belongs to
    decoder   codes   [T, 16]
              audio   [1920 T], or none
              low     [4 T, features] what the part at 12.5 to 50 Hz is also taught, or none
"""
import os

import numpy as np


class Writer:
    """kinds: {name: (type, shape of one row)}; use with `with`"""

    def __init__(self, folder, kinds):
        os.makedirs(folder, exist_ok=True)
        self.folder, self.kinds = folder, kinds
        self.files = {n: open(os.path.join(folder, n + ".bin"), "wb") for n in kinds}
        self.ends = {n: [0] for n in kinds}

    def add(self, **arrays):
        for name, (kind, shape) in self.kinds.items():
            value = arrays.get(name)
            rows = 0
            if value is not None:
                value = np.asarray(value).astype(kind).reshape(-1, *shape)
                rows = len(value)
                self.files[name].write(value.tobytes())
            self.ends[name].append(self.ends[name][-1] + rows)

    def __enter__(self):
        return self

    def __exit__(self, failed, *_):
        for f in self.files.values():
            f.close()
        if failed is None:
            arrays = {}
            for name, (kind, shape) in self.kinds.items():
                arrays[name + ".ends"] = np.array(self.ends[name], np.int64)
                arrays[name + ".kind"] = np.array(np.dtype(kind).str)
                arrays[name + ".shape"] = np.array(shape, np.int64)
            np.savez(os.path.join(self.folder, "index.npz"), **arrays)


class Dataset:
    def __init__(self, folder):
        self.data, self.ends = {}, {}
        with np.load(os.path.join(folder, "index.npz")) as index:
            for key in index.files:
                name, _, what = key.rpartition(".")
                if what != "ends":
                    continue
                shape = tuple(index[name + ".shape"])
                path = os.path.join(folder, name + ".bin")
                kind = np.dtype(str(index[name + ".kind"]))
                self.ends[name] = index[key]
                rows = int(index[key][-1])
                self.data[name] = np.memmap(path, kind, "r", shape=(rows, *shape)) if rows \
                    else np.zeros((0, *shape), kind)

    def __len__(self):
        return len(next(iter(self.ends.values()))) - 1

    def get(self, name, i, start=0, stop=None):
        """rows start..stop of the array of example i"""
        a, z = self.ends[name][i:i + 2]
        return self.data[name][a + start:z if stop is None else min(z, a + stop)]

    def lengths(self, name):
        return np.diff(self.ends[name])

    def text(self, i):
        return self.get("text", i).tobytes().decode("utf-8")


TALKER = dict(text=("u1", ()), codes=("u1", (16,)), reads=("u2", ()), phones=("u1", ()),
              letters=("u2", ()))


def decoder_kinds(features):
    return dict(codes=("u1", (16,)), audio=("f2", ()), low=("f2", (features,)))
