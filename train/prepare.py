"""The teachers' speech -> the data sets of both models, and the tokenizer.

usage: python3 -m train.prepare WORK [--merges N] [--frames N]
reads WORK/corpus/*.jsonl and WORK/speech/*.npz; writes WORK/tokenizer, WORK/talker, talker-valid,
spelling, decoder, decoder-valid (dataset.py), each once: what is there is left alone
"""
import argparse
import collections
import dataclasses
import glob
import os
import sys
import unicodedata

import numpy as np

from train import dataset, readings, vary
from train.audio import render
from train.codes import encode, symbols
from train.corpus import sentence
from train.letters import Letters, letters_of, spread
from train.model import layout
from train.model.tokenizer import Tokenizer, learn
from train.teacher import phones as ph
from train.teacher import speak
from train.teacher.utterance import STEPS, UNITS, Utterance

VALID_EVERY, VALID_MOST = 100, 160
FEATURES = 4 * (40 + 1 + 5 + 10)    # in a quarter of a frame: bands, whether voiced, strengths
TOKENIZER_LINES = 40000


class Speech:
    """All utterances of a work folder, with their sentences."""

    def __init__(self, work):
        self.shards, self.rows = collections.defaultdict(list), {}
        for speaker in layout.SPEAKERS:
            for language in layout.LANGUAGES:
                name = speaker + "-" + language
                self.shards[name] = sorted(glob.glob(os.path.join(work, "speech",
                                                                  name + "-[0-9]*.npz")))
        for language in layout.LANGUAGES:
            with open(os.path.join(work, "corpus", language + ".jsonl"), encoding="utf-8") as f:
                for line in f:
                    row = sentence.load(line)
                    self.rows[row["id"]] = row["tokens"]

    def of(self, voice):
        """yields (tokens, utterance)"""
        for path in self.shards[voice]:
            for name, arrays in speak.load(path):
                wide = {k: v.astype(np.float32 if v.dtype.kind == "f" else np.int64)
                        for k, v in arrays.items()}
                tokens = self.rows[name]
                yield tokens, Utterance(sentence.spoken(tokens), voice, **wide)

    def all(self):
        """yields (speaker, language, tokens, utterance)"""
        for voice in self.shards:
            speaker, _, language = voice.partition("-")
            for tokens, u in self.of(voice):
                yield speaker, language, tokens, u


def plain(text):
    return "".join(c.lower() for c in text if c.isalnum())


def by_token(tokens, u):
    """Numbers of the phones of each token of a sentence."""
    owners, out = sentence.owners(tokens), collections.defaultdict(list)
    for i, (phone, word) in enumerate(zip(u.phone, u.word)):
        if ph.SAID[phone] and 0 <= word < len(owners):
            out[owners[word]].append(i)
    return out


def pronunciations(rows):
    """[(tokens, reading)] -> Letters, learnt from the tokens that are said as typed"""
    words = {}
    for tokens, u in rows:
        for k, ids in by_token(tokens, u).items():
            typed, said = tokens[k]
            if plain(typed) and plain(typed) == plain(said):
                words[tuple(letters_of(typed)[1]), tuple(u.phone[ids].tolist())] = None
    return Letters(list(words))


def characters(tokens, u, letters):
    """[P] for each phone the character of the typed text it belongs to; pauses: the one after"""
    starts, at = [], 0
    for typed, _ in tokens:
        starts.append(at)
        at += len(typed) + 1
    out = np.full(len(u.phone), -1)
    for k, ids in by_token(tokens, u).items():
        typed, said = tokens[k]
        where, small = letters_of(typed)
        if small and plain(typed) == plain(said):
            own = [where[i] for i in letters.align(small, u.phone[ids].tolist())]
        else:
            own = spread(len(typed), len(ids))
        out[ids] = starts[k] + np.array(own)
    following = at - 2
    for i in range(len(out) - 1, -1, -1):
        following = out[i] = out[i] if out[i] >= 0 else following
    return out


def composed(tokens):
    return [(unicodedata.normalize("NFC", t), s) for t, s in tokens]


def silence_before(u, frames):
    """The utterance with as many silent frames before it, as its first step is."""
    def more(x, value=None):
        first = x[:1] if value is None else np.full_like(x[:1], value)
        return np.concatenate([np.repeat(first, frames * STEPS, 0), x])
    return dataclasses.replace(u, end=u.end + frames * UNITS, f0=more(u.f0, 0),
                               energy=more(u.energy), bands=more(u.bands),
                               strengths=more(u.strengths, 0))


def low_features(u):
    voiced = (u.f0 > 0).astype(np.float32)[:, None]
    rows = [(u.bands - 4) / 2, voiced, u.strengths * voiced,
            render.beats(u).reshape(len(voiced), -1)]
    return np.concatenate(rows, 1).reshape(-1, FEATURES)


SETS = (("", False), ("-valid", True))


def write(work, name, kinds, items, valid_of, sets=SETS):
    """items(valid): yields arrays; two data sets, one for validation, if they are not there."""
    for suffix, valid in sets:
        folder = os.path.join(work, name + suffix)
        if os.path.exists(os.path.join(folder, "index.npz")):
            continue
        with dataset.Writer(folder, kinds) as out:
            count = 0
            for arrays in items(valid, valid_of):
                out.add(**arrays)
                count += 1
                if sys.stderr.isatty() and count % 100 == 0:
                    print("\r%s: %d " % (name + suffix, count), end="", file=sys.stderr)
        print("%s: %d sentences" % (name + suffix, count), flush=True)


class Items:
    def __init__(self, work, speech, frames):
        self.speech, self.frames = speech, frames
        self.read = {name: list(readings.of(work, name)) for name in layout.LANGUAGES}
        self.letters = {name: pronunciations(rows) for name, rows in self.read.items()}
        self.work = work

    def kept(self, valid, every):
        """Every so many sentences of a voice are kept out of training."""
        number = collections.Counter()
        for speaker, language, tokens, u in self.speech.all():
            number[u.voice] += 1
            kept = number[u.voice] % every == 0
            if kept and valid and number[u.voice] > every * VALID_MOST // len(self.speech.shards):
                continue
            if kept == valid and 2 <= u.frames() <= self.frames:
                yield speaker, language, composed(tokens), u

    def talker(self, valid, every):
        for speaker, language, tokens, u in self.kept(valid, every):
            codes, last = encode(u, speaker, language)
            arrays, where = self.spelt(language, tokens, u)
            yield dict(arrays, codes=codes, reads=where[last])

    def spelt(self, language, tokens, u):
        """-> text, phones and letters of a sentence; for all its phones the character"""
        text, where = sentence.typed(tokens), characters(tokens, u, self.letters[language])
        said = np.array(ph.SAID)[u.phone]
        return dict(text=np.frombuffer(text.encode(), np.uint8), phones=symbols(u)[said],
                    letters=where[said]), where

    def spelling(self, *_):
        """Every line of the corpus, without speech, but the talker's validation set: for the
        talker's lessons in spelling. One silent frame names a voice of the language."""
        valid = dataset.Dataset(os.path.join(self.work, "talker-valid"))
        kept = {valid.text(i) for i in range(len(valid))}
        for language, rows in self.read.items():
            for i, (tokens, u) in enumerate(rows):
                if sentence.typed(composed(tokens)) in kept:
                    continue
                arrays, _ = self.spelt(language, composed(tokens), u)
                frame = np.zeros((1, layout.COUNT), np.uint8)
                frame[0, layout.INDEX["voice"]] = layout.voice_code(
                    layout.SPEAKERS[i % len(layout.SPEAKERS)], language)
                yield dict(arrays, codes=frame, reads=np.zeros(1))

    def decoder(self, valid, every):
        rng = np.random.RandomState(0)
        for speaker, language, _, spoken in self.kept(valid, every):
            if spoken.bands is None:
                continue
            for u in [spoken] if valid else vary.variants(spoken, rng):
                codes, _ = encode(u, speaker, language)
                lead = np.tile(layout.silent_before(codes[0]), (layout.LEAD, 1))
                u = silence_before(u, layout.LEAD)
                yield dict(codes=np.concatenate([lead, codes]), audio=render.render(u),
                           low=low_features(u))


def make_tokenizer(work, speech, merges):
    folder = os.path.join(work, "tokenizer")
    if os.path.exists(os.path.join(folder, "tokenizer_config.json")):
        return
    rows = list(speech.rows.values())
    step = max(1, len(rows) // TOKENIZER_LINES)
    Tokenizer(learn((sentence.typed(t) for t in rows[::step]), merges)).save(folder)
    print("tokenizer: %d merges of %d lines" % (merges, len(rows[::step])), flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("work")
    p.add_argument("--merges", type=int, default=384)
    p.add_argument("--frames", type=int, default=220, help="longer sentences are left out")
    p.add_argument("--valid-every", type=int, default=VALID_EVERY)
    p.add_argument("--sets", nargs="*", default=["talker", "spelling", "decoder"])
    a = p.parse_args()
    speech = Speech(a.work)
    make_tokenizer(a.work, speech, a.merges)
    items = Items(a.work, speech, a.frames)
    for name, kinds, make, sets in (
            ("talker", dataset.TALKER, items.talker, SETS),
            ("spelling", dataset.TALKER, items.spelling, SETS[:1]),
            ("decoder", dataset.decoder_kinds(FEATURES), items.decoder, SETS)):
        if name in a.sets:
            write(a.work, name, kinds, make, a.valid_every, sets)


if __name__ == "__main__":
    main()
