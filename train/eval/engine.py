"""A voice through the program `kazeia`, as its users have it. KAZEIA: the program."""
import json
import os
import shutil
import subprocess

import numpy as np

KAZEIA = os.environ.get("KAZEIA", "build/kazeia")
DONE, GUARD = 0, 6                  # exit codes; with the second the sound is kept


class Failed(Exception):
    """The program does not do what it was asked; its own sentence."""


def run(*words, text=None, allowed=(DONE,)):
    done = subprocess.run([KAZEIA, *words], input=text, capture_output=True, text=True)
    if done.returncode not in allowed:
        raise Failed("kazeia %s: %s" % (words[0], done.stderr.strip()))
    return done.stdout


class Engine:
    def __init__(self, model, folder):
        self.model, self.folder = model, folder
        about = json.loads(run("voices", "-q", "-m", model, "--json"))
        self.speakers = [v["name"] for v in about["voices"]]
        self.languages = about["languages"]

    def path(self, name):
        path = os.path.join(self.folder, name)
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        return path

    def speak(self, name, items, *options):
        """items: fields of a batch, all with an id -> {id: record}; output is the sound's path,
        hash names its samples"""
        out = run("batch", "-q", "-m", self.model, "-t", "1", "--hash", "-o", self.path(name),
                  *options, text="".join(json.dumps(item) + "\n" for item in items),
                  allowed=(DONE, GUARD))
        return {r["id"]: r for r in map(json.loads, out.splitlines())}

    def decode(self, name, codes):
        """codes: {id: [T, 16]} -> {id: record}, with output as above"""
        folder, records = self.path(name), {}
        for key, array in codes.items():
            path = os.path.join(folder, key)
            np.save(path + ".npy", np.asarray(array, np.int32))
            out = run("decode", "-q", "-m", self.model, "-t", "1", "--hash", "--json", "-o",
                      path + ".wav", path + ".npy")
            records[key] = dict(json.loads(out), output=path + ".wav")
        return records


def item(key, sentence, speaker, seed, text=None, **fields):
    """The fields of a batch for a sentence."""
    return dict(id=key, text=text or sentence.typed, voice=speaker, seed=seed, **fields)
