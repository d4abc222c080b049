"""Laws that every measure of agreement between metrics and people obeys; the exceptions are sets with names."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from tests.everyday import few
from tests.made import NAMES, drawn_counts, same_after_json, scores_of

import betterthan as bt
from betterthan.kernels.agreement.soft_pairwise import standard_error_of_monte_carlo
from betterthan.present.renderers.render import FORMATS, render

FAST = {"n_resamples": 59, "workers": 1}
VALUES_ONLY = {"significance": "none", "n_resamples": 1, "workers": 1}
COEFFICIENTS = ("pearson", "spearman", "kendall_b")
LEVELS = ("system", "segment", "within_system", "global")


def own(metric, human):
    """A user's measure: Pearson's r of the cells that were judged, in the third power."""
    there = ~np.isnan(human)
    return float(np.corrcoef(metric[there], human[there])[0, 1] ** 3)


MEASURES = {
    **{f"{by} {level}": {"by": by, "level": level} for by in COEFFICIENTS for level in LEVELS},
    "pairwise_accuracy": {"by": "pairwise_accuracy"},
    "soft monte_carlo": {"by": "soft_pairwise_accuracy", "n_resamples": 99},
    "soft monte_carlo mid": {"by": "soft_pairwise_accuracy", "n_resamples": 99, "mid_p": True},
    "soft analytic": {"by": "soft_pairwise_accuracy", "p_values": "analytic"},
    "soft exact": {"by": "soft_pairwise_accuracy", "p_values": "exact"},
    "soft exact mid": {"by": "soft_pairwise_accuracy", "p_values": "exact", "mid_p": True},
    **{f"accuracy {level}": {"by": "accuracy_with_ties", "level": level} for level in LEVELS[1:]},
    **{
        f"tau_{ties}": {"by": f"tau_{ties}"}
        for ties in ("ties_ignored", "ties_soft", "ties_hard", "human_ties")
    },
    "tau margin": {"by": "tau_ties_hard", "margin": 1.0},
    "own": {"by": own},
}
# Their p-values come from random permutations of segments.
DRAWN = {"soft monte_carlo", "soft monte_carlo mid"}
# Published p-values count ties for both sides, so that the order of systems matters where scores tie (E20).
LITERAL = {"soft monte_carlo", "soft exact"}
# A margin of the human scores is no margin of the metric.
NOT_ONE_FOR_PEOPLE = {"tau margin"}
BETWEEN_0_AND_1 = {name for name in MEASURES if name.startswith(("soft", "accuracy", "pairwise"))}

SWAPPED = ("perm_inputs", "perm_systems", "perm_both", "perm_cells")
TESTS = [
    *[(name, test) for name in ("pearson system", "soft analytic", "kendall_b segment") for test in SWAPPED],
    *[
        ("pairwise_accuracy", "perm_inputs"),
        ("pairwise_accuracy", "perm_cells"),
        ("spearman system", "perm_both"),
    ],
    *[("soft monte_carlo", "perm_inputs"), ("soft monte_carlo mid", "perm_both")],
    *[("spearman global", "perm_both"), ("pearson within_system", "perm_systems"), ("own", "perm_cells")],
    *[
        ("accuracy segment", "perm_inputs"),
        ("accuracy segment", "perm_both"),
        ("accuracy segment", "perm_pairs"),
    ],
    *[(name, "perm_inputs") for name in MEASURES if name.startswith("tau")],
    *[
        (name, "bootstrap")
        for name in ("pearson system", "soft analytic", "tau_ties_soft", "accuracy segment")
    ],
    ("pearson system", "williams"),
]


def campaign(kind):
    """Human scores and four metrics of 5 systems on 24 segments: the first sees most, the last is an error rate."""
    rng = np.random.default_rng(7)
    human = rng.normal(size=24) + rng.normal(size=(5, 24)) + np.array([0.3, 1.2, 0, 0.6, 0.9])[:, None]
    noise = np.array([0.6, 1.5, 2.5, 1.0])[:, None, None] * rng.normal(size=(4, 5, 24))
    scores = human + noise
    if kind != "distinct":
        human, scores = np.round(human), np.round(scores)
    if kind == "gaps":
        human = np.where(rng.random(human.shape) < 0.12, np.nan, human)
    names = ("sharp", "fair", "blunt")
    metrics = [scores_of(one, name=name) for name, one in zip(names, scores, strict=False)]
    errors = scores_of(-scores[3], name="errors", higher_is_better=False)
    return [*metrics, errors], scores_of(human, name="people")


TABLES = {kind: campaign(kind) for kind in ("distinct", "ties", "gaps")}
each_measure = pytest.mark.parametrize("name", MEASURES)
each_table = pytest.mark.parametrize("kind", few(["ties", "gaps"], 1))
each_test = pytest.mark.parametrize(("name", "test"), few(TESTS, 12, tuples=True))
few_tests = pytest.mark.parametrize(
    ("name", "test"),
    [
        *[
            ("pearson system", "perm_inputs"),
            ("soft monte_carlo", "perm_both"),
            ("soft analytic", "perm_cells"),
        ],
        *[
            ("spearman global", "perm_both"),
            ("accuracy segment", "perm_inputs"),
            ("tau_ties_hard", "perm_inputs"),
        ],
        *[("pearson within_system", "bootstrap"), ("own", "perm_inputs")],
    ],
)


def evaluate(metrics, human, name, **options):
    """One meta-evaluation; options given last win."""
    return bt.meta_evaluate(metrics, human, **{**VALUES_ONLY, **MEASURES[name], **options})


@cache
def usual(name, kind):
    """What every law starts from."""
    return evaluate(*TABLES[kind], name)


@cache
def comparing(name, test):
    """With comparisons of metrics, on scores with ties."""
    return evaluate(*TABLES["ties"], name, **{**FAST, "significance": test})


def values(found):
    """Metric to value."""
    return dict(zip(found.metrics, found.value.tolist(), strict=True))


def pvalues(found):
    """Pair of metrics to p-value."""
    return {(a, b): found.pvalue(a, b) for a in found.metrics for b in found.metrics if a != b}


@each_table
@each_measure
def test_names_and_the_order_of_metrics_do_not_matter(name, kind):
    """Other names of systems, segments and metrics, and a mapping the other way round, give the same values."""
    metrics, human = TABLES[kind]
    systems = ["Zoë", "a b", "17", "-", "Human"]
    segments = [f"s{i * 37 % 24}" for i in range(24)]
    renamed = {
        f"the {one.name}": replace(one, systems=systems, segments=segments) for one in reversed(metrics)
    }
    found = evaluate(renamed, replace(human, systems=systems, segments=segments), name)

    assert values(found) == {f"the {metric}": value for metric, value in values(usual(name, kind)).items()}


@pytest.mark.parametrize(
    ("name", "kind"),
    [(name, kind) for name in MEASURES for kind in (["distinct"] if name in LITERAL else ["ties", "gaps"])],
)
def test_the_order_of_systems_does_not_matter(name, kind):
    """Except to published p-values of scores that tie."""
    metrics, human = TABLES[kind]
    order = list("DBEAC")
    found = evaluate([one.select(order) for one in metrics], human.select(order), name)

    assert values(found) == pytest.approx(values(usual(name, kind)), abs=1e-6 if name in LITERAL else 1e-12)
    assert found.systems == tuple(order)


@each_table
@each_measure
def test_the_order_of_segments_does_not_matter(name, kind):
    """To Monte Carlo p-values it matters within their error: other permutations are drawn."""
    metrics, human = TABLES[kind]
    order = [str(1 + i * 7 % 24) for i in range(24)]
    found = evaluate([one.select(None, order) for one in metrics], human.select(None, order), name)
    before = usual(name, kind)
    if name not in DRAWN:
        assert values(found) == pytest.approx(values(before), abs=1e-12)
        return
    for i, metric in enumerate(before.metrics):
        error = standard_error_of_monte_carlo(before.metric_pvalue[i], before.human_pvalue, 99)
        assert abs(values(found)[metric] - before.value[i]) < 3 * error


@each_table
@each_measure
def test_direction_is_data_and_scale_is_nothing(name, kind):
    """−(4 x + 8), better when lower, says what x says; people's scores turned round say what they said."""
    metrics, human = TABLES[kind]

    def turned(one, scale, shift):
        values = 0.0 - (scale * one.values + shift)
        return replace(one, values=values, higher_is_better=not one.higher_is_better)

    found = evaluate([turned(one, 4, 8) for one in metrics], turned(human, 1, 0), name)
    assert values(found) == pytest.approx(values(usual(name, kind)), abs=1e-9)
    np.testing.assert_array_equal(found.human_mean, usual(name, kind).human_mean)


@each_table
@pytest.mark.parametrize("name", [name for name in MEASURES if name not in NOT_ONE_FOR_PEOPLE])
def test_people_agree_with_themselves(name, kind):
    """Human scores handed in as a metric have the highest value there is."""
    metrics, human = TABLES[kind]
    found = evaluate([*metrics, replace(human, name="copy")], human, name)

    assert values(found)["copy"] == pytest.approx(1, abs=1e-12)
    assert found.rank[found.metrics.index("copy")] == 1


@each_table
@each_measure
def test_values_lie_in_their_range_and_are_sorted(name, kind):
    """Best first; equal values share a rank."""
    found = usual(name, kind)

    assert np.all(np.abs(found.value) <= 1)
    assert name not in BETWEEN_0_AND_1 or np.all(found.value >= 0)
    assert np.all(np.diff(found.value) <= 0)
    assert found.rank.tolist() == [1 + int((found.value > value).sum()) for value in found.value]


@each_test
def test_two_sided_pvalues_have_no_direction(name, test):
    """In (0, 1], the same both ways, and never made smaller by looking at many pairs."""
    found = comparing(name, test).comparisons

    assert found.test == test
    assert found.alternative == "two-sided"
    assert found.generalises_to in {"segments", "systems", "both"}
    assert found.null.endswith(".")
    for p in (found.pvalue, found.adjusted):
        np.testing.assert_array_equal(p, p.T)
        assert np.isnan(np.diag(p)).all()
        assert (p[~np.isnan(p)] > 0).all()
        assert (p[~np.isnan(p)] <= 1).all()
    assert not (found.adjusted < found.pvalue - 1e-12).any()
    assert found.correction in {"holm", "max_statistic"}


@each_test
def test_one_sided_pvalues_are_those_of_the_shared_tasks(name, test):
    """In (0, 1]; what speaks for one of two metrics speaks against the other; nothing is corrected."""
    found = evaluate(*TABLES["ties"], name, **{**FAST, "significance": test, "alternative": "wmt"})

    assert found.comparisons.test == test
    assert found.comparisons.correction == "none"
    assert np.isnan(np.diag(found.comparisons.pvalue)).all()
    for (a, b), p in pvalues(found).items():
        other = found.pvalue(b, a)
        assert 0 < p <= 1
        assert p + other >= 1 - 1e-12
        if p <= 0.05:
            assert other >= 0.9
            assert values(found)[a] > values(found)[b]


@each_test
def test_names_order_and_direction_do_not_change_pvalues(name, test):
    """Metrics in another order, under other names, one of them turned round: the same p-values."""
    metrics, human = TABLES["ties"]
    first = replace(metrics[0], values=0.0 - metrics[0].values, higher_is_better=False)
    changed = [replace(one, name=f"my {one.name}") for one in (metrics[2], metrics[3], first, metrics[1])]
    found = evaluate(changed, human, name, **{**FAST, "significance": test})

    expected = {(f"my {a}", f"my {b}"): p for (a, b), p in pvalues(comparing(name, test)).items()}
    assert pvalues(found) == pytest.approx(expected, abs=1e-12)


@few_tests
def test_workers_change_no_byte(name, test):
    """One process or two."""
    options = {"n_resamples": 110, "significance": test}
    one, two = (evaluate(*TABLES["ties"], name, **options, workers=workers).to_json() for workers in (1, 2))

    assert one == two


@few_tests
def test_a_seed_gives_the_same_bytes(name, test):
    """And another seed moves what was drawn, but no value that was not."""
    options = {**FAST, "significance": test}
    found = evaluate(*TABLES["ties"], name, **options)
    other = evaluate(*TABLES["ties"], name, **options, rng=1)

    assert evaluate(*TABLES["ties"], name, **options).to_json() == found.to_json()
    assert name in DRAWN or values(other) == values(found)
    assert not np.array_equal(other.low, found.low)


@each_test
def test_every_result_survives_json_frames_and_rendering(name, test):
    """All formats show every metric."""
    found = comparing(name, test)

    assert same_after_json(found)
    assert found.to_frame()["metric"].tolist() == list(found.metrics)
    for form in FORMATS:
        text = render(found, form)
        assert all(metric in text for metric in found.metrics)


@each_test
def test_clusters_letters_and_fuzzy_ranks_tell_one_story(name, test):
    """All follow from which better value is significantly better."""
    found = comparing(name, test)
    k = len(found.metrics)
    differ = np.triu(found.comparisons.adjusted <= 0.05, 1)
    differ |= differ.T
    for a in range(k):
        alike = [b for b in range(k) if not differ[a, b]]
        assert found.fuzzy_rank[a] == pytest.approx(np.mean(found.rank[alike]))
        for b in range(k):
            assert bool(set(found.letters[a]) & set(found.letters[b])) == (not differ[a, b])
    cluster, members = 1, [0]
    for b in range(1, k):
        if differ[members, b].any():
            cluster, members = cluster + 1, []
        members.append(b)
        assert found.cluster[b] == cluster
    assert found.n_clusters == cluster
    assert found.n_significant == int(np.triu(differ).sum())
    assert found.n_distinct == len({round(value, 12) for value in found.value.tolist()})


@pytest.mark.parametrize("name", [name for name in MEASURES if name != "own"])
def test_a_corpus_metric_obeys_the_same_laws(name):
    """Counts whose formula is linear are the scores they add up to."""
    metrics, human = TABLES["distinct"]
    ones = np.ones_like(metrics[0].values)
    mean = bt.Formula(name="mean", pooled=lambda sums: sums[..., 0] / sums[..., 1])
    counts = bt.Counts(
        name="sharp",
        systems=metrics[0].systems,
        segments=metrics[0].segments,
        columns=["sum", "n"],
        values=np.stack([metrics[0].values, ones], axis=2),
        formula=mean,
    )
    options = {"p_values": "analytic"} if name.startswith("soft exact") else {}
    found = evaluate([counts, *metrics[1:]], human, name, **options)

    assert values(found) == pytest.approx(values(evaluate(metrics, human, name, **options)), abs=1e-9)


@pytest.mark.parametrize("name", MEASURES)
def test_a_signature_names_what_makes_numbers_comparable(name):
    """Measure, level, data and test stand in the line under the table."""
    found = usual(name, "ties")
    line = found.settings.signature

    assert line.startswith(f"betterthan|{found.method}|n:24|k:5|level:{found.level}|")
    for part in ("|metrics:4|", "|alpha:0.05|", f"|version:{bt.__version__}", "|significance:none"):
        assert part in line
    assert usual(name, "distinct").settings.data != found.settings.data


def test_a_corpus_metric_with_a_curved_formula_is_permuted_with_its_own_score():
    """D3: the p-values behind soft pairwise accuracy are shares of permutations of the pooled score itself."""
    counts = drawn_counts(3, 12, seed=3)
    human = scores_of(np.random.default_rng(1).normal(size=(3, 12)), name="people")
    found = bt.meta_evaluate(counts, human, significance="none", n_resamples=4000, workers=1)
    place = [found.systems.index(name) for name in NAMES[:3]]

    def score(values):
        right, size = values.sum(axis=0)
        return right / size

    rng = np.random.default_rng(2)
    for a, b in ((0, 1), (0, 2), (1, 2)):
        left, right = counts.values[a], counts.values[b]
        observed = score(left) - score(right)
        swaps = rng.random((4000, 12, 1)) < 0.5
        drawn = [score(np.where(s, right, left)) - score(np.where(s, left, right)) for s in swaps]
        share = np.mean(np.array(drawn) >= observed - 1e-12)
        p = found.metric_pvalue[0, place[a], place[b]]
        assert abs(p - share) < 4 * np.sqrt(2 * share * (1 - share) / 4000)
