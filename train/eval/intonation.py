"""Do questions rise, do statements fall, do commas pause?

Measured on sound, with the tracker of pitch.py, in the same way for a voice and for its teacher.
"""
import numpy as np

from train.eval.pitch import track

END = 30                            # steps of 10 ms of voice at the end that are looked at
PART = 10                           # the last of these against the first
LEAST = 1.0                         # semitones of a rise or a fall
PAUSE, LOW = 6, 10 ** (-30 / 20)    # steps of a pause; of the loud parts' amplitude
NEAR = 25                           # steps around the place where a comma is expected


def semitones(f0):
    return 12 * np.log2(f0)


def pitch_range(tracks):
    """5 to 95 per cent of all voiced steps, in semitones"""
    voiced = np.concatenate([f0[f0 > 0] for f0, _ in tracks]) if tracks else np.zeros(0)
    if not len(voiced):
        return None
    low, high = np.percentile(voiced, (5, 95))
    return float(semitones(high / low))


def end_move(f0):
    """Semitones by which the pitch goes up over the last 300 ms of voice; None: too little voice"""
    voiced = semitones(f0[f0 > 0][-END:])
    if len(voiced) < 2 * PART:
        return None
    return float(np.median(voiced[-PART:]) - np.median(voiced[:PART]))


def share(moves, sign):
    """Per cent of the moves in the direction of the sign; None where there are none"""
    known = [m for m in moves if m is not None]
    return 100.0 * sum(sign * m > LEAST for m in known) / len(known) if known else None


def low_steps(loud):
    """Whether each step is low, and where the sound begins and ends."""
    high = np.percentile(loud, 95) if len(loud) else 0
    low = loud < LOW * high
    at = np.nonzero(~low)[0]
    return low, (at[0], at[-1] + 1) if len(at) else (0, 0)


def low_near(loud, place):
    """Steps of the longest low stretch near a place of the text, 0 to 1, inside the sound"""
    low, (first, last) = low_steps(loud)
    middle = first + place * (last - first)
    longest = run = 0
    for one in low[max(first, int(middle) - NEAR):min(last, int(middle) + NEAR)]:
        run = run + 1 if one else 0
        longest = max(longest, run)
    return longest


def places(text):
    """-> commas, other gaps between words: shares of the letters that stand before them"""
    letters = sum(c.isalnum() for c in text)
    before, commas, gaps = 0, [], []
    for i, c in enumerate(text):
        before += c.isalnum()
        if c == "," and before < letters:
            commas.append(before / letters)
        elif c == " " and text[i - 1:i].isalnum() and 0 < before < letters:
            gaps.append(before / letters)
    far = [g for g in gaps if all(abs(g - x) > 0.2 for x in commas)]
    return commas, far


def rounded(x):
    return None if x is None else round(x, 1)


def measure(said):
    """[(sentence, sound, rate)] -> figures"""
    tracks = [(s, *track(y, rate)) for s, y, rate in said]
    moves = {}
    at_commas, elsewhere = [], []
    for s, f0, loud in tracks:
        kind = s.kind or ("statement" if s.typed.endswith(".") else "other")
        moves.setdefault(kind, []).append(end_move(f0))
        commas, gaps = places(s.typed)
        at_commas += [low_near(loud, place) for place in commas]
        elsewhere += [low_near(loud, place) for place in gaps]

    def pauses(steps):
        return rounded(100.0 * sum(n >= PAUSE for n in steps) / len(steps)) if steps else None

    def middle(steps):
        return int(10 * np.median(steps)) if steps else None
    return {"sentences": len(said),
            "range": rounded(pitch_range([t[1:] for t in tracks])),
            "rise yes/no": rounded(share(moves.get("yes/no", []), 1)),
            "rise wh": rounded(share(moves.get("wh", []), 1)),
            "rise statements": rounded(share(moves.get("statement", []), 1)),
            "fall statements": rounded(share(moves.get("statement", []), -1)),
            "commas": len(at_commas), "pause at commas": pauses(at_commas),
            "pause elsewhere": pauses(elsewhere),
            "ms at commas": middle(at_commas), "ms elsewhere": middle(elsewhere)}
