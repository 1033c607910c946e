"""A packed voice -> what the next training begins with.

usage: python3 -m train.unpack VOICE.kz WORK
writes WORK/tokenizer, WORK/talker-start.pt and WORK/decoder-start.pt, which the trainings take with
--start; the file must be compact (kazeia convert --compact)
"""
import os
import sys

import torch

from train.model import packed


def main(path, work):
    files, tensors = packed.read(path)
    folder = os.path.join(work, "tokenizer")
    os.makedirs(folder, exist_ok=True)
    for name in ("vocab.json", "merges.txt", "tokenizer_config.json"):
        with open(os.path.join(folder, name), "wb") as f:
            f.write(files[name])
    for name in ("talker", "decoder"):
        state = {k[len(name) + 1:]: torch.from_numpy(v.copy()) for k, v in tensors.items()
                 if k.startswith(name + ".")}
        for key in [k for k in state if k.endswith("output_proj.weight") and "rvq" in k]:
            # the encoder's way in, which is not kept: nothing reads it
            way_in = key.replace("output_proj", "input_proj")
            state.setdefault(way_in, torch.zeros_like(state[key].transpose(0, 1)))
        torch.save(dict(average=state), os.path.join(work, name + "-start.pt"))
        print("%s-start.pt: %d tensors" % (name, len(state)))


if __name__ == "__main__":
    main(*sys.argv[1:3])
