"""bt.multiverse: claims in words, every analysis is that of compare, and known cases are told truthfully."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from tests.made import drawn_scores

import betterthan as bt
from betterthan.analysis.multiverse.multiverse import claim_of, with_items
from betterthan.examples.campaign import campaign
from betterthan.examples.figure_one import figure_one
from betterthan.examples.write import write_campaign
from betterthan.present.tables.robustness import multiverse_table


def outcomes_by_aggregation(found):
    """The set of outcomes of each aggregation."""
    outcomes = defaultdict(set)
    for row in found:
        outcomes[row.aggregation].add(row.outcome)
    return dict(outcomes)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """Human scores of the demo campaign, with documents."""
    folder = tmp_path_factory.mktemp("demo")
    write_campaign(folder, campaign())
    return bt.read_scores(folder / "human.csv")


def test_figure_one_means_medians_and_wins_disagree():
    """The paper's example: equal means, the median is against B, and B wins four of five segments."""
    found = bt.multiverse("B > A", figure_one())
    outcomes = outcomes_by_aggregation(found)
    assert outcomes["mean"] == {"equal"}
    assert outcomes["median"] == {"opposite direction"}
    assert outcomes["Bradley–Terry"] == outcomes["win rate"] == {"same direction"}
    assert found.share("supported") == 0
    text = " ".join(multiverse_table(found).verdict)
    assert "None of 50 analyses supports the claim B > A" in text
    assert "What decides: aggregation" in text
    best = outcomes_by_aggregation(bt.multiverse("C is best", figure_one()))
    assert best["Bradley–Terry"] == {"same direction"}
    assert best["mean"] == {"equal"}


def test_the_demo_pair_depends_on_the_aggregation(demo):
    """Daphne wins more segments by little, and Elm has the higher mean; neither claim survives."""
    found = bt.multiverse("Daphne > Elm", demo)
    outcomes = outcomes_by_aggregation(found)
    assert outcomes["mean"] <= {"opposite direction", "contradicted"}
    assert "supported" in outcomes["win rate"]
    assert all(row.outcome == "supported" for row in found if row.test == "sign")
    assert 0 < found.share("supported") < 1
    other = bt.multiverse("Elm > Daphne", demo)
    assert other.share("supported") == found.share("contradicted")
    assert "aggregation" in {option.choice for option in found.options()[:30]}


def test_a_clear_claim_survives(demo):
    """Aster is far better than Hazel by everything."""
    found = bt.multiverse("Aster is better than Hazel", demo)
    assert found.share("supported") == 1.0
    assert "survives every choice" in multiverse_table(found).verdict[0]


@pytest.mark.parametrize("row_number", [0, 3, 7, 11, 26, 40, 70])
def test_every_p_value_is_that_of_compare(row_number):
    """With the options that the row names, corrected over all pairs."""
    scores = drawn_scores(4, 60)
    a, b = scores.systems[:2]
    found = bt.multiverse((a, b), scores)
    row = found[row_number]
    options = {
        ("mean", "permutation"): {"test": "permutation"},
        ("mean", "t"): {"test": "t"},
        ("mean", "bootstrap"): {"test": "bootstrap", "n_resamples": 1999},
        ("median", "bootstrap"): {"by": "median", "n_resamples": 1999},
        ("median", "Mood"): {"test": "mood"},
        ("median of differences", "Wilcoxon"): {"test": "wilcoxon"},
        ("win rate", "permutation"): {"by": "win_rate"},
        ("win rate", "sign"): {"test": "sign", "ties": "half" if row.ties == "half" else "drop"},
        ("Bradley–Terry", "Wald"): {"by": "bradley_terry", "ties": row.ties},
    }
    if (row.aggregation, row.test) not in options:
        pytest.skip("an own function")
    table = with_items(scores if row.compared == "all" else scores.select((a, b)), row.items, (a, b))
    units = "groups" if row.unit == "documents" else "segments"
    pairs = bt.compare(table, units=units, correction=row.correction, **options[row.aggregation, row.test])
    assert pairs.pair(a, b).adjusted == pytest.approx(row.pvalue, rel=1e-9)


def test_metrics_are_a_choice():
    """Two metrics that disagree: the metric decides."""
    rng = np.random.default_rng(0)
    quality = rng.normal(size=(2, 80)) + np.array([[0.8], [0]])
    brevity = rng.normal(size=(2, 80)) + np.array([[0], [0.8]])
    tables = {
        name: bt.Scores(name=name, systems=["A", "B"], segments=list(map(str, range(80))), values=values)
        for name, values in (("quality", quality), ("brevity", brevity))
    }
    found = bt.multiverse("A > B", tables)
    assert set(found.metric) == {"quality", "brevity"}
    assert found.options()[0].choice == "metric"
    assert "metric (supported by" in " ".join(multiverse_table(found).verdict)
    assert set(bt.multiverse("A > B", tables, metric="quality").metric) == {"quality"}


def test_right_and_wrong_have_no_outliers():
    """Nor is there a choice of items."""
    rng = np.random.default_rng(1)
    found = bt.multiverse("A > B", {"A": (rng.random(60) < 0.8) * 1.0, "B": (rng.random(60) < 0.5) * 1.0})
    assert set(found.items) == {"all"}
    assert {row.ties for row in found if row.test == "sign"} == {"drop", "half"}


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("A > B", "A > B"),
        ("A is better than B", "A > B"),
        ("A beats B", "A > B"),
        ("B < A", "A > B"),
        ("B is worse than A", "A > B"),
        (("A", "B"), "A > B"),
        ("A is best", "A is best"),
        ("A is the best", "A is best"),
        (("A",), "A is best"),
        ("A", "A is best"),
        ("x > 3 > A", "x > 3 > A"),
    ],
)
def test_claims_in_words(claim, words):
    """Also about systems whose names contain the words."""
    assert claim_of(claim, ["A", "B", "x > 3"]).words == words


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("A and B", "not a claim"),
        ("A > D", "Unknown system"),
        ("A > A", "two different systems"),
        ("", "not a claim"),
    ],
)
def test_what_is_no_claim_is_refused(claim, words):
    """With an example, or the systems there are."""
    with pytest.raises(bt.BetterThanError, match=words):
        claim_of(claim, ["A", "B", "C"])


def test_the_same_bytes_and_json():
    """Whoever computes."""
    scores = drawn_scores(3, 40)
    one, two = (bt.multiverse(scores.systems[:2], scores, n_resamples=199, workers=k) for k in (1, 2))
    assert one == two
    assert bt.Result.from_json(one.to_json()) == one
    assert len(one.columns()["outcome"]) == len(one)
