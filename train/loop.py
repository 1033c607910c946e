"""The training loop of both models: one cosine over a given budget, averaged weights, reports, and
checkpoints from which an interrupted run goes on as if nothing had happened.

A task brings what is particular:
    model, helpers        modules; the helpers are trained too and dropped at export
    rate, clip            greatest learning rate; greatest norm of the gradient
    optimizer(parameters) -> optimizer
    step(done)            -> loss, {name: figure}; done is the share of the budget that is used
    validate(model)       -> {name: figure}
    state(), restore(s)   random numbers and whatever else the task goes on with
    about                 what export must know, kept in the checkpoint
"""
import contextlib
import copy
import dataclasses
import json
import os
import signal
import sys
import time

import numpy as np
import torch

KEEP = 0.999                        # of the averaged weights, a step
WARM, LAST = 0.02, 0.02             # share of the budget to warm up; last share of the rate


@dataclasses.dataclass(frozen=True)
class Budget:
    """Either steps or minutes of the clock, added up over all resumed runs."""
    steps: int = 0
    minutes: float = 0.0

    def done(self, steps, seconds):
        part = steps / self.steps if self.steps else seconds / 60 / self.minutes
        return min(1.0, part)


def rate_at(done):
    """share of the greatest learning rate"""
    return min(1.0, done / WARM + 0.02) * (LAST + (1 - LAST) * 0.5 * (1 + np.cos(np.pi * done)))


class Run:
    """path: the checkpoint, PATH.jsonl the log. reports: how many in the whole budget."""

    def __init__(self, task, path, budget, reports=40, save_minutes=5.0):
        self.task, self.path, self.budget = task, path, budget
        self.reports, self.save_seconds = reports, save_minutes * 60
        self.average = copy.deepcopy(task.model).requires_grad_(False)
        parts = list(task.model.parameters()) + list(task.helpers.parameters())
        self.parameters = [w for w in parts if w.requires_grad]
        self.optimizer = task.optimizer(self.parameters)
        self.step, self.seconds, self.reported = 0, 0.0, 0
        self.figures = {}           # name: (sum, count) since the last report
        self.stopped = False
        if os.path.exists(path):
            self._restore()

    # ---- checkpoints ----

    def save(self):
        state = dict(
            model=self.task.model.state_dict(), helpers=self.task.helpers.state_dict(),
            average=self.average.state_dict(), optimizer=self.optimizer.state_dict(),
            task=self.task.state(), about=self.task.about, torch=torch.get_rng_state(),
            step=self.step, seconds=self.seconds, reported=self.reported,
            figures=self.figures)
        torch.save(state, self.path + ".part")
        os.replace(self.path + ".part", self.path)

    def _restore(self):
        state = torch.load(self.path, weights_only=False)
        if state["about"] != self.task.about:
            raise SystemExit("%s is of another size or layout: %s, now %s"
                             % (self.path, state["about"], self.task.about))
        self.task.model.load_state_dict(state["model"])
        self.task.helpers.load_state_dict(state["helpers"])
        self.average.load_state_dict(state["average"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.task.restore(state["task"])
        torch.set_rng_state(state["torch"])
        for name in ("step", "seconds", "reported", "figures"):
            setattr(self, name, state[name])
        self._cut_log()

    def _cut_log(self):
        """Lines behind the checkpoint are of steps that will be made again."""
        path = self.path + ".jsonl"
        if os.path.exists(path):
            with open(path) as f:
                lines = [line for line in f if line.endswith("\n")]
            with open(path + ".part", "w") as f:
                f.writelines(x for x in lines if json.loads(x)["step"] <= self.step)
            os.replace(path + ".part", path)

    # ---- reports ----

    def _report(self, done):
        row = dict(step=self.step, minutes=round(self.seconds / 60, 2), done=round(done, 4),
                   rate=self.optimizer.param_groups[0]["lr"])
        row.update(("train." + k, v / n) for k, (v, n) in self.figures.items())
        with torch.no_grad():
            figures = self.task.validate(self.average)
        row.update(("valid." + k, float(v)) for k, v in figures.items())
        self.figures = {}
        with open(self.path + ".jsonl", "a") as f:
            f.write(json.dumps(row) + "\n")
        text = " ".join("%s %.3f" % (k, v) for k, v in row.items() if "." in k)
        print("%sstep %d, %.1f min: %s" % ("\r" if sys.stderr.isatty() else "", self.step,
                                           self.seconds / 60, text), flush=True)

    def _progress(self, done, loss):
        if sys.stderr.isatty():
            left = self.seconds * (1 - done) / done / 60 if done else 0
            print("\r%3.0f %%  step %d  loss %.3f  %.1f min, %.0f to go   "
                  % (100 * done, self.step, loss, self.seconds / 60, left),
                  end="", file=sys.stderr, flush=True)

    # ---- the loop ----

    def _one(self, done):
        for group in self.optimizer.param_groups:
            group["lr"] = self.task.rate * rate_at(done)
        loss, figures = self.task.step(done)
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, self.task.clip)
        self.optimizer.step()
        self.step += 1
        keep = min(KEEP, self.step / (self.step + 20.0))
        with torch.no_grad():
            torch._foreach_lerp_(list(self.average.parameters()),
                                 [w.data for w in self.task.model.parameters()], 1 - keep)
        for name, value in figures.items():
            before, count = self.figures.get(name, (0.0, 0))
            self.figures[name] = before + float(value), count + 1
        return loss.item()

    def run(self):
        """-> True when the budget is used up, False when a signal ended it; both are saved"""
        saved = last = time.time()
        with self._signals():
            while (done := self.budget.done(self.step, self.seconds)) < 1 and not self.stopped:
                loss = self._one(done)
                now = time.time()
                self.seconds, last = self.seconds + now - last, now
                done = self.budget.done(self.step, self.seconds)
                self._progress(done, loss)
                if done * self.reports >= self.reported + 1 or done >= 1:
                    self.reported = int(done * self.reports)
                    self._report(done)
                if now - saved >= self.save_seconds:
                    self.save()
                    saved = now
        self.save()
        return not self.stopped

    @contextlib.contextmanager
    def _signals(self):
        """A first interrupt ends the run after its step."""
        def stop(*_):
            self.stopped = True
        before = {s: signal.signal(s, stop) for s in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for s, handler in before.items():
                signal.signal(s, handler)


def options(parser):
    """Options that both entry points have."""
    parser.add_argument("work", help="folder with the data; the checkpoint is written there")
    parser.add_argument("--minutes", type=float, default=60.0, help="of the clock, in all")
    parser.add_argument("--steps", type=int, default=0, help="instead of --minutes")
    parser.add_argument("--save-minutes", type=float, default=5.0)
    parser.add_argument("--reports", type=int, default=40)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--size", nargs="*", default=[], metavar="NAME=VALUE")
    parser.add_argument("--start", help="a checkpoint of the same size whose weights to begin with")


def resized(size, words):
    """["width=192", "talker.layers=5"] put into a dataclass of sizes"""
    for word in words:
        name, _, value = word.partition("=")
        first, _, rest = name.partition(".")
        old = getattr(size, first)
        new = resized(old, [rest + "=" + value]) if rest else type(old)(float(value))
        size = dataclasses.replace(size, **{first: new})
    return size


def start(task, a, name):
    """The run that the options ask for; prints what it is about."""
    if a.start:
        begin = torch.load(a.start, weights_only=False)
        task.model.load_state_dict(begin["average"])
        if "helpers" in begin:      # a packed voice has none
            task.helpers.load_state_dict(begin["helpers"])
    budget = Budget(steps=a.steps) if a.steps else Budget(minutes=a.minutes)
    run = Run(task, os.path.join(a.work, name), budget, a.reports, a.save_minutes)
    count = sum(w.numel() for w in task.model.parameters())
    print("%s: %.2f M parameters, step %d" % (name, count / 1e6, run.step), flush=True)
    return run
