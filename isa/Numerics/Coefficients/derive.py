#!/usr/bin/env python3
"""Computes the constants of the formulas for exp, log, sin and other functions, and prints them as Coefficients.h.

    python3 isa/Numerics/Coefficients/derive.py > isa/Numerics/Coefficients.h
    python3 isa/Numerics/Coefficients/derive.py --page      prints the constants as README.md lists them

Each polynomial is a minimax approximation (the polynomial of its degree with the smallest maximal error), computed by
the Remez exchange algorithm with 60 decimal digits. Its coefficients are then rounded to double, one by one. The error
of the rounded polynomial, relative to the function that is computed with it, is measured on a dense grid and printed
as a comment. Needs mpmath (1.3.0 was used). Building does not need this script, since Coefficients.h is committed.
"""

import sys

from mpmath import mp, mpf, lu_solve, matrix

mp.dps = 60
GRID = 1500
PAGE = "--page" in sys.argv


def chebyshev(lo, hi, count):
    """Extrema of the Chebyshev polynomial of degree count - 1 on [lo, hi], ascending."""
    return [(lo + hi) / 2 - (hi - lo) / 2 * mp.cos(mp.pi * i / (count - 1)) for i in range(count)]


def horner(coefficients, x):
    result = mpf(0)
    for c in reversed(coefficients):
        result = result * x + c
    return result


def alternate(points, errors, count):
    """The points of an alternating set: the extremum of each run of errors of equal sign. If there are more than `count`,
    the smaller of the two outermost extrema is dropped repeatedly; if there are fewer, the result is None."""
    extrema = []
    for x, e in zip(points, errors):
        if extrema and (extrema[-1][1] > 0) == (e > 0):
            if abs(e) > abs(extrema[-1][1]):
                extrema[-1] = (x, e)
        else:
            extrema.append((x, e))
    while len(extrema) > count:
        extrema.pop(0 if abs(extrema[0][1]) < abs(extrema[-1][1]) else -1)
    return [x for x, _ in extrema] if len(extrema) == count else None


def remez(f, lo, hi, degree):
    """Coefficients, in ascending powers, of the polynomial p of this degree with minimal max |p - f| over [lo, hi]."""
    count = degree + 2
    grid = chebyshev(lo, hi, GRID)
    values = [f(x) for x in grid]
    nodes = chebyshev(lo, hi, count)
    previous = mpf(0)
    for _ in range(40):
        rows = matrix(count, count)
        right = matrix(count, 1)
        for i, x in enumerate(nodes):
            for j in range(degree + 1):
                rows[i, j] = x**j
            rows[i, degree + 1] = (-1) ** i
            right[i] = f(x)
        solution = lu_solve(rows, right)
        p = [solution[j] for j in range(degree + 1)]
        level = abs(solution[degree + 1])
        chosen = alternate(grid, [horner(p, x) - v for x, v in zip(grid, values)], count)
        if chosen is None or abs(level - previous) < level * mpf(10) ** -6:
            return p
        previous, nodes = level, chosen
    raise SystemExit("the exchange did not converge")


def polynomial(name, comment, f, weight, lo, hi, degree):
    """Prints the coefficients of the minimax polynomial for f, and its error. `weight` is the factor that converts an
    error of the polynomial to a relative error of the function that is computed with it."""
    rounded = [float(c) for c in remez(f, lo, hi, degree)]
    exact = [mpf(c) for c in rounded]
    if PAGE:
        print(name + "".join(("\n  " if i % 4 == 0 else " ") + c.hex() for i, c in enumerate(rounded)))
        return
    worst = max(abs(weight(x) * (horner(exact, x) - f(x))) for x in chebyshev(lo, hi, GRID + 1))
    print(f"// Coefficients of {comment}.")
    print(f"// Relative error of the function: at most 2^{mp.nstr(mp.log(worst, 2), 4)}.")
    print(f"inline constexpr double {name}[{len(rounded)}] = {{")
    for c in rounded:
        print(f"    {c.hex()},")
    print("};\n")


def constant(name, value, comment):
    print(f"{name} {float(value).hex()}" if PAGE else
          f"inline constexpr double {name} = {float(value).hex()}; // double nearest to {comment}")


def series(terms, x):
    """The power series with coefficients terms(k) at x, summed to working precision. Used where the closed formula has
    a removable singularity at 0."""
    total, k, power = mpf(0), 0, mpf(1)
    while k < 400:
        term = terms(k) * power
        total += term
        power *= x
        k += 1
        if k > 3 and abs(term) < mpf(10) ** -58:
            break
    return total


# --- the polynomial Q that exp uses: e^r = 1 + r + r^2 Q(r)
def expTail(r):
    return series(lambda k: 1 / mp.factorial(k + 2), r)


def expWeight(r):  # error relative to expm1, which uses the same polynomial and is more sensitive than exp
    return r**2 / mp.expm1(r) if r else mpf(0)


# --- the polynomial L that log uses: log((1 + s) / (1 - s)) = 2 s + s z L(z) with z = s^2
def logTail(z):
    return series(lambda k: mpf(2) / (2 * k + 3), z)


# --- the polynomials S and C for sin r = r + r z S(z) and cos r = 1 - z / 2 + z^2 C(z) with z = r^2
def sinTail(z):
    return series(lambda k: mpf(-1) ** (k + 1) / mp.factorial(2 * k + 3), z)


def cosTail(z):
    return series(lambda k: mpf(-1) ** k / mp.factorial(2 * k + 4), z)


# --- the polynomials A and T for asin x = x + x z A(z) with z = x^2 and atan t = t + t z T(z) with z = t^2
def asinTail(z):
    return (mp.asin(mp.sqrt(z)) / mp.sqrt(z) - 1) / z if z > mpf(10) ** -6 else series(
        lambda k: mp.binomial(2 * k + 2, k + 1) / mpf(4) ** (k + 1) / (2 * k + 3), z)


def atanTail(z):
    return series(lambda k: mpf(-1) ** (k + 1) / (2 * k + 3), z)


# --- the polynomials P and X: erf x = x P(x^2) and erfc a = exp(-a^2) X((a - 4) / (a + 4)) / (1 + 2 a)
def erfRatio(z):
    return mp.erf(mp.sqrt(z)) / mp.sqrt(z) if z else 2 / mp.sqrt(mp.pi)


SHIFT = 4


def erfcScaled(t):
    a = SHIFT * (1 + t) / (1 - t)
    return (1 + 2 * a) * mp.exp(a * a) * mp.erfc(a)


def reductionTable():
    """Prints the table for the argument reduction of sin and cos: (2/pi * 2^(E-23)) mod 4 for E = -1 ... 127, each as a
    sum of three parts with 28, 28 and 53 bits."""
    print("// Table to reduce the arguments of sin and cos. For arguments with exponent E, row E + 1 holds")
    print("// (2/pi * 2^(E-23)) mod 4 as a sum of three parts: a multiple of 2^-26, one of 2^-54, and the rest, rounded.")
    print("inline constexpr double twoOverPiModulo4[129][3] = {")
    mp.dps = 120
    for exponent in range(-1, 128):
        value = mp.fmod(2 / mp.pi * mpf(2) ** (exponent - 23), 4)
        first = mp.floor(value * 2**26) / 2**26
        second = mp.floor((value - first) * 2**54) / 2**54
        parts = [float(first), float(second), float(value - first - second)]
        print("    {" + ", ".join(p.hex() for p in parts) + "},")
    print("};")
    mp.dps = 60


HEADER = """// Constants of the function formulas. Coefficients/derive.py prints this file and says how each
// constant was found; do not edit the file.
//
// Arrays hold coefficients by ascending power. Error bounds in the comments are relative to the function
// that the polynomial computes, and hold for the coefficients as rounded here.
#pragma once

// clang-format off

namespace tilerig::coefficients {
"""


def main():
    if not PAGE:
        print(HEADER)
    ln2 = mp.log(2)
    constant("log2OfE", 1 / ln2, "1 / ln 2")
    constant("ln2High", ln2, "ln 2")
    constant("ln2Low", ln2 - mpf(float(ln2)), "ln 2 - ln2High")
    constant("halfPi", mp.pi / 2, "pi / 2")
    constant("quarterPi", mp.pi / 4, "pi / 4")
    constant("pi", mp.pi, "pi")
    constant("tanPi8", mp.tan(mp.pi / 8), "tan(pi / 8)")
    constant("cotPi8", 1 / mp.tan(mp.pi / 8), "1 / tan(pi / 8)")
    constant("sqrtHalf", mp.sqrt(mpf(1) / 2), "sqrt(1/2)")
    constant("twoSqrtTwoOverPi", 2 * mp.sqrt(2 / mp.pi), "2 sqrt(2 / pi)")
    constant("geluCubic", mpf("0.044715"), "0.044715")
    if not PAGE:
        print()
    half = ln2 / 2 * (1 + mpf(2) ** -30)
    polynomial("expTail", "Q in e^r = 1 + r + r^2 Q(r), where |r| <= ln 2 / 2", expTail, expWeight, -half, half, 9)
    s = (mp.sqrt(2) - 1) / (mp.sqrt(2) + 1) * (1 + mpf(2) ** -30)
    polynomial("logTail", "L in log((1+s)/(1-s)) = 2 s + s z L(z), where z = s^2 and s <= 0.1716", logTail,
               lambda z: z / (2 + z * logTail(z)), mpf(0), s * s, 6)
    z = (mp.pi / 4) ** 2 * (1 + mpf(2) ** -20)
    polynomial("sinTail", "S in sin r = r + r z S(z), where z = r^2 and |r| <= pi/4", sinTail,
               lambda z: z / (1 + z * sinTail(z)), mpf(0), z, 5)
    polynomial("cosTail", "C in cos r = 1 - z/2 + z^2 C(z), where z = r^2 and |r| <= pi/4", cosTail,
               lambda z: z * z / mp.cos(mp.sqrt(z)), mpf(0), z, 5)
    polynomial("asinTail", "A in asin x = x + x z A(z), where z = x^2 <= 1/4", asinTail,
               lambda z: z / (1 + z * asinTail(z)), mpf(0), mpf(1) / 4 * (1 + mpf(2) ** -30), 11)
    polynomial("atanTail", "T in atan t = t + t z T(z), where z = t^2 and |t| <= tan(pi/8)", atanTail,
               lambda z: z / (1 + z * atanTail(z)), mpf(0), mp.tan(mp.pi / 8) ** 2 * (1 + mpf(2) ** -30), 9)
    polynomial("erfRatio", "P in erf x = x P(z), where z = x^2 <= 1", erfRatio,
               lambda z: 1 / erfRatio(z), mpf(0), mpf(1), 11)
    top = 16 / mp.sqrt(2)
    polynomial("erfcScaled", "X in erfc a = exp(-a^2) X(t) / (1 + 2 a), where t = (a-4)/(a+4) and a <= 16/sqrt(2)",
               erfcScaled, lambda t: 1 / erfcScaled(t), mpf(-1), (top - SHIFT) / (top + SHIFT), 19)
    if not PAGE:
        reductionTable()
        print("\n} // namespace tilerig::coefficients")


if __name__ == "__main__":
    main()
