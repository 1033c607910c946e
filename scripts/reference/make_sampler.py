#!/usr/bin/env python3
"""Makes tests/data/sampler: logits before and after the official logits processors.

usage: make_sampler.py --data tests/data

The processors are those that `generate` of the package puts together, in its order: repetition
penalty, minimum of new tokens, suppressed ids, temperature, top-k, top-p. Logits are multiples of
1/8 where ties are wanted, so that equal values stay equal.
"""
import argparse
import json
import os

import numpy as np
import torch
from transformers.generation import logits_process as lp

# vocabulary, size of its suppressed end, end of speech (None: code predictor)
SHAPES = ((1152, 1024, 1090), (1188, 1024, 1100), (3072, 1024, 2150), (128, 0, None),
          (164, 0, None))
TEMPERATURES = (1.0, 0.9, 0.25, 3.0)
TOP_K = (0, 1, 7, 50, 5000)
TOP_P = (1.0, 0.95, 0.5, 0.01)
PENALTIES = (1.0, 1.05, 1.7, 0.8)


def processors(case):
    out = lp.LogitsProcessorList()
    if case["penalty"] != 1.0:
        out.append(lp.RepetitionPenaltyLogitsProcessor(penalty=case["penalty"]))
    if case["eos"] is not None:
        out.append(lp.MinNewTokensLengthLogitsProcessor(0, case["min_new"], case["eos"]))
    if case["suppress"]:
        lo, hi = case["suppress"]
        out.append(lp.SuppressTokensLogitsProcessor(
            [i for i in range(lo, hi) if i != case["eos"]]))
    if case["temperature"] != 1.0:
        out.append(lp.TemperatureLogitsWarper(case["temperature"]))
    if case["top_k"]:
        out.append(lp.TopKLogitsWarper(case["top_k"]))
    if case["top_p"] < 1.0:
        out.append(lp.TopPLogitsWarper(case["top_p"]))
    return out


DEFAULT = {"penalty": 1.05, "temperature": 0.9, "top_k": 50, "top_p": 1.0}


def draw_case(n, rng):
    vocab, top, eos = SHAPES[n % len(SHAPES)]
    talker = eos is not None
    history = rng.integers(0, vocab - top, int(rng.integers(0, 40))).tolist()
    if n % 4 == 1:
        history = history[:n % 3] if n % 8 == 1 else history + history[:5] * 3
    case = {"vocab": vocab, "eos": eos, "min_new": 2 if talker else 0,
            "suppress": [vocab - top, vocab] if talker else None,
            "history": history if talker else [], **DEFAULT}
    if n >= 2 * len(SHAPES):
        case.update(temperature=float(rng.choice(TEMPERATURES)), top_k=int(rng.choice(TOP_K)),
                    top_p=float(rng.choice(TOP_P)),
                    penalty=float(rng.choice(PENALTIES)) if talker else 1.0)
    if not talker:
        case["penalty"] = 1.0
    x = rng.standard_normal(vocab).astype(np.float32) * 2
    if n % 2 == 0:
        x = np.round(x * 8) / np.float32(8)
    return case, x


def clear(case, x, y):
    """Whether top-p cuts nowhere near its threshold and never between equal values."""
    if case["top_p"] >= 1.0:
        return True
    z = processors({**case, "top_p": 1.0})(torch.tensor([case["history"]], dtype=torch.long),
                                           torch.from_numpy(x)[None].clone())[0].double()
    order = z.sort(stable=True)
    distance = (torch.softmax(order.values, -1).cumsum(-1) - (1 - case["top_p"])).abs().min()
    cut = np.isfinite(z.numpy()) & ~np.isfinite(y)
    return distance > 1e-5 and not np.isin(z.numpy()[cut], z.numpy()[np.isfinite(y)]).any()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--data", required=True)
    folder = os.path.join(ap.parse_args().data, "sampler")
    os.makedirs(folder, exist_ok=True)
    before, after, listed, at = [], [], [], 0
    rng = np.random.default_rng(5)
    for n in range(150):
        case, x = draw_case(n, rng)
        tensor = torch.from_numpy(x)[None].clone()
        # the processors see the sampled ids alone: the prompt went in as embeddings
        ids = torch.tensor([case["history"]], dtype=torch.long)
        y = processors(case)(ids, tensor)[0].numpy()
        if not clear(case, x, y):
            continue
        probability = torch.softmax(torch.from_numpy(y.astype(np.float64)), -1).numpy()
        before.append(x)
        after.append(y)
        listed.append({**case, "offset": at, "left": int(np.isfinite(y).sum()),
                       "argmax": int(y.argmax()),
                       "max_probability": round(float(probability.max()), 6)})
        at += case["vocab"]
    np.save(os.path.join(folder, "before.npy"), np.concatenate(before))
    np.save(os.path.join(folder, "after.npy"), np.concatenate(after))
    with open(os.path.join(folder, "cases.json"), "w") as f:
        f.write('{"format":"kazeia-sampler","version":1,"cases":[\n')
        f.write(",\n".join(json.dumps(c, separators=(",", ":")) for c in listed))
        f.write("\n]}\n")


if __name__ == "__main__":
    main()
