"""Does a claim survive every defensible choice of metric, items, aggregation, test, unit and correction?

Claims in words: which system is said to be better, and than which others.

The choices of an analysis that can be defended, and those that make sense together.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np

from betterthan.analysis.compare.compare import compare
from betterthan.analysis.resampling import Computing, Rng, seed_of
from betterthan.analysis.table_argument import AnyData
from betterthan.analysis.tradeoffs.tradeoffs import metric_tables
from betterthan.analysis.units import has_documents
from betterthan.arrays import FloatArray, digest
from betterthan.budget import MOST_RESAMPLES, check_count, check_share
from betterthan.engine.blas import with_one_blas_thread
from betterthan.engine.cache import Cache
from betterthan.engine.progress import Progress
from betterthan.errors import BetterThanError, NotEstimable, TableError, some_of, unknown_name
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

_BETTER = re.compile(r"\s*(?:>|\bis\s+better\s+than\b|\bbeats\b|\boutperforms\b)\s*", re.IGNORECASE)
_WORSE = re.compile(r"\s*(?:<|\bis\s+worse\s+than\b)\s*", re.IGNORECASE)
_BEST = re.compile(r"\s+is\s+(?:the\s+)?best\s*$", re.IGNORECASE)


class SystemClaim(NamedTuple):
    """A claim that a system is better than others.

    Attributes
    ----------
    system : str
    others : tuple of str
    is_best : bool
        Whether the others are all systems.
    """

    system: str
    others: tuple[str, ...]
    is_best: bool

    @property
    def words(self) -> str:
        """The claim in words."""
        return f"{self.system} is best" if self.is_best else f"{self.system} > {self.others[0]}"


def claim_of(claim: str | Sequence[str], systems: Sequence[str]) -> SystemClaim:
    """Return the claim about systems, from words, from two names or from one.

    Parameters
    ----------
    claim : str or sequence of str
        "A > B", "A is better than B", "A beats B", "B < A", "A is best", ("A", "B") or ("A",).
    systems : sequence of str

    Examples
    --------
    >>> claim_of("A is better than B", ["A", "B", "C"])
    SystemClaim(system='A', others=('B',), is_best=False)
    >>> claim_of("b < c", ["A", "b", "c"]).words, claim_of("A is best", ["A", "B", "C"]).others
    ('c > b', ('B', 'C'))
    """
    names = _names(claim, systems) if isinstance(claim, str) else tuple(claim)
    if not 1 <= len(names) <= 2:
        raise BetterThanError(
            f'"{claim}" is not a claim about systems. Write it as "A > B", "A is better than B" or "A is best".'
        )
    for name in names:
        if name not in systems:
            raise unknown_name("system", name, systems)
    if len(set(names)) < len(names):
        raise BetterThanError(f'A claim is about two different systems, not about "{names[0]}" and itself.')
    if len(names) == 2:
        return SystemClaim(names[0], (names[1],), is_best=False)
    others = tuple(name for name in systems if name != names[0])
    if not others:
        raise BetterThanError(f"There is only one system, {names[0]}; a claim needs two or more.")
    return SystemClaim(names[0], others, is_best=True)


def _names(claim: str, systems: Sequence[str]) -> tuple[str, ...]:
    """Find the names on both sides of the words; systems may have names that contain these words."""
    text = claim.strip()
    if text in systems:
        return (text,)
    for pattern, turned in ((_BETTER, False), (_WORSE, True)):
        cuts = [(text[: cut.start()].strip(), text[cut.end() :].strip()) for cut in pattern.finditer(text)]
        known = [cut for cut in cuts if all(name in systems for name in cut)]
        for first, second in known or cuts:
            if first and second:
                return (second, first) if turned else (first, second)
    best = _BEST.search(text)
    return (text[: best.start()].strip(),) if best else ()


ALL_ITEMS, CAPPED, TRIMMED = "all", "capped", "without extremes"
ALL_SYSTEMS, ONLY_THOSE = "all", "only those"
SEGMENTS, DOCUMENTS = "segments", "documents"
CORRECTIONS: tuple[Correction, ...] = ("none", "bonferroni", "holm", "benjamini_hochberg")
_CAP = 0.01
_EXTREME = 0.02
_TRIM = 0.2
_LEAST_ITEMS = 20
"""With fewer items, one in fifty is none."""


def trimmed_mean(goodness: FloatArray) -> FloatArray:
    """Return the mean of each system without its lowest and highest 20% of scores; (m, n) to (m,).

    Examples
    --------
    >>> trimmed_mean(np.array([[1.0, 2.0, 3.0, 4.0, 90.0]]))
    array([3.])
    """
    n = goodness.shape[1]
    cut = int(_TRIM * n)
    return np.asarray(np.sort(goodness, axis=1)[:, cut : n - cut].mean(axis=1))


class Method(NamedTuple):
    """An aggregation with a test that belongs to it.

    Attributes
    ----------
    aggregation, test : str
        As shown.
    options : dict
        Those of :func:`betterthan.compare`.
    ties : str
        How ties are treated; empty where they need no treatment.
    takes_documents : bool
        Whether documents may be the units.
    """

    aggregation: str
    test: str
    options: dict[str, str | Callable[[FloatArray], FloatArray]]
    ties: str = ""
    takes_documents: bool = True


_METHODS = (
    Method("mean", "permutation", {"test": "permutation"}),
    Method("mean", "t", {"test": "t"}),
    Method("mean", "bootstrap", {"test": "bootstrap"}),
    Method("trimmed mean", "bootstrap", {"by": trimmed_mean}),
    Method("median", "bootstrap", {"by": "median"}),
    Method("median", "Mood", {"test": "mood"}, takes_documents=False),
    Method("median of differences", "Wilcoxon", {"test": "wilcoxon"}, takes_documents=False),
    Method("win rate", "permutation", {"by": "win_rate"}),
    Method("win rate", "sign", {"test": "sign"}, "drop", takes_documents=False),
    Method("win rate", "sign", {"test": "sign", "ties": "half"}, "half", takes_documents=False),
    Method("Bradley–Terry", "Wald", {"by": "bradley_terry", "ties": "half"}, "half"),
    Method("Bradley–Terry", "Wald", {"by": "bradley_terry", "ties": "drop"}, "drop"),
)


class Variant(NamedTuple):
    """A table and what was chosen to make it."""

    scores: Scores
    metric: str
    items: str
    systems: str
    units: str


def variants(tables: dict[str, Scores], named: tuple[str, ...]) -> Iterator[Variant]:
    """Yield every table: each metric, all or fewer items, all systems or only those of the claim, each unit."""
    for metric, scores in tables.items():
        for items, of_systems in itertools.product(_item_choices(scores), _system_choices(scores, named)):
            chosen = scores if of_systems == ALL_SYSTEMS else scores.select(named)
            table = with_items(chosen, items, named)
            for units in (SEGMENTS, DOCUMENTS) if has_documents(table) else (SEGMENTS,):
                yield Variant(table, metric, items, of_systems, units)


def methods(variant: Variant) -> tuple[Method, ...]:
    """Return the methods that differ on this table."""
    values = variant.scores.values
    has_ties = any((values[a] == values[b]).any() for a, b in itertools.combinations(range(len(values)), 2))
    ties = ("", "drop", "half") if has_ties else ("", "drop")
    return tuple(
        method
        for method in _METHODS
        if method.ties in ties and (variant.units == SEGMENTS or method.takes_documents)
    )


def _item_choices(scores: Scores) -> tuple[str, ...]:
    if scores.is_binary or scores.n_segments < _LEAST_ITEMS:
        return (ALL_ITEMS,)
    return ALL_ITEMS, CAPPED, TRIMMED


def _system_choices(scores: Scores, named: tuple[str, ...]) -> tuple[str, ...]:
    return (ALL_SYSTEMS, ONLY_THOSE) if len(named) < scores.n_systems else (ALL_SYSTEMS,)


def with_items(scores: Scores, items: str, named: tuple[str, ...]) -> Scores:
    """Return the table with outliers treated.

    * "capped": scores beyond the 1st and 99th percentile of all scores are set to these.
    * "without extremes": without the 2% of items on which the systems named differ most.
    """
    if items == CAPPED:
        low, high = np.quantile(scores.values, [_CAP, 1 - _CAP])
        return replace(scores, values=np.clip(scores.values, low, high))
    if items == TRIMMED:
        values = np.stack([scores.values[scores.systems.index(name)] for name in named])
        size = values.max(axis=0) - values.min(axis=0)
        n_left_out = int(np.ceil(_EXTREME * scores.n_segments))
        kept = np.sort(np.argsort(size, kind="stable")[: scores.n_segments - n_left_out])
        return scores.select(segments=[scores.segments[place] for place in kept])
    return scores


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
