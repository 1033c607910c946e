"""How the 16 codes of an 80 ms frame are used, and the ids of everything that is not a code.

The one place that knows: data, training, export and generation all read it here. The codes are a
phonetic transcript on a time grid, so the decoder is what turns phones into sound. It is causal and
cannot wait, so each frame also names the phones that come next.
"""
import dataclasses

RATE, FRAME = 24000, 1920           # samples a second, samples of a frame (80 ms)
UNITS = 3                           # units of time in a frame; in each there is one phone
PHONES = 80                         # ids of phones, those with stress counted apart; 0 is silence
SILENCE = 0
HOLD = 8                            # values of "how long the last phone goes on"
PERIODS = (5, 28)                   # fewest and most pitch periods in a frame
LOUD = (-6.0, 10.0, 16)             # range of the teacher's loudness, and steps in it
GLIDES = 3                          # the pitch falls, stays, rises inside the frame
VOICES = 8                          # room for speakers times languages

LEAD = 2                            # silent frames before speech where text comes live

SPEAKERS = ("ada", "max")
LANGUAGES = ("english", "french")


@dataclasses.dataclass(frozen=True)
class Group:
    name: str
    size: int                       # values in use; the codebook may be larger
    says: str


GROUPS = (
    Group("now", PHONES, "the phone in the last unit: where speech is when the frame ends"),
    Group("hold", HOLD, "units for which that phone goes on after the frame"),
    Group("next", PHONES, "the phone after it; silence where that is HOLD - 1 units away or more"),
    Group("after", PHONES, "the phone after that one; likewise"),
    Group("third", PHONES, "and the one after that; likewise"),
    *(Group("unit%d" % i, PHONES, "the phone in unit %d" % i) for i in range(UNITS - 1)),
    Group("pitch", PERIODS[1] - PERIODS[0] + 1, "whole pitch periods in the frame"),
    Group("glide", GLIDES, "how the pitch moves inside the frame"),
    *(Group("loud%d" % i, LOUD[2], "loudness of unit %d" % i) for i in range(UNITS)),
    Group("voice", VOICES, "speaker and language: the decoder has no other way to know"),
    *(Group("spare%d" % i, 1, "always 0") for i in range(3)),
)
INDEX = {g.name: i for i, g in enumerate(GROUPS)}
COUNT = len(GROUPS)
AHEAD = [INDEX[name] for name in ("hold", "next", "after", "third")]  # what a talker must know beforehand

# Entries of every codebook: the largest group. The reference bans the top 1024 ids of the talker's
# vocabulary but the end of speech, so all other ids live there.
CODES = max(g.size for g in GROUPS)
VOCABULARY = CODES + 1024
CONTROL = {name: CODES + i for i, name in enumerate(
    ("pad", "bos", "eos", "think", "nothink", "think_bos", "think_eos"))}
LANGUAGE_ID = {name: CODES + 16 + i for i, name in enumerate(LANGUAGES)}
SPEAKER_ID = {name: CODES + 64 + i for i, name in enumerate(SPEAKERS)}


def voice_code(speaker, language):
    return SPEAKERS.index(speaker) * len(LANGUAGES) + LANGUAGES.index(language)


def silent_before(frame):
    """The codes of a silent frame some time before this one; pitch and voice are the same."""
    out = frame.copy()
    for name, value in dict(now=SILENCE, hold=HOLD - 1, next=SILENCE, after=SILENCE, third=SILENCE,
                            unit0=SILENCE, unit1=SILENCE, glide=GLIDES // 2, loud0=0, loud1=0,
                            loud2=0).items():
        out[INDEX[name]] = value
    return out


def voice_of(code):
    """-> speaker, language"""
    speaker, language = divmod(int(code), len(LANGUAGES))
    return SPEAKERS[speaker], LANGUAGES[language]


assert COUNT == 16
assert len(SPEAKERS) * len(LANGUAGES) <= VOICES
