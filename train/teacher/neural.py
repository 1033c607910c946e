"""Phones of a text -> what the neural teacher makes of them, as an utterance.

The phones come from espeak-ng (French) or flite (English); punctuation comes from the text.
"""
import numpy as np

from train.audio import envelope, periodicity
from train.teacher import intonation
from train.teacher import phones as ph
from train.teacher.kokoro import RATE, UNIT
from train.teacher.utterance import AHEAD, Utterance, places, trimmed

STOPS = ",;:.!?…—"
STRESS = "ˈ"
SILENT = 0.0                        # loudness below which the teacher is silent
WINDOW = (0.1, 0.2, 0.4, 0.2, 0.1)  # over steps of 5 ms
BLANK, STOP = -1, -2                # instead of a phone's number: the token of a blank, of a stop
UNSTRESSED = set("""le la les l un une des du de d à au aux et ou où je tu il elle on nous vous ils
elles me te se ce ne que qui en y dans sur par pour mon ma mes ton ta tes son sa ses notre votre
leur leurs si mais est sont a ai""".split())


def of_espeak(text, rows):
    """espeak-ng's phones -> [[id, stress, word]]; French words are stressed on the last vowel"""
    out, last, words = [], {}, text.split()
    for name, word, _ in rows:
        phone = ph.from_espeak(name)
        if phone not in (None, ph.PAUSE):
            if ph.IS_VOWEL[ph.PHONE_ID[phone]] and phone != "ax":
                last[word] = len(out)
            out.append([ph.PHONE_ID[phone], 0, word])
    for word, i in last.items():
        if words[word].lower().strip(".,;:!?«»()\"'") not in UNSTRESSED:
            out[i][1] = 1
    return out


def of_flite(_, rows):
    return [[ph.PHONE_ID[name], int(name in ph.VOWELS and stress > 0), word]
            for name, word, stress in rows if name != ph.PAUSE]


READ = {"english": of_flite, "french": of_espeak}


def spelling(text, rows):
    """-> tokens (characters), and for each its phone's number in rows, BLANK or STOP"""
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
        if stops and tokens and owner[-1] != STOP:
            if owner[-1] == BLANK:
                tokens.pop()
                owner.pop()
            tokens.append(stops[-1])
            owner.append(STOP)
        if i > first:
            tokens.append(" ")
            owner.append(BLANK)
    while tokens and owner[-1] == BLANK:
        tokens.pop()
        owner.pop()
    return tokens, owner


def parts(lengths, owner):
    """Units of the tokens (with one more at both ends, silence) -> [[who, units]]: a phone's number
    or BLANK or STOP. The tokens of a phone are put together, and blanks with the stop before."""
    out = [[STOP, int(lengths[0])]]
    for who, units in zip([*owner, STOP], lengths[1:]):
        if who == out[-1][0] or out[-1][0] == STOP and who == BLANK:
            out[-1][1] += int(units)
        elif units > 0:
            out.append([who, int(units)])
    return out


def cut_silence(said, loudness):
    """The teacher gives part of a pause to the phone before it: moves it to the pause, in place."""
    end = np.cumsum([n for _, n in said])
    for k in range(1, len(said)):
        if said[k][0] != STOP or said[k - 1][0] < 0:
            continue
        a, z = (int(2 * max(0, x - AHEAD)) for x in (end[k - 1] - said[k - 1][1], end[k - 1]))
        loud = np.nonzero(loudness[a:z] >= SILENT)[0]
        units = int(np.ceil((loud[-1] + 1) / 2)) if len(loud) else 1
        more = max(0, said[k - 1][1] - max(1, units))
        said[k - 1][1] -= more
        said[k][1] += more


def pitch(hz, place):
    """The model's curve -> f0 at the places, 0 where it falls far below the voice's own pitch"""
    voice = hz[hz > 60]
    least = 0.55 * np.median(voice) if len(voice) else 60
    f0 = curve(np.where(hz > least, hz, np.nan), place)
    return np.where(np.isnan(f0), 0, f0).astype(np.float32)


def curve(x, place):
    """Two values a unit -> at the places (in units)"""
    return np.interp(2 * place - 0.5, np.arange(len(x)), x).astype(np.float32)


def steady(bands):
    """Spectra without the jitter of measuring them: a short window over time"""
    x = np.pad(bands, ((2, 2), (0, 0)), "edge")
    n = len(bands)
    return sum(w * x[i:i + n] for i, w in enumerate(WINDOW)).astype(np.float32)


def other_speaker(u, voice):
    """Moves pitch and formants to where the voice has them, in place."""
    u.f0 *= voice.pitch
    if u.bands is not None and voice.formants != 1:
        moved = envelope.mel(envelope.HZ / voice.formants)
        u.bands = u.bands @ envelope.interpolation(moved, envelope.POINTS)


def utterance(model, text, rows, name, voice):
    """rows: [[phone id, stress, word]] of text -> Utterance; with bands if the model has sound."""
    tokens, owner = spelling(text, rows)
    lengths, hz, loudness, sound = model.speak(tokens, voice.style, voice.speed)
    said = parts(lengths, owner)
    cut_silence(said, loudness)
    first, units = trimmed([n for _, n in said])
    place = places(first, int(units.sum()) // 3)
    table = rows + [[ph.PHONE_ID[ph.PAUSE], 0, -1], [ph.PHONE_ID[ph.GAP], 0, -1]]
    columns = np.array([table[who] for who, _ in said])    # -1: the last row, -2: the one before
    u = Utterance(text, name, columns[:, 0], columns[:, 1], np.cumsum(units), columns[:, 2],
                  f0=pitch(hz, place), energy=curve(loudness, place))
    out = (place < 0) | (place > len(hz) / 2)
    u.f0[out], u.energy[out] = 0, loudness.min()
    if sound is not None:
        centre = np.clip(place * UNIT, 0, len(sound) - 1).astype(int)
        u.bands = steady(envelope.from_sound(32768 * sound.astype(np.float32), RATE, u.f0, centre))
        u.strengths = periodicity.strengths(sound, RATE, u.f0, centre)
    other_speaker(u, voice)
    intonation.ask(u, voice.language)
    return u
