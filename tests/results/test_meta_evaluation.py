"""MetaEvaluation: what it counts, what pairs of systems add, and how it shows itself."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.made import same_after_json, scores_of

import betterthan as bt
from betterthan.present.renderers.render import FORMATS, render
from betterthan.results.metrics import CASES, MetaEvaluation, MetricComparisons

RNG = np.random.default_rng(21)
HUMAN = RNG.normal(size=(4, 40)) + np.array([0.0, 0.9, 0.1, 0.8])[:, None]
PEOPLE = scores_of(HUMAN, name="people")
METRICS = [
    scores_of(HUMAN + size * RNG.normal(size=HUMAN.shape), name=name)
    for name, size in (("sharp", 0.3), ("fair", 1.0), ("blunt", 4.0))
]
SETTINGS = bt.Settings(method="soft_pairwise_accuracy", options={}, data="abc", version="1")


def a_meta_evaluation(**options):
    """A result that was never computed: three metrics, of which the first is told from the last."""
    pvalue = np.array([[np.nan, 0.2, 0.01], [0.8, np.nan, 0.3], [0.99, 0.7, np.nan]])
    fields = {
        "level": "system",
        "human": "people",
        "metrics": ("first", "second", "third"),
        "value": np.array([0.9, 0.8, 0.8]),
        "low": np.full(3, np.nan),
        "high": np.full(3, np.nan),
        "confidence": 0.95,
        "rank": np.array([1, 2, 2]),
        "fuzzy_rank": np.array([1.5, 5 / 3, 2.0]),
        "cluster": np.array([1, 1, 2]),
        "letters": ("a", "ab", "b"),
        "comparisons": MetricComparisons(
            test="perm_inputs", correction="none", alpha=0.05, pvalue=pvalue, adjusted=pvalue
        ),
        "threshold": None,
        "systems": ("X", "Y", "Z"),
        "human_mean": np.array([1.0, 2.0, 3.0]),
        "metric_mean": np.zeros((3, 3)),
        "human_pvalue": None,
        "metric_pvalue": None,
        "n_systems": 3,
        "n_segments": 10,
        "n_pairs": 3,
        "notes": ("a note",),
        "settings": SETTINGS,
    }
    return MetaEvaluation(**{**fields, **options})


def with_pvalues(human, metric):
    """A result over three systems with these p-values of the pairs XY, XZ, YZ."""

    def matrix(pairs):
        found = np.full((3, 3), 0.5)
        for (i, j), p in zip(((0, 1), (0, 2), (1, 2)), pairs, strict=True):
            found[i, j], found[j, i] = p, 1 - p
        return found

    return a_meta_evaluation(human_pvalue=matrix(human), metric_pvalue=np.stack([matrix(metric)] * 3))


def test_it_counts_values_differences_and_clusters():
    """A47 and the columns of A59: one pair of metrics of three is told apart, two values, two clusters."""
    found = a_meta_evaluation()
    assert (found.n_distinct, found.n_significant, found.n_clusters) == (2, 1, 2)
    assert found.pvalue("first", "third") == 0.01
    assert found.pvalue("third", "first") == 0.99


def test_values_that_differ_by_rounding_are_one_and_missing_ones_none():
    """0.1 + 0.2 is 0.3."""
    assert a_meta_evaluation(value=np.array([0.1 + 0.2, 0.3, np.nan])).n_distinct == 1


def test_an_unknown_metric_is_named():
    """With the nearest one."""
    with pytest.raises(bt.UnknownName, match=r'Unknown metric "fist"\. Did you mean "first"\?'):
        a_meta_evaluation().pvalue("fist", "third")


@pytest.mark.parametrize(
    ("human", "metric", "case"),
    [
        (0.01, 0.02, "both significant, and they agree"),
        (0.99, 0.96, "both significant, and they agree"),
        (0.01, 0.99, "both significant, and they disagree"),
        (0.01, 0.40, "only the human scores significant"),
        (0.98, 0.60, "only the human scores significant"),
        (0.45, 0.001, "only the metric significant"),
        (0.30, 0.60, "neither significant"),
        (0.05, 0.95, "both significant, and they disagree"),
    ],
)
def test_every_pair_of_systems_is_one_of_the_papers_cases(human, metric, case):
    """A46: significant and alike, human sure but metric not, human tied but metric sure."""
    found = with_pvalues([human, 0.5, 0.5], [metric, 0.5, 0.5]).contributions("second")
    pair = next(one for one in found if {one.a, one.b} == {"X", "Y"})
    assert pair.case == case
    assert pair.case in CASES
    assert pair.value == pytest.approx(1 - abs(human - metric))


def test_contributions_begin_with_the_worst_pair_and_the_better_system():
    """People put Y above X: the pair reads Y, X, and both p-values are turned round."""
    found = with_pvalues([0.9, 0.5, 0.2], [0.3, 0.5, 0.1]).contributions("first")
    assert [one.value for one in found] == sorted(one.value for one in found)
    worst = found[0]
    assert (worst.a, worst.b) == ("Y", "X")
    assert (worst.human_pvalue, worst.metric_pvalue) == pytest.approx((0.1, 0.7))
    assert worst.value == pytest.approx(0.4)


def test_how_sure_is_sure_may_be_said():
    """At a tenth, people are sure at 0.08."""
    found = with_pvalues([0.08, 0.5, 0.5], [0.5, 0.5, 0.5])
    cases = [{one.case for one in found.contributions("first", alpha=alpha)} for alpha in (0.05, 0.1)]
    assert cases == [{"neither significant"}, {"only the human scores significant", "neither significant"}]


@pytest.mark.parametrize("options", [{}, {"mid_p": True}, {"p_values": "analytic"}, {"p_values": "exact"}])
def test_contributions_add_up_to_the_value(options):
    """Also where literal p-values count ties twice: scores are whole numbers here."""
    tables = [replace(one, values=np.round(one.values)) for one in METRICS]
    found = bt.meta_evaluate(
        tables,
        scores_of(np.round(HUMAN), name="people"),
        significance="none",
        n_resamples=150,
        workers=1,
        **options,
    )
    for i, metric in enumerate(found.metrics):
        pairs = found.contributions(metric)
        assert len(pairs) == found.n_pairs == 6
        assert np.mean([one.value for one in pairs]) == pytest.approx(found.value[i], abs=1e-12)


def test_pairs_nobody_can_compare_add_nothing():
    """Two systems that were never judged on the same segment have no p-value and no line."""
    values = HUMAN.copy()
    values[0, :20] = values[1, 20:] = np.nan
    found = bt.meta_evaluate(
        METRICS,
        scores_of(values, name="people"),
        p_values="analytic",
        significance="none",
        n_resamples=9,
        workers=1,
    )
    assert found.n_pairs == 5
    assert len(found.contributions("sharp")) == 5
    assert np.isnan(found.human_pvalue[0, 1])
    assert np.all(np.isfinite(found.value))


def test_only_soft_pairwise_accuracy_has_contributions():
    """The error says what to use."""
    found = bt.meta_evaluate(METRICS, PEOPLE, by="pearson", significance="none", n_resamples=9, workers=1)
    with pytest.raises(
        bt.BetterThanError, match=r'not available with by="pearson"\. Use by="soft_pairwise_accuracy"'
    ):
        found.contributions("sharp")


def test_a_result_survives_json_and_back():
    """With and without p-values of systems, thresholds, and numbers that are missing."""
    options = {"n_resamples": 49, "workers": 1}
    results = [
        a_meta_evaluation(),
        bt.meta_evaluate(METRICS, PEOPLE, **options),
        bt.meta_evaluate(METRICS, PEOPLE, by="accuracy_with_ties", **options),
        bt.meta_evaluate(METRICS[:1], PEOPLE, by="accuracy_with_ties", level="global", **options),
    ]
    for found in results:
        assert same_after_json(found)
        data = json.loads(found.to_json())
        assert data["kind"] == "meta_evaluation"
        assert data["method"] == found.method
        assert data["signature"] == found.settings.signature
    assert json.loads(results[-1].to_json())["low"] == [None]


def test_what_was_found_cannot_be_changed():
    """Arrays are read-only, those of comparisons as well as its own."""
    found = bt.meta_evaluate(METRICS, PEOPLE, n_resamples=49, workers=1)
    for values in (found.value, found.rank, found.metric_pvalue):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 9


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_frame_has_a_row_a_metric(backend):
    """And the threshold where there is one."""
    plain = bt.meta_evaluate(METRICS, PEOPLE, n_resamples=49, workers=1)
    tied = bt.meta_evaluate(METRICS, PEOPLE, by="accuracy_with_ties", n_resamples=49, workers=1)

    def names(found):
        frame = found.to_frame(backend)
        assert len(frame) == 3
        return list(frame.column_names if backend == "pyarrow" else frame.columns)

    expected = ["rank", "metric", "value", "low", "high", "fuzzy_rank", "cluster", "letters"]
    assert names(plain) == expected
    assert names(tied) == [*expected, "threshold"]


AWKWARD = {"<b>bold</b>": "&lt;b&gt;bold&lt;/b&gt;", "a_b%": r"a\_b\%", "x|y": r"x\|y"}


@pytest.mark.parametrize("form", FORMATS)
def test_names_are_escaped_in_every_format(form):
    """A name is text, whatever signs it is made of."""
    names = list(AWKWARD)
    tables = dict(zip(names, METRICS, strict=True))
    found = bt.meta_evaluate(tables, PEOPLE, n_resamples=49, workers=1)
    text = render(found, form)

    if form == "html":
        assert "<b>bold" not in text
        assert AWKWARD["<b>bold</b>"] in text
    if form == "latex":
        assert AWKWARD["a_b%"] in text
        assert "a_b%" not in text.replace(AWKWARD["a_b%"], "")
    if form == "markdown":
        assert AWKWARD["x|y"] in text
    if form == "json":
        assert json.loads(text)["metrics"] == list(found.metrics)
    if form in {"csv", "tsv"}:
        assert all(name in text for name in names)


def test_the_table_reads_as_the_shared_task_writes_it():
    """Clusters divided by lines in LaTeX, the test and its level said."""
    found = bt.meta_evaluate(METRICS, PEOPLE, by="pearson", level="segment", n_resamples=199, workers=1)
    assert found.n_clusters > 1
    assert render(found, "latex").count(r"\midrule") >= found.n_clusters
    said = " ".join(str(found).split())
    assert (
        f"{found.n_significant} of 3 pairs of metrics differ significantly "
        f"(PERM-INPUTS, two-sided, p ≤ 0.05, Holm over 3 pairs)." in said
    )
    assert found.settings.short_signature in str(found)
    assert repr(found) == "MetaEvaluation(by pearson, segment level, 3 metrics: sharp > fair > blunt)"
