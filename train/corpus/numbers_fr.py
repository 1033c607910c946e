"""Numbers in French words, as in France; hyphens below one hundred, "et" before un and onze."""
UNITS = ("zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze"
         " seize dix-sept dix-huit dix-neuf").split()
TENS = "- - vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt".split()
SCALES = ((10 ** 12, "billion"), (10 ** 9, "milliard"), (10 ** 6, "million"))
ORDINALS = {"cinq": "cinquième", "neuf": "neuvième"}
LIMIT = 10 ** 15


def _below_hundred(n, final):
    """final: nothing stands behind it, so quatre-vingts has its s"""
    if n < 20:
        return UNITS[n]
    tens, unit = divmod(n, 10)
    if tens in (7, 9):
        unit += 10
    if unit == 0:
        return TENS[tens] + ("s" if tens == 8 and final else "")
    if unit in (1, 11) and tens < 8:
        return TENS[tens] + " et " + UNITS[unit]
    return TENS[tens] + "-" + UNITS[unit]


def _below_thousand(n, final):
    hundreds, rest = divmod(n, 100)
    if not hundreds:
        return _below_hundred(rest, final)
    head = "cent" if hundreds == 1 else UNITS[hundreds] + " cent"
    if not rest:
        return head + ("s" if hundreds > 1 and final else "")
    return head + " " + _below_hundred(rest, final)


def cardinal(n, feminine=False):
    """cardinal(71) -> "soixante et onze"; feminine: "vingt et une"; -5 -> "moins cinq"."""
    if not -LIMIT < n < LIMIT:
        raise ValueError("%d has no words here: only numbers of up to 15 digits have" % n)
    if n < 0:
        return "moins " + cardinal(-n, feminine)
    parts, rest = [], n
    for size, name in SCALES:
        count, rest = divmod(rest, size)
        if count:
            parts.append(_below_thousand(count, True) + " " + name + ("s" if count > 1 else ""))
    thousands, rest = divmod(rest, 1000)
    if thousands:
        parts.append("mille" if thousands == 1 else _below_thousand(thousands, False) + " mille")
    if rest or not parts:
        parts.append(_below_thousand(rest, True))
    words = " ".join(parts)
    if feminine and (words == "un" or words.endswith((" un", "-un"))):
        words += "e"
    return words


def ordinal(n, feminine=False):
    """ordinal(1) -> "premier", ordinal(21) -> "vingt et unième"."""
    if n == 1:
        return "première" if feminine else "premier"
    words = cardinal(n)
    for last in (" ", "-"):
        head, sep, tail = words.rpartition(last)
        if sep and tail in ORDINALS:
            return head + sep + ORDINALS[tail]
    if words in ORDINALS:
        return ORDINALS[words]
    plural = words.endswith(("vingts", "cents", "millions", "milliards", "billions"))
    words = words[:-1] if plural else words
    return (words[:-1] if words.endswith("e") else words) + "ième"


def year(n):
    """Years are read as numbers."""
    return cardinal(n)


def digits(s):
    return " ".join(UNITS[int(c)] for c in s if c.isdigit())


def decimal(s):
    """decimal("-3,05") -> "moins trois virgule zéro cinq"; "1 250,5" is understood."""
    for blank in " \u00a0\u202f":
        s = s.replace(blank, "")
    whole, _, part = s.partition(",")
    negative = whole.startswith("-")
    words = cardinal(int(whole.lstrip("-") or 0))
    if negative:
        words = "moins " + words
    if not part:
        return words
    zeros = len(part) - len(part.lstrip("0"))
    tail = ["zéro"] * zeros + ([cardinal(int(part))] if part.lstrip("0") else [])
    return words + " virgule " + " ".join(tail)
