"""A small computed result of every kind."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

from tests.made import drawn_counts, drawn_runs, drawn_scores
from tests.made_tags import drawn_tags
from tests.present.charts.pictures import (
    audited,
    battles,
    corrected,
    judged,
    meta,
    quality_truth,
    renamed,
    studied,
)

import betterthan as bt

SYSTEMS = ("Aster", "Birch", "Cedar", "Daphne")


@functools.cache
def result_of(kind: str) -> Any:
    """A result of this kind, of the four systems where it has any."""
    scores = renamed(SYSTEMS, drawn_scores(4, 40, name="chrF"))
    counts = renamed(SYSTEMS, drawn_counts(4))
    tags = drawn_tags(4, systems=SYSTEMS)
    by = ("mcc", "f1_bad")
    texts = bt.Texts(
        systems=SYSTEMS,
        segments=("1", "2"),
        outputs=[["a cat", "a dog"], ["a cat", "dogs"], ["cats", "a dog"], ["a cat", "the dog"]],
        references=[["a cat", "a dog"]],
    )
    makers = {
        "aggregated": lambda: bt.aggregate(counts, n_resamples=20),
        "agreement": lambda: bt.agreement(
            {by: bt.rank(scores, by=by, n_resamples=20) for by in ("mean", "median")}
        ),
        "audition": lambda: bt.audition(tags, by=by, n_resamples=19),
        "board": lambda: bt.board(scores),
        "board_diff": lambda: bt.board_diff(battles(SYSTEMS, 200), battles(SYSTEMS)),
        "voters": lambda: bt.voters(battles(SYSTEMS), by="topic"),
        "boards": lambda: bt.boards(battles(SYSTEMS), by="topic"),
        "calibration": lambda: bt.calibrate(scores, n_resamples=20),
        "checkup": lambda: bt.check({"A": [1.0, float("nan")], "B": [2.0, 3.0]}),
        "corrected": lambda: corrected(SYSTEMS),
        "counts_explanation": lambda: bt.explain(counts, "Aster", "Birch"),
        "diagnosis": lambda: bt.diagnose(scores),
        "factors": lambda: bt.factors(drawn_runs()),
        "explanation": lambda: bt.explain(scores, "Aster", "Birch"),
        "gate": lambda: bt.gate(scores, systems=("Aster", "Birch"), margin=0.05),
        "fragility": lambda: bt.fragility(battles(SYSTEMS)),
        "identical_outputs": lambda: bt.identical_outputs(texts),
        "judge_audit": lambda: audited(SYSTEMS),
        "judges": lambda: bt.judges(judged(("Ann", "Ben", "Cy"))),
        "kept_pairs": lambda: bt.kept_pairs(replace(scores, values=50 + 20 * scores.values), [0, 5, 25]),
        "meta_evaluation": lambda: meta(SYSTEMS, 3),
        "multiverse": lambda: bt.multiverse("Aster > Birch", scores, n_resamples=99),
        "pairwise": lambda: bt.compare(scores),
        "plan": lambda: bt.plan(scores),
        "ranking": lambda: bt.rank(scores, n_resamples=20),
        "sample": lambda: bt.sample(scores, 5),
        "sentence_quality": lambda: bt.sentence_quality(scores, quality_truth(), n_resamples=19),
        "study": lambda: studied(SYSTEMS),
        "tag_ranking": lambda: bt.rank_tags(tags, by=by, n_resamples=19),
        "tradeoffs": lambda: bt.tradeoffs(
            {"chrF": scores, "length": renamed(SYSTEMS, drawn_scores(4, 40, seed=5, name="length"))}
        ),
        "variation": lambda: bt.variation(drawn_runs()),
        "watch": lambda: bt.watch(scores),
    }
    return makers[kind]()
