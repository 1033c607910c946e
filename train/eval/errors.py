"""Word and character error rates of a voice, end to end: text in, what a recogniser heard out.

Every speaker and language, every set, both text layouts, the language given; the everyday sets also
with the language left to the model. Sampling is as generation_config.json says, sentence i has
seed i.
"""
from train.eval import engine, listen, sets
from train.eval.heard import progress

SETS = ("everyday", "rare", "typed")
LAYOUTS = ("whole", "live")
AUTO = "everyday"                   # the set that is also spoken without a language


def runs(languages):
    """yields (language, set, layout, whether the language is given)"""
    for language in languages:
        for name in SETS:
            for layout in LAYOUTS:
                yield language, name, layout, True
        yield language, AUTO, "whole", False


def rates_of(pairs, language):
    """-> {"wer", "cer"}"""
    return dict(zip(("wer", "cer"), (round(x, 1) for x in listen.rates(pairs, language))))


def one(voice, heard, speaker, run, said, spoken):
    """One row of the report; spoken: the voice is given words, not what is typed"""
    language, name, layout, given = run
    what = "%s-%s-%s-%s%s" % (speaker, language, name, layout, "" if given else "-auto")
    items = [engine.item("%03d" % i, s, speaker, i, s.spoken if spoken else s.typed,
                         language=language if given else "auto", **{layout + "_text": True})
             for i, s in enumerate(said, 1)]
    records = voice.speak(what, items)
    rows = []
    for i, s in enumerate(said, 1):
        progress("listening to %s, %d of %d" % (what, i, len(said)))
        r = records["%03d" % i]
        rows.append({"typed": s.typed, "spoken": s.spoken, "finish": r["finish"],
                     "heard": heard(r["hash"], language, r["output"])})
    pairs = [(r["spoken"], r["heard"]) for r in rows]
    return dict(speaker=speaker, language=language, set=name, layout=layout, given=given,
                sentences=len(rows), words=sum(len(listen.normal(s, language)) for s, _ in pairs),
                **rates_of(pairs, language), heard=rows)


def measure(voice, heard, languages, most, spoken=False):
    out = []
    for speaker in voice.speakers:
        for run in runs(languages):
            said = sets.load(run[1], run[0], most)
            if said:
                out.append(one(voice, heard, speaker, run, said, spoken))
    return out
