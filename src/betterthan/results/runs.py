"""Results on repeated runs: where the variation comes from, and what each factor does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.arrays import FloatArray
from betterthan.results.base import Result
from betterthan.results.rows import NamedRows, Rows, row_at
from betterthan.results.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceSource:
    """One source of variation; its fields are those of :class:`Variation`."""

    source: str
    variance: float
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """How many more runs or items would halve the interval of a difference, with a range; infinite where none would.

    Attributes
    ----------
    more, low, high : float
        The estimate, and the range in which it lies with 80% confidence.
    """

    more: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Variation(NamedRows[VarianceSource], Result):
    """How much systems, items and runs contribute to the variance of a single score.

    Attributes
    ----------
    sources : tuple of str
        "system", "item", "item × system", "run", "residual"; without repeats "system", "item", "residual".
    variance : array, shape (k,)
        Estimates, which may be negative.
    share : array, shape (k,)
        Of the sum of the variances, negative ones counted as 0.
    low, high : array, shape (k,)
        Confidence interval of each share.
    confidence : float
    more_runs, more_items : Needed or None
        To halve the interval of a difference of two systems; None without repeats.
    n_items : int
    n_runs : float
        Typical number of runs of an item.
    measured : str
        The metric and its direction.
    notes : tuple of str
    settings : Settings

    Examples
    --------
    >>> import betterthan as bt
    >>> runs = {"item": [1, 1, 2, 2, 3, 3] * 2, "system": ["A"] * 6 + ["B"] * 6, "seed": [1, 2] * 6,
    ...         "score": [3, 4, 5, 6, 4, 5, 2, 2, 3, 5, 3, 2]}
    >>> found = bt.variation(runs, run="seed")
    >>> round(found["item"].variance, 3), [row.source for row in found]
    (1.0, ['system', 'item', 'item × system', 'run', 'residual'])
    """

    kind: ClassVar[str] = "variation"
    row_type: ClassVar[type] = VarianceSource
    row_noun: ClassVar[str] = "source"

    sources: tuple[str, ...]
    variance: FloatArray
    share: FloatArray
    low: FloatArray
    high: FloatArray
    confidence: float
    more_runs: Needed | None
    more_items: Needed | None
    n_items: int
    n_runs: float
    measured: str
    notes: tuple[str, ...]
    settings: Settings

    @property
    def times_both(self) -> float:
        r"""How many times as many runs and items together halve the interval of a difference; NaN without repeats.

        The root f of :math:`(\sigma^2_c / n + \sigma^2_b / R) / f + \sigma^2_e / (nR f^2) = h / 4`, with h the left
        side for f = 1.
        """
        if self.more_runs is None:
            return math.nan
        own, run, rest = (max(float(part), 0.0) for part in self.variance[2:])
        single = own / self.n_items + run / self.n_runs
        both = rest / (self.n_items * self.n_runs)
        quarter = (single + both) / 4
        return (single + math.sqrt(single**2 + 4 * quarter * both)) / (2 * quarter) if quarter else math.nan

    def _row_names(self) -> tuple[str, ...]:
        return self.sources

    def _row(self, i: int) -> VarianceSource:
        return row_at(self, i, VarianceSource, source=self.sources[i])

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return source, variance, share and its interval, one row per source."""
        names = ("variance", "share", "low", "high")
        return {"source": self.sources, **{name: getattr(self, name).tolist() for name in names}}

    def __repr__(self) -> str:
        return f"Variation({self.measured!r}, {len(self.sources)} sources)"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorEffect:
    """One effect; its fields are those of :class:`Factors`."""

    term: str
    level: str
    effect: float
    low: float
    high: float
    pvalue: float
    adjusted: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Factors(Rows[FactorEffect], Result):
    """Effects of the factors that make up the systems, such as model and prompt, and of their interactions.

    Attributes
    ----------
    terms : tuple of str
        The factors, then their interactions of two, such as "model × prompt".
    term : tuple of str
        The term of each effect, one per row.
    level : tuple of str
        What the effect is of. With two levels the difference, "A − B"; with more the level against the average of all
        levels. Of an interaction: by how much the difference changes, or the deviation from the sum of both effects.
    effect, low, high : array, shape (k,)
        Higher is better, whatever the direction of the metric.
    pvalue, adjusted : array, shape (k,)
        Before and after Holm's correction over the effects of the term.
    alpha, confidence : float
    measured : str
        The metric and its direction.
    unit_note : str
    notes : tuple of str
    settings : Settings

    Examples
    --------
    >>> import betterthan as bt
    >>> table = {"item": [1, 2, 3] * 4, "model": list("AAAAAABBBBBB"), "prompt": list("xxxyyyxxxyyy"),
    ...          "score": [3, 5, 4, 4, 6, 5, 1, 3, 3, 2, 3, 4]}
    >>> found = bt.factors(table, system=["model", "prompt"])
    >>> [(row.term, row.level, round(row.effect, 2)) for row in found]
    [('model', 'A − B', 1.83), ('prompt', 'x − y', -0.83), ('model × prompt', 'A − B, x − y', -0.33)]
    """

    kind: ClassVar[str] = "factors"
    row_type: ClassVar[type] = FactorEffect

    terms: tuple[str, ...]
    term: tuple[str, ...]
    level: tuple[str, ...]
    effect: FloatArray
    low: FloatArray
    high: FloatArray
    pvalue: FloatArray
    adjusted: FloatArray
    alpha: float
    confidence: float
    measured: str
    unit_note: str
    notes: tuple[str, ...]
    settings: Settings

    def pvalue_of(self, term: str) -> float:
        """Return the p-value of a term: the smallest corrected p-value of its effects."""
        return float(
            min(p for name, p in zip(self.term, self.adjusted.tolist(), strict=True) if name == term)
        )

    def __len__(self) -> int:
        return len(self.term)

    def _row(self, i: int) -> FactorEffect:
        return row_at(self, i, FactorEffect)

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return the effects, one row each."""
        names = ("effect", "low", "high", "pvalue", "adjusted")
        numbers = {name: getattr(self, name).tolist() for name in names}
        return {"term": self.term, "level": self.level, **numbers}

    def __repr__(self) -> str:
        return f"Factors({self.measured!r}, {', '.join(self.terms)})"
