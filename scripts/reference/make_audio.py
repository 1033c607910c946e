"""tests/data/audio: what the official package's loader makes of recordings (see README.md).

make_audio.py [--data DIR]. Recordings are a formula in integers, so that the test writes the same
bytes itself; of the lossy formats the files are kept.
"""
import argparse
import json
import os
import tempfile

import librosa
import numpy as np
import soundfile
from qwen_tts.inference.qwen3_tts_tokenizer import Qwen3TTSTokenizer

RATE = 24000
SUBTYPES = {"16": "PCM_16", "24": "PCM_24", "float": "FLOAT"}
CASES = [(rate, channels, bits, frames)
         for rate, frames in ((8000, 4001), (16000, 8000), (22050, 11025), (24000, 6001),
                              (44100, 74970), (48000, 24003))
         for channels, bits in ((1, "16"), (2, "24"), (6, "float"))]
LOSSY = (("mp3", "MP3", "MPEG_LAYER_III", 22050), ("ogg", "OGG", "VORBIS", 44100),
         ("opus", "OGG", "OPUS", 48000))


def values(rate, channels, frames):
    """[frames, channels] integers of 24 bits: a triangle wave for each channel, and noise."""
    i = np.arange(frames, dtype=np.int64)[:, None]
    c = np.arange(channels, dtype=np.int64)[None, :]
    phase = i * (37 + 11 * c) * 48000 // rate % 4096
    noise = (i * 1103515245 + c * 12345 + 777) & 0x7FFFFFFF
    coarse = (np.abs(phase - 2048) - 1024) * 12 + (noise >> 16) % 801 - 400
    return coarse * 256 + (noise >> 8) % 256


def write(path, rate, channels, bits, frames):
    v = values(rate, channels, frames)
    if bits == "16":
        data = (v >> 8).astype(np.int16)
    elif bits == "24":
        data = (v << 8).astype(np.int32)
    else:
        data = (v / 8388608).astype(np.float32)
    soundfile.write(path, data, rate, subtype=SUBTYPES[bits], format="WAV")


def thin(y):
    """Both ends, and one sample of 37."""
    at = np.arange(len(y))
    return y[(at < 200) | (at >= len(y) - 200) | (at % 37 == 0)]


def load(path):
    """The package's own loader: file -> mono float32 at 24 kHz."""
    return Qwen3TTSTokenizer.load_audio(object.__new__(Qwen3TTSTokenizer), path, RATE)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default=os.path.join(here, "..", "..", "tests", "data"))
    folder = os.path.join(parser.parse_args().data, "audio")
    os.makedirs(folder, exist_ok=True)
    cases = []
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "a.wav")
        for rate, channels, bits, frames in CASES:
            write(path, rate, channels, bits, frames)
            y = load(path)
            name = "%d-%d.npy" % (rate, channels)
            np.save(os.path.join(folder, name), thin(y))
            cases.append({"rate": rate, "channels": channels, "bits": bits, "frames": frames,
                          "samples": len(y), "expected": name})
    lossy = []
    for ending, form, subtype, rate in LOSSY:
        name = "recording." + ending
        data = values(rate, 1, rate // 4) / 8388608
        soundfile.write(os.path.join(folder, name), data, rate, format=form, subtype=subtype)
        y = load(os.path.join(folder, name))
        np.save(os.path.join(folder, ending + ".npy"), thin(y))
        lossy.append({"file": name, "rate": rate, "samples": len(y),
                      "expected": ending + ".npy"})
    with open(os.path.join(folder, "audio.json"), "w") as out:
        json.dump({"format": "kazeia-audio", "version": 1, "cases": cases, "lossy": lossy}, out,
                  indent=1)
        out.write("\n")
    print("librosa", librosa.__version__, "in", folder)


if __name__ == "__main__":
    main()
