"""Envelopes, pulses and borders against signals whose answer is known.

usage: python3 -m train.tests.test_audio
"""
import unittest

import numpy as np

from train import vary
from train.audio import envelope, periodicity, render
from train.teacher import intonation, phones
from train.teacher.utterance import Utterance

RATE = 24000


def resonator(hz, width):
    """Coefficients of one formant."""
    r = np.exp(-np.pi * width / RATE)
    return np.array([1, -2 * r * np.cos(2 * np.pi * hz / RATE), r * r])


def filtered(x, a):
    y = np.zeros(len(x) + 2)
    for i, v in enumerate(x):
        y[i + 2] = v - a[1] * y[i + 1] - a[2] * y[i]
    return y[2:]


def steps(n, rate):
    """Samples around which a sound is measured, every 5 ms"""
    return ((np.arange(n) + 0.5) * 0.005 * rate).astype(int)


def log_response(a, hz):
    z = np.exp(-2j * np.pi * hz / RATE)
    return -np.log(np.abs(a[0] + a[1] * z + a[2] * z * z))


class Audio(unittest.TestCase):
    def test_envelope_of_pulses(self):
        """Pulses through a formant: the envelope is the formant, whatever the pitch."""
        a, n = resonator(1500, 300), 6000
        inner = (envelope.HZ > 300) & (envelope.HZ < 6000)
        for f0 in (110, 200, 290):
            period = RATE // f0
            x = np.zeros(n)
            x[::period] = np.sqrt(period) * 2000   # power 1, times 2000
            frames = n // 120
            bands = envelope.from_sound(filtered(x, a), RATE, np.full(frames, RATE / period),
                                        steps(frames, RATE))
            want = log_response(a, envelope.HZ) + np.log(2000)
            error = (bands[15:-15] - want)[:, inner]
            self.assertLess(np.abs(error).mean(), 0.2, f0)

    def test_envelope_of_noise(self):
        for rate in (22050, 24000):
            x = 500 * np.random.RandomState(1).randn(rate)
            bands = envelope.from_sound(x, rate, np.zeros(190), steps(190, rate))
            want = np.log(500) + 0.5 * np.log(RATE / rate)
            # The mean of a logarithm of noise power lies below the logarithm of the mean.
            self.assertLess(abs(bands.mean() - want), 0.3)

    def test_periodicity(self):
        x = np.zeros(12000)
        x[::120] = 100
        noise = np.random.RandomState(2).randn(12000)
        f0 = np.full(90, 200.0)
        self.assertGreater(periodicity.strengths(x, RATE, f0, steps(90, RATE))[10:-10].min(), 0.9)
        self.assertLess(periodicity.strengths(noise, RATE, f0, steps(90, RATE))[10:-10].mean(), 0.45)

    def test_pulses(self):
        """As many as asked for, the first at 0, on the coarse grid, gliding the right way."""
        for count in range(render.FEWEST, render.MOST + 1):
            for glide in range(len(render.GLIDES)):
                at = render.pulses(count, glide)
                self.assertEqual((len(at), at[0]), (count, 0))
                self.assertFalse((at % 3).any())
                steps = np.diff(np.append(at, render.FRAME))
                self.assertGreater(steps.min(), 0)
                rises = steps[:count // 3].mean() - steps[-(count // 3):].mean()
                if render.GLIDES[glide]:
                    self.assertGreater(rises * render.GLIDES[glide], 0)

    def test_beats(self):
        """Bumps where the pulses are, in voiced steps only; the pitch of a speaker is calmed."""
        u = Utterance("", "ada-english", *[np.zeros(1, int)] * 4, f0=np.full(48, 225.0),
                      energy=np.zeros(48))
        u.f0[16:24] = 0
        got = render.beats(u)
        self.assertEqual((got.shape, render.contour(u)[0].tolist()), ((3, 160), [18] * 3))
        tops = (got[0][1:-1] >= got[0][:-2]) & (got[0][1:-1] > got[0][2:])
        self.assertIn(tops.sum(), (17, 18))        # the first is at the edge
        self.assertLess(got[1][:70].max(), 0.01)
        u.f0[:] = 225 * 2 ** (10 / 12)
        self.assertEqual(render.contour(u)[0][0], round(18 * 2 ** (7 / 12)))

    def test_render(self):
        """What is rendered has the envelope and the pitch that were asked for, each time."""
        n, f0 = 160, 150.0
        bands = np.tile(log_response(resonator(1000, 400), envelope.HZ) + 6.5, (n, 1))
        u = Utterance("", "", *[np.zeros(1, int)] * 4, f0=np.full(n, f0), energy=np.zeros(n),
                      bands=bands, strengths=np.ones((n, 5)))
        y = render.render(u)
        self.assertEqual(len(y), n // 16 * render.FRAME)
        self.assertTrue((y == render.render(u)).all())
        seen = envelope.from_sound(y / render.GAIN, RATE, np.full(n, f0), steps(n, RATE))[20:-20]
        inner = (envelope.HZ > 200) & (envelope.HZ < 6000)
        self.assertLess(np.abs(seen - bands[20:-20])[:, inner].mean(), 0.25)
        seen = periodicity.strengths(y, RATE, np.full(n, f0), steps(n, RATE))
        self.assertGreater(seen[20:-20, 0].min(), 0.8)

    def test_questions(self):
        """The pitch rises from the last stressed vowel of a question, and nowhere else."""
        name = phones.PHONE_ID
        said = ["pau", "y", "eh", "s", "pau", "n", "ow", "pau"]
        u = Utterance("Yes. No?", "", np.array([name[p] for p in said]),
                      np.array([0, 0, 1, 0, 0, 0, 1, 0]), np.arange(3, 27, 3),
                      np.array([-1, 0, 0, 0, -1, 1, 1, -1]), f0=np.full(128, 200.0),
                      energy=np.full(128, 5.0))
        intonation.ask(u, "english")
        moved = np.nonzero(u.f0 != 200)[0]
        start, stop = (int((units + 1.5) * 16 / 3) for units in (18, 21))
        self.assertEqual((moved[0], moved[-1]), (start, stop - 1))
        self.assertTrue((np.diff(u.f0[start:stop]) > 0).all())
        self.assertAlmostEqual(12 * np.log2(u.f0[stop - 1] / 200), intonation.RISE, 2)

    def test_the_same_a_unit_later(self):
        """Phones move by whole units, tracks by the nearest step, and the end is a whole frame."""
        track = np.arange(48.0)
        u = Utterance("x", "ada-english", np.arange(4), np.zeros(4, int), np.array([3, 5, 6, 9]),
                      np.zeros(4, int), f0=track, energy=track, bands=track[:, None],
                      strengths=track[:, None])
        for units, frames, steps in ((1, 4, 5), (2, 4, 11), (3, 4, 16)):
            moved = vary.later(u, units)
            self.assertEqual(moved.frames(), frames)
            self.assertEqual(list(moved.end), [3 + units, 5 + units, 6 + units, 3 * frames])
            self.assertEqual(list(moved.at()[units:units + 9]), list(u.at()))
            for name in ("f0", "energy", "bands"):
                x = np.ravel(getattr(moved, name))
                self.assertEqual(list(x[:steps]), [0] * steps)
                self.assertEqual(list(x[steps:steps + 48]), list(track[:64 - steps]))
                self.assertTrue((x[steps + 48:] == 47).all())
        first, *others = vary.variants(u, np.random.RandomState(1))
        self.assertIs(first, u)
        self.assertEqual([o.end[0] for o in others], [4, 5])
        ratios = [o.f0[30] / vary.later(u, k).f0[30] for k, o in enumerate(others, 1)]
        self.assertTrue(all(vary.PITCHES[0] <= r <= vary.PITCHES[1] for r in ratios), ratios)
        self.assertNotAlmostEqual(ratios[0], ratios[1])

    def test_asking_words(self):
        for text, language, want in (
                ("Where is it? Is it here?", "english", [(2, True), (5, False)]),
                ("I know where. Really?", "english", [(3, False)]),
                ("Où vas-tu ? Tu viens ?", "french", [(2, True), (5, False)]),
                ("Qu'est-ce que c'est ?", "french", [(3, True)]), ("Good.", "english", [])):
            self.assertEqual(intonation.questions(text, language), want, text)


if __name__ == "__main__":
    unittest.main()
