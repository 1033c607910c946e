"""Word error rates of the sounds of scripts/quality.

usage: python3 -m train.eval.words OUT ROW...
OUT/items.jsonl has the sentences; OUT/ROW.jsonl, a "/" in the name being a "-", the records of
their sounds. A line of the output: ROW, the list, its word error rate in per cent.
"""
import json
import os
import sys

from train.eval import listen
from train.eval.heard import Heard, progress


def lines(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def main(out, rows):
    texts = {item["id"]: item["text"] for item in lines(os.path.join(out, "items.jsonl"))}
    heard = Heard(os.path.join(out, "heard.json"), out)
    for row in rows:
        pairs = {}
        records = lines(os.path.join(out, row.replace("/", "-") + ".jsonl"))
        for number, record in enumerate(records, 1):
            progress("listening to %s, %d of %d" % (row, number, len(records)))
            name = record["id"].rpartition("-")[0]
            pairs.setdefault(name, []).append(
                (texts[record["id"]], heard(record["hash"], "english", record["output"])))
        for name, said in sorted(pairs.items()):
            print(row, name, "%.2f" % listen.rates(said, "english")[0])
    progress("")
    heard.save()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
