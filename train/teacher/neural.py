"""Phones of a text -> what the neural teacher makes of them, as an utterance.

The phones come from espeak-ng (French) or flite (English); punctuation comes from the text.
"""
import numpy as np

from train.audio import envelope, periodicity
from train.teacher import align
from train.teacher import phones as ph
from train.teacher.kokoro import RATE
from train.teacher.utterance import Utterance, trim

STOPS = ",;:.!?…—"
STRESS = "ˈ"
SILENT = 0.0                        # loudness below which the teacher is silent
LEAST_PAUSE = 3                     # units of 25 ms; shorter ones are no pause
LEAD = 5                            # half units by which the sound is ahead of the lengths
UNSTRESSED = set("""le la les l un une des du de d à au aux et ou où je tu il elle on nous vous ils
elles me te se ce ne que qui en y dans sur par pour mon ma mes ton ta tes son sa ses notre votre
leur leurs si mais est sont a ai""".split())


def of_espeak(rows):
    """espeak-ng's phones -> [(id, stress, word)]; French words are stressed on the last vowel"""
    out = []
    for name, _, word, _ in rows:
        phone = ph.from_espeak(name)
        if phone not in (None, ph.PAUSE):
            out.append([ph.PHONE_ID[phone], 0, word])
    return out


def of_flite(rows):
    return [[ph.PHONE_ID[name], int(name in ph.VOWELS and stress > 0), word]
            for name, _, word, stress in rows if name != ph.PAUSE]


def stress_french(text, rows):
    words = text.split()
    last = {}
    for i, (phone, _, word) in enumerate(rows):
        if ph.IS_VOWEL[phone] and ph.PHONES[phone] != "ax":
            last[word] = i
    for word, i in last.items():
        if words[word].lower().strip(".,;:!?«»()\"'") not in UNSTRESSED:
            rows[i][1] = 1


def spelling(text, rows):
    """-> tokens (characters), and for each its phone's number in rows, -1 for a blank, -2 for a
    stop"""
    tokens, owner, i = [], [], 0
    for w, written in enumerate(text.split()):
        first = i
        while i < len(rows) and rows[i][2] <= w:
            phone, stress, _ = rows[i]
            name = ph.IPA[ph.PHONES[phone]]
            glide = name == "y" and i + 1 < len(rows) and ph.IS_VOWEL[rows[i + 1][0]] \
                and rows[i + 1][2] <= w
            if stress and not glide:
                name = STRESS + name
            tokens += "ɥ" if glide else name
            owner += [i] * (1 if glide else len(name))
            i += 1
        stops = [c for c in written.replace("–", "—") if c in STOPS]
        if stops and tokens and owner[-1] != -2:
            if owner[-1] == -1:
                tokens.pop()
                owner.pop()
            tokens.append(stops[-1])
            owner.append(-2)
        if i > first:
            tokens.append(" ")
            owner.append(-1)
    while tokens and owner[-1] == -1:
        tokens.pop()
        owner.pop()
    return tokens, owner


def segments(lengths, owner):
    """Units of the tokens -> [[row or -1 for a pause, end in units]], without the time of blanks"""
    out, at = [[-1, lengths[0]]], lengths[0]
    for k, who in enumerate(list(owner) + [-2]):
        at += lengths[k + 1]
        if who >= 0:
            if out[-1][0] == who:
                out[-1][1] = at
            else:
                out.append([who, at])
        elif out[-1][0] == -1 or who == -2 and (lengths[k + 1] >= LEAST_PAUSE
                                                or k == len(owner)):
            if out[-1][0] == -1:
                out[-1][1] = at
            else:
                out.append([-1, at])
        else:
            out[-1][1] = at
    return out


def fit_pauses(parts, loudness):
    """Ends in units -> in half units, with each pause as long as the teacher is silent. The model
    gives part of a silence to the phones around it."""
    ends = [max(0, 2 * end - LEAD) for _, end in parts[:-1]] + [2 * parts[-1][1]]
    parts = [[who, end] for (who, _), end in zip(parts, ends)]
    for k, (who, end) in enumerate(parts):
        if who != -1:
            continue
        a = parts[k - 1][1] if k else 0
        low = parts[k - 2][1] + 1 if k > 1 else min(1, a)
        high = parts[k + 1][1] - 1 if k + 1 < len(parts) else end
        i = j = a + int(np.argmin(loudness[a:max(end, a + 1)]))
        while i > low and loudness[i - 1] < SILENT:
            i -= 1
        while j < high and loudness[j] < SILENT:
            j += 1
        if k:
            parts[k - 1][1] = i
        parts[k][1] = j if k + 1 < len(parts) else end
    return parts


def curve(x, frames):
    """Values every 12.5 ms -> every 5 ms"""
    return np.interp((np.arange(frames) + 0.5) / 2.5 - 0.5, np.arange(len(x)), x).astype(np.float32)


def pitch(hz, frames):
    """The model's curve -> f0, 0 where it falls far below the voice's own pitch"""
    voice = hz[hz > 60]
    least = 0.55 * np.median(voice) if len(voice) else 60
    f0 = curve(np.where(hz > least, hz, np.nan), frames)
    return np.where(np.isnan(f0), 0, f0).astype(np.float32)


def spoken(model, text, rows, style, speed):
    """-> parts ([[row or -1, end in half units]], none empty), phones of the parts, what the model
    gave: pitch, loudness, sound"""
    tokens, owner = spelling(text, rows)
    lengths, hz, loudness, sound = model.speak(tokens, style, speed)
    parts = fit_pauses(segments(lengths, owner), loudness)
    parts = [p for k, p in enumerate(parts) if p[1] > (parts[k - 1][1] if k else 0)]
    return parts, [rows[who][0] if who >= 0 else 0 for who, _ in parts], (hz, loudness, sound)


def borders(model, readings, style, speed):
    """What align.refine() must know of a voice, from [(text, rows)]."""
    items = []
    for text, rows in readings:
        parts, ids, (hz, loudness, _) = spoken(model, text, rows, style, speed)
        items.append((ids, parts, align.features(hz, loudness)))
    return align.learn(items)


def utterance(model, text, rows, voice, style, speed, table):
    """rows: [[phone id, stress, word]] of text -> Utterance; with bands if the model has sound.

    table: of borders(), or None where the phones' ends do not matter.
    """
    parts, ids, (hz, loudness, sound) = spoken(model, text, rows, style, speed)
    if table is not None:
        parts = align.refine(ids, parts, align.features(hz, loudness), table)
    frames = int(2.5 * len(hz))
    columns = np.array(rows + [[0, 0, -1]])[[who for who, _ in parts]]
    end = np.array([int(round(2.5 * e)) for _, e in parts])
    end[-1] = frames
    u = Utterance(text, voice, columns[:, 0], columns[:, 1], end, columns[:, 2],
                  f0=pitch(hz, frames), energy=curve(loudness, frames))
    if sound is not None:
        u.bands = envelope.from_sound(32768 * sound.astype(np.float32), RATE, u.f0)
        u.strengths = periodicity.strengths(sound, RATE, u.f0)
    return trim(u)
