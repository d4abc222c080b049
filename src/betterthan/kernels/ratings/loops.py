"""Elo and TrueSkill one match at a time, on plain numbers.

These functions run as they stand, on lists, or compiled by numba, on arrays; everything that is compiled stands
in this one file (see :mod:`betterthan.kernels.compiled`). They use nothing but the operations that IEEE 754
rounds exactly, and two tables, so that interpreted, compiled and in lockstep
(:mod:`betterthan.kernels.ratings.loops`) give the same numbers to the last bit, on any machine with the same
tables.

Elo and TrueSkill on many orders at once: match by match, one vector over the orders.

The same operations in the same sequence as in :mod:`betterthan.kernels.ratings.loops`, which explains them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, MutableSequence, Sequence
from typing import TypeAlias

import numpy as np

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


AT_ONCE = 1024


def elo_lockstep(codes: IntArray, rating: FloatArray, k: float, factor: float, powers: FloatArray) -> None:
    """Play S orders of the matches, codes (S, t); `rating` (S, m) is changed."""
    flat = rating.reshape(-1)
    for left, right, halves in _rounds(codes, rating.shape[1]):
        a, b = flat[left], flat[right]
        step = k * (halves * 0.5 - 1.0 / (1.0 + powers_of_two((b - a) * factor, powers)))
        flat[left] = a + step
        flat[right] = b - step


def trueskill_lockstep(
    codes: IntArray,
    mu: FloatArray,
    variance: FloatArray,
    noise: float,
    drift: float,
    margin: float,
    powers: FloatArray,
    tails: FloatArray,
) -> None:
    """Play S orders of the matches, codes (S, t); `mu` and `variance` (S, m) are changed."""
    flat_mu, flat_variance = mu.reshape(-1), variance.reshape(-1)
    for left, right, halves in _rounds(codes, mu.shape[1]):
        left_mu, right_mu = flat_mu[left], flat_mu[right]
        left_variance, right_variance = flat_variance[left] + drift, flat_variance[right] + drift
        total = noise + left_variance + right_variance
        c = np.sqrt(total)
        v, w = _updates((left_mu - right_mu) / c, margin / c, halves, powers, tails)
        flat_mu[left] = left_mu + left_variance / c * v
        flat_mu[right] = right_mu - right_variance / c * v
        flat_variance[left] = left_variance * (1.0 - left_variance / total * w)
        flat_variance[right] = right_variance * (1.0 - right_variance / total * w)


def _rounds(codes: IntArray, n_systems: int) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
    """The i-th match of each order, for each i: places of left and right in the flat state, and halves."""
    offset = np.arange(len(codes)) * n_systems
    for begin in range(0, codes.shape[1], AT_ONCE):
        block = np.ascontiguousarray(codes[:, begin : begin + AT_ONCE].T)
        left = (block >> LEFT_SHIFT) + offset
        right = ((block >> RIGHT_SHIFT) & SYSTEM_MASK) + offset
        yield from zip(left, right, block & HALVES_MASK, strict=True)


def powers_of_two(x: FloatArray, powers: FloatArray) -> FloatArray:
    """2^(x/64), for x from -4095 to 4095 and as at the ends beyond."""
    x = np.minimum(np.fmax(x, -LIMIT), LIMIT)
    whole = (x + TO_WHOLE) - TO_WHOLE
    r = x - whole
    square = r * r
    grown = r * (P1 + r * P2) + square * r * ((P3 + r * P4) + square * P5)
    power = powers[whole.astype(np.int64) + GREATEST]
    return power + power * grown


def excesses(z: FloatArray, tails: FloatArray) -> FloatArray:
    """Inverse Mills ratio minus its argument, for z >= 0."""
    y = BEND / (BEND + z)
    place = y * CELLS
    cell = place.astype(np.int64)
    t = place - (cell + 0.5)
    c: FloatArray = tails.reshape(-1, COEFFICIENTS)[cell].T
    high = c[3] + t * (c[4] + t * (c[5] + t * c[6]))
    result: FloatArray = y * (c[0] + t * (c[1] + t * (c[2] + t * high)))
    return result


def win_updates(x: FloatArray, powers: FloatArray, tails: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Updates v = φ(x) / Φ(x) and w = v (v + x) of wins."""
    z = np.abs(x)
    u = excesses(z, tails)
    ratio = z + u
    density = DENSITY_0 * powers_of_two(x * x * HALF_SQUARE, powers)
    expected = density / (1.0 - density / ratio)
    surprise = x <= 0.0
    return np.where(surprise, ratio, expected), np.where(surprise, ratio * u, expected * (expected + x))


def draw_updates(
    d: FloatArray, e: FloatArray, powers: FloatArray, tails: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Updates |v| and w of draws within the margins e > 0 at the differences d >= 0."""
    tilt = e * d
    ratio = powers_of_two(-2.0 * tilt * E_STEPS, powers)
    far, near = d + e, np.abs(d - e)
    u_far, u = excesses(far, tails), excesses(near, tails)
    area_far, area_near = ratio / (far + u_far), 1.0 / (near + u)
    density = DENSITY_0 * powers_of_two(near * near * HALF_SQUARE, powers)
    inside, narrow = d < e, (e < NARROW) & (tilt < NARROW)
    area = np.where(inside, 1.0 - density * (area_near + area_far), area_near - area_far)
    area = np.where(narrow, 1.0, area)
    v = np.where(inside, density * (1.0 - ratio), 1.0 - ratio) / area
    w_inside = v * v + density * (near + far * ratio) / area
    w = (v * (area_near * u - area_far * (u_far + 2.0 * e)) + 2.0 * e * ratio) / area
    mean = tilt * (1.0 / 3.0 - tilt * tilt / 45.0 - 2.0 * e * e / 45.0)
    variance = 1.0 / 3.0 - tilt * tilt / 15.0 - 2.0 * e * e / 45.0
    v = np.where(narrow, d - e * mean, v)
    return v, np.where(narrow, 1.0 - e * e * variance, np.where(inside, w_inside, w))


def _updates(
    d: FloatArray, e: FloatArray, halves: IntArray, powers: FloatArray, tails: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Updates v, as it moves the left system, and w of wins, losses and draws."""
    sign = halves - 1.0
    v, w = win_updates(sign * d - e, powers, tails)
    v *= sign
    drawn = np.flatnonzero(halves == 1)
    if drawn.size:
        push, w[drawn] = draw_updates(np.abs(d[drawn]), e[drawn], powers, tails)
        v[drawn] = np.where(d[drawn] > 0.0, -push, push)
    return v, w
