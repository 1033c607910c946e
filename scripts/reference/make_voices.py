#!/usr/bin/env python3
"""tests/data/audio/voices.json: what the official package makes of the recordings of make_audio.py,
from the file to the speaker vector and the codes (see README.md).

usage: make_voices.py --data tests/data --work DIR
"""
import argparse
import json
import os

import ckpt
from make_audio import CASES, LOSSY, write
from official import Official


def main():
    ap = argparse.ArgumentParser(description="voices of recordings from the official package")
    ap.add_argument("--data", required=True, help="tests/data")
    ap.add_argument("--work", required=True, help="scratch folder")
    a = ap.parse_args()
    path = os.path.join(a.work, "recording.wav")
    out = {"format": "kazeia-voices", "version": 1, "checkpoints": {}}
    for name in ("base-eq", "base-mtp"):
        ckpt.write_weights(os.path.join(a.data, "ckpt", name), os.path.join(a.work, name))
        official = Official(os.path.join(a.work, name))
        voices = []
        for case in CASES:
            write(path, *case)
            voices.append(official.clone_prompt(path, "x")[1])
        for ending, *_ in LOSSY:
            file = os.path.join(a.data, "audio", "recording." + ending)
            voices.append(official.clone_prompt(file, "x")[1])
        out["checkpoints"][name] = [
            {"vector": [float("%.9g" % x) for x in v["vector"]], "codes": v["codes"].tolist(),
             "margin": v["margin"]} for v in voices]
        print(name, len(voices), "voices, smallest margin", min(v["margin"] for v in voices))
    with open(os.path.join(a.data, "audio", "voices.json"), "w") as f:
        json.dump(out, f, separators=(",", ":"))
        f.write("\n")


if __name__ == "__main__":
    main()
