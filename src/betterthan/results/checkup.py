"""Checkup: what is in a file, and what is wrong with it. Diagnosis: what kind of scores these are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.arrays import FloatArray
from betterthan.results.base import Result
from betterthan.results.rows import NamedRows, Rows
from betterthan.results.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One problem: its code, a title, the place, a message that ends with the cure.

    `is_doubt` says that it is only something to know, not something to settle before the file can be used.
    """

    code: str
    title: str
    place: str
    message: str
    is_doubt: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Checkup(Rows[Finding], Result):
    """What was recognized in a file, every row accounted for, and every problem found.

    Attributes
    ----------
    file : str
        As the user named it.
    format : str
        Name of the layout, or "unknown".
    because : str
        How it was recognized.
    contents : tuple of str
        One line a table: what it holds.
    rows_read, rows_kept : int
    dropped : dict of str to int
        Rows left out, by reason.
    preview_columns : tuple of str
        Canonical columns of the preview.
    preview : tuple of tuples of str
        The first rows, in canonical columns.
    problems : tuple of Finding
        Empty when all is well.

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
        """1 when there is something to mend, else 0; doubts are no fault."""
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
        "cycle": a beats b, b beats c and c beats a. "flips" and "levels": a beats b when the two are fitted alone, and
        with c beside them it loses, or is level.
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
    """What a diagnosis says of one system.

    Attributes
    ----------
    system : str
    outlier_share : float
        Share of its scores beyond 1.5 interquartile ranges from its quartiles.
    rank_spread : float
        Spread of its ranks across segments.
    """

    system: str
    outlier_share: float
    rank_spread: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Diagnosis(NamedRows[DiagnosedSystem], Result):
    """Ties, gaps, outliers, strength of pairing, and cycles of a table of scores.

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
        The same for the differences of two systems, mean over pairs: these are what sways a difference of means.
    tie_share : float
        Share of comparisons of two systems on a segment that are exact ties.
    missing_share : float
    pairing : float
        Mean correlation between systems over segments: how much pairing helps.
    variance_removed : float
        Share of the variance of a difference that pairing removes, on average over pairs.
    system_spread, segment_spread, rank_spread : float
        Mean spread of scores across systems within a segment; spread of the segments' means (difficulty); mean
        spread of a system's ranks across segments.
    rank_spread_by_system : array, shape (m,)
    kendall : array, shape (m, m)
        Kendall's tau-b between systems over segments.
    n_triples, n_unfitted : int
        Triples of systems looked at, and how many of them have no Bradley–Terry strengths.
    triples : tuple of Triple
        Cycles first, then what a third system flips, then what it levels; largest lead first. They are what the data
        show; whether they are more than chance, `pvalue` says.
    expected_cycles : float
        How many cycles chance alone would give among systems of such strengths that differ without any cycle.
    sentences : tuple of str
        What the measures mean for choosing a mechanism.
    lower_is_better : bool
        Of the metric.

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

    def _row_names(self) -> tuple[str, ...]:
        return self.systems

    def _row(self, i: int) -> DiagnosedSystem:
        by_system = (self.outlier_share_by_system, self.rank_spread_by_system)
        outliers, spread = (float(values[i]) for values in by_system)
        return DiagnosedSystem(system=self.systems[i], outlier_share=outliers, rank_spread=spread)

    def count(self, effect: str, *, alpha: float = math.inf) -> int:
        """Return how many triples show this effect; with `alpha`, by leads that are significant at that level."""
        return sum(
            triple.effect == effect and (alpha == math.inf or triple.pvalue <= alpha)
            for triple in self.triples
        )

    @property
    def mean_kendall(self) -> float:
        """Mean of Kendall's tau-b over pairs of systems; NaN when none is defined."""
        total, n_known = 0.0, 0
        for i, row in enumerate(self.kendall):  # row by row: of 3,000 systems there are millions of pairs
            known = [tau for tau in row[i + 1 :].tolist() if tau == tau]  # noqa: PLR0124  (NaN is not equal to itself)
            total, n_known = sum(known, total), n_known + len(known)
        return total / n_known if n_known else float("nan")

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row a measure."""
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
