"""False claims at the level 0.01, one design for each verb that tests."""

from __future__ import annotations

from functools import partial

from tests.calibration import judging, matches, meta, simulate
from tests.calibration.cells import Cell

import betterthan as bt

LEVEL = 0.01


def scores_ranked(rng, *, by, shape="normal", m=6, n=30):
    """Equal systems, by a mechanism."""
    table = simulate.scores_of(simulate.EQUAL[shape](rng, m, n))
    return float(bt.rank(table, by=by, confidence=1 - LEVEL, workers=1).cluster.max() > 1)


def documents_ranked(rng):
    """Equal systems with good and bad documents."""
    groups = simulate.documents(rng, 30)
    table = simulate.scores_of(simulate.by_documents(rng, 6, groups), groups)
    return float(bt.rank(table, confidence=1 - LEVEL, workers=1).cluster.max() > 1)


def counts_compared(rng):
    """Equal systems whose score is a formula of summed counts."""
    return float(bt.compare(simulate.overlap_counts(rng, 2, 100), alpha=LEVEL, workers=1).n_different > 0)


def scores_compared(rng, *, shape):
    """Equal systems, all pairs."""
    table = simulate.scores_of(simulate.EQUAL[shape](rng, 6, 80))
    return float(bt.compare(table, alpha=LEVEL, workers=1).n_different > 0)


def pair_explained(rng):
    """The mean of two equal systems, in the explanation of the pair."""
    found = bt.explain(simulate.scores_of(simulate.normal(rng, 2, 40)), "S0", "S1", alpha=LEVEL)
    return float(found.mechanisms[0].pvalue <= LEVEL)


def matches_ranked(rng):
    """Four equal systems and 12 judges with tastes of their own."""
    table = matches._judged(rng, 4, 600, 12)
    return float(bt.rank(table, confidence=1 - LEVEL).cluster.max() > 1)


def ratings_ranked(rng):
    """Three equal systems that share 40 segments."""
    table = matches._campaign(rng, 40)
    return float(bt.rank_ratings(table, confidence=1 - LEVEL).cluster.max() > 1)


def metrics_compared(rng):
    """Six equally good metrics with likes and dislikes of single systems."""
    quality, biases = meta.drawn_biases(rng, 6, 14, "biases")
    human, metrics = meta.campaign(rng, quality, biases)
    return float(meta.evaluated(human, metrics, confidence=None, alpha=LEVEL).n_significant > 0)


def judges_screened(rng):
    """Twelve honest judges of 30 outputs."""
    ratings = judging.ratings_of(judging.campaign(rng, 12, 30))
    return float(bool(bt.judges(ratings, alpha=LEVEL).dropped))


def tags_ranked(rng):
    """Two equal taggers."""
    table = judging.tagged(rng, 2, 100)
    found = bt.rank_tags(table, by=["f1_mult"], synthetic=False, alpha=LEVEL)
    return float(found.n_different[0] > 0)


def tags_auditioned(rng):
    """Two equal taggers."""
    return float(bt.audition(judging.tagged(rng, 2, 100), by=["f1_bad"], alpha=LEVEL).d[0] > 0)


def quality_predicted(rng):
    """Six systems that follow the truth equally well."""
    truth, values = judging.predictions(rng, 6, 100, "normal")
    segments = [str(i) for i in range(100)]
    gold = bt.Scores(name="rate", systems=["truth"], segments=segments, values=truth[None])
    predicted = bt.Scores(name="rate", systems=simulate.names(6), segments=segments, values=values)
    return float(len(set(bt.sentence_quality(predicted, gold, alpha=LEVEL).letters)) > 1)


def counts_aggregated(rng):
    """Two equal systems."""
    found = bt.aggregate(judging.errors_of(rng, 2, 100), confidence=1 - LEVEL)
    return float(found.cluster.max() > 1)


TRIALS = {
    "rank by the mean, normal": partial(scores_ranked, by="mean"),
    "rank by the mean, heavy tails": partial(scores_ranked, by="mean", shape="heavy tails (t₃)"),
    "rank by the median": partial(scores_ranked, by="median"),
    "rank by win rate": partial(scores_ranked, by="win_rate"),
    "rank by Bradley–Terry": partial(scores_ranked, by="bradley_terry"),
    "rank by Elo": partial(scores_ranked, by="elo", m=4),
    "rank by documents": documents_ranked,
    "rank of matches, 12 judges": matches_ranked,
    "compare, MQM-like": partial(scores_compared, shape="MQM-like"),
    "compare, binary": partial(scores_compared, shape="binary"),
    "compare of counts": counts_compared,
    "explain": pair_explained,
    "rank_ratings": ratings_ranked,
    "meta_evaluate, any of 15 pairs": metrics_compared,
    "judges, honest judge dropped": judges_screened,
    "rank_tags": tags_ranked,
    "audition": tags_auditioned,
    "sentence_quality": quality_predicted,
    "aggregate": counts_aggregated,
}
CELLS = [
    Cell(
        table="every verb/size at 0.01",
        row=row,
        column="any false claim",
        trial=trial,
        low=0.0,
        high=0.014,
    )
    for row, trial in TRIALS.items()
]
