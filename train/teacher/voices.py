"""The voices, and how to read what their teachers wrote.

A voice is a speaker in a language. Its reader (flite or espeak) turns text into phones; its
teacher (flite's own tracks or the neural one) says how they sound.
"""
import dataclasses

from train.teacher import flite, neural
from train.teacher.utterance import records


@dataclasses.dataclass(frozen=True)
class Voice:
    speaker: str
    language: str
    reader: str                     # flite or espeak: the program that makes the records
    option: str                     # the program's argument
    style: str = ""                 # of the neural teacher; empty: flite's own tracks


VOICES = {
    "ada-english": Voice("ada", "english", "flite", "slt"),
    "max-english": Voice("max", "english", "flite", "rms"),
    "ada-french": Voice("ada", "french", "espeak", "fr", "jf_gongitsune"),
    "max-french": Voice("max", "french", "espeak", "fr", "jm_kumo"),
    # The neural teacher in English, too: one timbre for a speaker in both languages.
    "ada-english-neural": Voice("ada", "english", "flite", "slt", "jf_gongitsune"),
    "max-english-neural": Voice("max", "english", "flite", "rms", "jm_kumo"),
}

SPEEDS = {"english": 0.9, "french": 0.75}      # of the neural teacher


def read(path, name, model=None, sound=False):
    """Yields the utterances of a file of records of the voice `name`; None: not a phone in it.

    model: a kokoro.Kokoro, for voices with a style; sound: with bands and strengths.
    """
    voice = VOICES[name]
    for record in records(path):
        if not voice.style:
            yield flite.utterance(record, name, sound)
            continue
        text, _, rows = record
        if voice.reader == "espeak":
            rows = neural.of_espeak(rows)
            neural.stress_french(text, rows)
        else:
            rows = neural.of_flite(rows)
        if rows:
            yield neural.utterance(model, text, rows, name, voice.style, SPEEDS[voice.language])
        else:
            yield None
