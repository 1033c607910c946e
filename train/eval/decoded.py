"""How well a voice's decoder is understood on the codes that the teacher's speech became."""
from train.eval import sets
from train.eval.errors import rates_of
from train.eval.heard import progress

SETS = ("everyday", "rare")


def one(voice, heard, name, said):
    """said: [(sentence, codes [T, 16])] of one language -> rates and what was heard"""
    records = voice.decode(name, {"%03d" % i: codes for i, (_, codes) in enumerate(said)})
    rows = []
    for i, (s, _) in enumerate(said):
        progress("listening to %s, %d of %d" % (name, i + 1, len(said)))
        r = records["%03d" % i]
        rows.append({"spoken": s.spoken, "heard": heard(r["hash"], s.language, r["output"])})
    pairs = [(r["spoken"], r["heard"]) for r in rows]
    return dict(sentences=len(rows), **rates_of(pairs, said[0][0].language), heard=rows)


def measure(voice, heard, taught, languages, most):
    out = []
    for speaker in voice.speakers:
        for language in languages:
            for name in SETS:
                said = sets.load(name, language, most)
                said = taught.codes(speaker, said) if said else []
                if said:
                    what = "codes-%s-%s-%s" % (speaker, language, name)
                    out.append(dict(speaker=speaker, language=language, set=name,
                                    **one(voice, heard, what, said)))
    return out
