"""What people type in English that is not words: numbers, money, dates, times, abbreviations.

slots(random, lists) -> {name: function -> tokens}; see sentence.py for tokens.
"""
from train.corpus import numbers_en as n
from train.corpus.sentence import plain

MONTHS = ("January February March April May June July August September October November"
          " December").split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
LETTERS = dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", (
    "ay bee see dee ee eff gee aitch eye jay kay ell em en oh pee cue are ess tee you vee"
    " double-you ex why zee").split()))
ACRONYMS = ("BBC CNN FBI CIA USA UK EU UN TV DVD CD PC USB GPS DNA ATM CEO PhD HTML PDF SUV ID VIP"
            " NBA NFL MP IBM BMW UFO RSVP DIY FAQ HR IT PR QR URL").split()
AS_WORDS = "NASA NATO UNESCO UNICEF OPEC FIFA".split()
TITLES = (("Dr.", "doctor"), ("Mr.", "mister"), ("Mrs.", "missus"), ("Ms.", "miz"),
          ("Prof.", "professor"), ("Mr", "mister"), ("Dr", "doctor"), ("St.", "saint"),
          ("Capt.", "captain"), ("Sgt.", "sergeant"), ("Gen.", "general"), ("Rev.", "reverend"))
STREETS = (("St.", "street"), ("Ave.", "avenue"), ("Rd.", "road"), ("Blvd.", "boulevard"))
SHORT = {"etc.": "et cetera", "e.g.": "for example", "i.e.": "that is", "vs.": "versus",
         "approx.": "approximately", "dept.": "department", "w/o": "without", "&": "and",
         "a.k.a.": "also known as", "incl.": "including", "Jan.": "January", "Feb.": "February",
         "Aug.": "August", "Sept.": "September", "Oct.": "October", "Nov.": "November",
         "Dec.": "December", "Mon.": "Monday", "Tue.": "Tuesday", "Wed.": "Wednesday",
         "Fri.": "Friday", "Sat.": "Saturday", "Jr.": "junior", "Sr.": "senior",
         "Inc.": "incorporated", "Ltd.": "limited", "Co.": "company", "est.": "established",
         "tel.": "telephone", "p.": "page", "ft.": "feet", "U.S.": "you ess"}
UNITS = (("km", "kilometer"), ("kg", "kilogram"), ("cm", "centimeter"), ("mm", "millimeter"),
         ("m", "meter"), ("g", "gram"), ("lb", "pound"), ("mi", "mile"), ("min", "minute"),
         ("GB", "gigabyte"), ("MB", "megabyte"), ("ml", "milliliter"), ("h", "hour"))
SPEEDS = (("km/h", "kilometers per hour"), ("mph", "miles per hour"), ("m/s", "meters per second"))
MONEY = (("$", "dollar", "cent"), ("£", "pound", "penny"), ("€", "euro", "cent"))
KINGS = (("Henry", 8), ("Louis", 14), ("Elizabeth", 2), ("George", 3), ("Charles", 1),
         ("Richard", 3), ("Edward", 7), ("William", 4), ("Philip", 2), ("Napoleon", 3))
ROMAN = {1: "I", 2: "II", 3: "III", 4: "IV", 5: "V", 6: "VI", 7: "VII", 8: "VIII", 9: "IX",
         10: "X", 12: "XII", 14: "XIV", 16: "XVI"}


def many(count, name):
    return name if count == 1 else {"penny": "pence"}.get(name, name + "s")


def plural(noun):
    """watch -> watches, city -> cities, knife -> knives, book -> books"""
    if noun.endswith(("s", "x", "ch", "sh")):
        return noun + "es"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun[:-2] + "ves" if noun.endswith("fe") else noun + "s"


def letters(s):
    return " ".join(LETTERS[c.upper()] for c in s if c.isalpha())


def integer(r):
    """Small numbers often, all sizes sometimes."""
    return r.choice((r.randint(0, 12), r.randint(10, 99), r.randint(10, 99), r.randint(100, 999),
                     r.randint(1000, 9999), r.randrange(10 ** r.randint(4, 7))))


def grouped(value, r):
    return "{:,}".format(value) if value > 9999 or r.random() < 0.6 else str(value)


def number(r):
    v = integer(r)
    return [(grouped(v, r), n.cardinal(v))]


def decimal(r):
    s = "%d.%s" % (r.choice((r.randint(0, 9), r.randint(0, 120))), r.randint(1, 99))
    return [(s, n.decimal(s))]


def ordinal(r):
    v = r.choice((r.randint(1, 31), r.randint(1, 31), r.randint(1, 120)))
    end = "th" if v % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(v % 10, "th")
    return [(str(v) + end, n.ordinal(v))]


def day_of_month(r):
    v = r.randint(1, 31)
    end = "th" if v in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(v % 10, "th")
    return [("%d%s" % (v, end), n.ordinal(v))]


def clock(r):
    h, m = r.randint(1, 12), r.choice((0, 15, 30, 45, 5 * r.randint(0, 11), r.randint(1, 59)))
    words = n.cardinal(h) + ("" if m == 0 else " oh " + n.cardinal(m) if m < 10 else
                             " " + n.cardinal(m))
    half, said = r.choice((("a.m.", "ay em"), ("p.m.", "pee em"), ("am", "ay em"), ("pm", "pee em"),
                           ("AM", "ay em"), ("PM", "pee em")))
    kind = r.random()
    if kind < 0.4:
        return [("%d:%02d" % (h, m), words + (" o'clock" if m == 0 else ""))]
    if kind < 0.6:
        return [("%d:%02d" % (h, m), words), (half, said)]
    if kind < 0.8:
        return [("%d%s" % (h, half), n.cardinal(h) + " " + said)]
    h = r.randint(13, 23)
    m = m or 30
    return [("%d:%02d" % (h, m), n.cardinal(h) + (" oh " if m < 10 else " ") + n.cardinal(m))]


def year(r):
    y = r.choice((r.randint(1900, 1999), r.randint(2000, 2030), r.randint(1500, 1899)))
    return [(str(y), n.year(y))]


def date(r):
    month, day = r.randint(1, 12), r.randint(1, 28)
    name, kind = MONTHS[month - 1], r.randrange(6)
    (y, said), = year(r)
    end = "th" if day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    if kind == 0:
        return [(name, name), ("%d%s," % (day, end), n.ordinal(day) + ","), (y, said)]
    if kind == 1:
        return [(name, name), ("%d" % day, n.ordinal(day))]
    if kind == 2:
        return [("%d" % day, "the " + n.ordinal(day) + " of"), (name, name), (y, said)]
    if kind == 3:
        return [(name[:3] + ".", name), ("%d" % day, n.ordinal(day))]
    if kind == 4:
        return [("%d/%d/%s" % (month, day, y), "%s %s %s" % (name, n.ordinal(day), said))]
    return [("%s-%02d-%02d" % (y, month, day), "%s %s %s" % (name, n.ordinal(day), said))]


def price(r):
    sign, unit, part = r.choice(MONEY)
    kind = r.random()
    if kind < 0.4:
        v = integer(r)
        return [(sign + grouped(v, r), n.cardinal(v) + " " + many(v, unit))]
    if kind < 0.8:
        v, c = r.randint(1, 200), r.choice((99, 50, 95, r.randint(1, 99)))
        if r.random() < 0.5:
            said = "%s %s and %s %s" % (n.cardinal(v), many(v, unit), n.cardinal(c), many(c, part))
        else:
            said = n.cardinal(v) + " " + ("oh " if c < 10 else "") + n.cardinal(c)
        return [("%s%d.%02d" % (sign, v, c), said)]
    v, size = r.randint(1, 90), r.choice(("million", "billion", "thousand"))
    return [("%s%d" % (sign, v), n.cardinal(v)), (size, size + " " + unit + "s")]


def percent(r):
    t, s = (decimal if r.random() < 0.4 else number)(r)[0]
    return r.choice(([(t + "%", s + " percent")], [(t, s), ("percent", "percent")]))


def phone(r):
    s = "".join(str(r.randint(0, 9)) for _ in range(7))
    typed = r.choice((s[:3] + "-" + s[3:], "555-" + s[3:]))
    a, b = typed.split("-")
    return [(typed, n.digits(a) + ", " + n.digits(b))]


def title(r, names):
    t, s = r.choice(TITLES)
    return [(t, s)] + plain(r.choice(names).split()[-1])


def street(r, names):
    t, s = r.choice(STREETS)
    v = r.randint(1, 99)
    return [(str(v), n.cardinal(v))] + plain(r.choice(names).split()[-1]) + [(t, s)]


def acronym(r):
    a = r.choice(ACRONYMS)
    if r.random() < 0.2:
        a = r.choice(AS_WORDS)
        return [(a, a.capitalize())]
    dotted = ".".join(a) + "." if a.isupper() and len(a) < 4 and r.random() < 0.15 else a
    return [(dotted, letters(a))]


def measure(r):
    if r.random() < 0.2:
        t, s = r.choice(SPEEDS)
        v = r.randint(2, 200)
        return [(str(v), n.cardinal(v)), (t, s)]
    t, s = r.choice(UNITS)
    if r.random() < 0.3:
        (v, said), = decimal(r)
        return [(v, said), (t, s + "s")]
    v = r.randint(1, 300)
    if r.random() < 0.5:
        return [("%d%s" % (v, t), n.cardinal(v) + " " + many(v, s))]
    return [(str(v), n.cardinal(v)), (t, many(v, s))]


def degrees(r):
    v = r.randint(-20, 40)
    said = n.cardinal(v) + " degrees"
    return r.choice(([("%d°" % v, said)], [("%d°C" % v, said + " Celsius")],
                     [("%d°F" % (v + 40), n.cardinal(v + 40) + " degrees Fahrenheit")]))


def span(r):
    a = r.randint(1, 60)
    b = a + r.randint(1, 30)
    return [("%d%s%d" % (a, r.choice("-–"), b), n.cardinal(a) + " to " + n.cardinal(b))]


def sum_of(r):
    a, b = r.randint(1, 50), r.randint(1, 50)
    return [(str(a), n.cardinal(a)), ("+", "plus"), (str(b), n.cardinal(b)), ("=", "equals"),
            (str(a + b), n.cardinal(a + b))]


def fraction(r):
    t, s = r.choice((("1/2", "one half"), ("1/3", "one third"), ("2/3", "two thirds"),
                     ("1/4", "one quarter"), ("3/4", "three quarters"), ("½", "one half"),
                     ("¼", "one quarter"), ("¾", "three quarters")))
    return [(t, s)]


def label(r):
    v = r.randint(1, 99)
    if r.random() < 0.5:
        return [("#%d" % v, "number " + n.cardinal(v))]
    return [("No.", "number"), (str(v), n.cardinal(v))]


def king(r):
    name, v = r.choice(KINGS)
    v = r.choice((v, v, r.choice(list(ROMAN))))
    return [(name, name), (ROMAN[v], "the " + n.ordinal(v))]


def decade(r):
    v = r.choice((1920, 1950, 1960, 1970, 1980, 1990))
    tens = n.TENS[v // 10 % 10][:-1] + "ies"
    return r.choice(([("%ds" % v, "nineteen " + tens)], [("'%02ds" % (v % 100), tens)]))


def version(r):
    s = "%d.%d" % (r.randint(1, 12), r.randint(0, 9))
    return [(s, n.decimal(s))]


def slots(r, lists):
    """lists: {name: [text]} of words and names"""
    lists = dict(lists, things=[plural(w) for w in lists["thing"]])
    out = {k: (lambda k=k: plain(r.choice(lists[k]))) for k in lists}
    for f in (number, decimal, ordinal, clock, year, date, price, percent, phone, acronym, measure,
              degrees, span, fraction, king, decade, version, day_of_month):
        out[f.__name__] = lambda f=f: f(r)
    out["sum"] = lambda: sum_of(r)
    out["title"] = lambda: title(r, lists["name"])
    out["street"] = lambda: street(r, lists["name"])
    out["label"] = lambda: label(r)
    return out
