"""The test sentences of train/eval, as users type them and in the words that are said."""
import dataclasses
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
CODES = {"english": "en", "french": "fr"}


@dataclasses.dataclass(frozen=True)
class Sentence:
    typed: str
    spoken: str
    language: str
    kind: str = ""                  # of questions: yes/no or wh


def load(name, language, most=None):
    """[Sentence] of a set as "everyday"; none where the language has no such set"""
    path = os.path.join(HERE, "%s_%s.json" % (CODES[language], name))
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        rows = json.load(f)["sentences"][:most]
    return [Sentence(r["typed"], r.get("spoken", r["typed"]), language, r.get("kind", ""))
            for r in rows]
