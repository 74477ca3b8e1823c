#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Derives the polynomials of codegen/kernels/lib/math: prints Polynomials.h.

Each is a weighted minimax fit. Coefficients are rounded to the
element type one after another, from the lowest power, and the rest fitted again,
so that the rounded polynomial is close to the best one. Needs mpmath.
usage: derive-polynomials.py | clang-format-22 > codegen/kernels/lib/math/Polynomials.h
"""
import struct
import mpmath as mp

mp.mp.prec = 240


def to_f32(x):
    return mp.mpf(struct.unpack("f", struct.pack("f", float(x)))[0])


def to_f64(x):
    return mp.mpf(float(x))


def minimax(f, weight, lo, hi, powers):
    """Coefficients of x^powers with a small max |weight (f - sum)|: least squares
    at Chebyshev points, reweighted by the errors (Lawson's algorithm)."""
    count = 5 * len(powers) + 8
    xs = [(lo + hi) / 2 - (hi - lo) / 2 * mp.cos(mp.pi * (i + mp.mpf(1) / 2) / count)
          for i in range(count)]
    fs, ws = [f(x) for x in xs], [weight(x) for x in xs]
    rows = [[w * x**p for p in powers] for x, w in zip(xs, ws)]
    stress = [mp.mpf(1)] * count
    best = None
    for _ in range(12):
        gram = mp.matrix(len(powers), len(powers))
        right = mp.matrix(len(powers), 1)
        for row, w, y, t in zip(rows, ws, fs, stress):
            for i, a in enumerate(row):
                right[i] += t * a * w * y
                for j, b in enumerate(row):
                    gram[i, j] += t * a * b
        c = list(mp.lu_solve(gram, right))
        errors = [abs(w * y - mp.fdot(row, c)) for row, w, y in zip(rows, ws, fs)]
        if best is None or max(errors) < best[0]:
            best = (max(errors), c)
        mean = mp.fsum(errors) / count
        stress = [t * (e / mean + mp.mpf("0.02")) for t, e in zip(stress, errors)]
    return best[1]


def fit(name, text, f, lo, hi, powers, to=to_f32, weight=lambda x: mp.mpf(1), fixed=()):
    """Prints the coefficients of x^powers, lowest first, rounded by `to`; those
    in `fixed` are given (already rounded)."""
    lo, hi = mp.mpf(lo), mp.mpf(hi)
    done = list(fixed)
    while len(done) < len(powers):
        rest = lambda x: f(x) - sum(a * x**p for a, p in zip(done, powers))
        done.append(to(minimax(rest, weight, lo, hi, powers[len(done):])[0]))
    worst = max(abs(weight(x) * (f(x) - sum(a * x**p for a, p in zip(done, powers))))
                for x in mp.linspace(lo, hi, 400))
    print(f"/// {text}. Error {mp.nstr(worst, 2)}.")
    print(f"inline constexpr double {name}[] = {{")
    print("    " + ",\n    ".join(float(c).hex() for c in done) + "};\n")


def split(value, bits, count, to=to_f64):
    """`value` as a sum of numbers of `bits` bits each, the last of all bits."""
    parts = []
    for i in range(count - 1):
        step = mp.mpf(2)**(mp.floor(mp.log(abs(value), 2)) + 1 - bits)
        parts.append(mp.floor(value / step) * step)
        value -= parts[-1]
    return parts + [to(value)]


def numbers(name, text, values):
    print(f"/// {text}.")
    print(f"inline constexpr double {name}[] = {{")
    print("    " + ",\n    ".join(float(c).hex() for c in values) + "};\n")


def series(f, small, at_zero):
    """f, or its value at zero where f would divide by zero."""
    return lambda x: at_zero if abs(x) < small else f(x)


EPS = mp.mpf(2)**-60


def main():
    ln2 = mp.log(2)
    print("""// SPDX-License-Identifier: Apache-2.0
// Made by utils/derive-polynomials.py: coefficients, lowest power first.

#ifndef SMP_CODEGEN_LIB_MATH_POLYNOMIALS_H
#define SMP_CODEGEN_LIB_MATH_POLYNOMIALS_H

namespace smp::codegen::polynomial {
""")
    half = ln2 * mp.mpf("0.5005")
    exp_rest = series(lambda r: (mp.expm1(r) - r) / r**2, EPS, mp.mpf("0.5"))
    fit("kExpF32", "exp(r) for |r| <= ln 2", mp.exp, -2 * half, 2 * half, list(range(8)),
        fixed=[mp.mpf(1), mp.mpf(1)], weight=lambda x: mp.exp(-x))
    fit("kExpF64", "exp(r) for |r| <= ln 2", mp.exp, -2 * half, 2 * half, list(range(14)),
        to_f64, fixed=[mp.mpf(1), mp.mpf(1)], weight=lambda x: mp.exp(-x))
    fit("kExpm1F32", "(expm1(r) - r) / r^2 for |r| <= ln 2 / 2", exp_rest, -half, half,
        list(range(5)), weight=lambda x: max(abs(x), mp.mpf("0.01")))
    fit("kExpm1F64", "(expm1(r) - r) / r^2 for |r| <= ln 2 / 2", exp_rest, -half, half,
        list(range(10)), to_f64, weight=lambda x: max(abs(x), mp.mpf("0.01")))
    fit("kTanhF32", "(tanh(x) / x - 1) / x^2 in x^2, |x| <= 0.35",
        series(lambda z: (mp.tanh(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, EPS, -mp.mpf(1) / 3),
        0, mp.mpf("0.1225"), list(range(4)), weight=lambda z: max(z, mp.mpf("0.001")))
    numbers("kLn2F32", "ln 2: 15 bits, and the rest", split(ln2, 15, 2, to_f32))
    numbers("kLn2F64", "ln 2: 41 bits, and the rest", split(ln2, 41, 2))

    log_rest = series(lambda f: (mp.log1p(f) - f + f**2 / 2) / f**3, EPS, mp.mpf(1) / 3)
    fit("kLogF32", "(log(1 + f) - f + f^2 / 2) / f^3 for sqrt(1/2) <= 1 + f <= sqrt(2)",
        log_rest, mp.sqrt("0.5") - 1, mp.sqrt(2) - 1, list(range(9)),
        weight=lambda f: max(f**2, mp.mpf("1e-4")))
    ratio = series(lambda z: (mp.log((1 + mp.sqrt(z)) / (1 - mp.sqrt(z))) / mp.sqrt(z) - 2) / z,
                   EPS, mp.mpf(2) / 3)
    fit("kLogF64", "(log((1 + s) / (1 - s)) / s - 2) / s^2 in s^2, |s| <= 3 - 2 sqrt(2)", ratio, 0,
        mp.mpf("0.0295"), list(range(7)), to_f64)

    erf_g = series(lambda t: mp.log(mp.erfc(t)) / t, EPS, -2 / mp.sqrt(mp.pi))
    erf_weight = lambda t: mp.erfc(t) * t / mp.erf(t) if t > EPS else mp.sqrt(mp.pi) / 2
    fit("kErfF32", "log(erfc(t)) / t + 1 for 0 <= t <= 3.93", lambda t: erf_g(t) + 1, 0,
        mp.mpf("3.93"), list(range(9)), weight=erf_weight)
    fit("kErfNearF64", "erf(x) / x - 1 in x^2, |x| <= 1",
        series(lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1, EPS, 2 / mp.sqrt(mp.pi) - 1),
        0, 1, list(range(13)), to_f64)
    fit("kErfFarF64", "log(erfc(t)) / t for 1 <= t <= 5.95", erf_g, 1, mp.mpf("5.95"),
        list(range(17)), to_f64, weight=erf_weight)

    quarter = (mp.pi / 4)**2 * mp.mpf("1.001")
    sin_rest = series(lambda z: (mp.sin(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, EPS, -mp.mpf(1) / 6)
    cos_rest = series(lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, EPS, mp.mpf(1) / 24)
    for name, rest, power in (("Sin", sin_rest, 1), ("Cos", cos_rest, 2)):
        text = {1: "(sin(r) / r - 1) / r^2", 2: "(cos(r) - 1 + r^2 / 2) / r^4"}[power]
        weight = lambda z, power=power: max(z, mp.mpf("0.001"))**power
        for bits, count in ((32, 3), (64, 6)):
            fit(f"k{name}F{bits}", f"{text} in r^2, |r| <= pi / 4", rest, 0, quarter,
                list(range(count)), to_f64, weight=weight)
    numbers("kHalfPiF64", "pi / 2: four parts of 26 bits, and the rest", split(mp.pi / 2, 26, 5))
    numbers("kInverseTwoPi", "1 / (2 pi) in parts of 29 bits", split(1 / (2 * mp.pi), 29, 7))

    fit("kAtanF64", "(atan(x) / x - 1) / x^2 in x^2, |x| <= tan(pi / 8)",
        series(lambda z: (mp.atan(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, EPS, -mp.mpf(1) / 3),
        0, (mp.sqrt(2) - 1)**2 * mp.mpf("1.001"), list(range(11)), to_f64)
    fit("kAsinF64", "(asin(x) / x - 1) / x^2 in x^2, |x| <= 1 / 2",
        series(lambda z: (mp.asin(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, EPS, mp.mpf(1) / 6),
        0, mp.mpf("0.25"), list(range(12)), to_f64)
    log_tail = series(lambda z: (mp.log((1 + mp.sqrt(z)) / (1 - mp.sqrt(z))) / mp.sqrt(z) - 2
                                 - z * 2 / 3) / z**2, EPS, mp.mpf(2) / 5)
    fit("kPowLogF64", "(log((1 + s) / (1 - s)) / s - 2 - 2/3 s^2) / s^4 in s^2, |s| <= 3 - 2 sqrt(2)",
        log_tail, 0, mp.mpf("0.0295"), list(range(7)), to_f64)
    numbers("kTwoThirds", "2 / 3 in two parts", [to_f64(mp.mpf(2) / 3), to_f64(mp.mpf(2) / 3 - to_f64(mp.mpf(2) / 3))])
    print("} // namespace smp::codegen::polynomial\n\n#endif // SMP_CODEGEN_LIB_MATH_POLYNOMIALS_H")


main()
