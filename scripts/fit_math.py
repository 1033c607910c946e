#!/usr/bin/env python3
"""Fits the polynomials of src/kernels/ref/math.h and prints them as C hexadecimal floats.

Each is a minimax fit (Remez exchange on a grid, in double) of a smooth function under a weight that
turns the polynomial's error into the error of the final result. After each coefficient is rounded to float,
from the lowest on, the rest is fitted again, so that the rounding of one is made good by the others.
"""
import math
import struct


def to_float(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def solve(rows, right):
    """Gaussian elimination with pivoting."""
    n = len(right)
    a = [row[:] + [b] for row, b in zip(rows, right)]
    for i in range(n):
        p = max(range(i, n), key=lambda r: abs(a[r][i]))
        a[i], a[p] = a[p], a[i]
        for r in range(i + 1, n):
            f = a[r][i] / a[i][i]
            for c in range(i, n + 1):
                a[r][c] -= f * a[i][c]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (a[i][n] - sum(a[i][c] * x[c] for c in range(i + 1, n))) / a[i][i]
    return x


def remez(f, weight, low, high, first, degree, points=3000):
    """Coefficients of t^first .. t^degree, and the largest weighted error."""
    grid = [low + (high - low) * 0.5 * (1 - math.cos(math.pi * i / points)) for i in range(points + 1)]
    values = [(t, f(t), weight(t)) for t in grid]
    values = [v for v in values if v[2] > 0]
    terms = degree - first + 1
    picked = [round((len(values) - 1) * (1 - math.cos(math.pi * i / terms)) / 2)
              for i in range(terms + 1)]
    coefficients = [0.0] * terms
    for _ in range(40):
        rows, right = [], []
        for sign, index in enumerate(picked):
            t, y, w = values[index]
            rows.append([t ** (first + j) for j in range(terms)] + [(-1) ** sign / w])
            right.append(y)
        coefficients = solve(rows, right)[:terms]
        error = [w * (y - sum(c * t ** (first + j) for j, c in enumerate(coefficients)))
                 for t, y, w in values]
        peaks = []
        for i, e in enumerate(error):
            if peaks and (error[peaks[-1]] > 0) == (e > 0):
                if abs(e) > abs(error[peaks[-1]]):
                    peaks[-1] = i
            else:
                peaks.append(i)
        while len(peaks) > terms + 1:
            peaks.pop(0 if abs(error[peaks[0]]) < abs(error[peaks[-1]]) else -1)
        if len(peaks) < terms + 1 or peaks == picked:
            break
        picked = peaks
    return coefficients, max(abs(e) for e in error)


def fit(name, f, weight, low, high, degree):
    fixed = []
    for done in range(degree + 1):
        def rest(t):
            return f(t) - sum(c * t ** j for j, c in enumerate(fixed))
        coefficients, _ = remez(rest, weight, low, high, done, degree)
        fixed.append(to_float(coefficients[0]))
    worst = 0.0
    for i in range(20001):
        t = low + (high - low) * i / 20000
        if weight(t) > 0:
            worst = max(worst, weight(t) * abs(f(t) - sum(c * t ** j for j, c in enumerate(fixed))))
    print(f"{name}: error {worst:.3g}")
    for j, c in enumerate(fixed):
        print(f"    {c.hex()}f  t^{j}  {c:.9g}")


def exp_tail(r):
    """(e^r - 1 - r) / r^2"""
    if abs(r) < 0.1:
        return sum(r ** k / math.factorial(k + 2) for k in range(14))
    return (math.expm1(r) - r) / (r * r)


def sine_tail(t):
    """(sin(r) - r) / r^3 of t = r^2"""
    return sum((-1) ** (k + 1) * t ** k / math.factorial(2 * k + 3) for k in range(14))


def erfc_rate(a):
    """-ln(erfc(a)) / a"""
    if a < 1e-4:
        return 2 / math.sqrt(math.pi) * (1 + a / math.sqrt(math.pi))
    if a < 0.3:
        return -math.log1p(-math.erf(a)) / a
    return -math.log(math.erfc(a)) / a


def main():
    half = math.log(2) / 2 * 1.001
    fit("exp, |r| <= ln2/2, 1 + r + r^2 * poly(r), relative", exp_tail, lambda r: r * r * math.exp(-r),
        -half, half, 4)
    fit("sine, |r| <= pi/2, r + r^3 * poly(r^2), absolute", sine_tail,
        lambda t: max(t, 1e-6) ** 1.5, 0, (math.pi / 2 * 1.0005) ** 2, 3)
    fit("erf, 0 <= a <= 4, 1 - exp(-a * poly(a)), absolute", erfc_rate,
        lambda a: max(a, 1e-3) * math.erfc(a), 0, 4, 7)
    for name, value in (("ln2", math.log(2)), ("pi", math.pi)):
        high = to_float(value)
        low = {"ln2": 1.9082149292705877e-10 + 0.693147180369123816490 - high,
               "pi": 1.2246467991473532e-16 + (math.pi - high)}[name]
        print(f"{name}: {high.hex()}f {to_float(low).hex()}f")
    print(f"1/pi {to_float(1 / math.pi).hex()}f log2(e) {to_float(1 / math.log(2)).hex()}f")


main()
