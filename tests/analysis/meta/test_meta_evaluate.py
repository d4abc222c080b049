"""The verb that holds metrics against people: the right cells, permutations, documents, notes and refusals."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from tests.made import accuracy_counts, scores_of

import betterthan as bt
from betterthan.analysis.meta.inputs import pseudo_values
from betterthan.engine.cache import Cache

VALUES_ONLY = {"significance": "none", "n_resamples": 1, "workers": 1}
FAST = {"n_resamples": 99, "workers": 1}
RNG = np.random.default_rng(11)
HUMAN = RNG.normal(size=(5, 30)) + np.array([0.0, 0.2, 0.5, 0.7, 1.1])[:, None]
NOISE = RNG.normal(size=(3, 5, 30))
DOCUMENTS = [f"d{i // 6}" for i in range(30)]
PEOPLE = scores_of(HUMAN, name="people", groups=DOCUMENTS)
METRICS = [
    scores_of(HUMAN + size * noise, name=name, groups=DOCUMENTS)
    for name, size, noise in zip(("sharp", "fair", "blunt"), (0.5, 1.5, 4.0), NOISE, strict=True)
]
SHARP, FAIR, BLUNT = METRICS
SOME_MISSING = scores_of(
    np.where(np.random.default_rng(2).random(HUMAN.shape) < 0.2, np.nan, HUMAN),
    name="people",
    groups=DOCUMENTS,
)


def evaluate(metrics=METRICS, human=PEOPLE, **options):
    """Values only, unless said otherwise."""
    return bt.meta_evaluate(metrics, human, **{**VALUES_ONLY, **options})


def by_metric(found, field="value"):
    """Metric to number."""
    return dict(zip(found.metrics, getattr(found, field).tolist(), strict=True))


def systems_only(name, values, **options):
    """One score a system."""
    column = np.array(values, dtype=float)[:, None]
    return bt.Scores(name=name, systems=list("ABCDE"), segments=["system"], values=column, **options)


def literal_pvalues(goodness, n_resamples, rng):
    """Share of random swaps, pair by pair, in which the difference is at least the observed one; no code shared."""
    m = len(goodness)
    found = np.full((m, m), np.nan)
    for i in range(m):
        for j in range(m):
            d = (goodness[i] - goodness[j])[~np.isnan(goodness[i] - goodness[j])]
            signs = rng.choice([-1.0, 1.0], size=(n_resamples, d.size))
            found[i, j] = np.mean(signs @ d >= d.sum() - 1e-9)
    return found


def all_swaps(d):
    """P(T ≥ t) over all 2ⁿ sign flips."""
    signs = np.array(np.meshgrid(*[[-1, 1]] * d.size)).reshape(d.size, -1).T
    return np.mean(signs @ d >= d.sum() - 1e-9)


# ---- p-values behind soft pairwise accuracy


@pytest.mark.parametrize("human", [PEOPLE, SOME_MISSING], ids=["complete", "gaps"])
def test_monte_carlo_pvalues_are_shares_of_random_swaps(human):
    """E27: with gaps, of the segments that both systems have; the same for the metric."""
    found = evaluate([FAIR], human, n_resamples=4000)
    literal = np.random.default_rng(3)
    people = literal_pvalues(human.values, 4000, literal)
    metric = literal_pvalues(np.where(np.isnan(human.values), np.nan, FAIR.values), 4000, literal)

    for ours, theirs in ((found.human_pvalue, people), (found.metric_pvalue[0], metric)):
        error = np.sqrt(2 * np.maximum(theirs * (1 - theirs), 1 / 4000) / 4000)
        assert np.all(np.abs(ours - theirs) < 4.5 * error)
    upper = np.triu_indices(5, 1)
    gap = np.abs(found.human_pvalue[upper] - found.metric_pvalue[0][upper])
    assert found.value[0] == pytest.approx(1 - gap.mean(), abs=1e-12)


def test_exact_pvalues_count_all_swaps():
    """Ten segments have 1024."""
    human, metric = PEOPLE.select(None, PEOPLE.segments[:10]), FAIR.select(None, FAIR.segments[:10])
    found = evaluate([metric], human, p_values="exact")
    for i, j in combinations(range(5), 2):
        assert found.human_pvalue[i, j] == pytest.approx(
            all_swaps(human.values[i] - human.values[j]), abs=1e-12
        )
        assert found.metric_pvalue[0, i, j] == pytest.approx(
            all_swaps(metric.values[i] - metric.values[j]), abs=1e-12
        )


def test_published_pvalues_can_be_zero_and_claims_about_metrics_never_are():
    """E21: b / B inside soft pairwise accuracy, (b + 1) / (B + 1) between metrics."""
    human = scores_of(np.arange(3)[:, None] * 5 + RNG.normal(size=(3, 40)), name="people")
    sharp = replace(human, name="sharp")
    random = scores_of(RNG.normal(size=(3, 40)), name="random")
    found = bt.meta_evaluate([sharp, random], human, n_resamples=50, workers=1)

    assert found.human_pvalue[2, 0] == 0
    assert found.human_pvalue[0, 2] == 1
    assert np.nanmin(found.comparisons.pvalue) == pytest.approx(1 / 51)


def test_published_values_depend_on_the_order_of_systems_and_mid_p_does_not():
    """E20: with scores of 0 and 1 many swaps tie, and literal p-values of the two directions add up to more than 1."""
    human, metric = (scores_of((values > 0.5).astype(float)) for values in (HUMAN, FAIR.values))
    orders = [list("ABCDE"), list("EDCBA"), list("CAEBD")]

    def values(**options):
        return [evaluate([metric.select(o)], human.select(o), **options).value[0] for o in orders]

    literal, mid = values(n_resamples=2000), values(n_resamples=2000, mid_p=True)
    assert max(literal) - min(literal) > 0.01
    assert mid == pytest.approx([mid[0]] * 3, abs=1e-12)
    both = evaluate([metric], human, n_resamples=2000)
    upper = np.triu_indices(5, 1)
    sums = (both.human_pvalue + both.human_pvalue.T)[upper]
    assert np.all(sums >= 1)
    assert sums.max() > 1.1
    half = evaluate([metric], human, n_resamples=2000, mid_p=True).human_pvalue
    np.testing.assert_allclose((half + half.T)[upper], 1, atol=1e-12)


def test_identical_systems_are_undecided_only_with_mid_p():
    """E20: counted literally, two identical systems have p = 1."""
    human = scores_of(np.vstack([HUMAN[0], HUMAN[0], HUMAN[1]]), name="people")
    for options, expected in (({}, 1.0), ({"mid_p": True}, 0.5), ({"p_values": "analytic"}, 0.5)):
        found = evaluate([replace(human, name="copy")], human, n_resamples=200, **options)
        assert found.human_pvalue[0, 1] == expected


@pytest.mark.parametrize("units", ["groups", 6])
@pytest.mark.parametrize("p_values", ["exact", "monte_carlo", "analytic"])
def test_documents_are_swapped_as_one(units, p_values):
    """A62: the p-values are those of document sums; windows of six segments are the same documents here."""
    found = evaluate([FAIR], PEOPLE, units=units, p_values=p_values, n_resamples=2000)
    sums = HUMAN.reshape(5, 5, 6).sum(axis=2)
    tolerance = {"exact": 1e-12, "monte_carlo": 0.06, "analytic": 0.06}[p_values]
    for i, j in combinations(range(5), 2):
        assert found.human_pvalue[i, j] == pytest.approx(all_swaps(sums[i] - sums[j]), abs=tolerance)
    assert f"|units:{units}|" in found.settings.signature


def test_windows_do_not_cross_documents():
    """Four segments at most in a window, and documents of six: windows of four and two."""
    assert bt.meta_evaluate(METRICS, PEOPLE, units=4, **FAST).to_dict()["settings"]["options"]["units"] == 4
    by_hand = [f"{i // 6}.{i % 6 // 4}" for i in range(30)]
    regrouped = replace(PEOPLE, groups=by_hand)
    found = bt.meta_evaluate(METRICS, PEOPLE, units=4, **FAST)
    expected = bt.meta_evaluate(
        [replace(one, groups=by_hand) for one in METRICS], regrouped, units="groups", **FAST
    )
    np.testing.assert_array_equal(found.comparisons.pvalue, expected.comparisons.pvalue)
    np.testing.assert_array_equal(found.low, expected.low)


def centred(drawn, value, n_units):
    """Percentiles of draws about their mean, moved to the value and widened as Student's interval is."""
    wider = np.sqrt(n_units / (n_units - 1)) * stats.t.ppf(0.975, n_units - 1) / stats.norm.ppf(0.975)
    return value + wider * (np.quantile(drawn, [0.025, 0.975]) - np.mean(drawn))


def test_documents_are_drawn_by_default_and_a_note_says_so():
    """Soft pairwise accuracy itself keeps the p-values of single segments, as published."""
    auto, segments, groups = (
        bt.meta_evaluate(METRICS, PEOPLE, units=units, **FAST) for units in ("auto", "segments", "groups")
    )
    np.testing.assert_array_equal(auto.value, segments.value)
    assert auto.unit_note.startswith("Unit: 5 documents (30 segments).")
    assert "as published" in auto.unit_note
    assert "although segments of a document" in segments.unit_note
    assert "as published" not in groups.unit_note
    assert "|drawn:5,groups|" in auto.settings.signature
    published = bt.meta_evaluate(METRICS, PEOPLE, alternative="wmt", **FAST)
    np.testing.assert_array_equal(published.low, segments.low)


def test_too_few_documents_to_show_anything_are_named():
    """Swaps of four documents differ as much as the data in two of sixteen cases at least."""
    human = replace(PEOPLE, groups=[f"d{i // 8}" for i in range(30)])
    found = bt.meta_evaluate(METRICS, human, by="tau_ties_hard", n_resamples=200, workers=1)
    said = "No pair of metrics could be significant at level 0.05: with 4 documents the smallest possible p-value is"
    assert f"{said} 0.12" in " ".join(str(found).split())
    assert "out_of_reach" not in str(bt.meta_evaluate(METRICS, PEOPLE, **FAST).caveats)


def test_the_bootstrap_draws_whole_documents():
    """Where a metric is right on some documents and wrong on others, their interval is wider; both as in a loop."""
    rng = np.random.default_rng(8)
    docs = [f"d{i // 5}" for i in range(30)]
    metric = scores_of(np.where(np.arange(30) < 15, HUMAN, -HUMAN), name="metric", groups=docs)
    human = replace(PEOPLE, groups=docs)
    width = {}
    for units, size in (("segments", 1), ("groups", 5)):
        found = bt.meta_evaluate(
            [metric],
            human,
            by="pearson",
            level="global",
            units=units,
            significance="none",
            n_resamples=1000,
            workers=1,
        )
        drawn = []
        for _ in range(1000):
            pick = np.concatenate(
                [np.arange(size) + size * i for i in rng.integers(0, 30 // size, 30 // size)]
            )
            drawn.append(np.corrcoef(metric.values[:, pick].ravel(), HUMAN[:, pick].ravel())[0, 1])
        low, high = centred(drawn, found.value[0], 30 // size)
        width[units] = high - low
        assert [found.low[0], found.high[0]] == pytest.approx([max(-1, low), high], abs=0.15 * (high - low))
    assert width["groups"] > 1.5 * width["segments"]


def test_a_result_from_the_cache_is_the_result(tmp_path):
    """Nothing that changes a number is forgotten: windows of 16 and 20 segments are two windows each, not the same."""
    plain, human = [replace(one, groups=None) for one in METRICS], replace(PEOPLE, groups=None)
    cache = Cache(tmp_path, patience=0.0)
    changes = {
        "pearson": [{}, {"units": 16}, {"units": 20}, {"rng": 3}, {"leave_out": ["A"]}, {"n_resamples": 98}],
        "tau_ties_hard": [{}, {"margin": 0.5}, {"metric_margin": 0.5}],
        "soft_pairwise_accuracy": [{}, {"p_values": "analytic"}, {"mid_p": True}],
    }
    for by, ways in changes.items():
        for significance in ("perm_inputs", "bootstrap"):
            seen = set()
            for way in ways:
                options = {"by": by, "significance": significance, **FAST, **way}
                kept = bt.meta_evaluate(plain, human, **options, cache=cache).to_json()
                assert kept == bt.meta_evaluate(plain, human, **options).to_json()
                assert kept == bt.meta_evaluate(plain, human, **options, cache=cache).to_json()
                seen.add(kept)
            assert len(seen) == len(ways)


# ---- corpus metrics


def corpus_metric(seed=4, m=5, n=30):
    """Right answers out of many, the lengths of segments far apart."""
    rng = np.random.default_rng(seed)
    size = rng.integers(2, 40, (m, n))
    right = rng.binomial(size, (0.4 + 0.04 * np.arange(m))[:, None])
    return accuracy_counts(np.stack([right, size], axis=2), name="accuracy")


def test_what_segments_add_to_a_corpus_score_has_the_corpus_score_as_mean():
    """D3: and is not the mean of segment scores."""
    counts = corpus_metric()
    pooled = counts.values[:, :, 0].sum(axis=1) / counts.values[:, :, 1].sum(axis=1)
    np.testing.assert_allclose(
        pseudo_values(counts, np.ones((5, 30), dtype=bool)).mean(axis=1), pooled, atol=1e-12
    )
    assert np.abs(counts.per_segment().values.mean(axis=1) - pooled).max() > 0.001
    found = evaluate([counts], by="pearson")
    assert found.value[0] == pytest.approx(stats.pearsonr(pooled, HUMAN.mean(axis=1)).statistic, abs=1e-12)
    np.testing.assert_allclose(found.metric_mean[0], pooled, atol=1e-12)


def test_a_corpus_metric_is_pooled_over_the_cells_that_people_judged():
    """All metrics are held against the same cells."""
    counts = corpus_metric()
    judged = ~np.isnan(SOME_MISSING.values)
    sums = (counts.values * judged[:, :, None]).sum(axis=1)
    expected = stats.pearsonr(sums[:, 0] / sums[:, 1], np.nanmean(SOME_MISSING.values, axis=1)).statistic
    assert evaluate([counts], SOME_MISSING, by="pearson").value[0] == pytest.approx(expected, abs=1e-12)


def test_an_error_rate_made_of_counts_is_turned_round():
    """Wrong answers, fewer are better."""
    counts = corpus_metric()
    wrong = counts.values.copy()
    wrong[:, :, 0] = wrong[:, :, 1] - wrong[:, :, 0]
    errors = replace(counts, values=wrong, higher_is_better=False)
    for by in ("pearson", "pairwise_accuracy", "soft_pairwise_accuracy", "tau_ties_soft"):
        values = [evaluate([one], by=by, n_resamples=200).value[0] for one in (counts, errors)]
        assert values[0] == pytest.approx(values[1], abs=1e-9)


def test_a_corpus_metric_has_no_exact_pvalues():
    """Nor sampled ones where people's scores are missing."""
    counts = corpus_metric()
    with pytest.raises(
        bt.BetterThanError,
        match=r'"accuracy" is a corpus metric.*Use p_values="monte_carlo" or p_values="analytic"',
    ):
        evaluate([counts], p_values="exact")
    with pytest.raises(
        bt.BetterThanError, match=r'for every segment of every system\. Use p_values="analytic"'
    ):
        evaluate([counts], SOME_MISSING)
    assert 0 < evaluate([counts], SOME_MISSING, p_values="analytic").value[0] < 1


# ---- levels, notes and own functions


def test_segments_without_a_correlation_are_counted():
    """People found all systems alike on four of the thirty segments."""
    values = HUMAN.copy()
    values[:, :4] = 1.0
    found = evaluate(human=scores_of(values, name="people"), by="pearson", level="segment")
    expected = np.mean([stats.pearsonr(values[:, i], SHARP.values[:, i]).statistic for i in range(4, 30)])
    assert found.notes == (
        "4 of 30 segments are not used: a correlation needs two or more different scores.",
    )
    assert by_metric(found)["sharp"] == pytest.approx(expected, abs=1e-12)


def test_pairs_of_systems_are_counted_where_both_were_judged():
    """On segments: pairs of judged systems; of systems: all pairs; for taus: those that count."""
    judged = (~np.isnan(SOME_MISSING.values)).sum(axis=0)
    on_segments = int((judged * (judged - 1) // 2).sum())
    assert evaluate(human=SOME_MISSING, by="kendall_b", level="segment").n_pairs == on_segments
    assert evaluate(human=SOME_MISSING, by="accuracy_with_ties").n_pairs == on_segments
    assert evaluate(human=SOME_MISSING, by="pearson").n_pairs == 10
    gaps = np.concatenate([np.abs(HUMAN[i] - HUMAN[j]) for i, j in combinations(range(5), 2)])
    human = replace(PEOPLE, groups=None)
    found = evaluate(human=human, by="tau_ties_hard", margin=1.0)
    assert found.n_pairs == int((gaps >= 1).sum())
    assert found.notes == (f"{(gaps < 1).sum()} of 300 pairs with human scores closer than 1 do not count.",)
    kept = evaluate(human=human, by="tau_human_ties", margin=1.0)
    assert kept.n_pairs == 300
    assert kept.notes == (f"{(gaps < 1).sum()} of 300 pairs with human scores closer than 1 count as ties.",)


def test_a_margin_of_the_metric_makes_ties():
    """A82: metric scores not further apart than this tie."""
    found = evaluate([FAIR], by="tau_ties_soft", margin=0.5, metric_margin=1.0)
    total = score = 0
    for i, j in combinations(range(5), 2):
        for h, x in zip(HUMAN[i] - HUMAN[j], FAIR.values[i] - FAIR.values[j], strict=True):
            if abs(h) >= 0.5:
                total += 1
                score += 0 if abs(x) <= 1 else np.sign(h * x)
    assert found.value[0] == pytest.approx(score / total, abs=1e-12)
    assert "|margin:0.5|metric_margin:1" in found.settings.signature


def test_gaps_are_counted_in_a_note():
    """E27: cells judged, and the segments that pairs of systems share."""
    there = ~np.isnan(SOME_MISSING.values)
    shared = [int((there[i] & there[j]).sum()) for i, j in combinations(range(5), 2)]
    pairs = f"pairs of systems share {min(shared)} to {max(shared)} segments."
    said = f"Human scores cover {there.sum()} of 150 cells; {pairs}"
    for by in ("soft_pairwise_accuracy", "pearson", "accuracy_with_ties", "tau_ties_hard"):
        assert said in evaluate(human=SOME_MISSING, by=by).notes


def test_metrics_are_compared_also_where_no_segment_is_complete():
    """As in direct assessment: each pair of systems on what it has."""
    values = np.where(np.arange(30) % 5 == np.arange(5)[:, None], np.nan, HUMAN)
    human = scores_of(values, name="people")
    for by in ("soft_pairwise_accuracy", "pearson", "pairwise_accuracy"):
        found = bt.meta_evaluate([SHARP, BLUNT], human, by=by, p_values="analytic", **FAST)
        assert 0 < found.pvalue("sharp", "blunt") <= 1
        assert found.comparisons.test == "perm_inputs"


def test_an_own_function_is_a_measure():
    """It sees what is better as higher, and NaN where nobody judged."""

    def worst_case(metric, human):
        there = ~np.isnan(human)
        rows = zip(metric, human, there, strict=True)
        return min(stats.pearsonr(x[t], h[t]).statistic for x, h, t in rows)

    errors = replace(BLUNT, values=0.0 - BLUNT.values, higher_is_better=False)
    found = bt.meta_evaluate([SHARP, errors], SOME_MISSING, by=worst_case, **FAST)
    judged = ~np.isnan(SOME_MISSING.values)
    expected = min(
        stats.pearsonr(x[t], h[t]).statistic for x, h, t in zip(BLUNT.values, HUMAN, judged, strict=True)
    )
    assert found.method == "worst_case"
    assert by_metric(found)["blunt"] == pytest.approx(expected, abs=1e-12)
    assert found.pvalue("sharp", "blunt") < 0.05


def test_an_own_function_that_minds_the_scale_is_not_swapped():
    """Swapping needs one scale, and on that scale the value would be another one."""

    def covariance(metric, human):
        return float(np.mean((metric - metric.mean()) * (human - human.mean())))

    found = bt.meta_evaluate([SHARP, BLUNT], PEOPLE, by=covariance, **FAST)
    assert found.comparisons.test == "bootstrap"
    with pytest.raises(
        bt.BetterThanError, match=r'covariance depends on the scale.*significance="bootstrap"'
    ):
        bt.meta_evaluate([SHARP, BLUNT], PEOPLE, by=covariance, significance="perm_inputs", **FAST)


def test_an_own_function_needs_scores_of_segments():
    """With one score a system it would be given tables that do not fit together."""

    def agreement(metric, human):
        return float(np.mean(metric * human))

    with pytest.raises(bt.BetterThanError, match=r'agreement needs scores of segments.*such as by="pearson"'):
        bt.meta_evaluate([systems_only("m", range(5))], PEOPLE, by=agreement, level="system")


def test_an_own_function_must_return_a_number_and_may_fail_in_its_own_words():
    """The error names the function."""

    def scores(metric, human):
        return metric + human

    def careless(_metric, _human):
        raise ZeroDivisionError("mine")

    with pytest.raises(bt.BetterThanError, match=r"scores must return one number"):
        evaluate(by=scores)
    with pytest.raises(ZeroDivisionError, match="mine"):
        evaluate(by=careless)


def test_a_metric_that_says_nothing_is_undefined_and_last():
    """A constant has no correlation: NaN, last, not compared, and said; also where its means are rounded."""
    constant = scores_of(np.full(HUMAN.shape, 0.1), name="constant")
    for human in (PEOPLE, SOME_MISSING):
        for by in ("pearson", "spearman", "kendall_b"):
            found = bt.meta_evaluate([constant, SHARP, BLUNT], human, by=by, **FAST)
            assert np.isnan(by_metric(found)["constant"])
            assert found.metrics[-1] == "constant"
            assert np.isnan(found.pvalue("sharp", "constant"))
            assert "constant" in " ".join(found.notes)
            assert found.pvalue("sharp", "blunt") <= 1
        assert by_metric(evaluate([constant, SHARP], human, by="pairwise_accuracy"))["constant"] == 0


@pytest.mark.parametrize(
    "options",
    [
        {"p_values": "analytic"},
        {"p_values": "monte_carlo", "n_resamples": 20},
        {"by": "accuracy_with_ties"},
        {"by": "tau_ties_hard"},
        {"by": "kendall_b", "level": "segment"},
    ],
)
def test_systems_that_share_no_segment_cannot_be_compared(options):
    """Undefined is NaN, with a note, and not a warning of the machinery."""
    values = np.where(np.arange(30) // 6 == np.arange(5)[:, None], HUMAN, np.nan)
    found = evaluate([SHARP, BLUNT], scores_of(values, name="people"), **options)
    assert np.isnan(found.value).all()
    assert found.n_pairs == 0
    assert any(note.startswith("Not defined") for note in found.notes)


def test_systems_with_the_same_scores_in_another_order_tie():
    """Rounding must not decide who is better."""
    values = SHARP.values.copy()
    values[1] = values[0, np.random.default_rng(1).permutation(30)]
    metric = scores_of(values, name="metric")
    for by in ("spearman", "kendall_b", "pairwise_accuracy"):
        found = set()
        for seed in range(6):
            order = [str(1 + i) for i in np.random.default_rng(seed).permutation(30)]
            found.add(evaluate([metric.select(None, order)], PEOPLE.select(None, order), by=by).value[0])
        assert len(found) == 1


# ---- comparisons of metrics


def test_segments_are_swapped_at_segment_levels():
    """A56: and a metric that sees more differs from one that sees little."""
    found = bt.meta_evaluate(METRICS, PEOPLE, by="pearson", level="global", **FAST)
    assert found.comparisons.test == "perm_inputs"
    assert found.metrics == ("sharp", "fair", "blunt")
    assert found.pvalue("sharp", "blunt") <= 0.05
    assert found.pvalue("blunt", "sharp") == found.pvalue("sharp", "blunt")
    assert (
        "|significance:perm_inputs,99|alternative:two-sided|adjust:max_statistic|" in found.settings.signature
    )


def test_perm_inputs_is_a_swap_of_standardised_segments():
    """E23: the share of swaps of whole segments with a difference at least as large as observed, add-one."""
    found = bt.meta_evaluate(
        [SHARP, BLUNT], PEOPLE, by="pearson", units="segments", n_resamples=3000, workers=1
    )
    z = [(one.values - one.values.mean()) / one.values.std() for one in (SHARP, BLUNT)]
    h = HUMAN.mean(axis=1)

    def gap(a, b):
        return np.corrcoef(a.mean(axis=1), h)[0, 1] - np.corrcoef(b.mean(axis=1), h)[0, 1]

    rng = np.random.default_rng(6)
    swaps = rng.random((3000, 30)) < 0.5
    drawn = [gap(np.where(s, z[1], z[0]), np.where(s, z[0], z[1])) for s in swaps]
    share = (np.sum(np.abs(drawn) >= abs(gap(*z)) - 1e-12) + 1) / 3001
    assert found.pvalue("sharp", "blunt") == pytest.approx(
        share, abs=4.5 * np.sqrt(2 * share * (1 - share) / 3000)
    )


def test_williams_is_the_test_where_metrics_have_one_score_a_system():
    """Pearson's r and nothing drawn: no seed in the signature, no interval; formula of the paper by hand."""
    means = [one.values.mean(axis=1) for one in (SHARP, BLUNT)]
    tables = [systems_only("sharp", means[0]), systems_only("blunt", 0 - means[1], higher_is_better=False)]
    h = HUMAN.mean(axis=1)
    r1, r2, r12 = np.corrcoef(means[0], h)[0, 1], np.corrcoef(means[1], h)[0, 1], np.corrcoef(*means)[0, 1]
    k = 1 - r1**2 - r2**2 - r12**2 + 2 * r1 * r2 * r12
    n = 5
    t = (r1 - r2) * np.sqrt(
        (n - 1) * (1 + r12) / (2 * k * (n - 1) / (n - 3) + (r1 + r2) ** 2 / 4 * (1 - r12) ** 3)
    )
    for human in (PEOPLE, systems_only("people", h)):
        found = bt.meta_evaluate(tables, human, by="pearson")
        assert found.comparisons.test == "williams"
        assert by_metric(found) == pytest.approx({"sharp": r1, "blunt": r2}, abs=1e-12)
        assert found.pvalue("sharp", "blunt") == pytest.approx(2 * stats.t.sf(t, n - 3), abs=1e-12)
        one_sided = bt.meta_evaluate(tables, human, by="pearson", alternative="wmt")
        assert one_sided.pvalue("sharp", "blunt") == pytest.approx(stats.t.sf(t, n - 3), abs=1e-12)
        assert np.isnan(found.low).all()
        assert "seed" not in found.settings.signature
    assert bt.meta_evaluate(tables, PEOPLE, by="kendall_b").comparisons.test == "none"


def test_williams_says_when_systems_are_too_few():
    """Its degrees of freedom are systems minus three."""
    few = ["A", "B", "C"]
    found = bt.meta_evaluate(
        [one.select(few) for one in METRICS],
        PEOPLE.select(few),
        by="pearson",
        significance="williams",
        **FAST,
    )
    assert np.isnan(found.comparisons.pvalue).all()
    assert "Williams' test needs 4 systems or more; the metrics were not tested." in found.notes


def test_corrections_make_pvalues_larger():
    """Holm's step-down over the pairs of metrics, both directions of a pair being one question."""
    plain = bt.meta_evaluate(METRICS, PEOPLE, by="pearson", level="segment", **FAST)
    holm = bt.meta_evaluate(METRICS, PEOPLE, by="pearson", level="segment", correction="holm", **FAST)
    np.testing.assert_array_equal(holm.comparisons.pvalue, plain.comparisons.pvalue)
    upper = np.triu_indices(3, 1)
    assert np.all(holm.comparisons.adjusted[upper] >= plain.comparisons.pvalue[upper])
    smallest = plain.comparisons.pvalue[upper].min()
    assert holm.comparisons.adjusted[upper].min() == pytest.approx(min(1, 3 * smallest))
    assert "|adjust:holm|" in holm.settings.signature


def test_one_metric_is_compared_with_nobody():
    """And two systems are enough for a value."""
    found = bt.meta_evaluate(SHARP, PEOPLE, **FAST)
    assert found.comparisons.test == "none"
    assert (found.letters, found.cluster.tolist(), found.rank.tolist()) == (("a",), [1], [1])
    two = evaluate([one.select(["A", "E"]) for one in METRICS], PEOPLE.select(["A", "E"]), by="pearson")
    assert np.all(np.abs(two.value) == 1)


def test_intervals_are_percentiles_of_drawn_segments():
    """Pearson's r of systems in 2000 samples of segments, against a loop."""
    found = bt.meta_evaluate(
        [SHARP], PEOPLE, by="pearson", units="segments", significance="none", n_resamples=2000, workers=1
    )
    rng = np.random.default_rng(9)
    drawn = []
    for _ in range(2000):
        pick = rng.integers(0, 30, 30)
        drawn.append(np.corrcoef(SHARP.values[:, pick].mean(axis=1), HUMAN[:, pick].mean(axis=1))[0, 1])
    low, high = centred(drawn, found.value[0], 30)
    assert [found.low[0], found.high[0]] == pytest.approx([low, min(1, high)], abs=0.15 * (high - low))
    assert found.low[0] < found.value[0] < found.high[0]


REFUSALS = {
    "unknown by": ({"by": "pearsn"}, r'Unknown measure "pearsn"\. Did you mean "pearson"\? Known: '),
    "by nothing": ({"by": None}, r"by must be the name of a measure or a function, not None"),
    "unknown level": ({"by": "pearson", "level": "sys"}, r'Unknown level "sys"\. Did you mean "system"\?'),
    "own level": ({"by": lambda *_tables: 1.0, "level": "sys"}, r'Unknown level "sys"'),
    "level of SPA": (
        {"level": "segment"},
        r'by="soft_pairwise_accuracy" cannot be computed at level="segment"\. Use level="system"',
    ),
    "level of taus": (
        {"by": "tau_ties_hard", "level": "global"},
        r'cannot be computed at level="global"\. Use level="segment"',
    ),
    "level of accuracy": (
        {"by": "accuracy_with_ties", "level": "system"},
        r'Use level="segment" or level="within_system" or level="global"',
    ),
    "significance": ({"significance": "perm_input"}, r'Unknown significance.*Did you mean "perm_inputs"\?'),
    "williams": ({"significance": "williams"}, r'Use by="pearson" and level="system"'),
    "perm_pairs": (
        {"significance": "perm_pairs"},
        r'is only for by="accuracy_with_ties"\. Use significance="perm_inputs"',
    ),
    "tau": (
        {"by": "tau_ties_soft", "significance": "perm_both"},
        r'swapping whole segments\. Use significance="perm_inputs" or significance="boo',
    ),
    "accuracy boot": (
        {"by": "accuracy_with_ties", "level": "global", "significance": "bootstrap"},
        r'Use significance="perm_inputs" or significance="none"',
    ),
    "units of pearson": (
        {"by": "pearson", "level": "segment", "units": "groups", "significance": "perm_inputs"},
        r'Use units="segments", or significance="bootstrap"',
    ),
    "p_values": ({"p_values": "exactly"}, r'Unknown p_values "exactly"\. Did you mean "exact"\?'),
    "correction": ({"correction": "holmm"}, r'Did you mean "holm"\?'),
    "units": ({"units": "docs"}, r'Unknown units "docs"\. Known: auto, groups, segments'),
    "no units": ({"units": 0}, r'units must be "auto", "segments", "groups" or a number of segments, not 0'),
    "half a unit": ({"units": 2.5}, r"a number of segments, not 2\.5"),
    "one window": (
        {"units": 400, "human": replace(PEOPLE, groups=None)},
        r"contains all of them\. Use a smaller one",
    ),
    "no groups": ({"units": "groups", "human": replace(PEOPLE, groups=None)}, r'or use units="segments"'),
    "units and gaps": ({"units": "groups", "human": SOME_MISSING}, r'Use units="segments"'),
    "exact units and gaps": (
        {"units": "groups", "human": SOME_MISSING, "p_values": "exact"},
        r'Use units="segments"',
    ),
    "resamples": ({"n_resamples": 0}, r"n_resamples must be a positive integer, not 0"),
    "half a resample": ({"n_resamples": 1.5}, r"n_resamples must be a positive integer, not 1\.5"),
    "alpha": ({"alpha": 1.5}, r"alpha must lie between 0 and 1, such as 0.05; it is 1\.5"),
    "alpha text": ({"alpha": "5 %"}, r"alpha must lie between 0 and 1, such as 0.05; it is '5 %'"),
    "confidence": ({"confidence": 95}, r"confidence must lie between 0 and 1, such as 0.95; it is 95"),
    "margin": ({"margin": -1}, r"margin must be a non-negative number, not -1"),
    "metric margin": (
        {"metric_margin": float("nan")},
        r"metric_margin must be a non-negative number, not nan",
    ),
    "systems and SPA": ({"metrics": [systems_only("m", range(5))]}, r'Use by="pairwise_accuracy"'),
    "systems and segments": (
        {"metrics": [systems_only("m", range(5))], "by": "pearson", "level": "segment"},
        r'Use level="system"',
    ),
    "systems and swaps": (
        {
            "metrics": [systems_only("m", range(5)), systems_only("n", [1, 3, 2, 5, 4])],
            "by": "pearson",
            "significance": "perm_inputs",
        },
        r'significance="williams", or significance="none"',
    ),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_a_refusal_says_what_to_do(case):
    """At most three sentences, one line, with the name of the option or its cure."""
    options, words = REFUSALS[case]
    with pytest.raises(bt.BetterThanError, match=words) as refused:
        bt.meta_evaluate(**{"metrics": METRICS, "human": PEOPLE, **FAST, **options})
    text = str(refused.value)
    assert "\n" not in text
    assert text.endswith((".", "?"))


def test_intervals_can_be_left_out():
    """Where every sample needs all the work again, they are what takes the time."""
    found = bt.meta_evaluate(METRICS, PEOPLE, by="kendall_b", level="global", confidence=None, **FAST)
    assert np.isnan(found.low).all()
    assert np.isnan(found.high).all()
    assert "|ci:" not in found.settings.signature
    assert found.comparisons.test == "perm_inputs"


def test_options_that_do_not_matter_to_a_measure_do_not_change_it():
    """A margin says nothing about Pearson's r."""
    assert by_metric(evaluate(by="pearson", margin=3)) == by_metric(evaluate(by="pearson"))


# ---- what tests and intervals are about


def noisy_campaign(m, k, n=40, seed=6):
    """Systems close to each other, so that drawing segments anew lowers agreement much."""
    rng = np.random.default_rng(seed)
    quality = 0.1 * rng.normal(size=(m, 1))
    names, segments = [f"S{i}" for i in range(m)], [str(i) for i in range(n)]

    def table(name):
        values = quality + rng.normal(size=(m, n))
        return bt.Scores(name=name, systems=names, segments=segments, values=values)

    return [table(f"metric {i}") for i in range(k)], table("people")


@pytest.mark.parametrize("by", ["soft_pairwise_accuracy", "pairwise_accuracy", "pearson"])
def test_the_value_lies_in_the_middle_of_its_interval(by):
    """Bootstrap samples have a lower value; the interval is about the one that was observed."""
    metrics, human = noisy_campaign(25, 12)
    found = bt.meta_evaluate(
        metrics, human, by=by, p_values="analytic", significance="none", n_resamples=300, workers=1
    )
    assert ((found.low < found.value) & (found.value < found.high)).all()
    place = (found.value - found.low) / (found.high - found.low)
    assert place.min() > 0.35
    assert place.max() < 0.65
    assert found.interval_population.startswith("the expected value on test sets of 40 segments")


def test_whole_systems_are_swapped_where_there_are_enough():
    """With five systems the smallest two-sided p-value would be 1/16."""
    for m, test, scope in ((5, "perm_inputs", "segments"), (6, "perm_systems", "systems")):
        metrics, human = noisy_campaign(m, 3)
        for by in ("pearson", "soft_pairwise_accuracy"):
            found = bt.meta_evaluate(metrics, human, by=by, p_values="analytic", **FAST).comparisons
            assert (found.test, found.generalises_to, found.correction) == (test, scope, "max_statistic")
        wmt = bt.meta_evaluate(metrics, human, alternative="wmt", p_values="analytic", **FAST).comparisons
        assert (wmt.test, wmt.alternative, wmt.correction) == ("perm_inputs", "wmt", "none")


def test_equal_metrics_are_rarely_called_different_by_any_pair():
    """Any of 15 pairs of six equal metrics: 5%, where uncorrected one-sided tests had 60%."""
    claims = []
    for seed in range(60):
        metrics, human = noisy_campaign(8, 6, n=30, seed=seed)
        found = bt.meta_evaluate(
            metrics, human, by="pearson", n_resamples=99, confidence=None, workers=1, cache=None
        )
        claims.append(found.n_significant > 0)
    assert np.mean(claims) <= 0.15


def test_swapping_systems_is_corrected_for_the_mean_that_was_taken_away():
    """Pearson's r: p' = 2 Φ(√((m − 1) / m) Φ⁻¹(p / 2)) of the share of swaps of whole systems."""
    metrics, human = noisy_campaign(7, 2)
    found = bt.meta_evaluate(metrics, human, by="pearson", n_resamples=4000, workers=1)
    z = [(one.values - one.values.mean()) / one.values.std() for one in metrics]
    h = human.values.mean(axis=1)
    x = np.stack([one.mean(axis=1) for one in z])
    masks = np.array(np.meshgrid(*[[False, True]] * 7)).reshape(7, -1).T
    leads = [
        np.corrcoef(np.where(s, x[1], x[0]), h)[0, 1] - np.corrcoef(np.where(s, x[0], x[1]), h)[0, 1]
        for s in masks
    ]
    share = np.mean(np.abs(leads) >= abs(leads[0]) - 1e-12)
    expected = 2 * stats.norm.cdf(np.sqrt(6 / 7) * stats.norm.ppf(share / 2))
    assert found.comparisons.pvalue[0, 1] == pytest.approx(expected, abs=0.03)
