"""What studies say of the claims of a paper."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.made_tags import drawn_tags
from tests.studies.test_tagging_studies import asked

import betterthan as bt
from betterthan.analysis.tags.audition import DEFAULT_MEASURES
from betterthan.studies.catalogue import STUDIES
from betterthan.studies.reporting import IN_PART, UNKNOWN, Claim, claims_table, conclusion, holds_in
from betterthan.studies.study import study
from betterthan.studies.tagging import tagging_sampling, tagging_synthetic
from betterthan.studies.tagging.tagged import Tagged


def test_one_sentence_says_whether_claims_hold():
    """None known, one, several with exceptions, all."""
    yes, no = Claim("one", "1", True, ""), Claim("two", "2", False, "")
    part, unknown = Claim("three", "3", IN_PART, ""), Claim("four", "4", UNKNOWN, "")
    assert conclusion([unknown]) == "This data cannot check the claims of the paper."
    assert conclusion([no, unknown]) == "The claim of the paper does not hold on this data: two."
    assert conclusion([part]) == "The claim of the paper holds in part on this data: three."
    assert conclusion([yes, yes]) == "Of 2 claims of the paper that this data can check, all hold."
    assert conclusion([yes, no, part]) == (
        "Of 3 claims of the paper that this data can check, 1 holds. Not: two. In part: three."
    )
    assert conclusion([no, no]).startswith("Of 2 claims of the paper that this data can check, none holds.")
    assert claims_table([yes, part]).rows == (("One", "1", "yes", ""), ("Three", "3", "in part", ""))


@pytest.mark.parametrize(
    ("holding", "n", "expected"), [(2, 2, True), (0, 2, False), (1, 2, IN_PART), (0, 0, UNKNOWN)]
)
def test_a_claim_may_hold_in_some_cases(holding, n, expected):
    """All, none, some, and no case at all."""
    assert holds_in(holding, n) == expected


@pytest.mark.parametrize(
    "name", [name for name, entry in STUDIES.items() if entry.cost in ("none", "a second")]
)
def test_a_study_begins_with_its_conclusion(name):
    """The last table has the claims, and the first sentence counts them."""
    found = study(name, quick=True, workers=1)
    claims = found.table("claims")
    assert found.tables[-1] == claims
    assert set(claims.column("holds")) <= {"yes", "no", IN_PART, UNKNOWN}
    assert "of the paper" in found.sentences[0]


def scores_of(m, n, seed=1):
    """Normal scores of m systems on n segments."""
    values = np.random.default_rng(seed).normal(size=(m, n))
    names = tuple(f"S{i}" for i in range(m)), tuple(map(str, range(n)))
    return bt.Scores(name="BLEU", systems=names[0], segments=names[1], values=values)


def verdicts(found):
    """Whether each claim holds, by its text."""
    return dict(
        zip(found.table("claims").column("claim"), found.table("claims").column("holds"), strict=True)
    )


@pytest.mark.parametrize(("m", "n"), [(2, 40), (5, 10)])
def test_nothing_is_said_of_third_systems_where_there_are_none(m, n):
    """Two systems have no third one, and ten segments are not more than ten."""
    found = study("independence", scores_of(m, n), quick=True, workers=1)
    assert set(verdicts(found).values()) == {UNKNOWN}
    assert found.sentences[0] == "This data cannot check the claims of the paper."


def test_small_setups_do_not_count_for_more_than_ten_segments():
    """Beside a setup of 40 segments, one of 9 adds no triples to the claim."""
    large, both = (
        study("independence", tables, quick=True, workers=1)
        for tables in ({"a": scores_of(4, 40)}, {"a": scores_of(4, 40), "b": scores_of(5, 9)})
    )
    assert large.table("claims").column("here") == both.table("claims").column("here")


def test_tests_that_find_the_same_are_not_ordered():
    """Two systems with equal scores: no test finds a difference, and none finds most or fewest."""
    table = scores_of(2, 40)
    alike = bt.Scores(
        name="BLEU", systems=table.systems, segments=table.segments, values=table.values[[0, 0]] + 0.0
    )
    assert set(verdicts(study("tests-agreement", alike, quick=True, workers=1)).values()) == {UNKNOWN}


def test_a_single_metric_is_not_affected_most():
    """A claim on BLEU among metrics needs another metric."""
    found = verdicts(study("paired-disagreement", scores_of(4, 40), quick=True, workers=1))
    assert found["BLEU is affected most"] == UNKNOWN


def test_measures_that_see_nothing_are_not_compared():
    """No gap is ever seen: nothing is said. All need the same samples: MCC does as well, and none needs fewer."""
    never = {name: [None, None] for name in DEFAULT_MEASURES}
    assert {claim.verdict for claim in tagging_sampling._claims(never)} == {UNKNOWN}
    alike = {name: [100, 200] for name in DEFAULT_MEASURES}
    assert [claim.verdict for claim in tagging_sampling._claims(alike)] == ["no", "yes", "no", "no"]


def test_measures_that_no_labeling_fools_are_not_separated():
    """Systems that are nearly right outscore every labeling by every measure."""
    tags = drawn_tags(m=3, n=60)
    errors = np.random.default_rng(3).random((3, tags.gold.size)) < 0.02
    tags = drawn_tags(m=3, n=60, predicted=tags.gold ^ errors)
    found = tagging_synthetic.run(asked("tagging-synthetic"), (Tagged("x", tags),))
    assert set(found.table("table-1").column("sum")) == {0}
    assert (
        verdicts(found)[
            "SeqCor and both products of F1 scores separate synthetic labelings from systems better than the rest"
        ]
        == "no"
    )


def test_a_metric_that_is_first_already_cannot_gain_ranks():
    """The metric with the most ties is the best by every matrix, so nothing is known from it."""
    human = bt.Scores(
        name="human", systems=("A", "B", "C"), segments=tuple(map(str, range(60))),
        values=np.random.default_rng(1).integers(0, 101, (3, 60)).astype(float),
    )  # fmt: skip
    noise = np.random.default_rng(2).normal(size=(3, 60))
    best = replace(human, name="best", values=(human.values / 25).round())
    worse = replace(human, name="worse", values=human.values + 40 * noise)
    found = study("tau-variants", {"human": human, "best": best, "worse": worse}, quick=True, workers=1)
    gains = next(row for row in found.table("claims").rows if "gains ranks" in str(row[0]))
    assert gains[2] == UNKNOWN
    assert gains[3].endswith("best 1 to 1 of 2")


def test_human_translations_are_named_where_metrics_score_them():
    """A system called Human-B changes what every measure says; one that no metric scores is left out anyway."""
    names = ("A", "B", "C", "Human-A", "Human-B")
    values = np.random.default_rng(5).normal(size=(5, 40))
    human = bt.Scores(name="human", systems=names, segments=tuple(map(str, range(40))), values=values)
    metric = replace(human, name="m", systems=(*names[:3], names[4]), values=values[[0, 1, 2, 4]] + 0.1)
    other = replace(metric, name="n", values=-metric.values)
    found = study("spa-ties", {"human": human, "m": metric, "n": other}, quick=True, workers=1)
    (note,) = [note for note in found.notes if "human translation" in str(note)]
    assert note.startswith("Human-B seems to be a human translation, which many metrics misjudge.")
