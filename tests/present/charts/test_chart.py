"""One function for all charts: the kind that fits, and an error that helps when none does."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.made import drawn_scores, scores_of
from tests.present.charts.pictures import SYSTEMS, made, meta, mostly_slow, subject

import betterthan as bt
from betterthan.cli.commands.figure import KINDS as COMMAND_KINDS
from betterthan.errors import BetterThanError, TableError, UnknownName
from betterthan.present.charts.chart import chart, chart_kinds

UNASKED = (
    "ranking",
    "pairs",
    "scatter",
    "agreement",
    "ranks",
    "metrics",
    "margins",
    "aggregation",
    "confusion",
    "tags",
    "quality",
    "judges",
    "diagnosis",
    "study",
)


@pytest.mark.parametrize("kind", mostly_slow(UNASKED, "ranking", "scatter", "ranks", "confusion", "judges"))
def test_the_first_kind_that_fits_is_drawn_unasked(kind):
    """The same chart as when it is named."""
    options = {"systems": SYSTEMS[:2]} if kind == "scatter" else {}
    assert chart(subject(kind), **options).to_dict() == made(kind).to_dict()


def test_the_command_knows_the_same_kinds():
    """With hyphens; figures of a study are written by the command that runs it."""
    assert {kind.replace("-", "_") for kind in COMMAND_KINDS} == set(chart_kinds()) - {"study"}


def test_a_title_can_be_given_or_left_out():
    """Without a title there are no words either: a caption says it."""
    assert made("margins", title="Mine").to_dict()["title"]["text"] == "Mine"
    assert "title" not in made("margins", title="").to_dict()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: chart(3), TableError, "No chart is known for int. Known: Aggregated, Agreement"),
        (
            lambda: chart(bt.explain(drawn_scores(2, 9), "A", "B")),
            TableError,
            "No chart is known for Explanation. Known: .*Diagnosis, .*Judges, .*SentenceQuality, Study, TagRanking",
        ),
        (
            lambda: chart(subject("ranking"), "rankin"),
            UnknownName,
            'Unknown kind of chart "rankin". Did you mean',
        ),
        (
            lambda: chart(subject("ranking"), "pairs"),
            TableError,
            'A chart of kind "pairs" shows PairwiseTable, not Ranking. For this there is: ranking.',
        ),
        (
            lambda: chart(subject("ranking"), "ranks"),
            TableError,
            'A chart of kind "ranks" shows a mapping of names to Ranking, not Ranking.',
        ),
        (
            lambda: chart(subject("ranking"), metric="BLEU"),
            BetterThanError,
            'A chart of kind "ranking" takes no metric; it is for soft_pairwise and contributions.',
        ),
        (
            lambda: chart(drawn_scores(3, 5)),
            TableError,
            r'This chart shows two systems, and 3 are given. Name two: systems=\("A", "C"\).',
        ),
        (lambda: chart(drawn_scores(3, 5), systems=("A", "D")), UnknownName, 'Unknown system "D"'),
        (
            lambda: chart(scores_of([[1.0, float("nan")], [float("nan"), 2.0]])),
            TableError,
            "A and B have no segment that both are scored on.",
        ),
        (
            lambda: chart(subject("study"), figure="figure-2"),
            UnknownName,
            'Unknown figure "figure-2". Did you mean "figure-1"?',
        ),
        (
            lambda: chart(replace(subject("study"), charts=())),
            TableError,
            'The study "mine" has no figures',
        ),
        (lambda: chart({"one": subject("ranking")}), TableError, "Two or more rankings are needed"),
        (
            lambda: chart({"a": subject("ranking"), "b": bt.rank(drawn_scores(3, 9), n_resamples=9)}),
            TableError,
            '"a" and "b" do not rank the same systems.',
        ),
        (
            lambda: chart(
                bt.WordTags(systems=["A"], segments=["1"], gold=[], predicted=[[]], offsets=[0, 0])
            ),
            TableError,
            "There are no words, so nothing can be drawn.",
        ),
        (
            lambda: chart(meta(tuple(f"S{i}" for i in range(61)), 2, significance="none"), "soft_pairwise"),
            TableError,
            "There are 61 systems, and at most 60 fit",
        ),
    ],
)
def test_what_cannot_be_drawn_is_said(call, error, message):
    """What is wrong, and what there is instead."""
    with pytest.raises(error, match=message):
        call()
