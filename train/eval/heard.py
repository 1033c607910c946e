"""What was heard, kept in a file: a sound that was heard before is not heard again."""
import json
import os
import sys
import wave

import numpy as np

from train.eval import listen

SAVE = 20                           # sounds after which the file is written


def read_wav(path):
    """-> samples from -1 to 1, rate"""
    with wave.open(path) as f:
        return np.frombuffer(f.readframes(f.getnframes()), np.int16) / 32768, f.getframerate()


class Heard:
    """heard(key, language, path): the text; key: the same for the same samples"""

    def __init__(self, path, cache):
        self.path, self.cache, self.new = path, cache, 0
        self.listeners, self.known = {}, {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                self.known = json.load(f)

    def __call__(self, key, language, path):
        key = language + " " + key
        if key not in self.known:
            if language not in self.listeners:
                self.listeners[language] = listen.Listener(language, self.cache)
            self.known[key] = self.listeners[language](*read_wav(path))
            self.new += 1
            if self.new % SAVE == 0:
                self.save()
        return self.known[key]

    def save(self):
        with open(self.path + ".part", "w", encoding="utf-8") as f:
            json.dump(self.known, f, indent=0, ensure_ascii=False)
        os.rename(self.path + ".part", self.path)


def progress(text):
    if sys.stderr.isatty():
        print("\r\033[K" + text, end="", file=sys.stderr, flush=True)
