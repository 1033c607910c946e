"""Measures a voice through the program `kazeia`, as its users have it.

usage: python3 -m train.evaluate WORK MODEL [quick] [--parts errors,codes,phones,melody,...]
                                 [--spoken]
MODEL: a checkpoint folder or packed file; KAZEIA: the program. WORK: the work folder of the
training, for the teacher; without one the teacher's figures are left out. Writes WORK/report.json
and WORK/report.md, after each part; sounds and what was heard go to WORK/report. quick: a handful
of sentences. --spoken: for voices that do not read digits, texts are given in words.
"""
import argparse
import json
import os
import sys
import time

from train.eval import decoded, ends, engine, errors, melody, phones, report, taught
from train.eval.heard import Heard, progress
from train.eval.sets import CODES

PARTS = ("errors", "codes", "phones", "melody", "ends", "strays")
QUICK, QUICK_TEXTS = 1, 12


def teacher_of(work):
    """-> the teacher, the rates of WORK/teacher.json; None and [] where they are not there"""
    path, rates = os.path.join(work, "teacher.json"), []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            rates = json.load(f)
    found = taught.Taught(work, os.path.join(work, "report", "teacher"))
    return (found if found.there() else None), rates


class Evaluation:
    def __init__(self, a):
        self.a, folder = a, os.path.join(a.work, "report")
        os.makedirs(folder, exist_ok=True)
        self.voice = engine.Engine(a.model, folder)
        self.heard = Heard(os.path.join(folder, "heard.json"), folder)
        self.languages = [n for n in CODES if n in self.voice.languages]
        self.teacher, self.rates = teacher_of(a.work)
        self.most = QUICK if a.quick else None
        self.report = {"speakers": self.voice.speakers, "languages": self.languages,
                       "quick": bool(a.quick), "missing": []}

    def part(self, name):
        most, spoken = self.most, self.a.spoken
        if name == "errors":
            return errors.measure(self.voice, self.heard, self.languages, most, spoken)
        if name == "codes":
            return decoded.measure(self.voice, self.heard, self.teacher, self.languages, most)
        if name == "phones":
            return phones.measure(self.voice, self.teacher, self.languages, most)
        if name == "melody":
            return melody.measure(self.voice, self.teacher, self.languages, most, spoken)
        if name == "ends":
            count = QUICK_TEXTS if most else ends.TEXTS
            return ends.measure(self.voice, self.languages, count, spoken)
        return ends.strays(self.voice, self.heard, self.languages, most)

    def save(self):
        self.heard.save()
        with open(os.path.join(self.a.work, "report.json"), "w", encoding="utf-8") as f:
            json.dump(self.report, f, indent=1, ensure_ascii=False)
            f.write("\n")
        with open(os.path.join(self.a.work, "report.md"), "w", encoding="utf-8") as f:
            f.write(report.markdown(self.report, self.rates))

    def run(self):
        if not self.teacher:
            self.report["missing"].append("Without the teacher: its readers are not in the work "
                                          "folder.")
        for name in self.a.parts:
            if name in ("codes", "phones") and not self.teacher:
                continue
            start = time.time()
            self.report[name] = self.part(name)
            self.save()
            progress("")
            print("%s: %.0f s" % (name, time.time() - start), flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("work")
    p.add_argument("model")
    p.add_argument("quick", nargs="?", choices=["quick"])
    p.add_argument("--parts", type=lambda s: s.split(","), default=PARTS)
    p.add_argument("--spoken", action="store_true", help="texts are given in words")
    a = p.parse_args()
    for name in a.parts:
        if name not in PARTS:
            p.error("'%s' is no part; they are %s" % (name, ", ".join(PARTS)))
    try:
        Evaluation(a).run()
    except (engine.Failed, FileNotFoundError) as e:
        sys.exit("evaluate: %s" % e)


if __name__ == "__main__":
    main()
