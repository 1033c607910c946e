#!/usr/bin/env python3
"""Makes src/kernels/winograd_constants.h: the transforms of a convolution with 7 taps, 6 outputs at a time.

Toom-Cook in one dimension: inputs and weights are polynomials, their product is taken at 12 points and
the outputs are put together from there. The points are 0, infinity and five pairs +p, -p; a pair shares the
even and the odd half of its sums. With these p (found by trying sets of small fractions on random data in
float) the result is off by about 1e-5 of itself, and every constant of the transforms that run on
samples is exact in float. Fractions are exact throughout; the weights' matrix is printed as quotients.
"""
from fractions import Fraction
import struct
import textwrap

OUTS, TAPS = 6, 7
PAIRS = [Fraction(n, d) for n, d in ((3, 8), (3, 4), (1, 1), (3, 2), (3, 1))]


def to_float(x):
    value = struct.unpack("f", struct.pack("f", float(x)))[0]
    assert Fraction(value) == x, "not exact in float"
    text = "%.17g" % value
    return text + ("f" if "." in text else ".0f")


def product_of_squares(skip):
    """Coefficients of the product of (t - p^2), t = x^2, over all pairs but one."""
    c = [Fraction(1)]
    for k, p in enumerate(PAIRS):
        if k != skip:
            low = [-p * p * v for v in c] + [Fraction(0)]
            high = [Fraction(0)] + c
            c = [a + b for a, b in zip(low, high)]
    return c


def wrapped(values, first, rest):
    return textwrap.fill(", ".join(values), 96, initial_indent=first, subsequent_indent=rest)


def rows(name, values):
    body = ",\n".join(wrapped(v, "    {", "     ") + "}" for v in values)
    return name + " = {\n" + body + "};\n"


def row(name, values):
    return name + " = {\n" + wrapped(values, "    ", "    ") + "};\n"


def weight_rows():
    points = [Fraction(0)]
    for p in PAIRS:
        points += [p, -p]
    result = []
    for j, a in enumerate(points):
        scale = Fraction(1)
        for k, b in enumerate(points):
            if k != j:
                scale *= a - b
        result.append([a ** t / scale for t in range(TAPS)])
    result.append([Fraction(int(t == TAPS - 1)) for t in range(TAPS)])
    return result


def main():
    n = OUTS + TAPS - 1
    assert n == 2 * len(PAIRS) + 2
    ends = product_of_squares(None)
    print("/* Made by scripts/fit_winograd.py; what each is for stands in kernels.h at winograd_in. */")
    print("#ifndef KZ_KERNELS_WINOGRAD_CONSTANTS_H\n#define KZ_KERNELS_WINOGRAD_CONSTANTS_H\n")
    print('#include "kernels/kernels.h"\n')
    print(row("static const float kz__winograd_points[KZ__WINOGRAD_PAIRS]",
              [to_float(p) for p in PAIRS]))
    print(row("static const float kz__winograd_ends[KZ__WINOGRAD_PAIRS]",
              [to_float(c) for c in ends[:-1]]))
    print(rows("static const float kz__winograd_others[KZ__WINOGRAD_PAIRS][KZ__WINOGRAD_PAIRS - 1]",
               [[to_float(c) for c in product_of_squares(k)[:-1]] for k in range(len(PAIRS))]))
    print("/* [k][j]: point k to the power j */")
    print(rows("static const float kz__winograd_powers[KZ__WINOGRAD_PAIRS][KZ__WINOGRAD_OUTS]",
               [[to_float(p ** j) for j in range(OUTS)] for p in PAIRS]))
    print("/* transformed weight of point j: the sum over the taps t of [j][t] times weight t */")
    name = "static const double kz__winograd_weights[KZ__WINOGRAD_POINTS][KZ__WINOGRAD_TAPS]"
    print(rows(name, [["%d.0 / %d" % (v.numerator, v.denominator) for v in r]
                      for r in weight_rows()]))
    print("#endif")


main()
