"""Word error rates of the sounds of scripts/quality.

usage: python3 -m train.eval.words OUT ROW...
OUT/items.jsonl has the sentences; OUT/ROW.jsonl, a "/" in the name being a "-", the records of
their sounds. A line of the output: ROW, the list, its word error rate in per cent, and the standard
error of its difference from that of the first row, whose sentences are the same.
"""
import json
import os
import sys

import numpy as np

from train.eval import listen
from train.eval.heard import Heard, progress


def lines(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def counted(pairs):
    """[(said, heard)] -> wrong words of each sentence, words in all"""
    words = [(listen.normal(r, "english"), listen.normal(h, "english")) for r, h in pairs]
    return np.array([listen.distance(r, h) for r, h in words]), sum(len(r) for r, _ in words)


def uncertainty(wrong, first, words):
    """Standard error of the difference of two error rates over the same sentences, per cent."""
    d = wrong - first
    return 100.0 * np.sqrt(((d - d.mean()) ** 2).sum()) / words


def main(out, rows):
    texts = {item["id"]: item["text"] for item in lines(os.path.join(out, "items.jsonl"))}
    heard, first = Heard(os.path.join(out, "heard.json"), out), {}
    for row in rows:
        pairs = {}
        records = lines(os.path.join(out, row.replace("/", "-") + ".jsonl"))
        records.sort(key=lambda r: r["id"])
        for number, record in enumerate(records, 1):
            progress("listening to %s, %d of %d" % (row, number, len(records)))
            name = record["id"].rpartition("-")[0]
            pairs.setdefault(name, []).append(
                (texts[record["id"]], heard(record["hash"], "english", record["output"])))
        for name, said in sorted(pairs.items()):
            wrong, words = counted(said)
            print(row, name, "%.2f %.2f" % (100 * wrong.sum() / words, uncertainty(
                wrong, first.setdefault(name, wrong), words)))
    progress("")
    heard.save()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
