"""What the report asks beyond the verbs: stability, detectable differences, and every slice."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower
from tests.report.conftest import made_scores

from betterthan.analysis.compare.compare import compare
from betterthan.analysis.explain.explain import explain
from betterthan.analysis.explain.slices import parts_of, slice_effects
from betterthan.analysis.rank.detectable import detectable, stability
from betterthan.engine.blocks import stream
from betterthan.errors import BetterThanError


def test_stability_is_the_literal_loop():
    """Shuffle, cut, average, compare: the same shares as a loop over draws, sizes and pairs."""
    scores = made_scores(m=3, n=30)
    found = stability(scores, n_draws=25, rng=5)
    whole = scores.goodness.mean(axis=1)
    for k, size in enumerate(found.sizes.tolist()):
        first, alike = np.zeros(3), []
        for draw in range(25):
            order = stream(5, f"stability {scores.digest}", draw).permutation(30)
            means = [math.fsum(row[order[:size]].tolist()) / size for row in scores.goodness]
            first[int(np.argmax(means))] += 1 / 25
            alike += [
                (means[i] > means[j]) == (whole[i] > whole[j]) for i in range(3) for j in range(i + 1, 3)
            ]
        assert found.first[k] == pytest.approx(first, abs=1e-12)
        assert found.alike[k] == pytest.approx(np.mean(alike), abs=1e-12)
    assert found.alike[-1] == 1


def test_stability_follows_names_and_direction():
    """Lower is better turns the winner; equal systems share first place and have no order to keep."""
    scores = made_scores(m=2, n=30)
    turned = dataclasses.replace(scores, higher_is_better=False)
    assert stability(scores).first[-1].tolist() == [1, 0]
    assert stability(turned).first[-1].tolist() == [0, 1]
    equal = dataclasses.replace(scores, values=np.zeros((2, 30)))
    assert stability(equal).first.tolist() == [[0.5, 0.5]] * len(stability(equal).sizes)
    assert np.isnan(stability(equal).alike).all()


def test_detectable_difference_has_the_power_that_it_promises():
    """Statsmodels gives 0.8 for the difference that we call detectable, and our number of segments for the one seen."""
    rng = np.random.default_rng(3)
    d = rng.normal(0.3, 2.0, 400)
    found = detectable(d)
    promised = TTestPower().power(found.smallest / d.std(ddof=1), nobs=400, alpha=0.05)
    needed = TTestPower().solve_power(effect_size=abs(d.mean()) / d.std(ddof=1), alpha=0.05, power=0.8)
    assert promised == pytest.approx(0.8, abs=1e-4)
    assert found.n_needed == np.ceil(needed)
    assert detectable(-d).n_needed == found.n_needed
    assert detectable(-d).difference == -found.difference


def test_detectable_agrees_with_explain_and_knows_its_limits():
    """The same number of segments as bt.explain; nothing from one segment or from equal systems."""
    scores = made_scores(m=2, n=60)
    first, second = scores.goodness
    assert detectable(first - second).n_needed == explain(scores, "S0", "S1", units="segments").n_needed
    assert math.isnan(detectable(np.array([1.0])).smallest)
    assert math.isnan(detectable(first[:5] - second[:5]).smallest)  # 2^-4 > 0.05: never significant
    assert detectable(first[:6] - second[:6]).smallest > 0
    assert detectable(np.zeros(5)).n_needed is None
    with pytest.raises(BetterThanError, match="between 0 and 1"):
        detectable(first, alpha=2)


def test_every_slice_is_tested_and_corrected():
    """SciPy's permutation test and statsmodels' Holm give the same p-values; the interval is Student's."""
    scores = made_scores(m=3, n=24)
    found = slice_effects(scores, "S0", "S2", units="segments")
    groups = [part for part in found if part.by == "group"]
    assert [part.value for part in groups] == ["doc0", "doc1", "doc2", "doc3"]
    for part in groups:
        members = np.array(scores.groups) == part.value
        d = (scores.goodness[0] - scores.goodness[2])[members]
        exact = stats.permutation_test((d,), np.mean, permutation_type="samples", n_resamples=np.inf)
        low, high = stats.t.interval(0.95, d.size - 1, d.mean(), stats.sem(d))
        assert part.pvalue == pytest.approx(exact.pvalue, abs=1e-12)
        assert (part.effect, part.low, part.high) == pytest.approx((d.mean(), low, high))
    holm = multipletests([part.pvalue for part in found], method="holm")[1]
    assert [part.adjusted for part in found] == pytest.approx(holm.tolist())


def test_documents_as_units_are_swapped_inside_a_part():
    """A third by difficulty has the p-value and interval of compare; a single document has neither."""
    scores = made_scores(m=3, n=60, seed=2)
    found = slice_effects(scores, "S0", "S2")
    for part in found:
        if part.by == "group":
            assert np.isnan([part.pvalue, part.adjusted, part.low, part.high]).all()
            continue
        rank = np.argsort(np.argsort(scores.goodness[1], kind="stable"))
        third = ("hardest third", "middle third", "easiest third").index(part.value)
        segments = [name for name, r in zip(scores.segments, rank, strict=True) if r // 20 == third]
        inside = compare(scores.select(["S0", "S2"], segments), units="groups").pair("S0", "S2")
        assert (part.pvalue, part.low, part.high) == pytest.approx((inside.pvalue, inside.low, inside.high))


@pytest.mark.parametrize("units", ["segments", "groups"])
def test_reversed_slices_are_those_of_explain(units):
    """The same parts are called reversed, with the same corrected p-values."""
    scores = made_scores(m=3, n=40, seed=4)
    known = {(part.by, part.value): part.adjusted for part in explain(scores, "S1", "S2", units=units).slices}
    turned = {
        (part.by, part.value): part.adjusted
        for part in slice_effects(scores, "S1", "S2", units=units)
        if part.is_reversed
    }
    assert turned == pytest.approx(known, nan_ok=True)


def test_documents_take_no_more_room_than_their_segments():
    """A mask for each of 20,000 documents would be 800 MB."""
    scores = made_scores(m=2, n=40_000)
    scores = dataclasses.replace(scores, groups=tuple(f"d{i % 20_000}" for i in range(40_000)))
    parts = parts_of(scores, scores, None)
    documents = [part for part in parts if part.by == "group"]
    assert sum(part.members.nbytes for part in documents) == 8 * 40_000
    at = next(part for part in documents if part.value == "d17")
    assert at.members.tolist() == [17, 20_017]


def test_swapping_the_pair_negates_every_slice():
    """Effects change sign, p-values do not change."""
    scores = made_scores(m=3, n=40)
    there, back = slice_effects(scores, "S0", "S1"), slice_effects(scores, "S1", "S0")
    assert [part.effect for part in there] == [-part.effect for part in back]
    assert repr([part.adjusted for part in there]) == repr([part.adjusted for part in back])
