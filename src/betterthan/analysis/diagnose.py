"""What kind of scores are these, and which mechanism suits them?"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from betterthan.analysis.given import check_table
from betterthan.analysis.pairwise import require_pairs
from betterthan.analysis.triples import expected_cycles, significance_of_triples, troubled_triples
from betterthan.analysis.wording import amount, counted, decimals_for, share
from betterthan.arrays import FloatArray
from betterthan.engine.blas import with_one_blas_thread
from betterthan.errors import TableError
from betterthan.kernels.diagnosis import outlier_shares, pairing, row_outlier_shares, spread, tie_share
from betterthan.kernels.kendall import kendall_b_matrix
from betterthan.kernels.wins import win_counts
from betterthan.results.diagnosis import Diagnosis, Triple
from betterthan.results.settings import Settings
from betterthan.tables.scores import Scores

_ALPHA = 0.05
_CELLS_AT_ONCE = 1 << 21


@with_one_blas_thread
def diagnose(scores: Scores) -> Diagnosis:
    r"""Look at a table of scores before anything is compared: outliers, ties, gaps, pairing, cycles.

    The mean is swayed by outliers, the median by types of segments, and Bradley–Terry can change the order of two
    systems when a third one joins [1]_. Each measure says how much of that there is. How strongly pairing binds is

    .. math:: v = 1 - \frac{\operatorname{Var}(a - b)}{\operatorname{Var} a + \operatorname{Var} b}

    and an unpaired comparison would need :math:`1 / (1 - v)` times the segments.

    Parameters
    ----------
    scores : Scores
        At least two systems. Empty cells are counted, and each measure uses what is there.

    Returns
    -------
    Diagnosis
        Its `sentences` say what each measure means for choosing a mechanism.

    Raises
    ------
    TableError
        With fewer than two systems.

    Notes
    -----
    Outliers by the rule of 1.5 interquartile ranges. Bradley–Terry is fitted to every triple of systems and compared
    with the three pairs by themselves, ties left out. Cost grows with m² n and m³. Circles and changes are findings
    only where the leads behind them are significant (sign tests, Holm's correction over all pairs, level 0.05); for
    the others it is said how many circles chance alone would give.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger, West (2021), Better than average: paired evaluation of NLP systems, ACL, §5.1, App. F.

    Examples
    --------
    The three systems of [1], appendix F: each beats another, in a circle.

    >>> import betterthan as bt
    >>> scores = bt.Scores(name="score", systems=["A", "B", "C"], segments=["1", "2", "3"],
    ...                    values=[[1, 2, 3], [2, 3, 1], [3, 1, 2]])
    >>> found = bt.diagnose(scores)
    >>> found.count("cycle"), found.count("levels"), found.pairing
    (1, 3, -0.5)
    """
    check_table(scores, (Scores,), verb="diagnose")
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
    parts = (_size, _pairing, _outliers, _ties, _difficulty, _ranks, _circles)
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
        return f"{together}: comparing segment by segment does not sharpen the comparison here."
    if found.variance_removed >= 0.995:
        return f"{together}: segment by segment, next to no noise is left, so use paired tests."
    times = amount(1 / (1 - found.variance_removed), 1)
    return (
        f"{together}: comparing segment by segment takes out {share(found.variance_removed)} of the noise, and "
        f"without pairing {times} times as many segments would be needed. Use paired tests."
    )


def _outliers(found: Diagnosis) -> str:
    if math.isnan(found.difference_outlier_share):
        return ""
    scores, gaps = share(found.outlier_share), share(found.difference_outlier_share)
    if found.outlier_share == found.difference_outlier_share == 0:
        return "Neither scores nor differences between two systems have outliers, which would sway the mean."
    some = f"{scores} of the scores and" if found.outlier_share else "None of the scores, but"
    return (
        f"{some} {gaps} of the differences between two systems are outliers: they sway the mean, but neither the "
        f"median nor Bradley–Terry."
    )


def _ties(found: Diagnosis) -> str:
    if math.isnan(found.tie_share):
        return "No two systems share a segment, so nothing can be compared."
    if found.tie_share == 0:
        return "There are no ties, so every segment counts for Bradley–Terry and the sign test."
    return (
        f"{share(found.tie_share)} of the comparisons are ties: Bradley–Terry and the sign test leave them out, and "
        f"medians may come out level."
    )


def _difficulty(found: Diagnosis) -> str:
    if math.isnan(found.segment_spread) or math.isnan(found.system_spread):
        return ""
    places = decimals_for(math.nan, max(found.segment_spread, found.system_spread)) - 1
    segments, systems = (amount(v, max(0, places)) for v in (found.segment_spread, found.system_spread))
    if found.segment_spread > found.system_spread:
        return (
            f"Segments differ more (standard deviation {segments}) than systems do on a segment ({systems}): with such "
            f"types of segments the median, which ignores pairing, is the least reliable."
        )
    return f"Systems differ more on a segment (standard deviation {systems}) than segments do ({segments})."


def _ranks(found: Diagnosis) -> str:
    if math.isnan(found.rank_spread) or len(found.systems) < 3:
        return ""
    if found.rank_spread == 0:
        return "The order of the systems is the same on every segment."
    return (
        f"From segment to segment a system's rank moves by {amount(found.rank_spread, 1)} of "
        f"{counted(len(found.systems), 'place')} (standard deviation), so no single segment tells the order."
    )


def _circles(found: Diagnosis) -> str:
    if not found.n_triples:
        return (
            f"Of {counted(len(found.systems), 'system')} there are too many triples to search them for circles."
            if len(found.systems) > 2
            else ""
        )
    if not found.triples:
        return (
            f"No three systems beat each other in a circle, and no third system changes the order of two under "
            f"Bradley–Terry ({counted(found.n_triples, 'triple')} tried)."
        )
    told = [sentence for part in (_cycles, _changes) if (sentence := part(found))]
    if any(triple.pvalue <= _ALPHA for triple in found.triples):
        told.append("Judge those pairs by themselves, as betterthan compare does.")
    return " ".join(told)


def _cycles(found: Diagnosis) -> str:
    cycles, sure = found.count("cycle"), found.count("cycle", alpha=_ALPHA)
    if not cycles:
        return f"No three systems beat each other in a circle ({counted(found.n_triples, 'triple')} tried)."
    said = f"{amount(cycles, 0)} of {counted(found.n_triples, 'triple')} {'runs' if cycles == 1 else 'run'} in a circle"
    if sure:
        example = next(t for t in found.triples if t.effect == "cycle" and t.pvalue <= _ALPHA)
        which = "significantly" if cycles == 1 else f"{amount(sure, 0)} of them significantly"
        return (
            f"{said}, {which}: {example.a} beats {example.b}, {example.b} beats "
            f"{example.c} and {example.c} beats {example.a} (each p ≤ {example.pvalue:.2g}, Holm-corrected sign tests)."
        )
    which = "not significantly" if cycles == 1 else "none of them significantly"
    return f"{said}, {which}: chance alone would give about {found.expected_cycles:.2g}."


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
    outcome = "loses to it" if triple.effect == "flips" else "is level with it"
    return (
        f"{triple.a} beats {triple.b} alone, with {100 * triple.alone:.3g}% of the wins, and {outcome} beside "
        f"{triple.c}"
    )
