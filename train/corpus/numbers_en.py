"""Numbers in English words, as flite and most readers say them."""
UNITS = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
         " fifteen sixteen seventeen eighteen nineteen").split()
TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()
SCALES = ((10 ** 12, "trillion"), (10 ** 9, "billion"), (10 ** 6, "million"), (1000, "thousand"))
ORDINALS = {"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth",
            "nine": "ninth", "twelve": "twelfth"}
LIMIT = 10 ** 15


def cardinal(n):
    """cardinal(312) -> "three hundred and twelve"; no hyphens; -5 -> "minus five"."""
    if not -LIMIT < n < LIMIT:
        raise ValueError("%d has no words here: only numbers of up to 15 digits have" % n)
    if n < 0:
        return "minus " + cardinal(-n)
    if n < 20:
        return UNITS[n]
    if n < 100:
        return TENS[n // 10] + (" " + UNITS[n % 10] if n % 10 else "")
    if n < 1000:
        return UNITS[n // 100] + " hundred" + (" and " + cardinal(n % 100) if n % 100 else "")
    for size, name in SCALES:
        if n >= size:
            rest = n % size
            join = " and " if 0 < rest < 100 else " "
            return cardinal(n // size) + " " + name + (join + cardinal(rest) if rest else "")


def ordinal(n):
    """ordinal(21) -> "twenty first"."""
    head, _, last = cardinal(n).rpartition(" ")
    if last in ORDINALS:
        last = ORDINALS[last]
    elif last.endswith("y"):
        last = last[:-1] + "ieth"
    else:
        last += "th"
    return (head + " " + last).strip()


def year(n):
    """year(1987) -> "nineteen eighty seven"; 2005 -> "two thousand and five"."""
    if not 1000 <= n <= 9999 or n % 1000 < 10:
        return cardinal(n)
    high, low = divmod(n, 100)
    if low == 0:
        return cardinal(high) + " hundred"
    return cardinal(high) + " " + ("oh " if low < 10 else "") + cardinal(low)


def digits(s):
    """digits("0142") -> "zero one four two"."""
    return " ".join(UNITS[int(c)] for c in s if c.isdigit())


def decimal(s):
    """decimal("-3.14") -> "minus three point one four"; "1,250.5" is understood."""
    whole, _, part = s.replace(",", "").partition(".")
    negative = whole.startswith("-")
    words = cardinal(int(whole.lstrip("-") or 0))
    if negative:
        words = "minus " + words
    return words + (" point " + digits(part) if part else "")
