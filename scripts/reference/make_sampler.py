"""Processed logits of the official processors -> tests/data/sampler/processors.json.

Run with the Python that has the reference installed (transformers, torch):
    python scripts/reference/make_sampler.py

Nothing is stored that a formula can give: row r, id i has the hash
    h = mix(i * 2654435761 + r * 0x9E3779B9)
    mix(x): x ^= x>>16; x *= 0x7feb352d; x ^= x>>15; x *= 0x846ca68b; x ^= x>>16   (32 bits)
    logit = (h % levels - levels / 2) * step   in float32
(few levels make many ties), and the n-th code of the history is mix(n + 77 * r) % history_ids.
Each case holds its settings, the number of survivors, FNV-1a (64 bits) over the little-endian
float32 bits of the whole processed row, and up to 64 survivors as [id, bits]. `margin` is how near
the sums of top-p come to the limit; cases other than exact ties must stay clear of rounding.
torch.sort promises no order among equal values (it differs between processors), so top-p is run
with a stable sort; the run as it is must leave the same values.
"""
import json
import os

import numpy as np
import torch
from transformers.generation import logits_process as lp

torch.set_num_threads(1)
MASK = 0xFFFFFFFF


def mix(x):
    x &= MASK
    x ^= x >> 16
    x = x * 0x7FEB352D & MASK
    x ^= x >> 15
    x = x * 0x846CA68B & MASK
    return x ^ (x >> 16)


def row(c):
    h = [mix(i * 2654435761 + c["row"] * 0x9E3779B9) for i in range(c["ids"])]
    return np.array([(x % c["levels"] - c["levels"] // 2) * c["step"] for x in h], np.float32)


def history(c):
    ids = [mix(n + 77 * c["row"]) % c["history_ids"] for n in range(c["history"])]
    return ids[-c["window"]:] if c["window"] else ids


def process(c):
    scores = torch.from_numpy(row(c)).unsqueeze(0)
    ids = torch.tensor([history(c)], dtype=torch.long)
    steps = []
    if c["penalty"] != 1:
        steps.append(lp.RepetitionPenaltyLogitsProcessor(penalty=c["penalty"]))
    if c["forbid"] >= 0:
        steps.append(lp.MinNewTokensLengthLogitsProcessor(0, 1 << 30, c["forbid"], device="cpu"))
    if c["suppress"][0] < c["suppress"][1]:
        gone = [i for i in range(*c["suppress"]) if i != c["keep"]]
        steps.append(lp.SuppressTokensLogitsProcessor(gone, device="cpu"))
    if c["temperature"] not in (0, 1):
        steps.append(lp.TemperatureLogitsWarper(c["temperature"]))
    if c["temperature"] and c["top_k"]:
        steps.append(lp.TopKLogitsWarper(top_k=c["top_k"], min_tokens_to_keep=1))
    for s in steps:
        scores = s(ids, scores)
    margin = None
    if c["temperature"] and c["top_p"] < 1:
        p = torch.sort(scores.double()).values.softmax(-1).cumsum(-1)
        margin = float((p - (1 - c["top_p"])).abs().min())
        warper = lp.TopPLogitsWarper(top_p=c["top_p"], min_tokens_to_keep=1)
        as_it_is, sort = warper(ids, scores), torch.sort
        torch.sort = lambda x, descending: sort(x, dim=-1, descending=descending, stable=True)
        scores = warper(ids, scores)
        torch.sort = sort
        assert torch.equal(sort(as_it_is).values, sort(scores).values), c
    return scores[0].numpy(), margin


def fnv(values):
    h = 0xCBF29CE484222325
    for b in values.astype("<f4").tobytes():
        h = (h ^ b) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return "%016x" % h


TALKER = dict(ids=3072, levels=65536, step=1 / 4096, history=40, history_ids=2048, window=0,
              penalty=1.05, forbid=-1, suppress=[2048, 3072], keep=2150, temperature=0.9,
              top_k=50, top_p=1.0)
PREDICTOR = dict(TALKER, ids=2048, history=0, penalty=1.0, suppress=[0, 0], keep=-1)
TIES = dict(levels=64, step=0.25)
CASES = [
    dict(TALKER),
    dict(TALKER, forbid=2150),
    dict(TALKER, history=0),
    dict(TALKER, history=700),
    dict(TALKER, history=700, window=64),
    dict(TALKER, penalty=1.5, window=3),
    dict(TALKER, penalty=0.8),
    dict(TALKER, temperature=0),
    dict(TALKER, temperature=0, forbid=2150),
    dict(TALKER, temperature=1.0),
    dict(TALKER, temperature=1.7),
    dict(TALKER, temperature=0.15),
    dict(TALKER, levels=1024, step=1 / 64),
    dict(TALKER, **TIES),
    dict(TALKER, levels=2, step=1),
    dict(TALKER, top_k=0),
    dict(TALKER, top_k=1),
    dict(TALKER, top_k=2),
    dict(TALKER, top_k=2000),
    dict(TALKER, top_k=2049),
    dict(TALKER, top_k=5000),
    dict(TALKER, top_p=0.9),
    dict(TALKER, top_p=0.5),
    dict(TALKER, top_p=0.95, top_k=0),
    dict(TALKER, top_p=0.3, top_k=0, temperature=1.5),
    dict(TALKER, top_p=0.0),
    dict(TALKER, top_p=0.999),
    dict(TALKER, top_p=0.9, levels=1024, step=1 / 64),
    dict(TALKER, top_p=0.6, **TIES),
    dict(TALKER, top_p=0.7, levels=64, step=0.25, top_k=0),
    dict(TALKER, top_p=0.8, levels=1, top_k=0),
    dict(PREDICTOR),
    dict(PREDICTOR, temperature=0),
    dict(PREDICTOR, top_p=0.8),
    dict(PREDICTOR, top_k=0),
    dict(PREDICTOR, history=30, penalty=1.1),
    dict(PREDICTOR, levels=16, step=1.0),
    dict(PREDICTOR, top_k=0, top_p=0.9, levels=256, step=1 / 16),
    # equal values: sums of ten times a tenth meet the limit exactly
    dict(PREDICTOR, ids=10, levels=1, top_k=0, top_p=0.9),
    dict(PREDICTOR, ids=4, levels=1, top_k=0, top_p=0.5),
    dict(PREDICTOR, ids=64, levels=1, top_k=0, top_p=0.75),
    dict(PREDICTOR, ids=1, history_ids=1),
]


def main():
    out = []
    for n, c in enumerate(CASES):
        c["row"] = n
        values, margin = process(c)
        left = [int(i) for i in np.flatnonzero(values > -np.inf)]
        bits = values.view(np.uint32)
        survivors = [[i, int(bits[i])] for i in left[:64]]
        case = dict(c, left=len(left), hash=fnv(values), survivors=survivors)
        if margin is not None:
            case["margin"] = margin
            exact = c["levels"] == 1 or c["top_p"] == 0
            assert exact or margin > 2e-6, (n, margin)
        out.append(case)
    folder = os.path.join(os.path.dirname(__file__), "../../tests/data/sampler")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "processors.json"), "w") as f:
        f.write("[\n" + ",\n".join(json.dumps(c) for c in out) + "\n]\n")


main()
