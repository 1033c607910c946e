"""All lines of the corpus as the readers read them: phones, without time and sound."""
import dataclasses
import os
import subprocess

import numpy as np

from train.corpus import sentence
from train.teacher import voices


@dataclasses.dataclass
class Reading:
    phone: np.ndarray               # as those of an Utterance
    stress: np.ndarray
    word: np.ndarray


ROWS = {"english": 82000, "french": 40000}     # espeak-ng takes 10 ms for each


def of(work, language):
    """yields (tokens, reading) of the corpus, then of the lists of common words"""
    for name in (language, language + "-common"):
        yield from _of(work, language, name)


def _of(work, language, name):
    path = os.path.join(work, "speech", name + ".bin")
    with open(os.path.join(work, "corpus", name + ".jsonl"), encoding="utf-8") as f:
        rows = [sentence.load(line)["tokens"] for line, _ in zip(f, range(ROWS[language]))]
    if not os.path.exists(path):
        subprocess.run([os.path.join(work, "bin", voices.READERS[language]), path + ".part"],
                       text=True, check=True,
                       input="".join(sentence.spoken(tokens) + "\n" for tokens in rows))
        os.rename(path + ".part", path)
    for tokens, (_, phones) in zip(rows, voices.readings(path, language)):
        if phones:
            yield tokens, Reading(*np.array(phones).T)
