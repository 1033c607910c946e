"""A sentence of the corpus: as people type it, and in the words that are said.

A sentence is a list of tokens without blanks; a token is (typed, spoken). `spoken` may be several
words ("$5" is "five dollars") or none. Typed tokens and spoken words are joined by single blanks,
so that every spoken word can be traced to the token it comes from.
"""
import json

STOPS = ".,;:!?…"


def plain(text):
    """Text that is said as it is typed."""
    return [(t, t) for t in text.split()]


def typed(tokens):
    return " ".join(t for t, _ in tokens)


def spoken(tokens):
    return " ".join(s for _, s in tokens if s)


def behind(tokens, mark, said=None):
    """Puts a mark directly behind the last token; said: what the speaker sees of it."""
    t, s = tokens[-1]
    tokens = tokens[:-1] + [(t + mark, s)]
    said = mark if said is None else said
    for i in range(len(tokens) - 1, -1, -1):
        t, s = tokens[i]
        if s:
            tokens[i] = (t, s.rstrip(STOPS) + said if said else s)
            break
    return tokens


def before(tokens, mark):
    """Puts a mark, which is not said, directly before the first token."""
    return [(mark + tokens[0][0], tokens[0][1])] + tokens[1:]


def capital(tokens):
    def up(s):
        return s[:1].upper() + s[1:]
    return [(up(tokens[0][0]), up(tokens[0][1]))] + tokens[1:]


def literal(piece, short, out):
    """Appends a word of a template: known abbreviations have their words, lone marks are not said
    but stop the speaker."""
    core = piece.rstrip(",;:") if piece.rstrip(",;:") in short else piece.rstrip(STOPS)
    if core in short:
        out.append((piece, short[core] + piece[len(core):]))
    elif any(c.isalnum() for c in piece):
        out.append((piece, piece))
    elif piece[0] in STOPS and out:
        out[-1:] = behind(out[-1:], "", piece)
        out.append((piece, ""))
    else:
        out.append((piece, ""))


def fill(template, slots, short):
    """"It costs {price}." and {"price": function -> tokens} -> tokens; short: abbreviations"""
    out = []
    for piece in template.split():
        head, brace, rest = piece.partition("{")
        if not brace:
            literal(piece, short, out)
            continue
        name, _, tail = rest.partition("}")
        tokens = slots[name]()
        if head:
            t, s = tokens[0]
            tokens = [(head + t, head + s)] + tokens[1:]
        t, s = tokens[-1]
        if tail == "." and t.endswith("."):
            tokens = tokens[:-1] + [(t, s + ".")]
        elif tail and not s:
            tokens = behind(tokens, tail)
        elif tail:
            tokens = tokens[:-1] + [(t + tail, s + tail)]
        out += tokens
    t, s = out[-1]
    return out[:-1] + [(t, s + ".")] if t[-1] == "." and s and s[-1] != "." else out


def dump(row):
    """One line of JSON; tokens that are said as typed are plain strings."""
    row = dict(row, tokens=[t if t == s else [t, s] for t, s in row["tokens"]])
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


def load(line):
    row = json.loads(line)
    row["tokens"] = [(t, t) if isinstance(t, str) else tuple(t) for t in row["tokens"]]
    return row


def owners(tokens):
    """For each blank-separated word of spoken(tokens): the number of its token."""
    return [i for i, (_, s) in enumerate(tokens) for _ in s.split()]
