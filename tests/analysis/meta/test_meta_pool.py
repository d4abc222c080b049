"""Several test sets together, against plain loops."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import betterthan as bt
from betterthan.engine.blocks import stream
from betterthan.kernels.metric_swaps.masks import draw_masks


def table(name, values, systems="ABCDEFG"):
    """Scores of systems named by letters."""
    rows, n = np.shape(values)
    return bt.Scores(
        name=name, systems=list(systems[:rows]), segments=[str(i) for i in range(n)], values=values
    )


def made_set(seed, m, n, metrics=("one", "two", "three")):
    """Human scores and metrics of growing noise."""
    rng = np.random.default_rng(seed)
    human = rng.normal(size=(m, n)) + np.arange(m)[:, None] / 4
    found = {
        name: table(name, human + (i + 1) * rng.normal(size=human.shape)) for i, name in enumerate(metrics)
    }
    return found, table("people", human)


@pytest.fixture(scope="module")
def campaign():
    """Two language pairs of different size."""
    en, zh = made_set(1, 4, 30), made_set(2, 6, 20)
    return {"en": en[0], "zh": zh[0]}, {"en": en[1], "zh": zh[1]}


def accuracy(metric, human):
    """Literal pairwise accuracy of two vectors."""
    pairs = list(combinations(range(len(human)), 2))
    return sum(np.sign(metric[i] - metric[j]) == np.sign(human[i] - human[j]) for i, j in pairs) / len(pairs)


@pytest.mark.parametrize(("pool", "weights"), [("average", (1 / 2, 1 / 2)), ("pairs", (6 / 21, 15 / 21))])
def test_values_are_weighted_averages_of_the_parts(campaign, pool, weights):
    """Plain, or by the number of pairs: 4 systems have 6, and 6 have 15."""
    metrics, human = campaign
    found = bt.meta_evaluate(
        metrics, human, by="pairwise_accuracy", pool=pool, significance="none", n_resamples=10
    )

    for name, value in zip(found.metrics, found.value, strict=True):
        parts = [
            accuracy(metrics[part][name].values.mean(axis=1), human[part].values.mean(axis=1))
            for part in human
        ]
        assert value == pytest.approx(np.dot(weights, parts), abs=1e-12)
    assert found.n_pairs == 21
    assert found.part_names == ("en", "zh")
    assert f"pool:{pool}|parts:2" in found.settings.signature


def test_swaps_are_those_of_a_loop_over_both_test_sets(campaign):
    """Each test set is swapped by itself; the weighted differences are added up."""
    metrics, human = campaign
    n_resamples = 20
    found = bt.meta_evaluate(
        metrics, human, by="pairwise_accuracy", n_resamples=n_resamples, significance="perm_inputs"
    )
    names = ("one", "two", "three")
    lead, observed = np.zeros((n_resamples, 3, 3)), np.zeros(3)
    for part, people in human.items():
        m, n = people.values.shape
        rng = stream(12345, f"perm_inputs pairwise_accuracy system {part}", 0)
        masks = draw_masks("perm_inputs", n_resamples, (m, n), rng).segments
        z = {name: (v := metrics[part][name].values) - v.mean() for name in names}
        z = {name: values / values.std() for name, values in z.items()}
        truth = people.values.mean(axis=1)
        observed += [accuracy(z[name].mean(axis=1), truth) / 2 for name in names]
        for r, mask in enumerate(masks):
            for a, b in combinations(range(3), 2):
                first = np.where(mask, z[names[b]], z[names[a]]).mean(axis=1)
                second = np.where(mask, z[names[a]], z[names[b]]).mean(axis=1)
                gain = (accuracy(first, truth) - accuracy(second, truth)) / 2
                lead[r, a, b] += gain
                lead[r, b, a] -= gain
    for a, b in combinations(range(3), 2):
        at_least = np.sum(np.abs(lead[:, a, b]) >= abs(observed[a] - observed[b]) - 1e-10)
        i, j = found.metrics.index(names[a]), found.metrics.index(names[b])
        assert found.comparisons.pvalue[i, j] == pytest.approx((at_least + 1) / (n_resamples + 1))


def test_soft_pairwise_accuracy_pools_what_the_parts_say(campaign):
    """The parts are those of single calls, and intervals hold the value."""
    metrics, human = campaign
    found = bt.meta_evaluate(metrics, human, p_values="analytic", n_resamples=200)

    for column, part in enumerate(found.part_names):
        alone = bt.meta_evaluate(metrics[part], human[part], p_values="analytic", n_resamples=10)
        place = [alone.metrics.index(name) for name in found.metrics]
        np.testing.assert_allclose(found.part_value[:, column], alone.value[place], atol=1e-12)
    np.testing.assert_allclose(found.value, found.part_value.mean(axis=1), atol=1e-12)
    assert (found.low < found.high).all()
    assert bt.Result.from_dict(found.to_dict()) == found
    assert "en" in str(found)


def test_metrics_that_a_test_set_lacks_are_left_out_and_named(campaign):
    """Averages are over the same test sets for every metric."""
    metrics, human = campaign
    fewer = {"en": metrics["en"], "zh": {name: metrics["zh"][name] for name in ("three", "one")}}
    found = bt.meta_evaluate(fewer, human, by="pearson", n_resamples=10)

    assert set(found.metrics) == {"one", "three"}
    assert "en: Metrics left out, because another test set does not have them: two." in found.notes


def test_a_system_to_leave_out_need_not_occur_everywhere(campaign):
    """F stands only in the second test set."""
    metrics, human = campaign
    found = bt.meta_evaluate(metrics, human, by="pearson", leave_out=["F"], n_resamples=10)

    assert found.n_systems == 4 + 5


def test_segment_measures_are_compared_by_the_bootstrap(campaign):
    """Swaps over several test sets exist for system scores; the refusal names the cure."""
    metrics, human = campaign
    with pytest.raises(bt.BetterThanError, match=r'significance="bootstrap"'):
        bt.meta_evaluate(metrics, human, by="kendall_b", level="segment", n_resamples=10)
    found = bt.meta_evaluate(
        metrics, human, by="kendall_b", level="segment", significance="bootstrap", n_resamples=99
    )
    above = found.comparisons.pvalue[np.triu_indices(3, 1)]
    assert ((above > 0) & (above <= 1)).all()


def test_test_sets_must_have_the_same_names(campaign):
    """Both sides are named in the message."""
    metrics, human = campaign
    with pytest.raises(bt.TableError, match=r"Human scores are for en, zh; metrics for en, de"):
        bt.meta_evaluate({"en": metrics["en"], "de": metrics["zh"]}, human)
    with pytest.raises(
        bt.BetterThanError, match=r'significance="williams" cannot compare metrics over several test sets'
    ):
        bt.meta_evaluate(metrics, human, by="pearson", significance="williams")
