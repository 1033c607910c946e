"""The voices, and how to read what their teachers wrote.

A voice is a speaker in a language. Its reader (flite or espeak) turns text into phones; its
teacher (flite's own tracks or the neural one) says how they sound.
"""
import dataclasses
import sys

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


def readings(path, name):
    """Yields (text, [[phone id, stress, word]]) of a file of records, for the neural teacher; no
    rows where the text has a phone that is not in the inventory."""
    for text, _, rows in records(path):
        if VOICES[name].reader == "espeak":
            try:
                rows = neural.of_espeak(rows)
                neural.stress_french(text, rows)
            except KeyError as e:
                print("\nleft out: %s (%s)" % (text, e.args[0]), file=sys.stderr)
                rows = []
        else:
            rows = neural.of_flite(rows)
        yield text, rows


def borders(path, name, model):
    """The table for read(), from a file of some hundred records."""
    voice = VOICES[name]
    some = [(text, rows) for text, rows in readings(path, name) if rows]
    return neural.borders(model, some, voice.style, SPEEDS[voice.language])


def read(path, name, model=None, sound=False, table=None):
    """Yields the utterances of a file of records of the voice `name`; None: one that is left out.

    model: a kokoro.Kokoro, and table: of borders(), for voices with a style; sound: with bands and
    strengths.
    """
    voice = VOICES[name]
    if not voice.style:
        for record in records(path):
            yield flite.utterance(record, name, sound)
        return
    for text, rows in readings(path, name):
        yield neural.utterance(model, text, rows, name, voice.style, SPEEDS[voice.language],
                               table) if rows else None
