"""Measures of agreement between a metric and human scores, and their options."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Protocol, get_args

import numpy as np

from betterthan.analysis.meta.inputs import Panel
from betterthan.analysis.resampling import Resampling
from betterthan.analysis.units import Units, units_of
from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import BetterThanError, TableError, unknown_name
from betterthan.messages import Message, Option, joined
from betterthan.results.settings import OptionValue
from betterthan.tables.scores import Scores

MeasureLevel = Literal["system", "segment", "within_system", "global"]
PValues = Literal["monte_carlo", "analytic", "exact"]
UnitChoice = Literal["auto", "segments", "groups"] | int
LEVELS: tuple[MeasureLevel, ...] = get_args(MeasureLevel)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureOptions:
    """Options of a measure that do not depend on the data: plain values, which can be sent to workers.

    Attributes
    ----------
    p_values : {"monte_carlo", "analytic", "exact"}
        Of pairs of systems, for soft pairwise accuracy.
    mid_p : bool
        Count ties as half.
    margin, metric_margin : float
        Human scores that differ by less than `margin`, and metric scores that differ by at most `metric_margin`, are
        ties.
    resample : {"both", "human"}
        Whether intervals draw human and metric scores together, or human scores alone.
    """

    p_values: PValues
    mid_p: bool
    margin: float
    metric_margin: float
    resample: str = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureRequest:
    """A request to compute a measure for one table of human scores.

    Attributes
    ----------
    options : MeasureOptions
    resampling : Resampling
        Permutations for "monte_carlo" p-values, swaps and bootstrap samples.
    units : Units
        Units that are permuted in the p-values of soft pairwise accuracy, which are part of its definition.
    drawn : Units
        Units that are resampled for intervals, and swapped where sums over segments are swapped.
    part : str
        Name of one of several pooled test sets; each has its own random numbers.
    """

    options: MeasureOptions
    resampling: Resampling
    units: Units
    drawn: Units
    part: str = ""


def request_for(
    human: Scores, options: MeasureOptions, resampling: Resampling, units: UnitChoice, *, part: str = ""
) -> MeasureRequest:
    """Return the request for one table of human scores."""
    return MeasureRequest(
        options=options,
        resampling=resampling,
        units=units_for(human, "segments" if units == "auto" else units),
        drawn=units_for(human, units),
        part=part,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredMetrics:
    """The measure of each metric, and by-products of its computation.

    Attributes
    ----------
    value : array, shape (k,)
    n_pairs : int
        Pairs of systems compared.
    threshold : array, shape (k,), optional
        Calibrated tie thresholds.
    n_decided : array of int, shape (k,), optional
        For the taus: the number of these pairs that the metric does not tie.
    human_pvalue, metric_pvalue : array, shape (m, m) and (k, m, m), optional
    options : dict
        For the signature.
    drew : bool
        Whether random numbers were used.
    notes : tuple of str
    """

    value: FloatArray
    n_pairs: int
    threshold: FloatArray | None = None
    n_decided: IntArray | None = None
    human_pvalue: FloatArray | None = None
    metric_pvalue: FloatArray | None = None
    options: dict[str, OptionValue] = field(default_factory=dict)
    drew: bool = False
    notes: tuple[str, ...] = ()


class Measure(Protocol):
    """A measure of agreement at one level."""

    @property
    def name(self) -> str:
        """Name of the measure."""

    @property
    def level(self) -> MeasureLevel:
        """Level at which it is computed."""

    @property
    def is_redone(self) -> bool:
        """Whether every bootstrap sample needs a full recomputation, so that intervals use only a few hundred."""

    def take(self, panel: Panel, request: MeasureRequest) -> MeasuredMetrics:
        """Return the measure of every metric."""

    def has_draws(self, panel: Panel) -> bool:
        """Whether the measure has a fast method for bootstrap samples."""

    def draws(self, panel: Panel, options: MeasureOptions, weights: FloatArray) -> FloatArray:
        """Return the measure (b, k) when segments count as often as the rows (b, n) of `weights` say."""


def units_for(human: Scores, units: UnitChoice) -> Units:
    """Return single segments, documents, or windows of a number of consecutive segments (within documents).

    Examples
    --------
    >>> human = Scores(name="h", systems=["A"], segments=["1", "2", "3"], values=[[1, 2, 3]])
    >>> units_for(human, 2).of_segment
    array([0, 0, 1])
    """
    if isinstance(units, str):
        return units_of(human, units)
    if isinstance(units, bool) or not isinstance(units, int | np.integer) or units < 1:
        raise BetterThanError(
            f'units must be "auto", "segments", "groups" or a number of segments, not {units!r}.'
        )
    groups = human.groups or ("",) * human.n_segments
    codes, code, size = [], -1, 0
    for i, group in enumerate(groups):
        opens = i == 0 or group != groups[i - 1] or size == units
        code, size = code + opens, 1 if opens else size + 1
        codes.append(code)
    if code < 1:
        raise TableError(f"A window of {units} segments contains all of them. Use a smaller one.")
    return Units(np.array(codes, dtype=np.int64), code + 1)


def check_level(level: str, allowed: tuple[MeasureLevel, ...], name: str) -> None:
    """Raise when a level does not exist or is not available for this measure."""
    if level not in LEVELS:
        raise unknown_name("level", level, LEVELS)
    if level not in allowed:
        raise BetterThanError(
            Message(
                "{by} cannot be computed at {given}. Use {possible}.",
                by=Option("by", name),
                given=Option("level", level),
                possible=joined([Option("level", one) for one in allowed], " or "),
            )
        )
