"""The measures of train/evaluate.py as Markdown, for the voice's README."""

HEARD = {"english": "Whisper tiny.en", "french": "Whisper base"}


def cell(x):
    return "" if x is None else x if isinstance(x, str) else "%d" % x if isinstance(x, int) \
        else "%.1f" % x


def table(head, rows):
    lines = ["| %s |" % " | ".join(map(cell, row)) for row in [head] + rows]
    return "\n".join([lines[0], "|%s" % (" --- |" * len(head))] + lines[1:])


def pair(x):
    return "%.1f / %.1f" % (x["wer"], x["cer"]) if x else ""


def of_teacher(teacher, speaker, language, part):
    """"own" or "rendered" of WORK/teacher.json, with how many sentences they are of"""
    for row in teacher:
        if row["voice"] == "%s-%s" % (speaker, language):
            return "%.1f / %.1f" % tuple(row[part]) + \
                (" (%d sentences)" % row["sentences"] if part == "own" else "")
    return ""


def errors(rows, codes, teacher):
    """A line for each speaker, language and set."""
    keys = list(dict.fromkeys((r["speaker"], r["language"], r["set"]) for r in rows))
    lines = []
    for key in keys:
        own = [r for r in rows if (r["speaker"], r["language"], r["set"]) == key]

        def of(layout, given):
            return next((r for r in own if (r["layout"], r["given"]) == (layout, given)), None)
        decoder = next((r for r in codes if (r["speaker"], r["language"], r["set"]) == key), None)
        speaker, language, name = key
        asked = name == "everyday"
        lines.append(["`%s`, %s" % (speaker, language), name, own[0]["sentences"],
                      of_teacher(teacher, speaker, language, "own") if asked else "",
                      of_teacher(teacher, speaker, language, "rendered") if asked else "",
                      pair(decoder), pair(of("whole", True)), pair(of("live", True)),
                      pair(of("whole", False))])
    heard = "; ".join("%s: %s" % (n, HEARD[n]) for n in dict.fromkeys(k[1] for k in keys))
    return "\n".join([
        "Word / character error rates of a recogniser, in per cent (%s). End to end with" % heard,
        "`generation_config.json` and fixed seeds.", "",
        table(["voice", "sentences", "number", "teacher's own sound", "rendered",
               "decoder on true codes", "whole text", "live text", "language automatic"], lines)])


def phones(rows):
    return table(["voice", "sentences", "number", "phones wrong", "sentences without a slip"],
                 [["`%s`, %s" % (r["speaker"], r["language"]), r["set"], r["sentences"],
                   r["per"], r["whole"]] for r in rows])


MELODY = (("range", "range, semitones"), ("rise yes/no", "yes/no questions that rise"),
          ("rise wh", "other questions"), ("rise statements", "statements that rise"),
          ("fall statements", "statements that fall"), ("pause at commas", "commas with a pause"),
          ("ms at commas", "ms there"), ("pause elsewhere", "other words with a pause"),
          ("ms elsewhere", "ms there"))


def melody(rows):
    lines = [["`%s`, %s" % (r["speaker"], r["language"]), r["who"]] + [r[k] for k, _ in MELODY]
             for r in rows]
    return "\n".join([
        "Pitch by one tracker for all; range: 5 to 95 per cent of the voiced time; a rise or fall:",
        "more than a semitone over the last 300 ms of voice; a pause: at least 60 ms of low energy",
        "within a quarter of a second (the closures of p, t and k count, too; between words that no",
        "comma parts they are most); ms: the median of the longest there. Else per cent. The",
        "rendered sound is what the voice learnt from; in it questions were made to rise.", "",
        table(["voice", "who"] + [name for _, name in MELODY], lines)])


def ends(x):
    return ("%d texts (one word, sentences, up to 400 characters), %.2f hours of sound: %d were "
            "stopped before they ended, %d took longer or shorter than their letters let expect; "
            "%.0f ms a letter."
            % (x["texts"], x["hours"], x["stopped"], x["odd"], 1000 * x["seconds a letter"]))


def strays(rows):
    return table(["language", "sentences", "with stray signs", "without"],
                 [[r["language"], r["sentences"], pair(r["with"]), pair(r["without"])]
                  for r in rows])


def markdown(report, teacher):
    parts = []
    if "errors" in report:
        parts += ["## How well it is understood",
                  errors(report["errors"], report.get("codes", []), teacher)]
    if "phones" in report:
        parts += ["## Phones in the codes", "In per cent, against what the reader says.",
                  phones(report["phones"])]
    if "melody" in report:
        parts += ["## Intonation", melody(report["melody"])]
    if "ends" in report:
        parts += ["## Ends", ends(report["ends"])]
    if "strays" in report:
        parts += ["## Signs that are not said",
                  "Word / character error rates of the same texts.", strays(report["strays"])]
    return "\n\n".join(parts + report["missing"]) + "\n"
