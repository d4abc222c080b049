"""From matrices of effects and p-values to the pairwise table: correction, order, settings."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from betterthan.analysis.computing import Computing
from betterthan.analysis.pairs.leaderboard import SLACK, SLACK_OF_MEANS, shared_ranks
from betterthan.arrays import FloatArray, IntArray
from betterthan.budget import MOST_RESAMPLES, check_count, require
from betterthan.errors import BetterThanError, some_of, unknown_name
from betterthan.kernels.significance.pvalues import Alternative, adjusted_pairs, monte_carlo_limits
from betterthan.results.pairwise import P_METHODS, PairwiseTable
from betterthan.results.settings import Option, Settings
from betterthan.results.units import undecidable_sentence

CORRECTIONS = ("auto", "none", "bonferroni", "holm", "benjamini_hochberg", "max_statistic")


_BYTES_A_PAIR = 320  # in each direction: 938 MB were measured for 1,700 systems, which is forty matrices


def require_pairs(n_systems: int) -> None:
    """Refuse so many systems that the matrices of all pairs are beyond the memory budget, before any work.

    Examples
    --------
    >>> require_pairs(100)
    """
    n_pairs = n_systems * (n_systems - 1) // 2
    require(
        _BYTES_A_PAIR * n_systems**2,
        f"A comparison of {n_systems:,} systems, {n_pairs:,} pairs,",
        instead="Take fewer systems",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """How p-values become decisions, and who does the work."""

    alternative: Alternative
    correction: str
    alpha: float
    confidence: float
    n_resamples: int
    seed: int
    computing: Computing
    simultaneous: bool = False

    def confidence_of_one(self, n_systems: int) -> float:
        """Return the coverage of one pair's interval: a share of the error each where all shall hold at once."""
        if not self.simultaneous:
            return self.confidence
        return 1 - (1 - self.confidence) / max(n_systems * (n_systems - 1) // 2, 1)

    def __post_init__(self) -> None:
        if self.correction not in CORRECTIONS:
            raise unknown_name("correction", self.correction, CORRECTIONS)
        if self.alternative not in ("two-sided", "greater", "less"):
            raise unknown_name("alternative", self.alternative, ("two-sided", "greater", "less"))
        for name in ("alpha", "confidence"):
            if not 0 < getattr(self, name) < 1:
                raise BetterThanError(f"{name} must lie between 0 and 1; it is {getattr(self, name)}.")
        if self.n_resamples < 1:
            raise BetterThanError(f"n_resamples must be 1 or more; it is {self.n_resamples}.")
        check_count("n_resamples", self.n_resamples, MOST_RESAMPLES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Everything about the pairs, in the order of the table; matrices (m, m)."""

    systems: tuple[str, ...]
    goodness: FloatArray  # (m,), only to sort the systems
    test: str
    effect_name: str
    size_name: str
    effect: FloatArray
    low: FloatArray
    high: FloatArray
    size: FloatArray
    wins: FloatArray
    ties: FloatArray
    pvalue: FloatArray
    p_low: FloatArray | None = None
    p_high: FloatArray | None = None
    p_method: IntArray | None = None
    stepped: FloatArray | None = None
    n_resamples: int = 0
    drew: bool = False
    data: str = ""
    n_segments: int | None = None
    options: dict[str, Option] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    units: str = "segments"
    n_units: int = 0
    unit_note: str = ""
    least: float = 0.0  # the smallest p-value before correction that the design can give


def pairwise_table(found: Findings, decision: Decision) -> PairwiseTable:
    """Correct for many comparisons, sort the systems best first and wrap the result."""
    pvalue = _open(found.pvalue)
    correction = decision.correction
    if correction == "auto":
        correction = "holm" if found.stepped is None else "max_statistic"
    stepped = found.stepped if correction == "max_statistic" else None
    adjusted = _adjusted(pvalue, correction, decision) if stepped is None else np.maximum(stepped, pvalue)
    least = min(1.0, found.least * _n_factor(correction, decision, len(pvalue)))
    p_method = np.full(pvalue.shape, P_METHODS.index("formula")) if found.p_method is None else found.p_method
    p_low, p_high = _around(pvalue, p_method, found)
    slack = SLACK_OF_MEANS if found.effect_name == "difference of means" else SLACK
    order = np.argsort(shared_ranks(found.goodness, slack), kind="stable")
    if decision.alternative != "two-sided" and len(order) == 2:
        order = np.arange(2)  # the question is about the first; the data must not choose which that is
    square = np.ix_(order, order)
    undecidable = undecidable_sentence(decision.alpha, found.units, found.n_units, least)
    return PairwiseTable(
        systems=tuple(found.systems[i] for i in order),
        test=found.test,
        alternative=decision.alternative,
        correction=correction,
        effect_name=found.effect_name,
        size_name=found.size_name,
        effect=_blank(found.effect, order),
        low=_blank(found.low, order),
        high=_blank(found.high, order),
        size=_blank(found.size, order),
        wins=found.wins[square],
        ties=found.ties[square],
        losses=found.wins.T[square],
        pvalue=_blank(pvalue, order),
        adjusted=_blank(adjusted, order),
        p_low=_blank(p_low, order),
        p_high=_blank(p_high, order),
        alpha=decision.alpha,
        confidence=decision.confidence,
        simultaneous=decision.simultaneous,
        notes=(*([undecidable] if undecidable else []), *found.notes),
        settings=_settings(found, decision, correction, is_stepped=stepped is not None),
        p_method=np.asarray(p_method[square], dtype=np.int64),
        units=found.units,
        n_units=found.n_units,
        unit_note=found.unit_note,
        least=least,
    )


def _around(pvalue: FloatArray, p_method: IntArray, found: Findings) -> tuple[FloatArray, FloatArray]:
    """What the p-values lie between: what the test says of them, or what so many resamples leave open (95%)."""
    low, high = (pvalue if end is None else _open(end) for end in (found.p_low, found.p_high))
    if found.p_low is not None or not found.n_resamples:
        return low, high
    drawn = np.isin(p_method, [P_METHODS.index(name) for name in ("permutations", "bootstrap")])
    drawn &= ~np.isnan(pvalue)
    fewest, most = monte_carlo_limits(pvalue[drawn] * (found.n_resamples + 1) - 1, found.n_resamples)
    low, high = low.copy(), high.copy()
    low[drawn], high[drawn] = _open(np.minimum(fewest, low[drawn])), np.maximum(most, high[drawn])
    return low, high


def corrected_by(decision: Decision, m: int, least: float) -> str:
    """Return the correction: where the data may choose, Holm, or the maximum statistic where Holm could decide nothing.

    Parameters
    ----------
    decision : Decision
    m : int
        Number of systems.
    least : float
        The smallest p-value of a pair that can be had; 1 where all of them come from resamples.
    """
    n_pairs = m * (m - 1) // 2
    if decision.correction != "auto":
        return decision.correction
    is_stuck = n_pairs > 1 and n_pairs * least > decision.alpha
    return "max_statistic" if is_stuck and decision.alternative == "two-sided" else "holm"


def _settings(found: Findings, decision: Decision, correction: str, *, is_stepped: bool) -> Settings:
    return Settings(
        method=found.test,
        options={
            **found.options,
            "alternative": decision.alternative,
            "adjust": correction + (f",{found.n_resamples}" if is_stepped else ""),
            "alpha": decision.alpha,
            "ci": f"{100 * decision.confidence:g}" + (",simultaneous" if decision.simultaneous else ""),
        },
        data=found.data,
        seed=decision.seed if found.drew else None,
        n_systems=len(found.systems),
        n_segments=found.n_segments,
    )


def _n_factor(correction: str, decision: Decision, m: int) -> int:
    """What the smallest p-value is multiplied by: the pairs, or the directions of many pairs asked about both."""
    if correction not in ("holm", "bonferroni"):
        return 1
    return m * (m - 1) // (1 if _is_directed(decision, m) else 2)


def _adjusted(pvalue: FloatArray, correction: str, decision: Decision) -> FloatArray:
    if correction == "max_statistic":
        raise BetterThanError(
            'correction="max_statistic" is for p-values that come from resamples. Use correction="holm".'
        )
    return adjusted_pairs(
        pvalue,
        correction=correction,  # type: ignore[arg-type]  # checked when the decision was made
        family="directions" if _is_directed(decision, len(pvalue)) else "pairs",
    )


def _is_directed(decision: Decision, m: int) -> bool:
    """One-sided, both directions of a pair may be claimed; a single pair is one question, asked in one direction."""
    return decision.alternative != "two-sided" and m > 2


def _open(pvalue: FloatArray) -> FloatArray:
    """A p-value is never 0: the smallest normal number stands for everything below it."""
    return np.where(np.isnan(pvalue), np.nan, np.maximum(pvalue, np.finfo(np.float64).tiny))


def _blank(matrix: FloatArray, order: IntArray) -> FloatArray:
    """Sort, and leave out the diagonal and what is infinite: no limit, no size."""
    result = np.array(matrix[np.ix_(order, order)], dtype=np.float64)
    result[np.isinf(result)] = np.nan
    np.fill_diagonal(result, np.nan)
    return result


def edge_note(table: PairwiseTable) -> tuple[str, ...]:
    """Say for which pairs the test and the interval differ at the edge.

    The test permutes scores; the interval is Student's, widened for skewness or with the jackknife's error, and also
    holds where scores are not exchangeable. Both are near their level, and neither follows from the other. Mean
    differences by documents have the interval that belongs to their test, so that the two cannot differ, unless
    documents are too few for it or all say the same. Where
    systems differ by about as much as the test set can show, they contradicted each other in 5 to 10% of tables of 20
    or 30 segments and in up to 3% with 300, of means as well as of BLEU and TER.
    """
    if table.alternative != "two-sided" or table.simultaneous:
        return ()
    with np.errstate(invalid="ignore"):
        none = 0.5 if table.effect_name.startswith("P(") else 0.0
        is_outside = (table.low > none) | (table.high < none)
        differ = np.triu((table.pvalue <= 1 - table.confidence) != is_outside, 1) & ~np.isnan(table.low)
    pairs = [f"{table.systems[a]} and {table.systems[b]}" for a, b in np.argwhere(differ).tolist()]
    if not pairs:
        return ()
    told = some_of(pairs)
    return (
        f"Test and interval are found in different ways and may differ at the edge, as for {told}; the test decides.",
    )
