"""One inventory of phones for both languages, and the ways from and to the names others use.

Names are those of the CMU lexicon; sounds that only French has:
`a e o yu eu oe an on in un rr ny`.
A sound that both languages have has one name: the voice that speaks makes the difference.
Stress (0 or 1) is kept beside the phone; espeak-ng reports none for French.
"""
PAUSE, GAP = "pau", "gap"           # silence; the time between two words that the teacher gives
CONSONANTS = "b ch d dh f g hh jh k l m n ng p r s sh t th v w y z zh".split()
VOWELS = "aa ae ah ao aw ax ay eh er ey ih iy ow oy uh uw".split()
FRENCH_CONSONANTS = "rr ny".split()
FRENCH_VOWELS = "a e o yu eu oe an on in un".split()
PHONES = [PAUSE] + CONSONANTS + FRENCH_CONSONANTS + VOWELS + FRENCH_VOWELS + [GAP]
PHONE_ID = {name: i for i, name in enumerate(PHONES)}
SAID = [p not in (PAUSE, GAP) for p in PHONES]
VOICED = [p in VOWELS + FRENCH_VOWELS + "l m n ng ny r w y".split() for p in PHONES]
IS_VOWEL = [p in VOWELS or p in FRENCH_VOWELS for p in PHONES]
# As the neural teacher is told them: tokens of its alphabet.
IPA = dict(zip(
    "b ch d dh f g hh jh k l m n ng p r s sh t th v w y z zh rr ny".split(),
    "b ʧ d ð f ɡ h ʤ k l m n ŋ p ɹ s ʃ t θ v w j z ʒ ʁ ɲ".split()))
IPA.update(zip(VOWELS, "ɑ æ ʌ ɔ W ə I ɛ ɜɹ A ɪ i O Y ʊ u".split()))
IPA.update(zip(FRENCH_VOWELS, "a e o y ø œ ɑ\u0303 ɔ\u0303 ɛ\u0303 œ\u0303".split()))

_ESPEAK = {
    "a": "a", "e": "e", "E": "eh", "E2": "eh", "i": "iy", "o": "o", "O": "ao", "u": "uw",
    "y": "yu", "Y": "eu", "W": "oe", "@": "ax", "A~": "an", "O~": "on", "E~": "in", "W~": "un",
    # English words inside French
    "0": "ao", "A": "a", "I": "iy", "U": "uw", "V": "oe", "3": "oe", "aI": "a", "eI": "e",
    "b": "b", "d": "d", "f": "f", "g": "g", "j": "y", ";": "y", "k": "k", "l": "l", "m": "m",
    "n": "n", "n^": "ny", "N": "ng", "p": "p", "r": "rr", "R": "rr", "s": "s", "S": "sh",
    "t": "t", "v": "v", "w": "w", "z": "z", "Z": "zh", "h": "hh", "x": "rr", "D": "z", "T": "s",
    "tS": "ch", "dZ": "jh",
}


def from_espeak(name):
    """espeak-ng's phone -> ours; None for a mark without sound; raises KeyError if unknown.

    Marks behind a name tell its context: - weak, : long, 2 and 3 variants, and so on.
    """
    if name.startswith("_"):
        return PAUSE
    if name.startswith("(") or not name:
        return None
    while name not in _ESPEAK and len(name) > 1:
        name = name[:-1]
    if name not in _ESPEAK:
        raise KeyError("espeak-ng has a phone %r that phones.py does not know" % name)
    return _ESPEAK[name]
