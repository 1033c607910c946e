"""The teachers speak the corpus: corpus -> phones and tracks, and for some sentences the sound.

usage: python3 -m train.teacher.speak WORK VOICE SENTENCES WITH_SOUND
The first WITH_SOUND sentences of the voice also get bands and strengths, of which render.py makes
sound. Written in shards, WORK/speech/VOICE-FIRST-END.npz (-sound.npz); shards that are there are
left alone, so that an interrupted run goes on where it was.
"""
import glob
import os
import subprocess
import sys
import time

import numpy as np

from train.corpus import sentence
from train.teacher import kokoro, voices

SHARD = 250                         # sentences in a file
SMALL = {"phone": np.uint8, "stress": np.uint8, "end": np.uint16, "word": np.int16,
         "f0": np.float16, "energy": np.float16, "bands": np.float16, "strengths": np.float16}


def lines_of(work, name, count):
    """The rows of the corpus that the voice speaks, in their order."""
    voice, out = voices.VOICES[name], []
    with open(os.path.join(work, "corpus", voice.language + ".jsonl"), encoding="utf-8") as f:
        for line in f:
            if len(out) == count:
                break
            row = sentence.load(line)
            if row["speaker"] == voice.speaker:
                out.append(row)
    return out


def save(path, rows, utterances):
    """Each array of each utterance under its own name: "12.f0"."""
    arrays = {}
    for i, u in enumerate(utterances):
        for key, kind in SMALL.items():
            value = getattr(u, key)
            if value is not None:
                arrays["%d.%s" % (i, key)] = value.astype(kind)
    arrays["id"] = np.array([row["id"] for row in rows])
    np.savez(path + ".part.npz", **arrays)
    os.rename(path + ".part.npz", path)


def load(path):
    """-> [(id, {name: array})]"""
    with np.load(path) as z:
        parts = {}
        for key in z.files:
            i, _, name = key.partition(".")
            if name:
                parts.setdefault(int(i), {})[name] = z[key]
        return [(str(name), parts[i]) for i, name in enumerate(z["id"])]


def record(work, name, rows):
    """The reader's records of some rows -> path"""
    reader = voices.READERS[voices.VOICES[name].language]
    path = os.path.join(work, "speech", name + ".bin")
    subprocess.run([os.path.join(work, "bin", reader), path], text=True,
                   input="".join(sentence.spoken(row["tokens"]) + "\n" for row in rows), check=True)
    return path


def speak(work, name, rows, model):
    """One shard: rows -> rows, utterances; a sentence without a phone is left out"""
    path, kept, out = record(work, name, rows), [], []
    for row, u in zip(rows, voices.read(path, name, model)):
        if u is not None:
            kept.append(row)
            out.append(u)
    os.remove(path)
    return kept, out


def main(work, name, count, with_sound):
    os.makedirs(os.path.join(work, "speech"), exist_ok=True)
    rows, start = lines_of(work, name, count), time.time()
    models, seconds = {}, 0.0
    # A shard has sound or not as a whole.
    cuts = sorted({*range(0, len(rows), SHARD), min(with_sound, len(rows)), len(rows)})
    for a, z in zip(cuts, cuts[1:]):
        sound = z <= with_sound
        start_name = os.path.join(work, "speech", "%s-%06d-" % (name, a))
        path = "%s%06d%s.npz" % (start_name, z, "-sound" if sound else "")
        if os.path.exists(path):
            continue
        for old in glob.glob(start_name + "*"):    # of a run with other numbers
            os.remove(old)
        if sound not in models:
            models = {sound: kokoro.Kokoro(os.path.join(work, "cache"), sound)}
        kept, out = speak(work, name, rows[a:z], models[sound])
        save(path, kept, out)
        seconds += sum(u.frames() for u in out) * 0.08
        print("\r%s: %d of %d sentences, %.2f h in this run, %.0f s "
              % (name, z, len(rows), seconds / 3600, time.time() - start), end="", flush=True)
    print("\r%s: %d sentences are there%30s" % (name, len(rows), ""))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
