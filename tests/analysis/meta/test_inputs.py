"""Metrics and human scores brought together: which systems, segments and cells, and what is said about the rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.made import accuracy_counts, scores_of

import betterthan as bt
from betterthan.analysis.meta.inputs import panel_of, pseudo_values
from betterthan.analysis.meta.measures import units_for

RNG = np.random.default_rng(5)
VALUES = RNG.normal(size=(4, 12))
PEOPLE = scores_of(VALUES, name="people", groups=[f"d{i // 4}" for i in range(12)])
METRIC = scores_of(VALUES + RNG.normal(size=VALUES.shape), name="metric")
OTHER = scores_of(VALUES - RNG.normal(size=VALUES.shape), name="other")


def named(table, name, **options):
    """The table under another name."""
    return replace(table, name=name, **options)


def test_tables_come_in_the_order_of_people():
    """Whatever order metrics are in."""
    shuffled = METRIC.select(list("CADB"), [str(i) for i in range(12, 0, -1)])
    panel = panel_of({"m": shuffled}, PEOPLE)
    assert panel.human.systems == panel.metrics[0].systems == tuple("ABCD")
    np.testing.assert_array_equal(panel.metrics[0].values, METRIC.values)
    assert panel.names == ("m",)
    assert panel.is_complete


def test_one_table_a_list_and_a_mapping_are_taken():
    """A mapping's names win over the tables' own."""
    assert panel_of(METRIC, PEOPLE).names == ("metric",)
    assert panel_of([METRIC, OTHER], PEOPLE).names == ("metric", "other")
    assert panel_of({"x": METRIC, "y": METRIC}, PEOPLE).names == ("x", "y")


def test_systems_that_most_metrics_lack_are_left_out_and_said():
    """As a rule these are the reference of the others."""
    without = [named(one.select(list("ABC")), name) for one, name in ((METRIC, "m1"), (OTHER, "m2"))]
    panel = panel_of([*without, named(METRIC, "m3", values=VALUES)], PEOPLE)
    assert panel.human.systems == tuple("ABC")
    assert panel.notes == ("Systems left out, because most metrics have no score for them: D.",)


def test_a_system_that_half_of_the_metrics_scored_is_left_out():
    """Rather than half of the metrics."""
    panel = panel_of([METRIC, OTHER.select(list("ABC"))], PEOPLE)
    assert panel.human.systems == tuple("ABC")
    assert panel.names == ("metric", "other")


def test_metrics_that_lack_a_system_the_others_have_are_left_out_and_said():
    """All metrics are held against the same systems."""
    panel = panel_of([METRIC, OTHER, named(METRIC.select(list("ABC")), "short")], PEOPLE)
    assert panel.names == ("metric", "other")
    assert panel.human.n_systems == 4
    assert panel.notes == ("Metrics left out, because they have no scores for some systems: short.",)


def test_systems_nobody_judged_are_left_out_and_said():
    """And those that were asked to be left out, by name or by pattern."""
    values = VALUES.copy()
    values[1] = np.nan
    panel = panel_of([METRIC], scores_of(values, name="people"))
    assert panel.human.systems == tuple("ACD")
    assert "Systems without any human score left out: B." in panel.notes
    for asked in (["A"], "A", ["A*"]):
        found = panel_of([METRIC], PEOPLE, leave_out=asked)
        assert found.human.systems == tuple("BCD")
        assert found.notes == ("Systems left out on request: A.",)


def test_outlying_systems_are_left_out_on_request():
    """More than 2.5 times 1.4826 median deviations from the median of human scores (Mathur et al. 2020)."""
    means = np.array([1.0, 1.1, 1.2, 1.3, 9.0])
    human = scores_of(means[:, None] + np.array([-0.5, 0.0, 0.5]), name="people")
    metric = scores_of(np.random.default_rng(1).normal(size=(5, 3)), name="metric")
    kept = bt.meta_evaluate([metric], human, by="pearson", outliers="keep", n_resamples=9)
    dropped = bt.meta_evaluate([metric], human, by="pearson", outliers="drop", n_resamples=9)
    assert kept.systems == tuple("ABCDE")
    assert dropped.systems == tuple("ABCD")
    assert "Systems left out on request as outliers by their human scores: E." in dropped.notes
    with pytest.raises(bt.UnknownName, match=r'"keep"|keep'):
        bt.meta_evaluate([metric], human, outliers="remove")


def test_cells_without_a_metric_score_do_not_count_for_anybody():
    """All metrics are held against the same cells; people's gaps are no metric's fault."""
    gap = METRIC.values.copy()
    gap[0, 0] = gap[2, 5] = np.nan
    human = VALUES.copy()
    human[3, 3] = np.nan
    panel = panel_of([scores_of(gap, name="gap"), OTHER], scores_of(human, name="people"))
    expected = ~np.isnan(gap) & ~np.isnan(human)
    np.testing.assert_array_equal(panel.judged, expected)
    assert panel.notes == (
        "2 judged outputs left out for all metrics, because a metric has no score for them.",
    )
    np.testing.assert_array_equal(np.isnan(panel.human_goodness), ~expected)
    assert not panel.is_complete


def test_a_metric_with_many_gaps_is_left_out_itself():
    """More than a tenth of what people judged."""
    gap = METRIC.values.copy()
    gap[0, :6] = np.nan
    panel = panel_of([scores_of(gap, name="gap"), OTHER], PEOPLE)
    assert panel.names == ("other",)
    assert panel.notes == ('"gap" left out: 6 of the 48 judged scores are missing.',)
    with pytest.raises(bt.TableError, match=r"Every metric lacks"):
        panel_of([scores_of(gap, name="gap")], PEOPLE)


def test_segments_a_metric_lacks_are_left_out_and_counted():
    """The shared ones are used."""
    panel = panel_of([METRIC.select(None, METRIC.segments[2:])], PEOPLE)
    assert panel.human.n_segments == 10
    assert panel.unmatched == ((("people",), 2, 12),)
    np.testing.assert_array_equal(panel.human.values, VALUES[:, 2:])


def test_metrics_of_documents_meet_people_averaged_over_documents():
    """Over the segments that were judged."""
    values = VALUES.copy()
    values[0, :2] = np.nan
    human = replace(PEOPLE, values=values)
    documents = bt.Scores(
        name="docs", systems=list("ABCD"), segments=["d2", "d0", "d1"], values=RNG.normal(size=(4, 3))
    )
    panel = panel_of([documents], human)
    assert panel.human.segments == ("d0", "d1", "d2")
    expected = np.nanmean(values.reshape(4, 3, 4), axis=2)
    np.testing.assert_allclose(panel.human.values, expected, atol=1e-12)
    np.testing.assert_array_equal(panel.metrics[0].values, documents.values[:, [1, 2, 0]])
    assert panel.notes == (
        "Human scores were averaged over the segments of each document, because the metrics score documents.",
    )
    with pytest.raises(
        bt.TableError, match=r"document scores \(docs\), the others segment scores\. Evaluate them separately"
    ):
        panel_of([documents, METRIC], human)


def test_notes_of_tables_travel():
    """What a reader dropped is said with every result."""
    panel = panel_of(
        [replace(METRIC, notes=("3 rows dropped.",))], replace(PEOPLE, notes=("1 judge left out.",))
    )
    assert panel.notes == ('"people": 1 judge left out.', '"metric": 3 rows dropped.')


def one_a_system(values, name="m", **options):
    """Scores of systems, not of segments."""
    return bt.Scores(
        name=name, systems=list("ABCD"), segments=["system"], values=np.array(values)[:, None], **options
    )


def test_metrics_with_one_score_a_system_keep_people_as_they_are():
    """Their single segment is named "system"."""
    panel = panel_of([one_a_system([1.0, 2, 3, 4])], PEOPLE)
    assert panel.is_systems_only
    assert panel.human.n_segments == 12
    assert panel_of([one_a_system([1.0, 2, 3, 4])], one_a_system([4.0, 3, 2, 1], "people")).is_systems_only
    assert not panel_of([METRIC], PEOPLE).is_systems_only


def test_a_missing_score_of_a_system_leaves_the_metric_out():
    """Otherwise it would be held against other systems than the rest."""
    tables = [one_a_system([1.0, np.nan, 3, 4], "gap"), one_a_system([1.0, 2, 3, 4], "m")]
    panel = panel_of(tables, PEOPLE)
    assert panel.names == ("m",)
    assert panel.notes == ("Metrics left out, because they have no score for some system: gap.",)


def test_the_digest_changes_with_every_table():
    """It keys what is cached."""
    other = VALUES.copy()
    other[0, 0] += 1
    digests = {
        panel_of([METRIC], PEOPLE).digest,
        panel_of([OTHER], PEOPLE).digest,
        panel_of([METRIC, OTHER], PEOPLE).digest,
        panel_of([METRIC], replace(PEOPLE, values=other)).digest,
        panel_of([METRIC], PEOPLE, leave_out=["A"]).digest,
    }
    assert len(digests) == 5


def test_pseudo_values_of_a_mean_are_the_scores_themselves():
    """Leaving out a segment takes away just that; over the segments on which a system was judged."""
    right = RNG.integers(0, 2, (4, 12))
    counts = accuracy_counts(np.stack([right, np.ones_like(right)], axis=2))
    judged = RNG.random((4, 12)) < 0.8
    for cells in (np.ones((4, 12), dtype=bool), judged):
        found = pseudo_values(counts, cells)
        np.testing.assert_allclose(found[cells], right[cells], atol=1e-12)
        errors = pseudo_values(replace(counts, higher_is_better=False), cells)
        np.testing.assert_allclose(errors[cells], -right[cells], atol=1e-12)


def test_pseudo_values_of_a_single_segment_are_its_score():
    """Without it nothing is left to be divided, and nobody should be warned of that."""
    right = RNG.integers(0, 2, (4, 1))
    counts = accuracy_counts(np.stack([right, np.ones_like(right)], axis=2))
    np.testing.assert_allclose(pseudo_values(counts, np.ones((4, 1), dtype=bool)), right, atol=1e-12)


def test_units_are_segments_documents_or_windows_inside_documents():
    """A window ends where its document does."""
    assert units_for(PEOPLE, "segments").are_segments
    assert units_for(PEOPLE, "groups").of_segment.tolist() == [0] * 4 + [1] * 4 + [2] * 4
    assert units_for(PEOPLE, 3).of_segment.tolist() == [0, 0, 0, 1, 2, 2, 2, 3, 4, 4, 4, 5]
    assert units_for(replace(PEOPLE, groups=None), 5).of_segment.tolist() == [0] * 5 + [1] * 5 + [2] * 2


REFUSALS = {
    "nothing": ([{}, PEOPLE], r"There are no metrics to evaluate\. Pass a mapping of names to Scores"),
    "text": (["metrics.tsv", PEOPLE], r"metrics must be a mapping of names to Scores, not str"),
    "None": ([None, PEOPLE], r"metrics must be a mapping of names to Scores, not NoneType"),
    "numbers": ([[1, 2], PEOPLE], r"must be Scores or Counts, not int"),
    "an array": ([{"m": VALUES}, PEOPLE], r'The metric "m" must be Scores or Counts, not ndarray'),
    "twice": ([[METRIC, METRIC], PEOPLE], r"Two metrics have the same name: metric\. Pass a mapping"),
    "human": (
        [[METRIC], VALUES],
        r"human must be Scores, not ndarray\. Convert Ratings with \.to_scores",
    ),
    "counts": ([[METRIC], accuracy_counts(np.ones((2, 2, 2)))], r"human must be Scores, not Counts"),
    "systems": (
        [[scores_of({"x": VALUES[0], "y": VALUES[1]}, name="m")], PEOPLE],
        r"share 0 of 4 systems, but two are needed\. Human scores are for: A, B, C, D; m has: x, y",
    ),
    "segments": (
        [[replace(METRIC, segments=[f"s{i}" for i in range(12)])], PEOPLE],
        r'"people" and "metric" share no segments\. people has: 1, 2.*metric has: s0',
    ),
    "all missing": (
        [[METRIC], scores_of(np.full((4, 12), np.nan), name="people")],
        r'"people" has no score at all',
    ),
    "metric missing": (
        [[scores_of(np.full((4, 12), np.nan), name="m")], PEOPLE],
        r"Every metric lacks a tenth",
    ),
    "levels": (
        [[one_a_system([1.0, 2, 3, 4], "whole"), METRIC], PEOPLE],
        r"one score per system \(whole\), the others scores of segments\. Evaluate them separately",
    ),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_what_cannot_be_brought_together_is_refused(case):
    """In words that say which table and why."""
    arguments, words = REFUSALS[case]
    with pytest.raises(bt.TableError, match=words):
        panel_of(*arguments)


def test_leaving_out_what_is_not_there_or_everything_is_refused():
    """The nearest name is offered, and what is left is counted."""
    names = replace(PEOPLE, systems=["Online-A", "Online-B", "OPPO", "Human-A"])
    with pytest.raises(bt.UnknownName, match=r'Unknown system "Online-C"\. Did you mean "Online-') as refused:
        panel_of([replace(METRIC, systems=names.systems)], names, leave_out=["Online-C"])
    assert refused.value.choices == ("Human-A", "OPPO", "Online-A", "Online-B")
    with pytest.raises(
        bt.TableError, match=r"leave_out removes every system; human scores are for A, B, C, D"
    ):
        panel_of([METRIC], PEOPLE, leave_out="*")
    with pytest.raises(bt.TableError, match=r"share 1 of 1 systems, but two are needed"):
        panel_of([METRIC], PEOPLE, leave_out=["A", "B", "C"])


def test_a_system_without_a_cell_in_common_is_refused_by_name():
    """Nothing can be said about it."""
    human, metric = VALUES.copy(), METRIC.values.copy()
    human[2, 1:] = np.nan
    metric[2, 0] = np.nan
    with pytest.raises(bt.TableError, match=r"No segment is left with a score of every metric for: C"):
        panel_of([scores_of(metric, name="m"), OTHER], scores_of(human, name="people"))
