"""How much more data would decide a row of a gate that is open."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import nctdtr

from betterthan.analysis.gate.margins import GateOptions, GateTable, Standing
from betterthan.analysis.plan.designs import Design, Means, RightWrong
from betterthan.analysis.plan.pilots import PilotOptions, pilot_of
from betterthan.analysis.plan.plan import Question
from betterthan.arrays import FloatArray
from betterthan.errors import NotEstimable
from betterthan.kernels.intervals.intervals import skewness_interval, skewness_of_sums
from betterthan.kernels.intervals.mean_differences import is_two_valued
from betterthan.kernels.intervals.unseen import clear_skewness
from betterthan.kernels.sign_flips.exact import Alternative
from betterthan.tables.scores import Scores

_FEWEST = 3


class Deciding(NamedTuple):
    """Units with which a row is decided: if the difference stays as observed, and if there is none; NaN if unknown."""

    needed: float = math.nan
    needed_if_equal: float = math.nan


class SkewedMeans(NamedTuple):
    """Means of scores with rare large losses, whose lower limit is drawn toward the losses.

    Attributes
    ----------
    sd, skewness : float
        Of the differences of items.
    """

    sd: float
    skewness: float

    @property
    def most(self) -> float:
        """Scores may differ by any amount."""
        return math.inf

    def power(self, difference: float, n: int, level: float, alternative: Alternative) -> float:
        """Return the probability that the lower limit lies above minus the difference."""
        del alternative
        if n < _FEWEST:
            return 0.0
        unit = np.ones(1)
        low, _ = skewness_interval(0 * unit, unit, self.skewness * unit, np.array([n]), confidence=1 - level)
        return float(1.0 - nctdtr(n - 1, difference * math.sqrt(n) / self.sd, -float(low[0])))

    def roughly(self, difference: float, reach: float) -> float:
        """Return the number for symmetric differences, from where the search begins."""
        return (self.sd * reach / difference) ** 2


def deciding(table: GateTable, one: Standing, margin: float, options: GateOptions) -> Deciding:
    """Return the numbers of units, by the same designs as :func:`betterthan.plan` with this table as a pilot.

    A row is decided when the difference is shown to be above minus the margin, or below 0, whichever is farther away.
    For scores of single items with a long tail of losses one more as large as the largest is allowed for, and the
    lower limit is drawn toward them, as in their intervals.
    """
    units = "auto" if one.unit == "battles" else options.units
    try:
        pilot = pilot_of(
            table,
            PilotOptions((options.candidate, options.baseline), units, "drop", None, 1 - options.alpha),
        )
    except NotEstimable:
        if one.compared.both_right is None or one.unit != "items":
            return Deciding()
        # Right and wrong on the same items: that one of two more would differ is as much as was seen against it.
        design: Design | SkewedMeans = Means(math.sqrt(1 / (one.n_units + 2)))
    else:
        design = _with_unseen(_of_margins(pilot.design, one.effect), table, one, options)
    question = Question(options.power, options.alpha, "two-sided")
    distance = max(one.effect + margin, -one.effect)
    return Deciding(_needed(question, design, distance), _needed(question, design, margin))


def _of_margins(design: Design, effect: float) -> Design:
    """Return the design of a test against a margin; of right and wrong answers the variance matters there."""
    if isinstance(design, RightWrong):
        return Means(math.sqrt(max(design.discordance - effect**2, 1e-12)))
    return design


def _with_unseen(
    design: Design, table: GateTable, one: Standing, options: GateOptions
) -> Design | SkewedMeans:
    """Return the design of scores with losses that are rare and large, and one more of the largest of them."""
    if not (isinstance(table, Scores) and isinstance(design, Means)) or one.unit != "items":
        return design
    values = table.select((options.candidate, options.baseline)).goodness
    values = values[:, ~np.isnan(values).any(axis=0)]
    gaps = values[0] - values[1]
    if is_two_valued(values) or gaps.size < _FEWEST or -_skewness(gaps) <= clear_skewness(gaps.size):
        return design
    gaps = np.append(gaps, gaps.min())
    return SkewedMeans(float(np.std(gaps, ddof=1)), _skewness(gaps))


def _skewness(gaps: FloatArray) -> float:
    around = gaps - gaps.mean()
    squares, cubes = (np.array([(around**power).sum()]) for power in (2, 3))
    return float(skewness_of_sums(squares, cubes, np.array([gaps.size]))[0])


def _needed(question: Question, design: Design | SkewedMeans, distance: float) -> float:
    return question.needed(design, distance) if 0 < distance < design.most else math.inf
