"""bt.calibrate: what is known to fail is found, what holds is not flagged, and the verbs' own functions run."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import betterthan as bt
from betterthan.analysis.calibrate.calibrate import (
    EQUAL_MEANS,
    PLACES,
    SWAPPED,
    WITH_EFFECT,
    PairData,
    answers_to,
    population_of,
    simulated,
)
from betterthan.analysis.units import Units
from betterthan.kernels.resampling.tilting import effective_units, tilted_weights
from betterthan.kernels.sign_flips.all_pairs import lattice_unit
from betterthan.kernels.significance.paired_bootstrap import shifted_absolute_pvalues
from betterthan.present.tables.robustness import calibration_table


def close_systems(m=3, n=150, seed=1):
    """Systems with correlated normal scores and small differences."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=n)
    return {f"s{i}": common + rng.normal(size=n) * 0.5 + 0.02 * i for i in range(m)}


def rare_changes(n=100, changed=1):
    """A system that is right on one item more."""
    before = np.r_[np.ones(70), np.zeros(n - 70)]
    after = before.copy()
    after[70 : 70 + changed] = 1.0
    return {"before": before, "after": after}


def test_the_size_of_sacrebleus_formula_is_found():
    """About 12% at a nominal 5%, for scores like any others; the tests of compare hold."""
    found = bt.calibrate(close_systems(), n_resamples=1000)
    row = found["sacrebleu"]
    assert abs(row.size_swapped - 0.12) < 4 * found.error(0.12, found.n_swapped)
    assert row.verdict == "rejects too often"
    assert "sacrebleu" in found.failing
    assert {found[name].verdict for name in ("permutation", "t", "bootstrap")} == {"no fault found"}
    assert (found.recommended_test, found.recommended_interval) == ("permutation", "permutation")
    text = " ".join(calibration_table(found).verdict)
    assert "call equal systems different too often: bootstrap as in sacreBLEU" in text


def test_the_undercoverage_of_t_on_rare_changes_is_found():
    """One change in 100: no change is drawn in 36.6% of the tables, and an interval from 0 to 0 misses the truth."""
    found = bt.calibrate(rare_changes(), n_resamples=1000)
    none = 0.99**100
    assert abs(found["t"].coverage_effect - (1 - none)) < 4 * found.error(none, found.n_effect)
    assert "covers too little" in found["t"].verdict
    assert found["permutation"].coverage_effect > 0.95
    assert found.recommended_interval == "permutation"
    assert found.n_equal == 0
    assert any("Equal means could not be simulated" in note for note in found.notes)


def test_rank_tests_of_skewed_scores_are_no_tests_of_means():
    """Penalties: many zeros, some large; medians differ while means are equal."""
    rng = np.random.default_rng(0)
    penalties = rng.exponential(size=200) * (rng.random(200) < 0.1) * 5
    noise = rng.exponential(size=200) * 0.5
    found = bt.calibrate({"A": penalties, "B": noise}, n_resamples=500)
    assert found["wilcoxon"].verdict == "not a test of means"
    assert found["wilcoxon"].size_equal > 0.3
    assert found.recommended_test in ("permutation", "t", "bootstrap")


def test_tests_of_single_segments_fail_on_documents():
    """Differences shared by a document: the sign and Wilcoxon tests of segments reject too often."""
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(30), 6)
    gap = rng.normal(size=30)[groups] + 0.3 * rng.normal(size=180)
    scores = bt.Scores(
        name="x", systems=["A", "B"], segments=list(map(str, range(180))), values=[gap, np.zeros(180)],
        groups=list(map(str, groups)),
    )  # fmt: skip
    found = bt.calibrate(scores, n_resamples=300)
    assert found.units == "groups"
    assert found["sign"].size_swapped > 0.2
    assert "rejects too often" in found["wilcoxon"].verdict
    assert found["permutation"].verdict == "no fault found"
    assert found["permutation"].size_swapped < 0.1


@pytest.mark.parametrize("units", ["segments", "groups"])
def test_answers_are_those_of_compare(units):
    """p-values and intervals of a simulated table, through the public verb."""
    rng = np.random.default_rng(5)
    groups = np.repeat(np.arange(12), rng.integers(2, 6, 12))
    n = groups.size
    values = np.round(rng.normal(size=(2, n)) + rng.normal(size=(1, 12))[:, groups], 1)
    of = Units(np.arange(n), n) if units == "segments" else Units(groups, 12)
    data = PairData.of(values[0], values[1], of)
    tables = simulated(population_of(data, SWAPPED, None), 5, np.random.default_rng(7))
    unit = lattice_unit(of.summed(values))
    found = answers_to(tables, unit=unit, alpha=0.05, confidence=0.95, rng=np.random.default_rng(8))
    for row in range(5):
        scores, own = tables.table(row)
        table = bt.Scores(
            name="x", systems=["A", "B"], segments=[str(i) for i in range(scores.shape[1])], values=scores,
            groups=None if units == "segments" else [str(code) for code in own.of_segment],
        )  # fmt: skip
        for test in ("permutation", "t", "sign", "wilcoxon", "mood"):
            if units == "groups" and test in ("sign", "wilcoxon", "mood"):
                continue
            pair = bt.compare(table, test=test).pair("A", "B")
            assert found.pvalue[row, PLACES[test]] == pytest.approx(pair.pvalue, rel=1e-6)
        pair = bt.compare(table).pair("A", "B")
        ends = [end[row, PLACES["permutation"]] for end in (found.low, found.high)]
        assert ends == pytest.approx([pair.low, pair.high], rel=1e-6)


def test_tilted_weights():
    """They have the mean asked for, keep the order of probabilities, and are equal where nothing is asked."""
    rng = np.random.default_rng(2)
    x = rng.exponential(size=50) - 0.7
    weights = tilted_weights(x)
    assert float(weights @ x) == pytest.approx(0, abs=1e-9)
    assert np.corrcoef(np.log(weights), x)[0, 1] == pytest.approx(np.sign(-x.mean()))
    assert effective_units(tilted_weights(x - x.mean())) == pytest.approx(50)
    assert tilted_weights(np.abs(x)) is None


def test_equal_means_keep_the_values():
    """Units are drawn, none is made up; the mean of many tables is 0."""
    rng = np.random.default_rng(4)
    first, second = rng.integers(0, 5, (2, 60)).astype(float)
    data = PairData.of(first, second, Units(np.arange(60), 60))
    tables = simulated(population_of(data, EQUAL_MEANS, None), 4000, rng)
    sums = tables.sums
    assert set(np.unique(sums)) <= set(np.unique(data.sums))
    assert abs(sums.mean()) < 4 * sums.std() / math.sqrt(sums.size)
    shifted = simulated(population_of(data, WITH_EFFECT, 0.5), 4000, rng).sums
    assert abs(shifted.mean() - 0.5) < 4 * shifted.std() / math.sqrt(shifted.size)
    assert population_of(data, WITH_EFFECT, 3.9) is None


def test_sacrebleus_formula():
    """By hand: sizes 1, 3, 2 less their mean 2 are -1, 1, 0; none is above 1, one is above 0.5."""
    drawn = np.array([[1.0], [-3.0], [2.0]])
    assert shifted_absolute_pvalues(drawn, np.array([1.0])) == pytest.approx([0.25])
    assert shifted_absolute_pvalues(drawn, np.array([-0.5])) == pytest.approx([0.5])


def test_lower_is_better_and_units_of_scores_change_nothing_but_widths():
    """Negated scores in other units give the same shares."""
    scores = bt.read_scores(close_systems(2, 40))
    one = bt.calibrate(scores, n_resamples=100)
    other = bt.calibrate(replace(scores, values=-4 * scores.values, higher_is_better=False), n_resamples=100)
    assert one.size_swapped.tolist() == pytest.approx(other.size_swapped.tolist(), nan_ok=True)
    assert other.width.tolist() == pytest.approx((4 * one.width).tolist(), nan_ok=True)


def test_the_same_whoever_computes():
    """One worker or two."""
    scores = close_systems(3, 30)
    one, two = (bt.calibrate(scores, n_resamples=60, workers=k) for k in (1, 2))
    assert one == two
    assert bt.Result.from_json(one.to_json()) == one


def test_a_chosen_difference():
    """Power grows with it; an impossible one is refused."""
    scores = close_systems(2, 60)
    few, many = (bt.calibrate(scores, difference=each, n_resamples=200)["t"].power for each in (0.1, 0.3))
    assert few < many
    with pytest.raises(bt.NotEstimable, match="nearer to what was observed"):
        bt.calibrate(scores, difference=50.0)
    with pytest.raises(bt.BetterThanError, match="must be above 0"):
        bt.calibrate(scores, difference=-1.0)


def test_few_units_are_never_significant():
    """Four items: no permutation test can reject; the t-test can."""
    found = bt.calibrate({"A": [1.0, 4.0, 2.0, 6.5], "B": [2.0, 1.0, 3.0, 4.0]}, n_resamples=200)
    assert "never significant" in found["permutation"].verdict
    assert found.recommended_test != "permutation"


def test_what_cannot_be_simulated_is_refused():
    """One system; identical systems; battles."""
    with pytest.raises(bt.TableError, match="two or more"):
        bt.calibrate({"A": [1.0, 2.0]})
    with pytest.raises(bt.NotEstimable, match="scores of one segment or document do not show"):
        bt.calibrate({"item": [1, 1], "system": ["A", "B"], "rater": ["x", "x"], "score": [1.0, 2.0]})
    with pytest.raises(bt.NotEstimable, match="same scores everywhere"):
        bt.calibrate({"A": [1.0, 2.0], "B": [1.0, 2.0]})


def test_an_exact_test_is_not_flagged_by_chance():
    """Flags of the permutation test by swapping, which is exact: none in twenty calibrations of few tables."""
    scores = close_systems(2, 30)
    for seed in range(20):
        found = bt.calibrate(scores, n_resamples=60, rng=seed, workers=1)
        assert "rejects" not in found["permutation"].verdict
