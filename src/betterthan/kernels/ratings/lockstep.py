"""Elo and TrueSkill on many orders at once: match by match, one vector over the orders.

The same operations in the same sequence as in :mod:`betterthan.kernels.ratings.loops`, which explains them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.ratings.loops import (
    BEND,
    CELLS,
    COEFFICIENTS,
    DENSITY_0,
    E_STEPS,
    GREATEST,
    HALF_SQUARE,
    HALVES_MASK,
    LEFT_SHIFT,
    LIMIT,
    NARROW,
    P1,
    P2,
    P3,
    P4,
    P5,
    RIGHT_SHIFT,
    SYSTEM_MASK,
    TO_WHOLE,
)

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
