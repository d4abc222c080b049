"""Which aggregation suits these scores, and can a third system change the order of two?

Arrow's criteria on the user's scores: which aggregation misses which, and how often.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, islice
from typing import NamedTuple

import numpy as np

from betterthan.analysis.pairs.pairwise import require_pairs
from betterthan.analysis.table_argument import AnyData, as_table
from betterthan.analysis.wording import amount, counted, decimals_for, share
from betterthan.arrays import FloatArray, IntArray
from betterthan.engine.blas import with_one_blas_thread
from betterthan.engine.blocks import even_parts, stream
from betterthan.errors import TableError
from betterthan.kernels.agreement.kendall import kendall_b_matrix
from betterthan.kernels.comparisons.bradley_terry import bradley_terry, bradley_terry_batch
from betterthan.kernels.comparisons.wins import WinCounts, resampled_win_counts, win_counts
from betterthan.kernels.influence.diagnosis import (
    arrow_counts,
    majority_cycles,
    outlier_shares,
    pairing,
    row_outlier_shares,
    spread,
    tie_share,
)
from betterthan.kernels.resampling.resample import bootstrap_counts, unit_sums
from betterthan.kernels.significance.pvalues import adjusted_pairs
from betterthan.kernels.significance.rank_tests import sign_test
from betterthan.results.checkup import ArrowCheck, Diagnosis, Triple
from betterthan.results.settings import Settings
from betterthan.tables.scores import Scores

AGGREGATIONS = ("mean", "median", "win_rate", "bradley_terry")
_NAMES = {
    "mean": "the mean",
    "median": "the median",
    "win_rate": "the win rate",
    "bradley_terry": "Bradley–Terry",
}
MOST_WORK = 4e8  # segments × systems squared, times the steps of a fit: some seconds


def arrow_checks(scores: Scores) -> tuple[ArrowCheck, ...]:
    """Count how often each aggregation misses a criterion, on the complete segments; empty where there is no question.

    That is with fewer than two complete segments, and for tables on which the search would take minutes.
    """
    complete = scores.goodness[:, ~np.isnan(scores.goodness).any(axis=0)]
    m, n = complete.shape
    if n < 2 or n * m**2 > MOST_WORK:
        return ()
    return tuple(
        ArrowCheck(aggregation=name, **arrow_counts(complete, name)._asdict()) for name in AGGREGATIONS
    )


def arrow_sentence(found: Diagnosis) -> str:
    """Say how each criterion fares, in plain words."""
    checks = found.arrow
    if not checks or len(found.systems) < 2:
        return ""
    m = len(found.systems)
    n_pairs = m * (m - 1) // 2
    return " ".join(
        part
        for part in (_monotonicity(checks), _independence(checks, m), _dictators(checks, n_pairs))
        if part
    )


def _monotonicity(checks: tuple[ArrowCheck, ...]) -> str:
    unanimous = checks[0].unanimous
    if not unanimous:
        return "Arrow's criteria: no system is better than another on every segment, so monotonicity cannot be tested."
    against = [f"{amount(one.violated, 0)} by {_NAMES[one.aggregation]}" for one in checks if one.violated]
    pairs = counted(unanimous, "pair")
    if not against:
        return (
            f"Arrow's criteria: in {pairs}, one system is better on every segment, and every aggregation method "
            "agrees."
        )
    return (
        f"Arrow's criteria: in {pairs}, one system is better on every segment, but some of these pairs are ordered "
        f"the other way: {', '.join(against)}."
    )


def _independence(checks: tuple[ArrowCheck, ...], m: int) -> str:
    if m < 3:
        return ""
    changed = [
        f"{counted(one.dependent, 'pair')} by {_NAMES[one.aggregation]}" for one in checks if one.dependent
    ]
    if not changed:
        return "Leaving out a third system does not change the order of any pair (independence)."
    return (
        f"Leaving out a third system changes the order of {' and '.join(changed)}; it cannot change the order by mean "
        "or median."
    )


def _dictators(checks: tuple[ArrowCheck, ...], n_pairs: int) -> str:
    decided = [f"{amount(one.decided, 0)} by {_NAMES[one.aggregation]}" for one in checks if one.decided]
    if not decided:
        return "No single segment decides the order of a pair (no dictator)."
    return (
        f"A single segment decides the order of a pair, which is reversed without it: {' and '.join(decided)}, of "
        f"{counted(n_pairs, 'pair')}."
    )


MOST_TRIPLES = 1_500_000  # of 208 systems
_DRAWS, _DRAWS_AT_ONCE = 200, 20
_WINS_AT_ONCE = 1 << 23  # numbers, half of them ties
_SEED = 12345
_CHUNK = 20_000
_LEVEL = 1e-9
_ORDER = ("cycle", "flips", "levels")


class Triples(NamedTuple):
    """Cycles and order changes among all triples of systems."""

    found: tuple[Triple, ...]
    n_triples: int
    n_unfitted: int


def troubled_triples(wins: FloatArray, systems: Sequence[str]) -> Triples:
    r"""Search all triples of systems for cycles and for pairs whose order the third system flips or makes equal.

    Two systems alone are ordered by the number of segments won. With a third one, Bradley–Terry solves

    .. math:: \sum_{j} \omega_{ij} = \sum_j (\omega_{ij} + \omega_{ji}) \frac{\lambda_i}{\lambda_i + \lambda_j}

    for all three together, and the order of the first two may change: independence of irrelevant alternatives does not
    hold [1]_. Ties are left out.

    Parameters
    ----------
    wins : array, shape (m, m)
    systems : sequence of str

    Notes
    -----
    All m(m−1)(m−2)/6 triples, fitted in batches: 34,000 for 60 systems take about a second. With more than 208 systems
    no triple is searched.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger, West (2021), Better than average: paired evaluation of NLP systems, ACL, App. F. They
       found no such triple with more than 10 segments.

    Examples
    --------
    The example of [1]: B beats A two to one, and adding C makes all three equal.

    >>> found = troubled_triples(np.array([[0.0, 1, 2], [2, 0, 1], [1, 2, 0]]), "ABC").found
    >>> [(t.a, t.b, t.c, t.effect) for t in found]
    [('A', 'C', 'B', 'cycle'), ('A', 'C', 'B', 'levels'), ('B', 'A', 'C', 'levels'), ('C', 'B', 'A', 'levels')]
    """
    if math.comb(len(systems), 3) > MOST_TRIPLES:
        return Triples((), 0, 0)
    found = [_cycle(row, wins, systems) for row in majority_cycles(wins).tolist()]
    n_triples = n_unfitted = 0
    for chunk in _chunks(len(systems)):
        fit = bradley_terry_batch(wins[chunk[:, :, None], chunk[:, None, :]])
        n_triples += len(chunk)
        n_unfitted += int(np.isnan(fit.log_strength[:, 0]).sum())
        for first, second, third in ((0, 1, 2), (0, 2, 1), (1, 2, 0)):
            gap = fit.log_strength[:, first] - fit.log_strength[:, second]
            found += _changed(chunk[:, [first, second, third]], gap, wins, systems)
    key = {effect: place for place, effect in enumerate(_ORDER)}
    found.sort(key=lambda t: (key[t.effect], -t.alone, t.a, t.b, t.c))
    return Triples(tuple(found), n_triples, n_unfitted)


def significance_of_triples(
    found: tuple[Triple, ...], scores: Scores, counts: WinCounts
) -> tuple[Triple, ...]:
    """Add to each triple the significance of its leads.

    A cycle counts as significant when each of its three leads is; then the probability of any false cycle is at most
    that of any false lead, because the leads of all pairs are corrected together (Holm). Leads are tested by sign
    tests, or, where segments belong to groups, by Student's t of wins minus losses per group.
    """
    if not found:
        return found
    by_groups = scores.groups is not None and len(set(scores.groups)) < scores.n_segments
    pvalue = adjusted_pairs(_group_pvalues(scores) if by_groups else sign_test(counts).pvalue)
    place = {name: i for i, name in enumerate(scores.systems)}
    return tuple(replace(triple, pvalue=_largest(triple, pvalue, place)) for triple in found)


def _largest(triple: Triple, pvalue: FloatArray, place: dict[str, int]) -> float:
    a, b, c = place[triple.a], place[triple.b], place[triple.c]
    edges = ((a, b), (b, c), (c, a)) if triple.effect == "cycle" else ((a, b),)
    return max(float(pvalue[edge]) for edge in edges)


def _group_pvalues(scores: Scores) -> FloatArray:
    from scipy.special import stdtr  # noqa: PLC0415  (not every diagnosis needs it)

    groups = np.unique(np.array(scores.groups), return_inverse=True)[1].reshape(-1)
    m, n_groups = scores.n_systems, int(groups.max()) + 1
    pvalue = np.full((m, m), np.nan)
    for i in range(m - 1):
        signs = np.nan_to_num(np.sign(scores.goodness[i] - scores.goodness[i + 1 :]))
        sums = unit_sums(signs, groups, n_groups)
        with np.errstate(invalid="ignore", divide="ignore"):
            t = (
                sums.mean(axis=1) / (sums.std(axis=1, ddof=1) / math.sqrt(n_groups))
                if n_groups > 1
                else np.nan
            )
        p = np.nan_to_num(2 * stdtr(max(n_groups - 1, 1), -np.abs(t)), nan=1.0)
        # Groups with equal differences have no variance; p is bounded below by that of a sign test.
        pvalue[i, i + 1 :] = pvalue[i + 1 :, i] = np.maximum(p, 2.0 ** (1 - n_groups))
    return pvalue


def expected_cycles(goodness: FloatArray, counts: WinCounts) -> float:
    r"""Number of cycles expected by chance under a Bradley–Terry model.

    Leads are drawn around those implied by the Bradley–Terry strengths, which have no cycles, with the noise of a
    bootstrap over segments,

    .. math:: \ell^* = s\, \ell_{\text{model}} + (\ell_{\text{drawn}} - \ell), \qquad
              s^2 = \frac{\overline{\ell^2} - \overline{\operatorname{var}}(\ell_{\text{drawn}})}
              {\overline{\ell_{\text{model}}^2}}

    and the number of cycles is averaged over 200 draws. The factor s corrects the leads for their noise.

    Examples
    --------
    Four systems that do not differ have four triples; by chance about one in eleven is a cycle.

    >>> goodness = np.random.default_rng(1).normal(size=(4, 401))
    >>> from betterthan.kernels.comparisons.wins import win_counts
    >>> 0.1 < expected_cycles(goodness, win_counts(goodness)) < 0.6
    True
    """
    n = goodness.shape[1]
    lead = counts.wins - counts.wins.T
    decided = counts.wins + counts.wins.T
    theta = bradley_terry(counts.wins, prior=0.5).log_strength
    model = decided * np.tanh((theta[:, None] - theta[None, :]) / 2)
    noise = []
    # Pairs are compared segment by segment once for as many draws as the memory allows.
    for blocks in even_parts(_DRAWS // _DRAWS_AT_ONCE, max(1, _WINS_AT_ONCE // (_DRAWS_AT_ONCE * lead.size))):
        streams = [stream(_SEED, "cycles by chance", block) for block in blocks]
        weights = np.concatenate([bootstrap_counts(_DRAWS_AT_ONCE, n, rng) for rng in streams])
        every = resampled_win_counts(goodness, weights.astype(np.float64)).wins
        for rng, wins in zip(streams, every.reshape(-1, _DRAWS_AT_ONCE, *lead.shape), strict=True):
            # Leads go in steps of 2, which are spread evenly here so that those of the model can be added.
            step = np.triu(rng.uniform(-1, 1, size=wins.shape), 1)
            noise.append(wins - wins.swapaxes(1, 2) - lead + step - step.swapaxes(1, 2))
    drawn = np.concatenate(noise)
    size, fitted = float((lead**2).mean()), float((model**2).mean())
    true_part = max(0.0, size - float(drawn.var(axis=0).mean()))
    factor = math.sqrt(min(1.0, true_part / fitted)) if fitted else 0.0
    # Leads of an even number of decided segments are even: those nearest to 0 are ties.
    level = np.where(decided % 2 == 0, 1.0, 0.0)
    return float(np.mean([_n_cycles(factor * model + one, level) for one in drawn]))


def _n_cycles(lead: FloatArray, level: FloatArray) -> float:
    """Number of 3-cycles: closed walks of three steps, each counted from its three systems."""
    beats = (lead > level).astype(np.float64)
    return float(((beats @ beats) * beats.T).sum() / 3)


def _chunks(m: int) -> Iterator[IntArray]:
    triples = combinations(range(m), 3)
    while chunk := list(islice(triples, _CHUNK)):
        yield np.array(chunk, dtype=np.int64)


def _cycle(row: list[int], wins: FloatArray, systems: Sequence[str]) -> Triple:
    a, b, c = row
    alone = min(float(wins[i, j] / (wins[i, j] + wins[j, i])) for i, j in ((a, b), (b, c), (c, a)))
    return Triple(
        a=systems[a], b=systems[b], c=systems[c], effect="cycle", alone=alone, together=float("nan")
    )


def _changed(rows: IntArray, gap: FloatArray, wins: FloatArray, systems: Sequence[str]) -> list[Triple]:
    """Triples (first, second, third) in which the third system changes the order of the other two."""
    lead = wins[rows[:, 0], rows[:, 1]] - wins[rows[:, 1], rows[:, 0]]
    level = np.abs(gap) <= _LEVEL
    changed = np.flatnonzero((lead != 0) & (level | (np.sign(gap) == -np.sign(lead))))
    found = []
    for i in changed.tolist():
        first, second, third = rows[i].tolist()
        a, b, toward = (first, second, gap[i]) if lead[i] > 0 else (second, first, -gap[i])
        found.append(
            Triple(
                a=systems[a],
                b=systems[b],
                c=systems[third],
                effect="levels" if level[i] else "flips",
                alone=float(wins[a, b] / (wins[a, b] + wins[b, a])),
                together=0.5 if level[i] else float(1 / (1 + np.exp(-toward))),
            )
        )
    return found


_ALPHA = 0.05
_CELLS_AT_ONCE = 1 << 21


@with_one_blas_thread
def diagnose(scores: AnyData, *, metric: str | None = None) -> Diagnosis:
    r"""Diagnose a table of scores before comparing: outliers, ties, missing scores, pairing, cycles.

    The mean is sensitive to outliers, the median to segment types, and Bradley–Terry can change the order of two
    systems when a third one is added [1]_. Each measure quantifies one of these. The variance removed by pairing is

    .. math:: v = 1 - \frac{\operatorname{Var}(a - b)}{\operatorname{Var} a + \operatorname{Var} b}

    and an unpaired comparison would need :math:`1 / (1 - v)` times the segments.

    Parameters
    ----------
    scores : Scores, or what they are read from
        Such as a path, a data frame or a dict of columns: as in :func:`betterthan.compare`. At least two systems.
        Missing scores are counted, and each measure uses the available ones.
    metric : str, optional
        The metric, if several are read.

    Returns
    -------
    Diagnosis
        Its `sentences` say what each measure means for the choice of an aggregation.

    Raises
    ------
    TableError
        With fewer than two systems.

    Notes
    -----
    Outliers lie more than 1.5 interquartile ranges outside the quartiles. Bradley–Terry is fitted to every triple of
    systems and compared with the three pairs alone, without ties. The cost grows as m² n and m³. Cycles and order
    changes are reported as significant only where the leads behind them are (sign tests, Holm's correction over all
    pairs, level 0.05); for the others the number of cycles expected by chance is reported.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger, West (2021), Better than average: paired evaluation of NLP systems, ACL, §5.1, App. F.

    Examples
    --------
    The three systems of [1], appendix F: each beats another, in a cycle.

    >>> import betterthan as bt
    >>> scores = bt.Scores(name="score", systems=["A", "B", "C"], segments=["1", "2", "3"],
    ...                    values=[[1, 2, 3], [2, 3, 1], [3, 1, 2]])
    >>> found = bt.diagnose(scores)
    >>> found.count("cycle"), found.count("levels"), found.pairing
    (1, 3, -0.5)
    """
    scores = as_table(scores, kinds=(Scores,), verb="diagnose", metric=metric)
    if scores.n_systems < 2:
        raise TableError(
            f'"{scores.name}" has one system, {scores.systems[0]}; a diagnosis needs two or more. '
            f"If the columns are not systems, name the column that holds them."
        )
    require_pairs(scores.n_systems)
    goodness = scores.goodness
    overall, by_system = outlier_shares(goodness)
    spreads, bound, counts = spread(goodness), pairing(goodness), win_counts(goodness)
    searched = troubled_triples(counts.wins, scores.systems)
    silent = Diagnosis(
        metric=scores.name,
        lower_is_better=not scores.higher_is_better,
        systems=scores.systems,
        n_segments=scores.n_segments,
        outlier_share=overall,
        outlier_share_by_system=by_system,
        difference_outlier_share=_difference_outliers(goodness),
        tie_share=tie_share(counts),
        missing_share=scores.n_missing / goodness.size,
        pairing=_over_pairs(bound.correlation),
        variance_removed=_over_pairs(bound.variance_removed),
        system_spread=spreads.across_systems,
        segment_spread=spreads.of_difficulty,
        rank_spread=_mean(spreads.of_ranks),
        rank_spread_by_system=spreads.of_ranks,
        kendall=kendall_b_matrix(goodness),
        n_triples=searched.n_triples,
        n_unfitted=searched.n_unfitted,
        triples=significance_of_triples(searched.found, scores, counts),
        expected_cycles=expected_cycles(goodness, counts) if searched.n_triples else 0.0,
        arrow=arrow_checks(scores),
        sentences=(),
        notes=scores.notes,
        settings=_settings(scores),
    )
    return replace(silent, sentences=_sentences(silent))


def _settings(scores: Scores) -> Settings:
    return Settings(
        method="diagnose",
        options={"outliers": "1.5 IQR", "ties": "drop"},
        data=scores.digest,
        n_systems=scores.n_systems,
        n_segments=scores.n_segments,
    )


def _over_pairs(matrix: FloatArray) -> float:
    return _mean(matrix[np.triu_indices(len(matrix), 1)])


def _difference_outliers(goodness: FloatArray) -> float:
    m, n = goodness.shape
    step = max(1, _CELLS_AT_ONCE // max(1, n))
    shares = [
        row_outlier_shares(goodness[i] - goodness[start : start + step])
        for i in range(m - 1)
        for start in range(i + 1, m, step)
    ]
    return _mean(np.concatenate(shares))


def _mean(values: FloatArray) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else math.nan


def _sentences(found: Diagnosis) -> tuple[str, ...]:
    parts = (_size, _pairing, _outliers, _ties, _difficulty, _ranks, arrow_sentence, _circles)
    return tuple(sentence for part in parts if (sentence := part(found)))


def _size(found: Diagnosis) -> str:
    size = f"{counted(len(found.systems), 'system')} × {counted(found.n_segments, 'segment')}"
    gaps = (
        f"{share(found.missing_share)} of the scores missing" if found.missing_share else "no score missing"
    )
    return f"{size} of {found.metric}, {gaps}."


def _pairing(found: Diagnosis) -> str:
    if math.isnan(found.pairing) or math.isnan(found.variance_removed):
        return ""
    together = f"Scores of two systems on the same segment correlate by {amount(found.pairing, 2)} on average"
    if found.variance_removed <= 0:
        return f"{together}: comparing segment by segment does not increase precision here."
    if found.variance_removed >= 0.995:
        return f"{together}: pairing removes nearly all of the variance, so use paired tests."
    times = amount(1 / (1 - found.variance_removed), 1)
    return (
        f"{together}: comparing segment by segment removes {share(found.variance_removed)} of the variance, and "
        f"an unpaired comparison would need {times} times as many segments. Use paired tests."
    )


def _outliers(found: Diagnosis) -> str:
    if math.isnan(found.difference_outlier_share):
        return ""
    scores, gaps = share(found.outlier_share), share(found.difference_outlier_share)
    if found.outlier_share == found.difference_outlier_share == 0:
        return "Neither scores nor differences between two systems have outliers, which would influence the mean."
    some = f"{scores} of the scores and" if found.outlier_share else "None of the scores but"
    return (
        f"{some} {gaps} of the differences between two systems are outliers: they influence the mean, but not the "
        f"median or Bradley–Terry."
    )


def _ties(found: Diagnosis) -> str:
    if math.isnan(found.tie_share):
        return "No two systems have a segment in common, so nothing can be compared."
    if found.tie_share == 0:
        return "There are no ties, so Bradley–Terry and the sign test use every segment."
    return (
        f"{share(found.tie_share)} of the comparisons are ties: Bradley–Terry and the sign test leave them out, and "
        f"medians may be equal."
    )


def _difficulty(found: Diagnosis) -> str:
    if math.isnan(found.segment_spread) or math.isnan(found.system_spread):
        return ""
    places = decimals_for(math.nan, max(found.segment_spread, found.system_spread)) - 1
    segments, systems = (amount(v, max(0, places)) for v in (found.segment_spread, found.system_spread))
    if found.segment_spread > found.system_spread:
        return (
            f"Segments differ more (standard deviation {segments}) than systems do on a segment ({systems}): with "
            f"segments of such different difficulty the median, which ignores pairing, is the least reliable."
        )
    return f"Systems differ more on a segment (standard deviation {systems}) than segments do ({segments})."


def _ranks(found: Diagnosis) -> str:
    if math.isnan(found.rank_spread) or len(found.systems) < 3:
        return ""
    if found.rank_spread == 0:
        return "The order of the systems is the same on every segment."
    return (
        f"From segment to segment a system's rank moves by {amount(found.rank_spread, 1)} of "
        f"{counted(len(found.systems), 'place')} (standard deviation), so no single segment shows the order."
    )


def _circles(found: Diagnosis) -> str:
    if not found.n_triples:
        return (
            f"Of {counted(len(found.systems), 'system')} there are too many triples to search for cycles."
            if len(found.systems) > 2
            else ""
        )
    if not found.triples:
        return (
            f"No three systems beat each other in a cycle, and no third system changes the order of two under "
            f"Bradley–Terry ({counted(found.n_triples, 'triple')} tried)."
        )
    told = [sentence for part in (_cycles, _changes) if (sentence := part(found))]
    if any(triple.pvalue <= _ALPHA for triple in found.triples):
        told.append("Judge those pairs by themselves, as betterthan compare does.")
    return " ".join(told)


def _cycles(found: Diagnosis) -> str:
    cycles, sure = found.count("cycle"), found.count("cycle", alpha=_ALPHA)
    if not cycles:
        return f"No three systems beat each other in a cycle ({counted(found.n_triples, 'triple')} tried)."
    said = f"{amount(cycles, 0)} of {counted(found.n_triples, 'triple')} {'forms' if cycles == 1 else 'form'} a cycle"
    if sure:
        example = next(t for t in found.triples if t.effect == "cycle" and t.pvalue <= _ALPHA)
        which = "significantly" if cycles == 1 else f"{amount(sure, 0)} of them significantly"
        return (
            f"{said}, {which}: {example.a} beats {example.b}, {example.b} beats "
            f"{example.c} and {example.c} beats {example.a} (each p ≤ {example.pvalue:.2g}, Holm-corrected sign tests)."
        )
    which = "not significantly" if cycles == 1 else "none of them significantly"
    return f"{said}, {which}: about {found.expected_cycles:.2g} are expected by chance."


def _changes(found: Diagnosis) -> str:
    changed = [triple for triple in found.triples if triple.effect != "cycle"]
    sure = [triple for triple in changed if triple.pvalue <= _ALPHA]
    if not changed:
        return ""
    if not sure:
        return (
            f"Under Bradley–Terry a third system changes the order of a pair {_times(len(changed))}, only where the "
            f"lead is not significant."
        )
    return (
        f"Under Bradley–Terry a third system changes the order of a pair that differs significantly "
        f"{_times(len(sure))} ({_told(sure[0])})."
    )


def _times(n: int) -> str:
    return "once" if n == 1 else f"{amount(n, 0)} times"


def _told(triple: Triple) -> str:
    outcome = "loses to it" if triple.effect == "flips" else "ties with it"
    return (
        f"{triple.a} beats {triple.b} alone, with {100 * triple.alone:.3g}% of the wins, and {outcome} beside "
        f"{triple.c}"
    )
