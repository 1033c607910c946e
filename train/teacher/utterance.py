"""What a teacher said, in one form for all voices and languages, on a grid of 5 ms."""
import dataclasses
import struct

import numpy as np

STEP = 0.005                        # seconds of a frame
HEAD, TAIL = 12, 20                 # frames of silence kept before and after
MARK = 0x5452434B


@dataclasses.dataclass
class Utterance:
    text: str                       # in words, as the teacher was given it
    voice: str                      # of voices.VOICES
    phone: np.ndarray               # [P] ids of phones.PHONES
    stress: np.ndarray              # [P] 0 or 1
    end: np.ndarray                 # [P] frame where the phone ends; rising, no phone is empty
    word: np.ndarray                # [P] number of the blank-separated word of text; -1: pause
    f0: np.ndarray                  # [N] Hz, 0 where unvoiced
    energy: np.ndarray              # [N] log amplitude; comparable within one voice only
    bands: np.ndarray = None        # [N, 40] log amplitude on the grid of audio/envelope.py
    strengths: np.ndarray = None    # [N, 5] how voiced, at 500, 1500, 3000, 5000, 7000 Hz

    def at(self):
        """[N] the phone (its number in the utterance) in each frame"""
        return np.minimum(np.searchsorted(self.end, np.arange(len(self.f0)), "right"),
                          len(self.end) - 1)


def trim(u):
    """Cuts the silence at both ends to HEAD and TAIL frames."""
    a = max(0, u.end[0] - HEAD) if u.phone[0] == 0 else 0
    z = min(len(u.f0), u.end[-2] + TAIL) if u.phone[-1] == 0 and len(u.end) > 1 else len(u.f0)
    u.end = np.minimum(u.end, z) - a
    for name in ("f0", "energy", "bands", "strengths"):
        value = getattr(u, name)
        if value is not None:
            setattr(u, name, value[a:z])
    return u


def records(path):
    """yields (text, tracks [N, C], phones [(name, end in seconds, word, stress)]): see record.h"""
    with open(path, "rb") as f:
        b = f.read()
    o = 0
    while o < len(b):
        mark, n, c, p, size = struct.unpack_from("=5i", b, o)
        if mark != MARK:
            raise ValueError("%s: no record at byte %d" % (path, o))
        o += 20
        text = b[o:o + size].decode()
        o += size
        tracks = np.frombuffer(b, np.float32, n * c, o).reshape(n, c)
        o += 4 * n * c
        rows = []
        for _ in range(p):
            name, end, word, stress = struct.unpack_from("=8sfii", b, o)
            rows.append((name.split(b"\0")[0].decode(), end, word, stress))
            o += 20
        yield text, tracks, rows
