"""Several metrics at once: the numbers of compare and rank, one correction, and the Pareto front."""

from __future__ import annotations

import numpy as np
import pytest
from tests.made import drawn_counts, drawn_runs, scores_of

import betterthan as bt
from betterthan.kernels.significance.pvalues import adjusted

RNG = np.random.default_rng(11)


def metric(name, *leads, n=60, sd=1.0, seed=0, **options):
    """One score per system and segment, each system ahead by its lead."""
    rng = np.random.default_rng([seed, len(name)])
    values = rng.normal(size=n) + sd * rng.normal(size=(len(leads), n)) + np.array(leads)[:, None]
    return scores_of(values, name=name, **options)


QUALITY = metric("quality", 1.0, 0.5, 0.0)
COST = metric("cost", 2.0, 1.0, 0.0, higher_is_better=False)
BOTH = {"quality": QUALITY, "cost": COST}


def test_every_number_is_that_of_compare_and_rank():
    """A question has one answer: scores, intervals and p-values of a metric are those of the other verbs."""
    found = bt.tradeoffs(BOTH)
    for k, (name, table) in enumerate(BOTH.items()):
        ranking, pairs = bt.rank(table), bt.compare(table)
        for s, system in enumerate(found.systems):
            row = found[k * 3 + s]
            assert (row.metric, row.system, row.score) == (name, system, ranking[system].strength)
            assert (row.low, row.high, row.rank) == (
                ranking[system].low,
                ranking[system].high,
                ranking[system].rank,
            )
            for other in found.systems:
                if other != system:
                    mine, theirs = found.pair(name, system, other), pairs[system, other]
                    assert (mine.effect, mine.low, mine.pvalue) == (theirs.effect, theirs.low, theirs.pvalue)


def test_all_metrics_are_corrected_together():
    """Holm over metrics times pairs; with a baseline over the comparisons with it alone."""
    found = bt.tradeoffs(BOTH)
    upper = np.triu_indices(3, 1)
    raw = np.concatenate([matrix[upper] for matrix in found.pvalue])
    assert found.n_tests == 6
    np.testing.assert_allclose(
        np.concatenate([matrix[upper] for matrix in found.adjusted]), adjusted(raw, correction="holm")
    )
    one = bt.tradeoffs(BOTH, baseline="A")
    assert one.n_tests == 4
    rows = [row for row in one if row.adjusted is not None]
    np.testing.assert_allclose(
        [row.adjusted for row in rows], adjusted(np.array([row.pvalue for row in rows]), correction="holm")
    )
    assert {row.system for row in one if row.difference is None} == {"A"}


def test_differences_from_a_baseline_are_in_the_direction_of_the_metric():
    """A lower cost is a negative difference, and better."""
    row = next(row for row in bt.tradeoffs(BOTH, baseline="A") if (row.metric, row.system) == ("cost", "C"))
    assert row.difference == pytest.approx(COST.values[2].mean() - COST.values[0].mean())
    assert row.difference_low < row.difference < row.difference_high < 0
    assert row.verdict == "C"


def test_the_front_of_metrics_that_disagree_and_agree():
    """No system dominates where quality costs; one does where it is better by both."""
    found = bt.tradeoffs(BOTH)
    assert found.front == ("A", "B", "C")
    assert found.may_be_on_front.all()
    alike = bt.tradeoffs({"quality": QUALITY, "grade": metric("grade", 3.0, 2.0, -2.0)})
    assert alike.front == ("A",)
    assert alike.dominated_by("C") == ("A", "B")
    assert not alike.may_be_on_front[alike.systems.index("C")]


def test_dominance_is_the_largest_p_value_of_the_metrics():
    """Adjusted for the pairs, not for the metrics: all of them must be significant."""
    found = bt.tradeoffs({"quality": QUALITY, "grade": metric("grade", 0.3, 0.0, -0.3)})
    upper = np.triu_indices(3, 1)
    largest = np.where((found.effect > 0).all(axis=0), found.pvalue.max(axis=0), 1.0)
    either = np.minimum(largest, largest.T)[upper]
    holm = adjusted(either, correction="holm")
    np.testing.assert_allclose(np.minimum(found.dominance, found.dominance.T)[upper], holm)


def test_a_front_that_chance_may_have_made_is_not_certain():
    """A system that is a little worse by both metrics may be on the front."""
    found = bt.tradeoffs(
        {"quality": metric("quality", 0.05, 0.0, n=20), "grade": metric("grade", 0.05, 0.0, n=20)}
    )
    (worse,) = set(found.systems) - set(found.front) or {None}
    assert worse is None or found.may_be_on_front[found.systems.index(worse)]


def test_equal_systems_are_both_on_the_front():
    """Neither is better by any metric, up to rounding."""
    values = RNG.random((1, 30)) * 0.1
    same = scores_of(np.repeat(values, 2, axis=0), name="m")
    nearly = scores_of(np.concatenate([values, values[:, ::-1]]), name="n")
    found = bt.tradeoffs([same, nearly])
    assert found.front == found.systems
    assert not np.any(np.abs(found.effect) > 0)
    assert "have equal scores by both metrics" in str(found)


def test_corpus_scores_and_runs_are_metrics_too():
    """Counts keep their own test, and runs vary as in compare."""
    counts = drawn_counts(3)
    names = dict(zip("ABC", counts.systems, strict=True))
    scores = scores_of(RNG.normal(size=(3, counts.n_segments)), name="m", systems=list(names.values()))
    found = bt.tradeoffs({"corpus": counts, "m": scores}, n_resamples=99)
    pairs = bt.compare(counts, n_resamples=99)
    a, b = pairs.systems[:2]
    assert found.pair("corpus", a, b).pvalue == pairs[a, b].pvalue
    runs = drawn_runs()
    twice = bt.tradeoffs({"one": runs, "two": runs})
    assert twice.pair("one", *runs.systems[:2]).pvalue == bt.compare(runs)[tuple(runs.systems[:2])].pvalue


def test_what_is_read_and_chosen():
    """Columns of a long table are metrics; a part of a name is enough; two arrays hold a single metric."""
    rows = [(s, i) for s in "AB" for i in range(12)]
    table = {"system": [s for s, _ in rows], "item": [i for _, i in rows]}
    for k, name in enumerate(("accuracy", "wmt22-comet", "chrF")):
        table[name] = [float((i * (k + 3)) % 7 + (s == "B") * k) for s, i in rows]
    assert bt.tradeoffs(table).metrics == ("accuracy", "wmt22-comet", "chrF")
    assert bt.tradeoffs(table, metric=["comet", "acc"]).metrics == ("accuracy", "wmt22-comet")
    with pytest.raises(bt.TableError, match="two metrics or more; there is only accuracy"):
        bt.tradeoffs(table, metric="acc")
    with pytest.raises(bt.UnknownName):
        bt.tradeoffs(table, metric=["bleu", "acc"])


def test_what_does_not_fit_is_refused():
    """Metrics without some system, one system, names given twice, options without effect."""
    short = {"quality": QUALITY, "grade": metric("grade", 1.0, 2.0), "cost": COST}
    with pytest.raises(bt.MissingScores, match=r'1 of 3 metrics do not have every system .* missing="drop"'):
        bt.tradeoffs(short)
    left = bt.tradeoffs(short, missing="drop")
    assert left.metrics == ("quality", "cost")
    assert "1 of 3 metrics left out" in left.notes[0]
    assert bt.tradeoffs(short, systems=["A", "B"]).metrics == ("quality", "grade", "cost")
    with pytest.raises(bt.TableError, match="Two metrics are called quality"):
        bt.tradeoffs([QUALITY, QUALITY])
    with pytest.raises(bt.TableError, match="two systems or more"):
        bt.tradeoffs(BOTH, systems=["A"])
    with pytest.raises(bt.BetterThanError, match="n_resamples=99 is for corpus scores"):
        bt.tradeoffs(BOTH, n_resamples=99)
    with pytest.raises(bt.UnknownName, match='Unknown system "Z"'):
        bt.tradeoffs(BOTH, baseline="Z")
    with pytest.raises(bt.UnknownName, match='"pairwise"'):
        bt.tradeoffs(BOTH, missing="pairwise")


def test_too_few_segments_say_so():
    """With five segments nothing can be significant by two metrics."""
    few = bt.tradeoffs([metric("quality", 9.0, 0.0, n=5), metric("grade", 9.0, 0.0, n=5)])
    assert "No pair could be significant" in few.undecidable
    assert few.undecidable in str(few).replace("\n", " ")


def test_the_tables():
    """Two systems have a row per metric, several a row per system, a baseline a block per metric."""
    two = str(bt.tradeoffs(BOTH, systems=["A", "C"]))
    assert "cost (lower is better)" in two
    assert "better *" in two
    several = str(bt.tradeoffs(BOTH))
    assert "Pareto front: all 3 systems" in several
    assert "6 comparisons of 2 metrics" in several.replace("\n  ", " ")
    assert "baseline" in str(bt.tradeoffs(BOTH, baseline="B"))
    many = {f"m{k}": metric(f"m{k}", 1.0, 0.0, 0.5, seed=k) for k in range(8)}
    assert "may be the best" in str(bt.tradeoffs(many))
