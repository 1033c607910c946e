"""Byte-level BPE of the published files' kind, learnt from text with few merges.

A few hundred merges keep a token at one or two phones, so that attention can walk along the
letters. Text in, ids out; the pieces are those of the published pre-tokenizer, so that an engine
cuts a text in the same way. Only the standard library is used.
"""
import collections
import heapq
import json
import os
import unicodedata

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<tts_pad>", "<tts_text_bos>",
           "<tts_text_eod>")
ROLE = "assistant"                  # must be one token: the prompt's rows are cut by position
CONTRACTIONS = ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d")


def _alphabet():
    """Byte -> the printable character that stands for it in vocab.json."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [b for b in range(256) if b not in printable]
    table = {b: chr(b) for b in printable}
    table.update((b, chr(256 + i)) for i, b in enumerate(rest))
    return table


BYTE = _alphabet()
BYTES = [BYTE[b] for b in sorted(BYTE, key=lambda b: ord(BYTE[b]))]


def _kind(c):
    """L letter, N number, S blank, R line end, P anything else"""
    if c in "\r\n":
        return "R"
    if c.isspace():
        return "S"
    k = unicodedata.category(c)[0]
    return k if k in "LN" else "P"


def _end(text, at):
    """Where the piece that begins at `at` ends."""
    n, kind = len(text), [_kind(c) for c in text[at:at + 2]] + ["", ""]

    def run(i, kinds):
        while i < n and _kind(text[i]) in kinds:
            i += 1
        return i
    low = text[at:at + 3].lower()
    for c in CONTRACTIONS:
        if low.startswith(c):
            return at + len(c)
    if kind[0] == "L" or (kind[0] in "SP" and kind[1] == "L"):
        return run(at + 1, "L")
    if kind[0] == "N":
        return at + 1
    start = at + 1 if text[at] == " " else at
    if start < n and _kind(text[start]) == "P":
        return run(run(start, "P"), "R")
    stop = run(at, "SR")
    lines = max(text.rfind("\r", at, stop), text.rfind("\n", at, stop))
    if lines >= 0:
        return lines + 1
    return stop if stop == n or stop - at == 1 else stop - 1


def pieces(text):
    """The text cut as the published pre-tokenizer cuts it."""
    out, at = [], 0
    while at < len(text):
        stop = _end(text, at)
        out.append(text[at:stop])
        at = stop
    return out


def symbols(piece):
    return [BYTE[b] for b in piece.encode("utf-8")]


class _Words:
    """Distinct pieces with their counts, and where each pair of symbols stands in them."""

    def __init__(self, lines):
        count = collections.Counter(p for line in lines for p in pieces(line))
        self.words = [(symbols(p), n) for p, n in sorted(count.items())]
        self.count, self.where = collections.Counter(), collections.defaultdict(set)
        for i in range(len(self.words)):
            self._tally(i, 1)
        self.heap = [(-n, pair) for pair, n in self.count.items()]
        heapq.heapify(self.heap)

    def _tally(self, i, sign):
        word, n = self.words[i]
        for pair in zip(word, word[1:]):
            self.count[pair] += sign * n
            if sign > 0:
                self.where[pair].add(i)

    def best(self):
        """The most frequent pair, the first in order among equals; None where none is left."""
        while self.heap:
            n, pair = heapq.heappop(self.heap)
            if self.count[pair] == -n and n < 0:
                return pair
        return None

    def merge(self, pair):
        changed = set()
        for i in self.where.pop(pair):
            word, n = self.words[i]
            self._tally(i, -1)
            changed.update(zip(word, word[1:]))
            self.words[i] = (merged(word, pair), n)
            self._tally(i, 1)
            changed.update(zip(self.words[i][0], self.words[i][0][1:]))
        for p in changed - {pair}:
            heapq.heappush(self.heap, (-self.count[p], p))


def merged(word, pair):
    out, i = [], 0
    while i < len(word):
        if word[i:i + 2] == list(pair):
            out.append(word[i] + word[i + 1])
            i += 2
        else:
            out.append(word[i])
            i += 1
    return out


def learn(lines, merges):
    """-> [pair]: the merges of a text in their order, and those that make ROLE one token"""
    words, out = _Words(unicodedata.normalize("NFC", x) for x in lines), []
    while len(out) < merges:
        pair = words.best()
        if pair is None:
            break
        words.merge(pair)
        out.append(pair)
    role = Tokenizer(out).split(ROLE)
    while len(role) > 1:
        out.append((role[0], role[1]))
        role[:2] = [role[0] + role[1]]
    return out


class Tokenizer:
    def __init__(self, merges):
        self.merges = [tuple(m) for m in merges]
        self.rank = {m: i for i, m in enumerate(self.merges)}
        names = BYTES + [a + b for a, b in self.merges]
        self.vocab = {name: i for i, name in enumerate(dict.fromkeys(names))}
        self.special = {name: len(self.vocab) + i for i, name in enumerate(SPECIAL)}
        self.size = len(self.vocab) + len(SPECIAL)
        self.names = list(self.vocab) + list(SPECIAL)
        self._exact = {}

    def split(self, piece, drop=None):
        """The symbols of one piece. drop: chooses with drop() which possible merges to leave out,
        so that a word is seen in several spellings."""
        word = symbols(piece)
        while len(word) > 1:
            ranks = [self.rank.get(p, len(self.rank)) for p in zip(word, word[1:])]
            if drop:
                ranks = [len(self.rank) if drop() else r for r in ranks]
            best = min(ranks)
            if best == len(self.rank):
                break
            word = merged(word, self.merges[best])
        return word

    def piece(self, piece):
        if piece not in self._exact:
            self._exact[piece] = [self.vocab[s] for s in self.split(piece)]
        return self._exact[piece]

    def encode(self, text):
        return [i for p in pieces(unicodedata.normalize("NFC", text)) for i in self.piece(p)]

    def encode_dropped(self, text, drop):
        return [self.vocab[s] for p in pieces(unicodedata.normalize("NFC", text))
                for s in self.split(p, drop)]

    def token_of(self, text, ids):
        """[characters of the text, in NFC]: the token in which each begins"""
        token = [k for k, i in enumerate(ids) for _ in self.names[i]]
        out, at = [], 0
        for c in unicodedata.normalize("NFC", text):
            out.append(token[at])
            at += len(c.encode("utf-8"))
        return out

    def save(self, folder):
        """vocab.json, merges.txt and tokenizer_config.json, as the published models have them"""
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "vocab.json"), "w", encoding="utf-8") as f:
            json.dump(self.vocab, f, ensure_ascii=False, separators=(",", ":"))
        with open(os.path.join(folder, "merges.txt"), "w", encoding="utf-8") as f:
            f.write("".join("%s %s\n" % m for m in self.merges))
        added = {str(i): dict(content=t, lstrip=False, normalized=False, rstrip=False,
                              single_word=False, special=True) for t, i in self.special.items()}
        config = dict(
            add_prefix_space=False, added_tokens_decoder=added,
            additional_special_tokens=list(SPECIAL[1:]), bos_token=None,
            clean_up_tokenization_spaces=False, eos_token="<|im_end|>", errors="replace",
            model_max_length=131072, pad_token="<|endoftext|>", split_special_tokens=False,
            tokenizer_class="Qwen2Tokenizer", unk_token=None)
        with open(os.path.join(folder, "tokenizer_config.json"), "w", encoding="utf-8") as f:
            f.write(json.dumps(config, indent=2, ensure_ascii=False) + "\n")

    @classmethod
    def load(cls, folder):
        with open(os.path.join(folder, "merges.txt"), encoding="utf-8") as f:
            return cls([line.split(" ") for line in f.read().split("\n") if line])
