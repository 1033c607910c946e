"""How well a recogniser understands the teachers: their own sound, and the sound rendered from what
the codes can tell.

usage: python3 -m train.eval.teacher WORK SENTENCES [VOICE...]
WORK/teacher.json gets the rates and what was heard.
"""
import contextlib
import json
import os
import subprocess
import sys

from train.audio import render
from train.eval import listen, sets
from train.teacher import kokoro, voices


class OwnSound:
    """Wraps the teacher: keeps the sound of the last sentence."""

    def __init__(self, model):
        self.model, self.sound = model, None

    def speak(self, *args):
        out = self.model.speak(*args)
        self.sound = out[3]
        return out


@contextlib.contextmanager
def recorded(work, name, texts):
    """-> path of the reader's records of some texts, for as long as it is used"""
    path = os.path.join(work, "test-%s.bin" % name)
    subprocess.run([os.path.join(work, "bin", voices.READERS[voices.VOICES[name].language]), path],
                   input="\n".join(texts) + "\n", text=True, check=True)
    try:
        yield path
    finally:
        os.remove(path)


def utterances(work, name, texts, model):
    """The teacher's utterances of some texts; None: one that it cannot read"""
    with recorded(work, name, texts) as path:
        yield from voices.read(path, name, model)


def measure(work, name, limit, model, listener):
    voice = voices.VOICES[name]
    texts = [s.spoken for s in sets.load("everyday", voice.language, limit)]
    own = OwnSound(model)
    rows = []
    for text, u in zip(texts, utterances(work, name, texts, own)):
        made = render.render(u)
        rows.append({"text": text, "own": listener(own.sound, kokoro.RATE),
                     "rendered": listener(made, render.RATE)})
        if len(rows) <= 3:
            render.write_wav(os.path.join(work, "test-%s-%d.wav" % (name, len(rows))), made)
    result = {"voice": name, "recogniser": listener.name, "sentences": len(rows)}
    for part in ("own", "rendered"):
        pairs = [(r["text"], r[part]) for r in rows]
        result[part] = [round(x, 1) for x in listen.rates(pairs, voice.language)]
    print("%-20s own WER %5.1f CER %5.1f   rendered WER %5.1f CER %5.1f   (%s)"
          % (name, *result["own"], *result["rendered"], listener.name), flush=True)
    return dict(result, heard=rows)


def main(work, limit, names):
    cache = os.path.join(work, "cache")
    model = kokoro.Kokoro(cache, True)
    listeners, results = {}, []
    for name in names or list(voices.VOICES):
        language = voices.VOICES[name].language
        if language not in listeners:
            listeners[language] = listen.Listener(language, cache)
        results.append(measure(work, name, limit, model, listeners[language]))
        with open(os.path.join(work, "teacher.json"), "w", encoding="utf-8") as f:
            json.dump(results, f, indent=1, ensure_ascii=False)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
