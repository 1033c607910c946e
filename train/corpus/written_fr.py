"""What people type in French that is not words: numbers, money, dates, times, abbreviations.

slots(random, lists) -> {name: function -> tokens}; see sentence.py for tokens.
"""
from train.corpus import numbers_fr as n
from train.corpus.sentence import plain

MONTHS = ("janvier février mars avril mai juin juillet août septembre octobre novembre"
          " décembre").split()
LETTERS = dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", (
    "a bé cé dé e effe gé ache i ji ka elle emme enne o pé cu erre esse té u vé double-vé ixe"
    " i-grec zède").split()))
ACRONYMS = ("SNCF RATP TGV PDF USA CD DVD PC ADN TVA BD HLM RER SMS GPS URSS PME RTT CGT EDF TF1"
            " BNP DJ VIP USB QR PIB CNRS").split()
AS_WORDS = (("ONU", "onu"), ("OTAN", "otan"), ("UNESCO", "unesco"), ("SMIC", "smic"),
            ("SAMU", "samu"), ("NASA", "nasa"), ("INSEE", "insé"))
TITLES = (("M.", "monsieur"), ("M.", "monsieur"), ("Mme", "madame"), ("Mme", "madame"),
          ("Mlle", "mademoiselle"), ("Dr", "docteur"), ("Pr", "professeur"), ("Me", "maître"),
          ("St", "saint"), ("Ste", "sainte"))
SHORT = {"etc.": "et cetera", "p. ex.": "par exemple", "c.-à-d.": "c'est-à-dire",
         "env.": "environ", "min.": "minutes", "&": "et", "vs": "contre", "tél.": "téléphone",
         "av.": "avant", "apr.": "après", "J.-C.": "Jésus-Christ", "bd": "boulevard",
         "n°": "numéro", "N°": "numéro", "p.": "page", "RDV": "rendez-vous",
         "svp": "s'il vous plaît", "SVP": "s'il vous plaît", "stp": "s'il te plaît",
         "janv.": "janvier", "févr.": "février", "sept.": "septembre",
         "oct.": "octobre", "nov.": "novembre", "déc.": "décembre"}
UNITS = (("km", "kilomètre"), ("kg", "kilo"), ("cm", "centimètre"), ("mm", "millimètre"),
         ("m", "mètre"), ("g", "gramme"), ("L", "litre"), ("ml", "millilitre"),
         ("Go", "giga-octet"), ("min", "minute"), ("m²", "mètre carré"))
FEMININE = ("minute", "heure", "livre")
MONEY = (("€", "euro", "euros", 0), ("€", "euro", "euros", 0), ("$", "dollar", "dollars", 0),
         ("£", "livre", "livres", 1))
KINGS = (("Louis", 14), ("Louis", 16), ("Henri", 4), ("François", 1), ("Charles", 7),
         ("Napoléon", 3), ("Philippe", 2))
ROMAN = {1: "Ier", 2: "II", 3: "III", 4: "IV", 5: "V", 6: "VI", 7: "VII", 8: "VIII", 9: "IX",
         10: "X", 12: "XII", 14: "XIV", 15: "XV", 16: "XVI", 17: "XVII", 18: "XVIII", 19: "XIX",
         20: "XX", 21: "XXI"}
BLANK = "\u202f"


def plural(noun):
    """chapeau -> chapeaux, journal -> journaux, autobus -> autobus, livre -> livres"""
    if noun[-1] in "sxz":
        return noun
    if noun.endswith("al"):
        return noun[:-1] + "ux"
    return noun + ("x" if noun.endswith("au") else "s")


def letters(s):
    return " ".join(LETTERS[c] if c.isalpha() else n.cardinal(int(c)) for c in s)


def integer(r):
    return r.choice((r.randint(0, 12), r.randint(10, 99), r.randint(60, 99), r.randint(100, 999),
                     r.randint(1000, 9999), r.randrange(10 ** r.randint(4, 7))))


def grouped(value, r):
    """Thousands are set apart by a narrow blank, a dot or nothing (a blank makes two tokens)."""
    if value < 1000:
        return str(value)
    return "{:,}".format(value).replace(",", r.choice((BLANK, "\u00a0", ".", "")))


def number(r):
    v = integer(r)
    return [(grouped(v, r), n.cardinal(v))]


def decimal(r):
    s = "%d,%d" % (r.choice((r.randint(0, 9), r.randint(0, 120))), r.randint(1, 99))
    return [(s, n.decimal(s))]


def ordinal(r):
    v = r.choice((1, r.randint(2, 20), r.randint(2, 100)))
    typed = "1er" if v == 1 else "%d%s" % (v, r.choice(("e", "ème", "e")))
    return [(typed, n.ordinal(v))]


def hours(h, m):
    head = n.cardinal(h, True) + " heure" + ("s" if h > 1 else "")
    return head + (" " + n.cardinal(m, True) if m else "")


def clock(r):
    h, m = r.randint(0, 23), r.choice((0, 15, 30, 45, r.randint(1, 59)))
    kind = r.randrange(4)
    if kind == 0:
        return [("%dh%02d" % (h, m) if m else "%dh" % h, hours(h, m))]
    if kind == 1:
        tail = [("%02d" % m, n.cardinal(m, True))] if m else []
        return [(str(h), n.cardinal(h, True)), ("h", "heure" + ("s" if h > 1 else ""))] + tail
    if kind == 2:
        return [("%d:%02d" % (h, m), hours(h, m))]
    return [("%d\u00a0h%s" % (h, "\u00a0%02d" % m if m else ""), hours(h, m))]


def year(r):
    y = r.choice((r.randint(1900, 1999), r.randint(2000, 2030), r.randint(1500, 1899)))
    return [(str(y), n.year(y))]


def date(r):
    month, day = r.randint(1, 12), r.choice((1, r.randint(2, 28)))
    said = n.ordinal(1) if day == 1 else n.cardinal(day)
    (y, y_said), = year(r)
    kind = r.randrange(4)
    first = ("1er" if day == 1 else str(day), said)
    if kind == 0:
        return [first, (MONTHS[month - 1], MONTHS[month - 1]), (y, y_said)]
    if kind == 1:
        return [first, (MONTHS[month - 1], MONTHS[month - 1])]
    typed = "%02d/%02d/%s" % (day, month, y) if kind == 2 else "%02d.%02d.%s" % (day, month, y)
    return [(typed, "%s %s %s" % (said, MONTHS[month - 1], y_said))]


def price(r):
    sign, one, more, feminine = r.choice(MONEY)
    glued = r.random() < 0.4
    if r.random() < 0.5:
        v = integer(r)
        said = n.cardinal(v, bool(feminine))
        unit = one if v < 2 else ("d'" if v % 10 ** 6 == 0 else "") + more
        typed = grouped(v, r)
        if v % 10 ** 6 == 0 and v and more[0] not in "aeiou":
            unit = "de " + more
        return [(typed + sign, said + " " + unit)] if glued else [(typed, said), (sign, unit)]
    v, c = r.randint(1, 200), r.choice((99, 50, 90, r.randint(1, 99)))
    said = "%s %s %s" % (n.cardinal(v, bool(feminine)), one if v < 2 else more, n.cardinal(c))
    typed = "%d,%02d" % (v, c)
    return [(typed + sign, said)] if glued else [(typed + "\u00a0" + sign, said)]


def percent(r):
    t, s = (decimal if r.random() < 0.4 else number)(r)[0]
    return r.choice(([(t + "%", s + " pour cent")], [(t, s), ("%", "pour cent")],
                     [(t + "\u00a0%", s + " pour cent")]))


def phone(r):
    pairs = ["0%d" % r.randint(1, 7)] + ["%02d" % r.randint(0, 99) for _ in range(4)]
    said = [n.digits(p) if p[0] == "0" else n.cardinal(int(p)) for p in pairs]
    if r.random() < 0.5:
        return [(p, s + ("," if i < 4 else "")) for i, (p, s) in enumerate(zip(pairs, said))]
    return [(".".join(pairs), ", ".join(said))]


def title(r, names):
    t, s = r.choice(TITLES)
    return [(t, s)] + plain(r.choice(names).split()[-1])


def acronym(r):
    if r.random() < 0.25:
        return [r.choice(AS_WORDS)]
    a = r.choice(ACRONYMS)
    dotted = ".".join(a) + "." if a.isalpha() and len(a) < 5 and r.random() < 0.15 else a
    return [(dotted, letters(a))]


def measure(r):
    t, s = r.choice(UNITS)
    if r.random() < 0.3:
        (v, said), = decimal(r)
        plural = v.partition(",")[0] not in ("0", "1")
        return [(v, said), (t, s if not plural else " ".join(w + "s" for w in s.split()))]
    v = r.randint(1, 300)
    said = n.cardinal(v, s in FEMININE)
    unit = s if v < 2 else " ".join(w + "s" for w in s.split())
    if r.random() < 0.4:
        return [("%d%s" % (v, t), said + " " + unit)]
    return [(str(v), said), (t, unit)]


def degrees(r):
    v = r.randint(-20, 40)
    said = n.cardinal(v) + " degré" + ("s" if abs(v) > 1 else "")
    return r.choice(([("%d°" % v, said)], [("%d°C" % v, said + " Celsius")],
                     [("%d\u00a0°C" % v, said + " Celsius")]))


def span(r):
    a = r.randint(2, 60)
    b = a + r.randint(1, 30)
    return [("%d%s%d" % (a, r.choice("-–"), b), n.cardinal(a) + " à " + n.cardinal(b))]


def sum_of(r):
    a, b = r.randint(1, 50), r.randint(1, 50)
    return [(str(a), n.cardinal(a)), ("+", "plus"), (str(b), n.cardinal(b)), ("=", "égale"),
            (str(a + b), n.cardinal(a + b))]


def fraction(r):
    t, s = r.choice((("1/2", "un demi"), ("1/3", "un tiers"), ("2/3", "deux tiers"),
                     ("1/4", "un quart"), ("3/4", "trois quarts"), ("½", "un demi"),
                     ("¼", "un quart"), ("¾", "trois quarts")))
    return [(t, s)]


def label(r):
    v = r.randint(1, 99)
    if r.random() < 0.5:
        return [("n°%d" % v, "numéro " + n.cardinal(v))]
    return [("n°", "numéro"), (str(v), n.cardinal(v))]


def king(r):
    name, v = r.choice(KINGS)
    return [(name, name), (ROMAN[v], "premier" if v == 1 else n.cardinal(v))]


def century(r):
    v = r.choice((5, 9, 12, 14, 15, 16, 17, 18, 19, 20, 21))
    return [(ROMAN[v] + "e", n.ordinal(v))]


def version(r):
    a, b = r.randint(1, 12), r.randint(0, 9)
    return [("%d.%d" % (a, b), "%s point %s" % (n.cardinal(a), n.cardinal(b)))]


def slots(r, lists):
    """lists: {name: [text]} of words and names"""
    lists = dict(lists, things_m=[plural(w) for w in lists["thing_m"]],
                 things_f=[plural(w) for w in lists["thing_f"]])
    out = {k: (lambda k=k: plain(r.choice(lists[k]))) for k in lists}
    for f in (number, decimal, ordinal, clock, year, date, price, percent, phone, acronym, measure,
              degrees, span, fraction, label, king, century, version):
        out[f.__name__] = lambda f=f: f(r)
    out["sum"] = lambda: sum_of(r)
    out["title"] = lambda: title(r, lists["name"])
    return out
