"""Simulated tables that look like the user's own, with a true difference that is known."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.analysis.units import Units
from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.kernels.resampling.tilting import effective_units, tilted_weights

SWAPPED, EQUAL_MEANS, WITH_EFFECT = "swapped", "equal means", "with effect"
DESIGNS = (SWAPPED, EQUAL_MEANS, WITH_EFFECT)
_LEAST_EFFECTIVE = 0.3
"""Weights that are worth fewer than this share of the units would no longer look like the data."""


class PairData(NamedTuple):
    """The scores of two systems, the better first, and sums over their units.

    Attributes
    ----------
    scores : array, shape (2, n)
        Higher is better.
    units : Units
    segments : list of array
        Segments of each unit; empty where every segment is a unit.
    sums, sizes : array, shape (u,)
        Difference summed over each unit, and segments of each.
    """

    scores: FloatArray
    units: Units
    segments: tuple[IntArray, ...]
    sums: FloatArray
    sizes: FloatArray

    @classmethod
    def of(cls, first: FloatArray, second: FloatArray, units: Units) -> PairData:
        """Return the data of a pair, the better system first."""
        scores = np.stack([first, second] if first.mean() >= second.mean() else [second, first])
        segments: tuple[IntArray, ...] = ()
        if not units.are_segments:
            order = np.argsort(units.of_segment, kind="stable")
            segments = tuple(np.split(order, units.sizes.astype(np.int64).cumsum()[:-1]))
        return cls(scores, units, segments, units.summed(scores[:1] - scores[1:])[0], units.sizes)

    @property
    def difference(self) -> float:
        """The observed mean difference."""
        return float(self.sums.sum() / self.sizes.sum())


class Population(NamedTuple):
    """Units with the probabilities at which they are drawn, and the true difference of systems drawn so.

    Attributes
    ----------
    data : PairData
    design : str
        One of `DESIGNS`.
    weights : array, shape (u,), optional
        Equal without.
    truth : float
    """

    data: PairData
    design: str
    weights: FloatArray | None
    truth: float


def population_of(data: PairData, design: str, difference: float | None) -> Population | None:
    """Return the population of a design; None where the data cannot be made to have such a difference.

    * "swapped": units drawn as they are, the two systems swapped at random in each.
    * "equal means": units drawn with the tilted weights under which both means are equal.
    * "with effect": units drawn as they are, or with the weights under which the means differ by `difference`.
    """
    if design == SWAPPED:
        return Population(data, design, None, 0.0)
    if design == WITH_EFFECT and difference is None:
        return Population(data, design, None, data.difference)
    truth = 0.0 if design == EQUAL_MEANS or difference is None else difference
    weights = tilted_weights(data.sums - truth * data.sizes)
    if weights is None or effective_units(weights) < _LEAST_EFFECTIVE * weights.size:
        return None
    return Population(data, design, weights, truth)


class Simulated(NamedTuple):
    """Some simulated pairs of systems.

    Attributes
    ----------
    data : PairData
    picks : array of int, shape (rows, u)
        Units that were drawn.
    swapped : array of bool, shape (rows, u)
        Whether the systems were swapped there.
    """

    data: PairData
    picks: IntArray
    swapped: BoolArray

    @property
    def sums(self) -> FloatArray:
        """Differences summed over each unit, shape (rows, u)."""
        drawn = self.data.sums[self.picks]
        return np.where(self.swapped, -drawn, drawn)

    @property
    def sizes(self) -> FloatArray:
        """Segments of each unit, shape (u,) or (rows, u)."""
        return self.data.sizes if self.data.units.are_segments else self.data.sizes[self.picks]

    def table(self, row: int) -> tuple[FloatArray, Units]:
        """Return the scores of both systems in a simulated table, shape (2, n), and its units."""
        scores, picks, swapped = self.data.scores, self.picks[row], self.swapped[row]
        if self.data.units.are_segments:
            drawn = scores[:, picks]
            return np.where(swapped, drawn[::-1], drawn), self.data.units
        parts = [self.data.segments[unit] for unit in picks]
        of_segment = np.repeat(np.arange(picks.size), [part.size for part in parts])
        drawn = scores[:, np.concatenate(parts)]
        return np.where(swapped[of_segment], drawn[::-1], drawn), Units(of_segment, picks.size)


def simulated(population: Population, rows: int, rng: np.random.Generator) -> Simulated:
    """Draw tables of as many units as the data have."""
    n = population.data.sums.size
    if population.weights is None:
        picks = rng.integers(0, n, size=(rows, n))
    else:
        ends = population.weights.cumsum()
        picks = np.minimum(np.searchsorted(ends, rng.random((rows, n)) * ends[-1], side="right"), n - 1)
    swapped = np.zeros((rows, n), dtype=np.bool_)
    if population.design == SWAPPED:
        swapped = rng.random((rows, n)) < 0.5
    return Simulated(population.data, picks, swapped)
