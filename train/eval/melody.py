"""The intonation of a voice beside its teacher's: intonation.py on questions and statements."""
from train.eval import engine, intonation, sets
from train.eval.heard import progress, read_wav

STATEMENTS = 20                     # of the everyday set, and of those with commas


def sentences(language, most):
    """Questions; statements that end in a full stop; more that have commas"""
    everyday = [s for s in sets.load("everyday", language) if s.typed.endswith(".")]
    plain = everyday[:most or STATEMENTS]
    commas = [s for s in everyday if "," in s.typed and s not in plain]
    questions = sets.load("questions", language)
    if most:                        # of both kinds
        questions = questions[:most] + questions[-most:]
    return questions + plain + commas[:most or STATEMENTS]


def of_voice(voice, speaker, said, spoken):
    items = [engine.item("%03d" % i, s, speaker, i, s.spoken if spoken else s.typed,
                         language=s.language) for i, s in enumerate(said)]
    progress("speaking questions and statements")
    records = voice.speak("melody-%s-%s" % (speaker, said[0].language), items)
    return [(s, *read_wav(records[item["id"]]["output"])) for item, s in zip(items, said)]


def measure(voice, taught, languages, most, spoken=False):
    """taught: None where the teacher is not there"""
    out = []
    for speaker in voice.speakers:
        for language in languages:
            said = sentences(language, most)
            own = dict(speaker=speaker, language=language)
            out.append(dict(own, who="voice",
                            **intonation.measure(of_voice(voice, speaker, said, spoken))))
            if taught:
                sounds = taught.sounds(speaker, said)
                for who, rows in zip(("teacher's own sound", "rendered"), sounds):
                    out.append(dict(own, who=who, **intonation.measure(rows)))
    return out
