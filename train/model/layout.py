"""How the 16 codes of an 80 ms frame are used, and the ids of everything that is not a code.

The one place that knows: data, training, export and generation all read it here. The codes are a
phonetic transcript on a time grid, so the decoder is what turns phones into sound. It is causal and
cannot wait, so each frame also names the phones that come next.
"""
import dataclasses

RATE, FRAME = 24000, 1920           # samples a second, samples of a frame (80 ms)
SLOTS = 8                           # slots of 10 ms in a frame; each holds one phone
PHONES = 80                         # ids of phones, those with stress counted apart; 0 is silence
SILENCE = 0
HOLD = 16                           # values of "how long the last phone goes on"
PERIODS = (5, 28)                   # fewest and most pitch periods in a frame
LOUD, LOUD_STEP = 8, 0.35           # steps of loudness against the phone's mean, nepers each
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
    Group("now", PHONES, "the phone in the last slot: where speech is when the frame ends"),
    Group("hold", HOLD, "slots for which that phone goes on after the frame"),
    Group("next", PHONES, "the phone after it; silence where that is HOLD - 1 slots away or more"),
    Group("after", PHONES, "the phone after that one; likewise"),
    *(Group("slot%d" % i, PHONES, "the phone in slot %d" % i) for i in range(SLOTS - 1)),
    Group("pitch", PERIODS[1] - PERIODS[0] + 1, "whole pitch periods in the frame"),
    Group("loud", LOUD, "loudness against the mean of the phones"),
    Group("glide", GLIDES, "how the pitch moves inside the frame"),
    Group("voice", VOICES, "speaker and language: the decoder has no other way to know"),
    Group("spare", 1, "always 0"),
)
INDEX = {g.name: i for i, g in enumerate(GROUPS)}
COUNT = len(GROUPS)
AHEAD = [INDEX[name] for name in ("hold", "next", "after")]  # what a talker must know beforehand

# Entries of every codebook: the largest group. The reference bans the top 1024 ids of the talker's
# vocabulary but the end of speech, so all other ids live there.
QUIET = LOUD // 2                   # loudness of a frame without speech
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
    out[:INDEX["pitch"]] = SILENCE
    out[INDEX["hold"]], out[INDEX["loud"]], out[INDEX["glide"]] = HOLD - 1, QUIET, GLIDES // 2
    return out


def voice_of(code):
    """-> speaker, language"""
    speaker, language = divmod(int(code), len(LANGUAGES))
    return SPEAKERS[speaker], LANGUAGES[language]


assert COUNT == 16
assert len(SPEAKERS) * len(LANGUAGES) <= VOICES
