"""How much more data would decide a row of a gate that is open."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from betterthan.analysis.gate.margins import GateOptions, GateTable, Standing
from betterthan.analysis.plan.designs import Design, Means, RightWrong
from betterthan.analysis.plan.pilots import PilotOptions, pilot_of
from betterthan.analysis.plan.plan import Question
from betterthan.errors import NotEstimable
from betterthan.kernels.intervals.mean_differences import is_two_valued
from betterthan.tables.scores import Scores


class Deciding(NamedTuple):
    """Units with which a row is decided: if the difference stays as observed, and if there is none; NaN if unknown."""

    needed: float = math.nan
    needed_if_equal: float = math.nan


def deciding(table: GateTable, one: Standing, margin: float, options: GateOptions) -> Deciding:
    """Return the numbers of units, by the same designs as :func:`betterthan.plan` with this table as a pilot.

    A row is decided when the difference is shown to be above minus the margin, or below 0, whichever is farther away.
    For scores of single items one more loss as large as the largest is allowed for, as in their intervals.
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
        design: Design = Means(math.sqrt(1 / (one.n_units + 2)))
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


def _with_unseen(design: Design, table: GateTable, one: Standing, options: GateOptions) -> Design:
    """Return the design of scores with the variance that one more of the largest loss would give."""
    if not (isinstance(table, Scores) and isinstance(design, Means)) or one.unit != "items":
        return design
    values = table.select((options.candidate, options.baseline)).goodness
    gaps = values[0] - values[1]
    gaps = gaps[~np.isnan(gaps)]
    if is_two_valued(values[:, ~np.isnan(values).any(axis=0)]):
        return design
    return Means(max(design.sd, float(np.std([*gaps, gaps.min()], ddof=1))))


def _needed(question: Question, design: Design, distance: float) -> float:
    return question.needed(design, distance) if 0 < distance < design.most else math.inf
