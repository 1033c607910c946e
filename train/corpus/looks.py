"""Changes of look: what people do with type that leaves the words nearly the same.

Each takes (tokens, random) and gives tokens or None where it does not fit.
"""
from train.corpus.sentence import STOPS, before, behind

SYMBOLS = "😀 👍 🎉 ❤️ ✅ 🙏 Привет 東京 你好 שלום مرحبا ★ → ♪".split()
QUOTES = {"english": (('"', '"'), ("“", "”"), ("'", "'"), ("‘", "’")),
          "french": (('"', '"'), ("“", "”"), ("«\u00a0", "\u00a0»"), ("« ", " »"))}


def curly(tokens, _):
    """don’t for don't"""
    out = [(t.replace("'", "’"), s) for t, s in tokens]
    return out if out != tokens else None


def shout(tokens, _):
    """THE WHOLE SENTENCE; not where a token has another reading than its letters"""
    if any(t != s or any(c.isdigit() for c in t) for t, s in tokens):
        return None
    return [(t.upper(), s) for t, s in tokens]


def shout_word(tokens, r):
    at = [i for i, (t, s) in enumerate(tokens) if t == s and t.isalpha() and len(t) > 3]
    if not at:
        return None
    i = r.choice(at)
    return tokens[:i] + [(tokens[i][0].upper(), tokens[i][1])] + tokens[i + 1:]


def small(tokens, _):
    """all in lower case, as in chats"""
    out = [(t.lower(), s) for t, s in tokens]
    return out if out != tokens else None


def bare(tokens, _):
    """without the full stop at the end"""
    t, s = tokens[-1]
    return tokens[:-1] + [(t[:-1], s)] if t.endswith(".") and len(t) > 2 else None


def wrap(tokens, a, b):
    """Marks around some tokens; marks with a blank become tokens of their own."""
    if a.endswith(" "):
        tokens = [(a.strip(), "")] + tokens
    else:
        tokens = before(tokens, a)
    t, s = tokens[-1]
    tail = t[len(t.rstrip(STOPS)):]
    t = t[:len(t) - len(tail)]
    if b.startswith(" "):
        return tokens[:-1] + [(t, s), (b.strip() + tail, "")]
    return tokens[:-1] + [(t + b + tail, s)]


def quotes(language):
    def look(tokens, r):
        """marks around the sentence, or around a few words"""
        a, b = r.choice(QUOTES[language])
        if len(tokens) < 5 or r.random() < 0.4:
            return wrap(tokens, a, b)
        i = r.randrange(1, len(tokens) - 2)
        j = min(len(tokens), i + r.randint(1, 3))
        return tokens[:i] + wrap(tokens[i:j], a, b) + tokens[j:]
    return look


def aside(tokens, r, marks=None):
    """(brackets) or dashes around some words, said between short pauses"""
    if len(tokens) < 7:
        return None
    i = r.randrange(2, len(tokens) - 3)
    j = i + r.randint(1, min(3, len(tokens) - i - 2))
    middle = tokens[i:j]
    if any(c in STOPS for t, _ in middle + [tokens[i - 1]] for c in t):
        return None
    a, b = marks or r.choice((("(", ")"), ("(", ")"), ("[", "]"), ("– ", " –"), ("—", "—")))
    head, middle = behind(tokens[:i], "", ","), behind(wrap(middle, a, b), "", ",")
    return head + middle + tokens[j:]


def skipped(tokens, r):
    """A sign or a word of another script, which is not said."""
    i = r.randint(1, len(tokens))
    return tokens[:i] + [(r.choice(SYMBOLS), "")] + tokens[i:]


def dots(tokens, r):
    t, s = tokens[-1]
    if not t.endswith(".") or len(t) < 3:
        return None
    return tokens[:-1] + [(t[:-1] + r.choice(("...", "…")), s)]


def all_looks(language):
    """[(weight, look)]"""
    return [(4, curly), (2, shout), (2, shout_word), (2, small), (2, bare), (3, quotes(language)),
            (2, aside), (1, skipped), (1, dots)]


def change(tokens, language, r, share):
    """With probability `share` one look; sometimes a second one."""
    names, weights = [], []
    for weight, look in all_looks(language):
        names.append(look)
        weights.append(weight)
    while r.random() < share:
        tokens = r.choices(names, weights)[0](tokens, r) or tokens
        share /= 4
    return tokens
