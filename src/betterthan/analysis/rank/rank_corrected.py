"""Ranking of means that were corrected by human labels, with the intervals and tests of the correction."""

from __future__ import annotations

from betterthan.analysis.compare.compare_corrected import compare_corrected, refuse_settled
from betterthan.analysis.strengths.ranking import RankOptions, SystemStrengths, ranking
from betterthan.results.judges import Corrected
from betterthan.results.ranking import Ranking
from betterthan.tables.scores import Scores


def rank_corrected(result: Corrected, scores: Scores, options: RankOptions) -> Ranking:
    """Rank the corrected means; `scores` are the corrected scores of items."""
    refuse_settled(result, interval=options.interval, units=options.units, confidence=options.confidence)
    strengths = SystemStrengths(
        systems=result.systems,
        method="mean",
        unit=f"{scores.name}, {scores.direction}",
        strength=result.mean,
        low=result.low,
        high=result.high,
        higher_is_better=result.higher_is_better,
        data=scores.digest,
        n_segments=scores.n_segments,
        options={"ci": f"{100 * options.confidence:g},corrected", "units": result.units},
        notes=result.notes,
        drew=False,
    )
    return ranking(strengths, compare_corrected(result, scores, options.pair_options()), options)
