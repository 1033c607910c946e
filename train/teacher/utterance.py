"""What a teacher said, on the grid of the codes.

Time is counted in units, of which a frame of 80 ms has three: the teacher's own unit of duration
(25 ms where it speaks), so that its lengths are told exactly. Tracks have 16 steps a frame.

The teacher's sound runs 2.5 units before its lengths. Tracks stand LAG behind those, so that a
frame's codes also know the unit and a half after what is heard in it.
"""
import dataclasses
import struct

import numpy as np

UNITS, STEPS = 3, 16                # in a frame
AHEAD, LAG = 2.5, 1.5               # units: of the sound before the lengths; of the tracks
HEAD, TAIL = 3, 5                   # units of silence kept before and after
MARK = 0x5452434B


@dataclasses.dataclass
class Utterance:
    text: str                       # in words, as the teacher was given it
    voice: str                      # of voices.VOICES
    phone: np.ndarray               # [P] ids of phones.PHONES
    stress: np.ndarray              # [P] 0 or 1
    end: np.ndarray                 # [P] unit where the phone ends; rising, the last is 3 T
    word: np.ndarray                # [P] number of the blank-separated word of text; -1: none
    f0: np.ndarray                  # [16 T] Hz, 0 where unvoiced
    energy: np.ndarray              # [16 T] the teacher's loudness, below 0 where it is silent
    bands: np.ndarray = None        # [16 T, 40] log amplitude on the grid of audio/envelope.py
    strengths: np.ndarray = None    # [16 T, 5] how voiced, at 500, 1500, 3000, 5000, 7000 Hz

    def frames(self):
        return len(self.f0) // STEPS

    def at(self):
        """[3 T] the phone (its number in the utterance) in each unit"""
        return np.searchsorted(self.end, np.arange(self.end[-1]), "right")


def trimmed(length):
    """Units of the tokens, of which the first and the last are silence -> the first unit that is
    kept, and the lengths with the silence at both ends cut to HEAD and at least TAIL units, all
    together whole frames"""
    length = np.array(length)
    first = length[0] - HEAD        # below 0 where silence is put before
    length[0] = HEAD
    length[-1] = TAIL
    length[-1] += -length.sum() % UNITS
    return first, length


def places(first, frames):
    """[16 T] for each step of the tracks the unit of the sound, a fraction"""
    step = (np.arange(frames * STEPS) + 0.5) * UNITS / STEPS
    return first + step - AHEAD - LAG


def records(path):
    """yields (text, [(name, word, stress)]): see record.h"""
    with open(path, "rb") as f:
        b = f.read()
    o = 0
    while o < len(b):
        mark, count, size = struct.unpack_from("=3i", b, o)
        if mark != MARK:
            raise ValueError("%s: no record at byte %d" % (path, o))
        o += 12
        text = b[o:o + size].decode()
        o += size
        rows = []
        for _ in range(count):
            name, word, stress = struct.unpack_from("=8sii", b, o)
            rows.append((name.split(b"\0")[0].decode(), word, stress))
            o += 16
        yield text, rows
