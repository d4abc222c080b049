"""The sentences of a verdict claim what the numbers carry, and are sentences."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.report.conftest import made_scores

import betterthan as bt
from betterthan.report.compose import compose
from betterthan.report.page import section_fragment
from betterthan.results.pairwise import equals_p


def words_of(report):
    """Headline, verdict, cards and the lines below titles."""
    cards = [f"{card.number} {card.of} {card.label}" for card in report.cards]
    return [report.headline, report.verdict, *cards, *(part.lead for part in report.sections)]


@pytest.mark.parametrize("kind", ["scores", "battles", "meta", "texts", "tags"])
def test_one_thing_is_not_several(reports, kind):
    """No "1 systems", no "1 pairs", no name of a test as the code has it."""
    for words in words_of(reports[kind]):
        assert not re.search(
            r"(?<![\d.,] )(?<!of )\b1 (?:systems|pairs|segments|words|documents)\b", words
        ), words
        assert not re.search(r"\b(?:wald|f1_mult|soft_pairwise|perm_\w+)\b", words), words


def test_a_verdict_on_battles_says_what_is_left_after_correction(reports):
    """An interval of the pair alone may exclude one half without significance; the corrected p says so."""
    report = reports["battles"]
    pairs = report.results["pairs"]
    pair = pairs.pair(*report.results["ranking-bradley_terry"].systems[:2])
    assert f"{pair.low:.2f} to {pair.high:.2f} for this pair alone)" in report.verdict
    adjusted = re.escape(equals_p(pair.adjusted))
    assert re.search(rf"{adjusted},? (adjusted|after adjustment) for all \d+ pairs\)\.", report.verdict)


def test_pairs_that_met_often_are_not_called_rare():
    """Only where pairs met seldom does the model say more than the data."""
    rng = np.random.default_rng(1)
    left = np.repeat([0, 0, 1], 40)
    right = np.repeat([1, 2, 2], 40)
    table = bt.Matches(
        systems=["A", "B", "C"], left=left, right=right, outcome=rng.choice([0.0, 1.0], 120, p=[0.4, 0.6])
    )
    often = next(part for part in compose(table).sections if part.key == "sure")
    assert "Every pair met at least 30 times." in section_fragment(often)
    few = bt.Matches(
        systems=["A", "B", "C"], left=left[:90], right=right[:90], outcome=rng.choice([0.0, 1.0], 90)
    )
    seldom = next(part for part in compose(few).sections if part.key == "sure")
    assert "1 of 3 pairs met fewer than 30 times" in section_fragment(seldom)


def test_two_systems_have_one_pair():
    """Nothing is corrected, so nothing is said about it."""
    report = compose(made_scores(m=2), units="segments")
    assert "djusted" not in report.verdict
    assert "for this pair alone" not in report.verdict
    assert "Holm-adjusted for 3 pairs)." in compose(made_scores(m=3), units="segments").verdict


def test_a_verdict_on_metrics_has_a_subject(reports):
    """The verdict names its metric, whatever the headline says; few systems are called few."""
    report = reports["meta"]
    found = report.results["meta-soft_pairwise_accuracy"]
    assert report.verdict.startswith(
        f"The soft pairwise accuracy of {found.metrics[0]} compared with {found.human} scores is "
    )
    verb = "differ significantly (PERM-SYSTEMS, two-sided, p ≤ 0.05, step-down maximum over 6 pairs)"
    assert f"{found.n_significant} of 6 pairs of metrics {verb}." in report.verdict
    assert report.caveats[-1] == "8 systems are too few for a precise estimate of agreement."


def test_the_best_mean_and_the_most_wins():
    """Where the ways of aggregating part, the headline names both."""
    rng = np.random.default_rng(3)
    base = rng.normal(50, 5, 200)
    often = base + np.where(np.arange(200) % 4 == 0, -60.0, 3.0)
    table = bt.Scores(
        name="m", systems=["steady", "often"], segments=map(str, range(200)), values=np.array([base, often])
    )
    assert compose(table).headline == "steady has the best mean, but often ranks first by wins."


def test_the_leader_is_counted_among_those_that_may_be_best(reports):
    """Of three taggers of which two hardly differ, two may be the best; winner and runner-up are named."""
    tags = bt.WordTags(
        systems=["A", "B", "C"],
        segments=[str(i) for i in range(40)],
        gold=np.arange(400) % 4 == 0,
        predicted=np.array(
            [
                np.arange(400) % 4 == 0,
                np.where(np.arange(400) == 0, False, np.arange(400) % 4 == 0),
                np.arange(400) % 3 == 0,
            ]
        ),
        offsets=np.arange(41) * 10,
    )
    report = compose(tags)
    assert report.headline == "A ranks first by F1-mult, ahead of B, but 2 of 3 systems may be the best."
    assert report.verdict.startswith("A scores ")
    assert " higher than B, but the difference is not significant" in report.verdict
    assert reports["tags"].headline.endswith(" is better than Heron, by F1-mult.")


def test_a_name_cannot_turn_the_sentences_around_it(tmp_path):
    """Overrides of the reading direction are written out, in text, pictures and what is embedded."""
    scores = bt.Scores(
        name="points",
        systems=["A\u202ebc", "B"],
        segments=[str(i) for i in range(12)],
        values=[[float(i % 5) for i in range(12)], [float(i % 3) for i in range(12)]],
    )
    page = bt.write_report(tmp_path / "report.html", scores).read_text(encoding="utf-8")
    assert "\u202e" not in page
    assert "A\\u202ebc" in page
