#!/usr/bin/env python3
"""Makes tests/data/ckpt and tests/data/golden: see README.md here.

usage: make_goldens.py --tokenizer DIR --data tests/data --work DIR [--only CASE...]
"""
import argparse
import hashlib
import json
import os
import shutil
import sys

import ckpt
from cases import CASES

SMALLEST_MARGIN = 2e-5


def save(folder, name, array):
    import numpy as np
    np.save(os.path.join(folder, name), np.ascontiguousarray(array))
    return name


def write_golden(path, golden, codes):
    """golden.json, one key a line, one frame a line."""
    body = [json.dumps(k) + ":" + json.dumps(v, ensure_ascii=False, separators=(",", ":"))
            for k, v in golden.items()]
    rows = ",\n".join(json.dumps(c, separators=(",", ":")) for c in codes.tolist())
    body.append('"codes":[\n' + rows + "]")
    with open(path, "w", encoding="utf-8") as f:
        f.write("{" + ",\n".join(body) + "}\n")


def waves(official, run, keep, folder):
    """[{file, first_sample, total_samples}]; total is null where only a part was decoded."""
    out = []
    if "wave" in keep:
        sound = official.sound_of(run["codes"][:keep["wave"]])
        out.append({"file": save(folder, "wave.npy", sound), "first_sample": 0,
                    "total_samples": len(sound) if keep["wave"] == len(run["codes"]) else None})
    for name, (lo, hi) in keep.get("full", {}).items():
        out.append({"file": save(folder, name + ".npy", run["wave"][lo:hi]), "first_sample": lo,
                    "total_samples": len(run["wave"])})
    return out


def make_case(name, official, confirmer, out):
    import recording
    import stages
    checkpoint, request, keep = CASES[name]
    folder = os.path.join(out, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    golden = {"format": "kazeia-golden", "version": 1, "checkpoint": checkpoint,
              "request": {k: v for k, v in request.items() if k != "recording"}}
    clone = None
    if "recording" in request:
        file, sound = recording.make(out, **request["recording"])
        clone, parts = official.clone_prompt((sound, recording.RATE), request.get("reference_text"))
        golden["recording"] = "../" + file
        golden["speaker_vector"] = save(folder, "speaker_vector.npy", parts["vector"])
        if parts["codes"] is not None:
            golden["reference_codes"] = save(folder, "reference_codes.npy", parts["codes"])
            golden["reference_margin"] = parts["margin"]
    with stages.Talker(official, keep) as talker:
        run = official.run(request, clone, sound="full" in keep)
    margin = confirmer.check(run)
    golden.update(finish=run["finish"], frames=len(run["codes"]), smallest_margin=margin)
    for part in ("prompt", "trailing"):
        golden[part] = save(folder, part + ".npy", run[part])
    golden["tts_pad"] = save(folder, "tts_pad.npy", run["tts_pad"])
    golden["ids"] = "ids.json"
    with open(os.path.join(folder, "ids.json"), "w") as f:
        json.dump(official.ids(request), f, separators=(",", ":"))
        f.write("\n")
    golden["waves"] = waves(official, run, keep, folder)
    if "stages" in keep:
        golden["stages"] = talker.save(run, folder) + stages.codec(
            official, run["codes"][:keep["stages"]], folder)
    write_golden(os.path.join(folder, "golden.json"), golden, run["codes"])
    print("%-24s %-7s %4d frames, margin %.1e%s" % (
        name, run["finish"], len(run["codes"]), margin,
        "" if margin >= SMALLEST_MARGIN else "  TOO SMALL"), flush=True)
    return margin >= SMALLEST_MARGIN


def note_hashes(specs, work):
    """SHA-256 of every weight file, as sha256sum prints it."""
    with open(os.path.join(specs, "SHA256SUMS"), "w") as out:
        for name in ckpt.CHECKPOINTS:
            ckpt.write_weights(os.path.join(specs, name), os.path.join(work, name))
            for part in ("model.safetensors", "speech_tokenizer/model.safetensors"):
                with open(os.path.join(work, name, part), "rb") as f:
                    digest = hashlib.sha256(f.read()).hexdigest()
                out.write("%s  %s/%s\n" % (digest, name, part))


def main():
    ap = argparse.ArgumentParser(description="reference data from the official package")
    ap.add_argument("--tokenizer", required=True, help="folder of the published vocabulary")
    ap.add_argument("--data", required=True, help="tests/data")
    ap.add_argument("--work", required=True, help="scratch folder for the checkpoints' weights")
    ap.add_argument("--only", nargs="*", help="only these cases")
    a = ap.parse_args()

    specs = os.path.join(a.data, "ckpt")
    ckpt.describe(specs, a.tokenizer)
    note_hashes(specs, a.work)
    from confirm import Confirmer
    from official import Official
    names = a.only or list(CASES)
    good = True
    for checkpoint in ckpt.CHECKPOINTS:
        todo = [n for n in names if CASES[n][0] == checkpoint]
        if not todo:
            continue
        path = os.path.join(a.work, checkpoint)
        with open(os.path.join(path, "config.json"), encoding="utf-8") as f:
            confirmer = Confirmer(path, json.load(f))
        official = Official(path)
        for name in todo:
            good &= make_case(name, official, confirmer, os.path.join(a.data, "golden"))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
