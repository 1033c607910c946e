"""Trains the speech decoder: codes -> 24 kHz sound.

usage: python3 -m train.decoder WORK [--minutes N] [--finish SHARE] ...
reads WORK/decoder and WORK/decoder-valid (dataset.py), writes WORK/decoder.pt and decoder.pt.jsonl

Each step takes one batch with sound; every other step also takes a larger, cheap batch through the
part at 12.5 to 50 Hz alone, which a head must turn into the teacher's spectra and pulses. The first
share of the run has such batches only. With --finish the last share of the run also has judges
(model/discriminator.py).
"""
import argparse
import dataclasses
import os

import numpy as np
import torch

from train import loop, spectra
from train.dataset import Dataset
from train.model import layout
from train.model.codec import CodecSize, Decoder
from train.model.discriminator import Discriminator, judge_loss, maker_loss

LOW_ROWS = 4                        # rows of the low-rate part in a frame
VALID_SEGMENTS = 96
EDGE = 0.08                         # share of the segments that are a sentence's beginning


class DecoderTask:
    clip = 5.0

    def __init__(self, train, valid, size, a):
        self.data, self.valid, self.size = train, valid, size
        self.segment, self.low_segment = a.segment, a.low_segment
        self.batch, self.low_batch, self.rate = a.batch, a.low_batch, a.rate
        self.low_first, self.finish, self.steps = a.low_first, a.finish, 0
        self.rng = np.random.RandomState(a.seed)
        self.model = Decoder(size)
        features = train.data["low"].shape[1]
        self.helpers = torch.nn.ModuleDict(
            {"low": torch.nn.Linear(size.latent, features)} if features else {})
        self.about = dict(decoder=dataclasses.asdict(size), codes=layout.CODES)
        self.judge = Discriminator()
        self.judge_optimizer = torch.optim.Adam(self.judge.parameters(), 5e-4, betas=(0.8, 0.98))
        frames, bank = train.lengths("codes"), spectra.mel_bank()
        self.with_sound = np.nonzero((train.lengths("audio") > 0) & (frames > a.segment))[0]
        self.with_low = np.nonzero((train.lengths("low") > 0) & (frames >= a.low_segment))[0]
        self.bank = bank
        if not len(self.with_sound):
            raise SystemExit("no sentence with sound has more than %d frames" % a.segment)
        self.places = [(i, at) for i, count in enumerate(valid.lengths("codes"))
                       for at in range(0, count - a.segment + 1, a.segment)]
        if len(self.places) < a.batch:
            raise SystemExit("the sentences kept for validation have %d segments of %d frames; "
                             "needed are %d" % (len(self.places), a.segment, a.batch))

    def optimizer(self, parameters):
        return torch.optim.Adam(parameters, lr=self.rate, betas=(0.8, 0.98))

    def state(self):
        return dict(rng=self.rng.get_state(), steps=self.steps, judge=self.judge.state_dict(),
                    judge_optimizer=self.judge_optimizer.state_dict())

    def restore(self, state):
        self.rng.set_state(state["rng"])
        self.steps = state["steps"]
        self.judge.load_state_dict(state["judge"])
        self.judge_optimizer.load_state_dict(state["judge_optimizer"])

    def cut(self, name, pick, count, length, rows):
        """random segments -> codes [count, 16, length], arrays [count, length * rows, ...]"""
        codes, target = [], []
        for _ in range(count):
            i = pick[self.rng.randint(len(pick))]
            last = self.data.ends["codes"][i + 1] - self.data.ends["codes"][i] - length
            a = 0 if self.rng.rand() < EDGE else self.rng.randint(0, last + 1)
            codes.append(self.data.get("codes", i, a, a + length))
            target.append(self.data.get(name, i, a * rows, (a + length) * rows))
        return (torch.tensor(np.stack(codes)).long().transpose(1, 2),
                torch.tensor(np.stack(target)).float())

    def step(self, done):
        loss, figures = 0.0, {}
        with_sound = done >= self.low_first
        if with_sound:
            codes, real = self.cut("audio", self.with_sound, self.batch, self.segment, layout.FRAME)
            # The first frame lacks its history.
            made, real = self.model(codes)[:, layout.FRAME:], real[:, layout.FRAME:]
            loss = spectra.sound_loss(made, real, spectra.SIZES)
            figures["sound"] = loss.item()
            if self.finish and done >= 1 - self.finish:
                loss = loss + self.judged(made, real, figures)
        self.steps += 1
        if self.helpers and len(self.with_low) and not (with_sound and self.steps % 2):
            codes, target = self.cut("low", self.with_low, self.low_batch, self.low_segment,
                                     LOW_ROWS)
            rows = self.helpers["low"](self.model.low_rate(codes).transpose(1, 2))
            low = (rows - target).abs().mean()
            figures["low"] = low.item()
            loss = loss + (8 if with_sound else 4) * low
        return loss, figures

    def judged(self, made, real, figures):
        """Teaches the judges, then -> what the decoder is to learn from them."""
        judge = judge_loss(self.judge(real), self.judge(made.detach()))
        self.judge_optimizer.zero_grad()
        judge.backward()
        self.judge_optimizer.step()
        self.judge.requires_grad_(False)
        fool, match = maker_loss(self.judge(real), self.judge(made))
        self.judge.requires_grad_(True)
        figures.update(judge=judge.item(), fool=fool.item(), match=match.item())
        return 0.2 * fool + match

    def validate(self, model):
        """mean distance of log-mel spectra (nepers), signal to noise (dB)"""
        out, n = [], self.segment
        places = self.places[::max(1, len(self.places) // VALID_SEGMENTS)]     # of all voices
        # In batches of the shape of training: of each new shape the first run takes seconds.
        for k in range(0, len(places) - self.batch + 1, self.batch):
            part = places[k:k + self.batch]
            codes = np.stack([self.valid.get("codes", i, a, a + n) for i, a in part])
            real = np.stack([self.valid.get("audio", i, a * layout.FRAME, (a + n) * layout.FRAME)
                             for i, a in part])
            made = model(torch.tensor(codes).long().transpose(1, 2))[:, layout.FRAME:]
            real = torch.tensor(real).float()[:, layout.FRAME:]
            mel = (spectra.log_mel(made, self.bank) - spectra.log_mel(real, self.bank)).abs().mean()
            out.append((mel, 10 * torch.log10((real ** 2).sum() / ((real - made) ** 2).sum())))
        return dict(zip(("log-mel", "snr"), np.mean(out, 0)))


def options():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    loop.options(p)
    p.add_argument("--rate", type=float, default=2e-3)
    p.add_argument("--batch", type=int, default=3)
    p.add_argument("--low-batch", type=int, default=12)
    p.add_argument("--segment", type=int, default=12, help="frames of an example with sound")
    p.add_argument("--low-segment", type=int, default=32, help="frames of one without")
    p.add_argument("--low-first", type=float, default=0.08,
                   help="first share of the run with the part at 12.5 to 50 Hz alone")
    p.add_argument("--finish", type=float, default=0.0, help="last share of the run with judges")
    return p


def make(a):
    torch.set_num_threads(a.threads)
    torch.manual_seed(a.seed)
    data = [Dataset(os.path.join(a.work, name)) for name in ("decoder", "decoder-valid")]
    return loop.start(DecoderTask(*data, loop.resized(CodecSize(), a.size), a), a, "decoder.pt")


if __name__ == "__main__":
    make(options().parse_args()).run()
