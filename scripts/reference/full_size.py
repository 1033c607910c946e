#!/usr/bin/env python3
"""Writes a full-size checkpoint with random weights, in the published layout.

Speed, memory and loading do not depend on what the weights are, so the figures of
`kazeia bench` can be had without the published files. What it speaks is noise.

    full_size.py OUT [--size 0.6b|1.7b] [--kind custom_voice|base|voice_design]
                 [--tokenizer DIR] [--seed N]

--tokenizer takes a folder with the published vocab.json and merges.txt (a tokenizer_config.json is
made where it has none); without it the small tokenizer of the tests is used, beside the full text
embedding. Values come from the formula in ckpt.py, so one seed gives the same bytes everywhere. The row of the end of
speech is zero: a run ends at its limit of frames. Needs numpy only; 0.6b takes 2.5 GB of disk,
1.7b 4.5 GB.
"""
import argparse
import json
import math
import os
import shutil
import sys

try:
    import ckpt
except ImportError as error:
    sys.exit("full_size.py: %s (on Debian: apt install python3-numpy)" % error)
import tinytok

HERE = os.path.dirname(os.path.abspath(__file__))
TINY = os.path.join(HERE, "..", "..", "tests", "data", "ckpt", "tokenizer")
TEXT_ROWS = 151936

CONTROL = {"codec_pad_id": 100, "codec_bos_id": 101, "codec_eos_token_id": 102,
           "codec_think_id": 106, "codec_nothink_id": 107, "codec_think_bos_id": 108,
           "codec_think_eos_id": 109}
SPEAKERS = {"serena": (1018, False), "vivian": (1017, False), "uncle_fu": (962, False),
            "ryan": (1013, False), "aiden": (813, False), "ono_anna": (825, False),
            "sohee": (816, False), "eric": (827, "sichuan_dialect"),
            "dylan": (830, "beijing_dialect")}

HEADS = dict(heads=16, kv=8, head_dim=128)
PREDICTOR = dict(hidden=1024, inter=3072, layers=5, **HEADS)
SHARED = {
    "text_hidden": 2048, "codebook": 2048, "predictor": PREDICTOR, "mrope": [24, 20, 20],
    "speaker": dict(channels=512, out=1536, scale=8, se=128, att=128),
    "decoder": dict(codebook_dim=512, latent_dim=1024, hidden_size=512, intermediate_size=1024,
                    num_hidden_layers=8, num_attention_heads=16, num_key_value_heads=16,
                    head_dim=64, sliding_window=72, decoder_dim=1536),
    "encoder": dict(num_filters=64, hidden_size=512, intermediate_size=2048, num_hidden_layers=8,
                    heads=8, head_dim=64, codebook_dim=256),
}
SIZES = {
    "0.6b": {"tag": "0b6", "talker": dict(hidden=1024, inter=3072, layers=28, **HEADS), **SHARED},
    "1.7b": {"tag": "1b7", "talker": dict(hidden=2048, inter=6144, layers=28, **HEADS), **SHARED},
}


def write_tokenizer(source, out):
    """-> ids of the added tokens, and of "assistant"."""
    for name in ("vocab.json", "merges.txt"):
        shutil.copyfile(os.path.join(source, name), os.path.join(out, name))
    with open(os.path.join(out, "vocab.json"), encoding="utf-8") as f:
        vocab = json.load(f)
    config = os.path.join(source, "tokenizer_config.json")
    if not os.path.isfile(config):
        added = tinytok.added_after(vocab)
        tinytok.write_config(out, added)
        return {**added, "assistant": vocab["assistant"]}
    shutil.copyfile(config, os.path.join(out, "tokenizer_config.json"))
    with open(config, encoding="utf-8") as f:
        added = json.load(f)["added_tokens_decoder"]
    return {**{t["content"]: int(i) for i, t in added.items()}, "assistant": vocab["assistant"]}


def main():
    a = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("out")
    a.add_argument("--size", choices=SIZES, default="0.6b")
    a.add_argument("--kind", choices=("custom_voice", "base", "voice_design"),
                   default="custom_voice")
    a.add_argument("--tokenizer", default=TINY)
    a.add_argument("--seed", type=int, default=1)
    a = a.parse_args()

    for name in ("vocab.json", "merges.txt"):
        if not os.path.isfile(os.path.join(a.tokenizer, name)):
            sys.exit("full_size.py: '%s' has no %s" % (a.tokenizer, name))
    ckpt.FORMS.update(SIZES)
    ckpt.CONTROL, ckpt.SPEAKERS, ckpt.ENCODER_CODES = CONTROL, SPEAKERS, 2048
    ckpt.CHECKPOINTS = {"full": (a.size, a.kind, a.seed, 0.0, ("BF16",))}
    speech = ckpt.speech_config(a.size)
    files = ckpt.tensor_files("full", TEXT_ROWS, speech)

    os.makedirs(os.path.join(a.out, "speech_tokenizer"), exist_ok=True)
    ids = write_tokenizer(a.tokenizer, a.out)
    small = {"config.json": ckpt.main_config(a.size, a.kind, ids, TEXT_ROWS),
             "generation_config.json": ckpt.GENERATION, "speech_tokenizer/config.json": speech,
             "speech_tokenizer/preprocessor_config.json": ckpt.PREPROCESSOR}
    for name, content in small.items():
        ckpt.write_json(os.path.join(a.out, name), content)
    for f in files:
        count = sum(math.prod(t["shape"]) for t in f["tensors"])
        print("%s: %d tensors, %.1f M values" % (f["path"], len(f["tensors"]), count / 1e6),
              flush=True)
        ckpt.write_safetensors(os.path.join(a.out, f["path"]), f["seed"], f["tensors"])


if __name__ == "__main__":
    main()
