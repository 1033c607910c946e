"""Parts of the model's training against slower or independent ways to the same.

usage: python3 -m train.tests.test_model
"""
import collections
import os
import struct
import tempfile
import unittest
import zlib

import numpy as np
import torch

from train import codes, dataset, png, reader
from train.letters import Letters
from train.misread import misread
from train.model import layout, prompt, snake, tokenizer
from train.teacher import phones as ph
from train.teacher import utterance
from train.teacher.utterance import Utterance

LINES = ["the cat sat on the mat", "été, l'été dernier", "that cat, that hat", "12 cats at 12:30"]


class Tokens(unittest.TestCase):
    def test_learnt_merges(self):
        """Counting everything again for each merge gives the same merges."""
        words = [tokenizer.symbols(p) for x in LINES * 3 for p in tokenizer.pieces(x)]
        for pair in tokenizer.learn(LINES * 3, 12)[:12]:
            count = collections.Counter(p for w in words for p in zip(w, w[1:]))
            self.assertEqual(pair, min(count, key=lambda p: (-count[p], p)))
            words = [tokenizer.merged(w, pair) for w in words]

    def test_characters(self):
        tok = tokenizer.Tokenizer(tokenizer.learn(LINES, 20))
        self.assertEqual(len(tok.encode("assistant")), 1)
        for text in LINES:
            ids = tok.encode(text)
            said = b"".join(bytes(next(b for b, c in tokenizer.BYTE.items() if c == s)
                                  for s in tok.names[i]) for i in ids)
            self.assertEqual(said.decode(), text)
            token = tok.token_of(text, ids)
            self.assertEqual(len(token), len(text))
            self.assertEqual(sorted(token), token)
            half = [tok.vocab[s] for s in tok.split(tokenizer.pieces(text)[0], lambda: True)]
            self.assertEqual(len(half), len(tokenizer.pieces(text)[0].encode()))


    def test_strays(self):
        """Signs in between change neither the words' tokens nor which character has which."""
        tok, rng = tokenizer.Tokenizer(tokenizer.learn(LINES, 20)), np.random.RandomState(1)
        read = reader.Reader(tok, rng)
        for text in LINES * 5:
            mixed, own = read.mixed(text)
            self.assertGreater(len(mixed), len(text))
            self.assertEqual("".join(mixed[i] for i in own), text)
        reader.STRAY, share = 1.0, reader.STRAY
        reader.DROPPED, dropped = 0.0, reader.DROPPED
        for text in LINES * 5:
            plain, strange = read(text, False), read(text, True)
            self.assertEqual(len(strange.token), len(text))
            self.assertGreater(len(strange.ids), len(plain.ids))
            words = [i for i, c in enumerate(text) if c.isalnum() and i > 0]
            self.assertEqual([plain.ids[plain.token[i]] for i in words],
                             [strange.ids[strange.token[i]] for i in words])
        reader.STRAY, reader.DROPPED = share, dropped


class Parts(unittest.TestCase):
    def test_snake(self):
        """The C kernel against the formula in double, and against its gradient."""
        torch.manual_seed(0)
        x, a, ib = torch.randn(2, 3, 500) * 4, torch.rand(3) * 3, torch.rand(3) + 0.1
        args = [t.clone().requires_grad_() for t in (x, a, ib)]
        wide = [t.double().requires_grad_() for t in (x, a, ib)]
        y = snake.snake(*args)
        want = wide[0] + wide[2][:, None] * torch.sin(wide[1][:, None] * wide[0]) ** 2
        self.assertLess((y - want).abs().max(), 1e-5)
        g = torch.randn_like(x)
        y.backward(g)
        want.backward(g.double())
        for got, t in zip(args, wide):
            self.assertLess((got.grad - t.grad).abs().max() / t.grad.abs().max(), 5e-5)

    def test_prompt(self):
        """The worked example of the specification, live; the same text as a whole."""
        tok, c = tokenizer.Tokenizer(tokenizer.learn(LINES, 5)), layout.CONTROL
        sp, role = tok.special, [tok.special["<|im_start|>"], *tok.encode("assistant"),
                                 *tok.encode("\n")]
        pad, bos, eod = sp["<tts_pad>"], sp["<tts_text_bos>"], sp["<tts_text_eod>"]
        tags = [c["think"], c["think_bos"], layout.LANGUAGE_ID["french"], c["think_eos"],
                layout.SPEAKER_ID["max"]]
        p = prompt.build(tok, [7, 9], "max", "french", True)
        self.assertEqual(p.text, role + [pad] * 5 + [bos, 7])
        self.assertEqual(p.codec, [-1] * 3 + tags + [c["pad"], c["bos"]])
        self.assertEqual([p.frame_text(k) for k in range(4)], [9, eod, pad, pad])
        p = prompt.build(tok, [7, 9], "max", "french", False)
        self.assertEqual(p.text, role + [pad] * 5 + [bos, 7, 9, eod, pad])
        self.assertEqual(p.codec, [-1] * 3 + tags + [c["pad"]] * 4 + [c["bos"]])
        self.assertEqual(p.frame_text(0), pad)


class Data(unittest.TestCase):
    def test_codes(self):
        """Frames of 80 ms of a short utterance, written down by hand."""
        name = ph.PHONE_ID
        end = np.array([3, 5, 9, 12])              # units: pau, t, iy with stress, pau
        u = Utterance("tea", "ada-english", np.array([0, name["t"], name["iy"], 0]),
                      np.array([0, 0, 1, 0]), end, np.array([-1, 0, 0, -1]),
                      f0=np.repeat([0.0, 200.0, 0.0], [32, 16, 16]),
                      energy=np.repeat([-6.0, 0.0, 9.9], [16, 16, 32]))
        got, last = codes.encode(u, "max", "french")
        t, iy = codes.symbols(u)[1:3]
        self.assertEqual(t, name["t"])
        self.assertGreaterEqual(iy, len(ph.PHONES))
        self.assertEqual(last.tolist(), [0, 2, 2, 3])
        want = dict(now=[0, iy, iy, 0], hold=[0, 3, 0, 0], next=[t, 0, 0, 0], after=[iy, 0, 0, 0],
                    third=[0] * 4, unit0=[0, t, iy, 0], unit1=[0, t, iy, 0], loud0=[0, 6, 15, 15],
                    loud1=[0, 6, 15, 15], loud2=[0, 6, 15, 15],
                    pitch=[17 - layout.PERIODS[0]] * 4)    # 200 Hz, calmed to 207
        for key, values in want.items():
            self.assertEqual(got[:, layout.INDEX[key]].tolist(), values, key)
        self.assertEqual(set(got[:, layout.INDEX["voice"]]), {layout.voice_code("max", "french")})
        self.assertEqual(layout.voice_of(got[0, layout.INDEX["voice"]]), ("max", "french"))

    def test_misread(self):
        """A misread phone is wrong from where it is named to where it was mended, and only there."""
        said = [1, 30, 5, 31, 2, 32, 9, 33]        # consonants and vowels in turn, a frame each
        frames = np.zeros((len(said), layout.COUNT), int)
        for ahead, name in ((0, "now"), (1, "next"), (2, "after"), (3, "third")):
            frames[:, layout.INDEX[name]] = (said + [0] * 3)[ahead:ahead + len(said)]
        for name in ("unit0", "unit1"):
            frames[:, layout.INDEX[name]] = said
        rng, seen = np.random.RandomState(0), set()
        self.assertTrue((misread(frames, 0.0, rng) == frames).all())
        for _ in range(200):
            got = misread(frames, 0.5, rng)
            for p in range(3, len(said)):
                ways = [got[p - k, layout.INDEX[name]] for k, name in
                        ((3, "third"), (2, "after"), (1, "next"), (0, "now"))]
                wrong = [way != said[p] for way in ways]
                self.assertEqual(wrong, sorted(wrong, reverse=True))
                self.assertLessEqual(len({w for w in ways if w != said[p]}), 1)
                seen.add(sum(wrong))
        self.assertEqual(seen, {0, 1, 2, 3, 4})

    def test_grid(self):
        """Lengths are kept; the silence at both ends is cut, to whole frames."""
        first, units = utterance.trimmed([9, 2, 5, 20])
        self.assertEqual((first, units.tolist()), (6, [3, 2, 5, 5]))
        place = utterance.places(first, 5)
        # The sound of the first phone (from unit 9 on) starts LAG units after its codes.
        self.assertAlmostEqual(place[int((3 + utterance.LAG) * 16 / 3)], 9 - utterance.AHEAD,
                               delta=0.5 * 3 / 16)

    def test_letters(self):
        words = [("chat", "ʃa"), ("cheval", "ʃəval"), ("vache", "vaʃ"), ("lac", "lak"),
                 ("cale", "kal"), ("vaste", "vast"), ("max", "maks"), ("lex", "lɛks"),
                 ("mal", "mal")]
        letters = Letters([(tuple(a), tuple(b)) for a, b in words])
        self.assertIn(letters.align("chat", "ʃa"), ([0, 2], [1, 2]))
        self.assertEqual(letters.align("taxe", "taks"), [0, 1, 2, 2])

    def test_dataset(self):
        with tempfile.TemporaryDirectory() as folder:
            with dataset.Writer(folder, dict(a=("f2", (2,)), b=("u1", ()))) as out:
                out.add(a=[[1, 2], [3, 4], [5, 6]], b=[7])
                out.add(b=[8, 9])
            d = dataset.Dataset(folder)
            self.assertEqual(len(d), 2)
            self.assertEqual(d.get("a", 0, 1, 9).tolist(), [[3, 4], [5, 6]])
            self.assertEqual(d.get("b", 1).tolist(), [8, 9])
            self.assertEqual(d.lengths("a").tolist(), [3, 0])

    def test_png(self):
        image = np.random.RandomState(0).randint(0, 256, (5, 7, 3)).astype(np.uint8)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.png")
            png.save(path, image)
            with open(path, "rb") as f:
                b = f.read()
        at, data = 8, b""
        while at < len(b):
            n, kind = struct.unpack(">I4s", b[at:at + 8])
            self.assertEqual(zlib.crc32(b[at + 4:at + 8 + n]),
                             struct.unpack(">I", b[at + 8 + n:at + 12 + n])[0])
            data += b[at + 8:at + 8 + n] if kind == b"IDAT" else b""
            at += 12 + n
        rows = np.frombuffer(zlib.decompress(data), np.uint8).reshape(5, 22)
        self.assertTrue((rows[:, 1:].reshape(5, 7, 3) == image).all() and not rows[:, 0].any())


if __name__ == "__main__":
    unittest.main()
