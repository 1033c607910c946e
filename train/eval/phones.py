"""Which phones the talker wrote into the codes, against those that the reader of its language says:
the talker's share of what is misheard, without a recogniser.
"""
import os

import numpy as np

from train.codes import PLAIN
from train.eval import engine, sets
from train.eval.heard import progress
from train.eval.listen import distance
from train.model.layout import INDEX
from train.teacher import phones as ph

SETS = ("everyday", "rare")
UNITS = [INDEX[name] for name in ("unit0", "unit1", "now")]


def said(codes):
    """codes [T, 16] -> ids of the phones, without silence, gaps and stress"""
    units = codes[:, UNITS].reshape(-1)
    first = np.append(True, units[1:] != units[:-1])
    return [int(p) for p in PLAIN[units[first]] if p >= 0 and ph.SAID[p]]


def codes_of(voice, sentence, speaker, seed):
    path = os.path.join(voice.folder, "codes.npy")
    engine.run("say", "-q", "-m", voice.model, "-t", "1", "-v", speaker, "-l", sentence.language,
               "--seed", str(seed), "--codes", path, "-o", os.path.join(voice.folder, "codes.wav"),
               sentence.typed, allowed=(engine.DONE, engine.GUARD))
    return np.load(path)


def one(voice, speaker, sentences, wanted):
    """wanted: the phones of each sentence -> phone error rate, share of sentences without a slip"""
    slips = []
    for i, (s, want) in enumerate(zip(sentences, wanted)):
        progress("phones of %s, %d of %d" % (speaker, i + 1, len(sentences)))
        slips.append(distance(want, said(codes_of(voice, s, speaker, 1 + i))))
    return {"sentences": len(slips), "per": 100 * sum(slips) / sum(map(len, wanted)),
            "whole": 100 * slips.count(0) / len(slips)}


def measure(voice, taught, languages, most):
    out = []
    for language in languages:
        for name in SETS:
            sentences = sets.load(name, language, most)
            if not sentences:
                continue
            wanted = taught.phones(sentences)
            for speaker in voice.speakers:
                out.append(dict(speaker=speaker, language=language, set=name,
                                **one(voice, speaker, sentences, wanted)))
    return out
