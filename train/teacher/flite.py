"""Records of flite.c -> utterances."""
import numpy as np

from train.audio import envelope
from train.teacher import phones as ph
from train.teacher.utterance import STEP, Utterance, trim


def phone_table(rows, frames):
    """-> ids, stress, end in frames, word; pauses in a row become one, empty phones are dropped"""
    out = []
    for name, end, word, stress in rows:
        e = min(int(round(end / STEP)), frames)
        row = [ph.PHONE_ID[name], int(name in ph.VOWELS and stress > 0), e,
               -1 if name == ph.PAUSE else word]
        if out and row[0] == out[-1][0] == 0:
            out[-1][2] = e
        elif e > (out[-1][2] if out else 0):
            out.append(row)
    out[-1][2] = frames
    return [np.array(column) for column in zip(*out)]


def utterance(record, voice, audio):
    text, tracks, rows = record
    u = Utterance(text, voice, *phone_table(rows, len(tracks)), f0=tracks[:, 0].copy(),
                  energy=tracks[:, 1].copy())
    if audio:
        u.bands = envelope.from_cepstrum(tracks[:, 1:26])
        u.strengths = np.clip(tracks[:, 26:], 0, 1)
    return trim(u)
