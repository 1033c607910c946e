"""Trains the talker and the code predictor: text -> codes.

usage: python3 -m train.talker WORK [--minutes N] ...
reads WORK/talker, talker-valid, spelling (dataset.py) and tokenizer, writes WORK/talker.pt and
talker.pt.jsonl

Beside the codes' cross-entropy there are three helpers, all dropped at export:
  guide   four heads of some layers are pushed to the letter that is read, to the token after it,
          to the end of its word and to that of the next;
  ahead   the hidden state must also name the codes of what comes next, in every frame (the
          predictor sees only a part of the frames);
  spell   after two layers the rows of tokens must name the phones of their letters, and at the end
          of a word those of the word. A batch of text alone goes through these two layers, which is
          cheap: in the first share of the run there are only such batches, later one every other
          step.
"""
import argparse
import dataclasses
import os

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from train import loop
from train.dataset import Dataset
from train.model import layout
from train.model.talker import Talker, TalkerSize
from train.model.tokenizer import Tokenizer
from train.reader import NOTHING, OF_TOKEN, OF_WORD
from train.talker_batch import Maker

GUIDED, GUIDES, SPELL_LAYERS = (1, 2, 3), 4, 2
SHOWN_WRONG = 0.03                  # share of the codes that the predictor sees wrong
VALID_BATCH = 16
SPELL_PARTS = (("token", OF_TOKEN), ("word", OF_WORD))


class TalkerTask:
    clip = 1.0

    def __init__(self, train, valid, texts, tok, size, a):
        self.tok, self.valid, self.batch, self.rate = tok, valid, a.batch, a.rate
        self.wrong, self.live, self.steps, self.quick = a.wrong, a.live, 0, a.quick
        self.spell_first = a.spell_first
        self.rng = np.random.RandomState(a.seed)
        self.maker = Maker(train, texts, tok, self.rng)
        self.model, n = Talker(size), size.talker.hidden
        self.guided = [i for i in GUIDED if i < size.talker.layers]
        self.helpers = nn.ModuleDict({
            "ahead": nn.Linear(n, len(layout.AHEAD) * layout.CODES),
            **{name: nn.Linear(n, slots * (NOTHING + 1)) for name, slots in SPELL_PARTS}})
        self.about = dict(talker=dataclasses.asdict(size), codes=layout.CODES)

    def optimizer(self, parameters):
        return torch.optim.AdamW(parameters, lr=self.rate, betas=(0.9, 0.98), weight_decay=0.02)

    def state(self):
        return dict(rng=self.rng.get_state(), order=self.maker.order, steps=self.steps)

    def restore(self, state):
        self.rng.set_state(state["rng"])
        self.maker.order, self.steps = state["order"], state["steps"]

    # ---- losses ----

    def spell_loss(self, x, b):
        loss = 0.0
        for name, _ in SPELL_PARTS:
            at, phones = getattr(b, name + "_rows"), getattr(b, name + "_phones")
            logits = self.helpers[name](x[at[:, 0], at[:, 1]])
            loss = loss + F.cross_entropy(logits.view(-1, NOTHING + 1), phones.reshape(-1).long())
        return loss

    def through_layers(self, m, x, b):
        """-> hidden rows, guide loss, how much the first head looks at its letter, spelling"""
        turn, g = m.model.turn(0, x.shape[1]), b.guide
        future = torch.arange(x.shape[1])[None, None] > g[:, 1, None, None]
        guide, looks, spell = 0.0, 0.0, 0.0
        for i, layer in enumerate(m.model.layers):
            x, scores = layer(x, turn, watch=GUIDES if i in self.guided else 0)
            if scores is not None:
                p = scores[g[:, 0], :, g[:, 1]].masked_fill(future, -1e9).log_softmax(-1)
                p = p.gather(2, g[:, 2:2 + p.shape[1], None])[..., 0]
                guide = guide - p.clamp(min=-8).mean() / len(self.guided)
                looks = looks + p[:, 0].exp().mean().item() / len(self.guided)
            if i == SPELL_LAYERS - 1:
                spell = self.spell_loss(x, b)
        return m.model.norm(x), guide, looks, spell

    def rest_loss(self, m, hidden, codes, share, vary):
        """The code predictor on a share of the frames -> loss, share right in each group"""
        part = torch.randperm(len(codes))[:max(16, int(len(codes) * share))]
        hidden, codes = hidden[part], codes[part]
        shown = codes
        if vary:
            other = self.maker.pool[self.rng.randint(len(self.maker.pool), size=len(codes))]
            wrong = torch.rand(codes.shape) < SHOWN_WRONG
            shown = torch.where(wrong, torch.as_tensor(other), codes)
        logits = m.predict(hidden, shown)
        loss = F.cross_entropy(logits.transpose(1, 2), codes[:, 1:], reduction="none").sum(1).mean()
        return loss, (logits.argmax(-1) == codes[:, 1:]).float().mean(0)

    def losses(self, m, b, share, vary):
        """-> loss, figures; share: of the frames that the code predictor is trained on"""
        x = m.prompt_rows(b.text, b.codec)
        x = x.index_put((b.where[:, 0], b.where[:, 1]), m.code_rows(b.heard), accumulate=True)
        h, guide, looks, spell = self.through_layers(m, x, b)
        rows = h[b.where[:, 0], b.where[:, 1] - 1]
        last = h[b.ends[:, 0], b.ends[:, 1]]
        logits = m.codec_head(torch.cat([rows, last]))
        target = torch.cat([b.codes[:, 0], torch.full((len(last),), layout.CONTROL["eos"])])
        first = F.cross_entropy(logits, target)
        ahead = F.cross_entropy(self.helpers["ahead"](rows).view(-1, layout.CODES),
                                b.codes[:, layout.AHEAD].reshape(-1))
        rest, right = self.rest_loss(m, rows, b.codes, share, vary)
        figures = dict(first=first.item(), rest=rest.item(), ahead=ahead.item(), guide=float(guide),
                       spell=float(spell), looks=looks,
                       now=(logits.argmax(-1) == target).float().mean().item())
        figures.update((name, right[layout.INDEX[name] - 1].item())
                       for name in ("hold", "next", "after", "third", "pitch", "loud1"))
        return first + 0.25 * rest + 0.5 * guide + 0.3 * spell + ahead, figures

    def text_loss(self):
        b = self.maker.text_only(self.maker.some_text(3 * self.batch))
        x, m = self.model.prompt_rows(b.text, b.codec), self.model.model
        turn = m.turn(0, x.shape[1])
        for layer in m.layers[:SPELL_LAYERS]:
            x, _ = layer(x, turn)
        return self.spell_loss(x, b)

    # ---- the loop's ----

    def step(self, done):
        with torch.autocast("cpu", torch.bfloat16, enabled=self.quick):
            return self._step(done)

    def _step(self, done):
        if done < self.spell_first:
            loss = self.text_loss()
            return loss, dict(text=loss.item())
        wrong = self.wrong * min(1.0, 0.3 + 2 * done)
        b = self.maker.speech(self.maker.draw(self.batch), wrong, self.live)
        loss, figures = self.losses(self.model, b, 0.25 + 0.65 * done, True)
        if self.steps % 2:
            loss = loss + self.text_loss()
        self.steps += 1
        return loss, figures

    def validate(self, model):
        """Each figure for whole text, the main ones for live text, and with a wrong history."""
        out, kept = {}, torch.get_rng_state()
        few = ("first", "now", "next", "third", "looks")
        for name, live, wrong, wanted in (("", False, 0.0, None), ("live-", True, 0.0, few),
                                          ("wrong-", False, self.wrong, few)):
            seen = []
            for i in range(0, len(self.valid), VALID_BATCH):
                picks = list(range(i, min(i + VALID_BATCH, len(self.valid))))
                seen.append(self.losses(model, self.maker.plain(self.valid, picks, live, wrong),
                                        1.0, False)[1])
            names = wanted or seen[0]
            out.update((name + n, np.mean([s[n] for s in seen])) for n in names)
        torch.set_rng_state(kept)
        return out


def options():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    loop.options(p)
    p.add_argument("--rate", type=float, default=2e-3)
    p.add_argument("--batch", type=int, default=16)
    p.add_argument("--wrong", type=float, default=0.12, help="corruption of the history, at most")
    p.add_argument("--live", type=float, default=0.4, help="share of sentences with live text")
    p.add_argument("--spell-first", type=float, default=0.2,
                   help="first share of the run with text alone")
    p.add_argument("--quick", action="store_true",
                   help="products in bfloat16, layers compiled: half as long again without")
    return p


def make(a):
    torch.set_num_threads(a.threads)
    torch.manual_seed(a.seed)
    data = [Dataset(os.path.join(a.work, name)) for name in ("talker", "talker-valid", "spelling")]
    tok = Tokenizer.load(os.path.join(a.work, "tokenizer"))
    size = loop.resized(TalkerSize(tok.size), a.size)
    task = TalkerTask(*data, tok, size, a)
    run = loop.start(task, a, "talker.pt")
    if a.quick:
        for body in (task.model.model, task.model.code_predictor.model):
            for layer in body.layers:
                layer.compile(dynamic=True)
    return run


if __name__ == "__main__":
    make(options().parse_args()).run()
