"""Checkup: contents and problems of a file. Diagnosis: properties of a table of scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.arrays import FloatArray
from betterthan.results.base import NamedRows, Result, Rows
from betterthan.results.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One problem: its code, a title, the location, and a message that ends with a hint.

    `is_doubt` marks a warning, which does not prevent use of the file.
    """

    code: str
    title: str
    place: str
    message: str
    is_doubt: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Checkup(Rows[Finding], Result):
    """Recognized contents of a file, with an account of every row and every problem.

    Attributes
    ----------
    file : str
        As named by the user.
    format : str
        Name of the layout, or "unknown".
    because : str
        How it was recognized.
    contents : tuple of str
        One line per table.
    rows_read, rows_kept : int
    dropped : dict of str to int
        Rows left out, by reason.
    preview_columns : tuple of str
        Canonical columns of the preview.
    preview : tuple of tuples of str
        The first rows, in canonical columns.
    problems : tuple of Finding
        Empty when there are none.

    Examples
    --------
    >>> import betterthan as bt
    >>> checkup = bt.check({"A": [1.0, 3.0], "B": [2.0, 1.0]})
    >>> len(checkup), [problem.code for problem in checkup]
    (0, [])
    """

    kind: ClassVar[str] = "checkup"
    row_type: ClassVar[type] = Finding

    file: str
    format: str
    because: str
    contents: tuple[str, ...]
    rows_read: int
    rows_kept: int
    dropped: dict[str, int]
    preview_columns: tuple[str, ...]
    preview: tuple[tuple[str, ...], ...]
    problems: tuple[Finding, ...]
    notes: tuple[str, ...]
    settings: Settings

    @property
    def exit_code(self) -> int:
        """1 when there is an error, else 0; warnings do not count."""
        return int(any(not problem.is_doubt for problem in self.problems))

    def __len__(self) -> int:
        return len(self.problems)

    def _row(self, i: int) -> Finding:
        return self.problems[i]

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return the problems, one row each."""
        names = ("code", "title", "place", "message")
        return {name: [getattr(problem, name) for problem in self.problems] for name in names}

    def __repr__(self) -> str:
        many = len(self.problems)
        return f"Checkup({self.file!r}, {self.format}, {many} problem{'' if many == 1 else 's'})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Triple:
    """Three systems among which Bradley–Terry and the head-to-head counts do not agree.

    Attributes
    ----------
    a, b, c : str
    effect : {"cycle", "flips", "levels"}
        "cycle": a beats b, b beats c and c beats a. "flips" and "levels": a beats b when the two are fitted alone, but
        loses or ties when c is added.
    alone : float
        Share of the decided segments that a wins against b; in a cycle, the smallest of its three shares.
    together : float
        Probability that a beats b in the Bradley–Terry fit of all three; NaN where strengths do not exist.
    pvalue : float
        Of a's lead over b, by the sign test corrected for all pairs of systems; in a cycle, the largest of its three.
        NaN where it was not tested.
    """

    a: str
    b: str
    c: str
    effect: str
    alone: float
    together: float
    pvalue: float = float("nan")


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosedSystem:
    """Diagnosis of one system.

    Attributes
    ----------
    system : str
    outlier_share : float
        Share of its scores beyond 1.5 interquartile ranges from its quartiles.
    rank_spread : float
        Standard deviation of its ranks across segments.
    """

    system: str
    outlier_share: float
    rank_spread: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrowCheck:
    """How often an aggregation misses Arrow's criteria on a table.

    Attributes
    ----------
    aggregation : str
    unanimous : int
        Pairs of which one system is better on every segment.
    violated : int
        Of these, pairs that the aggregation does not order so (monotonicity).
    dependent : int
        Pairs whose order changes when some third system is left out (independence of irrelevant alternatives).
    decided : int
        Pairs whose order is reversed when some single segment is left out (dictators).

    Examples
    --------
    >>> import betterthan as bt
    >>> checks = bt.diagnose({"A": [1.0, 1.0, 9.0], "B": [2.0, 2.0, 0.0]}).arrow
    >>> [(check.aggregation, check.decided) for check in checks]
    [('mean', 1), ('median', 1), ('win_rate', 0), ('bradley_terry', 0)]
    """

    aggregation: str
    unanimous: int
    violated: int
    dependent: int
    decided: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Diagnosis(NamedRows[DiagnosedSystem], Result):
    """Ties, missing scores, outliers, effect of pairing, and cycles of a table of scores.

    Attributes
    ----------
    metric : str
    systems : tuple of str
    n_segments : int
    outlier_share : float
        Share of scores beyond 1.5 interquartile ranges from the quartiles of all scores.
    outlier_share_by_system : array, shape (m,)
        The same with the quartiles of each system.
    difference_outlier_share : float
        The same for the differences of two systems, mean over pairs: these influence a difference of means.
    tie_share : float
        Share of comparisons of two systems on a segment that are exact ties.
    missing_share : float
    pairing : float
        Mean correlation between systems over segments.
    variance_removed : float
        Share of the variance of a difference that pairing removes, on average over pairs.
    system_spread, segment_spread, rank_spread : float
        Mean spread of scores across systems within a segment; spread of the segments' means (difficulty); mean
        spread of a system's ranks across segments.
    rank_spread_by_system : array, shape (m,)
    kendall : array, shape (m, m)
        Kendall's tau-b between systems over segments.
    n_triples, n_unfitted : int
        Triples of systems examined, and the number of those without Bradley–Terry strengths.
    triples : tuple of Triple
        Cycles first, then pairs that a third system flips, then pairs that it makes equal; largest lead first. These
        are descriptive; `pvalue` gives their significance.
    expected_cycles : float
        Number of cycles expected by chance under a Bradley–Terry model with these strengths.
    sentences : tuple of str
        What the measures mean for the choice of an aggregation.
    lower_is_better : bool
        Of the metric.
    arrow : tuple of ArrowCheck
        Arrow's criteria for mean, median, win rate and Bradley–Terry, on the complete segments; empty where the search
        would take too long.

    Examples
    --------
    >>> import betterthan as bt
    >>> diagnosis = bt.diagnose(bt.read_scores({"A": [1.0, 3.0, 2.0], "B": [2.0, 1.0, 0.0]}))
    >>> len(diagnosis), diagnosis["A"].outlier_share
    (2, 0.0)
    """

    kind: ClassVar[str] = "diagnosis"
    row_type: ClassVar[type] = DiagnosedSystem

    metric: str
    systems: tuple[str, ...]
    n_segments: int
    outlier_share: float
    outlier_share_by_system: FloatArray
    difference_outlier_share: float
    tie_share: float
    missing_share: float
    pairing: float
    variance_removed: float
    system_spread: float
    segment_spread: float
    rank_spread: float
    rank_spread_by_system: FloatArray
    kendall: FloatArray
    n_triples: int
    n_unfitted: int
    triples: tuple[Triple, ...]
    expected_cycles: float
    sentences: tuple[str, ...]
    notes: tuple[str, ...]
    settings: Settings
    lower_is_better: bool = False
    arrow: tuple[ArrowCheck, ...] = ()

    def _row(self, i: int) -> DiagnosedSystem:
        by_system = (self.outlier_share_by_system, self.rank_spread_by_system)
        outliers, spread = (float(values[i]) for values in by_system)
        return DiagnosedSystem(system=self.systems[i], outlier_share=outliers, rank_spread=spread)

    def count(self, effect: str, *, alpha: float = math.inf) -> int:
        """Return the number of triples with this effect; with `alpha`, only those significant at that level."""
        return sum(
            triple.effect == effect and (alpha == math.inf or triple.pvalue <= alpha)
            for triple in self.triples
        )

    @property
    def mean_kendall(self) -> float:
        """Mean of Kendall's tau-b over pairs of systems; NaN when none is defined."""
        total, n_known = 0.0, 0
        for i, row in enumerate(self.kendall):  # row by row: 3,000 systems have millions of pairs
            known = [tau for tau in row[i + 1 :].tolist() if tau == tau]  # noqa: PLR0124  (NaN is not equal to itself)
            total, n_known = sum(known, total), n_known + len(known)
        return total / n_known if n_known else float("nan")

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per measure."""
        shares = (
            "outlier_share",
            "tie_share",
            "missing_share",
            "pairing",
            "variance_removed",
            "mean_kendall",
        )
        spreads = ("system_spread", "segment_spread", "rank_spread")
        names = [*shares, *spreads]
        return {"measure": names, "value": [getattr(self, name) for name in names]}

    def __repr__(self) -> str:
        return f"Diagnosis({self.metric!r}, {len(self.systems)} systems × {self.n_segments} segments)"
