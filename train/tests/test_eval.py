"""What the report of a voice measures, against sounds and texts whose answer is known.

usage: python3 -m train.tests.test_eval
"""
import os
import tempfile
import types
import unittest

import numpy as np

from train.codes import symbols
from train.eval import ends, errors, heard, intonation, phones, pitch, report, words
from train.eval.sets import Sentence, load
from train.model import layout
from train.teacher.phones import GAP, PAUSE, PHONE_ID

RATE = 24000


def voice(hz, seconds, rate=RATE):
    """Pulses with overtones; hz: one pitch, or [(time, Hz)] between which it is linear in time"""
    t = np.arange(int(seconds * rate)) / rate
    curve = np.full(len(t), float(hz)) if np.isscalar(hz) else np.interp(t, *zip(*hz))
    phase = 2 * np.pi * np.cumsum(curve) / rate
    return 0.2 * sum(np.cos(k * phase) / k for k in range(1, 8)), curve


def silence(seconds, rate=RATE):
    return np.zeros(int(seconds * rate))


class Pitch(unittest.TestCase):
    def test_tones(self):
        for rate in (16000, 22050, 24000):
            for hz in (70, 111, 180.5, 260, 350):
                f0, _ = pitch.track(voice(hz, 0.5, rate)[0], rate)
                inner = f0[5:-5]
                self.assertTrue((inner > 0).all(), (rate, hz))
                self.assertLess(np.abs(inner / hz - 1).max(), 0.01, (rate, hz))

    def test_glide(self):
        y, curve = voice([(0, 120), (1, 240)], 1)
        f0, _ = pitch.track(y, RATE)
        want = curve[np.arange(len(f0)) * RATE // 100]
        self.assertLess(np.abs(f0[8:-8] / want[8:-8] - 1).max(), 0.03)

    def test_in_noise(self):
        noise = np.random.RandomState(3)
        f0, _ = pitch.track(voice(150, 1)[0] + 0.05 * noise.randn(RATE), RATE)
        self.assertLess(np.abs(f0[f0 > 0] / 150 - 1).max(), 0.03)
        self.assertGreater((f0 > 0).mean(), 0.9)

    def test_unvoiced(self):
        f0, _ = pitch.track(np.random.RandomState(4).randn(RATE), RATE)
        self.assertLess((f0 > 0).mean(), 0.02)
        f0, loud = pitch.track(silence(0.5), RATE)
        self.assertEqual((f0.sum(), loud.sum()), (0, 0))

    def test_likeness(self):
        x = np.random.RandomState(5).randn(1, pitch.WINDOW + pitch.LAGS)
        got, w = pitch.likeness(x)[0], pitch.WINDOW
        for lag in (0, 1, 20, pitch.LAGS - 1):
            a, b = x[0, :w], x[0, lag:lag + w]
            self.assertAlmostEqual(got[lag], 2 * a @ b / (a @ a + b @ b))
        self.assertAlmostEqual(got[0], 1)

    def test_loudness(self):
        y = np.concatenate([np.full(2400, 0.5), np.full(2400, -0.1)])
        np.testing.assert_allclose(pitch.loudness(y, RATE), [0.5] * 10 + [0.1] * 10)


class Intonation(unittest.TestCase):
    def move(self, *points):
        return intonation.end_move(pitch.track(voice(points, points[-1][0])[0], RATE)[0])

    def test_ends(self):
        self.assertAlmostEqual(self.move((0, 200), (1, 200)), 0, delta=0.1)
        # Linear from 200 to 250 Hz in 300 ms: the middles of the outer thirds are 208.3 and 241.7.
        self.assertAlmostEqual(self.move((0, 200), (0.7, 200), (1, 250)),
                               12 * np.log2(241.7 / 208.3), delta=0.3)
        self.assertAlmostEqual(self.move((0, 150), (0.7, 150), (1, 110)),
                               -12 * np.log2(143.3 / 116.7), delta=0.4)
        self.assertIsNone(intonation.end_move(np.zeros(50)))

    def test_share(self):
        moves = [2, 1.5, 0.9, -3, None]
        self.assertEqual(intonation.share(moves, 1), 50)
        self.assertEqual(intonation.share(moves, -1), 25)
        self.assertIsNone(intonation.share([None], 1))

    def test_range(self):
        f0 = np.concatenate([np.zeros(100), np.full(50, 100), np.full(50, 200)])
        self.assertAlmostEqual(intonation.pitch_range([(f0, None)]), 12)

    def test_places(self):
        commas, gaps = intonation.places("Ab cd, ef gh.")
        self.assertEqual(commas, [0.5])
        self.assertEqual(gaps, [0.25, 0.75])
        self.assertEqual(intonation.places("Yes.")[0], [])

    def test_pauses(self):
        for seconds in (0.2, 0.1, 0.06, 0.03, 0):
            y = np.concatenate([silence(0.3), voice(150, 0.8)[0], silence(seconds),
                                voice(150, 0.8)[0], silence(0.3)])
            loud = pitch.loudness(y, RATE)
            self.assertEqual(intonation.low_near(loud, 0.5), round(100 * seconds), seconds)
            self.assertEqual(intonation.low_near(loud, 0.9), 0, seconds)

    def test_measure(self):
        up = voice([(0, 200), (0.9, 200), (1.2, 260)], 1.2)[0]
        down = voice([(0, 200), (0.9, 200), (1.2, 150)], 1.2)[0]
        pause = np.concatenate([down, silence(0.15), down])
        said = [(Sentence("Is it?", "", "english", "yes/no"), up, RATE),
                (Sentence("Why is it?", "", "english", "wh"), down, RATE),
                (Sentence("It is.", "", "english"), down, RATE),
                (Sentence("It is, is it.", "", "english"), pause, RATE)]
        got = intonation.measure(said)
        want = {"rise yes/no": 100, "rise wh": 0, "rise statements": 0, "fall statements": 100,
                "commas": 1, "pause at commas": 100, "ms at commas": 150, "sentences": 4}
        self.assertEqual({k: got[k] for k in want}, want)
        # Of 600 steps the 30 of the rise lie above 200 Hz, and 30 of the four falls below 162.5.
        self.assertAlmostEqual(got["range"], 12 * np.log2(200 / 162.5), delta=0.3)


class Texts(unittest.TestCase):
    def test_thousand(self):
        said = ends.texts(["english", "french"])
        self.assertEqual(len(said), 1000)
        self.assertEqual(sum(s.language == "french" for s in said), 500)
        single = [s for s in said if " " not in s.typed]
        self.assertGreaterEqual(len(single), 200)
        self.assertGreater(len({s.typed for s in single}), 150)
        sizes = [len(s.typed) for s in said]
        self.assertLessEqual(max(sizes), 400)
        self.assertGreater(max(sizes), 370)
        self.assertGreaterEqual(sum(n > 100 for n in sizes), 150)
        self.assertEqual(len(ends.texts(["english"], 13)), 13)

    def test_odd(self):
        text = "a" * 60             # 1.8 to 10.6 seconds
        self.assertEqual([ends.odd(x, text) for x in (1.7, 1.9, 10.5, 10.7)],
                         [True, False, False, True])

    def test_strays(self):
        """Texts with strays are the texts without them, and something."""
        count = 0
        for language in ("english", "french"):
            for s in load("strays", language):
                rest = iter(s.typed)
                self.assertTrue(all(c in rest for c in s.spoken), s.typed)
                self.assertGreater(len(s.typed), len(s.spoken))
                count += 1
        self.assertEqual(count, 40)

    def test_questions(self):
        for language, most in (("english", 20), ("french", 10)):
            kinds = [s.kind for s in load("questions", language)]
            self.assertEqual((kinds.count("yes/no"), kinds.count("wh")), (most, most))

    def test_runs(self):
        rows = list(errors.runs(["english"]))
        self.assertEqual(len(rows), len(set(rows)))
        self.assertIn(("english", "everyday", "whole", False), rows)
        self.assertEqual(load("rare", "french"), [])

    def test_uncertainty(self):
        wrong, count = words.counted([("one two three", "one two tree"), ("four five", "six")])
        self.assertEqual((list(wrong), count), ([1, 2], 5))
        # A coin that is thrown for every one of many sentences of 5 words: half a word each.
        random = np.random.RandomState(6)
        rates = [random.randint(0, 2, 400).sum() / 20 for _ in range(500)]
        coins = random.randint(0, 2, 400)
        got = words.uncertainty(coins, np.zeros(400), 2000)
        self.assertAlmostEqual(got, np.std(rates), delta=0.05)
        self.assertEqual(words.uncertainty(coins, coins, 2000), 0)


class Phones(unittest.TestCase):
    def test_said(self):
        """"no, no": a phone that lasts is one; silence, gaps and stress do not count."""
        names = [PAUSE, "n", "n", "ow", "ow", "ow", GAP, PAUSE, "n", "ow", "ow", PAUSE]
        stress = [int(name == "ow") for name in names]
        units = symbols(types.SimpleNamespace(phone=[PHONE_ID[n] for n in names], stress=stress))
        codes = np.zeros((len(names) // layout.UNITS, layout.COUNT), int)
        codes[:, phones.UNITS] = units.reshape(-1, layout.UNITS)
        want = [PHONE_ID[name] for name in ("n", "ow", "n", "ow")]
        self.assertEqual(phones.said(codes), want)


class Kept(unittest.TestCase):
    def test_heard_once(self):
        asked = []
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "heard.json")
            sound = os.path.join(folder, "a.wav")
            with heard.wave.open(sound, "wb") as f:
                f.setparams((1, 2, 24000, 0, "NONE", ""))
                f.writeframes(np.array([0, 16384, -32768], "<i2").tobytes())
            for key in ("one", "one", "two"):
                h = heard.Heard(path, folder)
                h.listeners["english"] = lambda y, rate: asked.append((list(y), rate)) or "Hello."
                self.assertEqual(h(key, "english", sound), "Hello.")
                h.save()
        self.assertEqual(asked, 2 * [([0, 0.5, -1], 24000)])

    def test_report(self):
        row = dict(speaker="ada", language="english", set="everyday", sentences=3, given=True,
                   layout="whole", wer=1.25, cer=0.5)
        teacher = [{"voice": "ada-english", "own": [2.0, 1.0], "rendered": [3.0, 1.5],
                    "sentences": 20}]
        text = report.errors([row, dict(row, layout="live", wer=50.0)], [], teacher)
        self.assertIn("| `ada`, english | everyday | 3 | 2.0 / 1.0 (20 sentences) | 3.0 / 1.5 |  "
                      "| 1.2 / 0.5 | 50.0 / 0.5 |  |", text)
        self.assertIn("Whisper tiny.en", text)


if __name__ == "__main__":
    unittest.main()
