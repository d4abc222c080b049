"""Does a claim survive every defensible choice of metric, items, aggregation, test, unit and correction?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from typing import Any, Literal, NamedTuple

import numpy as np

from betterthan.analysis.compare.compare import compare
from betterthan.analysis.computing import Computing, Rng, seed_of
from betterthan.analysis.multiverse.choices import (
    CORRECTIONS,
    DOCUMENTS,
    Method,
    Variant,
    methods,
    variants,
)
from betterthan.analysis.multiverse.claims import SystemClaim, claim_of
from betterthan.analysis.table_argument import AnyData
from betterthan.analysis.tradeoffs.metric_tables import metric_tables
from betterthan.arrays import digest
from betterthan.budget import MOST_RESAMPLES, check_count, check_share
from betterthan.engine.blas import with_one_blas_thread
from betterthan.engine.cache import Cache
from betterthan.engine.progress import Progress
from betterthan.errors import NotEstimable, TableError, some_of
from betterthan.kernels.significance.pvalues import Correction, adjusted
from betterthan.results.pairwise import WIN_PROBABILITY, PairwiseTable
from betterthan.results.robustness import (
    CHOICES,
    CONTRADICTED,
    EQUAL,
    OPPOSITE,
    SAME,
    SUPPORTED,
    Multiverse,
)
from betterthan.results.settings import Settings
from betterthan.tables.scores import Scores

_RESAMPLES = 1999
_ROUNDING = 1e-12


@with_one_blas_thread
def multiverse(
    claim: str | Sequence[str],
    table: AnyData,
    *more: AnyData,
    metric: str | Sequence[str] | None = None,
    missing: Literal["raise", "drop"] = "raise",
    alpha: float = 0.05,
    n_resamples: int | None = None,
    rng: Rng = 12345,
    workers: int | None = None,
    executor: Executor | None = None,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> Multiverse:
    """Return what every defensible analysis says of a claim, and which choices decide.

    An analysis is one option of each of these choices, as far as the data have it and they make sense together:

    * metric: each metric of the data, or those named.
    * items: all; with scores capped at their 1st and 99th percentile; without the 2% of items on which the systems of
      the claim differ most. Right and wrong answers have no outliers.
    * compared: all systems together, or only those of the claim.
    * unit: single segments, or whole documents.
    * aggregation and test: the mean (permutation, t, studentized bootstrap), the mean without the lowest and highest
      20% (bootstrap), the median (bootstrap, Mood), the median of the differences (Wilcoxon), the win rate
      (permutation, sign test), and Bradley–Terry strengths (Wald).
    * ties: left out or split, in the sign test and the Bradley–Terry model.
    * correction: none, Bonferroni, Holm, Benjamini–Hochberg, over all pairs of the systems compared.

    Every p-value is that of :func:`betterthan.compare` with these options.

    Parameters
    ----------
    claim : str or sequence of str
        "A > B", "A is better than B", "A is best", or the names alone: ("A", "B") or ("A",).
    table, *more : Scores, or what they are read from
        As for :func:`betterthan.compare`; several metrics are a choice of the analyst.
    metric : str or sequence of str, optional
        The metrics that may be chosen; all by default.
    missing : {"raise", "drop"}, default "raise"
    alpha : float, default 0.05
        Significance level, of corrected p-values.
    n_resamples : int, optional
        For bootstrap tests; 1,999 by default.
    rng : int or numpy.random.Generator, default 12345
    workers, executor, cache, progress
        How the work is carried out; none of these changes a result.

    Returns
    -------
    Multiverse
        With a row for each analysis.

    Notes
    -----
    All analyses use the same data, so the share that supports the claim is not a probability. It says how much the
    conclusion depends on the analyst.

    References
    ----------
    .. [1] Steegen, Tuerlinckx, Gelman and Vanpaemel (2016), Increasing transparency through a multiverse analysis,
       Perspectives on Psychological Science 11.
    .. [2] Simonsohn, Simmons and Nelson (2020), Specification curve analysis, Nat. Hum. Behav. 4.

    Examples
    --------
    The means are equal, the median is lower, and yet B is better than A on four segments of five:

    >>> import betterthan as bt
    >>> found = bt.multiverse("B > A", {"A": [1, 5, 11, 12, 17], "B": [2, 6, 7, 13, 18]})
    >>> {row.aggregation: row.outcome for row in found}["Bradley–Terry"]
    'same direction'
    >>> sorted({row.outcome for row in found if row.aggregation == "median"})
    ['opposite direction']
    """
    check_share("alpha", alpha)
    check_count("n_resamples", n_resamples, MOST_RESAMPLES)
    tables = _scores(metric_tables((table, *more), metric, None, None), missing)
    known = tuple(dict.fromkeys(name for scores in tables.values() for name in scores.systems))
    made = claim_of(claim, known)
    named = (made.system, *made.others)
    left_out = [name for name, scores in tables.items() if not set(named) <= set(scores.systems)]
    tables = {name: scores for name, scores in tables.items() if name not in left_out}
    if not tables:
        raise TableError(f"No metric has scores of all systems of the claim: {some_of(named)}.")
    notes = (f"Metrics left out, because they do not have all systems of the claim: {some_of(left_out)}.",)
    computing = Computing(workers=workers, executor=executor, cache=cache, progress=progress)
    request = _Request(made, alpha, n_resamples or _RESAMPLES, seed_of(rng), computing)
    cells, n_impossible = _analyses(tables, request)
    if not cells:
        raise NotEstimable("No analysis of this claim has an answer on these data.")
    return _result(tables, request, cells, n_impossible, notes if left_out else ())


class _Request(NamedTuple):
    claim: SystemClaim
    alpha: float
    n_resamples: int
    seed: int
    computing: Computing


class _Cell(NamedTuple):
    """What one analysis chose and found."""

    chosen: tuple[str, ...]
    effect: float
    pvalue: float
    direction: int
    outcome: str


def _scores(tables: dict[str, Any], missing: Literal["raise", "drop"]) -> dict[str, Scores]:
    found = {}
    for name, table in tables.items():
        if not isinstance(table, Scores):
            raise TableError(f"multiverse takes Scores, not {type(table).__name__}.")
        found[name] = table.complete(missing=missing)
    return found


def _analyses(tables: dict[str, Scores], request: _Request) -> tuple[list[_Cell], int]:
    named = (request.claim.system, *request.claim.others)
    cells, n_impossible = [], 0
    for variant in variants(tables, named):
        for method in methods(variant):
            corrections = CORRECTIONS if variant.scores.n_systems > 2 else CORRECTIONS[:1]
            try:
                pairs = _compared(variant, method, request)
            except NotEstimable:
                n_impossible += len(corrections)
                continue
            found = list(_cells(variant, method, pairs, corrections, request))
            n_impossible += len(corrections) - len(found)
            cells += found
    return cells, n_impossible


def _compared(variant: Variant, method: Method, request: _Request) -> PairwiseTable:
    options: dict[str, Any] = {**method.options, **request.computing.arguments()}
    if method.test == "bootstrap":
        options["n_resamples"] = request.n_resamples
    units: Any = "groups" if variant.units == DOCUMENTS else "segments"
    return compare(
        variant.scores, units=units, correction="none", alpha=request.alpha, rng=request.seed, **options
    )


def _cells(
    variant: Variant,
    method: Method,
    pairs: PairwiseTable,
    corrections: Sequence[Correction],
    request: _Request,
) -> Iterator[_Cell]:
    m = len(pairs.systems)
    above = np.triu_indices(m, 1)
    a = pairs.systems.index(request.claim.system)
    others = [pairs.systems.index(name) for name in request.claim.others]
    effect = pairs.effect[a, others] - (0.5 if pairs.effect_name == WIN_PROBABILITY else 0.0)
    scale = max(float(np.abs(variant.scores.values).max()), 1.0)
    sign = np.where(np.abs(effect) <= _ROUNDING * scale, 0.0, np.sign(effect))
    if np.isnan(effect).any():
        return
    nearest = int(np.argmin(effect))
    for correction in corrections:
        # The least p-value of a bootstrap, times the number of pairs, must be able to reach the level.
        if (
            method.test == "bootstrap"
            and correction in ("bonferroni", "holm")
            and above[0].size > request.alpha * (request.n_resamples + 1)
        ):
            continue
        p = np.full((m, m), np.nan)
        p[above] = p.T[above] = adjusted(pairs.pvalue[above], correction=correction)
        against = p[a, others]
        if np.isnan(against).any():
            continue
        ties = method.ties
        chosen = (
            *(variant.metric, variant.items, variant.systems, variant.units),
            *(method.aggregation, method.test, ties, correction),
        )
        yield _Cell(
            chosen,
            float(effect[nearest]),
            float(against.max()),
            int(sign.min()),
            _outcome(sign, against, request.alpha),
        )


def _outcome(sign: np.ndarray, p: np.ndarray, alpha: float) -> str:
    if ((sign < 0) & (p <= alpha)).any():
        return CONTRADICTED
    if (sign > 0).all():
        return SUPPORTED if (p <= alpha).all() else SAME
    return OPPOSITE if (sign < 0).any() else EQUAL


def _result(
    tables: dict[str, Scores],
    request: _Request,
    cells: Sequence[_Cell],
    n_impossible: int,
    notes: tuple[str, ...],
) -> Multiverse:
    first = next(iter(tables.values()))
    names = zip(CHOICES, zip(*(cell.chosen for cell in cells), strict=True), strict=True)
    chosen: dict[str, tuple[str, ...]] = dict(names)
    return Multiverse(
        **chosen,
        claim=request.claim.words,
        system=request.claim.system,
        others=request.claim.others,
        effect=np.array([cell.effect for cell in cells]),
        pvalue=np.array([cell.pvalue for cell in cells]),
        direction=np.array([cell.direction for cell in cells], dtype=np.int64),
        outcome=tuple(cell.outcome for cell in cells),
        alpha=request.alpha,
        n_impossible=n_impossible,
        systems=first.systems,
        n_segments=first.n_segments,
        notes=(*dict.fromkeys(note for scores in tables.values() for note in scores.notes), *notes),
        settings=Settings(
            method="multiverse",
            options={
                "claim": request.claim.words,
                "metrics": len(tables),
                "alpha": request.alpha,
                "resamples": request.n_resamples,
            },
            seed=request.seed,
            n_systems=first.n_systems,
            n_segments=first.n_segments,
            data=first.digest if len(tables) == 1 else digest(*(scores.values for scores in tables.values())),
        ),
    )
