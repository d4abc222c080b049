"""What belongs into the verdict on metrics: human translations, duplicates, metrics that tie nearly everything."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.made import accuracy_counts, scores_of

import betterthan as bt
from betterthan.results.metrics import Caveat
from betterthan.tables.metric_names import is_human_translation

RNG = np.random.default_rng(31)
HUMAN = RNG.normal(size=(6, 40)) + np.arange(6)[:, None] / 4
PEOPLE = scores_of(HUMAN, name="people")
SHARP = scores_of(HUMAN + 0.5 * RNG.normal(size=HUMAN.shape), name="sharp")
FAIR = scores_of(HUMAN + 1.5 * RNG.normal(size=HUMAN.shape), name="fair")
FAST = {"n_resamples": 49, "workers": 1}


@pytest.mark.parametrize(
    "name",
    [
        *(
            "Human-A.0",
            "Human-P.0",
            "human",
            "HUMAN.B",
            "Human_refA",
            "human1",
            "Human translation",
            "human-ref",
        ),
        *("ref", "refA", "ref-B", "ref_2", "REF.C", "reference", "reference-A", "references", "refB.0"),
        *("newstest2020.refA", "en-de.ref-B", "professional translation"),
    ],
)
def test_human_translations_are_recognised(name):
    """By the names that shared tasks give them."""
    assert is_human_translation(name)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "Humane",
            "HumanEval-7B",
            "humanoid",
            "human-level-mt",
            "refined-nmt",
            "refiner",
            "ref-lm",
            "reflm",
        ),
        *("Online-B.1590", "preference", "no-ref", "xref", "DPO-refs-large", "reformer", "referee", ""),
    ],
)
def test_systems_are_not_taken_for_human_translations(name):
    """Longer words that begin alike."""
    assert not is_human_translation(name)


def test_human_translations_stand_in_the_verdict():
    """Before the notes, and they count as systems."""
    systems = ["Human-A.0", "B", "C", "refB", "E", "F"]
    tables = [replace(one, systems=systems) for one in (SHARP, FAIR, PEOPLE)]
    found = bt.meta_evaluate(tables[:2], tables[2], p_values="analytic", **FAST)
    assert found.caveats == (Caveat(code="human_translations", names=("Human-A.0", "refB")),)
    assert found.n_systems == 6
    text = str(found)
    said = "Human-A.0 and refB seem to be human translations"
    assert said in " ".join(text.split())
    assert "note: Human-A.0" not in text


def test_the_same_scores_under_two_names_are_named():
    """A60: metrics, also when one of them is turned round, and systems."""
    turned = replace(SHARP, name="turned", values=0.0 - SHARP.values, higher_is_better=False)
    found = bt.meta_evaluate([SHARP, FAIR, turned], PEOPLE, p_values="analytic", **FAST)
    assert found.caveats == (Caveat(code="same_metrics", names=("sharp", "turned")),)
    assert found.pvalue("sharp", "turned") == 1
    counts = accuracy_counts(RNG.integers(1, 9, (6, 40, 2)), name="one")
    copies = bt.meta_evaluate([counts, replace(counts, name="two")], PEOPLE, p_values="analytic", **FAST)
    assert copies.caveats == (Caveat(code="same_metrics", names=("one", "two")),)

    def twice(table):
        return replace(table, values=table.values[[0, 1, 2, 3, 4, 4]])

    systems = bt.meta_evaluate([twice(SHARP), twice(FAIR)], PEOPLE, by="pearson", **FAST)
    assert systems.caveats == (Caveat(code="same_systems", names=("E", "F")),)
    assert "E and F have identical scores by every metric" in " ".join(str(systems).split())


def blunt_metric():
    """Two values, nearly always the same: right whenever it decides."""
    values = np.zeros_like(HUMAN)
    values[np.argmax(HUMAN[:, 0]), 0] = 1.0
    return scores_of(values, name="blunt")


def test_a_metric_that_ties_nearly_everything_is_named_and_not_praised():
    """τ of 1 on five of 600 pairs is no reason to call a metric better than others."""
    found = bt.meta_evaluate([blunt_metric(), SHARP, FAIR], PEOPLE, by="tau_ties_ignored", **FAST)
    assert found.metrics[0] == "blunt"
    assert found.value[0] == 1
    assert found.n_pairs == 600
    assert found.n_decided.tolist() == [5, 600, 600]
    assert found.caveats == (Caveat(code="many_ties", names=("blunt",), n_decided=5, n_pairs=600),)
    assert np.isnan(found.comparisons.pvalue[0]).all()
    assert np.isnan(found.low[0])
    assert found.is_tested.tolist() == [False, True, True]
    text = " ".join(str(found).split())
    assert "blunt ties nearly everything: it separates 5 of 600 pairs of outputs (0.8%)." in text
    assert "Among the metrics that could be tested, sharp agrees significantly better" in text
    assert "blunt agrees" not in text
    assert bt.Result.from_dict(found.to_dict()) == found


@pytest.mark.parametrize(
    "by",
    [
        "tau_ties_soft",
        "tau_ties_hard",
        "tau_human_ties",
        "accuracy_with_ties",
        "kendall_b",
        "pairwise_accuracy",
        "soft_pairwise_accuracy",
    ],
)
def test_where_ties_count_the_metric_is_named_and_tested(by):
    """Ties cost these measures something, so that the metric is not praised for them."""
    level = {"level": "segment"} if by == "kendall_b" else {}
    found = bt.meta_evaluate([blunt_metric(), SHARP, FAIR], PEOPLE, by=by, **level, **FAST)
    assert [one.code for one in found.caveats if one.code != "out_of_reach"] == ["many_ties"]
    assert found.caveats[0].n_decided == 5
    assert by == "kendall_b" or found.is_tested.all()
