"""A text and how it is to be spoken -> the rows of the talker's prompt, in both text layouts.

Whole text: all of it stands in the prompt. Live text: the prompt holds its first token, and each
frame brings the next one along.
"""
import dataclasses

from train.model import layout
from train.model.tokenizer import ROLE

NONE = -1                           # no codec id in a row
AUTO = "auto"


@dataclasses.dataclass
class Prompt:
    text: list                      # text ids of the rows
    codec: list                     # codec ids of the rows, or NONE
    trailing: list                  # text ids that come with the frames; then pad for ever
    pad: int                        # text id of padding
    first: int                      # row of the text's first token
    live: bool

    def text_row(self, token):
        """Row of a token of the text; from len(self.text) on these are frames' rows."""
        return self.first + token

    def frame_text(self, frame):
        """text id that is added to the row of a frame"""
        return self.trailing[frame] if frame < len(self.trailing) else self.pad


def tags(language):
    c = layout.CONTROL
    if language == AUTO:
        return [c["nothink"], c["think_bos"], c["think_eos"]]
    return [c["think"], c["think_bos"], layout.LANGUAGE_ID[language], c["think_eos"]]


def build(tok, ids, speaker, language, live):
    """ids: the text's tokens, at least one; language: a name or AUTO"""
    c, sp = layout.CONTROL, tok.special
    pad, start, end = (sp["<tts_%s>" % name] for name in ("pad", "text_bos", "text_eod"))
    lead = tags(language) + [layout.SPEAKER_ID[speaker]]
    text = [sp["<|im_start|>"], *tok.encode(ROLE), *tok.encode("\n")]
    codec = [NONE] * len(text) + lead + [c["pad"]]
    text += [pad] * len(lead) + [start]
    first = len(text)
    if live:
        return Prompt(text + [ids[0]], codec + [c["bos"]], [*ids[1:], end], pad, first, True)
    text += [*ids, end, pad]
    codec += [c["pad"]] * (len(ids) + 1) + [c["bos"]]
    return Prompt(text, codec, [], pad, first, False)
