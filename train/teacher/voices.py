"""The voices, and how to read what their readers wrote.

A voice is a speaker in a language. Its reader (flite or espeak) turns text into phones; the neural
teacher says how they sound. It has one French style, a woman's; the man's voice is hers lowered.
"""
import dataclasses
import sys

from train.teacher import neural
from train.teacher.utterance import records


@dataclasses.dataclass(frozen=True)
class Voice:
    speaker: str
    language: str
    style: str                      # of the neural teacher
    speed: float                    # of the neural teacher
    pitch: float = 1.0              # what the teacher's pitch and formants are multiplied by
    formants: float = 1.0


READERS = {"english": "flite", "french": "espeak"}
VOICES = {
    "ada-english": Voice("ada", "english", "jf_gongitsune", 0.96),
    "max-english": Voice("max", "english", "jm_kumo", 0.96),
    "ada-french": Voice("ada", "french", "ff_siwis", 0.7),
    "max-french": Voice("max", "french", "ff_siwis", 0.7, 0.56, 0.86),
}


def readings(path, language):
    """Yields (text, [[phone id, stress, word]]) of a file of records; no rows where the text has a
    phone that is not in the inventory."""
    for text, rows in records(path):
        try:
            yield text, neural.READ[language](text, rows)
        except KeyError as e:
            print("\nleft out: %s (%s)" % (text, e.args[0]), file=sys.stderr)
            yield text, []


def read(path, name, model):
    """Yields the utterances of a file of records of the voice `name`; None: one that is left out.

    model: a kokoro.Kokoro; with sound, utterances have bands and strengths.
    """
    for text, rows in readings(path, VOICES[name].language):
        yield neural.utterance(model, text, rows, name, VOICES[name]) if rows else None
