"""Segments and documents as units of drawing and permuting."""

from __future__ import annotations

import numpy as np
import pytest
from tests.made import drawn_counts, drawn_scores, scores_of

import betterthan as bt
from betterthan.analysis.compare.compare_counts import unit_counts
from betterthan.analysis.pairs.effects import clustered_mean_differences
from betterthan.analysis.units import units_of

GIANT = (0.4688311333294182, 3.311926605504597)


def test_groups_are_numbered_as_they_appear():
    """x, y, x gives 0, 1, 0; sizes count segments."""
    units = units_of(scores_of([[1, 2, 3]], groups=["x", "y", "x"]), "groups")

    assert units.of_segment.tolist() == [0, 1, 0]
    assert units.sizes.tolist() == [2, 1]
    assert not units.are_segments
    assert units.summed(np.array([[1.0, 2.0, 3.0]])).tolist() == [[4.0, 2.0]]


def test_groups_of_one_segment_are_segments():
    """Every document has one: the same as no documents at all, to the last byte."""
    scores = drawn_scores(3, 12, groups=[f"d{i}" for i in range(12)])

    assert units_of(scores, "groups").are_segments
    one, other = (bt.compare(scores, units=units) for units in ("segments", "groups"))
    np.testing.assert_array_equal(one.pvalue, other.pvalue)
    np.testing.assert_array_equal(one.low, other.low)


def test_counts_are_summed_by_document():
    """Every column by itself."""
    table = drawn_counts(2, 6, groups=list("aabbba"))
    summed = unit_counts(table, units_of(table, "groups"))

    np.testing.assert_array_equal(summed[:, 0], table.values[:, [0, 1, 5]].sum(axis=1))
    np.testing.assert_array_equal(summed[:, 1], table.values[:, [2, 3, 4]].sum(axis=1))


def test_documents_cannot_be_summed_over_gaps():
    """The message names the cure."""
    units = units_of(scores_of([[1, 2, 3]], groups=["x", "y", "x"]), "groups")
    with pytest.raises(bt.MissingScores, match='missing="drop"'):
        units.summed(np.array([[1.0, np.nan, 3.0]]))


def test_a_giant_document_is_worth_few():
    """Ten documents of 2 segments and one of 20: R's clubSandwich has these errors and degrees of freedom (CR2)."""
    sizes = [20] + [2] * 10
    document = np.repeat(np.arange(11), sizes)
    goodness = np.stack([np.arange(40) % 7 + document % 3, np.arange(40) % 5], axis=0).astype(float)
    units = units_of(scores_of(goodness, groups=[str(i) for i in document]), "groups")
    found = clustered_mean_differences(goodness, units)

    assert found.error[0, 1] == pytest.approx(GIANT[0], rel=1e-12)
    assert found.degrees == pytest.approx(GIANT[1], rel=1e-12)
    even = units_of(scores_of(goodness, groups=[str(i // 4) for i in range(40)]), "groups")
    assert clustered_mean_differences(goodness, even).degrees == pytest.approx(9)


def test_rounding_is_no_spread():
    """A constant lead of 0.1 has no standard error, although 0.1 cannot be written exactly."""
    a = np.linspace(0, 7, 20) / 3
    goodness = np.stack([a, a + 0.1])
    units = units_of(scores_of(goodness, groups=[str(i // 4) for i in range(20)]), "groups")
    found = clustered_mean_differences(goodness, units)

    assert found.mean[1, 0] == pytest.approx(0.1)
    assert found.error[1, 0] == 0
