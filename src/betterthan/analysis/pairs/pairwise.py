"""From matrices of effects and p-values to the pairwise table: correction, order, settings.

From pairwise decisions to a leaderboard: rank ranges, clusters, groups.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray, pairs_where
from betterthan.budget import check_share, require
from betterthan.errors import BetterThanError, some_of, unknown_name
from betterthan.kernels.display.letters import letter_display, letters_of_many
from betterthan.kernels.display.ranks import fuzzy_ranks, greedy_clusters, simultaneous_rank_intervals
from betterthan.kernels.sign_flips.exact import Alternative
from betterthan.kernels.significance.pvalues import adjusted_pairs, monte_carlo_limits
from betterthan.messages import Message, Option
from betterthan.results.pairwise import MEAN_DIFFERENCE, P_METHODS, PairwiseTable
from betterthan.results.settings import OptionValue, Settings

MOST_FOR_FEWEST_LETTERS = 200
# Beyond this number a system has hundreds of letters, which are unreadable and take minutes to compute.
MOST_FOR_LETTERS = 1000
# Strengths closer than this share of the largest are equal. Means are exact, also for scores that vary little around a
# large value.
SLACK = 1e-12
SLACK_OF_MEANS = 1e-14


@dataclass(frozen=True, slots=True, kw_only=True)
class Placements:
    """Rank, rank range, fuzzy rank, cluster and groups of each system, best first."""

    rank: IntArray
    rank_low: IntArray
    rank_high: IntArray
    fuzzy_rank: FloatArray
    cluster: IntArray
    letters: tuple[str, ...]
    beats_next: FloatArray
    differs_from_next: BoolArray


def standing(
    systems: tuple[str, ...], goodness: FloatArray, pairs: PairwiseTable, *, slack: float = SLACK
) -> Placements:
    """Return the leaderboard of `systems`, in order of descending `goodness`, from the verdicts of `pairs`.

    Ranks come from the strengths; rank ranges, clusters and groups come from the tests alone. More than 1,000
    systems get no letters.
    """
    better = decisions(systems, pairs)
    low, high = simultaneous_rank_intervals(better)
    different = better | better.T
    index = [pairs.systems.index(name) for name in systems]
    points = (pairs.wins + pairs.ties / 2)[np.ix_(index, index)]
    played = (pairs.wins + pairs.losses + pairs.ties)[np.ix_(index, index)]
    with np.errstate(invalid="ignore", divide="ignore"):
        share = points / played
    rank = shared_ranks(goodness, slack)
    return Placements(
        rank=rank,
        rank_low=low,
        rank_high=high,
        fuzzy_rank=fuzzy_ranks(rank, different),
        cluster=greedy_clusters(different),
        letters=_letters(different),
        beats_next=np.append(np.diagonal(share, offset=1), np.nan),
        differs_from_next=np.append(np.diagonal(different, offset=1), False),
    )


def _letters(different: BoolArray) -> tuple[str, ...]:
    """Return the letters of each system; empty for very many systems."""
    m = len(different)
    if m > MOST_FOR_LETTERS:
        return ("",) * m
    display = letter_display if m <= MOST_FOR_FEWEST_LETTERS else letters_of_many
    return display(different).labels


def decisions(systems: tuple[str, ...], pairs: PairwiseTable) -> BoolArray:
    """Entry [a, b]: a is better than b at the table's level, after correction; in the order of `systems`."""
    place = {name: i for i, name in enumerate(pairs.systems)}
    index = [place[name] for name in systems]
    return np.asarray(pairs.better()[np.ix_(index, index)])


def shared_ranks(goodness: FloatArray, slack: float = SLACK) -> IntArray:
    """Rank 1 is best; values equal up to rounding share the best rank of the tie, and NaN comes last.

    Parameters
    ----------
    goodness : array, shape (m,)
    slack : float
        Tolerance for rounding error, as a share of the largest value.

    Examples
    --------
    >>> shared_ranks(np.array([3.0, 2.0, 2.0, np.nan, 1.0]))
    array([1, 2, 2, 5, 4])
    """
    known = ~np.isnan(goodness)
    values = np.where(known, goodness, -np.inf)
    least = slack * np.max(np.abs(goodness), initial=0.0, where=known)
    return np.asarray(1 + (values[None, :] > values[:, None] + least).sum(axis=1))


TEST_RESAMPLES = 9999  # default for tests that resample
CORRECTIONS = ("auto", "none", "bonferroni", "holm", "benjamini_hochberg", "max_statistic")


_BYTES_A_PAIR = 320  # in each direction: 938 MB were measured for 1,700 systems, which is forty matrices


def require_pairs(n_systems: int) -> None:
    """Raise, before any work, when the matrices of all pairs would exceed the memory budget.

    Examples
    --------
    >>> require_pairs(100)
    """
    n_pairs = n_systems * (n_systems - 1) // 2
    require(
        _BYTES_A_PAIR * n_systems**2,
        f"A comparison of {n_systems:,} systems, {n_pairs:,} pairs,",
        instead="Use fewer systems",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PairOptions:
    """How p-values of pairs become verdicts, and the confidence level of their intervals."""

    alternative: Alternative = "two-sided"
    correction: str = "auto"
    alpha: float = 0.05
    confidence: float = 0.95
    simultaneous: bool = False

    def confidence_of_one(self, n_systems: int) -> float:
        """Return the confidence level of one pair's interval, Bonferroni-adjusted where simultaneous."""
        if not self.simultaneous:
            return self.confidence
        return 1 - (1 - self.confidence) / max(n_systems * (n_systems - 1) // 2, 1)

    def __post_init__(self) -> None:
        if self.correction not in CORRECTIONS:
            raise unknown_name("correction", self.correction, CORRECTIONS)
        if self.alternative not in ("two-sided", "greater", "less"):
            raise unknown_name("alternative", self.alternative, ("two-sided", "greater", "less"))
        for name in ("alpha", "confidence"):
            check_share(name, getattr(self, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFindings:
    """Effects, intervals and p-values of all pairs, in the order of the table; matrices (m, m)."""

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
    options: dict[str, OptionValue] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    units: str = "segments"
    n_units: int = 0
    unit_note: str = ""
    tie_policy: str = ""
    least: float = 0.0  # the smallest uncorrected p-value that the design can give


def pairwise_table(findings: PairFindings, options: PairOptions, *, seed: int | None = None) -> PairwiseTable:
    """Correct for multiple comparisons, sort the systems best first and build the result.

    `seed` is that of the random numbers, where any were used.
    """
    pvalue = _open(findings.pvalue)
    correction = options.correction
    if correction == "auto":
        correction = "holm" if findings.stepped is None else "max_statistic"
    stepped = findings.stepped if correction == "max_statistic" else None
    adjusted = _adjusted(pvalue, correction, options) if stepped is None else np.maximum(stepped, pvalue)
    least = min(1.0, findings.least * _n_factor(correction, options, len(pvalue)))
    p_method = (
        np.full(pvalue.shape, P_METHODS.index("formula")) if findings.p_method is None else findings.p_method
    )
    p_low, p_high = _around(pvalue, p_method, findings)
    slack = SLACK_OF_MEANS if findings.effect_name == MEAN_DIFFERENCE else SLACK
    order = np.argsort(shared_ranks(findings.goodness, slack), kind="stable")
    if options.alternative != "two-sided" and len(order) == 2:
        order = np.arange(
            2
        )  # the hypothesis is about the first system; the data must not choose which that is
    square = np.ix_(order, order)
    return PairwiseTable(
        systems=tuple(findings.systems[i] for i in order),
        test=findings.test,
        alternative=options.alternative,
        correction=correction,
        effect_name=findings.effect_name,
        size_name=findings.size_name,
        effect=_blank(findings.effect[square]),
        low=_blank(findings.low[square]),
        high=_blank(findings.high[square]),
        size=_blank(findings.size[square]),
        wins=findings.wins[square],
        ties=findings.ties[square],
        losses=findings.wins.T[square],
        pvalue=_blank(pvalue[square]),
        adjusted=_blank(adjusted[square]),
        p_low=_blank(p_low[square]),
        p_high=_blank(p_high[square]),
        alpha=options.alpha,
        confidence=options.confidence,
        simultaneous=options.simultaneous,
        notes=findings.notes,
        settings=_settings(findings, options, correction, seed, is_stepped=stepped is not None),
        p_method=np.asarray(p_method[square], dtype=np.int64),
        units=findings.units,
        n_units=findings.n_units,
        unit_note=findings.unit_note,
        least=least,
        tie_policy=findings.tie_policy,
    )


def _around(pvalue: FloatArray, p_method: IntArray, findings: PairFindings) -> tuple[FloatArray, FloatArray]:
    """Bounds of the p-values: those of the test, or 95% confidence limits for the number of resamples."""
    low, high = (pvalue if end is None else _open(end) for end in (findings.p_low, findings.p_high))
    if findings.p_low is not None or not findings.n_resamples:
        return low, high
    drawn = np.isin(p_method, [P_METHODS.index(name) for name in ("permutations", "bootstrap")])
    drawn &= ~np.isnan(pvalue)
    fewest, most = monte_carlo_limits(pvalue[drawn] * (findings.n_resamples + 1) - 1, findings.n_resamples)
    low, high = low.copy(), high.copy()
    low[drawn], high[drawn] = _open(np.minimum(fewest, low[drawn])), np.maximum(most, high[drawn])
    return low, high


def corrected_by(options: PairOptions, m: int, least: float) -> str:
    """Return the correction; "auto" is Holm, or the maximum statistic where nothing could be significant by Holm.

    Parameters
    ----------
    options : PairOptions
    m : int
        Number of systems.
    least : float
        The smallest attainable p-value of a pair; 1 where all of them come from resamples.
    """
    n_pairs = m * (m - 1) // 2
    if options.correction != "auto":
        return options.correction
    is_stuck = n_pairs > 1 and n_pairs * least > options.alpha
    return "max_statistic" if is_stuck and options.alternative == "two-sided" else "holm"


def _settings(
    findings: PairFindings, options: PairOptions, correction: str, seed: int | None, *, is_stepped: bool
) -> Settings:
    return Settings(
        method=findings.test,
        options={
            **findings.options,
            "alternative": options.alternative,
            "adjust": correction + (f",{findings.n_resamples}" if is_stepped else ""),
            "alpha": options.alpha,
            "ci": f"{100 * options.confidence:g}" + (",simultaneous" if options.simultaneous else ""),
        },
        data=findings.data,
        seed=seed if findings.drew else None,
        n_systems=len(findings.systems),
        n_segments=findings.n_segments,
    )


def _n_factor(correction: str, options: PairOptions, m: int) -> int:
    """Multiplier of the smallest p-value: the number of pairs, or twice that for one-sided tests of many pairs."""
    if correction not in ("holm", "bonferroni"):
        return 1
    return m * (m - 1) // (1 if _is_directed(options, m) else 2)


def _adjusted(pvalue: FloatArray, correction: str, options: PairOptions) -> FloatArray:
    if correction == "max_statistic":
        raise BetterThanError(
            Message(
                "{given} is for p-values from resampling. Use {other}.",
                given=Option("correction", "max_statistic"),
                other=Option("correction", "holm"),
            )
        )
    return adjusted_pairs(
        pvalue,
        correction=correction,  # type: ignore[arg-type]  # checked by the options
        family="directions" if _is_directed(options, len(pvalue)) else "pairs",
    )


def _is_directed(options: PairOptions, m: int) -> bool:
    """With one-sided tests both directions of a pair may be claimed; a single pair is tested in one direction."""
    return options.alternative != "two-sided" and m > 2


def _open(pvalue: FloatArray) -> FloatArray:
    """A p-value is never 0; it is bounded below by the smallest normal number."""
    return np.where(np.isnan(pvalue), np.nan, np.maximum(pvalue, np.finfo(np.float64).tiny))


def _blank(matrix: FloatArray) -> FloatArray:
    """Replace the diagonal and infinite values by NaN."""
    result = np.array(matrix, dtype=np.float64)
    result[np.isinf(result)] = np.nan
    np.fill_diagonal(result, np.nan)
    return result


def edge_note(table: PairwiseTable) -> tuple[str, ...]:
    """Return a note on pairs for which test and interval disagree about significance.

    The test permutes scores; the interval is Student's, widened for skewness or with the jackknife's error, and does
    not require exchangeable scores. Both are close to their nominal level, and neither follows from the other. For mean
    differences by documents the interval inverts the test, so that the two cannot disagree, unless documents are too
    few or do not vary. Where systems differ by about as much as the test set can show, they disagreed in 5 to 10% of
    tables of 20 or 30 segments and in up to 3% with 300, for means as well as for BLEU and TER.
    """
    if table.alternative != "two-sided" or table.simultaneous:
        return ()
    with np.errstate(invalid="ignore"):
        none = 0.5 if table.is_probability else 0.0
        is_outside = (table.low > none) | (table.high < none)
        differ = ((table.pvalue <= 1 - table.confidence) != is_outside) & ~np.isnan(table.low)
    pairs = [f"{table.systems[a]} and {table.systems[b]}" for a, b in zip(*pairs_where(differ), strict=True)]
    if not pairs:
        return ()
    note = (
        "For {pairs} the test and the interval disagree at the margin of significance, because their methods differ; "
        "the verdict is that of the test."
    )
    return (Message(note, pairs=some_of(pairs)),)
