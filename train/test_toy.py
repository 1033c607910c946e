"""Everything at toy size, in under a minute: the loss falls, training resumes exactly, the exported
folder speaks in the engine, and the engine's greedy codes are those of generate.py.

usage: python3 -m train.test_toy [WORK]     KAZEIA: the engine's program, build/kazeia by default
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import torch

from train import curves, decoder, export, talker, toy, unpack
from train.model import checkpoint, generate, layout, prompt
from train.model.codec import CodecSize, Decoder
from train.model.talker import BodySize, Talker, TalkerSize
from train.model.tokenizer import Tokenizer

KAZEIA = os.environ.get("KAZEIA", "build/kazeia")
TALKER = ("--batch 4 --size text_hidden=32 talker.hidden=64 talker.layers=4 talker.inner=96 "
          "talker.heads=4 talker.kv=2 talker.head_dim=16 predictor.hidden=32 predictor.layers=1 "
          "predictor.inner=48 predictor.heads=2 predictor.kv=1 predictor.head_dim=16").split()
DECODER = ("--batch 2 --low-batch 2 --segment 4 --low-segment 6 --finish 0.2 --size "
           "codebook_dim=32 latent=32 hidden=32 inner=48 layers=1 heads=2 head_dim=16 "
           "width=64").split()
STEPS = {talker: 60, decoder: 40}
TEXT = "the cat sat on a mat, yes?"


class Killed(Exception):
    pass


def begin(module, work, words, steps):
    a = module.options().parse_args([work, "--steps", str(steps), "--reports", "4", *words])
    return module.make(a)


def kill_at(run, step):
    """The next step after `step` never ends."""
    one = run.task.step

    def dying(done):
        if run.step >= step:
            raise Killed
        return one(done)
    run.task.step = dying


def last_state(work, name):
    return torch.load(os.path.join(work, name), weights_only=False)


def log_of(work, name):
    with open(os.path.join(work, name + ".jsonl")) as f:
        return [json.loads(line) for line in f]


def same(a, b):
    return all(torch.equal(a[part][k], b[part][k])
               for part in ("model", "average", "helpers") for k in a[part])


def check_training(module, name, words, work, other):
    """One run in a piece, one that is killed between two checkpoints: the same weights and log."""
    steps = STEPS[module]
    assert begin(module, work, words, steps).run()
    run = begin(module, other, words, steps)
    run.save_seconds = 0.0
    kill_at(run, steps * 2 // 3)
    try:
        run.run()
        raise AssertionError("the run was to die")
    except Killed:
        pass
    with open(os.path.join(other, name + ".jsonl"), "a") as f:
        f.write(json.dumps(dict(step=steps, minutes=0, done=1, rate=0)) + "\n")
    run = begin(module, other, words, steps)
    assert run.step == steps * 2 // 3, run.step
    assert run.run()
    whole, pieces = last_state(work, name), last_state(other, name)
    assert same(whole, pieces), "%s: resuming changed the weights" % name
    logs = log_of(work, name), log_of(other, name)
    assert [r["step"] for r in logs[0]] == [r["step"] for r in logs[1]], logs
    for a, b in zip(*logs):
        assert all(a[k] == b[k] for k in a if "." in k), (a, b)
    first, last = logs[0][0], logs[0][-1]
    key = "train.first" if module is talker else "train.sound"
    assert last[key] < 0.9 * first[key], (key, first[key], last[key])
    print("%s: %s %.3f -> %.3f; resumed exactly" % (name, key, first[key], last[key]))


def engine(*words):
    done = subprocess.run([KAZEIA, *words], capture_output=True, text=True)
    assert done.returncode == 0, "%s: %s" % (" ".join(words), done.stderr)
    return done.stdout


def check_tokenizer(tok, folder):
    for text in (TEXT, "L'ÉTÉ's  don't “x”\t42%\n\n a—b… ñandú\u0301 日本"):
        rows = engine("tokenize", "-q", "-m", folder, "--", text).splitlines()
        heard = [int(r.split("\t")[0]) for r in rows]
        assert heard == tok.encode(text), (text, heard, tok.encode(text))
    print("tokenizer: as the engine's")


def check_codes(tok, talker, decoder, folder):
    """Greedy, of several speakers and languages, in both text layouts; the sound of the last."""
    export.write(talker, decoder, tok, folder)
    tok, talker, decoder = checkpoint.load(folder)
    for live in (False, True):
        for speaker, language in zip(layout.SPEAKERS, (*layout.LANGUAGES[1:], prompt.AUTO)):
            own = generate.generate(talker, tok, TEXT, speaker, language, live, limit=24)
            path = os.path.join(folder, "codes.npy")
            how = ["--live-text"] if live else ["--whole-text", "--split", "off"]
            engine("say", "-q", "-m", folder, "--type", "f32", "--greedy", *how, "-v", speaker,
                   "-l", language, "--max-frames", "24", "--codes", path, "-o", folder + "/a.wav",
                   "--", TEXT)
            heard = np.load(path)
            assert np.array_equal(heard, own), (live, heard[:4], own[:4])
            assert len(own) >= 2
        print("codes, %s text: as the engine's, %d frames, %d of them different"
              % ("live" if live else "whole", len(own), len(np.unique(own, axis=0))))
    with open(folder + "/a.wav", "rb") as f:
        y = np.frombuffer(f.read()[-3840 * len(own):], "<i2") / 32768
    gap = np.abs(y - generate.sound(decoder, own)).max()
    assert gap < 1e-3, gap
    print("sound: as the engine's within %.1e" % gap)


def check_packed(folder):
    path = os.path.join(folder, "voice.kz")
    engine("convert", "-q", folder, "-o", path, "--type", "q8", "--compact")
    tok, *models = checkpoint.load(folder)
    unpack.main(path, folder)
    assert Tokenizer.load(os.path.join(folder, "tokenizer")).encode(TEXT) == tok.encode(TEXT)
    for name, model, most in zip(("talker", "decoder"), models, (0.006, 0.0)):
        state, own = last_state(folder, name + "-start.pt")["average"], model.state_dict()
        assert sorted(state) == sorted(own), set(state) ^ set(own)
        gap = max(((state[k] - own[k]).abs().max() / own[k].abs().max()).item()
                  for k in own if own[k].any() and "rvq_first.input" not in k
                  and "rvq_rest.input" not in k)
        assert gap <= most, (name, gap)
        print("%s: unpacked within %.4f of the greatest value" % (name, gap))
    info = engine("info", path)
    for name in layout.SPEAKERS + layout.LANGUAGES:
        assert name in info, (name, info)
    engine("say", "-q", "-m", path, "--max-frames", "20", "-v", layout.SPEAKERS[-1], "-o",
           folder + "/b.wav", "--seed", "1", TEXT)
    print("packed as q8: %d bytes, speaks" % os.path.getsize(path))


def random_models(size):
    torch.manual_seed(3)
    talker, decoder = Talker(size), Decoder(CodecSize(codebook_dim=32, latent=32, width=64))
    with torch.no_grad():
        talker.codec_head.weight.mul_(10)
    return talker.eval(), decoder.eval()


def main(work):
    one, two = os.path.join(work, "one"), os.path.join(work, "two")
    shutil.rmtree(one, ignore_errors=True)
    shutil.rmtree(two, ignore_errors=True)
    toy.write(one)
    shutil.copytree(one, two)
    check_training(decoder, "decoder.pt", DECODER, one, two)
    check_training(talker, "talker.pt", TALKER, one, two)
    tok, t, d = export.load(one)
    folder = os.path.join(one, "voice")
    check_codes(tok, t, d, folder)
    check_tokenizer(tok, folder)
    check_packed(folder)
    # Random weights say more about the arithmetic: their codes vary. Equal widths: no projection.
    size = BodySize(64, 2, 96, 4, 2, 16)
    check_codes(tok, *random_models(TalkerSize(tok.size, 48, size, size)),
                os.path.join(one, "random"))
    curves.plot([os.path.join(one, n + ".pt.jsonl") for n in ("talker", "decoder")],
                os.path.join(one, "curves.png"))
    curves.spectrogram(os.path.join(folder, "a.wav"), os.path.join(one, "spectrogram.png"))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        os.makedirs(sys.argv[1], exist_ok=True)
        main(sys.argv[1])
    else:
        with tempfile.TemporaryDirectory() as folder:
            main(folder)
