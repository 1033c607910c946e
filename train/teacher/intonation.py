"""Questions rise.

The teacher lets every sentence fall. So the pitch of a question is drawn anew from the last
stressed vowel on: up to a third above the voice's middle or, where a word asks, half as far.
"""
import numpy as np

from train.teacher import phones as ph
from train.teacher.utterance import AHEAD, LAG, STEPS, UNITS

RISE, ASKING_RISE, START = 7.0, 4.0, -1.0   # semitones against the median of the pitch
LOUD = 2.0                          # loudness of a voice that only creaks
BACK = 3                            # words before the mark in which the stress is sought
ASKING = {"english": set("what who whom whose when where why which how what's who's where's "
                         "when's how's why's".split()),
          "french": set("que qui quoi quand où comment pourquoi combien quel quelle quels quelles "
                        "qu'est-ce".split())}


def core(word):
    return word.lower().strip("\"'«»“”()[].,;:!?…—–-")


def questions(text, language):
    """-> [(number of the last word, whether a word asks)] of the sentences that are questions"""
    out, asks, start = [], False, True
    for i, word in enumerate(text.split()):
        said = core(word)
        asks = asks or (start or language == "french") and (
            said in ASKING[language] or language == "french" and said.startswith("qu'"))
        start = start and not said
        if "?" in word:
            out.append((i, asks))
        if any(c in word for c in ".!?"):
            asks, start = False, True
    return out


def nucleus(u, last):
    """Number of the phone from which the pitch of a question rises: the last stressed vowel in the
    words before the mark, else the last vowel; None without any"""
    vowels = [i for i, (p, w) in enumerate(zip(u.phone, u.word))
              if ph.IS_VOWEL[p] and last - BACK < w <= last]
    stressed = [i for i in vowels if u.stress[i]]
    return (stressed or vowels or [None])[-1]


def ask(u, language):
    """Draws the pitch of the questions in the utterance u."""
    voiced = u.f0 > 0
    if not voiced.any():
        return
    middle = np.median(u.f0[voiced])
    for last, asks in questions(u.text, language):
        first = nucleus(u, last)
        if first is None:
            continue
        said = [i for i in range(first, len(u.word)) if u.word[i] == last or i == first]
        a, z = (int((x + LAG) * STEPS / UNITS) for x in
                (u.end[first - 1] if first else 0, u.end[said[-1]]))
        z = min(z, len(u.f0))
        at = np.arange(a, z)
        top = ASKING_RISE if asks else RISE
        phone = u.phone[u.at()[np.minimum((at * UNITS / STEPS - LAG).astype(int), u.end[-1] - 1)]]
        speaks = (u.f0[a:z] > 0) | (u.energy[a:z] > LOUD) & np.array(ph.VOICED)[phone]
        if u.strengths is not None:
            creak = a + np.nonzero(speaks & (u.f0[a:z] == 0))[0]
            u.strengths[creak] = u.strengths[voiced].mean(0)
        pitch = middle * 2 ** ((START + (top - START) * (at - a + 1) / max(1, z - a)) / 12)
        u.f0[a:z] = np.where(speaks, pitch, 0)
