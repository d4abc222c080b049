"""Elo and TrueSkill one match at a time, on plain numbers.

These functions run as they stand, on lists, or compiled by numba, on arrays; everything that is compiled stands
in this one file (see :mod:`betterthan.kernels.compiled`). They use nothing but the operations that IEEE 754
rounds exactly, and two tables, so that interpreted, compiled and in lockstep
(:mod:`betterthan.kernels.ratings.lockstep`) give the same numbers to the last bit, on any machine with the same
tables.
"""

from __future__ import annotations

import math
from collections.abc import MutableSequence, Sequence
from typing import TypeAlias

from betterthan.arrays import FloatArray, IntArray

RatingNumbers: TypeAlias = Sequence[float] | FloatArray
RatingState: TypeAlias = MutableSequence[float] | FloatArray
SystemCodes: TypeAlias = Sequence[int] | IntArray

# A match is one integer: left, right (31 bits each) and what left scored in halves, 0, 1 or 2 (two bits).
LEFT_SHIFT = 33
RIGHT_SHIFT = 2
SYSTEM_MASK = 2**31 - 1
HALVES_MASK = 3

# 2^(x/64) for |x| <= 4095: smaller and greater powers are lost in rounding wherever we use them.
STEPS = 64
GREATEST = 64 * STEPS
LIMIT = GREATEST - 1.0
TO_WHOLE = 1.5 * 2.0**52  # adding and subtracting this rounds to the nearest whole number
P1, P2, P3, P4, P5 = (((math.log(2) / STEPS) ** n) / math.factorial(n) for n in range(1, 6))

# In steps of the table of powers, base e: e^(x) = 2^(x * E_STEPS / 64).
E_STEPS = STEPS / math.log(2)
HALF_SQUARE = -0.5 * E_STEPS
DENSITY_0 = 1 / math.sqrt(2 * math.pi)

# The excess of the inverse Mills ratio: a polynomial of degree 6 in each of 129 cells of y = 4 / (4 + z).
CELLS = 128
BEND = 4.0
COEFFICIENTS = 7

# A draw margin (in standard deviations of the difference, or times that difference) below which a series is
# better than a difference of two nearly equal areas.
NARROW = 0.005


def pack_loop(left: IntArray, right: IntArray, outcome: FloatArray, n_systems: int, codes: IntArray) -> bool:
    """Fill `codes`; say whether all systems exist, none meets itself and all outcomes are 0, ½ or 1."""
    is_sound = True
    for i in range(len(codes)):
        a, b, halves = left[i], right[i], outcome[i] * 2.0
        is_sound &= 0 <= a < n_systems and 0 <= b < n_systems and a != b
        is_sound &= halves == 0.0 or halves == 1.0 or halves == 2.0  # noqa: PLR1714  (compiles to fewer steps)
        codes[i] = (a << LEFT_SHIFT) | (b << RIGHT_SHIFT) | int(halves)
    return is_sound


def power_of_two(x: float, powers: RatingNumbers) -> float:
    """2^(x/64), for x from -4095 to 4095 and as at the ends beyond."""
    if x > LIMIT:
        x = LIMIT
    elif not x > -LIMIT:
        x = -LIMIT
    whole = (x + TO_WHOLE) - TO_WHOLE
    r = x - whole
    square = r * r
    grown = r * (P1 + r * P2) + square * r * ((P3 + r * P4) + square * P5)
    power = powers[int(whole) + GREATEST]
    return power + power * grown


def elo_loop(codes: SystemCodes, rating: RatingState, k: float, factor: float, powers: RatingNumbers) -> None:
    """Play the matches in turn; `rating` is changed. `factor` is 64 log2(10) / scale."""
    for code in codes:
        left = code >> LEFT_SHIFT
        right = (code >> RIGHT_SHIFT) & SYSTEM_MASK
        odds = power_of_two((rating[right] - rating[left]) * factor, powers)
        step = k * ((code & HALVES_MASK) * 0.5 - 1.0 / (1.0 + odds))
        rating[left] += step
        rating[right] -= step


def excess(z: float, tails: RatingNumbers) -> float:
    """Inverse Mills ratio minus its argument, φ(z) / Φ(−z) − z, for z >= 0: from 0.798 down to 1/z."""
    y = BEND / (BEND + z)
    place = y * CELLS
    cell = int(place)
    t = place - (cell + 0.5)
    c = cell * COEFFICIENTS
    high = tails[c + 3] + t * (tails[c + 4] + t * (tails[c + 5] + t * tails[c + 6]))
    return y * (tails[c] + t * (tails[c + 1] + t * (tails[c + 2] + t * high)))


def win_update(x: float, powers: RatingNumbers, tails: RatingNumbers) -> tuple[float, float]:
    """Updates v = φ(x) / Φ(x) and w = v (v + x) of a win, without a quotient of two vanishing numbers."""
    if x <= 0.0:
        u = excess(-x, tails)
        v = u - x
        return v, v * u
    density = DENSITY_0 * power_of_two(x * x * HALF_SQUARE, powers)
    v = density / (1.0 - density / (x + excess(x, tails)))
    return v, v * (v + x)


def draw_update(d: float, e: float, powers: RatingNumbers, tails: RatingNumbers) -> tuple[float, float]:
    """Updates |v| and w of a draw within the margin e > 0 at the difference d >= 0, both in standard deviations.

    They are the mean, and 1 minus the variance, of a normal deviate confined to (d − e, d + e). Areas are
    measured in units of the density at the nearer end, so that none of them vanishes; `ratio` is the density
    at the farther end, e^(−2de).
    """
    tilt = e * d
    if e < NARROW and tilt < NARROW:  # nearly uniform: cumulants of exp(tilt u - (e u)²/2) on (-1, 1)
        mean = tilt * (1.0 / 3.0 - tilt * tilt / 45.0 - 2.0 * e * e / 45.0)
        variance = 1.0 / 3.0 - tilt * tilt / 15.0 - 2.0 * e * e / 45.0
        return d - e * mean, 1.0 - e * e * variance
    ratio = power_of_two(-2.0 * tilt * E_STEPS, powers)
    far = d + e
    u_far = excess(far, tails)
    area_far = ratio / (far + u_far)
    if d < e:
        near = e - d
        density = DENSITY_0 * power_of_two(near * near * HALF_SQUARE, powers)
        area = 1.0 - density * (1.0 / (near + excess(near, tails)) + area_far)
        v = density * (1.0 - ratio) / area
        return v, v * v + density * (near + far * ratio) / area
    near = d - e
    u = excess(near, tails)
    area_near = 1.0 / (near + u)
    area = area_near - area_far
    v = (1.0 - ratio) / area
    return v, (v * (area_near * u - area_far * (u_far + 2.0 * e)) + 2.0 * e * ratio) / area


def trueskill_loop(
    codes: SystemCodes,
    mu: RatingState,
    variance: RatingState,
    noise: float,
    drift: float,
    margin: float,
    powers: RatingNumbers,
    tails: RatingNumbers,
) -> None:
    """Play the matches in turn; `mu` and `variance` are changed. `noise` is 2 beta², `drift` is tau²."""
    for code in codes:
        left = code >> LEFT_SHIFT
        right = (code >> RIGHT_SHIFT) & SYSTEM_MASK
        halves = code & HALVES_MASK
        left_variance = variance[left] + drift
        right_variance = variance[right] + drift
        total = noise + left_variance + right_variance
        c = math.sqrt(total)
        d = (mu[left] - mu[right]) / c
        if halves == 1:
            v, w = draw_update(abs(d), margin / c, powers, tails)
            v = -v if d > 0.0 else v
        elif halves == 2:
            v, w = win_update(d - margin / c, powers, tails)
        else:
            v, w = win_update(-d - margin / c, powers, tails)
            v = -v
        mu[left] += left_variance / c * v
        mu[right] -= right_variance / c * v
        variance[left] = left_variance * (1.0 - left_variance / total * w)
        variance[right] = right_variance * (1.0 - right_variance / total * w)
