"""The official package on an exported folder: its greedy codes against those of generate.py and of
the engine, its sound against the decoder's.

usage: python3 -m train.check_official FOLDER [TEXT] [FRAMES]     KAZEIA: the engine's program
Needs the package qwen-tts (scripts/reference/README.md), which training does not.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "scripts", "reference"))
from official import Official  # noqa: E402

from train.model import checkpoint, generate, layout, prompt  # noqa: E402

KAZEIA = os.environ.get("KAZEIA", "build/kazeia")


def engine(folder, text, speaker, language, live, frames):
    how = ["--live-text"] if live else ["--whole-text", "--split", "off"]
    with tempfile.TemporaryDirectory() as out:
        path = os.path.join(out, "codes.npy")
        subprocess.run([KAZEIA, "say", "-q", "-m", folder, "--type", "f32", "--greedy", *how, "-v",
                        speaker, "-l", language, "--as-reference", "--max-frames", str(frames),
                        "--codes", path, "-o", os.path.join(out, "a.wav"), "--", text], check=True)
        return np.load(path)


def main(folder, text="Hello there, how are you? Ça va bien.", frames=40):
    tok, talker, decoder = checkpoint.load(folder)
    package = Official(folder)
    for speaker in layout.SPEAKERS:
        for language in (*layout.LANGUAGES, prompt.AUTO):
            for live in (False, True):
                got = package.run(dict(text=text, voice=speaker, language=language, live_text=live,
                                       max_frames=int(frames)), sound=True)
                own = generate.generate(talker, tok, text, speaker, language, live,
                                        limit=int(frames))
                assert np.array_equal(got["codes"], own), (speaker, language, live)
                assert np.array_equal(
                    got["codes"], engine(folder, text, speaker, language, live, int(frames)))
                gap = np.abs(got["wave"] - generate.sound(decoder, own)).max()
                assert gap < 1e-4, gap
                print("%s, %s, %s text: %d frames, %d different, equal codes, sound within %.1e"
                      % (speaker, language, "live" if live else "whole", len(own),
                         len(np.unique(own, axis=0)), gap), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
