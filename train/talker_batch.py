"""Sentences -> the arrays of one step of the talker's training, in both text layouts."""
import dataclasses

import numpy as np
import torch

from train.misread import misread
from train.model import layout, prompt
from train.reader import Reader, spelling

LIVE, AUTO = 0.4, 0.2               # share of sentences with live text; without a language
MISREAD = 2.0                       # share of misread phones, as a multiple of `wrong`
POOL = 2000                         # sentences of all voices whose frames serve as wrong ones


@dataclasses.dataclass
class Batch:
    text: torch.Tensor              # [N, L] text ids
    codec: torch.Tensor             # [N, L] control ids, or -1
    where: torch.Tensor             # [F, 2] row of each frame: (sentence, row)
    heard: torch.Tensor             # [F, 16] codes the talker sees there, partly wrong
    codes: torch.Tensor             # [F, 16] the right ones; row - 1 predicts them
    ends: torch.Tensor              # [N, 2] rows that predict the end of speech
    guide: torch.Tensor             # [G, 6] sentence, row, and where guide() says from there
    token_rows: torch.Tensor        # [K, 2] rows of tokens
    token_phones: torch.Tensor      # [K, OF_TOKEN]
    word_rows: torch.Tensor         # [W, 2] rows of the last tokens of words
    word_phones: torch.Tensor       # [W, OF_WORD]


class Maker:
    """Draws sentences and makes batches of them."""

    def __init__(self, data, texts, tok, rng):
        self.data, self.texts = data, texts
        self.tok, self.rng, self.read = tok, rng, Reader(tok, rng)
        self.order = []
        some = np.linspace(0, len(data) - 1, min(len(data), POOL)).astype(int)
        self.pool = np.concatenate([data.get("codes", i) for i in some]).astype(np.int64)

    def draw(self, size):
        """Numbers of `size` sentences of like length; every sentence once a pass."""
        if not self.order:
            frames, letters = self.data.lengths("codes"), self.data.lengths("text")
            ix = self.rng.permutation(len(self.data))
            for i in range(0, len(ix), size * 32):
                like = sorted(ix[i:i + size * 32], key=lambda k: frames[k] + 0.3 * letters[k])
                self.order += [like[j:j + size] for j in range(0, len(like), size)]
            self.rng.shuffle(self.order)
        return [int(i) for i in self.order.pop()]

    def some_text(self, size):
        """Numbers of `size` sentences, drawn at random, of like length."""
        letters = self.texts.lengths("text")
        ix = sorted(self.rng.randint(len(self.texts), size=4 * size), key=lambda k: letters[k])
        at = self.rng.randint(3 * size + 1)
        return [int(i) for i in ix[at:at + size]]

    def _prompt(self, data, i, vary, live):
        """-> prompt, reading"""
        reading = self.read(data.text(i), vary)
        speaker, language = layout.voice_of(data.get("codes", i, 0, 1)[0, layout.INDEX["voice"]])
        if vary and self.rng.rand() < AUTO:
            language = prompt.AUTO
        return prompt.build(self.tok, reading.ids, speaker, language, live), reading

    def text_only(self, picks):
        """Prompts with whole text and no speech: cheap, and enough to learn spelling."""
        made = [self._prompt(self.texts, i, True, False) for i in picks]
        return self._batch(self.texts, picks, made, 0.0, False)

    def speech(self, picks, wrong, live=LIVE):
        """wrong: how much of the history is corrupted, 0 to 1; live: share with live text"""
        made = [self._prompt(self.data, i, True, self.rng.rand() < live) for i in picks]
        return self._batch(self.data, picks, made, wrong, True)

    def plain(self, data, picks, live, wrong=0.0):
        """For validation: nothing is varied, all in one text layout; the history is corrupted in
        the same way each time."""
        kept, self.rng = self.rng, np.random.RandomState(picks[0])
        try:
            return self._batch(data, picks, [self._prompt(data, i, False, live) for i in picks],
                               wrong, True)
        finally:
            self.rng = kept

    def _batch(self, data, picks, made, wrong, spoken):
        counts = [int(data.lengths("codes")[i]) + (layout.LEAD if p.live else 0) if spoken else 0
                  for i, (p, _) in zip(picks, made)]
        starts = [len(p.text) for p, _ in made]
        length = max(s + c for s, c in zip(starts, counts))
        text = np.full((len(picks), length), made[0][0].pad)
        codec = np.full((len(picks), length), prompt.NONE)
        parts = {name: [] for name in ("where", "heard", "codes", "guide", "token_rows",
                                       "token_phones", "word_rows", "word_phones")}
        for n, (i, (p, reading), start, count) in enumerate(zip(picks, made, starts, counts)):
            text[n, :start], codec[n, :start] = p.text, p.codec
            text[n, start:start + count] = [p.frame_text(t) for t in range(count)]
            self._spelt(parts, n, start + count, p, reading, data, i)
            if spoken:
                codes, reads = speech(data, i, p.live)
                rows = np.arange(start, start + count)
                parts["where"].append(pairs(n, rows))
                parts["codes"].append(codes)
                parts["heard"].append(self.corrupt(codes, wrong))
                parts["guide"].append(guide(n, rows - 1, p, reading, reads))
        ends = pairs(np.arange(len(picks)), np.array(starts) + counts - 1)
        return Batch(torch.as_tensor(text), torch.as_tensor(codec), ends=torch.as_tensor(ends),
                     **{k: torch.as_tensor(np.concatenate(v)) if v else None
                        for k, v in parts.items()})

    @staticmethod
    def _spelt(parts, n, length, p, reading, data, i):
        by_token, ends, by_word = spelling(reading, data.get("phones", i), data.get("letters", i))
        for name, tokens, phones in (("token", np.arange(len(by_token)), by_token),
                                     ("word", ends, by_word)):
            rows = p.text_row(tokens)
            there = rows < length                  # live text may outlast the speech
            parts[name + "_rows"].append(pairs(n, rows[there]))
            parts[name + "_phones"].append(phones[there])

    def corrupt(self, codes, wrong):
        """A copy in which some phones were misread, some frames are others, some are their
        neighbours, and some codes are others: the talker must look at the text, and find back
        after a slip."""
        n, rng = len(codes), self.rng
        out = misread(codes, MISREAD * wrong, rng)

        def some(share, shape):
            return np.nonzero(rng.rand(*shape) < share * wrong)
        at, = some(0.6, (n,))
        out[at] = self.pool[rng.randint(len(self.pool), size=len(at))]
        at, = some(0.4, (n,))
        out[at] = codes[np.clip(at + rng.choice((-1, 1), size=len(at)), 0, n - 1)]
        at, group = some(0.8, codes.shape)
        out[at, group] = self.pool[rng.randint(len(self.pool), size=len(at)), group]
        return out


def speech(data, i, live):
    """-> codes, reads. With live text silence comes first: the talker names the phones to come, so
    it needs to have read ahead."""
    codes, reads = data.get("codes", i).astype(np.int64), np.array(data.get("reads", i))
    if live:
        lead = np.tile(layout.silent_before(codes[0]), (layout.LEAD, 1))
        codes, reads = np.concatenate([lead, codes]), np.pad(reads, (layout.LEAD, 0), "edge")
    return codes, reads


def pairs(first, second):
    return np.stack(np.broadcast_arrays(first, second), 1).astype(np.int64)


def guide(n, rows, p, reading, reads):
    """Where four heads should look from each row that predicts a frame: at the letter that is read
    when the frame ends, at the token after it, at the end of its word and at that of the next word.
    With live text, only at what has come."""
    token = reading.at(reads)
    end, ends = reading.end[token], np.unique(reading.end[reading.token])
    following = ends[np.minimum(np.searchsorted(ends, end, "right"), len(ends) - 1)]
    at = np.stack([p.text_row(x) for x in (token, token + 1, end)]
                  + [np.minimum(p.text_row(following), rows)], 1)
    table = np.concatenate([pairs(n, rows), at], 1)
    return table[(at <= rows[:, None]).all(1)]
